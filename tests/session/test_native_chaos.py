"""--chaos: turns of threads vary with the seed, and with nothing else."""
import subprocess

import pytest

PROGRAM = r"""
#include <pthread.h>
#include <stdio.h>
static volatile int counter;

static void *add(void *unused)
{
    for (int i = 0; i < 20000; i++) {
        int seen = counter;
        for (volatile int k = 0; k < 3; k++)
            ;
        counter = seen + 1; /* lost updates */
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("counted %d\n", counter);
    return 0;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("chaos")
    (folder / "chaos.c").write_text(PROGRAM)
    subprocess.run(["cc", "-g", "-O0", "-pthread", "-o", folder / "chaos", folder / "chaos.c"], check=True)
    return folder / "chaos"


def counted(ebb, program, seed):
    done = ebb(["run", "--batch", "--chaos", seed, "-e", "run", str(program)], timeout=100)
    assert done.returncode == 0, done.stderr
    return next(line for line in done.stdout.splitlines() if line.startswith("counted "))


def test_seeds_differ_and_updates_get_lost(ebb, program):
    results = {counted(ebb, program, str(seed)) for seed in range(4)}
    assert len(results) > 1
    assert "counted 60000" not in results


def test_the_same_seed_is_the_same_schedule(ebb, program):
    assert counted(ebb, program, "again") == counted(ebb, program, "again")


def test_the_past_of_such_a_run_is_there(ebb, program):
    done = ebb(["run", "--batch", "--chaos", "7", "-e", "break printf", "-e", "run", "-e", "print counter", "-e", "last-write counter", "-e", "goto end",
                "-e", "print counter", str(program)], timeout=100)
    assert done.returncode == 0, done.stderr
    values = [line.split("= ")[1] for line in done.stdout.splitlines() if line.startswith("$")]
    assert values[0] == values[1] and "chaos.c:12" in done.stdout


def test_a_recording_is_of_such_a_run(ebb, program, tmp_path):
    """Updates get lost in it, and the same ones in replay."""
    done = ebb(["record", "--chaos", "3", "-o", tmp_path / "chaos.ebb", program], timeout=100)
    expected = done.stdout.strip()
    assert expected.startswith("counted ") and expected != "counted 60000", done.stderr
    done = ebb(["replay", "--batch", "-e", "break printf", "-e", "continue", "-e", "print counter", tmp_path / "chaos.ebb"], timeout=100)
    assert f"= {expected.split()[1]}\n" in done.stdout, done.stdout
