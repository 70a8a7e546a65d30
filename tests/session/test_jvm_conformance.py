"""The conformance suite of the Java machine (tests/jvm/conformance), one test a case.

EBB_CONFORMANCE=quick runs only the subset of quick.txt; `-k` picks cases by name; EBB_JVM_DIR names the directory of
libjvm.so.  Cases listed in known-failures.txt are expected to fail: one that passes is an error, so the list only shrinks.
"""
import os
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / 'jvm' / 'conformance'), str(TESTS.parent / 'fuzz' / 'classfile')]

import classfile                # noqa: E402
import conformance as suite     # noqa: E402

KNOWN = suite.known_failures()
CASES = suite.quick_cases() if os.environ.get('EBB_CONFORMANCE') == 'quick' else suite.cases()


@pytest.fixture(scope='module')
def compiled():
    if suite.java_home() is None:
        pytest.skip('no JDK 17 found: install openjdk-17-jdk-headless')
    suite.compile_suite()


@pytest.fixture(scope='module')
def pool(request, compiled):
    """All the selected cases, started together: a test then only waits for its own."""
    reason = suite.why_no_machine()
    if reason:
        pytest.skip(reason)
    selected = [i.callspec.params['case'] for i in request.session.items
                if i.module is request.module and 'case' in getattr(getattr(i, 'callspec', None), 'params', {})]
    running = suite.Pool(selected)
    yield running
    running.close()


@pytest.mark.parametrize('case', CASES, ids=lambda c: c.name)
def test_same_as_hotspot(case, pool):
    different = pool.result(case)
    if case.name in KNOWN:
        assert different, f'{case.name} passes now: take it off known-failures.txt'
        pytest.xfail(f'{KNOWN[case.name]}: {different[0]}')
    assert not different, '\n'.join([case.name, *different])


def test_lists_name_cases():
    """A name in known-failures.txt or quick.txt that is no case is a mistake."""
    names = {c.name for c in suite.cases()}
    assert set(KNOWN) <= names
    assert set(suite.QUICK.read_text().split()) <= names


def test_every_opcode_is_covered(compiled, tmp_path):
    """The classes of the suite, compiled or assembled while it runs, hold every instruction in every form."""
    for case in suite.cases():
        if case.area == 'bytecodes':
            suite.execute(case.command([f'-Debb.dump={tmp_path}']))
    files = [*suite.CLASSES.rglob('*.class'), *tmp_path.glob('*.class')]
    used = set().union(*(classfile.opcodes_used(f.read_bytes()) for f in files))
    wide = {f'wide {name}' for name, shape in classfile.OPCODES if shape in ('LOCAL', 'IINC')}
    missing = {name for name, shape in classfile.OPCODES if shape != 'WIDE'} | wide
    assert not missing - used
