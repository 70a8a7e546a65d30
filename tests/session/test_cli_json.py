"""--json: one object a line, for everything."""
import json
import re

import pytest

from programs import CRASH, LIST


@pytest.fixture(scope="session")
def program(compile_c):
    return compile_c(LIST, name="list")


def test_every_command_is_answered_once(batch_json, program):
    commands = ["break add", "run", "p b", "p/x b", "bt", "info locals", "info breakpoints", "info registers rip", "list add",
                "whatis b", "delete 1", "next", "disassemble", "info threads", "info sharedlibrary", "info signals SIGINT",
                "show print elements", "display a", "finish", "continue"]
    done, objects = batch_json(program, *commands)
    assert done.returncode == 0, done.stdout
    answered = [o["command"] for o in objects if o["kind"] in ("answer", "stop", "error")]
    assert answered == commands


def test_all_output_but_the_debuggees_is_json(batch_json, program):
    done, objects = batch_json(program, "run")
    assert [line for line in done.stdout.splitlines() if not line.startswith("{")] == ["total 30"]
    assert done.stderr == ""


def test_a_stop_has_its_fields(batch_json, program):
    done, objects = batch_json(program, "break add", "run", "finish", "watch total", "continue", "delete", "continue")
    stops = [o for o in objects if o["kind"] == "stop"]
    assert [s["reason"] for s in stops] == ["breakpoint", "finished", "watchpoint", "exited"]
    first = stops[0]
    assert first["breakpoints"] == [1]
    assert first["frame"]["function"] == "add" and first["frame"]["level"] == 0
    assert first["frame"]["line"] == first["line"]
    assert first["frame"]["args"][1] == {"name": "b", "value": "20", "type": "int"}
    assert first["frame"]["file"].endswith("list.c")
    assert re.fullmatch("0x[0-9a-f]+", first["frame"]["pc"])
    assert first["thread"] == 1
    assert stops[1]["returned"] == "20" and stops[1]["history"] == 1
    assert (stops[2]["expression"], stops[2]["old"], stops[2]["new"]) == ("total", "0", "20")
    assert stops[3]["exit_code"] == 0


def test_values_have_value_type_and_number(batch_json, program):
    done, objects = batch_json(program, "start", "p argc + 1", "p argv")
    assert objects[-2] == {"kind": "answer", "command": "p argc + 1", "value": "2", "history": 1, "type": "int"}
    assert objects[-1]["type"] == "char **"


def test_errors_are_objects_too(batch_json, program):
    done, objects = batch_json(program, "p nosuchthing", "p 1")
    assert done.returncode == 1
    assert objects == [{"kind": "error", "command": "p nosuchthing", "status": "not found",
                        "message": 'No symbol "nosuchthing" in current context.'}]


def test_a_signal_is_named(batch_json, compile_c):
    done, objects = batch_json(compile_c(CRASH, name="crash"), "run")
    assert objects[-1]["reason"] == "signal" and objects[-1]["signal"] == "SIGSEGV"


def test_bytes_that_are_not_utf8_stay_valid(batch_json, program):
    done, objects = batch_json(program, b"echo \xff\xfe\\n")
    assert objects[0]["text"] == "\ufffd\ufffd\n"


def test_displays_come_with_the_stop(batch_json, program):
    done, objects = batch_json(program, "break add", "run", "display b", "continue")
    assert objects[-1]["displays"] == [{"number": 1, "expression": "b", "text": "1: b = 10"}]
