"""`ebb record` of native programs: the program behaves as without us, and its recording is a whole file that says what happened.  What the kernel
was asked is compared with what strace sees, where it is installed."""
import re
import shutil
import subprocess

import pytest
from recording_file import RecordingFile

PROGRAMS = {
    'ls': ['/bin/ls', '/'],
    'gzip': ['/bin/gzip', '-c', '/etc/services'],
    'bash with children': ['/bin/bash', '-c', 'for i in 1 2 3; do /bin/echo $i; done | /bin/cat'],
    'python3 with threads': ['/usr/bin/python3', '-c', '''
import subprocess, threading
seen = []
threads = [threading.Thread(target=lambda: [seen.append(i) for i in range(500)]) for _ in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
print(len(seen), subprocess.run(['/bin/echo', 'x'], capture_output=True).stdout)
'''],
    'perl': ['/usr/bin/perl', '-e', 'open F, "/etc/passwd"; my @l = <F>; print scalar(@l), "\\n"; exit 3'],
}
FIRST = 32  # of the machine's own kinds, in the order of recorded.def
KINDS = ['MEMORY', 'CALL', 'ASK', 'SWITCH', 'SIGNAL', 'MAPPING', 'THREAD', 'BEGINNING', 'FRESH', 'MODULE']


def named(event):
    return KINDS[event.kind - FIRST] if event.kind >= FIRST else event.name


@pytest.mark.parametrize('name', PROGRAMS)
def test_recorded_as_it_runs(ebb, tmp_path, name):
    command = PROGRAMS[name]
    if not shutil.which(command[0]):
        pytest.skip(f'{command[0]} is not installed')
    alone = subprocess.run(command, capture_output=True, timeout=60)
    path = tmp_path / 'recording'
    done = ebb(['record', '-o', path, '--'] + command, timeout=60)
    assert done.stdout.encode(errors='surrogateescape') == alone.stdout or name == 'gzip'
    assert done.returncode == alone.returncode, done.stderr
    assert f'the recording is in {path}' in done.stderr and 'ended early' not in done.stderr
    events = [named(e) for e in RecordingFile(path, is_checked=False).events()]
    assert events.count('BEGINNING') == 1 and events[-1] == 'EXIT'
    assert set(events[:events.index('BEGINNING')]) == {'MAPPING', 'MEMORY', 'THREAD'}


def table():
    """Numbers of system calls by their names."""
    rows = {}
    with open('src/x86/syscalls.def') as file:
        for line in file:
            row = re.match(r'X86_CALL\((\d+), (\w+),', line)
            if row:
                rows[row.group(2)] = int(row.group(1))
    return rows


def test_calls_are_those_that_strace_sees(ebb, tmp_path):
    if not shutil.which('strace'):
        pytest.skip('strace is not installed')
    command = ['/bin/ls', '/etc']
    path, log = tmp_path / 'recording', str(tmp_path / 'log')
    if subprocess.run(['setarch', '-R', 'strace', '-o', log] + command, capture_output=True).returncode != 0:
        pytest.skip('strace does not work here')
    ebb(['record', '-o', path] + command)
    numbers = table()
    seen = [numbers[m.group(1)] for m in map(re.compile(r'(\w+)\(').match, open(log)) if m][1:]  # without its execve
    calls = [e.numbers()[0] for e in RecordingFile(path, is_checked=False).events() if named(e) == 'CALL']
    assert calls == seen


# Fails in its third run.
FLAKY = """
n=$(cat "$1" 2>/dev/null || echo 0)
echo $((n + 1)) > "$1"
[ "$n" -lt 2 ] || %s
"""


@pytest.mark.parametrize('words, ending, status', [
    ('exit', 'exit 3', 3), ('signal', 'kill -TERM $$', 128 + 15), ('crash', 'kill -SEGV $$', 128 + 11), ('crash,exit', 'exit 1', 1)])
def test_run_again_until_it_fails(ebb, tmp_path, words, ending, status):
    path, count = tmp_path / 'recording', tmp_path / 'count'
    done = ebb(['record', '--retry-for', '60', '--save-on', words, '-o', path, '/bin/bash', '-c', FLAKY % ending, 'flaky', count], timeout=90)
    assert done.returncode == status and count.read_text() == '3\n', done.stderr
    assert f'the recording is in {path}' in done.stderr
    exits = [e for e in RecordingFile(path, is_checked=False).events() if e.kind < FIRST and e.name == 'EXIT']
    assert len(exits) == 1 and exits[0].numbers()[0] == (2 * status if status < 128 else 2 * (status - 128) - 1)


def test_a_run_that_is_not_wanted_leaves_nothing(ebb, tmp_path):
    path = tmp_path / 'recording'
    done = ebb(['record', '--save-on', 'crash,signal', '-o', path, '/bin/sh', '-c', 'exit 4'])
    assert done.returncode == 4 and not path.exists() and 'nothing to keep in 1 run' in done.stderr


@pytest.mark.parametrize('option, value, complaint', [('--save-on', 'never', 'crash, exit and signal'), ('--retry-for', 'long', 'seconds')])
def test_bad_words_are_refused(ebb, option, value, complaint):
    done = ebb(['record', option, value, '/bin/true'])
    assert done.returncode == 2 and complaint in done.stderr
