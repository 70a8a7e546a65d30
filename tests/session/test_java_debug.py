"""Java programs debugged through the same commands as native ones.

What ebb shows is compared with what the programs themselves print, and places with marks in their sources: a comment
`// @name` marks its line."""
import re
import shutil
import subprocess
import textwrap
import time

import pytest

from java_source import javac

JAVA = shutil.which("java") or "java"


class Program:
    """A compiled class with main, and where its marks are."""

    def __init__(self, folder, name, source):
        self.folder, self.name = folder, name
        self.marks = {mark: number for number, line in enumerate(source.splitlines(), 1)
                      for mark in re.findall(r"// @(\w+)", line)}
        self.file = f"{name.rsplit('.', 1)[-1]}.java"

    def at(self, mark):
        return f"{self.file}:{self.marks[mark]}"

    @property
    def args(self):
        return ("-cp", str(self.folder), self.name)

    def output(self):
        """What it prints by itself, on the JDK's own machine."""
        done = subprocess.run([JAVA, *self.args], capture_output=True, text=True, timeout=60)
        return done.stdout.splitlines()


@pytest.fixture(scope="session")
def compile_java(workshop):
    made = {}

    def compile_one(name, source, flags=("-g",), keep_source=True):
        key = (name, source, flags, keep_source)
        if key not in made:
            source = textwrap.dedent(source).lstrip()
            folder = workshop / f"java{len(made)}"
            path = folder / (name.replace(".", "/") + ".java")
            path.parent.mkdir(parents=True)
            path.write_text(source, encoding="utf-8")
            javac("-encoding", "utf-8", *flags, str(path))
            if not keep_source:
                path.unlink()
            made[key] = Program(folder, name, source)
        return made[key]

    return compile_one


@pytest.fixture
def debug(batch):
    """debug(program, commands...) -> finished process."""

    def run(program, *commands, **more):
        return batch(JAVA, *commands, args=program.args, timeout=120, **more)

    return run


@pytest.fixture
def debug_json(batch_json):
    def run(program, *commands, **more):
        return batch_json(JAVA, *commands, args=program.args, timeout=120, **more)

    return run


def values(text):
    """The values behind "$N = "."""
    return re.findall(r"^\$\d+ = (.*)$", text, re.M)


COUNTER = """
    public class Counter {
        static int made;
        int total;
        final String name;

        Counter(String name) {
            this.name = name; // @constructor
            made++;
        }

        int add(int n) {
            total += n; // @add
            return total; // @return
        }

        public static void main(String[] args) {
            Counter c = new Counter("sums"); // @main
            int last = 0; // @zero
            for (int i = 1; i <= 5; i++) { // @loop
                last = c.add(i); // @call
                System.out.println(last); // @print
            }
            System.out.println(c.name + " " + last); // @end
        }
    }
"""


@pytest.fixture(scope="session")
def counter(compile_java):
    return compile_java("Counter", COUNTER)


# ---- beginning ----------------------------------------------------------------------------------

def test_start_stops_at_main(debug, counter):
    done = debug(counter, "start", "backtrace")
    assert done.returncode == 0, done.stderr
    assert f"Temporary breakpoint 1, Counter.main (args=String[0]) at {counter.at('main')}" in done.stdout
    assert f"#0  Counter.main (args=String[0]) at {counter.at('main')}" in done.stdout


def test_run_prints_and_exits_as_the_program_does(debug, counter):
    done = debug(counter, "run")
    assert done.returncode == 0
    assert [line for line in done.stdout.splitlines() if not line.startswith("[")] == counter.output()
    assert "exited normally" in done.stdout


def test_a_program_is_run_again(debug, counter):
    done = debug(counter, "break Counter.add", "run", "kill", "run", "info breakpoints")
    assert done.stdout.count("Breakpoint 1, Counter.add (this=") == 2
    assert "already hit 2 times" in done.stdout


def test_a_jar_starts_at_its_main_class(debug, ebb, compile_java, tmp_path):
    program = compile_java("Counter", COUNTER)
    jar = tmp_path / "counter.jar"
    subprocess.run(["jar", "cfe", str(jar), "Counter", "-C", str(program.folder), "Counter.class"], check=True, timeout=60)
    done = ebb(["run", "--batch", "-e", "start", "-e", "when -i", "--", JAVA, "-jar", jar], timeout=120)
    assert re.search(r"^\d+@Counter\.main:0$", done.stdout, re.M), done.stdout + done.stderr


def test_a_source_file_starts_at_its_own_main(ebb, counter):
    done = ebb(["run", "--batch", "-e", "start", "-e", "when -i", "--", JAVA, counter.folder / "Counter.java"], timeout=120)
    assert re.search(r"^\d+@Counter\.main:0$", done.stdout, re.M), done.stdout + done.stderr


