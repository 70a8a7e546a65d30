"""Native programs go back: from a crash, or from the end, to the cause."""
import os
import pathlib
import re
import subprocess

import pytest

EBB = os.environ.get("EBB", str(pathlib.Path(__file__).resolve().parents[2] / "build" / "ebb"))
SECONDS = 120

PROGRAM = r"""
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node { struct node *next; int value; };
static struct node *head;
static int counted, added;
static volatile int signals;

static void count(int signal) { signals++; }

static void push(int value)
{
    struct node *n = malloc(sizeof *n);
    n->value = value;
    n->next = head;
    head = n;
}

static void spoil(void)
{
    char *p = (char *)&head->next->next;
    memset(p, 0x11, 4); /* the culprit */
}

static void *add(void *by)
{
    for (int i = 0; i < 1000; i++)
        added += (int)(long)by;
    return NULL;
}

int main(int argc, char **argv)
{
    char line[100];
    pthread_t threads[2];
    FILE *f = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, f))
        push((int)strlen(line));
    fclose(f);
    signal(SIGUSR1, count);
    raise(SIGUSR1);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (argc > 1)
        spoil();
    for (struct node *n = head; n; n = n->next)
        counted += n->value;
    printf("%d %d\n", counted, added);
    return 7;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("back")
    (folder / "back.c").write_text(PROGRAM)
    subprocess.run(["cc", "-g", "-O1", "-pthread", "-o", folder / "back", folder / "back.c"], check=True)
    return folder / "back"


def line_of(text):
    return next(i for i, line in enumerate(PROGRAM.split("\n"), 1) if text in line)


def debug(ebb, program, *commands, args=()):
    words = [word for command in ("handle SIGUSR1 nostop noprint", *commands) for word in ("-e", command)]
    done = ebb(["run", "--batch", *words, str(program), *args], timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_from_a_crash_to_its_cause(ebb, program):
    out = debug(ebb, program, "run", "bt 1", "last-write head->next->next", args=["spoil"])
    assert "SIGSEGV" in out
    assert f"back.c:{line_of('the culprit')}" in out.split("Last write to head->next->next")[1]


def test_from_the_end_to_the_last_line(ebb, program):
    out = debug(ebb, program, "run", "reverse-next", "print counted", "reverse-next", "print added")
    assert f"back.c:{line_of('return 7;')}" in out
    assert "= 3000" in out


def test_there_and_back(ebb, program):
    out = debug(ebb, program, "break push", "run", "continue 20", "print value", "when -i", "reverse-continue", "reverse-continue",
                "print value", "continue", "continue", "print value", "when -i")
    values = [line.split("= ")[1] for line in out.splitlines() if line.startswith("$")]
    assert values[0] == values[2]
    positions = [line for line in out.splitlines() if "@0x" in line or "@back" in line]
    assert positions[-1] in positions[:-1]


def test_after_the_end(ebb, program):
    """Variables are what the program's file says, as in gdb; points that are set there hold on the way back; it is the same process."""
    out = debug(ebb, program, "run", "print counted", "info inferiors", "break push", "watch counted", "reverse-continue",
                "print counted", "info inferiors", "delete", "tbreak push", "reverse-continue", "bt 1", "continue", "print counted")
    ran = out.split("exited with code 07")
    assert len(ran) == 3, out
    assert "$1 = 0" in ran[1] and "process" not in ran[1].split("Executable")[1].split("Breakpoint")[0]
    pid = ran[0].rsplit("(process ", 1)[1].split(")")[0]
    assert f"process {pid} " in ran[1].split("watchpoint")[-1], out
    new = ran[1].split("New value = ")[1].split("\n")[0]
    assert f"$2 = {new}\n" in ran[1] and "push (" in ran[1]
    assert ran[1].rstrip().endswith(f"[Inferior 1 (process {pid})") and "$3 = 0" in ran[2]


@pytest.mark.parametrize("off", ["set record-native off", "mode native"])
def test_nothing_is_kept_if_it_is_not_wanted(ebb, program, off):
    done = ebb(["run", "--batch", "-e", off, "-e", "tbreak push", "-e", "run", "-e", "next", "-e", "reverse-next", str(program)])
    assert done.returncode != 0 and "keeps no history" in done.stderr, done.stderr


def test_no_record(ebb, program):
    done = ebb(["run", "--no-record", "--batch", "-e", "tbreak push", "-e", "run", "-e", "reverse-next", str(program)])
    assert done.returncode != 0 and "keeps no history" in done.stderr, done.stderr


