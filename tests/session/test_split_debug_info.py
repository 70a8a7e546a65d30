"""Programs whose debug information the compiler has split off into other files (gcc -gsplit-dwarf)."""
import re
import subprocess

import pytest

from conftest import ROOT

@pytest.fixture(scope="module")
def build(workshop):
    """Compiles examples/c/ledger.c in a folder of its own; a list of further options."""
    def run(name, *options):
        folder = workshop / "split" / name
        folder.mkdir(parents=True)
        subprocess.run(["gcc", "-g", *options, "-o", "ledger", ROOT / "examples" / "c" / "ledger.c"], check=True, cwd=folder)
        return folder
    return run


QUESTIONS = ["break rename_owner", "run", "backtrace", "info locals", "info args", "print *b", "ptype b", "print b->accounts[1]", "up",
             "info locals", "down", "next", "info line find", "info scope rename_owner", "whatis find", "ptype struct account",
             "info types book", "info functions find", "list find", "finish"]


@pytest.mark.parametrize("options", [("-O0",), ("-O2",), ("-O2", "-gdwarf-4")], ids=" ".join)
def test_answers_are_those_of_the_whole(build, ebb, options):
    name = "".join(options)
    whole, split = build(f"whole{name}", *options), build(f"split{name}", "-gsplit-dwarf", *options)
    assert list(split.glob("*.dwo"))
    script = "\n".join(["set confirm off", "mode native", *QUESTIONS, "kill", "quit", ""])
    answers = [ebb(["run", "./ledger"], stdin=script, cwd=folder) for folder in (whole, split)]
    assert answers[0].stderr == answers[1].stderr
    theirs, ours = (re.sub(r"process \d+", "process P", answer.stdout) for answer in answers)
    assert ours == theirs
    assert "barbara" in answers[0].stdout


def test_what_is_missing_is_told_once(build, ebb):
    folder = build("missing", "-gsplit-dwarf")
    for file in folder.glob("*.dwo"):
        file.unlink()
    done = ebb(["run", "--batch", "-e", "break rename_owner", "-e", "run", "-e", "backtrace", "-e", "backtrace", "./ledger"], cwd=folder)
    assert done.returncode == 0
    assert (done.stdout + done.stderr).count("split off into ledger.dwo, which can't be found") == 1
    assert "rename_owner () at" in done.stdout  # lines are in the program itself