def test_streams_directory_and_exit_status_are_the_programs_own(debug, compile_java, tmp_path):
    program = compile_java("Echo", """
        import java.io.*;
        public class Echo {
            public static void main(String[] args) throws IOException {
                String line = new BufferedReader(new InputStreamReader(System.in)).readLine();
                System.out.println("<" + line + "> " + new File(".").getCanonicalPath());
                System.err.println("to stderr");
                System.exit(7);
            }
        }
    """)
    done = debug(program, f"set cwd {tmp_path}", "run", "print $_exitcode", stdin="hello\n")
    assert f"<hello> {tmp_path.resolve()}" in done.stdout and "to stderr" in done.stderr
    assert "exited with code 07" in done.stdout and values(done.stdout) == ["7"]


def test_a_program_that_is_killed_while_it_stands_still(pty_session, counter):
    session = pty_session(["run", JAVA, *counter.args])
    session.command("start", 60)
    session.command("shell kill -9 $(pgrep -P $PPID java)")
    assert "terminated with signal SIGKILL" in session.command("continue")
    assert "not being run" in session.command("next")
    assert "Counter.main" in session.command("start", 60)


def test_a_call_that_never_ends_is_interrupted(pty_session, compile_java):
    program = compile_java("Endless", """
        public class Endless {
            static int spin() {
                while (true) { }
            }
            public static void main(String[] args) {
                System.out.println(1); // @here
            }
        }
    """)
    session = pty_session(["run", JAVA, *program.args])
    session.command("start", 60)
    session.send("print spin()\n")
    time.sleep(1)
    session.send("\x03")
    assert "interrupted" in session.expect("(ebb) ")
    assert f"Endless.main (args=String[0]) at {program.at('here')}" in session.command("backtrace")


@pytest.mark.parametrize("command", ["run", "start"])
@pytest.mark.parametrize("words", [[], ["-version"], ["-Xnosuch", "Main"], ["-cp", "/nowhere", "Nosuch"], ["-jar"], ["-m", "nosuch/x"]])
def test_a_launcher_that_runs_no_program_ends_as_by_itself(ebb, command, words):
    alone = subprocess.run([JAVA, *words], capture_output=True, timeout=60)
    done = ebb(["run", "--batch", "-e", command, "-e", "print $_exitcode", "--", JAVA, *words], timeout=120)
    assert done.returncode == 0, done.stderr
    assert values(done.stdout) == [str(alone.returncode)]


# ---- breakpoints --------------------------------------------------------------------------------

def test_every_form_of_place(debug, counter):
    forms = [counter.at("add"), "Counter.add", "Counter.add(int)", "Counter.add:0", "Counter.<init>", "add",
             f"Counter:{counter.marks['add']}"]
    done = debug(counter, *[f"break {form}" for form in forms], "run", "info breakpoints", "continue")
    assert done.returncode == 0, done.stderr
    assert f"Breakpoint 5, Counter.<init> (this=" in done.stdout
    table = done.stdout[done.stdout.index("Num "):]
    for number in (1, 2, 3, 4, 6, 7):
        assert re.search(rf"^{number} +breakpoint +keep y +Counter\.add:0 +at {counter.at('add')}$", table, re.M), number


def test_conditions_ignore_counts_and_temporary_ones(debug, counter):
    done = debug(counter, f"break {counter.at('call')} if i == 3", "tbreak Counter.add", "run", "ignore 1 0", "continue", "print i",
                 "delete", f"break {counter.at('print')}", "ignore 3 1", "continue", "print i")
    assert done.returncode == 0, done.stderr
    assert values(done.stdout) == ["3", "4"]


def test_a_breakpoint_by_line_moves_to_code(debug, counter):
    line = counter.marks["end"] + 1  # the closing brace of main
    done = debug(counter, f"break Counter.java:{line}", "run", "when")
    assert f"@Counter.java:{line}" in done.stdout
    assert counter.output()[-1] in done.stdout


def test_overloads_are_told_apart(debug, compile_java):
    program = compile_java("Over", """
        public class Over {
            static String f(int n) { return "int " + n; }
            static String f(String s) { return "text " + s; }
            static String f(int[] a, long b) { return "array " + a.length + b; }
            public static void main(String[] args) {
                System.out.println(f(1));
                System.out.println(f("x"));
                System.out.println(f(new int[2], 3L));
            }
        }
    """)
    done = debug(program, "break Over.f", "run", "continue", "continue")
    assert [n for n in re.findall(r"Breakpoint 1\.(\d), Over.f", done.stdout)] == ["1", "2", "3"]
    done = debug(program, "break Over.f(String)", "run", "print s", "continue")
    assert values(done.stdout) == ['"x"'] and done.stdout.count("Breakpoint 1, Over.f (s=") == 1
    done = debug(program, "break Over.f(int[], long)", "run", "print a.length + b")
    assert values(done.stdout) == ["5"]


