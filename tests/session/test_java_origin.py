"""origin: from a value of a Java program back to where it was made, through fields, elements, calls and what passes values on by itself.

Two oracles.  In Ways, each chain is known by the program's text.  In Moves, the program moves objects between places at random and keeps a book of its own:
which move wrote each place, and from which place.  What `origin` tells is gone to, link by link, and the program's own counter of moves is read there.
EBB_TEST_SEED chooses other moves, EBB_LONG_TESTS=1 makes thirty times as many runs."""
import json
import os
import subprocess

import pytest

from conftest import EBB
from java_source import batch_answers, compile_java

LONG = os.environ.get("EBB_LONG_TESTS") == "1"
SEED = int(os.environ.get("EBB_TEST_SEED", "1"))

WAYS = """
import java.util.*;
import java.util.concurrent.atomic.*;
import java.util.function.*;

public class Ways {
    static class Person {
        String name;
        int age;
        Person friend;
        Person(String name, int age) { this.name = name; this.age = age; }
        Person self() { return this; }
    }
    static Person current;
    static byte small;
    static final int LIMIT = 77;
    static Exception caught;

    static Person make(String name) {
        return new Person(name, 6 * name.length());         // made
    }
    static Person pick(boolean first, Person x, Person y) { return first ? x : y; }   // picked
    static Person deep(int n, Person p) { return n == 0 ? p : deep(n - 1, p); }
    static Person setNull(Person p) { p.friend = null; return p; }                    // nulled
    static int parse(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            caught = e;                                     // caught
            return -1;                                      // minus one
        }
    }
    static int divide(int a, int b) { return a / b; }       // divided
    static void stop() { }

    public static void main(String[] args) throws Exception {
        Person ann = make("Ann");
        Person bob = make("Bob");
        Person chosen = pick(ann.age > 3, bob, ann);        // chosen
        Person same = chosen;
        Person back = deep(3, same).self();
        Person[] row = {back, null};
        Person[] wide = new Person[5];
        System.arraycopy(row, 0, wide, 2, 2);               // copied
        Person[] twin = wide.clone();                       // cloned
        Map<String, Person> map = new HashMap<>();
        map.put("b", twin[2]);                              // put
        Person missing = map.get("nobody");
        Person unset = bob.friend;
        Person nulled = setNull(bob).friend;
        Person found = map.get("b");
        Supplier<Person> lambda = () -> found;
        Person supplied = lambda.get();
        AtomicReference<Person> atom = new AtomicReference<>();
        atom.set(supplied);
        Person swapped = atom.getAndSet(null);              // swapped
        Object reflected = Ways.class.getDeclaredMethod("pick", boolean.class, Person.class, Person.class).invoke(null, true, swapped, null);
        List<Person> list = new ArrayList<>();
        list.add((Person) reflected);
        Person last = list.get(0);                          // last
        int number = parse("12x");
        Exception error = caught;
        String text = "n" + number + ann.name;              // text
        long sum = 2;
        sum += 40;                                          // sum
        double half = sum / 4.0;
        small = (byte) number;
        int widened = small;
        int limit = Ways.class.getDeclaredField("LIMIT").getInt(null);
        int age = ann.age;                                  // age
        Person[][] grid = new Person[2][3];                 // grid
        Person corner = grid[1][2];
        Integer boxed = 1000 + number;
        int unboxed = boxed;
        stop();
        try {
            System.out.println(missing.name);
        } catch (NullPointerException e) {
            int d = args.length;
            divide(number, d);
        }
    }
}
"""


def line_of(text):
    return next(i for i, line in enumerate(WAYS.split("\n"), 1) if "// " + text in line)


@pytest.fixture(scope="module")
def ways(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp("ways"), "Ways", WAYS)


def replies_of(words):
    done = subprocess.run([EBB, *map(str, words)], capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)
    told = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert done.returncode == 0, (done.stdout[-2000:], done.stderr)
    return told


def commands(list_of):
    return [word for command in list_of for word in ("-e", command)]


ASKED = ["chosen", "same", "back", "missing", "unset", "nulled", "supplied", "swapped", "last", "number", "error", "text", "sum", "half", "widened",
         "Ways.LIMIT", "age", "corner", "unboxed", "args", "wide[4]", "twin[2]", "found", "map"]


