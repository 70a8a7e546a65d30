"""Java programs that a script starts, recorded; what a folder of recordings holds; a JDK with our machine in it."""
import os
import re
import subprocess

import pytest
from conftest import EBB
from java_source import compile_java, javac

SOURCE = '''
public class Sub {
    static int made;

    static int make(int n) {
        made += n;
        return made;
    }

    public static void main(String[] args) throws Exception {
        System.out.println("made " + make(args.length));
        if (args.length == 2) { // starts another one
            Process p = new ProcessBuilder(ProcessHandle.current().info().command().get(), "-cp", args[1], "Sub", "child").inheritIO().start();
            System.out.println("child " + p.waitFor());
        }
        System.exit(args.length);
    } // the end
}
'''


@pytest.fixture(scope='module')
def sub(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp('sub'), 'Sub', SOURCE)


@pytest.fixture
def script(tmp_path, sub):
    path = tmp_path / 'build.sh'
    path.write_text(f'''#!/bin/sh
echo begins
java -cp {sub} Sub
(cd / && java -cp {sub} Sub parent {sub})
exit 7
''')
    path.chmod(0o755)
    return path


def commands(text):
    return sorted(re.findall(r'\.ebb  \d{4}-\d\d-\d\d \d\d:\d\d:\d\d +\d+ KiB  \d+ +\S+ +(?:exited \d+|killed by \w+|ends early) +(.*)', text))


def test_every_java_program_of_a_script_is_recorded(ebb, script, sub, tmp_path):
    done = ebb(['record', '-o', tmp_path / 'all', '--', script], timeout=120)
    assert done.returncode == 7, done.stderr
    assert [line for line in done.stdout.splitlines()] == ['begins', 'made 0', 'made 2', 'made 1', 'child 1'], done.stdout
    expected = ['Sub', 'Sub child', f'Sub parent {sub}']
    assert commands(done.stderr) == expected and 'ebb: 3 recordings in' in done.stderr, done.stderr
    assert commands(ebb(['ps', tmp_path / 'all']).stdout) == expected
    for recording in (tmp_path / 'all').glob('*.ebb'):
        done = ebb(['replay', '--batch', '-e', 'break Sub.make', '-e', 'continue', '-e', 'print n', '-e', 'goto end', '-e', 'reverse-next', recording],
                   timeout=120)
        assert re.search(r'\$1 = [012]\n', done.stdout) and 'System.exit(args.length)' in done.stdout.split('End of')[1], done.stdout + done.stderr


def test_a_script_without_java(ebb, tmp_path):
    script = tmp_path / 'plain.sh'
    script.write_text('#!/bin/sh\necho only this\n')
    script.chmod(0o755)
    done = ebb(['record', '-o', tmp_path / 'none', '--', script])
    assert (done.returncode, done.stdout) == (0, 'only this\n') and 'started no Java program' in done.stderr


def test_ps_of_what_is_none(ebb, tmp_path):
    assert ebb(['ps', tmp_path]).stdout == 'No recordings.\n'
    (tmp_path / 'bad.ebb').write_text('nonsense')
    done = ebb(['ps', tmp_path])
    assert done.returncode == 1 and 'bad.ebb' in done.stderr


def test_a_jdk_of_our_own(ebb, sub, tmp_path):
    done = ebb(['jdk', tmp_path / 'jdk'])
    assert done.returncode == 0, done.stderr
    java = tmp_path / 'jdk' / 'bin' / 'java'
    version = subprocess.run([java, '-version'], capture_output=True, text=True, check=True, timeout=60)
    assert 'ebb VM' in version.stderr
    (tmp_path / 'to').mkdir()
    done = subprocess.run([java, '-cp', sub, 'Sub', 'parent', sub], env={**os.environ, 'EBB_RECORD_DIR': str(tmp_path / 'to')}, capture_output=True,
                          text=True, timeout=120, check=False)
    assert done.returncode == 2 and 'child 1' in done.stdout, done.stdout + done.stderr
    assert len(commands(ebb(['ps', tmp_path / 'to']).stdout)) == 2
    assert ebb(['jdk', tmp_path / 'jdk']).returncode == 1 # it is there


# ---- debugging what a script starts

def debug(ebb, script, *commands, args=(), **more):
    words = [word for command in commands for word in ('-e', command)]
    return ebb(['run', '--batch', *words, '--', script, *args], timeout=120, **more)


def test_the_first_java_program_of_a_script_is_debugged(ebb, script):
    done = debug(ebb, script, 'break Sub.make', 'run', 'print n', 'next', 'next', 'reverse-next', 'print Sub.made', 'goto end', 'continue')
    assert '$1 = 0\n' in done.stdout and '$2 = 0\n' in done.stdout, done.stdout + done.stderr
    assert 'made 1' in done.stdout and 'child 1' in done.stdout, 'the others run, too'
    assert 'exited with code 07' in done.stdout, done.stdout + done.stderr