def test_lambdas_inner_classes_and_static_initialisers(debug, compile_java):
    program = compile_java("demo.Nest", """
        package demo;
        import java.util.*;
        public class Nest {
            static final int START;
            static {
                START = 40; // @static
            }
            class Inner {
                int twice(int n) {
                    return 2 * n + START; // @inner
                }
            }
            interface Shape { double area(); }
            record Square(double side) implements Shape {
                public double area() {
                    return side * side; // @area
                }
            }
            public static void main(String[] args) {
                Nest nest = new Nest();
                Inner inner = nest.new Inner();
                System.out.println(inner.twice(1));
                List.of("a", "b").forEach(s -> {
                    System.out.println("<" + s + ">"); // @lambda
                });
                Shape shape = new Square(3);
                System.out.println(shape.area());
            }
        }
    """)
    out = program.output()
    done = debug(program, *[f"break {program.at(mark)}" for mark in ("static", "inner", "lambda", "area")], "run", "backtrace",
                 "continue", "print 2 * n + START", "continue", "print s", "backtrace", "continue", "print s", "continue",
                 "print side * side", "print this", "continue")
    assert done.returncode == 0, done.stderr
    assert "demo.Nest.<clinit>" in done.stdout
    shown = values(done.stdout)
    assert shown[0] == out[0]
    assert [f"<{s[1:-1]}>" for s in shown[1:3]] == out[1:3]
    assert shown[3] == out[3]
    assert re.search(r"#1  java\.\S+\.forEach \(.*\n(#\d+ .*\n)*#\d+  demo\.Nest\.main", done.stdout)


# ---- stepping -----------------------------------------------------------------------------------

def places(text):
    return [int(line) for line in re.findall(r"^\d+@\w+\.java:(\d+)$", text, re.M)]


def test_next_walks_through_the_loop(debug, counter):
    m = counter.marks
    done = debug(counter, "start", *["next"] * 7)
    assert places(done.stdout) == [m["main"], m["zero"], m["loop"], m["call"], m["print"], m["loop"], m["call"], m["print"]]


def test_next_stays_in_its_frame_while_classes_are_loaded(debug, compile_java):
    """Loading a class that a breakpoint may be for is a stop of the machine's own: the step goes on in its frame."""
    program = compile_java("Loads", """
        public class Loads {
            interface Op { int apply(int a, int b); }
            enum Colour { RED, GREEN }
            static class Late { static int v = 5; static { v *= 2; } static int get() { return v; } }
            static int choose(Colour c) {
                switch (c) {
                case RED: return 1;
                default: return 2;
                }
            }
            public static void main(String[] args) throws Exception {
                Op add = (a, b) -> a + b; // @first
                int x = add.apply(1, 2);
                Op.class.getMethods();
                int y = Late.get();
                int z = choose(Colour.GREEN);
                Runnable r = Loads::hello;
                Thread t = new Thread(r);
                t.start();
                t.join();
                System.out.println(x + y + z);
            } // @last
            static void hello() { System.out.println("hello"); }
        }
        """)
    m = program.marks
    n = m["last"] - m["first"]
    done = debug(program, "break Loads.main", "break Loads.java:999", "run", *["next"] * (n + 1))
    assert places(done.stdout) == list(range(m["first"], m["last"] + 1))
    assert "exited normally" in done.stdout


def test_next_passes_a_breakpoint_that_does_not_hold(debug, compile_java):
    program = compile_java("Passes", """
        public class Passes {
            static int work(int n) {
                int sum = 0;
                for (int i = 0; i < n; i++)
                    sum += i; // @inner
                return sum;
            }
            public static void main(String[] args) {
                int a = work(10); // @first
                int b = 0; while (b < 5) { b++; work(b); } // @loop
                System.out.println(a + b);
            } // @last
        }
        """)
    m = program.marks
    never = "if String.valueOf(n).isEmpty()"
    done = debug(program, "break Passes.main", f"break {program.at('inner')} {never}", "run", "next", "next", "next")
    assert places(done.stdout) == [m["first"], m["loop"], m["loop"] + 1, m["last"]]


def test_step_goes_into_own_classes_only(debug, counter):
    m = counter.marks
    done = debug(counter, f"break {counter.at('call')}", "run", "step", "step", "step", "step", "step")
    # add, its return, back in the middle of the line: the next line; println is of the JDK
    assert places(done.stdout) == [m["call"], m["add"], m["return"], m["print"], m["loop"], m["call"]]


