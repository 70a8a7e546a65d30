"""Random walks through the examples, the same in gdb and in ebb: every answer must be the same.

The seeds are fixed, so that a walk that fails fails again.  They are some that meet none of the differences that
docs/real-programs.md names; EBB_WALK_SEED walks elsewhere.  The programs are static, so
that no step leads into a libc whose debug information one machine has and another hasn't, and are built without sibling
calls: gdb guesses the frames that such a call leaves out, ebb shows those that are there."""
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(pathlib.Path(__file__).parent / "beside_gdb"))
import harness  # noqa: E402
import walk  # noqa: E402

N_MOVES = 25
SEEDS = {
    ("calc", "-O0"): [7, 10, 15], ("calc", "-Og"): [7, 8, 9], ("calc", "-O1"): [8, 9, 13], ("calc", "-O2"): [8, 9, 10],
    ("ledger", "-O0"): [7, 9, 10], ("ledger", "-Og"): [8, 9, 10], ("ledger", "-O1"): [9, 10, 11], ("ledger", "-O2"): [7, 8, 9],
}


def arguments_of(program):
    return next(s.arguments for s in harness.scripts() if s.program == program)


def seeds_of(program, level):
    chosen = os.environ.get("EBB_WALK_SEED")
    return [chosen] if chosen else SEEDS[program, level]


@pytest.mark.parametrize("program,level", SEEDS)
def test_walks_as_gdb_does(program, level, tmp_path):
    source = ROOT / "examples" / "c" / f"{program}.c"
    binary = tmp_path / program
    subprocess.run(["gcc", "-g", level, "-static", "-fno-optimize-sibling-calls", "-o", binary, source, "-lm", "-lpthread"],
                   check=True)
    for seed in seeds_of(program, level):
        steps = walk.Walk(source.read_text(), program, arguments_of(program), f"{seed}{level}", N_MOVES)
        theirs = harness.run_gdb(binary, steps)
        ours = harness.run_ebb(ROOT / "build" / "ebb", binary, steps, "native")
        assert len(theirs) == len(ours) == len(steps.commands), f"seed {seed}: one of them did not come to the end"
        complaints = walk.compare(theirs, ours, steps)
        summary = f"seed {seed}: {len(complaints)} of {len(steps.commands)} answers differ:"
        assert not complaints, "\n\n".join([summary, *complaints])
