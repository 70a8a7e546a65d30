"""Editors: the Debug Adapter Protocol over C and Java programs, live and recorded.  The oracles are gdb for C, and what the
prompt answers to the same question."""
import base64
import os
import re
import signal
import socket
import subprocess
import textwrap
import time
import zipfile

import pytest

import programs
from conftest import EBB, SECONDS
from dap_client import Dap, Refused
from java_source import javac

SHOP = """
    import java.util.*;
    public class Shop {
        static class Item { String name; int price; Item(String n, int p) { name = n; price = p; } }
        static class Special extends Item { int price = 7; Special(String n) { super(n, 99); } }
        static int total;
        static int add(int a, int b) {
            int sum = a + b;
            return sum;                                                        // SUM
        }
        public static void main(String[] args) {
            Item[] items = { new Item("tea", 3), new Special("cake") };
            Object thing = items[1];
            for (Item item : items) {
                total = add(total, item.price);                                // CALL
            }
            System.out.println("total " + total);                              // TOLD
            try {
                throw new IllegalStateException("oops");                       // THROWN
            } catch (IllegalStateException e) {
                System.err.println(e.getMessage());
            }
            System.exit(args.length);
        }
    }
"""


def line_of(path, text):
    lines = path.read_text().split("\n")
    return 1 + next(i for i, line in enumerate(lines) if text in line)


@pytest.fixture(scope="session")
def list_program(compile_c):
    return compile_c(programs.LIST, name="list")


@pytest.fixture(scope="session")
def shop(workshop):
    folder = workshop / "dap-shop"
    folder.mkdir()
    (folder / "Shop.java").write_text(textwrap.dedent(SHOP))
    javac("-g", "Shop.java", cwd=folder)
    return folder / "Shop.java"


def gdb(program, *commands):
    words = [word for command in commands for word in ("-ex", command)]
    return subprocess.run(["gdb", "-nx", "-batch", *words, str(program)], capture_output=True, text=True, timeout=60, check=True).stdout


def launch(dap, program, **arguments):
    return dap.begin(program=str(program), cwd=str(program.parent), **arguments)


def launch_java(dap, source, **arguments):
    return dap.begin(mainClass="Shop", classPaths=["."], cwd=str(source.parent), **arguments)


def is_alive(pid):
    try:
        return "Z" not in open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False


# ---- C


def test_steps_and_variables_are_gdbs(list_program):
    source = list_program.parent / "list.c"
    spot = line_of(source, "return sum")
    told = gdb(list_program, f"break {spot}", "run", "info locals", "info args", "bt", "finish", "next", "info line", "p *head", "p $_siginfo")
    with Dap() as dap:
        stop = launch(dap, list_program, breakpoints={source: [spot]})
        assert (stop["reason"], stop["hitBreakpointIds"]) == ("breakpoint", [1])
        mine = dap.locals()
        for name in ("sum", "a", "b"):
            assert re.search(rf"^{name} = {mine[name]['value']}$", told, re.M)
        frames = dap.frames()
        for level, frame in enumerate(frames):
            assert re.search(rf"^#{level} .*{frame['name']} \(.*list.c:{frame['line']}$", told, re.M)
        stop = dap.go("stepOut")
        assert stop["text"] == "returned 20" and "Value returned is $1 = 20" in told
        dap.go("next")
        assert f"Line {dap.where()[1]} of" in told
        head = dap.locals()["head"]
        parts = dap.variables(head["variablesReference"])
        assert f"{{value = {parts['value']['value']}, next = {parts['next']['value']}}}" in told
        assert parts["value"]["evaluateName"] == "head->value" and parts["next"]["type"] == "struct node *"
        assert dap.value("head->next->value") == "10"


def test_output_events_and_the_end(list_program):
    with Dap() as dap:
        assert launch(dap, list_program, args=["x"], atEnd="terminate") is None
        assert dap.output == "total 30\n"
        assert next(e for e in dap.events if e["event"] == "exited")["body"]["exitCode"] == 3
        with pytest.raises(Refused, match="has ended"):
            dap.ask("next", threadId=1)


def test_going_back(list_program):
    source = list_program.parent / "list.c"
    with Dap() as dap:
        launch(dap, list_program, record=True, breakpoints={source: [line_of(source, "printf")]})
        assert dap.capabilities["supportsStepBack"] is True
        assert dap.value("total") == "30"
        values = dap.ask("ebb/values", expression="total")["values"]
        assert [v["value"] for v in values] == ["0", "20", "30"]
        # The last node holds 0: the last write stores the 30 that was there already.
        for old in ("30", "20"):
            answer = dap.ask("ebb/lastWrite", expression="total")
            assert (answer["old"], answer["new"]) == (old, "30") and dap.stop()["ebbPosition"] == answer["position"]
        assert dap.value("total") == "20"
        here = dap.frames()[0]["instructionPointerReference"]
        dap.go("stepBack", granularity="instruction")
        assert dap.frames()[0]["instructionPointerReference"] != here
        dap.go("next", granularity="instruction")
        assert dap.frames()[0]["instructionPointerReference"] == here
        dap.go("ebb/reverseStepIn")
        assert dap.where() == ("add", line_of(source, "return sum;") + 1)
        dap.go("ebb/reverseStepOut")
        assert dap.where()[0] == "main"
        dap.ask("ebb/bisect", expression="total < 20")
        dap.stop()
        assert dap.value("total") == "20"
        span = dap.ask("ebb/historySpan")
        assert span["isKept"] and span["oldest"] <= span["now"] <= span["newest"]
        assert dap.go("reverseContinue")["reason"] == "history start"
        dap.ask("ebb/goto", position="end")
        assert dap.stop()["reason"] in ("goto", "breakpoint", "history end")
        assert dap.value("total") == "30"


def test_without_a_past_it_says_so(list_program):
    with Dap() as dap:
        launch(dap, list_program, functions=["add"], record=False, mode="native")
        assert dap.capabilities["supportsStepBack"] is False
        for request in ("stepBack", "reverseContinue", "ebb/reverseStepIn"):
            with pytest.raises(Refused, match="No history"):
                dap.ask(request, threadId=1)
        assert dap.where()[0] == "add"


def test_a_crash_can_be_looked_back_from(compile_c):
    program = compile_c(programs.CRASH, name="crash")
    with Dap() as dap:
        stop = launch(dap, program, record=True)
        assert (stop["reason"], stop["text"]) == ("exception", "SIGSEGV, Segmentation fault")
        assert dap.ask("exceptionInfo", threadId=1)["exceptionId"] == "SIGSEGV"
        assert dap.go("continue")["reason"] == "end"
        assert dap.frames() == [] and len(dap.ask("threads")["threads"]) == 1
        assert dap.go("stepBack") and dap.value("nowhere") == "0x0"


