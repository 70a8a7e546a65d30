"""Conditions of breakpoints, which VM mode evaluates inside the program, hold as often as the session says."""
import re
import time

import pytest

PROGRAM = r"""
    #include <stdlib.h>

    enum colour { RED, GREEN = 5, BLUE };
    struct inner { short s; unsigned bits : 3; };
    struct node { int kind; struct inner inner; long values[4]; struct node *next; };

    static int table[16];
    long total;
    unsigned counter;
    volatile int sink;
    double ratio;
    float single;
    char word[8];
    const char *name = "none";

    __attribute__((noinline)) void look(int i, unsigned u, signed char c, unsigned short h, long l, unsigned long ul,
                                        struct node *p, enum colour colour, char *text)
    {
        long local = l * 3 - i;
        int *at = &table[i & 15];
        sink = (int)(local + *at) + p->kind + text[0] + c + h + (int)u + (int)ul + (int)colour; /* here */
        counter += 3;
    }

    __attribute__((noinline)) void finished(void)
    {
        __asm__ volatile("");
    }

    int main(int argc, char **argv)
    {
        struct node nodes[3] = {{.kind = 1, .inner = {-3, 2}, .values = {1, 2, 3, 4}}, {.kind = -2, .inner = {7, 1}}, {.kind = 3}};
        nodes[0].next = &nodes[1];
        nodes[1].next = &nodes[2];
        int n = argc > 1 ? atoi(argv[1]) : 240;
        for (int i = 0; i < 16; i++)
            table[i] = i * i - 20;
        for (int i = 0; i < n; i++) {
            ratio = i / 7.0 - 11;
            single = (float)i / 3;
            word[0] = "abcd"[i % 4];
            name = i % 5 ? "some long name of a thing" : word;
            nodes[i % 3].values[i & 3] = i * (i % 2 ? -1 : 1);
            look(i, 4000000000u + i, (signed char)i, (unsigned short)(i * 1000), -i, 1ul << (i % 64), &nodes[i % 3],
                 i % 2 ? BLUE : RED, &"text"[i % 4]);
            total += i;
        }
        finished();
        return 0;
    }
"""

CONDITIONS = [
    "i == 100", "i != 3", "i > 77 && i <= 99", "i < 5 || i >= 230", "u > 4000000100", "u == 4000000007u", "c < -100", "c == -1",
    "h > 60000", "h * h < 0", "l < -17", "ul == 1ul << 40", "ul > 1ul << 62", "ul & 8", "(ul >> 3) == 2", "local > 30",
    "local * 2 + 1 == -7", "*at == 29", "table[i & 15] > 100", "table[3] + i == 0", "p->kind == -2", "p->inner.s < 0",
    "p->values[1] > 50", "p->next && p->next->kind == 3", "!p->next", "p == p->next", "colour == BLUE", "colour == GREEN + 1",
    "*text == 'x'", "text[0] == 'e' && text[1] == 'x'", "total > 1000 && total < 1100", "counter == 300", "counter + i > 900u",
    "-i == -200", "~i == -11", "(char) i == 7", "(unsigned char) c > 200", "i - u == 294967296", "c == 'A'", "&table[i & 15] == &table[4]",
    "*(at + 1) == -4", "at[1] - at[0] == 5", "(i & 1) == (h & 1)", "i ^ 255 < 8", "$rsp == 0", "{int} at == 5", "i << 4 == 160",
    "i / 7 == 3", "i % 10 == 3", "l / 4 < -50", "-i / 7 == -3", "-i % 7 == -2", "u / 3 > 1333333360", "u % 1000 == 17", "ul / 3 == 341", "ul % 7 == 4",
    "total / (i + 1) > 100", "i / 2 * 2 == i", "(unsigned char) c / 9 == 3", "i / 1000",
    "ratio > 20", "ratio < 0.5 && ratio > -0.5", "ratio == 0", "ratio != -11", "single >= 70", "single * 3 == i", "single + ratio > 90.25", "-ratio > 10.5", "ratio / 2 < single - 30",
    "ratio", "!ratio", "(int) ratio == 5", "(float) ratio == ratio", "(double) i / 4 == 30.25", "ratio * i > 3000 || single < 1", "i > ratio + 100.5", "(long) single % 9 == 4", "1.5", "0.0",
    "single == 1.0f / 3", "ratio <= single", "l * 0.5 < -100",
    '$_streq(name, "some long name of a thing")', '$_streq("c", word)', '$_streq(name, "none")', '$_streq(word, "a") || i == 7', '!$_streq(name, "b")', '$_streq(text, "xt")', '$_streq(name, "")',
    '$_thread == 1 && i == 50', '$_thread != 1', '1 == $_thread',
    "sink > i", "i < -1u", "c > u", "(long) u > l", "1",
]