def test_one_that_is_named_is_debugged(ebb, script, sub):
    """It is started by a Java program, which was started by the script."""
    done = debug(ebb, script, 'set follow-java child', 'break Sub.make', 'run', 'print n', 'up', 'print args[0]', 'list', 'continue', 'reverse-next',
                 'print Sub.made')
    assert 'made 0' in done.stdout and '$1 = 1\n' in done.stdout, done.stdout + done.stderr
    assert '= "child"\n' in done.stdout and 'starts another one' in done.stdout, 'its class path is known: ' + done.stdout + done.stderr


def test_a_script_that_becomes_the_launcher(ebb, sub, tmp_path):
    script = tmp_path / 'launch'
    script.write_text(f'#!/bin/sh\nexec java -cp {sub} Sub "$@"\n')
    script.chmod(0o755)
    done = debug(ebb, script, 'break Sub.make', 'run', 'print n', 'kill', 'run', 'continue', args=['one'])
    assert '$1 = 1\n' in done.stdout and done.stdout.count('Breakpoint 1, Sub.make (n=1)') == 2, done.stdout + done.stderr
    assert 'exited with code 01' in done.stdout


def test_a_script_that_starts_none(ebb, script, tmp_path):
    done = debug(ebb, script, 'set follow-java nobody', 'run')
    assert 'started no Java program with "nobody"' in done.stderr and 'child 1' in done.stdout, done.stdout + done.stderr
    plain = tmp_path / 'plain'
    plain.write_text('#!/bin/sh\necho only this\n')
    plain.chmod(0o755)
    done = debug(ebb, plain, 'run')
    assert 'only this' in done.stdout and 'started no Java program.' in done.stderr, done.stdout + done.stderr


def test_a_branch_in_a_script(ebb, script):
    done = debug(ebb, script, 'break Sub.make', 'run', 'next', 'reverse-next', 'branch', 'set var n = 5', 'finish', 'continue')
    assert 'made 5' in done.stdout, done.stdout + done.stderr


# ---- a build that runs its tests in a process of their own

BUILD = '''
public class Build {
    public static void main(String[] args) throws Exception { // as Maven does
        Process tests = new ProcessBuilder(ProcessHandle.current().info().command().get(), "-cp", args[0], "org.junit.runner.JUnitCore", "SumTest").inheritIO().start();
        System.exit(tests.waitFor());
    }
}
'''
SUM_TEST = '''
import static org.junit.Assert.*;
import org.junit.Test;

public class SumTest {
    int total;

    void add(int n) { total += n; }

    @Test public void good() {
        add(2);
        assertEquals(2, total);
    }

    @Test public void bad() {
        add(2);
        add(3); // the last one
        assertEquals("sum", 6, total); // fails
    }
}
'''
JUNIT = ['/usr/share/java/junit4.jar', '/usr/share/java/hamcrest-core.jar']


@pytest.fixture(scope='module')
def project(tmp_path_factory):
    for jar in JUNIT:
        if not os.path.exists(jar):
            pytest.skip(f'no {jar}: install junit4')
    folder, path = tmp_path_factory.mktemp('project'), ':'.join(JUNIT)
    for name, text in (('Build', BUILD), ('SumTest', SUM_TEST)):
        (folder / f'{name}.java').write_text(text)
    javac('-g', '-cp', path, '-d', folder, folder / 'Build.java', folder / 'SumTest.java')
    script = folder / 'build'
    script.write_text(f'#!/bin/sh\nexec java -cp {folder} Build {folder}:{path}\n')
    script.chmod(0o755)
    return folder


OPEN_TEST = ['catch throw java.lang.AssertionError', 'continue', 'up 3', 'last-write this.total', 'print n']


def is_opened(out):
    assert 'exception thrown: java.lang.AssertionError: sum expected:<6> but was:<5>' in out, out
    assert '// fails\n' in out and 'Old value = 2\nNew value = 5\n' in out and '= 3\n' in out, out


def test_a_failing_test_of_a_build_is_opened_at_its_assertion(ebb, project, tmp_path):
    done = ebb(['record', '-o', tmp_path / 'all', '--verify', '--', project / 'build'], timeout=180)
    assert done.returncode == 1 and 'ebb: 2 recordings in' in done.stderr, done.stdout + done.stderr
    recordings = sorted((tmp_path / 'all').glob('*.ebb'))
    for recording in recordings:
        done = ebb(['replay', '--verify', '--batch', '-e', 'info history', recording], timeout=180)
        assert 'all the same' in done.stdout + done.stderr, done.stdout + done.stderr
    tests = next(path for path in recordings if 'JUnitCore' in ebb(['ps', tmp_path / 'all']).stdout.split(path.name)[1].splitlines()[0])
    done = ebb(['replay', '--batch', *[word for command in OPEN_TEST for word in ('-e', command)], tests], timeout=180)
    is_opened(done.stdout + done.stderr)


def test_a_failing_test_of_a_build_is_debugged_live(ebb, project):
    done = debug(ebb, project / 'build', 'set follow-java JUnitCore', *[command.replace('continue', 'run') for command in OPEN_TEST])
    is_opened(done.stdout + done.stderr)
