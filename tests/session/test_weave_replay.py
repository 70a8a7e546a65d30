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


@pytest.fixture(scope='module')
def compiled(tmp_path_factory):
    """compiled(name, source) -> the folder with its class files; the same source is compiled once."""
    known = {}

    def make(name, source):
        if source not in known:
            known[source] = compile_java(tmp_path_factory.mktemp('classes'), name, source)
            (known[source] / f'{name}.java').unlink()
        return known[source]

    return make


@pytest.fixture
def replayed(tmp_path, ebb, compiled):
    """replayed(name, source, schedule) -> a folder with the program, and the schedule woven into it."""

    def make(name, source, schedule):
        classes = compiled(name, source)
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
    ('in Locks main @join 1\nswitch 7\n', r':2: thread 7 should go on, but there is none; threads so far: 3'),
    ('in Locks main @join 1\nswitch 1\nbefore Locks both @inner 2\nswitch 2\n',
     r':3: thread 1 \(one\) should come to: before Locks both \d+ \(line \d+\), the 2nd time; but it has ended \(times that it came there: 1\)'),
    ('in Locks main @join 1\nswitch 1\nbefore Locks both @inner 1\nswitch 2\nbefore Locks both 0 2\nswitch 1\n',
     r':5: thread 2 \(two\) should come to: before Locks both 0 .*, the 2nd time; but it is blocked'),
    ('in Locks main @join 1\nswitch 1\nbefore Locks both @inner 1\nswitch 2\nbefore Locks both 0 1\nnotify 1\nswitch 3\n', r':7: thread 3 should go on, but there is none'),
    ('thread 7 none\nin Locks main @join 1\ntimeout 7\nswitch 1\n', r':3: thread 7 should be waiting, but there is none; threads so far: 3'),
    ('before Locks both 0 1\nswitch 1\n', r':1: thread 0 \(main\) should come to: before Locks both 0 .*; but it is blocked'),
    ('before Locks main 0 1\ndie none\n', r':2: thread 0 \(main\) should have ended, but it is blocked'),
    ('before Locks main 0 1\ndie 1\n', r':2: thread 0 \(main\) should have ended, but it is blocked'),
])
def test_leaving_the_schedule_is_told(replayed, schedule, told):
    done = java(replayed('Locks', DEADLOCK, at_marks(schedule, DEADLOCK)), 'Locks', '-Debb.patience=0.3')
    assert done.returncode == LEFT and 'ebb: the program has left its schedule' in done.stderr
    assert re.search(told, done.stderr), done.stderr


def test_a_patience_that_is_no_number(replayed):
    """One line, and the program goes on as if nothing had been said."""
    folder = replayed('Locks', DEADLOCK, at_marks('in Locks main @join 1\nswitch 7\n', DEADLOCK))
    done = java(folder, 'Locks', '-Debb.patience=soon')
    assert done.stderr.startswith('ebb: -Debb.patience is a number of seconds, not "soon"; it is 5\n') and 'Exception' not in done.stderr
    assert done.returncode == LEFT


ENDS = '''public class Ends {
    static void never() { }
    public static void main(String[] args) { if (Boolean.getBoolean("exits")) System.exit(0); }
}'''


OWNS_STREAMS = '''
    public class Owns {
        static void last() { } // @last
        public static void main(String[] args) throws InterruptedException {
            Thread t = new Thread(() -> { synchronized (System.out) { synchronized (System.err) { last(); } } });
            t.start();
            t.join(); // @join
        }
    }'''


def test_it_is_told_though_a_thread_owns_the_streams(replayed):
    """The watchdog needs nothing that a thread of the program may have when the turn goes to nobody."""
    schedule = 'in Owns main @join 1\nswitch 1\nbefore Owns last 0 1\nswitch 7\n'
    done = java(replayed('Owns', OWNS_STREAMS, at_marks(schedule, OWNS_STREAMS)), 'Owns', '-Debb.patience=0.3')
    assert done.returncode == LEFT and ':4: thread 7 should go on, but there is none' in done.stderr


