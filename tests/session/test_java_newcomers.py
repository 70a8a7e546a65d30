"""What people who had never seen ebb stumbled over while they debugged a Java program, each with what they should have been told."""
import re

import pytest
from java_source import compile_java, javac

SOURCE = '''
public class News {
    static class Base { int x = 1; String name = "base"; }
    static class Derived extends Base { int x = 2; String name = "derived"; }

    static int total;
    static double ratio = 0.1;

    int work(int n) {
        int x = n;
        x++;
        total += x; // add
        ratio = ratio + 0.2; // scale
        return x;
    }

    // nothing is

    // executed here
    @Deprecated
    static void in_thread() throws Exception {
        Thread t = new Thread(() -> {
            total++; // lambda
        }, "worker");
        t.start();
        t.join();
    }

    public static void main(String[] args) throws Exception {
        Derived d = new Derived();
        News n = new News();
        for (int i = 0; i < 5; i++)
            n.work(i);
        double r = ratio;
        in_thread();
        System.out.println("total " + total + " " + r + " " + d.x); // print
    }
}
'''


@pytest.fixture(scope='module')
def news(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp('news'), 'News', SOURCE)


def line(text):
    return next(i for i, at in enumerate(SOURCE.splitlines(), 1) if text in at)


def at(text):
    return f'News.java:{line(text)}'


def run(batch, folder, *commands, **more):
    done = batch('java', *commands, args=['-cp', folder, 'News'], timeout=120, **more)
    return done.stdout + done.stderr


def test_each_watchpoint_and_breakpoint_that_stops_is_named(batch, news):
    out = run(batch, news, f'break {at("// add")}', 'run', 'watch total', f'break {at("// scale")}', 'watch News.total', 'continue')
    told = out.split('watchpoint 4: News.total\n', 1)[1]
    for number, expression in ((2, 'total'), (4, 'News.total')):
        assert f'\nHardware watchpoint {number}: {expression}\n\nOld value = 0\nNew value = 1\n' in told, out
    assert '\nBreakpoint 3, News.work (' in told, out
    out = run(batch, news, f'break {at("// scale")}', 'run', 'watch total', 'watch News.total', 'reverse-continue')
    for number, expression in ((2, 'total'), (3, 'News.total')):
        assert f'\nHardware watchpoint {number}: {expression}\n\nOld value = 1\nNew value = 0\n' in out, out


def test_a_watchpoint_that_ends_where_a_breakpoint_is_has_its_own_number(batch, news):
    out = run(batch, news, f'break {at("// scale")}', 'run', 'watch x', 'break News.main:28', 'continue')
    assert re.search(r'\nWatchpoint 2 deleted because', out) and '\nBreakpoint 3, News.main' in out, out


def test_a_field_that_another_one_hides_says_whose_it_is(batch, news):
    out = run(batch, news, f'break {at("// print")}', 'run', 'print d', 'print ((Base) d).x')
    assert '{x (News.Base) = 1, name (News.Base) = "base", x = 2, name = "derived"}' in out and '$2 = 1' in out, out


def test_origin_writes_numbers_as_print_does(batch, news):
    out = run(batch, news, f'break {at("// print")}', 'run', 'print r', 'origin r')
    last = repr(0.1 + 0.2 + 0.2 + 0.2 + 0.2)
    assert f'computed of {last} and 0.2 (dadd)' in out and f'$1 = {repr(float(last) + 0.2)}' in out, out


def test_a_constant_is_disassembled_with_all_its_digits(batch, tmp_path):
    folder = compile_java(tmp_path, 'Digits', 'class Digits { public static void main(String[] a) { System.out.println(3.141592653589793 + a.length + 2.7182817f * a.length); } }')
    done = batch('java', 'break Digits.main', 'run', 'disassemble', args=['-cp', folder, 'Digits'], timeout=120)
    assert '// double 3.141592653589793' in done.stdout and '// float 2.7182817' in done.stdout, done.stdout


