"""A native library of a user (tests/jvm/jni) that calls every function of the JNI table, on HotSpot and on our machine."""
import re
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
JNI = TESTS / 'jvm' / 'jni'
sys.path.insert(0, str(TESTS / 'jvm' / 'conformance'))

import conformance as suite     # noqa: E402

from java_source import javac


def include_flags():
    home = Path(suite.java_home())
    return [f'-I{home}/include', f'-I{home}/include/linux']


@pytest.fixture(scope='module')
def built(tmp_path_factory):
    if suite.java_home() is None:
        pytest.skip('no JDK 17 found: install openjdk-17-jdk-headless')
    out = tmp_path_factory.mktemp('jni')
    subprocess.run(['cc', '-g', '-O1', '-fPIC', '-shared', '-Wall', *include_flags(), '-o', out / 'libjni_table.so', JNI / 'jni_table.c'],
                   check=True)
    javac('-d', out, JNI / 'JniTable.java')
    return out


def run(built, *options):
    command = ['java', *options, f'-Djni.library={built}/libjni_table.so', '-cp', str(built), 'JniTable']
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_library_calls_every_function():
    source = subprocess.run(['cc', '-E', *include_flags(), JNI / 'jni_table.c'], check=True, capture_output=True, text=True).stdout
    table = re.search(r'struct JNINativeInterface_ \{(.*?)\n\};', source, re.S).group(1)
    names = re.findall(r'\( ?\*(\w+)\)', table)
    assert len(names) == 230
    called = set(re.findall(r'\(\*env\)->(\w+)', source))
    assert not set(names) - called


def test_same_as_hotspot(built):
    reason = suite.why_no_machine()
    if reason:
        pytest.skip(reason)
    hotspot = run(built, '-Xint')
    assert hotspot.returncode == 0, hotspot.stderr
    ours = run(built, f'-XXaltjvm={suite.jvm_dir()}')
    assert ours.stdout.splitlines() == hotspot.stdout.splitlines()
    assert ours.returncode == 0, ours.stderr
