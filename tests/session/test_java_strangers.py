"""What somebody met who debugged Java programs without having seen ebb before.  What is expected is what the programs' text says."""
import subprocess

import pytest
from java_source import compile_java

NEST = '''
public class Nest {
    interface Task { int go(int x); }
    static Task make(boolean loud) {
        Task t; // declared
        if (loud) t = new Task() {
            public int go(int x) {
                int y = x + 1; // in anonymous
                return y * 2;
            }
        };
        else t = x -> x + 7; // otherwise
        return t;
    }
    static class Over extends Error { }
    static int depth;
    static int deep(int n) {
        depth = n; // deepest
        return deep(n + 1) + 1; // deeper
    }
    public static void main(String[] args) {
        System.out.println(make(false).go(1));
        System.out.println(make(true).go(1));
        class Loc {
            int seen;
            void f(int q) {
                seen = q; // in local
            } // end of f
        }
        int s = 0; // after Loc
        for (int i = 0; i < 3; i++) s += i;
        new Loc().f(s);
        try {
            deep(0);
        } catch (StackOverflowError e) { // caught
            System.out.println("deep"); // handled
        }
    }
}
'''


def line(text, source=NEST):
    return next(i for i, at in enumerate(source.splitlines(), 1) if text in at)


@pytest.fixture(scope='module')
def nest(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp('nest'), 'Nest', NEST)


def run(batch, folder, *commands, name='Nest', **more):
    done = batch('java', *commands, args=['-cp', folder, name], timeout=120, **more)
    return done.stdout + done.stderr


# ---- lines of classes that are still to come


@pytest.mark.parametrize('command', ['break', 'tbreak'])
@pytest.mark.parametrize('text, condition, method', [('// in local', ' if q == 3', 'Nest$1Loc.f'), ('// end of f', '', 'Nest$1Loc.f'),
                                                     ('// in anonymous', '', 'Nest$1.go')])
def test_a_line_of_a_class_that_is_not_loaded_waits_for_it(batch, nest, command, text, condition, method):
    out = run(batch, nest, f'{command} Nest.java:{line(text)}{condition}', 'run', 'bt 1')
    assert f'reakpoint 1, {method} (' in out and f'at Nest.java:{line(text)}\n' in out and '(line ' not in out, out


def test_it_waits_within_a_jar_too(batch, nest, tmp_path):
    jar = tmp_path / 'nest.jar'
    subprocess.run(['jar', 'cf', jar, '-C', nest, '.'], check=True)
    out = run(batch, jar, f'break Nest.java:{line("// in local")}', 'run')
    assert 'Breakpoint 1, Nest$1Loc.f (' in out and '(line ' not in out, out


def test_printing_there_happens_there_and_advancing_says_why_not(batch, nest):
    at = f'Nest.java:{line("// in local")}'
    out = run(batch, nest, f'dprintf {at},"q is %d\\n",q', 'break Nest.main', 'run', 'continue')
    assert '\nq is 3\n' in out, out
    for verb in 'advance', 'until':
        out = run(batch, nest, 'break Nest.main', 'run', f'{verb} {at}')
        assert f'Line {line("// in local")} of Nest.java is code of a class that is not loaded yet.' in out, out


@pytest.mark.parametrize('text, to', [('// declared', 'if (loud)'), ('public int go', 'int y =')])
def test_a_line_that_no_class_has_code_for_still_means_the_next_one(batch, nest, text, to):
    out = run(batch, nest, f'break Nest.java:{line(text)}', 'run')
    assert f'at Nest.java:{line(to)}\n' in out and f'(line {line(to)})' in out, out


@pytest.mark.parametrize('text, to', [('// declared', 'if (loud)'), ('static Task make', 'if (loud)'), ('// in local', '// in local')])
def test_of_a_program_compiled_in_memory_the_source_tells_as_much(batch, nest, text, to):
    done = batch('java', 'break Nest.java:0', 'delete', f'break Nest.java:{line(text)}', 'run', 'break Nest.java:0', args=[nest / 'Nest.java'], timeout=120)
    assert f'at Nest.java:{line(to)}\n' in done.stdout and done.returncode >= 0, done.stdout + done.stderr


