"""Batch mode: what goes where, in which order, and with which exit status."""
import os
import re

import pytest

from programs import CRASH, LIST, READER, THREADS


@pytest.fixture(scope="session")
def program(compile_c):
    return compile_c(LIST, name="list")


def line_of(program, text):
    """The number of the source line that contains `text`."""
    lines = program.with_suffix(".c").read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if text in line)


def test_break_run_and_stop_as_in_gdb(batch, program):
    done = batch(program, "break add", "run", "bt", "finish")
    line = line_of(program, "int sum")
    assert done.returncode == 0, done.stderr
    assert re.search(rf"^Breakpoint 1 at 0x[0-9a-f]+: file .*list\.c, line {line}\.$", done.stdout, re.M)
    assert re.search(rf"^\nBreakpoint 1, add \(a=0, b=20\) at .*list\.c:{line}\n{line}\t    int sum = a \+ b;$", done.stdout, re.M)
    assert re.search(rf"^#0  add \(a=0, b=20\) at .*list\.c:{line}$", done.stdout, re.M)
    assert re.search(r"^#1  0x[0-9a-f]{16} in main \(argc=1, argv=0x7f[0-9a-f]+\) at .*list\.c:\d+$", done.stdout, re.M)
    assert re.search(r"^Run till exit from #0  add \(a=0, b=20\)", done.stdout, re.M)
    assert re.search(r"^Value returned is \$1 = 20$", done.stdout, re.M)
    assert done.stderr == ""


def test_a_step_in_the_same_frame_shows_the_line_alone(batch, program):
    done = batch(program, "start", "next", "step")
    first = line_of(program, "struct node *head = 0")
    assert re.search(rf"^main \(argc=1, .*\n{first}\t", done.stdout, re.M) or f"main (argc=1" in done.stdout
    assert re.search(rf"^{first + 1}\t    for \(int i", done.stdout, re.M)


def test_stepping_into_a_function_names_it(batch, program):
    done = batch(program, f"break {line_of(program, 'total = add')}", "run", "step", "delete", "tbreak add", "continue", "up")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^add \(a=0, b=20\) at .*list\.c:\d+\n\d+\t    int sum", done.stdout, re.M)
    assert re.search(r"^#1  0x.* in main ", done.stdout, re.M)


def test_values_formats_and_history(batch, program):
    done = batch(program, "break add if b == 10", "run", "p b", "p/x b", "p $ + 1", "p total", "output b", "echo \\n",
                 'printf "%d-%s\\n", b, "x"', "whatis b", "ptype struct node", "set var b = 7", "p b")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line for line in lines if line.startswith("$")] == ["$1 = 10", "$2 = 0xa", "$3 = 11", "$4 = 20", "$5 = 7"]
    assert "10-x" in lines
    assert "type = int" in lines
    assert "type = struct node {" in lines


def test_watchpoint_shows_old_and_new(batch, program):
    done = batch(program, "watch total", "run")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^Hardware watchpoint 1: total$", done.stdout, re.M)
    assert re.search(r"^\nHardware watchpoint 1: total\n\nOld value = 0\nNew value = 20$", done.stdout, re.M)


def test_info_breakpoints_is_a_table(batch, program):
    done = batch(program, "break main", "tbreak add if a > 3", "watch total", "disable 1", "ignore 2 4", "info breakpoints")
    assert done.returncode == 0, done.stderr
    assert "Num     Type           Disp Enb Address            What" in done.stdout
    assert re.search(r"^1       breakpoint     keep n   0x[0-9a-f]{16} in main at .*list\.c:\d+$", done.stdout, re.M)
    assert re.search(r"^2       breakpoint     del  y   0x[0-9a-f]{16} in add at .*\n\tstop only if a > 3\n\tignore next 4 hits$", done.stdout, re.M)
    assert re.search(r"^3       (hw )?watchpoint  +keep y  +total$", done.stdout, re.M)


def test_exit_status_of_the_debuggee_is_told_not_passed_on(batch, program):
    done = batch(program, "run", "p $_exitcode", args=["x"])
    assert done.returncode == 0
    assert re.search(r"^\[Inferior 1 \(process \d+\) exited with code 03\]$", done.stdout, re.M)
    assert "$1 = 3" in done.stdout
    done = batch(program, "run")
    assert re.search(r"^\[Inferior 1 \(process \d+\) exited normally\]$", done.stdout, re.M)


def test_a_crash_names_its_signal(batch, compile_c):
    done = batch(compile_c(CRASH, name="crash"), "run", "bt", "p nowhere")
    assert done.returncode == 0, done.stderr
    assert "\nProgram received signal SIGSEGV, Segmentation fault.\n" in done.stdout
    assert re.search(r"^#0  .*main \(\) at ", done.stdout, re.M)
    assert "$1 = (int *) 0x0" in done.stdout


