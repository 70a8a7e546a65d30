"""Hostile clients of every protocol: no crash, no hang.  fuzz/client_fuzz.py goes on for as long as wanted."""
import pathlib
import sys

import pytest

from conftest import EBB, ROOT
from java_source import javac

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
    javac("-g", "Adds.java", cwd=folder)
    return folder / "Adds.class"


TALKS = [("dap", "c"), ("dap", "java"), ("mcp", "c"), ("mcp", "java"), ("rsp", "c"), ("jdwp", "java")]
SANITIZED = ROOT / "build-asan/ebb"


@pytest.mark.parametrize("ebb, seeds", [(EBB, range(100, 103)), (str(SANITIZED), (200, 1004))], ids=["plain", "sanitized"])
@pytest.mark.parametrize("protocol, language", TALKS)
def test_hostile_messages(compile_c, adds, protocol, language, ebb, seeds):
    if not pathlib.Path(ebb).exists():
        pytest.skip("there is no build with sanitizers: EBB_SETUP_MODE=asan tools/setup")
    if ebb != EBB and language == "java":
        pytest.skip("a Java machine with sanitizers needs their libraries preloaded into the JDK's launcher")
    program = adds if language == "java" else compile_c(PROGRAM, name="adds")
    for seed in seeds:
        wrong, _ = client_fuzz.converse(ebb, protocol, program, seed)
        assert wrong is None, f"{protocol}, seed {seed}: {wrong}"


@pytest.mark.parametrize("said", ["==7==ERROR: AddressSanitizer: heap-use-after-free", "../src/x.c:3:4: runtime error: signed integer overflow",
                                  "SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior"])
def test_a_sanitizers_complaint_is_heard(said):
    assert client_fuzz.verdict(1, said.encode()).startswith("a sanitizer complains")
    assert client_fuzz.verdict(1, b"ebb: Connection closed.\n") is None and "signal 11" in client_fuzz.verdict(-11, b"")
