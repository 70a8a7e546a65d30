"""Native mode, and a program that counts by itself (`ebb cc`): time, positions and questions about the past, by running it again."""
import re
import subprocess
import time

import pytest
from test_cc import HERE, PLUGIN, ROOT, build, count, run

pytestmark = pytest.mark.skipif(not PLUGIN.exists(), reason='the plugin was not built: install gcc-12-plugin-dev and g++')


def asked(commands):
    """The words by which ebb runs these commands.  Stops tell positions, too: what `when` tells has a mark before it."""
    return [w for c in commands for w in (('-e', r'echo when:\n', '-e', c) if c.startswith('when') else ('-e', c))]


@pytest.fixture
def native(ebb):
    """native(program, commands...) -> what ebb says in native mode"""
    def run(program, *commands, fails=False, args=()):
        done = ebb(['run', '--native', '--batch', *asked(commands), '--', str(program), *args], timeout=120)
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        return done.stdout + done.stderr
    return run


@pytest.fixture(params=['-O0', '-O1', '-O2'])
def overrun(request, tmp_path):
    return build(tmp_path, HERE / 'timestamps/overrun.c', request.param, '-fno-inline')


def positions(out):
    """What `when` told."""
    return re.findall(r'^when:\n(\d+@\S+)$', out, re.M)


def test_last_write_finds_the_planted_cause(overrun, native):
    out = native(overrun, 'break 27', 'run', 'last-write table.limit', 'backtrace', 'print table.limit')
    assert re.search(r'#0 .*fill', out) and '$1 = 24' in out
    assert 'Last write to table.limit\n\nOld value = 100\nNew value = 24\n' in out


def test_bisect_finds_when_it_broke(overrun, native):
    out = native(overrun, 'break 27', 'run', 'bisect table.limit == 100', 'print table.limit', 'when')
    broke = int(positions(out)[0].split('@')[0])
    assert '$1 = 24' in out
    before = native(overrun, 'start', f'goto {broke - 1}', 'print table.limit')
    assert '$1 = 100' in before


def test_values(overrun, native):
    """Every value that a watchpoint sees, going forward."""
    out = native(overrun, 'break 27', 'run', 'values table.cells[3]', 'values table.limit')
    assert re.search(r'0\b.*\n.*\b9\b', out) and re.search(r'100\b.*\n.*\b24\b', out)


def test_the_same_moment_whichever_way_it_is_reached(overrun, native):
    out = native(overrun, 'break check if table.cells[4] != 0', 'run', 'when -i', 'bookmark here', 'print table', 'delete 1', 'break 27', 'continue',
                 'when -i', 'goto here', 'when -i', 'print table', 'goto 5', 'when', 'goto here', 'when -i', 'print table')
    told = positions(out)
    assert told[0] == told[2] == told[4] != told[1] and told[3].startswith('5@')
    assert len(set(re.findall(r'^\$\d+ = (.*)$', out, re.M))) == 1


def test_stops_tell_their_position(overrun, native):
    out = native(overrun, 'break check', 'run', 'when', 'next', 'when', 'continue', 'when', 'goto 5', 'when')
    assert re.findall(r'^\d+\t.*\n(\d+@\S+)$', out, re.M) == positions(out) and len(positions(out)) == 4, out


def test_every_timestamp_can_be_reached(overrun, native):
    commands = [c for n in (40, 3, 17, 18, 50) for c in (f'goto {n}', 'when')]
    out = native(overrun, 'start', *commands)
    assert [int(p.split('@')[0]) for p in positions(out)] == [40, 3, 17, 18, 50]


def test_breakpoints_stay_as_they_were(overrun, native):
    out = native(overrun, 'break fill', 'break check', 'disable 2', 'run', 'goto 40', 'info breakpoints', 'continue')
    assert re.search(r'1 +breakpoint +keep y', out) and re.search(r'2 +breakpoint +keep n', out)
    assert re.findall(r'^Breakpoint (\d), ', out, re.M) == ['1', '1']


def test_break_at_a_position(overrun, native):
    """Of all the times that a place is passed, the one is meant at which it had that timestamp."""
    out = native(overrun, 'break check if table.cells[4] != 0', 'run', 'when', 'print table', 'when -i')
    line, exact = positions(out)
    for position in (line, exact.replace('@', '@*')):
        again = native(overrun, 'start', f'break {position}', 'continue', 'when -i', 'print table', 'continue')
        assert positions(again)[0] == exact
        assert re.findall(r'^\$1 = .*$', out, re.M) == re.findall(r'^\$1 = .*$', again, re.M)
        assert 'exited' in again


def test_a_breakpoint_at_a_position_that_was_deleted(overrun, native):
    out = native(overrun, 'start', 'break 40@check', 'break fill', 'continue', 'delete', 'continue')
    assert 'exited normally' in out and 'SIGTRAP' not in out


