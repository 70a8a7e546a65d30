#!/usr/bin/env python3
"""Random command lines for the prompt.  `fuzz/cli_fuzz.py PROGRAM [SECONDS [SEED [FIRST LINES...]]]` runs batches of them
through build/ebb (or the binary that EBB names) until the time is over, and stops at the first crash or hang with the
seed that made it.  The first lines open every batch: "mode vm", say."""
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Commands that would leave the conversation or do something outside of it.
NEVER = {"quit", "shell", "source", "attach", "cd", "file", "while", "detach"}
ATOMS = ["x", "i", "a", "b", "head", "total", "argc", "argv", "main", "add", "push", "list.c:12", "1", "0", "-1", "0x10", "3.5", "'c'", '"s"',
         "$", "$$", "$1", "$pc", "$rsp", "$nothing", "struct node", "int", "char *", "nosuch", "all", "on", "off", "/x", "/4x", "/i", "/s",
         "/9999d", "(", ")", "[", "]", "*", "&", "->", ".", "=", "==", "+", "-", ",", "@", "?", ":", "::", "<<", "if", "thread 1", "1-3", "2.1",
         "SIGINT", "stop", "print elements", "unlimited", "\t", "\\n", "%s", "%n", "\x01", "é", "\\", "'", '"', "#", "!=", "&&", "~", "99999999999999999999"]


# What a word in capitals of a command's schema may be.
PLAUSIBLE = {
    "WHERE": ["main", "add", "push", "list.c:12", "12", "25", "list.c:add", "*main", "*$pc", "nosuch", "9999"],
    "EXPR": ["total", "argc", "a + b", "head", "*head", "head->value", "fresh", "$pc", "$", "$1", "argv[0]", "*argv@2", "add(1,2)", "sizeof(int)",
             "(char)65", "&total", "&*head", "total == 0", "1/0", "*(int *)0", "at", "sum", "1.5 * 2", "$rax", "$xmm0", "{int} &total", "nosuch"],
    "ADDRESS": ["&total", "$sp", "$pc", "argv[0]", "0", "main"],
    "TYPE": ["struct node", "int", "head", "main", "char *[3]", "struct nosuch"],
    "SYMBOL": ["total", "main", "argc", "nosuch"],
    "FUNCTION": ["main", "add", "nosuch"],
    "REGEX": ["add", ".", "^p", "[", "total"],
    "NUMBERS": ["1", "2", "1-3", "99", "1 2", "2.1"],
    "N": ["1", "2", "3", "0", "-1", "argc"],
    "SIGNAL": ["SIGINT", "INT", "10", "all", "SIGNOPE", "0"],
    "REGISTER": ["rip", "$rsp", "xmm0", "eflags", "st0", "nosuch"],
    "COMMAND": ["p 1", "bt", "info locals", "nosuch", "next"],
    "SETTING": ["print elements 3", "print pretty on", "listsize 5", "width 40", "x = 3", "total = 4", "$v = 9", "print", "var total = 1"],
    "TOPIC": ["break", "data", "all", "set print", "nosuch"],
    "FILE": ["/nosuch/file"], "DIRECTORY": ["/tmp", "/nosuch"], "PROGRAM": ["/nosuch"],
    "NAME": ["mine", "twice", "write"], "TEXT": ['"%d %s\\n", 1, "x"', "hello\\n", '"%d"'],
    "FMT": ["x", "4xw", "d", "t", "3i", "s", "c", "2g", "z"], "VALUE": ["1"], "VARIABLE": ["COLOUR"], "POSITION": ["12", "12@list.c:3", "start"],
    "ACTION": ["stop", "nostop", "print", "pass"], "EVENT": ["fork", "syscall write", "signal", "thread", "exec"], "ARGUMENTS": ["1 2", "x"],
}
PLAUSIBLE["PLACE"] = ["total", "$v", "head->value", "a", "b"]
PLAUSIBLE["BREAKPOINTS"] = PLAUSIBLE["DISPLAYS"] = PLAUSIBLE["THREADS"] = PLAUSIBLE["NUMBERS"]


