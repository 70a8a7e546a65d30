"""`--verify` of native programs: hashes of states in the recording, and a replay that comes to another state is named with its position.

The divergences are real ones: memory that another process writes is not in a recording, and a byte that the kernel answered is changed in the file."""
import re

import pytest
from recording_file import RecordingFile, as_varint

NAMED = re.compile(r'Replay diverged from what was recorded, at timestamp (\d+): the state is another one: hash [0-9a-f]{16}, recorded [0-9a-f]{16}\.')

# Nothing but the state shows what the child wrote: no system call depends on it.
SHARES = r'''
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
int seen;
int main(void)
{
    int *shared = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fork() == 0) {
        *shared = 42;
        _exit(0);
    }
    wait(0);
    seen = *shared;
    return 0;
}
'''

# Threads that compute, wait for each other, sleep with the rest of the time told, and are interrupted; and a program that reads.
BUSY = r'''
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;
static volatile sig_atomic_t ticks;
static char zeros[4096];
static void on_tick(int s) { ticks++; }
static void *work(void *a)
{
    for (long i = 0; i < 3000000; i++) {
        if (i % 1000) { total ^= i; continue; }
        pthread_mutex_lock(&lock);
        total += i;
        pthread_mutex_unlock(&lock);
    }
    return a;
}
static void *sleeps(void *a)
{
    struct timespec t = {0, 20000000}, rest;
    for (int i = 0; i < 10; i++)
        nanosleep(&t, &rest);
    return a;
}
int main(void)
{
    struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
    struct itimerval each = {{0, 5000}, {0, 5000}}, none = {0};
    pthread_t t[4];
    sigaction(SIGALRM, &action, 0);
    setitimer(ITIMER_REAL, &each, 0);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, work, 0);
    pthread_create(&t[3], 0, sleeps, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], 0);
    setitimer(ITIMER_REAL, &none, 0);
    FILE *f = fopen("/dev/zero", "r");
    fread(zeros, 1, sizeof zeros, f);
    return 0;
}
'''


@pytest.fixture
def busy(compile_c):
    return compile_c(BUSY, ('-g', '-O1', '-pthread'), 'busy')


@pytest.fixture
def recording(ebb, busy, tmp_path):
    path = tmp_path / 'busy.ebb'
    done = ebb(['record', '--verify', '-o', path, '--', busy], timeout=120)
    assert done.returncode == 0, done.stderr
    return path


def compared(done):
    assert done.returncode == 0, done.stderr
    return int(re.search(r'replayed to its end: (\d+) states compared, all the same', done.stdout)[1])


def test_replay_compares_every_state_that_was_recorded(ebb, recording):
    done = ebb(['replay', '--verify', '--batch', '-e', 'info history', recording], timeout=120)
    n = len(RecordingFile(recording).events('HASH'))
    assert compared(done) == n >= 1  # the last one is taken before the program's last call
    assert f'{n} states compared on the way here' in done.stdout


@pytest.mark.parametrize('command', [['/bin/ls', '-l', '/usr'], ['/usr/bin/python3', '-c', 'print(sum(len(str(i)) for i in range(100000)))']])
def test_real_programs(ebb, tmp_path, command):
    path = tmp_path / 'real.ebb'
    assert ebb(['record', '--verify', '-o', path, '--', *command], timeout=120).returncode == 0
    assert compared(ebb(['replay', '--verify', '--batch', path], timeout=120)) >= 1


def test_what_another_process_wrote(ebb, compile_c, tmp_path):
    shares, path = compile_c(SHARES, name='shares'), tmp_path / 'shares.ebb'
    assert ebb(['record', '--verify', '-o', path, '--', shares]).returncode == 0
    done = ebb(['replay', '--verify', '--batch', path])
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, done.stderr
    assert int(NAMED.search(done.stderr)[1]) == RecordingFile(path).events('HASH')[-1].timestamp
    done = ebb(['replay', '--batch', '-e', 'continue', path])  # whoever comes by compares
    assert done.returncode == 1 and NAMED.search(done.stderr), done.stderr
    plain = tmp_path / 'plain.ebb'
    assert ebb(['record', '-o', plain, '--', shares]).returncode == 0
    done = ebb(['replay', '--verify', '--batch', plain])
    assert done.returncode == 0 and 'no states to compare' in done.stdout, done.stderr


def tampered(recording, tmp_path, change):
    file, path = RecordingFile(recording), tmp_path / 'tampered.ebb'
    at = change(file)
    file.write(path)
    return path, at


def test_the_rewritten_file_is_as_good(ebb, recording, tmp_path):
    path, _ = tampered(recording, tmp_path, lambda file: 0)
    assert compared(ebb(['replay', '--verify', '--batch', path], timeout=120)) >= 1


def test_another_byte_that_was_read_is_another_state(ebb, recording, tmp_path):
    """The last memory that is all zeros was read from /dev/zero, and nobody ever looks at it."""
    def change(file):
        memory = [e for e in file.events() if e.kind == 32 and e.values.endswith(bytes(4096))]
        memory[-1].values = memory[-1].values[:-1] + b'\1'
        return memory[-1].timestamp
    path, at = tampered(recording, tmp_path, change)
    done = ebb(['replay', '--verify', '--batch', path], timeout=120)
    assert done.returncode == 1 and int(NAMED.search(done.stderr)[1]) >= at, done.stderr


def test_a_hash_that_is_another_one(ebb, recording, tmp_path):
    def change(file):
        event = file.events('HASH')[0]
        place, value = event.numbers()
        event.values = as_varint(place) + as_varint(value ^ 1)
        return event.timestamp
    path, at = tampered(recording, tmp_path, change)
    done = ebb(['replay', '--verify', '--batch', path], timeout=120)
    assert done.returncode == 1 and int(NAMED.search(done.stderr)[1]) == at, done.stderr


def test_going_back_and_forth_compares_too(batch, busy):
    done = batch(busy, 'break work', 'run', 'delete', 'continue', 'goto start', 'break sleeps', 'continue', 'delete', 'continue', 'info history',
                 options=['--verify'], timeout=120)
    assert done.returncode == 0, done.stderr
    assert int(re.search(r'(\d+) states compared on the way here', done.stdout)[1]) >= 1, done.stdout


@pytest.mark.parametrize('option', ['--native', '--no-record'])
def test_only_what_is_recorded_can_be_verified(ebb, option):
    done = ebb(['run', '--verify', option, '--batch', '/bin/true'])
    assert done.returncode == 1 and "nothing of the program is recorded" in done.stderr
