"""Sessions in which a long search is broken off, for programs of both languages: started at the end of a long loop, asked, interrupted, ended."""
import json
import os
import pathlib
import random
import select
import signal
import subprocess
import time

from conftest import EBB


class Searching:
    """A session in JSON, whose answers are read one by one."""
    def __init__(self, args, environment):
        self.process = subprocess.Popen([EBB, "run", "--json", *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True, bufsize=1, env=environment)

    def begin(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def answer(self):
        for line in self.process.stdout:
            if line.startswith("{") and "command" in (said := json.loads(line)):
                return said
        return None

    def ask(self, command):
        self.begin(command)
        return self.answer()

    def kill(self):
        self.process.kill()
        self.process.wait()


def cpu_seconds(pid):
    """Of the process and those below it, ended ones too."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        below = [child for task in pathlib.Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()]
    except OSError:  # it has just ended
        return 0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK") + sum(map(cpu_seconds, below))


def until_worked(session, seconds):
    """So much was computed, however long that takes on a busy machine; or there is an answer."""
    before = cpu_seconds(session.process.pid)
    while cpu_seconds(session.process.pid) < before + seconds and not select.select([session.process.stdout], [], [], 0.01)[0]:
        pass


def assert_ctrl_c_leads_back(session, command):
    before = session.ask("when -i")["position"]
    for work in (0.05, 0.7, 1.5):
        session.begin(command)
        until_worked(session, work)
        session.process.send_signal(signal.SIGINT)
        said = session.answer()
        assert said["kind"] == "error" and "nterrupted" in said["message"] or said.get("reason") == "interrupted", said
        assert session.ask("when -i")["position"] == before


def assert_sigterm_ends_all(session, command, copies):
    """copies(): the processes that are left of the program and its copies."""
    session.begin(command)
    until_worked(session, random.Random(command).choice([0.02, 0.2, 0.6]))
    session.process.send_signal(signal.SIGTERM)
    assert session.process.wait(timeout=120) == -signal.SIGTERM
    until = time.monotonic() + 120
    while (left := copies()) and time.monotonic() < until:
        time.sleep(0.05)
    assert not left
