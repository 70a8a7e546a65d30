"""`ebb schedule`: files are checked, converted, drawn and made of traces; what is wrong is told line by line."""
import xml.dom.minidom

FAILING = """# the second consumer takes what the first one has seen
thread 1 producer
before ProdCons main 60 1
switch 1
before ProdCons$Producer run 13 1
switch 2
before ProdCons$Consumer run 9 1
switch 3
before ProdCons$Consumer run 13 1
switch 2
"""


def write(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    return str(path)


def test_check(ebb, tmp_path):
    done = ebb(['schedule', 'check', write(tmp_path, 'a', FAILING)])
    assert (done.returncode, done.stderr) == (0, '')
    assert 'good; 9 commands, 4 events, 4 threads, in switches' in done.stdout


def test_one_of_each(ebb, tmp_path):
    file = write(tmp_path, 'a', 'before A main 3 1\n')
    assert ebb(['schedule', 'check', file]).stdout == f'{file}: good; 1 command, 1 event, 1 thread, in switches\n'


def test_each_wrong_line_is_told(ebb, tmp_path):
    file = write(tmp_path, 'a', 'before A m 1 0\n\nswitch x\nloopbegin\n')
    done = ebb(['schedule', 'check', file])
    assert done.returncode == 1 and done.stdout == ''
    assert done.stderr.splitlines() == [f'{file}:1: "0" is no count of executions: 1 to 9223372036854775807',
                                        f'{file}:3: "x" is no number of a thread, nor none']
    file = write(tmp_path, 'b', 'receive 1 4\nthread 1\nreceive 0 4\n')
    done = ebb(['schedule', 'check', file])
    assert done.returncode == 1
    assert done.stderr.splitlines() == [f'{file}:1: thread 0 waits for ever: thread 1 never gets to send it 4',
                                        f'{file}:3: thread 1 waits for ever: thread 0 never gets to send it 4']


def test_files_that_are_too_large(ebb, tmp_path):
    good = write(tmp_path, 'a', 'before A main 3 1\n')
    for name, args in (('x.class', ['weave', 'replay', good, '-o', tmp_path / 'woven', tmp_path / 'x.class']), ('s', ['schedule', 'check', tmp_path / 's'])):
        with open(tmp_path / name, 'wb') as file:
            file.truncate(3 << 30)
        done = ebb(args)
        assert done.returncode == 1 and 'it is too large: more than' in done.stderr and done.stderr.count('\n') == 1, done.stderr


def test_convert_there_and_back(ebb, tmp_path):
    there = ebb(['schedule', 'convert', write(tmp_path, 'a', FAILING)])
    assert there.returncode == 0 and there.stdout.startswith('messages\nthread 0\nbefore ProdCons main 60 1\nsend 1 1\n')
    back = ebb(['schedule', 'convert', '-o', str(tmp_path / 'c'), write(tmp_path, 'b', there.stdout)])
    assert back.returncode == 0
    assert (tmp_path / 'c').read_text() == FAILING.split('\n', 1)[1]


def test_a_file_for_each_thread(ebb, tmp_path):
    one = write(tmp_path, 'one', 'messages\nbefore A main 3 1\nsend 1 7\n')
    two = write(tmp_path, 'two', 'thread 1\nreceive 0 7\nbefore B run 0 1\ndie none\n')
    done = ebb(['schedule', 'convert', one, two])
    assert done.stdout == 'before A main 3 1\nswitch 1\nbefore B run 0 1\ndie none\n', done.stderr


def test_what_is_wrong_is_told_of_its_file(ebb, tmp_path):
    a = write(tmp_path, 'a', 'messages\nthread 0 main\nbefore A m 1 1\nsend 1 1\n')
    b = write(tmp_path, 'b', 'thread 1\nreceive 0 1\n\nreceive 0 2\n')
    assert ebb(['schedule', 'check', a, b]).stderr == f'{b}:4: thread 1 waits for ever: thread 0 never gets to send it 2\n'
    c = write(tmp_path, 'c', '\nthread 0\nswitch 1\nloopbegin\n')
    done = ebb(['schedule', 'check', a, c])
    assert done.stderr.splitlines() == [f'{c}:2: thread 0 is at line 2 of {a} already', f'{c}:3: a schedule with messages has `switch none` only: a message says who goes on',
                                        f'{c}:4: loopbegin without a loopend']
    done = ebb(['schedule', 'import', a, b])
    assert done.returncode == 1 and done.stderr == f'ebb: a schedule is made of one trace; {b} is another\n'


def test_show_is_a_picture(ebb, tmp_path):
    out = tmp_path / 'a.svg'
    assert ebb(['schedule', 'show', '-o', str(out), write(tmp_path, 'a', FAILING)]).returncode == 0
    svg = xml.dom.minidom.parse(str(out)).documentElement
    words = [t.firstChild.data for t in svg.getElementsByTagName('text')]
    assert '1 producer' in words and 'before ProdCons$Consumer run 9 1' in words
    assert len([x for x in svg.getElementsByTagName('line') if x.getAttribute('class') == 'arrow']) == 4


def test_all_of_the_picture_is_seen(ebb, tmp_path):
    """Nothing is written beyond its lane, and no arrow goes through it."""
    long = 'x' * 90
    out = tmp_path / 'a.svg'
    assert ebb(['schedule', 'show', write(tmp_path, 'a', f'thread 1 {long}\nin {long} main 3 1\nswitch 2\nbefore {long}{long} run 1 1\nswitch 0\n'), '-o', out]).returncode == 0
    svg = xml.dom.minidom.parse(str(out)).documentElement
    number = lambda x, name: int(x.getAttribute(name))
    lanes = [number(x, 'x1') for x in svg.getElementsByTagName('line') if x.getAttribute('class') == 'lane'] + [number(svg, 'width')]
    for text in svg.getElementsByTagName('text'):
        end = number(text, 'x') + 7.3 * len(text.firstChild.data)
        assert end < min(x for x in lanes if x > number(text, 'x') + 6)
    baselines = {number(t, 'y') for t in svg.getElementsByTagName('text')}
    for arrow in (x for x in svg.getElementsByTagName('line') if x.getAttribute('class') == 'arrow'):
        assert not any(y - 9 <= number(arrow, 'y1') <= y + 3 for y in baselines)


def test_import_of_a_trace(ebb, tmp_path):
    done = ebb(['schedule', 'import', write(tmp_path, 't', '0 A main 0\n1 B run 0 dies\n0 A main 3\n')])
    assert done.stdout == 'before A main 3 1\nswitch 1\nbefore B run 0 1\ndie 0\n', done.stderr
    file = write(tmp_path, 't', '0 A main 0\n1 B run 0\n')
    done = ebb(['schedule', 'import', file])
    assert done.returncode == 1 and done.stderr.startswith(f'{file}:1: what thread 0 would execute after this is not known')


def test_usage(ebb, tmp_path):
    for args in ([], ['check'], ['paint', 'x']):
        done = ebb(['schedule', *args])
        assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    done = ebb(['schedule', 'check', str(tmp_path / 'none')])
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert ebb(['schedule', 'show', '-o', str(tmp_path / 'no/where'), write(tmp_path, 'a', FAILING)]).returncode == 1


def test_options_may_follow_files(ebb, tmp_path):
    file = write(tmp_path, 'a', FAILING)
    for words in (['convert', file, '-o', tmp_path / 'out'], ['-o', tmp_path / 'out', 'convert', file], ['convert', '-o', tmp_path / 'out', '--', file]):
        assert ebb(['schedule', *words]).returncode == 0 and (tmp_path / 'out').read_text().startswith('messages\n')
        (tmp_path / 'out').unlink()
    for words, says in ((['schedule', 'check', file, '-z'], 'No such option: -z.'), (['schedule', 'check', file, '-x', 'a'], 'No such option: -x.'),
                        (['schedule', 'check', file, '-o'], 'The option -o needs an argument.')):
        done = ebb(words)
        assert done.returncode == 2 and says in done.stderr, done.stderr
