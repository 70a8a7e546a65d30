"""What people who had never seen ebb stumbled over while they debugged a Java program, each with what they should have been told."""
import re

import pytest
from java_source import compile_java

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

    public static void main(String[] args) throws Exception {
        Derived d = new Derived();
        News n = new News();
        for (int i = 0; i < 5; i++)
            n.work(i);
        double r = ratio;
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
