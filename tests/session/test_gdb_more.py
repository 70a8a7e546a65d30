"""What a gdb user misses after the first hour: logging, a window, notes about breakpoints."""
import re
import subprocess

import pytest

PROGRAM = r"""
    #include <stdio.h>
    static int twice(int n)
    {
        return 2 * n;
    }
    int main(void)
    {
        int n = twice(3);
        n = twice(n);
        printf("%d\n", n);
        return 0;
    }
"""


@pytest.fixture
def program(compile_c):
    return compile_c(PROGRAM, name="twice")


def test_what_is_said_is_logged(batch, program, tmp_path):
    done = batch(program, "set logging file said", "set logging enabled on", "print 6 * 7", "set logging enabled off", "print 1", cwd=tmp_path)
    assert "Copying output to said." in done.stdout and "Done logging to said." in done.stdout, done.stdout + done.stderr
    said = (tmp_path / "said").read_text()
    assert "$1 = 42" in said and "$2" not in said
    batch(program, "set logging file said", "set logging redirect on", "set logging on", "print 7 * 7", "print nosuch", cwd=tmp_path)
    said = (tmp_path / "said").read_text()
    assert "$1 = 42" in said and "$1 = 49" in said and 'No symbol "nosuch"' in said
    done = batch(program, "set logging overwrite on", "set logging file said", "set logging redirect on", "set logging on", "print 5 * 5", cwd=tmp_path)
    assert "= 25" not in done.stdout
    said = (tmp_path / "said").read_text()
    assert "$1 = 25" in said and "42" not in said


def test_a_window_needs_a_terminal(batch, program):
    done = batch(program, "tui enable")
    assert done.returncode == 1 and "not a terminal" in done.stderr


def test_the_window_shows_where_the_program_is(pty_session, program):
    session = pty_session(["run", "--no-init", program], rows=24, columns=80)
    session.command("break twice")
    session.command("run")
    session.send("layout src\n")
    shown = session.expect("in twice")
    assert "\x1b[13;24r" in shown  # the conversation has the lower half
    assert ">     5      return 2 * n;" in shown, repr(shown)
    session.send("up\n")
    session.expect("in main")
    session.send("tui disable\n")
    session.expect("\x1b[r")
    session.send("print 6 * 7\n")
    session.expect("= 42")


def test_others_at_the_same_place_are_named(pty_session, program):
    session = pty_session(["run", "--no-init", program])
    session.command("break twice")
    assert "Note: breakpoint 1 also set at pc" in session.command("break twice")
    session.command("disable 1")
    assert "Note: breakpoints 1 (disabled) and 2 also set at pc" in session.command("tbreak twice")


def test_macros_in_a_condition(batch, compile_c):
    program = compile_c("#define LIMIT 3\nint main(void)\n{\n    int n = 0;\n    for (int i = 0; i < 10; i++)\n        n += i;\n    return n == 0;\n}\n", flags=("-g3",), name="limit")
    for mode in ("native", "vm"):
        done = batch(program, f"mode {mode}", "break 6 if i == LIMIT", "run", "print i")
        assert "$1 = 3" in done.stdout, done.stdout + done.stderr


def test_an_address_of_a_program_that_is_named_in_a_roundabout_way(batch, program, tmp_path):
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    roundabout = "/".join([".."] * (len(folder.parts) - 1)) + str(program)
    done = batch(roundabout, "break *twice", "run", "backtrace", cwd=folder)
    assert "#0  twice (n=" in done.stdout and "#1  0x" in done.stdout, done.stdout + done.stderr


GROWING = r"""
    static int sum(int n, int m)
    {
        int a[n];
        double grid[n][m];
        char text[m * 4];
        for (int i = 0; i < n; i++) {
            a[i] = i * i;
            for (int k = 0; k < m; k++)
                grid[i][k] = i + k / 4.0;
        }
        __builtin_memset(text, 'x', sizeof text);
        return a[n - 1] + text[0];
    }
    int main(void)
    {
        int total = sum(3, 2);
        return total + sum(4, 3) == 0;
    }
"""