def test_the_step_filter_can_be_changed(debug, counter):
    done = debug(counter, f"break {counter.at('print')}", "run", "set step-filter java.lang.* java.util.* jdk.* sun.*", "step", "backtrace 1")
    assert "java.io.PrintStream.println" in done.stdout


def test_a_filtered_class_is_passed_through_to_what_it_calls(debug, compile_java):
    program = compile_java("Through", """
        public class Through {
            static class Tool {
                static int twice(java.util.function.IntSupplier f) {
                    return f.getAsInt() + f.getAsInt(); // @tool
                }
            }
            static int work() {
                return 4; // @work
            }
            public static void main(String[] args) {
                int n = Tool.twice(() -> work()); // @call
                System.out.println(n); // @after
            }
        }
    """)
    m = program.marks
    done = debug(program, f"break {program.at('call')}", "run", "step")
    assert places(done.stdout)[-1] == m["tool"]
    done = debug(program, f"tbreak {program.at('call')}", "run", "set step-filter library *Tool", "step", "step", "step")
    assert m["tool"] not in places(done.stdout) and m["work"] in places(done.stdout)


def test_finish_shows_what_was_returned(debug, counter):
    done = debug(counter, "break Counter.add if n == 4", "run", "finish", "print $ * 2")
    assert f"Value returned is $1 = {counter.output()[3]}" in done.stdout
    assert values(done.stdout)[-1] == str(2 * int(counter.output()[3]))


def test_finish_of_every_type(debug, compile_java):
    program = compile_java("Types", """
        public class Types {
            static boolean z() { return true; }
            static byte b() { return -3; }
            static char c() { return 'x'; }
            static short s() { return -300; }
            static int i() { return -70000; }
            static long j() { return 1L << 40; }
            static float f() { return 1.5f; }
            static double d() { return -2.25; }
            static String t() { return "héllo"; }
            static int[] a() { return new int[] {1, 2, 3}; }
            static Object n() { return null; }
            static void v() { }
            public static void main(String[] args) {
                z(); b(); c(); s(); i(); j(); f(); d(); t(); a(); n(); v();
                System.out.println(z() + " " + b() + " " + s() + " " + i() + " " + j() + " " + f() + " " + d());
            }
        }
    """)
    returned = {}
    for name in "zbcsijfdtanv":
        done = debug(program, f"tbreak Types.{name}", "run", "finish")
        found = re.search(r"^Value returned is \$1 = (.*)$", done.stdout, re.M)
        returned[name] = found[1] if found else None
    printed = dict(zip("zbsijfd", program.output()[0].split()))
    assert {name: returned[name] for name in printed} == printed
    assert "'x'" in returned["c"] and returned["t"] == '"héllo"' and "{1, 2, 3}" in returned["a"]
    assert returned["n"] == "null" and returned["v"] is None


def test_until_does_not_go_back_and_advance_goes_to_a_place(debug, counter):
    m = counter.marks
    done = debug(counter, f"tbreak {counter.at('print')}", "run", "until", "until", f"advance {counter.at('end')}")
    assert places(done.stdout) == [m["print"], m["loop"], m["end"], m["end"]] or \
        places(done.stdout)[-1] == m["end"]
    assert counter.output()[4] in done.stdout


def test_stepi_is_one_bytecode(debug, counter):
    done = debug(counter, "break Counter.add", "run", "disassemble", "stepi", "when -i", "stepi", "when -i", "nexti", "when -i",
                 "info stack")
    starts = [int(n) for n in re.findall(r"^(?:=>|  ) +(\d+):\t", done.stdout, re.M)]
    assert [int(n) for n in re.findall(r"^\d+@Counter\.add:(\d+)$", done.stdout, re.M)] == starts[1:4]
    assert "Operand stack, bottom first:" in done.stdout


def test_an_exception_is_stepped_to_its_handler(debug, compile_java):
    program = compile_java("Catcher", """
        public class Catcher {
            static int depth(int n) {
                if (n == 0)
                    throw new IllegalArgumentException("deep"); // @throw
                return depth(n - 1) + 1; // @deeper
            }
            public static void main(String[] args) {
                try {
                    depth(3); // @try
                } catch (IllegalArgumentException e) { // @catch
                    System.out.println(e.getMessage()); // @handled
                }
            }
        }
    """)
    m = program.marks
    done = debug(program, f"break {program.at('try')}", "run", "next", "next", "print e.getMessage()")
    assert places(done.stdout) == [m["try"], m["catch"], m["handled"]]
    assert values(done.stdout) == [f'"{program.output()[0]}"']
    done = debug(program, f"break {program.at('throw')}", "run", "finish")
    assert places(done.stdout) == [m["throw"], m["catch"]]
    done = debug(program, "catch throw IllegalArgumentException", "catch catch IllegalArgumentException", "run", "print n",
                 "backtrace", "continue", "print $_exception.getMessage()")
    assert places(done.stdout) == [m["throw"], m["catch"]]
    assert "exception thrown: java.lang.IllegalArgumentException: deep" in done.stdout
    assert values(done.stdout) == ["0", '"deep"']
    assert len(re.findall(r"^#\d+  Catcher\.depth", done.stdout, re.M)) == 4