SPINS = '''
    public class Spins {
        static volatile boolean go;
        static void after() { }
        public static void main(String[] args) {
            new Thread(() -> go = true).start();
            while (!go)
                Thread.onSpinWait();
            after();
        }
    }'''


READS = '''
    import java.io.*;
    public class Reads {
        static void after() { }
        public static void main(String[] args) throws IOException {
            PipedOutputStream out = new PipedOutputStream();
            PipedInputStream in = new PipedInputStream(out);
            if (Boolean.getBoolean("writes"))
                out.write(1);
            in.read(); // @read
            after();
        }
    }'''


def test_a_thread_that_waits_for_a_time_is_told_of_and_then_ended(replayed):
    """What it waits for may come; so it is told soon, and ended late."""
    folder = replayed('Reads', READS, 'before Reads after 0 1\nterminate\n')
    done = java(folder, 'Reads', '-Debb.patience=0.1')
    wanted = r'thread 0 \(main\) should come to: before Reads after 0 \(line 4\)'
    assert done.returncode == LEFT and re.search(rf':1: {wanted}; but it is blocked', done.stderr)
    assert re.match(rf'ebb: .*:1: {wanted}; it waits for a time in Reads.main\(Reads.java:{marks(READS)["read"]}\); nothing else has happened', done.stderr)
    assert java(folder, 'Reads', '-Dwrites=true').returncode == 0


def test_a_thread_that_runs_for_ever_is_told_of(replayed):
    """It may take its time, so it is not ended; but nobody has to guess why nothing happens."""
    folder = replayed('Spins', SPINS, 'before Spins after 0 1\nterminate\n')
    with subprocess.Popen([HOME / 'bin/java', '-Debb.patience=0.05', '-cp', folder, 'Spins'], stderr=subprocess.PIPE, text=True) as run:
        told = run.stderr.readline()
        run.kill()
    assert re.search(r'test.sched:1: thread 0 \(main\) should come to: before Spins after 0 .*; nothing else has happened for', told), told


@pytest.mark.parametrize('exits, told', [('false', 'it has ended'), ('true', 'it ends the program')])
def test_a_program_that_ends_before_its_schedule_has_left_it(replayed, exits, told):
    """The JVM must not be quicker with its own end than the watch is."""
    folder = replayed('Ends', ENDS, 'before Ends never 0 1\nterminate\n')
    for _ in range(5):
        done = java(folder, 'Ends', f'-Dexits={exits}')
        assert done.returncode == LEFT and f':1: thread 0 (main) should come to: before Ends never 0 (line 2); but {told}' in done.stderr, done.stderr


HOOKED = '''public class Hooked {
    static void hook() { System.out.println("hook"); }
    public static void main(String[] args) {
        Runtime.getRuntime().addShutdownHook(new Thread(Hooked::hook, "hook"));
        System.exit(9);
    }
}'''


def test_a_program_may_be_expected_to_block_in_its_end(replayed):
    """Until its hooks have ended."""
    schedule = 'thread 1 hook\nin Hooked main line:5 1\nswitch 1\nbefore Hooked hook 8 1\ndie 0\nterminate\n'
    done = java(replayed('Hooked', HOOKED, schedule), 'Hooked')
    assert (done.returncode, done.stdout) == (9, 'hook\n'), done.stderr


SAME = '''import java.util.concurrent.*;
public class Same {
    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2, r -> new Thread(r, "same"));
        Future<?> one = pool.submit(() -> System.out.println("one")), two = pool.submit(() -> System.out.println("two"));
        one.get();
        two.get();
        pool.shutdown();
    }
}'''


def test_threads_of_one_name_are_numbered_as_they_were_made(replayed):
    folder = replayed('Same', SAME, 'thread 1 same\nthread 2 same\nin Same main line:6 1\nswitch 2\nin none\nswitch 1\nin none\nswitch 0\nterminate\n')
    for _ in range(10):
        assert java(folder, 'Same').stdout == 'two\none\n'


LEAVES = '''public class Leaves {
    static void body() { }
    public static void main(String[] args) { new Thread(Leaves::body).start(); }
}'''


