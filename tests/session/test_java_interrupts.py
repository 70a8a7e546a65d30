"""Long searches through the past of a Java program end at once: Ctrl-C leads back to where the search began, SIGTERM ends ebb and every copy."""
import json
import pathlib
import random
import signal
import subprocess
import time

import pytest

from conftest import EBB
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
    """A session that stands behind the loop, and asks it things."""
    opened = []

    def ask(running, command):
        running.stdin.write(command + "\n")
        running.stdin.flush()
        return answer(running)

    def answer(running):
        for line in running.stdout:
            if line.startswith("{") and "command" in (said := json.loads(line)):
                return said
        return None

    def start(*options):
        running = subprocess.Popen([EBB, "run", "--json", *options, "java", "-cp", classes, "Long"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1, env=quiet_home)
        opened.append(running)
        for command in ("break Long.java:18", "run", "delete", "break Long.step if Long.isFar()"):
            ask(running, command)
        return running, lambda command: ask(running, command), lambda: answer(running)

    yield start
    for running in opened:
        running.kill()
        running.wait()


def begin(running, command):
    running.stdin.write(command + "\n")
    running.stdin.flush()


@pytest.mark.parametrize("command", ENDLESS)
def test_ctrl_c_leads_back_to_where_it_began(at_the_end, command):
    running, ask, answer = at_the_end()
    before = ask("when -i")["position"]
    for wait in (0.05, 0.7, 1.5):
        begin(running, command)
        time.sleep(wait)
        running.send_signal(signal.SIGINT)
        said = answer()
        assert said["kind"] == "error" and "nterrupted" in said["message"] or said.get("reason") == "interrupted", said
        assert ask("when -i")["position"] == before
    assert ask("print Long.count")["value"] == "2000000"


@pytest.mark.parametrize("command", ENDLESS + SHORTER)
def test_sigterm_ends_ebb_and_every_copy(at_the_end, classes, command):
    running, ask, answer = at_the_end()
    begin(running, command)
    time.sleep(random.Random(command).choice([0.02, 0.2, 0.6]))
    running.send_signal(signal.SIGTERM)
    assert running.wait(timeout=20) == -signal.SIGTERM
    until = time.monotonic() + 20
    while (left := copies_of(classes)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not left


def test_sigterm_is_heard_while_a_script_runs(at_the_end, classes, tmp_path):
    running, ask, answer = at_the_end()
    script = tmp_path / "commands"
    script.write_text("reverse-continue\n" * 3 + "values Long.last\n")
    begin(running, f"source {script}")
    time.sleep(0.4)
    running.send_signal(signal.SIGTERM)
    assert running.wait(timeout=20) == -signal.SIGTERM
    until = time.monotonic() + 20
    while (left := copies_of(classes)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not left
