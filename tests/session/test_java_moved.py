"""origin follows values through what moves them besides plain Java code: native methods, reflection, handles, lambdas, boxes, atomics, threads and collections.

The oracle is the program's text: the chain ends where the value was made.  Every link of it is gone to and executed (origin_chain.py)."""
import json
import subprocess

import pytest

import origin_chain
from conftest import EBB
from java_source import compile_java

MOVED = """
import java.lang.invoke.*;
import java.lang.reflect.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.function.*;
import java.util.stream.*;

public class Moved implements Cloneable {
    static class Thing { }
    Thing field;
    int number;
    static Thing shared;
    static final ThreadLocal<Thing> LOCAL = new ThreadLocal<>();
    static final VarHandle FIELD;
    static final sun.misc.Unsafe UNSAFE;
    static final long OFFSET;
    static {
        try {
            FIELD = MethodHandles.lookup().findVarHandle(Moved.class, "field", Thing.class);
            Field u = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
            u.setAccessible(true);
            UNSAFE = (sun.misc.Unsafe) u.get(null);
            OFFSET = UNSAFE.objectFieldOffset(Moved.class.getDeclaredField("field"));
        } catch (ReflectiveOperationException e) {
            throw new Error(e);
        }
    }

    static Thing make() {
        return new Thing();                             // made
    }

    static int compute(int a) {
        return a * 1000;                                // computed
    }

    public Thing pass(Thing t) {
        return t;
    }

    static Thing first(Thing t, Object other) {
        return t;
    }

    static void fail() {
        throw new IllegalStateException();
    }

    static void stop() { }

    public static void main(String[] args) throws Throwable {
        Thing t = make();
        Moved m = new Moved();
        Object[] from = {null, t}, to = new Object[4];
        System.arraycopy(from, 0, to, 2, 2);
        Object arraycopy = to[3];
        UNSAFE.putObject(m, OFFSET, t);
        Object unsafe = UNSAFE.getObject(m, OFFSET);
        m.field = null;
        FIELD.set(m, t);
        Object varhandle = FIELD.getVolatile(m);
        m.field = null;
        FIELD.compareAndSet(m, null, t);
        Object cas = m.field;
        m.field = null;
        Field f = Moved.class.getDeclaredField("field");
        f.set(m, t);
        Object reflected = f.get(m);
        Object invoked = Moved.class.getMethod("pass", Thing.class).invoke(m, t);
        Supplier<Thing> captured = () -> t;
        Object lambda = captured.get();
        UnaryOperator<Thing> reference = m::pass;
        Object bound = reference.apply(t);
        Moved copy = (Moved) m.clone();
        Object cloned = copy.field;
        Object[] copied = to.clone();
        Object clonedArray = copied[3];
        LOCAL.set(t);
        Object local = LOCAL.get();
        AtomicReference<Thing> atomic = new AtomicReference<>();
        atomic.compareAndSet(null, t);
        Object fromAtomic = atomic.get();
        Object swapped = atomic.getAndSet(null);
        Map<String, Thing> map = new HashMap<>();
        map.put("k", t);
        for (int i = 0; i < 40; i++)
            map.put("k" + i, null);
        Object mapped = map.get("k");
        List<Thing> list = new ArrayList<>();
        list.add(t);
        for (int i = 0; i < 30; i++)
            list.add(null);
        Object listed = list.get(0);
        list.add(0, null);
        Object shifted = list.get(1);
        Object immutable = List.of(t, t).get(1);
        Deque<Thing> deque = new ArrayDeque<>();
        deque.addFirst(t);
        Object popped = deque.pollLast();
        Map<String, Thing> concurrent = new ConcurrentHashMap<>();
        concurrent.put("k", t);
        Object fromConcurrent = concurrent.get("k");
        Map<String, Thing> tree = new TreeMap<>();
        tree.put("k", t);
        Object fromTree = tree.get("k");
        Object optional = Optional.of(t).orElse(null);
        Object streamed = Stream.of(t).map(x -> x).filter(x -> x != null).collect(Collectors.toList()).get(0);
        MethodHandle handle = MethodHandles.lookup().findVirtual(Moved.class, "pass", MethodType.methodType(Thing.class, Thing.class));
        Object handled = (Thing) handle.invokeExact(m, t);
        Thread thread = new Thread(() -> shared = t);
        thread.start();
        thread.join();
        Object threaded = shared;
        Object future = CompletableFuture.supplyAsync(() -> t).get();
        Object joinedCall = args.length > 5 ? null : m.pass(t);
        Object joinedJump = args.length == 0 ? t : m.pass(null);
        Object joinedNative = args.length == 0 ? t : Thread.currentThread();
        Object under = first(m.pass(t), m.pass(args.length == 0 ? null : t));
        Object looped = null;
        for (int i = 0; i < 5; i++)
            looped = first(i < 3 ? m.pass(null) : m.pass(t), m.pass(null));
        int n = compute(3);
        Integer boxed = n;
        int unboxed = boxed;
        Integer shared = compute(0);
        List<Integer> shares = new ArrayList<>(List.of(5, shared));
        Object sharedBox = shares.get(1);
        AtomicInteger counter = new AtomicInteger();
        counter.set(n);
        int counted = counter.get();
        AtomicLong sum = new AtomicLong();
        long added = sum.addAndGet(n);
        List<Integer> numbers = new ArrayList<>(List.of(n));
        int fromList = numbers.get(0);
        int[] ints = {n};
        int fromCopyOf = Arrays.copyOf(ints, 5)[0];
        int[] filled = new int[3];
        Arrays.fill(filled, n);
        int fromFill = filled[1];
        Field g = Moved.class.getDeclaredField("number");
        g.setInt(m, n);
        int reflectedInt = g.getInt(m);
        Object slots = Array.newInstance(Thing.class, 3);
        Array.set(slots, 1, t);
        Object arrayGet = Array.get(slots, 1);
        int[] cells = new int[2];
        Array.setInt(cells, 1, n);
        int arrayInt = Array.getInt(cells, 1);
        Array.set(cells, 0, n);
        Object arrayBox = Array.get(cells, 0);
        long[] wide = new long[2];
        Array.setInt(wide, 1, -n);
        long widened = wide[1];
        String interned = ("in" + n).intern();
        String internedBefore = ("in" + n).intern();
        String text = "n=" + n;
        String built = new StringBuilder().append("x").append(n).toString();
        int parsed = Integer.parseInt("77");
        Method computing = Moved.class.getDeclaredMethod("compute", int.class);
        Object boxedByCall = computing.invoke(null, 3);
        int unboxedByCall = (Integer) boxedByCall;
        Object smallByCall = computing.invoke(null, 0);
        Object wrapped = null, missing = null;
        try {
            Moved.class.getDeclaredMethod("fail").invoke(null);
        } catch (InvocationTargetException e) {
            wrapped = e.getCause();
        }
        try {
            Class.forName("no.such.Thing");
        } catch (ClassNotFoundException e) {
            missing = e;
        }
        stop();
    }
}
"""

