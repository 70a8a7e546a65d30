"""Scripting: define, if, while, commands, source, alias."""
import pytest

from programs import LIST


@pytest.fixture(scope="session")
def program(compile_c):
    return compile_c(LIST, name="list")


@pytest.fixture
def script(ebb, program, tmp_path):
    def run(text, *options):
        path = tmp_path / "script"
        path.write_text(text)
        return ebb(["run", "--batch", *options, "-x", path, program])

    return run


def test_while_if_else_and_nesting(script):
    done = script("""
set $i = 0
while $i < 4
  if $i % 2
    if $i == 3
      echo three\\n
    else
      echo one\\n
    end
  else
    printf "even %d\\n", $i
  end
  set $i = $i + 1
end
""")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "even 0\none\neven 2\nthree\n"


def test_loop_break_and_continue(script):
    done = script("""
set $i = 0
while 1
  set $i = $i + 1
  if $i == 2
    loop_continue
  end
  if $i == 4
    loop_break
  end
  printf "%d\\n", $i
end
echo behind\\n
""")
    assert (done.returncode, done.stdout) == (0, "1\n3\nbehind\n")


def test_user_commands_take_arguments(script):
    done = script("""
define twice
  p $arg0 * 2
  printf "%d %s\\n", $argc, $arg1
end
document twice
Doubles a number.
end
twice 21 "x"
help twice
show user twice
twi 4 "y"
""")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("$1 = 42\n2 x\n")
    assert "Doubles a number." in done.stdout
    assert "  p $arg0 * 2\n" in done.stdout
    assert "$2 = 8" in done.stdout


def test_user_commands_that_call_themselves_end(script):
    done = script("define again\nagain\nend\nagain\n")
    assert done.returncode == 1
    assert "nested" in done.stderr and len(done.stderr.splitlines()) == 1


def test_source_that_sources_itself_ends(script, tmp_path):
    done = script(f"source {tmp_path}/script\n")
    assert done.returncode == 1
    assert "nested" in done.stderr and len(done.stderr.splitlines()) == 1


def test_breakpoint_commands_run_at_each_stop(script):
    done = script("""
break add
commands
  silent
  printf "add %d\\n", b
  continue
end
run
echo done\\n
""")
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stdout.splitlines() if not line.startswith(("Breakpoint 1 at", "[Inferior", "total"))]
    assert said == ["add 20", "add 10", "add 0", "done"]


def test_very_many_hits_do_not_pile_up(ebb, compile_c):
    program = compile_c(r"""
        static void tick(int i) { }
        int main(void)
        {
            for (int i = 0; i < 2000; i++)
                tick(i);
        }
    """, name="ticks")
    done = ebb(["run", "--batch", "-e", "break tick", "-e", "commands", "-e", "silent", "-e", "set $n = $n + 1", "-e", "continue", "-e",
                "end", "-e", "set $n = 0", "-e", "run", "-e", "p $n", program], timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("$1 = 2000\n")


def test_bodies_may_follow_in_more_e_options(ebb, program):
    done = ebb(["run", "--batch", "-e", "define hello", "-e", "echo hello\\n", "-e", "end", "-e", "hello", program])
    assert (done.returncode, done.stdout) == (0, "hello\n")


@pytest.mark.parametrize("body", ["define x\necho\n", "while 1\n", "if 1\nelse\n", "commands\n", "document help\n", "define\n"])
def test_a_body_without_end_is_one_line(script, body):
    done = script("break main\n" + body)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1, done.stderr


def test_aliases(script):
    done = script("alias sayx = p/x\nsayx 17\nalias again = echo hi\nagain there\nalias p = echo\n")
    assert done.stdout.startswith("$1 = 0x11\nhi there")
    assert done.returncode == 1 and "already exists" in done.stderr


def test_shell_and_its_status(script):
    done = script("shell exit 3\np $_shell_exitcode\n!echo hello\n")
    assert done.stdout == "$1 = 3\nhello\n"


def test_abbreviations_are_gdbs(script):
    done = script("b add\nr\nbt 1\nf\nu\ni b\ni loc\np a\nl add\nd\nc\n")
    assert done.returncode == 0, done.stderr


def test_ambiguous_and_undefined_commands(script):
    done = script("wh 1\n")
    assert done.returncode == 1 and "Ambiguous command" in done.stderr
    done = script("info nosuchthing\n")
    assert done.returncode == 1 and 'Undefined info command: "nosuchthing"' in done.stderr


def test_apply_in_frames(script):
    done = script("break add\nrun\nframe apply all -q p $pc != 0\nframe apply 1 p a\nfaas p argc\nframe function main\nframe\n")
    assert done.returncode == 0, done.stderr
    assert "$1 = 1\n$2 = 1\n" in done.stdout
    assert done.stdout.count("#1  ") == 3
