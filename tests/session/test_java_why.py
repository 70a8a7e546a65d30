"""why: the branches behind a value, behind a line that was not reached, and behind what was printed.

The oracle is the program's text: comments name the lines that decide."""
import json
import subprocess

import pytest

from conftest import EBB
from java_source import compile_java

REASONS = """
import java.util.*;

public class Reasons {
    static int level;
    static String label;

    static int grade(int points, boolean bonus) {
        int result = 0;
        if (points > 50) {                              // over fifty
            for (int i = 0; i < 3; i++) {               // loop
                if (i == 1 && bonus)                    // bonus
                    result = 10 + i;                    // with bonus
            }
        } else {
            result = 5;                                 // low
        }
        switch (points % 3) {                           // switch
        case 0: label = "zero"; break;                  // zero
        case 1: label = "one"; break;                   // one
        default: label = "more";                        // more
        }
        while (points > 100) {                          // while
            points -= 7;
            level++;                                    // in while
        }
        return result;                                  // end
    }

    static String parse(String text) {
        try {
            int n = Integer.parseInt(text);             // parses
            return "number " + n;                       // good
        } catch (NumberFormatException e) {
            return "none";                              // bad
        }
    }

    static int deep(int[] data, int n) {
        if (data == null)                               // null check
            return -1;                                  // null result
        if (n >= data.length)                           // length check
            throw new IllegalArgumentException("n");    // thrown
        int x = data[n];                                // reads
        if (x < 0)                                      // sign check
            x = -x;                                     // negates
        return x;                                       // last of deep
    }

    static void report(String name, int value) {
        String text = name + " = " + value;             // puts together
        System.out.println(text);                       // prints
    }

    static void format(String name, String mark) {
        System.out.printf("<%s %s>%n", name, mark);     // formats
    }

    static void never() {
        level = 99;                                     // of never
    }

    static void stop() { }

    public static void main(String[] args) {
        int first = grade(60, true);                    // first
        String firstLabel = label;
        int second = grade(20, true);                   // second
        String secondLabel = label;
        String parsed = parse("12x");                   // parsed
        int[] data = {3, -4};
        int found = deep(data, 1);                      // found
        for (String name : List.of("ann", "bob"))       // names
            if (name.length() == 3 && !name.equals("ann"))  // not ann
                report(name, found * 10);               // reports
        format("eve", parsed);                          // gives eve
        stop();
        try {
            deep(data, 7);
        } catch (IllegalArgumentException e) {
            stop();
        }
    }
}
"""


def line_of(text):
    return next(i for i, line in enumerate(REASONS.split("\n"), 1) if line.rstrip().endswith("// " + text))


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp("reasons"), "Reasons", REASONS)


@pytest.fixture(scope="module")
def recording(program):
    file = program / "reasons.rec"
    subprocess.run([EBB, "record", "-o", file, "--", "java", "-cp", program, "Reasons"], capture_output=True, timeout=100, stdin=subprocess.DEVNULL)
    return file


