"""Whole programs on the Java machine and on HotSpot, which must agree: the JDK's own tools, and jars that Debian packages."""
import filecmp
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / 'jvm' / 'conformance'))

import conformance as suite     # noqa: E402

from java_source import javac

JARS = Path(os.environ.get('EBB_JAVA_JARS', '/usr/share/java'))     # where Debian's packages put them

JUNIT = '''
import org.junit.*;
public class Cases {
    @Test public void passes() { Assert.assertEquals(2, 1 + 1); }
    @Test public void fails() { Assert.assertTrue("no", false); }
    @Test(expected = ArithmeticException.class) public void throwsAsExpected() { int x = 0; x = 1 / x; }
    @Test(timeout = 50) public void tooSlow() throws Exception { Thread.sleep(5000); }
    @Ignore @Test public void ignored() { }
}
'''

DATABASE = '''
import java.sql.*;
public class Database {
    public static void main(String[] args) throws Exception {
        try (Connection c = DriverManager.getConnection("jdbc:hsqldb:mem:t", "SA", "")) {
            Statement s = c.createStatement();
            s.execute("create table p(id int primary key, name varchar(40), d double)");
            PreparedStatement insert = c.prepareStatement("insert into p values(?, ?, ?)");
            for (int i = 0; i < 300; i++) {
                insert.setInt(1, i);
                insert.setString(2, "name" + i % 7);
                insert.setDouble(3, i * 1.5);
                insert.executeUpdate();
            }
            ResultSet r = s.executeQuery("select name, count(*), sum(d) from p where id > 10 group by name order by name");
            while (r.next()) System.out.println(r.getString(1) + " " + r.getInt(2) + " " + r.getDouble(3));
            try {
                s.execute("insert into p values(1, 'again', 1)");
            } catch (SQLException e) {
                System.out.println(e.getMessage());
            }
        }
    }
}
'''

LANG = '''
import org.apache.commons.lang3.*;
import org.apache.commons.lang3.builder.*;
public class Lang {
    public static void main(String[] args) {
        System.out.println(StringUtils.reverse("abc") + StringUtils.leftPad("7", 3, '0') + WordCount.of("a b c"));
        System.out.println(new ToStringBuilder(new int[0], ToStringStyle.JSON_STYLE).append("k", 1).append("v", "x").toString());
        System.out.println(Range.between(1, 5).contains(3) + " " + ClassUtils.getAllInterfaces(java.util.ArrayList.class).size());
    }
    static class WordCount { static int of(String s) { return StringUtils.split(s).length; } }
}
'''

SLOW_NAMES = '''
import java.net.*;
public class SlowNames {
    static volatile int ticks;
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> { try { while (true) { ticks++; Thread.sleep(20); } } catch (InterruptedException e) { } });
        t.setDaemon(true);
        t.start();
        int before = ticks;
        try { InetAddress.getByName("slow.invalid"); } catch (UnknownHostException e) { System.out.println(e.getMessage()); }
        System.out.println(ticks - before > 5);
    }
}
'''

SLOW_RESOLVER = '''
#define _GNU_SOURCE
#include <netdb.h>
#include <unistd.h>
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **res)
{
    sleep(1);
    return EAI_NONAME;
}
'''

TABLES = '''
import java.sql.*;
public class Tables {
    public static void main(String[] args) throws Exception {
        try (Connection c = DriverManager.getConnection(args[0])) {
            Statement s = c.createStatement();
            s.execute("create table t(id int primary key, n varchar(20), v double)");
            PreparedStatement p = c.prepareStatement("insert into t values(?, ?, ?)");
            for (int i = 0; i < 2000; i++) {
                p.setInt(1, i);
                p.setString(2, "n" + i % 13);
                p.setDouble(3, i * 0.5);
                p.addBatch();
                if (i % 500 == 499) p.executeBatch();
            }
            s.execute("create index by_name on t(n)");
            ResultSet r = s.executeQuery("select n, count(*), sum(v), max(id) from t where id > 100 group by n order by n");
            while (r.next()) System.out.println(r.getString(1) + " " + r.getInt(2) + " " + r.getDouble(3) + " " + r.getInt(4));
            try { s.execute("insert into t values(1, 'again', 1)"); } catch (SQLException e) { System.out.println(e.getSQLState()); }
            c.setAutoCommit(false);
            s.executeUpdate("delete from t where id < 1000");
            c.rollback();
            r = s.executeQuery("select count(*) from t a join t b on a.id = b.id");
            r.next();
            System.out.println(r.getInt(1));
            c.commit();
        }
    }
}
'''

