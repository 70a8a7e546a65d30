"""flow: the travels of an object, from where it was made until now.

The oracle is the program's text: comments name the moves of the account, in their order."""
import json
import subprocess
import xml.etree.ElementTree

import pytest

from conftest import EBB
from java_source import compile_java

BANK = """
import java.lang.invoke.*;
import java.util.function.*;

public class Bank {
    static class Account {
        int cents;
        Account next;
        void pay(int n) { cents += n; }
    }
    static Account main, other;
    static Account[] all = new Account[4];
    static final MethodHandle PASS;
    static {
        try {
            PASS = MethodHandles.lookup().findStatic(Bank.class, "handled", MethodType.methodType(void.class, Account.class));
        } catch (ReflectiveOperationException e) {
            throw new Error(e);
        }
    }
    static void handled(Account a) { }                      // of the handle
    Account held;

    static Account open(int cents) {
        Account a = new Account();                          // 1 made
        a.cents = cents;
        return a;                                           // 3 returned
    }
    static Account check(Account a) {
        if (a.cents < 0)
            return null;
        return a;                                           // 5 returned
    }
    void keep(Account a) {
        held = a;                                           // 7 written
        all[2] = a;                                         // 8 written to array
    }
    Account find() {
        Account a = all[2];                                 // 10 read from array
        return a;                                           // 11 returned
    }
    static void stop() { }

    public static void main(String[] args) throws Exception {
        Account second = new Account();
        Account first = open(5);
        other = second;
        check(first);                                       // 4 passed
        Bank bank = new Bank();
        bank.keep(first);                                   // 6 passed
        bank.find().pay(3);                                 // 12 passed as this
        Thread t = new Thread(() -> main = bank.held);      // 13 read, 14 written
        t.start();
        t.join();
        try {
            Supplier<Account> s = () -> main;               // 15 read, 16 returned
            second.next = s.get();                          // 17 written
            Runnable paying = () -> first.pay(1);           // 18 given to the lambda, passed to its body, passed as this
            paying.run();
            Late.account = first;                           // 19 written, after the class was loaded
            Later.take(first);                              // 20 passed, after that
            PASS.invokeExact(first);                        // 21 given to a handle, passed on by it
        } catch (Throwable t2) {
            throw new Error(t2);
        } finally {
            stop();
        }
    }
}
class Late {
    static Bank.Account account = Later.none();
}
class Later {
    static Object names = Later.class.getName();
    static Bank.Account none() { return null; }
    static void take(Bank.Account a) { }
}
"""


def line_of(text):
    return next(i for i, line in enumerate(BANK.split("\n"), 1) if f"// {text}" in line or f", {text}" in line)


EXPECTED = [
    ("allocation", "1 made"), ("parameter", "1 made"), ("return", "3 returned"), ("parameter", "4 passed"), ("return", "5 returned"),
    ("parameter", "6 passed"), ("field-write", "7 written"), ("array-write", "8 written to array"), ("array-read", "10 read"), ("return", "11 returned"),
    ("parameter", "12 passed"), ("field-read", "13 read"), ("field-write", "14 written"), ("field-read", "15 read"), ("return", "16 returned"), ("field-write", "17 written"),
    ("parameter", "18 given"), ("parameter", "18 given"), ("parameter", "18 given"), ("field-write", "19 written"), ("parameter", "20 passed"), ("parameter", "21 given"),
    ("parameter", "of the handle"),
]


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp("bank"), "Bank", BANK)