def test_native_mode_is_a_gap(ebb, program):
    """There is no way back from it, and that is said; in VM mode a new history begins after it."""
    begin = ["tbreak push", "run", "next", "mode native", "next", "mode vm"]
    done = ebb(["run", "--batch", *[word for command in [*begin, "reverse-next"] for word in ("-e", command)], str(program)])
    assert done.returncode != 0 and "because the program went on in native mode" in done.stderr, done.stderr
    out = debug(ebb, program, *begin, "next", "next", "tbreak count", "continue", "info history", "goto start", "next", "reverse-next", "reverse-next")
    assert "It begins there because the program went on in native mode." in out
    assert out.count("No more reverse-execution history") == 2, out


EXECUTES = r"""
    #include <stdio.h>
    #include <unistd.h>
    int n;
    static void bump(int i) { n += i; }
    int main(int argc, char **argv)
    {
        for (int i = 0; i < 3; i++)
            bump(i + argc);
        if (argc == 1)
            execl(argv[0], argv[0], "again", (char *)0);
        return n;
    }
"""


def test_another_program_has_a_history_of_its_own(batch, compile_c):
    program = compile_c(EXECUTES, name="executes")
    done = batch(program, "catch exec", "run", "delete", "tbreak bump", "continue", "continue", "info history",
                 "break bump", "reverse-continue", "reverse-continue", "print i", "print n", "goto start", "continue", "print i")
    assert "It begins there because the program has executed another one." in done.stdout, done.stdout + done.stderr
    assert done.stdout.count("exited with code 011") == 1
    assert done.stdout.split("$1 = ")[1].startswith("3\n$2 = 2\n") and done.stdout.rstrip().endswith("$3 = 2"), done.stdout


FORKS = r"""
    #include <sys/wait.h>
    #include <unistd.h>
    int n;
    static void bump(int i) { n += i; }
    int main(void)
    {
        bump(1);
        if (fork() == 0) {
            for (int i = 0; i < 4; i++)
                bump(10);
            _exit(n);
        }
        wait(0);
        return n;
    }
"""


def test_a_followed_child_has_a_history_of_its_own(batch, compile_c):
    program = compile_c(FORKS, name="forks")
    done = batch(program, "set follow-fork-mode child", "run", "info history", "break bump", "reverse-continue", "print n", "reverse-continue", "print n", "continue", "print n")
    assert "It begins there because the child of a fork is followed." in done.stdout, done.stdout + done.stderr
    assert [line for line in done.stdout.splitlines() if line.startswith("$")] == ["$1 = 31", "$2 = 21", "$3 = 31"], done.stdout


READS = r"""
    #include <unistd.h>
    int got;
    static void use(int c) { got += c; }
    int main(void)
    {
        char c;
        int p[2];
        if (pipe(p) || write(p[1], "abc", 3) != 3)
            return 1;
        for (int i = 0; i < 3; i++)
            if (read(p[0], &c, 1) == 1)
                use(c);
        return got == 'a' + 'b' + 'c';
    }
"""


def test_a_stop_inside_of_a_call_is_a_moment_of_its_own(batch, compile_c):
    """Time ticks when the program goes on from there, and so it does in replay."""
    program = compile_c(READS, name="reads")
    done = batch(program, "break main", "run", "catch syscall read", *["continue"] * 6, "delete", "continue", "break use", "reverse-continue", "print got", "reverse-continue",
                 "print got", "delete", "continue")
    assert done.returncode == 0, done.stderr
    assert "$1 = 195\n" in done.stdout and "$2 = 97\n" in done.stdout, done.stdout
    assert done.stdout.count("exited with code 01") == 2


AFTER_THREADS = r"""
    #include <pthread.h>
    #include <stdio.h>
    #include <sys/wait.h>
    #include <unistd.h>
    static void *work(void *p) { return p; }
    static void ready(void) { }
    int main(void)
    {
        pthread_t t;
        int p[2], status = -1;
        char text[8] = "none";
        pthread_create(&t, NULL, work, NULL);
        pthread_join(t, NULL);
        if (pipe(p))
            return 1;
        ready();
        if (!fork())
            _exit(write(p[1], "data", 5) + 2);
        int n = read(p[0], text, sizeof text);
        wait(&status);
        printf("%d %s %x\n", n, text, status);
        return 0;
    }
"""


