"""Java programs of which it is known by construction what decided that each line was executed.

A program is a tree of statements, made at random from a seed, whose conditions take their outcomes from a list.  It is written out as Java, and executed here: an
execution keeps a log of its *decisions* (which way a condition went, which exception was caught), each with its *context*: the statements around it, which
execution of them it was, and which time around a loop.  What decided about a line is the last decision that could have gone so that the line
is not executed this time, as far as the tree says: by not entering what the line is in, or by a jump past it.  No bytecode and no graph is looked at."""
import random

LEAST, MOST = 10, 24   # lines that a program executes and is asked about


class Block(list):
    pass


class Statement:
    """parts: name -> Block, in the order of the text."""
    def __init__(self, kind, **parts):
        self.kind, self.parts, self.parent, self.number, self.lines = kind, parts, None, None, {}
        for name, block in parts.items():
            for one in block:
                one.parent = (self, name)


class Jump(Exception):
    def __init__(self, statement, thrower):
        self.statement, self.thrower = statement, thrower   # thrower: the context of what threw without being asked to; None: a statement jumped


class Ended(Exception):
    """The list of outcomes is at its end: an error of Java that no catch takes."""


# ---- making one ----

class Maker:
    def __init__(self, seed):
        self.random, self.probes, self.labels = random.Random(seed), 0, 0

    def probe(self):
        self.probes += 1
        one = Statement("probe")
        one.number = self.probes - 1
        return one

    def jump(self, kind, loop=None):
        one = Statement(kind)
        one.loop = loop
        then = Block([one])
        if self.random.random() < 0.3:
            then.insert(0, self.probe())
        return Statement("if", then=then, other=Block())

    def any_jump(self, loops):
        kinds = ["throw", "throw", "return"] + ["break", "continue"] * 3 * bool(loops)
        kind = self.random.choice(kinds)
        return self.jump(kind, self.random.choice(loops) if kind in ("break", "continue") else None)

    def loop(self, kind, depth, loops, may_leave=True):
        one = Statement(kind, body=Block())
        self.labels += 1
        one.number = self.labels
        body = Block([self.probe(), *self.block(depth - 1, [*loops, one])])   # a loop that began with a loop could not be told from one with a continue
        if kind == "forever":
            body.insert(self.random.randrange(1, len(body) + 1), self.jump("break", one) if may_leave else Statement("boom"))
        one.parts["body"] = body
        for child in body:
            child.parent = (one, "body")
        return one

    def endless(self, depth, loops):
        """A loop that nothing but an exception leaves, and the try around it."""
        loop = self.loop("forever", depth, [], may_leave=False)
        while any(s.kind in ("break", "return", "throw") and leaves(s, loop) for s in inside(loop)):
            loop = self.loop("forever", depth, [], may_leave=False)
        return Statement("try", body=Block([self.probe(), loop]), caught=self.block(depth - 1, loops))

    def statement(self, depth, loops):
        kind = self.random.choice(["probe", "probe", "boom", "jump", "jump"] + ["if", "if", "while", "do", "forever", "switch", "try", "try", "finally", "both", "sync", "endless"] * (depth > 0))
        if kind == "probe":
            return self.probe()
        if kind == "boom":
            return Statement("boom")
        if kind == "jump":
            return self.any_jump(loops)
        if kind == "if":
            return Statement("if", then=self.block(depth - 1, loops), other=self.block(depth - 1, loops) if self.random.random() < 0.5 else Block())
        if kind in ("while", "do", "forever"):
            return self.loop(kind, depth, loops)
        if kind == "switch":
            return Statement("switch", case0=self.block(depth - 1, loops), case1=self.block(depth - 1, loops), other=self.block(depth - 1, loops))
        if kind == "endless":
            return self.endless(depth, loops)
        if kind == "sync":
            return Statement("sync", body=self.block(depth - 1, loops))
        parts = {"body": self.block(depth - 1, loops)}
        if kind != "finally":
            parts["caught"] = self.block(depth - 1, loops)
        if kind != "try":
            parts["last"] = self.calm(depth - 1)
        return Statement("try", **parts)

    def calm(self, depth):
        """Of a finally: nothing jumps out of it."""
        block = Block([self.probe()])
        if self.random.random() < 0.5:
            block.append(Statement("if", then=Block([self.probe()]), other=Block([self.probe()])))
        return block

    def block(self, depth, loops):
        block = Block(self.statement(depth, loops) for _ in range(self.random.randint(1, 3)))
        block.insert(self.random.randrange(len(block) + 1), self.probe())
        return block


