"""A stock gdb debugs over ebb's stub as it does natively, and backwards.  The oracle is gdb itself on the same program."""
import contextlib
import os
import re
import signal
import socket
import subprocess
import textwrap

import pytest

import programs
from conftest import EBB, ROOT, SECONDS


@pytest.fixture(scope="session")
def list_program(compile_c):
    return compile_c(programs.LIST, name="list")


# What differs between any two runs, or is said of the connection only.
NOISE = re.compile(r"warning: .*|.*Remote.*|Starting program.*|\[Thread debugging.*|Using host libthread_db.*|\[Inferior .*|Temporary breakpoint.*|Run till exit.*"
                   r"|No more reverse-execution history\.|ebb: .*|Reading .*|total 30")


def cleaned(text):
    text = re.sub(r"0x7f[0-9a-f]{10}", "0xSTACK", text).replace("target:", "")  # whose files they are
    text = re.sub(r"Thread [^(\n]*\(.*?\)|process \d+|LWP \d+", "THREAD", text)
    return [line for line in text.split("\n") if line.strip() and not NOISE.fullmatch(line)]


PLAIN = {**os.environ, "SHELL": "/bin/sh"}  # over a socket, bash reads the user's start-up files


def gdb(program, *commands):
    words = [word for command in ("set pagination off", "set confirm off", "set debuginfod enabled off", *commands) for word in ("-ex", command)]
    answer = subprocess.run(["gdb", "-nx", "-batch", *words, str(program)], capture_output=True, text=True, timeout=SECONDS * 4, cwd=program.parent,
                            env=PLAIN)
    return answer.stdout + answer.stderr


def remote(program, *commands, options=""):
    return gdb(program, f"target remote | {EBB} serve --gdb - {options} {program}", "break main", "continue", *commands)


def native(program, *commands):
    return gdb(program, "break main", "run", *commands)


LONG = """
int total;
int main(void) {
    for (int i = 0; i < 3000000; i++)
        total += i & 7;
    return total == 0;
}
"""

FORWARD = """
    break add
    continue
    backtrace
    info locals
    info args
    print a + b
    print $rip
    print $eflags
    print/x $cs
    print $xmm0
    print $ymm15
    print $st0
    print $mxcsr
    x/4i $pc
    x/8xb $pc
    info registers rip eflags
    up
    print *head
    print head->next->value
    info frame
    down
    next
    step
    info locals
    finish
    stepi
    nexti
    print total
    watch total
    continue
    continue
    info breakpoints
    delete
    print total = 77
    print total
    set var total = 8
    info symbol main
    ptype head
    tbreak printf
    continue
    backtrace
    info sharedlibrary
    info line main
    list main
    until
    delete
    advance 32
    print $_exitcode
    print $sp - $rsp
    whatis head
    print sizeof(struct node)
"""


def from_main(answer):
    lines = cleaned(answer)
    return lines[next(i for i, line in enumerate(lines) if line.startswith("Breakpoint 1, main")):]


def test_the_same_answers_as_natively(list_program):
    commands = [line.strip() for line in FORWARD.strip().split("\n")]
    assert len(commands) >= 50
    assert from_main(remote(list_program, *commands)) == from_main(native(list_program, *commands))


def test_backwards(list_program):
    told = remote(list_program, "break add", "continue", "continue", "delete", "finish", "print total", "reverse-step", "print sum", "reverse-finish",
                  "reverse-stepi", "stepi", "watch total", "reverse-continue", "print total", "delete", "reverse-continue", "continue", "print total")
    for wanted in ("$2 = 20", "$3 = 30", "Old value = 20\nNew value = 0", "$4 = 0", "No more reverse-execution history", "$5 = 20"):
        assert wanted in told, told


def test_gdbs_own_walk_back_is_the_walk_forward(list_program):
    """Every stop of stepping forward is found again, in reverse order, by stepping back."""
    steps = 13
    told = remote(list_program, "tbreak 28", "continue", *["step"] * steps, "echo BACK\\n", *["reverse-step"] * (steps - 1))
    lines = lambda text: [int(n) for n in re.findall(r"^(\d+)\t", text, re.M)]
    forward, back = (lines(part) for part in told.split("BACK\n"))
    assert back == forward[-2:-2 - len(back):-1] and len(back) == steps - 1


# ---- long conversations, in C and C++, each way

