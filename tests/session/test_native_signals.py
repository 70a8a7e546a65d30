"""Signals in the past of a native program: going forward and back, they are stops as they were live; threads have the numbers and names that they had."""
import re

import pytest

PROGRAM = r"""
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static int n, handled, ends[2];

static void count(int signal) { handled++; }

static int wait_for_word(void)
{
    char go;
    return read(ends[0], &go, 1) == 1;
}

static void *work(void *name)
{
    prctl(PR_SET_NAME, name);
    return wait_for_word() ? name : NULL;
}

static void bother(void)
{
    n++;
    raise(SIGUSR1);
    n++;
}

int main(int argc, char **argv)
{
    pthread_t first, second;
    if (pipe(ends) != 0)
        return 1;
    signal(SIGUSR1, count);
    for (int i = 0; i < 3; i++) {
        pthread_create(&first, NULL, work, "short");
        if (write(ends[1], "x", 1) != 1)
            return 1;
        pthread_join(first, NULL);
    }
    pthread_create(&second, NULL, work, "long");
    bother();
    bother();
    switch (argc > 1 ? argv[1][0] : 'n') {
    case 'a': abort();
    case 'f': *(volatile int *)argv = *(volatile int *)(long)argc; break;
    case 't': kill(getpid(), SIGTERM); pause();
    }
    return 0;
}
"""


def steps(*commands):
    return [word for command in commands for word in ("-e", command)]


def told(output):
    """Signals and the moments at which they were told."""
    return re.findall(r"received signal (SIG\w+),.*?\n(\d+)@", output, re.S)


@pytest.fixture
def program(compile_c):
    return compile_c(PROGRAM, name="bothered")


DEATHS = {"a": "SIGABRT", "f": "SIGSEGV", "t": "SIGTERM"}


