"""A native program runs on from its past, with its files, descriptors, handlers and timers as they were: what it does then is what it does under gdb if the same
variable is set at the same line."""
import re
import subprocess

import pytest

PROGRAM = r"""
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

static volatile int alarms, users;
static int rounds = 4, failing;
static pid_t self;
static void on_alarm(int s) { alarms++; }
static void on_user(int s) { users++; }

static void set_up(void)
{
    struct sigaction a = {.sa_handler = on_user};
    sigset_t set;
    self = getpid();
    sigaction(SIGUSR1, &a, NULL);
    signal(SIGALRM, on_alarm);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    mkdir("sub", 0755);
    if (chdir("sub") != 0)
        abort();
    umask(077);
}

static void work(FILE *log, int again, int pipes[2], int i)
{
    char line[80], *block = malloc(300000 + 1000 * (size_t)i);
    memset(block, i, 300000);
    fprintf(log, "round %d of %d: %d\n", i, rounds, block[1000]); /* here */
    fprintf(log, "scheduled %d %d\n", sched_getscheduler(self), getpriority(PRIO_PROCESS, (id_t)self));
    fflush(log);
    if (write(again, "again\n", 6) != 6 || pwrite(again, "R", 1, 0) != 1)
        abort();
    if (write(pipes[1], "through", 7) != 7 || read(pipes[0], line, 7) != 7)
        abort();
    snprintf(line, sizeof line, "made-%d", i);
    close(open(line, O_CREAT | O_WRONLY, 0666));
    if (i == 1)
        unlink("made-0");
    if (i == 2)
        rename("made-1", "moved");
    kill(self, SIGUSR1);
    if (i % 2 == 0)
        free(block);
}

int main(int argc, char **argv)
{
    struct itimerval soon = {.it_value = {.tv_usec = 20000}};
    sigset_t none;
    int pipes[2];
    set_up();
    FILE *log = fopen("log", "w+"), *data = fopen("../data", "r");
    int again = dup(fileno(log)), sum = 0, number;
    if (pipe(pipes) != 0)
        return 1;
    for (int i = 0; i < rounds; i++) {
        work(log, again, pipes, i);
        if (fscanf(data, "%d", &number) == 1)
            sum += number;
    }
    sigemptyset(&none);
    setitimer(ITIMER_REAL, &soon, NULL);
    while (!alarms) /* waits */
        sigsuspend(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    printf("%d users %d alarms sum %d own %d\n", users, alarms, sum, self == getpid());
    fseek(log, 0, SEEK_END);
    printf("%ld\n", ftell(log));
    if (failing)
        abort();
    return sum;
}
"""

THREADS = r"""
    #define _GNU_SOURCE
    #include <pthread.h>
    #include <signal.h>
    #include <stdio.h>
    #include <unistd.h>
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
    static int go, count, step = 1, own, waiting;
    static __thread pid_t tid;
    static void on_signal(int s) { __atomic_add_fetch(&own, tid == gettid(), __ATOMIC_SEQ_CST); }
    static void *run(void *p)
    {
        tid = gettid();
        pthread_mutex_lock(&lock);
        waiting++;
        while (!go)
            pthread_cond_wait(&cond, &lock);
        for (int i = 0; i < 100; i++)
            count += step;
        pthread_mutex_unlock(&lock);
        return NULL;
    }
    int main(void)
    {
        pthread_t t[3];
        signal(SIGUSR1, on_signal);
        for (int i = 0; i < 3; i++)
            pthread_create(&t[i], NULL, run, NULL);
        for (int n = 0; n < 3;) {
            pthread_mutex_lock(&lock);
            n = waiting;
            pthread_mutex_unlock(&lock);
        }
        for (int i = 0; i < 3; i++) /* all wait */
            pthread_kill(t[i], SIGUSR1);
        pthread_mutex_lock(&lock);
        go = 1;
        pthread_cond_broadcast(&cond);
        pthread_mutex_unlock(&lock);
        for (int i = 0; i < 3; i++)
            pthread_join(t[i], NULL);
        printf("count %d own %d\n", count, own); /* alone again */
        return 0;
    }
"""

SHARES = r"""
    #include <stdio.h>
    #include <sys/mman.h>
    int main(void)
    {
        int *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        *p = 1;
        printf("%d\n", *p);
        return 0;
    }
"""


def line_of(text):
    return next(i for i, line in enumerate(PROGRAM.split("\n"), 1) if text in line)