WALK_C = """
struct node { int value; struct node *next; };
static int total, calls;
static struct node nodes[4];
static int twice(int n)
{
    calls++;
    return 2 * n;
}
static int fact(int n)
{
    if (n < 2)
        return 1;
    return n * fact(n - 1);
}
static struct node *chain(int n)
{
    struct node *head = 0;
    for (int i = 0; i < n; i++) {
        nodes[i].value = twice(i);
        nodes[i].next = head;
        head = &nodes[i];
    }
    return head;
}
int main(void)
{
    struct node *head = chain(4);
    for (struct node *at = head; at; at = at->next)
        total += at->value;
    double half = total / 2.0;
    int f = fact(5);
    total -= f;
    return half > 0 ? 0 : calls;
}
"""
WALK_CC = """
namespace geo {
struct Shape {
    int id;
    Shape(int i) : id(i) {}
    virtual int area() const = 0;
    virtual ~Shape() {}
};
struct Square : Shape {
    int side;
    Square(int i, int s) : Shape(i), side(s) {}
    int area() const override { return side * side; }
};
struct Box : Shape {
    int w, h;
    Box(int i, int a, int b) : Shape(i), w(a), h(b) {}
    int area() const override { return w * h; }
};
}
template <class T> T largest(const T *all, int n)
{
    T best = all[0];
    for (int i = 1; i < n; i++)
        if (best < all[i])
            best = all[i];
    return best;
}
struct Counter {
    static int made;
    int n = 0;
    Counter() { made++; }
    Counter &operator+=(int by) { n += by; return *this; }
    int operator()(int x) const { return x + n; }
};
int Counter::made;
static int sum(const geo::Shape *const *shapes, int n)
{
    int all = 0;
    for (int i = 0; i < n; i++)
        all += shapes[i]->area();
    return all;
}
int main()
{
    geo::Square square(1, 3);
    geo::Box box(2, 4, 5);
    const geo::Shape *shapes[] = {&square, &box};
    int areas = sum(shapes, 2);
    int numbers[] = {3, 9, 4};
    int best = largest(numbers, 3);
    double reals[] = {1.5, 0.5};
    double most = largest(reals, 2);
    Counter counter;
    counter += best;
    int &alias = areas;
    alias += counter(1);
    auto lambda = [&](int x) { return x + areas; };
    int last = lambda(2);
    return last == areas + 2 && most > 1 ? 0 : Counter::made;
}
"""
SHOP = """
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
namespace shop {
struct Item {
    std::string name;
    int price;
    virtual int tax() const { return price / 10; }
    virtual ~Item() {}
};
struct Book : Item {
    int pages = 0;
    int tax() const override { return pages / 100; }
};
class Cart {
public:
    static int carts;
    Cart() { carts++; }
    void add(const std::string &name, int price) { items.push_back({name, price}); total_ += price; }
    int total() const { return total_; }
    int operator[](const std::string &name) const
    {
        for (const auto &item : items)
            if (item.name == name)
                return item.price;
        throw std::out_of_range(name);
    }
private:
    struct Line { std::string name; int price; };
    std::vector<Line> items;
    int total_ = 0;
};
int Cart::carts;
}
template <class T> T larger(T a, T b) { return a < b ? b : a; }
int main()
{
    shop::Cart cart;
    cart.add("tea", 3);
    cart.add("cake", 12);
    std::map<std::string, int> stock{{"tea", 7}, {"cake", 2}};
    auto book = std::make_unique<shop::Book>();
    book->name = "manual";
    book->price = 40;
    book->pages = 300;
    shop::Item *item = book.get();
    int sum = cart.total() + item->tax();
    double most = larger(2.5, 1.5);
    int bigger = larger(sum, 7);
    try {
        sum += cart["tea"];
        sum += cart["milk"];
    } catch (const std::out_of_range &e) {
        sum = -sum;
    }
    std::printf("%d %g %d %zu\\n", sum, most, bigger, stock.size());
    return 0;
}
"""
BACK_C = """
    tbreak 34
    continue
    print total
    reverse-step
    print f
    reverse-step
    backtrace
    print n
    reverse-finish
    reverse-next
    print half
    reverse-next
    info locals
    break twice
    reverse-continue
    print n
    backtrace
    info args
    reverse-continue
    print calls
    up
    print i
    print *head
    down
    watch calls
    reverse-continue
    print calls
    reverse-continue
    continue
    print calls
    delete
    next
    next
    next
    print head
    print nodes[0]
    reverse-next 2
    print nodes
    reverse-stepi
    x/i $pc
    reverse-stepi 5
    print $rip
    reverse-nexti
    print/x $eflags
    stepi 3
    step
    reverse-step
    reverse-finish
    print total
    break fact if n == 2
    continue
    backtrace
    print n
    finish
    reverse-finish
    watch total
    reverse-continue
    reverse-continue
    print total
    print at->value
    info breakpoints
"""
BACK_CC = """
    tbreak 58
    continue
    info locals
    reverse-next
    print last
    reverse-step
    backtrace 1
    reverse-finish
    reverse-next
    print areas
    print alias
    reverse-step
    print *this
    print x
    print this->n
    reverse-finish
    print Counter::made
    break geo::Box::area
    reverse-continue
    print *this
    print w * h
    backtrace
    print id
    ptype this
    up
    print i
    print *shapes[i]
    print shapes[0]->id
    set print object on
    print *shapes[i]
    down
    reverse-step
    info locals
    break geo::Square::area
    reverse-continue
    print side
    finish
    reverse-continue
    watch all
    continue
    print all
    reverse-continue
    print all
    delete
    reverse-finish
    print square
    print box
    break largest<int>
    continue
    info args
    print *all@n
    watch best
    continue
    continue
    reverse-continue
    print best
    print all[i]
    delete
    reverse-stepi
    x/2i $pc
    break 'largest<double>(double const*, int)'
    continue
    info args
    print all[0]
    reverse-finish
    info breakpoints
"""
FORWARD_CC = """
    break shop::Cart::add
    continue
    backtrace
    info args
    print name
    print *this
    print this->total_
    print items
    print shop::Cart::carts
    ptype this
    whatis items
    next
    next
    print items
    print items[0]
    print items[0].name
    up
    frame
    down
    finish
    tbreak shop::Book::tax
    delete 2
    continue
    print *this
    print pages
    print this->name
    info symbol $pc
    info line
    backtrace
    finish
    print *item
    set print object on
    print *item
    print item
    set print object off
    print book
    print stock
    print stock.size()
    ptype shop::Item
    break larger<int>
    continue
    info args
    print a < b
    finish
    catch throw
    continue
    backtrace 3
    catch catch
    continue
    delete
    break 58
    continue
    print sum
    print cart
    print cart.total()
    print most + bigger
    print sizeof(cart)
    info vtbl item
    print (shop::Book *) item
    print *(shop::Book *) item
    print &cart
    print $_exitcode
    info breakpoints
"""
BACK = {"c": (WALK_C, BACK_C), "c++": (WALK_CC, BACK_CC)}


