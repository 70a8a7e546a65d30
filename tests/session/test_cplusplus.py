"""C++ and Rust by the names that people write."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent


@pytest.fixture(scope="session")
def shop(workshop):
    program = workshop / "shop"
    if not program.exists():
        subprocess.run(["g++", "-std=c++17", "-g", "-O0", "-o", program, HERE / "beside_gdb" / "shop.cc"], check=True, timeout=120)
    return program


def line_of(text):
    return next(i for i, line in enumerate((HERE / "beside_gdb" / "shop.cc").read_text().splitlines(), 1) if text in line)


@pytest.mark.parametrize("where, lines", [
    ("shop::total", ["int sum = 0"]),
    ("total", ["int sum = 0"]),
    ("shop.cc:shop::total", ["int sum = 0"]),
    ("Item::cost", ["virtual int cost() const"]),
    ("cost", ["virtual int cost() const", "int cost() const override"]),
    ("helper", ["int helper(int x)", "int helper(double x)"]),
    ("detail::helper(double)", ["int helper(double x)"]),
    ("twice", ["T twice(const T &x)"]),
    ("shop::twice<int>", ["T twice(const T &x)"]),
    ("Box<int>::get", ["T get() const"]),
    ("Box::get", ["T get() const"]),
    ("::thrower", ["if (n > 2)"]),
])
def test_breakpoints(batch, shop, where, lines):
    done = batch(shop, f"break {where}", "info breakpoints")
    for text in lines:
        assert f"shop.cc:{line_of(text)}\n" in done.stdout, done.stdout + done.stderr
    assert done.stdout.count("shop.cc:") == len(lines)


def test_backtraces(batch, shop):
    done = batch(shop, "break Discounted::cost", "run", "backtrace", "info symbol $pc", "finish")
    assert "#0  shop::Discounted::cost (this=0x" in done.stdout, done.stdout + done.stderr
    assert "in shop::total (" in done.stdout
    assert "shop::Discounted::cost() const + " in done.stdout


def test_names_without_debug_information(batch, shop, tmp_path):
    bare = tmp_path / "bare"
    subprocess.run(["objcopy", "--strip-debug", shop, bare], check=True)
    done = batch(bare, "break shop::total", "run", "backtrace", "finish")
    assert "shop::total(std::vector<" in done.stdout and " in main ()" in done.stdout, done.stdout + done.stderr


def test_exceptions(batch, shop):
    done = batch(shop, "catch throw", "catch catch", "run", "up", "continue", "up", "continue")
    assert "Catchpoint 1 (exception thrown)" in done.stdout, done.stdout + done.stderr
    assert "thrower (n=3)" in done.stdout and "Catchpoint 2 (exception caught)" in done.stdout
    assert "exited normally" in done.stdout


def test_elements_and_pointees_without_a_call(batch, shop):
    done = batch(shop, f"break {line_of('thrower(3);')}", "run", "print text[1]", "print *maybe", "print *shared + 1", "print items[1]->price",
                 "print numbers[1] + numbers[2]", "print names")
    for answer in ("$1 = 101 'e'", "$2 = 42", "$3 = 10", "$4 = 100", "$5 = 5", '$6 = std::unordered_map with 1 element = {[1] = "one"}'):
        assert answer in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("mode", ["native", "vm"])
def test_conditions(batch, shop, mode):
    """On members without `this->` and through references, which translated code does not test by itself."""
    done = batch(shop, f"mode {mode}", "break Item::cost if price == 10", "break Discounted::cost if price == 10", "run", "print price", "continue")
    assert "$1 = 10" in done.stdout, done.stdout + done.stderr
    assert "exited normally" in done.stdout


RUST = """
mod shop {
    pub struct Item { pub price: i32 }
    impl Item {
        pub fn cost(&self, n: i32) -> i32 { self.price * n }
    }
    pub fn total(v: &Vec<Item>) -> i32 {
        v.iter().map(|i| i.cost(2)).sum()
    }
}
fn main() {
    let v = vec![shop::Item { price: 3 }, shop::Item { price: 4 }];
    println!("{}", shop::total(&v));
}
"""


RUSTC = shutil.which("rustc", path=os.pathsep.join([os.environ["PATH"], os.path.expanduser("~/.cargo/bin")]))


@pytest.mark.skipif(not RUSTC, reason="rustc is not installed")
def test_rust(batch, tmp_path):
    (tmp_path / "store.rs").write_text(RUST)
    subprocess.run([RUSTC, "-g", "-o", "store", "store.rs"], cwd=tmp_path, check=True, timeout=120)
    done = batch(tmp_path / "store", "break Item::cost", "run", "backtrace")
    assert "store::shop::Item::cost (" in done.stdout, done.stdout + done.stderr
    assert "in store::shop::total (" in done.stdout


RUST_VALUES = """
#[derive(Clone)]
struct Point { x: i32, y: i32 }
struct Pair(i32, String);
struct Unit;
enum Shape { Circle(f64), Rect { w: i32, h: i32 }, Empty }
fn made(x: i32) -> Point { Point { x, y: 22 } }
fn main() {
    let p = made(11);
    let (text, word) = (String::from("hello"), "static");
    let (numbers, points) = (vec![1, 2, 3], vec![p.clone()]);
    let (some, none, boxed): (Option<i32>, Option<&str>, Option<Box<i32>>) = (Some(5), None, None);
    let (circle, rect, empty) = (Shape::Circle(2.5), Shape::Rect { w: 3, h: 4 }, Shape::Empty);
    let (tuple, pair, unit, array, slice) = ((1, "two", (3, 4)), Pair(4, text.clone()), Unit, [[1u8, 2], [3, 4]], &numbers[1..]);
    let (good, bad): (Result<i32, String>, Result<i32, String>) = (Ok(2), Err(text.clone()));
    println!("{}", p.x + p.y + points.len() as i32 + slice.len() as i32 + pair.0); // here
    let _kept = (word, some, none, boxed, circle, rect, empty, tuple, unit, array, good, bad);
}
"""
RUST_ANSWERS = {  # as gdb 13 writes them, but for what String and Vec hold
    "p": "store::Point {x: 11, y: 22}",
    "text": '"hello"',
    "word": '"static"',
    "numbers": "Vec(size=3) = [1, 2, 3]",
    "numbers[1]": "2",
    "points": "Vec(size=1) = [store::Point {x: 11, y: 22}]",
    "points[0].y": "22",
    "some": "core::option::Option<i32>::Some(5)",
    "some.0": "5",
    "none": "core::option::Option<&str>::None",
    "boxed": "core::option::Option<alloc::boxed::Box<i32, alloc::alloc::Global>>::None",
    "circle": "store::Shape::Circle(2.5)",
    "rect": "store::Shape::Rect{w: 3, h: 4}",
    "rect.h": "4",
    "rect.h == 4": "true",
    "empty": "store::Shape::Empty",
    "tuple": '(1, "two", (3, 4))',
    "tuple.2.1": "4",
    "pair": 'store::Pair (4, "hello")',
    "unit": "store::Unit",
    "array": "[[1, 2], [3, 4]]",
    "slice": "&[i32] [2, 3]",
    "slice[1]": "3",
    "good": "core::result::Result<i32, alloc::string::String>::Ok(2)",
    "bad": 'core::result::Result<i32, alloc::string::String>::Err("hello")',
}


@pytest.mark.skipif(not RUSTC, reason="rustc is not installed")
def test_rust_values(batch, tmp_path):
    (tmp_path / "store.rs").write_text(RUST_VALUES)
    subprocess.run([RUSTC, "-g", "-Awarnings", "-o", "store", "store.rs"], cwd=tmp_path, check=True, timeout=120)
    here = next(i for i, line in enumerate(RUST_VALUES.splitlines(), 1) if "// here" in line)
    done = batch(tmp_path / "store", f"break store.rs:{here}", "run", *(f"print {e}" for e in RUST_ANSWERS),
                 "whatis &array", "ptype rect", "ptype pair", "ptype tuple")
    for number, (expression, answer) in enumerate(RUST_ANSWERS.items(), 1):
        assert f"${number} = {answer}\n" in done.stdout, f"{expression}\n{done.stdout}{done.stderr}"
    assert "type = *mut [[u8; 2]; 2]\n" in done.stdout
    assert "type = enum store::Shape {\n  Circle(f64),\n  Rect{w: i32, h: i32},\n  Empty,\n}\n" in done.stdout
    assert "type = struct store::Pair (\n  i32,\n  alloc::string::String,\n)\n" in done.stdout
    assert "type = (i32, &str, (i32, i32))\n" in done.stdout


@pytest.fixture(scope="session")
def geometry(workshop):
    program = workshop / "geometry"
    if not program.exists():
        subprocess.run(["g++", "-std=c++17", "-g", "-O0", "-o", program, HERE / "beside_gdb" / "geometry.cc"], check=True, timeout=120)
    return program


CALLS = {  # what the program's text says
    "sh->area()": "27",                 # a virtual function, of the class that the object is of
    "shapes[1]->area()": "20",
    "sh->id()": "1",
    "sh->scale(2)": "2",                # chosen among functions of one name
    "sh->scale(2.5)": "2.5",
    "sh->scale(1, 2)": "3",
    "over(1)": "2",
    "over(2.0)": "2.5",
    "over(2, 3)": "6",
    "over('a')": "98",
    "biggest<int>(v)": "9",
    "pt.norm2()": "25",
    "pt + pt": "{x = 6, y = 8}",        # operators
    "pt == pt": "true",
    "(pt + pt).norm2()": "100",
    "pt.operator+(pt)": "{x = 6, y = 8}",
    "ring.size()": "4",
    "b2->g()": "3",                     # through the second base
    "mu.f()": "1",
    "(sh->*pm)()": "1",
    "fn(3)": "6",
    "s.substr(0, 5)": '"hello"',
    "s.size()": "11",                   # told without running anything
    's == "hello world"': "true",
    's != "hello"': "true",
    "sv.size()": "11",
    "oy.value()": "42",
    "on.has_value()": "false",
    "dq.back()": "6",
}


def answers_of(done):
    return [line.split(" = ", 1)[1] for line in done.stdout.splitlines() if line.startswith("$")]


def test_calls(batch, geometry):
    done = batch(geometry, "break work", "run", "up", *[f"print {text}" for text in CALLS], "print v[0] = 8", "print v.front()")
    assert answers_of(done) == [*CALLS.values(), "8", "8"], done.stdout + done.stderr


@pytest.mark.parametrize("text, message", [
    ("over(pt)", "No function can be called as over(geo::Point)."),
    ("sh->nonsense()", "There is no member or method named nonsense."),
    ("sh->scale(1, 2, 3)", "No function can be called as scale(int, int, int)."),
])
def test_calls_that_mean_nothing(batch, geometry, text, message):
    done = batch(geometry, "break work", "run", "up", f"print {text}")
    assert message in done.stdout + done.stderr


def test_calls_inside_of_a_class(batch, geometry):
    done = batch(geometry, "break geo::Rect::area", "run", "print id()", "print this->scale(3)", "print scale(2.0) == 4 && b_.x == 4", "delete", "print area() + 1")
    assert answers_of(done) == ["2", "6", "true", "21"], done.stdout + done.stderr


def test_conditions_with_calls(batch, geometry):
    done = batch(geometry, 'break thrower if n == 2 && over(n) == 3', "run", "print n", 'tbreak geo::Shape::scale(int) if name_ == "circle"', "continue", "print k")
    assert answers_of(done) == ["2", "2"], done.stdout + done.stderr


KINDS = """
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>
struct Named { virtual ~Named() {} virtual int length() const { return 1; } int id = 7; };
struct Sized { virtual double size() const { return 2; } };
struct Both : Named, Sized { int length() const override { return 3; } double size() const override { return 4; } };
struct Root { static int count; int x = 1; virtual void f() {} };
int Root::count = 42;
struct Left : virtual Root {};
struct Right : virtual Root {};
static int x = 5; // not the one that Bottom means
struct Bottom : Left, Right { int next() { return x + 1; } };
struct Less { bool operator()(int a, int b) const { return a > b; } };
static int kept_count;
struct Point { int at; double weight; };
struct Walker {
    int steps = 0;
    Point here{0, 0};
    std::vector<int> seen;
    int go(Point &p, const int &limit) { steps++; here.at += p.at; return steps < limit; }
};
int main(int argc, char **argv)
{
    int n = argc > 1 ? std::stoi(argv[1]) : 10;
    std::map<std::string, int> words{{"one", 1}, {"two", 2}};
    std::map<int, std::string> numbers{{1, "one"}, {2, "two"}};
    std::unordered_map<std::string, int> table{{"key", 9}};
    std::vector<std::vector<int>> rows{{1}};
    std::set<int, Less> odd{1};
    std::unique_ptr<Named> own(new Both);
    std::map<std::string, std::vector<int>> index;
    const std::vector<std::string> &names = *new std::vector<std::string>{"a"};
    Both both;
    Bottom bottom;
    Sized *sized = &both;
    Named &real = both;
    kept_count += real.id;
    Walker w;
    Point p{3, 0.5};
    for (int i = 0; i < n; i++)
        w.go(p, 1000);
    return both.length() + bottom.next() + x + (int)sized->size() + (int)odd.size() + (int)names.size() + (int)rows.size() > 0 ? 0 : 1; // here
}
"""


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kinds")
    (folder / "kinds.cc").write_text(KINDS)
    subprocess.run(["g++", "-std=c++17", "-g", "-O0", "-o", "kinds", "kinds.cc"], cwd=folder, check=True, timeout=120)
    here = next(i for i, line in enumerate(KINDS.splitlines(), 1) if "// here" in line)
    return folder / "kinds", f"break kinds.cc:{here}"


def test_what_maps_hold_is_found_without_a_call(batch, kinds):
    answers = {'words["two"]': "2", "numbers[1]": '"one"', "numbers.at(2)": '"two"', 'table["key"]': "9", 'words.count("one")': "1", 'words.count("six")': "0"}
    done = batch(kinds[0], kinds[1], "run", *(f"print {e}" for e in answers))
    for number, answer in enumerate(answers.values(), 1):
        assert f"${number} = {answer}\n" in done.stdout, done.stdout + done.stderr


def test_static_members_of_virtual_bases(batch, kinds):
    done = batch(kinds[0], kinds[1], "run", "print bottom.count", "print bottom.x")
    assert "$1 = 42\n$2 = 1\n" in done.stdout, done.stdout + done.stderr


def test_members_of_virtual_bases_without_this(batch, kinds):
    done = batch(kinds[0], "break Bottom::next if x == 1", "run", "print x", "print x == ::x")
    assert "$1 = 1\n$2 = false\n" in done.stdout, done.stdout + done.stderr


def test_the_real_class_behind_a_reference(batch, kinds):
    done = batch(kinds[0], kinds[1], "run", "set print object on", "print real", "print *own")
    assert "$1 = (Both &) @0x" in done.stdout and "$2 = (Both) {<Named> = " in done.stdout, done.stdout + done.stderr


def test_a_variable_is_listed_once(batch, kinds):
    done = batch(kinds[0], "info variables kept_count")
    assert done.stdout.count("kept_count;") == 1 and "known place" not in done.stdout, done.stdout + done.stderr


def test_short_names_of_types(batch, kinds):
    """As gdb's own printers of libstdc++ show them."""
    shown = {"words": "std::map<std::string, int>", "rows": "std::vector<std::vector<int>>", "odd": "std::set<int, Less, std::allocator<int> >",
             "own": "std::unique_ptr<Named>", "index": "std::map<std::string, std::vector<int>>", "table": "std::unordered_map<std::string, int>",
             "names": "const std::vector<std::string> &"}
    done = batch(kinds[0], kinds[1], "run", *(f"whatis {name}" for name in shown), "ptype Walker")
    for name, answer in shown.items():
        assert f"type = {answer}\n" in done.stdout, name + done.stdout + done.stderr
    assert "    std::vector<int> seen;\n" in done.stdout


