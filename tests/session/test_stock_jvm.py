"""`ebb run --jvm stock`: a Java program on the launcher's own JVM, woven as it is loaded and driven over the debug protocol."""
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import PROMPT
from java_source import compile_java

ROOT = Path(__file__).resolve().parents[2]
AGENT = ROOT / 'build/src/weave/libebb_weave.so'
pytestmark = pytest.mark.skipif(shutil.which('java') is None, reason='no java found: install openjdk-17-jdk-headless')

BANK = '''
import java.util.*;
public class Bank {
    static class Account {
        final String name;
        int balance;
        Account(String name, int balance) { this.name = name; this.balance = balance; }
        void pay(int n) {
            balance -= n;
        }
    }
    static int rounds;
    static int total(Account[] all) {
        int sum = 0;
        for (Account a : all)
            sum += a.balance;
        return sum;
    }
    public static void main(String[] args) {
        Account[] all = new Account[5];
        for (int i = 0; i < 5; i++)
            all[i] = new Account("a" + i, 100 * i);
        for (int r = 0; r < 20; r++) {
            Account from = all[r % 5], to = all[(r * 3 + 1) % 5];
            int n = r == 13 ? 1000 : r;
            from.pay(n);
            to.pay(-n);
            rounds++;
        }
        try {
            Integer.parseInt("x" + rounds);
        } catch (NumberFormatException e) {
            rounds = -rounds;
        }
        System.out.println("total " + total(all));
    }
}
'''


@pytest.fixture(scope='module')
def bank(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp('bank'), 'Bank', BANK), 'Bank'


@pytest.fixture
def stock(ebb):
    """stock((folder, class), commands...) -> what ebb and the program say"""
    def run(program, *commands, fails=False, args=(), options=()):
        words = [w for c in commands for w in ('-e', c)]
        done = ebb(['run', '--jvm', 'stock', '--batch', *words, '--', 'java', *options, '-cp', str(program[0]), program[1], *args], timeout=120)
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        return done.stdout + done.stderr
    return run


def answers(out):
    return re.findall(r'^\$\d+ = (.*)$', out, re.M)


def positions(out):
    """What stops told and `when` answered."""
    return re.findall(r'^(\d+@\S+)$', out, re.M)


# ---- an ordinary debugger ----

def test_break_print_and_finish(bank, stock):
    out = stock(bank, 'break Bank.total', 'run', 'backtrace', 'print all[3]', 'print all[3].name + rounds', 'print all.length * 2 + 1',
                'print all[1].balance > all[2].balance', 'print Bank.rounds', 'info locals', 'finish', 'continue')
    assert re.search(r'#0 +Bank.total .*\n#1 +Bank.main', out)
    assert answers(out)[1:5] == ['"a3-20"', '11', 'false', '-20'] and 'name = "a3", balance = -683' in out
    assert 'Value returned is $6 = 1000' in out and 'total 1000' in out and 'exited normally' in out


def test_conditions_and_steps(bank, stock):
    out = stock(bank, 'start', 'break 26 if r == 13', 'continue', 'print n', 'step', 'print this.balance', 'next', 'next', 'print from.balance', 'print r')
    assert answers(out) == ['1000', '302', '-698', '13']
    assert 'Bank$Account.pay (' in out


def test_a_field_of_one_object_is_watched(bank, stock):
    """Only the writes to that object's field; of the twenty rounds, eight concern it."""
    out = stock(bank, 'break 23', 'run', 'watch all[3].balance', 'delete 1', *['continue'] * 9)
    assert re.findall(r'Old value = (\S+)', out)[:2] == ['300', '297'] and 'exited' in out
    assert len(re.findall(r'Old value', out)) == 8


def test_exceptions(bank, stock):
    out = stock(bank, 'catch throw NumberFormatException', 'run', 'print $_exception', 'backtrace', 'continue')
    assert 'For input string' in out and re.search(r'#\d+ +Bank.main', out) and 'exited normally' in out