def ask(words, commands):
    words = [*words[:1], "--batch", "--json", *[w for c in commands for w in ("-e", c)], *words[1:]]
    done = subprocess.run([EBB, *map(str, words)], capture_output=True, text=True, timeout=500, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, (done.stdout[-2000:], done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


VALUES = ["first", "firstLabel", "second", "secondLabel", "parsed", "found"]
NOT_REACHED = ["with bonus", "low", "zero", "one", "in while", "good", "bad", "null result", "thrown", "negates", "of never", "end"]
PRINTED = ["bob = 40", "bob", "<eve"]


@pytest.fixture(scope="module")
def answers(recording):
    """What is told at the first stop of the program, by question."""
    questions = [f"why {v}" for v in VALUES] + [f"why not {line_of(t)}" for t in NOT_REACHED if t != "of never"] + [f"why -- {p}" for p in PRINTED]
    told = ask(["replay", recording], ["break Reasons.stop", "continue", "up", "when -i", *questions, "when -i", "frame"])
    positions = [one["position"] for one in told if one.get("command", "").startswith("when")]
    assert positions[0] == positions[1]
    links = [one["links"] for one in told if "links" in one]
    assert len(links) == len(questions)
    return dict(zip(questions, links))


def branches(links):
    return [link["line"] for link in links if link["kind"] == "branch"]


def test_the_branch_of_a_value(answers):
    """11 was written since `bonus` was true; what the branch asked about was the parameter of the call."""
    links = answers["why first"]
    assert line_of("bonus") in branches(links)
    branch = next(i for i, link in enumerate(links) if link["kind"] == "branch" and link["line"] == line_of("bonus"))
    assert links[branch]["value"] == "1" and links[branch]["depth"] == 1
    assert links[branch + 1]["depth"] == 2 and links[branch + 1]["kind"] == "parameter" and links[branch + 1]["line"] == line_of("first")


def test_what_was_computed_is_told(answers):
    """found * 10 is no part of this: `found` is -x, of what was read from the array."""
    links = answers["why found"]
    at = next(i for i, link in enumerate(links) if link["kind"] == "operation" and not link.get("depth"))
    assert links[at]["line"] == line_of("negates")
    assert links[at + 1]["depth"] == 1 and links[at + 1]["value"] == "-4"
    assert line_of("sign check") in branches(links)


def test_an_else_branch(answers):
    assert branches(answers["why second"])[0] == line_of("over fifty")


def test_a_switch(answers):
    for name in ("firstLabel", "secondLabel"):
        assert line_of("switch") in branches(answers[f"why {name}"])
    assert [link["value"] for link in answers["why firstLabel"] if link["kind"] == "branch"][0] == "0"


def test_an_exception_that_was_caught(answers):
    links = [link for link in answers["why parsed"] if link["kind"] == "branch"]
    assert links[0]["line"] == line_of("parses") + 2 and "NumberFormatException" in links[0]["value"]


@pytest.mark.parametrize("line, decider", [
    ("with bonus", "over fifty"),
    ("zero", "switch"),
    ("one", "switch"),
    ("in while", "while"),
    ("null result", "null check"),
    ("thrown", "length check"),
])
def test_what_kept_a_line_from_being_reached(answers, line, decider):
    """In the last call: grade(20, true), whose label is "more", and deep(data, 1)."""
    links = answers[f"why not {line_of(line)}"]
    assert links[0]["kind"] == "branch" and links[0]["line"] == line_of(decider), links


@pytest.mark.parametrize("line", ["low", "bad", "negates", "end"])
def test_a_line_that_was_reached(answers, line):
    links = answers[f"why not {line_of(line)}"]
    assert [link["kind"] for link in links] == ["end"] and "was reached" in links[0]["what"]
    assert links[0]["line"] == line_of(line)


def test_a_line_that_an_exception_kept(answers):
    """The line after the call that threw: no branch decides about it."""
    links = answers[f"why not {line_of('good')}"]
    assert links[-1]["kind"] == "end" and "exception" in links[-1]["what"]


def test_what_was_formatted(answers):
    """printf has its arguments in an array, which the call makes: they are told one by one."""
    links = answers["why -- <eve"]
    assert links[0]["kind"] == "output" and links[0]["line"] == line_of("formats")
    passed = [(link["value"], link["line"]) for link in links if link.get("depth") == 2 and link["kind"] == "parameter"]
    assert passed[0] == ('"eve"', line_of("gives eve")) and passed[1][1] == line_of("gives eve")


def test_what_was_printed(answers):
    links = answers["why -- bob = 40"]
    assert links[0]["kind"] == "output" and links[0]["line"] == line_of("prints")
    assert [(link["line"], link["value"]) for link in links if link["kind"] == "operation"][0] == (line_of("puts together"), '"bob = 40"')
    pieces = {link["value"] for link in links if link.get("depth") == 2 and link["kind"] == "parameter"}
    assert {'"bob"', "40"} <= pieces
    assert line_of("not ann") in branches(links)


def test_live_it_is_the_same(program, recording):
    questions = ["why found", f"why not {line_of('thrown')}", "why -- bob"]
    begin = ["break Reasons.stop"]
    live = ask(["run", "--", "java", "-cp", program, "Reasons"], [*begin, "run", "up", *questions])
    past = ask(["replay", recording], [*begin, "continue", "up", *questions])
    assert [one["links"] for one in live if "links" in one] == [one["links"] for one in past if "links" in one]


def test_after_the_end(recording):
    told = ask(["replay", recording], ["continue", "why -- bob", f"why not Reasons.java:{line_of('negates')}", "info history"])
    printed, kept = [one["links"] for one in told if "links" in one]
    assert printed[0]["line"] == line_of("prints")
    assert kept[0]["line"] == line_of("length check")  # the last call is deep(data, 7), which threw
    assert told[-1]["now"] == told[-1]["newest"]


def test_links_can_be_gone_to(recording):
    told = ask(["replay", recording], ["break Reasons.stop", "continue", "up", "why first", "goto #2", "frame", "as-of #3 points"])
    links = next(one["links"] for one in told if "links" in one)
    assert [link["number"] for link in links] == list(range(1, len(links) + 1))
    assert next(one for one in told if one.get("command") == "frame")["frame"]["line"] == links[1]["line"]


@pytest.mark.parametrize("asked, says", [
    ("why", "of what"),
    ("why nobody", "nobody"),
    ("why not", "which line"),
    ("why not 9999", "9999"),
    ("why --", "why -- OUTPUT"),
    ("why -- nobody printed this", "was not printed"),
])
def test_a_bad_question_gets_one_line(ebb, recording, asked, says):
    done = ebb(["replay", "--batch", "-e", "break Reasons.stop", "-e", "continue", "-e", "up", "-e", asked, recording], timeout=100)
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert says in last, done.stderr


def test_a_method_that_was_not_called(ebb, recording):
    done = ebb(["replay", "--batch", "-e", "break Reasons.stop", "-e", "continue", "-e", f"why not {line_of('of never')}", recording], timeout=100)
    assert done.returncode == 1 and "Reasons.never was not called" in done.stderr
