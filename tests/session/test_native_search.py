"""Questions about the past of a native program: translated code notes the hits, so loops of millions of turns are no matter."""
import re
import subprocess

import pytest

PROGRAM = r"""
#include <stdio.h>
static int x, y, alternating;

static int depth(int n)
{
    int own = n * 2;
    if (n > 0)
        own += depth(n - 1);
    own++; /* after the call */
    return own;
}

int main(void)
{
    int z = 0, k = 5;
    y = 1;
    while (z < 2000000) z++;
    y = 2; /* after the loop */
    for (int i = 0; i < 300000; i++)
        x = i ^ 1;
    for (int i = 0; i < 200000; i++) {
        alternating = i;
        y++;
    }
    k = 7;
    k = depth(6);
    printf("%d %d %d %d\n", x, y, z, k); /* the end */
    return 0;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("search")
    (folder / "search.c").write_text(PROGRAM)
    subprocess.run(["cc", "-g", "-O0", "-o", folder / "search", folder / "search.c"], check=True)
    return folder / "search"


def line_of(text):
    return next(i for i, line in enumerate(PROGRAM.split("\n"), 1) if text in line)


def debug(ebb, program, *commands):
    words = [word for command in ("set record-native on", *commands) for word in ("-e", command)]
    done = ebb(["run", "--batch", *words, str(program)], timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout


def lines_shown(out):
    return [int(n) for n in re.findall(r"@search\.c:(\d+)$", out, re.M)]


def test_a_loop_on_one_line_is_one_step(ebb, program):
    out = debug(ebb, program, f"break {line_of('after the loop')}", "run", "reverse-next", "reverse-next", "reverse-next")
    end = line_of("after the loop")
    assert lines_shown(out) == [end, end - 1, end - 2, end - 3]


def test_steps_stay_in_their_frame(ebb, program):
    after = line_of("after the call")
    out = debug(ebb, program, f"break {after} if n == 6", "run", "reverse-next", "reverse-next", "reverse-next", "print n", "reverse-next")
    assert lines_shown(out) == [after, after - 1, after - 2, after - 3, line_of("k = depth(6);")]
    assert "$1 = 6" in out


def test_last_write_long_after(ebb, program):
    out = debug(ebb, program, f"break {line_of('the end')}", "run", "last-write x", "print x", "info locals")
    assert "New value = 299998" in out and f"search.c:{line_of('x = i ^ 1')}" in out


def test_values_of_a_million_writes_or_nearly(ebb, program):
    out = debug(ebb, program, f"break {line_of('the end')}", "run", "values x")
    values = [int(line.split("\t")[1]) for line in out.splitlines() if re.match(r"\d+@search\.c:\d+\t", line)]
    assert values == [i ^ 1 for i in range(300000)]


def test_a_local_variable_has_the_values_of_its_own_frame(ebb, program):
    after = line_of("after the call")
    out = debug(ebb, program, f"break {after} if n == 4", f"break {line_of('the end')}", "run", "values own", "continue", "values k")
    values = [line.split("\t")[1] for line in out.splitlines() if re.match(r"\d+@\S+\t", line)]
    assert values[:2] == ["8", str(sum(2 * i + 1 for i in range(4)) + 8)]
    assert values[2:] == ["5", "7", str(sum(2 * i + 1 for i in range(7)))]


WRITERS = r"""
#include <stdio.h>
struct pair { long left, right; };
static struct pair both;
static long *volatile alias = &both.left;

static void through(long *where)
{
    *where -= 5; /* writes 96 */
}

int main(void)
{
    struct pair other = {7, 8};
    both.left = 100; /* writes 100 */
    both.left++; /* writes 101 */
    through(alias);
    both = other; /* writes 7 */
    for (int i = 1; i < 3; i++) both.left <<= i; /* writes 14 56 */
    *alias = both.right; /* writes 8 */
    printf("%ld\n", both.left); /* the end */
    return 0;
}
"""


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2"])
def test_values_are_told_with_the_lines_that_wrote_them(ebb, tmp_path, level):
    (tmp_path / "writers.c").write_text(WRITERS)
    subprocess.run(["cc", "-g", level, "-fno-inline", "-o", tmp_path / "writers", tmp_path / "writers.c"], check=True)
    lines = WRITERS.split("\n")
    end = next(i for i, line in enumerate(lines, 1) if "the end" in line)
    out = debug(ebb, tmp_path / "writers", f"break {end}", "run", "values both.left")
    told = re.findall(r"^(\d+@writers\.c:(\d+))\t(\d+)$", out, re.M)
    assert told and told[-1][2] == "8"
    for _, line, value in told:
        assert re.search(rf"writes .*\b{value}\b", lines[int(line) - 1]), (line, value, out)
    before = [value for _, _, value in told[:-1]]
    back = debug(ebb, tmp_path / "writers", f"break {end}", "run", *(f"as-of {position} both.left" for position, _, _ in told[1:]))
    assert re.findall(r"^(\d+)$", back, re.M) == before, back


AGAIN = r"""
#include <string.h>
struct lamp { int lit, colour; char name[16]; };
static struct lamp lamp;
static void reset(struct lamp *l) { l->lit = 0; } /* writes lit */
static void rename_it(struct lamp *l, const char *name) { memcpy(l->name, name, sizeof l->name); }
int main(void)
{
    static const char name[16] = "";
    int expected = 7;
    lamp.colour = 3;
    lamp.colour += 0; /* writes colour */
    reset(&lamp);
    __atomic_compare_exchange_n(&lamp.lit, &expected, 5, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); /* fails */
    rename_it(&lamp, name);
    return lamp.lit; /* the end */
}
"""


@pytest.mark.parametrize("place, mark", [("lamp.lit", "writes lit"), ("lamp.colour", "writes colour"), ("lamp.name", "memcpy(")])
def test_a_write_of_the_same_value_is_the_last_write(ebb, tmp_path, place, mark):
    (tmp_path / "again.c").write_text(AGAIN)
    subprocess.run(["cc", "-g", "-O0", "-o", tmp_path / "again", tmp_path / "again.c"], check=True)
    line = {text: next(i for i, l in enumerate(AGAIN.split("\n"), 1) if text in l) for text in (mark, "the end")}
    out = debug(ebb, tmp_path / "again", f"break {line['the end']}", "run", f"last-write {place}").split("Last write to ")[1]
    assert out.startswith(place) and "Old value" not in out and f"again.c:{line[mark]}" in out, out


def test_a_breakpoint_hit_many_times_going_back(ebb, program):
    body = line_of("alternating = i;")
    out = debug(ebb, program, f"break {line_of('the end')}", "run", f"break {body} if i == 5", "reverse-continue", "print i", "print alternating")
    assert "$1 = 5" in out and "$2 = 4" in out
