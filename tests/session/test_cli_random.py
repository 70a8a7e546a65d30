"""Random command lines: no crash, no hang, nobody left behind.  fuzz/cli_fuzz.py goes on for as long as wanted."""
import sys

import pytest

from conftest import ROOT
from programs import LIST

sys.path.insert(0, str(ROOT / "fuzz"))
import cli_fuzz  # noqa: E402


@pytest.mark.parametrize("seed", range(4))
def test_random_lines(ebb, compile_c, seed):
    program = compile_c(LIST, name="list")
    lines = cli_fuzz.lines(seed, 250)
    done = ebb(["run", "--no-init", program], stdin="\n".join(lines) + "\necho survived\\n\n", timeout=120)
    assert done.returncode == 0, (seed, done.returncode, done.stderr[-2000:])
    assert done.stdout.endswith("survived\n")
