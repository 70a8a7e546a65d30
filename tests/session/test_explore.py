"""ebb explore: schedules under which a Java program fails are found, made small and recorded."""
import re
import signal
import subprocess
from pathlib import Path

import pytest
from conftest import EBB
from java_source import compile_java

LOST = '''
public class Lost {
    static int count;

    static void add() {
        for (int i = 0; i < 3; i++)
            count++;
    }

    public static void main(String[] args) throws Exception {
        System.out.println("printed by every run");
        Thread a = new Thread(Lost::add), b = new Thread(Lost::add);
        a.start();
        b.start();
        a.join();
        b.join();
        if (count != 6)
            throw new AssertionError("lost " + (6 - count));
    }
}
'''

KEPT = LOST.replace('Lost', 'Kept').replace('static void add', 'static synchronized void add')

LOCKS = '''
public class Locks {
    static final Object a = new Object(), b = new Object();

    static void take(Object first, Object second) {
        synchronized (first) {
            synchronized (second) {
                System.out.println("both");
            }
        }
    }

    public static void main(String[] args) {
        new Thread(() -> take(a, b)).start();
        new Thread(() -> take(b, a)).start();
    }
}
'''

SPIN = '''
public class Spin {
    static boolean mine, yours;

    public static void main(String[] args) {
        Thread other = new Thread(() -> {
            mine = true;
            while (yours)
                ; // each waits for the other to give way
            mine = false;
        });
        other.start();
        yours = true;
        while (mine)
            ;
        yours = false;
    }
}
'''

ORDER = '''
public class Order {
    public static void main(String[] args) throws Exception {
        Thread other = new Thread(() -> System.out.println("other"));
        other.start();
        System.out.println("main");
        other.join();
    }
}
'''


@pytest.fixture(scope='module')
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp('explored')
    for name, source in (('Lost', LOST), ('Kept', KEPT), ('Locks', LOCKS), ('Spin', SPIN), ('Order', ORDER)):
        compile_java(folder, name, source)
    return folder


def explore(ebb, folder, name, *options):
    """What it says, and the file that it was to write."""
    out = folder / f'{name}.ebb'
    out.unlink(missing_ok=True)
    done = ebb(['explore', *options, '-o', out, 'java', '-cp', folder, name], timeout=300)
    assert 'printed by every run' not in done.stdout
    return done, out


@pytest.mark.parametrize('strategy', ['random', 'pct', 'pos', 'surw', 'bounded'])
def test_a_lost_update_is_found_and_made_small(ebb, programs, strategy):
    done, out = explore(ebb, programs, 'Lost', '--runs', '500', '--strategy', strategy)
    assert done.returncode == 1, done.stdout + done.stderr
    assert 'uncaught exception: java.lang.AssertionError at Lost.main (Lost.java:18)' in done.stdout
    assert re.search(r'Of \d+ decisions? [1-3] matters?:', done.stdout), done.stdout
    assert out.stat().st_size > 0