@pytest.mark.parametrize("mode", ["native", "vm"])
def test_arrays_of_variable_length_have_their_length(batch, compile_c, mode):
    program = compile_c(GROWING, name="growing")
    asked = ["print a", "print sizeof a", "whatis a", "ptype grid", "print grid", "print sizeof grid[0]", "print text", "print a[1]", "info locals"]
    commands = ["break 13", "run", *asked, "continue", *asked]
    words = [word for command in commands for word in ("-ex", command)]
    gdb = subprocess.run(["gdb", "-nx", "-q", "-batch", *words, program], stdout=subprocess.PIPE, text=True, timeout=60, check=True)
    ours = batch(program, f"mode {mode}", *commands)
    said = re.compile(r"^(?:\$\d+ = |type = |\w+ = ).*", re.MULTILINE)
    assert said.findall(ours.stdout) == said.findall(gdb.stdout)


POINTED = r"""
    #include <stdlib.h>
    static int look(int n, int m, double (*p)[m])
    {
        int local[n][m];
        int (*r)[n][m] = &local;
        int (*q)[n] = malloc(sizeof(int[3][n]));
        for (int i = 0; i < n; i++)
            for (int k = 0; k < m; k++)
                p[i][k] = local[i][k] = i * 10 + k;
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < n; k++)
                q[i][k] = i - k;
        return (*r)[1][2] + q[0][1]; /* here */
    }
    int main(void)
    {
        double grid[2][4];
        return look(2, 4, grid) == 0;
    }
"""


def test_what_points_to_an_array_of_variable_length_knows_its_length(batch, compile_c):
    program = compile_c(POINTED, name="pointed")
    line = next(n for n, text in enumerate(POINTED.splitlines(), 1) if "/* here */" in text)
    asked = ["output *p", "output *p@2", "output *q", "output *r", "output (*r)[1][2]", "output sizeof(*p)", "output sizeof(*q)", "output sizeof(*r)", "whatis *p", "whatis *r"]
    commands = [f"break {line}", "run", *[command for one in asked for command in ("echo \\n@", one)], "echo \\n"]
    words = [word for command in commands for word in ("-ex", command)]
    gdb = subprocess.run(["gdb", "-nx", "-q", "-batch", *words, program], stdout=subprocess.PIPE, text=True, timeout=60, check=True)
    said = re.compile(r"^@.*", re.MULTILINE)
    assert len(said.findall(gdb.stdout)) == len(asked)
    assert said.findall(batch(program, *commands).stdout) == said.findall(gdb.stdout)
    # gdb has no answer to these; the program's own loops say what they are
    done = batch(program, f"break {line}", "run", "print p[1]", "print p[1][2]", "print q[2]", "print q + 1 == &q[1]", "print (char *) (p + 1) - (char *) p", "print p[1][3] = 77", "print p[1]")
    assert re.findall(r"^\$\d+ = (.*)", done.stdout, re.M) == ["{10, 11, 12, 13}", "12", "{2, 1}", "1", "32", "77", "{10, 11, 12, 77}"], done.stdout


def test_a_function_is_listed_where_it_is_written(batch, compile_c):
    program = compile_c(r"""
        #include <stdio.h>
        static inline __attribute__((always_inline)) int checked(const int *n)
        {
            return *(volatile const int *)n;
        }
        int filler;
        int filler2;
        int filler3;
        int filler4;
        __attribute__((noinline)) int begins_elsewhere(const int *n)
        {
            int k = checked(n);
            return k + 1;
        }
        int main(int argc, char **argv)
        {
            (void)argv;
            return begins_elsewhere(&argc) - 2;
        }
    """, ("-g", "-O2"), name="elsewhere")
    done = batch(program, "list begins_elsewhere")
    first, last = done.stdout.splitlines()[0], done.stdout.splitlines()[-1]
    assert int(first.split()[0]) > 2 and "return k + 1" in done.stdout, done.stdout + last


def test_what_can_only_be_one_way_says_so(batch, program):
    done = batch(program, "set detach-on-fork off")
    assert done.returncode == 1 and '"detach-on-fork" is always on here.' in done.stderr, done.stderr


def test_info_scope_takes_every_place(batch, program):
    done = batch(program, "list twice", "info scope twice", "info scope 5", "info scope twice.c:9", "info scope *main")
    assert done.stdout.count("Symbol n is an argument of type int, length 4.") == 2, done.stdout + done.stderr
    assert done.stdout.count("Symbol n is a variable of type int, length 4.") == 2 and "Scope for twice.c:9:\n" in done.stdout
