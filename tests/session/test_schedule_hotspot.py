"""A schedule that was taken from a run on ebb's machine describes that run: HotSpot, made to follow it, prints the same.

The programs in schedules/ print the order in which their threads met, which no two schedules have in common for long. EBB_LONG_TESTS=1: many more seeds."""
import os
import subprocess
from pathlib import Path

import pytest

from java_source import javac

LONG = os.environ.get('EBB_LONG_TESTS') == '1'
SOURCES = Path(__file__).resolve().parent / 'schedules'
SEEDS = range(1, 21 if LONG else 2)
RUNS = [(name, f'{strategy}:{seed}') for name in ('Meetings', 'Pools', 'Library', 'Forks', 'Helps', 'Flows', 'Late', 'Swaps', 'Times', 'Dues', 'Classes', 'Overrides', 'Units') for strategy in ('random', 'pct', 'pos', 'surw') for seed in SEEDS]


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp('schedules')
    javac('-g', '-d', where, *SOURCES.glob('*.java'))
    return where


def test_schedules_differ(ebb, folder, tmp_path):
    """Otherwise the test below would show nothing."""
    printed = {ebb(['record', '-o', tmp_path / 'x.ebb', '--scheduling', scheduling, 'java', '-cp', folder, 'Meetings'], timeout=120).stdout
               for _, scheduling in RUNS[:4]}
    assert len(printed) > 1


@pytest.mark.parametrize('name, scheduling', RUNS if LONG else RUNS[::2] + RUNS[-1:])
def test_hotspot_prints_the_same(ebb, folder, tmp_path, name, scheduling):
    schedule = tmp_path / 'run.schedule'
    ours = ebb(['record', '-o', tmp_path / 'run.ebb', '--schedule', schedule, '--scheduling', scheduling, 'java', '-cp', folder, name], timeout=120)
    assert ours.returncode == 0 and ours.stdout, ours.stderr
    assert ebb(['schedule', 'check', schedule], timeout=60).returncode == 0
    woven = ebb(['weave', 'replay', schedule, '-o', tmp_path / 'woven', *folder.glob(f'{name}*.class')], timeout=60)
    assert woven.returncode == 0, woven.stderr
    theirs = subprocess.run(['java', '-cp', tmp_path / 'woven', name], capture_output=True, text=True, timeout=120)
    assert theirs.stdout == ours.stdout, schedule.read_text() + theirs.stderr