# Name: (source, what is wrong at `stop`, its bad value, who did it, what held before)
PLANTED = {
    'alias': ('''
        struct account { int balance; } first = {100}, second = {200};
        struct account *pick(int n) { return n > 2 ? &first : &second; }
        void credit(struct account *a, int n) { a->balance += n; }
        void charge(int n) { pick(n)->balance -= n; }
        int stop(void) { return first.balance; }
        int main(void) { for (int i = 0; i < 4; i++) { credit(&second, i); charge(i); } return stop() != 100; }''',
              'first.balance', '97', 'charge', 'first.balance == 100'),
    'list': ('''
        #include <stddef.h>
        struct node { struct node *next, *prev; int n; } all[6], head;
        void link_in(struct node *x) { x->next = head.next; x->prev = &head; if (head.next) head.next->prev = x; head.next = x; }
        void drop(struct node *x) { x->prev->next = x->next; if (x->n != 3 && x->next) x->next->prev = x->prev; }
        int stop(void) { return all[2].prev == &all[3]; }
        int main(void) { for (int i = 0; i < 6; i++) { all[i].n = i; link_in(&all[i]); } drop(&all[1]); drop(&all[3]); return stop(); }''',
             'all[4].next', '(struct node *) 0x', 'drop', '!(all[4].next == &all[2] && all[2].prev == &all[3])'),
    'reused': ('''
        #include <string.h>
        static char pool[4][16]; static int used;
        char *get(void) { return pool[used++ % 3]; }
        void name(char *to, const char *text) { strncpy(to, "", 1); for (int i = 0; (to[i] = text[i]); i++) ; }
        char *mine;
        int stop(void) { return strcmp(mine, "mine"); }
        int main(void) { mine = get(); name(mine, "mine"); name(get(), "two"); name(get(), "three"); name(get(), "other"); return stop() == 0; }''',
               'mine[0]', "'o'", 'name', "mine == 0 || mine[0] != 'o'"),
    'sign': ('''
        static long total = 1; static unsigned char small;
        void add(int n) { small = (unsigned char)(small + n); total += small; }
        void reset(long to) { total = (int)to; }
        int stop(void) { return total < 0; }
        int main(void) { for (int i = 0; i < 50; i++) add(i * 7); reset(3000000000L); for (int i = 0; i < 3; i++) add(1); return stop(); }''',
             'total', '-', 'add', 'total > 0'),
    # what a callback of the C library's does
    'compare': ('''
        #include <stdlib.h>
        static int calls, worst = -1; static int all[8] = {5, 3, 8, 1, 9, 2, 7, 4};
        int order(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; calls++; if (x == 8 || y == 8) worst = calls; return (x > y) - (x < y); }
        int stop(void) { return worst; }
        int main(void) { qsort(all, 8, sizeof *all, order); return stop() < 0; }''',
                'worst', '', 'order', 'worst == -1'),
    # a global that is restored by the wrong end of a longjmp
    'unwound': ('''
        #include <setjmp.h>
        static jmp_buf back; int depth, limit = 10;
        void enter(int n) { depth++; if (n == 6) { limit = 0; longjmp(back, 1); } enter(n + 1); depth--; }
        int stop(void) { return limit; }
        int main(void) { if (!setjmp(back)) enter(0); return stop() == 0; }''',
                'limit', '0', 'enter', 'limit == 10'),
    # a state machine that takes the wrong computed jump
    'jump': ('''
        static int state = 1, n; static const char text[] = "aabcabxab";
        void step(char c)
        {
            static void *const to[] = {&&a, &&b, &&other};
            goto *to[c == 'a' ? 0 : c == 'b' ? 1 : 2];
        a:  state = 1; return;
        b:  state = state ? 2 : 0; n++; return;
        other: state = c == 'x' ? 0 : 3; return;
        }
        int stop(void) { return state; }
        int main(void) { for (int i = 0; text[i]; i++) { step(text[i]); if (text[i] == 'x') break; } return stop() != 0; }''',
             'state', '0', 'step', 'state > 0'),
}


@pytest.mark.parametrize('name', PLANTED)
@pytest.mark.parametrize('level', ['-O0', '-O1'])
def test_planted_causes(tmp_path, native, name, level):
    source, expression, value, culprit, held = PLANTED[name]
    program = build(tmp_path, source, level, '-fno-inline', '-Wno-unused')
    out = native(program, 'break stop', 'run', f'last-write {expression}', 'backtrace', f'print {expression}')
    assert re.search(rf'#0 .*\b{culprit} \(', out), out
    assert value in out.split('$1 = ')[1]
    out = native(program, 'break stop', 'run', f'bisect {held}', 'when', f'print {held}')
    time = int(positions(out)[0].split('@')[0])
    assert '$1 = 0' in out
    assert '$1 = 1' in native(program, 'start', f'goto {time - 1}', f'print {held}')


DIFFERS = '''
    #include <stdio.h>
    int main(int argc, char **argv)
    {
        FILE *f = fopen(argv[1], "r+");
        int n = fgetc(f) - '0', s = 0;
        rewind(f);
        fputc('0' + n - 3, f);
        fclose(f);
        for (int i = 0; i < n; i++)
            s += i;
        return s == 0;
    }'''


def test_a_program_that_differs_is_noticed(tmp_path, native):
    program = build(tmp_path, DIFFERS, '-O0')
    (tmp_path / 'n').write_text('9')
    out = native(program, 'break 12', 'run', 'bookmark x', 'goto x', fails=True, args=[str(tmp_path / 'n')])
    assert 'does not do the same in each run' in out


def test_a_bookmark_in_a_program_that_differs(tmp_path, native):
    """The other run has that timestamp somewhere else."""
    file = tmp_path / 'turns'
    file.write_text('3')
    program = build(tmp_path, f'''
        #include <stdio.h>
        static int x;
        static void count(int n) {{ for (int i = 0; i < n; i++) x++; }}
        int main(void)
        {{
            FILE *f = fopen("{file}", "r+");
            int n = fgetc(f);
            rewind(f);
            fputc(n + 1, f);
            fclose(f);
            count(n);
            return x == 0; /* the end */
        }}''', '-O0')
    out = native(program, 'break 13', 'run', 'bookmark here', 'run', 'goto here', fails=True)
    assert 'Bookmark here' in out and 'it does not do the same in each run' in out


def test_a_program_without_counters_says_so(tmp_path, native):
    program = build(tmp_path, 'int main(void) { return 0; }', compiler=['gcc'])
    assert 'native mode counts no time' in native(program, 'start', 'when', fails=True)


@pytest.fixture
def stock(tmp_path):
    return build(tmp_path, HERE / 'timestamps/stock.c', '-O0', '-fno-builtin')


def test_data_on_a_heap_that_is_not_there_at_main(stock, native):
    """calloc gives the same address in each run; at main there is no memory at it yet."""
    out = native(stock, 'break 22', 'run', 'values item->quantity', 'last-write item->quantity')
    values = re.findall(r'^(?:\d+@\S+|main)\t(\S+)', out, re.M)
    over = int.from_bytes(b'ed\0\0', 'little')    # what of the name is in the number
    assert values == ['0', '5', '8', str(over), str(over - 1)]
    assert f'Old value = {over}\nNew value = {over - 1}\nmain' in out


