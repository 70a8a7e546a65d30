"""System calls in VM mode: what a program asks of the kernel is answered as it is natively (programs in calls/)."""
import pathlib
import re
import shutil
import subprocess

import pytest
from both_ways import EBB, compare, visit

CALLS = pathlib.Path(__file__).resolve().parent / "calls"
FLAGS = ("-O1", "-g", "-w", "-D_GNU_SOURCE")


@pytest.fixture
def build(compile_c):
    return lambda name: compile_c((CALLS / f"{name}.c").read_text(), flags=FLAGS, name=name)


@pytest.mark.parametrize("name, words", [
    *(("filters", (what,)) for what in ("actions", "threads", "process", "thread", "unknown", "strict", "blocked", "ignored")),
    ("dispatch", ()), ("dispatch", ("wrong",)), ("dispatch", ("unreadable",)),
    ("waits", ()), ("spins", ()), ("ptrace", ()), ("kernel_writes", ()),
    *(("misc", (what,)) for what in ("prctl", "forbidden", "ends", "memory", "clone3", "clean", "files", "frames")),
    *(("misc", ("execute", how)) for how in ("execveat", "folder", "memfd", "script", "missing")),
    *(("misc", ("thread", how)) for how in ("execveat", "script")),
], ids=lambda value: value if isinstance(value, str) else " ".join(value))
def test_answers_the_same(name, words, build, tmp_path):
    compare([build(name), *words], tmp_path)


def ebb_says(program, commands, words=(), seconds=60):
    steps = [word for command in commands for word in ("-e", command)]
    done = subprocess.run([EBB, "run", "--no-init", "--batch", *steps, "--", program, *words], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=seconds, cwd=program.parent)
    return done.stdout + done.stderr


def told(program, commands):
    """As ebb_says, but an error does not end it."""
    done = subprocess.run([EBB, "run", "--no-init", program], input="".join(f"{line}\n" for line in commands), capture_output=True,
                          text=True, timeout=60, cwd=program.parent)
    return done.stdout + done.stderr


# ---- stops of the debugger's own ----

@pytest.mark.parametrize("mode", ["vm", "native"])
def test_no_wait_is_interrupted_by_a_stop(mode, build):
    """The condition is false, and evaluated by the session: the program is stopped each time."""
    words = [] if mode == "vm" else ["endless"]
    program = build("waits")
    expected = subprocess.run([program, *words], cwd=program.parent, capture_output=True, text=True, timeout=60, check=True).stdout
    said = ebb_says(program, [f"mode {mode}", "break tick if 0.5 > 1.0", "run"], words)
    assert "exited normally" in said, said
    assert "".join(re.findall(r"^\w+: -?\d+ \d+, .*\n", said, re.M)) == expected


def test_births_among_stops(build):
    said = ebb_says(build("births"), ["mode vm", "break tick if 0.5 > 1.0", "run"])
    assert f"sum {sum(1001 * i for i in range(60))}, codes 18" in said and "exited normally" in said, said


