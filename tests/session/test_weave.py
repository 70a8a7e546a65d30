"""`ebb weave timestamp`: woven classes verify, run as before on HotSpot and on our machine, and count right."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from java_source import compile_java

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tests/jvm/conformance'))

import conformance as suite     # noqa: E402

HOME = suite.java_home()
JARS = [p for p in map(Path, ('/usr/share/java/ant.jar', '/usr/share/java/hsqldb.jar', '/usr/share/java/commons-lang3.jar')) if p.exists()]
ROUNDTRIP = ROOT / 'build/tests/unit/weave_roundtrip'
pytestmark = pytest.mark.skipif(HOME is None, reason='no JDK 17 found: install openjdk-17-jdk-headless')


def weave(ebb, out, *args):
    done = ebb(['weave', 'timestamp', '-o', str(out), *map(str, args)], timeout=120)
    assert done.returncode == 0, done.stderr
    return done


def java(*args, timeout=60, check=True):
    return subprocess.run([HOME / 'bin/java', *map(str, args)], capture_output=True, text=True, timeout=timeout, check=check)


def counts(classes, name, *options, machine=('-Xverify:all',)):
    """The timestamps of the threads at the end, by name, and what the program printed."""
    file = classes / 'counts.txt'
    out = java(*machine, f'-Debb.counts={file}', *options, '-cp', classes, name).stdout
    return {name: int(n) for name, n in (line.rsplit(' ', 1) for line in file.read_text().splitlines())}, out


# ---- the core: nothing changes by itself ----

def test_a_class_that_is_written_again_is_the_same():
    suite.compile_suite()
    classes = [str(p) for p in suite.CLASSES.rglob('*.class')]
    done = subprocess.run([ROUNDTRIP, *classes, *map(str, JARS)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:]
    assert int(re.search(r'(\d+) classes', done.stdout)[1]) >= len(classes)


def test_every_cut_and_changed_byte_is_survived(tmp_path, ebb):
    """A broken class is copied as it is, or woven; ebb itself is never the victim."""
    name = compile_java(tmp_path, 'Loops', LOOPS) / 'Loops.class'
    whole = name.read_bytes()
    folder = tmp_path / 'broken'
    folder.mkdir()
    for i in range(0, len(whole), 7):
        (folder / f'cut{i}.class').write_bytes(whole[:i])
        (folder / f'changed{i}.class').write_bytes(whole[:i] + bytes([whole[i] ^ 0xff]) + whole[i + 1:])
    weave(ebb, tmp_path / 'out', folder)
    assert len(list((tmp_path / 'out').glob('c*.class'))) == len(list(folder.iterdir()))


def test_what_is_no_class_file_is_named(tmp_path, ebb):
    (tmp_path / 'classes').mkdir()
    folder = compile_java(tmp_path / 'classes', 'Loops', LOOPS)
    for name in ('Bad.class', 'bad.jar'):
        (folder / name).write_text('nothing of the kind')
        done = ebb(['weave', 'timestamp', '-o', tmp_path / 'alone', folder / name])
        assert done.returncode == 1 and str(folder / name) in done.stderr, done.stderr
    told = ebb(['weave', 'timestamp', '-o', tmp_path / 'out', folder])
    assert told.returncode == 0 and told.stderr.count('is copied as it is') == 2, told.stderr
    assert (tmp_path / 'out/bad.jar').read_text() == 'nothing of the kind' and (tmp_path / 'out/ebb/Timestamp.class').exists()


# ---- what is woven still runs ----

WOVEN_CASES = [c for c in suite.quick_cases() if c.line is None]


@pytest.fixture(scope='module')
def woven_suite(tmp_path_factory):
    suite.compile_suite()
    out = tmp_path_factory.mktemp('woven')
    subprocess.run([os.environ.get('EBB', ROOT / 'build/ebb'), 'weave', 'timestamp', '-o', out, suite.CLASSES], check=True, capture_output=True)
    return out


@pytest.mark.parametrize('machine', ['HotSpot', 'ours'])
def test_woven_conformance(woven_suite, machine):
    if machine == 'ours' and suite.why_no_machine():
        pytest.skip(suite.why_no_machine())
    options = ['-Xverify:all'] if machine == 'HotSpot' else [f'-XXaltjvm={suite.jvm_dir()}']

    def woven(case):
        command = [str(woven_suite) if word == str(suite.CLASSES) else word for word in case.command(options)]
        return suite.differences(case, suite.execute(command, case.stdin, 4 * case.timeout, case.env), suite.on_hotspot(case))

    pool = suite.Pool(WOVEN_CASES, woven)
    failed = {c.name: pool.result(c) for c in WOVEN_CASES}
    pool.close()
    assert not {name: why for name, why in failed.items() if why}


LINK_ALL = '''
    import java.io.File; import java.net.*; import java.util.*; import java.util.jar.*;
    public class LinkAll {
        public static void main(String[] a) throws Exception {
            for (String path : a)
                try (JarFile jar = new JarFile(path); URLClassLoader l = new URLClassLoader(new URL[] {new File(path).toURI().toURL()})) {
                    for (JarEntry e : Collections.list(jar.entries()))
                        if (e.getName().endsWith(".class") && !e.getName().startsWith("META-INF") && !e.getName().startsWith("ebb/"))
                            try { // asking for constructors links, and so verifies, the class
                                Class.forName(e.getName().replace('/', '.').substring(0, e.getName().length() - 6), false, l).getDeclaredConstructors();
                            } catch (Throwable t) {
                                System.out.println(e.getName() + " " + t.getClass() + " " + t.getMessage());
                            }
                }
            System.out.println("done");
        }
    }'''


@pytest.mark.parametrize('jar', JARS, ids=lambda p: p.stem)
def test_jars_verify(tmp_path, ebb, jar):
    compile_java(tmp_path, 'LinkAll', LINK_ALL)
    weave(ebb, tmp_path / 'out', jar)
    before = java('-Xverify:all', '-cp', tmp_path, 'LinkAll', jar).stdout
    after = java('-Xverify:all', '-cp', tmp_path, 'LinkAll', tmp_path / 'out' / jar.name).stdout
    assert after == before and 'VerifyError' not in after


# ---- counts ----

LOOPS = '''
    public class Loops {
        static int field;
        static int[] cells = new int[100];
        static int sum(int n) { int s = 0; for (int i = 0; i < n; i++) s += cells[i]; return s; }
        static long nested(int n) { long s = 0; for (int i = 0; i < n; i++) { for (int k = 0; k < i; k++) s += k; if (s % 7 == 3) continue; s++; } return s; }
        static int leave(int n) { try { return sum(n); } catch (ArrayIndexOutOfBoundsException e) { return -1; } }
        static int inside(int n) { int s = 0; for (int i = 0; i < n; i++) try { s += cells[i * 3]; } catch (RuntimeException e) { s--; } return s; }
        static int mixed(int n) { int s = 0; for (int i = 0; i < n; i++) { for (int k = 0; k < 3; k++) s ^= k; s += Math.abs(i); while (s > 50) s -= 9; } return s; }
        static double wide(double a, long b, int n) { double x = a; long y = b; do { x = x / 2 + y; y--; } while (--n > 0); return x + y; }
        static int choose(int n) { int s = 0; outer: for (;;) { switch (n-- % 4) { case 0: s++; continue; case 1: s += 2; break; case 2: if (n < 3) break outer; } if (n < 0) return s; } return -s; }
        static void lock(Object o, int n) { synchronized (o) { for (int i = 0; i < n; i++) field += i; } }
        Loops(int n) { this(); while (n-- > 0) field++; }
        Loops() { for (int i = 0; i < 5; i++) field += i; }
        public static void main(String[] args) {
            long all = 0;
            for (int i = 0; i < 300; i++) {
                all += sum(i % 100) + nested(i % 30) + leave(i) + inside(i % 50) + mixed(i % 20) + choose(i);
                all += (long) wide(i, i * 2L, i % 9);
                lock(new Object(), i % 11);
                all += new Loops(i % 5).hashCode() * 0 + field;
            }
            System.out.println(all);
        }
    }'''


def test_loops_count_the_same_locally_and_in_memory(tmp_path, ebb):
    classes = compile_java(tmp_path, 'Loops', LOOPS)
    weave(ebb, tmp_path / 'local', classes / 'Loops.class')
    weave(ebb, tmp_path / 'memory', '--in-memory', classes / 'Loops.class')
    local, printed = counts(tmp_path / 'local', 'Loops')
    assert counts(tmp_path / 'memory', 'Loops') == (local, printed)
    assert counts(tmp_path / 'local', 'Loops', '-Xint') == (local, printed)
    assert counts(tmp_path / 'local', 'Loops', '-Debb.stop=1000000000') == (local, printed)
    assert java('-cp', classes, 'Loops').stdout == printed
    if not suite.why_no_machine():
        assert counts(tmp_path / 'local', 'Loops', machine=(f'-XXaltjvm={suite.jvm_dir()}',)) == (local, printed)


def test_the_count_is_what_the_rules_say(tmp_path, ebb):
    classes = compile_java(tmp_path, 'Known', '''
        public class Known {
            static void nothing() { }                                                   // 2: entry, return
            static int loop(int n) { int s = 0; while (n > 0) { s += n--; } return s; } // 2 + n jumps back
            static void caught() { try { throw new RuntimeException(); } catch (RuntimeException e) { } } // entry, handler, return
            public static void main(String[] a) { nothing(); loop(10); loop(0); caught(); }               // entry, return
        }''')
    weave(ebb, tmp_path / 'out', classes / 'Known.class')
    assert counts(tmp_path / 'out', 'Known')[0]['main'] == 2 + 2 + (2 + 10) + 2 + 3


def test_threads_have_the_names_that_they_had(tmp_path, ebb):
    """The thread that writes the counts takes no number from the program's."""
    classes = compile_java(tmp_path, 'Named', '''
        public class Named {
            public static void main(String[] a) { System.out.println(new Thread().getName()); }
        }''')
    weave(ebb, tmp_path / 'out', classes / 'Named.class')
    assert counts(tmp_path / 'out', 'Named')[1] == java('-cp', classes, 'Named').stdout