def test_the_recording_fails_at_its_end_and_goes_back(ebb, programs):
    _, out = explore(ebb, programs, 'Lost', '--runs', '500')
    words = [word for command in ('goto end', 'reverse-step', 'print Lost.count < 6', 'last-write Lost.count', 'goto start', 'break Lost.java:18', 'continue', 'when')
             for word in ('-e', command)]
    done = ebb(['replay', '--batch', *words, out], timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert '$1 = true' in done.stdout
    assert re.search(r'New value = \d', done.stdout)
    assert re.search(r'^\d+@Lost.java:18$', done.stdout, re.M)


def test_the_same_seed_finds_the_same(ebb, programs):
    def found(seed):
        return explore(ebb, programs, 'Lost', '--runs', '500', '--seed', seed)[0].stdout.splitlines()[:2]
    assert found('5') == found('5')


@pytest.mark.parametrize('strategy', ['pct', 'surw', 'bounded'])
def test_the_same_seed_tries_the_same(ebb, programs, strategy):
    def tried():
        done, _ = explore(ebb, programs, 'Kept', '--runs', '150', '--seed', '7', '--strategy', strategy)
        return re.search(r'\d+ distinct schedules.*', done.stdout)[0]
    assert tried() == tried()


def test_nothing_fails_where_nothing_can(ebb, programs):
    done, out = explore(ebb, programs, 'Kept', '--runs', '60')
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith('Nothing failed.\n60 runs in ')
    assert not out.exists()


def test_all_schedules_within_the_bound(ebb, programs):
    done, _ = explore(ebb, programs, 'Order', '--strategy', 'bounded', '--runs', '5000')
    assert done.returncode == 0, done.stdout + done.stderr
    assert 'there is no other schedule within the bound' in done.stdout


EARLY = '''
import java.util.Random;
import java.util.concurrent.*;

public class Early {
    static int count;

    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        Future<?> a = pool.submit(() -> count++), b = pool.submit(() -> count++);
        a.get();
        b.get();
        pool.shutdown();
        if (count == 2)
            return;
        CompletableFuture<Object> unused = new CompletableFuture<>();
        int told = System.identityHashCode(unused) ^ ThreadLocalRandom.current().nextInt() ^ (int) System.nanoTime() ^ new Random().nextInt();
        told ^= new Thread().getName().hashCode() ^ (int) new Thread().getId();
        System.exit(1 + (told >>> 8 & 127));
    }
}
'''


def test_what_is_done_before_the_first_run_can_not_be_told(ebb, tmp_path):
    """Classes are loaded and initialised early for the runs of the search, but not for the one that is recorded: hashes, random numbers, clocks and
    threads' names are the same in both, or the recorded run would exit with another status, and be none."""
    compile_java(tmp_path, 'Early', EARLY)
    done, _ = explore(ebb, tmp_path, 'Early', '--runs', '1000')
    status = re.search(r'exits with status (\d+)', done.stdout)
    assert status and 'ebb replay' in done.stdout, done.stdout + done.stderr


FROM = '''
public class From {
    static int prepared, count;

    static void prepare() {
        for (int i = 0; i < 3; i++)
            prepared++; // loses updates, too, but that is not what is looked for
    }

    static void add() {
        for (int i = 0; i < 3; i++)
            count++;
    }

    static void both(Runnable what) throws Exception {
        Thread a = new Thread(what), b = new Thread(what);
        a.start();
        b.start();
        a.join();
        b.join();
    }

    static void search() throws Exception {
        both(From::add);
    }

    public static void main(String[] args) throws Exception {
        both(From::prepare);
        if (prepared != 6)
            throw new AssertionError("prepared " + prepared);
        search();
        if (count != 6)
            throw new IllegalStateException("count " + count);
    }
}
'''


def test_the_search_begins_where_the_user_says(ebb, tmp_path):
    compile_java(tmp_path, 'From', FROM)
    for options, failure in (([], 'AssertionError'), (['--from', 'From.search'], 'IllegalStateException')):
        done, out = explore(ebb, tmp_path, 'From', '--runs', '500', *options)
        assert f'java.lang.{failure} at From.main' in done.stdout and 'ebb replay' in done.stdout, done.stdout + done.stderr
        way = [word for command in re.findall(r'`([^`]+)`', done.stdout)[1:] for word in ('-e', command)]
        there = ebb(['replay', '--batch', *way, out], timeout=120).stdout
        assert re.search(rf'exception thrown: java.lang.{failure}.*From.main', there), there
    done, out = explore(ebb, tmp_path, 'From', '--runs', '5', '--from', 'From.nowhere')
    assert done.returncode == 2 and done.stderr == 'ebb: From.nowhere, where the search was to begin, was not executed, or touches nothing that threads share.\n'
    assert not out.exists()


def test_a_deadlock_is_found(ebb, programs):
    done, out = explore(ebb, programs, 'Locks', '--runs', '500')
    assert done.returncode == 1, done.stdout + done.stderr
    assert 'deadlock: thread "' in done.stdout and 'Locks.java:7' in done.stdout
    for name in re.findall(r'thread "([^"]+)" waits', done.stdout):
        assert f'"{name}"' in ebb(['replay', '--batch', '-e', 'goto end', '-e', 'info threads', out], timeout=120).stdout
    told = ebb(['replay', '--batch', '-e', 'goto end', '-e', 'info threads', out], timeout=120)
    assert len(re.findall(r'BLOCKED', told.stdout)) == 1, told.stdout  # and the other is about to be
    assert len(re.findall(r'"Thread-.* Locks.take:7', told.stdout)) == 2, told.stdout


def test_a_livelock_is_found(ebb, programs):
    done, _ = explore(ebb, programs, 'Spin', '--runs', '500', '--limit', '3000')
    assert done.returncode == 1, done.stdout + done.stderr
    assert 'livelock' in done.stdout


def test_output_that_differs_fails_if_asked(ebb, programs):
    assert explore(ebb, programs, 'Order', '--runs', '100')[0].returncode == 0
    done, _ = explore(ebb, programs, 'Order', '--runs', '100', '--same-output')
    assert done.returncode == 1 and 'differing output' in done.stdout, done.stdout + done.stderr


SUM = '''
public class Sum {
    static int sum;

    static void add() {
        sum++;
    }

    static boolean isWhole() {
        return sum == 2;
    }

    static void isRight() {
        if (sum != 2)
            throw new IllegalStateException();
    }

    public static void main(String[] args) throws Exception {
        Thread a = new Thread(Sum::add), b = new Thread(Sum::add);
        a.start();
        b.start();
        a.join();
        b.join();
    }
}
'''


@pytest.mark.parametrize('check, says', [
    ('Sum.isWhole', 'check: Sum.isWhole says false.'),
    ('Sum.isRight', 'check: Sum.isRight throws java.lang.IllegalStateException.'),
])
def test_a_check_of_the_users(ebb, tmp_path, check, says):
    compile_java(tmp_path, 'Sum', SUM)
    done, out = explore(ebb, tmp_path, 'Sum', '--runs', '500', '--check', check)
    assert done.returncode == 1 and says in done.stdout, done.stdout + done.stderr
    if check == 'Sum.isWhole':
        told = ebb(['replay', '--batch', '-e', 'goto end', '-e', 'print Sum.sum', out], timeout=120)
        assert '$1 = 1' in told.stdout
        assert explore(ebb, tmp_path, 'Sum', '--runs', '30')[0].returncode == 0


@pytest.mark.parametrize('check', ['Sum.nothing', 'Nobody.isWhole', 'isWhole'])
def test_a_check_that_is_not_there_is_no_failure(ebb, tmp_path, check):
    compile_java(tmp_path, 'Sum', SUM)
    done, out = explore(ebb, tmp_path, 'Sum', '--runs', '500', '--check', check)
    assert done.returncode == 2 and done.stderr == f'ebb: There is no static method {check} without parameters.\n', done.stdout + done.stderr
    assert not done.stdout and not out.exists()


def test_an_interrupt_ends_the_search(ebb, programs, tmp_path):
    command = [EBB, 'explore', '--seconds', '600', '-o', tmp_path / 'x.ebb', 'java', '-cp', programs, 'Kept']
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as search:
        while 'Kept' not in subprocess.run(['ps', '--ppid', str(search.pid), '-o', 'args='], capture_output=True, text=True).stdout:
            pass
        search.send_signal(signal.SIGINT)
        told = search.communicate(timeout=120)[0]
    assert search.returncode == 0 and told.startswith('Nothing failed before it was interrupted.\n'), told


@pytest.mark.parametrize('words, says', [
    (['--runs', 'many', 'java', 'X'], '--runs takes a number'),
    (['--runs', '0', 'java', 'X'], '--runs takes a number from 1 on'),
    (['--seconds', '0', 'java', 'X'], '--seconds takes a number from 1 on'),
    (['--strategy', 'luck', 'java', 'X'], '--strategy knows random, pct, pos, surw and bounded'),
    ([], 'Which program?'),
])
def test_mistakes(ebb, words, says):
    done = ebb(['explore', *words], timeout=60)
    assert done.returncode == 2 and says in done.stderr


def test_where_nothing_can_be_written_nothing_is_searched(ebb, tmp_path):
    for words in (['-o', '/nonexistent/x'], ['-o', tmp_path / 'x', '--schedule', '/nonexistent/x']):
        done = ebb(['explore', *words, 'java', 'X'], timeout=60)
        assert (done.returncode, done.stdout, done.stderr) == (2, '', 'ebb: cannot write /nonexistent/x: No such file or directory\n')
    assert not list(tmp_path.iterdir())


def test_what_is_not_java(ebb):
    done = ebb(['explore', '/bin/true'], timeout=60)
    assert done.returncode == 2 and 'is not a Java program' in done.stderr


def test_a_class_that_is_not_there(ebb, tmp_path):
    done = ebb(['explore', '--runs', '5', 'java', '-cp', tmp_path, 'Nowhere'], timeout=60)
    assert done.returncode == 2 and 'ended before main was called' in done.stderr


@pytest.mark.parametrize('name', ['TaskOrder', 'SemaphoreExtra'])
def test_what_fails_inside_the_library_is_recorded(ebb, tmp_path, name):
    """A recording begins with a machine that is not warm, where the class library is loaded and initialised: that has no switch points."""
    compile_java(tmp_path, name, (Path(__file__).parent / f'bugs/{name}.java').read_text())
    done, out = explore(ebb, tmp_path, name, '--inside-library', '--runs', '2000')
    assert done.returncode == 1 and 'The recording is in' in done.stdout, done.stdout + done.stderr
    assert out.stat().st_size > 0
