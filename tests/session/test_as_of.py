"""as-of POSITION EXPR: what an expression was at another moment, without going there; and `goto #N`, to a link of the last answer.

The oracle is `print` at that moment, when the program was there."""
import json
import subprocess

import pytest

from java_source import compile_java

JAVA = """
public class Squares {
    static int square;
    int[] all = new int[6];
    static void mark(int i, String name) { }
    public static void main(String[] args) {
        Squares s = new Squares();
        for (int i = 1; i <= 5; i++) {
            square = i * i;
            s.all[i] = square;
            mark(i, "round " + i);
        }
        String none = null;
        System.out.println(none.length());
    }
}
"""

NATIVE = r"""
#include <stdio.h>
int square, all[6];
__attribute__((noinline)) void mark(int i, const char *name) { square += 0 * i; }
int main(void)
{
    char name[20];
    for (int i = 1; i <= 5; i++) {
        square = i * i;
        all[i] = square;
        snprintf(name, sizeof name, "round %d", i);
        mark(i, name);
    }
    return 0;
}
"""

ASKED = {"java": ["i", "name", "Squares.square", "i + Squares.square"], "native": ["i", "square", "all", "i + square", "all[i]"]}


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("as_of")
    compile_java(folder, "Squares", JAVA)
    (folder / "squares.c").write_text(NATIVE)
    subprocess.run(["cc", "-g", "-O0", "-o", folder / "squares", folder / "squares.c"], check=True)
    return {"java": (["java", "-cp", folder, "Squares"], "Squares.mark"), "native": ([folder / "squares"], "mark")}


def answers(ebb, options, commands, program):
    words = [word for command in commands for word in ("-e", command)]
    done = ebb([*options, "--batch", "--json", *words, *(["--", *program] if program else [])], timeout=200)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def of(told, command):
    return [one for one in told if one.get("command", "").startswith(command)]


def without_tid(one):
    return {key: value for key, value in one.items() if key != "tid"}


@pytest.mark.parametrize("language", ["java", "native"])
def test_it_is_what_print_said_then(ebb, programs, language):
    program, mark = programs[language]
    asked = ASKED[language]
    then = [text for n in range(4) for text in ("when -i", *[f"print {e}" for e in asked], "continue")]
    told = answers(ebb, ["run"], [f"break {mark}", "run", *then], program)
    positions = [one["position"] for one in of(told, "when")]
    printed = [one["value"] for one in of(told, "print")]
    assert len(set(printed)) > 4
    later = [f"as-of {at} {e}" for at in positions for e in asked]
    told = answers(ebb, ["run"], [f"break {mark}", "run", "continue", "continue", "continue", "continue", "bookmark here", "when -i",
                                  *later, "as-of here " + asked[0], "when -i"], program)
    seen = [one["value"] for one in of(told, "as-of")]
    assert seen[:-1] == printed
    assert seen[-1] == "5"
    assert of(told, "when")[0]["position"] == of(told, "when")[1]["position"]


@pytest.mark.parametrize("language", ["java", "native"])
def test_the_stop_is_the_same_afterwards(ebb, programs, language):
    """The selected frame, what `print` and `list` say, and what goes on from there; live, and in the past."""
    program, mark = programs[language]
    look = ["frame", "print i", "info args", "backtrace", "list", "when -i"]
    begin = [f"break {mark}", "run", "continue", "up", "frame"]
    plain = answers(ebb, ["run"], [*begin, "list", *look, "continue", "print i", "reverse-continue", "print i"], program)
    asked = answers(ebb, ["run"], [*begin, "list", "as-of start 1", *look, "continue", "print i", "reverse-continue", "as-of end 1", "as-of start 2", "print i"], program)
    shown = [one for one in asked if not one.get("command", "").startswith("as-of")]
    assert [without_tid(one) for one in shown] == [without_tid(one) for one in plain]


def test_at_an_exception_both_can_be_asked_again(ebb, programs):
    program, _ = programs["java"]
    told = answers(ebb, ["run"], ["catch throw NullPointerException", "run", "origin", "as-of #1 args.length", "origin", "goto #1", "when -i"], program)
    first, second = [one["links"] for one in told if "links" in one]
    assert first == second and first[0]["number"] == 1
    assert of(told, "when")[0]["position"] == first[0]["position"]


@pytest.mark.parametrize("asked, says", [
    ("as-of", "POSITION EXPR"),
    ("as-of 1", "POSITION EXPR"),
    ("as-of nowhere 1", "no bookmark"),
    ("as-of 999999999999 1", "history ends"),
    ("as-of #3 1", "ask origin"),
    ("goto #3", "ask origin"),
    ("as-of start nobody", "nobody"),
])
def test_a_bad_question_gets_one_line(ebb, programs, asked, says):
    program, mark = programs["java"]
    done = ebb(["run", "--batch", "-e", f"break {mark}", "-e", "run", "-e", asked, "--", *program], timeout=100)
    assert done.returncode == 1
    assert says in done.stderr.strip().splitlines()[-1], done.stderr
