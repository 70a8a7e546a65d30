"""Random walks through the histories of real programs: every moment has one state, however it is reached.

Each program is walked through live, at random; then to random moments of that walk in any order, with steps back and forth.  A hash of all that
the program can see has to be what it was (tests/machine/x86_history_test.c).  Some of the list are walked through here; with
EBB_LONG_TESTS=1 all of them, further.  EBB_WALK_SEED walks elsewhere."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WALKER = ROOT / "build" / "tests" / "machine" / "x86_history_test"
LONG = os.environ.get("EBB_LONG_TESTS") == "1"
SEED = os.environ.get("EBB_WALK_SEED", "11")
N_MOVES = 100 if LONG else 12

THREADS = "import threading as t; a = [t.Thread(target=lambda: sum(range(1000))) for i in range(4)]; [x.start() for x in a]; [x.join() for x in a]"

QUICK = [
    ["gzip", "-c", "/etc/passwd"],
    ["perl", "-e", "print join ',', map { $_ * 2 } 1 .. 20"],
    ["bash", "-c", "for i in 1 2 3; do echo $i; done; x=$(echo hi); echo $x"],
    ["sort", "--parallel=4", "/etc/services"],
    ["timeout", "5", "sleep", "0.01"],
    ["sqlite3", ":memory:", "create table t(a); insert into t values (1), (2); select sum(a) from t"],
]

OTHERS = [
    ["true"], ["ls", "-l", "/usr"], ["xz", "-c", "/etc/passwd"], ["bzip2", "-c", "/etc/passwd"], ["dash", "-c", "ls | wc -l"], ["sort", "-r", "/etc/passwd"],
    ["gawk", "BEGIN { for (i = 0; i < 1000; i++) s += i; print s }"], ["mawk", "BEGIN { for (i = 0; i < 1000; i++) s += i; print s }"],
    ["sed", "s/root/x/", "/etc/passwd"], ["grep", "-c", "bin", "/etc/passwd"], ["find", "/etc", "-maxdepth", "1", "-name", "p*"],
    ["tar", "cf", "/dev/null", "/etc/apt"], ["md5sum", "/etc/passwd"], ["sha256sum", "/bin/ls"], ["od", "-c", "/etc/hostname"], ["git", "--version"],
    ["openssl", "dgst", "-sha256", "/etc/passwd"], ["openssl", "genrsa", "512"], ["date"], ["env"], ["id"], ["expr", "3", "+", "4"],
    ["diff", "/etc/passwd", "/etc/group"], ["nm", "-D", "/bin/ls"], ["objdump", "-h", "/bin/ls"], ["readelf", "-h", "/bin/ls"], ["ps"], ["uname", "-a"],
    ["stat", "/etc"], ["tar", "cf", "t.tar", "/etc/apt"], ["git", "init", "-q", "repo"], ["cp", "/etc/passwd", "copy"], ["dd", "if=/dev/zero", "of=zeros", "bs=1k", "count=4"],
    ["dash", "-c", "echo a > f; cat f; rm f; echo b"], ["factor", "123456789"], ["file", "/bin/ls"], ["zstd", "-c", "/etc/passwd"], ["ar", "t", "/usr/lib/x86_64-linux-gnu/libc_nonshared.a"], ["bash", "-c", "ldd /bin/ls"], ["du", "-s", "/etc/apt"], ["cut", "-d:", "-f1", "/etc/passwd"], ["tr", "a", "b"],
    ["python3", "-c", "print(sum(range(1000)))"], ["python3", "-c", THREADS],
    ["python3", "-c", "import subprocess; print(subprocess.run(['echo', 'hi'], capture_output=True).stdout)"],
    ["python3", "-c", "import mmap; m = mmap.mmap(-1, 4096); m[0:2] = b'ab'; print(m[0])"],
    ["python3", "-c", "import random, time, os; print(random.random(), time.time(), os.urandom(4))"],
    ["python3", "-c", "import signal, os; signal.signal(10, lambda *a: print(a)); os.kill(os.getpid(), 10)"],
    ["python3", "-c", "import socket; a, b = socket.socketpair(); a.send(b'x'); print(b.recv(3))"],
]


@pytest.mark.parametrize("words", QUICK + OTHERS if LONG else QUICK, ids=lambda words: " ".join(words)[:40])
def test_every_moment_has_one_state(words, tmp_path):
    program = shutil.which(words[0])
    if not program:
        pytest.skip(f"{words[0]} is not installed")
    done = subprocess.run([WALKER, SEED, str(N_MOVES), program, *words[1:]], stdin=subprocess.DEVNULL, capture_output=True, cwd=tmp_path, timeout=300)
    assert done.returncode == 0, f"seed {SEED}: " + done.stderr[-2000:].decode(errors="replace")


MAPS = r"""
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile long sum;
static long work(char *p, size_t n) { long s = 0; for (size_t i = 0; i < n; i += 64) s += ++p[i]; return s; }
static void turn(int i)
{
    size_t n = 300000 + 4096 * (size_t)i;
    char *big = malloc(n), *small = sbrk(8192), *raw = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(big, i, n);
    memset(raw, i, 65536);
    small[5] = (char)i;
    sum += work(big, n) + small[5];
    big = realloc(big, 2 * n);
    sum += work(big, 2 * n);
    mprotect(raw, 32768, PROT_READ);
    sum += raw[100] + work(raw + 32768, 4096);
    munmap(raw + 16384, 4096);
    raw = mmap(raw, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    raw[3] = 7;
    madvise(raw, 4096, MADV_DONTNEED);
    sum += raw[3] + raw[8192];
    free(big);
    munmap(raw, 65536);
    sbrk(-4096);
}
int main(void)
{
    for (int i = 0; i < 12; i++)
        turn(i);
    printf("%ld\n", sum);
    return 0;
}
"""


def test_back_over_changes_of_mappings(compile_c, batch, tmp_path):
    """Memory that was mapped, unmapped, moved, protected or given back since is as it was, by the undo log, too, which reaches over that."""
    program = compile_c(MAPS, flags=("-g", "-O1"), name="maps")
    done = subprocess.run([WALKER, SEED, "40", program], capture_output=True, timeout=300)
    assert done.returncode == 0, f"seed {SEED}: " + done.stderr[-2000:].decode(errors="replace")
    out = batch(program, "run", "break turn", "reverse-continue", "print i", "delete", "finish", "info history").stdout
    began = int(re.search(r"^(\d+)@maps.c.*\n\$1 = 11$", out, re.M)[1])
    assert int(re.search(r"^Undo log: .* back to (\d+)\.", out, re.M)[1]) <= began, out


SAVED = r"""
#include <stdio.h>
#include <string.h>
static unsigned char area[4096] __attribute__((aligned(64)));
static volatile double result;
static volatile long sum;
static void use_x87(double x) { volatile long double y = x; y = y * 3 + 1; result = (double)y; }
static void use_ymm(void) { __asm__ volatile("vpcmpeqd %%ymm7, %%ymm7, %%ymm7\n vpxor %%ymm7, %%ymm7, %%ymm7" ::: "memory"); }
static void save(int i)
{
    memset(area, i + 1, sizeof area);
    __asm__ volatile("xsavec %0" : "+m"(area) : "a"(-1), "d"(-1));
    memset(area + 2048, i + 1, 2048);
    __asm__ volatile("xsavec %0" : "+m"(area) : "a"(7), "d"(0));
    for (unsigned k = 0; k < sizeof area; k++)
        sum += area[k] * k;
}
int main(void)
{
    for (int i = 0; i < 60; i++) {
        if (i % 3 == 0)
            use_x87(i);
        if (i % 5 == 0)
            use_ymm();
        if (i % 2 == 0)
            __asm__ volatile("fninit");
        if (i % 7 == 0)
            __asm__ volatile("vzeroall" ::: "memory");
        save(i);
    }
    printf("%ld\n", sum);
    return 0;
}
"""


def test_what_xsave_finds_in_use_is_the_same_in_a_copy(compile_c):
    """xsavec leaves out what is not in use: which may be said of registers that hold the same, so the way to a moment could tell in its memory."""
    program = compile_c(SAVED, flags=("-g", "-O1"), name="saved")
    done = subprocess.run([WALKER, SEED, "25", program], capture_output=True, timeout=300)
    assert done.returncode == 0, f"seed {SEED}: " + done.stderr[-2000:].decode(errors="replace")