@pytest.mark.parametrize('set_it', [f'break {at("// add")} if', 'watch total if'])
def test_a_condition_that_cannot_be_tested_says_so_in_both_directions(batch, news, set_it):
    forward = run(batch, news, 'break News.main', 'run', f'{set_it} 10 / (News.total - 6) == 44', 'continue')
    back = run(batch, news, f'break {at("// print")}', 'run', f'{set_it} 10 / (News.total - 6) == 44', 'reverse-continue')
    for out in (forward, back):
        assert 'Error in testing condition for breakpoint 2: java.lang.ArithmeticException: / by zero\n' in out, out


def test_a_variable_that_is_not_in_scope_says_where_it_is(batch, news):
    """As the program's text has it."""
    out = run(batch, news, 'break News.work', 'run', 'print x')
    assert f'"x" has no value yet here: News.work has it from line {line("x++")} to line {line("return x;")}.' in out, out
    out = run(batch, news, f'break {at("double r =")}', 'run', 'print i')
    assert f'"i" is out of scope here: News.main has it from line {line("for (int i")} to line {line("n.work(i)")}.' in out, out


def test_without_names_of_variables_it_says_so(batch, tmp_path):
    import subprocess
    (tmp_path / 'News.java').write_text(SOURCE)
    javac('-d', tmp_path, tmp_path / 'News.java')
    out = run(batch, tmp_path, f'break {at("// scale")}', 'run', 'print x')
    assert 'No symbol "x" in current context; News.work was compiled without its local variables (javac -g has them).' in out, out


# ---- recordings


@pytest.fixture(scope='module')
def recording(news, tmp_path_factory):
    import subprocess
    from conftest import EBB
    file = tmp_path_factory.mktemp('recorded') / 'news.ebb'
    subprocess.run([EBB, 'record', '-o', file, '--', 'java', '-cp', news, 'News'], check=True, timeout=120, capture_output=True)
    return file


def replay(ebb, file, *commands):
    words = [word for command in commands for word in ('-e', command)]
    done = ebb(['replay', '--batch', *words, file], timeout=120)
    return done.stdout + done.stderr


def test_a_saved_recording_ends_where_it_was_saved(batch, ebb, news, tmp_path):
    """Within a timestamp, too: the method has done two of its lines in it."""
    out = run(batch, news, f'break {at("// scale")}', 'run', 'when -i', f'save {tmp_path / "saved"}')
    there = re.search(r'\d+@News.work:\d+', out)[0]
    out = replay(ebb, tmp_path / 'saved', 'goto end', 'when -i', 'print x', 'reverse-next', 'continue', 'when -i')
    assert out.count(f'\n{there}\n') == 2 and '$1 = 1' in out and f'{line("// add")}\t' in out, out


def test_a_saved_recording_ends_with_what_the_user_set(batch, ebb, news, tmp_path):
    run(batch, news, f'break {at("// scale")}', 'run', 'set var x = 77', f'save {tmp_path / "saved"}')
    out = replay(ebb, tmp_path / 'saved', 'goto end', 'print x', 'reverse-stepi', 'print x', 'goto end', 'print x')
    assert re.findall(r'\$\d = (.*)', out) == ['77', '1', '77'], out


def test_a_saved_recording_of_a_native_program_ends_where_it_was_saved(batch, ebb, compile_c, tmp_path):
    program = compile_c('int total;\nint main(void)\n{\n    total = 1;\n    total = 2;\n    total = 3;\n    return 0;\n}\n')
    batch(program, 'break 6', 'run', f'save {tmp_path / "saved"}')
    out = replay(ebb, tmp_path / 'saved', 'goto end', 'print total')
    assert '\n6\t' in out and '$1 = 2' in out, out


def test_a_program_that_was_killed_at_a_stop_ends_there(batch, news):
    kill = 'shell kill -9 $(pgrep -f "[-]XXaltjvm=.* -cp ' + str(news) + ' News" | head -1)'
    killed = run(batch, news, f'break {at("// scale")}', 'run', kill, 'continue', 'reverse-stepi', 'when -i')
    lives = run(batch, news, f'break {at("// scale")}', 'run', 'reverse-stepi', 'when -i')
    before = re.search(r'\n(\d+@News.work:\d+)\n', lives)[1]
    assert 'terminated with signal SIGKILL' in killed and f'\n{before}\n' in killed, killed + lives


