"""Recording and replay of Java: cases of the conformance suite, programs that ask much of the outside, damaged recordings.

tests/jvm/conformance/replay.py does the same over the whole suite.
"""
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / 'jvm' / 'conformance'))

import conformance as suite     # noqa: E402
import replay                   # noqa: E402

from java_source import javac

NAMES = ['bytecodes.Throws', 'exceptions.Uncaught', 'exceptions.StackOverflow', 'exceptions.OutOfMemory', 'classes.Loaders',
         'handles.Combinators', 'references.Weak', 'system.SystemProperties', 'files.BasicFiles', 'files.ZipFiles', 'files.Channels',
         'net.HttpServerClient', 'net.Selectors', 'process.Run', 'process.Signals', 'concurrency.ThreadPools', 'concurrency.WaitNotify',
         'jni.Calls', 'jni.Refs', 'jni.Exceptions']


@pytest.fixture(scope='module')
def compiled():
    if suite.java_home() is None:
        pytest.skip('no JDK 17 found: install openjdk-17-jdk-headless')
    reason = suite.why_no_machine()
    if reason:
        pytest.skip(reason)
    suite.compile_suite()
    return {c.name: c for c in suite.cases()}


@pytest.mark.parametrize('name', NAMES)
def test_replays_with_the_same_states(compiled, name):
    wrong, compared, _ = replay.differences(compiled[name], every=3)
    assert not wrong, '\n'.join(wrong)
    assert compared > 0


@pytest.fixture(scope='module')
def recording(compiled, tmp_path_factory):
    path = tmp_path_factory.mktemp('recording') / 'file'
    case = compiled['files.OldIo']
    assert replay.recorded(case, path, 10).status == 0
    return case, path


def test_is_readable_only_by_its_owner(recording):
    assert recording[1].stat().st_mode & 0o777 == 0o600


def test_says_so_when_it_is_no_recording(recording, tmp_path):
    case, _ = recording
    for name, content in {'empty': b'', 'text': b'hello world\n' * 100, 'zeros': bytes(5000)}.items():
        path = tmp_path / name
        path.write_bytes(content)
        status, out, err = replay.replayed(case, path)
        assert status not in (0, 'timeout') and status > 0 and not out
        assert 'ebb' in err or str(path) in err


def test_damage_is_noticed_or_harmless(recording, tmp_path):
    """A recording is foreign bytes: whatever they are, replay ends by itself and never crashes."""
    case, path = recording
    good = path.read_bytes()
    rng = random.Random(17)
    noticed = 0
    for n in range(12):
        bad = bytearray(good)
        for _ in range(3):
            bad[rng.randrange(200, len(bad))] ^= 1 << rng.randrange(8)
        damaged = tmp_path / f'damaged{n}'
        damaged.write_bytes(bad)
        status, out, err = replay.replayed(case, damaged)
        assert status == 'timeout' or status >= 0, (n, status, err)
        assert not out
        noticed += status != 0
    assert noticed > 0


def test_a_recording_cut_off_replays_as_far_as_it_goes(recording, tmp_path):
    case, path = recording
    cut = tmp_path / 'cut'
    cut.write_bytes(path.read_bytes()[:-1])
    status, out, err = replay.replayed(case, cut)
    assert status == 0 and not out, err


def test_every_function_of_jni(compiled, tmp_path):
    include = suite.java_home() / 'include'
    source = TESTS / 'jvm' / 'jni'
    subprocess.run(['cc', '-g', '-O1', '-fPIC', '-shared', f'-I{include}', f'-I{include}/linux', '-o', tmp_path / 'libjni_table.so',
                    source / 'jni_table.c'], check=True)
    javac('-d', tmp_path, source / 'JniTable.java')
    case = suite.Case(name='JniTable', line=(f'-Djni.library={tmp_path}/libjni_table.so', '-cp', str(tmp_path), 'JniTable'))
    path = tmp_path / 'recording'
    assert replay.recorded(case, path, 1).status == 0
    status, out, err = replay.replayed(case, path)
    assert status == 0 and not out and 'states compared' in err, err


@pytest.fixture(scope='module')
def worlds(compiled, tmp_path_factory):
    classes = tmp_path_factory.mktemp('worlds')
    javac('-d', classes, TESTS / 'jvm' / 'replay' / 'Worlds.java')
    return suite.Case(name='Worlds', line=('-cp', str(classes), 'Worlds'), timeout=60)


def test_everything_that_can_be_asked_of_the_outside(worlds, tmp_path):
    path = tmp_path / 'recording'
    answer = replay.recorded(worlds, path, 10)
    assert answer.status == 7, answer.stderr
    assert 'exception threw java.lang.IllegalStateException' in answer.stdout and answer.stdout.count(' threw ') == 1, answer.stdout
    status, out, err = replay.replayed(worlds, path)
    assert status == 0 and not out and 'states compared' in err, err


def test_javac_compiles_a_source_set(compiled, tmp_path):
    sources = [str(p) for p in sorted((TESTS / 'jvm' / 'conformance' / 'lambdas').glob('*.java'))]
    support = [str(p) for p in sorted((TESTS / 'jvm' / 'conformance' / 'support').glob('*.java'))]
    line = ('-m', 'jdk.compiler/com.sun.tools.javac.Main', '-proc:none', '-d', str(tmp_path / 'out'), *sources, *support)
    case, path = suite.Case(name='javac', line=line, timeout=60), tmp_path / 'recording'
    assert replay.recorded(case, path, 200).status == 0
    made = {p.name: p.read_bytes() for p in (tmp_path / 'out').rglob('*.class')}
    subprocess.run(['rm', '-r', tmp_path / 'out'], check=True)
    status, out, err = replay.replayed(case, path)
    assert made and status == 0 and not out and 'states compared' in err, err
    assert not (tmp_path / 'out').exists(), 'replay wrote files'


@pytest.mark.parametrize('name', ['net.Selectors', 'process.Run', 'concurrency.WaitNotify', 'jni.Calls', 'exceptions.Uncaught'])
def test_copies_of_the_process_replay_the_rest(compiled, name, tmp_path):
    """Copies made while recording, also while native code waits for Java to return, replay what came after them."""
    case, path = compiled[name], tmp_path / 'recording'
    env = (*case.env, ('EBB_RECORD', str(path)), ('EBB_VERIFY', '3'), ('EBB_VERIFY_COPIES', '12'))
    suite.execute(case.command((f'-XXaltjvm={suite.jvm_dir()}',)), case.stdin, 120, env)
    deadline = time.time() + 120
    while True:
        lines = Path(f'{path}.copies').read_text().splitlines()
        begun, outcomes = lines.count('begun'), [x for x in lines if x != 'begun']
        if len(outcomes) == begun or time.time() > deadline:
            break
        time.sleep(0.2)
    assert begun > 0 and outcomes == ['ended'] * begun
