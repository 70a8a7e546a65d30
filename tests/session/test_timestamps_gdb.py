"""tools/timestamps.gdb: going back with gdb, by running a program again that `ebb cc` compiled."""
import re
import subprocess

import pytest
from test_cc import HERE, PLUGIN, ROOT, build

pytestmark = pytest.mark.skipif(not PLUGIN.exists(), reason='the plugin was not built: install gcc-12-plugin-dev and g++')


def gdb(program, *commands):
    words = [w for c in ('set pagination off', f'source {ROOT}/tools/timestamps.gdb', *commands) for w in ('-ex', c)]
    done = subprocess.run(['gdb', '-q', '-nx', '-batch', *words, program], capture_output=True, text=True, timeout=120)
    return done.stdout + done.stderr


@pytest.fixture(params=['-O0', '-O1', '-O2'])
def overrun(request, tmp_path):
    return build(tmp_path, HERE / 'timestamps/overrun.c', request.param, '-fno-inline')


def test_last_write_finds_the_planted_cause(overrun):
    out = gdb(overrun, 'break 27', 'run', 'ts-last-write table.limit', 'backtrace 1', 'print table.limit')
    assert re.search(r'#0 .*fill', out) and '$1 = 24' in out, out
    assert '1 writes' in out


def test_bisect_finds_when_it_broke(overrun):
    out = gdb(overrun, 'break 27', 'run', 'ts-bisect table.limit == 100', 'backtrace 1', 'print table.limit')
    assert re.search(r'It broke between timestamps (\d+) and (\d+); \d+ runs', out) and '$1 = 24' in out, out


def test_bookmarks_are_the_same_moment(overrun):
    out = gdb(overrun, 'break check if table.cells[4] != 0', 'run', 'ts-when', 'ts-bookmark here', 'print table', 'delete', 'break 27', 'continue',
              'ts-when', 'ts-back here', 'ts-when', 'print table')
    stamps = re.findall(r'timestamp (\d+), .*\((0x\w+)\)', out)
    assert len(stamps) == 3 and stamps[0] == stamps[2] != stamps[1], out
    assert len(set(re.findall(r'^\$\d+ = (.*)$', out, re.M))) == 1


def test_goto_a_timestamp_and_a_line(overrun):
    out = gdb(overrun, 'ts-goto 30', 'ts-when', 'ts-goto 10 check', 'ts-when')
    assert 'timestamp 30,' in out and re.search(r'timestamp 1\d, .*overrun.c:1[67]', out), out


def test_a_program_that_differs_is_noticed(tmp_path):
    program = build(tmp_path, '''
        #include <stdlib.h>
        #include <stdio.h>
        int main(int argc, char **argv)
        {
            FILE *f = fopen(argv[1], "r+");
            int n = fgetc(f) - '0', s = 0;
            rewind(f);
            fputc('0' + n - 1, f);
            fclose(f);
            for (int i = 0; i < n; i++)
                s += i;
            return s == 0;
        }''', '-O0')
    (tmp_path / 'n').write_text('9')
    out = gdb(program, f'set args {tmp_path}/n', 'break 13', 'run', 'ts-when', 'ts-bookmark x', 'ts-back x')
    assert 'does not do the same in each run' in out, out


ODD = ['ts-goto', 'ts-goto abc', 'ts-goto -5', 'ts-goto 0x', 'ts-goto 99999999999999999999', 'ts-goto 5 no_such_function', 'ts-goto 100000', 'ts-bookmark', 'ts-back', 'ts-back x',
       'ts-last-write', 'ts-last-write no_such_thing', 'ts-last-write 5', 'ts-last-write $rax', 'ts-last-write *(int *) 0', 'ts-bisect', 'ts-bisect no_such_thing',
       'ts-bisect table', 'ts-bisect 1']


@pytest.mark.parametrize('started', [True, False])
def test_what_makes_no_sense_is_one_line(tmp_path, started):
    program = build(tmp_path, HERE / 'timestamps/overrun.c', '-O0')
    for command in ODD:
        first = ['break 27', 'run'] if started else []
        out = gdb(program, *first, 'echo ====\\n', command).split('====\n')[1]
        lines = [line for line in out.splitlines() if line and not line.startswith('[') and line != 'broken']
        assert len(lines) == 1 and 'Python' not in out and 'Error occurred' not in out and 'does not do the same' not in out, (command, out)