def test_breakpoints_of_every_kind(list_program):
    source = list_program.parent / "list.c"
    spot = line_of(source, "fresh->value")
    with Dap() as dap:
        stop = launch(dap, list_program, breakpoints={source: [{"line": spot, "condition": "value == 10"}]})
        assert dap.value("value") == "10"
        kept = dap.ask("setBreakpoints", source={"path": str(source)},
                       breakpoints=[{"line": spot, "condition": "value == 10"}, {"line": 4000}, {"line": spot, "condition": "nonsense("}])["breakpoints"]
        assert kept[0]["id"] == stop["hitBreakpointIds"][0] and kept[0]["verified"]
        assert not kept[2]["verified"] and kept[2]["message"]
        dap.ask("setBreakpoints", source={"path": str(source)},
                breakpoints=[{"line": line_of(source, "int sum"), "hitCondition": "2"}, {"line": line_of(source, "printf"), "logMessage": 'total "{total}" 100% {head->value}'}])
        info = dap.ask("dataBreakpointInfo", name="total")
        assert set(info["accessTypes"]) == {"read", "write", "readWrite"}
        dap.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}])
        assert dap.go("continue")["text"] == "total: 0 -> 20"
        dap.ask("setDataBreakpoints", breakpoints=[])
        assert dap.go("continue")["reason"] == "breakpoint" and dap.value("a") == "20"
        reference = dap.frames()[1]["instructionPointerReference"]
        dap.ask("setInstructionBreakpoints", breakpoints=[{"instructionReference": reference}])
        dap.ask("setBreakpoints", source={"path": str(source)}, breakpoints=[{"line": line_of(source, "printf"), "logMessage": 'total "{total}" 100% {head->value}'}])
        dap.go("continue")
        assert dap.frames()[0]["instructionPointerReference"] == reference
        assert dap.go("continue") is None or dap.go("continue") is None
        said = "".join(e["body"]["output"] for e in dap.events if e["event"] == "output" and e["body"]["category"] == "console")
        assert 'total "30" 100% 20\n' in said


def test_looking_at_code_and_memory(list_program):
    source = list_program.parent / "list.c"
    with Dap() as dap:
        launch(dap, list_program, breakpoints={source: [line_of(source, "total = add")]})
        frame = dap.frames()[0]
        told = gdb(list_program, f"break {line_of(source, 'total = add')}", "run", "x/4i $pc", "x/16xb &total", "info line")
        code = dap.ask("disassemble", memoryReference=frame["instructionPointerReference"], instructionOffset=0, instructionCount=4)["instructions"]
        wanted = re.findall(r"(0x[0-9a-f]+) <main\+\d+>:\t(.*)", told)
        assert [(int(i["address"], 16), i["instruction"]) for i in code] == [(int(a, 16), t) for a, t in wanted]
        around = dap.ask("disassemble", memoryReference=frame["instructionPointerReference"], instructionOffset=-100, instructionCount=200)["instructions"]
        assert len(around) == 200 and around[100]["address"] == code[0]["address"]
        assert len({i["address"] for i in around}) == 200
        total = dap.ask("evaluate", expression="total", context="watch")["memoryReference"]
        bytes_ = base64.b64decode(dap.ask("readMemory", memoryReference=total, count=16)["data"])
        assert list(bytes_) == [int(b, 16) for b in re.findall(r"\t(0x\w\w)", told)]
        assert dap.ask("writeMemory", memoryReference=total, data=base64.b64encode(b"\x07").decode())["bytesWritten"] == 1
        assert dap.value("total") == "7"
        assert dap.ask("readMemory", memoryReference="0x10", count=8)["unreadableBytes"] == 8
        targets = dap.ask("stepInTargets", frameId=frame["id"])["targets"]
        assert [t["label"] for t in targets] == ["add"]
        dap.go("stepIn", targetId=targets[0]["id"])
        assert dap.where()[0] == "add"
        frame = dap.frames()[0]
        registers = next(s for s in dap.ask("scopes", frameId=frame["id"])["scopes"] if s["name"] == "Registers")
        assert dap.variables(registers["variablesReference"])["rip"]["value"] == frame["instructionPointerReference"]
        target = dap.ask("gotoTargets", source={"path": str(source)}, line=line_of(source, "return sum"))["targets"][0]
        dap.ask("goto", threadId=1, targetId=target["id"])
        dap.stop()
        assert dap.where() == ("add", line_of(source, "return sum"))
        lines = dap.ask("breakpointLocations", source={"path": str(source)}, line=1, endLine=60)["breakpoints"]
        assert line_of(source, "return sum") in [b["line"] for b in lines]
        assert any(m["path"] == str(list_program) for m in dap.ask("modules")["modules"])
        assert any(s["path"] == str(source) for s in dap.ask("loadedSources")["sources"])
        assert dap.ask("source", source={"path": str(source)}, sourceReference=0)["content"] == source.read_text()


def test_changing_values(list_program):
    source = list_program.parent / "list.c"
    with Dap() as dap:
        launch(dap, list_program, breakpoints={source: [line_of(source, "return sum")]})
        scope = next(s for s in dap.ask("scopes", frameId=dap.frames()[0]["id"])["scopes"] if s["name"] == "Locals")
        assert dap.ask("setVariable", variablesReference=scope["variablesReference"], name="sum", value="100")["value"] == "100"
        assert dap.event("invalidated")["body"]["areas"] == ["all"]
        frame = dap.frames()[1]["id"]
        assert dap.ask("setExpression", expression="head->value", value="1 + 1", frameId=frame)["value"] == "2"
        assert dap.ask("evaluate", expression="head->value", frameId=frame, context="hover")["result"] == "2"
        with pytest.raises(Refused, match="nosuch"):
            dap.ask("evaluate", expression="nosuch", frameId=frame, context="watch")


def test_arrays_and_stacks_come_in_pages(compile_c):
    program = compile_c("""
        int numbers[5000];
        static int deep(int n) { return n ? 1 + deep(n - 1) : numbers[4999]; }
        int main(void) { for (int i = 0; i < 5000; i++) numbers[i] = i; return deep(2000) & 1; }
    """, name="deep")
    with Dap() as dap:
        launch(dap, program, before=lambda d: d.ask("setFunctionBreakpoints", breakpoints=[{"name": "deep", "condition": "n == 0"}]))
        page = dap.ask("stackTrace", threadId=1, startFrame=0, levels=20)
        assert len(page["stackFrames"]) == 20 and page["totalFrames"] > 20
        page = dap.ask("stackTrace", threadId=1, startFrame=1990, levels=20)
        assert [f["name"] for f in page["stackFrames"]] == ["deep"] * 11 + ["main"] and page["totalFrames"] == 2002
        for beyond in (2002, 5000, 2**31 - 1):
            page = dap.ask("stackTrace", threadId=1, startFrame=beyond, levels=20)
            assert page["stackFrames"] == [] and page["totalFrames"] == 2002
        numbers = dap.ask("evaluate", expression="numbers", context="watch")
        assert numbers["indexedVariables"] == 5000
        some = dap.variables(numbers["variablesReference"], filter="indexed", start=4000, count=3)
        assert {n: v["value"] for n, v in some.items()} == {"[4000]": "4000", "[4001]": "4001", "[4002]": "4002"}


def test_the_console_takes_commands(list_program):
    with Dap() as dap:
        launch(dap, list_program, functions=["add"])
        assert dap.command("print a + b") == "$1 = 20\n"
        assert "in add" not in dap.command("backtrace") and "add (a=0, b=20)" in dap.command("backtrace")
        dap.command("next")
        assert dap.stop()["reason"] == "goto"
        with pytest.raises(Refused, match="Undefined command"):
            dap.command("frobnicate")
        labels = [t["label"] for t in dap.ask("completions", text="info l", column=7)["targets"]]
        assert labels == ["line", "locals"]


def test_the_console_takes_expressions(list_program):
    """Where no command begins so; what is both is a command."""
    with Dap() as dap:
        launch(dap, list_program, functions=["push"])
        dap.go("stepOut")
        dap.go("next")
        top = dap.frames()[0]["id"]
        answer = dap.ask("evaluate", expression="head->value", frameId=top, context="repl")
        assert answer["result"] == dap.value("head->value") and answer["type"] == "int"
        assert dap.ask("evaluate", expression="head", frameId=top, context="repl")["variablesReference"]
        for text, wanted in (("head->", {"value", "next"}), ("value == 1 && hea", {"head"})):
            targets = dap.ask("completions", text=text, column=len(text) + 1, frameId=top)["targets"]
            assert wanted <= {t["label"] for t in targets}, targets
            assert all(text[t["start"]:t["start"] + t["length"]] in ("", "hea") for t in targets)


