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
        waits = a["kind"] == "parameter" and time(a) > time(r)  # for a class to be initialised
        assert waits or time(a) == time(r)


def test_most_are_answered_from_memory(both):
    """A replay tells the operands of what was computed; aliases don't know them."""
    ends = {name: links[0][-1]["what"] for name, links in both.items()}
    assert ends["counted"] == "computed (imul)"
    assert "of 3 and 1000" in both["counted"][1][-1]["what"]
