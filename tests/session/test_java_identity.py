"""An object is itself, not what lies at its address: questions and watches about one don't mistake another for it.

EBB_STRESS_GC makes the collector give addresses out again after a few bytes."""
import re

import pytest
from java_source import compile_java

SOURCE = '''
public class Identity {
    static class Cell {
        int value;
        int other = 7;
        Cell(int v) { if (v >= 0) value = v; }
    }
    static Cell kept;

    static Cell churn(int from, int to) {
        Cell c = null;
        for (int i = from; i < to; i++)
            c = new Cell(i);
        return c;
    }

    static void here() { }

    public static void main(String[] args) {
        churn(1000, 5000);
        kept = new Cell(-1);
        here();                 // never written
        kept.value = 1;
        churn(5000, 9000);
        kept.value = 2;
        here();                 // written twice
        kept = null;
        churn(9000, 20000);     // its address is given out again
        here();
        System.out.println("ended");
    }
}
'''


@pytest.fixture(scope='module')
def identity(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp('identity'), 'Identity', SOURCE)


def run(batch, identity, *commands):
    return batch('java', 'break Identity.here', 'run', 'up', *commands, args=['-cp', identity, 'Identity'], env={'EBB_STRESS_GC': '20000'})


def table(out):
    return [(int(at), value) for at, value in re.findall(r'^(\d+)@\S+\t(.*)$', out, re.M)]


def test_values_begin_with_the_object(batch, identity):
    done = run(batch, identity, 'continue', 'up', 'values kept.value')
    assert done.returncode == 0, done.stderr
    values = table(done.stdout)
    assert [v for _, v in values] == ['0 (the object was made)', '1', '2'], done.stdout


def test_what_was_never_written_has_no_last_write(batch, identity):
    done = run(batch, identity, 'when', 'last-write kept.value')
    assert done.returncode == 1 and re.search(r'nothing wrote to it since it came into being at \d+', done.stderr), done.stdout
    done = run(batch, identity, 'last-write kept.other')
    assert done.returncode == 0 and re.search(r'Old value = 0\nNew value = 7', done.stdout), done.stdout


def test_last_writes_one_after_the_other(batch, identity):
    done = run(batch, identity, 'continue', 'up', 'last-write kept.value', 'last-write kept.value', 'print kept.value')
    assert done.returncode == 0, done.stderr
    assert re.findall(r'Old value = (\d+)\nNew value = (\d+)', done.stdout) == [('1', '2'), ('0', '1')], done.stdout
    assert re.findall(r'^\$1 = (\d+)', done.stdout, re.M) == ['0'], done.stdout


def test_a_watch_goes_back_to_the_making_and_no_further(batch, identity):
    done = run(batch, identity, 'continue', 'up', 'delete', 'watch kept.value', *['reverse-continue'] * 4)
    assert done.returncode == 0, done.stderr
    changes = re.findall(r'Old value = (\S+)\nNew value = (\S+)', done.stdout)
    assert changes[:2] == [('2', '1'), ('1', '0')] and len(changes) == 3 and changes[2][0] == '0', done.stdout
    assert 'No more reverse-execution history' in done.stdout.split('New value')[-1]


def test_a_watch_ends_when_another_object_is_there(batch, identity):
    done = run(batch, identity, 'watch kept.value', 'continue', 'continue', 'continue', 'info watchpoints', 'continue')
    assert re.findall(r'Old value = (\d+)\nNew value = (\d+)', done.stdout) == [('0', '1'), ('1', '2')], done.stdout
    rest = run(batch, identity, 'delete', 'watch kept.value', 'continue', 'continue', 'continue')
    assert 'deleted because its object is gone' in rest.stdout, rest.stdout