def test_a_question_without_an_answer_leaves_the_program_where_it_was(stock, ebb):
    when = 'echo when:\\n\nwhen'
    commands = ['break rename_item', 'run', 'up', when, 'last-write nobody', when, 'bisect 0 * item->quantity', when, 'goto 12345', when, 'print item->quantity']
    out = ebb(['run', '--native', '--', str(stock)], stdin='\n'.join(commands) + '\n', timeout=120).stdout
    assert positions(out) == 4 * ['2@stock.c:12'] and '$1 = 8' in out, out


def test_the_last_write_may_be_another_threads(tmp_path, native):
    worker = build(tmp_path, HERE / 'timestamps/worker.c', '-O0')
    out = native(worker, 'break 27', 'run', 'values total', 'last-write total', 'print i', 'print rounds', 'backtrace')
    values = re.findall(r'^(?:\d+@\S+|main)( \(thread \d+\))?\t(\d+)', out, re.M)
    by_main, by_worker = [0, 1, 3, 6], [[9 + 10 * n - 3 + k for k in (1, 3, 6, 10)] for n in range(3)]
    assert [int(v) for _, v in values] == by_main + sum(by_worker, []), out
    assert [bool(t) for t, _ in values] == [False] * 4 + [True] * 12
    assert 'Old value = 32\nNew value = 36' in out and '$1 = 4' in out and '$2 = 2' in out and re.search(r'#1 .* work', out), out


def test_questions_are_asked_in_the_main_thread(tmp_path, native):
    worker = build(tmp_path, HERE / 'timestamps/worker.c', '-O0')
    out = native(worker, 'break work', 'run', 'last-write total', fails=True)
    assert 'a moment of the main thread only' in out


def test_it_runs_from_its_beginning_after_a_goto(overrun, native):
    out = native(overrun, 'break 27', 'run', 'when', 'goto 40', 'run', 'when', 'last-write table.limit', 'run', 'when')
    first, again, third = positions(out)
    assert first == again == third, out


SIGNALS = r"""
    #include <signal.h>
    static volatile int handled, written;
    static void count(int signal) { handled++; }
    static void done(void) {}
    int main(void)
    {
        signal(SIGUSR1, count);
        for (int i = 1; i <= 3; i++) {
            raise(SIGUSR1);
            written = 10 * i;
        }
        done();
        return 0;
    }
"""


def test_signals_of_runs_on_the_way_are_passed_over(tmp_path, native):
    source = tmp_path / 'signals.c'
    source.write_text(SIGNALS)
    program = build(tmp_path, source, '-O0')
    out = native(program, 'break done', 'run', 'continue', 'continue', 'continue', 'print handled', 'last-write written', 'print handled', 'continue')
    assert out.count('received signal SIGUSR1') == 3 and '$1 = 3' in out and '$2 = 3' in out, out
    assert 'Old value = 20\nNew value = 30' in out and 'Breakpoint 1, done' in out.split('Old value = 20')[1], out


# ---- children ----

WAYS = ['fork', 'vfork', 'raw', 'clone', 'spawn', 'system', 'popen']


@pytest.mark.parametrize('how', WAYS)
def test_children_know_nothing_of_a_stop(tmp_path, native, how):
    """The child does as much as its parent, so whatever stop is set for the parent would be one of the child's, too."""
    program = build(tmp_path, HERE / 'timestamps/children.c', '-O1', '-fno-inline')
    out = native(program, 'break 72', 'run', 'print bad', 'print sum', 'last-write sum', 'print bad', f'goto {140 if how == "vfork" else 70}', 'print bad', 'delete', 'break 72', 'continue', 'print bad', 'bisect sum == 0', 'print bad', 'continue', args=[how])
    assert re.findall(r'^\$\d+ = (.*)$', out, re.M) == ['0', '147', '0', '0', '0', '0'], out
    assert 'exited normally' in out and 'SIGTRAP' not in out


def test_a_timestamp_of_a_child_in_the_same_memory(tmp_path, native):
    """Between vfork and exit the child counts: the parent has no such moments, and the questions go on without them."""
    program = build(tmp_path, HERE / 'timestamps/children.c', '-O1', '-fno-inline')
    out = native(program, 'start', 'goto 60', args=['vfork'], fails=True)
    own = int(re.search(r'Timestamp 60 was counted by a child process .* the next of its own is (\d+)\.', out)[1])
    again = native(program, 'start', f'goto {own}', 'when', 'break 72', 'continue', 'print bad', args=['vfork'])
    assert positions(again)[0].startswith(f'{own}@') and '$1 = 0' in again


def test_a_program_that_is_let_go_runs_on(tmp_path, native):
    """A stop that is still ahead is taken out."""
    program = build(tmp_path, HERE / 'timestamps/children.c', '-O1', '-fno-inline')
    file = tmp_path / 'counts'
    out = native(program, f'set environment EBB_COUNTS {file}', 'start', 'break 95@step', 'break work', 'continue', 'detach', args=['fork'])
    assert 'Detaching' in out or 'detached' in out, out
    for _ in range(1200):
        if file.exists() and file.read_text():
            break
        time.sleep(0.1)
    assert int(file.read_text()) > 95


@pytest.mark.parametrize('how', ['fork', 'system'])
def test_children_know_nothing_of_the_environment(tmp_path, how):
    """EBB_STOP and EBB_COUNTS are for the program that they were given to."""
    program = build(tmp_path, HERE / 'timestamps/children.c', '-O1', '-fno-inline')
    file = tmp_path / 'counts'
    assert run(program, how, EBB_COUNTS=str(file)).returncode == 0
    assert int(file.read_text()) > 95  # the parent's 50 turns, not the child's 40
    done = subprocess.run(['gdb', '-q', '-nx', '-batch', '-ex', 'set env EBB_STOP=70', '-ex', f'run {how}', '-ex', 'print bad', program],
                          capture_output=True, text=True, timeout=60).stdout
    assert 'SIGTRAP' in done and '$1 = 0' in done, done


# ---- what is printed can be typed ----