def test_finish_ends_where_an_exception_is_handled(bank, stock):
    out = stock(bank, 'catch throw NumberFormatException', 'run', 'finish', 'next', 'print rounds', 'print e.getMessage()')
    assert answers(out)[0] in ('20', '-20') and 'Bank.main' in out.split('Run till exit')[1]


def test_methods_are_called_in_the_program(bank, stock):
    out = stock(bank, 'break Bank.total', 'run', 'when', 'print all[0].name.length() + "abc".substring(1).length()', 'print new Bank.Account("x", 41).balance + 1',
                'print Bank.total(all)', 'when', 'continue')
    told = positions(out)
    assert answers(out) == ['4', '42', '1000'] and len(told) == 3 and len(set(told)) == 1 and 'total 1000' in out


def test_variables_are_set(bank, stock):
    out = stock(bank, 'break 26 if r == 3', 'run', 'set var n = 7', 'set var from.balance = 5000', 'delete', 'break Bank.total', 'continue', 'print all[3].balance')
    assert answers(out) == [str(-683 + (5000 - 300) - (7 - 3))]


def test_threads(tmp_path, stock):
    program = compile_java(tmp_path, 'Two', '''
        public class Two {
            static void work(int n) { for (int i = 0; i < n; i++) Math.abs(i); }
            public static void main(String[] a) throws Exception {
                Thread t = new Thread(() -> work(50), "worker");
                t.start();
                t.join();
                work(3);
            }
        }'''), 'Two'
    out = stock(program, 'break Two.work', 'run', 'info threads', 'when', 'continue', 'when', 'continue')
    assert re.search(r'\* \d+ +"worker"', out) and 'exited normally' in out


def test_ctrl_c_and_input(tmp_path, pty_session):
    """The program has the terminal while it runs; Ctrl-C stops it, wherever it is, and not in what ebb wove in."""
    folder = compile_java(tmp_path, 'Busy', '''
        public class Busy {
            static volatile long n;
            public static void main(String[] a) throws Exception {
                System.out.println("read " + (char) System.in.read());
                while (true)
                    n++;
            }
        }''')
    t = pty_session(['run', '--jvm', 'stock', 'java', '-cp', str(folder), 'Busy'])
    t.send('run\n')
    t.send('x\n')
    t.expect('read x')
    for _ in range(20):
        t.send('\x03')
        t.expect('SIGINT')
        t.expect(PROMPT)
        t.seen = ''
        assert 'Busy.main' in t.command('bt')
        t.send('continue\n')
        t.expect('Continuing')
    t.send('\x03')
    t.expect('SIGINT')
    t.expect(PROMPT)
    t.seen = ''
    assert 'true' in t.command('print Busy.n >= 0')


def test_elements_of_a_class_that_is_not_linked(tmp_path, stock):
    program = compile_java(tmp_path, 'Empty', '''
        public class Empty {
            interface Never { }
            static Never[][] none = new Never[2][3];
            public static void main(String[] a) { System.out.println(none.length); }
        }'''), 'Empty'
    out = stock(program, 'start', 'print none', 'print none[1].length')
    assert 'null' in answers(out)[0] and answers(out)[1] == '3'


# ---- time ----

def test_time_is_that_of_the_weaver(bank, stock, tmp_path):
    """The last timestamp is the one that the woven program itself writes down."""
    folder, name = bank
    subprocess.run(['java', f'-agentpath:{AGENT}', '-Xverify:all', f'-Debb.counts={tmp_path}/counts', '-cp', folder, name], check=True, capture_output=True)
    last = int((tmp_path / 'counts').read_text().split()[1])
    out = stock(bank, 'start', f'goto {last}', 'when', 'continue')
    assert positions(out)[-1].startswith(f'{last}@') and 'exited normally' in out
    stock(bank, 'start', f'goto {last + 1}', fails=True)


