"""VM mode through the prompt: positions, switching, and the same answers as natively."""
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EBB = os.environ.get("EBB", str(ROOT / "build" / "ebb"))


def batch(program, *commands):
    words = [EBB, "run", "--batch"]
    for command in commands:
        words += ["-e", command]
    return subprocess.run([*words, *program], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", timeout=120)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    binary = tmp_path_factory.mktemp("ledger") / "ledger"
    subprocess.run(["gcc", "-g", "-O0", "-o", binary, "examples/c/ledger.c"], check=True, cwd=ROOT)
    return [binary]


def positions(output):
    return [int(n) for n in re.findall(r"^(\d+)@ledger\.c:\d+$", output, re.M)]


def test_time_goes_up_and_positions_are_told(ledger):
    done = batch(ledger, "mode vm", "break withdraw", "run", "when", "next", "when", "finish", "when")
    assert done.returncode == 0, done.stderr
    times = positions(done.stdout)
    assert len(times) >= 3 and times == sorted(times) and times[0] < times[-1]


def test_the_same_run_has_the_same_positions(ledger):
    commands = ["mode vm", "break deposit", "run", "when -i", "continue", "when -i", "next", "when -i"]
    first, second = (re.findall(r"^\d+@0x[0-9a-f]+$", batch(ledger, *commands).stdout, re.M) for _ in range(2))
    assert len(first) == 3 and first == second


def test_steps_and_runs_count_alike(ledger):
    """However the same stretch is executed, it takes the same time."""
    begin = ["mode vm", "tbreak withdraw", "tbreak ledger.c:139", "run"]
    times = {positions(batch(ledger, *begin, *steps, "continue", "when").stdout)[-1]
             for steps in ([], ["nexti 5"], ["stepi 40"], ["stepi 70", "finish"], ["step", "step", "next"])}
    assert len(times) == 1


@pytest.mark.parametrize("move", ["step 30", "next", "stepi 500", "nexti 500", "finish", "continue"])
def test_nothing_passes_a_position(ledger, move):
    """A breakpoint at a moment is met however one gets there."""
    there = batch(ledger, "mode vm", "break find", "run", "continue", "stepi 20", "when -i").stdout.split()[-1]
    assert re.fullmatch(r"\d+@0x[0-9a-f]+", there)
    done = batch(ledger, "mode vm", "break withdraw", "run", "delete", f"break {there}", move, "when -i")
    assert done.stdout.split()[-1] == there, done.stdout[-600:]
    assert "Breakpoint 2, hash " in done.stdout


def test_modes_can_be_changed_at_any_stop(ledger):
    done = batch(ledger, "break find", "run", "mode vm", "next", "mode native", "next", "mode vm", "continue",
                 "mode native", "delete", "continue")
    assert done.returncode == 0, done.stderr
    assert "the books do not balance: 4733.78 in the vault, 2481.79 in the accounts" in done.stdout


def test_trade_offs_can_be_changed_at_any_stop(ledger):
    """They change neither what the program does nor when."""
    plain = batch(ledger, "mode vm", "break withdraw", "run", "continue", "when", "delete", "continue")
    tuned = batch(ledger, "mode vm", "set unit line", "break withdraw", "set optimize off", "run", "set unit proc", "set optimize on",
                  "continue", "info history", "when", "set optimize off", "delete", "continue")
    assert plain.returncode == tuned.returncode == 0, tuned.stderr
    assert positions(plain.stdout) == positions(tuned.stdout)
    assert "the books do not balance: 4733.78 in the vault, 2481.79 in the accounts" in tuned.stdout
    assert "Unit: proc.\nOptimize: on.\n" in tuned.stdout


@pytest.mark.parametrize("program", [["/bin/ls", "-la", "/usr/include"], ["/bin/bash", "-c", "x=$(seq 50 | sort -r | head -3); echo $x"],
                                     ["/usr/bin/python3", "-c", "print(sum(i * i for i in range(50000)))"],
                                     ["/usr/bin/gcc", "-O2", "-S", "-o", "-", "examples/c/calc.c"]], ids=lambda p: pathlib.Path(p[0]).name)
def test_real_programs_print_the_same(program):
    native = subprocess.run(program, capture_output=True, text=True, timeout=60, cwd=ROOT)
    done = subprocess.run([EBB, "run", "--batch", "-e", "mode vm", "-e", "run", *program], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=120, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert native.stdout in done.stdout


EXECUTING = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static char **arguments;
__attribute__((noinline)) void turn(int n) { __asm__ volatile("" : : "r"(n)); }
static void *again(void *n)
{
    char left[16];
    snprintf(left, sizeof left, "%d", *(int *)n - 1);
    execl("/no/such/program", "no", NULL);
    execl(arguments[0], arguments[0], arguments[1], left, NULL);
    return NULL;
}
int main(int argc, char **argv)
{
    int left = atoi(argv[2]);
    pthread_t thread;
    arguments = argv;
    for (int i = 0; i < 100000; i++) /* a call and a return each */
        turn(i);
    if (left == 0)
        return 0;
    if (*argv[1] == 'm')
        again(&left);
    pthread_create(&thread, NULL, again, &left); /* it takes the place of the first thread */
    for (;;)
        turn(left);
}
"""


@pytest.fixture(scope="module")
def executing(tmp_path_factory):
    binary = tmp_path_factory.mktemp("executing") / "executing"
    subprocess.run(["gcc", "-g", "-O1", "-pthread", "-xc", "-", "-o", binary], input=EXECUTING, text=True, check=True)
    return binary


@pytest.mark.parametrize("who", ["main", "thread"])
def test_time_goes_on_over_exec(executing, who):
    """Each program begins after the one that executed it, by whatever thread, as far as that one had come."""
    done = batch([executing, who, "3"], "mode vm", "break main", "run", "when -i", *["continue", "when -i"] * 3, "continue")
    times = [int(n) for n in re.findall(r"^(\d+)@0x[0-9a-f]+$", done.stdout, re.M)]
    assert len(times) == 4, done.stdout + done.stderr
    # What the loader takes, and what the program before it did since it was seen last.
    assert all(later - earlier > times[0] + 150_000 for earlier, later in zip(times, times[1:])), times
    assert "exited normally" in done.stdout


MAKER = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int made;
static void *count(void *by) { made += (int)(long)by; return NULL; }
int main(void)
{
    for (int i = 0; i < 20; i++) {
        pthread_t t;
        if (pthread_create(&t, NULL, count, (void *)1) != 0 || pthread_join(t, NULL) != 0)
            return 1;
    }
    printf("%d made\n", made);
    return made != 20;
}
"""


@pytest.mark.parametrize("nth", [1, 3])
def test_switching_while_a_thread_is_being_made(compile_c, nth):
    """Natively, a new thread is told of while its maker stands in the call, the answer of which it must still get."""
    program = compile_c(MAKER, name="maker")
    done = batch([program], "mode native", "catch thread start", "run", *["continue"] * (nth - 1), "delete", "mode vm", "continue")
    assert "Catchpoint" in done.stdout and "20 made" in done.stdout and "exited normally" in done.stdout, done.stdout + done.stderr


FORKER = r"""
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    int status;
    pid_t child = HOW();
    if (child == 0)
        _exit(7);
    return waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7 ? 0 : 1;
}
"""


@pytest.mark.parametrize("how", ["fork", "vfork"])
def test_switching_while_a_process_is_being_made(compile_c, how):
    program = compile_c(FORKER.replace("HOW", how), name="forker")
    done = batch([program], "mode native", f"catch {how}", "run", "mode vm", "continue")
    assert "Catchpoint" in done.stdout and "exited normally" in done.stdout, done.stdout + done.stderr


CALLS = r"""
#include <unistd.h>
int main(void)
{
    for (int i = 0; i < 2; i++)
        if (write(1, "hello\n", 6) != 6)
            return 1;
    return 0;
}
"""


def test_a_call_that_was_met_natively_is_made_by_vm_mode(compile_c):
    """Stopped where it begins, it is stepped over in VM mode: by the runtime, as all calls are, so it is recorded, and told once."""
    program = compile_c(CALLS, name="calls")
    met = ["mode native", "catch syscall write", "run", "mode vm"]
    done = batch([program], *met, "stepi", "print $rax", "delete", "reverse-stepi", "x/i $pc", "stepi", "print $rax", "kill")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"=> .*\tsyscall", done.stdout) and re.findall(r"^\$\d = (.*)$", done.stdout, re.M) == ["6", "6"], done.stdout
    assert done.stdout.count("hello") == 1, done.stdout
    done = batch([program], *met, "continue", "continue", "mode native", "continue", "kill")
    assert re.findall(r"\((call to|returned from) syscall", done.stdout)[:3] == ["call to", "returned from", "call to"], done.stdout
