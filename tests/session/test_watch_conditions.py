"""Conditions of watchpoints: tested inside the program in VM mode, they hold when gdb says so, forward and backward."""
import re
import subprocess

import pytest

PROGRAM = r"""
    #include <stdio.h>
    #include <stdlib.h>

    int total, other;
    double mean;
    char word[8] = "a";
    struct node { int a; short b; double d; struct node *next; } first, second, *p = &first;

    __attribute__((noinline)) static void add(int k)
    {
        int i = -k; /* not the one of main */
        total += k;
        other += i;
    }

    int main(int argc, char **argv)
    {
        int n = argc > 1 ? atoi(argv[1]) : 60, local = 0;
        for (int i = 0; i < n; i++) {
            add(i & 3);
            p->a = i;
            p->b = (short)(i * 1000);
            p->d = i / 4.0;
            mean = total / (i + 1.0);
            word[i & 3] = (char)('a' + i % 3);
            local += 2;
            if (i == n / 2)
                p = &second;
        }
        printf("%d %d %d %g\n", total, other, local, mean);
        return 0;
    }
"""

PAIRS = [("total", "total % 7 == 3"), ("total", "i > 50"), ("total", "i == local / 2 && i > 20"), ("other", "k == 2 && i == -2"),
         ("p->a", "p->a > 55 || p->a == 12"), ("p->b", "p->b < -20000"), ("p->d", "p->d * 2 >= 11.0 && p->d < 7"), ("mean", "mean > 1.45 && total > 20"),
         ("word[1]", '$_streq(word, "abbc")'), ("local", "local % 22 == 0"), ("-l p->a", "first.a % 13 == 4"), ("total", "$_thread == 1 && total > 80")]
TOLD = r"^(?:Old value|New value) = .*|^\tbreakpoint already hit .*"


def script(what, condition, n_continues):
    begin = ["break main" if "k ==" not in condition else "break add", "run", "next 2" if "k ==" not in condition else "next"]
    return [*begin, "delete 1", f"watch {what} if {condition}", *["continue"] * n_continues, "info watchpoints"]


def told_by(command, commands, program):
    words = [word for one in commands for word in ("-ex" if command[0] == "gdb" else "-e", one)]
    done = subprocess.run([*command, *words, str(program)], capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)
    return re.findall(TOLD, done.stdout, re.M), done.stdout + done.stderr


@pytest.mark.parametrize("what, condition", PAIRS)
def test_they_hold_when_gdb_says_so(ebb, compile_c, what, condition):
    program = compile_c(PROGRAM)
    commands = script(what, condition, 3)
    expected, said = told_by(["gdb", "-nx", "-batch"], commands, program)
    assert len(expected) >= 3, said
    for mode in ("vm", "native"):
        words = [word for one in (f"mode {mode}", *commands) for word in ("-e", one)]
        done = ebb(["run", "--batch", *words, program], timeout=200)
        assert re.findall(TOLD, done.stdout, re.M) == expected, done.stdout + done.stderr


@pytest.mark.parametrize("what, condition", PAIRS)
def test_going_back_they_hold_at_the_same_moments(ebb, compile_c, what, condition):
    program = compile_c(PROGRAM)
    commands = [*script(what, condition, 3)[:-1], *["reverse-continue"] * 3]
    words = [word for one in commands for word in ("-e", one)]
    done = ebb(["run", "--batch", *words, program], timeout=200)
    values = re.findall(r"^(?:Old|New) value = (.*)", done.stdout, re.M)
    changes = list(zip(values[::2], values[1::2]))
    assert len(changes) >= 2, done.stdout
    back = changes[len(changes) // 2:] if "exited" not in done.stdout else changes[-(len(changes) // 2):]
    forward = changes[:len(changes) - len(back)]
    assert [(new, old) for old, new in reversed(forward)] == back, done.stdout


def test_a_false_one_costs_no_stop(ebb, compile_c):
    """As stops, these changes would take minutes."""
    program = compile_c(PROGRAM)
    commands = ["break main", "run", "next", "watch total if total < 0", "watch p->a if total == 78 && p->a % 10 == 2", "continue", "print i",
                "continue", "reverse-continue", "print i", "info watchpoints"]
    words = [word for one in commands for word in ("-e", one)]
    done = ebb(["run", "--batch", *words, program, "1500000"], timeout=300)
    assert re.findall(r"^\$\d = (.*)", done.stdout, re.M) == ["52", "52"], done.stdout + done.stderr


@pytest.mark.parametrize("wrong", ["watch total if nosuch > 3", "condition 2 nosuch"])
def test_a_condition_is_looked_at_when_it_is_given(ebb, compile_c, wrong):
    commands = ["break main", "run", "watch total if total > 30", wrong]
    done = ebb(["run", "--batch", *[word for one in commands for word in ("-e", one)], compile_c(PROGRAM)], timeout=200)
    assert 'No symbol "nosuch" in current context.' in done.stdout + done.stderr


def test_a_condition_can_change(ebb, compile_c):
    commands = ["break main", "run", "watch total if total > 30", "continue", "condition 2 total > 40", "continue", "continue"]
    done = ebb(["run", "--batch", *[word for one in commands for word in ("-e", one)], compile_c(PROGRAM)], timeout=200)
    assert re.findall(r"^New value = (.*)", done.stdout, re.M) == ["31", "42", "43"], done.stdout


def test_one_whose_frame_is_gone_stops(ebb, compile_c):
    program = compile_c(PROGRAM)
    commands = ["break add", "run", "watch mean if k == 7", "delete 1", "continue"]
    expected, said = told_by(["gdb", "-nx", "-batch"], commands, program)
    assert "Watchpoint condition cannot be tested in the current scope" in said
    done = ebb(["run", "--batch", *[word for one in commands for word in ("-e", one)], program], timeout=200)
    assert "Watchpoint condition cannot be tested in the current scope" in done.stdout + done.stderr
    assert re.findall(TOLD, done.stdout, re.M) == expected


OTHER_FILE = r"""
    extern int total;
    static int limit = -100; /* not the one of main's file */
    int hidden(int k) { total += k; return limit; }
"""


def test_names_of_the_file_are_those_of_the_file_in_which_it_was_set(ebb, compile_c, tmp_path):
    (tmp_path / "other.c").write_text(OTHER_FILE)
    program = compile_c(r"""
        int total;
        static int limit = 20;
        extern int hidden(int);
        int main(void)
        {
            for (int i = 0; i < 20; i++)
                hidden(i);
            return total + limit == 0;
        }
    """, flags=("-g", "-O0", str(tmp_path / "other.c")))
    commands = ["break main", "run", "watch total if total > limit", "continue", "continue"]
    expected, said = told_by(["gdb", "-nx", "-batch"], commands, program)
    assert expected == ["Old value = 15", "New value = 21", "Old value = 21", "New value = 28"], said
    for mode in ("vm", "native"):
        done = ebb(["run", "--batch", *[word for one in (f"mode {mode}", *commands) for word in ("-e", one)], program], timeout=200)
        assert re.findall(TOLD, done.stdout, re.M) == expected, done.stdout + done.stderr