def test_threads_lose_no_increments(tmp_path, ebb):
    classes = compile_java(tmp_path, 'Threads', '''
        public class Threads {
            static void step() { }
            static void work(int n) { for (int i = 0; i < n; i++) step(); }
            public static void main(String[] a) throws Exception {
                Thread[] all = new Thread[1500]; // more than there are slots
                for (int i = 0; i < all.length; i++) {
                    final int n = 100 + i;
                    all[i] = new Thread(new Runnable() { public void run() { work(n); } }, "t" + i);
                    all[i].start();
                }
                for (Thread t : all) t.join();
            }
        }''')
    weave(ebb, tmp_path / 'out', *classes.glob('Threads*.class'))
    found, _ = counts(tmp_path / 'out', 'Threads')
    for i in range(1500):  # run: 2; work: 2 and a jump back each turn; step: 2
        assert found[f't{i}'] == 4 + 3 * (100 + i)


def test_brake_is_called_at_the_timestamp(tmp_path, ebb):
    """jdb stops in brake() when the counter has the wanted value, also inside of a loop that counts locally."""
    classes = compile_java(tmp_path, 'Known', '''
        public class Known {
            static int loop(int n) { int s = 0; while (n > 0) { s += n--; } return s; }
            public static void main(String[] a) { System.out.println(loop(10)); }
        }''')
    weave(ebb, tmp_path / 'out', classes / 'Known.class')
    told = jdb(['-Debb.stop=7', '-classpath', tmp_path / 'out', 'Known'],
               [('> ', 'stop in ebb.Timestamp.brake'), ('> ', 'run'), ('main[1] ', 'where'), ('main[1] ', 'locals'), ('main[1] ', 'cont')])
    assert re.search(r'Breakpoint hit:.*ebb\.Timestamp\.brake', told)
    assert 'Known.loop (Known.java:3)' in told
    assert '55' in told


