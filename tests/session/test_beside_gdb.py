"""The same commands through gdb and through ebb, on the same binaries: the answers must be the same, in both of
ebb's modes."""
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(pathlib.Path(__file__).parent / "beside_gdb"))
import harness  # noqa: E402


@pytest.mark.parametrize("mode", ["native", "vm"])
@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("script", harness.scripts(), ids=lambda s: s.name)
def test_answers_as_gdb_does(script, level, mode, tmp_path):
    if level not in script.levels:
        pytest.skip(f"the script is for {', '.join(script.levels)}")
    binary = tmp_path / script.program
    subprocess.run([*script.compiler, *script.flags, level, "-o", binary, script.source, "-lm", "-lpthread"], check=True, cwd=ROOT)
    theirs, script = harness.run_gdb_as_far_as_it_can(binary, script)
    ours = harness.run_ebb(ROOT / "build" / "ebb", binary, script, mode)
    assert len(theirs) == len(script.commands), "gdb did not come to the end of the script"
    assert len(ours) == len(script.commands), "ebb did not come to the end of the script"
    complaints = harness.compare(theirs, ours, script, level)
    assert not complaints, "\n\n".join([f"{len(complaints)} of {len(script.commands)} answers differ:", *complaints])
