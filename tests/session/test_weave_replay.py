"""`ebb weave replay`: a program with a schedule woven in does what the schedule says, on every JVM that is here."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from java_source import compile_java

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tests/jvm/conformance'))

import conformance as suite     # noqa: E402

HOME = suite.java_home()
LONG = os.environ.get('EBB_LONG_TESTS') == '1'
pytestmark = pytest.mark.skipif(HOME is None, reason='no JDK 17 found: install openjdk-17-jdk-headless')

LEFT, HELD = 3, 4  # exit statuses of the engine: the program left its schedule; threads can't go on, as the schedule says


def machine_options(machine):
    if machine == 'ours':
        if suite.why_no_machine():
            pytest.skip(suite.why_no_machine())
        return [f'-XXaltjvm={suite.jvm_dir()}']
    if machine == 'zero' and not (HOME / 'lib/zero/libjvm.so').exists():
        pytest.skip('no Zero: install openjdk-17-jre-zero')
    return {'hotspot': ['-Xverify:all'], 'interpreted': ['-Xint'], 'zero': ['-zero']}[machine]


MACHINES = ['hotspot', 'interpreted', 'zero', 'ours']


@pytest.fixture
def replayed(tmp_path, ebb):
    """replayed(name, source, schedule) -> a folder with the program, and the schedule woven into it."""

    def make(name, source, schedule):
        classes = tmp_path / 'classes'
        classes.mkdir(exist_ok=True)
        compile_java(classes, name, source)
        file = tmp_path / 'test.sched'
        file.write_text(schedule)
        done = ebb(['weave', 'replay', file, '-o', tmp_path / 'woven', classes])
        assert done.returncode == 0, done.stderr
        return tmp_path / 'woven'

    return make


def java(folder, name, *options, machine='hotspot', timeout=60):
    return subprocess.run([HOME / 'bin/java', *machine_options(machine), *options, '-cp', folder, name], capture_output=True, text=True,
                          timeout=timeout, stdin=subprocess.DEVNULL)


def marks(source):
    """Numbers of the lines that have an `// @name`."""
    return {m[1]: n for n, line in enumerate(source.splitlines(), 1) if (m := re.search(r'// @(\w+)', line))}


def at_marks(schedule, source):
    """The schedule, with `@name` in it as `line:N`."""
    found = marks(source)
    return re.sub(r'@(\w+)', lambda m: f'line:{found[m[1]]}', schedule)


# ---- the paper's example: one producer, two consumers, nothing synchronized ----

PRODUCER_CONSUMER = '''
    public class Example {
        static class Buffer {
            final int[] cells = new int[2];
            int n;
            int size() { return n; }
            void put(int x) { cells[n] = x; n++; }
            int get() { n--; return cells[n]; }
        }
        static class Producer extends Thread {
            final Buffer buffer;
            Producer(Buffer buffer) { this.buffer = buffer; }
            public void run() {
                for (int i = 0; ; i++)
                    if (buffer.size() < 1)
                        buffer.put(i);
            }
        }
        static class Consumer extends Thread {
            final Buffer buffer;
            Consumer(Buffer buffer) { this.buffer = buffer; }
            public void run() {
                while (true)
                    if (buffer.size() > 0)
                        buffer.get();
            }
        }
        public static void main(String[] args) throws InterruptedException {
            Buffer buffer = new Buffer();
            Thread[] all = {new Producer(buffer), new Consumer(buffer), new Consumer(buffer)};
            for (Thread t : all)
                t.start();
            for (Thread t : all)
                t.join(); // @join
        }
    }'''

# Offsets as javac makes them: the producer has put at 21; a consumer gets from 10 to 17, and goes round at 18.
FAILING = '''
    in Example main @join 1
    switch 1
    before Example$Producer run 21 1    # the buffer has one element
    switch 2
    before Example$Consumer run 10 1    # it has been asked
    switch 3
    before Example$Consumer run 18 1    # a full iteration
    switch 2
'''

LOOPING = '''
    in Example main @join 1
    switch 1
    before Example$Producer run 21 1
    switch 2
    before Example$Consumer run 18 1
    switch 1
    loopbegin
    before Example$Producer run 21 2
    switch 2
    before Example$Consumer run 18 2
    log 1 the first consumer
    switch 1
    loopend 2
    before Example$Producer run 21 2
    switch 3
    before Example$Consumer run 18 1
    switch 1
    loopbegin
    before Example$Producer run 21 2
    switch 3
    before Example$Consumer run 18 2
    log 1 the second consumer
    switch 1
    loopend inf
'''


@pytest.mark.parametrize('machine', MACHINES)
def test_the_failing_schedule_fails_each_time(replayed, machine):
    folder = replayed('Example', PRODUCER_CONSUMER, at_marks(FAILING, PRODUCER_CONSUMER))
    for _ in range(100 if LONG else 2):
        done = java(folder, 'Example', machine=machine)
        assert done.returncode == HELD, done.stderr
        assert 'Exception in thread "Thread-1" java.lang.ArrayIndexOutOfBoundsException: Index -1' in done.stderr
        assert [line for line in done.stderr.splitlines() if line.startswith('  thread')] == [
            '  thread 0 (main):', '  thread 1 (Thread-0):', '  thread 3 (Thread-2):']


@pytest.mark.parametrize('machine', MACHINES)
def test_the_looping_schedule_loops(replayed, machine):
    folder = replayed('Example', PRODUCER_CONSUMER, at_marks(LOOPING, PRODUCER_CONSUMER))
    p = subprocess.Popen([HOME / 'bin/java', *machine_options(machine), '-Debb.verbosity=1', '-cp', folder, 'Example'],
                         stderr=subprocess.PIPE, text=True)
    try:
        said = [p.stderr.readline().rstrip() for _ in range(1000)]
    finally:
        p.kill()
        p.wait()
    assert said == ['the first consumer'] * 2 + ['the second consumer'] * 998


def test_messages_are_replayed_too(replayed, tmp_path, ebb):
    (tmp_path / 'switches').write_text(at_marks(FAILING, PRODUCER_CONSUMER))
    converted = ebb(['schedule', 'convert', tmp_path / 'switches'])
    assert 'receive' in converted.stdout
    done = java(replayed('Example', PRODUCER_CONSUMER, converted.stdout), 'Example')
    assert done.returncode == HELD and 'Index -1' in done.stderr


def test_a_woven_program_can_run_without_its_schedule(replayed):
    source = '''
        public class Off {
            static int n;
            public static void main(String[] a) throws Exception {
                Thread t = new Thread(() -> n++);
                t.start();
                t.join();
                System.out.println(n);
            }
        }'''
    folder = replayed('Off', source, 'before Off main 0 1\nswitch none\n')
    assert java(folder, 'Off', '-Debb.replay=off').stdout == '1\n'


# ---- orders ----

def test_the_last_value_depends_on_the_schedule(replayed):
    """A lost update, and none, of the same program; threads are lambdas and a Runnable."""
    source = '''
        public class Lost {
            static int n;
            static void add() {
                int old = n;
                n = old + 1; // @write
            }
            public static void main(String[] a) throws Exception {
                Thread one = new Thread(() -> add()), two = new Thread(new Runnable() { public void run() { add(); } });
                one.start();
                two.start();
                one.join(); // @one
                two.join(); // @two
                System.out.println(n);
            }
        }'''
    lost = '''
        in Lost main @one 1
        switch 1
        before Lost add @write 1
        switch 2
        before Lost$1 run line:9 2
        die 1
        before Lost lambda$main$0 3 1
        die 0
        terminate'''
    kept = '''
        in Lost main @one 1
        switch 2
        before Lost$1 run 3 1
        die 1
        before Lost lambda$main$0 3 1
        die 0'''
    lost = lost.replace('run line:9 2', 'run 3 1')
    assert java(replayed('Lost', source, at_marks(lost, source)), 'Lost').stdout == '1\n'
    assert java(replayed('Lost', source, at_marks(kept, source)), 'Lost').stdout == '2\n'


DEADLOCK = '''
    public class Locks {
        static void both(Object a, Object b) {
            synchronized (a) {
                synchronized (b) { // @inner
                    System.out.println("both");
                }
            }
        }
        public static void main(String[] args) throws Exception {
            Object x = new Object(), y = new Object();
            Thread one = new Thread(() -> both(x, y), "one"), two = new Thread(() -> both(y, x), "two");
            one.start();
            two.start();
            one.join(); // @join
        }
    }'''


@pytest.mark.parametrize('machine', MACHINES)
def test_a_deadlock_ends_with_its_threads(replayed, machine):
    schedule = '''
        in Locks main @join 1
        switch 1
        before Locks both @inner 1
        switch 2
        before Locks both @inner 1
        switch none'''
    done = java(replayed('Locks', DEADLOCK, at_marks(schedule, DEADLOCK)), 'Locks', machine=machine)
    assert done.returncode == HELD and done.stdout == ''
    assert "the schedule ends with threads that can't go on" in done.stderr
    line = marks(DEADLOCK)['inner']
    assert done.stderr.count(f'at Locks.both(Locks.java:{line})') == 2


# ---- who leaves the schedule is told ----

@pytest.mark.parametrize('schedule, told', [
    ('in Locks main @join 1\nswitch 7\n', r':2: thread 7 should go on, but there is none: 3 threads'),
    ('in Locks main @join 1\nswitch 1\nbefore Locks both @inner 2\nswitch 2\n',
     r':3: thread 1 \(one\) should come to: before Locks both \d+ \(line \d+\), the 2nd time; but it has ended \(it came there 1 times\)'),
    ('in Locks main @join 1\nswitch 1\nbefore Locks both @inner 1\nswitch 2\nbefore Locks both 0 2\nswitch 1\n',
     r':5: thread 2 \(two\) should come to: before Locks both 0 .*, the 2nd time; but it is blocked'),
    ('before Locks both 0 1\nswitch 1\n', r':1: thread 0 \(main\) should come to: before Locks both 0 .*; but it is blocked'),
])
def test_leaving_the_schedule_is_told(replayed, schedule, told):
    done = java(replayed('Locks', DEADLOCK, at_marks(schedule, DEADLOCK)), 'Locks', '-Debb.patience=0.3')
    assert done.returncode == LEFT and 'ebb: the program has left its schedule' in done.stderr
    assert re.search(told, done.stderr), done.stderr


# ---- schedules that don't fit the program ----

def test_places_that_are_not_there_are_told_line_by_line(tmp_path, ebb):
    classes = tmp_path / 'classes'
    classes.mkdir()
    compile_java(classes, 'Locks', DEADLOCK)
    schedule = tmp_path / 'bad.sched'
    schedule.write_text('''before Nowhere run 0 1
        switch 0
        before Locks nothing 0 1
        switch 0
        before Locks both 999 1
        switch 0
        before Locks both line:99 1
        switch 0
        before Locks 77 0 1
        switch 0
        in Locks both 0 1
        switch 0
        before Locks both 99999 1
        in Locks both 0 none''')
    done = ebb(['weave', 'replay', schedule, '-o', tmp_path / 'out', classes])
    assert done.returncode == 1 and not (tmp_path / 'out').exists()
    assert [line.split(': ')[0] for line in done.stderr.splitlines()] == [f'{schedule}:13', f'{schedule}:14']
    schedule.write_text('\n'.join(schedule.read_text().splitlines()[:-2]))
    done = ebb(['weave', 'replay', '-o', tmp_path / 'out', schedule, classes])
    assert done.returncode == 1 and not (tmp_path / 'out').exists()
    assert done.stderr.splitlines() == [
        f'{schedule}:1: there is no class Nowhere in what is woven',
        f'{schedule}:3: Locks has no method nothing with code',
        f'{schedule}:5: Locks both has no bytecode at 999',
        f'{schedule}:7: Locks both has no code of line 99',
        f'{schedule}:9: Locks has no method 77 with code',
        f'{schedule}:11: nothing blocks in Locks both at 0: it is no call']


def test_what_makes_no_sense_is_said(tmp_path, ebb):
    (tmp_path / 'a.sched').write_text('terminate\nterminate\n')
    assert ebb(['weave', 'replay']).returncode == 2
    assert ebb(['weave', 'replay', tmp_path / 'a.sched']).returncode == 2
    assert ebb(['weave', 'replay', tmp_path / 'a.sched', '--in-memory', tmp_path]).returncode == 2
    done = ebb(['weave', 'replay', tmp_path / 'a.sched', tmp_path])
    assert done.returncode == 1 and 'a.sched:2: this is never reached' in done.stderr
    done = ebb(['weave', 'replay', tmp_path / 'none.sched', tmp_path])
    assert done.returncode == 1 and 'none.sched' in done.stderr


def test_classes_that_the_schedule_does_not_touch_stay(tmp_path, ebb):
    classes = tmp_path / 'classes'
    classes.mkdir()
    compile_java(classes, 'Example', PRODUCER_CONSUMER)
    (tmp_path / 'a.sched').write_text('before Example$Buffer put 0 1\n')
    assert ebb(['weave', 'replay', tmp_path / 'a.sched', '-o', tmp_path / 'out', classes]).returncode == 0
    same = {p.name: p.read_bytes() == (tmp_path / 'out' / p.name).read_bytes() for p in classes.glob('*.class')}
    assert same == {'Example.class': False, 'Example$Buffer.class': False, 'Example$Producer.class': False, 'Example$Consumer.class': False}
    listing = subprocess.run([HOME / 'bin/javap', '-c', '-p', tmp_path / 'out/Example$Consumer.class'], capture_output=True, text=True, check=True).stdout
    assert listing.count('ebb/replay/') == 1 and 'ebb/replay/Replay.enter' in listing