@pytest.fixture(params=['tree.c -O0', 'tree.c -O2', 'shapes.cc -O0', 'shapes.cc -O2'])
def printing(request, tmp_path):
    source, level = request.param.split()
    program = build(tmp_path, HERE / 'timestamps' / source, level, language='c++' if source.endswith('cc') else 'cc')
    return program, count(program, tmp_path)[1]


def test_every_position_that_is_printed_can_be_gone_to(printing, native):
    """In both ways of writing it, from anywhere; a hundred of them."""
    program, last = printing
    times = range(3, last - 1, max(1, last // 50))
    told = positions(native(program, 'start', *(c for t in times for c in (f'goto {t}', 'when', 'when -i'))))
    assert len(told) == 2 * len(times) and [int(p.split('@')[0]) for p in told[::2]] == list(times)
    lines, exact = told[::2], told[1::2]
    there = positions(native(program, 'start', *(c for p in reversed(lines) for c in (f'goto {p}', 'when'))))
    assert there == lines[::-1]
    there = positions(native(program, 'start', *(c for p in exact for c in (f'goto {p}', 'when -i'))))
    assert there == exact


@pytest.mark.parametrize('level', ['-O1', '-O2', '-O3', '-Os'])
@pytest.mark.parametrize('source', ['tree.c', 'shapes.cc'])
def test_every_instruction_is_a_position_that_can_be_gone_to(tmp_path, native, source, level):
    """Single steps come to what no breakpoint does: the instruction after a tick, a function that has not ticked yet, code in the middle of a line
    or where other code of an inlined function begins as well."""
    program = build(tmp_path, HERE / 'timestamps' / source, level, language='c++' if source.endswith('cc') else 'cc')
    steps = [c for n in (1, 2, 1, 3, 1, 1, 5, 7, 1, 1, 2, 11, 1, 1, 1) for c in (f'stepi {n}', 'when', 'when -i')]
    told = positions(native(program, 'start', *steps))
    lines, exact = list(dict.fromkeys(told[::2])), told[1::2]
    assert len(exact) == 15
    assert positions(native(program, 'start', *(c for p in lines for c in (f'goto {p}', 'when')))) == lines
    assert positions(native(program, 'start', *(c for p in exact for c in (f'goto {p}', 'when -i')))) == exact


def test_every_position_that_is_printed_can_be_broken_at(printing, native):
    program, last = printing
    times = range(5, last - 1, max(1, last // 6))
    lines = positions(native(program, 'start', *(c for t in times for c in (f'goto {t}', 'when'))))
    out = native(program, *(f'break {p}' for p in lines), 'run', 'when', *['continue', 'when'] * (len(lines) - 1))
    assert positions(out) == lines and 'not passed' not in out


def test_stops_of_all_kinds_print_positions_that_can_be_gone_to(tmp_path, native):
    """In the middle of a line, after a call that it makes has returned or has written."""
    program = build(tmp_path, HERE / 'timestamps/tree.c', '-O0')
    moves = ['break make', 'continue', 'finish', 'when', 'delete', 'watch worst', 'continue', 'when', 'delete', 'break by_value', 'continue', 'up', 'when',
             'finish', 'when', 'stepi', 'stepi', 'stepi', 'when']
    told = positions(native(program, 'start', *moves))
    assert len(told) == 5
    assert positions(native(program, 'start', *(c for p in told for c in (f'goto {p}', 'when')))) == told


def test_a_loop_in_a_function_that_others_were_inlined_into(tmp_path, native):
    """The count is the outer function's; a stop on a line of the inlined one has the time of the loop, and another stop can be set there."""
    program = build(tmp_path, HERE / 'timestamps/tree.c', '-O2')
    commands = [c for n in range(100, 156, 3) for c in (f'goto {n}', 'when')]
    assert [int(p.split('@')[0]) for p in positions(native(program, 'start', *commands))] == list(range(100, 156, 3))


@pytest.mark.parametrize('level', ['-O2', '-O3'])
def test_one_loop_after_the_other(tmp_path, native, level):
    """What the first hands in, the second begins with: the compiler may not forget to say where that is."""
    program = build(tmp_path, HERE / 'timestamps/hard.c', level, '-w')
    times = range(3, count(program, tmp_path)[1], 7)
    out = native(program, 'start', *(c for t in times for c in (f'goto {t}', 'when')))
    assert [int(p.split('@')[0]) for p in positions(out)] == list(times)


DIVISIONS = '''
    __attribute__((noinline)) int gcd(int a, int b)
    {
        while (b) {
            int t = a % b;
            a = b;
            b = t;
        }
        return a;
    }
    int x, y;
    int main(void)
    {
        x = gcd(987, 610);
        y = gcd(610, 377);
        return x != y; /* the end */
    }'''


@pytest.mark.parametrize('level', ['-O0', '-O1', '-O2', '-O3', '-Os', '-Og'])
def test_a_stop_inside_a_loop_does_not_lose_the_count(tmp_path, native, level):
    """A loop that counts in a register goes on with the count that the stop set, whichever register that is."""
    program = build(tmp_path, DIVISIONS, level)
    line = 1 + DIVISIONS[:DIVISIONS.index('/* the end')].count('\n')
    end, = positions(native(program, f'break {line}', 'run', 'when'))
    for time in range(2, 12):
        assert positions(native(program, f'break {line}', 'run', f'goto {time}', 'continue', 'when'))[-1] == end
    up = positions(native(program, 'start', *(c for t in range(2, 12) for c in (f'goto {t}', 'when -i'))))
    down = positions(native(program, 'start', *(c for t in range(11, 1, -1) for c in (f'goto {t}', 'when -i'))))
    assert len(up) == 10 and up == down[::-1]


@pytest.mark.parametrize('typed', ['10@', '10@ ', '99999999999999999999999999@main', '@', '10@no_such_thing', '10@tree.c:', '10@:3', '10@none.c:3'])
def test_half_a_position(tmp_path, native, typed):
    program = build(tmp_path, HERE / 'timestamps/tree.c', '-O0')
    for verb in ('break', 'tbreak', 'goto'):
        out = native(program, 'start', f'{verb} {typed}', fails=True)
        assert len(out.split('insert(values')[-1].splitlines()) <= 6 and not re.search(r'^(Breakpoint|Temporary breakpoint) 2', out, re.M), out


def test_break_at_a_position_before_the_program_runs(overrun, native):
    at = positions(native(overrun, 'start', 'goto 40', 'when'))[0]
    out = native(overrun, f'break {at}', 'run', 'when', 'continue')
    assert positions(out) == [at] and 'exited normally' in out
    plain = native('/bin/true', f'break {at}', fails=True)
    assert 'native mode counts no time' in plain


def test_a_place_that_is_not_passed_then(overrun, native):
    """It is said, and the program goes on to the next stop."""
    out = native(overrun, 'break 40@main', 'break 27', 'run')
    assert 'Breakpoint 1: that place is not passed at timestamp 40.' in out and re.search(r'^Breakpoint 2, ', out, re.M)
    out = native(overrun, 'start', 'goto 40@main', fails=True)
    assert 'That place is not passed at timestamp 40.' in out and 'does not do the same' not in out


# ---- what is said of runs that differ, and of those that don't ----

def test_the_end_is_no_difference(overrun, native):
    """A timestamp that no run ever had."""
    out = native(overrun, 'start', 'goto 100000', fails=True)
    assert 'The program ended before timestamp 100000.' in out and 'does not do the same' not in out


def test_a_run_that_was_killed_is_no_difference(tmp_path, native):
    """The second run kills itself, as somebody else might."""
    program = build(tmp_path, '''
        #include <signal.h>
        #include <unistd.h>
        int n;
        int main(int argc, char **argv)
        {
            if (access(argv[1], F_OK) == 0)
                raise(SIGKILL);
            for (int i = 0; i < 50; i++)
                n += i;
            return 0; /* line 11 */
        }''', '-O0')
    out = native(program, 'break 11', 'run', f'shell touch {tmp_path}/there', 'last-write n', args=[f'{tmp_path}/there'], fails=True)
    assert 'killed by SIGKILL' in out and 'does not do the same' not in out


def test_breakpoint_instructions_of_the_program(tmp_path, native):
    """They are passed on the way."""
    program = build(tmp_path, 'int n;\nint main(void)\n{\n    for (int i = 0; i < 50; i++) {\n        n += i;\n        if (i == 9)\n            __asm__("int3");\n    }\n    return 0;\n}\n', '-O0')
    out = native(program, 'start', 'goto 30', 'when', 'goto 5', 'goto 30', 'print n', 'last-write n')
    assert positions(out)[0].startswith('30@') and 'does not do the same' not in out


def test_values_of_what_nothing_wrote(overrun, native):
    out = native(overrun, 'break 27', 'run', 'print table.cells[15]', 'values table.cells[15]', 'when')
    value = re.search(r'^\$1 = (.*)$', out, re.M)[1]
    assert re.search(rf'^main\s+{value}\b', out, re.M), out


def test_a_write_of_another_thread_is_told_with_its_number(tmp_path, native):
    program = build(tmp_path, '''
        #include <pthread.h>
        int shared;
        static void *work(void *n) { for (long i = 0; i < (long)n; i++) shared++; return n; }
        int main(void)
        {
            pthread_t t;
            shared = 5;
            pthread_create(&t, NULL, work, (void *)3);
            pthread_join(t, NULL);
            return shared == 0; /* line 11 */
        }''', '-O0')
    out = native(program, 'break 11', 'run', 'last-write shared', 'backtrace 1')
    assert re.search(r'\[Switching to thread 2 .*\]\s+Last write to shared\s+Old value = 7\s+New value = 8', out), out
    assert re.search(r'#0 .*work', out)


@pytest.mark.parametrize('level', ['-O0', '-O2'])
def test_a_hit_of_a_breakpoint_at_a_position_is_told_and_counted(tmp_path, native, level):
    program = build(tmp_path, HERE / 'timestamps/overrun.c', level, '-fno-inline')
    at = positions(native(program, 'start', 'goto 40', 'when'))[0]
    out = native(program, f'break {at}', 'run', 'info breakpoints', 'continue')
    assert re.search(r'^Breakpoint 1, ', out, re.M) and 'breakpoint already hit 1 time' in out and 'exited normally' in out, out
    out = native(program, f'tbreak {at}', f'break {at} if 1 == 2', 'run', 'info breakpoints')
    assert re.search(r'^Temporary breakpoint 1, ', out, re.M) and not re.search(r'^1 ', out, re.M), out
    assert 'exited normally' in native(program, f'break {at} if 1 == 2', 'run')


def test_a_stop_at_a_signal_is_a_moment_that_can_be_gone_to(tmp_path, native):
    """Its handler comes after it, and has other timestamps."""
    source = tmp_path / 'signals.c'
    source.write_text(SIGNALS)
    program = build(tmp_path, source, '-O0')
    out = native(program, 'run', 'continue', 'when -i', 'bookmark second', 'print handled', 'last-write handled', 'print handled', 'when',
                 'goto second', 'when -i', 'print handled', 'delete', 'break done', 'handle SIGUSR1 nostop noprint', 'continue', 'print handled')
    at = positions(out)
    assert at[0] == at[2] and re.findall(r'^\$\d+ = (.*)$', out, re.M) == ['1', '1', '1', '3'], out
    assert 'Old value = 0\nNew value = 1\n' in out and re.search(r'^count \(', out, re.M)


def test_thread_numbers_of_another_run(tmp_path, native):
    """Which short-lived threads were seen before it gives a thread its number: the third one's write is found all the same."""
    program = build(tmp_path, '''
        #include <pthread.h>
        int slot[4];
        static void *work(void *n) { slot[(long)n] = 7; slot[(long)n]++; return n; }
        int main(void)
        {
            pthread_t t;
            for (long i = 0; i < 4; i++) {
                pthread_create(&t, NULL, work, (void *)i);
                pthread_join(t, NULL);
            }
            return slot[2] == 0; /* line 12 */
        }''', '-O0')
    for _ in range(3):
        out = native(program, 'break 12', 'run', 'last-write slot[2]', 'print n')
        assert 'Old value = 7\nNew value = 8' in out and '(void *) 0x2' in out, out


def test_a_bookmark_is_the_main_threads(tmp_path, native):
    worker = build(tmp_path, HERE / 'timestamps/worker.c', '-O0')
    out = native(worker, 'break work', 'run', 'bookmark here', fails=True)
    assert 'a moment of the main thread only' in out


def test_other_values_in_the_run_that_answers_are_noticed(tmp_path, native):
    program = build(tmp_path, '''
        #include <stdio.h>
        int value, steady;
        void done(void) {}
        int main(int argc, char **argv)
        {
            FILE *f = fopen(argv[1], "r+");
            value = fgetc(f) - '0';
            rewind(f);
            fputc('1' + value, f);
            fclose(f);
            steady = 5;
            done();
            return 0;
        }''', '-O0')
    (tmp_path / 'n').write_text('3')
    out = native(program, 'break done', 'run', 'last-write value', 'print value', args=[str(tmp_path / 'n')])
    first, second = re.findall(r'value was (\d), and is (\d) here', out)
    assert first[0] == '3' and first[1] == second[0] != second[1] and f'New value = {second[1]}\n' in out and f'$1 = {second[1]}\n' in out, out
    assert 'does not do the same' not in native(program, 'break done', 'run', 'last-write steady', 'values steady', args=[str(tmp_path / 'n')])


def test_an_attached_program_is_not_run_again(tmp_path, ebb):
    """It can't be: ebb does not know how it was begun.  It lives on, where it was."""
    source = tmp_path / 'waits.c'
    source.write_text('#include <unistd.h>\nint n;\nvoid tick(void) { n++; }\n'
                      'int main(void) { for (;;) { tick(); usleep(1000); } }\n')
    program = build(tmp_path, source, '-O0')
    child = subprocess.Popen([str(program)])
    try:
        for question in ('goto 3', 'goto start', 'last-write n', 'bisect n < 3'):
            done = ebb(['attach', '--batch', '-e', 'break tick', '-e', 'continue', '-e', 'continue', '-e', question, str(child.pid)], timeout=120)
            assert "did not start can't be run again" in done.stderr, done.stdout + done.stderr
            assert child.poll() is None
    finally:
        child.kill()
        child.wait()


def test_bisect_asks_variables_in_the_selected_frame(tmp_path, native):
    """Another function has a variable of that name, with other values; the right moment is where a forward run first sees it so."""
    source = tmp_path / 'namesakes.c'
    source.write_text('int g;\nvoid f(int n) { for (int k = 0; k < 3; k++) g += n; }\n'
                      'int main(void) {\n  int n = 0;\n  for (int i = 0; i < 20; i++) {\n    f(100 - i);\n    n += 1;\n  }\n  return g & 1;\n}\n')
    program = build(tmp_path, source, '-O0')
    forward = native(program, 'break 6 if n == 15', 'run', 'when')
    out = native(program, 'break 9', 'run', 'bisect n < 15', 'when', 'print n')
    assert '$1 = 15' in out and positions(out)[-1].split('@')[0] == positions(forward)[-1].split('@')[0], out + forward
    out = native(program, 'break f if n == 82', 'run', 'up', 'bisect n < 15', 'when', 'print n')
    assert '$1 = 15' in out and positions(out)[-1].split('@')[0] == positions(forward)[-1].split('@')[0], out


# Which way it goes is in a file, that it turns over: no two runs that follow each other are the same.
TURNS = r'''
#include <stdio.h>
int lefts, rights;
__attribute__((noinline)) static void left(void) { lefts++; }
__attribute__((noinline)) static void right(void) { rights++; }
int main(int argc, char **argv)
{
    FILE *f = fopen(argv[1], "r+");
    int is_left = fgetc(f) == 'l', i;
    rewind(f);
    fputc(is_left ? 'r' : 'l', f);
    fclose(f);
    for (i = 0; i < 500; i++)
        if (is_left)
            left();
        else
            right();
    return 0; /* the end */
}'''


@pytest.mark.parametrize('question', ['goto 700', 'goto 5', 'bisect lefts + rights < 100'])
def test_a_run_that_goes_another_way_is_noticed_at_a_bare_timestamp(tmp_path, native, question):
    """Before anybody has been at that timestamp: where the first run was meanwhile is known."""
    (tmp_path / 'way').write_text('l')
    out = native(build(tmp_path, TURNS, '-O1'), 'break 18', 'run', question, args=[str(tmp_path / 'way')])
    assert len(re.findall(r'this run is not where an earlier one was: the program does not do the same in each run', out)) == 1, out


def test_a_run_that_goes_the_same_way_is_not_warned_of(tmp_path, native):
    same = TURNS.replace("is_left ? 'r' : 'l'", "'l'")
    (tmp_path / 'way').write_text('l')
    out = native(build(tmp_path, same, '-O1'), 'break 18', 'run', 'goto 700', 'goto 5', 'continue', 'goto 900', 'bisect lefts < 100', 'last-write lefts',
                 args=[str(tmp_path / 'way')])
    assert 'each run' not in out, out


def test_a_program_run_by_hand_again_may_do_something_else(tmp_path, native):
    (tmp_path / 'way').write_text('l')
    out = native(build(tmp_path, TURNS, '-O1'), 'break 18', 'run', 'run', 'print lefts', 'print rights', args=[str(tmp_path / 'way')])
    assert 'each run' not in out and '$1 = 0\n$2 = 500\n' in out, out


@pytest.mark.parametrize('level', ['-O0', '-O2'])
def test_breakpoints_right_after_ticks_stop(tmp_path, native, level):
    """As often as gdb stops there, wherever ebb stops for itself on the way."""
    program = build(tmp_path, HERE / 'timestamps/tree.c', level)
    n = len((HERE / 'timestamps/tree.c').read_text().splitlines())
    words = [f'break {line}' for line in range(1, n)] + ['run'] + 60 * ['continue']
    theirs = subprocess.run(['gdb', '-q', '-nx', '-batch', *(w for c in words for w in ('-ex', c)), program], capture_output=True, text=True, timeout=120).stdout
    told = [re.findall(r'^Breakpoint \d.*, .* at .*?:(\d+)$', out, re.M) for out in (native(program, *words), theirs)]
    assert told[0] == told[1] and len(told[0]) > 40


def test_a_write_of_a_library_that_passes_one_place_often(tmp_path, native):
    """vfprintf writes each piece of its output in one loop, which does not count; sprintf puts the same text in three times but for one digit."""
    program = build(tmp_path, '''
        #include <stdio.h>
        char text[64];
        int main(void)
        {
            for (int i = 0; i < 3; i++)
                sprintf(text, "%d:%d:%d:%d", 8, 9, i, 7);
            return 0; /* the end */
        }''', '-O1')
    out = native(program, 'break 8', 'run', 'last-write text[4]', 'print text', 'values text[4]')
    assert "Old value = 49 '1'\nNew value = 50 '2'" in out and '$1 = "8:9:2:7", ' in out, out
    assert re.findall(r"\t(\d+) '", out) == ['0', '48', '49', '50']
    out = native(program, 'start', 'watch text[4]', 'continue', 'continue', 'print text', 'last-write text[2]', 'print text', 'goto start', 'continue', 'continue',
                 'print text', 'values text[0]', 'print text')
    texts = re.findall(r'^\$\d = "(.*?)"', out, re.M)
    assert texts == ['8:9:1:7', '8:9:0:7', '8:9:1:7', '8:9:1:7'] and 'does not do the same' not in out, out


def test_a_watchpoint_on_a_variable_of_a_frame_says_that_it_goes(tmp_path, native):
    program = build(tmp_path, HERE / 'timestamps/tree.c', '-O0')
    out = native(program, 'break insert', 'run', 'watch key', 'goto start', 'info breakpoints')
    assert 'Watchpoint 2 deleted: the run that goes there does not know the frame that it watches.' in out, out


def test_last_write_tells_one_run(tmp_path, native):
    """A thread that writes at the same moment of its own time in each run, but other values."""
    program = build(tmp_path, r'''
        #include <pthread.h>
        #include <stdio.h>
        int value, steady;
        static const char *file;
        static void *work(void *unused)
        {
            FILE *f = fopen(file, "r+");
            int n = fgetc(f) - '0';
            rewind(f);
            fputc('1' + n, f);
            fclose(f);
            value = n;
            steady = 5;
            return unused;
        }
        int main(int argc, char **argv)
        {
            pthread_t t;
            file = argv[1];
            pthread_create(&t, NULL, work, NULL);
            pthread_join(t, NULL);
            return 0; /* the end */
        }''', '-O0')
    (tmp_path / 'n').write_text('3')
    out = native(program, 'break 24', 'run', 'last-write value', 'print value', args=[str(tmp_path / 'n')])
    told = re.findall(r'value was (\d), and is (\d) here', out)     # how many runs it takes to answer is not said
    last = told[-1][1] if told else None
    assert told[0][0] == '3' and all(int(now) > int(was) for was, now in told), out
    assert f'Old value = 0\nNew value = {last}\n' in out and f'$1 = {last}' in out, out
    assert 'does not do the same' not in native(program, 'break 24', 'run', 'last-write steady', args=[str(tmp_path / 'n')])


# ---- who writes, and what ----

KERNEL = '''
    #include <string.h>
    #include <unistd.h>
    int x = 1, same;
    char text[16];
    int main(void)
    {
        int to[2], n = 77;
        x = 5;
        strcpy(text, "before");
        if (pipe(to) || write(to[1], &n, sizeof n) != sizeof n || write(to[1], "after", 6) != 6)
            return 1;
        for (int i = 0; i < 3; i++)
            same = 3;
        if (read(to[0], &x, sizeof x) != sizeof x || read(to[0], text, 6) != 6)
            return 1;
        return x != 77; /* the end */
    }'''


def line_of(source, mark):
    return 1 + source[:source.index(mark)].count('\n')


@pytest.mark.parametrize('level', ['-O0', '-O2'])
def test_writes_of_the_kernel(tmp_path, native, level):
    """The CPU's watchpoints don't see what a system call writes: read() would be passed over for an older assignment."""
    program = build(tmp_path, KERNEL, level)
    out = native(program, f'break {line_of(KERNEL, "/* the end")}', 'run', 'last-write x', 'backtrace', 'print x', 'continue', 'last-write text[0]', 'backtrace',
                 'continue', 'values x', 'values text[0]')
    assert 'Last write to x\n\nOld value = 5\nNew value = 77\n' in out and '$1 = 77' in out
    assert "Old value = 98 'b'\nNew value = 97 'a'\n" in out
    assert len(re.findall(r'^#0 .*read', out, re.M)) == 2
    assert re.findall(r"\t(\d+|\d+ '.*')(?: \(at the beginning of history\))?$", out, re.M) == ['1', '5', '77', "0 '\\000'", "98 'b'", "97 'a'"]


def test_the_last_write_is_the_last_one_whatever_it_stored(tmp_path, native):
    program = build(tmp_path, KERNEL, '-O0')
    out = native(program, f'break {line_of(KERNEL, "/* the end")}', 'run', 'values same', 'last-write same', 'print i')
    assert re.findall(r'\t(\d+)\b', out) == ['0', '3']
    assert 'Last write to same\n\nValue = 3\n' in out and '$1 = 2' in out


UNCHANGED = '''
    #define _GNU_SOURCE
    #include <poll.h>
    #include <sys/socket.h>
    #include <sys/uio.h>
    #include <sys/wait.h>
    #include <unistd.h>
    int x = 7, status, parts[2] = {1, 2}, got;
    struct pollfd asked;
    struct iovec to_where[2] = {{&parts[0], sizeof(int)}, {&parts[1], sizeof(int)}};
    struct msghdr message = {.msg_iov = to_where, .msg_iovlen = 2};
    int main(void)
    {
        int to[2], pair[2], n[2] = {7, 2};
        if (pipe(to) || socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) || write(to[1], n, 8) != 8 || send(pair[1], n, 8, 0) != 8)
            return 1;
        x = 7;
        parts[1] = 2;
        asked.fd = to[0];
        asked.events = POLLIN;
        status = 0;
        if (read(to[0], &x, sizeof x) != sizeof x) /* x */
            return 1;
        if (poll(&asked, 1, 0) != 1) /* revents */
            return 1;
        waitpid(-1, &status, WNOHANG);
        if (read(to[0], &x, 1 << 30) < 0 || recvmsg(pair[0], &message, 0) != 8) /* parts */
            return 1;
        if (read(-1, &got, sizeof got) >= 0)
            return 1;
        return x != 2; /* the end */
    }'''


def test_writes_of_the_kernel_that_change_nothing(tmp_path, native):
    """What a system call has surely written it wrote, with whatever was there; what it only may have written (an answer beside a question) it wrote if that
    changed."""
    program = build(tmp_path, UNCHANGED, '-O0', '-w')
    def last(what, *more):
        out = native(program, f'break {line_of(UNCHANGED, "/* the end")}', 'run', f'last-write {what}', 'up', *more)
        assert f'Last write to {what}' in out, out
        return out
    line = line_of(UNCHANGED, '/* parts */')
    assert f':{line}\n' in last('parts[1]') and 'Value = 2\n' in last('parts[1]')
    stop = ['tbreak ' + str(line_of(UNCHANGED, 'if (poll')), 'run', 'last-write x', 'up']
    out = native(program, *stop)
    assert 'Value = 7\n' in out and f':{line_of(UNCHANGED, "/* x */")}\n' in out, out
    for what, mark in (('asked.fd', 'asked.fd ='), ('asked.events', 'asked.events ='), ('status', 'status = 0'), ('message.msg_iovlen', None)):
        out = native(program, f'break {line_of(UNCHANGED, "/* the end")}', 'run', f'last-write {what}', fails=mark is None)
        assert (f':{1 + line_of(UNCHANGED, mark)}\n' if mark else 'Nothing has written') in out, out
    assert f':{line_of(UNCHANGED, "/* revents")}\n' in last('asked.revents')


RACING = '''
    #include <pthread.h>
    #include <unistd.h>
    volatile int x;
    static void *write_on(void *nothing)
    {
        for (int i = 1; i <= 300; i++)
            x = i; /* the writer */
        return nothing;
    }
    int main(void)
    {
        pthread_t other;
        char name[64];
        pthread_create(&other, 0, write_on, 0);
        for (int i = 0; i < 1500; i++)
            if (!getcwd(name, sizeof name))
                return 1;
        pthread_join(other, 0);
        return x != 300; /* the end */
    }'''


def test_a_write_beside_another_threads_system_calls(tmp_path, native):
    """A call that returns between a write and the trap that tells of it did not write."""
    program = build(tmp_path, RACING, '-O0', '-pthread')
    out = native(program, f'break {line_of(RACING, "/* the end")}', 'run', 'values x', 'last-write x')
    line = line_of(RACING, '/* the writer')
    told = re.findall(r'@(\S+) \(thread \d+\)\t(\d+)', out)
    assert [value for _, value in told] == [str(i) for i in range(1, 301)], out
    assert len(set(place for place, _ in told)) == 1 and 'Old value = 299\nNew value = 300\n' in out, out


# ---- stops, wherever they are set ----

@pytest.mark.parametrize('level', ['-O1', '-O2', '-Os'])
def test_a_stop_set_where_a_loop_takes_the_counter(tmp_path, native, level):
    """At each of the instructions around it, before the count is in the register and after it."""
    program = build(tmp_path, DIVISIONS, level)
    out = native(program, 'start', *(c for steps in range(1, 30) for c in ('goto start', f'stepi {steps}', 'goto 12', 'when')))
    assert [p.split('@')[0] for p in positions(out)] == ['12'] * 29, out


HANDLER = '''
    #define _GNU_SOURCE
    #include <signal.h>
    #include <sys/mman.h>
    static char *page;
    static int faults, total;
    static void mend(int signal)
    {
        for (volatile int i = 0; i < 4; i++)
            faults++;
        mprotect(page, 4096, PROT_READ | PROT_WRITE);
    }
    __attribute__((noinline)) static int fill(char *p, int n)
    {
        int s = 0;
        for (int i = 0; i < n; i++) {
            p[i * 7] = (char)i;
            s += i ^ (s << 1);
        }
        return s;
    }
    int main(void)
    {
        signal(SIGSEGV, mend);
        for (int k = 0; k < 3; k++) {
            page = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            total += fill(page, 20);
        }
        return faults != 12; /* the end */
    }'''


@pytest.mark.parametrize('level', ['-O0', '-O1', '-O2', '-O3'])
def test_a_signal_in_a_loop_that_counts_in_a_register(tmp_path, native, level):
    """A stop that is set in the handler, which has such a loop, too, is one of the loop that the signal came in.  gdb stops where the program itself does."""
    program = build(tmp_path, HANDLER, level, '-w')
    quiet = 'handle SIGSEGV nostop noprint pass'
    end = f'break {line_of(HANDLER, "/* the end")}'
    last, = positions(native(program, quiet, end, 'run', 'when'))
    times = [6, 7, 8, 9, 12, 20, 40, 60]
    from_main = positions(native(program, quiet, 'start', *(c for t in times for c in ('goto start', f'goto {t}', 'when -i'))))
    assert [int(p.split('@')[0]) for p in from_main] == times
    out = native(program, quiet, 'break mend', end, 'run', *(c for t in times for c in ('goto start', 'continue', f'goto {t}', 'when -i')), 'disable 1', 'continue', 'when')
    assert positions(out) == [*from_main, last], out
    for time, at in zip(times, from_main):
        out = subprocess.run(['gdb', '-q', '-nx', '-batch', '-ex', quiet, '-ex', f'set env EBB_STOP={time}', '-ex', 'run', '-ex', f'source {ROOT}/tools/timestamps.gdb',
                              '-ex', 'python ts.leave_tick()', '-ex', 'ts-when', program], capture_output=True, text=True, timeout=60).stdout
        assert f"timestamp {time}, " in out and f"({at.split('@')[1]})" in out, out
