"""Ways of starting and ending a Java program, on the Java machine and on HotSpot: modules, images made by jlink, signals, pipes, clients."""
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / 'jvm' / 'conformance'))

import conformance as suite     # noqa: E402

from java_source import javac

OURS = [f'-XXaltjvm={suite.jvm_dir()}']

CORE = {
    'module-info.java': 'module app.core { exports app.core; provides java.util.function.Supplier with app.core.Impl; }',
    'app/core/Impl.java': '''package app.core;
public class Impl implements java.util.function.Supplier<String> {
    public String get() { return "from " + getClass().getModule(); }
}''',
}
MAIN = {
    'module-info.java': 'module app.main { requires app.core; requires java.logging; uses java.util.function.Supplier; }',
    'app/main/Main.java': '''package app.main;
import java.util.*;
import java.util.function.Supplier;
public class Main {
    public static void main(String[] args) throws Exception {
        for (Supplier<?> s : ServiceLoader.load(Supplier.class)) System.out.println(s.get());
        System.out.println(Main.class.getModule() + " " + Arrays.toString(args) + " " + Main.class.getModule().getLayer().findModule("java.sql").isPresent());
        try {
            Class.forName("jdk.internal.misc.Unsafe").getMethod("getUnsafe").invoke(null);
            String.class.getDeclaredField("value").setAccessible(true);
            System.out.println("open");
        } catch (Exception e) {
            System.out.println(e);
        }
        throw new IllegalStateException("end");
    }
}''',
}

PROGRAM = '''
import com.sun.net.httpserver.*;
import java.net.InetSocketAddress;
import java.util.Scanner;
import java.util.concurrent.*;
public class Program {
    public static void main(String[] args) throws Exception {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
        switch (args[0]) {
            case "wait":
                System.out.println("ready");
                Thread.sleep(60_000);
                break;
            case "lines":
                for (int i = 0; i < 100_000; i++) System.out.println(i);
                System.err.println("failed " + System.out.checkError());
                break;
            case "echo":
                Scanner in = new Scanner(System.in);
                while (in.hasNextLine()) System.out.println("<" + in.nextLine() + ">");
                break;
            case "serve":
                HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 50);
                server.setExecutor(Executors.newFixedThreadPool(8));
                server.createContext("/", x -> {
                    byte[] asked = x.getRequestBody().readAllBytes();
                    byte[] text = (x.getRequestMethod() + " " + x.getRequestURI() + " " + asked.length).getBytes();
                    x.sendResponseHeaders(200, text.length);
                    x.getResponseBody().write(text);
                    x.close();
                });
                server.start();
                System.out.println(server.getAddress().getPort());
                break;
        }
    }
}
'''


@pytest.fixture(scope='module', autouse=True)
def machine():
    if suite.java_home() is None:
        pytest.skip('no JDK 17 found: install openjdk-17-jdk-headless')
    if suite.why_no_machine():
        pytest.skip(suite.why_no_machine())


@pytest.fixture(scope='module')
def modules(tmp_path_factory):
    """A folder with modules as directories (mods) and as jars (jars)."""
    folder = tmp_path_factory.mktemp('modules')
    sources = []
    for module, files in (('app.core', CORE), ('app.main', MAIN)):
        for name, text in files.items():
            path = folder / 'src' / module / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            sources.append(path)
    javac('-d', folder / 'mods', '--module-source-path', folder / 'src', *sources)
    (folder / 'jars').mkdir()
    subprocess.run(['jar', '--create', '--file', folder / 'jars' / 'core.jar', '-C', folder / 'mods' / 'app.core', '.'], check=True)
    subprocess.run(['jar', '--create', '--file', folder / 'jars' / 'main.jar', '--main-class', 'app.main.Main', '--module-version', '1.2',
                    '-C', folder / 'mods' / 'app.main', '.'], check=True)
    return folder


@pytest.fixture(scope='module')
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp('program')
    (folder / 'Program.java').write_text(PROGRAM)
    javac('Program.java', cwd=folder)
    return folder


