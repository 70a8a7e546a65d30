"""The conformance suite of the Java machine: hundreds of small programs, with HotSpot as the oracle.

A case is a class with a main, AREA/CASE.java beside this file.  It is run as `java OPTIONS -cp CLASSES AREA.CASE ARGS`
on HotSpot and on our machine, each in an empty directory, and must give the same stdout, stderr and exit status.  There
are no files of expected output: the installed HotSpot says what is right.  Its answers are kept in build/conformance,
by a hash of the class files, so that it runs only for what changed.

Comments on lines of their own at the top of a case say how it is run:
    // options: -Xmx32m -ea          options of the VM; {native} is the directory of libconformance.so
    // args: a b                     arguments of main
    // stdin: one\\ntwo\\n             standard input (default: empty)
    // timeout: 120                  seconds on our machine (default 30)
    // stderr: ignored               stderr is not compared
Whole command lines of the launcher are cases too: commands.txt.
"""
import concurrent.futures
import ctypes
import dataclasses
import fcntl
import hashlib
import json
import os
import re
import shlex
import signal
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
WORK = Path(os.environ.get('EBB_CONFORMANCE_DIR', ROOT / 'build' / 'conformance'))
CLASSES = WORK / 'classes'
NATIVE = WORK / 'native'
JARS = WORK / 'jars'
KNOWN_FAILURES = HERE / 'known-failures.txt'
COMMANDS = HERE / 'commands.txt'
QUICK = HERE / 'quick.txt'
JAVAC_OPTIONS = ['-g', '-nowarn', '-encoding', 'UTF-8', '-XDignore.symbol.file', '-proc:none',
                 '--add-exports', 'java.base/jdk.internal.misc=ALL-UNNAMED']


def java_home():
    """The JDK 17 whose launcher and class library both machines use."""
    homes = [os.environ.get('EBB_JAVA_HOME'), '/usr/lib/jvm/java-17-openjdk-amd64', '/usr/lib/jvm/java-17-openjdk']
    return next((Path(h) for h in homes if h and (Path(h) / 'bin' / 'javac').exists()), None)


def jvm_dir():
    """The directory of our libjvm.so: the setting EBB_JVM_DIR, or the build directory."""
    return Path(os.environ.get('EBB_JVM_DIR', ROOT / 'build' / 'src' / 'jvm')).resolve()


def why_no_machine():
    """Why our machine cannot be tried, or None."""
    lib = jvm_dir() / 'libjvm.so'
    if not lib.exists():
        return f'{lib} has not been built'
    try:
        ctypes.CDLL(str(lib), mode=os.RTLD_NOW).JNI_CreateJavaVM
    except (OSError, AttributeError) as e:
        return f'{lib} is not complete: {e}'
    return None


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    options: tuple = ()
    args: tuple = ()
    stdin: str = ''
    timeout: int = 30
    stderr: bool = True
    env: tuple = ()         # of (variable, value)
    line: tuple = None      # a case of commands.txt: all the arguments of java

    @property
    def area(self):
        return self.name.split('.')[0]

    def command(self, vm_options=()):
        places = {'classes': CLASSES, 'native': NATIVE, 'jars': JARS, 'suite': HERE}
        args = self.line if self.line is not None else (*self.options, '-cp', '{classes}', self.name, *self.args)
        return [str(java_home() / 'bin' / 'java'), *vm_options, *(re.sub(r'\{(\w+)\}', lambda m: str(places[m[1]]), a) for a in args)]


@dataclasses.dataclass(frozen=True)
class Outcome:
    status: object      # exit status, or the name of a signal, or 'timeout'
    stdout: str
    stderr: str

    def crashed(self):
        return isinstance(self.status, str)


def read_case(path):
    text = path.read_text(encoding='utf-8')
    says = dict(re.findall(r'^// (options|args|stdin|timeout|stderr): (.*)$', text, re.MULTILINE))
    return Case(name=f'{path.parent.name}.{path.stem}', options=tuple(shlex.split(says.get('options', ''))),
                args=tuple(shlex.split(says.get('args', ''))),
                stdin=says.get('stdin', '').encode().decode('unicode_escape'),
                timeout=int(says.get('timeout', '30')), stderr=says.get('stderr') != 'ignored')


def cases():
    """Every case, by name."""
    found = [p for p in sorted(HERE.glob('*/*.java')) if 'public static void main(' in p.read_text(encoding='utf-8')]
    return [read_case(p) for p in found] + command_cases()


def command_cases():
    lines = [line for line in COMMANDS.read_text().splitlines() if line and not line.startswith('#')]
    made = []
    for name, text in (line.split(':', 1) for line in lines):
        words = shlex.split(text)
        env = tuple(tuple(w.split('=', 1)) for w in words if re.match(r'[A-Z_]+=', w))
        made.append(Case(name=f'commands.{name}', env=env, line=tuple(words[len(env):])))
    return made


def quick_cases():
    """The subset that is run when there is little time: names in quick.txt."""
    names = QUICK.read_text().split()
    return [c for c in cases() if c.name in names]


def known_failures():
    """Name of a case to the reason why it is known to fail on our machine."""
    lines = KNOWN_FAILURES.read_text().splitlines() if KNOWN_FAILURES.exists() else []
    pairs = [line.split(None, 1) for line in lines if line.strip() and not line.startswith('#')]
    return {p[0]: p[1] if len(p) > 1 else 'no reason given' for p in pairs}