@pytest.mark.parametrize('back', ['goto start', 'goto 90', 'bisect Bank.rounds >= 0 && Bank.rounds < 5', 'last-write Bank.rounds'])
def test_breakpoints_stop_after_a_move_back(bank, stock, back):
    out = stock(bank, 'break Bank.total', 'run', back, 'info breakpoints', 'continue', 'when')
    told = positions(out)
    assert 'PENDING' not in out and told[-1] == told[0] == '117@Bank.java:14', out
    assert len(re.findall(r'^Breakpoint 1, Bank.total \(', out, re.M)) == 2


def test_a_watched_static_is_watched_in_every_run(tmp_path, stock):
    """Also one of a class that comes later, and whose name was left out."""
    program = compile_java(tmp_path, 'Outer', '''
        public class Outer {
            static class Inner {
                static int n;
                static void up() { n++; }
            }
            public static void main(String[] a) {
                for (int i = 0; i < 9; i++)
                    Inner.up();
            }
        }'''), 'Outer'
    out = stock(program, 'break Outer.Inner.up', 'run', 'watch n', 'watch n if n == 5', 'delete 1', 'disable 2', 'continue', 'goto start', 'info breakpoints', 'continue',
                'run', 'enable 2', 'disable 3', 'goto start', 'continue', 'continue')
    assert len(re.findall(r'hw watchpoint', out)) == 2
    assert re.findall(r'New value = (\d+)', out) == ['5', '5', '5', '1', '2'], out
    assert len(set(positions(out)[1:4:2])) == 1


def test_a_static_is_watched_from_the_frame_of_another_classs_method(tmp_path, stock):
    """Which has a `this`, in which the name is looked for at first."""
    program = compile_java(tmp_path, 'Outer', '''
        public class Outer {
            static int total;
            static class Inner { void add(int n) { total += n; } }
            public static void main(String[] a) {
                Inner inner = new Inner();
                for (int i = 1; i < 9; i++)
                    inner.add(i);
            }
        }'''), 'Outer'
    out = stock(program, 'break Outer.Inner.add', 'run', 'delete 1', 'watch total', 'watch Outer.total', 'continue', 'continue')
    assert re.findall(r'New value = (\d+)', out) == ['1', '1', '3', '3'], out


def test_the_last_write_is_the_last_one_whatever_it_stored(tmp_path, stock):
    program = compile_java(tmp_path, 'Same', '''
        public class Same {
            static int s;
            int f;
            static void put(Same to, int n) { s = n; to.f = n; }
            static void stop(Same a) { }
            public static void main(String[] args) {
                Same a = new Same(), b = new Same();
                put(a, 3);
                put(b, 4);
                put(a, 3);
                put(b, 4);
                put(a, 3); // the last
                stop(a);
            }
        }'''), 'Same'
    out = stock(program, 'break Same.stop', 'run', 'values a.f', 'last-write a.f', 'up', 'goto start', 'continue', 'values Same.s', 'last-write Same.s', 'up')
    assert re.findall(r'^(?:\d+@\S+|main)\t(\d+)', out, re.M) == ['0', '3', '0', '3', '4', '3', '4', '3'], out
    assert 'Last write to a.f\n\nValue = 3\n' in out and 'Last write to Same.s\n\nOld value = 4\nNew value = 3\n' in out, out
    assert len(re.findall(r'// the last', out)) == 2, out


def test_every_moment_whichever_way_it_is_reached(bank, stock):
    out = stock(bank, 'break 26 if r == 13', 'run', 'when -i', 'bookmark here', 'print from.balance', 'goto 7', 'when', 'goto 90', 'when', 'goto here',
                'when -i', 'print from.balance', 'print n', 'goto start', 'when', 'goto here', 'when -i')
    exact = [p for p in positions(out) if 'main:' in p]
    assert len(set(exact)) == 1 and len(exact) >= 3, out
    assert answers(out) == ['302', '302', '1000']


