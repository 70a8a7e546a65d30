"""Core files: looking into one beside gdb, and writing one that gdb looks into."""
import pathlib
import re
import resource
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent / "beside_gdb"))
import harness  # noqa: E402

CRASH = r"""
    #include <pthread.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    struct node { int v; struct node *next; };
    static __thread int mine = 5;
    static struct node *list;
    static double numbers[4] = {1.5, 2.5, 3.5, 4.5};
    static pthread_barrier_t both;
    static void *worker(void *arg)
    {
        mine = 7;
        pthread_barrier_wait(&both);
        for (;;)
            pause();
        return arg;
    }
    static int crash(struct node *n, int depth)
    {
        char text[32];
        strcpy(text, "about to crash");
        if (depth == 0)
            return n->next->next->v;
        return crash(n, depth - 1) + (int)strlen(text);
    }
    int main(int argc, char **argv)
    {
        pthread_t t;
        pthread_barrier_init(&both, NULL, 2);
        pthread_create(&t, NULL, worker, NULL);
        pthread_barrier_wait(&both);
        list = malloc(sizeof *list);
        list->v = 42;
        list->next = NULL;
        return crash(list, 2) + argc;
    }
"""

QUESTIONS = ["bt", "info locals", "up", "print n->v", "print *list", "print numbers", "print text", "print &numbers", "info symbol crash", "print mine",
             "x/3i $pc", "x/s text", "info registers rip rsp rbx", "print $_siginfo.si_signo", "print $_siginfo._sifields._sigfault.si_addr", "print $_siginfo",
             "ptype $_siginfo", "whatis $_siginfo._sifields._kill.si_pid", "frame 3", "print argc", "print *argv@argc", "info line", "list",
             "print crash(0, 0)", "continue", "step", "stepi", "finish", "print $xmm0.uint128", "info frame", "print $_exitcode", "info line crash",
             "break crash", "print *(int *)0", "print $rip", "output numbers[1]", "whatis *list", "disassemble $pc,+8"]


def dump(program, folder, *args):
    """What the kernel leaves of a program that crashes."""
    subprocess.run([program, *args], cwd=folder, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2), timeout=60)
    cores = list(folder.glob("core*"))
    if not cores:
        pytest.skip("the kernel of this computer leaves no core files in the directory of a program")
    return cores[0]


