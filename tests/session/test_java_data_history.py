"""The history of data: what last-write, values, bisect and watchpoints say of locals, arguments, fields, elements and statics.

The oracle is a walk forward by single instructions that notes everything.  At random moments of it questions are asked, and
each answer is compared with what the walk saw.  EBB_TEST_SEED chooses another walk, EBB_LONG_TESTS=1 asks thirty times as much."""
import json
import os
import random
import subprocess

import pytest

from conftest import EBB
from java_source import compile_java, stores_of

LONG = os.environ.get("EBB_LONG_TESTS") == "1"

DATA = """
public class Data {
    static int total;
    static long wide = 1L << 40;
    static int[] cells = new int[3];
    static int[][] grid = new int[2][2];
    static Data one = new Data(), two = new Data();
    int x;
    double d;

    static int twice(int n) {
        int loc = 1;
        loc = loc * 7 + n;
        n = n + 1;
        loc++;
        cells[n % 3] = loc;
        return loc + n;
    }

    static int fact(int n) {
        int r = 1;
        if (n > 1)
            r = n * fact(n - 1);
        total += r;
        return r;
    }

    static long shared(int n) {
        long sum = 0;
        { int a = 5; sum += a; }
        { int b = 5; sum += b; }
        for (int i = 0; i < 2; i++) {
            int k = 9;
            double half = k / 2.0;
            sum += (long) half + i;
        }
        wide += sum;
        return sum;
    }

    static int loop(int n) {
        while (n > 0)
            n--;
        return n;
    }

    void set(int v) {
        int old = x;
        x = v;
        d = d + v / 4.0;
        grid[v & 1][0] = old;
    }

    static int risky(int n) {
        int before = n * 3;
        if ((n & 1) == 0)
            throw failure;
        return before;
    }

    static RuntimeException failure = new RuntimeException("even");

    static int guarded(int n) {
        int got = -1;
        try {
            got = risky(n);
        } catch (RuntimeException e) {
            got = -2;
        } finally {
            total++;
        }
        return got;
    }

    static void copy() {
        int[] from = {total, total + 1, total + 2};
        System.arraycopy(from, 0, cells, 0, 3);
    }

    static void begin() {
    }

    public static void main(String[] args) {
        int sum = guarded(0);
        copy();
        begin(); // everything is linked
        for (int n = 0; n < 40; n++) {
            sum += twice(n);
            sum += fact(1 + n % 3);
            sum += (int) shared(n);
            sum += loop(n % 3);
            one.set(n);
            two.set(-n);
            sum += guarded(n);
            copy();
        }
        System.out.println(sum);
    }
}
"""

GLOBALS = ["Data.total", "Data.wide", "Data.cells[0]", "Data.cells[1]", "Data.grid[0][0]", "Data.grid[1][0]", "Data.one.x", "Data.one.d", "Data.two.x"]
NUMBERS = ("int", "long", "double", "boolean", "byte", "short", "char", "float")


