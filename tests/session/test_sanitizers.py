"""Programs built with sanitizers, in VM mode: they start, find what they find natively, and end the same way.

Each sanitizer keeps its shadow at fixed addresses, so this is also the test that the runtime's memory is in nobody's way."""
import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest
from both_ways import EBB

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCE = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int shared;

static void *bump(void *unused)
{
    for (int i = 0; i < 1000; i++)
        shared++;
    return unused;
}

static void race(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, bump, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
}

int main(int argc, char **argv)
{
    const char *bug = argv[1];
    char *block = malloc(10), on_stack[8] = {0};
    if (!strcmp(bug, "heap"))
        block[argc * 5] = 1;
    if (!strcmp(bug, "stack"))
        printf("%d\\n", on_stack[argc * 4]);
    if (!strcmp(bug, "freed")) {
        free(block);
        printf("%d\\n", block[1]);
        block = 0;
    }
    if (!strcmp(bug, "unset"))
        puts(block[3] ? "set" : "clear");
    if (!strcmp(bug, "overflow")) {
        int most = 0x7fffffff;
        most += argc;
        printf("%d\\n", most);
    }
    if (!strcmp(bug, "race"))
        race();
    free(block);
    puts("done");
    return 0;
}
"""
BUGS = {"address": ("none", "heap", "stack", "freed"), "undefined": ("none", "overflow"), "thread": ("none", "race"),
        "memory": ("none", "unset"), "leak": ("none",)}
QUIET = {"ASAN_OPTIONS": "detect_leaks=0", "LSAN_OPTIONS": "detect_leaks=0", "TSAN_OPTIONS": "report_bugs=1"}
PLACES = {"anywhere": ("-fPIE", "-pie"), "low": ("-fno-pie", "-no-pie")}


def has(compiler, sanitizer):
    """Whether that compiler is there, with the sanitizer's library."""
    if not shutil.which(compiler):
        return False
    probe = subprocess.run([compiler, f"-fsanitize={sanitizer}", "-x", "c", "-", "-o", "/dev/null"], input=b"int main(void) { return 0; }",
                           capture_output=True)
    return probe.returncode == 0


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sanitizers")

    def one(compiler, sanitizer, place, source=SOURCE):
        if not has(compiler, sanitizer):
            pytest.skip(f"{compiler} has no sanitizer for {sanitizer} here")
        program = folder / f"{compiler}-{sanitizer}-{place}-{abs(hash(source))}"
        if not program.exists():
            subprocess.run([compiler, "-g", "-O0", f"-fsanitize={sanitizer}", *PLACES[place], "-x", "c", "-", "-o", program, "-lm", "-lpthread"],
                           input=source.encode(), check=True, timeout=60)
        return program

    return one


def found(text):
    """What a sanitizer says it found, without process numbers, and whatever the program itself printed."""
    kinds = re.findall(r"(?:SUMMARY|WARNING|ERROR|runtime error|FATAL)[^\n]*", text)
    return [re.sub(r"==\d+==|pid=\d+|0x[0-9a-f]+|\b(pc|bp|sp|T\d) .*", "", kind) for kind in kinds]


def in_vm_mode(words, folder, env):
    """A shell sends what it says to a file and becomes the program."""
    said = folder / "said"
    line = 'exec "$@" >"$0" 2>&1'
    done = subprocess.run([EBB, "run", "--no-init", "--batch", "-e", "handle all nostop noprint pass", "-e", "run", "--", "/bin/sh", "-c",
                           line, said, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, env=env, timeout=120)
    end = re.search(r"exited normally|exited with code (\d+)|terminated with signal (\w+)", done.stdout)
    assert end, done.stdout + done.stderr
    return -signal.Signals[end[2]] if end[2] else int(end[1] or "0", 8), said.read_text(errors="replace")


def same_both_ways(words, folder):
    words = [str(word) for word in words]
    env = {**os.environ, **QUIET}
    native = subprocess.run(words, capture_output=True, text=True, errors="replace", env=env, timeout=60)
    code, text = in_vm_mode(words, folder, env)
    assert (code, found(text)) == (native.returncode, found(native.stdout + native.stderr)), text
    assert ("done" in text) == ("done" in native.stdout)


CASES = [(compiler, sanitizer, bug) for compiler in ("gcc", "clang") for sanitizer, bugs in BUGS.items() for bug in bugs]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("compiler, sanitizer, bug", CASES, ids=["-".join(case) for case in CASES])
def test_finds_what_it_finds_natively(build, compiler, sanitizer, bug, place, tmp_path):
    same_both_ways([build(compiler, sanitizer, place), bug], tmp_path)


@pytest.mark.parametrize("example", ["ledger", "scores", "playlist"])
@pytest.mark.parametrize("compiler, sanitizer", [(compiler, sanitizer) for compiler in ("gcc", "clang") for sanitizer in BUGS])
def test_examples_report_what_they_report_natively(build, compiler, sanitizer, example, tmp_path):
    """One thread each: which races are found in threads depends on how they take turns, natively from run to run."""
    source = (ROOT / f"examples/c/{example}.c").read_text()
    same_both_ways([build(compiler, sanitizer, "anywhere", source)], tmp_path)


LEAKS = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *kept;

static void *lose(void *unused)
{
    kept = malloc(1000);
    char *lost = malloc(7);
    lost[0] = 'x';
    lost = 0;
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t other;
    char *p = malloc(100);
    p[0] = (char)argc;
    pthread_create(&other, 0, lose, 0);
    pthread_join(other, 0);
    printf("%d\\n", p[0]);
    p = 0;
    return argv[1] ? 3 : 0;
}
"""


@pytest.mark.parametrize("compiler, sanitizer", [("gcc", "leak"), ("gcc", "address"), ("clang", "leak"), ("clang", "address")])
def test_leaks_are_reported(tmp_path, compiler, sanitizer):
    """LeakSanitizer traces its own program, which therefore goes on without ebb; what was before can be gone back to."""
    if not has(compiler, sanitizer):
        pytest.skip(f"{compiler} has no -fsanitize={sanitizer}")
    (tmp_path / "leaks.c").write_text(LEAKS)
    program = tmp_path / "leaks"
    subprocess.run([compiler, "-g", f"-fsanitize={sanitizer}", "leaks.c", "-o", program, "-lpthread"], cwd=tmp_path, check=True)
    natively = subprocess.run([program], capture_output=True, text=True, timeout=100)
    lost = r"(Direct leak of .*|SUMMARY: .*)"
    assert re.findall(lost, natively.stderr)
    words = [word for one in ("run", "break lose", "reverse-continue", "print kept", "goto start", "continue") for word in ("-e", one)]
    done = subprocess.run([EBB, "run", "--batch", *words, program], capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)
    assert re.findall(lost, done.stderr) == re.findall(lost, natively.stderr), done.stdout + done.stderr
    assert f"exited with code 0{natively.returncode:o}]" in done.stdout
    assert "went on to its end without ebb" in done.stdout + done.stderr
    assert "Breakpoint 1, lose (unused=0x0)" in done.stdout and "$1 = (void *) 0x0" in done.stdout, done.stdout + done.stderr
    assert done.stdout.count("Breakpoint 1, lose") == 2, done.stdout + done.stderr
