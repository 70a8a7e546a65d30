"""Small Java programs that stand in a test itself."""
import base64
import functools
import json
import pathlib
import re
import shutil
import subprocess


@functools.cache
def compiler():
    """A Java machine that compiles whatever this process asks it to: a javac that starts for each program costs ten times what the compiling does.  It
    ends with its input, that is with this process."""
    java = pathlib.Path(shutil.which('javac')).resolve().parent / 'java'
    source = pathlib.Path(__file__).parent / 'javac' / 'Compiles.java'
    return subprocess.Popen([java, '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', source], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)


def javac(*words, cwd=None):
    """As the command javac; sources are looked for in `cwd`, and classes written beside them unless the words say where."""
    words = [str(pathlib.Path(cwd, w)) if cwd and str(w).endswith('.java') else str(w) for w in words]
    if cwd and '-cp' not in words:
        words = ['-cp', str(cwd), *words]
    server = compiler()
    server.stdin.write('\t'.join(words) + '\n')
    server.stdin.flush()
    status, said = server.stdout.readline().rstrip('\n').split(' ')
    assert status == '0', (words, base64.b64decode(said).decode(errors='replace'))


def compile_java(folder, name, source):
    """Compiles `source`, the text of the class `name`, in `folder`; which is given back."""
    path = folder / f'{name}.java'
    path.write_text(source)
    javac('-g', '-d', folder, path)
    return folder


def is_of_script(one):
    """Whether the object answers a command of the script, not the one that read it."""
    return not one.get("command", "").startswith("source")


def script_answers(ebb, script, program, commands, options=(), may_fail=False):
    """What ebb answers to the commands, written to the file `script`, over the program (folder, class): all objects, and the lines that the program wrote.
    Unless it may_fail, no command does."""
    folder, name = program
    script.write_text("\n".join(commands) + "\n")
    done = ebb(["run", "--batch", "--json", *options, "-x", script, "java", "-cp", folder, name], timeout=300)
    lines = done.stdout.splitlines()
    told = [json.loads(line) for line in lines if line.startswith("{")]
    assert may_fail or done.returncode == 0, (done.stderr, told[-3:])
    return told, [line for line in lines if not line.startswith("{")]


def batch_answers(ebb, folder, name, commands):
    """What `name` of `folder` and ebb answer to the commands: the objects that are answers or stops."""
    words = [word for command in commands for word in ("-e", command)]
    done = ebb(["run", "--batch", "--json", *words, "--", "java", "-cp", folder, name], timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    told = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return [one for one in told if one["kind"] in ("answer", "stop")]


def stores_of(folder, name):
    """Where a class stores, as javap tells: {"Class.method:index": "putstatic total" | "iastore" | "local" | "invokestatic arraycopy" | ...}."""
    listing = subprocess.run(["javap", "-c", "-p", "-cp", str(folder), name], check=True, capture_output=True, text=True).stdout
    found, method = {}, None
    for line in listing.splitlines():
        header = re.match(r"  \S.*?([\w$]+)\(.*\)", line)
        code = re.match(r"\s+(\d+): (\w+)(?:.*// (?:Field|Method) (?:[\w/$]+\.)?(\w+))?", line)
        if header:
            method = header.group(1)
        elif code and (code.group(2) in ("putstatic", "putfield") or code.group(3) == "arraycopy"):
            found[f"{name}.{method}:{code.group(1)}"] = f"{code.group(2)} {code.group(3)}"
        elif code and re.fullmatch("[ilfdabcs]astore", code.group(2)):
            found[f"{name}.{method}:{code.group(1)}"] = code.group(2)
        elif code and re.fullmatch("[ilfda]store(_\\d)?|iinc", code.group(2)):
            found[f"{name}.{method}:{code.group(1)}"] = "local"
    return found