# ---- back into thousands of frames that an exception left


def test_back_from_a_handler_into_the_frames_that_were_left(batch, nest):
    """It took hours, a search for each frame."""
    out = run(batch, nest, f'break Nest.java:{line("// handled")}', 'run', 'reverse-next', 'reverse-step', 'print depth - n', 'reverse-step', 'reverse-step',
              'print depth - n')
    assert f'{line("// deeper")}\t' in out and '$1 = 0\n' in out and '$2 = 0\n' in out, out
    stops = [at.split('\t')[0] for at in out.splitlines() if '\t' in at]
    assert stops == [str(line(text)) for text in ('// handled', '// caught', '// deeper', '// deepest', '// deeper')], out


THROWN = '''
import java.util.*;
public class Mir {
    static int k;
    static int d(int n) {
        k++;
        if (n == 0) throw new IllegalStateException("x");
        try {
            if (n % 3 == 0)
                return List.of(n - 1).stream().map(x -> d(x)).findFirst().get();
            return d(n - 1) + 1;
        } finally {
            if (n == 5)
                k += 2;
        }
    }
    static int e(int n) {
        if (n == 0) throw new IllegalStateException("y");
        return n % 2 == 0 ? e(n - 1) : Optional.of(n).map(x -> e(x - 1)).get();
    }
    static int f(int n) { return n == 0 ? Integer.parseInt("zz") : f(n - 1) + 1; }
    public static void main(String[] a) {
        try { d(8); } catch (IllegalStateException x) { k = 0; }
        try {
            e(7);
        } catch (IllegalStateException x) {
            k = 1;
        }
        try {
            f(6);
        } catch (NumberFormatException x) {
            k = 1;
        }
        System.out.println(k);
    }
}
'''


def test_back_through_exceptions_stops_where_steps_forward_did(batch, tmp_path):
    """The oracle: the steps forward.  Through finally, lambdas, the library's code, and several frames at once."""
    n = 86  # to the last line of main
    folder = compile_java(tmp_path, 'Mir', THROWN)
    out = run(batch, folder, 'break Mir.main', 'run', *['step'] * n, *['reverse-step'] * n, name='Mir')
    stops = [at for at in out.splitlines() if '@Mir.java:' in at]
    assert len(stops) == 2 * n + 1 and stops[:n + 1] == stops[n:][::-1], out


# ---- words, names and answers

WORDS = '''
import java.util.*;
public class Words {
    enum Late { ONE; final String sym = "1"; }
    record Box(int w) { }
    static int total;
    int own = 5;
    static String over(Object o) { return "o"; }
    static String over(String s) { return "s"; }
    static String over(Integer i) { return "i"; }
    static Words make(boolean loud) {
        Words w;
        if (loud)
            w = null; // null
        else
            w = new Words(); // made
        return w; // returned
    }
    int use() {
        return own + 1; // used
    }
    static void work(int n) {
        total += n; // first of worker
        total++;
    }
    public static void main(String[] args) throws Exception {
        List<Object> l = List.of(new Box(1), new Box(4), "text");
        for (Object o : l)
            total += o.hashCode() & 1; // looped
        make(false).use();
        Thread t = new Thread(() -> work(2));
        t.start();
        t.join();
        System.out.println("end"); // end
        System.out.println(Late.ONE.sym);
    }
}
'''


@pytest.fixture(scope='module')
def words(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp('words'), 'Words', WORDS)


def at(text):
    return f'Words.java:{line(text, WORDS)}'


def ask(batch, folder, text, *questions):
    """What is told after the stop at that line."""
    out = run(batch, folder, f'break {at(text)}', 'run', *questions, name='Words')
    return out[out.index('\nBreakpoint 1, '):]


