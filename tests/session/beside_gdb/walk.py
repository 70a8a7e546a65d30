"""Random walks: scripts of steps and looks around, made from a seed and the words of a program's source."""
import random
import re

import harness

MOVES = (["step", "next"] * 6 + ["finish"] * 3 + ["stepi", "nexti", "until"] * 2 +
         ["continue", "step 3", "next 4", "stepi 5", "nexti 3", "advance %function"])
LOOKS = ["backtrace 4", "backtrace -2", "info locals", "info args", "frame", "up", "down", "info line", "list",
         "print %name", "print *%name", "print &%name", "print/x %name", "whatis %name", "ptype %name",
         "print sizeof(%name)", "print %name[0]", "print !%name", "output %name", "print $pc", "print $sp", "x/2i $pc",
         "tbreak %function", "info line %function", "info registers rip"]
DEFINITION = re.compile(r"^(?:static )?[a-z][\w *]*?\b(\w+)\(.*\)\n\{", re.MULTILINE)
NOT_VARIABLES = set("""auto bool break case char const continue default do double else enum extern false float for goto if inline int long
    return short signed sizeof static struct switch true typedef union unsigned void volatile while define include
    errno stderr stdin stdout""".split())

# Wordings that differ on purpose, and what differs from run to run.
ALIKE = [
    (r"No stack: the program is not being run\.|No frame selected\.|The program has no registers now\.|No registers\.",
     "No stack."),
    (r'"finish" is not meaningful', '"finish" not meaningful'),
    (r",\nwhich has no line number information", ", which has no line number information"),
    (r"cannot subscript (something of type `.*'|requested type)", "cannot subscript it"),
    (r"A syntax error in expression, near `'\.|Attempt to use a type name as an expression", "not an expression"),
    (r"0x[1-9a-f][0-9a-f]{12,15}\b( <error: [^>]*>)?|\b\d{13,20}\b", "GARBAGE"),  # not set yet: what was there may be random
    (r", \w+@entry=[^,)]*", ""),
]


class Walk:
    """Looks like harness.Script: a program, its arguments, commands and no excuses."""

    def __init__(self, source, program, arguments, seed, n_moves):
        self.program, self.arguments, self.differs = program, arguments, {}
        chance = random.Random(f"{program} {seed}")
        code = re.sub(r"/\*.*?\*/|\"[^\"\n]*\"|'[^'\n]*'|#include[^\n]*", "", source, flags=re.DOTALL)
        functions = sorted(set(DEFINITION.findall(code)))
        libc = set(re.findall(r"\b(\w+)\(", code)) - set(functions)
        names = sorted(set(re.findall(r"\b[a-zA-Z_]\w*\b", code)) - NOT_VARIABLES - libc)

        def filled(command):
            return command.replace("%function", chance.choice(functions)).replace("%name", chance.choice(names))

        self.commands = ["break " + chance.choice(functions), "break main", "run"]
        for _ in range(n_moves):
            self.commands += [filled(chance.choice(MOVES)), "backtrace 3", "info locals"]
            self.commands += [filled(look) for look in chance.sample(LOOKS, chance.randrange(3))]


def alike(answer):
    for pattern, text in ALIKE:
        answer = re.sub(pattern, text, answer, flags=re.MULTILINE)
    return answer


def compare(theirs, ours, walk):
    return harness.compare([alike(x) for x in theirs], [alike(x) for x in ours], walk, "")
