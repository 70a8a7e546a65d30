"""Ignore counts of native breakpoints and watchpoints: VM mode counts the hits inside the program, forward; the timeline passes over them,
backward.  Both come to the hits that gdb comes to, and that a loop without surprises says."""
import re
import subprocess

import pytest

PROGRAM = r"""
    #include <stdio.h>
    #include <stdlib.h>

    long total;
    int calls;

    __attribute__((noinline)) int add(int i)
    {
        total += i;
        calls++;
        return i;
    }

    int main(int argc, char **argv)
    {
        int n = argc > 1 ? atoi(argv[1]) : 3000;
        for (int i = 0; i < n; i++) {
            int was = add(i);
            if (was % 3 == 0)
                add(0);
        }
        printf("%ld\n", total);
        return 0;
    }
"""
LINE = next(n for n, text in enumerate(PROGRAM.splitlines(), 1) if "total += i;" in text)
TOLD = r"^\$\d+ = .*|^(?:Old value|New value) = .*|^\tbreakpoint already hit .*|^\tignore next .*|exited normally"

SCRIPTS = {
    "a breakpoint": ["break add", "run", "ignore 1 2500", "continue", "print i", "info breakpoints"],
    "to the end": ["break add", "ignore 1 1000000", "run", "info breakpoints"],
    "with a condition": ["break add if i % 10 == 4", "ignore 1 200", "run", "print i", "info breakpoints", "continue", "print i"],
    "two at one place": ["break add", "break add if i == 900", "ignore 1 700", "ignore 2 0", "run", "print i", "info breakpoints", "continue", "print i"],
    "several places": [f"rbreak ^add$", "ignore 1 40", f"break {LINE + 1}", "ignore 2 45", "run", "print i", "info breakpoints", "continue", "info breakpoints"],
    "stops on the way": ["break add", "tbreak add if i == 50", "ignore 1 300", "run", "print i", "info breakpoints", "next", "next", "continue", "print i", "info breakpoints"],
    "steps over hits": ["break main", "run", "next 2", "break add", "ignore 2 5", "next", "next", "next", "next", "next", "next", "next", "next", "next", "info breakpoints"],
    "one that is temporary": ["tbreak add", "ignore 1 100", "run", "print i", "info breakpoints"],
    "a watchpoint": ["watch total", "ignore 1 1000", "run", "print i", "info watchpoints", "continue"],
    "a watchpoint with a condition": ["watch total if total % 7 == 1", "ignore 1 100", "run", "print total", "info watchpoints", "ignore 1 20", "continue"],
    "a watchpoint to the end": ["watch calls", "ignore 1 1000000", "run", "info watchpoints"],
    "a watchpoint and a breakpoint": ["watch total", "ignore 1 1000", "break add if i == 300", "run", "print i", "info breakpoints", "continue", "info breakpoints"],
    "changed meanwhile": ["break add", "ignore 1 100", "run", "ignore 1 1000", "condition 1 i > 200", "continue", "print i", "info breakpoints", "disable 1", "continue"],
}


def told(done):
    return re.findall(TOLD, done.stdout, re.M)


def by_gdb(commands, program):
    words = [word for one in commands for word in ("-ex", one)]
    return told(subprocess.run(["gdb", "-q", "-nx", "-batch", *words, str(program)], capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL))


@pytest.mark.parametrize("name", SCRIPTS)
def test_forward_they_stop_where_gdb_stops(batch, compile_c, name):
    program = compile_c(PROGRAM)
    theirs, ours = by_gdb(SCRIPTS[name], program), batch(program, *SCRIPTS[name])
    assert len(theirs) > 0
    assert told(ours) == theirs, ours.stdout + ours.stderr


@pytest.mark.parametrize("point", ["break add", "break add if i % 2 == 0", "watch total", "rwatch calls"])
def test_hits_that_are_ignored_are_no_stops(batch, compile_c, point):
    """How often the debuggee stood still at a point, ebb's own log tells."""
    done = batch(compile_c(PROGRAM), point, "ignore 1 1000000", "run", "info breakpoints", args=["20000"], env={"EBB_LOG": "move"})
    n_stops, hits = len(re.findall(r"point thread", done.stderr)), int(re.search(r"already hit (\d+) times", done.stdout)[1])
    assert "exited normally" in done.stdout and hits >= 10000
    assert "thread" in done.stderr and n_stops < 20


BACK = [
    # add is called for i, and for every third i once more, with 0
    (["delete 1", "break add if i > 0", "ignore 2 100", "reverse-continue", "print i", "info breakpoints"], ["$1 = 1899", "\tbreakpoint already hit 101 times"]),
    (["delete 1", "break add if i > 0", "ignore 2 1", "reverse-continue", "print i", "reverse-continue", "print i"], ["$1 = 1998", "$2 = 1997"]),
    (["delete 1", "break add if i > 0", "break add if i == 1950", "ignore 2 100", "reverse-continue", "print i", "info breakpoints"],
     ["$1 = 1950", "\tbreakpoint already hit 50 times", "\tignore next 50 hits", "\tbreakpoint already hit 1 time"]),
    (["delete 1", "break add if i > 0", "ignore 2 100000", "reverse-continue", "info breakpoints"],
     ["\tbreakpoint already hit 1999 times", "\tignore next 98001 hits"]),
    # total: 0 + 1 + ... + 1999 before add(2000); the hundredth change before is that by 1900, where total becomes 1 + ... + 1900
    (["delete 1", "watch total", "ignore 2 99", "reverse-continue", "print i", "info watchpoints"],
     ["Old value = 1805950", "New value = 1804050", "$1 = 1900", "\tbreakpoint already hit 100 times"]),
    (["delete 1", "watch total", "break main", "ignore 2 3", "reverse-continue", "print i"], ["Old value = 1993006", "New value = 1991010", "$1 = 1996"]),
]


@pytest.mark.parametrize("commands, expected", BACK)
def test_backward_they_are_used_up(batch, compile_c, commands, expected):
    assert sum(range(1901)) == 1805950 and sum(range(1997)) == 1993006
    done = batch(compile_c(PROGRAM), "break add if i == 2000", "run", *commands)
    assert told(done) == expected, done.stdout + done.stderr


def test_a_step_back_ends_at_its_line_though_a_hit_is_ignored_there(batch, compile_c):
    done = batch(compile_c(PROGRAM), "break add if i == 2000", "run", "next", "delete 1", f"break {LINE}", "ignore 2 5", "reverse-next", "print i", "info breakpoints")
    assert told(done) == ["$1 = 2000", "\tbreakpoint already hit 1 time", "\tignore next 4 hits"], done.stdout
    assert re.search(rf"^{LINE}\t.*\n.*\n\$1", done.stdout, re.M), done.stdout