def compile_suite():
    """Compiles everything, once, whoever else runs at the same time wants it too."""
    WORK.mkdir(parents=True, exist_ok=True)
    with open(WORK / 'lock', 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        compile_if_changed()


def compile_if_changed():
    """With one call of javac and one of cc, unless the sources are those of the last call."""
    sources = sorted(HERE.glob('*/*.java'))
    natives = sorted(HERE.glob('jni/*.c'))
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for source in sources + natives:
        digest.update(str(source.relative_to(HERE)).encode() + source.read_bytes())
    stamp = WORK / 'sources.sha256'
    if stamp.exists() and stamp.read_text() == digest.hexdigest():
        return
    subprocess.run(['rm', '-rf', str(CLASSES)], check=True)
    CLASSES.mkdir(parents=True)
    subprocess.run([str(java_home() / 'bin' / 'javac'), *JAVAC_OPTIONS, '-d', str(CLASSES), *map(str, sources)], check=True)
    for resource in HERE.glob('*/*.properties'):
        (CLASSES / resource.relative_to(HERE)).write_bytes(resource.read_bytes())
    compile_natives(natives)
    JARS.mkdir(exist_ok=True)
    subprocess.run([str(java_home() / 'bin' / 'jar'), 'cfe', str(JARS / 'brain.jar'), 'programs.Brain', '-C', str(CLASSES), 'programs'], check=True)
    stamp.write_text(digest.hexdigest())


def compile_natives(sources):
    include = java_home() / 'include'
    NATIVE.mkdir(exist_ok=True)
    subprocess.run(['cc', '-shared', '-fPIC', '-g', '-O1', '-Wall', '-Werror', f'-I{include}', f'-I{include / "linux"}',
                    '-o', str(NATIVE / 'libconformance.so'), *map(str, sources)], check=True)


def execute(command, stdin='', timeout=60, extra_env=()):
    """Runs `command` in an empty directory with a plain environment."""
    with tempfile.TemporaryDirectory(prefix='conformance-') as cwd:
        env = {'PATH': '/usr/bin:/bin', 'LANG': 'C.UTF-8', 'TZ': 'UTC', 'HOME': cwd, 'TMPDIR': cwd, 'EBB_CASE': 'yes'}
        env.update(extra_env)
        env.update({k: v for k, v in os.environ.items() if k.startswith(('EBB_', 'ASAN_', 'UBSAN_'))})
        p = subprocess.Popen(command, cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             start_new_session=True)
        try:
            out, err = p.communicate(stdin.encode(), timeout=timeout)
            status = p.returncode if p.returncode >= 0 else signal.Signals(-p.returncode).name
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)
            out, err = p.communicate()
            status = 'timeout'
        text = err.decode(errors='replace')
        text = ''.join(line for line in text.splitlines(True) if 'VM warning:' not in line)
        return Outcome(status, without_vm_name(out.decode(errors='replace')), without_vm_name(text))


def without_vm_name(text):
    return ''.join(line for line in text.splitlines(True) if not re.search(r'\(build .* mode', line))


def case_hash(case):
    """Names an answer of the oracle: the class files of the area, how the case is run, and by which JDK."""
    digest = hashlib.sha256(repr(case).encode() + (java_home() / 'release').read_bytes())
    beside = {'jni': [NATIVE], 'commands': [CLASSES / 'programs', CLASSES / 'system']}.get(case.area, [])
    for folder in (CLASSES / case.area, CLASSES / 'support', *beside):
        for path in sorted(folder.glob('*')):
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:32]


def on_hotspot(case):
    """What HotSpot answers, from the cache if it was asked before."""
    kept = WORK / 'oracle' / f'{case.name}-{case_hash(case)}.json'
    if kept.exists():
        return Outcome(**json.loads(kept.read_text()))
    outcome = execute(case.command(), case.stdin, 120, case.env)
    kept.parent.mkdir(parents=True, exist_ok=True)
    fresh = kept.with_suffix(f'.{os.getpid()}')
    fresh.write_text(json.dumps(dataclasses.asdict(outcome)))
    fresh.rename(kept)
    return outcome


def on_ours(case, extra_env=(), slower=1):
    return execute(case.command([f'-XXaltjvm={jvm_dir()}']), case.stdin, case.timeout * slower, (*case.env, *extra_env))


def first_difference(ours, oracle):
    a, b = ours.splitlines(), oracle.splitlines()
    for n, (x, y) in enumerate(zip(a, b), 1):
        if x != y:
            return f'line {n}: ours {x[:300]!r}, HotSpot {y[:300]!r}'
    if len(a) != len(b):
        more = 'ours' if len(a) > len(b) else 'HotSpot'
        line = (a if len(a) > len(b) else b)[min(len(a), len(b))]
        return f'{len(a)} lines, HotSpot {len(b)}; {more} goes on with {line[:300]!r}'
    return 'line ends' if ours != oracle else None


def differences(case, ours, oracle):
    """What is different, one line each; empty if the case passes."""
    found = []
    if ours.status != oracle.status:
        found.append(f'status: ours {ours.status}, HotSpot {oracle.status}')
    for stream in ('stdout', 'stderr') if case.stderr else ('stdout',):
        diff = first_difference(getattr(ours, stream), getattr(oracle, stream))
        if diff:
            found.append(f'{stream}: {diff}')
    if ours.crashed() and ours.stderr:
        found.append('ours said: ' + ' | '.join(ours.stderr.strip().splitlines()[-3:])[:500])
    return found


def check(case):
    """Runs a case on both; what is different."""
    oracle = on_hotspot(case)
    return differences(case, on_ours(case), oracle)


class Pool:
    """Runs cases two at a time (the machine has one OS thread busy per process); each is started once."""

    def __init__(self, selected, job=check, workers=int(os.environ.get('EBB_JOBS', '2'))):
        self.executor = concurrent.futures.ThreadPoolExecutor(workers)
        self.futures = {c.name: self.executor.submit(job, c) for c in selected}

    def result(self, case):
        return self.futures[case.name].result()

    def close(self):
        self.executor.shutdown(cancel_futures=True)
