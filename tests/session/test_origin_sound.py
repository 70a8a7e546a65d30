"""origin is sound: in programs of the conformance suite, at random stops, what it tells is compared with a replay that watches (`last-write`).

Of a static field or an element, the first link is the write that `last-write` finds or, later than that, one of the value that was there already.  A local variable that
was a parameter was not passed later than it was last written; other ways to its value may be later, as of `n += 0`.  Every link of the chain is gone to and its instruction executed: the value lies on the
operand stack before or after it (origin_chain.py).  Links go back in time only.
EBB_TEST_SEED chooses other stops, EBB_LONG_TESTS=1 asks in all programs, at more stops."""
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

import origin_chain
from conftest import EBB

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'jvm' / 'conformance'))
import conformance as suite     # noqa: E402

LONG = os.environ.get("EBB_LONG_TESTS") == "1"
SEED = int(os.environ.get("EBB_TEST_SEED", "1"))
SHORT = ["programs.Trie", "programs.Calculator"]
NAMES = sorted(case.name for case in suite.cases() if case.area == "programs") if LONG else SHORT
STOPS = 12 if LONG else 3
MOST_ASKED = 6
MOST_LINKS = 40


def ask(file, commands):
    """The answers, one a command; an error is one, too."""
    done = subprocess.run([EBB, "replay", "--json", str(file)], input="".join(c + "\n" for c in commands), capture_output=True, text=True, timeout=900)
    told = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    told = [one for one in told if one["kind"] != "notice" and not one.get("command", "").startswith("replay")]
    assert [one["command"] for one in told] == commands, (told[-2:], done.stderr)
    return told


def moment(position):
    return int(position.split("@")[0])


def span(file, name):
    """When main begins, and when the recording ends."""
    told = ask(file, [f"break {name}.main", "continue", "when -i", "goto end", "when -i"])
    return moment(told[2]["position"]), moment(told[4]["position"])


def own_frame(frames, source):
    return next((frame["level"] for frame in frames if frame.get("file", "").split("/")[-1] == source.name), None)


def expressions(told, text):
    found = []
    for one in told:
        for variable in [v for key in ("locals", "args", "arguments", "variables") for v in one.get(key, [])]:
            found.append(variable["name"])
            if re.match(r"[\w.]+\[[1-9]", variable.get("value", "")):
                found.append(variable["name"] + "[0]")
    return found + re.findall(r"^\s+(?:private |public |final )*static (?:private |final )*[\w<>\[\], ]+? (\w+)(?: =|;)", text, re.MULTILINE)


def questions(begin, expression, n_links):
    """The links are asked for before: how many there are to go to is known then."""
    return [f"print {expression}", f"origin {expression}", *origin_chain.questions(n_links), *begin, f"last-write {expression}", "when -i", *begin]


def check_write(expression, first, last):
    """Against the last write that changed the value."""
    time = moment(first["position"])
    if first["kind"] in ("field-write", "array-write"):
        assert time > moment(last) or first["position"] == last, (expression, first, last)
    elif "[" not in expression and first["kind"] == "parameter":
        assert time <= moment(last) + 1, (expression, first, last)


def check_answers(expression, told):
    """How much of it was checked."""
    value, answer, links = told[0], told[1], told[1].get("links", [])[:MOST_LINKS]
    if value["kind"] == "error" or answer["kind"] == "error":
        return 0
    assert links, answer
    checked = origin_chain.check(links, told[2:])
    written, at = told[-4], told[-3]
    if written["kind"] == "error":
        return checked
    check_write(expression, links[0], at["position"])
    return checked + 1


def check_stop(file, time, source, choose):
    level = own_frame(ask(file, [f"goto {time}", "backtrace 60"])[1].get("frames", []), source)
    if level is None:
        return 0
    begin = [f"goto {time}", f"frame {level}"]
    found = expressions(ask(file, [*begin, "info locals", "info args"])[2:], source.read_text())
    chosen = choose.sample(found, min(MOST_ASKED, len(found)))
    counts = [min(len(one.get("links", [])), MOST_LINKS) for one in ask(file, [*begin, *[f"origin {one}" for one in chosen]])[2:]]
    asked = [questions(begin, expression, n) for expression, n in zip(chosen, counts)]
    told, checked = ask(file, [*begin, *[c for one in asked for c in one]])[2:], 0
    for expression, one in zip(chosen, asked):
        checked += check_answers(expression, told[:len(one)])
        told = told[len(one):]
    return checked


@pytest.mark.parametrize("name", NAMES)
def test_links_are_sound(tmp_path, name):
    suite.compile_suite()
    case = next(case for case in suite.cases() if case.name == name)
    file, source = tmp_path / "run.rec", Path(suite.__file__).parent / (name.replace(".", "/") + ".java")
    subprocess.run([EBB, "record", "-o", file, "--", *case.command()], input=case.stdin, capture_output=True, text=True, timeout=300)
    begin, end = span(file, name)
    choose = random.Random(f"{SEED} {name}")
    checked = sum(check_stop(file, choose.randrange(begin, end), source, choose) for _ in range(STOPS))
    assert checked >= STOPS