@pytest.fixture(scope="module")
def links(ways):
    """What is told live of all that is asked, by expression."""
    told = replies_of(["run", "--batch", "--json", *commands(["break Ways.stop", "run", "up", *[f"origin {name}" for name in ASKED], "when"]),
                       "--", "java", "-cp", ways, "Ways"])
    answers = [one["links"] for one in told if "links" in one]
    assert len(answers) == len(ASKED)
    return dict(zip(ASKED, answers))


def own(chain):
    """The links in the program's own code: kind and line."""
    return [(link["kind"], link["line"]) for link in chain if link.get("file", "").endswith("Ways.java")]


MADE = [("return", line_of("made")), ("allocation", line_of("made"))]
CHOSEN = [("return", line_of("picked")), ("parameter", line_of("chosen")), *MADE]


def test_through_a_parameter_and_a_return(links):
    assert own(links["chosen"]) == CHOSEN


def test_from_variable_to_variable(links):
    assert own(links["same"])[0][0] == "copy"
    assert own(links["same"])[1:] == CHOSEN


def test_through_recursion(links):
    kinds = [kind for kind, _ in own(links["back"])]
    assert kinds[:2] == ["return", "parameter"]
    assert kinds[2:6] == ["return"] * 4 and kinds[6:10] == ["parameter"] * 4
    assert own(links["back"])[-4:] == CHOSEN


def test_through_copies_of_arrays(links):
    lines = own(links["twin[2]"])
    assert lines[0] == ("array-write", line_of("cloned"))
    assert lines[1] == ("array-write", line_of("copied"))
    assert lines[2][0] == "array-write"
    assert lines[-1] == MADE[-1]


def test_through_a_map(links):
    assert ("parameter", line_of("put")) in own(links["found"])
    assert own(links["found"])[-1] == MADE[-1]


def test_through_lambda_atomic_reflection_and_list(links):
    for name in ("supplied", "swapped", "last"):
        assert own(links[name])[-1] == MADE[-1], name
        assert ("parameter", line_of("put")) in own(links[name]), name


def test_null_from_a_map_is_a_constant(links):
    assert links["missing"][-1]["kind"] == "constant"
    assert links["missing"][-1]["function"] == "java.util.HashMap.get"
    assert links["missing"][-1]["value"] == "null"


def test_null_of_a_field_that_was_never_written(links):
    assert links["unset"][-1]["kind"] == "init"
    assert links["unset"][-1]["line"] == line_of("made")


def test_null_that_was_written_over_null(links):
    """The write changed nothing, but it is where the null comes from."""
    assert own(links["nulled"])[-2:] == [("field-write", line_of("nulled")), ("constant", line_of("nulled"))]


def test_numbers(links):
    assert own(links["number"]) == [("return", line_of("minus one")), ("constant", line_of("minus one"))]
    assert own(links["sum"]) == [("operation", line_of("sum"))]
    assert "2 and 40" in links["sum"][0]["what"]
    assert own(links["age"])[-1] == ("operation", line_of("made"))
    assert links["half"][-1]["kind"] == "operation"
    assert [link["kind"] for link in links["widened"]] == ["field-read", "field-write", "conversion", "return", "constant"]
    assert "i2b" in links["widened"][2]["what"] and links["widened"][-1]["line"] == line_of("minus one")
    assert links["unboxed"][-1]["kind"] == "operation" and "1000" in links["unboxed"][-1]["what"]


def test_a_constant_of_the_class_file(links):
    assert links["Ways.LIMIT"][-1]["kind"] == "constant"


def test_an_exception_that_was_caught(links):
    kinds = [link["kind"] for link in links["error"]]
    assert own(links["error"])[1] == ("field-write", line_of("caught"))
    assert kinds[2] == "throw" and kinds[-1] == "allocation"


def test_a_string_that_was_put_together(links):
    assert own(links["text"]) == [("operation", line_of("text"))]
    assert '-1, "Ann"' in links["text"][0]["what"]


def test_first_values(links):
    assert own(links["corner"])[-1] == ("init", line_of("grid"))
    assert links["args"][-1]["kind"] == "input"
    assert links["wide[4]"][-1]["kind"] == "init"


def test_the_program_stays_where_it_is(ways):
    told = batch_answers_of(ways, ["break Ways.stop", "run", "up", "when", "origin last", "when", "print number"])
    positions = [one["position"] for one in told if one.get("command") == "when"]
    assert positions[0] == positions[1]


