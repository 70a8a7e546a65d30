"""What is done to a Java program at a stop is part of its recording: replayed here, and elsewhere from the file."""
import re

import pytest
from java_source import compile_java
from recording_file import RecordingFile

SOURCE = '''
import java.util.*;

public class Edited {
    static int total;
    int size = 1;
    static List<String> names = new ArrayList<>();

    static int add(String name) {
        names.add(name + names.size());
        System.nanoTime();      // something from outside within the call
        return names.size();
    }

    static void step(int n, int[] cells, Edited self) {
        total += n * self.size + cells[n % 4];
        names.add("step");
    }

    public static void main(String[] args) throws Exception {
        int[] cells = new int[4];
        Edited self = new Edited();
        for (int i = 0; i < 6; i++)
            step(i, cells, self);
        Object lock = new Object();
        synchronized (lock) {
            lock.wait(300);
        }
        System.out.println("total " + total + " " + names);
    }
}
'''
EDITS = ['set java-calls live', 'set var n = 100', 'set var self.size = 7', 'set var cells[0] = 1000', 'call add("called")', 'set var Edited.total = 50000',
         'call names.add(new String("by hand"))', 'set java-calls copy']
PLAIN = 'total 15 [step, step, step, step, step, step]'


@pytest.fixture(scope='module')
def edited(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp('edited'), 'Edited', SOURCE)


def run(batch, folder, *commands, **more):
    return batch('java', *commands, args=['-cp', folder, 'Edited'], **more)


def printed(out):
    return re.findall(r'^total .*', out, re.M)


def values(out):
    return re.findall(r'^\$\d+ = (.*)', out, re.M)


LOOK = ['print Edited.total', 'print names.size()', 'print self.size', 'print cells[0]', 'print n']


def test_a_replay_in_the_session_does_it_again(batch, edited):
    done = run(batch, edited, 'break Edited.step', 'run', 'continue', *EDITS, 'next', *LOOK, 'continue', 'reverse-continue', 'next', *LOOK,
               'goto start', 'continue', 'continue', 'next', *LOOK)
    assert done.returncode == 0, done.stderr
    seen = [v for v in values(done.stdout)]
    looks = [seen[i:i + 5] for i in range(len(seen) - 15, len(seen), 5)]
    assert looks[0] == looks[1] == looks[2] == ['51700', '3', '7', '1000', '100'], done.stdout


@pytest.mark.parametrize('verify', [[], ['--verify']])
def test_a_saved_recording_knows_of_it(batch, ebb, edited, tmp_path, verify):
    path = tmp_path / 'saved.ebb'
    done = run(batch, edited, 'break Edited.step', 'run', 'continue', *EDITS, 'delete', 'next', *LOOK, 'continue', f'save {path}', options=verify)
    assert done.returncode == 0, done.stderr
    total = printed(done.stdout)
    assert total == ['total 52798 [step, called1, by hand, step, step, step, step, step]'], done.stdout
    kinds = [e.values[-1:] for e in RecordingFile(path).events('EDIT')]
    assert len(kinds) >= len(EDITS) - 2
    done_replay = ebb(['replay', '--verify', '--batch', '-e', 'break Edited.step', '-e', 'continue', '-e', 'continue', '-e', 'next',
                       *[x for look in LOOK for x in ('-e', look)], '-e', 'goto end', '-e', 'reverse-continue', '-e', 'print n', '-e', 'next',
                       '-e', 'print Edited.total', path])
    assert done_replay.returncode == 0, done_replay.stderr
    assert values(done_replay.stdout) == ['51700', '3', '7', '1000', '100', '5', '52798'], done_replay.stdout


def test_without_a_debugger_too(batch, edited, tmp_path):
    """The machine by itself replays such a file."""
    import sys
    from pathlib import Path
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'jvm' / 'conformance'))
    import conformance as suite
    import replay
    path = tmp_path / 'saved.ebb'
    done = run(batch, edited, 'break Edited.step', 'run', 'continue', *EDITS, 'delete', 'continue', f'save {path}', options=['--verify'])
    assert done.returncode == 0, done.stderr
    status, out, err = replay.replayed(suite.Case(name='Edited', line=()), path)
    assert status == 0 and not out and re.search(r'to the end .* [1-9]\d* states compared', err), err


def test_a_branch_makes_later_ones_void(batch, ebb, edited, tmp_path):
    path = tmp_path / 'saved.ebb'
    done = run(batch, edited, 'break Edited.step', 'run', 'continue', 'set var n = 1000', 'continue', 'set var n = 3000', 'continue',
               'reverse-continue', 'reverse-continue', 'print n', 'branch', 'set var n = 20', 'delete', 'continue', f'save {path}',
               options=['--verify'])
    assert done.returncode == 0, done.stderr
    assert values(done.stdout)[-1] == '1', done.stdout
    assert printed(done.stdout) == [PLAIN.replace('15', '34')], done.stdout
    again = ebb(['replay', '--verify', '--batch', '-e', 'break Edited.step', '-e', 'continue', '-e', 'continue', '-e', 'next', '-e', 'print n',
                 '-e', 'goto end', path])
    assert again.returncode == 0, again.stderr
    assert values(again.stdout) == ['20'], again.stdout


def test_one_made_while_all_threads_wait(pty_session, ebb, edited, tmp_path):
    path = tmp_path / 'saved.ebb'
    terminal = pty_session(['run', '--no-init', '--verify', 'java', '-cp', edited, 'Edited'])
    terminal.command('break Edited.java:26')
    terminal.command('run')
    terminal.command('set var Edited.total = 7')
    terminal.send('continue\n')
    terminal.expect('total 7')
    terminal.expect('(ebb) ')
    terminal.command(f'save {path}')
    done = ebb(['replay', '--verify', '--batch', path])
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize('change', ['set var n = 10', 'print n = 10', 'set var self.size = 2', 'set var cells[1] = 1', 'set var Edited.total = 1',
                                    'print add("x")'])
def test_the_past_stays_as_it_was(batch, edited, change):
    live = ['set java-calls live'] if 'add' in change else []
    done = run(batch, edited, 'break Edited.step', 'run', 'continue', 'continue', 'reverse-continue', *live, change)
    assert done.returncode == 1 and "the past, which can't be changed" in done.stderr, done.stdout
