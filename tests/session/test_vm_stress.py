"""Programs that strain VM mode: exceptions, code that is written while it runs, threads.  They print the same as natively."""
import pathlib
import shutil
import subprocess

import pytest
from both_ways import compare

HERE = pathlib.Path(__file__).resolve().parent / "stress"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("stress")


def build(folder, source, *flags, compiler="gcc"):
    program = folder / pathlib.Path(source).stem
    subprocess.run([compiler, "-g", "-O1", "-w", "-pthread", "-o", program, HERE / source, *flags], check=True)
    return str(program)


@pytest.mark.skipif(not shutil.which("g++"), reason="g++ not installed")
def test_exceptions(folder):
    """Through deep frames, frames of C, other threads, and out of handlers of faults."""
    compare([build(folder, "exceptions.cpp", "-fnon-call-exceptions", compiler="g++")], folder)


def test_code_that_changes(folder):
    """In place, through another mapping, by another thread, by the kernel, with libraries that come and go."""
    libraries = []
    for factor in (3, 5):
        libraries.append(str(folder / f"library{factor}.so"))
        subprocess.run(["gcc", "-shared", "-fPIC", f"-DFACTOR={factor}", "-o", libraries[-1], HERE / "library.c"], check=True)
    compare([build(folder, "code.c", "-ldl"), *libraries], folder)


def test_threads(folder):
    """Two hundred at once, spinning ones, cancelled ones, some that die with a lock."""
    compare([build(folder, "threads.c")], folder)