@pytest.mark.parametrize("flags", [("-g", "-O0"), ("-g", "-O2"), ("-g", "-O1", "-fomit-frame-pointer")])
def test_hold_as_often_as_the_session_says(ebb, compile_c, flags):
    program = compile_c(PROGRAM, flags=flags)
    line = next(n for n, text in enumerate(PROGRAM.splitlines(), 1) if "/* here */" in text)

    def hits(mode, conditions):
        words = ["run", "--batch", "-e", f"mode {mode}"]
        for number, condition in enumerate(conditions, 1):
            words += ["-e", f"break prog.c:{line} if {condition}", "-e", f"ignore {number} 100000"]
        done = ebb([*words, "-e", "break finished", "-e", "run", "-e", "info breakpoints", program], timeout=120)
        assert done.returncode == 0 and "Error in testing" not in done.stdout, done.stdout + done.stderr
        parts = re.split(r"^\d+ +breakpoint ", done.stdout, flags=re.M)[1:]
        return [int((re.search(r"already hit (\d+) time", part) or [0, 0])[1]) for part in parts[:len(conditions)]]

    natively = hits("native", CONDITIONS)
    assert len(natively) == len(CONDITIONS) and sum(n > 0 for n in natively) > 40
    assert hits("vm", CONDITIONS) == natively
    few = list(zip(CONDITIONS, natively))[::1 if flags[1] == "-O2" else 7]
    for condition, expected in few:
        assert (condition, hits("vm", [condition])) == (condition, [expected])


def test_one_that_fails_stops_and_says_why(ebb, compile_c):
    program = compile_c(PROGRAM)
    outputs = []
    for mode in ("native", "vm"):
        done = ebb(["run", "--batch", "-e", f"mode {mode}", "-e", "break look if p->next->kind == 3", "-e", "run", "-e", "print i",
                    "-e", "info registers rax rcx rdx eflags", "-e", "continue", "-e", "print i", program])
        outputs.append([text for text in done.stdout.splitlines() if "@prog.c" not in text][1:])
    assert outputs[0] == outputs[1]
    assert any("Error in testing condition for breakpoint 1: Cannot access memory at address 0x0" in text for text in outputs[1])


def test_a_division_by_zero_is_said(ebb, compile_c):
    program = compile_c(PROGRAM)
    outputs = []
    for mode in ("native", "vm"):
        done = ebb(["run", "--batch", "-e", f"mode {mode}", "-e", "break look if 100 / (i - 20) > 500", "-e", "run", "-e", "print i", "-e", "print 100 / (i - 20)", program])
        outputs.append([text for text in (done.stdout + done.stderr).splitlines() if "@prog.c" not in text][1:])
    assert outputs[0] == outputs[1]
    assert any("Error in testing condition for breakpoint 1: Division by zero" in text for text in outputs[1]), outputs[1]
    assert "$1 = 20" in outputs[1]


@pytest.mark.parametrize("condition", ["total == -1", "total / 3 == -1", "ratio == 100000.5", '$_streq(name, "nobody")', "i % 7 == 9"])
def test_a_false_one_is_cheap(ebb, compile_c, condition):
    """A million times false; by the session's own evaluation that would take minutes."""
    program = compile_c(PROGRAM)
    began = time.monotonic()
    done = ebb(["run", "--batch", "-e", "mode vm", "-e", f"break look if {condition}", "-e", "run", program, "1000000"], timeout=100)
    assert "exited normally" in done.stdout
    assert time.monotonic() - began < 30


INTERRUPTED = r"""
    #include <signal.h>
    #include <stdio.h>
    #include <sys/time.h>
    volatile int n_signals;
    double ratio = 0.25;
    static void count(int unused) { n_signals++; (void)unused; }
    __attribute__((noipa)) unsigned long work(unsigned long n, unsigned long a, unsigned long b, unsigned long c, unsigned long d, double real)
    {
        unsigned long i;
        for (i = 0; i < n; i++) {
            a = a * 3 + i, b ^= a + 7, c += b, real = real * 0.5 + (double)(c & 7);
            d = d * 5 + c;
        }
        return a ^ b ^ c ^ d ^ (unsigned long)real;
    }
    int main(void)
    {
        struct itimerval often = {{0, 1000}, {0, 1000}};
        unsigned long expected = work(20000, 1, 2, 3, 4, 1.5), wrong = 0;
        signal(SIGALRM, count);
        setitimer(ITIMER_REAL, &often, 0);
        while (n_signals < 100)
            wrong += work(20000, 1, 2, 3, 4, 1.5) != expected;
        printf("%lu wrong\n", wrong);
        return 0;
    }
"""


@pytest.mark.parametrize("condition", ["i == -1 && d * 3 == 7 && c == 2", "a / (i + 1) == -1 && b % 3 == 5 || c % 7 == 9", "ratio * (int) i / 2 + ratio < ratio - 10.5"])
def test_a_thread_that_is_stopped_amid_a_false_one_loses_nothing(ebb, compile_c, condition):
    program = compile_c(INTERRUPTED, flags=("-g", "-O2"))
    line = next(n for n, text in enumerate(open(program.parent / "prog.c").read().splitlines(), 1) if "d = d * 5" in text)
    done = ebb(["run", "--batch", "-e", "mode vm", "-e", "handle SIGALRM nostop noprint pass", "-e", f"break prog.c:{line} if {condition}", "-e", "run", program], timeout=100)
    assert "exited normally" in done.stdout and "\n0 wrong" in done.stdout, done.stdout + done.stderr


def test_a_condition_can_change(ebb, compile_c):
    program = compile_c(PROGRAM)
    done = ebb(["run", "--batch", "-e", "mode vm", "-e", "break look if i == 10", "-e", "run", "-e", "print i", "-e", "condition 1 i == 20",
                "-e", "continue", "-e", "print i", "-e", "condition 1", "-e", "continue", "-e", "print i", program])
    assert re.findall(r"^\$\d = (\d+)$", done.stdout, re.M) == ["10", "20", "21"], done.stdout