def test_break_at_a_position(bank, stock):
    out = stock(bank, 'break 9 if n == 1000', 'run', 'when')
    at = positions(out)[-1]
    again = stock(bank, 'start', f'break {at}', 'continue', 'when', 'print n', 'continue')
    assert positions(again)[1] == at and answers(again) == ['1000'] and 'exited normally' in again


def test_last_write_and_values_of_one_objects_field(bank, stock):
    out = stock(bank, 'break Bank.total', 'run', 'last-write all[3].balance', 'backtrace', 'print this.name', 'print n', 'print balance')
    assert re.search(r'#0 +Bank\$Account.pay', out) and answers(out)[0] == '"a3"'
    last = re.search(r'Last write to all\[3\].balance\s+Old value = (\S+)\nNew value = (\S+)', out)
    assert last[2] == answers(out)[2] == '-683'
    values = stock(bank, 'break Bank.total', 'run', 'values all[3].balance')
    told = re.findall(r'(-?\d+)\b', values.split('values', 1)[-1])
    watched = stock(bank, 'break 23', 'run', 'watch all[3].balance', 'delete 1', *['continue'] * 9)
    for value in re.findall(r'New value = (\S+)', watched):
        assert value in told
    assert f'New value = {last[2]}' in watched


def test_bisect(bank, stock):
    out = stock(bank, 'break Bank.total', 'run', 'bisect Bank.rounds >= 0', 'when', 'print rounds')
    time = int(positions(out)[-1].split('@')[0])
    assert answers(out) == ['-20']
    assert answers(stock(bank, 'start', f'goto {time - 1}', 'print Bank.rounds')) == ['20']


LATE = '''
public class Late {
    static int k;
    static void f(int n) { k = n; }
    static int count(int n) {
        int sum = n;
        return sum + 1;
    }
    public static void main(String[] args) {
        int bad = 0;
        for (int i = 0; i < 10; i++) {
            f(i);
            if (i == 7)
                bad = 1;
        }
        System.out.println(k + count(bad));
    }
}
'''


def test_bisect_of_variables(tmp_path, stock):
    program = compile_java(tmp_path, 'Late', LATE), 'Late'
    out = stock(program, 'break 16', 'run', 'bisect bad == 0', 'when', 'print bad', 'print i')
    time = int(positions(out)[-1].split('@')[0])
    assert answers(out)[0] == '1' and int(answers(out)[1]) in (7, 8), out
    assert answers(stock(program, 'start', f'goto {time - 1}', 'up', 'print bad')) == ['0']
    for asked in ('n != 1', 'sum != 1'):
        assert "can't tell this call" in stock(program, 'break 7', 'run', f'bisect {asked}', fails=True)


def test_user_breakpoints_stay_as_they_were(bank, stock):
    out = stock(bank, 'break Bank.total', 'break 26', 'disable 2', 'run', 'goto 50', 'info breakpoints', 'continue')
    assert re.search(r'1 +breakpoint +keep y', out) and re.search(r'2 +breakpoint +keep n', out)
    assert re.findall(r'^Breakpoint (\d), Bank\S+ \(', out, re.M) == ['1', '1']


def test_a_program_that_differs_is_noticed(tmp_path, stock):
    program = compile_java(tmp_path, 'Differs', '''
        import java.nio.file.*;
        public class Differs {
            public static void main(String[] a) throws Exception {
                int n = Integer.parseInt(Files.readString(Path.of(a[0])).trim()), s = 0;
                Files.writeString(Path.of(a[0]), "" + (n - 5));
                for (int i = 0; i < n; i++)
                    s += i;
                System.out.println(s);
            }
        }'''), 'Differs'
    (tmp_path / 'n').write_text('20')
    out = stock(program, 'break 9', 'run', 'when', 'bookmark end1', 'goto 3', 'goto end1', args=[tmp_path / 'n'], fails=True)
    assert 'does not do the same in each run' in out


def test_what_it_cannot_is_said(bank, stock):
    assert 'can\'t watch local variables' in stock(bank, 'break 26', 'run', 'watch n', fails=True)
    assert 'fields only' in stock(bank, 'break 26', 'run', 'last-write all[2]', fails=True)
    assert 'no history' in stock(bank, 'break 26', 'run', 'reverse-step', fails=True)


