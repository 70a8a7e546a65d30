"""Long searches through the past of a Java program end at once: Ctrl-C leads back to where the search began, SIGTERM ends ebb and every copy."""
import pathlib

import pytest

from interrupts import Searching, assert_ctrl_c_leads_back, assert_sigterm_ends_all
from java_source import compile_java

LONG = """
public class Long {
    static int count;
    static String last = "";
    static String[] names = {"a", "b", "c"};

    static boolean isFar() { return count > 1000000000; }

    static void step(int i) {
        count++;
        last = names[i % 3];
    }

    public static void main(String[] args) {
        for (int i = 0; i < 2000000; i++)
            step(i);
        System.out.println(count);
    }
}
"""

# Each would take minutes: a condition that calls a method and a value that is an object are a conversation for each of two million hits.
ENDLESS = ["reverse-continue", "values Long.last"]
SHORTER = ["bisect Long.count < 12345", "goto start", "goto 300000", "reverse-step", "values Long.count"]


@pytest.fixture(scope="module")
def classes(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp("interrupts"), "Long", LONG)


def copies_of(classes):
    """The Java processes, live and frozen, that were started with these classes."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if str(classes).encode() in (entry / "cmdline").read_bytes() and b"java" in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                pass
    return found


@pytest.fixture
def at_the_end(classes, quiet_home):
    """start() -> a session that stands after the loop."""
    opened = []

    def start():
        session = Searching(["java", "-cp", classes, "Long"], quiet_home)
        opened.append(session)
        for command in ("break Long.java:18", "run", "delete", "break Long.step if Long.isFar()"):
            session.ask(command)
        return session

    yield start
    for session in opened:
        session.kill()


@pytest.mark.parametrize("command", ENDLESS)
def test_ctrl_c_leads_back_to_where_it_began(at_the_end, command):
    session = at_the_end()
    assert_ctrl_c_leads_back(session, command)
    assert session.ask("print Long.count")["value"] == "2000000"


@pytest.mark.parametrize("command", ENDLESS + SHORTER)
def test_sigterm_ends_ebb_and_every_copy(at_the_end, classes, command):
    assert_sigterm_ends_all(at_the_end(), command, lambda: copies_of(classes))


def test_sigterm_is_heard_while_a_script_runs(at_the_end, classes, tmp_path):
    script = tmp_path / "commands"
    script.write_text("reverse-continue\n" * 3 + "values Long.last\n")
    assert_sigterm_ends_all(at_the_end(), f"source {script}", lambda: copies_of(classes))