def test_bookmarks_of_a_recording_are_named_by_their_lines_before_they_are_reached(ebb, batch, words, tmp_path):
    file = tmp_path / 'words.ebb'
    run(batch, words, f'break {at("// used")}', 'run', 'bookmark here', f'save {file}', name='Words')
    done = ebb(['replay', '--batch', '-e', 'info bookmarks', '-e', 'when', file], timeout=120)
    assert f'@{at("// used")}' in done.stdout and '??' not in done.stdout, done.stdout + done.stderr


def test_a_frame_is_selected_by_the_name_of_its_method(batch, words):
    out = ask(batch, words, '// used', 'frame function main')
    assert '#1  Words.main (' in out, out


def test_a_class_that_is_not_loaded_is_not_taken_for_a_field(batch, words):
    out = ask(batch, words, '// used', 'watch Words.Late.ONE.sym')
    assert 'no class Words.Late is loaded (yet)' in out, out


@pytest.mark.parametrize('expression, missing', [('nobody.all', 'nobody'), ('nobody.all.of.them', 'nobody'), ('com.acme.Shop.x', 'com.acme.Shop.x')])
def test_the_name_that_is_missing_is_told(batch, words, expression, missing):
    out = ask(batch, words, '// used', f'print {expression}')
    assert f'No symbol "{missing}" in current context.' in out, out


def test_the_first_value_of_a_static_comes_with_its_class(batch, words):
    out = ask(batch, words, '// end', 'values Words.total')
    assert '\t0 (the class was prepared)\n' in out and 'object' not in out, out
    out = ask(batch, words, '// used', 'values own')
    assert '\t0 (the object was made)\n' in out, out


def test_back_from_the_first_line_of_a_thread(batch, words):
    out = ask(batch, words, '// first of worker', *['reverse-step'] * 3)
    assert 'The thread began here.' in out and 'No more reverse' not in out, out
    out = run(batch, words, 'break Words.main', 'run', 'reverse-step', name='Words')
    assert 'No more reverse-execution history.' in out, out


def test_why_of_nothing_and_of_a_line_without_code(batch, words):
    out = ask(batch, words, '// used', 'why')
    assert 'why EXPR, why not LINE, why -- OUTPUT: of what?' in out, out
    closing = line('// used', WORDS) + 1
    out = ask(batch, words, '// used', f'why not {closing}')
    assert f'Line {closing} has no code: this is about line {line("// first of", WORDS)}, of Words.work.' in out, out


def test_the_ambiguous_ones_are_those_that_javac_names(batch, words):
    out = ask(batch, words, '// used', 'print over(null)')
    assert 'over(String) and over(Integer) match' in out, out


@pytest.mark.parametrize('expression, value', [('o instanceof Box b && b.w() > 1', 'false'), ('o instanceof Box b && b.w() == 1', 'true'),
                                               ('o instanceof Box b ? b.w() + 1 : 0', '2'), ('!(o instanceof String s) || s.isEmpty()', 'true'),
                                               ('l.stream().filter(x -> x instanceof Box b && b.w() > 1).count()', '1')])
def test_instanceof_names_what_it_finds(batch, words, expression, value):
    assert f'$1 = {value}\n' in ask(batch, words, '// looped', f'print {expression}')


def test_conditions_name_it_too(batch, words):
    out = run(batch, words, f'break {at("// looped")} if o instanceof Box b && b.w > 1', 'run', 'print o', name='Words')
    assert '$1 = Box[w=4]' in out, out


def test_a_record_pattern_is_refused_in_a_clear_line(batch, words):
    assert 'A pattern that takes a record apart is not understood here' in ask(batch, words, '// looped', 'print o instanceof Box(int w)')


def test_a_field_is_displayed_where_there_is_an_object(batch, words):
    out = ask(batch, words, '// used', 'display own', 'finish', 'reverse-step', 'reverse-step')
    assert '1: own = 5' in out and 'error' not in out and 'static context' not in out, out