def test_an_uncaught_exception_and_the_exit_status(tmp_path, stock):
    program = compile_java(tmp_path, 'Bad', 'public class Bad { public static void main(String[] a) { throw new IllegalStateException("so"); } }'), 'Bad'
    out = stock(program, 'set stop-on-uncaught on', 'run', 'print $_exception', 'continue')
    assert 'so' in out and 'exited with code 01' in out


def test_a_launcher_that_starts_nothing(tmp_path, stock):
    out = stock((tmp_path, 'Missing'), 'run')
    assert 'exited with code 01' in out


# ---- planted causes ----

# Name: (source of the class Planted, what is wrong in `stop`, its bad value, who did it, a condition that held before)
PLANTED = {
    # a field of an object that two owners share
    'alias': ('''
        static class Account { int balance; Account(int n) { balance = n; } }
        static Account first = new Account(100), second = new Account(200);
        static Account pick(int n) { return n > 2 ? first : second; }
        static void credit(Account a, int n) { a.balance += n; }
        static void charge(int n) { pick(n).balance -= n; }
        static int stop() { return first.balance; }
        public static void main(String[] a) { for (int i = 0; i < 4; i++) { credit(second, i); charge(i); } stop(); }''',
              'Planted.first.balance', '97', 'charge', 'Planted.first.balance == 100'),
    # a link that is not put right when an element goes
    'list': ('''
        static class Node { Node next, prev; final int n; Node(int n) { this.n = n; } }
        static Node head = new Node(-1), third;
        static void add(Node x) { x.next = head.next; x.prev = head; if (head.next != null) head.next.prev = x; head.next = x; }
        static void drop(Node x) { x.prev.next = x.next; if (x.n != 3 && x.next != null) x.next.prev = x.prev; }
        static boolean stop() { return third.prev.n == 3; }
        public static void main(String[] a) {
            Node[] all = new Node[6];
            for (int i = 0; i < 6; i++) { all[i] = new Node(i); if (i == 2) third = all[2]; add(all[i]); }
            drop(all[1]); drop(all[3]);
            stop();
        }''', 'Planted.third.prev', '', 'add', '!(Planted.head.next.next.next == Planted.third && Planted.third.prev.n == 3)'),
    # a counter that wraps
    'narrow': ('''
        static byte small; static long total = 1;
        static void add(int n) { small += n; total += small; }
        static int stop() { return (int) total; }
        public static void main(String[] a) { for (int i = 0; i < 20; i++) add(7); stop(); }''',
               'Planted.small', '-116', 'add', 'Planted.small >= 0'),
    # a cache that is filled before its owner is ready
    'early': ('''
        static class Config { int limit; static Config shared; int cached; Config() { shared = this; Cache.fill(); limit = 10; } }
        static class Cache { static void fill() { Config.shared.cached = Config.shared.limit * 2; } }
        static int stop() { return Config.shared.cached; }
        public static void main(String[] a) { new Config(); stop(); }''',
              'Planted.Config.shared.limit', '10', '<init>', 'Planted.Config.shared.cached == 2 * Planted.Config.shared.limit'),
    # a setter that is called once too often, through an interface
    'listener': ('''
        interface Listener { void changed(int n); }
        static class Model { int value; Listener[] all = new Listener[3]; void set(int n) { value = n; for (Listener l : all) if (l != null) l.changed(n); } }
        static class Clamp implements Listener { final Model m; Clamp(Model m) { this.m = m; } public void changed(int n) { if (n > 50) m.value = 50; } }
        static Model model = new Model();
        static int stop() { return model.value; }
        public static void main(String[] a) { model.all[1] = new Clamp(model); for (int i = 0; i < 9; i++) model.set(i * 8); stop(); }''',
                 'Planted.model.value', '50', 'changed', 'Planted.model.value < 50'),
    # state that an exception leaves half changed
    'torn': ('''
        static int debit, credit;
        static void move(int n) { debit -= n; check(n); credit += n; }
        static void check(int n) { if (n == 7) throw new IllegalArgumentException("seven"); }
        static boolean stop() { return debit + credit == 0; }
        public static void main(String[] a) { for (int i = 0; i < 10; i++) try { move(i); } catch (IllegalArgumentException e) { } stop(); }''',
             'Planted.debit', '-45', 'move', 'Planted.debit > -28 || Planted.debit + Planted.credit == 0'),
    # a static that is shadowed by a parameter, so that another object's field is written
    'shadow': ('''
        static class Box { int size = 1; void grow(Box other) { other.size = size * 2; } }
        static Box mine = new Box(), yours = new Box();
        static int stop() { return yours.size; }
        public static void main(String[] a) { for (int i = 0; i < 5; i++) mine.grow(i == 3 ? yours : mine); stop(); }''',
               'Planted.yours.size', '16', 'grow', 'Planted.yours.size == 1'),
    # a generation that a recursive walk bumps in the wrong subtree
    'tree': ('''
        static class Tree { Tree left, right; int seen; Tree(int d) { if (d > 0) { left = new Tree(d - 1); right = new Tree(d - 1); } } }
        static Tree root = new Tree(4);
        static void walk(Tree t, int gen) { if (t == null) return; t.seen = gen; walk(t.left, gen); walk(t.right, gen == 3 ? gen + 1 : gen); }
        static int stop() { return root.right.right.seen; }
        public static void main(String[] a) { for (int g = 1; g < 4; g++) walk(root, g); stop(); }''',
             'Planted.root.right.right.seen', '4', 'walk', 'Planted.root.right.right.seen < 4'),
}


