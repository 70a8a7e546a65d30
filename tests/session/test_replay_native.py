"""`ebb replay` of native programs: a recording is opened when the program and its libraries are gone, and shows the execution that was recorded."""
import json
import re
import shutil
import subprocess

import pytest

PROGRAM = r"""
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int added, spun, sum;
static volatile int signals;
static unsigned char noise[16];
static time_t now;

static void count(int signal) { signals++; }

static void *add(void *by)
{
    for (int i = 0; i < 300; i++)
        added += (int)(long)by;
    return NULL;
}

static void add_up(void)
{
    for (unsigned i = 0; i < sizeof noise; i++)
        sum += noise[i];
}

int main(int argc, char **argv)
{
    pthread_t threads[3];
    struct itimerval every = {{0, 1000}, {0, 1000}};
    now = time(NULL);
    FILE *f = fopen("/dev/urandom", "r");
    if (!f || fread(noise, 1, sizeof noise, f) != sizeof noise)
        return 1;
    fclose(f);
    void *plugin = dlopen("./plugin.so", RTLD_NOW);
    int (*twice)(int) = plugin ? (int (*)(int))dlsym(plugin, "twice") : NULL;
    signal(SIGALRM, count);
    setitimer(ITIMER_REAL, &every, NULL);
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, add, (void *)(i + 1));
    while (signals < 5)
        spun ^= signals;
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    add_up();
    printf("%d %d %d\n", added, sum, twice ? twice(sum) : 0);
    if (argc > 1)
        *(volatile int *)(long)argv[1][0] = 1;
    return 7;
}
"""
PLUGIN = "int twice(int n)\n{\n    return 2 * n; /* in the plugin */\n}\n"


@pytest.fixture
def program(tmp_path):
    """Built anew for each test, which takes it away."""
    (tmp_path / "prog.c").write_text(PROGRAM)
    (tmp_path / "plugin.c").write_text(PLUGIN)
    for command in (["-o", "prog", "prog.c", "-pthread", "-ldl"], ["-shared", "-fPIC", "-o", "plugin.so", "plugin.c"]):
        subprocess.run(["gcc", "-g", "-O0", *command], cwd=tmp_path, check=True, timeout=60)
    return tmp_path / "prog"


def line_of(text, source=PROGRAM):
    return next(i for i, line in enumerate(source.split("\n"), 1) if text in line)


def steps(*commands):
    return [word for command in commands for word in ("-e", command)]