HERE = line_of("/* here */")


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("branch")
    (folder / "branch.c").write_text(PROGRAM)
    subprocess.run(["cc", "-g", "-O0", "-o", folder / "branch", folder / "branch.c"], check=True)
    return folder / "branch"


def prepare(folder):
    folder.mkdir()
    (folder / "data").write_text("1\n20\n300\n4000\n50000\n")
    return folder


def files_of(folder):
    return {str(p.relative_to(folder)): p.read_text() if p.is_file() else None for p in folder.rglob("*")}


def after(folder):
    """Files, and what they may be read by."""
    return files_of(folder), {p.name: p.stat().st_mode & 0o777 for p in (folder / "sub").iterdir()}


def by_gdb(program, folder, nth, change):
    words = [w for c in (f"break {HERE}", "run", f"ignore 1 {nth - 1}" if nth else "echo", "continue" if nth else "echo", change, "delete", "continue") for w in ("-ex", c)]
    done = subprocess.run(["gdb", "--batch", "-nx", "-ex", "handle SIGUSR1 SIGALRM nostop noprint", *words, str(program)], cwd=folder, capture_output=True, text=True, timeout=100)
    return done.stdout


def said(out):
    return re.findall(r"^\d+ users.*$|^\d+$", out, re.MULTILINE)


