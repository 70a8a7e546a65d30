"""What a gdb user types without thinking: the command line, `run` through a shell, `cd`, `tty`."""
import os
import pty
import signal
import subprocess

import pytest

ECHO = r"""
    #include <stdio.h>
    #include <unistd.h>
    int main(int argc, char **argv)
    {
        char line[100] = "";
        for (int i = 1; i < argc; i++)
            printf("[%s]", argv[i]);
        if (fgets(line, sizeof line, stdin))
            printf("read %s", line);
        fprintf(stderr, "to stderr\n");
        printf("tty %d\n", isatty(1));
        return 0;
    }
"""


@pytest.fixture
def echo(compile_c):
    return compile_c(ECHO, name="echo")


@pytest.mark.parametrize("mode", ["native", "vm"])
def test_run_goes_through_a_shell(batch, echo, tmp_path, mode):
    (tmp_path / "in").write_text("hello\n")
    for name in ("a.x", "b.x"):
        (tmp_path / name).write_text("")
    done = batch(echo, f"mode {mode}", "run *.x 'c  d' $WORD `echo sub` < in > out 2> err", "show args", cwd=tmp_path, env={"WORD": "value"})
    assert (tmp_path / "out").read_text() == "[a.x][b.x][c  d][value][sub]read hello\ntty 0\n", done.stdout + done.stderr
    assert (tmp_path / "err").read_text() == "to stderr\n"
    assert "exited normally" in done.stdout
    assert "*.x 'c  d' $WORD `echo sub` < in > out 2> err" in done.stdout


def test_set_args_and_start_go_through_a_shell(batch, echo, tmp_path):
    done = batch(echo, "set args one > out", "start", "print argc", "continue", "run", cwd=tmp_path)
    assert "$1 = 2" in done.stdout, done.stdout + done.stderr
    assert (tmp_path / "out").read_text() == "[one]tty 0\n"


def test_a_shell_that_fails_is_told(batch, echo, tmp_path):
    done = batch(echo, "run < nothing-here", cwd=tmp_path)
    assert done.returncode == 1
    assert "During startup program exited with code" in done.stderr


def test_without_a_shell_they_are_words(batch, echo, tmp_path):
    done = batch(echo, "set startup-with-shell off", "run $HOME *", cwd=tmp_path)
    assert "[$HOME][*]" in done.stdout


def test_cd_does_not_lose_the_program(batch, echo, tmp_path):
    done = batch("./echo", f"cd {tmp_path}", "break main", "run x", "next", "kill", "run y > out", "continue", cwd=echo.parent)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "out").read_text() == "[y]tty 0\n"


def test_another_terminal(batch, echo):
    ours, theirs = pty.openpty()
    done = batch(echo, f"tty {os.ttyname(theirs)}", "run there < /dev/null")
    assert "exited normally" in done.stdout, done.stdout + done.stderr
    said = os.read(ours, 1000).decode()
    assert "[there]" in said and "tty 1" in said


@pytest.mark.parametrize("words", [
    ["-q", "-nx", "-batch", "-ex", "break main", "-ex", "run", "-ex", "info args", "PROGRAM"],
    ["PROGRAM", "-nx", "--batch", "--ex", "break main", "--ex", "run", "--ex", "info args"],
    ["-batch", "-ex", "break main", "-ex", "run", "-ex", "info args", "--args", "PROGRAM"],
], ids=["options first", "options last", "args"])
def test_the_command_line(ebb, echo, words):
    done = ebb([str(echo) if word == "PROGRAM" else word for word in words])
    assert "argc = 1" in done.stdout, done.stdout + done.stderr


def test_arguments_of_the_program(ebb, echo):
    done = ebb(["-batch", "-ex", "run", "--args", "./echo", "-x", "a b", "--batch"], cwd=echo.parent)
    assert "[-x][a b][--batch]" in done.stdout, done.stdout + done.stderr


def test_arguments_without_args_are_explained(ebb, echo):
    done = ebb([echo, "word"])
    assert done.returncode == 2 and "ebb --args" in done.stderr