def test_tables_of_virtual_functions(batch, kinds):
    """Beside gdb, whose words they are."""
    commands = [kinds[1], "run", "info vtbl both", "info vtbl sized", "info vtbl own.get()", "info vtbl bottom", "info vtbl p"]
    ours = batch(kinds[0], *commands[:4], "info vtbl bottom", "info vtbl p").stdout
    gdb = subprocess.run(["gdb", "-nx", "-q", "-batch", *(f"-ex={c}" for c in [*commands[:4], "info vtbl bottom", "info vtbl p"]), kinds[0]],
                         env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"}, stdout=subprocess.PIPE, text=True, timeout=60).stdout

    def tables(text):
        return [re.sub(r"subobject @ 0x[0-9a-f]+", "subobject", line) for line in text.splitlines() if line.startswith(("vtable", "[", "This"))
                and not line.startswith("[Inferior") and not line.startswith("[Thread")]

    assert tables(ours) == tables(gdb) and len(tables(ours)) > 8, ours


@pytest.mark.parametrize("condition, stops", [
    ("p.weight > 1.5", False),            # through a reference
    ("steps == 900000", True),              # a member without this->
    ("here.at == 2700000 && limit == 1000", True),
    ("limit / 7 == 3 || steps < 0", False),
    ("$_thread == 2", False),             # a thread that isn't there
])
def test_conditions_of_cplusplus_are_executed_by_the_program(batch, kinds, condition, stops):
    """A million hits: with a stop for each it would take minutes."""
    done = batch(kinds[0], f"break Walker::go if {condition}", "run", args=["1000000"], timeout=100)
    assert ("Breakpoint 1, Walker::go" in done.stdout) == stops, done.stdout + done.stderr
