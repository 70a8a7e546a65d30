"""`--verify`: hashes of states in the recording, and a replay that differs is named with its position."""
import json
import re
import subprocess
from collections import Counter

import pytest
from java_source import compile_java
from recording_file import RecordingFile, as_varint

SOURCE = '''
public class Verified {
    static long kept;
    static int[] cells = new int[64];

    public static void main(String[] args) throws Exception {
        Thread other = new Thread(() -> { for (int i = 0; i < 200; i++) { cells[i % 64] += i; Thread.yield(); } });
        other.start();
        for (int i = 0; i < 200; i++) {
            kept = System.nanoTime();
            Thread.yield();
        }
        other.join();
        for (int i = 0; i < 2000000; i++)
            cells[i & 63] ^= i;
        System.out.println("ended");
    }
}
'''
NAMED = re.compile(r'replay diverged at timestamp (\d+) in \S.* \((?:bytecode \d+|native), thread \d+\): .*')


@pytest.fixture(scope='module')
def verified(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp('verified'), 'Verified', SOURCE)


@pytest.fixture(scope='module')
def recording(verified, tmp_path_factory):
    from conftest import EBB
    path = tmp_path_factory.mktemp('recording') / 'verified.ebb'
    p = subprocess.run([EBB, 'record', '--verify', '-o', path, 'java', '-cp', verified, 'Verified'], capture_output=True, text=True,
                       timeout=60, check=False)
    assert p.returncode == 0 and p.stdout == 'ended\n', p.stderr
    return path


def compared(done):
    return int(re.search(r'replayed to its end: (\d+) states compared, all the same', done.stdout)[1])


def test_replay_compares_every_state_that_was_recorded(ebb, recording):
    done = ebb(['replay', '--verify', '--batch', recording])
    assert done.returncode == 0, done.stderr
    assert compared(done) == len(RecordingFile(recording).events('HASH')) > 5


def test_going_back_and_forth_compares_too(batch, verified):
    done = batch('java', 'run', 'goto start', 'info history', 'goto end', 'break Verified.java:16', 'reverse-continue', 'info history',
                 args=['-cp', verified, 'Verified'], options=['--verify'])
    assert done.returncode == 0, done.stderr
    assert int(re.search(r'(\d+) states compared on the way here', done.stdout)[1]) > 0, done.stdout


def test_a_recording_without_hashes_says_so(ebb, verified, tmp_path):
    path = tmp_path / 'plain.ebb'
    assert ebb(['record', '-o', path, 'java', '-cp', verified, 'Verified']).returncode == 0
    done = ebb(['replay', '--verify', '--batch', path])
    assert done.returncode == 0 and 'no states to compare' in done.stdout, done.stderr


def tampered(recording, tmp_path, change):
    file, path = RecordingFile(recording), tmp_path / 'tampered.ebb'
    at = change(file)
    file.write(path)
    return path, at


def assert_named(done, at):
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and NAMED.search(lines[0]), done.stderr
    assert int(NAMED.search(lines[0])[1]) >= at, (lines, at)


def test_the_rewritten_file_is_as_good(ebb, recording, tmp_path):
    """What the following tests do changes nothing but what they mean to change."""
    path, _ = tampered(recording, tmp_path, lambda file: 0)
    assert compared(ebb(['replay', '--verify', '--batch', path])) > 5


def test_another_answer_of_the_clock_is_another_state(ebb, recording, tmp_path):
    def change(file):
        end = file.events('HASH')[-1].timestamp
        answers = [e for e in file.events('VALUE') if e.timestamp < end]
        clock, _ = Counter(e.numbers()[0] for e in answers).most_common(1)[0]
        reading = [e for e in answers if e.numbers()[0] == clock][-20]
        what, delta = reading.numbers()
        reading.values = as_varint(what) + as_varint(delta + 2)  # later ones too, as each is a difference; the last is kept
        return reading.timestamp
    path, at = tampered(recording, tmp_path, change)
    done = ebb(['replay', '--verify', '--batch', path])
    assert_named(done, at)
    assert 'the state is another one: hash' in done.stderr


def test_a_hash_that_is_another_one(ebb, recording, tmp_path):
    def change(file):
        hashes = file.events('HASH')
        event = hashes[len(hashes) // 2]
        number, value = event.numbers()
        event.values = as_varint(number) + as_varint(value ^ 1)
        return event.timestamp
    path, at = tampered(recording, tmp_path, change)
    done = ebb(['replay', '--verify', '--batch', path])
    assert_named(done, at)
    assert f'at timestamp {at} ' in done.stderr


def test_an_event_that_is_missing(ebb, recording, tmp_path):
    def change(file):
        for block in file.blocks:
            values = [i for i, e in enumerate(block.events) if e.name == 'VALUE' and i > 0]
            if len(values) > 20:
                gone = block.events.pop(values[10])
                for later in file.blocks[file.blocks.index(block) + 1:]:
                    later.first -= later.kind == 1
                return gone.timestamp
        raise AssertionError('no block with answers')
    path, at = tampered(recording, tmp_path, change)
    assert_named(ebb(['replay', '--verify', '--batch', path]), at)


def test_at_the_prompt_a_divergence_is_one_line_too(ebb, recording, tmp_path):
    def change(file):
        event = file.events('HASH')[-1]
        event.values = as_varint(event.numbers()[0]) + as_varint(1)
        return event.timestamp
    path, at = tampered(recording, tmp_path, change)
    done = ebb(['replay', '--batch', '-e', 'continue', path])
    assert_named(done, at)
    done = ebb(['replay', '--batch', '--json', '-e', 'continue', path])
    errors = [x for x in map(json.loads, done.stdout.splitlines()) if x['kind'] == 'error']
    assert len(errors) == 1 and NAMED.search(json.dumps(errors[0])), done.stdout
