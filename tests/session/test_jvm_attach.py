"""jstack, jcmd, jmap and jinfo ask the Java machine, also while it records."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / 'jvm' / 'conformance'))

import conformance as suite     # noqa: E402
from java_source import compile_java     # noqa: E402

SOURCE = '''
public class Asked {
    static Object lock = new StringBuilder();

    static void rest() throws Exception {
        synchronized (lock) {
            System.out.println("ready");
            System.in.read();
        }
    }

    public static void main(String[] args) throws Exception {
        Asked[] many = new Asked[77];
        for (int i = 0; i < many.length; i++) many[i] = new Asked();
        rest();
        System.out.println("done " + many.length);
        if (args.length > 0) System.exit(3);
    }
}
'''


@pytest.fixture(scope='module')
def asked(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp('asked'), 'Asked', SOURCE)


def tool(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)


def begin(folder, *words, **environment):
    p = subprocess.Popen(['java', f'-XXaltjvm={suite.jvm_dir()}', '-cp', str(folder), 'Asked', *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         text=True, env={**os.environ, **environment})
    assert p.stdout.readline() == 'ready\n'
    return p, str(p.pid)


def test_tools_ask_and_are_answered(asked, tmp_path):
    p, pid = begin(asked, EBB_RECORD=str(tmp_path / 'asked.ebb'), EBB_VERIFY='sparingly')
    stacks = tool('jstack', '-l', pid).stdout
    assert re.search(r'"main" #1.*\n(.*\n)*?\tat Asked.rest\(Asked.java:8\)\n\t- locked <\w+> \(a java.lang.StringBuilder\)\n', stacks), stacks
    assert 'Locked ownable synchronizers' in stacks
    assert 'at Asked.main' in tool('jcmd', pid, 'Thread.print').stdout
    assert 'ebb VM version' in tool('jcmd', pid, 'VM.version').stdout
    assert 'GC.class_histogram' in tool('jcmd', pid, 'help').stdout
    assert re.search(r': +77 +\d+  Asked\n', tool('jcmd', pid, 'GC.class_histogram').stdout)
    assert re.search(r': +77 +\d+  Asked\n', tool('jmap', '-histo:live', pid).stdout)
    assert re.search(r': +77 +\d+  Asked\n', tool('jmap', '-histo', pid).stdout)
    saved = tmp_path / 'histogram'
    assert str(saved) in tool('jmap', f'-histo:file={saved}', pid).stdout and 'Asked' in saved.read_text()
    assert 'java.specification.version=17' in tool('jinfo', '-sysprops', pid).stdout
    assert re.match(r'-XX:MaxHeapSize=\d+\n', tool('jinfo', '-flag', 'MaxHeapSize', pid).stdout)
    unknown = tool('jcmd', pid, 'no.such')
    assert unknown.returncode == 1 and 'Unknown diagnostic command' in unknown.stderr
    assert Path(f'/tmp/.java_pid{pid}').exists()
    out, _ = p.communicate('x')
    assert (p.returncode, out) == (0, 'done 77\n')
    assert not Path(f'/tmp/.java_pid{pid}').exists()
    replay = subprocess.run(['java', f'-XXaltjvm={suite.jvm_dir()}', 'x'], capture_output=True, text=True, timeout=120, check=False,
                            env={**os.environ, 'EBB_REPLAY': str(tmp_path / 'asked.ebb'), 'EBB_VERIFY': 'sparingly'})
    assert replay.returncode == 0 and 'diverge' not in replay.stderr, replay.stdout + replay.stderr


def test_the_socket_goes_with_an_exit(asked):
    p, pid = begin(asked, 'exit')
    assert 'ebb VM' in tool('jcmd', pid, 'VM.version').stdout
    p.communicate('x')
    assert p.returncode == 3 and not Path(f'/tmp/.java_pid{pid}').exists()
