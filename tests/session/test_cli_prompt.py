"""The prompt on a terminal: editing, history, completion, repeating, Ctrl-C, colours, paging, leaving."""
import os
import re
import signal
import subprocess
import time

import pytest

from conftest import processes_below
from programs import LIST, READER, SPIN


@pytest.fixture(scope="session")
def program(compile_c):
    return compile_c(LIST, name="list")


@pytest.fixture(scope="session")
def spin(compile_c):
    return compile_c(SPIN, name="spin")


def plain(text):
    """Without what the line editor does to the screen."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x08|\r", "", text)


def test_a_conversation(pty_session, program):
    terminal = pty_session(["run", program])
    assert "Breakpoint 1 at" in terminal.command("b add")
    assert "Breakpoint 1, add (a=0, b=20)" in plain(terminal.command("r"))
    assert "$1 = 20" in plain(terminal.command("p b"))
    terminal.send("quit\n")
    terminal.expect("Quit anyway? (y or n) ")
    terminal.send("n\n")
    terminal.expect("(ebb) ")
    terminal.send("quit\n")
    terminal.expect("Quit anyway? (y or n) ")
    terminal.send("y\n")
    assert terminal.wait() == 0


def test_an_empty_line_repeats(pty_session, program):
    terminal = pty_session(["run", program])
    terminal.command("start")
    first = plain(terminal.command("next"))
    second = plain(terminal.command(""))
    assert re.search(r"^\d+\t", first, re.M) and re.search(r"^\d+\t", second, re.M)
    assert "1\t" in plain(terminal.command("list 1,5"))
    assert re.search(r"^6\t", plain(terminal.command("")), re.M)  # list goes on
    terminal.command("p 1")
    assert "$" not in plain(terminal.command("")).replace("(ebb)", "")  # print doesn't


def test_ctrl_c_stops_the_debuggee(pty_session, spin):
    terminal = pty_session(["run", spin])
    terminal.send("run\n")
    terminal.expect("spinning")
    terminal.send("\x03")
    assert "Program received signal SIGINT, Interrupt." in terminal.expect("(ebb) ")
    assert "$1 = 1" in plain(terminal.command("p turns > 0"))
    terminal.send("continue\n")
    terminal.until_debuggee_has_it()
    terminal.send("\x03")
    terminal.expect("SIGINT")
    terminal.expect("(ebb) ")


def test_sigint_stops_a_debuggee_without_a_terminal(spin, quiet_home):
    from conftest import EBB
    running = subprocess.Popen([EBB, "run", "--batch", "-e", "run", "-e", "p turns > 0", str(spin)], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, text=True, env=quiet_home, bufsize=1)
    assert running.stdout.readline() == "spinning\n"
    running.send_signal(signal.SIGINT)
    rest, _ = running.communicate(timeout=120)
    assert "Program received signal SIGINT, Interrupt." in rest
    assert "$1 = 1" in rest
    assert running.returncode == 0


def test_ctrl_c_at_the_prompt_clears_the_line(pty_session, program):
    terminal = pty_session(["run", program])
    terminal.send("p nosuchthing")
    terminal.expect("nosuchthing")
    terminal.send("\x03")
    terminal.expect("(ebb) ")
    assert "$1 = 5" in plain(terminal.command("p 5"))


def test_ctrl_d_leaves(pty_session, program):
    terminal = pty_session(["run", program])
    terminal.send("\x04")
    assert terminal.wait() == 0


def test_ctrl_d_asks_while_a_program_is_live(pty_session, program):
    terminal = pty_session(["run", program])
    terminal.command("start")
    terminal.send("\x04")
    terminal.expect("Quit anyway? (y or n) ")
    terminal.send("y\n")
    assert terminal.wait() == 0


def test_no_questions_with_confirm_off(pty_session, program):
    terminal = pty_session(["run", program])
    terminal.command("set confirm off")
    terminal.command("start")
    terminal.send("quit\n")
    assert terminal.wait() == 0


def test_completion(pty_session, program):
    terminal = pty_session(["run", program])
    terminal.send("info sharedl\t\n")
    assert "info sharedlibrary" in plain(terminal.expect("(ebb) "))
    terminal.send("break pus\t\n")
    assert "Breakpoint 1 at" in plain(terminal.expect("(ebb) "))
    terminal.send("info s\t")  # ambiguous: a list, and the line again
    shown = plain(terminal.expect("symbol"))
    assert "sharedlibrary" in shown and "signals" in shown
    terminal.send("\x15p tot\t+ 1\n")
    assert "$1 = 1" in plain(terminal.expect(re.compile(r"\$1 = 1")))


def test_complete_command(batch, program):
    def complete(text, *before):
        done = batch(program, *before, f"complete {text}")
        assert done.returncode == 0, done.stderr
        return [line for line in done.stdout.splitlines() if line.startswith(text.split(" ")[0] + " ") or not before]

    assert complete("reverse-s") == ["reverse-search", "reverse-step", "reverse-stepi"]
    assert complete("info sha") == ["info sharedlibrary"]
    assert complete("i sha") == ["i sharedlibrary"]
    assert "break push" in complete("break pu")
    assert any(line.endswith("list.c") for line in complete("break li"))
    assert complete("p tota") == ["p total"]
    assert complete("p 1+tota") == ["p 1+total"]
    assert "set print pretty" in complete("set print pr")
    assert complete("set print pretty o") == ["set print pretty off", "set print pretty on"]
    assert complete("handle SIGUS") == ["handle SIGUSR1", "handle SIGUSR2"]
    assert complete("thread apply all info sha") == ["thread apply all info sharedlibrary"]
    assert complete("delete 1", "break add") == ["delete 1"]
    assert "p fresh->value" in complete("p fresh->", "break push", "run", "next")
    assert "p head->next" in complete("p head->n", "break push", "run")
    assert "p $rip" in complete("p $ri", "start")
    assert "break push if value" in complete("break push if val", "break push", "run")
    assert f"source {os.path.dirname(program)}/list.c" in complete(f"source {os.path.dirname(program)}/li")
    assert "" .join(complete("nonsense x")) == ""


def test_history_is_kept_between_conversations(pty_session, program, tmp_path):
    first = pty_session(["run", program])
    first.command("echo remembered\\n")
    first.send("quit\n")
    first.wait()
    kept = tmp_path / "state" / "ebb" / "history"
    assert "remembered" in kept.read_text().replace("\\040", " ")
    second = pty_session(["run", program])
    second.send("\x1b[A\x1b[A\n")  # up, up: behind `quit`
    second.expect("\r\nremembered\r\n")
    second.expect("(ebb) ")
    assert "echo remembered" in plain(second.command("show commands"))


def test_history_that_cannot_be_kept_stops_nothing(pty_session, program, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    terminal = pty_session(["run", program], env={"XDG_STATE_HOME": str(blocked)})
    terminal.command("p 1")
    terminal.send("quit\n")
    assert terminal.wait() == 0


def test_no_home_and_no_term(pty_session, program, quiet_home):
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "TERM"):
        quiet_home.pop(name)
    terminal = pty_session(["run", program])
    assert "$1 = 1" in plain(terminal.command("p 1"))
    terminal.send("quit\n")
    assert terminal.wait() == 0


def test_colours_on_a_terminal_only(pty_session, batch, program):
    terminal = pty_session(["run", program], env={"NO_COLOR": ""})
    terminal.command("break add")
    assert "\x1b[33madd\x1b[m" in terminal.command("run")
    terminal.command("set style enabled off")
    assert "\x1b[33m" not in terminal.command("bt")
    assert "\x1b" not in batch(program, "break add", "run", "bt", env={"NO_COLOR": ""}).stdout


def test_no_color_is_honoured(pty_session, program):
    terminal = pty_session(["run", program], env={"NO_COLOR": "1"})
    terminal.command("break add")
    assert "\x1b[33m" not in terminal.command("run")


def test_long_output_pauses(pty_session, program):
    terminal = pty_session(["run", program], rows=20)
    terminal.command("set pagination on")
    terminal.command("set height 20")
    terminal.send("help all\n")
    terminal.expect("--Type <RET> for more")
    terminal.send("\n")
    terminal.expect("--Type <RET> for more")
    terminal.send("q\n")
    terminal.expect("(ebb) ")
    terminal.send("help all\n")
    terminal.expect("--Type <RET> for more")
    terminal.send("c\n")
    assert "--Type" not in terminal.expect("(ebb) ")


def test_bodies_are_read_with_their_own_prompt(pty_session, program):
    terminal = pty_session(["run", program])
    terminal.send("define greet\n")
    terminal.expect(">")
    terminal.send("echo hello\\n\n")
    terminal.expect(">")
    terminal.send("end\n")
    terminal.expect("(ebb) ")
    assert "\nhello\n" in plain(terminal.command("greet"))


def test_the_debuggee_has_the_terminal(pty_session, compile_c):
    terminal = pty_session(["run", compile_c(READER, name="reader")])
    terminal.send("run\n")
    terminal.until_debuggee_has_it()
    terminal.send("typed by a person\n")
    terminal.expect("got typed by a person")
    terminal.send("\x04")
    terminal.expect("exited normally")
    terminal.expect("(ebb) ")


def test_the_init_file(pty_session, batch, program, tmp_path):
    folder = tmp_path / "config" / "ebb"
    folder.mkdir(parents=True)
    (folder / "init").write_text("define hello\necho from init\\n\nend\n")
    terminal = pty_session(["run", program])
    assert "from init" in plain(terminal.command("hello"))
    terminal = pty_session(["run", "--no-init", program])
    assert "Undefined command" in plain(terminal.command("hello"))
    assert batch(program, "hello").returncode == 1  # a batch is the same everywhere


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_ending_signals_end_the_debuggee_too(pty_session, spin, workshop, number):
    terminal = pty_session(["run", spin])
    terminal.send("run\n")
    terminal.expect("spinning")
    os.kill(terminal.pid, number)
    status = terminal.wait()
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == number
    assert not processes_below(workshop)


def test_an_ending_signal_at_the_prompt(pty_session, program):
    terminal = pty_session(["run", program])
    terminal.command("start")
    os.kill(terminal.pid, signal.SIGTERM)
    status = terminal.wait()
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGTERM


def test_killing_ebb_leaves_no_debuggee(pty_session, spin, workshop):
    terminal = pty_session(["run", spin])
    terminal.send("run\n")
    terminal.expect("spinning")
    os.kill(terminal.pid, signal.SIGKILL)
    terminal.wait()
    until = time.monotonic() + 120
    while processes_below(workshop) and time.monotonic() < until:
        time.sleep(0.02)
    assert not processes_below(workshop)


def test_ctrl_z_and_back(pty_session, program):
    terminal = pty_session(["run", program])
    terminal.send("p 4")
    terminal.expect("p 4")
    terminal.send("\x1a")
    _, status = os.waitpid(terminal.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    os.kill(terminal.pid, signal.SIGCONT)
    terminal.expect("p 4")  # shown again
    terminal.send("2\n")
    assert "$1 = 42" in plain(terminal.expect("$1 = 42"))


def test_seeing_enough_ends_a_loop(pty_session, spin):
    terminal = pty_session(["run", spin], rows=20)
    terminal.command("start")
    terminal.send("while 1\nnext\nend\n")
    terminal.expect("--Type <RET> for more")
    terminal.send("q\n")
    assert "Quit" in terminal.expect("(ebb) ")


@pytest.mark.parametrize("body, seen", [("next", "turns++"), ("print turns", "$3 = ")])
def test_ctrl_c_ends_a_loop(pty_session, spin, body, seen):
    terminal = pty_session(["run", spin])
    terminal.command("set pagination off")
    terminal.command("start")
    terminal.send(f"while 1\n{body}\nend\n")
    terminal.expect(seen)
    terminal.send("\x03")
    terminal.expect("Interrupted.")
    terminal.expect("(ebb) ")


def test_a_command_of_ones_own_repeats_with_its_arguments(ebb, program):
    done = ebb(["run", program], stdin="define double\np $arg0 * 2\nend\ndouble 21\n\n\n")
    assert done.stdout == "$1 = 42\n$2 = 42\n$3 = 42\n"


def test_ctrl_c_ends_a_long_backtrace(pty_session, compile_c):
    program = compile_c("""
        int deep(int n) { volatile int x = n; return n ? deep(n - 1) + x : *(volatile int *)0; }
        int main(void) { return deep(100000); }
    """, name="deep")
    terminal = pty_session(["run", program])
    terminal.command("set pagination off")
    terminal.command("run")
    terminal.send("backtrace\n")
    terminal.expect(re.compile(r"backtrace\r*\n"))
    terminal.until_line_is_read()
    terminal.send("\x03")
    assert "Quit" in terminal.expect("(ebb) ")
    assert "$1 = 1" in plain(terminal.command("p 1"))
    terminal.send("backtrace\n")
    terminal.expect("#20 ")  # what is gathered is being shown
    terminal.send("\x03")
    assert "Quit" in terminal.expect(re.compile(r"Quit\r*\n.*\(ebb\) ", re.DOTALL))
    assert "$2 = 1" in plain(terminal.command("p 1"))


@pytest.mark.parametrize("opening", ["if 1", "while 1", "define mine", "document mine", "commands 1"])
def test_ctrl_c_leaves_a_body(pty_session, program, opening):
    terminal = pty_session(["run", program])
    terminal.command("break add")
    if opening.startswith("document"):
        terminal.send("define mine\nend\n")
        terminal.expect("(ebb) ")
    terminal.send(opening + "\n")
    terminal.expect("\n>")
    terminal.send("p 1\n")
    terminal.expect("\n>")
    terminal.send("\x03")
    terminal.expect("Interrupted.")
    terminal.expect("(ebb) ")
    assert "= 42" in terminal.command("p 6 * 7")