class Talk:
    """A session that is asked line by line."""

    def __init__(self, folder, words):
        self.process = subprocess.Popen([EBB, *words], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def tell(self, *commands):
        """What they answered, one object each."""
        self.process.stdin.write("".join(c + "\n" for c in commands))
        self.process.stdin.flush()
        return [self.answer(c) for c in commands]

    def answer(self, command):
        while True:
            line = self.process.stdout.readline()
            assert line, f"no answer to {command}"
            if not line.startswith("{"):
                continue
            said = json.loads(line)
            if said["kind"] in ("answer", "stop", "error") and said.get("command") == command:
                return said

    def ask(self, command):
        said, = self.tell(command)
        return said

    def close(self):
        self.process.stdin.close()
        self.process.wait(60)


class Frame:
    """One activation of a method, and its variables moment by moment."""

    def __init__(self, born):
        self.born = born  # the moment of the walk at which it was first seen
        self.seen = {}    # moment -> {variable: value}


class Walk:
    def __init__(self, talk, n_steps):
        self.at, self.stacks, self.globals = [], [], []
        stack = []
        for moment in range(n_steps):
            commands = ["when -i", "bt", "info locals", *(f"print {g}" for g in GLOBALS)]
            if moment > 0:
                talk.ask("stepi")
            when, trace, locals_, *values = talk.tell(*commands)
            self.at.append(when["position"])
            names = [f["function"] for f in reversed(trace["frames"])]
            same = 0
            while same < min(len(names), len(stack)) and stack[same][0] == names[same]:
                same += 1
            stack = stack[:same] + [(name, Frame(moment)) for name in names[same:]]
            here = {v["name"]: v["value"] for v in locals_["locals"] + trace["frames"][0]["args"] if v["type"] in NUMBERS}
            stack[-1][1].seen[moment] = here
            self.stacks.append([frame for _, frame in stack])
            self.globals.append({g: v["value"] for g, v in zip(GLOBALS, values)})

    def writes_of_global(self, name, moment):
        """(moment before the write, value) for each change up to `moment`."""
        return [(i, self.globals[i + 1][name]) for i in range(moment) if self.globals[i][name] != self.globals[i + 1][name]]

    def writes_of_local(self, frame, name, moment):
        """Each change since the frame began, and the moments at which the variable came into scope."""
        seen = [(i, values) for i, values in frame.seen.items() if i <= moment]
        return [(i, there[name]) for (i, here), (_, there) in zip(seen, seen[1:]) if name in there and here.get(name) != there[name]]

    def argument(self, frame, name):
        """Its value at the call; None: it is none, or it was called before the walk began."""
        return frame.seen[frame.born].get(name) if frame.born > 0 and frame.born in frame.seen else None


class Asker:
    """Asks one question after the other at a moment of the walk."""

    def __init__(self, talk, walk, rng, stores):
        self.talk, self.walk, self.rng, self.stores = talk, walk, rng, stores
        self.n_asked = 0

    def pick(self, moment):
        """Something to ask about: (expression, level, its writes, its frame)."""
        stack = self.walk.stacks[moment]
        if self.rng.random() < 0.3:
            name = self.rng.choice(GLOBALS)
            return name, 0, self.walk.writes_of_global(name, moment), None
        level = self.rng.randrange(len(stack))
        frame = stack[-1 - level]
        last = max((i for i in frame.seen if i <= moment), default=None) # a frame outside of the walk was not seen until it returned to
        names = sorted(frame.seen[last]) if last is not None else []
        if not names:
            return None
        name = self.rng.choice(names)
        return name, level, self.walk.writes_of_local(frame, name, moment), frame

    def go(self, moment, level):
        said = self.talk.ask(f"goto {self.walk.at[moment]}")
        assert said["kind"] == "stop", said
        if level:
            self.talk.ask(f"frame {level}")

    def place(self):
        return self.talk.ask("when -i")["position"]

    def check_place(self, moment, why):
        assert self.place() == self.walk.at[moment], f"{why}: it should be at moment {moment}"

    def is_before_walk(self):
        return int(self.place().split("@")[0]) < int(self.walk.at[0].split("@")[0])

    def is_store_since(self, what, writes, frame, said):
        """A store of what was there already: an instruction of that kind, later than the last change; of statics, the last one."""
        kind = {"total": "putstatic total", "wide": "putstatic wide", "x": "putfield x", "d": "putfield d"}.get(what.split(".")[-1])
        kinds = ["local"] if frame else [kind] if kind else ["iastore", "invokestatic arraycopy"]
        first = writes[-1][0] + 1 if writes else 0
        moments = [i for i in range(first, self.moment) if not frame or i in frame.seen]
        later = [self.walk.at[i] for i in moments if self.stores.get(self.walk.at[i].split("@")[1]) in kinds]
        is_static = kinds[0].startswith("putstatic")
        return said["kind"] == "stop" and said.get("old") == said.get("new") and self.place() in (later[-1:] if is_static else later)

    def last_write(self, what, writes, frame, why):
        said = self.talk.ask(f"last-write {what}")
        if self.is_store_since(what, writes, frame, said):
            return
        if writes:
            assert said["kind"] == "stop" and said["new"] == writes[-1][1], (why, said, writes[-1])
            self.check_place(writes[-1][0], why)
        elif frame and frame.born > 0:
            assert said["kind"] == "error" and "since it came into being" in said["message"], (why, said)
        else:
            assert said["kind"] == "error" or self.is_before_walk(), (why, said)

    def values(self, what, writes, frame, why):
        said = self.talk.ask(f"values {what}")
        assert said["kind"] == "answer", (why, said)
        told = [v["value"] for v in said["values"]]
        expected = [value for _, value in writes]
        if frame and frame.born > 0:
            argument = self.walk.argument(frame, what)
            assert told == ([argument] if argument is not None else []) + expected, (why, said)
        else:
            assert told[len(told) - len(expected):] == expected, (why, said)

    def watch(self, what, writes, frame, why):
        self.talk.ask("delete")
        said = self.talk.ask(f"watch {what}")
        assert said["kind"] == "answer", (why, said)
        stop = self.talk.ask("reverse-continue")
        if writes:
            assert stop["reason"] == "watchpoint", (why, stop)
            self.check_place(writes[-1][0], why)
        elif frame and frame.born > 0:
            assert stop["reason"] == "watchpoint", (why, stop)
            self.check_place(frame.born - 1, why)
        else:
            assert self.is_before_walk(), (why, stop)
        self.talk.ask("delete")

    def question(self):
        moment = self.rng.randrange(len(self.walk.at))
        picked = self.pick(moment)
        if not picked:
            return
        what, level, writes, frame = picked
        kind = self.rng.choice([self.last_write, self.values, self.watch])
        self.moment = moment
        self.go(moment, level)
        kind(what, writes, frame, f"{kind.__name__} {what} in frame {level} at moment {moment}, {self.walk.at[moment]}")
        self.n_asked += 1


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp("data"), "Data", DATA)


