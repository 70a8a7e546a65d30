"""Real programs in VM mode: what they print and how they end is what it is natively.

The quick ones run always; EBB_LONG_TESTS=1 adds the long ones (`EBB_LONG_TESTS=1 pytest tests/session/test_vm_programs.py`)."""
import pathlib
import random
import re
import shutil
import socket
import subprocess
import threading
import time

import pytest
from both_ways import LONG, compare, visit
from java_source import javac

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

only_long = pytest.mark.skipif(not LONG, reason="takes long: EBB_LONG_TESTS=1 runs it")


def needs(*tools):
    missing = [tool for tool in tools if not shutil.which(tool)]
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)} not installed")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the programs run: some text to work on, and a little repository."""
    here = tmp_path_factory.mktemp("programs")
    choice = random.Random(1)
    words = [line.strip() for line in (ROOT / "src" / "x86" / "names.def").read_text().split() if line]
    lines = (" ".join(choice.choice(words) for _ in range(8)) for _ in range(20000 if LONG else 3000))
    (here / "text").write_text("\n".join(lines) + "\n")
    return here


def program(name, *words, tools=(), long=False):
    marks = [needs(words[0], *tools)] + ([only_long] if long else [])
    return pytest.param(list(words), id=name, marks=marks)


SQL = """create table t(a integer primary key, b text); with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
insert into t select i, hex(i * 7919) from n; create index tb on t(b); select count(*), sum(a), max(b) from t where b like '3%';
select b, count(*) from t group by length(b) order by 1 limit 5;"""
PERL = r'my %n; open F, "text"; while (<F>) { $n{$_}++ for split } print map "$_ $n{$_}\n", (sort { $n{$b} <=> $n{$a} || $a cmp $b } keys %n)[0..9]'
LUA = "local t = {} for i = 1, 50000 do t[i] = (i * 7919) % 10007 end table.sort(t) print(t[1], t[25000], ('x'):rep(3), string.format('%.3f', math.sin(1)))"
PYTHON = "import json, re, zlib; t = open('text').read(); print(len(re.findall('s', t)), zlib.crc32(t.encode()), json.dumps(sorted(set(t.split()))[:5]))"
JS = "let f = n => n < 2 ? n : f(n - 1) + f(n - 2); console.log(f(22), [...Array(999).keys()].map(x => x * x).reduce((a, b) => a + b))"
BASH = "n=0; for i in $(seq 30); do n=$((n + $(echo $i | tr 1 2))); done; echo $n; cat text | sort | uniq -c | sort -rn | head -3; (exit 7); echo $?; exit 5"


@pytest.mark.parametrize("words", [
    program("python3", "/usr/bin/python3", "-c", PYTHON),
    program("perl", "perl", "-e", PERL),
    program("bash with pipes", "bash", "-c", BASH),
    program("sqlite3", "sqlite3", ":memory:", SQL),
    program("lua", "lua5.4", "-e", LUA),
    program("gawk", "gawk", '{ for (i = 1; i <= NF; i++) n[$i] += length($i) } END { for (w in n) s += n[w]; printf "%d %.4f\\n", s, sqrt(s) }', "text"),
    program("sed", "sed", "-E", r"s/([a-z]+) ([a-z]+)/\2 \1/g; s/[aeiou]/#/3; 5q", "text"),
    program("gzip", "gzip", "-9nc", "text"),
    program("xz", "xz", "-T1", "-c", "text"),
    program("zstd", "zstd", "-q", "-c", "--single-thread", "text"),
    program("openssl digest", "openssl", "dgst", "-sha512", "text"),
    program("openssl aes", "openssl", "enc", "-aes-256-ctr", "-K", "00" * 32, "-iv", "01" * 16, "-in", "text"),
    program("git", "git", "hash-object", "text"),
    program("git grep", "git", "grep", "--no-index", "-c", "s", "text"),
    program("node", "node", "-e", JS),
    program("gcc", "gcc", "-v", "-fsyntax-only", "-x", "c", "/dev/null"),
    program("a missing file", "cat", "nothing-here"),
    program("java", "java", "-Xint", "-XX:+UseSerialGC", "-version", long=True),
])
def test_prints_the_same(words, folder):
    if words[0] == "java": # under its own name, ebb would run it on its own machine
        words = [hotspot(folder), *words[1:]]
    compare(words, folder)


