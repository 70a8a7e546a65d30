"""A child is followed: its parent goes on natively, whole, and nobody's memory is harmed."""
import pytest

FAMILY = r"""
    #include <pthread.h>
    #include <stdio.h>
    #include <string.h>
    #include <sys/wait.h>
    #include <unistd.h>

    static volatile int over;
    static void *spin(void *unused) { while (!over) ; return unused; }
    static void *add(void *to) { ++*(int *)to; return to; }

    static int count_runtime(void)
    {
        char line[500];
        int n = 0;
        FILE *maps = fopen("/proc/self/maps", "r");
        while (fgets(line, sizeof line, maps))
            n += !strncmp(line, "5500", 4) || !strncmp(line, "5510", 4);
        fclose(maps);
        return n;
    }

    int main(int argc, char **argv)
    {
        pthread_t beside, more[20];
        int n = 0, status;
        if (!strcmp(argv[2], "threads"))
            pthread_create(&beside, 0, spin, 0);
        pid_t child = !strcmp(argv[1], "vfork") ? vfork() : fork();
        if (child == 0 && !strcmp(argv[1], "vfork"))
            execl("/bin/sh", "sh", "-c", "exit 3", (char *)0);
        if (child == 0)
            _exit(3);
        for (int i = 0; i < 20; i++) {
            pthread_create(&more[i], 0, add, &n);
            pthread_join(more[i], 0);
        }
        waitpid(child, &status, 0);
        over = 1;
        FILE *told = fopen(argv[3], "w");
        fprintf(told, "child %d, threads %d, runtime %s\n", WEXITSTATUS(status), n,
                count_runtime() ? "there" : "gone");
        fclose(told);
        rename(argv[3], argv[4]);
        return argc != 5;
    }
"""


def wait_for(path):
    import time
    for _ in range(3000):
        if path.exists():
            return path.read_text()
        time.sleep(0.01)
    raise AssertionError("the parent never came to its end")


@pytest.mark.parametrize("mode", ["native", "vm"])
@pytest.mark.parametrize("threads", ["alone", "threads"])
@pytest.mark.parametrize("kind", ["fork", "vfork"])
def test_the_parent_goes_on_by_itself(batch, compile_c, tmp_path, kind, threads, mode):
    program = compile_c(FAMILY, name="family")
    done = batch(program, f"mode {mode}", "set follow-fork-mode child", "run", args=[kind, threads, tmp_path / "half", tmp_path / "told"])
    assert "exited with code 03" in done.stdout, done.stdout + done.stderr
    memory = "there" if kind == "vfork" and mode == "vm" else "gone"
    assert wait_for(tmp_path / "told") == f"child 3, threads 20, runtime {memory}\n"
    assert "[Detaching after" in done.stdout and "[Thread 1" not in done.stdout


MEMFD = r"""
    #define _GNU_SOURCE
    #include <stdio.h>
    #include <sys/mman.h>
    #include <unistd.h>
    static int inside(int n) { return n + 1; }
    int main(int argc, char **argv)
    {
        static char buf[65536];
        if (argc > 1)
            return inside(argc) == 0;
        int fd = memfd_create("copy", 0);
        FILE *f = fopen("/proc/self/exe", "r");
        for (size_t n; (n = fread(buf, 1, sizeof buf, f)) > 0;)
            if (write(fd, buf, n) < 0)
                return 2;
        char *words[] = {"copy", "again", NULL}, *none[] = {NULL};
        fexecve(fd, words, none);
        return 1;
    }
"""


@pytest.mark.parametrize("mode", ["native", "vm"])
def test_a_program_that_is_in_memory_only_has_its_symbols(batch, compile_c, mode):
    done = batch(compile_c(MEMFD, name="memfd"), f"mode {mode}", "break inside", "run", "print n", "backtrace")
    assert "$1 = 2" in done.stdout and "in main (argc=2" in done.stdout, done.stdout + done.stderr


STOPS = r"""
    #define _GNU_SOURCE
    #include <sched.h>
    #include <signal.h>
    #include <stdio.h>
    #include <string.h>
    #include <sys/wait.h>
    #include <unistd.h>

    static char stack[65536];
    static int shared;
    static int in_our_memory(void *unused) { shared = 42; _exit(7 + !!unused); }

    int main(int argc, char **argv)
    {
        int status, stopped = 0;
        pid_t child;
        if (!strcmp(argv[1], "shares")) {
            child = clone(in_our_memory, stack + sizeof stack, CLONE_VM | SIGCHLD, 0);
        } else if ((child = fork()) == 0) {
            raise(SIGSTOP);
            raise(SIGTSTP);
            _exit(3);
        } else {
            while (waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status)) {
                stopped = 100 * stopped + WSTOPSIG(status);
                kill(child, SIGCONT);
            }
            child = 0;
        }
        if (child)
            waitpid(child, &status, 0);
        FILE *told = fopen(argv[2], "w");
        fprintf(told, "stopped %d, child %d, shared %d\n", stopped, WEXITSTATUS(status), shared);
        fclose(told);
        rename(argv[2], argv[3]);
        return argc != 4;
    }
"""
QUIET = ["handle SIGSTOP SIGTSTP SIGCONT nostop noprint"]


def test_a_child_that_stops_is_stopped(batch, compile_c, tmp_path):
    program = compile_c(STOPS, name="stops")
    done = batch(program, "set follow-fork-mode child", *QUIET, f"run stops {tmp_path}/writes {tmp_path}/told")
    assert wait_for(tmp_path / "told") == "stopped 1920, child 3, shared 0\n", done.stdout + done.stderr
    assert "exited with code 03" in done.stdout


def test_a_child_in_its_parents_memory_is_not_followed_in_vm_mode(batch, compile_c, tmp_path):
    program = compile_c(STOPS, name="stops")
    done = batch(program, "set follow-fork-mode child", f"run shares {tmp_path}/writes {tmp_path}/told")
    assert wait_for(tmp_path / "told") == "stopped 0, child 7, shared 42\n", done.stdout + done.stderr
    assert "exited normally" in done.stdout
