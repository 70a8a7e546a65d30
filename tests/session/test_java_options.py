"""Options of the launcher that need a folder of their own, beside HotSpot."""
import os
import re
import subprocess

import pytest
from conftest import ROOT
from java_source import javac

PATCHED = 'package java.util;\npublic class Patched { public static String hi() { return "in " + Patched.class.getModule().getName(); } }\n'
USES = '''
public class Uses {
    public static void main(String[] args) throws Exception {
        Class<?> c = Class.forName("java.util.Patched");
        System.out.println(c.getMethod("hi").invoke(null) + " " + c.getClassLoader() + " " + new java.util.ArrayList<>());
    }
}
'''
EATS = '''
public class Eats {
    public static void main(String[] args) {
        for (int turn = 0; turn < 2; turn++)
            try {
                byte[][] all = new byte[1000][];
                for (int i = 0; i < all.length; i++)
                    all[i] = new byte[10 << 20];
            } catch (OutOfMemoryError e) {
                System.out.println("full " + turn);
            }
    }
}
'''


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp('options')
    (made / 'patch' / 'java' / 'util').mkdir(parents=True)
    (made / 'patch' / 'java' / 'util' / 'Patched.java').write_text(PATCHED)
    (made / 'Uses.java').write_text(USES)
    (made / 'Eats.java').write_text(EATS)
    javac('-g', '--patch-module', f'java.base={made}/patch', '-d', made / 'patched', made / 'patch' / 'java' / 'util' / 'Patched.java')
    javac('-g', '-d', made, made / 'Uses.java', made / 'Eats.java')
    subprocess.run(['jar', 'cf', made / 'patched.jar', '-C', made / 'patched', '.'], check=True)
    return made


def outputs(words):
    """What HotSpot and our machine print."""
    machine = os.environ.get('EBB_JVM_DIR', str(ROOT / 'build' / 'src' / 'jvm'))
    both = [subprocess.run(['java', *option, *map(str, words)], capture_output=True, text=True, timeout=120, check=True).stdout
            for option in ([], [f'-XXaltjvm={machine}'])]
    return [re.sub(r'(hook|echo) \d+', r'\1 PID', out) for out in both]


@pytest.mark.parametrize('where', ['patched', 'patched.jar', 'nowhere:{0}/patched'])
def test_classes_that_patch_a_module_of_the_boot_loader(folder, where):
    theirs, ours = outputs(['--patch-module', f'java.base={folder}/{where.format(folder)}', '-cp', folder, 'Uses'])
    assert ours == theirs == 'in java.base null []\n'


def test_a_recording_has_the_patch(ebb, folder, tmp_path):
    words = ['record', '--verify', '-o', tmp_path / 'r', '--', 'java', '--patch-module', f'java.base={folder}/patched', '-cp', folder, 'Uses']
    assert ebb(words, timeout=120).returncode == 0
    (folder / 'patched').rename(folder / 'away')
    try:
        done = ebb(['replay', '--verify', '--batch', tmp_path / 'r'], timeout=120)
    finally:
        (folder / 'away').rename(folder / 'patched')
    assert 'all the same' in done.stdout, done.stdout + done.stderr


def test_a_command_when_memory_is_out(folder):
    theirs, ours = outputs(['-Xmx64m', '-XX:OnOutOfMemoryError=echo hook %p; echo %p >/dev/null', '-cp', folder, 'Eats'])
    assert ours == theirs and theirs.count('\nhook PID\n') == 1
