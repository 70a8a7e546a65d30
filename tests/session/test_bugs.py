"""Kinds of concurrency bugs, each a small program in bugs/: explore finds it, and the schedule that it writes makes HotSpot fail in the same way.

A selection always; EBB_LONG_TESTS=1: all of them."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent / 'bugs'))
import table  # noqa: E402

LONG = os.environ.get('EBB_LONG_TESTS') == '1'
QUICK = {'BoundedBuffer', 'ClassCycle', 'ExecutorShutdown', 'HandleLock', 'LatchForgotten', 'LockRing', 'TaskOrder', 'TimeoutTaken', 'NotifyOne'}
ALL = table.read()


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp('bugs')
    table.compile_into(where)
    return where


def test_there_are_thirty():
    assert len(ALL) >= 30 and QUICK <= {bug.name for bug in ALL}


@pytest.mark.parametrize('bug', [bug for bug in ALL if LONG or bug.name in QUICK], ids=lambda bug: bug.name)
def test_found_and_failing_on_hotspot(ebb, folder, tmp_path, bug):
    done = ebb(['explore', '--runs', '20000', *bug.options, '-o', tmp_path / 'found.ebb', 'java', '-cp', folder, bug.name], timeout=600)
    assert done.returncode == 1, done.stdout + done.stderr
    assert bug.failure in done.stdout
    schedule = tmp_path / 'found.schedule'
    assert ebb(['schedule', 'check', schedule], timeout=60).returncode == 0
    if not bug.hotspot:
        return
    classes = [path for path in folder.glob('*.class') if re.match(rf'{bug.name}(\$.*)?\.class', path.name)]
    woven = ebb(['weave', 'replay', schedule, '-o', tmp_path / 'woven', *classes], timeout=60)
    assert woven.returncode == 0, woven.stderr
    for _ in range(100 if LONG else 2):
        run = subprocess.run(['java', '-cp', tmp_path / 'woven', bug.name], capture_output=True, text=True, timeout=120)
        wanted = re.fullmatch(r'status (\d+)', bug.hotspot)
        if wanted:
            assert run.returncode == int(wanted[1]), schedule.read_text() + run.stderr
        else:
            assert bug.hotspot in run.stdout + run.stderr, schedule.read_text() + run.stdout + run.stderr