def test_the_first_failure_stops_the_batch(batch, program):
    done = batch(program, "p 1", "p nosuchthing", "p 2")
    assert done.returncode == 1
    assert done.stdout == "$1 = 1\n"
    assert done.stderr == 'No symbol "nosuchthing" in current context.\n'


def test_usage_errors_are_status_2(ebb, program):
    for args in ([], ["nonsense"], ["run"], ["run", "--nonsense", program], ["run", "--batch", "-e"], ["attach"],
                 ["run", "--unit", "chapter", "--batch", program]):
        done = ebb(args)
        assert done.returncode == 2, args
        assert len(done.stderr.splitlines()) == 1, done.stderr


def test_steps_run_in_order_of_appearance(ebb, program, tmp_path):
    script = tmp_path / "script"
    script.write_text("p 2\n# a comment\n\np 3\n")
    done = ebb(["run", "-e", "p 1", "-x", script, "--batch", "-e", "p 4", program])
    assert done.returncode == 0
    assert done.stdout == "$1 = 1\n$2 = 2\n$3 = 3\n$4 = 4\n"


def test_a_failing_script_says_where(ebb, program, tmp_path):
    script = tmp_path / "script"
    script.write_text("p 1\np )\n")
    done = ebb(["run", "--batch", "-x", script, program])
    assert done.returncode == 1
    assert done.stderr.startswith(f"{script}:2: ")
    assert len(done.stderr.splitlines()) == 1


def test_batch_leaves_standard_input_to_the_debuggee(batch, compile_c):
    done = batch(compile_c(READER, name="reader"), "run", stdin="one\ntwo\n")
    assert done.returncode == 0
    assert "got one\n" in done.stdout and "got two\n" in done.stdout


def test_commands_from_a_pipe_share_it_with_the_debuggee(ebb, compile_c):
    program = compile_c(READER, name="reader")
    done = ebb(["run", program], stdin="run\nfor the program\n")
    assert "got for the program\n" in done.stdout
    assert "exited normally" in done.stdout
    assert "(ebb)" not in done.stdout
    assert done.returncode == 0


def test_piped_commands_go_on_after_a_failure_and_repeat_on_an_empty_line(ebb, program):
    done = ebb(["run", program], stdin="start\nnonsense\nnext\n\n\np i\n")
    assert 'Undefined command: "nonsense".' in done.stderr
    assert "$1 = " in done.stdout
    assert done.returncode == 0


def test_output_stays_in_order(batch, program):
    done = batch(program, "break add", "run", "delete", "echo before\\n", "continue", "echo behind\\n")
    order = [done.stdout.index(text) for text in ("before", "total 30", "exited normally", "behind")]
    assert order == sorted(order)


def test_arguments_and_environment(batch, compile_c):
    program = compile_c(r"""
        #include <stdio.h>
        #include <stdlib.h>
        int main(int argc, char **argv)
        {
            for (int i = 1; i < argc; i++)
                printf("<%s>", argv[i]);
            printf(" %s %s\n", getenv("COLOUR") ? getenv("COLOUR") : "none", getenv("HOME") ? "home" : "homeless");
        }
    """, name="args")
    done = batch(program, "show args", "run", "set args 'c d' e", "set environment COLOUR blue", "unset environment HOME",
                 "run", "show environment COLOUR", args=["a", "b"])
    assert "<a><b> none home\n" in done.stdout
    assert "<c d><e> blue homeless\n" in done.stdout
    assert 'is "a b"' in done.stdout
    assert "COLOUR=blue" in done.stdout
    assert done.returncode == 0


def test_quit_says_its_own_status(batch, program):
    assert batch(program, "quit 7", "p nosuchthing").returncode == 7
    assert batch(program, "start", "quit").returncode == 0


def test_several_threads(batch, compile_c):
    done = batch(compile_c(THREADS, name="threads"), "break meet", "run", "info threads", "thread apply all bt 1",
                 "thread 2", "thread apply 1-2 p 1", "thread")
    assert done.returncode == 0, done.stderr
    assert re.search(r'^Thread 1 "threads" hit Breakpoint 1, meet \(\)', done.stdout, re.M)
    assert len(re.findall(r"^[* ] [123]    LWP \d+ \"threads\"", done.stdout, re.M)) == 3
    assert [int(n) for n in re.findall(r"^Thread (\d) \(LWP", done.stdout, re.M)] == [3, 2, 1, 1, 2]
    assert "[Switching to thread 2 (LWP" in done.stdout
    assert "[Current thread is 2 (LWP" in done.stdout


def test_attach_and_let_go(ebb, compile_c):
    import subprocess
    from programs import SPIN
    program = compile_c(SPIN, name="spin")
    running = subprocess.Popen([program], stdout=subprocess.PIPE)
    try:
        running.stdout.readline()
        done = ebb(["attach", "--batch", "-e", "p go_on", "-e", "bt", running.pid])
        assert done.returncode == 0, done.stderr
        assert "$1 = 1" in done.stdout
        assert re.search(r"^#\d+ .*main \(\) at ", done.stdout, re.M)
        assert running.poll() is None  # it runs on
        done = ebb(["attach", "--batch", "-e", "set var go_on = 0", running.pid])
        assert running.wait(120) == 0
    finally:
        running.kill()
        running.wait()


