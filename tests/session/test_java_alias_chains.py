"""origin at a stop of a program that keeps aliases (`set flow on`): read from memory, without a replay.

The oracle is the other way: a replay of the same program without aliases.  Time is the same in both, so each link is at a moment that the other has, too."""
import json
import subprocess

import pytest

import test_java_moved as moved
from conftest import EBB
from java_source import compile_java


def ask(words, commands):
    done = subprocess.run([EBB, words[0], "--json", *map(str, words[1:])], input="".join(c + "\n" for c in commands), capture_output=True, text=True, timeout=900)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """For each variable: the links by aliases, and those by replay."""
    folder = compile_java(tmp_path_factory.mktemp("aliases"), "Moved", moved.MOVED)
    begin = ["break Moved.stop", "run", "up", "when -i"]
    answers = []
    for options in (["--flow", "on"], []):
        told = ask(["run", *options, "--", "java", "-cp", folder, "Moved"], [*begin, *[f"origin {name}" for name in moved.ALL], "when -i"])
        when = [one["position"] for one in told if one.get("command", "").startswith("when")]
        assert len(when) == 2 and when[0] == when[1]
        answers.append((when[0], [one["links"] for one in told if "links" in one]))
    assert answers[0][0] == answers[1][0]
    return {name: links for name, *links in zip(moved.ALL, answers[0][1], answers[1][1])}


def key(link):
    return link["position"].split("@")[1], link["kind"], link.get("line")


def time(link):
    return int(link["position"].split("@")[0])


@pytest.mark.parametrize("name", moved.ALL)
def test_both_ways_tell_the_same(both, name):
    aliases, replayed = [[link for link in links if link["kind"] != "copy"] for links in both[name]]
    assert [key(link) for link in aliases] == [key(link) for link in replayed]
    for a, r in zip(aliases, replayed):
        waits = a["kind"] in ("parameter", "allocation") and time(a) > time(r)  # for a class to be initialised
        assert waits or time(a) == time(r)


def test_most_are_answered_from_memory(both):
    """A replay tells the operands of what was computed; aliases don't know them."""
    ends = {name: links[0][-1]["what"] for name, links in both.items()}
    assert ends["counted"] == "computed (imul)"
    assert "of 3 and 1000" in both["counted"][1][-1]["what"]


THROWN = """
public class Thrown {
    static void stop() { }
    public static void main(String[] args) {
        Object text = null, thrown = null;
        try {
            text.hashCode();                            // thrown
        } catch (NullPointerException e) {
            thrown = e;
        }
        stop();
    }
}
"""


def test_what_the_machine_threw_was_not_made_by_new(tmp_path):
    folder = compile_java(tmp_path, "Thrown", THROWN)
    for options in (["--flow", "on"], []):
        told = ask(["run", *options, "--", "java", "-cp", folder, "Thrown"], ["break Thrown.stop", "run", "up", "origin thrown"])
        last = told[-1]["links"][-1]
        assert (last["kind"], last["line"]) == ("allocation", 7) and last["what"].startswith("the Java machine made it"), last


def history(words, commands):
    """What `info history` says each time."""
    return [one for one in ask(words, commands) if one.get("command") == "info history"]


def test_info_history_tells_of_aliases(tmp_path):
    """How many, in how much memory, since when; with the switches; and nothing where none are kept."""
    folder = compile_java(tmp_path, "Moved", moved.MOVED)
    program = ["--", "java", "-cp", folder, "Moved"]
    begun, later = history(["run", "--flow", "on", *program], ["break Moved.make", "run", "info history", "break Moved.stop", "continue", "info history"])
    assert begun["flow"] == later["flow"] == "on"
    assert begun["flow_since"] == later["flow_since"] <= begun["now"]
    assert 0 < begun["aliases_made"] < later["aliases_made"]
    assert all(0 < one["aliases"] <= one["aliases_made"] and 0 < one["alias_bytes"] and not one["aliases_cut"] for one in (begun, later))
    off, on = history(["run", *program], ["break Moved.stop", "run", "info history", "set flow writes", "info history"])
    assert "flow" not in off and "aliases" not in off
    assert (on["flow"], on["flow_since"], on["aliases_made"]) == ("writes", on["now"], 0)


def test_a_word_that_names_no_kind_is_said_to_be_none(tmp_path):
    folder = compile_java(tmp_path, "Moved", moved.MOVED)
    commands = "break Moved.stop\nrun\nset flow writes\nset flow-kinds field-write nothing\ninfo history\n"
    done = subprocess.run([EBB, "run", "--", "java", "-cp", folder, "Moved"], input=commands, capture_output=True, text=True, timeout=900)
    told = done.stdout + done.stderr
    assert "(flow writes, flow-kinds field-write nothing)" in told
    assert [line for line in told.splitlines() if '"nothing" is no kind of link' in line and "field-read" in line]


def test_a_run_that_is_not_recorded_tells_what_it_remembers(both, tmp_path):
    """There is no past to replay: what aliases tell is told, and of the rest what would help."""
    folder = compile_java(tmp_path, "Moved", moved.MOVED)
    names = ["popped", "fromConcurrent", "unboxed", "lambda"]
    told = ask(["run", "--no-record", "--flow", "on", "--", "java", "-cp", folder, "Moved"], ["break Moved.stop", "run", "up", *[f"origin {name}" for name in names]])
    answers = dict(zip(names, [one for one in told if one.get("command", "").startswith("origin")]))
    for name in names[:3]:
        assert [key(link) for link in answers[name]["links"]] == [key(link) for link in both[name][0]], name
    assert answers["lambda"]["kind"] == "error" and "without --no-record" in answers["lambda"]["message"]