UNCAUGHT = """
    public class Loser {
        static void lose(String what) {
            throw new IllegalStateException("lost " + what); // @lose
        }
        public static void main(String[] args) {
            lose("it");
        }
    }
"""


def test_an_uncaught_exception_stops_only_if_asked_for(debug, compile_java):
    program = compile_java("Loser", UNCAUGHT)
    done = debug(program, "run")
    assert "exited with code 01" in done.stdout and "IllegalStateException: lost it" in done.stderr
    done = debug(program, "set stop-on-uncaught on", "run", "print what", "continue")
    assert "threw java.lang.IllegalStateException: lost it, and nothing catches it." in done.stdout
    assert places(done.stdout) == [program.marks["lose"]]
    assert values(done.stdout) == ['"it"'] and "exited with code 01" in done.stdout


def test_at_the_prompt_an_uncaught_exception_stops(pty_session, compile_java):
    program = compile_java("Loser", UNCAUGHT)
    session = pty_session(["run", JAVA, *program.args])
    assert "nothing catches it" in session.command("run", 60)
    assert "Loser.lose" in session.command("backtrace")


# ---- values -------------------------------------------------------------------------------------

def test_print_agrees_with_the_program(debug, compile_java):
    expressions = ["n + 1", "n / 2", "n % 4", "n << 3", "-n >>> 28", "(byte) 200", "(char) 66", "big * 2", "real / 4", "n > 3 && flag",
                   "n != 7 || !flag", "text.length()", "text + n", "text + real + flag", "text.substring(1, 3)", "numbers[2]", "numbers.length",
                   "text.equals(\"x\")", "flag ? n : big", "text.charAt(1) + 1", "Math.max(n, 3)", "names.size()", "names.get(1)",
                   "text instanceof String", "(Object) text == null", "Vals.count", "this.field", "field * 2L"]
    prints = "\n".join(f"System.out.println({e});" for e in expressions)
    program = compile_java("Vals", """
        import java.util.*;
        public class Vals {
            static int count = 12;
            int field = 5;
            void show(int n, long big, double real, boolean flag, String text, int[] numbers, List<String> names) {
                PRINTS
                System.out.println(); // @here
            }
            public static void main(String[] args) {
                new Vals().show(7, 1L << 33, 2.5, true, "grüße", new int[] {4, 5, 6}, new ArrayList<>(List.of("a", "b")));
            }
        }
    """.replace("PRINTS", prints))
    done = debug(program, f"break {program.at('here')}", "run", *[f"print {e}" for e in expressions])
    assert done.returncode == 0, done.stderr
    shown = [re.sub(r"^\d+ '(.)'$", r"\1", value).strip("\"'") for value in values(done.stdout)]
    assert dict(zip(expressions, shown)) == dict(zip(expressions, program.output()))


def test_calls_leave_no_trace_unless_they_are_live(debug, counter):
    done = debug(counter, f"break {counter.at('end')}", "run", "print c.add(1000)", "print c.total", "call c.add(1000)", "print c.total",
                 "set java-calls live", "print c.add(1000)", "print c.total")
    total = int(counter.output()[4])
    assert [int(v) for v in values(done.stdout)] == [total + 1000, total, total + 1000, total, total + 1000, total + 1000]


def test_assignments_change_what_the_program_prints(debug, counter):
    done = debug(counter, f"break {counter.at('end')}", "run", "set var last = 77", "print c.name", "continue")
    assert "sums 77" in done.stdout
    done = debug(counter, f"break {counter.at('add')}", "run", "set var this.total = 100", "set var n = 11", "finish", "delete", "continue")
    assert "Value returned is $1 = 111" in done.stdout and "111\n" in done.stdout


def test_locals_args_displays_and_printf(debug, counter):
    done = debug(counter, f"break {counter.at('print')} if i == 2", "run", "info locals", "info args", "display last", "display/x last",
                 "next", 'printf "%s has %d, %5.1f%%\\n", c.name, c.total, 12.5', "whatis c", "ptype Counter", "output last")
    out = counter.output()
    assert f"last = {out[1]}\n" in done.stdout and "i = 2\n" in done.stdout
    assert "args = " in done.stdout
    assert f"1: last = {out[1]}" in done.stdout and f"2: /x last = {int(out[1]):#x}" in done.stdout
    assert f"sums has {out[1]},  12.5%\n" in done.stdout
    assert "type = Counter\n" in done.stdout and "int add(int" in done.stdout


