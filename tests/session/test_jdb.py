"""jdb over ebb's Java machine beside jdb over HotSpot: the same commands, the same answers.

What differs and is taken out before the comparison: ids and hashes of objects, the threads that belong to the JVM itself, and where the machine
stands when jdb connects (HotSpot before its first frame)."""
import pathlib
import re
import shutil
import socket
import struct
import subprocess

import pytest
from conftest import EBB
from java_source import javac
from jdb_client import Jdb, beside, ebb, hotspot, talk

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
        wherei
        list
        list 14
        use
        classpath
        lock it
        disablegc it
        enablegc it
        monitor print result
        monitor
        unmonitor 1
        monitor
        cont''',
    'Threads': '''
        stop in Threads$Worker.work
        run
        where
        threads
        thread %main%
        where
        locals
        up
        threadgroup main
        threads
        thread %first%
        suspend %main%
        resume %main%
        lock Threads.lock
        where all
        wherei all
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
        catch uncaught java.lang.Throwable
        catch
        ignore
        ignore uncaught java.lang.Throwable
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
        pop
        where
        step
        reenter
        where
        clear Calls.depth(int)
        exclude java.*, javax.*, jdk.*, sun.*
        exclude
        trace method exit
        cont
        untrace methods
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
        modules
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
    javac('-g', '-d', folder, *HERE.glob('*.java'))
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
    if line == 'modules':  # those that a class was loaded of, and one without a name
        return sorted(set(re.findall(r'java\.base|Unnamed module', text)))
    if line in ('threads', 'where all', 'wherei all', 'threadgroups'):
        text = without_the_jvm(re.sub(r'\)\d+ +', ')N ', text))
        text = re.sub(r' +', ' ', text)
    return [row.rstrip() for row in text.splitlines() if row.strip() and row.strip() != '>']


@pytest.mark.parametrize('name', SCRIPTS)
def test_jdb_says_the_same_over_ebb_as_over_hotspot(classes, name):
    """By itself, and beside a prompt."""
    lines = lines_of(name)
    theirs = talk(hotspot([name], classes), lines)
    for begin in (ebb, beside):
        ours = talk(begin(['java', name], classes), lines)
        assert len(ours) == len(theirs)
        for line, wanted, got in zip(lines, theirs, ours):
            assert plain(line, got) == plain(line, wanted), (begin.__name__, line)


def test_there_are_enough_commands():
    assert len({line.split()[0] for name in SCRIPTS for line in lines_of(name)}) >= 40
    assert all(len(lines_of(name)) >= 20 for name in SCRIPTS)


# ---- recordings

PAST = '''
    stop in Locals.add
    stop at Locals:28
    run
    where
    locals
    step
    print sum
    step up
    cont
    locals
    print it.add(1, 1, true)
    set result = 99
    print result
    threads
    clear Locals:28
    cont'''


def test_a_recording_is_debugged_as_the_program_was(classes):
    subprocess.run([EBB, 'record', '-o', 'locals.ebb', 'java', 'Locals'], cwd=classes, check=True, capture_output=True, timeout=120)
    lines = [line.strip() for line in PAST.strip().splitlines()]
    live = talk(ebb(['java', 'Locals'], classes), lines)
    past = talk(ebb(['--recording', 'locals.ebb'], classes), lines)
    assert [plain(line, text) for line, text in zip(lines, past)] == [plain(line, text) for line, text in zip(lines, live)]
    assert len(past) == len(lines)


# ---- clients that are out of their mind

def connect(program):
    client = socket.create_connection(('127.0.0.1', program.port), timeout=60)
    return client


def shake_hands(client):
    client.sendall(b'JDWP-Handshake')
    assert client.recv(14, socket.MSG_WAITALL) == b'JDWP-Handshake'


HOSTILE = {
    'no handshake': (b'GET / HTTP/1.1\r\n\r\n', 'does not speak the Java Debug Wire Protocol'),
    'a giant length': (b'JDWP-Handshake\x7f\xff\xff\xff\0\0\0\1\0\1\1', 'a length that makes no sense'),
    'a length of nothing': (b'JDWP-Handshake\0\0\0\0\0\0\0\1\0\1\1', 'a length that makes no sense'),
    'half a packet': (b'JDWP-Handshake\0\0\0\x20\0\0\0\1\0', None),
    'half a handshake': (b'JDWP-', None),
}


@pytest.mark.parametrize('name', HOSTILE)
def test_a_hostile_client_gets_one_line_and_the_program_runs_on(classes, name):
    sent, said = HOSTILE[name]
    program = ebb(['java', 'Locals'], classes)
    client = connect(program)
    client.sendall(sent)
    client.shutdown(socket.SHUT_WR)
    output = program.process.communicate(timeout=120)[0]
    client.close()
    assert program.process.returncode == 0
    assert 'result 1001' in output
    assert (output.count('ebb:') == 1 and said in output) if said else 'ebb:' not in output