def hotspot(folder):
    """The stock Java machine, under another name."""
    home = pathlib.Path(shutil.which("java")).resolve().parent.parent
    jdk = folder / "jdk"
    if not jdk.exists():
        (jdk / "bin").mkdir(parents=True)
        for part in ("lib", "conf", "legal", "release"):
            if (home / part).exists():
                (jdk / part).symlink_to(home / part)
        shutil.copy(home / "bin" / "java", jdk / "bin" / "hotspot")
    return jdk / "bin" / "hotspot"


REAL = pathlib.Path(__file__).resolve().parent / "real"


@pytest.mark.parametrize("words", [
    program("python's library", "/usr/bin/python3", REAL / "many_ways.py"),
    program("a repository", "bash", REAL / "repository.sh", tools=["git"]),
    program("node's workers", "node", REAL / "many_ways.js", long=True),
])
def test_does_much(words, folder):
    compare(words, folder)


@only_long
@needs("java", "javac")
@pytest.mark.parametrize("option", ["-XX:+UseG1GC", "-XX:+UseParallelGC", "-XX:+UseZGC", "-XX:TieredStopAtLevel=1"])
def test_hotspot_compiles(option, folder):
    javac("-d", folder, REAL / "ManyWays.java")
    compare([hotspot(folder), option, "-cp", ".", "ManyWays"], folder)


@only_long
@needs("java", "javac")
def test_hotspot_with_threads(folder):
    (folder / "Work.java").write_text("""
        import java.util.*; import java.util.concurrent.*;
        public class Work {
            static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
            public static void main(String[] a) throws Exception {
                ExecutorService pool = Executors.newFixedThreadPool(4);
                List<Future<Integer>> all = new ArrayList<>();
                for (int i = 0; i < 8; i++) { int k = i; all.add(pool.submit(() -> fib(20 + k % 3))); }
                int sum = 0;
                for (Future<Integer> f : all) sum += f.get();
                try { Object o = null; o.hashCode(); } catch (NullPointerException e) { System.out.println("null"); }
                System.out.println(sum);
                pool.shutdown();
            }
        }""")
    javac("Work.java", cwd=folder)
    compare([hotspot(folder), "Work"], folder)


@only_long
@needs("gcc")
def test_the_compiler_itself(folder):
    """cc1, without the driver that would run it as a child."""
    cc1 = subprocess.run(["gcc", "-print-prog-name=cc1"], capture_output=True, text=True, check=True).stdout.strip()
    source = folder / "large.i"
    subprocess.run(["gcc", "-E", "-D_GNU_SOURCE", "-I", ROOT / "src", "-o", source, ROOT / "src" / "x86" / "spell.c"], check=True)
    compare([cc1, "-quiet", "-O2", "-fpreprocessed", source, "-o", "-"], folder)


