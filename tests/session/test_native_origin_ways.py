"""origin through every way in which a value is moved: whatever the optimiser makes of it, the chain ends at the byte of the file that it was read from.

Two things are checked that ebb did not say itself.  Where the value is in the file: the program is given a file in which each word stands once.
And that each link does what it says: the debuggee goes there, what the link copies from has the value, it makes one step, and then what it
copies to has the value."""
import os
import re
import struct

import pytest

from interrupts import Searching

PROGRAM = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define OUT __attribute__((noinline, noclone))
struct pair { long first, second; };
struct large { long head[3], value, tail[40]; };
typedef int four __attribute__((vector_size(16)));
static long input[600];
static int small[64];
long through_calls, through_pair, through_small_copy, through_large_copy, through_move, through_sort, through_exchange, through_compare, through_add;
long through_choice, through_varargs, through_loop, through_jump, through_thread, through_heap, through_push, through_stack_of_calls, through_lanes;
int through_vector, through_shorts, through_bytes;
double through_double;
float through_float;
__int128 through_wide;
static volatile long noise;

OUT static long pass(long x) { noise++; return x; }
OUT static long deep(long x, int n) { return n ? deep(x, n - 1) : pass(x); }
OUT static double pass_double(double x) { noise++; return x; }
OUT static float pass_float(float x) { noise++; return x; }
OUT static struct pair make_pair(long a, long b) { struct pair p = {a, b}; noise++; return p; }
OUT static struct large make_large(long x) { struct large l; memset(&l, 0, sizeof l); l.value = x; return l; }
OUT static void copy(void *to, const void *from, size_t n) { memcpy(to, from, n); }
OUT static long greater(long a, long b) { return a > b ? a : b; }
OUT static long last_of(int n, ...)
{
    va_list list;
    long x = 0;
    va_start(list, n);
    for (int i = 0; i < n; i++)
        x = va_arg(list, long);
    va_end(list);
    return x;
}
OUT static long work(long n) { long s = noise; for (long i = 0; i < n; i++) s = s * 3 + i; return s; }
OUT static long over_loop(long x) { for (int i = 0; i < 50; i++) noise += work(300); return x; }
OUT static long over_jump(long x)
{
    jmp_buf where;
    volatile long kept = x;
    if (setjmp(where) == 0)
        longjmp(where, 1);
    return kept;
}
OUT static long many(long a, long b, long c, long d, long e, long f, long g) { noise += a + b + c + d + e + f; return g; }
static int compare(const void *a, const void *b) { long x = *(const long *)a, y = *(const long *)b; return (x > y) - (x < y); }
static void *in_thread(void *x) { noise++; return x; }
OUT static void stop(void) { noise++; }