@pytest.mark.parametrize("form", [["-p", "PID"], ["--pid", "PID"], ["PROGRAM", "PID"]], ids=["-p", "--pid", "second word"])
def test_a_process(ebb, echo, form):
    waits = subprocess.Popen([echo], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    words = [str(waits.pid) if word == "PID" else str(echo) if word == "PROGRAM" else word for word in form]
    try:
        done = ebb(["-batch", "-ex", "info program", *words])
        assert str(waits.pid) in done.stdout, done.stdout + done.stderr
    finally:
        waits.send_signal(signal.SIGKILL)
        waits.wait()


COUNT = r"""
    #include <stdio.h>
    char text[16] = "hello";
    static int stride(int n) { return n + 1; }
    static int walk(int n) { return n + 2; }
    int main(void)
    {
        int n = 0;
        for (int i = 0; i < 5; i++) {
            n = stride(n);
            n = walk(n);
        }
        printf("%d\n", n);
        return 0;
    }
"""


def test_memory_goes_to_a_file_and_comes_back(batch, compile_c, tmp_path):
    program = compile_c(COUNT, name="count")
    done = batch(program, "break main", "run", "dump binary memory half text text+3", "dump value all text", "append memory half text+3 text+5",
                 "set var text[0] = 'J'", "print text", "restore half binary text", "print text", cwd=tmp_path)
    assert (tmp_path / "half").read_bytes() == b"hello", done.stdout + done.stderr
    assert (tmp_path / "all").read_bytes() == b"hello" + bytes(11)
    assert '$1 = "Jello' in done.stdout and '$2 = "hello' in done.stdout


def test_breakpoints_are_saved_and_set_again(batch, compile_c, tmp_path):
    program = compile_c(COUNT, name="count")
    done = batch(program, "break stride if n > 5", "tbreak main", "disable 1", 'dprintf walk,"walk %d\\n",n', "watch text", "save breakpoints kept", "delete",
                 "source kept", "info breakpoints", cwd=tmp_path)
    listed = done.stdout[done.stdout.rindex("Num "):]
    for text in ("keep n ", "stop only if n > 5", "del ", "dprintf ", 'printf "walk %d\\n",n', "text\n"):
        assert text in listed, (tmp_path / "kept").read_text() + done.stdout + done.stderr


def test_a_line_is_saved_with_its_file(batch, compile_c, tmp_path):
    program = compile_c(COUNT, name="count")
    batch(program, "list main", "break 4", "save breakpoints kept", cwd=tmp_path)
    assert (tmp_path / "kept").read_text().startswith("break /"), (tmp_path / "kept").read_text()


@pytest.mark.parametrize("mode", ["native", "vm"])
def test_dprintf_prints_and_does_not_stop(batch, compile_c, mode):
    program = compile_c(COUNT, name="count")
    done = batch(program, f"mode {mode}", "break main", 'dprintf walk,"walk %d\\n",n', "run", "next 3", "info breakpoints 2", "continue")
    assert done.stdout.count("walk 1\n") == 1 and done.stdout.count("walk 13\n") == 1, done.stdout + done.stderr
    assert "exited normally" in done.stdout


def test_breakpoints_for_a_while(batch, compile_c):
    program = compile_c(COUNT, name="count")
    done = batch(program, "break stride", "break walk", "enable count 2 1", "enable once 2", "run", "continue", "continue", "continue", "info breakpoints")
    assert done.stdout.count("Breakpoint 1, stride") == 2 and done.stdout.count("Breakpoint 2, walk") == 1, done.stdout + done.stderr


def test_many_at_once(batch, compile_c):
    program = compile_c(COUNT, name="count")
    done = batch(program, "rbreak ^(stride|walk)$", "run", "continue")
    assert "Breakpoint 1, stride" in done.stdout and "Breakpoint 2, walk" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("command, n, what", [("info variables", 20003, "variable"), ("rbreak", 5003, "function")])
def test_a_list_that_is_cut_says_so(batch, compile_c, command, n, what):
    one = "int many_%d;" if what == "variable" else "int many_%d(void) { return 0; }"
    program = compile_c("\n".join([one % i for i in range(n)] + ["int main(void) { return 0; }"]), name="many")
    cut = batch(program, f"{command} ^many_").stdout
    assert cut.splitlines()[-1] == f"3 more {what}s match and are left out: a longer regular expression finds fewer.", cut[-500:]
    assert cut.count("many_") >= n - 3
    assert "more" not in batch(program, f"{command} ^many_1.$").stdout


def test_with_and_pipe(batch, compile_c):
    program = compile_c(COUNT, name="count")
    done = batch(program, "break main", "run", "with print elements 2 -- print text", "print text", "pipe print text | tr a-z A-Z")
    piped = batch(program, "break main", "run", "|print text|tr a-z A-Z")
    assert '= "HELLO' in piped.stdout, piped.stdout + piped.stderr
    assert '"he"...' in done.stdout and '$2 = "hello' in done.stdout and '$3 = "HELLO' in done.stdout, done.stdout + done.stderr


def test_what_is_nowhere_is_not_called_a_constant(batch, compile_c):
    program = compile_c(r"""
        #include <stdio.h>
        int main(int argc, char **argv)
        {
            int gone = argc * 3, known = 5;
            printf("%d\n", gone);
            puts("x");
            return known - 5;
        }
    """, flags=("-g", "-O2"), name="nowhere")
    for name, said in (("gone", "Cannot watch `gone': it is optimized out here."), ("known", "Cannot watch constant value `known'.")):
        done = batch(program, "break puts", "run", "up", f"print {name}", f"watch {name}")
        assert done.returncode == 1 and done.stderr.splitlines()[-1] == said, done.stdout + done.stderr