def test_a_thread_may_be_expected_to_block_on_its_way_out(replayed):
    """It has ended when the watch looks, and the schedule goes on: nothing hangs."""
    done = java(replayed('Leaves', LEAVES, 'in none\nswitch 7\n'), 'Leaves', '-Debb.patience=0.3')
    assert done.returncode == LEFT and ':2: thread 7 should go on, but there is none' in done.stderr, done.stderr


# ---- schedules that don't fit the program ----

def test_places_that_are_not_there_are_told_line_by_line(tmp_path, ebb, compiled):
    classes = compiled('Locks', DEADLOCK)
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


def test_a_loop_in_which_nothing_is_executed_is_refused(tmp_path, ebb, compiled):
    """The same place in other words: only who has the classes sees that."""
    classes = compiled('Locks', DEADLOCK)
    file = tmp_path / 'loop.sched'
    file.write_text('loopbegin\nbefore Locks main 0 1\nbefore Locks main([Ljava/lang/String;)V 0 1\nloopend inf\n')
    assert ebb(['schedule', 'check', file]).returncode == 0
    done = ebb(['weave', 'replay', file, '-o', tmp_path / 'woven', classes])
    assert done.returncode == 1 and done.stderr.splitlines()[0] == f'{file}:4: in the loop from line 1 no thread would execute anything'


def test_what_makes_no_sense_is_said(tmp_path, ebb):
    (tmp_path / 'a.sched').write_text('terminate\nterminate\n')
    assert ebb(['weave', 'replay']).returncode == 2
    assert ebb(['weave', 'replay', tmp_path / 'a.sched']).returncode == 2
    assert ebb(['weave', 'replay', tmp_path / 'a.sched', '--in-memory', tmp_path]).returncode == 2
    done = ebb(['weave', 'replay', tmp_path / 'a.sched', tmp_path])
    assert done.returncode == 1 and 'a.sched:2: this is never reached' in done.stderr
    done = ebb(['weave', 'replay', tmp_path / 'none.sched', tmp_path])
    assert done.returncode == 1 and 'none.sched' in done.stderr


def test_only_what_is_needed_is_changed(tmp_path, ebb, compiled):
    classes = compiled('Example', PRODUCER_CONSUMER)
    (tmp_path / 'a.sched').write_text('before Example$Buffer put 0 1\n')
    assert ebb(['weave', 'replay', tmp_path / 'a.sched', '-o', tmp_path / 'out', classes]).returncode == 0
    same = {p.name: p.read_bytes() == (tmp_path / 'out' / p.name).read_bytes() for p in classes.glob('*.class')}
    assert same == {'Example.class': False, 'Example$Buffer.class': False, 'Example$Producer.class': False, 'Example$Consumer.class': False}
    listing = subprocess.run([HOME / 'bin/javap', '-c', '-p', tmp_path / 'out/Example$Consumer.class'], capture_output=True, text=True, check=True).stdout
    assert listing.count('ebb/replay/') == 1 and 'ebb/replay/Replay.enter' in listing


# ---- wait, notify, sleep, join, interrupt, park ----

WAITS = '''
    import java.util.concurrent.locks.LockSupport;
    public class Waits {
        static final Object lock = new Object();
        static void tell(String what) { System.out.println(Thread.currentThread().getName() + " " + what + " " + Thread.currentThread().isInterrupted()); }
        static void block() throws InterruptedException {
            String how = System.getProperty("how");
            if (how.equals("wait"))
                synchronized (lock) { synchronized (lock) { lock.wait(); } } // @wait
            else if (how.equals("timed"))
                synchronized (lock) { lock.wait(1000000); } // @timed
            else if (how.equals("sleep"))
                Thread.sleep(1000000); // @sleep
            else if (how.equals("nap"))
                Thread.sleep(0); // @nap
            else if (how.equals("join"))
                Thread.currentThread().join(1000000); // @selfjoin
            else
                LockSupport.park(lock); // @park
        }
        static void blocked() {
            try {
                block();
                tell("goes on");
            } catch (InterruptedException e) {
                tell("is interrupted");
            }
        } // @end
        public static void main(String[] a) throws Exception {
            Thread one = new Thread(Waits::blocked, "one"), two = new Thread(Waits::blocked, "two");
            one.start();
            two.start();
            Thread.yield(); // @yield
            for (char what : System.getProperty("what").toCharArray()) // @loop
                synchronized (lock) {
                    switch (what) {
                    case 'n': lock.notify(); break;
                    case 'N': lock.notifyAll(); break;
                    case 'i': one.interrupt(); System.out.println(one.isInterrupted()); break;
                    case 'u': LockSupport.unpark(one); break;
                    }
                }
            one.join(); // @one
            two.join(); // @two
        }
    }'''


