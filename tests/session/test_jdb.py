"""jdb over ebb's Java machine beside jdb over HotSpot: the same commands, the same answers.

What differs and is taken out before the comparison: ids and hashes of objects, the threads that belong to the JVM itself, and where the machine
stands when jdb connects (HotSpot before its first frame)."""
import pathlib
import re
import shutil
import subprocess

import pytest
from jdb_client import Jdb, ebb, hotspot, talk

HERE = pathlib.Path(__file__).resolve().parent / 'beside_jdb_jdwp'

SCRIPTS = {
    'Locals': '''
        stop in Locals.add
        stop at Locals:28
        run
        where
        locals
        print a
        print this.big
        dump this
        step
        step
        print sum
        next
        next
        up
        locals
        down
        step up
        cont
        locals
        print text
        print Locals.total
        set result = 99
        print result
        dump it.numbers
        print it.words[0]
        print it.next
        set it.half = 2.5
        print it.half
        set Locals.total = 3
        print Locals.total
        stepi
        clear Locals:28
        clear
        next
        cont''',
    'Threads': '''
        stop in Threads$Worker.work
        run
        where
        threads
        where all
        print this.amount
        print Threads.shared
        threadlocks
        next
        where
        cont
        print amount
        where
        threadgroups
        cont''',
    'Thrown': '''
        catch Thrown$Own
        catch java.lang.ArithmeticException
        catch java.lang.NullPointerException
        run
        where
        print n
        up
        locals
        cont
        where
        print n
        step
        cont
        where
        locals
        ignore java.lang.NullPointerException
        cont''',
    'Fields': '''
        stop in Fields.main
        run
        watch Fields.value
        watch Fields.count
        watch access Fields.count
        watch all Fields.name
        watch Fields.wide
        watch Fields.real
        cont
        print Fields.count
        cont
        cont
        cont
        cont
        cont
        cont
        where
        cont
        cont
        unwatch Fields.value
        unwatch all Fields.name
        unwatch access Fields.count
        unwatch Fields.count
        unwatch Fields.wide
        unwatch Fields.real
        cont''',
    'Calls': '''
        stop in Calls.depth(int)
        stop at Calls:28
        run
        step
        step
        where
        cont
        where
        clear Calls.depth(int)
        step up
        step up
        cont
        locals
        print shape.area()
        eval shape.show()
        eval list.size()
        print list
        dump list
        eval map.get("one")
        print colour
        eval colour.ordinal()
        print colour.name().length()
        print Calls.depth(3)
        eval new java.lang.StringBuilder("abc").reverse().toString()
        print deep == 4
        print twice + "!"
        set deep = 7
        print deep
        set twice = "other"
        print twice
        class Calls
        class Calls$Square
        methods Calls$Square
        fields Calls$Square
        cont''',
}
OF_THE_JVM = ('Reference Handler', 'Finalizer', 'Signal Dispatcher', 'Notification Thread', 'Common-Cleaner', 'DestroyJavaVM')


def lines_of(name):
    return [line.strip() for line in SCRIPTS[name].strip().splitlines()]


@pytest.fixture(scope='session')
def classes(tmp_path_factory):
    if not shutil.which('jdb'):
        pytest.skip('no jdb is here to be compared with')
    folder = tmp_path_factory.mktemp('beside_jdb')
    subprocess.run(['javac', '-g', '-d', folder, *HERE.glob('*.java')], check=True)
    for source in HERE.glob('*.java'):
        shutil.copy(source, folder)  # jdb shows lines
    return folder


def without_the_jvm(text):
    """`threads` and `where all` without the rows of the JVM's own threads."""
    kept, skips = [], False
    for line in text.splitlines():
        if any(f' {name} ' in line and line.startswith('  (') for name in OF_THE_JVM):
            continue
        if found := re.match(r'([^ \[].*):$', line):
            skips = found[1] in OF_THE_JVM
        if not skips:
            kept.append(line)
    return '\n'.join(kept)


def plain(line, text):
    text = re.sub(r'\(id=\d+\)', '(id=N)', text)
    text = re.sub(r'/0x[0-9a-f]+', '/0xN', text)
    text = re.sub(r'@[0-9a-f]+"', '@HASH"', text)
    text = re.sub(r'(?m)^(?:> |\S+\[\d+\] )+', '', text)
    if line in ('threads', 'where all', 'threadgroups'):
        text = without_the_jvm(re.sub(r'\)\d+ +', ')N ', text))
        text = re.sub(r' +', ' ', text)
    return [row.rstrip() for row in text.splitlines() if row.strip() and row.strip() != '>']


@pytest.mark.parametrize('name', SCRIPTS)
def test_jdb_says_the_same_over_ebb_as_over_hotspot(classes, name):
    lines = lines_of(name)
    theirs = talk(hotspot([name], classes), lines)
    ours = talk(ebb(['java', name], classes), lines)
    assert len(ours) == len(theirs)
    for line, wanted, got in zip(lines, theirs, ours):
        assert plain(line, got) == plain(line, wanted), line


def test_there_are_enough_commands():
    assert len({line.split()[0] for name in SCRIPTS for line in lines_of(name)}) >= 20
    assert sum(len(lines_of(name)) for name in SCRIPTS) >= 100
