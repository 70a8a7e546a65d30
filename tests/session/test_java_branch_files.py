"""`branch` undoes what the dropped future did to files, by whichever of the library's ways; and what it can't, it names.

What is typed at the console is given anew."""
from pathlib import Path

import pytest

from java_source import javac

SOURCES = Path(__file__).resolve().parents[1] / 'jvm' / 'branch'

UNDONE = ['write', 'append', 'create', 'delete', 'deleteIfExists', 'move', 'replace', 'copy', 'mkdir', 'rmdir', 'symlink', 'hardlink', 'random',
          'truncate', 'positioned', 'map', 'transfer', 'temp', 'stream', 'ioDelete', 'ioRename', 'ioMkdir', 'zip', 'tree']
ATTRIBUTES = ['times', 'mode', 'ioTimes', 'ioMode']  # these are put back to the nanosecond


@pytest.fixture(scope='module')
def classes(tmp_path_factory):
    folder = tmp_path_factory.mktemp('branch')
    javac('-g', '-d', folder, *SOURCES.glob('*.java'))
    return folder


@pytest.fixture
def files(tmp_path):
    folder = tmp_path / 'files'
    (folder / 'empty').mkdir(parents=True)
    (folder / 'tree' / 'inner').mkdir(parents=True)
    (folder / 'tree' / 'inner' / 'leaf').write_text('leaf')
    (folder / 'old').write_text('old contents')
    (folder / 'old').chmod(0o640)
    (folder / 'other').write_text('other')
    (folder / 'link').symlink_to('old')
    return folder


def seen(folder, with_times):
    def one(p):
        st = p.lstat()
        what = p.readlink() if p.is_symlink() else p.read_bytes() if p.is_file() else 'directory'
        return what, st.st_mode, st.st_mtime_ns if with_times and p.is_file() else None
    return {str(p.relative_to(folder)): one(p) for p in sorted(folder.rglob('*'))}


def run(batch, classes, files, what, *commands):
    return batch('java', 'break Nio.here', 'run', *commands, args=['-cp', classes, 'Nio', files, what], timeout=60)


@pytest.mark.parametrize('what', [*UNDONE, *ATTRIBUTES])
def test_branch_puts_it_back(batch, classes, files, what):
    before = seen(files, what in ATTRIBUTES)
    done = run(batch, classes, files, what, 'continue', f'shell cp -a {files} {files}.then', 'reverse-continue', 'branch')
    assert done.returncode == 0 and 'runs live' in done.stdout, done.stderr
    assert seen(Path(f'{files}.then'), what in ATTRIBUTES) != before, 'it did change something'
    assert 'could not be put back' not in done.stdout, done.stdout
    assert seen(files, what in ATTRIBUTES) == before, done.stdout


def test_what_is_undone_can_be_done_again(batch, classes, files):
    done = run(batch, classes, files, 'replace', 'continue', 'reverse-continue', 'branch', 'continue')
    assert done.returncode == 0, done.stderr
    assert not (files / 'old').exists() and (files / 'other').read_text() == 'old contents'


def test_owners_are_named(batch, classes, files):
    done = run(batch, classes, files, 'owner', 'continue', 'reverse-continue', 'branch')
    assert done.returncode == 0, done.stderr
    assert f'of {files}/old' in done.stdout, done.stdout


def test_console_input_is_given_anew(pty_session, classes):
    terminal = pty_session(['run', '--no-init', 'java', '-cp', classes, 'Asks'])
    terminal.command('break Asks.answered')
    terminal.send('run\n')
    terminal.expect('name?')
    terminal.send('alpha\n')
    terminal.expect('(ebb) ')
    assert '"alpha"' in terminal.command('print name')
    terminal.command('goto start')
    terminal.command('break Asks.asks')
    terminal.command('continue')
    assert 'runs live' in terminal.command('branch')
    terminal.send('continue\n')
    terminal.expect('name?')
    terminal.send('beta\n')
    terminal.expect('(ebb) ')
    assert '"beta"' in terminal.command('print name')
    terminal.command('delete 1 2')
    terminal.send('continue\n')
    terminal.expect('hello beta')