def waits(how, actions='', first=1, second=2):
    """Both threads block; the main thread does what the property says, then one and the other go on."""
    return f'''
        before Waits main @yield 1
        switch 1
        in Waits block @{how} 1
        switch 2
        in Waits block @{how} 1
        switch 0
        before Waits main @loop 1
        {actions}
        in Waits main @one 1
        switch {first}
        before Waits blocked @end 1
        die {second}
        before Waits blocked @end 1
        die 0'''


@pytest.mark.parametrize('how, what, actions, order, printed', [
    ('wait', 'nn', '', (1, 2), ['one goes on false', 'two goes on false']),
    ('wait', 'N', '', (2, 1), ['two goes on false', 'one goes on false']),
    ('wait', 'iN', '', (1, 2), ['false', 'one is interrupted false', 'two goes on false']),
    ('wait', 'Ni', '', (1, 2), ['true', 'one goes on true', 'two goes on false']),
    ('wait', 'nni', 'notify 1', (1, 2), ['true', 'one goes on true', 'two goes on false']),
    ('wait', 'ni', 'notify 2', (2, 1), ['false', 'two goes on false', 'one is interrupted false']),
    ('timed', '', '', (1, 2), ['one goes on false', 'two goes on false']),
    ('timed', 'i', '', (1, 2), ['false', 'one is interrupted false', 'two goes on false']),
    ('timed', 'i', 'timeout 1', (1, 2), ['true', 'one goes on true', 'two goes on false']),
    ('sleep', 'i', '', (2, 1), ['false', 'two goes on false', 'one is interrupted false']),
    ('nap', 'i', '', (1, 2), ['true', 'one goes on true', 'two goes on false']),
    ('selfjoin', '', 'timeout 1', (2, 1), ['two goes on false', 'one goes on false']),
    ('park', 'u', '', (1, 2), ['one goes on false', 'two goes on false']),
    ('park', 'i', '', (1, 2), ['true', 'one goes on true', 'two goes on false']),
])
def test_what_wakes_a_thread_decides_what_it_finds(replayed, how, what, actions, order, printed):
    folder = replayed('Waits', WAITS, at_marks(waits(how, actions, *order), WAITS))
    done = java(folder, 'Waits', f'-Dhow={how.replace("self", "")}', f'-Dwhat={what}')
    assert done.stdout.splitlines() == printed, done.stderr
    assert done.returncode == 0


def test_arguments_are_checked_as_the_jdk_does(replayed, compiled):
    source = '''
        public class Checks {
            interface Call { void go() throws Exception; }
            static void check(Call call) {
                try { call.go(); System.out.println("fine"); } catch (Exception e) { System.out.println(e); }
            }
            public static void main(String[] a) {
                Object o = new Object();
                Thread t = new Thread();
                check(() -> o.wait());
                check(() -> o.wait(-1));
                check(() -> { synchronized (o) { o.wait(1, -1); } });
                check(() -> o.notify());
                check(() -> o.notifyAll());
                check(() -> t.join());
                check(() -> t.join(-1));
                check(() -> Thread.sleep(-1));
                check(() -> Thread.sleep(1, 1000000));
                check(() -> { Thread.currentThread().interrupt(); Thread.sleep(1); });
                check(() -> { Thread.currentThread().interrupt(); synchronized (o) { o.wait(); } });
                check(() -> ((Object) null).wait());
                System.out.println(Thread.interrupted());
            }
        }'''
    folder = replayed('Checks', source, 'before Checks main 0 1\nlog 1 here\n')
    expected, told = (java(f, 'Checks').stdout.splitlines() for f in (compiled('Checks', source), folder))
    assert [line.split(':')[0] for line in told] == [line.split(':')[0] for line in expected]
    assert 'java.lang.IllegalMonitorStateException: current thread is not owner' in told and len(told) == 13
    assert java(folder, 'Checks', '-Debb.replay=off').stdout.splitlines()[1:-2] == expected[1:-2]