def test_what_never_changes_is_not_watched(list_program):
    with Dap() as dap:
        launch(dap, list_program, functions=["add"])
        top = dap.frames()[0]["id"]
        for name in ("1 + 1", "nosuch"):
            info = dap.ask("dataBreakpointInfo", name=name, frameId=top)
            assert info["dataId"] is None and info["description"], info
        assert dap.ask("dataBreakpointInfo", name="a + b", frameId=top)["dataId"]
        assert dap.capabilities["supportsDataBreakpointBytes"]
        place = dap.ask("evaluate", expression="&total", frameId=top, context="watch")["result"].split()[0]
        info = dap.ask("dataBreakpointInfo", name=place, asAddress=True, bytes=4)
        assert dap.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}])["breakpoints"][0]["verified"]
        stop = dap.go("continue")
        assert stop["reason"] == "data breakpoint" and dap.value("total") == "20"
        with pytest.raises(Refused, match="bytes"):
            dap.ask("dataBreakpointInfo", name=place, asAddress=True, bytes=1 << 40)
        info = dap.ask("dataBreakpointInfo", name="total", frameId=dap.frames()[0]["id"])
        dap.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "readWrite"}])
        stop = dap.go("continue")
        assert (stop["description"], stop["text"]) == ("A watched value was used", "total = 20"), stop


THROWS = """
#include <stdexcept>
struct Odd { int number; };
struct Wrong : std::runtime_error { using std::runtime_error::runtime_error; };
static int thrower(int i)
{
    if (i == 1)
        throw Odd{1};
    if (i == 2)
        throw Wrong("two");
    return i;
}
int main()
{
    int caught = 0;
    for (int i = 0; i < 3; i++) {
        try {
            thrower(i);
        } catch (const std::exception &) {
            caught++;
        } catch (const Odd &) {
            caught++;
        }
    }
    return caught - 2;
}
"""


@pytest.fixture(scope="session")
def throws(workshop):
    (workshop / "throws.cc").write_text(THROWS)
    subprocess.run(["g++", "-g", "-O0", "-o", "throws", "throws.cc"], cwd=workshop, check=True, timeout=120)
    return workshop / "throws"


def test_exceptions_of_cplusplus(throws):
    def before(dap):
        told = dap.ask("setExceptionBreakpoints", filters=["throw"], filterOptions=[{"filterId": "catch", "condition": "["}])["breakpoints"]
        assert not told[1]["verified"] and "regular expression" in told[1]["message"]
        assert told[0]["verified"] or "known yet" in told[0]["message"], told

    with Dap() as dap:
        stop = launch(dap, throws, before=before)
        assert (stop["reason"], stop["text"]) == ("exception", "exception thrown: Odd")
        assert dap.ask("exceptionInfo", threadId=1)["exceptionId"] == "Odd"
        assert dap.value("$_exception.number") == "1"
        stop = dap.go("continue")
        info = dap.ask("exceptionInfo", threadId=1)
        assert (info["exceptionId"], info["description"]) == ("Wrong", "exception thrown: Wrong: two")
        assert info["details"] == {"fullTypeName": "Wrong", "typeName": "Wrong", "message": "two", "evaluateName": "$_exception"}
        names = [frame["name"] for frame in dap.frames()]
        assert any("thrower" in name for name in names), names
        filters = {f["filter"]: f for f in dap.capabilities["exceptionBreakpointFilters"]}
        assert filters["throw"]["supportsCondition"] and filters["catch"]["supportsCondition"] and "uncaught" not in filters and "fork" in filters


def test_what_is_thrown_again_has_its_type(workshop):
    """gdb is told by a probe of the library; its value is the same, forward and back."""
    (workshop / "again.cc").write_text("""#include <stdexcept>
int inner(int i) { try { if (i) throw std::runtime_error("bad"); throw 7; } catch (...) { throw; } }
int main() {
    int n = 0;
    for (int i = 0; i < 2; i++)
        try { inner(i); } catch (const std::exception &) { n++; } catch (int) { n++; }
    return n - 2;
}
""")
    subprocess.run(["g++", "-g", "-O0", "-o", "again", "again.cc"], cwd=workshop, check=True, timeout=120)
    assert "$1 = 7\n" in gdb(workshop / "again", "catch rethrow", "run", "print $_exception")
    with Dap() as dap:
        stop = launch(dap, workshop / "again", before=lambda dap: dap.ask("setExceptionBreakpoints", filters=["rethrow"]), atEnd="stay")
        assert stop["text"] == "exception thrown again: int" and dap.value("$_exception") == "7"
        there = stop["ebbPosition"]
        assert dap.go("continue")["text"] == "exception thrown again: std::runtime_error: bad"
        assert dap.ask("exceptionInfo", threadId=1)["details"]["message"] == "bad"
        stop = dap.go("reverseContinue")
        assert (stop["text"], stop["ebbPosition"], dap.value("$_exception")) == ("exception thrown again: int", there, "7")


@pytest.mark.parametrize("event, type_", [("throw", "Wr"), ("catch", "Wrong"), ("throw", "^Odd$"), ("catch", "Odd")])
def test_exceptions_of_cplusplus_by_type(throws, event, type_):
    """Forward and back; where gdb stops, too."""
    def before(dap):
        told = dap.ask("setExceptionBreakpoints", filters=[], filterOptions=[{"filterId": event, "condition": type_}])["breakpoints"]
        assert told[0]["verified"] or "known yet" in told[0]["message"], told

    told = gdb(throws, f"catch {event} {type_}", "run", "continue")
    assert told.count("Catchpoint 1 (exception") == 1, told
    with Dap() as dap:
        stop = launch(dap, throws, before=before, atEnd="stay")
        there = stop["ebbPosition"]
        stop = dap.go("continue")
        assert not stop or stop["reason"] != "exception"
        stop = dap.go("reverseContinue")
        assert (stop["reason"], stop["ebbPosition"]) == ("exception", there)


HELD = """
#include <any>
#include <array>
#include <atomic>
#include <bitset>
#include <deque>
#include <filesystem>
#include <forward_list>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <stack>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

struct Point { int x, y; bool operator<(const Point &other) const { return x < other.x; } };
struct Shelf { std::vector<std::string> books; std::map<std::string, Point> places; };
struct Heap : std::vector<int> { int top = 2; };

int look(Shelf &shelf, const std::vector<int> *many) {
    return shelf.books.size() + many->size();
}

int main() {
    std::vector<int> numbers{3, 1, 4}, none, many(2500, 7);
    std::vector<std::string> words{"one", "two"};
    std::vector<bool> bits{true, false, true};
    std::map<std::string, Point> places{{"here", {1, 2}}, {"th\\"ere", {3, 4}}};
    std::map<int, std::vector<int>> rows{{-5, {1}}, {7, {2, 3}}};
    std::map<Point, int> weights{{{1, 2}, 10}, {{3, 4}, 20}};
    std::multimap<int, char> letters{{1, 'a'}, {1, 'b'}};
    std::unordered_map<std::string, int> ages{{"ann", 30}};
    std::set<int> primes{2, 3, 5};
    std::unordered_set<int> lonely{42};
    std::list<Point> path{{1, 1}, {2, 2}};
    std::forward_list<int> ahead{8, 9};
    std::deque<int> both{1, 2, 3};
    std::array<int, 3> fixed{5, 6, 7};
    std::string text = "hello";
    std::unique_ptr<Point> owned(new Point{9, 8});
    std::shared_ptr<Point> shared = std::make_shared<Point>(Point{6, 5});
    std::unique_ptr<Point> nothing;
    std::optional<Point> maybe = Point{7, 7};
    std::optional<int> missing;
    std::variant<int, std::string> either = std::string("right");
    std::any anything = 12;
    std::tuple<int, std::string> both_kinds{1, "b"};
    std::pair<int, std::string> two{2, "c"};
    std::atomic<int> counter{11};
    std::stack<int> pile;
    pile.push(1);
    pile.push(2);
    auto where = places.find("here");
    auto at = numbers.begin();
    Shelf shelf{{"first", "second"}, places};
    std::vector<int> &alias = numbers;
    std::bitset<4> flags("1010");
    std::filesystem::path file = "/usr/lib";
    Heap heap;
    heap.push_back(3);
    return look(shelf, &many) + numbers.size() + where->second.x + *at + alias.size();
}
"""


