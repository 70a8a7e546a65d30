"""A jdb that is told what to do line by line, over HotSpot's own agent, over `ebb serve --jdwp`, or beside ebb's prompt."""
import os
import re
import select
import subprocess
import time

from conftest import EBB

MOVES = ('cont', 'run', 'step', 'next', 'stepi', 'reenter')
LATE = ('print', 'dump', 'eval', 'set', 'lock')  # jdb answers these from another thread than its prompt's
PROMPT = r'(?:\S+\[\d+\]|>) $'
SECONDS = 120


class Program:
    """Waits for a debugger at .port."""

    def __init__(self, command, cwd, stdin=subprocess.DEVNULL):
        self.process = subprocess.Popen(command, cwd=cwd, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.said = ''
        while not self.said.startswith('Listening'):
            self.said = self.process.stdout.readline()
            assert self.said
        self.port = int(re.search(r'(\d+)$', self.said.strip())[1])

    def end(self):
        self.process.terminate()
        rest = self.process.communicate(timeout=SECONDS)[0]
        return rest


def hotspot(words, cwd):
    return Program(['java', '-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:0', *words], cwd)


def ebb(words, cwd):
    return Program([EBB, 'serve', '--jdwp', '0', *words], cwd)


def beside(words, cwd):
    """At a prompt at which nobody says anything."""
    return Program([EBB, 'run', '--no-init', '--jdwp', '0', *words], cwd, stdin=subprocess.PIPE)


class Jdb:
    def __init__(self, port):
        self.process = subprocess.Popen(['jdb', '-attach', f'127.0.0.1:{port}'], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, bufsize=0)
        self.text, self.marks = '', 0
        self.read_to(r'VM Started:[\s\S]*\S+\[\d+\] $')
        self.sync()

    def read_to(self, pattern):
        end = time.monotonic() + SECONDS
        while not re.search(pattern, self.text):
            ready = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))[0]
            if not ready:
                raise TimeoutError(f'jdb said only {self.text!r}')
            got = os.read(self.process.stdout.fileno(), 1 << 16)
            if not got:
                break
            self.text += got.decode()
        said, self.text = self.text, ''
        return said

    def send(self, line):
        self.process.stdin.write(f'{line}\n'.encode())

    def sync(self):
        """What jdb says up to here: it has no other way to tell that a command is done."""
        self.marks += 1
        mark = f'Unrecognized command: \'mark{self.marks}\''
        self.send(f'mark{self.marks}')
        return self.read_to(re.escape(mark) + r'.*\n[\s\S]*' + PROMPT).split(mark)[0]

    def do(self, line):
        self.send(line)
        verb = line.split()[0]
        if verb in MOVES:
            said = self.read_to(r'\S+\[\d+\] $|exited')
            return said if 'exited' in said else said + self.sync()
        if verb == 'lock':
            return self.read_to(r'[\s\S]*' + r'\S+\[\d+\] $')
        if verb in ('disablegc', 'enablegc'):
            return self.read_to(r'GC [\s\S]*' + r'\S+\[\d+\] $')
        if verb in LATE:
            return self.read_to(r' = [\s\S]*' + r'\S+\[\d+\] $')
        return self.sync()

    def end(self):
        self.process.kill()
        self.process.communicate()


def with_ids(line, ids):
    """%main%: the thread's number in the last answer to `threads`."""
    return re.sub(r'%(\w+)%', lambda found: ids[found[1]], line)


def talk(program, lines):
    """What jdb says to each line, without its prompts."""
    answers, ids = [], {}
    jdb = Jdb(program.port)
    try:
        for line in lines:
            answers.append(jdb.do(with_ids(line, ids)))
            if line == 'threads':
                ids.update((name, number) for number, name in re.findall(r'\)(\d+) +(\w+) ', answers[-1]))
            if 'exited' in answers[-1]:
                break
    finally:
        jdb.end()
        program.output = program.end()
    return answers
