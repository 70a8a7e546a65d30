"""`ebb record` of a program with all its processes: each is listed by `ebb ps`, and replays to the end that it had, with the output that it had.  What the processes
are, what each prints and how it ends stands in the programs' own text; what a whole run prints and returns is compared with a run without ebb."""
import os
import re
import signal
import subprocess
import time

import pytest
from conftest import EBB

ROW = re.compile(r'(?P<file>\S+)  \d{4}-\d\d-\d\d \d\d:\d\d:\d\d +(?P<size>\d+) KiB  (?P<pid>\S+) +(?P<parent>\S+) +'
                 r'(?P<ended>exited \d+|killed by \w+|executed|ends early)  (?P<command>.*)')


def processes(ebb, path):
    """The rows of `ebb ps`, in its order."""
    done = ebb(['ps', path])
    assert done.returncode == 0, done.stderr
    head, *lines = done.stdout.splitlines()
    assert head == 'FILE, BEGAN, SIZE, PID, PARENT, ENDED, COMMAND'
    rows = [ROW.fullmatch(line) for line in lines]
    assert all(rows), done.stdout
    return [row.groupdict() for row in rows]


def replayed(ebb, path, row):
    """How one of them ends in replay, in the words of `ebb ps`, and all that it has written then."""
    done = ebb(['replay', '--batch', '--pid', row['pid'], '-e', 'continue', '-e', 'info output', path], timeout=60)
    if 'End of the recorded history.' in done.stdout:
        return 'executed', done.stdout
    end = re.search(r'\[Inferior 1 \(process \d+\) exited (normally|with code (\d+))\]\n', done.stdout)
    killed = re.search(r'Program terminated with signal (\w+),[^\n]*\n(The program no longer exists\.\n)?', done.stdout)
    assert end or killed, done.stdout + done.stderr
    text = done.stdout[(end or killed).end():]
    return (f'exited {int(end.group(2) or "0", 8)}' if end else f'killed by {killed.group(1)}'), text


def check(ebb, path, expected):
    """Commands (the last program of each process), how they ended and what they printed."""
    rows = processes(ebb, path)
    assert [(r['command'].strip(), r['ended']) for r in rows] == [e[:2] for e in expected]
    for row, (_, ended, text) in zip(rows, expected):
        how, output = replayed(ebb, path, row)
        assert how == ended, (row, output)
        assert text is None or output == (text or 'It has printed nothing yet.\n'), row
    return rows