@pytest.fixture(scope="session")
def held(workshop):
    (workshop / "held.cc").write_text(HELD)
    subprocess.run(["g++", "-std=c++17", "-g", "-O0", "-o", "held", "held.cc"], cwd=workshop, check=True, timeout=120)
    return workshop / "held"


# What the variable's children are called, what they are, and by which expressions.
CHILDREN = {
    "numbers": [("[0]", "3", "numbers[0]"), ("[1]", "1", "numbers[1]"), ("[2]", "4", "numbers[2]")],
    "none": [],
    "words": [("[0]", '"one"', "words[0]"), ("[1]", '"two"', "words[1]")],
    "bits": [("[0]", "true", "$_element(bits, 0)"), ("[1]", "false", "$_element(bits, 1)"), ("[2]", "true", "$_element(bits, 2)")],
    "places": [('["here"]', "{x = 1, y = 2}", 'places["here"]'), ('["th\\"ere"]', "{x = 3, y = 4}", 'places["th\\"ere"]')],
    "rows": [("[-5]", "std::vector of length 1, capacity 1 = {1}", "rows[-5]"), ("[7]", "std::vector of length 2, capacity 2 = {2, 3}", "rows[7]")],
    "weights": [("[{x = 1, y = 2}]", "10", "$_element(weights, 0).second"), ("[{x = 3, y = 4}]", "20", "$_element(weights, 1).second")],
    "letters": [("[1]", "97 'a'", "$_element(letters, 0).second"), ("[1]", "98 'b'", "$_element(letters, 1).second")],
    "ages": [('["ann"]', "30", 'ages["ann"]')],
    "primes": [("[0]", "2", "$_element(primes, 0)"), ("[1]", "3", "$_element(primes, 1)"), ("[2]", "5", "$_element(primes, 2)")],
    "lonely": [("[0]", "42", "$_element(lonely, 0)")],
    "path": [("[0]", "{x = 1, y = 1}", "$_element(path, 0)"), ("[1]", "{x = 2, y = 2}", "$_element(path, 1)")],
    "ahead": [("[0]", "8", "$_element(ahead, 0)"), ("[1]", "9", "$_element(ahead, 1)")],
    "both": [("[0]", "1", "both[0]"), ("[1]", "2", "both[1]"), ("[2]", "3", "both[2]")],
    "fixed": [("[0]", "5", "fixed[0]"), ("[1]", "6", "fixed[1]"), ("[2]", "7", "fixed[2]")],
    "text": [],
    "missing": [],
    "maybe": [("[contained value]", "{x = 7, y = 7}", "*maybe")],
    "either": [("[contained value]", '"right"', "$_element(either, 0)")],
    "anything": [("[contained value]", "12", "$_element(anything, 0)")],
    "both_kinds": [("[0]", "1", "$_element(both_kinds, 0)"), ("[1]", '"b"', "$_element(both_kinds, 1)")],
    "two": [("first", "2", "two.first"), ("second", '"c"', "two.second")],
    "counter": [("[contained value]", "11", "$_element(counter, 0)")],
    "pile": [("[0]", "1", "$_element(pile, 0)"), ("[1]", "2", "$_element(pile, 1)")],
    "at": [("[contained value]", "3", "*at")],
    "alias": [("[0]", "3", "alias[0]"), ("[1]", "1", "alias[1]"), ("[2]", "4", "alias[2]")],
    "flags": [("[0]", "0", "$_element(flags, 0)"), ("[1]", "1", "$_element(flags, 1)"), ("[2]", "0", "$_element(flags, 2)"), ("[3]", "1", "$_element(flags, 3)")],
    "file": [("[0]", '"/"', "$_element(file, 0)"), ("[1]", '"usr"', "$_element(file, 1)"), ("[2]", '"lib"', "$_element(file, 2)")],
    "heap": [("std::vector<int, std::allocator<int> >", "std::vector of length 1, capacity 1 = {3}", "*(std::vector<int, std::allocator<int> > *) &heap"),
             ("top", "2", "heap.top")],
}


def test_children_of_containers_are_what_they_hold(held):
    source = held.parent / "held.cc"
    with Dap() as dap:
        launch(dap, held, breakpoints={source: [line_of(source, "return look(")]})
        variables = dap.locals()

        def all_of(variable, **page):
            return dap.ask("variables", variablesReference=variable["variablesReference"], **page)["variables"] if variable["variablesReference"] else []

        def children(variable, **page):
            return [v for v in all_of(variable, **page) if v["name"] != "[raw]"]

        for name, wanted in CHILDREN.items():
            assert [(v["name"], v["value"], v["evaluateName"]) for v in children(variables[name])] == wanted, name
            for v in children(variables[name]):
                assert dap.value(v["evaluateName"]) == v["value"]
        assert all("_M_" not in v["name"] for variable in variables.values() for v in children(variable))
        for name, pointed in (("owned", "{x = 9, y = 8}"), ("shared", "{x = 6, y = 5}")):
            get = children(variables[name])
            assert [v["name"] for v in get] == ["get()"] and dap.value(f"*({get[0]['evaluateName']})") == pointed
            assert [(v["name"], v["evaluateName"]) for v in children(get[0])] == [("x", f"({name}.get())->x"), ("y", f"({name}.get())->y")]
        assert [v["value"] for v in children(variables["nothing"])] == ["0x0"]
        shelf = {v["name"]: v for v in children(variables["shelf"])}
        assert [v["evaluateName"] for v in children(shelf["books"])] == ["shelf.books[0]", "shelf.books[1]"]
        there = {v["name"]: v for v in children(shelf["places"])}
        assert [(v["name"], v["evaluateName"]) for v in children(there['["here"]'])] == [("x", '(shelf.places["here"]).x'), ("y", '(shelf.places["here"]).y')]
        assert [v["value"] for v in children(children(variables["where"])[0])] == ['"here"', "{x = 1, y = 2}"]
        assert [(v["name"], v["value"]) for v in children(children(variables["weights"])[1])] == [("key", "{x = 3, y = 4}"), ("value", "20")]
        assert [v["value"] for v in children(children(children(variables["weights"])[1])[0])] == ["3", "4"]
        raw = all_of(variables["file"])[-1]
        assert raw["name"] == "[raw]" and "_M_pathname" in [v["name"] for v in all_of(raw)]
        # A page of them, all of them, and one that is changed.
        assert [v["name"] for v in children(variables["primes"], filter="indexed", start=1, count=1)] == ["[1]"]
        first = children(variables["many"])
        assert len(first) == 1001 and (first[1000]["name"], first[1000]["value"]) == ("[1000..2499]", "1500 more")
        second = children(first[1000])
        assert (second[0]["evaluateName"], second[1000]["name"]) == ("many[1000]", "[2000..2499]")
        third = children(second[1000])
        assert (len(third), third[-1]["evaluateName"]) == (500, "many[2499]")
        assert dap.ask("setVariable", variablesReference=variables["ages"]["variablesReference"], name='["ann"]', value="31")["value"] == "31"
        assert dap.value('ages["ann"]') == "31"
        assert dap.ask("setVariable", variablesReference=variables["primes"]["variablesReference"], name="[1]", value="4")["value"] == "4"
        assert dap.value("primes") == "std::set with 3 elements = {[0] = 2, [1] = 4, [2] = 5}"
        info = dap.ask("dataBreakpointInfo", variablesReference=variables["path"]["variablesReference"], name="[1]")
        assert info["dataId"]
        dap.go("stepIn")
        many = dap.locals()["many"]
        assert [v["evaluateName"] for v in children(many)] == ["*many"] and children(many)[0]["indexedVariables"] == 2500


