"""Whatever is wrong with the input: one clear line, the right status, no crash, nobody left behind."""
import os
import re
import signal
import subprocess

import pytest

from conftest import EBB, ROOT
from programs import LIST


@pytest.fixture(scope="session")
def program(compile_c):
    return compile_c(LIST, name="list")


def one_line(done, status=1):
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr


def test_programs_that_cannot_be_debugged(ebb, tmp_path, program):
    def file(name, content, mode=0o755):
        path = tmp_path / name
        path.write_bytes(content)
        path.chmod(mode)
        return path

    elf = program.read_bytes()
    wrong = {
        "missing": tmp_path / "missing",
        "a folder": tmp_path,
        "text": file("text", b"hello\n"),
        "nothing": file("nothing", b""),
        "not executable": file("plain", elf, 0o644),
        "32 bit": file("elf32", elf[:4] + b"\x01" + elf[5:]),
        "cut off": file("cut", elf[:100]),
        "another machine": file("arm", elf[:18] + b"\xb7\x00" + elf[20:]),
    }
    for what, path in wrong.items():
        done = ebb(["run", "--batch", "-e", "run", path])
        line = one_line(done)
        assert line.startswith("ebb: "), what
    script = file("script", b"#!/bin/sh\n:\n")
    assert "started no Java program" in one_line(ebb(["run", "--batch", "-e", "run", script]))


def test_nonsense_at_the_prompt(ebb, program):
    nonsense = [b"\x00\x01\x02", b"\xff\xfe\xfd", b"%s%n%s", b"((((((((", b"p " + b"(" * 5000, b"-", b"/", b"!false", b"$", b"\\", b"@@@@",
                b"info", b"set", b"show nosuch", b"x/999999999999x 0", b"p 1 @ 999999999", b"list 999999999", b"thread 99", b"frame 99", b"break",
                b"delete 99", b"ignore 1 2", b"condition", b"commands 5", b"end", b"else", b"until", b"handle", b"handle SIGNOPE stop",
                b"source /nosuch", b"source /", b"cd /nosuch", b"attach", b"attach x", b"quit )", b"p/q 1", b"disassemble /q", b"catch nothing",
                b"tcatch nothing", b"display )", b"undisplay 7", b"alias", b"alias x", b"define 7\nend", b"document nosuch\nend", b"\x1b[A\x1b[B",
                b"thread apply", b"thread apply all", b"frame apply", b"help nosuch", b"apropos (", b"search (", b"complete \xff", b"info scope nosuch"]
    done = ebb(["run", program], stdin=b"\n".join(nonsense) + b"\np 42\n")
    assert done.returncode == 0
    assert done.stdout.endswith("$1 = 42\n") or "= 42\n" in done.stdout
    assert "\x1b" not in done.stderr


def test_a_line_of_a_megabyte(ebb, program):
    for line in (b"a" * (1 << 20), b"p " + b"1+" * (1 << 19) + b"1", b"echo " + b"x" * (1 << 20), b" " * (1 << 20), b"p " + b"(" * (1 << 20),
                 b"info " + b"z" * (1 << 20), b"break " + b"q" * (1 << 20), b"complete " + b"y" * (1 << 20)):
        done = ebb(["run", program], stdin=line + b"\np 42\n", timeout=60)
        assert done.returncode == 0, line[:20]
        assert "= 42\n" in done.stdout, line[:20]
        assert len(done.stderr) < 1000, line[:20]


def test_an_unfinished_last_line_counts(ebb, program):
    assert ebb(["run", program], stdin="p 1\np 2").stdout == "$1 = 1\n$2 = 2\n"


def test_binary_garbage_as_a_script(ebb, program, tmp_path):
    script = tmp_path / "garbage"
    script.write_bytes(bytes(range(256)) * 16)
    one_line(ebb(["run", "--batch", "-x", script, program]))
    one_line(ebb(["run", "--batch", "-x", program, program]))


def test_a_missing_script(ebb, program):
    assert "/nosuch" in one_line(ebb(["run", "--batch", "-x", "/nosuch", program]))


def test_a_broken_pipe_ends_quietly(program, quiet_home):
    for options in ([], ["--json"]):
        running = subprocess.Popen([EBB, "run", "--batch", *options, "-e", "help all", "-e", "start", "-e", "help all", "-e", "help all", str(program)],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=quiet_home)
        running.stdout.close()
        complaints = running.stderr.read()
        assert running.wait(120) == 1
        assert complaints == b""


def test_closed_descriptors(program, quiet_home, tmp_path):
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        out = tmp_path / "out"
        done = subprocess.run(["sh", "-c", f'"$0" run --batch -e "break add" -e run -e "p b" "$1" {closed}', EBB, str(program)],
                              env=quiet_home, timeout=120, stdin=subprocess.DEVNULL, stdout=out.open("wb"), stderr=subprocess.DEVNULL)
        assert done.returncode == 0, closed
        if ">&-" not in closed.replace("2>&-", ""):
            assert "$1 = 20" in out.read_text()