@pytest.mark.parametrize("caught, n", [("syscall getppid", 0), ("syscall", 8)])
def test_what_calls_have_written_stays_when_calls_are_caught(ebb, compile_c, caught, n):
    """In a program that has had threads the kernel writes beside the program's memory: a stop at a call must not lead it back there."""
    out = debug(ebb, compile_c(AFTER_THREADS), "break ready", "run", "catch " + caught, *["continue"] * n, *["delete"] * (n > 0), "continue")
    assert "5 data 700\n" in out, out


def test_a_caught_call_that_returns_has_written(ebb, compile_c):
    out = debug(ebb, compile_c(AFTER_THREADS), "break ready", "run", "up", "set $text = &text", "catch syscall read", "continue",
                "set var $rdx = 2", "continue", "output *$text", "delete", "tbreak wait", "continue", "up", "print text", "watch text[0]", "reverse-continue", "delete", "continue", "goto end")
    assert "returned from syscall read" in out and '"dane' in out, out
    assert '$1 = "dane\\000\\000\\000"' in out and "Old value = 100 'd'\nNew value = 110 'n'" in out, out


def test_the_end_is_the_newest_moment(ebb, program):
    out = debug(ebb, program, "run", "reverse-next", "goto end", "info history")
    newest, now = re.search(r"History from 0 to (\d+); now is (\d+) \(ended\)", out).groups()
    assert now == newest


@pytest.mark.parametrize("move", ["stepi", "nexti", "step", "next"])
def test_a_step_from_the_last_moment_is_the_end_again(ebb, program, move):
    out = debug(ebb, program, "run", "reverse-stepi", move)
    assert out.count("exited with code 07") == 2, out


CALLS = r"""
    #include <signal.h>
    #include <sys/wait.h>
    #include <unistd.h>
    static int sum;
    static void handle(int signal) { sum += signal; }
    int main(void)
    {
        int p[2], status;
        char c;
        signal(SIGUSR1, handle);
        if (pipe(p))
            return 1;
        for (int i = 0; i < 3; i++) {
            if (write(p[1], "abc" + i, 1) == 1 && read(p[0], &c, 1) == 1)
                sum += c;
        }
        raise(SIGUSR1);
        pid_t child = fork();
        if (!child)
            _exit(3);
        wait(&status);
        child = vfork();
        if (!child)
            _exit(4);
        wait(&status);
        return sum & 1;
    }
"""


def caught(out):
    """Reason and function of each stop, with the address where the debugger tells one; and the positions."""
    stops = re.findall(r"Catchpoint \d+ \((.*?)\), ((?:0x\w+ in )?\w+)[^\n]*(?:\n[^\n]*\n(\d+@\S+))?", out)
    return [(re.sub(r"process \d+", "process", why), where) for why, where, _ in stops], [at for *_, at in stops]


CAUGHT = ["catch syscall write read clone 0x3a wait4 231", "catch fork", "catch vfork"]


def last_first(told, stops):
    """Backward, a moment is one stop: that of a fork is also that of its call's return."""
    return [one for one, (why, _) in zip(told, stops) if not why.startswith(("fork", "vfork"))][::-1]


@pytest.mark.parametrize("how", ["live", "past", "file"])
def test_calls_and_forks_are_caught_in_both_directions_as_gdb_catches_them(ebb, compile_c, tmp_path, how):
    program = compile_c(CALLS, name="calls")
    words = ["set pagination off", "set debuginfod enabled off", "handle SIGUSR1 nostop noprint", "break main", "run", *CAUGHT, *["continue"] * 23]
    told = subprocess.run(["gdb", "-nx", "-batch", *[w for c in words for w in ("-ex", c)], str(program)], capture_output=True, text=True, timeout=SECONDS)
    wanted, _ = caught(told.stdout)
    assert len(wanted) > 12 and wanted[-1][0] == "call to syscall exit_group", told.stdout
    n = len(wanted)
    back = ["reverse-continue"] * (len(last_first(wanted, wanted)) + 1)
    if how == "file":
        recording = tmp_path / "calls.ebb"
        subprocess.run([EBB, "record", "-o", str(recording), str(program)], timeout=SECONDS, capture_output=True)
        first, opened = ["break main", "continue", *CAUGHT, *["continue"] * n, "handle SIGUSR1 nostop noprint", "goto end"], ["replay", str(recording)]
    else:
        live = ["continue"] * (n + 1) if how == "live" else ["continue"]
        first, opened = ["break main", "run", *(CAUGHT if how == "live" else []), *live, *(CAUGHT if how == "past" else [])], ["run", str(program)]
    commands = ["handle SIGUSR1 nostop noprint", *first, "echo @@@\\n", *back, "echo @@@\\n", *["continue"] * n]
    done = ebb([opened[0], "--batch", *[w for c in commands for w in ("-e", c)], *opened[1:]])
    out = done.stdout + done.stderr
    before, backward, forward = out.split("@@@\n")
    (went_back, back_at), (went_on, on_at) = caught(backward), caught(forward)
    assert went_back == last_first(wanted, wanted), out
    assert went_on == wanted, out
    assert back_at == last_first(on_at, wanted), out
    if how != "past":
        assert caught(before) == (wanted, on_at), out