COLLECTIONS = """
import java.util.*;
import java.util.concurrent.*;

public class Collected {
    record Point(int x, int y) {}
    static class Table extends HashMap<String, Integer> { Object table = "mine"; int size = 77; }
    enum Color { RED, GREEN }

    public static void main(String[] args) {
        ArrayList<Integer> list = new ArrayList<>(List.of(1, 2, 3)), empty = new ArrayList<>(), many = new ArrayList<>();
        LinkedList<String> linked = new LinkedList<>(List.of("a", "b"));
        HashMap<String, Integer> map = new HashMap<>(Map.of("ann", 31));
        HashMap<Integer, Integer> sold = new HashMap<>();
        LinkedHashMap<Integer, String> ordered = new LinkedHashMap<>();
        ordered.put(2, "two");
        ordered.put(1, "one");
        TreeMap<String, Point> tree = new TreeMap<>(Map.of("k", new Point(3, 4)));
        HashSet<String> set = new HashSet<>(List.of("x"));
        ArrayDeque<Integer> deque = new ArrayDeque<>(List.of(5));
        deque.addFirst(4);
        Optional<String> some = Optional.of("here"), none = Optional.empty();
        Integer boxed = 42;
        String text = "hello";
        Object any = linked;
        HashMap<Point, Integer> points = new HashMap<>(Map.of(new Point(1, 2), 7));
        List<List<String>> nested = List.of(List.of("a"), List.of("b", "c"));
        Map<Color, Integer> colors = new EnumMap<>(Map.of(Color.GREEN, 3));
        Collection<Integer> view = map.values();
        Table table = new Table();
        table.put("q", 9);
        ConcurrentHashMap<Integer, Integer> shared = new ConcurrentHashMap<>();
        LinkedBlockingQueue<Integer> queue = new LinkedBlockingQueue<>();
        for (int i = 0; i < 1200; i++) {
            many.add(i);
            sold.put(i, i * i);
            shared.put(i, -i);
            queue.add(i);
        }
        list.set(1, 20);
        System.out.println(list);
    }
}
"""
COLLECTED = {
    "list": [("[0]", "1"), ("[1]", "20"), ("[2]", "3")],
    "empty": [],
    "linked": [("[0]", '"a"'), ("[1]", '"b"')],
    "map": [('["ann"]', "31")],
    "ordered": [("[2]", '"two"'), ("[1]", '"one"')],
    "tree": [('["k"]', "Point[x=3, y=4]")],
    "set": [("[0]", '"x"')],
    "deque": [("[0]", "4"), ("[1]", "5")],
    "some": [("value", '"here"')],
    "none": [("value", "null")],
    "boxed": [],
    "text": [],
    "any": [("[0]", '"a"'), ("[1]", '"b"')],
    "points": [("[Point[x=1, y=2]]", "7")],
    "nested": [("[0]", '["a"]'), ("[1]", '["b", "c"]')],
    "colors": [("[GREEN]", "3")],
    "view": [("[0]", "31")],
    "table": [('["q"]', "9")],
}


@pytest.mark.parametrize("when", ["live", "recorded"])
def test_children_of_java_collections_are_what_they_hold(workshop, tmp_path, when):
    """In the past as well: nothing of the program runs for it."""
    source = workshop / "Collected.java"
    source.write_text(COLLECTIONS)
    subprocess.run(["javac", "-g", source.name], cwd=workshop, check=True, timeout=120)
    how = {"mainClass": "Collected", "classPaths": ["."]}
    if when == "recorded":
        how = {"recording": str(tmp_path / "collected.ebb"), "stopOnEntry": False}
        subprocess.run([EBB, "record", "-o", how["recording"], "java", "-cp", ".", "Collected"], cwd=workshop, check=True, timeout=120, capture_output=True)
    with Dap() as dap:
        dap.begin(**how, cwd=str(workshop), breakpoints={source: [line_of(source, "System.out")]})
        variables = dap.locals()

        def all_of(variable, **page):
            return dap.ask("variables", variablesReference=variable["variablesReference"], **page)["variables"] if variable["variablesReference"] else []

        def children(variable, **page):
            return [v for v in all_of(variable, **page) if v["name"] != "[raw]"]

        for name, wanted in COLLECTED.items():
            assert [(v["name"], v["value"]) for v in children(variables[name])] == wanted, name
            for v in children(variables[name]):
                assert dap.value(v["evaluateName"]) == v["value"]
        entry = children(variables["points"])[0]
        key, value = children(entry)
        assert [(v["name"], v["value"]) for v in children(key)] == [("x", "1"), ("y", "2")] and value["value"] == "7"
        assert [v["value"] for v in children(children(variables["nested"])[1])] == ['"b"', '"c"']
        raw = all_of(variables["table"])[-1]
        fields = {v["name"]: v["value"] for v in all_of(raw)}
        assert fields["table"] == '"mine"' and fields["size"] == "77" and fields["size (java.util.HashMap)"] == "1"
        for name, last in (("many", "1199"), ("sold", str(1199 ** 2)), ("shared", "-1199"), ("queue", "1199")):
            assert variables[name]["indexedVariables"] == 1200
            assert [v["value"] for v in all_of(variables[name], filter="indexed", start=1199, count=10)] == [last], name
            rest = children(variables[name])[-1]
            assert rest["name"] == "[1000..1199]" and children(rest)[-1]["value"] == last
        # An element has a place: it can be set, watched, and asked who wrote it.
        if when == "live":
            assert dap.ask("setVariable", variablesReference=variables["list"]["variablesReference"], name="[2]", value="33")["value"] == "33"
            assert dap.value("list.get(2)") == "33"
        assert dap.ask("dataBreakpointInfo", variablesReference=variables["list"]["variablesReference"], name="[1]")["dataId"]
        written = dap.ask("ebb/lastWrite", expression="$_element(list, 1)")
        assert (written["old"], written["new"]) == ("2", "20")
        # It is in the JDK, of which there may be no source: the frame that has one is the one to look at.
        inner, outer = dap.frames()[:2]
        assert inner["name"].startswith("java.util.ArrayList.set") and outer["name"] == "Collected.main" and "presentationHint" not in outer
        try:
            assert "class ArrayList" in dap.ask("source", source=inner["source"])["content"] and inner["source"]["sourceReference"]
        except Refused:
            assert inner["presentationHint"] == "subtle" and inner["source"]["presentationHint"] == "deemphasize"


def test_sources_of_the_jdk_are_read_from_its_archive(workshop, tmp_path):
    source = workshop / "Lengths.java"
    source.write_text('public class Lengths {\n    public static void main(String[] args) {\n        System.out.println("four".length());\n    }\n}\n')
    subprocess.run(["javac", "-g", source.name], cwd=workshop, check=True, timeout=120)
    subprocess.run([EBB, "jdk", tmp_path / "jdk"], check=True, timeout=60)
    archive = tmp_path / "jdk" / "lib" / "src.zip"
    archive.unlink(missing_ok=True)
    text = "".join(f"line {i} of String\n" for i in range(1, 3000))
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("java.base/java/lang/String.java", text)
    with Dap() as dap:
        dap.begin(program=str(tmp_path / "jdk" / "bin" / "java"), args=["Lengths"], cwd=str(workshop), breakpoints={source: [3]})
        dap.ask("setFunctionBreakpoints", breakpoints=[{"name": "java.lang.String.length"}])
        dap.go("continue")
        frame = dap.frames()[0]
        assert frame["name"].startswith("java.lang.String.length") and frame["source"]["sourceReference"] and "presentationHint" not in frame
        assert dap.ask("source", source=frame["source"], sourceReference=frame["source"]["sourceReference"])["content"] == text


