"""Random command lines: no crash, no hang, nobody left behind.  fuzz/cli_fuzz.py goes on for as long as wanted."""
import random
import sys

import pytest

from conftest import EBB, ROOT
from programs import LIST, THREADS

sys.path.insert(0, str(ROOT / "fuzz"))
import cli_fuzz  # noqa: E402


def check(program, lines):
    wrong = cli_fuzz.converse(EBB, program, "\n".join(lines) + "\necho survived\\n\n")
    assert not wrong, wrong


@pytest.mark.parametrize("seed", range(4))
def test_random_lines(compile_c, seed):
    check(compile_c(LIST, name="list"), cli_fuzz.lines(seed, 250))


def test_random_lines_in_vm_mode(compile_c):
    check(compile_c(LIST, name="list"), cli_fuzz.lines(6000, 250, ["mode vm", "start"]))


def test_random_lines_among_threads(compile_c):
    check(compile_c(THREADS, name="threads"), cli_fuzz.lines(7000, 250, ["break meet", "run"]))


def random_keys(choice, n):
    """Keys as a cat on the keyboard presses them: without those that end or suspend ebb (^D, ^Z, ^\\) and those of the shell (!)."""
    keys = [chr(c) for c in range(1, 127) if c not in (4, 26, 28) and chr(c) != "!"]
    often = ["\n", "\t", "\x1b[A", "\x1b[B", "\x1b[D", "\x1b[3~", "\x12", "\x03", "\x0c", "p ", "info ", "main", "step\n", "run\n", "é", "\U0001f600", "\x7f"]
    return "".join(choice.choice(often) if choice.random() < 0.3 else choice.choice(keys) for _ in range(n))


@pytest.mark.parametrize("seed", range(3))
def test_random_keys(pty_session, compile_c, seed):
    program = compile_c(LIST, name="list")
    terminal = pty_session(["run", "--no-init", program])
    choice = random.Random(seed)
    for _ in range(20):
        terminal.send(random_keys(choice, 60))
        terminal.drain()
    terminal.send("\x03\x03\x03")
    terminal.drain()
    terminal.send("\np 6 * 7\n")
    terminal.expect("= 42")
