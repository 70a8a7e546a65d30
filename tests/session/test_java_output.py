"""info output: what a Java program had printed by now, wherever in time that is."""
import re

import pytest
from java_source import compile_java

SOURCE = '''
public class Prints {
    static int n;

    static void say(String text) {
        n++;
        System.out.println(text);
    }

    public static void main(String[] args) {
        for (int i = 0; i < 15; i++)
            say("line " + i);
        System.err.println("to the other");
        n = 100; // all
        System.out.print("no end");
        System.out.flush();
        n = 200; // at the end
    }
}
'''


def line(text):
    return next(i for i, at in enumerate(SOURCE.splitlines(), 1) if text in at)


@pytest.fixture(scope='module')
def prints(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp('prints'), 'Prints', SOURCE)


def outputs(text):
    """What each `info output` showed, between two marks."""
    return re.findall(r'<<\n((?:.*\n)*?)>>\n', text)


ASK = ['echo <<\\n', 'info output', 'echo >>\\n']
LINES = [f'line {i}\n' for i in range(15)]
BEFORE_5 = ''.join(LINES[:5])
SCRIPT = ['break Prints.say if Prints.n == 5', f'break Prints.java:{line("// all")}', f'break Prints.java:{line("// at the end")}']


def check(shown):
    tail = ''.join(LINES[6:]) + 'to the other\n'
    left_out = len(''.join(LINES[:6]))
    assert shown[0] == BEFORE_5
    assert shown[1] == f'({left_out} bytes before)\n{tail}'
    assert shown[2] == f'({left_out + len(LINES[6])} bytes before)\n' + ''.join(LINES[7:]) + 'to the other\nno end\n'
    assert shown[3] == shown[1] and shown[4] == BEFORE_5, 'going back it is what had been printed then'
    assert shown[5] == 'It has printed nothing yet.\n'
    assert shown[6] == ''.join(LINES) + 'to the other\nno end\n', 'after the end it is all'


MOVES = ['continue', *ASK, 'continue', *ASK, 'continue', *ASK, 'reverse-continue', *ASK, 'reverse-continue', *ASK, 'goto start', *ASK, 'delete', 'goto end',
         'continue', 'echo <<\\n', 'info output 0', 'echo >>\\n']


def test_what_was_printed_by_now(batch, prints):
    moves = ['run', *MOVES[1:]]
    moves.remove('goto end')
    done = batch('java', *SCRIPT, *moves, args=['-cp', prints, 'Prints'], timeout=120)
    check(outputs(done.stdout))


def test_in_a_recording(ebb, prints, tmp_path):
    assert ebb(['record', '-o', tmp_path / 'p.ebb', '--', 'java', '-cp', prints, 'Prints'], timeout=120).returncode == 0
    moves = MOVES[:-4] + MOVES[-3:]  # there is nothing after `goto end`
    done = ebb(['replay', '--batch', *[word for command in SCRIPT + moves for word in ('-e', command)], tmp_path / 'p.ebb'], timeout=120)
    check(outputs(done.stdout))


def test_it_is_put_back_by_the_undo_log(batch, prints):
    """Single steps back and forth over a print."""
    done = batch('java', 'break Prints.say if Prints.n == 3', 'run', 'next', *ASK, 'next', *ASK, 'reverse-next', *ASK, 'next', *ASK, args=['-cp', prints, 'Prints'],
                 timeout=120)
    three, four = ''.join(LINES[:3]), ''.join(LINES[:4])
    assert outputs(done.stdout) == [three, four, three, four], done.stdout + done.stderr


def test_before_the_program_runs(ebb, prints):
    done = ebb(['run', '--batch', '-e', 'info output', '--', 'java', '-cp', prints, 'Prints'], timeout=60)
    assert 'not being run' in done.stderr, done.stdout + done.stderr
