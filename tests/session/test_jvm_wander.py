"""Random walks through the histories of some cases of the conformance suite: every moment has one state, however it is reached.

tests/jvm/conformance/wander.py walks through all of them, and as long as one likes."""
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'jvm' / 'conformance'))

import conformance as suite     # noqa: E402
import wander                   # noqa: E402

NAMES = ['bytecodes.Throws', 'exceptions.StackOverflow', 'references.Weak', 'concurrency.WaitNotify', 'net.Selectors', 'process.Handles']


@pytest.fixture(scope='module')
def compiled():
    if suite.java_home() is None:
        pytest.skip('no JDK 17 found: install openjdk-17-jdk-headless')
    reason = suite.why_no_machine()
    if reason:
        pytest.skip(reason)
    if not wander.wander_program().exists():
        pytest.skip('tests/jvm/wander was not built')
    suite.compile_suite()
    return {c.name: c for c in suite.cases()}


@pytest.mark.parametrize('name', NAMES)
def test_every_moment_has_one_state(compiled, name):
    seed = int(os.environ.get('EBB_WALK_SEED', NAMES.index(name) + 1))
    wrong = wander.differences(compiled[name], seed, 12)
    assert not wrong, f'seed {seed}: ' + '\n'.join(wrong)


FLOWING = {**dict.fromkeys([*NAMES[:4], 'programs.Calculator', 'lambdas.Streams', 'handles.VarHandleFields', 'collections.Maps'], 1),
           'concurrency.ManyThreads': 123}  # switched off while threads wait in native methods


@pytest.mark.parametrize('name', FLOWING)
def test_aliases_are_no_part_of_the_state(compiled, name):
    """They are switched on and off on the way, of all kinds or some."""
    seed = int(os.environ.get('EBB_WALK_SEED', FLOWING[name]))
    wrong = wander.differences(compiled[name], seed, 20, flow=True)
    assert not wrong, f'seed {seed}: ' + '\n'.join(wrong)