def test_a_line_in_a_fresh_recording_is_one_of_the_program(ebb, recording):
    out = replay(ebb, recording, f'break {line("// add")}', 'list', 'continue')
    assert f'hit Breakpoint 1, News.work (' in out or 'Breakpoint 1, News.work (' in out, out
    assert 'public class News' in out and 'News.java:' in out, out


def test_a_recording_can_not_be_changed_and_branch_is_no_advice(ebb, recording):
    out = replay(ebb, recording, 'break News.work', 'continue', 'set var n = 3')
    assert "This is a recording, which can't be changed" in out and 'branch' not in out, out


def test_after_the_end_of_the_program_there_is_no_this(ebb, batch, news, recording):
    for command, told in (('print this', 'There is no `this` here'), ('print total', 'No symbol "total" here, where no method is under way'),
                          ('info locals', 'No stack: no code of the program is under way'), ('step', 'No stack: no code of the program')):
        out = replay(ebb, recording, 'goto end', command)
        assert told in out, out
    assert 'The program is not running.' in run(batch, news, 'run', 'print this')


# ---- lines without code


@pytest.mark.parametrize('typed', ['// nothing is', '// executed here', '@Deprecated', 'static void in_thread()'])
def test_a_line_without_code_means_the_next_one_before_and_after_loading(batch, news, typed):
    code = line('Thread t = ')
    before = run(batch, news, f'break {at(typed)}', 'run')
    assert f'(line {code})\n' in before and f' at News.java:{code}\n' in before, before
    after = run(batch, news, 'break News.main', 'run', f'break {at(typed)}')
    assert f'file News.java, line {code}.' in after, after


def test_a_line_after_all_code_is_refused_before_and_after_loading(batch, news):
    last = len(SOURCE.splitlines())
    told = f'There is no code at line {last} of News.java, nor after it.'
    assert f'stays pending: {told}' in run(batch, news, f'break News.java:{last}', 'run')
    assert told in run(batch, news, 'break News.main', 'run', f'break News.java:{last}')


def test_a_bare_line_is_one_of_a_jars_main_class_or_of_the_source_that_is_run(batch, ebb, news, tmp_path):
    import subprocess
    (tmp_path / 'manifest').write_text('Main-Class: News\n')
    subprocess.run(['jar', 'cfm', tmp_path / 'news.jar', tmp_path / 'manifest', '-C', news, '.'], check=True)
    (tmp_path / 'News.java').write_text(SOURCE)
    for args in (['-jar', tmp_path / 'news.jar'], [tmp_path / 'News.java']):
        done = batch('java', f'break {line("// add")}', 'run', args=args, timeout=120)
        assert f'Breakpoint 1, News.work (' in done.stdout and f'\n{line("// add")}\t' in done.stdout, done.stdout + done.stderr
    ebb(['record', '-o', tmp_path / 'jar.ebb', '--', 'java', '-jar', tmp_path / 'news.jar'], timeout=120)
    assert 'Breakpoint 1, News.work (' in replay(ebb, tmp_path / 'jar.ebb', f'break {line("// add")}', 'continue')


# ---- threads


def test_reverse_finish_from_a_threads_lambda_goes_to_the_call(batch, news):
    out = run(batch, news, f'break {at("// lambda")}', 'run', 'reverse-finish', 'backtrace', 'reverse-finish')
    assert re.search(r'#0 +java.lang.Thread.run', out) and 'native' not in out, out
    assert 'not meaningful in the outermost frame' in out, out


def test_last_write_and_values_agree_when_a_value_was_born(batch, news):
    for expression in ('n', 'News.total'):
        values = run(batch, news, 'break News.work', 'run', f'values {expression}')
        last = run(batch, news, 'break News.work', 'run', f'last-write {expression}')
        born = re.search(r'(\d+)@\S+\t0 \(', values)[1]
        assert f'since it came into being at {born}\n' in last, values + last


HANDED = '''
public class Handed {
    static final Object lock = new Object();

    public static void main(String[] args) throws Exception {
        Thread other = new Thread(() -> { synchronized (lock) { System.out.println("had it"); } }, "other");
        synchronized (lock) {
            other.start();
            while (other.getState() != Thread.State.BLOCKED)
                Thread.yield();
        }
        int released = 1; // released
        other.join();
    }
}
'''


