"""Long searches through the past of a C program end at once: Ctrl-C leads back to where the search began, SIGTERM ends ebb and every copy."""
import pytest

from conftest import processes_below
from interrupts import Searching, assert_ctrl_c_leads_back, assert_sigterm_ends_all

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
ENDLESS = {"a breakpoint": "break step if is_far()", "a watchpoint": "watch last if is_far()"}
SHORTER = ["bisect count < 12345", "goto start", "goto 300000", "reverse-step", "values last", "last-write count"]


@pytest.fixture
def at_the_end(compile_c, quiet_home):
    """start() -> a session that stands after the loop."""
    program = compile_c(LONG, name="long")
    opened = []

    def start():
        session = Searching([program], quiet_home)
        opened.append(session)
        for command in (f"break {1 + LONG[:LONG.index('/* the end')].count(chr(10))}", "run", "delete"):
            assert session.ask(command)["kind"] != "error"
        return session

    yield start
    for session in opened:
        session.kill()


@pytest.mark.parametrize("point", ENDLESS)
def test_ctrl_c_leads_back_to_where_it_began(at_the_end, point):
    session = at_the_end()
    assert session.ask(ENDLESS[point])["kind"] != "error"
    assert_ctrl_c_leads_back(session, "reverse-continue")
    assert session.ask("print count")["value"] == "3000000"


@pytest.mark.parametrize("command", SHORTER + [f"reverse-continue to {point}" for point in ENDLESS])
def test_sigterm_ends_ebb_and_every_copy(at_the_end, workshop, command):
    session = at_the_end()
    command, _, point = command.partition(" to ")
    if point:
        session.ask(ENDLESS[point])
    assert_sigterm_ends_all(session, command, lambda: processes_below(workshop))