def inside(statement):
    for block in statement.parts.values():
        for one in block:
            yield one
            yield from inside(one)


def foreseen(statement):
    """What is inside and may be executed without an exception that comes from elsewhere: no catch to which nothing inside throws."""
    yield statement
    for name, block in statement.parts.items():
        if name != "caught" or any(landing(one) is statement for child in statement.parts["body"] for one in foreseen(child) if one.kind == "throw"):
            for one in block:
                yield from foreseen(one)


def around(statement):
    """The statements around it, from the inside, with the part that it is in."""
    while statement.parent:
        yield statement.parent
        statement = statement.parent[0]


def landing(jump):
    """The statement at which a jump ends: the loop, the try that catches it, or None: it leaves the method."""
    if jump.kind in ("break", "continue"):
        return jump.loop
    if jump.kind == "throw":
        return next((outer for outer, part in around(jump) if outer.kind == "try" and part == "body" and "caught" in outer.parts), None)
    return None


def leaves(jump, statement):
    """Whether a jump inside of a statement ends outside of it."""
    end = landing(jump)
    if end is statement:
        return jump.kind == "break"
    return end not in list(inside(statement))


JUMPS = ("break", "continue", "return", "throw")


def is_endless(statement):
    return statement.kind == "forever" and not any(s.kind in JUMPS and leaves(s, statement) for s in foreseen(statement))


# ---- writing it ----

class Writer:
    def __init__(self):
        self.lines, self.depth = [], 2

    def put(self, text):
        self.lines.append("    " * self.depth + text)
        return len(self.lines)

    def block(self, block):
        self.depth += 1
        for one in block:
            self.statement(one)
        self.depth -= 1

    def statement(self, s):
        getattr(self, "put_" + s.kind)(s)

    def put_probe(self, s):
        s.lines["at"] = self.put(f"P[{s.number}] = 7;")

    def put_boom(self, s):
        self.put("boom();")

    def put_return(self, s):
        self.put("return;")

    def put_throw(self, s):
        self.put("throw new X();")

    def put_break(self, s):
        self.put(f"break L{s.loop.number};")

    def put_continue(self, s):
        self.put(f"continue L{s.loop.number};")

    def put_if(self, s):
        s.lines["at"] = self.put("if (next()) {")
        self.block(s.parts["then"])
        if s.parts["other"]:
            self.put("} else {")
            self.block(s.parts["other"])
        self.put("}")

    def put_while(self, s):
        s.lines["at"] = self.put(f"L{s.number}: while (next()) {{")
        self.block(s.parts["body"])
        self.put("}")

    def put_do(self, s):
        self.put(f"L{s.number}: do {{")
        self.block(s.parts["body"])
        s.lines["at"] = self.put("} while (next());")

    def put_forever(self, s):
        self.put(f"L{s.number}: for (;;) {{")
        self.block(s.parts["body"])
        self.put("}")

    def put_switch(self, s):
        s.lines["at"] = self.put("switch (pick()) {")
        for label, part in (("case 0", "case0"), ("case 1", "case1"), ("default", "other")):
            self.put(f"{label}: {{")
            self.block(s.parts[part])
            self.put("}")
            if part != "other":
                self.put("break;")
        self.put("}")

    def put_sync(self, s):
        self.put("synchronized (P) {")
        self.block(s.parts["body"])
        self.put("}")

    def put_try(self, s):
        self.put("try {")
        self.block(s.parts["body"])
        if "caught" in s.parts:
            s.lines["caught"] = self.put(f"}} catch (X e{len(self.lines)}) {{")
            self.block(s.parts["caught"])
        if "last" in s.parts:
            self.put("} finally {")
            self.block(s.parts["last"])
        self.put("}")


HEAD = """public class Decided {
    static class X extends RuntimeException { }
    static int[] P = new int[%d];
    static final String D = "%s";
    static int at;
    static boolean next() {
        if (at == D.length())
            throw new Error("the end");
        return D.charAt(at++) == '1';
    }
    static int pick() { return (next() ? 2 : 0) + (next() ? 1 : 0); }
    static void boom() {
        if (next())
            throw new X();
    }
    static void stop() { }
    public static void main(String[] args) {
        try {
            run();
        } catch (X | Error e) {
        }
        stop();
    }
    static void run() {"""


