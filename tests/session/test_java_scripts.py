"""Java programs that a script starts, recorded; what a folder of recordings holds; a JDK with our machine in it."""
import os
import re
import subprocess

import pytest
from conftest import EBB
from java_source import compile_java

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
    return sorted(re.findall(r'\.ebb  \d{4}-\d\d-\d\d \d\d:\d\d:\d\d +\d+ KiB  (.*)', text))


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