def batch_answers_of(ways, list_of):
    return replies_of(["run", "--batch", "--json", *commands(list_of), "--", "java", "-cp", ways, "Ways"])


@pytest.fixture(scope="module")
def recording(ways):
    file = ways / "ways.rec"
    done = subprocess.run([EBB, "record", "-o", file, "--", "java", "-cp", ways, "Ways"], capture_output=True, timeout=100, stdin=subprocess.DEVNULL)
    assert file.exists(), done.stderr
    return file


def test_a_recording_tells_the_same(recording, links):
    told = replies_of(["replay", "--batch", "--json", *commands(["break Ways.stop", "continue", "up", *[f"origin {name}" for name in ASKED]]), recording])
    answers = [one["links"] for one in told if "links" in one]
    assert answers == [links[name] for name in ASKED]


def test_every_link_can_be_gone_to(recording, links):
    asked = links["last"]
    told = replies_of(["replay", "--batch", "--json",
                       *commands([text for link in asked for text in (f"goto {link['position']}", "frame")]), recording])
    frames = [one for one in told if one.get("command") == "frame"]
    assert [one["frame"]["line"] for one in frames] == [link["line"] for link in asked]


def test_what_an_exception_is_about(recording):
    """Without an expression: the null that was used, the divisor that was zero."""
    told = replies_of(["replay", "--batch", "--json", *commands(["break Ways.stop", "continue", "catch throw", "continue", "origin", "continue", "origin"]), recording])
    null, zero = [one["links"] for one in told if "links" in one]
    assert null[-1]["function"] == "java.util.HashMap.get" and null[-1]["value"] == "null"
    assert zero[0]["kind"] == "parameter" and zero[-1]["kind"] == "operation" and zero[-1]["value"] == "0"


@pytest.mark.parametrize("asked, says", [
    ("origin", "of what"),
    ("origin nobody", "nobody"),
    ("origin this", "static context"),
    ("origin 1 + 2", "no variable"),
    ("origin ann.self()", "call a method"),
])
def test_a_bad_question_gets_one_line(ways, ebb, asked, says):
    done = ebb(["run", "--batch", *commands(["break Ways.stop", "run", "up", asked]), "--", "java", "-cp", ways, "Ways"], timeout=100)
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert says in last, done.stderr


# ---- moves at random -----------------------------------------------------------------------------

