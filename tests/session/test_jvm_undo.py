"""Keeping an undo log changes nothing: a Java program has the same heap, collected at the same moments, and goes through the
same states; its process grows by the ring and no more."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / 'jvm' / 'conformance'))

import conformance as suite     # noqa: E402

RING = 16 << 20
MEGABYTE = 1 << 20

CHURN = '''
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.*;

public class Churn {
    static final int ROUNDS = 12;
    static Map<Integer, Object> live = new HashMap<>();

    static void round(int r) throws Exception {
        for (int i = 0; i < 40000; i++) {
            Object o = i % 7 == 0 ? new byte[i % 5000] : i % 7 == 1 ? ("text" + r + i).intern() : new int[] {i, r};
            live.put(i % 3000, o);
            if (i % 50 == 0)
                synchronized (o) {
                    live.put(System.identityHashCode(o) % 100, o); // which inflates the lock
                }
            if (i % 400 == 0)
                live.put(-1, ByteBuffer.allocateDirect(2000));
            if (i % 1000 == 0)
                live.put(-2, new long[10000]);
        }
    }

    public static void main(String[] args) throws Exception {
        for (int r = 0; r < ROUNDS; r++) {
            round(r);
            Runtime machine = Runtime.getRuntime();
            String pages = Files.readString(Path.of("/proc/self/statm")).split(" ")[1];
            System.out.println((machine.totalMemory() - machine.freeMemory()) + " " + pages);
        }
    }
}
'''


@pytest.fixture(scope='module')
def churn(tmp_path_factory):
    if suite.why_no_machine():
        pytest.skip(suite.why_no_machine())
    folder = tmp_path_factory.mktemp('churn')
    (folder / 'Churn.java').write_text(CHURN)
    home = suite.java_home()
    subprocess.run([home / 'bin' / 'javac', 'Churn.java'], cwd=folder, check=True)

    def run(log):
        """For each round: bytes of the heap in use, bytes of memory that the process has."""
        command = [home / 'bin' / 'java', f'-XXaltjvm={suite.jvm_dir()}', '-Xmx64m', 'Churn']
        env = {**os.environ, **({'EBB_UNDO': str(RING)} if log else {})}
        out = subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True, text=True, timeout=120).stdout
        rounds = [tuple(map(int, line.split())) for line in out.splitlines()]
        return [used for used, _ in rounds], [pages * os.sysconf('SC_PAGESIZE') for _, pages in rounds]

    return run


def test_heap_and_process_stay_bounded(churn):
    plain_used, plain_resident = churn(log=False)
    used, resident = churn(log=True)
    assert len(used) == 12 and len(set(used)) > 6, 'it collects all the time'
    assert min(b - a for a, b in zip(used, used[1:])) < 0
    assert used == plain_used, 'the log changes nothing of the heap'
    assert max(resident) < max(plain_resident) + RING + 8 * MEGABYTE
    assert resident[-1] < resident[len(resident) // 2] + 4 * MEGABYTE, 'nothing grows for ever'


@pytest.fixture(scope='module')
def classes(tmp_path_factory):
    if suite.why_no_machine():
        pytest.skip(suite.why_no_machine())
    folder = tmp_path_factory.mktemp('classes')
    source = TESTS / 'machine' / 'fixtures' / 'java' / 'UndoState.java'
    subprocess.run([suite.java_home() / 'bin' / 'javac', '-nowarn', '-d', folder, source], check=True, capture_output=True)
    return folder


@pytest.mark.parametrize('what', ['world', 'memory', 'juc'])
def test_states_are_the_same_with_and_without(classes, what, tmp_path):
    """A recording made with the log, with hashes of states, is replayed without it, and the other way round."""
    command = [suite.java_home() / 'bin' / 'java', f'-XXaltjvm={suite.jvm_dir()}', '-cp', classes, 'UndoState', what]

    def run(log, **env):
        more = {'EBB_UNDO': str(RING)} if log else {}
        done = subprocess.run(command, env={**os.environ, **env, **more}, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    for log in (True, False):
        file = str(tmp_path / f'recording-{log}')
        assert run(log, EBB_RECORD=file, EBB_VERIFY='20') != ''
        run(not log, EBB_REPLAY=file)