def test_watchpoints_tell_old_and_new(debug, counter):
    done = debug(counter, f"break {counter.at('zero')}", "run", "watch c.total", "continue", "continue", "continue", "delete", "continue")
    out = [int(v) for v in counter.output()[:3]]
    seen = [(int(a), int(b)) for a, b in re.findall(r"Old value = (\d+)\nNew value = (\d+)", done.stdout)]
    assert seen == list(zip([0] + out, out))


def test_watching_locals_statics_elements_and_every_object(debug, compile_java):
    program = compile_java("Watched", """
        public class Watched {
            static long version;
            int[] cells = new int[4];
            int level;
            static int work(Watched w) {
                int local = 1; // @begin
                w.cells[2] = 9; // @cell
                version = 5; // @version
                local += 2; // @local
                w.level = 3; // @level
                return local; // @read
            }
            public static void main(String[] args) {
                Watched one = new Watched(), two = new Watched();
                System.out.println(work(one) + work(two));
            }
        }
    """)
    m = program.marks
    done = debug(program, f"tbreak {program.at('cell')}", "run", "watch w.cells[2]", "watch version", "watch local", "watch Watched.level",
                 *["continue"] * 6)
    assert done.returncode == 0, done.stderr
    stops = re.findall(r"watchpoint \d+: (\S+)\n\nOld value = (\S+)\nNew value = (.+)\n", done.stdout)
    assert [(what, old) for what, old, _ in stops[:4]] == [("w.cells[2]", "0"), ("version", "0"), ("local", "1"), ("Watched.level", "0")]
    assert [new.split()[0] for _, _, new in stops[:4]] == ["9", "5", "3", "3"]
    assert "left the block" in done.stdout or "watchpoint-scope" in done.stdout  # the frame of `local` is gone
    assert stops[-1][0] == "Watched.level"  # the other object's


def test_strings_arrays_and_collections_are_shown_whole(debug, compile_java):
    program = compile_java("Shown", """
        import java.util.*;
        public class Shown {
            public static void main(String[] args) {
                String text = "grüße \\u4e16\\u754c \\uD83D\\uDE00\\n";
                int[] big = new int[1000];
                big[999] = 1;
                int[][] grid = {{1, 2}, {3}};
                List<Integer> list = new ArrayList<>(List.of(1, 2, 3));
                Map<String, Integer> map = new TreeMap<>(Map.of("a", 1, "b", 2));
                System.out.println(list + " " + map); // @here
                System.out.print(text);
            }
        }
    """)
    done = debug(program, f"break {program.at('here')}", "run", "print text", "print big", "print big[999]", "print grid", "print list", "print map",
                 "print text.length()", "continue")
    shown = values(done.stdout)
    assert shown[0] == '"grüße 世界 😀\\n"'
    assert "repeats" in shown[1] or "..." in shown[1]
    assert shown[2] == "1" and "{{1, 2}, {3}}" in shown[3]
    assert shown[4].endswith("[1, 2, 3]") and "a" in shown[5] and "2" in shown[5]
    assert shown[6] == str(len("grüße 世界 ") + 2 + 1)


# ---- without debug information --------------------------------------------------------------------

def test_without_lines_one_steps_by_bytecode(debug, compile_java):
    program = compile_java("Counter", COUNTER, flags=("-g:none",))
    done = debug(program, "break Counter.add", "run", "backtrace", "step", "step", "info locals", "disassemble", "finish")
    assert re.search(r"^#0  Counter\.add:0 \(this=\S+, arg0=1\)$", done.stdout, re.M), done.stdout
    assert re.search(r"^Counter\.add:1\t", done.stdout, re.M)
    assert "compiled without its local variables" in done.stderr
    done = debug(program, "break Counter.add", "run", "print arg0", "print total", "info stack", "finish")
    assert values(done.stdout) == ["1", "0"]
    assert f"Value returned is $3 = {program.output()[0]}" in done.stdout


def test_without_sources_lines_have_numbers_only(debug, compile_java):
    program = compile_java("Counter", COUNTER, keep_source=False)
    done = debug(program, "break Counter.add", "run", "next", "list")
    add = program.marks["add"] # what is missing is said once, as gdb does
    assert f"{add}\tCounter.java: No such file or directory.\n" in done.stdout and f"{add + 1}\tin Counter.java\n" in done.stdout
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and "Counter.java" in done.stderr