# ---- a stock debugger ----

def jdb(arguments, talk):
    """What jdb says when it is told each line after the prompt that goes with it."""
    p = subprocess.Popen([HOME / 'bin/jdb', *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = seen = b''
    try:
        for prompt, line in talk:
            while not re.search(prompt.encode(), seen):
                got = os.read(p.stdout.fileno(), 4096)
                assert got, said.decode()
                said, seen = said + got, seen + got
            seen = b''
            p.stdin.write(line.encode() + b'\n')
            p.stdin.flush()
        p.stdin.close()
        return (said + p.stdout.read()).decode()
    finally:
        p.kill()
        p.wait()


def test_jdb_steps_by_the_schedule(replayed, compiled):
    """Breakpoints are hit by the threads in the order of the schedule, steps stay out of the engine, and one thread is runnable."""
    source = '''
        public class Steps {
            static int shared;
            static void work(int me) {
                int seen = shared;      // @read
                shared = seen + me;     // @write
                int now = shared;       // @again
            }                           // @end
            public static void main(String[] a) throws Exception {
                Thread one = new Thread(() -> work(1), "one"), two = new Thread(() -> work(10), "two");
                one.start();
                two.start();
                one.join();             // @one
                two.join();             // @two
                System.out.println("shared " + shared);
            }
        }'''
    schedule = '''
        in Steps main @one 1
        switch 1
        before Steps work @write 1
        switch 2
        before Steps work @end 1
        switch 1
        before Steps lambda$main$0 4 1
        die 2
        before Steps lambda$main$1 5 1
        die 0'''
    folder = replayed('Steps', source, at_marks(schedule, source))
    at = marks(source)
    listing = subprocess.run([HOME / 'bin/javap', '-c', '-p', compiled('Steps', source) / 'Steps.class'], capture_output=True, text=True, check=True).stdout
    assert re.search(r'lambda\$main\$0\(\);\s+Code:\s+0: iconst_1\s+1: invokestatic[^\n]*\n\s+4: return', listing), listing
    where = r'(one|two)\[1\] '
    told = jdb(['-classpath', folder, 'Steps'],
               [('> ', f'stop at Steps:{at["read"]}'), ('> ', 'run'),
                (where, 'step'), (where, 'cont'),           # one steps to the write; at it, two gets the turn and comes to the breakpoint
                (where, 'threads'), (where, 'step'), (where, 'print Steps.shared'), (where, 'step'), (where, 'print Steps.shared'),
                (where, 'cont')])
    hits = re.findall(r'(Breakpoint hit|Step completed): "thread=(\w+)", (Steps[^ ]*)\(\), line=(\d+)', told)
    assert hits == [('Breakpoint hit', 'one', 'Steps.work', str(at['read'])), ('Step completed', 'one', 'Steps.work', str(at['write'])),
                    ('Breakpoint hit', 'two', 'Steps.work', str(at['read'])), ('Step completed', 'two', 'Steps.work', str(at['write'])),
                    ('Step completed', 'two', 'Steps.work', str(at['again']))], told
    assert [told.count(f' Steps.shared = {n}') for n in (0, 10)] == [1, 1]
    states = dict(re.findall(r'\s(main|one|two) +(running|cond. waiting)', told))
    assert states == {'main': 'cond. waiting', 'one': 'cond. waiting', 'two': 'running'}, told


def test_a_thread_without_the_turn_is_at_no_breakpoint(replayed):
    """In the method that it begins with it waits before the first line."""
    source = '''
        public class Begins extends Thread {
            Begins(String name) { super(name); }
            public void run() {
                System.out.println(getName());   // @first
            }                                    // @last
            public static void main(String[] a) throws Exception {
                Thread one = new Begins("one"), two = new Begins("two");
                one.start();
                two.start();
                one.join();             // @join
                two.join();
            }
        }'''
    schedule = 'in Begins main @join 1\nswitch 2\nbefore Begins run @last 1\ndie 1\nbefore Begins run @last 1\ndie 0\n'
    folder = replayed('Begins', source, at_marks(schedule, source))
    at = marks(source)
    where = r'(one|two)\[1\] '
    for stop in (f'stop at Begins:{at["first"]}', 'stop in Begins.run'):
        told = jdb(['-classpath', folder, 'Begins'], [('> ', stop), ('> ', 'run'), (where, 'cont'), (where, 'cont')])
        hits = re.findall(r'Breakpoint hit: "thread=(\w+)", Begins.run\(\), line=(\d+)', told)
        assert hits == [('two', str(at['first'])), ('one', str(at['first']))], told


# ---- what was captured on our machine is the same elsewhere ----

MIXED = Path(__file__).with_name('replayed') / 'Mixed.java'
KINDS = ['locks', 'queues', 'gates', 'pools', 'rw', 'monitors', 'parks']


@pytest.mark.parametrize('seed', range(1, 21) if LONG else [1, 2])
@pytest.mark.parametrize('kinds', [(k,) for k in KINDS] if LONG else [KINDS], ids='-'.join)
def test_a_captured_execution_is_replayed(tmp_path, ebb, compiled, kinds, seed):
    """Locks, conditions, queues, semaphores, latches, barriers, pools: what is printed depends on the order of threads."""
    machine_options('ours')
    classes, schedule = compiled('Mixed', MIXED.read_text()), tmp_path / 'captured.sched'
    ours = ebb(['record', '-o', tmp_path / 'x.ebb', '--schedule', schedule, '--scheduling', f'random:{seed}', 'java', '-cp', classes, 'Mixed', *kinds],
               timeout=120)
    assert ours.returncode == 0, ours.stderr
    done = ebb(['weave', 'replay', schedule, '-o', tmp_path / 'woven', classes])
    assert done.returncode == 0, done.stderr
    for machine in MACHINES if LONG else ['hotspot', 'zero']:
        theirs = subprocess.run([HOME / 'bin/java', *machine_options(machine), '-cp', tmp_path / 'woven', 'Mixed', *kinds], capture_output=True, text=True, timeout=60)
        assert theirs.returncode == 0 and theirs.stdout == ours.stdout, theirs.stderr


GRANDE = ROOT / 'bench/java/grande/Grande.java'
SIZES = {'barrier': 100, 'forkjoin': 20, 'method': 50000, 'block': 50000, 'crypt': 3000, 'lufact': 60, 'series': 100, 'sor': 80, 'sparse': 2000}


@pytest.mark.parametrize('name', SIZES if LONG else ['method', 'lufact'])
def test_programs_like_those_of_java_grande(tmp_path, ebb, compiled, name):
    """By turns, with many switches in the middle of loops; the result of the computation is the same."""
    machine_options('ours')
    classes, schedule, words = compiled('Grande', GRANDE.read_text()), tmp_path / 'captured.sched', ['Grande', name, '3', str(SIZES[name])]
    ours = ebb(['record', '-o', tmp_path / 'x.ebb', '--schedule', schedule, 'java', '-cp', classes, *words], timeout=120)
    assert ours.returncode == 0 and schedule.read_text().count('switch') > 5, ours.stderr
    assert ebb(['weave', 'replay', schedule, '-o', tmp_path / 'woven', classes]).returncode == 0
    for machine in MACHINES if LONG else ['hotspot', 'zero']:
        theirs = subprocess.run([HOME / 'bin/java', *machine_options(machine), '-cp', tmp_path / 'woven', *words], capture_output=True, text=True, timeout=120)
        assert theirs.returncode == 0 and theirs.stdout == ours.stdout, theirs.stderr


# ---- what is woven verifies, and runs as before ----

def listed_places(paths, every):
    """Each `every`-th bytecode of all methods with code, as javap tells them: (class, index of the method, offset)."""
    text = subprocess.run([HOME / 'bin/javap', '-c', '-p', *map(str, paths)], capture_output=True, text=True, check=True).stdout
    cls, method, n = None, -1, 0
    for line in text.splitlines():
        if m := re.match(r'(?:[a-z]+ )*(?:class|interface|@interface|enum) ([\w.$]+)', line):
            cls, method = m[1], -1
        elif re.match(r'  [^ ].*\).*;$|  static \{\};$', line):
            method += 1
        elif m := re.match(r' +(\d+): [a-z]', line):
            n += 1
            if n % every == 0:
                yield cls, method, int(m[1])


def weave_everywhere(ebb, tmp_path, every, *paths, classes, names=''):
    places = list(listed_places(classes, every))
    schedule = tmp_path / 'everywhere.sched'
    schedule.write_text(names + ''.join(f'before {c} {m} {o} 1\n' for c, m, o in places))
    done = ebb(['weave', 'replay', schedule, '-o', tmp_path / 'out', *paths], timeout=120)
    assert done.returncode == 0, done.stderr[-3000:]
    assert f'{len(set(places))} places' in done.stdout
    return tmp_path / 'out'


LINK_ALL = '''
    import java.io.*; import java.nio.file.*; import java.util.*;
    public class LinkAll {
        public static void main(String[] a) throws Exception {
            for (String name; (name = new BufferedReader(new InputStreamReader(System.in)).readLine()) != null;)
                for (String one : name.split(" "))
                    try { // asking for constructors links, and so verifies, the class
                        Class.forName(one, false, LinkAll.class.getClassLoader()).getDeclaredConstructors();
                    } catch (Throwable t) {
                        System.out.println(one + " " + t.getClass() + " " + t.getMessage());
                    }
            System.out.println("done");
        }
    }'''


def link_all(names, *class_path):
    return subprocess.run([HOME / 'bin/java', '-Xverify:all', '-cp', ':'.join(map(str, class_path)), 'LinkAll'], capture_output=True, text=True,
                          input=' '.join(names) + '\n', timeout=120, check=True).stdout


@pytest.mark.parametrize('jar', ['commons-lang3', 'ant'] + (['guava', 'hsqldb'] if LONG else []))
def test_jars_verify(tmp_path, ebb, compiled, jar):
    path = Path(f'/usr/share/java/{jar}.jar')
    if not path.exists():
        pytest.skip(f'no {path}')
    names = [n[:-6] for n in subprocess.run([HOME / 'bin/jar', 'tf', path], capture_output=True, text=True, check=True).stdout.split()
             if n.endswith('.class') and not n.startswith('META-INF') and n != 'module-info.class']
    chosen = names if LONG else names[::8]
    woven = weave_everywhere(ebb, tmp_path, 7, path, classes=[f'jar:file:{path}!/{n}.class' for n in chosen],
                             names='thread 1 nobody\n')  # so that threads of the class library may begin anywhere
    linker = compiled('LinkAll', LINK_ALL)
    names = [n.replace('/', '.') for n in names]
    before, after = (link_all(names, linker, p) for p in (path, woven / path.name))
    assert after == before and 'VerifyError' not in after and 'done' in after


RUN_CASES = [c for c in suite.quick_cases() if c.line is None]


def test_the_conformance_suite_runs_woven(tmp_path, ebb):
    """With a call at every third bytecode, replay off: everything runs as before, and verifies."""
    suite.compile_suite()
    classes = sorted(suite.CLASSES.rglob('*.class'))
    cases = RUN_CASES if LONG else RUN_CASES[::6]
    woven = weave_everywhere(ebb, tmp_path, 3, suite.CLASSES, classes=classes if LONG else classes[::4])

    def differences(case):
        command = [str(woven) if word == str(suite.CLASSES) else word for word in case.command(['-Xverify:all', '-Debb.replay=off'])]
        return suite.differences(case, suite.execute(command, case.stdin, 4 * case.timeout, case.env), suite.on_hotspot(case))

    pool = suite.Pool(cases, differences)
    failed = {c.name: pool.result(c) for c in cases}
    pool.close()
    assert not {name: why for name, why in failed.items() if why}
