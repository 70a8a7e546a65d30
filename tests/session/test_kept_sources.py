"""Recordings hold the texts of the sources that their programs were made from.  The oracle is the text that was compiled."""
import shutil
import subprocess

import pytest

from dap_client import Dap
from java_source import javac

MAIN = '''#include "part.h"
#include <stdio.h>
int main(void)
{
    int all = twice(21);    /* the answer */
    printf("%d\\n", all);
    return 0;
}
'''
PART = 'static inline int twice(int x) { return 2 * x; }    /* of the header */\n'
TO_MAIN = ['-e', 'break main', '-e', 'continue']


@pytest.fixture
def program(tmp_path):
    folder = tmp_path / 'made'
    folder.mkdir()
    (folder / 'main.c').write_text(MAIN)
    (folder / 'part.h').write_text(PART)
    subprocess.run(['gcc', '-g', '-o', 'program', 'main.c'], cwd=folder, check=True, timeout=60)
    return folder / 'program'


def change_sources(program):
    (program.parent / 'main.c').write_text('/* something else */\n' * 20)
    (program.parent / 'part.h').unlink()


def shown(ebb, recording):
    done = ebb(['replay', '--batch', *TO_MAIN, '-e', 'list 1,8', '-e', 'step', recording])
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def is_as_compiled(text):
    listed = ''.join(f'{i}\t{line}\n' for i, line in enumerate(MAIN.splitlines(), 1))
    return listed in text and f'1\t{PART}' in text and 'something else' not in text


def test_a_recording_has_its_sources(ebb, program, tmp_path):
    recording = tmp_path / 'x.ebb'
    assert ebb(['record', '-o', recording, program]).returncode == 0
    change_sources(program)
    assert is_as_compiled(shown(ebb, recording))
    checked = ebb(['replay', '--batch', '--verify', '-e', 'continue', recording])
    assert checked.returncode == 0, checked.stderr


def test_so_have_those_of_its_children(ebb, program, tmp_path):
    recording = tmp_path / 'x.ebb'
    assert ebb(['record', '-o', recording, '/bin/sh', '-c', f'{program}; exit 0']).returncode == 0
    change_sources(program)
    child = [line.split()[0] for line in ebb(['ps', recording]).stdout.splitlines() if line.rstrip().endswith(str(program))]
    assert child, ebb(['ps', recording]).stdout
    assert is_as_compiled(shown(ebb, child[0]))


def test_one_that_is_saved_has_them_and_keeps_them(ebb, program, tmp_path):
    first, second = tmp_path / 'first.ebb', tmp_path / 'second.ebb'
    assert ebb(['run', '--batch', '-e', 'break main', '-e', 'run', '-e', 'next', '-e', f'save {first}', program]).returncode == 0
    change_sources(program)
    assert is_as_compiled(shown(ebb, first))
    assert ebb(['replay', '--batch', '-e', f'save {second}', first]).returncode == 0
    assert is_as_compiled(shown(ebb, second))


@pytest.mark.parametrize('way', ['saved', 'recorded'])
def test_a_java_program(ebb, tmp_path, way):
    source = 'package some.where;\npublic class Kept {\n    public static void main(String[] args) {\n        int n = args.length;    // none\n        System.out.println(n);\n    }\n}\n'
    folder, recording = tmp_path / 'made/some/where', tmp_path / 'kept.ebb'
    folder.mkdir(parents=True)
    (folder / 'Kept.java').write_text(source)
    javac('-g', '-d', tmp_path / 'made', folder / 'Kept.java')
    program = ['java', '-cp', tmp_path / 'made', 'some.where.Kept']
    save = ['run', '--batch', '-e', 'break some.where.Kept.main', '-e', 'run', '-e', 'next', '-e', f'save {recording}']
    done = ebb([*(save if way == 'saved' else ['record', '-o', recording]), *program], timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    shutil.rmtree(tmp_path / 'made')
    told = ebb(['replay', '--batch', '-e', 'break some.where.Kept.main', '-e', 'continue', '-e', 'list 1,7', recording], timeout=120).stdout
    assert ''.join(f'{i}\t{line}\n' for i, line in enumerate(source.splitlines(), 1)) in told


@pytest.mark.parametrize('changed', [False, True])
def test_an_editor_is_given_the_text(ebb, program, tmp_path, changed):
    """By its path where the file has that text, by a reference where it has not."""
    recording = tmp_path / 'x.ebb'
    assert ebb(['record', '-o', recording, program]).returncode == 0
    if changed:
        change_sources(program)
    with Dap() as dap:
        dap.begin(recording=str(recording), functions=['main'])
        dap.go('continue')
        frame = dap.frames()[0]
        assert frame['name'] == 'main' and frame['line'] == 5
        assert ('sourceReference' in frame['source']) == changed
        assert dap.ask('source', source=frame['source'], sourceReference=frame['source'].get('sourceReference', 0))['content'] == MAIN