def test_a_program_that_does_not_count(tmp_path):
    program = build(tmp_path, HERE / 'timestamps/overrun.c', '-O0', compiler=['gcc'])
    for commands in (['ts-when'], ['start', 'ts-when'], ['ts-goto 5']):
        out = gdb(program, *commands)
        assert 'The program is not being run.' in out or 'The program does not count its time: compile it with `ebb cc`.' in out, out


def test_a_stop_in_inlined_code(tmp_path):
    """The count is that of the function around it, and the line one of the code that is executed next."""
    program = build(tmp_path, HERE / 'timestamps/tree.c', '-O2')
    out = gdb(program, *(c for n in (9, 60, 132, 150) for c in (f'ts-goto {n}', 'ts-when')))
    assert re.findall(r'^timestamp (\d+), ', out, re.M) == ['9', '60', '132', '150']
    assert not re.search(r'^#0 .*\n.*abort', out, re.M)


HEAP = '''
    #include <stdlib.h>
    struct node { int n; } *p;
    void set(int n) { p->n = n; }
    void done(void) {}
    int main(void)
    {
        p = calloc(1, sizeof *p);
        for (int i = 0; i < 9; i++)
            set(i);
        done();
        return 0;
    }'''


def test_a_loop_of_main_counts_in_its_register(tmp_path):
    """main has no caller that gdb shows; between two ticks the count is nowhere but in the register."""
    program = build(tmp_path, 'int cells[99];\nint main(void)\n{\n    for (int i = 0; i < 99; i++)\n        cells[i] = i * i;\n    return 0;\n}\n', '-O1')
    out = gdb(program, 'ts-goto 40', 'stepi', 'stepi', 'ts-when', 'print cells[38]', 'print cells[40]')
    assert 'timestamp 40, ' in out and '$1 = 1444' in out and '$2 = 0' in out, out


def test_data_on_a_heap_that_is_not_there_at_main(tmp_path):
    """No memory is at its address yet, and a condition on it can't be tested: that counts as holding."""
    program = build(tmp_path, HEAP, '-O0')
    out = gdb(program, 'break done', 'run', 'ts-last-write p->n', 'backtrace 1', 'print p->n')
    assert re.search(r'#0 .*set \(n=8\)', out) and '$1 = 8' in out, out
    out = gdb(program, 'break done', 'run', 'ts-bisect p->n < 5', 'print p->n')
    assert 'It broke between' in out and '$1 = 5' in out, out


def test_what_breaks_after_the_last_tick(tmp_path):
    """The first moment of the last timestamp is not where it is false."""
    program = build(tmp_path, 'int n, m;\nint main(void)\n{\n    for (int i = 0; i < 9; i++)\n        m++;\n    n = 7;\n    m = 0; /* line 7 */\n    return 0;\n}\n', '-O0')
    out = gdb(program, 'break 7', 'run', 'ts-bisect n == 0', 'print n')
    assert 'and not any more here' in out and '$1 = 7' in out, out


@pytest.mark.parametrize('level', ['-O0', '-O2'])
def test_last_write_by_a_system_call(tmp_path, level):
    """Three of them at one timestamp, by one instruction of the C library."""
    source = '''
        #include <unistd.h>
        int x = 1;
        int main(void)
        {
            int to[2], n[3] = {77, 78, 78};
            x = 5;
            if (pipe(to) || write(to[1], n, sizeof n) != sizeof n)
                return 1;
            if (read(to[0], &x, sizeof x) != sizeof x)
                return 1;
            if (read(to[0], &x, sizeof x) != sizeof x) /* the cause */
                return 1;
            return x != 78; /* the end */
        }'''
    line = {mark: 1 + source[:source.index(mark)].count('\n') for mark in ('/* the cause', '/* the end')}
    out = gdb(build(tmp_path, source, level), f'break {line["/* the end"]}', 'run', 'ts-last-write x', 'print x', 'info breakpoints')
    assert re.search(r'#0 .*read', out) and re.search(rf'called by main at .*:{line["/* the cause"]}$', out, re.M), out
    assert '3 writes' in out and '$1 = 78' in out and 'atchpoint' not in out, out
