"""Broken ELF files and broken DWARF: no crash, no hang, one line each, nobody left behind.  fuzz/elf_fuzz.py makes them, and
goes on for as long as wanted."""
import sys

import pytest

from conftest import EBB, ROOT

sys.path.insert(0, str(ROOT / "fuzz"))
import elf_fuzz  # noqa: E402


@pytest.fixture(scope="module")
def mutants(workshop):
    folder = workshop / "mutants"
    folder.mkdir()
    return elf_fuzz.Mutants(folder)


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_broken_files(mutants, quiet_home, first):
    for seed in range(first, first + 10):
        program, inner, name = mutants.make(seed)
        outcome = elf_fuzz.judge(EBB, program, inner, quiet_home, as_json=seed % 3 == 2)
        assert not outcome.what, (name, outcome.what, outcome.output[-2000:])


def test_the_sound_file_gets_through(mutants, quiet_home):
    """Otherwise the fuzzer would look at error messages only."""
    program, _ = mutants.made["ledger", "plain"]
    outcome = elf_fuzz.judge(EBB, program, "find", quiet_home)
    assert outcome.what is None and outcome.status == 0
    for said in ("Breakpoint 2, find", "type = struct account {", "Value returned is", "End of assembler dump", "killed]"):
        assert said in outcome.output
