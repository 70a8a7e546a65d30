"""Hostile clients of every protocol: no crash, no hang.  fuzz/client_fuzz.py goes on for as long as wanted."""
import sys

import pytest

from conftest import EBB, ROOT

sys.path.insert(0, str(ROOT / "fuzz"))
import client_fuzz  # noqa: E402

PROGRAM = """int total;
static void add(int i) { total += i; }
int main(void) { for (int i = 0; i < 20000; i++) add(i); return total == 0; }
"""


@pytest.mark.parametrize("protocol", sorted(client_fuzz.PROTOCOLS))
def test_hostile_messages(compile_c, protocol):
    program = compile_c(PROGRAM, name="adds")
    for seed in range(100, 103):
        wrong, _ = client_fuzz.converse(EBB, protocol, program, seed)
        assert wrong is None, f"{protocol}, seed {seed}: {wrong}"
