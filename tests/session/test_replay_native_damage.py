"""Recordings of native programs that were cut, changed, or are not finished: one line says what is wrong, and what is good can be used."""
import random
import signal
import subprocess
import time

import pytest
from conftest import EBB
from recording_file import EVENTS, Event, RecordingFile, as_varint

SEED = 20261116
PROGRAM = r"""
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int turns;

int main(int argc, char **argv)
{
    char bytes[100];
    FILE *f = fopen("/proc/self/maps", "r");
    while (fgets(bytes, sizeof bytes, f))
        turns++;
    do {
        turns += (int)clock_getres(CLOCK_REALTIME, NULL);
        for (volatile int i = 0; i < 30; i++)
            turns += i & 1;
    } while (argc == 2);
    f = fopen("/dev/urandom", "r");
    for (int i = 0; argc > 2 && i < 30000; i++)
        turns += (int)fread(bytes, 1, sizeof bytes, f);
    printf("%d\n", turns);
    return 5;
}
"""


@pytest.fixture(scope="module")
def program(compile_c):
    return compile_c(PROGRAM, name="damaged")


@pytest.fixture
def recording(ebb, program, tmp_path):
    path = tmp_path / "whole"
    assert ebb(["record", "-o", path, program], timeout=60).returncode == 5
    return path


def replay(ebb, path, *commands):
    words = [word for command in commands or ("goto end", "reverse-stepi", "goto end") for word in ("-e", command)]
    return ebb(["replay", "--batch", *words, path], timeout=100)


def is_decent(done):
    """It worked, or one line says why not (a warning that the recording ends early may come first); it never dies of it."""
    complaints = [line for line in done.stderr.splitlines() if "ends early" not in line]
    return done.returncode in (0, 1) and len(complaints) <= 1 and (done.returncode == 0 or complaints)


def test_cut_anywhere(ebb, recording, tmp_path):
    dice = random.Random(SEED)
    whole = recording.read_bytes()
    lengths = [0, 5, 40, 100] + [dice.randrange(len(whole)) for _ in range(8)] + [len(whole) - 1, len(whole) - 100]
    for n in lengths:
        cut = tmp_path / "cut"
        cut.write_bytes(whole[:n])
        done = replay(ebb, cut)
        assert is_decent(done), f"seed {SEED}, cut at {n}: {done.returncode} {done.stdout} {done.stderr}"


def test_bytes_changed(ebb, recording, tmp_path):
    dice = random.Random(SEED)
    whole = recording.read_bytes()
    for i in range(12):
        changed = bytearray(whole)
        for _ in range(dice.choice([1, 3, 20])):
            changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
        path = tmp_path / "changed"
        path.write_bytes(changed)
        done = replay(ebb, path)
        assert is_decent(done), f"seed {SEED}, change {i}: {done.returncode} {done.stdout} {done.stderr}"


def spoil(dice, events):
    """One event that is not as it was."""
    i = dice.randrange(len(events))
    e = events[i]
    what = dice.randrange(4)
    if what == 0:
        e.values = bytes(dice.randrange(256) for _ in range(dice.randrange(40)))
    elif what == 1 and e.values:
        values = bytearray(e.values)
        values[dice.randrange(min(len(values), 30))] ^= 1 << dice.randrange(8)
        e.values = bytes(values)
    elif what == 2:
        e.kind = dice.choice([3, 4, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 99])
    else:
        events.insert(i, Event(33, e.timestamp, as_varint(dice.randrange(400)) + as_varint(dice.randrange(1 << 40))))


def test_events_that_make_no_sense(ebb, recording, tmp_path):
    """With right checksums: what they say is false."""
    dice = random.Random(SEED)
    for i in range(12):
        file = RecordingFile(recording, is_checked=False)
        blocks = [b for b in file.blocks if b.kind == EVENTS]
        spoil(dice, dice.choice([blocks[0], blocks[-1], dice.choice(blocks)]).events)
        at = 0
        for b in blocks:
            b.first, at = at, at + len(b.events)
        file.write(tmp_path / "spoilt")
        done = replay(ebb, tmp_path / "spoilt")
        assert is_decent(done), f"seed {SEED}, event {i}: {done.returncode} {done.stdout} {done.stderr}"