def by_ebb(ebb, program, folder, *commands):
    words = [w for c in ("handle SIGUSR1 SIGALRM nostop noprint", *commands) for w in ("-e", c)]
    done = ebb(["run", "--batch", *words, str(program)], timeout=100, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("nth, change", [(0, "set var rounds = 2"), (2, "set var rounds = 5"), (3, "set var users = 100"), (3, "set var self = 0x7ffffff"), (1, "set var failing = 1")])
def test_it_does_what_it_would_have_done(ebb, program, tmp_path, nth, change):
    """From the end of the program back to the n-th round, and on."""
    theirs, ours = prepare(tmp_path / "gdb"), prepare(tmp_path / "ebb")
    expected = by_gdb(program, theirs, nth, change)
    out = by_ebb(ebb, program, ours, "run", "print 1", f"break {HERE}", *["reverse-continue"] * (4 - nth), "print i", "branch", change, "delete", "continue")
    assert f"= {nth}" in out
    lived = out.split("From here on the program runs live")[1]
    assert said(lived) == said(expected), lived + expected
    assert ("SIGABRT" in lived) == ("SIGABRT" in expected)
    assert after(ours) == after(theirs)


def test_files_are_put_back_at_once(ebb, program, tmp_path):
    folder = prepare(tmp_path / "here")
    out = by_ebb(ebb, program, folder, "run", f"break {HERE}", "reverse-continue", "reverse-continue", "branch", "shell cat sub/log", "shell ls sub")
    lived = out.split("From here on the program runs live")[1]
    assert "Round 0 of 4: 0\nscheduled 0 0\nagain\nround 1 of 4: 1\nscheduled 0 0\nagain\n" in lived, lived
    assert re.search(r"^log\nmade-1$", lived, re.MULTILINE), lived


def test_the_branch_is_history(ebb, program, tmp_path):
    """It can be walked in both directions, over the moment of the branch, and branched again; a change made there comes again."""
    folder = prepare(tmp_path / "here")
    out = by_ebb(ebb, program, folder, "run", f"break {HERE}", "reverse-continue", "reverse-continue", "when -i", "print i", "branch", "set var rounds = 6", "continue", "continue",
                 "print i", "when -i", "continue", "continue", "reverse-continue", "print i", *["reverse-continue"] * 3, "print i", "print rounds", "when -i",
                 *["reverse-continue"] * 2, "print i", "print rounds", *["continue"] * 4, "print i", "print rounds", "when -i", "delete", "branch", "continue")
    values = re.findall(r"^\$\d+ = (.*)$", out, re.MULTILINE)
    assert values[0] == "2" and values[1] == "4", out
    assert "6" in values and "4" in values[2:]
    assert said(out)[0].startswith("1 users 1 alarms sum 4321"), out
    ended = said(out)[-2]
    assert ended == "1 users 1 alarms sum 54321 own 1", out


def test_a_signal_that_waits_is_kept_over_two_branches(ebb, program, tmp_path):
    """After the first one the program has another number than it knows: that it signals itself is seen all the same."""
    folder = prepare(tmp_path / "here")
    out = by_ebb(ebb, program, folder, "run", f"break {HERE}", *["reverse-continue"] * 4, "print i", "branch", "set var rounds = 1", "delete", f"break {line_of('/* waits */')}", "continue",
                 "delete", "continue", f"break {line_of('/* waits */')}", "reverse-continue", "delete", "branch", "continue")
    assert "= 0" in out and out.count("From here on the program runs live") == 2, out
    assert said(out)[::2] == ["1 users 1 alarms sum 4321 own 1", "1 users 1 alarms sum 1 own 1", "1 users 1 alarms sum 1 own 1"], out


@pytest.fixture(scope="session")
def threaded(compile_c):
    return compile_c(THREADS, flags=("-g", "-O0", "-pthread"), name="threaded")


def thread_line(text):
    return next(i for i, line in enumerate(THREADS.split("\n"), 1) if text in line) - 1


def test_threads_that_wait_go_on(batch, threaded):
    """Each is a thread again, under the number that it knows, and is waked by the others.  Both futures can be walked through."""
    done = batch(threaded, "handle SIGUSR1 nostop noprint", f"break {thread_line('all wait')}", "run", "continue", "reverse-continue", "info threads", "branch", "set var step = 10",
                 "continue", "reverse-continue", "print count", "info threads", "reverse-stepi", "print step", "stepi", "stepi", "print step", "continue", "goto start", "continue", "branch", "delete", "continue")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.findall(r"count \d+ own \d", done.stdout) == ["count 300 own 3", "count 3000 own 3", "count 300 own 3"], done.stdout
    assert re.findall(r"^\$\d+ = (.*)$", done.stdout, re.MULTILINE) == ["0", "1", "10"], done.stdout
    assert done.stdout.count("exited normally") == 4, done.stdout


def test_after_threads_have_ended(batch, threaded):
    done = batch(threaded, "handle SIGUSR1 nostop noprint", "run", "reverse-next", "reverse-next", "reverse-next", "branch", "set var count = 7", "continue")
    assert done.returncode == 0 and done.stdout.rstrip().endswith("exited normally]") and "count 7 own 3" in done.stdout, done.stdout + done.stderr


def test_what_cannot_be_is_refused_before_anything_is_lost(batch, compile_c):
    program = compile_c(SHARES, name="refused")
    done = batch(program, "break 7", "run", "next", "reverse-next", "branch")
    assert done.returncode == 1 and "shares memory with others" in done.stderr, done.stdout + done.stderr
    assert "recorded future is dropped" not in done.stdout


LARGE = r"""
    #include <fcntl.h>
    #include <stdio.h>
    #include <string.h>
    #include <unistd.h>
    static char bytes[3 << 20];
    int main(int argc, char **argv)
    {
        int fd = open(argv[1], O_RDWR);
        int n = (int)read(fd, bytes, sizeof bytes);
        memset(bytes, 'x', sizeof bytes);
        n += (int)pwrite(fd, bytes, 1 << 20, 1 << 20);
        n += ftruncate(fd, 10);
        n += unlink(argv[1]);
        printf("%d\n", n);
        return 0;
    }
"""


def test_large_files_come_back(batch, compile_c, tmp_path):
    """What is lost of them takes more room in the recording than replay takes in at once."""
    file = tmp_path / "large"
    contents = bytes(range(256)) * (12 << 10)
    file.write_bytes(contents)
    program = compile_c(LARGE, name="large")
    done = batch(program, "break 11", "run", "next", "next", "next", "next", "when", "reverse-next", "reverse-next", "reverse-next", "reverse-next", "branch", "kill", args=[str(file)])
    assert done.returncode == 0 and file.read_bytes() == contents, done.stdout + done.stderr


OWNED = r"""
    #include <fcntl.h>
    #include <stdio.h>
    #include <sys/stat.h>
    #include <unistd.h>
    int main(int argc, char **argv)
    {
        int fd = open(argv[1], O_RDWR);
        int other = open(argv[2], O_RDWR);
        int n = fchown(fd, getuid(), getgid());
        n += fchmod(other, 0600);
        printf("%d\n", n);
        return 0;
    }
"""


def test_attributes_by_descriptor_are_put_back_or_named(batch, compile_c, tmp_path):
    owned, kept = tmp_path / "owned", tmp_path / "kept"
    for file in owned, kept:
        file.write_text("x")
        file.chmod(0o644)
    program = compile_c(OWNED, name="owned")
    done = batch(program, "break 9", "run", "next", "next", "next", "reverse-next", "reverse-next", "reverse-next", "branch", "kill", args=[str(owned), str(kept)])
    assert done.returncode == 0 and str(owned) in done.stdout, done.stdout + done.stderr
    assert kept.stat().st_mode & 0o777 == 0o644


def test_a_recording_is_nobody_who_could_go_on(ebb, program, tmp_path):
    folder = prepare(tmp_path / "here")
    assert ebb(["record", "-o", str(tmp_path / "r.ebb"), str(program)], timeout=100, cwd=folder).returncode in (0, 321 % 256, 4321 % 256)
    done = ebb(["replay", "--batch", "-e", f"break {HERE}", "-e", "continue", "-e", "branch", str(tmp_path / "r.ebb")], timeout=100)
    assert done.returncode == 1 and "Only a program that ran here can run on from its past." in done.stderr


MANY_WRITES = r"""
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static int a, b, appending, nowhere, copy;

static void write_round(int i)
{
    char line[8] = "line 0\n", other[4] = "<0>";
    struct iovec two[2] = {{line, 3}, {other, 3}};
    line[5] += i;
    other[1] += i;
    for (int k = 0; k < 3; k++)
        if (write(a, line, 7) != 7 || write(nowhere, line, 7) != 7 || write(appending, other, 3) != 3)
            _exit(1);
    if (write(b, other, 3) != 3 || writev(b, two, 2) != 6 || pwrite(a, other, 3, 2 * i) != 3) /* the same file, over what is there */
        _exit(1);
    lseek(a, -4, SEEK_CUR);
    if (write(a, other, 3) != 3 || write(copy, other, 3) != 3 || write(a, line, 7) != 7)
        _exit(1);
    if (i == 2 && (ftruncate(a, 20) != 0 || write(a, other, 3) != 3))
        _exit(1);
}

int main(void)
{
    a = open("file", O_CREAT | O_RDWR | O_TRUNC, 0644);
    b = open("file", O_WRONLY);
    appending = open("log", O_CREAT | O_WRONLY | O_APPEND, 0644);
    nowhere = open("/dev/null", O_WRONLY);
    for (int i = 0; i < 5; i++) {
        if (i == 1)
            copy = dup(a);
        else if (i == 0)
            copy = nowhere;
        write_round(i); /* here */
    }
    return 0;
}
"""


def test_every_way_to_write_a_file(ebb, compile_c, tmp_path):
    """Wherever a write goes (by other descriptors of the file, appended, over what is there), what it destroys comes back: as gdb finds the files at that round."""
    program = compile_c(MANY_WRITES, name="many_writes")
    line = next(i for i, text in enumerate(MANY_WRITES.split("\n"), 1) if "/* here */" in text)
    for nth in range(5):
        theirs, ours = tmp_path / f"gdb{nth}", tmp_path / f"ebb{nth}"
        theirs.mkdir(), ours.mkdir()
        subprocess.run(["gdb", "--batch", "-nx", "-ex", f"break {line} if i == {nth}", "-ex", "run", "-ex", "kill", str(program)], cwd=theirs, check=True, capture_output=True, timeout=100)
        out = by_ebb(ebb, program, ours, "run", f"break {line} if i == {nth}", "reverse-continue", "print i", "branch", "kill")
        assert f"= {nth}" in out
        assert {p.name: p.read_text() for p in ours.iterdir()} == {p.name: p.read_text() for p in theirs.iterdir()}, out


MOVED_ALONG = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

int main(void)
{
    char bytes[4] = "xyz", next;
    struct iovec three = {bytes, 3};
    int in = open("/etc/passwd", O_RDONLY), out = open("out", O_CREAT | O_WRONLY | O_TRUNC, 0644);
    if (preadv2(in, &three, 1, 1, 0) != 3 || preadv2(in, &three, 1, -1, 0) != 3 || pwritev2(out, &three, 1, 10, 0) != 3 || pwritev2(out, &three, 1, -1, 0) != 3)
        return 1;
    next = 0; /* here */
    if (read(in, &next, 1) != 1 || write(out, &next, 1) != 1)
        return 1;
    return 0;
}
"""


def test_descriptors_stand_where_every_way_to_read_and_write_left_them(ebb, compile_c, tmp_path):
    """preadv2 and pwritev2 move them, if they are told no place; what the program writes from there on is what it writes by itself."""
    program = compile_c(MOVED_ALONG, name="moved_along")
    line = next(i for i, text in enumerate(MOVED_ALONG.split("\n"), 1) if "/* here */" in text)
    theirs, ours = tmp_path / "alone", tmp_path / "ebb"
    theirs.mkdir(), ours.mkdir()
    subprocess.run([program], cwd=theirs, check=True, timeout=100)
    out = by_ebb(ebb, program, ours, "run", f"break {line}", "reverse-continue", "branch", "continue")
    assert (ours / "out").read_bytes() == (theirs / "out").read_bytes(), out
