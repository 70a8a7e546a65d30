"""asked.py - a debugger that is asked in JSON, and what its answers took: for the benches about going back."""
import ctypes
import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path


def cpu_ms(root):
    """CPU time of a process and all below it that are there."""
    parents, total = {}, 0
    for stat in Path('/proc').glob('[0-9]*/stat'):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rsplit(')', 1)[1].split()[1])
        except (OSError, ValueError):
            continue
    for pid in parents:
        up = pid
        while up != root and up in parents:
            up = parents[up]
        if up == root:
            for task in Path(f'/proc/{pid}/task').glob('*/schedstat'):
                try:
                    total += int(task.read_text().split()[0])
                except (OSError, ValueError):
                    continue
    return total / 1e6


ADOPTS_ORPHANS = 36     # PR_SET_CHILD_SUBREAPER: copies of the debuggee that outlive ebb are waited for, and so counted


def wait_for_orphans():
    try:
        while True:
            os.wait()
    except ChildProcessError:
        pass


def cpu_of_session(args, commands, times):
    """The least CPU time in seconds, user and system, of `ebb ARGS` and all processes that it made, with these commands."""
    ctypes.CDLL(None).prctl(ADOPTS_ORPHANS, 1)
    took = []
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        words = [word for command in commands for word in ('-e', command)]
        subprocess.run([*args[:2], '--batch', *words, *args[2:]], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for_orphans()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(took)


class Ebb:
    def __init__(self, args):
        self.process = subprocess.Popen(args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(self, command):
        """The answer, and the milliseconds that it took: by the clock and of the CPU."""
        used = cpu_ms(self.process.pid)
        began = time.monotonic()
        self.process.stdin.write(command + '\n')
        self.process.stdin.flush()
        for line in self.process.stdout:
            if not line.startswith('{'):
                continue    # the program's own
            answer = json.loads(line)
            if 'command' in answer:
                if answer['kind'] == 'error':
                    sys.exit(f'{command}: {answer}')
                took = 1000 * (time.monotonic() - began)
                return answer, (took, max(cpu_ms(self.process.pid) - used, 0))
        sys.exit(f'{command}: ebb ended')

    def interrupt_after(self, seconds):
        timer = threading.Timer(seconds, lambda: os.kill(self.process.pid, signal.SIGINT))
        timer.start()


def show(what, times):
    clock, cpu = (sorted(column) for column in zip(*times))
    print(f'{what:32} median {statistics.median(clock):7.1f} ms, worst {clock[-1]:7.1f} ms; CPU {statistics.median(cpu):7.1f}, {cpu[-1]:7.1f}'
          f' ms ({len(clock)} times)', flush=True)
