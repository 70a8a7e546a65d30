"""Long searches through the past of a C program end at once: Ctrl-C leads back to where the search began, SIGTERM ends ebb and every copy."""
import json
import random
import signal
import subprocess
import time

import pytest

from conftest import EBB, processes_below

LONG = """
int count, last;

static int is_far(void) { return count > 1000000000; }

static void step(int i)
{
    count++;
    last = i % 3;
}

int main(void)
{
    for (int i = 0; i < 3000000; i++)
        step(i);
    return is_far(); /* the end */
}
"""

# Each would take minutes: ebb itself tests such a condition, at each of millions of hits.
ENDLESS = {"a breakpoint": "break step if is_far()", "a watchpoint": "watch last if last == -5"}
SHORTER = ["bisect count < 12345", "goto start", "goto 300000", "reverse-step", "values last", "last-write count"]


@pytest.fixture
def at_the_end(compile_c, quiet_home):
    """A session that stands after the loop: start() -> process, ask(command) -> reply, answer() -> the next reply."""
    program = compile_c(LONG, name="long")
    opened = []

    def start():
        running = subprocess.Popen([EBB, "run", "--json", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                   bufsize=1, env=quiet_home)
        opened.append(running)

        def answer():
            for line in running.stdout:
                if line.startswith("{") and "command" in (said := json.loads(line)):
                    return said
            return None

        def ask(command):
            begin(running, command)
            return answer()

        for command in (f"break {1 + LONG[:LONG.index('/* the end')].count(chr(10))}", "run", "delete"):
            assert ask(command)["kind"] != "error"
        return running, ask, answer

    yield start
    for running in opened:
        running.kill()
        running.wait()


def begin(running, command):
    running.stdin.write(command + "\n")
    running.stdin.flush()


@pytest.mark.parametrize("point", ENDLESS)
def test_ctrl_c_leads_back_to_where_it_began(at_the_end, point):
    running, ask, answer = at_the_end()
    before = ask("when -i")["position"]
    assert ask(ENDLESS[point])["kind"] != "error"
    for wait in (0.05, 0.7, 1.5):
        begin(running, "reverse-continue")
        time.sleep(wait)
        running.send_signal(signal.SIGINT)
        said = answer()
        assert said["kind"] == "error" and "nterrupted" in said["message"] or said.get("reason") == "interrupted", said
        assert ask("when -i")["position"] == before
    assert ask("print count")["value"] == "3000000"


@pytest.mark.parametrize("command", SHORTER + [f"reverse-continue to {point}" for point in ENDLESS])
def test_sigterm_ends_ebb_and_every_copy(at_the_end, workshop, command):
    running, ask, answer = at_the_end()
    command, _, point = command.partition(" to ")
    if point:
        ask(ENDLESS[point])
    begin(running, command)
    time.sleep(random.Random(command).choice([0.02, 0.2, 0.6]))
    running.send_signal(signal.SIGTERM)
    assert running.wait(timeout=20) == -signal.SIGTERM
    until = time.monotonic() + 20
    while (left := processes_below(workshop)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not left