def outcome(java, *arguments, cwd, stdin=''):
    p = subprocess.run([java, *arguments], cwd=cwd, input=stdin, capture_output=True, text=True, timeout=120)
    return p.returncode, p.stdout, [line for line in p.stderr.splitlines() if 'VM warning' not in line]


def assert_same(*arguments, cwd, java='java', stdin=''):
    assert outcome(java, *OURS, *arguments, cwd=cwd, stdin=stdin) == outcome(java, *arguments, cwd=cwd, stdin=stdin)


@pytest.mark.parametrize('line', [
    '--module-path mods -m app.main/app.main.Main x y',
    '-p jars -m app.main',
    '-p jars --add-exports java.base/jdk.internal.misc=app.main --add-opens java.base/java.lang=app.main -m app.main',
    '-p jars --add-modules java.sql -m app.main',
    '-p nowhere -m app.main',
    '-p jars:mods --validate-modules',
    '--upgrade-module-path jars -m app.main',
    '-p jars --add-modules ALL-MODULE-PATH -cp . app.main.Main',
    '-cp jars/* app.main.Main',
    '-cp mods/app.main:mods/app.core app.main.Main',
    '-jar jars/main.jar',
])
def test_modules(modules, line):
    assert_same(*line.split(), cwd=modules)


def test_an_image_made_by_jlink(modules):
    subprocess.run(['jlink', '--module-path', f'jars:{suite.java_home()}/jmods', '--add-modules', 'app.main', '--output', 'image'],
                   cwd=modules, check=True, capture_output=True)
    assert_same('-m', 'app.main', 'q', cwd=modules, java=str(modules / 'image' / 'bin' / 'java'))
    assert_same('--list-modules', cwd=modules, java=str(modules / 'image' / 'bin' / 'java'))


@pytest.mark.parametrize('option', ['-Xmx64m', '-Xrs'])
@pytest.mark.parametrize('name', ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR1'])
def test_a_signal_ends_the_program_as_under_hotspot(program, name, option):
    def end(*machine):
        p = subprocess.Popen(['java', *machine, option, 'Program', 'wait'], cwd=program, stdout=subprocess.PIPE, text=True)
        assert p.stdout.readline() == 'ready\n'
        p.send_signal(getattr(signal, name))
        return p.communicate(timeout=120)[0], p.returncode
    assert end(*OURS) == end()


def test_output_that_nobody_reads_is_an_error_not_a_signal(program):
    def end(*machine):
        p = subprocess.Popen(['java', *machine, 'Program', 'lines'], cwd=program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        p.stdout.readline()
        p.stdout.close()
        return p.stderr.read(), p.wait(timeout=120)
    assert end(*OURS) == end() == ('failed true\n', 0)


def test_standard_input_line_by_line(program):
    assert_same('Program', 'echo', cwd=program, stdin='one\ntwo \u00e9\n\nlast')
    p = subprocess.Popen(['java', *OURS, 'Program', 'echo'], cwd=program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    for word in ('a', 'b'):
        p.stdin.write(f'{word}\n')
        p.stdin.flush()
        assert p.stdout.readline() == f'<{word}>\n'
    assert p.communicate(timeout=120)[0] == 'hook\n'


def test_an_http_server_with_many_clients(program):
    p = subprocess.Popen(['java', *OURS, 'Program', 'serve'], cwd=program, stdout=subprocess.PIPE, text=True)
    port = int(p.stdout.readline())

    def ask(i):
        body = os.urandom(i * 997) if i % 2 else None
        with urllib.request.urlopen(f'http://127.0.0.1:{port}/x?{i}', body, timeout=120) as answer:
            return answer.read().decode() == f'{"POST" if body else "GET"} /x?{i} {len(body or b"")}'
    try:
        with socket.create_connection(('127.0.0.1', port)) as idle:     # blocks one thread of the pool, no more
            idle.sendall(b'GET / HTTP/1.1\r\n')
            with ThreadPoolExecutor(20) as pool:
                assert all(pool.map(ask, range(200)))
    finally:
        p.terminate()
    assert p.communicate(timeout=120)[0] == 'hook\n' and p.returncode == 143