def test_attaching_to_nothing_is_one_line(ebb):
    for pid in ("999999999", "0", "x", "-1"):
        done = ebb(["attach", "--batch", "--", pid])
        assert done.returncode in (1, 2)
        assert len(done.stderr.splitlines()) == 1, done.stderr


def test_time_travel_says_that_there_is_none(batch, program):
    for command in ("reverse-step", "reverse-continue", "rn", "rsi", "rni", "reverse-finish", "when", "goto start", "bookmark x",
                    "last-write total", "values total", "bisect total", "origin total", "flow total", "as-of 1 total", "branch",
                    "save f", "schedule show", "schedule save f", "break 18234@list.c:42", "delete bookmark x"):
        done = batch(program, "start", command, options=("--native",))
        assert done.returncode == 1, command
        assert len(done.stderr.splitlines()) == 1, done.stderr
        assert re.search("history|native|time", done.stderr), done.stderr


def test_options_of_history_are_kept_as_settings(ebb, program):
    done = ebb(["run", "--native", "--no-record", "--undo", "1M", "--unit", "proc", "--optimize", "off", "--batch",
                "-e", "show unit", "-e", "show optimize", "-e", "info history", program])
    assert done.returncode == 0
    assert "unit: proc" in done.stdout and "optimize: off" in done.stdout
    assert "Unit: proc." in done.stdout and "Optimize: off." in done.stdout
    assert len(re.findall("no effect on a program that keeps no history", done.stderr)) == 2
    assert "no effect" not in ebb(["run", "--undo", "1M", "--unit", "proc", "--batch", "-e", "show unit", program]).stderr


def test_version_and_help(ebb):
    assert re.fullmatch(r"ebb \d+\.\d+\.\d+\n", ebb(["--version"]).stdout)
    assert "ebb run" in ebb(["--help"]).stdout
    assert "--batch" in ebb(["run", "--help"]).stdout
    assert "--batch" in ebb(["help", "run"]).stdout
    assert "Stop at a place" in ebb(["help", "break"]).stdout
    assert ebb(["help", "nosuchthing"]).returncode == 2


def test_displays_follow_every_stop(batch, program):
    done = batch(program, "break add", "run", "display a", "display/x b", "info display", "continue", "undisplay 1", "continue")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^1: a = 20\n2: /x b = 0xa$", done.stdout, re.M)
    assert "Num Enb Expression\n1:   y  a\n" in done.stdout
    assert len(re.findall(r"^1: a", done.stdout, re.M)) == 2


def test_source_listing_goes_on(batch, program):
    done = batch(program, "list 1,3", "list add", "list 5,", "list ,9", "list push,main", "list 1,3", "list", "list add", "search push", "info line main", "info source", "info symbol main",
                 "info address main", "info scope add", "info functions ^add$")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("1\t\n2\t#include <stdio.h>\n3\t") or done.stdout.startswith("1\t")
    assert re.search(r"^\d+\tstatic int add\(int a, int b\)$", done.stdout, re.M)


def test_code_and_memory(batch, program):
    done = batch(program, "break add", "run", "x/2i $pc", "disassemble", "disassemble /r add", "info registers rip", "p $rip", "p $sp")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^=> 0x[0-9a-f]+ <add\+\d+>:\t", done.stdout, re.M)
    assert re.search(r"^Dump of assembler code for function add:\n   0x[0-9a-f]{16} <\+0>:\tpush +%rbp$", done.stdout, re.M)
    assert re.search(r"^   0x[0-9a-f]{16} <\+0>:\t55 +\tpush +%rbp$", done.stdout, re.M)
    assert re.search(r"^rip            0x[0-9a-f]{12}      0x[0-9a-f]+ <add\+\d+>$", done.stdout, re.M)


def test_returning_what_a_call_gives(batch, program):
    done = batch(program, "break push", "run", "disable 1", "return push(head, 7)", "next", "p head->value", "p head->next")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^#0  0x[0-9a-f]+ in main ", done.stdout, re.M)


def test_what_the_system_knows_of_the_process(batch, program):
    done = batch(program, "start", "info proc", "info proc mappings", "info locals ^he", "info args argv", "info locals nosuch")
    assert done.returncode == 0, done.stderr
    assert f"exe = '{program}'" in done.stdout
    assert re.search(r"^[0-9a-f]+-[0-9a-f]+ r-xp .*/list$", done.stdout, re.M)
    assert re.search(r"^head = 0x", done.stdout, re.M)
    assert "argv = 0x" in done.stdout and not re.search("^argc = ", done.stdout, re.M)
    assert done.stdout.endswith("No locals.\n")
