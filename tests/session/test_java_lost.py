"""A recording whose making ended suddenly: the program, ebb, or the disk. All but the last moment can be opened."""
import os
import re
import signal
import subprocess
import time

import pytest
from conftest import EBB
from java_source import compile_java

SOURCE = '''
public class Ticker {
    static long count;
    static byte[] data = new byte[4000];

    public static void main(String[] args) throws Exception {
        try (var in = new java.io.FileInputStream("/dev/urandom")) {
            for (count = 1; count <= Integer.parseInt(args[0]); count++)
                tick(in, args.length > 1);
        }
        System.out.println("ended");
    }

    static void tick(java.io.FileInputStream in, boolean calculates) throws Exception {
        if (in.read(data) != data.length)
            throw new IllegalStateException();
        System.out.println("count " + count);
        for (int i = 0; calculates && count == 20; i++)
            data[i & 1023] ^= i;
        Thread.sleep(5);
    }
}
'''


@pytest.fixture(scope='module')
def ticker(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp('ticker'), 'Ticker', SOURCE)


def record(ticker, path, *args, **more):
    return subprocess.Popen([EBB, 'record', '-o', path, 'java', '-cp', ticker, 'Ticker', *args], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, **more)


def read_until(p, count):
    for line in p.stdout:
        if line == f'count {count}\n':
            return
    raise AssertionError(p.stderr.read())


def child_of(pid):
    return int(subprocess.run(['pgrep', '-P', str(pid)], capture_output=True, text=True, check=True).stdout.split()[0])


def at_the_end(ebb, path, expression='Ticker.count'):
    done = ebb(['replay', '--batch', '-e', 'goto end', '-e', f'print {expression}', '-e', 'goto start', '-e', 'break Ticker.tick if count == 7',
                '-e', 'continue', '-e', 'print Ticker.count', path])
    assert done.returncode == 0, done.stderr
    last, seventh = re.findall(r'^\$\d+ = (\d+)', done.stdout, re.M)
    assert seventh == '7'
    return int(last)


@pytest.mark.parametrize('who', ['program', 'ebb'])
def test_killed(ebb, ticker, tmp_path, who):
    path = tmp_path / 'killed.ebb'
    p = record(ticker, path, '100000')
    read_until(p, 60)
    time.sleep(0.5)  # what was seen half a second ago is no last moment
    program = child_of(p.pid)
    os.kill(program if who == 'program' else p.pid, signal.SIGKILL)
    p.stdout.read()
    assert p.wait(120) == (128 + signal.SIGKILL if who == 'program' else -signal.SIGKILL)
    for _ in range(100):  # it ends with ebb
        if not os.path.exists(f'/proc/{program}'):
            break
        time.sleep(0.05)
    assert not os.path.exists(f'/proc/{program}')
    assert at_the_end(ebb, path) >= 60


def test_killed_while_it_calculates(ebb, ticker, tmp_path):
    """Nothing comes from outside for long: what came before is written all the same, and how far it had come."""
    path = tmp_path / 'killed.ebb'
    p = record(ticker, path, '100000', 'calculates')
    read_until(p, 20)
    time.sleep(0.7)
    os.kill(child_of(p.pid), signal.SIGKILL)
    p.communicate(timeout=120)
    done = ebb(['replay', '--batch', '-e', 'goto end', '-e', 'print i > 1000', '-e', 'print Ticker.count', path])
    assert re.findall(r'^\$\d+ = (\w+)', done.stdout, re.M) == ['true', '20'], done.stdout + done.stderr


def on_a_small_disk(tmp_path, script):
    """What a shell does with a disk of 256 KiB at `small`."""
    small = tmp_path / 'small'
    small.mkdir()
    done = subprocess.run(['unshare', '-m', 'sh', '-c', f'small={small}; mount -t tmpfs -o size=256k none $small && {script}'],
                          capture_output=True, text=True, timeout=60, check=False)
    if 'unshare' in done.stderr or 'mount:' in done.stderr:
        pytest.skip('file systems can not be mounted here')
    return done


def test_a_full_disk(ebb, ticker, tmp_path):
    """The program goes on to its end; the recording has what fitted."""
    done = on_a_small_disk(tmp_path, f'{EBB} record -o $small/r java -cp {ticker} Ticker 150; s=$?; cp $small/r {tmp_path}/r; exit $s')
    assert done.returncode == 0 and done.stdout.endswith('count 150\nended\n'), done.stderr
    assert 'the recording ends here' in done.stderr and 'No space left on device' in done.stderr
    assert 30 <= at_the_end(ebb, tmp_path / 'r') < 150


def test_a_full_disk_while_debugging(ticker, tmp_path):
    """What lies behind the gap can't be gone back to, and that is said; the program is whole, and so is what was recorded."""
    commands = ['break Ticker.tick if count == 7', 'run', 'break Ticker.tick if count == 140', 'continue', 'last-write Ticker.count', 'print Ticker.count',
                'goto start', 'continue', 'print Ticker.count', 'goto end', 'print Ticker.count', 'delete', 'continue']
    (tmp_path / 'commands').write_text('\n'.join(commands))
    done = on_a_small_disk(tmp_path, f'TMPDIR=$small {EBB} run --no-init java -cp {ticker} Ticker 150 < {tmp_path}/commands')
    assert 'the recording ends here' in done.stderr and 'No space left on device' in done.stderr, done.stderr
    assert re.search(r'The recording ends at timestamp \d+: what came after that can.t be gone back to', done.stderr), done.stderr
    assert re.findall(r'^\$\d+ = (\d+)', done.stdout, re.M) == ['140', '7', '140'], done.stdout + done.stderr
    assert done.stdout.count('ended\n') == 1, done.stdout


def test_info_history_after_the_end(batch, ticker):
    done = batch('java', 'run', 'info history', args=['-cp', ticker, 'Ticker', '12'])
    size, unit = re.search(r'^Recording: ([\d.]+) (\w+)', done.stdout, re.M).groups()
    assert float(size) * {'bytes': 1, 'KiB': 1024}[unit] > 12 * 4000, done.stdout