CALL, SWITCH, SIGNAL = 33, 35, 36  # in the order of recorded.def


@pytest.mark.parametrize("kind", [SWITCH, SIGNAL])
def test_a_call_is_something_else(ebb, recording, tmp_path, kind):
    """What should come by itself, at a place that the program does not come to before its next call."""
    n_calls = sum(e.kind == CALL for b in RecordingFile(recording, is_checked=False).blocks if b.kind == EVENTS for e in b.events)
    for i in (2, n_calls // 2, n_calls - 2):
        file = RecordingFile(recording, is_checked=False)
        spoilt = [e for b in file.blocks if b.kind == EVENTS for e in b.events if e.kind == CALL][i]
        spoilt.kind, spoilt.values = kind, as_varint(1) + as_varint(1 << 16) + as_varint(1 << 16)
        file.write(tmp_path / "spoilt")
        done = replay(ebb, tmp_path / "spoilt")
        assert is_decent(done), f"call {i}: {done.returncode} {done.stdout} {done.stderr}"


@pytest.mark.parametrize("who", ["ebb", "the program"])
def test_killed_while_it_is_recorded(ebb, program, tmp_path, who):
    path = tmp_path / "recording"
    running = subprocess.Popen([EBB, "record", "-o", path, program, "x"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    sizes = set()
    while len(sizes) < 5: # of a file that has all that it begins with, and grows
        assert running.poll() is None
        time.sleep(0.02)
        sizes |= {path.stat().st_size} if path.exists() and path.stat().st_size > 3_000_000 else set()
    if who == "ebb":
        running.kill()
    else:
        children = subprocess.run(["ps", "--ppid", str(running.pid), "-o", "pid="], capture_output=True, text=True).stdout.split()
        subprocess.run(["kill", "-9", *children], check=True)
    running.wait(60)
    done = replay(ebb, path, "goto end", "when", "reverse-stepi", "print turns > 100", "goto 5000", "goto end") if who == "ebb" else \
        replay(ebb, path, "goto end", "reverse-stepi", "print turns > 100", "goto 5000", "goto end")
    assert done.returncode == 0 and "= 1" in done.stdout, done.stdout + done.stderr
    if who == "the program":
        assert running.returncode == 128 + signal.SIGKILL and done.stdout.count("SIGKILL") == 2


def test_a_full_disk(ebb, program, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3500k", "none", disk], capture_output=True).returncode:
        pytest.skip("no file system may be mounted here")
    try:
        done = ebb(["record", "-o", disk / "recording", program, "much", "noise"], timeout=60)
        assert done.returncode == 5 and len([line for line in done.stderr.splitlines() if "No space" in line]) == 1, done.stderr
        assert is_decent(replay(ebb, disk / "recording"))
    finally:
        subprocess.run(["umount", disk], check=True)


def test_another_cpu(ebb, recording, tmp_path):
    """One that lacks something the program was told it has."""
    file = RecordingFile(recording, is_checked=False)
    about = file.blocks[0]
    at = about.payload.index(b"cpu=")
    length = about.payload[at - 1] & 0x7f if about.payload[at - 2] < 0x80 else (about.payload[at - 2] & 0x7f) | about.payload[at - 1] << 7
    before = at - len(as_varint(length))
    changed = b"cpu=nosuchthing sse3"
    about.payload = about.payload[:before] + as_varint(len(changed)) + changed + about.payload[at + length:]
    file.write(tmp_path / "other")
    done = replay(ebb, tmp_path / "other")
    assert done.returncode == 0, done.stderr
    said = [line for line in (done.stdout + done.stderr).splitlines() if "nosuchthing" in line]
    assert len(said) == 1 and "sse3" not in said[0]
