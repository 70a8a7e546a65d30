"""Runs one script of commands through gdb and through ebb and brings both answers into one form.

Both debuggers start the same binary with the same arguments and environment and without address
randomisation, so addresses on the stack are equal and need no normalising.
"""
import copy
import pathlib
import re
import subprocess

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C", "TERM": "dumb"}
MARK = "@@%d@@"


class Script:
    """The first line names the program and its arguments.  A command behind a line "#differs LEVELS: why"
    is known to be answered otherwise at these optimisation levels, on purpose."""

    def __init__(self, path):
        self.name = path.stem
        lines = path.read_text().splitlines()
        self.program, *self.arguments = lines[0].removeprefix("# program: ").split()
        beside = [path.with_name(f"{self.program}{suffix}") for suffix in (".c", ".cc")]  # of its own, or one of examples/
        self.source = next((source for source in beside if source.exists()), f"examples/c/{self.program}.c")
        self.compiler = ["g++", "-std=c++17"] if str(self.source).endswith(".cc") else ["gcc"]
        levels = [line.removeprefix("# levels: ") for line in lines if line.startswith("# levels: ")]
        self.levels = levels[0].split() if levels else ["-O0", "-O2"]
        flags = [line.removeprefix("# flags: ") for line in lines if line.startswith("# flags: ")]
        self.flags = flags[0].split() if flags else ["-g"]
        self.commands, self.differs = [], {}
        for line in lines:
            if excuse := re.match(r"#differs ([-O\w ]+):", line):
                self.differs[len(self.commands)] = excuse[1].split()
            elif line and not line.startswith("#"):
                self.commands.append(line)


    def without(self, numbers):
        """The same script without these commands."""
        shorter = copy.copy(self)
        stay = [i for i in range(len(self.commands)) if i not in numbers]
        shorter.commands = [self.commands[i] for i in stay]
        shorter.differs = {new: self.differs[old] for new, old in enumerate(stay) if old in self.differs}
        return shorter


def scripts():
    return [Script(p) for p in sorted(pathlib.Path(__file__).parent.glob("*.script"))]


def marked(commands):
    """Each command, with a mark printed before it, so that answers can be told apart."""
    for number, command in enumerate(commands):
        yield "echo \\n" + MARK % number + "\\n"
        yield command
    yield "echo \\n" + MARK % len(commands) + "\\n"


def split(output, n_commands):
    """The answer to each command."""
    parts = re.split(r"\n?@@\d+@@\n", output)
    return parts[1:n_commands + 1]


def run_gdb(binary, script):
    setup = ["set confirm off", "set width 0", "set height 0", "set startup-with-shell off",
             "unset environment LINES", "unset environment COLUMNS", "set style enabled off"]
    words = ["gdb", "-nx", "-q", "-batch"]
    for command in [*setup, *marked(script.commands)]:
        words += ["-ex", command]
    words += ["--args", str(binary), *script.arguments]
    done = subprocess.run(words, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, timeout=120)
    return split(done.stdout.decode(errors="replace"), len(script.commands))


# gdb 13 can't write the vector registers of a CPU that has more of them than it knows, and so can't call functions there.
GDB_IS_LOST = "Couldn't write extended state status"


def run_gdb_as_far_as_it_can(binary, script):
    """gdb's answers, and the script without the commands that gdb is not able to carry out on this CPU."""
    answers = run_gdb(binary, script)
    lost = {i for i, answer in enumerate(answers) if GDB_IS_LOST in answer}
    if not lost:
        return answers, script
    print(f"left out, since gdb can't call functions on this CPU: {[script.commands[i] for i in sorted(lost)]}")
    return run_gdb_as_far_as_it_can(binary, script.without(lost))


def run_ebb(ebb, binary, script, mode):
    """ebb stops a batch at the first failing command, so the commands come through standard input."""
    commands = "\n".join(["set confirm off", "set width 0", "set height 0", f"mode {mode}", *marked(script.commands)])
    done = subprocess.run([str(ebb), "run", "--native", "--", str(binary), *script.arguments],
                          env=ENVIRONMENT, input=(commands + "\n").encode(), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=120)
    return split(done.stdout.decode(errors="replace"), len(script.commands))


# What depends on numbers the kernel gave out, what gdb tells only to a person at a terminal, and its notes about
# libraries of its own.
DROP = [
    r"\[Thread debugging using libthread_db enabled\]",
    r"Using host libthread_db library .*",
    r"\[New (Thread|LWP) .*\]",
    r"\[(Thread|LWP) .* exited\]",
    r"\[Switching to .*\]",
    r"Starting program: .*",
    r"Run till exit from .*",
    r"\d+@\S+",  # the position of a stop in VM mode
    r"\(More stack frames follow...\)",
    r"warning: left shift count >= width of type",
    r"\s*",
]
REPLACE = [
    (r"Thread 0x[0-9a-f]+ \(LWP \d+\)", "LWP P"),
    (r"LWP \d+", "LWP P"),
    (r"Target Id +Frame", "Target Id Frame"),
    (r"\(process \d+\)", "(process P)"),
    # That an argument still has the value it was passed with: ebb says so in fewer cases, as it doubts tail calls
    # through pointers.
    (r"(\b\w+)=\1@entry=", r"\1="),
    (r"__jmpbuf = \{[^}]*\}", "__jmpbuf = {...}"),  # mangled with a random number
]


def normalise(answer):
    lines = []
    for line in answer.splitlines():
        line = line.rstrip()
        if any(re.fullmatch(pattern, line) for pattern in DROP):
            continue
        for pattern, text in REPLACE:
            line = re.sub(pattern, text, line)
        lines.append(line)
    return lines


def compare(gdb_answers, ebb_answers, script, level):
    """A paragraph for every command whose answers differ without an excuse, or agree in spite of one."""
    complaints = []
    for i, command in enumerate(script.commands):
        theirs, ours = normalise(gdb_answers[i]), normalise(ebb_answers[i])
        excused = level in script.differs.get(i, [])
        if (theirs != ours) != excused:
            why = "(marked as differing, but agrees)" if excused else ""
            complaints.append("\n".join([f">>> {command} {why}", *("gdb| " + x for x in theirs),
                                         *("ebb| " + x for x in ours)]))
    return complaints
