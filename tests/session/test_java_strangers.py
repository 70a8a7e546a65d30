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


# ---- back into thousands of frames that an exception left


def test_back_from_a_handler_into_the_frames_that_were_left(batch, nest):
    """It took hours, a search for each frame."""
    out = run(batch, nest, f'break Nest.java:{line("// handled")}', 'run', 'reverse-next', 'reverse-step', 'print depth - n', 'reverse-step', 'reverse-step',
              'print depth - n')
    assert f'{line("// deeper")}\t' in out and '$1 = 0\n' in out and '$2 = 0\n' in out, out
    stops = [at.split('\t')[0] for at in out.splitlines() if '\t' in at]
    assert stops == [str(line(text)) for text in ('// handled', '// caught', '// deeper', '// deepest', '// deeper')], out