def test_a_disk_that_becomes_full(tmp_path):
    """The program does what it does; what could not even begin to be recorded is told, and leaves no file that can't be opened."""
    mount = f'mount -t tmpfs -o size=12m none {tmp_path}'
    if subprocess.run(['unshare', '-m', 'sh', '-c', mount], capture_output=True).returncode != 0:
        pytest.skip('mounting is not allowed here')
    loop = 'for i in 1 2 3 4 5 6; do /bin/echo $i | /bin/cat; done'
    script = f'{mount} && "$0" record -o {tmp_path}/full /bin/bash -c "$1" && "$0" ps {tmp_path}/full'
    done = subprocess.run(['unshare', '-m', 'sh', '-c', script, EBB, loop], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith('1\n2\n3\n4\n5\n6\nFILE, ')
    assert 'is not recorded: ' in done.stderr and 'No space left on device' in done.stderr and 'not a recording' not in done.stderr
    n_listed = len(done.stdout.splitlines()) - 7
    assert f'there are {n_listed - 1} more: ' in done.stderr


def test_a_shell_with_children_and_a_pipe(ebb, tmp_path):
    path = tmp_path / 'sh.ebb'
    line = 'echo first; (echo second; exit 3); /bin/echo third | /bin/cat; exec /bin/echo last'
    command = ['/bin/bash', '-c', line]
    alone = subprocess.run(command, capture_output=True, text=True)
    done = ebb(['record', '-o', path, *command])
    assert (done.stdout, done.returncode) == (alone.stdout, alone.returncode), done.stderr
    assert f'ebb: of what it started and executed there are 6 more: ebb ps {path}\n' in done.stderr
    bash = '/bin/bash -c ' + line
    rows = check(ebb, path, [(bash, 'executed', None), ('/bin/echo last', 'exited 0', 'last\n'), (bash, 'exited 3', 'second\n'),
                             (bash, 'executed', None), ('/bin/echo third', 'exited 0', 'third\n'), (bash, 'executed', None), ('/bin/cat', 'exited 0', 'third\n')])
    first = rows[0]['pid'].split('.')[0]
    assert rows[0]['pid'] == first + '.1'
    assert [r['parent'] for r in rows] == ['-', '-'] + [first] * 5
    assert rows[1]['pid'] == first + '.2' and rows[4]['pid'] == rows[3]['pid'][:-1] + '2'
    # A number alone is the last program of the process; a file can be opened as well.
    done = ebb(['replay', '--batch', '--pid', first, '-e', 'continue', '-e', 'info output', path])
    assert done.stdout.endswith('last\n')
    done = ebb(['replay', '--batch', '-e', 'continue', '-e', 'info output', rows[2]['file']])
    assert done.stdout.endswith('second\n')


def test_one_that_was_not_recorded(ebb, tmp_path):
    path = tmp_path / 'true.ebb'
    ebb(['record', '-o', path, '/bin/true'])
    assert not os.path.exists(f'{path}.d') and len(processes(ebb, path)) == 1
    done = ebb(['replay', '--batch', '--pid', '1', path])
    assert done.returncode == 1 and done.stderr == f'ebb: No process 1 was recorded: `ebb ps {path}` tells which were.\n'
    done = ebb(['replay', '--batch', '--pid', 'x', path])
    assert done.returncode == 1 and done.stderr == 'ebb: "x" is no process of a recording: `ebb ps` tells which there are.\n'


MAKEFILE = '''
test: prog
	./prog
prog: a.o b.o
	gcc -o prog a.o b.o
%.o: %.c
	gcc -g -c -o $@ $<
'''


def test_make_and_gcc(ebb, tmp_path):
    """gcc starts cc1 and as, and to link collect2, which starts ld; all of them by vfork."""
    (tmp_path / 'Makefile').write_text(MAKEFILE)
    (tmp_path / 'a.c').write_text('#include <stdio.h>\nint add(int, int);\nint main(void) { int sum = add(2, 3);\n printf("sum %d\\n", sum); return sum - 5; }\n')
    (tmp_path / 'b.c').write_text('int add(int a, int b) { return a + b; }\n')
    path = tmp_path / 'make.ebb'
    done = ebb(['record', '-o', path, '/usr/bin/make', '-s', 'test'], cwd=tmp_path, timeout=120)
    assert (done.stdout, done.returncode) == ('sum 5\n', 0), done.stderr
    rows = processes(ebb, path)
    assert [r['command'].split()[0].split('/')[-1] for r in rows] == \
        ['make', 'gcc', 'cc1', 'as', 'gcc', 'cc1', 'as', 'gcc', 'collect2', 'ld', 'prog'], rows
    pids = [r['pid'] for r in rows]
    assert [r['parent'] for r in rows] == ['-', pids[0], pids[1], pids[1], pids[0], pids[4], pids[4], pids[0], pids[7], pids[8], pids[0]]
    assert {r['ended'] for r in rows} == {'exited 0'}
    for i in (0, 5, 6, 7, 9):
        assert replayed(ebb, path, rows[i])[0] == 'exited 0', rows[i]
    done = ebb(['replay', '--batch', '--pid', pids[10], '-e', 'break add', '-e', 'continue', '-e', 'finish', '-e', 'reverse-step', '-e', 'print a + b', path])
    assert '$2 = 5' in done.stdout or '= 5' in done.stdout.splitlines()[-1], done.stdout + done.stderr


PYTHON = '''
import os, subprocess, sys, threading
print(subprocess.run(['/bin/sh', '-c', 'echo from sh; exit 4'], capture_output=True))
def ask(i):
    subprocess.check_output(['/usr/bin/expr', str(i), '+', '1'])
threads = [threading.Thread(target=ask, args=(i,)) for i in range(3)]
[t.start() for t in threads]
[t.join() for t in threads]
sys.stdout.flush()
pid = os.fork()
if pid == 0:
    os.write(1, b'child')
    os.kill(os.getpid(), 9)
print(os.waitpid(pid, 0)[1])
sys.exit(2)
'''


def test_python_with_threads_that_start_processes(ebb, tmp_path):
    path, script = tmp_path / 'python.ebb', tmp_path / 'script.py'
    script.write_text(PYTHON)
    command = ['/usr/bin/python3', '-I', str(script)]
    alone = subprocess.run(command, capture_output=True, text=True)
    done = ebb(['record', '-o', path, *command], timeout=60)
    assert (done.stdout, done.returncode) == (alone.stdout, 2), done.stderr
    rows = processes(ebb, path)
    found = {(r['command'].strip(), r['ended']): r for r in rows}
    python = ' '.join(command)
    assert set(found) == {(python, 'exited 2'), ('/bin/sh -c echo from sh; exit 4', 'exited 4'), (python, 'killed by SIGKILL'),
                          *((f'/usr/bin/expr {i} + 1', 'exited 0') for i in range(3))} and len(rows) == 6
    for (command, ended), text in (((python, 'killed by SIGKILL'), 'child'), (('/usr/bin/expr 1 + 1', 'exited 0'), '2\n'),
                                   (('/bin/sh -c echo from sh; exit 4', 'exited 4'), 'from sh\n')):
        how, output = replayed(ebb, path, found[command, ended])
        assert how == ended and output.rstrip('\n') == text.rstrip('\n')
    assert replayed(ebb, path, found[python, 'exited 2'])[0] == 'exited 2'


SERVER = r'''
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int served(int fd) // a process for each of them
{
    char text[16];
    int sum = 0;
    for (ssize_t n; (n = read(fd, text, sizeof text)) > 0;)
        for (ssize_t i = 0; i < n; i++)
            sum += text[i];
    printf("sum %d\n", sum);
    fflush(stdout);
    return sum % 100;
}

int main(void)
{
    for (int i = 0; i < 5; i++) {
        int fds[2], status;
        socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
        pid_t pid = fork();
        if (pid == 0) {
            close(fds[1]);
            return served(fds[0]);
        }
        close(fds[0]);
        for (int k = 0; k <= i; k++)
            write(fds[1], "abc" + k % 3, 1);
        close(fds[1]);
        waitpid(pid, &status, 0);
        printf("%d\n", WEXITSTATUS(status));
        fflush(stdout);
    }
    return 0;
}
'''


def test_a_fork_server(ebb, compile_c, tmp_path):
    program, path = compile_c(SERVER), tmp_path / 'server.ebb'
    sums = [97, 195, 294, 391, 489]
    done = ebb(['record', '-o', path, program])
    assert (done.stdout, done.returncode) == (''.join(f'sum {n}\n{n % 100}\n' for n in sums), 0), done.stderr
    check(ebb, path, [(str(program), 'exited 0', ''.join(f'{n % 100}\n' for n in sums))] +
          [(str(program), f'exited {n % 100}', f'sum {n}\n') for n in sums])
    child = processes(ebb, path)[3]
    done = ebb(['replay', '--batch', '--pid', child['pid'], '-e', 'break prog.c:18', '-e', 'continue', '-e', 'print sum', '-e', 'last-write sum', path])
    assert '$1 = 294' in done.stdout and done.stdout.count('sum += text[i]') >= 1, done.stdout + done.stderr


FORKERS = r'''
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static pid_t spawned(long status)
{
    char text[16];
    char *args[] = {"sh", "-c", text, NULL};
    pid_t pid = -1;
    snprintf(text, sizeof text, "exit %ld", status);
    posix_spawn(&pid, "/bin/sh", NULL, NULL, args, environ);
    return pid;
}

static void *work(void *arg)
{
    long id = (long)arg, n_bad = 0;
    for (int i = 0; i < 4; i++) {
        int status;
        pid_t pid = i % 2 ? fork() : spawned(id * 10 + i);
        if (pid == 0)
            _exit((int)(id * 10 + i));
        if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != id * 10 + i)
            n_bad++;
    }
    return (void *)n_bad;
}

int main(void)
{
    pthread_t threads[4];
    void *n_bad;
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (long i = 0; i < 4; i++)
        pthread_join(threads[i], &n_bad), printf("%ld\n", (long)n_bad);
    return 0;
}
'''


def test_threads_that_fork_and_spawn_at_the_same_time(ebb, compile_c, tmp_path):
    program, path = compile_c(FORKERS, name='forkers'), tmp_path / 'forkers.ebb'
    done = ebb(['record', '-o', path, program], timeout=60)
    assert (done.stdout, done.returncode) == ('0\n' * 4, 0), done.stderr
    rows = processes(ebb, path)
    statuses = [(f'sh -c exit {10 * k + i}' if i % 2 == 0 else str(program), f'exited {10 * k + i}') for k in range(4) for i in range(4)]
    assert sorted((r['command'].strip(), r['ended']) for r in rows) == sorted(statuses + [(str(program), 'exited 0')])
    for row in rows[:5]:
        assert replayed(ebb, path, row)[0] == row['ended']
    for mode in ([], ['--native']):
        done = ebb(['run', *mode, '--batch', '-e', 'run', program], timeout=60)
        assert '0\n' * 4 in done.stdout and 'exited normally' in done.stdout, done.stdout + done.stderr


def test_again_into_the_same_file(ebb, tmp_path):
    """What an earlier run left is gone; so it is if no run is worth keeping."""
    path = tmp_path / 'sh.ebb'
    ebb(['record', '-o', path, '/bin/sh', '-c', '/bin/true; /bin/true; exit 0'])
    assert len(processes(ebb, path)) == 3
    ebb(['record', '-o', path, '/bin/sh', '-c', '/bin/true; exit 0'])
    assert len(processes(ebb, path)) == 2
    ebb(['record', '-o', path, '--save-on', 'crash', '/bin/sh', '-c', '/bin/true; exit 0'])
    assert not path.exists() and not os.path.exists(f'{path}.d')


def test_one_that_cannot_be_recorded_runs_all_the_same(ebb, tmp_path):
    source, program, path = tmp_path / 'p.s', tmp_path / 'p', tmp_path / 'sh.ebb'
    source.write_text('.globl _start\n_start: mov $1, %eax\n mov $7, %ebx\n int $0x80\n')
    try:
        subprocess.run(['as', '--32', '-o', tmp_path / 'p.o', source], check=True)
        subprocess.run(['ld', '-m', 'elf_i386', '-o', program, tmp_path / 'p.o'], check=True)
        assert subprocess.run([program]).returncode == 7
    except (OSError, AssertionError, subprocess.CalledProcessError):
        pytest.skip('no 32-bit programs here')
    done = ebb(['record', '-o', path, '/bin/sh', '-c', f'{program}; echo $?; exit 4'])
    assert (done.stdout, done.returncode) == ('7\n', 4), done.stderr
    assert re.search(r'^ebb: process \d+ goes on unrecorded: .* 32-bit', done.stderr, re.M)
    done = ebb(['record', '-o', path, '/bin/sh', '-c', f'exec {program}'])
    assert done.returncode == 7 and 'the recording is in' in done.stderr


WAITING = r'''
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    if (fork() > 0)
        for (;;)
            wait(NULL);
    write(1, "ready\n", 6);
    pause();
}
'''


def test_an_interrupt_is_the_programs(ebb, compile_c, tmp_path):
    """Without a terminal of its own Ctrl-C reaches every ebb."""
    path, program = tmp_path / 'waiting.ebb', compile_c(WAITING, name='waiting')
    running = subprocess.Popen([EBB, 'record', '-o', path, program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    assert running.stdout.readline() == b'ready\n'
    os.killpg(running.pid, signal.SIGINT)
    running.communicate(timeout=60)
    assert running.returncode == 128 + signal.SIGINT
    assert [r['ended'] for r in processes(ebb, path)] == ['killed by SIGINT'] * 2


def begun(path, running, n):
    """Until so many recordings have grown beyond what they begin with."""
    sizes = {}
    while len([s for s in sizes.values() if len(s) > 2]) < n:
        assert running.poll() is None
        time.sleep(0.05)
        for file in [path, *path.parent.glob(path.name + '.d/*.ebb')]:
            if file.exists():
                sizes.setdefault(file, set()).add(file.stat().st_size)


def children(pid):
    return [int(p) for p in subprocess.run(['ps', '--ppid', str(pid), '-o', 'pid='], capture_output=True, text=True).stdout.split()]


LOOP = r'''
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    for (int i = 0; i < 4; i++)
        if (i == 3 || fork() == 0)
            for (long turns = 0;; turns++) { // each of the four
                struct timespec t;
                clock_gettime(CLOCK_MONOTONIC, &t);
                getppid();
                usleep(1000);
            }
}
'''


@pytest.mark.parametrize('who', ['ebb', 'the ebb of a child', 'a child'])
def test_killed_at_any_moment(ebb, compile_c, tmp_path, who):
    """The recordings of the others open, and each goes back from its end."""
    path, program = tmp_path / 'loop.ebb', compile_c(LOOP, name='loop')
    running = subprocess.Popen([EBB, 'record', '-o', path, program], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    begun(path, running, 4)
    rows = processes(ebb, path)
    assert [r['ended'] for r in rows] == ['ends early'] * 4
    pids = [int(r['pid']) for r in rows]
    ebbs = [p for p in children(running.pid) if p not in pids]
    assert len(ebbs) == 3
    if who == 'ebb':
        running.kill()
    else:
        os.kill(ebbs[1] if who == 'the ebb of a child' else pids[2], signal.SIGKILL)
        time.sleep(0.2)  # for the others, who go on
        running.terminate()
    running.wait(60)
    for pid in pids + ebbs:
        for _ in range(2400):
            if not os.path.exists(f'/proc/{pid}') or open(f'/proc/{pid}/stat').read().split()[2] == 'Z':
                break
            time.sleep(0.05)
        else:
            pytest.fail(f'{pid} is still there')
    for row in processes(ebb, path):
        done = ebb(['replay', '--batch', '--pid', row['pid'], '-e', 'goto end', '-e', 'reverse-stepi', '-e', 'goto end', path])
        assert done.returncode == 0, (row, done.stdout, done.stderr)


READER = """
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void on_continue(int signal)
{
    if (write(1, "[goes on]\\n", 10) != 10)
        _exit(1);
}

int main(void)
{
    char line[100];
    struct sigaction action = {.sa_handler = on_continue, .sa_flags = SA_RESTART};
    sigaction(SIGCONT, &action, NULL);
    printf("[ready]\\n");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        printf("[read]\\n");
        fflush(stdout);
    }
    return 5;
}
"""


@pytest.mark.parametrize('how', ['{}', "sh -c '{}; exit 5'"], ids=['alone', 'below a shell'])
def test_ctrl_z_in_a_shell(pty_session, compile_c, tmp_path, ebb, how):
    """The shell sees the job stopped, in the background it reads nothing, and in the foreground it goes on; the recording replays."""
    path, program = tmp_path / 'z.ebb', compile_c(READER, name='reader')
    shell = pty_session(['--norc', '--noediting', '-i'], env={'PS1': '$ '}, at_prompt=False, program='/bin/bash')
    shell.expect('$ ')
    shell.send(f"{EBB} record -o {path} {how.format(program)}\n")
    shell.expect('[ready]')
    shell.send('first\n')
    shell.expect('[read]')
    shell.send('\x1a')
    shell.expect('Stopped')
    shell.expect('$ ')
    shell.send('bg\n')
    shell.expect('[goes on]')
    shell.send('until jobs | grep Stopped; do :; done; echo $((6 * 7))\n')
    shell.expect('42\r\n')
    shell.send('fg\n')
    shell.expect('[goes on]')
    shell.send('second\n')
    shell.expect('[read]')
    shell.send('\x04')
    shell.expect(f'the recording is in {path}')
    shell.send('echo status $?\n')
    shell.expect('status 5')
    done = ebb(['replay', '--batch', '-e', 'handle SIGCONT nostop noprint', '-e', 'continue', path], timeout=60)
    assert 'exited with code 05' in done.stdout, done.stdout + done.stderr

