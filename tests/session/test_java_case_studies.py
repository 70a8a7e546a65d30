"""Whole programs to their end, back to their beginning, and to the end again: replayed, and live from there.

The compiler is the case study of Cook's paper (section 9); the others do what is hard to do twice in the same way."""
import re
from pathlib import Path

import pytest

from java_source import javac

STUDIES = Path(__file__).resolve().parents[1] / 'jvm' / 'studies'


@pytest.fixture(scope='module')
def classes(tmp_path_factory):
    folder = tmp_path_factory.mktemp('studies')
    javac('-g', '-d', folder, *STUDIES.glob('*.java'))
    return folder


# ---- the compiler ----------------------------------------------------------------------------------

JAVAC = ['-m', 'jdk.compiler/com.sun.tools.javac.Main', '-g', '-d']


@pytest.fixture(scope='module')
def by_hotspot(tmp_path_factory):
    folder = tmp_path_factory.mktemp('hotspot')
    javac('-g', '-d', folder, STUDIES / 'Compiled.java')
    made = contents(folder)
    assert len(made) > 5
    return made


def contents(folder):
    return {p.name: p.read_bytes() for p in folder.glob('*.class')}


def compile_under(batch, out, *commands, **more):
    return batch('java', *commands, args=[*JAVAC, out, STUDIES / 'Compiled.java'], timeout=120, **more)


def test_javac_to_the_end_back_and_to_the_end_again(batch, by_hotspot, tmp_path):
    """Replay goes through the same states and touches nothing: what was made and taken away is not made again."""
    done = compile_under(batch, tmp_path / 'out', 'run', f'shell mv {tmp_path}/out {tmp_path}/first', 'goto start', 'continue',
                         'info history', options=['--verify'])
    assert done.returncode == 0, done.stderr
    assert done.stdout.count('exited normally') == 2, done.stdout
    assert contents(tmp_path / 'first') == by_hotspot
    assert not (tmp_path / 'out').exists()


def test_javac_live_again_from_its_beginning(batch, by_hotspot, tmp_path):
    """The files of the dropped future are gone, and the second life makes them again."""
    done = compile_under(batch, tmp_path / 'out', 'run', 'goto start', 'branch', f'shell ls {tmp_path}/out', 'echo continued\\n', 'continue',
                         'goto start', 'goto end')
    assert done.returncode == 0, done.stderr
    assert '.class' not in done.stdout and done.stdout.count('exited normally') == 3, done.stdout
    assert contents(tmp_path / 'out') == by_hotspot


def test_javac_live_again_from_its_middle(batch, by_hotspot, tmp_path):
    """From the moment before the first class file is written."""
    done = compile_under(batch, tmp_path / 'out', 'break com.sun.tools.javac.jvm.ClassWriter.writeClass', 'run', 'delete', 'continue',
                         'break com.sun.tools.javac.jvm.ClassWriter.writeClass', 'goto start', 'continue', 'branch',
                         f'shell ls {tmp_path}/out', 'delete', 'continue')
    assert done.returncode == 0, done.stderr
    assert '.class' not in done.stdout and done.stdout.count('exited normally') == 2, done.stdout
    assert contents(tmp_path / 'out') == by_hotspot


# ---- the others ------------------------------------------------------------------------------------

STUDY = {  # what is looked at before the end; what it is in every life; what the program says
    'Threads': (['print order.toString()', 'print sum.get()', 'print under_lock'], [None, '20001', '19900'], 'sum 20001 19900 200'),
    'Sockets': (['print port', 'print seen.toString()', 'print total'], [None, None, '204000'], 'total 204000'),
    'Exceptions': (['print trail.toString()', 'print caught', 'print deepest'], [None, '64', '29'], '64 29 1151'),
}


def values(out):
    return re.findall(r'^\$\d+ = (.*)', out, re.M)


def lives(batch, classes, name, *before, **more):
    looks, _, _ = STUDY[name]
    look = [f'break {name}.done', 'continue', 'up', *looks, 'delete', 'continue']
    return batch('java', *before, 'starti', *look, 'goto start', *look, 'goto start', 'branch', *look,
                 args=['-cp', classes, name], timeout=120, **more)


@pytest.mark.parametrize('name', STUDY)
def test_the_second_time_is_the_first_and_another_life_is_right_too(batch, classes, name):
    done = lives(batch, classes, name, options=['--verify'])
    assert done.returncode == 0, done.stderr
    looks, expected, said = STUDY[name]
    seen = values(done.stdout)
    assert len(seen) == 3 * len(looks), done.stdout
    first, second, third = (seen[i:i + len(looks)] for i in range(0, len(seen), len(looks)))
    assert first == second, 'a replay is what happened'
    for life in (first, third):
        assert all(e is None or e == v for e, v in zip(expected, life)), life
    assert done.stdout.count(said + '\n') == 2, 'said in each life, not in the replay'
    assert done.stderr.count('uncaught') == (2 if name == 'Exceptions' else 0)


@pytest.mark.parametrize('name', STUDY)
def test_every_state_of_the_recording(ebb, classes, name, tmp_path):
    path = tmp_path / 'study.ebb'
    ebb(['record', '-o', path, 'java', '-cp', classes, name], timeout=60, env={'EBB_VERIFY': '1'})  # every one, however slow the machine is
    done = ebb(['replay', '--verify', '--batch', path], timeout=60)
    assert done.returncode == 0, done.stderr
    assert int(re.search(r'(\d+) states compared, all the same', done.stdout)[1]) > 3