def test_sources_are_found_elsewhere(debug, compile_java, tmp_path):
    program = compile_java("Counter", COUNTER, keep_source=False)
    (tmp_path / "Counter.java").write_text(textwrap.dedent(COUNTER).lstrip())
    done = debug(program, f"directory {tmp_path}", "break Counter.add", "run", "list")
    assert "total += n; // @add" in done.stdout


# ---- source, code, frames, threads ----------------------------------------------------------------

def test_list_goes_on_and_finds_methods(debug, counter):
    done = debug(counter, "start", "list", "list Counter.add", "list 1,3", "info source", "info line", "list Counter.java:3")
    assert done.returncode == 0, done.stderr
    assert f"{counter.marks['main']}\t" in done.stdout and f"{counter.marks['add']}\t" in done.stdout
    assert "1\tpublic class Counter {" in done.stdout and "Source language is java." in done.stdout


def test_disassemble_agrees_with_javap(debug, counter):
    done = debug(counter, "break Counter.add", "run", "disassemble", "disassemble /s", "disassemble Counter.main")
    javap = subprocess.run(["javap", "-c", "-p", "-cp", str(counter.folder), "Counter"], capture_output=True, text=True, timeout=60).stdout
    body = javap[javap.index("int add(int)"):javap.index("public static void main")]
    wanted = re.findall(r"^\s+(\d+): (\w+)", body, re.M)
    first = done.stdout[done.stdout.index("Dump of bytecode for method Counter.add(int):"):done.stdout.index("End of bytecode dump.")]
    assert re.findall(r"^(?:=>|  ) +(\d+):\t(\w+)", first, re.M) == wanted
    assert "=>    0:" in first and "total += n; // @add" in done.stdout


def test_frames_are_selected(debug, counter):
    done = debug(counter, "break Counter.add", "run", "up", "print i", "info frame", "down", "print n", "frame 1", "frame function Counter.add")
    assert values(done.stdout) == ["1", "1"]
    assert f"#1  Counter.main (args=String[0]) at {counter.at('call')}" in done.stdout
    assert "called by Counter.main" not in done.stdout.split("print i")[0]


THREADS = """
    public class Threads {
        static final Object one = new Object(), two = new Object();
        static class Worker extends Thread {
            final Object first, second;
            Worker(String name, Object first, Object second) {
                super(name);
                this.first = first;
                this.second = second;
            }
            @Override public void run() {
                synchronized (first) {
                    rest(); // @rest
                    synchronized (second) { // @second
                        System.out.println("never");
                    }
                }
            }
            void rest() {
                try {
                    Thread.sleep(100);
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        }
        public static void main(String[] args) throws Exception {
            Thread a = new Worker("anna", one, two), b = new Worker("bert", two, one);
            a.setDaemon(true);
            b.setDaemon(true);
            a.start();
            b.start();
            Thread.sleep(1000);
            System.out.println("over"); // @over
        }
    }
"""


def test_threads_locks_and_deadlock(debug, debug_json, compile_java):
    program = compile_java("Threads", THREADS)
    commands = (f"break {program.at('over')}", "run", "info threads", "thread apply all backtrace")
    done = debug(program, *commands)
    assert done.returncode == 0, done.stderr
    number = dict((name, n) for n, name in re.findall(r"^[* ] (\d+) +\"(\w+)\"", done.stdout, re.M))
    assert {"main", "anna", "bert"} <= set(number)
    assert re.search(rf"Deadlock: thread {number['anna']} waits for thread {number['bert']}, which waits for thread {number['anna']}\.|"
                     rf"Deadlock: thread {number['bert']} waits for thread {number['anna']}, which waits for thread {number['bert']}\.", done.stdout)
    assert f"held by thread {number['bert']}" in done.stdout
    assert done.stdout.count(f"at {program.at('second')}") >= 2
    done, answers = debug_json(program, *commands)
    threads = next(a for a in answers if "threads" in a)
    states = {t["name"]: t for t in threads["threads"]}
    assert states["anna"]["state"].startswith("BLOCKED") and "holds" in states["anna"] and "waits_for" in states["bert"]
    assert threads["deadlock"].startswith("Deadlock")


def test_a_breakpoint_for_one_thread(debug, compile_java):
    program = compile_java("Pair", """
        public class Pair {
            static void work(int n) {
                System.out.println(Thread.currentThread().getName() + n); // @work
            }
            public static void main(String[] args) throws Exception {
                Thread t = new Thread(() -> { for (int i = 0; i < 3; i++) work(i); }, "other");
                t.start(); // @start
                t.join();
                work(9); // @main
            }
        }
    """)
    done = debug(program, f"tbreak {program.at('main')}", f"tbreak {program.at('start')}", "run", f"break {program.at('work')} thread 1",
                 "continue", "continue", "print n")
    assert values(done.stdout) == ["9"]
    assert done.stdout.index("other2") < done.stdout.rindex("Breakpoint 3, ")


