"""Drives the real binary: in batch, through pipes, and on a terminal of its own.

EBB names another binary than build/ebb (the sanitizer build, say)."""
import hashlib
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import tempfile
import textwrap
import time

import pytest

# Whoever runs the tests may have these ignored (nohup, a shell's background job), and programs inherit that.
for number, action in ((signal.SIGHUP, signal.SIG_DFL), (signal.SIGQUIT, signal.SIG_DFL),
                       (signal.SIGINT, signal.default_int_handler)):
    signal.signal(number, action)

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EBB = os.environ.get("EBB", str(ROOT / "build" / "ebb"))
PROMPT = "(ebb) "
SECONDS = float(os.environ.get("EBB_TEST_SECONDS", "120"))  # for one command, at most


@pytest.fixture(scope="session")
def workshop():
    """A folder for everything that the tests compile and write."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="ebb-tests-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def compile_c(workshop):
    """compile_c(source, flags) -> path of the program; the same source and flags compile once."""

    def compile_one(source, flags=("-g", "-O0"), name="prog"):
        source = textwrap.dedent(source)
        key = hashlib.sha1(repr((source, tuple(flags), name)).encode()).hexdigest()[:12]
        folder = workshop / key
        program = folder / name
        if not program.exists():
            folder.mkdir(exist_ok=True)
            (folder / f"{name}.c").write_text(source)
            subprocess.run(["gcc", *flags, "-o", name, f"{name}.c", "-lpthread"], cwd=folder, check=True, timeout=60)
        return program

    return compile_one


@pytest.fixture
def quiet_home(workshop, tmp_path):
    """An environment in which neither a home nor colours get in the way."""
    return {**os.environ, "HOME": str(tmp_path), "TERM": "xterm", "NO_COLOR": "1",
            "XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CONFIG_HOME": str(tmp_path / "config"),
            "LC_ALL": "C.UTF-8", "SHELL": "/bin/sh"}


@pytest.fixture
def ebb(quiet_home):
    """ebb(args, stdin=...) -> finished process with text stdout and stderr."""

    def run(args, stdin=None, timeout=SECONDS, env=None, **more):
        if isinstance(stdin, str):
            stdin = stdin.encode()
        if stdin is None:
            more.setdefault("stdin", subprocess.DEVNULL)
        else:
            more["input"] = stdin
        done = subprocess.run([EBB, *(a if isinstance(a, bytes) else str(a) for a in args)], capture_output=True, timeout=timeout,
                              env={**quiet_home, **(env or {})}, **more)
        done.stdout = done.stdout.decode(errors="replace")
        done.stderr = done.stderr.decode(errors="replace")
        return done

    return run


@pytest.fixture
def batch(ebb):
    """batch(program, commands...) -> finished process of `ebb run --batch -e ... program`."""

    def run(program, *commands, args=(), options=(), **more):
        steps = [word for command in commands for word in ("-e", command)]
        return ebb(["run", "--batch", *options, *steps, "--", program, *args], **more)

    return run


@pytest.fixture
def batch_json(batch):
    """As batch, but the answers as a list of objects."""

    def run(program, *commands, **more):
        done = batch(program, *commands, options=("--json",), **more)
        return done, [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    return run


class Terminal:
    """ebb, or another program, on a pseudo-terminal, spoken to as a person would."""

    def __init__(self, args, env, rows=50, columns=200, program=EBB):
        self.seen = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                os.execve(program, [program, *map(str, args)], env)
            finally:
                os._exit(127)  # never a second process that runs the tests
        import fcntl
        import struct
        import termios
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.status = None

    def _read_more(self, until):
        wait = until - time.monotonic()
        if wait <= 0 or not select.select([self.fd], [], [], wait)[0]:
            raise AssertionError(f"nothing more came; seen so far:\n{self.seen}")
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # the other side is gone
            data = b""
        if not data:
            raise EOFError(self.seen)
        self.seen += data.decode(errors="replace")

    def expect(self, text, seconds=SECONDS):
        """Waits for `text` (a string, or a compiled pattern); returns what came up to its end."""
        until = time.monotonic() + seconds
        pattern = text if isinstance(text, re.Pattern) else re.compile(re.escape(text))
        while not (found := pattern.search(self.seen)):
            self._read_more(until)
        before, self.seen = self.seen[: found.end()], self.seen[found.end():]
        return before

    def send(self, text):
        os.write(self.fd, text.encode())

    def command(self, line, seconds=SECONDS):
        """Types a line and returns everything up to the next prompt."""
        self.send(line + "\n")
        return self.expect(PROMPT, seconds)

    def until_line_is_read(self, seconds=SECONDS):
        """The line editor has left the terminal: Ctrl-C is for the command."""
        import termios
        until = time.monotonic() + seconds
        while not termios.tcgetattr(self.fd)[3] & termios.ICANON:
            assert time.monotonic() < until, f"the line is not taken; seen so far:\n{self.seen}"
            time.sleep(0.001)

    def until_debuggee_has_it(self, seconds=SECONDS):
        """What is typed from now on goes to the debuggee, Ctrl-C as well."""
        until = time.monotonic() + seconds
        while os.tcgetpgrp(self.fd) in (0, self.pid):
            assert time.monotonic() < until, f"the debuggee doesn't get the terminal; seen so far:\n{self.seen}"
            time.sleep(0.01)

    def drain(self, quiet=0.05):
        """Reads until nothing comes for a moment."""
        try:
            while True:
                self._read_more(time.monotonic() + quiet)
        except AssertionError:
            pass

    def wait(self, seconds=SECONDS):
        """Waits for the end; returns the wait status."""
        until = time.monotonic() + seconds
        while self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = status
                break
            try:
                self._read_more(min(until, time.monotonic() + 0.05))
            except AssertionError:
                assert time.monotonic() < until, f"ebb doesn't end; seen so far:\n{self.seen}"
            except EOFError:
                time.sleep(0.01)
        return self.status

    def close(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.status = -1
        os.close(self.fd)


@pytest.fixture
def pty_session(quiet_home):
    """pty_session(args) -> Terminal, already at its first prompt unless told otherwise."""
    opened = []

    def start(args, env=None, at_prompt=True, **more):
        terminal = Terminal(args, {**quiet_home, **(env or {})}, **more)
        opened.append(terminal)
        if at_prompt:
            terminal.expect(PROMPT)
        return terminal

    yield start
    for terminal in opened:
        terminal.close()


def processes_below(folder):
    """Process numbers whose executable lies below `folder`."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if os.readlink(entry / "exe").startswith(f"{folder}/"):
                    found.append(int(entry.name))
            except OSError:
                pass
    return found


def debuggee_below(folder):
    """The one of them that is the program itself: its snapshots have no descriptors."""
    pid, = [pid for pid in processes_below(folder) if os.listdir(f"/proc/{pid}/fd")]
    return pid


@pytest.fixture(autouse=True)
def nothing_left_behind(workshop):
    """Whatever a test does, no debuggee outlives it."""
    yield
    until = time.monotonic() + 120
    while (left := processes_below(workshop)) and time.monotonic() < until:
        time.sleep(0.05)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left, f"debuggees left behind: {left}"
