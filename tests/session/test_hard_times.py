"""A hostile world: debuggees that are killed at any moment, an ebb that is killed at any moment, files that change while
they are read, and a system that gives nothing any more.  Always one clear line, the right status, nobody left behind."""
import array
import fcntl
import os
import random
import shutil
import signal
import subprocess
import termios
import threading
import time

import pytest

from conftest import EBB, SECONDS, debuggee_below, processes_below
from programs import LIST

BUSY = r"""
    #include <unistd.h>
    volatile long turns;
    static int spin(int n) { while (n) turns++; return 0; }
    static int add(int a, int b) { int sum = a + b; turns += sum; return sum; }
    static int brief(int n) { return n ? add(n, brief(n - 1)) : 0; }
    int main(void)
    {
        for (int i = 0;; i++) {
            brief(i % 10);
            if (i == 1000)
                spin(1);
        }
    }
"""


@pytest.fixture(scope="session")
def program(compile_c):
    return compile_c(LIST, name="list")


@pytest.fixture(scope="session")
def busy(compile_c):
    return compile_c(BUSY, name="busy")


@pytest.fixture
def talk(quiet_home):
    """talk(program) -> an ebb that waits for lines; what it says comes together with its complaints.
    One that hangs is killed, so that whoever waits for it sees the end."""
    opened, watchdogs = [], []

    def start(program, **more):
        opened.append(subprocess.Popen([EBB, "run", "--no-init", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, env=quiet_home, text=True, bufsize=1, **more))
        watchdogs.append(threading.Timer(SECONDS, opened[-1].kill))
        watchdogs[-1].start()
        return opened[-1]

    yield start
    for watchdog in watchdogs:
        watchdog.cancel()
    for running in opened:
        if running.poll() is None:
            running.kill()
        running.wait()
        for pipe in (running.stdin, running.stdout):
            try:
                pipe.close()
            except OSError:  # lines that nobody will read
                pass


def wait_until(condition, seconds=120):
    until = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < until, "it doesn't happen"
        time.sleep(0.01)
    return found


def say(running, *lines):
    running.stdin.write("".join(f"{line}\n" for line in lines))
    running.stdin.flush()


def read_until(running, text):
    seen = ""
    while text not in seen:
        line = running.stdout.readline()
        assert line, seen
        seen += line
    return seen


# ---- the debuggee is killed ----

MOMENTS = {
    "at a stop": [],
    "while it runs": ["delete", "continue"],
    "during a step": ["next 1000000000"],
    "during single steps": ["stepi 1000000000"],
    "over a call that never ends": ["delete", "tbreak spin", "continue", "finish"],
    "during a call of ours": ["p spin(1)"],
    "with a watchpoint that needs single steps": ["set can-use-hw-watchpoints 0", "watch turns if 0", "continue"],
}


@pytest.mark.parametrize("mode", ["native", "vm"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_debuggee_is_killed(talk, busy, moment, mode):
    running = talk(busy)
    say(running, "set confirm off", f"mode {mode}", "break add", "run", "echo there\\n", *MOMENTS[moment])
    read_until(running, "there")
    pid = debuggee_below(busy.parent)
    time.sleep(0.3)
    os.kill(pid, signal.SIGKILL)
    say(running, "next", "bt", "info locals", "p turns", "p add(1, 2)", "x/i $pc", "p 42", "kill", "tbreak main", "run", "p 43")
    seen = read_until(running, "= 43")
    assert "main () at" in seen.split("= 42")[1], seen
    assert "signal SIGKILL" in seen, seen
    running.stdin.close()
    assert running.wait(120) == 0


CROWD = r"""
    #include <pthread.h>
    #include <unistd.h>
    volatile long turns;
    static pthread_barrier_t gate;
    static void meet(void) { turns++; }
    static int spin(int n) { while (n) turns++; return 0; }
    static void *work(void *arg) { pthread_barrier_wait(&gate); for (;;) pause(); return arg; }
    int main(void)
    {
        pthread_t t;
        pthread_barrier_init(&gate, 0, 4);
        for (int i = 0; i < 3; i++)
            pthread_create(&t, 0, work, 0);
        pthread_barrier_wait(&gate);
        for (;;)
            meet();
        return spin(0);
    }
"""


@pytest.mark.parametrize("mode", ["native", "vm"])
@pytest.mark.parametrize("command", ["signal SIGKILL", "signal SIGTERM", "p spin(1)", "delete; stepi 1000000000",
                                     "delete; set scheduler-locking on; continue"])
def test_threads_are_killed(talk, compile_c, command, mode):
    """The leader's end comes last: whoever moves it alone must let the others go, too."""
    crowd = compile_c(CROWD, name="crowd")
    running = talk(crowd)
    say(running, "set confirm off", f"mode {mode}", "break meet", "run", "echo there\\n", *command.split("; "))
    read_until(running, "there")
    if not command.startswith("signal"):
        pid = debuggee_below(crowd.parent)
        time.sleep(0.2)
        os.kill(pid, signal.SIGKILL)
    say(running, "bt", "p 42")
    seen = read_until(running, "= 42")
    assert "signal SIGTERM" in seen or "signal SIGKILL" in seen, seen
    running.stdin.close()
    assert running.wait(120) == 0


# ---- ebb is killed ----

@pytest.mark.parametrize("mode", ["native", "vm"])
def test_ebb_is_killed_at_random_moments(busy, quiet_home, mode):
    choice = random.Random(mode)
    lines = ["set confirm off", f"mode {mode}", "break add", "run"] + ["bt", "next", "p add(1, 2)", "finish", "stepi 50", "info registers"] * 20
    for turn in range(25):
        how = choice.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGINT, signal.SIGQUIT])
        after = choice.random() * 0.3
        running = subprocess.Popen([EBB, "run", "--no-init", busy], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=quiet_home)
        running.stdin.write("\n".join(lines + ["delete", "continue", ""]).encode())
        running.stdin.flush()
        time.sleep(after)
        running.send_signal(how)
        if how in (signal.SIGPIPE, signal.SIGINT):  # not fatal, unless ebb hadn't begun yet
            time.sleep(0.02)
            running.send_signal(signal.SIGTERM)
        status = running.wait(120)
        running.stdin.close()
        assert status in (-how, -signal.SIGTERM), (turn, how, after)
        wait_until(lambda: not processes_below(busy.parent))


def test_a_debuggee_with_children_goes_with_ebb(compile_c, quiet_home):
    """Threads and a child that ebb follows: all of them go."""
    family = compile_c(r"""
        #include <pthread.h>
        #include <unistd.h>
        static void *work(void *arg) { for (;;) pause(); return arg; }
        int main(void)
        {
            pthread_t t;
            for (int i = 0; i < 5; i++)
                pthread_create(&t, 0, work, 0);
            write(1, "ready\n", 6);
            for (;;) pause();
        }
    """, name="family")
    for how in (signal.SIGKILL, signal.SIGTERM):
        running = subprocess.Popen([EBB, "run", "--batch", "-e", "run", family], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=quiet_home)
        assert running.stdout.readline() == b"ready\n"
        running.send_signal(how)
        assert running.wait(120) == -how
        running.stdout.close()
        wait_until(lambda: not processes_below(family.parent))


# ---- files that change ----

@pytest.mark.parametrize("to", [0, 64, 5000])
def test_a_program_that_shrinks_while_it_is_read(talk, program, tmp_path, to):
    copy = tmp_path / "list"
    shutil.copy(program, copy)
    running = talk(copy)
    say(running, "p 42")
    read_until(running, "= 42")
    with open(copy, "r+b") as file:
        file.truncate(to)
    say(running, "list main", "info functions .", "info types .", "ptype main", "info line add", "break push", "disassemble main", "x/4i main",
        "info scope add", "p total", "p 43", "run", "p 44")
    read_until(running, "= 44")
    running.stdin.close()
    assert running.wait(120) == 0


def test_a_library_that_shrinks_while_it_is_used(talk, compile_c, tmp_path):
    folder = tmp_path / "lib"
    folder.mkdir()
    source = folder / "part.c"
    source.write_text("int part(int n) { int twice = 2 * n; return twice; }\n")
    subprocess.run(["gcc", "-g", "-shared", "-fPIC", "-o", folder / "libpart.so", source], check=True)
    user = compile_c("""
        #include <dlfcn.h>
        static void loaded(void) { }
        int main(int argc, char **argv)
        {
            void *lib = dlopen(argv[1], RTLD_NOW);
            loaded();
            return lib ? ((int (*)(int))dlsym(lib, "part"))(4) : 99;
        }
    """, name="user")
    running = talk(user)
    say(running, "set confirm off", "break loaded", f"run {folder / 'libpart.so'}", "p 42")
    assert "Breakpoint 1, loaded" in read_until(running, "= 42")
    (folder / "libpart.so").unlink()  # the program keeps its own; ebb sees that the file is gone
    say(running, "break part", "info sharedlibrary", "info functions part", "ptype part", "continue", "bt", "p 43")
    read_until(running, "= 43")
    running.stdin.close()
    assert running.wait(120) == 0


# ---- a system that gives nothing any more ----

SHORT = ["-e", "break add", "-e", "run", "-e", "bt", "-e", "finish", "-e", "info locals"]


def limited(limit, program, env):
    done = subprocess.run(["sh", "-c", f'{limit}; exec "$@"', "sh", EBB, "run", "--native", "--batch", *SHORT, program], env=env, timeout=60,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode in (0, 1, 70), (limit, done.returncode, done.stderr)
    # There may be enough memory to go on without a library's debug information: that is a warning, no failure.
    complaints = [line for line in done.stderr.splitlines() if not line.startswith("warning: ")]
    assert len(complaints) == (done.returncode != 0), (limit, done.stderr)
    return done


def is_sanitized():
    return b"__asan_init" in open(EBB, "rb").read()


not_sanitized = pytest.mark.skipif(is_sanitized(), reason="the sanitizer needs all addresses there are, /proc and descriptors")


@not_sanitized
def test_little_memory(program, quiet_home):
    # Between these it is libdw that has no memory left, which does not survive that everywhere (dynamicsizehash_concurrent.c).
    ends = {limited(f"ulimit -v {n}", program, quiet_home).returncode for n in (16000, 20000, 24000, 28000, 200000)}
    assert ends >= {0, 70}


@not_sanitized
def test_few_descriptors(program, quiet_home):
    results = [limited(f"ulimit -n {n}", program, quiet_home) for n in (5, 6, 7, 8, 9, 10, 11, 30)]
    assert results[0].returncode == 1 and "Too many open files" in results[0].stderr
    assert results[-1].returncode == 0


@not_sanitized
def test_no_proc(program, quiet_home):
    hide = "mount -t tmpfs none /proc"
    if subprocess.run(["unshare", "-m", "sh", "-c", hide], capture_output=True).returncode != 0:
        pytest.skip("mounting is not allowed here")
    done = subprocess.run(["unshare", "-m", "sh", "-c", f'{hide}; exec "$@"', "sh", EBB, "run", "--batch", *SHORT, program], env=quiet_home,
                          timeout=60, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1 and "can't open the memory" in done.stderr


def test_allocations_that_fail(batch, program):
    """The N-th allocation fails: one line, status 70, and the debuggee goes too (the fixture looks)."""
    commands = ["break add", "run", "bt", "finish", "p *argv@argc", "info locals", "ptype struct node", "watch total", "continue"]
    failed, n = 0, 1
    while n < 40000:
        done = batch(program, *commands, env={"EBB_FAIL_ALLOC": str(n)})
        if done.returncode == 0:
            break
        assert done.returncode == 70, (n, done.returncode, done.stderr)
        assert done.stderr.startswith("ebb: out of memory") and len(done.stderr.splitlines()) == 1, (n, done.stderr)
        failed += 1
        n = n + 7 if n < 100 else n + n // 12
    assert failed > 30


def test_ebb_ends_although_nobody_reads_what_it_says(busy, quiet_home):
    """It waits for room in a pipe; SIGTERM is heard there."""
    running = subprocess.Popen([EBB, "run", "--no-init", busy], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=quiet_home)

    def waiting():
        n = array.array("i", [0])
        fcntl.ioctl(running.stdout, termios.FIONREAD, n)
        return n[0]

    running.stdin.write(b"echo " + b"x" * 60000 + b"\\n\n" + b"start\n" + (b"echo " + b"y" * 3000 + b"\\n\n") * 10)
    running.stdin.flush()
    wait_until(lambda: waiting() > 61000)
    running.send_signal(signal.SIGTERM)
    assert running.wait(120) == -signal.SIGTERM
    running.stdin.close()
    running.stdout.close()
    wait_until(lambda: not processes_below(busy.parent))


@pytest.mark.parametrize("mode", ["native", "vm"])
def test_an_end_is_heard_while_threads_are_being_born(compile_c, quiet_home, mode):
    """In VM mode every birth is several short runs of the program: a signal that came between two of them was lost."""
    family = compile_c(r"""
        #include <pthread.h>
        #include <unistd.h>
        static void *work(void *arg) { for (;;) pause(); return arg; }
        int main(void)
        {
            pthread_t t;
            write(1, "ready\n", 6);
            for (int i = 0; i < 200; i++)
                pthread_create(&t, 0, work, 0);
            for (;;) pause();
        }
    """, name="births")
    for turn in range(8):
        running = subprocess.Popen([EBB, "run", "--batch", "-e", f"mode {mode}", "-e", "run", family], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, env=quiet_home)
        while running.stdout.readline() != b"ready\n":
            pass
        time.sleep(0.02 * turn)
        running.send_signal(signal.SIGTERM)
        assert running.wait(60) == -signal.SIGTERM, turn
        running.stdout.close()
        wait_until(lambda: not processes_below(family.parent))