@pytest.mark.parametrize("expression, why", [("$_element(list, 3)", "It has no element 3."), ("$_key(list, 0)", "It has no key 0."),
                                             ("$_element(text, 0)", "It is no collection."), ("$_element(list)", "takes a collection and a number"),
                                             ("$_element(list, -1)", "at least 0"), ("$_length(list)", "no function $_length")])
def test_elements_that_java_does_not_have(workshop, expression, why):
    source = workshop / "Few.java"
    source.write_text("import java.util.*;\npublic class Few {\n    public static void main(String[] args) {\n        List<Integer> list = List.of(1, 2, 3);\n"
                      '        String text = "t";\n        System.out.println(list + text);\n    }\n}\n')
    subprocess.run(["javac", "-g", source.name], cwd=workshop, check=True, timeout=120)
    with Dap() as dap:
        dap.begin(mainClass="Few", classPaths=["."], cwd=str(workshop), breakpoints={source: [6]})
        with pytest.raises(Refused, match=re.escape(why)):
            dap.value(expression)


def test_lines_of_java_that_have_code(shop):
    """Once a class is loaded it says; before, what the source says counts, since a breakpoint waits there."""
    source, n = {"path": str(shop)}, len(shop.read_text().split("\n"))
    with_code = {int(line) for line in re.findall(r"line (\d+): \d+", subprocess.run(["javap", "-l", "-cp", ".", "Shop", "Shop$Item", "Shop$Special"], cwd=shop.parent, check=True,
                                                                                   capture_output=True, text=True, timeout=120).stdout)}

    def lines(dap):
        return {b["line"] for b in dap.ask("breakpointLocations", source=source, line=1, endLine=n)["breakpoints"]}

    with Dap() as dap:
        early = set()
        launch_java(dap, shop, breakpoints={shop: [line_of(shop, "SUM")]}, before=lambda dap: early.update(lines(dap)))
        assert dap.capabilities["supportsBreakpointLocationsRequest"]
        assert lines(dap) == with_code <= early


# ---- while it runs


def test_requests_while_it_runs(compile_c):
    program = compile_c(programs.SPIN, name="spin")
    source = program.parent / "spin.c"
    with Dap() as dap:
        dap.ask("initialize")
        dap.ask("launch", program=str(program))
        dap.event("initialized")
        dap.ask("configurationDone")
        while "spinning" not in dap.output:
            dap.events.append(dap.next())
        assert [t["id"] for t in dap.ask("threads")["threads"]] == [1]
        dap.ask("setBreakpoints", source={"path": str(source)}, breakpoints=[{"line": line_of(source, "turns++")}])
        assert dap.stop()["reason"] == "breakpoint"
        dap.ask("setBreakpoints", source={"path": str(source)}, breakpoints=[])
        dap.ask("continue", threadId=1)
        dap.ask("pause", threadId=1)
        assert dap.stop()["reason"] == "pause"
        turns = int(dap.value("turns"))
        dap.ask("continue", threadId=1)
        dap.ask("pause", threadId=1)
        dap.stop()
        assert int(dap.value("turns")) >= turns
        dap.ask("continue", threadId=1)
        dap.ask("terminate")
        dap.event("terminated")


def test_a_request_that_waits_can_be_cancelled(compile_c):
    program = compile_c(programs.SPIN, name="spin")
    with Dap() as dap:
        dap.ask("initialize")
        dap.ask("launch", program=str(program))
        dap.event("initialized")
        dap.ask("configurationDone")
        waiting = dap.send("evaluate", expression="turns", context="watch")
        dap.send("cancel", requestId=waiting)
        with pytest.raises(Refused, match="cancelled"):
            dap.answer(waiting)


def debuggee_of(dap):
    return next(e for e in dap.events if e["event"] == "process")["body"]["systemProcessId"]


@pytest.mark.parametrize("record", [False, True])
def test_a_client_that_vanishes_leaves_nothing(compile_c, record):
    program = compile_c(programs.SPIN, name="spin")
    with Dap() as dap:
        dap.ask("initialize")
        dap.ask("launch", program=str(program), record=record)
        dap.event("initialized")
        dap.ask("configurationDone")
        while "spinning" not in dap.output:
            dap.events.append(dap.next())
        pid = debuggee_of(dap)
        assert is_alive(pid)
    assert dap.process.returncode == 0 and dap.complaints == "" and not is_alive(pid)


def test_attached_programs_live_on(compile_c):
    program = compile_c(programs.SPIN, name="spin")
    spinning = subprocess.Popen([program], stdout=subprocess.PIPE)
    try:
        spinning.stdout.readline()
        with Dap() as dap:
            assert dap.begin("attach", pid=spinning.pid, stopOnEntry=True)["reason"] == "entry"
            assert dap.capabilities["supportsRestartRequest"] is False
            assert dap.where()[0] == "main"
            dap.ask("disconnect")
        assert spinning.poll() is None
    finally:
        spinning.kill()
        spinning.wait()


def test_long_work_tells_how_far_it_is_and_can_be_cancelled(compile_c):
    program = compile_c(programs.SPIN, name="spin")
    with Dap() as dap:
        dap.begin(program=str(program), stopOnEntry=True, record=True, showPositions=True)
        assert re.fullmatch(r"main  \[\d+@spin.c:\d+\]", dap.where()[0])
        source = program.parent / "spin.c"
        dap.ask("setBreakpoints", source={"path": str(source)}, breakpoints=[{"line": line_of(source, "turns++"), "condition": "turns == 3000000"}])
        dap.go("continue")
        asked = dap.send("ebb/values", expression="turns")
        start = dap.event("progressStart")["body"]
        assert start["cancellable"]
        dap.event("progressUpdate")
        dap.send("cancel", requestId=asked)
        with pytest.raises(Refused):
            dap.answer(asked)
        assert dap.event("progressEnd")["body"]["progressId"] == start["progressId"]
        assert dap.value("turns") == "3000000"


def test_restart(list_program):
    source = list_program.parent / "list.c"
    with Dap() as dap:
        launch(dap, list_program, functions=["add"])
        dap.go("continue")
        assert dap.value("a") == "20"
        dap.ask("restart")
        assert dap.stop()["reason"] == "breakpoint" and dap.value("a") == "0"


# ---- Java


