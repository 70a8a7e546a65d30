"""One ebb listens beside a Java program, another connects and debugs it; here both are on this computer."""
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import threading
import time
import uuid

import pytest

from conftest import EBB, PROMPT, SECONDS
from java_source import javac

SOURCE = '''
import java.util.Scanner;

public class Far {
    static int total;

    static void add(int n) {
        total += n;
    }

    static String twice(String s) {
        return s + s;
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0 && args[0].equals("flood"))
            new ProcessBuilder("sh", "-c", "until [ -e " + args[1] + " ]; do sleep 0.1; done; while :; do echo flood; done",
                               System.getProperty("mark")).inheritIO().start();
        for (int i = 1; i <= 5; i++)
            add(i);
        System.out.println("total " + total);
        System.err.println("no errors");
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine())
            System.out.println("heard " + in.nextLine());
        System.out.println("no more input");
        while (args.length > 0 && total > 0)
            total = total % 1000 + 1;
        System.exit(total);
    }
}
'''


@pytest.fixture(scope="module")
def classes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("far")
    (folder / "Far.java").write_text(SOURCE)
    javac("-g", "-d", folder, folder / "Far.java")
    return folder


def processes_with(mark):
    """Of everybody whose command line has that word: number -> whether it is a Java launcher."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if any(mark.encode() in word for word in words):
                found[int(entry.name)] = os.path.basename(words[0]) == b"java"
    return found


class Listener:
    def __init__(self, classes, environment, *args, options=(), token=None, main="Far"):
        self.word = uuid.uuid4().hex
        self.mark = f"mark={self.word}"
        env = {**environment, "EBB_TOKEN": token} if token else environment
        self.process = subprocess.Popen([EBB, "run", "--listen", "0", *options, "--", "java", f"-D{self.mark}", "-cp", classes, main, *args],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env)
        self.address = self.process.stdout.readline().split()[-1]
        self.port = int(self.address.split(":")[-1])
        said = self.process.stdout.readline()
        self.token = token or said.split()[-1]
        self.said = said

    def java_processes(self):
        return [pid for pid, is_java in processes_with(self.word).items() if is_java]

    def settles_at(self, n, what=lambda self: len(processes_with(self.word))):
        """Whether in the end so many processes have the mark."""
        until = time.monotonic() + SECONDS
        while what(self) != n and time.monotonic() < until:
            time.sleep(0.02)
        return what(self) == n

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        left = not self.settles_at(0)
        for pid in processes_with(self.word):
            os.kill(pid, signal.SIGKILL)
        assert not left, "processes outlive the ebb that listened"


@pytest.fixture
def listen(classes, quiet_home):
    """listen(*args, options=...) -> an ebb that listens; when the test is over, nothing of it is left."""
    begun = []

    def begin(*args, **more):
        begun.append(Listener(classes, quiet_home, *args, **more))
        return begun[-1]

    yield begin
    for one in begun:
        one.end()


@pytest.fixture
def connect(ebb):
    """connect(listener, *commands) -> finished process of `ebb run --connect --batch`."""

    def run(listener, *commands, token=None, **more):
        steps = [word for command in commands for word in ("-e", command)]
        return ebb(["run", "--connect", listener.address, "--batch", *steps], env={"EBB_TOKEN": token or listener.token}, **more)

    return run


@pytest.fixture
def talk(listen, pty_session, quiet_home):
    """An ebb at a prompt, connected to the listener, with a program that stands in add."""

    def begin(listener):
        terminal = pty_session(["run", "--connect", listener.address], env={"EBB_TOKEN": listener.token})
        terminal.command("set confirm off")
        terminal.command("break Far.add")
        assert "n=1" in terminal.command("run")
        return terminal

    return begin


# ---- it works as beside the program ----

COMMANDS = ["break Far.add", "run", "continue 3", "print total", "backtrace", "reverse-step", "when", "reverse-continue", "print n",
            "last-write total", "print total", "values total", "print twice(\"ab\")", "info locals", "goto end", "delete", "finish",
            "set var total = 40", "next", "print total", "reverse-next", "info breakpoints", "continue", "continue"]


def comparable(text):
    """Without process numbers."""
    return re.sub(r"process \d+", "process N", text)


def test_the_same_answers_as_beside_the_program(listen, connect, classes, batch):
    listener = listen()
    here = batch("java", *COMMANDS, args=[f"-D{listener.mark}", "-cp", classes, "Far"])
    there = connect(listener, *COMMANDS)
    assert "$1 = 6" in here.stdout and "exited" in here.stdout
    assert comparable(there.stdout) == comparable(here.stdout)
    assert there.returncode == here.returncode == 0
    assert there.stderr == here.stderr == "no errors\n"


def test_output_and_input(listen, connect):
    done = connect(listen(), "run", stdin="one\ntwo\n")
    lines = done.stdout.splitlines()
    assert [line for line in lines if line.startswith(("total", "heard"))] == ["total 15", "heard one", "heard two"]
    assert done.stderr == "no errors\n"
    assert "exited with code 017" in done.stdout


def test_commands_from_a_pipe_are_not_the_programs_input(listen, ebb):
    listener = listen()
    done = ebb(["run", "--connect", listener.address], env={"EBB_TOKEN": listener.token}, stdin="run\nprint 1 + 1\n")
    assert "heard" not in done.stdout and "exited with code 017" in done.stdout and "$1 = 2" in done.stdout


def test_much_input_and_much_output_pass_each_other(listen, connect):
    text = "".join(f"line {i:06}\n" for i in range(20000))
    done = connect(listen(), "run", stdin=text)
    assert [line[6:] for line in done.stdout.splitlines() if line.startswith("heard ")] == text.splitlines()


def test_output_comes_before_the_stop_behind_it(listen, connect):
    line = SOURCE.splitlines().index('        System.err.println("no errors");') + 1
    done = connect(listen(), f"break Far.java:{line}", "run", "print total")
    assert 0 < done.stdout.index("total 15\n") < done.stdout.index("Breakpoint 1, Far.main") < done.stdout.index("$1 = 15")


def test_running_again_connects_again(listen, connect):
    listener = listen()
    done = connect(listener, "break Far.add", "run", "continue 2", "run", "print n", "kill", "run", "print total")
    assert "$1 = 1" in done.stdout and "$2 = 0" in done.stdout and done.returncode == 0
    assert listener.settles_at(1), "only the listener is left"


def test_branch(listen, connect):
    done = connect(listen(), "break Far.add", "run", "continue 4", "reverse-continue", "reverse-continue", "print n", "branch",
                   "set var total = 100", "delete", "continue", stdin="")
    assert "$1 = 3" in done.stdout
    assert "total 112" in done.stdout, "3, 4 and 5 are added again"
    assert "exited with code 0160" in done.stdout


def test_the_recording_is_saved_where_the_person_is(listen, connect, ebb, tmp_path):
    connect(listen(), "break Far.add", "run", "continue 2", "bookmark here -- the third", f"save {tmp_path}/kept.ebb", "kill")
    done = ebb(["replay", "--batch", "-e", "goto here", "-e", "print n", tmp_path / "kept.ebb"])
    assert "$1 = 3" in done.stdout


def test_not_recorded(listen, connect):
    listener = listen(options=["--no-record"])
    done = connect(listener, "break Far.add", "run", "reverse-step")
    assert "no history" in done.stderr and done.returncode == 1


def test_a_launcher_that_starts_no_machine(listen, connect):
    done = connect(listen(main="-badoption"), "run", "run")
    assert done.stdout.count("exited with code 01") == 2 and "badoption" in done.stderr


def test_interrupt(listen, talk):
    terminal = talk(listen("forever"))
    terminal.command("delete 1")
    terminal.send("continue\n")
    terminal.expect("total 15")
    terminal.send("typed\n")
    terminal.expect("heard typed")
    terminal.send("\x04")
    terminal.expect("no more input")
    terminal.send("\x03")
    assert "Far.main" in terminal.expect(PROMPT)
    assert "$1 =" in terminal.command("print total")
    assert re.search(r"^\d+@Far\.java:\d+", terminal.command("reverse-step"), re.M)


# ---- who may ----

def refused(done):
    assert done.returncode == 1 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    return done.stderr


def test_a_wrong_token(listen, connect):
    listener = listen()
    began = time.monotonic()
    wrong = listener.token[:-1] + ("0" if listener.token[-1] != "0" else "1")
    assert "does not accept this token" in refused(connect(listener, "run", token=wrong))
    assert time.monotonic() - began >= 1
    assert listener.java_processes() == []
    assert "exited" in connect(listener, "run").stdout


def test_no_token(listen, ebb):
    assert "EBB_TOKEN" in refused(ebb(["run", "--connect", listen().address, "--batch", "-e", "run"]))


def test_the_program_does_not_get_the_token(listen, connect):
    done = connect(listen(token="sixteen characters or more"), "break Far.add", "run", 'print System.getenv("EBB_TOKEN")')
    assert "$1 = null" in done.stdout


def test_tokens_of_ones_own(listen, connect, ebb, tmp_path, classes):
    file = tmp_path / "token"
    file.write_text("a token of my own\n")
    file.chmod(0o600)
    listener = listen(token="a token of my own")
    assert "Token" not in listener.said
    done = ebb(["run", "--connect", listener.address, "--token-file", file, "--batch", "-e", "run"])
    assert "exited" in done.stdout
    file.chmod(0o644)
    done = ebb(["run", "--connect", listener.address, "--token-file", file, "--batch", "-e", "run"])
    assert "private" in refused(done)
    done = ebb(["run", "--listen", "0", "java", "-cp", classes, "Far"], env={"EBB_TOKEN": "short"})
    assert "guessed" in done.stderr and done.returncode == 2


def test_loopback_unless_asked_otherwise(listen, ebb):
    assert listen().address.startswith("127.0.0.1:")


@pytest.mark.parametrize("where", ["x", "1.2.3.4", "99999", "-1", ":5", "", "localhost:"])
def test_no_such_address(ebb, classes, where):
    for how in (["--listen", where, "java", "-cp", classes, "Far"], ["--batch", "--connect", where]):
        done = ebb(["run", *how], env={"EBB_TOKEN": "sixteen characters"})
        assert done.returncode != 0 and len(done.stderr.splitlines()) == 1 and "PORT" in done.stderr


def test_nobody_listens(ebb):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert "refused" in refused(ebb(["run", "--connect", f"{port}", "--batch"], env={"EBB_TOKEN": "sixteen characters"}))


def test_commands_go_to_the_ebb_that_connects(ebb):
    for options in (["--batch"], ["-e", "run"], ["--connect", "5"]):
        done = ebb(["run", "--listen", "0", *options, "java", "Far"])
        assert done.returncode == 2 and len(done.stderr.splitlines()) == 1


def test_native_programs_are_told_so(ebb):
    done = ebb(["run", "--listen", "0", "/bin/true"])
    assert done.returncode == 1 and "Java" in done.stderr


def test_one_at_a_time(listen, connect, talk):
    listener = listen()
    first = talk(listener)
    assert "another ebb" in refused(connect(listener, "run"))
    assert "n=2" in first.command("continue")
    first.command("kill")
    first.send("quit\n")
    first.wait()
    assert "exited" in connect(listener, "run").stdout


# ---- what comes over the wire ----

def hang_up_after(port, data, wait=True):
    """What the listener says to these bytes, until it hangs up."""
    with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as s:
        s.sendall(data)
        if not wait:
            return b""
        said = b""
        try:
            while more := s.recv(4096):
                said += more
        except ConnectionResetError:
            pass
        return said


def test_garbage(listen, connect):
    listener = listen()
    chance = random.Random(4)
    kinds = [b"GET / HTTP/1.1\r\n\r\n".ljust(80), b"ebb-nea1" + chance.randbytes(64), bytes(5000), chance.randbytes(100000)]
    answers = []
    threads = [threading.Thread(target=lambda data=data: answers.append(hang_up_after(listener.port, data))) for data in kinds]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(answers) == len(kinds)
    assert {len(said) for said in answers} <= {48, 81}, "a greeting, and perhaps the one refusal"
    assert {said[48:] for said in answers} <= {b"", b"N" + bytes(32)}
    for n in (0, 1, 71):
        hang_up_after(listener.port, chance.randbytes(n), wait=False)
    assert listener.java_processes() == []
    assert "exited" in connect(listener, "run").stdout


def test_strangers_who_say_nothing_do_not_keep_others_out(listen, connect):
    listener = listen()
    quiet = [socket.create_connection(("127.0.0.1", listener.port)) for _ in range(5)]
    assert "exited" in connect(listener, "run").stdout
    for one in quiet:
        one.close()


def test_who_answers_must_know_the_token_too(ebb):
    """A false listener learns nothing that it could use, and is not believed."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        def pretend():
            for answer in (b"N", b"Y", b"B"):
                one, _ = server.accept()
                with one:
                    one.sendall(random.randbytes(48) if answer == b"N" else b"ebb-far1" + random.randbytes(40))
                    one.recv(72)
                    one.sendall(answer + random.randbytes(32))
        thread = threading.Thread(target=pretend)
        thread.start()
        for _ in range(3):
            done = ebb(["run", "--connect", str(server.getsockname()[1]), "--batch", "-e", "run"], env={"EBB_TOKEN": "sixteen characters"})
            refused(done)
        thread.join()