def jdb(arguments, talk):
    """What jdb says when it is told each line after the prompt that goes with it; the last one lets the program run to its end.  A jdb whose input ends
    before that takes the program with it."""
    p = subprocess.Popen([HOME / 'bin/jdb', *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = seen = b''
    try:
        for prompt, line in talk:
            while prompt.encode() not in seen:
                got = os.read(p.stdout.fileno(), 4096)
                assert got, said.decode()
                said, seen = said + got, seen + got
            seen = b''
            p.stdin.write(line.encode() + b'\n')
            p.stdin.flush()
        return (said + p.stdout.read()).decode()
    finally:
        p.kill()
        p.wait()


# ---- large methods ----

def big_source(turns):
    body = '\n'.join(f'            if (x == {i}) {{ x += {i % 7 + 1}; y ^= x * {i}; }}' for i in range(turns))
    return f'''
        public class Big {{
            static long run(int n) {{
                int x = n; long y = 0;
                for (int i = 0; i < 3 && (x & 1) < 2; i++) {{
                    if (n < 0) continue;
        {body}
                    while (y > 1000) y >>= 3;
                }}
                return x + y;
            }}
            public static void main(String[] a) {{ long s = 0; for (int i = 0; i < 50; i++) s += run(i); System.out.println(s); }}
        }}'''


@pytest.mark.parametrize('turns', [1000, 1380, 1500, 1900])
def test_jumps_get_as_wide_as_they_must(tmp_path, ebb, turns):
    classes = compile_java(tmp_path, 'Big', big_source(turns))
    expected = java('-cp', classes, 'Big').stdout
    for option in ((), ('--in-memory',)):
        weave(ebb, tmp_path / 'out', *option, classes / 'Big.class')
        assert java('-Xverify:all', '-cp', tmp_path / 'out', 'Big').stdout == expected


def test_conditional_jumps_over_more_than_32767_bytes(tmp_path, ebb):
    """Jumps that were short enough, and are not any more: ticks grow what they jump over."""
    blocks = '\n'.join(f'if (a == {i}) return {i}; while (b-- > {i}) if (b == 3) return b;' for i in range(700))
    source = f'''
        public class Far {{
            static int pick(int a, int b, boolean skip) {{
                if (!skip) {{ {blocks} }}
                return skip ? a - b : -1;
            }}
            public static void main(String[] x) {{
                for (int i = 0; i < 700; i += 13) System.out.println(pick(i, 5, i % 2 == 0) + " " + pick(i, -5, i % 2 != 0));
            }}
        }}'''
    classes = compile_java(tmp_path, 'Far', source)
    sizes = re.findall(r'^ *(\d+): ', subprocess.run([HOME / 'bin/javap', '-c', classes / 'Far.class'], capture_output=True, text=True, check=True).stdout, re.M)
    assert max(map(int, sizes)) < 32767
    weave(ebb, tmp_path / 'out', classes / 'Far.class')
    listing = subprocess.run([HOME / 'bin/javap', '-c', tmp_path / 'out/Far.class'], capture_output=True, text=True, check=True).stdout
    assert 'goto_w' in listing
    assert java('-Xverify:all', '-cp', tmp_path / 'out', 'Far').stdout == java('-cp', classes, 'Far').stdout


def test_a_method_that_would_get_too_long_is_left(tmp_path, ebb):
    body = ' '.join(f'while (n-- > {i}) s += n;' for i in range(2600))
    classes = compile_java(tmp_path, 'Huge', f'''
        public class Huge {{ static int f(int n) {{ int s = 0; {body} return s; }}
            public static void main(String[] a) {{ System.out.println(f(5000)); }} }}''')
    done = weave(ebb, tmp_path / 'out', classes / 'Huge.class')
    assert '1 of its methods would get too long' in done.stderr
    assert java('-Xverify:all', '-cp', tmp_path / 'out', 'Huge').stdout == java('-cp', classes, 'Huge').stdout


# ---- choosing, jars ----

def ticks_in(path):
    listing = subprocess.run([HOME / 'bin/javap', '-c', '-p', path], capture_output=True, text=True, check=True).stdout
    return {m: body.count('ebb/Timestamp') for m, body in re.findall(r' (\w+)\([^)]*\);\n    Code:\n(.*?)(?:\n\n|\n}|\Z)', listing, re.S)}


def test_only_and_not(tmp_path, ebb):
    classes = compile_java(tmp_path, 'Loops', LOOPS) / 'Loops.class'
    weave(ebb, tmp_path / 'a', '--only', 'Loops#sum', '--only', 'Loops#ne*', classes)
    assert {m for m, n in ticks_in(tmp_path / 'a/Loops.class').items() if n} == {'sum', 'nested'}
    weave(ebb, tmp_path / 'b', '--not', '*#sum', classes)
    found = ticks_in(tmp_path / 'b/Loops.class')
    assert found['sum'] == 0 and found['nested'] > 0
    weave(ebb, tmp_path / 'c', '--not', 'Lo*', classes)
    assert (tmp_path / 'c/Loops.class').read_bytes() == classes.read_bytes()


def test_lines_and_variables_stay(tmp_path, ebb):
    """The stack trace of an exception and javap's tables name the same lines and variables as before."""
    classes = compile_java(tmp_path, 'Trace', '''
        public class Trace {
            static int deep(int[] cells, int n) {
                int s = 0;
                for (int i = 0; i <= n; i++)
                    s += cells[i];
                return s;
            }
            public static void main(String[] a) {
                deep(new int[3], 3);
            }
        }''')
    weave(ebb, tmp_path / 'out', classes / 'Trace.class')
    before, after = (java('-cp', p, 'Trace', check=False).stderr for p in (classes, tmp_path / 'out'))
    assert before == after and 'Trace.java:6' in after
    listing = subprocess.run([HOME / 'bin/javap', '-l', '-p', tmp_path / 'out/Trace.class'], capture_output=True, text=True, check=True).stdout
    deep = listing[listing.index('deep('):listing.index('main(')]
    assert re.findall(r'line (\d+):', deep) == ['4', '5', '6', '5', '7']
    assert re.search(r'\b0 +\d+ +0 +cells', deep) and re.search(r' i +I', deep)


def test_a_signed_jar(tmp_path, ebb):
    classes = compile_java(tmp_path, 'Loops', LOOPS)
    store, jar = tmp_path / 'keys', tmp_path / 'app.jar'
    subprocess.run([HOME / 'bin/jar', 'cfe', jar, 'Loops', '-C', classes, 'Loops.class'], check=True)
    subprocess.run([HOME / 'bin/keytool', '-genkeypair', '-keystore', store, '-storepass', 'secret', '-dname', 'CN=test', '-alias', 'k',
                    '-keyalg', 'EC'], check=True, capture_output=True)
    subprocess.run([HOME / 'bin/jarsigner', '-keystore', store, '-storepass', 'secret', jar, 'k'], check=True, capture_output=True)
    done = weave(ebb, tmp_path / 'out', jar)
    assert 'was signed' in done.stderr
    assert java('-jar', tmp_path / 'out/app.jar').stdout == java('-cp', classes, 'Loops').stdout


def test_what_makes_no_sense_is_said(tmp_path, ebb):
    (tmp_path / 'text.txt').write_text('no class')
    for args in (['timestamp'], [], ['other', 'x'], ['timestamp', '--nonsense', 'x']):
        assert ebb(['weave', *args]).returncode == 2
    assert 'is no class file' in ebb(['weave', 'timestamp', '-o', str(tmp_path / 'o'), str(tmp_path / 'text.txt')]).stderr
    assert ebb(['weave', 'timestamp', '-o', str(tmp_path / 'in'), str(tmp_path)]).returncode == 1


def test_a_woven_class_is_not_woven_again(tmp_path, ebb):
    classes = compile_java(tmp_path, 'Loops', LOOPS)
    weave(ebb, tmp_path / 'once', *classes.glob('*.class'))
    again = weave(ebb, tmp_path / 'twice', tmp_path / 'once')
    assert 'Loops.class is copied as it is: it counts already' in again.stderr
    assert 'Timestamp$Cell.class is copied as it is' in again.stderr and again.stdout.startswith('0 classes')
    assert counts(tmp_path / 'once', 'Loops') == counts(tmp_path / 'twice', 'Loops')
