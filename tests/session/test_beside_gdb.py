"""The same commands through gdb and through ebb, on the same binaries: the answers must be the same, in both of
ebb's modes."""
import functools
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(pathlib.Path(__file__).parent / "beside_gdb"))
import harness  # noqa: E402


@pytest.fixture(scope="module")
def asked_of_gdb(tmp_path_factory):
    """asked_of_gdb(script, level) -> the binary, gdb's answers, and the script as far as gdb could follow it: once for both modes."""

    @functools.cache
    def ask(script, level):
        binary = tmp_path_factory.mktemp(script.name) / script.program
        subprocess.run([*script.compiler, *script.flags, level, "-o", binary, script.source, "-lm", "-lpthread"], check=True, cwd=ROOT)
        return binary, *harness.run_gdb_as_far_as_it_can(binary, script)

    return ask


@pytest.mark.parametrize("mode", ["native", "vm"])
@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("script", harness.scripts(), ids=lambda s: s.name)
def test_answers_as_gdb_does(script, level, mode, asked_of_gdb):
    if level not in script.levels:
        pytest.skip(f"the script is for {', '.join(script.levels)}")
    binary, theirs, script = asked_of_gdb(script, level)
    ours = harness.run_ebb(ROOT / "build" / "ebb", binary, script, mode)
    assert len(theirs) == len(script.commands), "gdb did not come to the end of the script"
    assert len(ours) == len(script.commands), "ebb did not come to the end of the script"
    complaints = harness.compare(theirs, ours, script, level)
    assert not complaints, "\n\n".join([f"{len(complaints)} of {len(script.commands)} answers differ:", *complaints])