# ---- executing it ----

class Context:
    """Where in the tree a moment is: for each statement around it, the part, which execution of it, and which time around."""
    def __init__(self, entries):
        self.entries = entries

    def find(self, statement):
        return next((entry for entry in self.entries if entry[0] is statement), None)

    def same(self, other, statement):
        """The entries of both, if they are in the same execution of the statement."""
        mine, theirs = self.find(statement), other.find(statement)
        return (mine, theirs) if mine and theirs and mine[2] == theirs[2] else None


class Decision:
    def __init__(self, line, context, statement, taken, others, thrower=None):
        self.line, self.context, self.statement, self.taken, self.others = line, context, statement, taken, others
        self.thrower = thrower    # it is a catch: where the exception came from
        self.jumped = None        # the statement by which the way that was taken ended


class Run:
    def __init__(self, program, outcomes):
        self.outcomes, self.at, self.executions, self.stack, self.log, self.found = outcomes, 0, 0, [], [], {}
        self.has_ended = False
        try:
            self.block(program)
        except (Jump, Ended):
            pass

    def next(self):
        if self.at == len(self.outcomes):
            self.has_ended = True
            raise Ended
        self.at += 1
        return self.outcomes[self.at - 1] == "1"

    def context(self):
        return Context([tuple(entry) for entry in self.stack])

    def decide(self, statement, taken, others):
        self.log.append(Decision(statement.lines["at"], self.context(), statement, taken, others))
        return self.log[-1]

    def block(self, block):
        for one in block:
            getattr(self, "run_" + one.kind)(one)

    def part(self, statement, part, execution, time=0):
        self.stack.append([statement, part, execution, time])
        try:
            self.block(statement.parts[part])
        finally:
            self.stack.pop()

    def new(self):
        self.executions += 1
        return self.executions

    def run_probe(self, s):
        if self.has_ended:    # a finally that an error from outside led to
            self.found.pop(s, None)
            return
        self.found[s] = next((d.line for d in reversed(self.log) if decides(d, self.context())), None)

    def run_boom(self, s):
        if self.next():
            raise Jump(s, self.context())

    def run_jump(self, s):
        raise Jump(s, None)

    run_return = run_throw = run_break = run_continue = run_jump

    def choose(self, s, taken, execution):
        self.stack.append([s, taken, execution, 0])
        decision = self.decide(s, taken, [p for p in s.parts if p != taken])
        self.stack.pop()
        try:
            self.part(s, taken, execution)
        except Jump as jump:
            if jump.thrower is None and decision.jumped is None:
                decision.jumped = jump.statement
            raise

    def run_if(self, s):
        self.choose(s, "then" if self.next() else "other", self.new())

    def run_switch(self, s):
        picked = (2 if self.next() else 0) + (1 if self.next() else 0)
        self.choose(s, {0: "case0", 1: "case1"}.get(picked, "other"), self.new())

    def run_sync(self, s):
        self.part(s, "body", self.new())

    def cond(self, s, execution, time):
        taken = "body" if self.next() else "out"
        self.stack.append([s, taken, execution, time])
        self.decide(s, taken, ["body" if taken == "out" else "out"])
        self.stack.pop()
        return taken == "body"

    def once(self, s, execution, time):
        """False: a break left the loop."""
        try:
            self.part(s, "body", execution, time)
        except Jump as jump:
            if jump.statement.kind not in ("break", "continue") or jump.statement.loop is not s:
                raise
            return jump.statement.kind == "continue"
        return True

    def run_while(self, s):
        execution, time = self.new(), 0
        while self.cond(s, execution, time) and self.once(s, execution, time):
            time += 1

    def run_do(self, s):
        execution, time = self.new(), 0
        while self.once(s, execution, time) and self.cond(s, execution, time):
            time += 1

    def run_forever(self, s):
        execution, time = self.new(), 0
        while self.once(s, execution, time):
            time += 1

    def run_try(self, s):
        execution = self.new()
        try:
            try:
                self.part(s, "body", execution)
            except Jump as jump:
                if jump.statement.kind not in ("throw", "boom") or "caught" not in s.parts:
                    raise
                self.stack.append([s, "caught", execution, 0])
                if jump.thrower:
                    self.log.append(Decision(s.lines["caught"], self.context(), s, "caught", [], (jump.statement, jump.thrower)))
                self.stack.pop()
                self.part(s, "caught", execution)
        finally:
            if "last" in s.parts:
                self.part(s, "last", execution)