def built(workshop, name, source, compiler):
    (workshop / name).write_text(source.lstrip())
    program = workshop / name.replace(".", "-")
    subprocess.run([compiler, "-g", "-O0", "-o", program, workshop / name], check=True, timeout=120)
    return program


def lines_of(script):
    """Each with its own line before the answer."""
    return [word for line in script.strip().split("\n") for word in (f"echo >>> {line.strip()}\\n", line.strip())]


def alike(answer):
    text = re.sub(r"(?:Hardware|hw) (?=watchpoint)", "", answer).replace(" (target evals)", "")
    return [re.sub(r" +", " ", line) for line in from_main(text.replace("Watchpoint", "watchpoint")) if not line.startswith("Run back to call")]


@pytest.mark.parametrize("language", BACK)
def test_the_way_back_is_that_of_gdbs_own_recording(workshop, language, monkeypatch):
    """gdb records by itself, natively, and goes back in that; its hardware watchpoints don't work there, so it uses those that step."""
    source, script = BACK[language]
    program = built(workshop, "walk.c" if language == "c" else "walk.cc", source, "gcc" if language == "c" else "g++")
    commands = lines_of(script)
    assert len(commands) >= 2 * 50
    monkeypatch.setitem(PLAIN, "LD_BIND_NOW", "1")  # gdb can't record what binding executes
    theirs = gdb(program, "set can-use-hw-watchpoints 0", "break main", "run", "record", *commands)
    assert alike(remote(program, *commands)) == alike(theirs)