CONDITIONS = r"""
    #include <pthread.h>
    #include <stdio.h>
    enum { N = 2000 };
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
    static int slots[4], n, in, out;
    static void *produce(void *arg)
    {
        for (int i = 0; i < N; i++) {
            pthread_mutex_lock(&lock);
            while (n == 4) pthread_cond_wait(&emptied, &lock);
            slots[in++ % 4] = i; n++;
            pthread_cond_signal(&filled);
            pthread_mutex_unlock(&lock);
        }
        return arg;
    }
    static void *consume(void *sum)
    {
        for (int i = 0; i < N; i++) {
            pthread_mutex_lock(&lock);
            while (n == 0) pthread_cond_wait(&filled, &lock);
            *(long *)sum += slots[out++ % 4]; n--;
            pthread_cond_signal(&emptied);
            pthread_mutex_unlock(&lock);
        }
        return 0;
    }
    int main(void)
    {
        pthread_t t[6];
        long sums[3] = {0};
        for (int i = 0; i < 3; i++) { pthread_create(&t[i], 0, produce, 0); pthread_create(&t[i + 3], 0, consume, &sums[i]); }
        for (int i = 0; i < 6; i++) pthread_join(t[i], 0);
        printf("%ld\n", sums[0] + sums[1] + sums[2]);
        return 3;
    }
"""
SIGNALS = r"""
    #include <setjmp.h>
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/mman.h>
    #include <sys/time.h>
    #include <sys/wait.h>
    #include <unistd.h>
    #include <ucontext.h>
    static volatile sig_atomic_t ticks, got, nested;
    static sigjmp_buf back;
    static char *page;
    static void on_tick(int s) { ticks++; }
    static void on_usr(int s) { got++; if (s == SIGUSR1) raise(SIGUSR2); else nested++; }
    static void on_fault(int s, siginfo_t *info, void *context)
    {
        if (info->si_addr == page) mprotect(page, 4096, PROT_READ | PROT_WRITE);
        else siglongjmp(back, 1);
    }
    static void on_ill(int s, siginfo_t *info, void *context) { ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2; }
    int main(void)
    {
        stack_t alternate = {.ss_sp = malloc(65536), .ss_size = 65536};
        sigaltstack(&alternate, 0);
        struct sigaction sa = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
        sigaction(SIGALRM, &sa, 0);
        sa.sa_handler = on_usr;
        sigaction(SIGUSR1, &sa, 0);
        sigaction(SIGUSR2, &sa, 0);
        sa = (struct sigaction){.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
        sigaction(SIGSEGV, &sa, 0);
        sa.sa_sigaction = on_ill;
        sigaction(SIGILL, &sa, 0);
        struct itimerval often = {{0, 5000}, {0, 5000}}, never = {0};
        setitimer(ITIMER_REAL, &often, 0);
        page = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        for (int i = 0; i < 20; i++) { raise(SIGUSR1); mprotect(page, 4096, PROT_NONE); page[0] = (char)i; __asm__ volatile("ud2"); }
        int caught = 0;
        for (volatile int i = 0; i < 20; i++) if (!sigsetjmp(back, 1)) *(volatile int *)8 = 1; else caught++;
        while (ticks < 20) pause();
        setitimer(ITIMER_REAL, &never, 0);
        int status, pipes[2];
        pipe(pipes);
        if (fork() == 0) { usleep(20000); write(pipes[1], "x", 1); _exit(4); }
        char c = 0;
        ssize_t n = read(pipes[0], &c, 1);
        wait(&status);
        printf("%d %d %d %d %zd %c %d\n", got, nested, caught, page[0], n, c, WEXITSTATUS(status));
        fflush(stdout);
        abort();
    }
"""
FORKS = r"""
    #include <spawn.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <sys/socket.h>
    #include <sys/wait.h>
    #include <unistd.h>
    extern char **environ;
    static void answer(int s) { char b[64]; ssize_t n = read(s, b, 63); b[n > 0 ? n : 0] = 0; dprintf(s, "%d", atoi(b) * 3); _exit(0); }
    int main(void)
    {
        long total = 0;
        for (int i = 0; i < 15; i++) {
            int s[2], status;
            socketpair(AF_UNIX, SOCK_STREAM, 0, s);
            pid_t child = fork();
            if (child == 0) answer(s[1]);
            dprintf(s[0], "%d", i);
            char b[64] = {0};
            if (read(s[0], b, 63) > 0) total += atoi(b);
            waitpid(child, &status, 0);
            close(s[0]), close(s[1]);
            char *words[] = {"sh", "-c", i % 2 ? "exit 2" : "exit 1", 0};
            pid_t other;
            posix_spawn(&other, "/bin/sh", 0, 0, words, environ);
            waitpid(other, &status, 0);
            total += WEXITSTATUS(status);
            if ((other = vfork()) == 0) { execl("/bin/true", "true", (char *)0); _exit(1); }
            waitpid(other, &status, 0);
            total += WEXITSTATUS(status);
        }
        printf("%ld\n", total);
        fflush(stdout);
        execl("/bin/echo", "echo", "and", "over", (char *)0);
    }
"""
MAPPINGS = r"""

    #include <asm/prctl.h>
    #include <errno.h>
    #include <stdio.h>
    #include <sys/mman.h>
    #include <sys/syscall.h>
    #include <unistd.h>
    /* Whatever else is mapped there: to the program there is nothing but its own. */
    int main(void)
    {
        unsigned long far = 0x100000000000, wide = 0x120000000000 - far, base = 0;
        printf("%d\n", munmap((void *)far, wide));
        printf("%d %d\n", mprotect((void *)far, wide, PROT_NONE), errno);
        printf("%d %d\n", mremap((void *)far, 4096, 8192, MREMAP_MAYMOVE) == MAP_FAILED, errno);
        for (int i = 3; i < 5000; i++) close(i);
        close_range(3, ~0u, 0);
        printf("%ld", syscall(SYS_arch_prctl, ARCH_SET_GS, far));
        printf(" %ld", syscall(SYS_arch_prctl, ARCH_GET_GS, &base));
        printf(" %#lx\n", base);
        return 0;
    }
"""
SANDBOX = r"""
    #include <linux/filter.h>
    #include <linux/seccomp.h>
    #include <stdio.h>
    #include <sys/prctl.h>
    #include <sys/syscall.h>
    #include <unistd.h>
    /* Lets everything through that the program does from then on, and nothing else. */
    int main(void)
    {
        struct sock_filter code[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        struct sock_fprog filter = {sizeof code / sizeof *code, code};
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, 0); /* is it there? */
        long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter);
        char text[64];
        write(1, text, (size_t)snprintf(text, sizeof text, "%ld %.3f\n", result, 3.25));
        _exit(6);
    }
"""