def test_java(shop):
    with Dap() as dap:
        stop = launch_java(dap, shop, breakpoints={shop: [line_of(shop, "SUM"), {"line": line_of(shop, "TOLD"), "logMessage": "{total} of {items.length}"}]})
        assert stop["reason"] == "breakpoint" and dap.where() == ("Shop.add", line_of(shop, "SUM"))
        assert any(e["event"] == "breakpoint" and e["body"]["breakpoint"]["verified"] for e in dap.events)
        assert {n: v["value"] for n, v in dap.locals().items()} == {"a": "0", "b": "3", "sum": "3"}
        dap.go("stepOut")
        dap.go("next")
        found = dap.locals()
        things = dap.variables(found["thing"]["variablesReference"])
        assert {n: v["value"] for n, v in things.items()} == {"price": "7", "name": '"cake"', "price (Shop$Item)": "99"}
        for thing in things.values():
            assert dap.value(thing["evaluateName"]) == thing["value"]
        items = dap.variables(found["items"]["variablesReference"], start=1, count=1)
        assert list(items) == ["[1]"] and items["[1]"]["type"] == "Shop$Special"
        dap.ask("setVariable", variablesReference=found["thing"]["variablesReference"], name="name", value='"pie"')
        assert dap.value("items[1].name") == '"pie"'
        dap.go("continue")
        assert dap.value("a") == "3"
        dap.go("reverseContinue")
        assert dap.value("a") == "0"
        targets = None
        dap.go("stepOut")
        targets = dap.ask("stepInTargets", frameId=dap.frames()[0]["id"])["targets"]
        assert [t["label"] for t in targets] == ["Shop.add"]
        filters = {f["filter"]: f["supportsCondition"] for f in dap.capabilities["exceptionBreakpointFilters"]}
        assert filters == {"uncaught": False, "throw": True, "catch": True}
        for request in ("readMemory", "gotoTargets"):
            assert dap.capabilities[f"supports{request[0].upper()}{request[1:]}Request"] is False
        assert [s["path"] for s in dap.ask("loadedSources")["sources"]] == [str(shop)]
        code = dap.ask("disassemble", memoryReference=dap.frames()[0]["instructionPointerReference"], instructionOffset=0, instructionCount=1)
        assert code["instructions"][0]["instruction"].startswith("putstatic")
        dap.ask("setBreakpoints", source={"path": str(shop)}, breakpoints=[])
        dap.ask("setExceptionBreakpoints", filters=[], filterOptions=[{"filterId": "throw", "condition": "IllegalStateException"}])
        assert dap.go("continue")["reason"] in ("exception", "history end")
        if dap.where()[1] != line_of(shop, "THROWN"):
            assert dap.go("continue")["reason"] == "exception"
        info = dap.ask("exceptionInfo", threadId=1)
        assert "oops" in info["description"]
        assert dap.go("continue") is None
        assert "total 102\n" in dap.output and "oops\n" in dap.output


def test_a_recording_of_java(shop, tmp_path):
    recording = tmp_path / "shop.ebb"
    subprocess.run([EBB, "record", "-o", str(recording), "java", "-cp", str(shop.parent), "Shop"], check=True, timeout=120, capture_output=True)
    with Dap(cwd=shop.parent) as dap:
        assert dap.begin(recording=str(recording), breakpoints={shop: [line_of(shop, "SUM")]})["reason"] == "entry"
        assert dap.capabilities["supportsStepBack"] is True and dap.capabilities["supportsRestartRequest"] is False
        dap.go("continue")
        dap.go("continue")
        assert (dap.value("a"), dap.value("b")) == ("3", "99")
        dap.go("reverseContinue")
        assert dap.value("b") == "3"
        assert dap.ask("ebb/bookmark", name="here", note="first")["name"] == "here"
        assert [b["name"] for b in dap.ask("ebb/bookmarks")["bookmarks"]] == ["here"]
        dap.ask("setBreakpoints", source={"path": str(shop)}, breakpoints=[])
        assert dap.go("continue")["reason"] in ("end", "history end")
        dap.ask("ebb/goto", position="here")
        dap.stop()
        assert dap.value("b") == "3"
        with pytest.raises(Refused):
            dap.ask("setExpression", expression="a", value="5", frameId=dap.frames()[0]["id"])


def test_a_thread_without_frames_has_an_empty_stack(tmp_path):
    """The one that ends the machine after `main` returned."""
    (tmp_path / "Quiet.java").write_text("public class Quiet { public static void main(String[] args) { int n = args.length; } }")
    javac("-g", "Quiet.java", cwd=tmp_path)
    subprocess.run([EBB, "record", "-o", "quiet.ebb", "java", "-cp", ".", "Quiet"], cwd=tmp_path, check=True, timeout=120, capture_output=True)
    with Dap(cwd=tmp_path) as dap:
        dap.begin(recording="quiet.ebb")
        dap.ask("ebb/goto", position="end")
        thread = dap.stop()["threadId"]
        assert dap.ask("stackTrace", threadId=thread) == {"stackFrames": [], "totalFrames": 0}


def test_a_recording_of_c(list_program, tmp_path):
    recording, source = tmp_path / "list.ebb", list_program.parent / "list.c"
    subprocess.run([EBB, "record", "-o", str(recording), str(list_program)], check=True, timeout=SECONDS, capture_output=True)
    with Dap() as dap:
        assert dap.begin(recording=str(recording), breakpoints={source: [line_of(source, "return sum")]})["reason"] == "entry"
        assert [dap.go("continue") and dap.value("sum") for _ in range(3)] == ["20", "30", "30"]
        assert [dap.go("reverseContinue") and dap.value("sum") for _ in range(2)] == ["30", "20"]
        dap.ask("setBreakpoints", source={"path": str(source)}, breakpoints=[])
        assert dap.go("continue")["reason"] in ("end", "history end")
        dap.go("stepBack")
        assert dap.frames()


def test_what_an_expression_changes_in_the_past_of_c_is_undone(list_program, tmp_path):
    """It is done to a copy that is thrown away: the way on and back is what it was, and an assignment is refused in words that are true."""
    recording, source = tmp_path / "list.ebb", list_program.parent / "list.c"
    subprocess.run([EBB, "record", "-o", str(recording), str(list_program)], check=True, timeout=SECONDS, capture_output=True)
    with Dap() as dap:
        dap.begin(recording=str(recording), breakpoints={source: [line_of(source, "return sum")]})
        dap.go("continue")
        assert dap.value("sum = 7") == "7" and dap.value("sum") == "20"
        with pytest.raises(Refused, match="past can't be changed"):
            dap.ask("setExpression", expression="sum", value="7", frameId=dap.frames()[0]["id"])
        with pytest.raises(Refused, match="past can't be changed"):
            dap.ask("writeMemory", memoryReference=dap.value("(long)&sum"), data="AAAAAA==")
        assert [dap.go(way) and dap.value("sum") for way in ("continue", "reverseContinue")] == ["30", "20"]
        assert "Pattern not found" in dap.command("find &sum, +4, sum = 7")
        dap.go("stepBack")
        assert dap.where() == ("add", line_of(source, "return sum") - 1)


# ---- what goes wrong


@pytest.mark.parametrize("data, why", [
    (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "how long"),
    (b"Content-Length: 99999999999999999999\r\n\r\n", "length"),
    (b"Content-Length: -5\r\n\r\n", "length"),
    (b"\xff" * 5000, "header"),
])
def test_nonsense_ends_it_in_one_line(data, why):
    with Dap() as dap:
        dap.ask("initialize")
        dap.send_bytes(data)
        dap.process.wait(SECONDS)
    assert dap.process.returncode == 0
    assert re.fullmatch(r"ebb: the client can't be understood: .*\n", dap.complaints) and why in dap.complaints


@pytest.mark.parametrize("body", [b"{", b"[]", b"{}", b'"x"', b'{"seq": 77, "type": "request", "command": 5}', b"[" * 100000, b'{"type": "event", "event": "x"}',
                                  b'{"seq": "x", "type": "request", "command": "stackTrace", "arguments": []}',
                                  b'{"seq": 78, "type": "request", "command": "launch", "arguments": {"program": 5, "args": {"a": 1}}}'])
def test_a_bad_message_is_survived(body):
    with Dap() as dap:
        dap.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        assert dap.ask("initialize")["supportsConfigurationDoneRequest"]
    assert dap.process.returncode == 0


def test_half_a_message(list_program):
    with Dap() as dap:
        launch(dap, list_program, functions=["add"])
        dap.send_bytes(b'Content-Length: 500\r\n\r\n{"seq": 1')
    assert dap.process.returncode == 0


def test_order_is_enforced(list_program):
    with Dap() as dap:
        with pytest.raises(Refused, match="comes first"):
            dap.ask("setBreakpoints", source={"path": "x.c"}, breakpoints=[])
        with pytest.raises(Refused, match="no request"):
            dap.ask("frobnicate")
        with pytest.raises(Refused, match="nosuch"):
            dap.ask("launch", program="/nosuch")
        launch(dap, list_program, functions=["add"])
        with pytest.raises(Refused, match="already"):
            dap.ask("launch", program=str(list_program))
        with pytest.raises(Refused, match="has moved"):
            dap.ask("variables", variablesReference=12345)


