"""origin: from a value of a native program back to a constant, an operation or the system call that brought it."""
import json
import subprocess

import pytest

PROGRAM = r"""
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct pair { int first, second; };
int a, b, c, sum, deep;
char letter;
struct pair one, two;

__attribute__((noinline)) static int pass(int x) { return x; }
__attribute__((noinline)) static int further(int x) { return pass(x); }

int main(int argc, char **argv)
{
    char buffer[100];
    a = 4711 * argc; /* an operation */
    b = a;
    c = b;
    one.second = 77; /* a constant */
    memcpy(&two, &one, sizeof two);
    int fd = open(argv[1], O_RDONLY);
    if (read(fd, buffer, 10) != 10 || read(fd, buffer, 10) != 10)
        return 1;
    letter = buffer[3]; /* from the file */
    deep = further(two.second);
    sum = a + c;
    printf("%d %d %c %d\n", sum, two.second, letter, deep); /* the end */
    return 0;
}
"""


@pytest.fixture(scope="module", params=["-O0", "-O2"])
def program(tmp_path_factory, request):
    folder = tmp_path_factory.mktemp("origin" + request.param)
    (folder / "origin.c").write_text(PROGRAM)
    (folder / "input").write_text("abcdefghijklmnopqrstuvwxyz")
    subprocess.run(["cc", "-g", request.param, "-o", folder / "origin", folder / "origin.c"], check=True)
    return folder / "origin"


def check_line(program, link, text):
    """An optimiser moves instructions to other lines."""
    if "O0" in program.parent.name:
        assert link["line"] == line_of(text)


def origin_of(ebb, program, expression):
    commands = ["break printf", "run", f"origin {expression}"]
    words = [word for command in commands for word in ("-e", command)]
    done = ebb(["run", "--json", "--batch", *words, str(program), str(program.parent / "input")], timeout=100)
    replies = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    links = next((r["links"] for r in replies if "links" in r), None)
    assert links, done.stdout + done.stderr
    return links


def line_of(text):
    return next(i for i, line in enumerate(PROGRAM.split("\n"), 1) if text in line)


def test_a_copy_of_a_copy_ends_at_the_operation(ebb, program):
    links = origin_of(ebb, program, "c")
    assert links[-1]["kind"] == "operation"
    assert int(links[-1]["value"], 16) == 4711 * 2
    check_line(program, links[-1], "an operation")
    assert all(int(link["value"], 16) == 4711 * 2 for link in links)


def test_through_memcpy_to_a_constant(ebb, program):
    links = origin_of(ebb, program, "two.second")
    assert links[-1]["kind"] == "constant"
    check_line(program, links[-1], "a constant")
    assert int(links[-1]["value"], 16) == 77


def test_through_calls(ebb, program):
    links = origin_of(ebb, program, "deep")
    assert links[-1]["kind"] == "constant"
    check_line(program, links[-1], "a constant")
    assert int(links[-1]["value"], 16) == 77
    assert len(links) > 2


def test_to_the_file_it_was_read_from(ebb, program):
    links = origin_of(ebb, program, "letter")
    assert links[-1]["kind"] == "input"
    assert str(program.parent / "input") in links[-1]["what"]
    assert "from byte 13 of the file" in links[-1]["what"]
    assert int(links[-1]["value"], 16) == ord("n")


def test_every_link_is_a_position_to_go_to(ebb, program):
    links = origin_of(ebb, program, "sum")
    where = links[-1]["position"]
    words = [word for command in ("break printf", "run", f"goto {where}", "when -i") for word in ("-e", command)]
    done = ebb(["run", "--batch", *words, str(program), str(program.parent / "input")], timeout=100)
    assert where in done.stdout, done.stdout + done.stderr


def test_what_nobody_wrote_was_loaded(ebb, program):
    links = origin_of(ebb, program, "one.first")
    assert links[-1]["kind"] == "constant"
    assert "was loaded" in links[-1]["what"]


STARTED = r"""
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

int given = 77;
int number, count;
char of_argument, of_variable;
char *argument;
long page;

int main(int argc, char **argv)
{
    count = argc;
    argument = argv[2];
    of_argument = argv[2][1];
    of_variable = getenv("COLOUR")[0];
    page = getauxval(AT_PAGESZ);
    number = given;
    printf("%d %c %c %s %ld %d\n", count, of_argument, of_variable, argument, page, number);
    return 0;
}
"""


@pytest.mark.parametrize("recorded", [False, True], ids=["live", "recorded"])
def test_what_was_there_when_the_program_began_is_named(ebb, compile_c, tmp_path, recorded):
    """Arguments, the environment, what the kernel tells, and the program's own data."""
    program, path = compile_c(STARTED, name="started"), tmp_path / "recording"
    values = {"count": "number of the program's arguments", "argument": "address of argument 2 of the program", "of_argument": "in argument 2 of the program",
              "of_variable": "in the environment variable COLOUR", "page": "AT_PAGESZ", "number": f"since {program} was loaded"}
    command = [str(program), "first", "second"]
    if recorded:
        ebb(["record", "-o", path, "--", *command], env={"COLOUR": "red"}, timeout=100)
        opens, begins = ["replay", "--batch"], ["continue"]
        command = [str(path)]
    else:
        opens, begins = ["run", "--batch"], ["run"]
    steps = ["break printf", *begins, *[line for name in values for line in (f"echo @{name}\\n", f"origin {name}")]]
    done = ebb([*opens, *[word for step in steps for word in ("-e", step)], *command], env={"COLOUR": "red"}, timeout=100)
    assert done.returncode == 0, done.stderr
    for name, words in values.items():
        chain = done.stdout.split(f"@{name}\n")[1].split("\n@")[0]
        assert words in [line for line in chain.splitlines() if line.startswith("#")][-1], chain
