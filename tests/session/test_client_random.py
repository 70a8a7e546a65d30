"""Hostile clients of every protocol: no crash, no hang.  fuzz/client_fuzz.py goes on for as long as wanted."""
import subprocess
import sys

import pytest

from conftest import EBB, ROOT

sys.path.insert(0, str(ROOT / "fuzz"))
import client_fuzz  # noqa: E402

PROGRAM = """int total;
static void add(int i) { total += i; }
int main(void) { for (int i = 0; i < 20000; i++) add(i); return total == 0; }
"""


JAVA = """public class Adds {
    static int total;
    static synchronized void add(int i) { total += i; }
    public static void main(String[] args) { for (int i = 0; i < 20000; i++) add(i); System.exit(total == 0 ? 1 : 0); }
}
"""


@pytest.fixture(scope="session")
def adds(workshop):
    folder = workshop / "adds"
    folder.mkdir()
    (folder / "Adds.java").write_text(JAVA)
    subprocess.run(["javac", "-g", "Adds.java"], cwd=folder, check=True, timeout=120)
    return folder / "Adds.class"


@pytest.mark.parametrize("protocol", sorted(client_fuzz.PROTOCOLS))
def test_hostile_messages(compile_c, adds, protocol):
    program = adds if protocol == "jdwp" else compile_c(PROGRAM, name="adds")
    for seed in range(100, 103):
        wrong, _ = client_fuzz.converse(EBB, protocol, program, seed)
        assert wrong is None, f"{protocol}, seed {seed}: {wrong}"