@pytest.mark.parametrize('name', PLANTED)
def test_planted_causes(tmp_path, stock, name):
    source, expression, value, culprit, held = PLANTED[name]
    program = compile_java(tmp_path, 'Planted', 'public class Planted {' + source + '\n}'), 'Planted'
    out = stock(program, 'break Planted.stop', 'run', f'last-write {expression}', 'backtrace', f'print {expression}')
    assert re.search(rf'#0 +Planted\S*\.{culprit}[: ]', out), out
    assert value in answers(out)[-1], out
    out = stock(program, 'break Planted.stop', 'run', f'bisect {held}', 'when', f'print {held}')
    time = int(positions(out)[-1].split('@')[0])
    assert answers(out) == ['false'], out
    before = stock(program, 'start', f'goto {time - 1}', f'print {held}')
    assert answers(before) == ['true'] or 'null' in before or 'not loaded' in before, before # what makes no sense yet counts as holding


# ---- the agent by itself ----

def java(*args, **more):
    return subprocess.run(['java', *map(str, args)], capture_output=True, text=True, timeout=60, **more)


def test_the_agent_counts_as_the_transformer(bank, ebb, tmp_path):
    folder, name = bank
    assert ebb(['weave', 'timestamp', '-o', str(tmp_path / 'woven'), str(folder)], timeout=60).returncode == 0
    java('-Xverify:all', f'-Debb.counts={tmp_path}/a', '-cp', tmp_path / 'woven', name, check=True)
    for option in ('', '=in-memory'):
        java('-Xverify:all', f'-agentpath:{AGENT}{option}', f'-Debb.counts={tmp_path}/b', '-cp', folder, name, check=True)
        assert (tmp_path / 'a').read_text() == (tmp_path / 'b').read_text()
    # what is woven is not woven again
    java('-Xverify:all', f'-agentpath:{AGENT}', f'-Debb.counts={tmp_path}/c', '-cp', tmp_path / 'woven', name, check=True)
    assert (tmp_path / 'a').read_text() == (tmp_path / 'c').read_text()