def commands():
    """Names and schemas of all commands, from the table itself."""
    table = (ROOT / "src" / "front" / "cli" / "commands.def").read_text()
    rows = re.findall(r'^CLI_COMMAND\("([^"]+)", "[^"]*", \w+, "([^"]*)"', table, re.M)
    return [(name, schema) for name, schema in rows if name.split()[0] not in NEVER]


def arguments(choice, schema):
    """Something that fits the schema, as far as one can tell from it."""
    words = []
    for item in re.findall(r"\[[^\]]*\]|\S+", schema):
        if item.startswith("[") and choice.random() < 0.4:
            continue
        for word in item.strip("[].").split():
            word = word.rstrip(".]")
            slash = "/" if word.startswith("/") else ""
            word = choice.choice(word.split("|")).lstrip("/") if "|" in word else word.lstrip("/")
            words.append(slash + choice.choice(PLAUSIBLE.get(word, [word])))
    return " ".join(words)


def line(choice, rows):
    kind = choice.random()
    if kind < 0.08:  # garbage
        return "".join(chr(choice.choice([choice.randrange(1, 127), choice.randrange(128, 0x500)])) for _ in range(choice.randrange(40))).replace("\n", " ")
    name, schema = choice.choice(rows)
    if kind < 0.70:  # what a person might type
        return f"{name} {arguments(choice, schema)}".strip()
    words = [name] if kind < 0.95 else []
    words += [choice.choice(ATOMS) for _ in range(choice.randrange(6))]
    text = choice.choice(["", " "]).join(words)
    if choice.random() < 0.1:  # cut somewhere
        text = text[: choice.randrange(len(text) + 1)]
    return text


def is_harmless(text):
    """No line that leaves the conversation or reaches outside, abbreviations included."""
    word = text.strip().split(" ")[0].split("/")[0]
    risky = NEVER | {"exit", "!"}
    return not text.strip().startswith("!") and not any(name.startswith(word) for name in risky if word) and "quit" not in text \
        and "shell" not in text and "!" != word[:1]


def lines(seed, n, opening=()):
    """n random lines; bodies are closed now and then, and the program is begun again and again."""
    choice = random.Random(seed)
    rows = commands()
    made = ["set confirm off", "break add", *opening]
    while len(made) < n:
        text = line(choice, rows)
        if is_harmless(text):
            made.append(text)
        if choice.random() < 0.05:
            made += ["end", choice.choice(["start", "run", "start", "break push", "tbreak main"])]
    return made[:n] + ["end"] * 12


def finish(running, seconds):
    """Waits for the end.  Commands of a breakpoint may begin the program again and again: as a person would, SIGINT ends
    that, and only what goes on then hangs."""
    for patience in [seconds] + [2] * 60:
        try:
            return running.wait(patience)
        except subprocess.TimeoutExpired:
            running.send_signal(signal.SIGINT)
    running.kill()
    running.wait()
    return "hangs"


def converse(ebb, program, text, seconds=60):
    """One batch; returns what is wrong, None if nothing is."""
    with tempfile.TemporaryFile() as typed, tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complained:
        typed.write(text.encode())
        typed.seek(0)
        status = finish(subprocess.Popen([ebb, "run", "--no-init", program], stdin=typed, stdout=said, stderr=complained, start_new_session=True), seconds)
        said.seek(0)
        complained.seek(0)
        if status or not said.read().endswith(b"survived\n"):
            return f"status {status}\n{complained.read().decode(errors='replace')[-4000:]}"
        return None


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = sys.argv[1]
    until = time.monotonic() + float(sys.argv[2] if len(sys.argv) > 2 else 60)
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    ebb = os.environ.get("EBB", str(ROOT / "build" / "ebb"))
    while time.monotonic() < until:
        text = "\n".join(lines(seed, 250, sys.argv[4:])) + "\necho survived\\n\n"
        if wrong := converse(ebb, program, text):
            sys.exit(f"seed {seed}: {wrong}")
        seed += 1
    print(f"no crash up to seed {seed - 1}")


if __name__ == "__main__":
    main()