# Languages that Debian packages for the JVM: jars, arguments up to the script, the script.
LANGUAGES = {
    'clojure': ('clojure-1.11 spec.alpha core.specs.alpha', 'clojure.main', '''
(defn fib [n] (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(println (fib 20) (map #(* % %) (range 10)) (reduce + (filter even? (range 1000))))
(defprotocol P (area [x])) (defrecord Sq [s] P (area [x] (* s s))) (println (area (->Sq 4)) (->Sq 3))
(let [a (atom 0) fs (doall (for [i (range 10)] (future (dotimes [_ 100] (swap! a inc)))))] (doseq [f fs] @f) (println @a))
(println (try (/ 1 0) (catch ArithmeticException e (.getMessage e)))) (shutdown-agents)'''),
    'rhino': ('js', 'org.mozilla.javascript.tools.shell.Main', '''
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) } print(fib(18));
print(JSON.stringify({a: [1, 2, {b: "x"}]}), [3, 1, 2].sort().map(function (x) { return x * x }), /a(b+)c/.exec("xabbbc"));
try { undefined.foo } catch (e) { print(e) } print(new java.util.ArrayList([1, 2]).size());'''),
    'beanshell': ('bsh', 'bsh.Interpreter', '''
int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); } print(f(12)); m = new HashMap(); m.put("a", 1); print(m);
try { throw new RuntimeException("x"); } catch (e) { print(e); }'''),
    'groovy': ('groovy-all asm antlr commons-cli', 'groovy.ui.GroovyMain', '''
def fib(n) { n < 2 ? n : fib(n - 1) + fib(n - 2) }
println fib(15); println([1, 2, 3].collect { it * 2 }.sum()); [a: 1, b: 2].each { k, v -> println "$k=$v" }
class P { String name; int age }; println new P(name: 'x', age: 3).name
try { null.foo() } catch (e) { println e.message }; println new groovy.json.JsonBuilder([a: [1, 2]]).toString()'''),
    'jython': ('jython guava antlr3-runtime asm commons-compress jnr-posix jnr-constants jnr-ffi jffi icu4j', 'org.python.util.jython', '''
import re, json
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print fib(15), [x * x for x in range(5)], re.findall(r'[0-9]+', 'a1b22'), json.dumps({'x': [1, 2]})
try: 1 / 0
except ZeroDivisionError as e: print e'''),
}

BUILD = '''<project default="all"><target name="all"><mkdir dir="out"/><javac srcdir="src" destdir="out" includeantruntime="false"/>
<jar destfile="x.jar" basedir="out"/><java classname="Hello" classpath="x.jar"/><exec executable="echo"><arg value="done"/></exec>
<delete dir="out"/><delete file="x.jar"/></target></project>'''


@pytest.fixture(autouse=True)
def machine():
    if suite.java_home() is None:
        pytest.skip('no JDK 17 found: install openjdk-17-jdk-headless')
    if suite.why_no_machine():
        pytest.skip(suite.why_no_machine())


def jars(*names):
    """A class path of packaged jars, or a skip that says what to install."""
    paths = [JARS / f'{n}.jar' for n in names]
    missing = [p.name for p in paths if not p.exists()]
    if missing:
        pytest.skip(f'not installed: {", ".join(missing)} (packages of tools/packages are; the others are for who has them)')
    return ':'.join(map(str, paths))


def java(*arguments, cwd=None, ours=True, env=()):
    machine = [f'-XXaltjvm={suite.jvm_dir()}'] if ours else []
    return subprocess.run(['java', *machine, *arguments], cwd=cwd, capture_output=True, text=True, timeout=300, env={**os.environ, **dict(env)})


def assert_same(*arguments, cwd=None, ignore=r'(?!)'):
    """Both machines: status, stdout and stderr, lines that match `ignore` (times) left out."""
    def seen(p):
        keep = lambda text: [line for line in text.splitlines() if not re.search(ignore, line)]
        return p.returncode, keep(p.stdout), keep(p.stderr)
    assert seen(java(*arguments, cwd=cwd)) == seen(java(*arguments, cwd=cwd, ours=False))


def compile_program(tmp_path, name, source, classpath='.'):
    (tmp_path / f'{name}.java').write_text(source)
    javac('-cp', classpath, '-d', tmp_path, tmp_path / f'{name}.java')


