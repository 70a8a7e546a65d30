"""Small Java programs that stand in a test itself."""
import json
import subprocess


def compile_java(folder, name, source):
    """Compiles `source`, the text of the class `name`, in `folder`; which is given back."""
    path = folder / f'{name}.java'
    path.write_text(source)
    subprocess.run(['javac', '-g', '-d', folder, path], check=True)
    return folder


def batch_answers(ebb, folder, name, commands):
    """What `name` of `folder` and ebb answer to the commands: the objects that are answers or stops."""
    words = [word for command in commands for word in ("-e", command)]
    done = ebb(["run", "--batch", "--json", *words, "--", "java", "-cp", folder, name], timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    told = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return [one for one in told if one["kind"] in ("answer", "stop")]
