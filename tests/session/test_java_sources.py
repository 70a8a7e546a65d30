"""Sources of Java classes that lie in archives: beside a jar, and in the JDK."""
import subprocess
import zipfile

import pytest

from java_source import javac

LIBRARY = '''package shelf;

public class Lib {
    public static int twice(int n) {
        int result = n * 2; // in the archive
        return result;
    }
}
'''
MAIN = '''
public class Uses {
    public static void main(String[] args) {
        System.out.println(shelf.Lib.twice(args.length) + "x".length());
    }
}
'''


@pytest.fixture(scope='module')
def shelf(tmp_path_factory):
    """A jar with its sources beside it, which are nowhere else."""
    folder = tmp_path_factory.mktemp('shelf')
    (folder / 'src' / 'shelf').mkdir(parents=True)
    (folder / 'src' / 'shelf' / 'Lib.java').write_text(LIBRARY)
    (folder / 'Uses.java').write_text(MAIN)
    javac('-g', '-d', folder / 'made', folder / 'src' / 'shelf' / 'Lib.java', folder / 'Uses.java')
    (folder / 'jars').mkdir()
    subprocess.run(['jar', 'cf', folder / 'jars' / 'lib-1.0.jar', '-C', folder / 'made', 'shelf'], check=True)
    with zipfile.ZipFile(folder / 'jars' / 'lib-1.0-sources.jar', 'w', zipfile.ZIP_DEFLATED) as jar:
        jar.writestr('META-INF/MANIFEST.MF', 'Manifest-Version: 1.0\n')
        jar.writestr('other/shelf/Lib2.java', 'nothing')
        jar.writestr('shelf/Lib.java', LIBRARY)
    (folder / 'classes').mkdir()
    (folder / 'made' / 'Uses.class').rename(folder / 'classes' / 'Uses.class')
    subprocess.run(['rm', '-r', folder / 'src', folder / 'made'], check=True)
    return folder


def run(batch, shelf, *commands, java='java', cwd):
    done = batch(java, *commands, args=['-cp', f'{shelf}/classes:{shelf}/jars/lib-1.0.jar', 'Uses'], timeout=120, cwd=cwd)
    return done.stdout + done.stderr


def test_sources_beside_a_jar(batch, shelf, tmp_path):
    out = run(batch, shelf, 'break shelf.Lib.twice', 'run', 'next', 'list', 'break Lib.java:9999', cwd=tmp_path)
    assert '5\t        int result = n * 2; // in the archive\n' in out and '\n6\t        return result;\n' in out, out
    assert '3\tpublic class Lib {' in out and '"Lib.java" has 8 lines' in out, out


def test_sources_are_listed_as_they_are_loaded(batch, shelf, tmp_path):
    out = run(batch, shelf, 'info sources', 'break Uses.main', 'run', 'info sources', 'break shelf.Lib.twice', 'continue', 'info sources Lib', cwd=shelf)
    before, after = out.split('shelf.Lib.twice (n=0)')
    assert before.count('Uses.java\n') == 1 and 'Lib.java\n' not in before, out
    assert 'Lib.java\n' in after and 'Uses.java\n' not in after, out


def test_a_broken_archive_is_none(batch, shelf, tmp_path):
    jar = shelf / 'jars' / 'lib-1.0-sources.jar'
    whole = jar.read_bytes()
    try:
        for bad in (b'', b'PK', whole[:-20], whole[:100] + bytes(100) + whole[200:]):
            jar.write_bytes(bad)
            out = run(batch, shelf, 'break shelf.Lib.twice', 'run', 'next', cwd=tmp_path)
            assert 'shelf.Lib.twice (n=0)' in out and '6' in out.split('twice (n=0)')[1], out
    finally:
        jar.write_bytes(whole)


def test_sources_of_the_jdk(batch, ebb, shelf, tmp_path):
    """In lib/src.zip, below the names of modules."""
    assert ebb(['jdk', tmp_path / 'jdk']).returncode == 0
    archive = tmp_path / 'jdk' / 'lib' / 'src.zip'
    archive.unlink(missing_ok=True)
    with zipfile.ZipFile(archive, 'w', zipfile.ZIP_DEFLATED) as out:
        out.writestr('java.base/java/lang/String.java', ''.join(f'line {i} of String\n' for i in range(1, 4000)))
    out = run(batch, shelf, 'break Uses.main', 'run', 'break java.lang.String.length', 'continue', java=tmp_path / 'jdk' / 'bin' / 'java', cwd=tmp_path)
    assert 'java.lang.String.length (this=' in out and ' of String\n' in out.split('String.length (this=')[1], out


def test_sources_of_a_recording_are_found_from_another_folder(ebb, tmp_path):
    """Beside what the recorded class path named; and where Maven has them."""
    project, elsewhere = tmp_path / 'project', tmp_path / 'elsewhere'
    sources, classes = project / 'src' / 'test' / 'java' / 'p', project / 'target' / 'test-classes'
    for folder in (sources, classes, elsewhere):
        folder.mkdir(parents=True)
    (sources / 'Found.java').write_text('package p;\npublic class Found {\n    public static void main(String[] args) {\n        int seen = 1; // here\n    }\n}\n')
    javac('-g', '-d', classes, sources / 'Found.java')
    done = ebb(['record', '-o', elsewhere / 'r.ebb', '--', 'java', '-cp', 'target/test-classes', 'p.Found'], cwd=project, timeout=120)
    assert done.returncode == 0, done.stderr
    done = ebb(['replay', '--batch', '-e', 'break p.Found.main', '-e', 'continue', 'r.ebb'], cwd=elsewhere, timeout=120)
    assert 'int seen = 1; // here' in done.stdout, done.stdout + done.stderr