OBJECTS = ["arraycopy", "unsafe", "varhandle", "cas", "reflected", "invoked", "lambda", "bound", "cloned", "clonedArray", "local", "fromAtomic", "swapped", "mapped",
           "listed", "shifted", "immutable", "popped", "fromConcurrent", "fromTree", "optional", "streamed", "handled", "threaded", "future", "joinedCall", "joinedJump", "joinedNative", "under", "looped", "arrayGet"]
NUMBERS = ["unboxed", "boxed", "sharedBox", "counted", "fromList", "fromCopyOf", "fromFill", "reflectedInt", "boxedByCall", "unboxedByCall", "smallByCall", "arrayInt", "arrayBox"]
OTHERS = {"added": ("operation", "AtomicLong.addAndGet"), "text": ("operation", "Moved.main"), "built": ("allocation", "newString"), "parsed": ("operation", "Integer.parseInt"),
          "wrapped": ("allocation", "Moved.fail"), "missing": ("allocation", "BuiltinClassLoader.loadClass"),
          "widened": ("operation", "Moved.main"), "interned": ("operation", "Moved.main"), "internedBefore": ("native", "Moved.main")}
ALL = [*OBJECTS, *NUMBERS, *OTHERS]


def line_of(text):
    return next(i for i, line in enumerate(MOVED.split("\n"), 1) if line.rstrip().endswith("// " + text))


def ask(file, commands):
    done = subprocess.run([EBB, "replay", "--json", file], input="".join(c + "\n" for c in commands), capture_output=True, text=True, timeout=900)
    told = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return [one for one in told if one["kind"] != "notice" and not one.get("command", "").startswith("replay")]


@pytest.fixture(scope="module")
def chains(tmp_path_factory):
    folder = compile_java(tmp_path_factory.mktemp("moved"), "Moved", MOVED)
    file = folder / "moved.rec"
    subprocess.run([EBB, "record", "-o", file, "--", "java", "-cp", folder, "Moved"], capture_output=True, timeout=300, stdin=subprocess.DEVNULL)
    begin = ["break Moved.stop", "continue", "bookmark asked"]
    told = ask(file, [*begin, *[c for name in ALL for c in ("up", f"origin {name}", "goto asked")]])
    return file, dict(zip(ALL, [one["links"] for one in told if "links" in one]))


@pytest.mark.parametrize("name", OBJECTS)
def test_an_object_is_followed_to_its_new(chains, name):
    last = chains[1][name][-1]
    assert (last["kind"], last["line"]) == ("allocation", line_of("made")), chains[1][name]


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_is_followed_to_where_it_was_computed(chains, name):
    last = chains[1][name][-1]
    assert (last["kind"], last["line"]) == ("operation", line_of("computed")), chains[1][name]


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_made_anew_ends_there(chains, name):
    last = chains[1][name][-1]
    assert last["kind"] == OTHERS[name][0] and last["function"].endswith(OTHERS[name][1])


def is_own(link):
    """It begins or ends in the program's own code."""
    return link["function"].startswith("Moved.") or " to Moved." in link["what"]


def test_only_the_programs_own_code(chains):
    """Of the chain through a HashMap: the call that put it there, what it returned to the program, and the end; numbered anew, and gone to by these numbers."""
    file, links = chains[0], chains[1]["mapped"]
    begin = ["break Moved.stop", "continue", "up"]
    why, own, gone = ask(file, [*begin, "why --own mapped", "origin --own mapped", "goto #2"])[3:]
    kept = [link for i, link in enumerate(links) if is_own(link) or i == len(links) - 1]
    assert [link["position"] for link in own["links"]] == [link["position"] for link in kept]
    assert [link["number"] for link in own["links"]] == list(range(1, len(kept) + 1))
    assert own["left_out"] == len(links) - len(kept) > 0
    assert gone["line"] == own["links"][1]["line"]
    assert all(is_own(link) for link in why["links"])


@pytest.mark.parametrize("name", ["clonedArray", "reflected", "mapped", "shifted", "swapped", "unboxed", "joinedJump", "under", "looped", "unboxedByCall", "wrapped", "missing", "arrayGet", "arrayInt", "arrayBox"])
def test_each_link_holds(chains, name):
    file, links = chains[0], chains[1][name]
    told = ask(file, ["break Moved.stop", "continue", "up", f"origin {name}", *origin_chain.questions(len(links))])
    assert origin_chain.check(links, told[4:]) >= 2