def replay(ebb, path, *commands, **more):
    done = ebb(["replay", "--batch", *steps(*commands), path], timeout=100, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def record(ebb, program, *args):
    path = program.parent / "recording"
    done = ebb(["record", "-o", path, "--", program, *args], timeout=100, cwd=program.parent)
    assert f"the recording is in {path}" in done.stderr and "ended early" not in done.stderr
    return path, done


def forget(program):
    """Another program is there, and no library: nothing of what was recorded is taken from the disk."""
    program.unlink()
    (program.parent / "plugin.so").unlink()
    shutil.copy("/bin/true", program)


def test_it_shows_what_was_recorded(ebb, program):
    path, done = record(ebb, program)
    total, value, doubled = map(int, done.stdout.split())
    assert (total, doubled, done.returncode) == (1800, 2 * value, 7)
    forget(program)
    out = replay(ebb, path, "set breakpoint pending on", "break twice", "continue", "print n", "up", "print added", "print sum", "last-write sum", "goto end", "reverse-next",
                 "print sum")
    assert f"plugin.c:{line_of('in the plugin', PLUGIN)}" in out
    assert re.findall(r"\$\d+ = (\d+)", out) == [str(value), "1800", str(value), str(value)]
    assert f"prog.c:{line_of('sum += noise')}" in out.split("Last write to sum")[1]
    assert "exited with code 07" in out


def test_positions_are_those_of_the_live_program(ebb, program):
    path = program.parent / "saved"
    live = ebb(["run", "--batch", *steps("handle SIGALRM nostop noprint", "break add_up", "run", "when -i", "info threads", "finish", "when -i",
                                         "continue", f"save {path}"), program], timeout=100, cwd=program.parent)
    assert live.returncode == 0, live.stderr
    forget(program)
    out = replay(ebb, path, "break add_up", "continue", "when -i", "finish", "when -i", "goto end", "reverse-continue", "when -i")
    positions = re.findall(r"^\d+@0x\w+$", out, re.M)
    assert len(set(positions)) >= 2 and set(positions[-3:]) <= set(re.findall(r"^\d+@0x\w+$", live.stdout, re.M))


def test_from_a_crash_to_its_cause(ebb, program):
    path, done = record(ebb, program, "x")
    assert done.returncode == 128 + 11
    forget(program)
    out = replay(ebb, path, "goto end", "reverse-next", "print argv[1][0]")
    assert "SIGSEGV" in out and f"prog.c:{line_of('argv[1][0]')}" in out and "'x'" in out


@pytest.mark.parametrize("function, frame", [("twice", r"twice \(n=\d+\) at .*plugin.c:\d+"), ("dlopen", "dlopen.*")])
def test_libraries_are_known_wherever_one_goes_first(ebb, program, function, frame):
    """No stop on the way has told of them."""
    path, _ = record(ebb, program)
    forget(program)
    out = replay(ebb, path, "set breakpoint pending on", f"break {function}", "continue", "when -i")
    inside = re.findall(r"^\d+@0x\w+$", out, re.M)[-1]
    frames = replay(ebb, path, f"goto {inside}", "backtrace")
    assert re.search(rf"^#0 .*{frame}\n(#.*\n)*#\d+ .* main ", frames, re.M), frames


PROGRAMS = {
    "gzip": ["gzip", "-c", "/etc/services"],
    "xz": ["xz", "-1", "-c", "/etc/services"],
    "perl": ["perl", "-e", "print join(',', map { $_ * $_ } 1 .. 100); exit 3"],
    "sqlite3": ["sqlite3", ":memory:", "create table t(a); insert into t values(1), (2); select sum(a) from t;"],
    "lua": ["lua5.4", "-e", "local t = {} for i = 1, 1000 do t[i] = i * i end print(#t)"],
    "git": ["git", "--version"],
    "openssl": ["openssl", "sha256", "/etc/services"],
    "bash with children": ["bash", "-c", "for i in 1 2 3; do /bin/echo $i; done | cat; exit 4"],
    "python3 with threads": ["/usr/bin/python3", "-c", """
import threading
seen = []
threads = [threading.Thread(target=lambda: [seen.append(i) for i in range(300)]) for _ in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
print(len(seen))
"""],
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_real_programs(ebb, tmp_path, name):
    """A copy that is deleted after it was recorded; it comes to the end that the program came to, from there and from the beginning."""
    command = list(PROGRAMS[name])
    original = shutil.which(command[0])
    if not original:
        pytest.skip(f"{command[0]} is not installed")
    command[0] = tmp_path / command[0].split("/")[-1]
    shutil.copy(original, command[0])
    done = ebb(["record", "-o", tmp_path / "recording", "--", *command], timeout=100)
    assert "ended early" not in done.stderr and "may be wrong" not in done.stderr
    command[0].unlink()
    out = replay(ebb, tmp_path / "recording", "goto end", "goto 1000", "when", "goto end")
    ending = f"exited with code {done.returncode:02o}" if done.returncode else "exited normally"
    assert out.count(ending) == 2


def test_the_file_is_all_that_is_needed(ebb, program, tmp_path):
    """The user types run: it begins again; what can't be in the past says so in one line."""
    path, _ = record(ebb, program)
    forget(program)
    out = replay(ebb, path, "break add_up", "run", "run", "print signals >= 5", "info sharedlibrary", "info threads", "info history")
    assert out.count("Breakpoint 1, add_up") == 2 and "plugin.so" in out and "= 1" in out


PRINTER = r"""
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

static void say(const char *text) { fputs(text, stderr); }

int main(void)
{
    printf("first\n");
    fflush(stdout);
    say("second\n");
    struct iovec parts[] = {{"thi", 3}, {"rd\n", 3}};
    if (writev(STDOUT_FILENO, parts, 2) != 6)
        return 1;
    int other = dup(STDOUT_FILENO);
    if (!freopen("/dev/null", "w", stdout))
        return 1;
    printf("for nobody\n");
    fflush(stdout);
    dup2(other, STDOUT_FILENO);
    return write(STDOUT_FILENO, "fourth", 6) != 6;
}
"""


@pytest.mark.parametrize("how", ["live", "replayed"])
def test_what_was_printed(ebb, compile_c, tmp_path, how):
    program = compile_c(PRINTER, name="printer")
    commands = steps("break say", *(["run"] if how == "live" else ["continue"]), "info output 0", "continue", "info output 0", "reverse-continue", "info output 0",
                     "reverse-continue", "info output 0")
    if how == "live":
        done = ebb(["run", "--batch", "--json", *commands, program], timeout=100)
    else:
        assert ebb(["record", "-o", tmp_path / "recording", program]).returncode == 0
        done = ebb(["replay", "--batch", "--json", *commands, tmp_path / "recording"], timeout=100)
    assert done.returncode == 0, done.stderr
    printed = [json.loads(line)["output"] for line in done.stdout.splitlines() if line.startswith("{") and '"output"' in line and '"total"' in line]
    assert printed == ["first\n", "first\nsecond\nthird\nfourth", "first\n", ""]


READER = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { N_READERS = 2 };

static unsigned char bytes[2][32768];
static unsigned sums[2];
static unsigned turns[2];
static int ends[2];

/* A stop of ours may cut a long read short, as any signal does. */
static int fill(int fd, unsigned char *to, size_t nbytes)
{
    for (ssize_t n = 0; nbytes > 0; to += n, nbytes -= (size_t)n)
        if ((n = read(fd, to, nbytes)) <= 0)
            return 0;
    return 1;
}

static void *read_on(void *argument)
{
    long who = (long)argument;
    int fd = open("/dev/urandom", O_RDONLY);
    char go;
    for (; turns[who] < 1600; turns[who]++) {
        if (!fill(fd, bytes[who], sizeof bytes[who]))
            return NULL;
        for (unsigned i = 0; i < sizeof bytes[who]; i += 64)
            sums[who] = sums[who] * 31 + bytes[who][i];
        if (write(ends[1], "x", 1) != 1 || read(ends[0], &go, 1) != 1) /* now and then it waits for the other one */
            return NULL;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    if (pipe(ends) != 0)
        return 1;
    for (long i = 0; i < N_READERS; i++)
        pthread_create(&threads[i], NULL, read_on, (void *)i);
    for (int i = 0; i < N_READERS; i++)
        pthread_join(threads[i], NULL);
    printf("%u %u\n", sums[0], sums[1]);
    return 0;
}
"""


def test_only_the_newest_part(ebb, compile_c, tmp_path):
    """Two threads read 52 MB of noise each; 12 are allowed, of which the program and its libraries are 3.  A part is dropped when the next one is whole."""
    program = compile_c(READER, name="reader")
    path = tmp_path / "recording"
    done = ebb(["record", "--max-size", "12m", "-o", path, program], timeout=100)
    assert done.returncode == 0 and "ended early" not in done.stderr, done.stderr
    assert 1_000_000 < path.stat().st_size < 52_000_000 and [p.name for p in tmp_path.iterdir()] == ["recording"]
    sums = done.stdout.split()
    out = replay(ebb, path, "goto start", "when", "print turns[0] + turns[1] > 20", "goto end", "reverse-next", "print sums[0]", "print sums[1]", "goto start", "goto end")
    assert re.findall(r"\$\d+ = (\d+)", out) == ["1", *sums] and out.count("exited normally") == 2
    for wrong in ("0", "many", "-1"):
        done = ebb(["record", "--max-size", wrong, "-o", path, program])
        assert done.returncode == 2 and len(done.stderr.splitlines()) == 1


WAITERS = r"""
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static long read_so_far[2];

static void *work(void *arg)
{
    long id = (long)arg;
    char bytes[4096];
    for (int i = 0; i < 3000; i++) {
        int fds[2];
        pipe(fds);
        for (int k = 0; k < 4096; k += 256)
            getentropy(bytes + k, 256);
        write(fds[1], bytes, sizeof bytes);
        read_so_far[id] += read(fds[0], bytes, sizeof bytes);
        close(fds[0]);
        close(fds[1]);
        usleep(10);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return read_so_far[0] == read_so_far[1] ? 3 : 4;
}
"""


def test_a_bound_while_all_threads_wait(ebb, compile_c, tmp_path):
    """The part that is kept begins while each thread is in a system call."""
    path = tmp_path / "recording"
    done = ebb(["record", "--max-size", "9m", "-o", path, compile_c(WAITERS, name="waiters")], timeout=100)
    assert done.returncode == 3 and "ended early" not in done.stderr, done.stderr
    out = replay(ebb, path, "print read_so_far[0] > 0", "continue")
    assert "$1 = 1" in out and out.count("exited with code 03") == 1, out


SEGMENT = r"""
#include <setjmp.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/shm.h>

static sigjmp_buf back;
static volatile char seen[3];
static volatile int faults;

static void fault(int signal)
{
    faults++;
    siglongjmp(back, 1);
}

int main(void)
{
    int id = shmget(IPC_PRIVATE, 8192, IPC_CREAT | 0600);
    char *first = shmat(id, 0, 0), *second = shmat(id, 0, 0);
    shmctl(id, IPC_RMID, 0);
    if (first == (char *)-1 || second == (char *)-1)
        return 77;
    first[5000] = 'x';
    seen[0] = first[5000];
    shmdt(first);
    signal(SIGSEGV, fault);
    if (!sigsetjmp(back, 1))
        seen[1] = *(volatile char *)first; /* there is nothing any more */
    seen[2] = *(volatile char *)second;
    return faults;
}
"""


def test_a_segment_comes_and_goes(compile_c, ebb, tmp_path):
    """Memory of System V is there from shmat to shmdt, in replay, too."""
    program = compile_c(SEGMENT, name="segment")
    recording = tmp_path / "recording"
    done = ebb(["record", "-o", recording, program])
    if done.returncode == 77:
        pytest.skip("no System V shared memory here")
    assert done.returncode == 1, done.stderr
    out = replay(ebb, recording, "handle SIGSEGV nostop noprint pass", "break 31", "continue", "print faults", "print seen[0]", "print seen[1]",
                 "last-write seen[0]", "print first[5000]", "goto end")
    assert re.findall(r"^\$\d+ = (.*)$", out, re.M) == ["1", "120 'x'", "0 '\\000'", "120 'x'"]
    assert "exited with code 01" in out


SPINS = r"""
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
long before, spins;
static void marker(void) { before += 2; }
int main(void)
{
    volatile int *shared = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    before = 5;
    marker();
    if (fork() == 0) {
        *shared = 1;
        while (*shared != 2)
            ;
        _exit(3);
    }
    while (*shared != 1)
        spins++;
    *shared = 2;
    puts("seen");
    wait(0);
    return 0;
}
"""


@pytest.mark.parametrize("which", ["parent", "child"])
def test_memory_that_another_process_writes(compile_c, ebb, tmp_path, which):
    """No call is wrong in replay: the loop never ends.  So it is noticed that the calls of the recording don't come; up to there all is right."""
    program, path = compile_c(SPINS, name="spins"), tmp_path / "recording"
    done = ebb(["record", "-o", path, program])
    assert (done.returncode, done.stdout) == (0, "seen\n") and done.stderr.count("has shared memory") == 2
    if which == "child":
        [path] = (tmp_path / "recording.d").iterdir()
        right = ["print before"]
    else:
        right = ["break marker", "continue", "finish", "print before", "reverse-continue", "print before", "delete"]
    done = ebb(["replay", "--batch", *steps(*right, "goto end", "info history"), path])
    assert re.findall(r"^\$\d+ = (.*)$", done.stdout, re.M) == (["7"] if which == "child" else ["7", "5"])
    assert "It may be wrong: another process may have written" in done.stdout
    done = ebb(["replay", "--batch", *steps("continue"), path])
    assert done.returncode == 1 and "Replay diverged" in done.stderr and "other processes may have written to its memory" in done.stderr
    done = ebb(["replay", "--verify", "--batch", path])
    assert done.returncode == 1 and "Replay diverged" in done.stderr


IMPATIENT = r"""
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WAYS = 4, MOST = 1000000000 };
static volatile char there[8];
static long seen[WAYS];
static int pipes[2], ends[2];
static volatile int began;

static void *reader(void *unused)
{
    char one;
    struct iovec two[2] = {{&one, 1}, {(char *)there, 8}};
    struct msghdr m = {.msg_iov = two, .msg_iovlen = 2};
    for (int i = 0; i < WAYS; i++) {
        began = i + 1;
        ssize_t n = i == 0 ? read(pipes[0], (char *)there, 8) : i == 1 ? readv(pipes[0], two, 2) : i == 2 ? recvmsg(ends[0], &m, 0) : recvfrom(ends[0], (char *)there, 8, 0, NULL, NULL);
        if (n != 3)
            return &seen;
    }
    return NULL;
}

int main(void)
{
    pthread_t t;
    void *failed;
    if (pipe(pipes) || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || pthread_create(&t, NULL, reader, NULL))
        return 1;
    for (int i = 0; i < WAYS; i++) {
        while (began != i + 1)
            usleep(1000);
        memset((char *)there, 0, sizeof there);
        if (fork() == 0) {
            usleep(20000);
            _exit(write(i < 2 ? pipes[1] : ends[1], "xyz", 3) != 3);
        }
        long sum = 0;
        while (seen[i] < MOST && !there[0])
            sum += ++seen[i] * 3;
        if (sum == 1)
            return 2;
    }
    pthread_join(t, &failed);
    printf("%ld, %ld, %ld, %ld\n", seen[0], seen[1], seen[2], seen[3]);
    return failed != NULL;
}
"""


def test_what_a_call_writes_while_others_run(compile_c, ebb, tmp_path):
    """A thread looks at memory into which another one's call is about to be answered: it sees it at the same moment in replay."""
    program = compile_c(IMPATIENT, name="impatient", flags=("-g", "-O1", "-pthread"))
    done = ebb(["record", "-o", tmp_path / "recording", program])
    assert done.returncode == 0, done.stderr
    out = replay(ebb, tmp_path / "recording", "break 51", "continue", "print seen")
    assert f"$1 = {{{done.stdout.strip()}}}" in out