def test_a_thread_that_was_given_the_lock_is_not_blocked_on_it(batch, tmp_path):
    folder = compile_java(tmp_path, 'Handed', HANDED)
    done = batch('java', 'break 12', 'run', 'info threads', args=['-cp', folder, 'Handed'], timeout=120)
    assert re.search(r'"other" +RUNNABLE .*\n +holds Object@', done.stdout), done.stdout


# ---- arguments, and calls

ECHO = '''
import java.util.*;

public class Echo {
    static class Late { static String hello(int n) { return "late" + n; } }
    static String late(int n) { return Late.hello(n); }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine())
            System.out.println("got " + in.nextLine());
        System.out.println(Arrays.toString(args));
        if (args.length > 9)
            late(1);
    }
}
'''


@pytest.fixture(scope='module')
def echo(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp('echo'), 'Echo', ECHO)


def test_run_redirects_the_streams_of_a_java_program(batch, echo, tmp_path):
    (tmp_path / 'in').write_text('one\ntwo\n')
    batch('java', f'run < {tmp_path}/in > {tmp_path}/out', args=['-cp', echo, 'Echo', 'a b'], timeout=120)
    assert (tmp_path / 'out').read_text() == 'got one\ngot two\n[a b]\n'
    done = batch('java', f'start <{tmp_path}/in', 'continue', args=['-cp', echo, 'Echo'], timeout=120)
    assert 'got one\ngot two\n[]\n' in done.stdout, done.stdout + done.stderr


def test_a_shell_sees_to_patterns_and_variables_for_java_too(batch, echo, tmp_path):
    for name in ('x.c', 'y.c'):
        (tmp_path / name).write_text('')
    done = batch('java', f'set args -cp {echo} Echo *.c "$WHO" < /dev/null', 'run', args=['-version'], timeout=120, cwd=tmp_path, env={'WHO': 'me too'})
    assert '[x.c, y.c, me too]\n' in done.stdout, done.stdout + done.stderr


def test_a_file_that_is_not_there_is_told_by_the_shell(batch, echo, tmp_path):
    done = batch('java', f'run < {tmp_path}/nowhere', args=['-cp', echo, 'Echo'], timeout=120)
    assert f'{tmp_path}/nowhere' in done.stderr and 'exited with code' in done.stdout, done.stdout + done.stderr


def test_a_call_in_a_recording_may_load_a_class(ebb, echo, tmp_path):
    ebb(['record', '-o', tmp_path / 'echo.ebb', '--', 'java', '-cp', echo, 'Echo'], stdin='', timeout=120)
    out = replay(ebb, tmp_path / 'echo.ebb', 'break Echo.main', 'continue', 'print late(3)', 'print Echo.Late.hello(4)')
    assert '$1 = "late3"' in out and '$2 = "late4"' in out, out


LITERALS = ['print "a"', 'printf "%s.\\n", "done"', 'set $x = "s"', 'print $x', 'whatis "a"', 'print "a" + 1 + $x + 2.5 + null', 'if "a" == "b"', 'echo wrong\\n', 'else', 'echo right\\n', 'end',
            'print "a".length()']


@pytest.mark.parametrize('how', ['never ran', 'exited', 'killed'])
def test_literals_need_no_program(batch, echo, how):
    before = {'never ran': [], 'exited': ['run < /dev/null'], 'killed': ['break Echo.main', 'run < /dev/null', 'kill']}[how]
    done = batch('java', 'set confirm off', *before, *LITERALS, args=['-cp', echo, 'Echo'], timeout=120)
    out = done.stdout
    assert '$1 = "a"\ndone.\n$2 = "s"\ntype = java.lang.String\n$3 = "a1s2.5null"\nright\n' in out and 'wrong' not in out, out + done.stderr
    assert 'Nothing can be called: no program is running.' in done.stderr, done.stderr