@pytest.mark.parametrize("mode", ["vm", "native"])
def test_no_wait_is_interrupted_by_a_visit(mode, build):
    program = build("waits")
    expected = subprocess.run([program, "endless"], cwd=program.parent, capture_output=True, text=True, timeout=60, check=True).stdout
    waiting = subprocess.Popen([program, "visited"], cwd=program.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert waiting.stdout.readline() == "ready\n"
        for _ in range(3):
            visit(waiting.pid, 0.05, mode)
        said = waiting.communicate("\n", timeout=60)[0]
    finally:
        waiting.kill()
    assert said == expected


def test_what_vm_mode_needs_is_not_forbidden_silently(compile_c):
    program = compile_c("""
        #include <stdio.h>
        #include <sys/prctl.h>
        int main(void) { printf("%d\\n", prctl(65, 1, 0, 0, 0)); return 3; }""", flags=FLAGS, name="forbids")
    said = told(program, ["mode vm", "break main", "run", "continue", "mode native", "continue"])
    assert "PR_SET_MDWE" in said and "exited with code 03" in said, said


# ---- a call that nobody sees ----

def test_a_call_past_the_translator_is_noticed(build):
    said = ebb_says(build("slips"), ["mode vm", "run"])
    assert re.search(r"changed [1-9]", said) and "got past VM mode" in said and "returned" not in said, said


# ---- filters outlive VM mode ----

STAYS = r"""
    #include <errno.h>
    #include <linux/filter.h>
    #include <linux/seccomp.h>
    #include <pthread.h>
    #include <stdio.h>
    #include <sys/prctl.h>
    #include <sys/syscall.h>
    #include <unistd.h>
    __attribute__((noinline)) static long ask(void) { errno = 0; syscall(SYS_getppid); return errno; }
    static void *other(void *ready) { pthread_barrier_wait(ready); for (;;) { usleep(1000); ask(); } }
    __attribute__((noinline)) void installed(void) { __asm__ volatile(""); }
    int main(int n, char **words)
    {
        struct sock_filter code[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 99),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_munmap, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        struct sock_fprog filter = {sizeof code / sizeof *code, code};
        pthread_barrier_t ready;
        pthread_t t;
        pthread_barrier_init(&ready, 0, 2);
        pthread_create(&t, 0, other, &ready);
        pthread_barrier_wait(&ready);
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
        installed();
        printf("%d errors\n", (int)ask());
        fflush(stdout);
        for (int i = 0; n > 1; i++) { usleep(10000); if (ask() != 99) printf("wrong\n"), fflush(stdout); }
        return 3;
    }
"""


def test_a_listener_is_for_native_mode(compile_c):
    program = compile_c(r"""
        #include <linux/filter.h>
        #include <linux/seccomp.h>
        #include <stdio.h>
        #include <sys/prctl.h>
        #include <sys/syscall.h>
        #include <unistd.h>
        int main(void)
        {
            struct sock_filter code[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
            struct sock_fprog filter = {1, code};
            prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            printf("listener %d\n", (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter) > 2);
            return 4;
        }""", flags=FLAGS, name="listens")
    said = told(program, ["mode vm", "run", "mode native", "continue"])
    assert "seccomp with a listener" in said and "listener 1" in said and "exited with code 04" in said, said


def test_native_mode_has_the_filters_too(compile_c):
    said = ebb_says(compile_c(STAYS, flags=FLAGS, name="stays"), ["mode vm", "break installed", "run", "mode native", "continue"])
    assert "99 errors" in said and "exited with code 03" in said, said


def test_vm_mode_refuses_what_the_kernel_filters(compile_c):
    """And says so; native mode is still there."""
    said = told(compile_c(STAYS, flags=FLAGS, name="stays"), ["mode native", "break installed", "run", "mode vm", "continue", "mode native", "continue"])
    assert "The kernel filters this program's system calls" in said and "99 errors" in said and "exited with code 03" in said, said


def test_steps_over_denied_calls_and_the_installation(compile_c):
    program = compile_c(STAYS, flags=(*FLAGS, "-Wl,-z,now"), name="stays")
    said = ebb_says(program, ["mode vm", "break prctl", "run", "break printf", "stepi 1000", "continue"])
    assert re.search(r"Breakpoint 2, .*printf", said) and "99 errors" in said, said


def test_another_program_in_native_mode_can_be_switched(compile_c):
    """The runtime went with the program that was replaced."""
    said = ebb_says(compile_c('#include <unistd.h>\nint main(void) { execl("/bin/echo", "echo", "over", (char *)0); }', name="becomes"),
                    ["mode vm", "break main", "run", "mode native", "catch exec", "continue", "mode vm", "continue"])
    assert "over\n" in said and "exited normally" in said, said


def test_filters_stay_when_the_debugger_leaves(compile_c):
    program = subprocess.Popen([EBB, "run", "--no-init", compile_c(STAYS, flags=FLAGS, name="stays"), "on"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    program.stdin.write("set confirm off\nmode vm\nbreak installed\nrun\ninfo inferiors\ndetach\n")
    program.stdin.close()
    said = ""
    for line in program.stdout:
        said += line
        if "99 errors" in line:
            break
    program.wait(60)
    pid = int(re.search(r"process (\d+)", said)[1])
    try:
        for thread in pathlib.Path(f"/proc/{pid}/task").iterdir():
            status = (thread / "status").read_text()
            assert "Seccomp:\t2" in status and "TracerPid:\t0" in status
        assert not re.search("^1[01]000", pathlib.Path(f"/proc/{pid}/maps").read_text(), re.M), "the runtime is still there"
    finally:
        subprocess.run(["kill", "-9", str(pid)], check=False)


# ---- debuggers under the debugger ----

@pytest.mark.skipif(not shutil.which("strace"), reason="strace not installed")
def test_strace_traces_its_child(tmp_path):
    compare(["strace", "-f", "-e", "trace=exit_group", "-e", "signal=none", "/bin/sh", "-c", "exit 5"], tmp_path)


@pytest.mark.skipif(not shutil.which("gdb"), reason="gdb not installed")
def test_gdb_debugs_its_child(build, tmp_path):
    compare(["gdb", "-nx", "-q", "-batch", "-ex", "set startup-with-shell off", "-ex", "break _start", "-ex", "run",
             "-ex", "x/i $pc", "-ex", "stepi", "-ex", "print $rsp > 4096", "-ex", "continue", build("dispatch")], tmp_path)
