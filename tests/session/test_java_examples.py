"""The Java programs in examples/, each from its symptom to its cause by the script beside it, without a restart.

What has to be found is written in the terms of the sources: the line that holds a given text."""
import pathlib
import re
import shutil

import pytest

from java_source import javac

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "java"


@pytest.fixture(scope="module")
def classes(workshop):
    folder = workshop / "examples"
    folder.mkdir()
    sources = sorted(map(str, EXAMPLES.glob("*.java")))
    javac("-g", "-d", str(folder), *sources)
    return folder


@pytest.fixture
def solve(ebb, classes):
    """solve(name) -> what the script of that example says."""

    def run(name, *args):
        done = ebb(["run", "--batch", "-e", f"directory {EXAMPLES}", "-x", str(EXAMPLES / f"{name}.ebb"), "--",
                    shutil.which("java") or "java", "-cp", str(classes), name, *args], timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def line_with(name, text):
    found = [n for n, line in enumerate((EXAMPLES / f"{name}.java").read_text().splitlines(), 1) if text in line]
    assert len(found) == 1
    return f"{name}.java:{found[0]}"


def answers(text):
    return re.findall(r"^\$\d+ = (.*)$", text, re.M)


def after(text, mark):
    """What was said behind the question."""
    assert mark in text
    return text[text.index(mark):]


def test_an_aliased_list(solve):
    found = after(solve("Shelf"), "Last write")
    assert f"at {line_with('Shelf', 'tags.add(tag);')}" in found
    assert answers(found) == ['"Hunger"', "true"]  # another book's tags are the shared list


def test_a_null_stored_long_before(solve):
    text = solve("Staff")
    assert answers(text)[0] == '"Kim"'
    found = after(text, "Last write")
    assert "New value = null" in found
    assert f"at {line_with('Staff', 'member.boss = gone.boss;')}" in found
    assert answers(found) == ['"Zoe"']


def test_a_broken_invariant(solve):
    text = solve("Recent")
    remove = line_with("Recent", "cache.remove(")
    assert f"@{remove}" in text.splitlines()[-3]  # the statement before the first moment at which it is false
    assert answers(text) == ["false", "true", "263"]


def test_a_lost_update(solve):
    text = solve("Till")
    before, total = (int(answer) for answer in answers(text)[:2])
    assert total > before
    assert f"New value = {total}" in after(text, "Last write")
    assert int(answers(text)[2]) in (101, 102)  # what the other cashier took


def test_a_wrong_value_from_a_file(solve):
    text = solve("Invoice", str(EXAMPLES / "invoice.txt"))
    wrong = next(line for line in (EXAMPLES / "invoice.txt").read_text().splitlines() if line.startswith("screws"))
    assert f"at {line_with('Invoice', 'item.cents = ')}" in after(text, "Last write")
    assert answers(text)[-1] == f'"{wrong}"'


def test_a_list_changed_while_it_is_walked(solve):
    found = after(solve("Market"), "Last write")
    assert f"at {line_with('Market', 'market.watchers.remove(this);')}" in found
