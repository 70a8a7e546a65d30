"""The C programs in examples/, each from its symptom to its cause by the script beside it, without a restart.

What has to be found is written in the terms of the sources: the line that holds a given text."""
import pathlib
import re
import subprocess

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "c"


@pytest.fixture
def solve(ebb, workshop):
    """solve(name) -> what the script of that example says."""

    def run(name, *args, refused=None):
        program = workshop / name
        subprocess.run(["cc", "-g", "-O0", "-w", "-pthread", "-o", program, EXAMPLES / f"{name}.c"], check=True)
        done = ebb(["run", "--batch", "-x", str(EXAMPLES / f"{name}.ebb"), str(program), *args], timeout=120)
        assert refused in done.stderr if refused else done.returncode == 0, done.stderr
        return done.stdout

    return run


def line_with(name, text):
    found = [n for n, line in enumerate((EXAMPLES / f"{name}.c").read_text().splitlines(), 1) if text in line]
    assert len(found) == 1
    return f"{name}.c:{found[0]}"


def answers(text):
    return re.findall(r"^\$\d+ = (.*)$", text, re.M)


def writes(text):
    """What was said after each `last-write`."""
    return text.split("Last write to ")[1:]


def test_a_heap_header_overwritten(solve):
    text = solve("labels")
    assert "SIGABRT" in text
    assert line_with("labels", "*end = '\\0';") in writes(text)[0]
    length, room = answers(text)[-2:]
    assert length == room  # the final zero is one too far


def test_two_lists_share_their_tracks(solve):
    moved, copied = writes(solve("playlist"))
    assert line_with("playlist", "list->tracks[j] = t;") in moved
    assert answers(moved) == ["1"]
    assert line_with("playlist", "return list;") in copied


def test_use_after_free(solve):
    renamed, freed = writes(solve("sessions"))
    assert line_with("sessions", "snprintf(s->user") in renamed
    assert answers(renamed) == ["1"]  # malloc gave the same memory again
    assert line_with("sessions", "open_sessions[i] = NULL;") in freed
    assert line_with("sessions", "logout(open_sessions[i]->number);") in freed


def test_off_by_one_far_from_the_crash(solve):
    text = solve("histogram")
    assert "SIGSEGV" in text
    assert line_with("histogram", "h->latest[class] = i;") in writes(text)[0]
    assert answers(text)[-2:] == ["10", "100"]


def test_a_race(solve):
    second, first = writes(solve("seats"))
    for found in (second, first):
        assert line_with("seats", "owner[seat] = desk->number;") in found
    number = re.compile(r"number = (\d)")
    assert {number.search(answers(second)[0])[1], number.search(answers(first)[0])[1]} == {"1", "2"}


def test_a_signal_handler_that_uses_what_it_interrupted(solve):
    stored, overwritten = writes(solve("poller"))
    assert line_with("poller", "strcpy(m->name, name);") in stored
    assert "<signal handler called>" in overwritten
    assert line_with("poller", 'name_of("status", n_done);') in overwritten
    assert line_with("poller", "m->value = ask(fd, number);") in overwritten  # what was interrupted


def test_an_uninitialised_value(solve):
    text = solve("scores", refused="nothing wrote to it since it came into being")
    assert "best = " + answers(text)[-1] in answers(text)[0]  # the very value that was told


def test_a_wrong_value_in_a_file(solve):
    file = EXAMPLES / "orders.txt"
    text = solve("orders", str(file))
    assert line_with("orders", "o->cents = strtol(") in writes(text)[0]
    line, number = answers(text)[-2:]
    assert file.read_text().splitlines()[int(number) - 1] in line
