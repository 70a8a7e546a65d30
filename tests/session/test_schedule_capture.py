"""Schedules are taken from executions: at a stop, from a recording, at the end of a recorded run, by explore.

What a schedule has to say follows from the text of the programs: who runs, who waits for whom, who is notified, whose time is over."""
import re

import pytest
from java_source import compile_java

LOST = '''
public class Lost {
    static int count;

    static void add() {
        count++;
    }

    public static void main(String[] args) throws Exception {
        Thread a = new Thread(Lost::add), b = new Thread(Lost::add);
        a.start();
        b.start();
        a.join();
        b.join();
        if (count != 2)
            throw new AssertionError();
    }
}
'''

WAITS = '''
public class Waits {
    static final Object lock = new Object();
    static boolean there;

    static void wait_for_it() {
        synchronized (lock) {
            try {
                while (!there)
                    lock.wait();
            } catch (InterruptedException e) {
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Thread t = new Thread(Waits::wait_for_it);
        t.start();
        synchronized (lock) {
            lock.wait(10);
        }
        synchronized (lock) {
            there = true;
            lock.notify();
        }
        t.join();
    }
}
'''

LOCKS = '''
public class Locks {
    static final Object a = new Object(), b = new Object();

    static void take(Object first, Object second) {
        synchronized (first) {
            synchronized (second) {
            }
        }
    }

    public static void main(String[] args) {
        Thread t = new Thread(() -> take(a, b));
        t.start();
        take(b, a);
    }
}
'''

POOL = '''
import java.util.concurrent.*;

public class Pool {
    static int count;

    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(1);
        pool.submit(() -> count++).get();
        pool.shutdown();
    }
}
'''


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp('captured')
    for name, source in (('Lost', LOST), ('Waits', WAITS), ('Locks', LOCKS), ('Pool', POOL)):
        compile_java(where, name, source)
    return where


def record(ebb, folder, name, *options):
    schedule = folder / f'{name}.schedule'
    done = ebb(['record', '-o', folder / f'{name}.ebb', '--schedule', schedule, *options, 'java', '-cp', folder, name], timeout=120)
    assert schedule.exists(), done.stderr
    assert ebb(['schedule', 'check', schedule], timeout=60).returncode == 0
    return schedule.read_text().splitlines()


def commands(lines):
    """Without comments and places."""
    return [re.sub(r'^(before|in) \S+ ([^(\s]+)\S* \d+ \d+$', r'\1 \2', line) for line in lines if not line.startswith('#')]


def test_a_run_by_turns(ebb, folder):
    assert commands(record(ebb, folder, 'Lost')) == [
        'in main', 'switch 1', 'before add', 'die 2', 'before add', 'die 0', 'before main', 'terminate']


def test_notified_and_timed_out(ebb, folder):
    lines = commands(record(ebb, folder, 'Waits', '--scheduling', 'keep'))
    assert lines == ['in main', 'switch 1', 'in wait_for_it', 'timeout 0', 'switch 0', 'before main', 'notify 1', 'in main', 'switch 1',
                     'before wait_for_it', 'die 0', 'before main', 'terminate']


def test_a_deadlock_ends_in_nobody(ebb, folder):
    out = folder / 'locks.ebb'
    assert ebb(['explore', '--runs', '500', '-o', out, 'java', '-cp', folder, 'Locks'], timeout=300).returncode == 1
    schedule = folder / 'locks.schedule'
    assert ebb(['schedule', 'check', schedule], timeout=60).returncode == 0
    lines = schedule.read_text().splitlines()
    assert lines[-1] == 'switch none'
    inner = {line for line in lines if line.startswith('before Locks take')}
    assert len(inner) == 1, lines  # both wait at the inner monitorenter


def test_threads_of_the_class_library_have_names(ebb, folder):
    lines = record(ebb, folder, 'Pool', '--scheduling', 'keep')
    assert lines[0] == 'thread 1 pool-1-thread-1', lines
    assert 'in none' in lines


def test_an_uncaught_failure_ends_before_what_threw(ebb, folder):
    out = folder / 'lost.ebb'
    assert ebb(['explore', '--runs', '500', '-o', out, 'java', '-cp', folder, 'Lost'], timeout=300).returncode == 1
    lines = (folder / 'lost.schedule').read_text().splitlines()
    assert commands(lines)[-2:] == ['before main', 'terminate']
    shown = ebb(['replay', '--batch', '-e', 'goto end', '-e', 'schedule show', out], timeout=120)
    assert '\n'.join(lines) in shown.stdout


def test_up_to_a_stop_of_a_run_and_of_its_past(ebb, folder):
    words = [word for command in ('break Lost.add', 'run', 'schedule show', 'delete', 'stepi 2', 'schedule show', 'reverse-stepi', 'schedule save SAVED',
                                  'continue', 'continue', 'schedule show') for word in ('-e', command.replace('SAVED', str(folder / 'saved')))]
    done = ebb(['run', '--batch', *words, 'java', '-cp', folder, 'Lost'], timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    ends = re.findall(r'^before Lost (\S+) (\d+ \d+)\nterminate', done.stdout, re.M)
    assert [at for _, at in ends[:2]] == ['0 1', '4 1'], done.stdout  # getstatic is at 0, iconst_1 at 3, iadd at 4
    assert ends[2][0].startswith('main'), done.stdout
    assert (folder / 'saved').read_text().endswith('before Lost add()V 3 1\nterminate\n')


def test_mistakes(ebb, folder):
    done = ebb(['run', '--batch', '-e', 'schedule save x', 'java', '-cp', folder, 'Lost'], timeout=60)
    assert done.returncode == 1 and done.stderr.count('\n') == 1
    done = ebb(['record', '-o', folder / 'x.ebb', '--schedule', folder / 'x', 'java', '-cp', folder, 'Nowhere'], timeout=60)
    assert 'main was never called' in done.stderr and not (folder / 'x').exists()
    done = ebb(['record', '-o', folder / 'x.ebb', '--scheduling', 'luck', 'java', '-cp', folder, 'Lost'], timeout=60)
    assert done.returncode != 0 and 'not "luck"' in done.stderr
    done = ebb(['run', '--batch', '-e', 'start', '-e', 'schedule save /nowhere/x', 'java', '-cp', folder, 'Lost'], timeout=60)
    assert done.returncode == 1 and 'cannot write /nowhere/x' in done.stderr
    done = ebb(['run', '--batch', '-e', 'start', '-e', 'schedule show', '/bin/true'], timeout=60)
    assert done.returncode == 1
