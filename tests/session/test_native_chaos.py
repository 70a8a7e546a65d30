"""--chaos: turns of threads vary with the seed, and with nothing else."""
import re
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


# Who is first at a lock, a condition or a barrier, and who is woken first, is in the order that it prints.
LOCKS = r"""
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 60 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static unsigned order = 1, n_given, n_taken;

static void work(unsigned n)
{
    for (volatile unsigned i = 0; i < n; i++)
        ;
}

static void note(unsigned which)
{
    pthread_mutex_lock(&lock);
    order = order * 31 + which;
    work(700 * which);
    pthread_mutex_unlock(&lock);
}

/* One gives, the others take what there is. */
static void exchange(unsigned which)
{
    pthread_mutex_lock(&lock);
    if (which == 1) {
        n_given += THREADS - 1;
        pthread_cond_broadcast(&changed);
    } else {
        while (n_taken == n_given)
            pthread_cond_wait(&changed, &lock);
        n_taken++;
    }
    order = order * 37 + which;
    pthread_mutex_unlock(&lock);
}

static void *run(void *arg)
{
    unsigned which = (unsigned)(long)arg;
    for (int i = 0; i < ROUNDS; i++) {
        note(which);
        work(300 * (THREADS - which));
        exchange(which);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("order %u\n", order);
    return 0;
}
"""


def compiled(folder, name, source):
    (folder / f"{name}.c").write_text(source)
    subprocess.run(["cc", "-g", "-O0", "-pthread", "-o", folder / name, folder / f"{name}.c"], check=True)
    return folder / name


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("chaos"), "chaos", PROGRAM)


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


def test_threads_that_wake_each_other_are_scheduled_alike(ebb, tmp_path):
    """Locks, conditions, barriers and joins: the clock has no say in who is first."""
    locks = compiled(tmp_path, "locks", LOCKS)
    orders = {seed: {ebb(["record", "--chaos", seed, "-o", tmp_path / "locks.ebb", locks], timeout=100).stdout for _ in range(3)} for seed in ("a", "b")}
    assert all(len(told) == 1 for told in orders.values()) and orders["a"] != orders["b"] and "order" in orders["a"].pop(), orders


def test_snapshots_have_no_say_either(ebb, tmp_path):
    """`ebb run` keeps a way back, `ebb record` takes no copies: the order is the same."""
    locks = compiled(tmp_path, "long_locks", re.sub(r"ROUNDS = \d+", "ROUNDS = 3000", LOCKS))
    told = {ebb(["record", "--chaos", "a", "-o", tmp_path / "locks.ebb", locks], timeout=100).stdout}
    for _ in range(3):
        told.add(ebb(["run", "--batch", "--chaos", "a", "-e", "run", locks], timeout=100).stdout.partition("[Inferior")[0])
    assert len(told) == 1 and "order" in told.pop(), told


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