def test_every_answer_is_what_the_walk_saw(folder):
    seed = int(os.environ.get("EBB_TEST_SEED", random.randrange(1 << 30)))
    print(f"EBB_TEST_SEED={seed}")
    rng = random.Random(seed)
    talk = Talk(folder, ["run", "--json", "--no-init", "--", "java", "-cp", str(folder), "Data"])
    talk.tell("set confirm off", "break Data.begin", "run", "delete")
    walk = Walk(talk, 4000 if LONG else 500)
    asker = Asker(talk, walk, rng, stores_of(folder, "Data"))
    for _ in range(1500 if LONG else 50):
        asker.question()
    assert asker.n_asked > 30
    talk.close()


def test_bisect_agrees_with_the_last_write(folder):
    talk = Talk(folder, ["run", "--json", "--no-init", "--", "java", "-cp", str(folder), "Data"])
    talk.tell("break Data.copy if Data.total > 60", "run", "up")
    talk.ask("bisect sum < 300")
    found = talk.tell("when -i", "reverse-stepi", "when -i", "print sum")
    assert int(found[3]["value"]) < 300
    talk.tell("goto end", "up")
    writes = [v for v in talk.ask("values sum")["values"] if int(v["value"]) >= 300]
    talk.close()
    assert writes[0]["position"].split("@")[0] == found[2]["position"].split("@")[0]


FAR = """
public class Far {
    static int total;

    static int part(int n) {
        int half = n / 2;
        if (n % 2 == 1)
            half++;
        return half;
    }

    static void end() {
    }

    static int work(int times) {
        int rare = 1;
        for (int i = 0; i < times; i++) {
            if (i == 1000)
                rare = 2;
            total += part(i);
        }
        end();
        return rare;
    }

    public static void main(String[] args) {
        work(10);
        work(60000);
    }
}
"""


@pytest.fixture(scope="module")
def far_folder(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp("far"), "Far", FAR)


def test_a_local_that_was_written_long_ago(far_folder):
    talk = Talk(far_folder, ["run", "--json", "--no-init", "--", "java", "-cp", str(far_folder), "Far"])
    talk.tell("break Far.end", "run", "continue", "up")
    values = [v["value"] for v in talk.ask("values rare")["values"]]
    assert values == ["1", "2"]
    stop, count = talk.tell("last-write rare", "print i")
    assert stop["new"] == "2" and stop["old"] == "1" and count["value"] == "1000"
    stop, = talk.tell("last-write i")
    assert (stop["old"], stop["new"]) == ("999", "1000")
    talk.close()


def test_each_activation_has_variables_of_its_own(far_folder):
    """Sixty thousand activations of one method had their frame in the same place."""
    talk = Talk(far_folder, ["run", "--json", "--no-init", "--", "java", "-cp", str(far_folder), "Far"])
    talk.tell("break Far.end", "run", "continue", "break Far.java:9", "reverse-continue")
    values = [v["value"] for v in talk.ask("values half")["values"]]
    assert values == ["29999", "30000"]
    stop = talk.ask("last-write half")
    assert (stop["old"], stop["new"]) == ("29999", "30000")
    assert "nothing wrote to it" in talk.ask("last-write n")["message"]
    talk.close()
