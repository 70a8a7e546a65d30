#!/usr/bin/env python3
"""Tomcat answers while it is recorded, and one of the requests is found again by a condition going back: a long run by hand.

    tests/jvm/programs/tomcat.py         jars and ebb as of `run` beside this
"""
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
JARS = [Path(folder) for folder in os.environ.get('EBB_JAVA_JARS', '/usr/share/java').split(':')]
EBB = os.environ.get('EBB', str(HERE.parents[2] / 'build' / 'ebb'))
N_REQUESTS, WANTED = 20, 13

SOURCE = '''
import jakarta.servlet.http.*;
import java.io.*;
import org.apache.catalina.*;
import org.apache.catalina.startup.Tomcat;

public class Shop extends HttpServlet {
    static int sold;
    static volatile boolean done;

    static int sell(int n) {
        sold += n;
        return sold;
    }

    @Override protected void doGet(HttpServletRequest asked, HttpServletResponse answer) throws IOException {
        int n = Integer.parseInt(asked.getParameter("n"));
        answer.setContentType("text/plain");
        answer.getWriter().println("sold " + sell(n));
        if (n == 0) done = true;
    }

    public static void main(String[] args) throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(args[0]);
        tomcat.setHostname("127.0.0.1");
        tomcat.setPort(0);
        Context context = tomcat.addContext("", new File(args[0]).getAbsolutePath());
        Tomcat.addServlet(context, "shop", new Shop());
        context.addServletMappingDecoded("/buy", "shop");
        tomcat.start();
        System.out.println("port " + tomcat.getConnector().getLocalPort());
        while (!done) Thread.sleep(50);
        tomcat.stop();
        tomcat.destroy();
        System.out.println("sold " + sold);
    }
}
'''


def class_path():
    return ':'.join(str(jar) for folder in JARS for jar in sorted(folder.glob('tomcat10-*.jar')) if not re.search(r'-10\.[\d.]+\.jar$|i18n', jar.name))


def ask(port, n):
    with urllib.request.urlopen(f'http://127.0.0.1:{port}/buy?n={n}', timeout=60) as answer:
        return answer.read().decode()


def record(work, path):
    words = [EBB, 'record', '--verify', '-o', str(work / 'shop.ebb'), '--', 'java', '-cp', f'{work}:{path}', 'Shop', str(work / 'base')]
    began = time.monotonic()
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as shop:
        port = int(shop.stdout.readline().split()[1])
        print(f'Tomcat listens after {time.monotonic() - began:.1f} s')
        began, sold = time.monotonic(), 0
        for n in range(1, N_REQUESTS + 1):
            sold += n
            assert ask(port, n) == f'sold {sold}\n'
        print(f'{N_REQUESTS} requests in {time.monotonic() - began:.1f} s')
        ask(port, 0)
        rest = shop.stdout.read()
    assert shop.returncode == 0 and f'sold {sold}\n' in rest, (shop.returncode, rest)


def find(work):
    """The request that asked for WANTED, from the end of the recording back."""
    commands = [f'break Shop.sell if n == {WANTED}', 'goto end', 'reverse-continue', 'print n', 'print sold', 'backtrace 3', 'up', 'print asked.getQueryString()',
                'print asked.getRequestURI()']
    began = time.monotonic()
    done = subprocess.run([EBB, 'replay', '--batch', *[word for command in commands for word in ('-e', command)], str(work / 'shop.ebb')],
                          capture_output=True, text=True, timeout=600, check=False)
    print(f'found in {time.monotonic() - began:.1f} s')
    out = done.stdout + done.stderr
    before = WANTED * (WANTED - 1) // 2
    assert f'$1 = {WANTED}\n' in out and f'$2 = {before}\n' in out and f'$3 = "n={WANTED}"' in out and '$4 = "/buy"' in out, out


def main():
    path = class_path()
    if not path:
        print('no Tomcat 10 there: install libtomcat10-java, or set EBB_JAVA_JARS')
        return 77
    with tempfile.TemporaryDirectory(prefix='ebb-tomcat-') as folder:
        work = Path(folder)
        (work / 'Shop.java').write_text(SOURCE)
        (work / 'base').mkdir()
        subprocess.run(['javac', '-g', '-cp', path, '-d', work, work / 'Shop.java'], check=True)
        record(work, path)
        done = subprocess.run([EBB, 'replay', '--verify', '--batch', '-e', 'info history', str(work / 'shop.ebb')], capture_output=True, text=True, check=False)
        assert 'all the same' in done.stdout + done.stderr, done.stdout + done.stderr
        find(work)
    print('pass')
    return 0


sys.exit(main())