def gdb(program, core, commands):
    words = ["gdb", "-nx", "-q", "-batch", "-ex", "set width 0", "-ex", "set height 0"]
    for command in harness.marked(commands):
        words += ["-ex", command]
    done = subprocess.run([*words, str(program), str(core)], env=harness.ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    return harness.split(done.stdout.decode(errors="replace"), len(commands))


# gdb knows the size of the vector state of some CPUs only.
ODD_STATE = re.compile(r"Unexpected size of section|warning: Section `\.reg-xstate/\d+' in core file too small")


def in_one_form(answer):
    return [line for line in harness.normalise(answer) if not ODD_STATE.search(line)]


@pytest.fixture
def answers(quiet_home):
    from conftest import EBB

    def run(words, commands):
        text = "\n".join(["set width 0", "set height 0", *harness.marked(commands)]) + "\n"
        done = subprocess.run([EBB, "-nx", *map(str, words)], input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, env=quiet_home)
        return harness.split(done.stdout.decode(errors="replace"), len(commands))

    return run


def compare(theirs, ours, commands):
    different = [f">>> {command}\n" + "\n".join(["gdb| " + x for x in in_one_form(a)] + ["ebb| " + x for x in in_one_form(b)])
                 for command, a, b in zip(commands, theirs, ours) if in_one_form(a) != in_one_form(b)]
    assert len(theirs) == len(ours) == len(commands)
    assert not different, "\n\n".join(different)


@pytest.fixture(scope="session")
def crash(compile_c):
    return compile_c(CRASH, name="crash")


def test_questions_about_a_core(answers, crash, tmp_path):
    core = dump(crash, tmp_path, "one", "two")
    compare(gdb(crash, core, QUESTIONS), answers([crash, core], QUESTIONS), QUESTIONS)


def test_threads_of_a_core(answers, crash, tmp_path):
    core = dump(crash, tmp_path)
    commands = ["thread 2", "bt", "print mine", "frame function worker", "print arg", "thread 1", "print mine", "thread apply all print mine"]
    theirs, ours = gdb(crash, core, commands), answers([crash, core], commands)
    compare(theirs, [re.sub(r"Thread (\d+) \(LWP P?\d*\)", r"Thread \1 (LWP P)", a) for a in ours], commands)


@pytest.mark.parametrize("form", [["CORE"], ["PROGRAM", "CORE"], ["-c", "CORE"], ["PROGRAM", "-c", "CORE"], ["--core", "CORE", "PROGRAM"]], ids=" ".join)
def test_the_command_line(ebb, crash, tmp_path, form):
    core = dump(crash, tmp_path)
    words = [str(core) if word == "CORE" else str(crash) if word == "PROGRAM" else word for word in form]
    done = ebb(["-batch", "-ex", "print list->v", *words])
    assert "Program terminated with signal SIGSEGV, Segmentation fault." in done.stdout, done.stdout + done.stderr
    assert "Core was generated by" in done.stdout and "$1 = 42" in done.stdout


def test_from_a_core_to_a_run_and_back(ebb, crash, tmp_path):
    core = dump(crash, tmp_path)
    done = ebb(["-batch", "-ex", "break main", "-ex", "run", "-ex", "next", "-ex", "kill", "-ex", f"core-file {core}", "-ex", "print n->v", "-ex", "core-file", str(crash), str(core)])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Breakpoint 1, main" in done.stdout and "$1 = 42" in done.stdout and "No core file now." in done.stdout


def test_what_is_no_core(ebb, crash, tmp_path):
    core = dump(crash, tmp_path)
    bytes_ = core.read_bytes()
    for n in (0, 3, 64, 200, 1000, 5000, len(bytes_) // 2):
        cut = tmp_path / "cut"
        cut.write_bytes(bytes_[:n])
        done = ebb(["-batch", "-ex", "bt", "-ex", "info threads", "-c", str(cut), str(crash)])
        assert done.returncode in (0, 1), (n, done.stdout, done.stderr)
    for n in range(0, 4000, 37):  # any byte of the headers and notes may be wrong
        broken = bytearray(bytes_[:200000])
        broken[n] ^= 0xff
        cut.write_bytes(broken)
        if n % 5 == 0:
            done = ebb(["-batch", "-ex", "bt", "-c", str(cut), str(crash)])
            assert done.returncode in (0, 1), (n, done.stdout, done.stderr)


@pytest.mark.parametrize("mode", ["native", "vm"])
def test_gdb_looks_into_what_we_write(answers, batch, crash, tmp_path, mode):
    core = tmp_path / "ours"
    done = batch(crash, f"mode {mode}", "run", "info threads", f"gcore {core}", args=["one"])
    assert f"Saved corefile {core}" in done.stdout, done.stdout + done.stderr
    questions = [q for q in QUESTIONS if q != "print $_siginfo"]
    theirs = gdb(crash, core, questions)
    assert "crash (n=0x" in theirs[0] and "depth=0" in theirs[0] and "= 42" in theirs[3], theirs
    assert "= 11" in theirs[questions.index("print $_siginfo.si_signo")]
    compare(theirs, answers([crash, core], questions), questions)
    assert core.stat().st_blocks * 512 < 4 << 20, "there is more in it than the program's own memory"


def test_a_core_of_the_kernel_in_vm_mode_is_the_programs(batch, crash, tmp_path):
    """The runtime's memory is not dumped, and the registers are the program's."""
    native = dump(crash, tmp_path)
    size = native.stat().st_blocks
    native.unlink()
    done = batch(crash, "mode vm", "handle SIGSEGV nostop noprint pass", "run", cwd=tmp_path,
                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2))
    cores = list(tmp_path.glob("core*"))
    assert cores, done.stdout + done.stderr
    assert "#0  crash" in gdb(crash, cores[0], ["bt"])[0]
    assert cores[0].stat().st_blocks < size + 4096  # blocks of 512 bytes
