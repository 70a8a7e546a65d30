"""`next` and `step` beside jdb on HotSpot: over the statements and idioms of Java 17 they stop at the same lines, and the reverse ones
at the same moments the other way round.

What differs on purpose, and is taken out before the comparison:
  - jdb stops in the middle of a line when a call on it returns; ebb, like gdb, at the beginning of the next line;
  - jdb stops in methods that no line was written for (those of lambdas' classes, bridges); ebb passes them;
  - ebb steps into static initialisers, jdb doesn't;
  - jdb stops in the middle of a line that is jumped to (`: b` of a conditional whose `? a` was taken), as if it were executed; ebb only where a loop
    goes on;
  - jdb doesn't stop where an exception is caught, but at the line after that."""
import difflib
import json
import os
import pathlib
import re
import select
import shutil
import subprocess

import pytest
from conftest import EBB
from java_source import javac

HERE = pathlib.Path(__file__).resolve().parent / 'beside_jdb'
NAME = 'Idioms'
LONG = os.environ.get('EBB_LONG_TESTS') == '1'


# ---- the class files: where lines begin, what is after a call, bridges, handlers

class Method:
    def __init__(self):
        self.rows, self.after_calls, self.handlers, self.bridge_lines = {}, set(), set(), set()


def read_methods(folder):
    """"Class.method" -> what its code is like; of overloads the union."""
    methods = {}
    for file in sorted(folder.glob('*.class')):
        cls, method, part, was_call = file.stem, None, '', False
        text = subprocess.run(['javap', '-p', '-c', '-l', '-v', file], capture_output=True, text=True, check=True).stdout
        for line in text.splitlines():
            if found := re.match(r'    descriptor: \(', line):
                method, is_bridge = methods.setdefault(f'{cls}.{name}', Method()), False
            elif found := re.match(r'  (?=\S)(?:.*\s)?([\w$.<>]+)\(', line):
                name = '<init>' if found[1] == cls else found[1]
            elif line == '  static {};':
                name = '<clinit>'
            elif line.startswith('    flags:') and method is not None:
                is_bridge = 'ACC_BRIDGE' in line
            elif found := re.match(r'      (LineNumberTable|Exception table|LocalVariableTable|StackMapTable)', line):
                part = found[1]
            elif line.startswith('    Code:'):
                part = 'Code'
            elif part == 'Code' and (found := re.match(r'\s+(\d+): (\w+)', line)):
                if was_call:
                    method.after_calls.add(int(found[1]))
                was_call = found[2].startswith('invoke')
            elif part == 'LineNumberTable' and (found := re.match(r'\s+line (\d+): (\d+)', line)):
                if is_bridge:
                    method.bridge_lines.add(int(found[1]))
                else:
                    method.rows[int(found[2])] = int(found[1])
            elif part == 'Exception table' and (found := re.match(r'\s+\d+\s+\d+\s+(\d+)\s', line)):
                method.handlers.add(int(found[1]))
    return methods


@pytest.fixture(scope='module')
def idioms(tmp_path_factory):
    if not shutil.which('jdb'):
        pytest.skip('no jdb is here to be compared with')
    folder = tmp_path_factory.mktemp('idioms')
    javac('-g', '-d', folder, HERE / f'{NAME}.java')
    return folder


@pytest.fixture(scope='module')
def methods(idioms):
    return read_methods(idioms)


# ---- the two debuggers

def jdb_stops(folder, command):
    """(method, line, bytecode index) of each stop."""
    p = subprocess.Popen(['jdb', '-classpath', folder, NAME], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0)

    def say(text, answer):
        p.stdin.write(text.encode() + b'\n')
        return until(answer)

    def until(pattern):
        """What the program prints may come after the prompt: then the prompt is at no end, and silence has to do."""
        seen, anywhere, silences = b'', pattern.replace(b' $', b' '), 0
        while not re.search(pattern, seen) and silences < 60:
            if not select.select([p.stdout], [], [], 2)[0]:
                silences += 1
                if re.search(anywhere, seen):
                    break
            elif more := os.read(p.stdout.fileno(), 65536):
                seen += more
            else:
                break
        return seen.decode(errors='replace')

    try:
        until(rb'> $')
        say('exclude java.*,javax.*,sun.*,com.sun.*,jdk.*', rb'> $')
        say(f'stop in {NAME}.main', rb'> $')
        text, stops = say('run', rb'main\[1\] $'), []
        while at := re.search(r'(?:Breakpoint hit|Step completed): .*?"thread=[^"]*", (\S+)\(\), line=(-?[\d,]+) bci=([\d,]+)', text, re.S):
            stops.append((at[1], int(at[2].replace(',', '')), int(at[3].replace(',', ''))))
            text = say(command, rb'\w\[1\] $|The application exited')
        return stops
    finally:
        p.kill()
        p.wait()
        p.stdin.close()
        p.stdout.close()


def ebb_stops(folder, *commands):
    """(method, line, position, bytecode index) of each stop in the program's own code."""
    steps = [word for command in ('break Idioms.main', 'run', 'delete', *commands) for word in ('-e', command)]
    done = subprocess.run([EBB, 'run', '--no-init', '--batch', '--json', *steps, '--', 'java', '-cp', folder, NAME], capture_output=True, text=True,
                          timeout=300, check=False)
    told = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{')]
    stops = [one for one in told if one['kind'] == 'stop' and one.get('line')]
    return [(one['frame']['function'], one['line'], one['position'], int(one['frame']['pc'].split(':')[-1])) for one in stops]


# ---- the same lines

def seen_by_jdb(stops, methods):
    kept = []
    for name, line, bci in stops:
        method = methods.get(name)
        if line < 0 or method is None or line in method.bridge_lines:
            continue
        if bci in method.rows or bci not in method.after_calls:
            kept.append((name, line))
    return kept


def is_on_purpose(block, methods):
    """What only ebb stops at."""
    if any('<clinit>' in name for name, line, position, bci in block):
        return True
    return len(block) == 1 and block[0][3] in methods[block[0][0]].handlers


@pytest.mark.parametrize('command', ['next', 'step'])
def test_stops_are_those_of_jdb(idioms, methods, command):
    theirs = seen_by_jdb(jdb_stops(idioms, command), methods)
    ours = ebb_stops(idioms, *[command] * (len(theirs) + 100))
    assert len(theirs) > 30
    differences = []
    lines = [(name, line) for name, line, position, bci in ours]
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, theirs, lines, autojunk=False).get_opcodes():
        if tag != 'equal' and not (tag == 'insert' and is_on_purpose(ours[j1:j2], methods)):
            differences.append(f'after {theirs[i1 - 1]}: jdb {theirs[i1:i2]}, ebb {lines[j1:j2]}')
    assert not differences, '\n'.join(differences)


# ---- the same moments back

@pytest.mark.parametrize('command,ends', [('next', [36, 49]), ('step', [60, 200, 290])])
def test_steps_back_stop_where_steps_did(idioms, command, ends):
    """From some moments of the way, so many steps back; EBB_LONG_TESTS=1: all of them."""
    for end in ends:
        n_back = end if LONG or command == 'next' else 33
        stops = [position for name, line, position, bci in ebb_stops(idioms, *[command] * end, *[f'reverse-{command}'] * n_back)]
        there, back = stops[:end + 1], stops[end + 1:]
        assert back == there[::-1][1:n_back + 1], f'reverse-{command} from {there[-1]}'