# ---- the end of either side ----

def test_the_connecting_ebb_is_killed(listen, talk):
    listener = listen("forever")
    for where in ("at a stop", "running", "in the past"):
        terminal = talk(listener)
        assert len(listener.java_processes()) > 1, "the program and its snapshots"
        if where == "running":
            terminal.command("delete 1")
            terminal.send("continue\n")
            terminal.expect("total 15")
        elif where == "in the past":
            terminal.command("continue 3")
            terminal.command("reverse-continue")
        os.kill(terminal.pid, signal.SIGKILL)
        assert listener.settles_at(1), f"killed {where}: only the listener is left"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_listening_ebb_is_killed(listen, talk, number):
    listener = listen("forever")
    terminal = talk(listener)
    terminal.command("delete 1")
    terminal.send("continue\n")
    terminal.expect("total 15")
    listener.process.send_signal(number)
    said = terminal.expect(PROMPT)
    assert said.count("The connection to") == 1 and "broke" in said
    assert listener.settles_at(0)
    for command in ("print total", "continue", "reverse-step", "info threads", "save x"):
        answer = terminal.command(command)
        assert len(answer.splitlines()) == 3, answer
    assert "refused" in terminal.command("run")
    terminal.send("quit\n")
    assert os.waitstatus_to_exitcode(terminal.wait()) == 0


