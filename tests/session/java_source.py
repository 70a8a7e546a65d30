"""Small Java programs that stand in a test itself."""
import json
import subprocess


def compile_java(folder, name, source):
    """Compiles `source`, the text of the class `name`, in `folder`; which is given back."""
    path = folder / f'{name}.java'
    path.write_text(source)
    subprocess.run(['javac', '-g', '-d', folder, path], check=True)
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