MOVES = """
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.function.*;

public class Moves {
    static final int PLACES = 9, WAYS = 15;
    static int move;                          /* the one that is under way */
    static Object s0, s1;
    static volatile Object s2;
    Object f0, f1, f2;
    static Moves here = new Moves();
    static Object[] row = new Object[3];
    static String[] book = new String[PLACES]; /* of each place: the moves that brought what is there, newest first, and how it began */
    Object[] pair = new Object[2];

    static Object get(int i) {
        switch (i) {
        case 0: return s0;
        case 1: return s1;
        case 2: return s2;
        case 3: return here.f0;
        case 4: return here.f1;
        case 5: return here.f2;
        default: return row[i - 6];
        }
    }

    static void set(int i, Object o) {
        switch (i) {
        case 0: s0 = o; break;
        case 1: s1 = o; break;
        case 2: s2 = o; break;
        case 3: here.f0 = o; break;
        case 4: here.f1 = o; break;
        case 5: here.f2 = o; break;
        default: row[i - 6] = o;
        }
    }

    static class Carrier extends RuntimeException {
        final Object load;
        Carrier(Object load) { super(null, null, false, false); this.load = load; }
    }
    static Object hand(Object o) { return o; }
    public static Object shown(Object o, int n, long m) { return o; }
    static Object choose(boolean b, Object x, Object y) { Object r = b ? x : y; Object again = r; return again; }
    static Object down(int n, long l, Object o) { return n > 0 ? down(n - 1, l, o) : o; }
    static Object thrown(Object o) {
        try {
            throw new Carrier(o);
        } catch (Carrier e) {
            return e.load;
        }
    }
    static Object inThread(Object o) throws Exception {
        Object[] box = new Object[1];
        Thread t = new Thread(() -> box[0] = hand(o));
        t.start();
        t.join();
        return box[0];
    }

    static Object by(int way, Object o) throws Exception {
        switch (way) {
        case 0: return o;
        case 1: return hand(o);
        case 2: return choose(move % 2 == 0, move % 2 == 0 ? o : "no", move % 2 == 0 ? "no" : o);
        case 3: return down(3, 7L, o);
        case 4: { Object[] a = {o}, b = new Object[3]; System.arraycopy(a, 0, b, 1, 1); return b[1]; }
        case 5: { Object[] a = {"x", o}; return a.clone()[1]; }
        case 6: { List<Object> l = new ArrayList<>(); for (int i = 0; i < 12; i++) l.add(i == 3 ? o : "other"); l.remove(0); return l.get(2); }
        case 7: { Map<Integer, Object> m = new HashMap<>(); for (int i = 0; i < 20; i++) m.put(i, i == 7 ? o : "other"); return m.get(7); }
        case 8: { Supplier<Object> s = () -> o; return s.get(); }
        case 9: { AtomicReference<Object> a = new AtomicReference<>("x"); a.compareAndSet("x", o); return a.getAndSet("y"); }
        case 10: return Moves.class.getMethod("shown", Object.class, int.class, long.class).invoke(null, o, 1, 2L);
        case 11: return thrown(o);
        case 12: return inThread(o);
        case 13: { Deque<Object> d = new ArrayDeque<>(); d.push("under"); d.push(o == null ? "null" : o); Object r = d.pop(); return o == null ? null : r; }
        default: { UnaryOperator<Object> f = Moves::hand; return f.apply(Optional.ofNullable(o).orElse(null)); }
        }
    }

    static void stop() { }

    public static void main(String[] args) throws Exception {
        Random random = new Random(Long.parseLong(args[0]));
        Arrays.fill(book, "init");
        for (move = 1; move <= 24; move++) {
            int to = random.nextInt(PLACES), from = random.nextInt(PLACES), way = random.nextInt(WAYS), what = random.nextInt(6);
            if (what == 0) {
                set(to, new Object());
                book[to] = move + " allocation";
            } else if (what == 1 && move % 3 == 0) {
                set(to, null);
                book[to] = move + " constant";
            } else {
                Object o = get(from);
                set(to, by(way, o));
                book[to] = o == null && way >= 13 ? move + " constant" : move + " " + book[from]; /* these ways have a null of their own */
            }
        }
        for (String line : book)
            System.out.println("book: " + line);
        stop();
    }
}
"""

PLACES = ["Moves.s0", "Moves.s1", "Moves.s2", "Moves.here.f0", "Moves.here.f1", "Moves.here.f2", "Moves.row[0]", "Moves.row[1]", "Moves.row[2]"]


@pytest.fixture(scope="module")
def moves(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp("moves"), "Moves", MOVES)


def without_repeats(numbers):
    return [n for i, n in enumerate(numbers) if i == 0 or numbers[i - 1] != n]


def check_seed(moves, seed):
    file = moves / f"{seed}.rec"
    recorded = subprocess.run([EBB, "record", "-o", file, "--", "java", "-cp", moves, "Moves", str(seed)], capture_output=True, text=True, timeout=100,
                              stdin=subprocess.DEVNULL)
    book = [line[6:].split() for line in recorded.stdout.splitlines() if line.startswith("book: ")]
    begin = ["break Moves.stop", "continue"]
    told = replies_of(["replay", "--batch", "--json", *commands([*begin, *[f"origin {place}" for place in PLACES]]), file])
    chains = [one["links"] for one in told if "links" in one]
    links = [link for chain in chains for link in chain if link["kind"] != "init"]  # which is where the place itself was made, before all moves
    told = replies_of(["replay", "--batch", "--json", *commands([*begin, *[text for link in links for text in (f"goto {link['position']}", "print Moves.move")]]), file])
    at_move = iter([int(one["value"]) for one in told if one.get("command", "").startswith("print")])
    for place, chain, wanted in zip(PLACES, chains, book):
        seen = [next(at_move) for link in chain if link["kind"] != "init"]
        expected = [int(n) for n in wanted if n.isdigit()]
        assert chain[-1]["kind"] == wanted[-1], (seed, place, chain)
        assert without_repeats(seen) == expected, (seed, place, wanted, [(n, link["what"], link["position"]) for n, link in zip(seen, chain)])
    file.unlink()


@pytest.mark.parametrize("seed", range(SEED, SEED + (60 if LONG else 2)))
def test_moves_at_random(moves, seed):
    check_seed(moves, seed)