# ---- positions ------------------------------------------------------------------------------------

def test_positions_mean_the_same_in_the_next_run(debug, counter):
    done = debug(counter, "break Counter.add if n == 3", "run", "when", "when -i")
    line, insn = re.findall(r"^\d+@\S+$", done.stdout, re.M)[-2:]
    assert line.endswith(f"@{counter.at('add')}") and insn.endswith("@Counter.add:0")
    for position in (line, insn):
        again = debug(counter, "start", f"break {position}", "continue", "print n", "when -i")
        assert values(again.stdout) == ["3"] and insn in again.stdout, again.stdout + again.stderr
        gone = debug(counter, "start", f"goto {position}", "print n", "when -i")
        assert values(gone.stdout) == ["3"] and insn in gone.stdout, gone.stdout + gone.stderr


def test_a_timestamp_alone_is_its_first_moment(debug, counter):
    done = debug(counter, "break Counter.add if n == 3", "run")
    time = int(re.findall(r"^(\d+)@", done.stdout, re.M)[-1])
    gone = debug(counter, "start", f"goto {time}", "print n")
    assert values(gone.stdout) == ["3"]
    back = debug(counter, "break Counter.add", "run", "goto 5")
    assert back.returncode == 1 and back.stderr.count("\n") == 1


# ---- for programs ---------------------------------------------------------------------------------

def test_stops_and_frames_as_json(debug_json, counter):
    done, answers = debug_json(counter, "break Counter.add if n == 2", "run", "backtrace", "print this", "info stack", "disassemble")
    stop = next(a for a in answers if a.get("reason") == "breakpoint")
    assert stop["frame"]["function"] == "Counter.add" and stop["frame"]["pc"] == "Counter.add:0"
    assert stop["line"] == counter.marks["add"] and re.fullmatch(r"\d+@Counter\.java:\d+", stop["position"])
    assert {"name": "n", "value": "2", "type": "int"} in stop["frame"]["args"]
    frames = next(a for a in answers if "frames" in a)["frames"]
    assert [f["function"] for f in frames] == ["Counter.add", "Counter.main"]
    stack = next(a for a in answers if "stack" in a)
    assert [slot["name"] for slot in stack["locals"]] == ["this", "n"] and stack["stack"] == []
    code = next(a for a in answers if "instructions" in a)["instructions"]
    assert code[0]["address"] == "Counter.add:0" and code[0]["current"] is True


# ---- mistakes -------------------------------------------------------------------------------------

@pytest.mark.parametrize("command", [
    "break Counter.nosuch", "break Counter.add(String)", "break Counter.add:1000", "break Counter.add:2x", "break :3", "print nosuch",
    "print this.nosuch", "print n +", "print n.foo()", "print (Nosuch) n", "set var n = \"text\"", "set var 3 = 4", "x/4x 1", "info registers",
    "jump 3", "return", "catch syscall", "catch nosuch", "watch 3 + 4", "watch nosuch", "disassemble Counter.nosuch", "list Nosuch.java:3",
    "goto nonsense", "goto 12@", "finish 3 4", "thread 99", "frame 99", "ptype Nosuch", "info symbol 3", "advance Nosuch.f",
])
def test_a_mistake_is_one_clear_line(debug, counter, command):
    done = debug(counter, "break Counter.add", "run", command)
    assert done.returncode == 1, done.stdout
    assert done.stderr.count("\n") == 1 and done.stderr.strip(), done.stderr


def test_a_place_that_never_comes_stays_pending(debug, counter):
    done = debug(counter, "break Nosuch.method", "break Nosuch.java:3", "run", "info breakpoints")
    assert done.stdout.count("<PENDING>") == 2 and "exited normally" in done.stdout


def test_the_interrupt_key_stops_and_completion_knows_classes(pty_session, compile_java):
    program = compile_java("Spin", """
        public class Spin {
            static volatile long turns;
            static void spinning() {
                while (true)
                    turns++; // @spin
            }
            public static void main(String[] args) {
                System.out.println("ready");
                spinning();
            }
        }
    """)
    session = pty_session(["run", JAVA, *program.args])
    session.send("run\n")
    session.expect("ready", 60)
    time.sleep(0.5)
    session.send("\x03")
    assert "received signal SIGINT" in session.expect("(ebb) ")
    assert "Spin.spinning" in session.command("backtrace")
    session.send("break Spin.spinn\t\n")
    assert f"Breakpoint 1 at Spin.spinning:0: file Spin.java, line {program.marks['spin']}" in session.expect("(ebb) ")
    session.send("print tur\t\n")
    assert re.search(r"\$1 = \d+", session.expect("(ebb) "))