def ask(words, commands):
    words = [*words[:1], "--batch", "--json", *[w for c in commands for w in ("-e", c)], *words[1:]]
    done = subprocess.run([EBB, *map(str, words)], capture_output=True, text=True, timeout=500, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, (done.stdout[-2000:], done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


@pytest.fixture(scope="module")
def live(bank):
    told = ask(["run", "--", "java", "-cp", bank, "Bank"], ["break Bank.stop", "run", "up", "when -i", "flow first", "flow second.next", "when -i"])
    positions = [one["position"] for one in told if one.get("command", "").startswith("when")]
    assert positions[0] == positions[1]
    return [one["links"] for one in told if "links" in one]


def own(links):
    return [(link["kind"], link["line"]) for link in links if link.get("file", "").endswith("Bank.java")]


def without_inner_calls(moves):
    """A constructor passes itself on to Object's."""
    init = next(i for i, line in enumerate(BANK.split("\n"), 1) if "static class Account" in line)
    return [move for move in moves if move[1] != init]


def test_the_moves_are_those_of_the_text(live):
    assert without_inner_calls(own(live[0])) == [(kind, line_of(text)) for kind, text in EXPECTED]


def test_it_is_about_the_object_whatever_the_expression(live):
    assert live[0] == live[1]


def test_moves_of_a_call_are_deeper_than_the_call(live):
    at = {(link["kind"], link["line"]): link.get("depth", 0) for link in live[0]}
    passed = at[("parameter", line_of("6 passed"))]
    assert at[("field-write", line_of("7 written"))] == at[("array-write", line_of("8 written"))] == passed + 1
    assert at[("parameter", line_of("12 passed"))] == passed


def test_a_recording_tells_the_same(bank, live):
    file = bank / "bank.rec"
    subprocess.run([EBB, "record", "-o", file, "--", "java", "-cp", bank, "Bank"], capture_output=True, timeout=100, stdin=subprocess.DEVNULL)
    write = next(link for link in live[0] if link["kind"] == "field-write")
    told = ask(["replay", file], ["break Bank.stop", "continue", "up", "flow first", f"goto #{write['number']}", "frame"])
    assert next(one["links"] for one in told if "links" in one) == live[0]
    assert told[-1]["frame"]["line"] == write["line"]


def test_an_object_that_a_call_gives(bank, live):
    """The call is made in a copy of the program; the object is the program's own."""
    told = ask(["run", "--", "java", "-cp", bank, "Bank"], ["break Bank.stop", "run", "up", "flow bank.find()", "flow --own first"])
    called, own_code = [one for one in told if "links" in one]
    assert called["links"] == live[0]
    assert all(link.get("function", "").startswith("Bank") for link in own_code["links"][:-1])


SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def picture(bank):
    file = bank / "bank.svg"
    ask(["run", "--", "java", "-cp", bank, "Bank"], ["break Bank.stop", "run", "up", f"flow --svg {file} first"])
    return xml.etree.ElementTree.parse(file).getroot()


def points(picture):
    """(x, y) of each point, with its words."""
    words = [text.text for text in picture.findall(SVG + "text") if text.find(SVG + "title") is not None]
    return [((int(c.get("cx")), int(c.get("cy"))), text) for c, text in zip(picture.findall(SVG + "circle"), words)]


def boxes(picture):
    """Each invocation's name, with its sides."""
    names = [text.text for text in picture.findall(SVG + "text") if text.get("class") == "call"]
    sides = [[int(box.get(key)) for key in ("x", "y", "width", "height")] for box in picture.findall(SVG + "rect") if box.get("class") == "call"]
    assert len(names) == len(sides)
    return [(name, (x, y, x + width, y + height)) for name, (x, y, width, height) in zip(names, sides)]


def arrows(picture):
    """From which height to which, and whether it is certain."""
    for path in picture.findall(SVG + "path"):
        numbers = path.get("d").replace("M", "").replace("C", "").split()
        yield int(numbers[1]), int(numbers[-1]), path.get("stroke-dasharray") is None


def around(picture, point):
    return [name for name, (x0, y0, x1, y1) in boxes(picture) if x0 < point[0] < x1 and y0 < point[1] < y1]


def test_a_picture_has_a_point_for_each_move(picture, live):
    assert [words.split(" made here")[0] if link["kind"] == "allocation" else words.strip() for (_, words), link in zip(points(picture), live[0])] == \
        [link["value"] if link["kind"] == "allocation" else link["what"] for link in live[0]]


def test_in_the_picture_invocations_lie_in_those_that_called_them(picture):
    """The object is made in open, which main called; it is kept by keep."""
    made = next(point for point, words in points(picture) if "made here" in words)
    kept = next(point for point, words in points(picture) if words.strip() == "written to the field Bank.held")
    assert sorted(name.split(",")[0] for name in around(picture, made)) == ["Bank.main", "Bank.open"]
    assert sorted(name.split(",")[0] for name in around(picture, kept)) == ["Bank.keep", "Bank.main"]


def test_in_the_picture_arrows_lead_to_origins(picture):
    """What another thread reads from the field is what keep wrote there, which was passed to it."""
    at = {words.strip(): y for (_, y), words in points(picture)}
    lead = {begin: (end, certain) for begin, end, certain in arrows(picture)}
    assert lead[at["read from the field Bank.held"]][0] == at["written to the field Bank.held"]
    assert lead[at["written to the field Bank.held"]] == (at["passed to Bank.keep"], True)
    made = next(y for (_, y), words in points(picture) if "made here" in words)
    assert made not in lead and lead[at["returned by Bank.open"]] == (made, True)


@pytest.mark.parametrize("asked, says", [("flow", "which object"), ("flow bank.held.cents", "no object"), ("flow second.next.next", "is null"), ("flow nobody", "nobody"), ("flow new Bank()", "new object"),
                                         ("flow --svg /nowhere/x first", "/nowhere/x")])
def test_a_bad_question_gets_one_line(ebb, bank, asked, says):
    done = ebb(["run", "--batch", "-e", "break Bank.stop", "-e", "run", "-e", "up", "-e", asked, "--", "java", "-cp", bank, "Bank"], timeout=100)
    assert done.returncode == 1
    assert says in done.stderr.strip().splitlines()[-1], done.stderr


GONE = """
public class Gone {
    static class Thing { int n = 1; }
    static Thing keep;
    static void stop() { }
    static int eat() {
        int s = 0;
        for (int i = 0; i < 100000; i++)
            s += new Thing().n;
        return s;
    }
    public static void main(String[] args) {
        keep = new Thing();
        stop();
        keep = null;
        eat();
        System.gc();
        stop();
    }
}
"""


def test_an_object_that_was_collected(ebb, tmp_path):
    """$1 is of another moment: what has lain in its place since is not taken for it."""
    folder = compile_java(tmp_path, "Gone", GONE)
    begin = ["break Gone.stop", "run", "print Gone.keep", "continue"]
    for asked in ("flow $1", "origin $1.n", "values $1.n", "why $1.n"):
        done = ebb(["run", "--batch", *[w for c in [*begin, asked] for w in ("-e", c)], "--", "java", "-cp", folder, "Gone"], timeout=100)
        assert done.returncode == 1
        last = done.stderr.strip().splitlines()[-1]
        assert "was collected" in last and "goto" in last


REFLECTED = """
import java.lang.reflect.*;
public class Reflected {
    static class Thing {
        final Reflected of;
        Thing(Reflected of) { this.of = of; }
    }
    Thing kept;
    void keep(Thing t) { kept = t; }
    static void stop() { }
    public static void main(String[] args) throws Exception {
        Reflected r = new Reflected();
        Thing t = Thing.class.getDeclaredConstructor(Reflected.class).newInstance(r);
        Reflected.class.getDeclaredMethod("keep", Thing.class).invoke(r, t);
        stop();
    }
}
"""


def test_what_reflection_passes_is_told(tmp_path):
    folder = compile_java(tmp_path, "Reflected", REFLECTED)
    commands = "break Reflected.stop\nrun\nup\nflow r\nflow t\n"
    done = subprocess.run([EBB, "run", "--json", "--", "java", "-cp", folder, "Reflected"], input=commands, capture_output=True, text=True, timeout=900)
    told = [one["links"] for one in map(json.loads, done.stdout.splitlines()) if "links" in one]
    given, kept = [[(link["what"], link["position"].split("@")[1]) for link in links] for links in told]
    assert ("passed to Reflected$Thing.<init>", "Reflected$Thing.<init>:0") in given
    assert ("passed to Reflected.keep", "Reflected.keep:0") in given
    assert ("passed to Reflected.keep", "Reflected.keep:0") in kept
    assert [what for what, _ in kept].count("passed to Reflected.keep") == 1