def test_cplusplus_has_the_same_answers_as_natively(workshop):
    """gdb looks for the printers of the library by the path of the library's file, which must be one of its own."""
    program, commands = built(workshop, "shop.cc", SHOP, "g++"), lines_of(FORWARD_CC)
    assert len(commands) >= 2 * 50
    ours = gdb(program, "set sysroot /", f"target remote | {EBB} serve --gdb - {program}", "break main", "continue", *commands)
    assert alike(ours) == alike(native(program, *commands))
    assert "std::map with 2 elements" in ours


def test_conditions_are_evaluated_by_ebb(compile_c):
    program = compile_c("""
        volatile int n;
        static void turn(int i) { n += i; }
        int main(void) { for (int i = 0; i < 20000; i++) turn(i); return 0; }
    """, name="turns")
    told = remote(program, "set breakpoint condition-evaluation target", "break turn if i == 15000 && n > 0", "continue", "print i", "show breakpoint condition-evaluation",
                  "info breakpoints")
    assert "$1 = 15000" in told and "is target" in told.replace("currently target", "is target")


def test_a_crash_and_its_signal(compile_c):
    program = compile_c(programs.CRASH, name="crash")
    commands = ["continue", "print $_siginfo.si_signo", "print $_siginfo._sifields._sigfault.si_addr", "backtrace"]
    mine, theirs = remote(program, *commands), native(program, *commands)
    for wanted in ("Program received signal SIGSEGV", "$1 = 11", "$2 = (void *) 0x0"):
        assert wanted in mine and wanted in theirs


def test_the_end_can_be_left_again(list_program):
    told = remote(list_program, "continue", "reverse-continue", "backtrace")
    assert "No more reverse-execution history" in told and "Breakpoint 1, main" in told.split("No more", 1)[1]


def test_threads(compile_c):
    program = compile_c(programs.THREADS, name="threads")
    told = remote(program, "break meet", "continue", "info threads", "thread apply all backtrace 1")
    assert len(re.findall(r"^[* ] +\d+ +Thread ", told, re.M)) >= 2


def test_monitor_takes_commands(list_program):
    told = remote(list_program, "monitor when", "monitor info history", "monitor nonsense")
    assert re.search(r"^\d+@list.c:\d+$", told, re.M) and "Undefined command" in told


def test_ebbs_own_commands_move_it_and_gdb_looks_anew(list_program):
    """What gdb knew of the stack is not what is there now."""
    script = ROOT / "editors" / "gdb" / "ebb.gdb"
    ours = remote(list_program, f"source {script}", "break add", "continue", "backtrace", "ebb tbreak push", "ebb reverse-continue", "echo HERE\\n", "backtrace", "info args")
    theirs = native(list_program, "break push", "continue", "continue", "continue", "echo HERE\\n", "backtrace", "info args")
    told = [[line for line in cleaned(text.split("HERE")[1]) if re.match(r"#\d|\w+ = ", line)] for text in (ours, theirs)]
    assert told[0] == told[1] and len(told[0]) == 4


def test_memory_and_registers_are_written(list_program):
    told = remote(list_program, "break add", "continue", "set var a = 1000", "print a", "set var $xmm3.v4_int32 = {1, 2, 3, 4}", "print $xmm3.v4_int32",
                  "set var $r12 = 0x123456789abcdef", "print/x $r12", "next", "print sum", "print add(3, 4)")
    for wanted in ("$1 = 1000", "$2 = {1, 2, 3, 4}", "$3 = 0x123456789abcdef", "$4 = 1020"):
        assert wanted in told


def test_a_recording(list_program, tmp_path):
    recording = tmp_path / "list.ebb"
    subprocess.run([EBB, "record", "-o", str(recording), str(list_program)], check=True, timeout=SECONDS, capture_output=True)
    told = gdb(list_program, f"target remote | {EBB} serve --gdb - --recording {recording}", "break add", "continue", "print b", "continue", "print b",
               "reverse-continue", "print b", "delete", "continue", "reverse-stepi")
    for wanted in ("$1 = 20", "$2 = 10", "$3 = 20", "No more reverse-execution history"):
        assert wanted in told, told