@pytest.mark.parametrize('sent', [b'', b'JDWP-Hand'], ids=['nothing', 'half'])
def test_who_says_nothing_keeps_nobody_out(classes, sent):
    program = ebb(['java', 'Locals'], classes)
    silent = [connect(program) for _ in range(3)]
    for client in silent:
        client.sendall(sent)
    speaks = connect(program)
    shake_hands(speaks)
    for client in (speaks, *silent):
        client.close()
    assert 'result 1001' in program.process.communicate(timeout=120)[0]
    assert program.process.returncode == 0


def test_commands_with_nonsense_are_refused_and_the_conversation_goes_on(classes):
    program = ebb(['java', 'Locals'], classes)
    client = connect(program)
    shake_hands(client)

    def ask(command, contents=b''):
        client.sendall(struct.pack('>IIBBB', 11 + len(contents), 77, 0, *command) + contents)
        while True:
            nbytes, number, flags, error = struct.unpack('>IIBH', client.recv(11, socket.MSG_WAITALL))
            rest = client.recv(nbytes - 11, socket.MSG_WAITALL) if nbytes > 11 else b''
            if flags & 0x80:
                assert number == 77
                return error, rest

    assert ask((1, 1))[0] == 0
    assert ask((99, 1))[0] == 99                                     # no such command
    assert ask((1, 18), b'\0\0\0\0')[0] == 99                        # redefinition
    assert ask((2, 1), b'\0' * 8)[0] == 21                           # no such class
    assert ask((2, 1), b'\0')[0] == 21                               # half an id
    assert ask((9, 1), b'\xff' * 8)[0] == 20                         # no such object
    assert ask((11, 1), b'\x11' * 8)[0] == 10                        # no such thread
    assert ask((15, 1), b'\2\2\xff\xff\xff\xff')[0] == 103           # more filters than there are bytes
    assert ask((15, 1), b'\2\2\0\0\0\0')[0] == 103                   # a breakpoint nowhere
    assert ask((13, 2), b'\0' * 8 + b'\x7f\xff\xff\xff' * 2)[0] == 20
    assert ask((1, 7))[0] == 0
    client.close()                                                   # without a word
    assert 'result 1001' in program.process.communicate(timeout=120)[0]


def test_other_addresses_are_refused(classes):
    result = subprocess.run([EBB, 'serve', '--jdwp', '0.0.0.0:0', 'java', 'Locals'], cwd=classes, capture_output=True, text=True, timeout=60)
    assert result.returncode == 1 and '--insecure-any-address' in result.stderr


def test_native_programs_are_refused():
    result = subprocess.run([EBB, 'serve', '--jdwp', '0', '/bin/true'], capture_output=True, text=True, timeout=60)
    assert result.returncode == 1 and result.stderr.count('\n') == 1 and 'ebb serve --gdb' in result.stderr


# ---- beside the prompt

class Prompt:
    """`ebb run --jdwp` through pipes."""

    def __init__(self, words, cwd):
        self.process = subprocess.Popen([EBB, *words], cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1)

    def read_to(self, pattern):
        said = ''
        while not re.search(pattern, said):
            line = self.process.stdout.readline()
            assert line, said
            said += line
        return said

    def say(self, line, pattern):
        self.process.stdin.write(line + '\n')
        return self.read_to(pattern)


@pytest.mark.parametrize('is_past', [False, True])
def test_the_prompt_goes_back_and_jdb_sees_it(classes, is_past):
    if is_past:
        subprocess.run([EBB, 'record', '-o', 'beside.ebb', 'java', 'Locals'], cwd=classes, check=True, capture_output=True, timeout=120)
    words = ['replay', '--no-init', '--jdwp', '0', 'beside.ebb'] if is_past else ['run', '--no-init', '--jdwp', '0', 'java', 'Locals']
    prompt = Prompt(words, classes)
    jdb = Jdb(int(re.search(r'jdb on 127\.0\.0\.1:(\d+)', prompt.read_to(r'jdb on .*\n'))[1]))
    try:
        jdb.do('stop in Locals.add')
        assert 'line=14' in jdb.do('run')
        assert 'line=15' in jdb.do('next')
        assert 'sum = 5' in jdb.do('locals')
        prompt.read_to(r'Locals\.java:15')
        prompt.say('reverse-next', r'Locals\.java:14|int sum')
        assert 'InvalidStackFrame' in jdb.do('locals')  # what it knew is refused, not answered with something else
        assert 'line=14' in jdb.do('cont')
        assert 'Locals.java:14' in jdb.do('where')
        assert 'sum' not in jdb.do('locals')
        assert 'line=15' in jdb.do('next')
        assert 'sum = 5' in jdb.do('locals')
        prompt.say('reverse-finish', r'Locals\.java:26')
        assert 'Locals.main(), line=26' in jdb.do('cont')
        assert 'Locals.add(), line=14' in jdb.do('cont')
        jdb.end()
        assert 'Locals.add' in prompt.say('backtrace', r'#1')
        output, _ = prompt.process.communicate('continue\ncontinue\n', timeout=120)  # to the present, and on
        assert 'result 1001' in output or is_past
    finally:
        jdb.end()
        prompt.process.kill()
