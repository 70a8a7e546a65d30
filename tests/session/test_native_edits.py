"""What the user changes and calls in a native program: part of its history while it runs, gone at once in the past."""
import re

import pytest

PROGRAM = r"""
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    int total = 5, calls;
    char text[40] = "plain";
    static int add(int a) { total += a; calls++; return total; }
    static char *label(int n) { char *s = malloc(20); snprintf(s, 20, "label %d", n); return s; }
    static int risky(int *p) { return *p; }
    static int spoil(const char *path) { return unlink(path); }
    int main(int argc, char **argv)
    {
        for (int i = 0; i < 6; i++)
            printf("%d %s\n", add(i), text);
        printf("%d\n", (int)strlen(label(3)));
        return risky(&calls) + (argc > 1 ? spoil(argv[1]) : 0);
    }
"""


@pytest.fixture(scope="session")
def program(compile_c):
    return compile_c(PROGRAM, name="edited")


def values(out):
    return re.findall(r"^\$\d+ = (.*)$", out, re.MULTILINE)


TO_THE_THIRD = ["break add", "run", "continue", "continue", "delete"]


def test_changes_come_again(batch, program):
    """A variable, a register, an array, a function that changes the program: all of it, in both directions."""
    done = batch(program, *TO_THE_THIRD, "set var total = 1000", "print add(7)", "set var text = \"edited\"", "when", "continue",
                 "break add", "reverse-continue", "print total", "reverse-continue", "reverse-continue", "reverse-continue", "print total", "print text",
                 "print calls", "reverse-continue", "print a", "reverse-continue", "print a", "print total", "reverse-continue", "reverse-continue", "print total", "print text", "print calls")
    assert done.stdout.count("1021 edited") == 1, done.stdout
    assert values(done.stdout) == ["1007", "1016", "1007", '"edited", \'\\000\' <repeats 33 times>', "3",
                                        "7", "2", "6", "5", '"plain", \'\\000\' <repeats 34 times>', "0"], done.stdout + done.stderr


OTHER_CALL = r"""
    #include <stdio.h>
    #include <sys/syscall.h>
    #include <unistd.h>
    long asked, own;
    int main(void)
    {
        asked = syscall(SYS_getppid);
        own = syscall(SYS_getpid);
        printf("%d %d\n", asked == own, asked == -1);
        return 0;
    }
"""


@pytest.mark.parametrize("call, printed", [(39, "1 0"), (110, "0 0"), (-1, "0 1")])
def test_another_system_call_comes_again(batch, compile_c, call, printed):
    """Chosen where it is made, as with gdb: -1 makes none."""
    program = compile_c(OTHER_CALL, name="other_call")
    there = ["print asked == own", "print asked == -1"]
    done = batch(program, "catch syscall getppid", "run", f"set var $orig_rax = {call}", "delete", "break other_call.c:10", "continue", *there, "next", "reverse-next", *there,
                 "break other_call.c:9", "reverse-continue", there[1], "reverse-continue", "print asked", "continue", "continue", *there, "goto end", "delete", "continue")
    assert f"{printed}\n" in done.stdout, done.stdout + done.stderr
    first, second = printed.split()
    assert values(done.stdout) == [first, second] * 2 + [second, "0"] + [first, second], done.stdout + done.stderr


def test_before_and_after_a_change_are_two_moments(batch, program):
    done = batch(program, *TO_THE_THIRD, "when", "set var total = 1000", "when", "set var calls = 50", "when", "next", "reverse-next", "print total, calls",
                 "last-write total")
    times = re.findall(r"^(\d+)@edited.c", done.stdout, re.MULTILINE)
    before, after, still = times[3:6]
    assert int(after) == int(before) + 1 and still == after, done.stdout
    there = batch(program, *TO_THE_THIRD, "set var total = 1000", "set var calls = 50", "next", f"goto {before}@edited.c:8", "print total", "print calls",
                  f"goto {after}@edited.c:8", "print total", "print calls")
    assert values(there.stdout) == ["6", "2", "1000", "50"], there.stdout + there.stderr


def test_calls_in_the_past_leave_nothing(batch, program, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("x")
    done = batch(program, "break risky", "run", "break add", "reverse-continue", "delete", "print add(100)", "print total", "print label(5)", "print total = 9",
                 "print total", "print calls++", "print calls", f'print spoil("{victim}")', "print risky(&total)", "when", "next", "print total")
    assert values(done.stdout) == ["115", "15", done.stdout.split("$3 = ")[1].split("\n")[0], "9", "15", "5", "5", "-1", "15", "20"], done.stdout
    assert '"label 5"' in done.stdout and victim.exists()


@pytest.mark.parametrize("command, answer", [
    ("set var total = 3", "The past can't be changed"), ("set $rax = 1", "The past can't be changed"), ("return", "The past can't be changed"),
    ("jump 15", "The past can't be changed"), ("print risky(0)", "signal SIGSEGV"), ("print exit(1)", "The call was undone"),
])
def test_the_past_stays_as_it_was(batch, program, command, answer):
    done = batch(program, *TO_THE_THIRD, "reverse-next", command)
    assert done.returncode != 0 and answer in done.stderr, done.stderr


def test_conditions_that_call(batch, program):
    """Each is asked in a copy of its own."""
    done = batch(program, "break risky", "run", "break add if label(a)[6] == '2'", "reverse-continue", "print a", "print total", "continue", "print calls")
    assert values(done.stdout) == ["2", "6", "6"], done.stdout + done.stderr
