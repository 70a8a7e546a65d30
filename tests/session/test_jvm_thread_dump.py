"""SIGQUIT makes the Java machine print every thread, and the threads that wait for each other."""
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / 'jvm' / 'conformance'))

import conformance as suite     # noqa: E402

from java_source import javac

PROGRAM = '''
public class Stuck {
    public static void main(String[] args) throws Exception {
        Object a = new Object(), b = new Object();
        Thread[] workers = new Thread[2];
        for (int i = 0; i < 2; i++) {
            Object first = i == 0 ? a : b, second = i == 0 ? b : a;
            Thread t = new Thread(() -> {
                synchronized (first) {
                    try { Thread.sleep(50); } catch (InterruptedException e) { }
                    synchronized (second) { }
                }
            }, "worker" + i);
            t.setDaemon(true);
            t.start();
            workers[i] = t;
        }
        for (Thread t : workers)
            while (t.getState() != Thread.State.BLOCKED) Thread.sleep(1);
        System.out.println("ready");
        System.in.read();
    }
}
'''


@pytest.fixture(scope='module')
def stuck(tmp_path_factory):
    if suite.java_home() is None:
        pytest.skip('no JDK 17 found: install openjdk-17-jdk-headless')
    if suite.why_no_machine():
        pytest.skip(suite.why_no_machine())
    out = tmp_path_factory.mktemp('stuck')
    (out / 'Stuck.java').write_text(PROGRAM)
    javac('-d', out, out / 'Stuck.java')
    return out


def test_dump_names_threads_and_deadlock(stuck):
    p = subprocess.Popen(['java', f'-XXaltjvm={suite.jvm_dir()}', '-cp', str(stuck), 'Stuck'], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, text=True)
    assert p.stdout.readline() == 'ready\n'
    p.send_signal(signal.SIGQUIT)
    dump = ''
    while '  "worker1" waits for' not in dump:
        line = p.stdout.readline()
        assert line, dump
        dump += line
    assert re.search(r'"main" #1 prio=5\n   java.lang.Thread.State: RUNNABLE\n', dump)
    assert re.search(r'"worker0" #\d+ daemon prio=5\n.*BLOCKED.*\n\t- waiting to lock .*held by "worker1"\n\tat Stuck', dump)
    assert re.search(r'"worker1" waits for <\w+> \(a java.lang.Object\), which is held by "worker0"', dump)
    p.stdin.close()
    assert p.wait(timeout=120) == 0
