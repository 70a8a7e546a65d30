#!/usr/bin/env python3
"""Random command lines for the prompt.  `fuzz/cli_fuzz.py PROGRAM [SECONDS [SEED]]` runs batches of them through
build/ebb until the time is over, and stops at the first crash or hang with the seed that made it."""
import pathlib
import random
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Commands that would leave the conversation or do something outside of it.
NEVER = {"quit", "shell", "source", "attach", "cd", "file", "while", "detach"}
ATOMS = ["x", "i", "a", "b", "head", "total", "argc", "argv", "main", "add", "push", "list.c:12", "1", "0", "-1", "0x10", "3.5", "'c'", '"s"',
         "$", "$$", "$1", "$pc", "$rsp", "$nothing", "struct node", "int", "char *", "nosuch", "all", "on", "off", "/x", "/4x", "/i", "/s",
         "/9999d", "(", ")", "[", "]", "*", "&", "->", ".", "=", "==", "+", "-", ",", "@", "?", ":", "::", "<<", "if", "thread 1", "1-3", "2.1",
         "SIGINT", "stop", "print elements", "unlimited", "\t", "\\n", "%s", "%n", "\x01", "é", "\\", "'", '"', "#", "!=", "&&", "~", "99999999999999999999"]


def command_names():
    """The first words of all commands, from the table itself."""
    table = (ROOT / "src" / "front" / "cli" / "commands.def").read_text()
    names = [line.split('"')[1] for line in table.splitlines() if line.startswith("CLI_COMMAND(\"")]
    return [name for name in names if name.split()[0] not in NEVER]


def line(choice, names):
    kind = choice.random()
    if kind < 0.10:  # garbage
        return "".join(chr(choice.choice([choice.randrange(1, 127), choice.randrange(128, 0x500)])) for _ in range(choice.randrange(40))).replace("\n", " ")
    words = [choice.choice(names)] if kind < 0.90 else []
    words += [choice.choice(ATOMS) for _ in range(choice.randrange(6))]
    text = choice.choice(["", " "]).join(words) if kind > 0.80 else " ".join(words)
    if choice.random() < 0.05:  # cut somewhere
        text = text[: choice.randrange(len(text) + 1)]
    return text


def is_harmless(text):
    """No line that leaves the conversation or reaches outside, abbreviations included."""
    word = text.strip().split(" ")[0].split("/")[0]
    risky = NEVER | {"exit", "!"}
    return not text.strip().startswith("!") and not any(name.startswith(word) for name in risky if word) and "quit" not in text \
        and "shell" not in text and "!" != word[:1]


def lines(seed, n):
    """n random lines; bodies are closed now and then, and the program is begun again and again."""
    choice = random.Random(seed)
    names = command_names()
    made = ["set confirm off", "break add"]
    while len(made) < n:
        text = line(choice, names)
        if is_harmless(text):
            made.append(text)
        if choice.random() < 0.05:
            made += ["end", choice.choice(["start", "run", "start", "break push", "tbreak main"])]
    return made[:n] + ["end"] * 12


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = sys.argv[1]
    until = time.monotonic() + float(sys.argv[2] if len(sys.argv) > 2 else 60)
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    while time.monotonic() < until:
        text = "\n".join(lines(seed, 250)) + "\necho survived\\n\n"
        try:
            done = subprocess.run([ROOT / "build" / "ebb", "run", "--no-init", program], input=text.encode(), capture_output=True, timeout=120)
        except subprocess.TimeoutExpired:
            sys.exit(f"seed {seed}: hangs")
        if done.returncode or not done.stdout.endswith(b"survived\n"):
            sys.exit(f"seed {seed}: status {done.returncode}\n{done.stderr.decode(errors='replace')[-2000:]}")
        seed += 1
    print(f"no crash up to seed {seed - 1}")


if __name__ == "__main__":
    main()