THREADS = r"""
    #include <pthread.h>
    #include <unistd.h>
    static int n;
    static void *work(void *p)
    {
        for (int i = 0; i < 1000; i++)
            n += i;
        return write(1, "", 0) ? p : &n;
    }
    int main(void)
    {
        pthread_t t[3];
        for (int i = 0; i < 3; i++)
            pthread_create(&t[i], NULL, work, NULL);
        for (int i = 0; i < 3; i++)
            pthread_join(t[i], NULL);
        return write(1, "", 0);
    }
"""


@pytest.mark.parametrize("catch", [["thread"], ["thread", "syscall write"], ["syscall"]])
def test_what_threads_do_is_caught_at_the_same_positions_whatever_way_leads_there(ebb, compile_c, catch):
    program = compile_c(THREADS, name="threads")
    commands = ["break main", "run", *[f"catch {what}" for what in catch], "echo @@@\\n", *["continue"] * 150, "echo @@@\\n", *["reverse-continue"] * 150, "echo @@@\\n",
                "goto start", "disable 2-9", "continue", "enable", "delete 1", *["continue"] * 150]
    done = subprocess.run([EBB, "run", str(program)], input="\n".join(commands) + "\nquit\n", capture_output=True, text=True, timeout=SECONDS)
    _, live, backward, forward = [caught(part) for part in done.stdout.split("@@@\n")]
    assert len(live[0]) > 5 and all(live[1]), done.stdout
    assert forward == live, done.stdout
    n = len(live[0]) # whoever goes on comes to what was before main
    assert (backward[0][:n], backward[1][:n]) == (live[0][::-1], live[1][::-1]), done.stdout


MANY_CALLS = r"""
    #include <unistd.h>

    static void call(void)
    {
        for (int i = 0; i < 1000; i++)
            getppid();
    }

    int main(void)
    {
        call();
        int status = chdir("/");
        call();
        return status;
    }
"""


@pytest.mark.parametrize("commands", [["catch syscall chdir unlink", "run"], ["run", "catch syscall chdir unlink", "reverse-continue"]], ids=["live", "back"])
def test_calls_that_nobody_catches_are_no_stops(batch, compile_c, commands):
    """Not even of the machine's, which would cost a hundred microseconds each."""
    done = batch(compile_c(MANY_CALLS, name="many_calls"), *commands, timeout=100, env={"EBB_LOG": "run"})
    assert "syscall chdir" in done.stdout, done.stdout + done.stderr
    assert 0 < done.stderr.count("[run] stop") < 500


GOES_ON = r"""
#include <unistd.h>

static int counted, sum;

static void add(int i)
{
    sum += i;
}

int main(void)
{
    for (;;) {
        add(++counted);
        usleep(1000);
    }
}
"""


@pytest.mark.parametrize("begins", [["attach"], ["run", "--native"]], ids=["attached", "native"])
def test_history_begins_where_native_mode_is_left(ebb, compile_c, begins):
    program = compile_c(GOES_ON, flags=("-g", "-O0"), name="goes_on")
    running = subprocess.Popen([program]) if begins == ["attach"] else None
    try:
        commands = ["break add", "continue" if running else "run", "mode vm", "continue", "p i", "continue", "p i", "p sum", "reverse-continue", "p i", "last-write sum",
                    "p counted", "p sum", "info history", "delete", "kill"]
        done = ebb([*begins, "--batch", *[word for line in commands for word in ("-e", line)], str(running.pid if running else program)], timeout=120)
    finally:
        if running:
            running.kill()
            running.wait()
    assert done.returncode == 0, done.stderr
    first, second, total, again, writer, before = map(int, re.findall(r"^\$\d+ = (\d+)$", done.stdout, re.M))
    assert second == first + 1 and total == first * (first + 1) // 2  # the second has not been added yet
    assert (again, writer, before) == (first, first - 1, (first - 2) * (first - 1) // 2), done.stdout
    assert "because the program ran in native mode until there" in done.stdout