# ---- on a port


LONG = """
int total;
int main(void) {
    for (int i = 0; i < 3000000; i++)
        total += i & 7;
    return total == 0;
}
"""


def listening(*arguments):
    server = subprocess.Popen([EBB, "dap", "--listen", *arguments], stderr=subprocess.PIPE, text=True, start_new_session=True)
    said = re.fullmatch(r"Token: ([0-9a-f]{40})\n", server.stderr.readline())
    assert said
    server.token = said[1]
    line = server.stderr.readline()
    found = re.fullmatch(r"Listening for the Debug Adapter Protocol on (.*):(\d+)\n", line)
    assert found, line
    return server, found[1], int(found[2])


def test_clients_connect_one_after_another(list_program):
    server, host, port = listening("0")
    try:
        assert host == "127.0.0.1"
        for _ in range(2):
            connection = socket.create_connection((host, port), SECONDS)
            stream = connection.makefile("rwb")
            dap = Dap(streams=(stream, stream))
            assert launch(dap, list_program, ebbToken=server.token) is None
            assert dap.output == "total 30\n"
            dap.ask("disconnect")
            connection.close()
    finally:
        server.terminate()
        server.wait(SECONDS)


def test_who_has_left_leaves_no_process(list_program):
    """Not even a dead one that waits for the next client."""
    server, host, port = listening("0")
    try:
        stream = socket.create_connection((host, port), SECONDS).makefile("rwb")
        dap = Dap(streams=(stream, stream))
        assert launch(dap, list_program, ebbToken=server.token) is None
        children = f"/proc/{server.pid}/task/{server.pid}/children"
        child = open(children).read().split()
        assert len(child) == 1
        dap.ask("disconnect")
        assert dap.next() is None
        while open(children).read().split():
            time.sleep(0.01)
        assert not os.path.exists(f"/proc/{child[0]}")
    finally:
        server.terminate()
        server.wait(SECONDS)


def test_there_is_nothing_outside_of_main(list_program):
    """In neither direction: what called it is nobody's."""
    with Dap() as dap:
        launch(dap, list_program, stopOnEntry=True)
        here = dap.go("next")["ebbPosition"]
        for request in ("stepOut", "ebb/reverseStepOut"):
            stop = dap.go(request)
            assert "not meaningful in the outermost frame" in stop["description"] and stop["ebbPosition"] == here, stop


def test_addresses_of_breakpoints_are_told_when_they_are_known(list_program):
    source = list_program.parent / "list.c"
    before = []

    def look(dap):
        before.extend(dap.ask("setBreakpoints", source={"path": str(source)}, breakpoints=[{"line": line_of(source, "return sum;")}])["breakpoints"])

    with Dap() as dap:
        launch(dap, list_program, before=look)
        assert before[0]["verified"] and "instructionReference" not in before[0]
        told = [e["body"]["breakpoint"] for e in dap.events if e.get("event") == "breakpoint"]
        assert [b["instructionReference"] for b in told] == [dap.frames()[0]["instructionPointerReference"]]


def test_a_port_does_nothing_for_who_does_not_know_its_token(list_program, tmp_path):
    def connect():
        stream = socket.create_connection((host, port), SECONDS).makefile("rwb")
        return Dap(streams=(stream, stream))

    server, host, port = listening("0")
    try:
        dap = connect()
        assert dap.ask("initialize")["supportsStepBack"]
        for request, arguments in (("evaluate", {"expression": f"shell touch {tmp_path}/broken-in", "context": "repl", "ebbToken": server.token}),
                                   ("launch", {"program": str(list_program)}), ("attach", {"pid": 1}), ("threads", {})):
            with pytest.raises(Refused, match="wants its token first"):
                dap.ask(request, **arguments)
        assert not list(tmp_path.iterdir())
        with pytest.raises(Refused, match="not the token"):
            dap.ask("launch", program=str(list_program), ebbToken="0" * 40)
        assert dap.next() is None  # one guess a connection
        assert launch(connect(), list_program, ebbToken=server.token) is None
    finally:
        server.terminate()
        server.wait(SECONDS)


@pytest.mark.parametrize("is_begun", [False, True])
def test_it_ends_when_it_is_told_to_while_nothing_happens(list_program, is_begun):
    with Dap() as dap:
        if is_begun:
            launch(dap, list_program, stopOnEntry=True)
        else:
            dap.ask("initialize")
        dap.process.send_signal(signal.SIGTERM)
        assert dap.process.wait(SECONDS) == -signal.SIGTERM


def test_the_token_can_be_chosen(list_program, tmp_path):
    (tmp_path / "token").write_text("secret\n")
    (tmp_path / "token").chmod(0o600)
    server = subprocess.Popen([EBB, "dap", "--listen", "0", "--token-file", tmp_path / "token"], stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        port = int(re.search(r"Protocol on .*:(\d+)", server.stderr.readline())[1])
        stream = socket.create_connection(("127.0.0.1", port), SECONDS).makefile("rwb")
        assert launch(Dap(streams=(stream, stream)), list_program, ebbToken="secret") is None
    finally:
        server.terminate()
        server.wait(SECONDS)


@pytest.mark.parametrize("request_", ["reverseContinue", "ebb/values", "continue"])
def test_a_client_that_vanishes_in_the_past(compile_c, request_):
    program = compile_c(LONG, name="long")
    with Dap() as dap:
        assert launch(dap, program, atEnd="stay")["reason"]
        pid = dap.process.pid
        dap.send(request_, threadId=1, expression="total")
    assert dap.process.returncode == 0 and dap.complaints == "" and not is_alive(pid)


def test_other_addresses_are_refused():
    answer = subprocess.run([EBB, "dap", "--listen", "0.0.0.0:0"], capture_output=True, text=True, timeout=SECONDS)
    assert answer.returncode != 0 and "--insecure-any-address" in answer.stderr


def test_a_server_takes_its_clients_along(compile_c):
    program = compile_c(programs.SPIN, name="spin")
    server, host, port = listening("0")
    connection = socket.create_connection((host, port), SECONDS)
    stream = connection.makefile("rwb")
    dap = Dap(streams=(stream, stream))
    dap.ask("initialize", ebbToken=server.token)
    dap.ask("launch", program=str(program))
    dap.event("initialized")
    dap.ask("configurationDone")
    while "spinning" not in dap.output:
        dap.events.append(dap.next())
    pid = debuggee_of(dap)
    server.send_signal(signal.SIGTERM)
    server.wait(SECONDS)
    while dap.next():
        pass
    limit = time.monotonic() + SECONDS
    while is_alive(pid) and time.monotonic() < limit:
        time.sleep(0.02)
    assert not is_alive(pid)


def test_the_entry_is_no_breakpoint(list_program):
    """Unless the editor has one there; then that is told, by its own number."""
    source = list_program.parent / "list.c"
    with Dap() as dap:
        stop = dap.begin(program=str(list_program), stopOnEntry=True)
        assert stop["reason"] == "entry" and "hitBreakpointIds" not in stop
        frame = dap.frames()[0]
        registers = next(s for s in dap.ask("scopes", frameId=frame["id"])["scopes"] if s["name"] == "Registers")
        assert all(not r.get("type", "").isdigit() for r in dap.variables(registers["variablesReference"]).values())
    with Dap() as dap:
        stop = dap.begin(program=str(list_program), stopOnEntry=True, breakpoints={source: [frame["line"]]})
        assert stop["reason"] == "breakpoint" and 1 in stop["hitBreakpointIds"]