@pytest.mark.parametrize("source, flags", [(SANDBOX, ()), (CONDITIONS, ()), (SIGNALS, ()), (FORKS, ()), (MAPPINGS, ()), (CONDITIONS, ("-static",)), (SIGNALS, ("-static",))],
                         ids=["sandbox", "condition variables", "signals", "forks", "mappings", "static threads", "static signals"])
def test_does_the_same(source, flags, compile_c, folder):
    compare([compile_c(source, flags=("-O1", "-w", "-D_GNU_SOURCE", *flags), name="does")], folder)


# ---- attached to, and let go ----

def check_left_alone(pid):
    with open(f"/proc/{pid}/maps") as maps:
        assert not re.search("^1[01]000", maps.read(), re.M), "the runtime is still there"
    with open(f"/proc/{pid}/status") as status:
        assert "TracerPid:\t0\n" in status.read()


VISITS = 100 if LONG else 20


def test_a_running_python_is_not_disturbed():
    counting = subprocess.Popen(["/usr/bin/python3", "-uc", """
n = 0
while True:
    n += 1
    if sum(i * i for i in range(2000)) != 2664667000: print("wrong"); break
    if n % 50 == 0: print(n)
"""], stdout=subprocess.PIPE, text=True)
    try:
        counting.stdout.readline()
        for _ in range(VISITS):
            visit(counting.pid, 0.03)
            check_left_alone(counting.pid)
            assert int(counting.stdout.readline()) % 50 == 0
    finally:
        counting.kill()


SERVER = r"""
    #include <arpa/inet.h>
    #include <pthread.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <sys/socket.h>
    #include <unistd.h>
    static void *idle(void *arg) { for (;;) usleep(20000); return arg; }
    static void *serve(void *arg)
    {
        int s = (int)(long)arg;
        char b[64];
        for (ssize_t n; (n = read(s, b, 63)) > 0;) {
            b[n] = 0;
            unsigned hash = 0;
            for (int i = 0; i < 20000; i++) hash = hash * 31 + (unsigned)(atoi(b) + i);
            if (dprintf(s, "%u\n", hash) < 0) break;
        }
        close(s);
        return 0;
    }
    int main(void)
    {
        int door = socket(AF_INET, SOCK_STREAM, 0);
        struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        socklen_t n = sizeof at;
        bind(door, (void *)&at, sizeof at);
        listen(door, 64);
        getsockname(door, (void *)&at, &n);
        printf("%d\n", ntohs(at.sin_port));
        fflush(stdout);
        pthread_t t;
        pthread_create(&t, 0, idle, 0);
        for (int s; (s = accept(door, 0, 0)) >= 0;) { pthread_create(&t, 0, serve, (void *)(long)s); pthread_detach(t); }
        perror("accept");
        return 1;
    }
"""


def hash_of(number):
    value = 0
    for i in range(20000):
        value = (value * 31 + number + i) & 0xffffffff
    return value


def test_a_running_server_is_not_disturbed(compile_c):
    server = subprocess.Popen([compile_c(SERVER, flags=("-O1",), name="server")], stdout=subprocess.PIPE, text=True)
    port, over, wrong, answers = int(server.stdout.readline()), threading.Event(), [], []

    def ask(number):
        expected = f"{hash_of(number)}\n"
        try:
            while not over.is_set():
                with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
                    talk = connection.makefile("rw")
                    for _ in range(5):
                        talk.write(str(number))
                        talk.flush()
                        answer = talk.readline()
                        (answers if answer == expected else wrong).append(answer)
                        time.sleep(0.005)
        except OSError as error:
            wrong.append(error)

    clients = [threading.Thread(target=ask, args=(k,)) for k in range(3)]
    try:
        for client in clients:
            client.start()
        for _ in range(VISITS):
            visit(server.pid, 0.03)
            check_left_alone(server.pid)
            assert server.poll() is None and not wrong
    finally:
        over.set()
        for client in clients:
            client.join()
        server.kill()
    assert answers and not wrong