BREAKS = '''
public class Breaks {
    static int k, n;
    int level;

    static void thrower(int i) {
        k = i;
        if (i == 7)
            throw new RuntimeException("x");
    }

    static void nothing() { }

    static void inc() {
        int t = n;
        n = t + 1;
        t = 0; // counted
    }

    static void deep(int at) {
        k = at;
        deep(at + 1); // deeper
    }

    public static void main(String[] args) throws Exception {
        int bad = 0;
        for (int i = 0; i < 10; i++) {
            try {
                thrower(i);
            } catch (RuntimeException e) {
                bad = 1;
                int z = i; // handled
                nothing();
            }
        }
        for (int i = 0; i < 6; i++)
            inc();
        Thread t = new Thread(() -> {
            inc();
            n = 100;
            n = 101; // worker
        });
        t.start();
        t.join();
        k = 0;
        try {
            deep(0);
        } catch (StackOverflowError e) {
            n = 102;
        }
        System.out.println(bad + k); // end
    }
}
'''


@pytest.fixture(scope='module')
def breaks(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp('breaks'), 'Breaks', BREAKS)


def of_breaks(text):
    return f"Breaks.java:{next(i for i, at in enumerate(BREAKS.splitlines(), 1) if text in at)}"


@pytest.mark.parametrize('stop, condition, found, before, after', [
    ('// end', 'bad == 0', '// handled', 0, 1),              # a handler, entered from a call
    ('// counted if n == 5', 'Breaks.n < 3', '// counted', 2, 3),  # in an activation before
    ('// counted if n == 5', 'n < 3', '// counted', 2, 3),
    ('// end', 'n < 100', '// worker', 7, 100),              # another thread
    ('// end', 'Breaks.k < 2000', '// deeper', 1999, 2000),  # frames that are gone
    ('// counted if n == 5', 't + 0 * Breaks.n < 3', 'n = t + 1;', None, 4),  # of this activation
])
def test_bisect_finds_the_first_moment(batch, breaks, stop, condition, found, before, after):
    place, _, test = stop.partition(' if ')
    asked = re.match(r'[\w.]+', condition)[0]
    asked = asked if '.' in asked or asked in ('bad', 't') else f'Breaks.{asked}'
    back = ['reverse-stepi', f'print {asked}'] if before is not None else []
    out = batch('java', f'break {of_breaks(place)}{" if " + test if test else ""}', 'run', f'bisect {condition}', 'when', f'print {asked}', *back,
                args=['-cp', breaks, 'Breaks'], timeout=120).stdout
    assert re.search(rf'{re.escape(of_breaks(found))}\n\$1 = {after}\n', out), out
    assert before is None or f'$2 = {before}\n' in out, out


def test_a_watchpoint_on_a_variable_waits_for_its_frame(batch, breaks):
    out = batch('java', f'break {of_breaks("// handled")}', 'run', 'delete', 'watch bad', 'goto start', 'continue', 'continue',
                args=['-cp', breaks, 'Breaks'], timeout=120).stdout
    assert 'New value = <unreadable>' not in out, out
    assert re.findall(r'New value = (.*)', out) == ['0', '1'], out


THROWS = '''
public class Throws {
    public static void main(String[] args) {
        int[] one = new int[1];
        one[args.length] = 2;
        System.out.println(one[args.length + 1]);
    }
}
'''


def test_a_recording_of_an_uncaught_exception(ebb, tmp_path):
    classes = compile_java(tmp_path, 'Throws', THROWS)
    done = ebb(['record', '-o', tmp_path / 'throws.ebb', '--', 'java', '-cp', classes, 'Throws'], timeout=120)
    assert done.returncode == 1, done
    assert 'exited 1 ' in ebb(['ps', tmp_path / 'throws.ebb'], timeout=60).stdout
    out = replay(ebb, tmp_path / 'throws.ebb', 'goto end', 'print Math.max(1, 2)', 'print "a" + String.valueOf(3)', 'reverse-next')
    assert '$1 = 2\n$2 = "a3"\n' in out and 'at Throws.java:6' in out, out


def test_detach_from_a_program_that_needs_ebb(batch, breaks):
    done = batch('java', 'break Breaks.main', 'run', 'detach', args=['-cp', breaks, 'Breaks'], timeout=120)
    assert "A Java program can't run on without ebb" in done.stderr, done