def test_the_agent_chooses(bank, tmp_path):
    folder, name = bank
    java(f'-agentpath:{AGENT}=only=Bank#total', f'-Debb.counts={tmp_path}/n', '-cp', folder, name, check=True)
    assert 0 < int((tmp_path / 'n').read_text().split()[1]) < 20
    bad = java(f'-agentpath:{AGENT}=nonsense', '-cp', folder, name)
    assert bad.returncode != 0 and 'no option nonsense' in bad.stderr


HAND = '''
public class Hand {
    static int total;
    static void add(int n) { for (int i = 0; i < n; i++) total += i; }
    public static void main(String[] args) throws Exception {
        add(3);
        Thread worker = new Thread(() -> add(4), "worker");
        worker.start();
        worker.join();
        System.out.println(total);
    }
}
'''


def test_the_last_write_may_be_another_threads(tmp_path, stock):
    hand = compile_java(tmp_path, 'Hand', HAND), 'Hand'
    out = stock(hand, 'break 10', 'run', 'values total', 'last-write total', 'print i', 'goto start', 'when')
    values = re.findall(r'^(?:\d+@\S+|main)( \(thread \d+\))?\t(\d+)', out, re.M)
    assert [int(v) for _, v in values] == [0, 1, 3, 4, 6, 9] and [bool(t) for t, _ in values] == 3 * [False] + 3 * [True], out
    assert 'Old value = 6\nNew value = 9' in out and answers(out) == ['3'], out


def test_every_position_that_is_printed_can_be_typed(bank, stock):
    """To the line and to the instruction, of a goto and of breakpoints that are set before the program runs."""
    times = range(4, 60, 9)
    out = stock(bank, 'start', *(c for t in times for c in (f'goto {t}', 'when', 'when -i')), 'break Bank.total', 'continue', 'finish', 'when', 'when -i')
    told = [p for p in positions(out.split('[0-9]')[0]) if not p.startswith('0@')]
    lines = list(dict.fromkeys(p for p in told if '.java:' in p))
    exact = list(dict.fromkeys(p for p in told if '.java:' not in p))
    assert len(lines) >= len(times) and len(exact) == len(times) + 1
    there = stock(bank, 'start', *(c for p in lines for c in (f'goto {p}', 'echo now\\n', 'when')))
    assert re.findall(r'^now\n(.*)$', there, re.M) == lines
    there = stock(bank, 'start', *(c for p in exact for c in (f'goto {p}', 'when -i')))
    assert [p for p in positions(there) if '.java:' not in p] == exact
    four = lines[:4]
    broken = stock(bank, *(f'break {p}' for p in four), 'run', 'when', *['continue', 'when'] * 3)
    assert list(dict.fromkeys(positions(broken))) == four


CALLBACKS = '''
import java.util.*;
import java.util.function.*;
public class Callbacks {
    static int twice(int x) { return x * 2; }
    public static void main(String[] args) {
        IntUnaryOperator f = x -> {
            int y = x + 1;
            return y;
        };
        int r = f.applyAsInt(4);
        IntUnaryOperator g = Callbacks::twice;
        r += g.applyAsInt(5);
        List<Integer> all = new ArrayList<>(List.of(3, 1));
        all.sort((p, q) -> {
            return q - p;
        });
        System.out.println(r);
    }
}
'''


def test_steps_enter_what_the_library_calls_back(tmp_path, stock):
    """Lambdas, references to methods, comparators: their lines, in the order of the program's text."""
    classes = compile_java(tmp_path, 'Callbacks', CALLBACKS)
    out = stock((classes, 'Callbacks'), 'break Callbacks.java:11', 'run', *['step'] * 9)
    assert [int(n) for n in re.findall(r'^(\d+)\t', out, re.M)] == [11, 8, 9, 12, 13, 5, 14, 15, 16, 18], out


BRIDGE = '''
public class Bridge implements Comparable<Bridge> {
    public int compareTo(Bridge other) {
        return 1;
    }
    public static void main(String[] args) {
        Bridge[] all = {new Bridge(), new Bridge()};
        java.util.Arrays.sort(all);
        System.out.println(all.length);
    }
}
'''


