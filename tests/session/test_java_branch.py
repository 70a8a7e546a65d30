"""`branch` on the Java machine: the past goes on live, with files as they were."""
import subprocess
from pathlib import Path

import pytest
from java_source import compile_java, javac

EBB = Path(__file__).resolve().parents[2] / 'build' / 'ebb'

SOURCE = '''
import java.io.RandomAccessFile;
import java.nio.file.*;

public class Branch {
    static int choice = 1;

    public static void main(String[] args) throws Exception {
        Path path = Path.of(args[0]);
        Files.writeString(path, "first ");
        try (RandomAccessFile file = new RandomAccessFile(args[0] + ".random", "rw")) {
            file.writeBytes("0123456789");
            here(1);
            file.writeBytes("abc");
            file.seek(2);
            file.writeBytes("ZZ");
            file.setLength(8);
        }
        Files.writeString(path, "second ", StandardOpenOption.APPEND);
        Files.move(path, Path.of(args[0] + ".moved"));
        Files.delete(Path.of(args[0] + ".old"));
        Files.createDirectory(Path.of(args[0] + ".made"));
        System.out.println("choice " + choice);
        here(2);
        System.exit(choice);
    }

    static void here(int n) {
        System.out.println("here " + n);
    }
}
'''


@pytest.fixture
def program(tmp_path):
    (tmp_path / 'Branch.java').write_text(SOURCE)
    javac('-g', '-d', tmp_path, tmp_path / 'Branch.java')
    if 'History from' not in debug(tmp_path, 'break Branch.main', 'run', 'info history'):
        pytest.skip('Java programs are not recorded by this ebb')
    (tmp_path / 'file.old').write_text('old')
    return tmp_path


def files(folder):
    return {p.name: p.read_text() if p.is_file() else 'directory' for p in folder.glob('file*')}


def debug(folder, *commands):
    steps = [word for command in commands for word in ('-e', command)]
    p = subprocess.run([EBB, 'run', '--batch', *steps, '--', 'java', '-cp', folder, 'Branch', folder / 'file'], capture_output=True,
                       text=True, timeout=120, check=False)
    return p.stdout + p.stderr


BEFORE = {'file': 'first ', 'file.random': '0123456789', 'file.old': 'old'}
AFTER = {'file.moved': 'first second ', 'file.random': '01ZZ4567', 'file.made': 'directory'}


@pytest.mark.parametrize('far', [1, 2])
def test_files_are_put_back(program, far):
    """From a stop, and after the program's end."""
    out = debug(program, 'break Branch.here', 'run', *['continue'] * far, *['reverse-continue'] * far, 'branch')
    assert 'runs live' in out and 'bytes written to standard output' in out, out
    assert files(program) == BEFORE


def test_it_runs_on_and_has_a_history_again(program):
    out = debug(program, 'break Branch.here', 'run', 'continue', 'reverse-continue', 'branch', 'set var Branch.choice = 5', 'continue',
                'reverse-continue', 'continue', 'print Branch.choice')
    assert 'choice 5' in out and '$1 = 5' in out, out
    assert files(program) == AFTER


def test_it_ends_with_its_own_status(program):
    out = debug(program, 'break Branch.here', 'run', 'continue', 'reverse-continue', 'branch', 'set var Branch.choice = 5', 'delete', 'continue')
    assert 'exited with code 05' in out, out
    assert files(program) == AFTER


def test_files_are_put_back_where_the_undo_log_led(tmp_path):
    """The log of the live program leads to before the copy of it was made."""
    (tmp_path / 'Digits.java').write_text('''
        import java.io.RandomAccessFile;
        public class Digits {
            static void step(RandomAccessFile f, int i) throws Exception {
                f.write('0' + i); // @write
                mark(i);
            }
            static void mark(int i) { }
            public static void main(String[] a) throws Exception {
                try (RandomAccessFile f = new RandomAccessFile(a[0], "rw")) {
                    for (int i = 0; i < 8; i++)
                        step(f, i);
                }
            }
        }''')
    javac('-g', 'Digits.java', cwd=tmp_path)
    file = tmp_path / 'digits'
    commands = ['break Digits.mark if i == 6', 'run', 'reverse-finish', 'reverse-next', 'reverse-next', 'branch', f'shell cat {file}', 'delete',
                'continue']
    out = subprocess.run([EBB, 'run', '--batch', '--undo', '16M', *[w for c in commands for w in ('-e', c)], '--', 'java', '-cp', tmp_path,
                          'Digits', file], capture_output=True, text=True, timeout=120, check=False).stdout
    assert "// @write" in out and '\n012345' in out and '0123456' not in out, out
    assert file.read_text() == '01234567'


def test_the_past_before_a_branch_stays(program):
    """All of history was reached from one snapshot, of which the new live program is a copy."""
    out = debug(program, 'break Branch.main', 'run', 'info history', 'next', 'next', 'reverse-next', 'branch', 'reverse-next', 'next', 'goto start', 'info history')
    assert 'Snapshots: 1,' in out.split('runs live')[0], out
    after = out.split('runs live')[1]
    assert 'LauncherHelper' in after and out.count('History from') == 2, out
    began = [line.split()[2] for line in out.splitlines() if line.startswith('History from')]
    assert began[0] == began[1], out


def test_output_in_a_file_that_ebb_writes_to(program, tmp_path):
    """What ebb said stays there, and the program's output comes after it."""
    commands = ['break Branch.here', 'run', 'continue', 'reverse-continue', 'branch', 'echo said after it\\n', 'delete', 'continue']
    steps = [word for command in commands for word in ('-e', command)]
    with open(tmp_path / 'out', 'w') as out:
        subprocess.run([EBB, 'run', '--batch', *steps, '--', 'java', '-cp', program, 'Branch', program / 'file'], stdout=out,
                       stderr=subprocess.STDOUT, timeout=120, check=False)
    text = (tmp_path / 'out').read_text()
    told = ['Breakpoint 1 (Branch.here)', 'here 1', 'choice 1', 'runs live', 'bytes written to standard output', 'said after it', 'here 1', 'choice 1',
            'here 2', 'exited with code 01']
    at = -1
    for part in told:
        at = text.find(part, at + 1)
        assert at >= 0, (part, text)
    assert '\0' not in text


SIGNALLED = '''
public class Signalled {
    static int n;

    static void signal() throws Exception {
        n++;
        n++;
        new ProcessBuilder("sh", "-c", "kill -TERM $PPID").start().waitFor();
        Thread.sleep(60000);
        System.out.println("nobody heard");
    }

    public static void main(String[] args) throws Exception {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook " + n)));
        signal();
    }
}
'''


def test_signals_reach_a_program_that_went_live(batch, tmp_path):
    """Copies let go of the pipe that signals come by."""
    folder = compile_java(tmp_path, 'Signalled', SIGNALLED)
    done = batch('java', 'break Signalled.signal', 'run', 'next', 'next', 'reverse-next', 'branch', 'continue', args=['-cp', folder, 'Signalled'], timeout=120)
    assert 'hook 2' in done.stdout and 'nobody heard' not in done.stdout and 'exited with code 0217' in done.stdout, done.stdout + done.stderr
