"""Programs drive ebb by the Model Context Protocol: the answers are those of --json."""
import json
import re
import subprocess

import pytest

import programs
from conftest import EBB, ROOT, SECONDS


class Mcp:
    def __init__(self):
        self.process = subprocess.Popen([EBB, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.id = 0

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.process.stdin.close()
        self.process.wait(SECONDS)
        self.process.stdout.close()
        self.process.stderr.close()

    def send(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, method, **params):
        self.id += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}).encode() + b"\n")
        answer = self.read()
        assert answer["jsonrpc"] == "2.0" and answer["id"] == self.id
        return answer

    def call(self, tool, **arguments):
        """The JSON objects of the answer, and whether it failed."""
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        return [json.loads(line) for line in result["content"][0]["text"].split("\n")], result["isError"]


def test_a_session(compile_c):
    program = compile_c(programs.LIST, name="list")
    with Mcp() as mcp:
        assert mcp.ask("initialize", protocolVersion="2024-11-05")["result"]["serverInfo"]["name"] == "ebb"
        mcp.send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        tools = {tool["name"]: tool for tool in mcp.ask("tools/list")["result"]["tools"]}
        assert {"open", "run", "continue", "reverse_continue", "values", "last_write", "source", "command"} <= set(tools)
        assert tools["break"]["inputSchema"]["required"] == ["where"]
        assert not mcp.call("open", program=[str(program)])[1]
        mcp.call("break", where="add", condition="a == 20")
        (stop, *_), failed = mcp.call("run")
        assert not failed and stop["kind"] == "stop" and stop["reason"] == "breakpoint"
        (answer, *_), _ = mcp.call("print", expression="b")
        json_lines = subprocess.run([EBB, "run", "--json", "--batch", "-e", "break add if a == 20", "-e", "run", "-e", "print b", str(program)], capture_output=True,
                                    text=True, timeout=SECONDS).stdout.split("\n")
        assert answer in [json.loads(line) for line in json_lines if line.startswith("{")]
        values, _ = mcp.call("values", expression="total")
        assert [v["value"] for v in values[0]["values"]] == ["0", "20"]
        assert mcp.call("last_write", expression="total")[0][0]["new"] == "20"
        assert mcp.call("reverse_next")[0][0]["kind"] == "stop"
        assert mcp.call("source", where="add")[0][0]["kind"] == "answer"
        assert mcp.call("backtrace")[0][0]["kind"] == "answer"
        mcp.call("delete")
        told = mcp.call("continue")[0] + mcp.call("continue")[0]  # the end of the recorded future, and the end
        assert any(o.get("reason") == "exited" for o in told)
        assert [o["text"] for o in told if o.get("notice") == "output"] == ["total 30\n"]


def test_failures_are_answers(compile_c):
    with Mcp() as mcp:
        answer, failed = mcp.call("next")
        assert failed and answer[0]["kind"] == "error"
        answer, failed = mcp.call("print")
        assert failed and "missing" in answer[0]["message"]
        answer, failed = mcp.call("print", expression="1\nshell true")
        assert failed and "line break" in answer[0]["message"]
        assert mcp.ask("tools/call", name="nonsense", arguments={})["error"]["code"] == -32602
        assert mcp.ask("nonsense")["error"]["code"] == -32601
        mcp.send(b"{nonsense\n")
        assert mcp.read()["error"]["code"] == -32700
        mcp.send(b"[]\n")
        assert mcp.read()["error"]["code"] == -32600
        assert mcp.ask("ping")["result"] == {}


@pytest.mark.parametrize("tool, arguments, why", [
    ("delete", {"numbers": [1]}, "is no string"), ("delete", {"number": 1}, "has no argument"), ("delete", {"numbers": {"1": 1}}, "is no string"), ("delete", [1], "no object"),
    ("break", {"where": "push", "condition": ["value == 20"]}, "is no string"), ("break", {"where": "push", "condition": "value\n== 20"}, "line break"),
    ("break", {"where": "push", "if": "value == 20"}, "has no argument"), ("frame", {"level": 1.5}, "is no integer"), ("backtrace", {"limit": True}, "is no integer")])
def test_no_argument_is_passed_over(compile_c, tool, arguments, why):
    """Without it the command would mean something else: all breakpoints, no condition."""
    program = compile_c(programs.LIST, name="list")
    with Mcp() as mcp:
        mcp.call("open", program=[str(program)])
        mcp.call("break", where="add")
        result = mcp.ask("tools/call", name=tool, arguments=arguments)["result"]
        assert result["isError"] and why in result["content"][0]["text"], result
        (told, *_), _ = mcp.call("breakpoints")
        assert [point["where"] for point in told["breakpoints"]] == ["add"]
        assert not mcp.call("delete", numbers=1)[1] and not mcp.call("breakpoints", limit=None)[1]


def test_a_run_without_end_ends(compile_c):
    program = compile_c(programs.SPIN, name="spin")
    with Mcp() as mcp:
        mcp.call("open", program=[str(program)])
        mcp.call("start")
        stop, failed = mcp.call("continue", seconds=1)
        assert not failed and stop[0]["reason"] == "interrupted"


@pytest.mark.parametrize("arguments", [{}, {"program": "/bin/true"}, {"program": []}, {"program": ["/bin/true", 5]}, {"program": [None]}])
def test_what_is_no_program_is_not_opened(arguments):
    with Mcp() as mcp:
        answer, failed = mcp.call("open", **arguments)
        assert failed and "a list of texts" in answer[0]["message"]


def test_versions():
    with Mcp() as mcp:
        for asked, told in (("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"), ("1999-01-01", "2025-06-18"), (7, "2025-06-18")):
            assert mcp.ask("initialize", protocolVersion=asked)["result"]["protocolVersion"] == told


def test_the_manual_names_every_tool_and_its_arguments():
    manual = (ROOT / "docs/mcp.md").read_text()
    rows = {name: row for row in manual.split("\n") if row.startswith("| `") for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    with Mcp() as mcp:
        tools = {tool["name"]: tool["inputSchema"] for tool in mcp.ask("tools/list")["result"]["tools"]}
    assert set(rows) == set(tools)
    for name, schema in tools.items():
        for argument in schema["properties"]:
            assert f"`{argument}`" in rows[name] or (f"`{argument}?`" in rows[name] and argument not in schema.get("required", [])), (name, argument)