def test_javac_writes_the_same_classes(tmp_path):
    sources = sorted(str(p) for p in (TESTS / 'jvm' / 'conformance').rglob('*.java'))
    assert sum(len(Path(s).read_text().splitlines()) for s in sources) > 10000
    for name, ours in (('ours', True), ('hotspot', False)):
        p = java('-m', 'jdk.compiler/com.sun.tools.javac.Main', *suite.JAVAC_OPTIONS, '-d', str(tmp_path / name), *sources, ours=ours)
        assert p.returncode == 0, p.stderr
    classes = sorted(p.relative_to(tmp_path / 'hotspot') for p in (tmp_path / 'hotspot').rglob('*.class'))
    assert classes == sorted(p.relative_to(tmp_path / 'ours') for p in (tmp_path / 'ours').rglob('*.class'))
    same, different, missing = filecmp.cmpfiles(tmp_path / 'ours', tmp_path / 'hotspot', classes, shallow=False)
    assert not different and not missing


@pytest.mark.parametrize('arguments', [
    ['-m', 'jdk.jartool/sun.tools.jar.Main', '--help'],
    ['-m', 'jdk.jdeps/com.sun.tools.javap.Main', '-c', '-p', 'java.util.HashMap'],
    ['--list-modules'],
], ids=['jar', 'javap', 'list-modules'])
def test_tools(arguments):
    assert_same(*arguments)


def test_jshell(tmp_path):
    (tmp_path / 's.jsh').write_text('int x = 3;\nSystem.out.println(x * 14)\nrecord P(int a) {}\nSystem.out.println(new P(x))\n/exit\n')
    assert_same(f'-Duser.home={tmp_path}', '-m', 'jdk.jshell/jdk.internal.jshell.tool.JShellToolProvider', '--execution', 'local', 's.jsh',
                cwd=tmp_path, ignore='prefs|user preferences')


def test_junit(tmp_path):
    classpath = jars('junit4', 'hamcrest-core') + f':{tmp_path}'
    compile_program(tmp_path, 'Cases', JUNIT, classpath)
    assert_same('-cp', classpath, 'org.junit.runner.JUnitCore', 'Cases', ignore='^Time:')


def test_ant(tmp_path):
    classpath = jars('ant', 'ant-launcher')
    (tmp_path / 'src').mkdir()
    (tmp_path / 'src' / 'Hello.java').write_text('public class Hello { public static void main(String[] a) { System.out.println("hello"); } }')
    (tmp_path / 'build.xml').write_text(BUILD)
    assert_same('-cp', classpath, '-Dant.home=/usr/share/ant', 'org.apache.tools.ant.launch.Launcher', cwd=tmp_path, ignore='^Total time')


def test_hsqldb(tmp_path):
    classpath = jars('hsqldb') + f':{tmp_path}'
    compile_program(tmp_path, 'Database', DATABASE, classpath)
    assert_same('-cp', classpath, 'Database', cwd=tmp_path)


def test_commons_lang(tmp_path):
    classpath = jars('commons-lang3') + f':{tmp_path}'
    compile_program(tmp_path, 'Lang', LANG, classpath)
    assert_same('-cp', classpath, 'Lang')


@pytest.mark.parametrize('option', ['-javaagent:x.jar', '-agentlib:jdwp=server=y', '-agentpath:/x.so', '-Xrunjdwp'])
def test_agents_are_refused_in_one_clear_line(option):
    done = java(option, '-version')
    assert done.returncode == 1
    assert done.stderr.splitlines()[0].startswith(f'{option}: agents (JVMTI) are not supported')


def test_a_slow_name_server_blocks_one_thread_only(tmp_path):
    compile_program(tmp_path, 'SlowNames', SLOW_NAMES)
    (tmp_path / 'slow.c').write_text(SLOW_RESOLVER)
    subprocess.run(['cc', '-shared', '-fPIC', '-o', tmp_path / 'slow.so', tmp_path / 'slow.c'], check=True)
    done = java('-cp', str(tmp_path), 'SlowNames', env={'LD_PRELOAD': str(tmp_path / 'slow.so')})
    assert done.stdout == 'slow.invalid: Name or service not known\ntrue\n'


@pytest.mark.parametrize('language', LANGUAGES)
def test_languages(tmp_path, language):
    names, main, script = LANGUAGES[language]
    (tmp_path / 'script').write_text(script)
    assert_same('-Dpython.home=' + str(JARS.parent / 'jython'), '-Dpython.console=', '-cp', jars(*names.split()), *main.split(), 'script', cwd=tmp_path)


@pytest.mark.parametrize('database', ['h2 jdbc:h2:mem:t', 'derby jdbc:derby:memory:t;create=true'], ids=['h2', 'derby'])
def test_databases(tmp_path, database):
    name, url = database.split()
    classpath = jars(name) + f':{tmp_path}'
    compile_program(tmp_path, 'Tables', TABLES)
    assert_same('-cp', classpath, 'Tables', url, cwd=tmp_path)