int main(int argc, char **argv)
{
    int fd = open(argv[1], O_RDONLY);
    char *heap = malloc(100);
    long *sorted = malloc(8 * 16), cell = 0, other = 5;
    struct large one, two;
    pthread_t thread;
    void *answer;
    (void)argc;
    if (read(fd, input, 800) != 800 || read(fd, input + 100, sizeof input - 800) < 1)
        return 1;
    memcpy(small, input + 200, sizeof small);
    through_calls = deep(input[1], 5);
    through_pair = make_pair(7, input[2]).second;
    copy(&one, &(struct large){.value = input[3]}, sizeof one);
    through_small_copy = one.value;
    long *far = malloc(4096 * 3), *further = malloc(4096 * 3);
    memcpy(far, input + 100, 4000);
    copy(further, far, 4096 * 3);
    through_large_copy = further[4];
    memcpy(heap, &input[5], 8);
    memmove(heap + 3, heap, 20);
    memcpy(&through_move, heap + 3, 8);
    for (int i = 0; i < 16; i++)
        sorted[i] = input[300 + i];
    qsort(sorted, 16, 8, compare);
    through_sort = sorted[15];
    __atomic_exchange_n(&cell, input[6], __ATOMIC_SEQ_CST);
    through_exchange = __atomic_exchange_n(&cell, 0, __ATOMIC_SEQ_CST);
    cell = input[7];
    __atomic_compare_exchange_n(&cell, &other, 9, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    through_compare = other;
    cell = input[8];
    through_add = __atomic_fetch_add(&cell, 3, __ATOMIC_SEQ_CST);
    through_choice = greater(input[9], -5);
    through_varargs = last_of(3, 1L, 2L, input[10]);
    through_loop = over_loop(input[11]);
    through_jump = over_jump(input[12]);
    pthread_create(&thread, NULL, in_thread, (void *)input[13]);
    pthread_join(thread, &answer);
    through_thread = (long)answer;
    long *grown = malloc(64);
    grown[2] = input[14];
    grown = realloc(grown, 1 << 20);
    through_heap = grown[2];
    through_push = many(1, 2, 3, 4, 5, 6, input[15]);
    two = make_large(input[16]);
    through_stack_of_calls = two.value;
    four v = {small[0], small[1], small[2], small[3]};
    v = __builtin_shuffle(v, (four){3, 2, 1, 0});
    through_vector = v[1];
    long lanes[4] = {input[20], input[21], input[22], input[23]};
    copy(far, lanes, sizeof lanes);
    through_lanes = far[3];
    through_shorts = (unsigned short)small[5];
    through_bytes = ((unsigned char *)small)[24];
    double real[2];
    memcpy(real, input + 30, 16);
    through_double = pass_double(real[1]);
    float parts[4];
    memcpy(parts, input + 34, 16);
    through_float = pass_float(parts[2]);
    memcpy(&through_wide, input + 40, 16);
    stop();
    return (int)noise & 1;
}
"""

WORDS = 600
# name: the byte of the file, and how many bytes
EXPECTED = {
    "through_calls": (8, 8), "through_pair": (16, 8), "through_small_copy": (24, 8), "through_large_copy": (832, 8), "through_move": (40, 8), "through_sort": None,
    "through_exchange": (48, 8), "through_compare": (56, 8), "through_add": (64, 8), "through_choice": (72, 8), "through_varargs": (80, 8), "through_loop": (88, 8),
    "through_jump": (96, 8), "through_thread": (104, 8), "through_heap": (112, 8), "through_push": (120, 8), "through_stack_of_calls": (128, 8),
    "through_vector": (1608, 4), "through_lanes": (184, 8), "through_shorts": (1620, 2), "through_bytes": (1624, 1), "through_double": (248, 8), "through_float": (280, 4),
    "through_wide": (320, 16),
}


def file_bytes():
    """Each word is a positive number, and a real of both sizes; no two are the same."""
    words = [struct.pack("<II", 0x3F000000 + 8191 * i % 65536 * 16 + i, 0x3FE00000 + 977 * i) for i in range(WORDS)]
    assert len(set(words)) == WORDS
    return b"".join(words)


def expected_of(name, data):
    if EXPECTED[name]:
        at, n = EXPECTED[name]
    else:
        at, n = max(range(2400, 2400 + 16 * 8, 8), key=lambda i: struct.unpack_from("<q", data, i)[0]), 8
    return at, int.from_bytes(data[at:at + n], "little")


LEVELS = ["-O0", "-O1", "-O2", "-O3", "-O3 -mavx2"] if os.environ.get("EBB_LONG_TESTS") == "1" else ["-O0", "-O2", "-O3 -mavx2"]


@pytest.fixture(scope="module", params=LEVELS)
def program(compile_c, request):
    return compile_c(PROGRAM, flags=("-g", *request.param.split()), name="ways")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("origin") / "words"
    path.write_bytes(file_bytes())
    return path


def datum_of(words):
    """What a link copies from, as (kind, where, offset, number of bytes or None)."""
    memory = re.search(r"(?:loaded|stored) from (\d+) bytes? at (0x[0-9a-f]+)", words)
    if memory:
        return f"{{unsigned char[{memory[1]}]}} {memory[2]}", 0
    register = re.search(r"(?:loaded|stored|copied) from \$(\w+)(?:, from byte (\d+) on)?", words)
    if not register:
        return None
    name, offset = register[1], int(register[2] or 0)
    return (f"${name}.v{16 if name[0] == 'x' else 32}_int8" if "mm" in name else f"${name}"), offset


def number(text, offset, nbytes):
    """The bytes of what was printed with /x."""
    if "{" not in text:
        value = int(text, 16)
    else:
        parts = []
        for part, times in re.findall(r"(0x[0-9a-f]+)(?: <repeats (\d+) times>)?", text):
            parts += [int(part, 16)] * int(times or 1)
        value = int.from_bytes(bytes(parts), "little")
    return value >> 8 * offset & (1 << 8 * nbytes) - 1


def moves_of(name, links):
    """(link, what it copies from, what it copies to)"""
    skipped = re.match(r"of its bytes, (?:number )?(\d+)", links[0]["what"])
    moves, to = [], (f"{{unsigned char[16]}} &{name}", int(skipped[1]) if skipped else 0)
    for link, older in zip(links, links[1:]):
        source = datum_of(link["what"])
        narrowest = min(link["bytes"], older["bytes"]) # what is copied may be followed by zeros
        moves.append((link, (*source, narrowest), to))
        to = source
    return moves


def step_over(link):
    """A repeated string instruction has a moment for each repetition."""
    size = re.search(r"\(rep movs([bwlq])", link["what"])
    return ["stepi"] * (max(1, link["bytes"] // {"b": 1, "w": 2, "l": 4, "q": 8}[size[1]]) if size else 1)


def good_answer(session, command):
    said = session.ask(command)
    assert said and said["kind"] != "error", (command, said)
    return said


def watch_move(session, link, source, target):
    """What the source was before the instruction of the link, and the target after it."""
    good_answer(session, f"goto #{link['number']}")
    before = good_answer(session, f"print/x {source[0]}")["value"]
    for command in step_over(link):
        good_answer(session, command)
    return before, good_answer(session, f"print/x {target[0]}")["value"]


@pytest.fixture(scope="module")
def followed(program, file):
    """name: its chain, and its moves with what was seen at each.  All of it is asked at one stop of one session: a chain takes a second."""
    session = Searching(["--no-init", program, file], {**os.environ, "NO_COLOR": "1"})
    for command in ("set print repeats 100", "break stop", "run"):
        good_answer(session, command)
    told = {}
    for name in EXPECTED:
        links = good_answer(session, f"origin {name}")["links"]
        told[name] = links, [(*move, watch_move(session, *move)) for move in moves_of(name, links)]
        good_answer(session, "goto end")
    session.kill()
    return told


@pytest.mark.parametrize("name", EXPECTED)
def test_the_chain_ends_at_the_byte_of_the_file(name, followed, file):
    data = file.read_bytes()
    links, _ = followed[name]
    last, at = links[-1], expected_of(name, data)[0]
    if last["bytes"] == 8 and name == "through_wide": # written in two halves, of which the last one is followed
        at += 8 if "bytes, 8 to 15" in links[0]["what"] else 0
    assert last["kind"] == "input", links
    assert f"of {file}, from byte {at} of the file on" in last["what"], links
    value = int.from_bytes(data[at:at + last["bytes"]], "little")
    assert all(int(link["value"], 16) == value for link in links), links


def test_every_link_does_what_it_says(followed):
    moves = [move for _, moves in followed.values() for move in moves]
    assert len(moves) > 2 * len(EXPECTED)
    for link, source, target, (before, after) in moves:
        value = int(link["value"], 16)
        assert number(before, source[1], source[2]) == value & (1 << 8 * source[2]) - 1, (link, before)
        assert number(after, target[1], link["bytes"]) == value, (link, after)