def test_steps_pass_bridges(tmp_path, stock):
    """What the library calls is compareTo(Object), which nobody wrote."""
    out = stock((compile_java(tmp_path, 'Bridge', BRIDGE), 'Bridge'), 'break Bridge.java:8', 'run', 'step')
    assert [int(n) for n in re.findall(r'^(\d+)\t', out, re.M)] == [8, 4], out


SHOP = '''
    import java.util.*;
    import java.util.function.*;
    public class Shop {
        static class Item {
            int stock = 100, price = 3;
            void sell(int n) { stock -= n; }
        }
        static final Map<String, Item> items = new LinkedHashMap<>();
        static int total(ToIntFunction<Item> f) {
            int sum = 0;
            for (Item i : items.values())
                sum += f.applyAsInt(i);
            return sum;
        }
        public static void main(String[] args) {
            for (String s : new String[] {"tea", "milk"})
                items.put(s, new Item());
            for (int i = 0; i < 6; i++)
                items.get(i % 2 == 0 ? "tea" : "milk").sell(i);
            items.get("milk").price = -1;
            System.out.println(total(i -> i.stock));
        }
    }'''


def test_an_object_may_be_found_by_calls(tmp_path, stock):
    """What a map has: another run is asked in the same words.  One that was printed is of this run alone, and that is said."""
    folder = compile_java(tmp_path, 'Shop', SHOP)
    out = stock((folder, 'Shop'), 'break Shop.total', 'run', 'values items.get("milk").stock', 'last-write items.get("milk").price')
    assert re.findall(r'\t(\d+)', out) == ['0', '100', '99', '96', '91'] and 'Old value = 3\nNew value = -1' in out
    out = stock((folder, 'Shop'), 'break Shop.total', 'run', 'print items.get("milk")', 'last-write $1.price', 'when', fails=True)
    assert 'Another run does not know an object that was printed in this one' in out and len(set(positions(out))) == 1


def test_hidden_classes_are_named_as_java_names_them(tmp_path, stock):
    folder = compile_java(tmp_path, 'Shop', SHOP)
    out = stock((folder, 'Shop'), 'break Shop.total', 'run', 'backtrace', 'print f')
    assert re.search(r'Shop.total \(f=Shop\$\$Lambda\$\d+/0x[0-9a-f]+@', out) and answers(out) == ['ToIntFunction lambda of Shop']


def test_a_watchpoint_on_an_objects_field_says_that_it_goes(bank, stock):
    out = stock(bank, 'break Bank.total', 'run', 'watch all[3].balance', 'goto 50', 'info breakpoints')
    assert 'Watchpoint 2 deleted: the run that goes there does not know the object that it watches.' in out and 'hw watchpoint' not in out, out


def test_a_run_that_goes_another_way_is_noticed_at_a_bare_timestamp(tmp_path, stock):
    program = compile_java(tmp_path, 'Turns', '''
        import java.nio.file.*;
        public class Turns {
            static int lefts, rights;
            static void left() { lefts++; }
            static void right() { rights++; }
            public static void main(String[] a) throws Exception {
                boolean isLeft = Files.readString(Path.of(a[0])).equals("l");
                Files.writeString(Path.of(a[0]), a.length > 1 || !isLeft ? "l" : "r");
                for (int i = 0; i < 100; i++)
                    if (isLeft)
                        left();
                    else
                        right();
                System.out.println(lefts);
            }
        }'''), 'Turns'
    (tmp_path / 'way').write_text('l')
    out = stock(program, 'break 15', 'run', 'goto 150', args=[tmp_path / 'way'])
    assert 'this run is not where an earlier one was: the program does not do the same in each run' in out, out
    (tmp_path / 'way').write_text('l')
    out = stock(program, 'break 15', 'run', 'goto 150', 'goto 7', 'continue', args=[tmp_path / 'way', 'same'])
    assert 'each run' not in out and len(set(positions(out)[::3])) == 1, out