# ---- what decides ----

def rest_of(statement, until, is_break=False):
    """What comes after a statement in the blocks around it, as far as `until`; of a loop in between, or one that a break would leave, all of it."""
    while statement.parent:
        outer, part = statement.parent
        block = outer.parts[part]
        yield from block[next(i for i, one in enumerate(block) if one is statement) + 1:]
        if outer.kind in ("while", "do", "forever") and (outer is not until or is_break):
            yield outer
        if outer is until:
            return
        statement = outer


def may_pass(statements, now, here):
    """Whether a jump out of these may lead past the moment `here`; they would have been executed in the context `now`."""
    region = {one for statement in statements for one in foreseen(statement)}
    if any(is_endless(one) for one in region):
        return True
    return any(passes(one, now, here) for one in region if one.kind in JUMPS and landing(one) not in region)


def passes(jump, now, here):
    end = landing(jump)
    for outer, part in around(jump):           # a finally on the way is executed
        if outer is end:
            break
        both = now.same(here, outer)
        if outer.kind == "try" and part != "last" and both and both[1][1] == "last":
            return False
    if end is None:
        return True
    both = now.same(here, end)
    if jump.kind == "break":
        return both is not None
    if jump.kind == "continue":
        return both is not None and both[0][3] == both[1][3]
    if both and both[1][1] == "body":
        return True
    if both and both[1][1] == "caught":
        return False
    if both and both[1][1] == "last":
        return False
    return may_pass(end.parts["caught"], now, here)


def last_around(statement, now, here):
    """The try that the statement is in and in whose finally the line is: whatever jumps out of it, the line is executed."""
    return next((outer for outer, part in around(statement)
                 if outer.kind == "try" and part != "last" and now.same(here, outer) and here.find(outer)[1] == "last"), None)


def otherwise(d, last):
    """What might have been executed instead, as far as the end of the try `last`, if there is one."""
    s = d.statement
    if d.thrower:
        yield from rest_of(d.thrower[0], s)
    for other in d.others:
        yield from s.parts.get(other, []) if s.kind not in ("while", "do") else [s] * (other == "body")
    if d.jumped is not None:
        yield from rest_of(s, last or landing(d.jumped), d.jumped.kind == "break")


def may_stay(statements, last):
    """Whether these may come to a loop without an end, also in a catch of theirs or of the try around them all."""
    region = {one for statement in statements for one in foreseen(statement)}
    catches = {landing(one) for one in region if one.kind == "throw"} - {None}
    for end in catches:
        if end is last or end in set(inside(last)):
            region |= {one for statement in end.parts["caught"] for one in foreseen(statement)}
    return any(is_endless(one) for one in region)


def decides(d, here):
    s = d.statement
    now = d.thrower[1] if d.thrower else d.context
    both = d.context.same(here, s)
    last = s if d.thrower and both and both[1][1] == "last" else last_around(s, d.context, here)
    if last:                                    # only a loop without an end is not left
        return may_stay(otherwise(d, last), last)
    if both:                                    # the line is in it, on the way that was taken
        return True
    return may_pass(otherwise(d, None), now, here) or reaches_by_throw(d, here)


def reaches_by_throw(d, here):
    """The line is in the catch to which the way that was taken threw."""
    end = landing(d.jumped) if d.jumped is not None and d.jumped.kind == "throw" else None
    both = d.context.same(here, end) if end is not None else None
    return bool(both) and both[1][1] == "caught" and both[0][1] == "body"


# ---- the whole ----

class Program:
    """`text` of the class Decided, and `expected`: by probe, its line and the line that decided about its last execution (None: nothing in the method did)."""
    def __init__(self, seed):
        """The first of those that the seed leads to which execute enough to be worth it."""
        attempt, self.expected = 0, {}
        while not LEAST <= len(self.expected) <= MOST:
            self.make(f"{seed} {attempt}")
            attempt += 1

    def make(self, seed):
        maker = Maker(seed)
        block = maker.block(3, [])
        outcomes = "".join(maker.random.choice("0011") for _ in range(48))
        writer = Writer()
        writer.lines = (HEAD % (maker.probes, outcomes)).split("\n")
        writer.block(block)
        self.text = "\n".join([*writer.lines, "    }", "}", ""])
        self.expected = {s.number: (s.lines["at"], line) for s, line in Run(block, outcomes).found.items()}
