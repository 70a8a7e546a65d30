"""Java programs on the Java machine, started by ebb."""
import pathlib
import subprocess

import pytest

from java_source import javac

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EBB = ROOT / "build" / "ebb"

HELLO = """
public class Hello {
    public static void main(String[] args) {
        System.out.println("hello " + args.length);
        System.exit(3);
    }
}
"""


def ebb_java(*words, **options):
    return subprocess.run([EBB, "run", "--batch", "-e", "run", "java", *words], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=120, **options)


@pytest.fixture(scope="module")
def hello(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hello")
    (folder / "Hello.java").write_text(HELLO)
    javac("Hello.java", cwd=folder)
    return folder


def test_the_launcher_loads_our_machine():
    done = ebb_java("-version")
    assert done.returncode == 0
    assert "ebb VM" in done.stderr


def test_a_program_runs_with_its_arguments_and_exit_status(hello):
    done = ebb_java("-cp", hello, "Hello", "a", "b")
    assert "hello 2\n" in done.stdout
    assert "exited with code 03" in done.stdout


def test_a_missing_machine_is_one_clear_line(hello, tmp_path):
    done = ebb_java("-cp", hello, "Hello", env={"PATH": "/usr/bin:/bin", "EBB_JVM_DIR": str(tmp_path)})
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and "no libjvm.so" in done.stderr