@pytest.mark.parametrize("how", DEATHS)
def test_they_stop_as_they_did(ebb, program, tmp_path, how):
    """Live and, from the same run, in the file: the same stops at the same times, forward and back; then the end."""
    path = tmp_path / "saved"
    forward, back = ["continue"] * 4, ["reverse-continue"] * 4
    live = ebb(["run", "--batch", *steps("run", *forward[1:], *back, f"save {path}"), program, how], timeout=100)
    signals = ["SIGUSR1", "SIGUSR1", DEATHS[how]]
    stops = told(live.stdout)
    assert [name for name, _ in stops] == signals + signals[::-1], live.stdout + live.stderr
    assert stops[3:] == stops[2::-1] and "No more reverse-execution history" in live.stdout
    done = ebb(["replay", "--batch", *steps(*forward, *back), path], timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
    assert told(done.stdout) == stops and done.stdout.count(f"terminated with signal {DEATHS[how]}") == 1


def test_what_is_not_to_stop_does_not(ebb, program, tmp_path):
    path = tmp_path / "recording"
    ebb(["record", "-o", path, program, "a"], timeout=100)
    out = ebb(["replay", "--batch", *steps("handle SIGUSR1 nostop noprint", "continue", "print handled", "print n", "continue"), path], timeout=100).stdout
    assert [name for name, _ in told(out)] == ["SIGABRT"] and re.findall(r"\$\d = (\d+)", out) == ["2", "4"] and "terminated" in out
    out = ebb(["replay", "--batch", *steps("catch signal SIGUSR1", "continue", "print n", "continue", "print n", "reverse-continue", "print n"), path], timeout=100).stdout
    assert out.count("Catchpoint 1") >= 3 and re.findall(r"\$\d = (\d+)", out) == ["1", "3", "1"]
    out = ebb(["replay", "--batch", *steps("continue", "print $_siginfo.si_signo", "continue", "continue", "print $_siginfo.si_signo"), path], timeout=100).stdout
    assert re.findall(r"\$\d = (\d+)", out) == ["10", "6"]


def test_steps_go_through_them(ebb, program, tmp_path):
    """A step that comes to a signal tells it; the next one is in the handler."""
    path = tmp_path / "recording"
    ebb(["record", "-o", path, program], timeout=100)
    out = ebb(["replay", "--batch", *steps("break bother", "continue", "next", "next", "step", "reverse-finish", "delete", "handle SIGUSR1 nostop", "next", "print n", "reverse-next", "print n"), path],
              timeout=100).stdout
    assert [name for name, _ in told(out)][:1] == ["SIGUSR1"] and "count (signal=" in out, out


def test_threads_are_those_of_the_run(ebb, program, tmp_path):
    path = tmp_path / "recording"
    ebb(["record", "-o", path, program, "a"], timeout=100)
    threads = r"^[* ] (\d+) +LWP \d+ \"(\w+)\""
    out = ebb(["replay", "--batch", *steps("goto end", "reverse-continue", "info threads", "thread 5", "print (char *)name"), path], timeout=100).stdout
    seen = re.findall(threads, out, re.M)
    assert seen[0] == ("1", "bothered") and seen[1][0] == "5" and seen[1][1] in ("bothered", "long"), out
    out = ebb(["replay", "--batch", *steps("break wait_for_word", "continue", "info threads", "continue", "info threads"), path], timeout=100).stdout
    assert [pair for pair in re.findall(threads, out, re.M) if pair[0] != "1"] == [("2", "short"), ("3", "short")], out


CROWD = r"""
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static void *work(void *arg)
{
    for (;;)
        pause();
    return arg;
}
int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 60; i++)
        pthread_create(&thread, NULL, work, NULL);
    abort();
}
"""


@pytest.mark.parametrize("turn", range(4))
def test_the_death_of_a_crowd_is_recorded(ebb, compile_c, tmp_path, turn):
    """Its threads are seen ending in any order: the signal is told all the same."""
    path = tmp_path / "recording"
    ebb(["record", "-o", path, compile_c(CROWD, name="crowd")], timeout=100)
    out = ebb(["replay", "--batch", *steps("continue", "continue"), path], timeout=100).stdout
    assert [name for name, _ in told(out)] == ["SIGABRT"] and "terminated with signal SIGABRT" in out, out


BAD_FRAME = r"""
    #include <signal.h>
    #include <stdlib.h>
    #include <unistd.h>
    static int before;
    static void handle(int signal, siginfo_t *info, void *context)
    {
        _exit(info->si_code == SI_KERNEL && !info->si_addr && before == 3 ? 42 : 1);
    }
    int main(int argc, char **argv)
    {
        stack_t other = {.ss_sp = malloc(65536), .ss_size = 65536};
        struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
        sigaltstack(&other, NULL);
        if (argc > 1)
            sigaction(SIGSEGV, &action, NULL);
        before = 3;
        __asm__ volatile("mov $4096, %rsp\n\t mov $15, %eax\n\t syscall");
        return 0;
    }
"""


@pytest.mark.parametrize("handles", [True, False])
def test_a_return_from_nowhere_is_a_fault(ebb, compile_c, handles):
    """rt_sigreturn with a frame that can't be read: what the kernel does, and what native mode tells."""
    program = [str(compile_c(BAD_FRAME, name="bad_frame")), *["x"] * handles]
    looks = ["run", "print $_siginfo.si_code", "print $rax", "print $rsp", "x/i $pc", "continue"]
    native, vm = [ebb(["run", *mode, "--batch", *steps(*looks), *program]).stdout for mode in (["--native"], [])]
    ends = "exited with code 052" if handles else "terminated with signal SIGSEGV"
    assert re.findall(r"^(\$.*|=>.*)$", native, re.M) == re.findall(r"^(\$.*|=>.*)$", vm, re.M) and ends in native and ends in vm, native + vm
    out = ebb(["run", "--batch", *steps("run", "continue", "watch before", "reverse-continue", "reverse-continue", "delete", "continue", "continue"), *program]).stdout
    assert "New value = 0" in out and out.count("received signal SIGSEGV") >= 2 and out.count(ends) == 2, out
