"""`ebb cc` and `ebb c++`: programs with timestamps compiled in do what they did, and their timestamps name moments."""
import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EBB = os.environ.get('EBB', str(ROOT / 'build/ebb'))
PLUGIN = ROOT / 'build/src/gcc/ebb_timestamp.so'
pytestmark = pytest.mark.skipif(not PLUGIN.exists(), reason='the plugin was not built: install gcc-12-plugin-dev and g++')

LEVELS = [['-O0'], ['-Og'], ['-O1'], ['-O2'], ['-O3'], ['-Os'], ['-O2', '-fPIC'], ['-O2', '-fnon-call-exceptions', '-fexceptions'],
          ['-O2', '-flto', '-flto-partition=one'], ['-O2', '-mcmodel=large'], ['-O2', '-ffixed-r14']]


def build(folder, source, *flags, language='cc', name='prog', compiler=None):
    """Compiles `source`, a path or a text, and gives the program."""
    if not isinstance(source, pathlib.Path):
        path = folder / f'{name}.c'
        path.write_text(source)
        source = path
    done = subprocess.run([*(compiler or [EBB, language]), '-g', source, *flags, '-o', folder / name, '-lpthread'], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return folder / name


def run(program, *args, **env):
    return subprocess.run([program, *args], capture_output=True, text=True, timeout=60, env={**os.environ, **env}, check=False)


def count(program, folder):
    """What the program printed, and the main thread's last timestamp."""
    file = folder / 'counts'
    out = run(program, EBB_COUNTS=str(file)).stdout
    return out, int(file.read_text())


@pytest.mark.parametrize('level', LEVELS, ids=' '.join)
@pytest.mark.parametrize('language', ['cc', 'c++'])
def test_hard_control_flow(tmp_path, level, language):
    source = HERE / 'timestamps' / ('hard.c' if language == 'cc' else 'hard.cc')
    checks = ['-fchecking', '-Wno-clobbered']
    program = build(tmp_path, source, *level, *checks, language=language)
    plain = build(tmp_path, source, *level, language=language, name='plain', compiler=['gcc' if language == 'cc' else 'g++'])
    first = count(program, tmp_path)
    assert first[0] == run(plain).stdout
    assert first[1] > 50
    assert count(program, tmp_path) == first


def test_the_count_is_what_the_rules_say(tmp_path):
    program = build(tmp_path, '''
        static void nothing(void) { }                                                  /* 1: it calls nothing */
        static int loop(int n) { int s = 0; while (n > 0) s += n--; return s; }        /* 1, and n edges back */
        static void caller(void) { nothing(); }                                        /* 2, and what it calls */
        int main(void) { nothing(); loop(10); loop(0); caller(); return 0; }           /* 2 */
        ''', '-O0')
    assert count(program, tmp_path)[1] == 2 + 1 + 11 + 1 + (2 + 1)


WALK = """
import gdb
gdb.execute('set pagination off')
gdb.execute('break work')
gdb.execute('run')
gdb.execute('delete')
seen, repeated, wrong, last = set(), [], [], None
while True:
    frame = gdb.newest_frame()
    if frame.name() == 'main':
        break
    moment = ts.position()
    if moment in seen and not gdb.solib_name(frame.pc()): # libraries do not count
        repeated.append((hex(frame.pc()), frame.name(), moment[0]))
    code = frame.architecture().disassemble(frame.pc())[0]['asm'].split()
    if last and moment[0] != last[0] + last[1]:
        wrong.append((hex(frame.pc()), frame.name(), moment[0], last))
    last = moment[0], code[0] in ('add', 'addq') and (code[1].startswith('$0x1,%fs:') or code[1] == '$0x1,%r14')
    seen.add(moment)
    gdb.execute('stepi', to_string=True)
print('steps', len(seen), 'repeated', len(repeated), repeated[:5], 'wrong', len(wrong), wrong[:5])
"""


@pytest.mark.parametrize('level', ['-O0', '-O1', '-O2', '-O3'])
def test_a_timestamp_and_a_place_are_a_moment(tmp_path, level):
    """Walks through a whole run instruction by instruction: no pair of timestamp and address may come twice, and the time changes with the
    instruction that ticks, neither before nor after it."""
    program = build(tmp_path, '''
        static int cells[8];
        static __int128 wide = 12345678901234567;
        static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
        static int mark(int i) { cells[i & 7] = i; return i; }
        static int again(int n) { int s = 0; do { for (int i = 0; i < n; i++) s += mark(i); } while (--n > 0); return s; }
        static int table(int n) { int s = 0; while (n > 0) switch (n % 3) { case 0: n -= 2; continue; case 1: s++; default: n--; } return s; }
        static int gcd(int a, int b) { while (b) { int t = a % b; a = b; b = t; } return a; }
        static int sum(void) { int s = 0; for (int k = 0; k < 3; k++) for (int i = 0; i < 8; i++) s += cells[i] << k; return s; }
        static int digits(int n) { int s = 0; for (__int128 w = wide * n; w > n; w /= 1000 + n) s++; return s; } /* calls a library in the loop */
        int work(int n) { return fib(n) + again(n) + table(n * 3) + gcd(89 * n, 55 * n) + sum() + digits(n); }
        int main(int argc, char **argv) { return work(argc + 4) & 1; }
        ''', level, '-fno-inline')
    script = tmp_path / 'walk.py'
    script.write_text(WALK)
    out = subprocess.run(['gdb', '-q', '-nx', '-batch', '-x', ROOT / 'tools/timestamps.gdb', '-x', script, program], capture_output=True, text=True, timeout=300)
    found = re.search(r'steps (\d+) repeated (\d+) .* wrong (\d+) .*', out.stdout)
    assert found, out.stdout[-2000:] + out.stderr[-2000:]
    assert int(found[1]) > 500 and int(found[2]) == 0 and int(found[3]) == 0, found[0]


RECURSIVE = '''
    #include <stdlib.h>
    static int fuel = 14; int sink;
    int seen(int n);
    static int even(int n); static int odd(int n);
    static int rests(int n) { if (n & 1) return n; sink += n; return sink; }
    static int uses(int n) { int s = rests(n); if (n > 3) s += rests(n + 1); return s; }
    static int even(int n) { if (n == 0 || fuel-- < 0) return 1; int s = odd(n - 1); sink += s; return s; }
    static int odd(int n) { return n == 0 ? 0 : even(n - 1) + 1; }
    static int joined(int n) { int s = 0; for (int i = 0; i < 3; i++) { if (fuel-- > 0) s += n & 1 ? joined(n - 1) : odd(n); sink = s; } sink += s; return s + n; }
    static int chosen(int n) { switch (n) { case 0: return 1; case 1: sink++; break; case 2: return chosen(0) + chosen(1); default: sink = chosen(n - 1); } return sink; }
    static int tail(int n) { if (n > 2) return tail(n / 2) + 1; return n > 0 ? seen(n - 1) : 3; }  /* seen is called last */
    int seen(int n) { if (n < 1) return 0; sink += uses(n); return seen(n - 1); }
    static int order(const void *a, const void *b) { if (fuel-- > 0) sink += joined(1); return *(const int *)a - *(const int *)b; }
    static int sorted(void) { int all[3] = {3, 1, 2}; qsort(all, 3, sizeof *all, order); return all[0]; }
    int work(int n) { int s = even(n) + joined(n) + chosen(n) + tail(n * 3) + seen(n); fuel = 6; return s + sorted(); }
    int main(int argc, char **argv) { return work(argc + 4) & 1; }
    '''


@pytest.mark.parametrize('level', ['-O0', '-O1', '-O2'])
def test_moments_of_functions_that_call_each_other(tmp_path, level):
    """Functions that are active twice, directly, through others, through a tail call and through the library: no moment comes twice."""
    script = tmp_path / 'walk.py'
    script.write_text(WALK)
    program = build(tmp_path, RECURSIVE, level, '-fno-inline')
    out = subprocess.run(['gdb', '-q', '-nx', '-batch', '-x', ROOT / 'tools/timestamps.gdb', '-x', script, program], capture_output=True, text=True, timeout=300)
    found = re.search(r'steps (\d+) repeated (\d+) .* wrong (\d+) .*', out.stdout)
    assert found, out.stdout[-2000:] + out.stderr[-2000:]
    assert int(found[1]) > 500 and int(found[2]) == 0 and int(found[3]) == 0, found[0]


@pytest.mark.parametrize('words', ['-O0 -static-pie', '"--ebb-not=wo*" -O0', "'-O0' -DNAME=a\\ b"], ids=['static-pie', 'ebb-not', 'quotes'])
def test_what_is_said_in_response_files(tmp_path, words):
    (tmp_path / 'inner').write_text(f'{words}\n')
    (tmp_path / 'flags').write_text(f'@{tmp_path}/inner\n-Wall')
    program = build(tmp_path, 'int work(int n) { return n ? n * work(n - 1) : 1; }\nint main(void) { return work(3) != 6; }\n', f'@{tmp_path}/flags')
    direct = count(program, tmp_path)
    assert run(program).returncode == 0
    assert (direct[1] > 3) == ('ebb-not' not in words), direct


def test_a_response_file_may_say_that_nothing_is_linked_for_good(tmp_path):
    (tmp_path / 'part.c').write_text('int part(void) { return 0; }\n')
    (tmp_path / 'flags').write_text(f'-r {tmp_path}/part.c')
    subprocess.run([EBB, 'cc', f'@{tmp_path}/flags', '-o', tmp_path / 'part.o'], check=True, timeout=60)
    assert run(build(tmp_path, 'int part(void);\nint main(void) { return part(); }\n', tmp_path / 'part.o')).returncode == 0


def test_a_stop_at_a_timestamp(tmp_path):
    """EBB_STOP ends a program without a debugger by SIGTRAP; gdb finds it at the moment that was asked for."""
    source = 'int cells[100];\nint main(void)\n{\n    for (int i = 0; i < 100; i++)\n        cells[i] = i * i;\n    return 0;\n}\n'
    program = build(tmp_path, source, '-O0')
    last = count(program, tmp_path)[1]
    assert run(program, EBB_STOP=str(last + 1)).returncode == 0
    assert run(program, EBB_STOP='50').returncode == -signal.SIGTRAP
    for level in ('-O0', '-O1'):
        program = build(tmp_path, source, level)
        done = subprocess.run(['gdb', '-q', '-nx', '-batch', '-ex', 'set env EBB_STOP=50', '-ex', 'run', '-ex', 'print i', '-ex', 'print cells[48]', '-ex', 'print cells[49]',
                               '-ex', 'print __ebb_frame ? $r14 : __ebb_counter', program], capture_output=True, text=True, timeout=60).stdout
        assert 'SIGTRAP' in done and re.search(r'= 2304\n.*= 0\n', done, re.S) and done.rstrip().endswith('= 0'), done


def test_threads_count_for_themselves(tmp_path):
    program = build(tmp_path, r'''
        #include <pthread.h>
        #include <stdio.h>
        long ebb_now(void);
        static void step(void) { }
        static void *work(void *n) { for (long i = 0; i < (long)n; i++) step(); return (void *)ebb_now(); }
        int main(void) {
            pthread_t t[8];
            for (long i = 0; i < 8; i++) pthread_create(&t[i], NULL, work, (void *)(1000 + i));
            for (int i = 0; i < 8; i++) { void *n; pthread_join(t[i], &n); printf("%ld\n", (long)n); }
        }''', '-O0')
    assert run(program).stdout.split() == [str(1 + 2 * (1000 + i)) for i in range(8)]  # entry; edge back and step each turn


@pytest.mark.parametrize('level', ['-O0', '-O1', '-O2'])
def test_debug_information_is_not_disturbed(tmp_path, level):
    """Each line has as many places for a breakpoint as before; and a stop is in the function and file that it belongs to."""
    source = HERE / 'timestamps/overrun.c'
    flags = [level, '-fno-inline', '-fcall-used-r14']  # where a function saves r14 GCC itself finds other places for a breakpoint at its first line
    plain = build(tmp_path, source, *flags, name='plain', compiler=['gcc'])
    counting = build(tmp_path, source, *flags)

    def places(program):
        words = [w for n in range(9, 28) for w in ('-ex', f'break {n}')]
        out = subprocess.run(['gdb', '-q', '-nx', '-batch', *words, program], capture_output=True, text=True, timeout=60).stdout
        return re.findall(r'^Breakpoint \d+ at .*?(?:, line \d+\.|\(\d+ locations\))', re.sub('0x[0-9a-f]+', '0x', out), re.M)

    assert places(counting) == places(plain)
    lines = {'fill': range(9, 14), 'check': range(15, 19), 'main': range(20, 29)}
    for time in range(2, 60, 7):
        out = subprocess.run(['gdb', '-q', '-nx', '-batch', '-ex', f'set env EBB_STOP={time}', '-ex', 'run', '-ex', 'frame', counting],
                             capture_output=True, text=True, timeout=60).stdout
        function, line = re.search(r'^#0 .*?(\w+) \(.*overrun\.c:(\d+)', out, re.M).groups()
        assert int(line) in lines[function], out


@pytest.mark.parametrize('level', ['-O1', '-O2', '-O3'])
def test_a_stop_in_a_loop_is_on_its_line(tmp_path, level):
    """Where GCC gives the jump back no line of its own, and moves the stop away from the loop."""
    program = build(tmp_path, '''
        struct node { int key; struct node *next; } nodes[4], *lists[2];
        static long sum;
        int main(void)
        {
            for (int i = 0; i < 4; i++) { nodes[i].key = i; nodes[i].next = lists[i & 1]; lists[i & 1] = &nodes[i]; }
            for (int i = 0; i < 2; i++) for (struct node *n = lists[i]; n; n = n->next) sum += n->key; /* here */
            return sum != 6;
        }''', level)
    last = count(program, tmp_path)[1]
    out = subprocess.run(['gdb', '-q', '-nx', '-batch', '-ex', f'set env EBB_STOP={last}', '-ex', 'run', '-ex', 'frame', program],
                         capture_output=True, text=True, timeout=60).stdout
    assert 'SIGTRAP' in out and '/* here */' in out.splitlines()[-1], out


def test_functions_are_chosen(tmp_path):
    source = '''
        __attribute__((noinline)) int plain(int n) { return n * 3; }
        __attribute__((noinline, no_timestamp)) int left(int n) { return n * 5; }
        int main(int argc, char **argv) { return plain(argc) + left(argc) == 0; }'''

    def ticking(*flags):
        program = build(tmp_path, source, '-O1', *flags)
        text = subprocess.run(['objdump', '-d', '--no-show-raw-insn', program], capture_output=True, text=True, check=True).stdout
        body = {name: text.split(f'<{name}>:')[1].split('\n\n')[0] for name in ('plain', 'left', 'main')}
        return {name for name, code in body.items() if re.search('add.*%fs:', code)}

    assert ticking() == {'plain', 'main'}
    assert ticking('--ebb-only=ma*') == {'main'}
    assert ticking('--ebb-not=plain,other') == {'main'}
    assert ticking('--ebb-not=*/prog.c') == set()


def test_shared_libraries(tmp_path):
    library = tmp_path / 'libsum.so'
    (tmp_path / 'sum.c').write_text('int sum(int n) { int s = 0; while (n > 0) s += n--; return s; }\n')
    subprocess.run([EBB, 'cc', '-g', '-O1', '-fPIC', '-shared', tmp_path / 'sum.c', '-o', library], check=True)
    main = 'int sum(int); int main(void) { return sum(10) != 55; }'
    both = build(tmp_path, main, '-O0', f'-L{tmp_path}', '-lsum', f'-Wl,-rpath,{tmp_path}')
    assert count(both, tmp_path)[1] == 2 + 10  # one counter for both: main, sum's entry and 9 edges back
    plain = build(tmp_path, main, '-O0', f'-L{tmp_path}', '-lsum', f'-Wl,-rpath,{tmp_path}', name='plain', compiler=['gcc'])
    assert run(plain).returncode == 0


# ---- as a compiler ----

def test_a_library_that_is_loaded_while_the_program_runs(tmp_path):
    """It counts with the program, not for itself."""
    (tmp_path / 'lib.c').write_text('int loop(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }\n')
    subprocess.run([EBB, 'cc', '-shared', '-fPIC', '-O0', tmp_path / 'lib.c', '-o', tmp_path / 'lib.so'], check=True, timeout=60)
    program = build(tmp_path, f'''
        #include <dlfcn.h>
        int main(void) {{ int (*loop)(int) = dlsym(dlopen("{tmp_path}/lib.so", RTLD_NOW), "loop"); return loop(100) != 4950; }}''', '-O0')
    assert count(program, tmp_path)[1] == 2 + 1 + 100


def test_it_is_a_compiler(tmp_path):
    """What configure scripts and build tools ask of a compiler."""
    (tmp_path / 'a.c').write_text('int f(void) { return 0; }\n')
    (tmp_path / 'm.c').write_text('int f(void); int main(void) { return f(); }\n')

    def cc(*args, **more):
        return subprocess.run([EBB, 'cc', *args], cwd=tmp_path, capture_output=True, text=True, timeout=60, **more)

    assert 'gcc' in cc('--version').stdout.lower()
    assert cc('-dumpmachine').stdout.strip() == subprocess.run(['gcc', '-dumpmachine'], capture_output=True, text=True).stdout.strip()
    assert cc('-v').returncode == 0
    assert cc('-E', 'a.c').stdout.count('return 0') == 1
    assert cc('-MM', 'a.c').stdout.startswith('a.o')
    assert cc('-c', 'a.c', '-o', 'a.o').stderr == ''
    assert cc('-x', 'c', '-', '-o', 'p', input='int main(void) { return 0; }').returncode == 0
    assert cc('m.c', 'a.o', '-o', 'p').returncode == 0
    assert cc('-static', 'm.c', 'a.c', '-o', 'p').returncode == 0 and run(tmp_path / 'p').returncode == 0
    assert cc('none.c').returncode == 1


@pytest.mark.skipif(not shutil.which('cmake'), reason='no cmake here')
def test_cmake(tmp_path):
    (tmp_path / 'CMakeLists.txt').write_text('cmake_minimum_required(VERSION 3.10)\nproject(x C)\nadd_library(s STATIC s.c)\nadd_executable(x x.c)\n'
                                             'target_link_libraries(x s)\n')
    (tmp_path / 's.c').write_text('int s(int n) { int k = 0; while (n--) k += n; return k; }\n')
    (tmp_path / 'x.c').write_text('int s(int); int main(void) { return s(5) != 10; }\n')
    compiler = tmp_path / 'ebb-cc'
    compiler.write_text(f'#!/bin/sh\nexec {EBB} cc "$@"\n')
    compiler.chmod(0o755)
    subprocess.run(['cmake', '-S', tmp_path, '-B', tmp_path / 'b', f'-DCMAKE_C_COMPILER={compiler}'], check=True, capture_output=True, timeout=120)
    subprocess.run(['cmake', '--build', tmp_path / 'b'], check=True, capture_output=True, timeout=120)
    assert run(tmp_path / 'b/x').returncode == 0 and count(tmp_path / 'b/x', tmp_path)[1] > 5


def test_meson(tmp_path):
    (tmp_path / 'meson.build').write_text("project('x', 'c')\nexecutable('x', 'x.c')\n")
    (tmp_path / 'x.c').write_text('int main(void) { int k = 0; for (int i = 0; i < 5; i++) k += i; return k != 10; }\n')
    env = {**os.environ, 'CC': f'{EBB} cc', 'PATH': '/usr/bin:/bin'}
    subprocess.run(['meson', 'setup', '--buildtype=debug', tmp_path / 'b', tmp_path], check=True, capture_output=True, env=env, timeout=120)
    subprocess.run(['ninja', '-C', tmp_path / 'b'], check=True, capture_output=True, env=env, timeout=120)
    assert count(tmp_path / 'b/x', tmp_path)[1] == 1 + 5


def test_make(tmp_path):
    """As autotools use it: CC with a blank in it, objects and libraries apart."""
    (tmp_path / 'Makefile').write_text('x: x.o libs.a\n\t$(CC) $(CFLAGS) -o $@ x.o -L. -ls\nlibs.a: s.o\n\t$(AR) rc $@ s.o\n')
    (tmp_path / 's.c').write_text('int s(int n) { int k = 0; while (n--) k += n; return k; }\n')
    (tmp_path / 'x.c').write_text('int s(int); int main(void) { return s(5) != 10; }\n')
    subprocess.run(['make', f'CC={EBB} cc', 'CFLAGS=-g -O2'], cwd=tmp_path, check=True, capture_output=True, timeout=60)
    assert run(tmp_path / 'x').returncode == 0 and count(tmp_path / 'x', tmp_path)[1] > 3


@pytest.mark.parametrize('text', ['abc', '', '-3', '0', '12x', '99999999999999999999'])
def test_a_stop_that_is_no_timestamp(tmp_path, text):
    program = build(tmp_path, 'int main(void) { int n = 0; for (int i = 0; i < 40; i++) n += i; return n != 780; }', '-O0')
    done = run(program, EBB_STOP=text)
    assert done.returncode == 0 and done.stderr == 'ebb: EBB_STOP is no timestamp, a number from 1 on: the program runs without a stop.\n'


RESOLVERS = '''
    #include <stdio.h>
    __attribute__((noinline)) static int helper(int n) { int s = 0; for (volatile int i = 0; i < n; i++) s++; return s; }
    static int slow(int x) { return x; }
    static int fast(int x) { return x + 1; }
    static int (*resolve(void))(int) { return helper(3) == 3 ? fast : slow; }
    int chosen(int) __attribute__((ifunc("resolve")));
    __attribute__((target_clones("avx2", "default"))) int cloned(int n) { int s = 0; for (int i = 0; i < n; i++) s += i * i; return s; }
    int main(void) { printf("%d %d\\n", chosen(4), cloned(10)); return 0; }'''


@pytest.mark.parametrize('flags', [['-O0'], ['-O2'], ['-O0', '-static'], ['-O2', '-static'], ['-O2', '-static-pie'], ['-O2', '-flto', '-static']], ids=' '.join)
def test_static_programs_and_what_the_loader_calls(tmp_path, flags):
    """The code of a function is chosen before there are variables of threads, and a static program is relocated before them, too."""
    program = build(tmp_path, RESOLVERS, *flags)
    out, last = count(program, tmp_path)
    assert out == '5 285\n' and last > 0