def test_a_full_disk_for_the_answers(program, quiet_home):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([EBB, "run", "--batch", "-e", "help all", str(program)], stdin=subprocess.DEVNULL, stdout=full, env=quiet_home, timeout=120)
    assert done.returncode in (0, 1)


def test_a_debuggee_that_is_killed_meanwhile(ebb, compile_c):
    program = compile_c("int main(void) { for (;;); }", name="forever")
    done = ebb(["run", program], stdin="start\nshell kill -9 $(pgrep -f ^" + str(program) + ")\nnext\nbt\np 1\n")
    assert done.returncode == 0
    assert "SIGKILL" in done.stdout + done.stderr
    assert "$1 = 1" in done.stdout


def test_a_debuggee_that_dies_at_once(batch, compile_c):
    program = compile_c("#include <unistd.h>\nint main(void) { _exit(9); }", name="brief")
    done = batch(program, "run", "bt")
    assert done.returncode == 1
    assert "exited with code 011" in done.stdout
    assert len(done.stderr.splitlines()) == 1


def test_moves_without_a_program_running(batch, program):
    for command in ("continue", "step", "finish", "bt", "info locals", "info registers", "up", "kill", "detach", "until", "stepi", "return",
                    "info frame", "signal 0", "jump 3", "x/i $pc", "info threads"):
        done = batch(program, command)
        if command == "info threads":
            assert done.stdout == "No threads.\n"
            continue
        assert done.returncode == 1, command
        assert len(done.stderr.splitlines()) == 1, done.stderr


def test_interrupting_a_script(program, quiet_home, tmp_path):
    script = tmp_path / "endless"
    script.write_text("while 1\necho begun\\n\nend\n")
    running = subprocess.Popen([EBB, "run", "--batch", "-x", str(script), str(program)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=quiet_home)
    assert running.stdout.readline() == b"begun\n"
    running.send_signal(signal.SIGINT)
    running.stdout.read()
    assert running.wait(120) == 1
    assert b"Interrupted." in running.stderr.read()


def test_words_of_other_debuggers_are_answered_with_ours(ebb):
    """Each hint of the table, and it names a command that is there."""
    rows = re.findall(r'CLI_OTHER_WORD\("([^"]+)", "([^"]+)"\)', (ROOT / "src/front/cli/other_words.def").read_text())
    assert len(rows) > 20
    done = ebb(["run", "--no-init", "--", "/bin/true"], stdin="".join(f"{word} x\n" for word, instead in rows))
    said = done.stdout + done.stderr
    for word, instead in rows:
        assert f'Undefined command: "{word}".  Here it is: {instead}.' in said, said
        if instead != "Ctrl-C":
            assert ebb(["help", *re.match(r"(info \w+|set \w+|[a-z-]+)", instead)[0].split()[:1]]).returncode == 0, instead


def test_other_languages_are_refused_in_one_line(ebb):
    for word, language in (("python print(1)", "Python"), ("py print(1)", "Python"), ("python-interactive 1", "Python"), ("guile 1", "Guile")):
        assert f"{language} scripting is not supported." in one_line(ebb(["run", "--no-init", "--batch", "-e", word, "--", "/bin/true"]))


def test_what_fails_in_gdb_words_keeps_nothing_from_its_turn(ebb, program):
    """As in gdb: each -ex has its turn, and the status is the last one's."""
    for last, status in (("print nosuch", 1), ("print 42", 0)):
        commands = ["-nx", "-batch", "-ex", "print nosuch", "-ex", "print 6 * 7", "-ex", last, str(program)]
        theirs, ours = subprocess.run(["gdb", *commands], capture_output=True, text=True), ebb(commands)
        assert theirs.returncode == ours.returncode == status, (theirs, ours)
        assert "= 42\n" in theirs.stdout and theirs.stdout == ours.stdout, (theirs, ours)
        assert theirs.stderr == ours.stderr


def test_commands_of_one_script_end_at_a_failure(ebb, program):
    done = ebb(["run", "--no-init", "--batch", "-e", "print nosuch", "-e", "print 42", "--", program])
    assert done.returncode == 1 and "42" not in done.stdout
    done = ebb(["run", "--no-init", "--batch", "--keep-going", "-e", "print nosuch", "-e", "print 42", "--", program])
    assert done.returncode == 0 and "= 42\n" in done.stdout, done


def test_our_own_options_mix_with_gdbs_words(ebb, program):
    for words in (["--batch", "-e", "print 42", program], [program, "-batch", "-e", "print 42"]):
        done = ebb(words)
        assert done.returncode == 0 and "= 42\n" in done.stdout, done
    done = ebb([program, "--batch", "-e", "print nosuch", "-e", "print 42"])
    assert done.returncode == 1 and "42" not in done.stdout
    assert '"42"' in ebb([program, "--batch", "--json", "-e", "print 42"]).stdout
