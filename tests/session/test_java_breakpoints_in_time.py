"""Breakpoints in classes that are loaded late, and what time travel and branches do to them."""
import re

import pytest

from java_source import compile_java

LATE = """
public class Late {
    static int n;

    static int add(int i) {
        return i;
    }

    public static void main(String[] args) {
        for (int i = 0; i < 3; i++)
            n += Worker.add(i);
        n += First.one() + Second.two();
        System.out.println(n + add(1));
    }
}

class Worker {
    static int add(int i) {
        int r = i + 1; // 19
        return r;
    }
}

class First {
    static int one() {
        return 1;
    }
}

class Second {
    static int two() {
        return 2;
    }
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp("late"), "Late", LATE)


@pytest.fixture
def late(ebb, folder):
    def run(*commands, ok=True):
        done = ebb(["run", "--batch", *(w for c in commands for w in ("-e", c)), "--", "java", "-cp", folder, "Late"], timeout=120)
        assert done.returncode == 0 or not ok, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


def test_a_pending_breakpoint_is_found_after_a_goto(ebb, folder, tmp_path):
    recording = tmp_path / "late.ebb"
    ebb(["record", "-o", recording, "--", "java", "-cp", folder, "Late"], timeout=120)
    done = ebb(["replay", "--batch", "-e", "break Late.java:19", "-e", "break Second.two", "-e", "goto end", "-e", "reverse-continue", "-e", "reverse-continue",
                "-e", "print i", recording], timeout=120)
    assert "Breakpoint 2, Second.two ()" in done.stdout, done.stdout + done.stderr
    assert "Breakpoint 1, Worker.add (i=2)" in done.stdout and "$1 = 2" in done.stdout


def test_breakpoints_stop_again_after_a_branch(late):
    said = late("break Worker.add", "run", "continue", "goto start", "branch", "info breakpoints", "continue", "print i", "continue", "print i")
    after = said[said.index("From here on"):]
    assert "<PENDING>" in after and "$1 = 0" in after and "$2 = 1" in after, said


def test_a_branch_keeps_breakpoints_in_classes_that_are_there(late):
    said = late("break Worker.add", "break Second.two", "run", "continue", "delete 2", "goto start", "break Second.two", "continue", "branch", "continue", "print i",
                "continue", "continue")
    after = said[said.index("From here on"):]
    assert "$1 = 1" in after and after.count("Breakpoint 1, Worker.add") == 2 and "Breakpoint 3, Second.two ()" in after, said


@pytest.mark.parametrize("typed,why", [("Worker.nosuch", "There is no method nosuch in class Worker."), ("nosuch", "There is no method nosuch in class Late."),
                                       ("Worker.add(String)", "There is no method add(String) in class Worker."), ("Worker.add:99", "No bytecode of")])
def test_a_typo_is_told_once(late, typed, why):
    said = late(f"break {typed}", "break First.one", "run")
    assert said.count(f"Breakpoint 1, {typed}, stays pending: {why}") == 1, said


def test_a_nested_class_by_its_own_name(ebb, tmp_path):
    """It is not loaded yet, and the library has classes of that name: HashMap.Node, jdk.internal.loader.Resource."""
    source = '''
public class Nested {
    static class Node { int key = 1; int getKey() { return key; } }
    static class Resource { void use() { } }
    public static void main(String[] args) {
        System.out.println(new Node().getKey());
        new Resource().use();
    }
}
'''
    folder = compile_java(tmp_path, 'Nested', source)
    words = [word for command in ('break Node.getKey', 'break Resource.use', 'run', 'continue', 'continue') for word in ('-e', command)]
    done = ebb(['run', '--batch', *words, '--', 'java', '-cp', folder, 'Nested'], timeout=120)
    assert re.findall(r'^Breakpoint (\d), (Nested\$\w+\.\w+) ', done.stdout, re.M) == [('1', 'Nested$Node.getKey'), ('2', 'Nested$Resource.use')], done.stdout + done.stderr
    assert 'exited normally' in done.stdout, done.stdout


def test_what_was_meant_stays_meant(late):
    """add is Worker's, as it was typed there, also when other classes come."""
    said = late("break Late.java:19", "run", "break add", "delete 1", "break First.one", "continue", "print i", "info breakpoints", "continue", "continue", "info breakpoints")
    assert "Breakpoint 2, Worker.add (i=1)" in said and "$1 = 1" in said, said
    assert said.count("Worker.add:0") >= 2 and "Late.add:0" not in said, said