def test_a_far_side_that_hangs_is_given_up(listen, talk):
    listener = listen()
    terminal = talk(listener)
    serving = [int(pid) for pid in pathlib.Path(f"/proc/{listener.process.pid}/task/{listener.process.pid}/children").read_text().split()]
    assert len(serving) == 1
    os.kill(serving[0], signal.SIGSTOP)
    try:
        until = time.monotonic() + SECONDS
        while "broke" not in terminal.seen and time.monotonic() < until:
            if terminal.seen.endswith(PROMPT) or not terminal.seen:  # a Ctrl-C came before it had begun
                terminal.send("backtrace\n")
                terminal.drain(0.3)
            terminal.send("\x03")
            terminal.drain(0.2)
        assert "The connection to" in terminal.seen
    finally:
        os.kill(serving[0], signal.SIGCONT)
    assert listener.settles_at(1)


def test_the_listening_ebb_is_killed_while_the_program_stands(listen, talk):
    listener = listen()
    terminal = talk(listener)
    listener.process.kill()
    assert listener.settles_at(0)
    assert "broke" in terminal.command("continue")


@pytest.mark.parametrize("who", ["near", "far"])
def test_what_the_program_started_ends_too(listen, talk, who, tmp_path):
    """Even if it writes more than anybody reads: at the prompt nobody does."""
    listener = listen("flood", str(tmp_path / "now"))
    terminal = talk(listener)
    assert any(os.readlink(f"/proc/{pid}/exe").endswith("sh") for pid in processes_with(listener.word))
    (tmp_path / "now").touch()
    time.sleep(1)
    os.kill(terminal.pid if who == "near" else listener.process.pid, signal.SIGKILL)
    assert listener.settles_at(1 if who == "near" else 0)


def test_the_program_is_killed(listen, talk):
    listener = listen("forever")
    terminal = talk(listener)
    terminal.command("delete 1")
    terminal.send("continue\n")
    terminal.expect("total 15")
    os.kill(min(listener.java_processes()), signal.SIGKILL)
    assert "SIGKILL" in terminal.expect(PROMPT)
    assert "n=1" in terminal.command("goto start") + terminal.command("break Far.add") + terminal.command("continue")