def test_what_a_recordings_kernel_told_is_the_recorded_programs(list_program, tmp_path):
    """The process that replays has an auxiliary vector of its own; gdb finds the loader by the program's."""
    recording = tmp_path / "list.ebb"
    subprocess.run([EBB, "record", "-o", str(recording), str(list_program)], check=True, timeout=SECONDS, capture_output=True)
    lines = re.compile(r"AT_(?:SYSINFO_EHDR|BASE|ENTRY|PHDR|PAGESZ) .*")
    live = gdb(list_program, f"target remote | {EBB} serve --gdb - {list_program}", "info auxv")
    told = gdb(list_program, "set sysroot /", f"target remote | {EBB} serve --gdb - --recording {recording}", "info auxv", "backtrace")
    assert lines.findall(told) == lines.findall(live) and len(lines.findall(told)) == 5, told
    assert re.search(r"#0 .* in _start \(\) from .*ld-linux", told), told


@contextlib.contextmanager
def served(*words):
    """A server on a port of its own: it, and the port."""
    server = subprocess.Popen([EBB, "serve", "--gdb", "0", *map(str, words)], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield server, re.search(r"127\.0\.0\.1:(\d+)", server.stderr.readline())[1]
    finally:
        server.kill()
        server.communicate()


def test_on_a_port(list_program):
    with served(list_program) as (server, port):
        told = gdb(list_program, f"target remote :{port}", "break add", "continue", "print b", "kill")
        assert "$1 = 20" in told
        server.wait(SECONDS)


def test_a_gdb_that_leaves_may_come_back(list_program):
    """As to gdbserver: to the same stop, on the same port; what the first one set is gone."""
    with served(list_program) as (server, port):
        told = gdb(list_program, f"target remote :{port}", "break add", "continue", "print b", "disconnect")
        assert "$1 = 20" in told
        told = gdb(list_program, f"target remote :{port}", "print b", "reverse-continue", "disconnect")
        assert "$1 = 20" in told and "No more reverse-execution history" in told, told
        told = gdb(list_program, f"target remote :{port}", "backtrace", "break add", "continue", "print b", "kill")
        assert re.search(r"#0 .* in _start \(\)", told) and "$1 = 20" in told, told  # no library is there yet
        assert server.wait(SECONDS) == 0
        assert "warning" not in server.stderr.read()


def test_a_program_that_gdb_lets_go_runs_on(list_program):
    with served(list_program) as (server, port):
        gdb(list_program, f"target remote :{port}", "break add", "continue", "detach")
        assert server.wait(SECONDS) == 0
        assert "total 30" in server.stdout.read()


@pytest.mark.parametrize("signal_", [signal.SIGTERM, signal.SIGINT])
def test_waiting_for_gdb_can_be_ended(list_program, signal_):
    with served(list_program) as (server, _):
        server.send_signal(signal_)
        assert server.wait(SECONDS) == (-signal_ if signal_ == signal.SIGTERM else 1)


SYSCALLS = """
#include <signal.h>
#include <unistd.h>
int main(void) {
    write(1, "one\\n", 4);
    getppid();
    write(1, "two\\n", 4);
    raise(SIGUSR1);
    return 0;
}
"""


def test_system_calls_are_caught_as_natively(compile_c):
    program = compile_c(SYSCALLS, name="syscalls")
    commands = ["catch syscall write", "continue", "print $rax", "print $rdi", "continue", "print $rax", "continue", "catch syscall getppid", "continue", "delete", "continue",
                "print $_siginfo.si_signo", "print $_siginfo.si_code", "print $_siginfo._sifields._kill.si_uid"]

    def told(answer):
        return [line for line in from_main(answer) if line not in ("one", "two")]
    assert told(remote(program, *commands)) == told(native(program, *commands))


FORKS = """
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static int total;
static int add(int a) { total += a; return total; }
int main(int argc, char **argv)
{
    if (argc > 1)
        return 7;
    pid_t pid = fork();
    if (pid == 0)
        _exit(add(3));
    int status;
    waitpid(pid, &status, 0);
    add(WEXITSTATUS(status));
    pid = vfork();
    if (pid == 0) {
        execl("/bin/true", "true", NULL);
        _exit(1);
    }
    waitpid(pid, &status, 0);
    add(10);
    execl(argv[0], argv[0], "again", NULL);
    return 1;
}
"""


@pytest.mark.parametrize("catches", [["catch fork", "catch vfork", "catch exec"], []])
@pytest.mark.parametrize("options", ["", "--native"])
def test_forks_and_execs_are_told(compile_c, catches, options):
    """Breakpoints stay in the parent whether somebody wants to stop there or not, and are new in the next program."""
    program = compile_c(FORKS, name="forks")
    moves = ["continue", "backtrace 1", "print total"] * (5 if catches else 2)
    commands = [*catches, "break add", "info proc exe", "info proc cwd", *moves, "info breakpoints", *([] if catches else ["break main"]), "continue", "print argc"]

    def told(answer):
        text = re.sub(r"process \d+|0x7f[0-9a-f]+", "N", answer.replace("target:", "")).replace("[Detaching", "\n[Detaching")
        return [line for line in text.split("\n")[text.split("\n").index(next(l for l in text.split("\n") if l.startswith("Breakpoint 1, main"))):]
                if line.strip() and not NOISE.fullmatch(line) and "libthread_db" not in line]
    assert told(remote(program, *commands, options=options)) == told(native(program, *commands))


def test_a_fork_is_passed_on_the_way_back(compile_c):
    program = compile_c(FORKS, name="forks")
    told = remote(program, "break add", "continue", "print total", "continue", "print total", "reverse-continue", "print total", "reverse-continue", "continue", "print a")
    assert re.findall(r"^\$\d = (.*)$", told, re.M) == ["0", "3", "0", "3"], told


WIDE = """
#include <immintrin.h>
__attribute__((target("avx512f"))) int main(void)
{
    __m512i seven = _mm512_set1_epi64(7);
    asm volatile("vmovdqa64 %0, %%zmm20; kxnorw %%k3, %%k3, %%k3; .globl wide_here; wide_here: nop" : : "v"(seven) : "zmm20", "k3");
    return 0;
}
"""


def test_wide_registers(compile_c):
    """The program's own words are the oracle: a gdb of this version reads them at the wrong place on some CPUs."""
    flags = next(line for line in open("/proc/cpuinfo") if line.startswith("flags"))
    if " avx512f " not in flags:
        pytest.skip("this CPU has no AVX-512")
    told = remote(compile_c(WIDE, name="wide"), "break *wide_here", "continue", "print $zmm20.v8_int64", "print $k3", "print $ymm20.v4_int64", "set $k3 = 5", "print $k3", "stepi", "print $k3",
                  options="--native")
    assert re.findall(r"^\$\d = (.*)$", told, re.M) == ["{7, 7, 7, 7, 7, 7, 7, 7}", "65535", "{7, 7, 7, 7}", "5", "5"], told


def test_system_calls_of_a_recording_are_caught_in_both_directions(compile_c, tmp_path):
    program, recording = compile_c(SYSCALLS, name="syscalls"), tmp_path / "syscalls.ebb"
    subprocess.run([EBB, "record", "-o", str(recording), str(program)], timeout=SECONDS, capture_output=True)
    told = gdb(program, f"target remote | {EBB} serve --gdb - --recording {recording}", "catch syscall write", *["continue"] * 3, "reverse-continue", "print $rax", "reverse-continue", "print $rax")
    whys = re.findall(r"\((call to|returned from) syscall write\)", told)
    assert whys == ["call to", "returned from", "call to", "returned from", "call to"] and "$1 = 4\n" in told and "$2 = -38\n" in told, told
    answer = subprocess.run([EBB, "replay", "--batch", "-e", "catch exec", str(recording)], capture_output=True, text=True, timeout=SECONDS)
    assert "while the program runs" in answer.stderr + answer.stdout, answer


def test_threads_have_names(list_program):
    assert '"list"' in remote(list_program, "info threads")


def test_files_come_through_the_stub(list_program, tmp_path):
    """A gdb that has nothing but the connection finds the program, its libraries and their symbols."""
    commands = [f"target remote | {EBB} serve --gdb - {list_program}", "break add", "continue", "print b", "info sharedlibrary", "info line main"]
    words = [word for command in ("set pagination off", "set debuginfod enabled off", "set sysroot target:", *commands) for word in ("-ex", command)]
    told = subprocess.run(["gdb", "-nx", "-batch", *words], capture_output=True, text=True, timeout=SECONDS * 4, cwd=tmp_path, env=PLAIN)
    assert "$1 = 20" in told.stdout and "target:/lib" in told.stdout + told.stderr and "libc.so.6" in told.stdout, told.stdout + told.stderr
    assert "starts at address" in told.stdout
    put = gdb(list_program, f"target remote | {EBB} serve --gdb - {list_program}", f"remote get {list_program} {tmp_path}/copy", f"remote put {list_program} {tmp_path}/written",
              f"remote delete {list_program}")
    assert (tmp_path / "copy").read_bytes() == list_program.read_bytes() and not (tmp_path / "written").exists() and list_program.exists()
    assert put.count("Read-only file system") == 2, put


def test_a_client_that_vanishes_on_the_way_back(compile_c):
    program = compile_c(LONG, name="long")
    server = subprocess.Popen([EBB, "serve", "--gdb", "-", str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    server.stdin.write(packet(b"QStartNoAckMode") + b"+" + packet(b"vCont;c"))
    server.stdin.flush()
    said = b""
    while b"replaylog" not in said and b"$W" not in said:
        got = server.stdout.read1()
        assert got, said
        said += got
        if b"library" in got:
            server.stdin.write(packet(b"vCont;c"))
            server.stdin.flush()
    server.stdin.write(packet(b"bc"))
    server.stdin.close()
    server.stdout.close()
    assert server.wait(SECONDS) == 0
    server.stderr.close()


def test_there_is_one_gdb_at_a_time(list_program):
    server = subprocess.Popen([EBB, "serve", "--gdb", "0", str(list_program)], stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        port = int(re.search(rb"127\.0\.0\.1:(\d+)", server.stderr.readline())[1])
        with socket.create_connection(("127.0.0.1", port), SECONDS) as first:
            first.sendall(packet(b"?"))
            while b"#" not in (got := first.recv(4096)):
                assert got
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", port), SECONDS)
    finally:
        server.kill()
        server.wait()


def packet(text):
    return b"$%s#%02x" % (text, sum(text) & 0xff)


@pytest.mark.parametrize("data", [b"$" + b"a" * 300000 + b"#00", b"\xff\x00$$$#", b"$m#6d$M1,1:zz#00$Z9,1,1#00$vCont;q#00", packet(b"m,") + packet(b"Z2,0,ffffffffff") + packet(b"p9999")
                                  + packet(b"P1=") + packet(b"G00") + packet(b"qXfer:auxv:read::zz") + packet(b"qRcmd,7") + packet(b"vCont;") + packet(b"Hg-5") + packet(b"X0,5:a")], ids=["long", "noise", "damaged", "wrong"])
def test_nonsense_is_survived(list_program, data):
    server = subprocess.Popen([EBB, "serve", "--gdb", "-", str(list_program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    told, complaints = server.communicate(data, timeout=SECONDS)
    assert server.returncode in (0, 1), complaints
    assert complaints.count(b"\n") <= 2


def test_an_interrupt_is_heard_whenever_it_comes(compile_c):
    program = compile_c(programs.SPIN, name="spin")
    server = subprocess.Popen([EBB, "serve", "--gdb", "-", str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def send(data):
        server.stdin.write(data)
        server.stdin.flush()

    def read():
        got = b""
        while not re.search(rb"#..$", got):
            got += server.stdout.read(1)
        return got.lstrip(b"+")

    send(packet(b"QStartNoAckMode"))
    assert b"OK" in read()
    send(packet(b"vCont;c"))
    assert b"spinning" in server.stderr.readline()
    send(b"\x03")
    assert b"library" in read()
    send(packet(b"vCont;c"))  # the stop itself
    assert read().startswith(b"$T02")
    for _ in range(3):
        send(packet(b"vCont;c") + b"\x03")  # in one go
        assert read().startswith(b"$T02")
    send(packet(b"vCont;c"))
    server.stdin.close()  # gdb is gone
    assert server.wait(SECONDS) == 0
    server.stdout.close()
    server.stderr.close()


def test_java_is_refused(tmp_path):
    answer = subprocess.run([EBB, "serve", "--gdb", "-", "java", "-version"], input=b"", capture_output=True, timeout=SECONDS)
    assert answer.returncode == 1 and b"native programs" in answer.stderr


def test_a_line_is_stepped_in_one_request(list_program):
    """`next` over a line is one vCont;r, whose answer is a stop outside of the line."""
    answer = remote(list_program, "break add", "continue", "set debug remote 1", "next", "set debug remote 0", "info line", "print sum")
    asked = re.findall(r"Sending packet: \$vCont;r([0-9a-f]+),([0-9a-f]+):", answer)
    assert len(asked) == 1, answer
    assert "return sum;" in answer
