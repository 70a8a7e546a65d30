"""VS Code's own test client (`@vscode/debugadapter-testsupport` of npm) drives C and Java programs, live and recorded.  What is expected
stands in the programs' text."""
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

import programs
from conftest import EBB, SECONDS
from java_source import javac

HERE = pathlib.Path(__file__).resolve().parent
SHOP = """
public class Shop {
    static int total;
    static int add(int a, int b) {
        int sum = a + b;
        return sum;
    }
    public static void main(String[] args) {
        for (int i = 1; i <= 3; i++) {
            total = add(total, i);
        }
        System.out.println("total " + total);
    }
}
"""


# What makes no sense at that stop, by language.
MAY_BE_REFUSED = {"setExpression": {"Java"}, "exceptionInfo": {"C", "Java"}, "source": {"C", "Java"}}


@pytest.fixture(scope="session")
def node(workshop):
    if not shutil.which("npm") or not shutil.which("node"):
        pytest.skip("no npm is here, which VS Code's test client comes from")
    folder = workshop / "npm"
    folder.mkdir()
    got = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", "@vscode/debugadapter-testsupport"], cwd=folder,
                         capture_output=True, text=True, timeout=SECONDS * 8)
    if got.returncode != 0:
        pytest.skip("npm can't get @vscode/debugadapter-testsupport: " + (got.stderr.strip().splitlines() or ["?"])[0])
    return folder / "node_modules"


def drive(node, job, script="dap_testsupport.js"):
    got = subprocess.run(["node", HERE / script, EBB, json.dumps(job)], capture_output=True, text=True, timeout=SECONDS * 8,
                         env={**os.environ, "NODE_PATH": str(node)})
    assert got.returncode == 0, got.stderr + got.stdout
    return json.loads(got.stdout.splitlines()[-1])


@pytest.fixture(scope="session")
def jobs(compile_c, workshop):
    program = compile_c(programs.LIST, name="list")
    folder = workshop / "testsupport-shop"
    folder.mkdir()
    (folder / "Shop.java").write_text(SHOP)
    javac("-g", "Shop.java", cwd=folder)
    c = program.parent / "list.c"
    line = 1 + c.read_text().split("\n").index("    int sum = a + b;")
    return {
        "C": {"cwd": str(program.parent), "launch": {"program": str(program), "cwd": str(program.parent)}, "source": str(c), "line": line,
              "function": "push", "expression": "sum", "argument": "a", "global": "total", "isNative": True, "words": [str(program)], "returns": {"total": 30}},
        "Java": {"cwd": str(folder), "launch": {"program": "java", "args": ["Shop"], "cwd": str(folder)}, "source": str(folder / "Shop.java"), "line": 5,
                 "function": "Shop.add", "expression": "a + b", "argument": "a", "global": "Shop.total", "words": ["java", "Shop"], "returns": {"total": 6}},
    }


@pytest.mark.parametrize("language", ["C", "Java"])
@pytest.mark.parametrize("is_past", [False, True], ids=["live", "recorded"])
def test_the_client_of_vs_code_sees_what_the_program_says(node, jobs, language, is_past):
    job = dict(jobs[language])
    if is_past:
        recording = pathlib.Path(job["cwd"]) / f"{language}.ebb"
        subprocess.run([EBB, "record", "-o", recording, *job["words"]], cwd=job["cwd"], check=True, capture_output=True, timeout=SECONDS * 4)
        job["launch"] = {"recording": str(recording), "stopOnEntry": False}
    seen = drive(node, job)
    line = job["line"]
    assert len(seen["breakpoints"]) == 1
    assert seen["first"]["line"] == line and seen["first"]["path"] == job["source"] and seen["first"]["name"].split(".")[-1].startswith("add")
    assert seen["depth"] >= 2 and seen["threads"]
    assert {"a", "b"} <= {name for name, _ in seen["variables"]}
    assert seen["next"]["line"] == line + 1 and seen["next"]["reason"] == "step"
    assert seen["back"]["line"] == line and seen["again"] == seen["before"]
    assert seen["out"]["name"].split(".")[-1].startswith("main")
    assert seen["second"]["line"] == line and seen["second"]["reason"] == "breakpoint"
    assert seen["reverse"]["line"] == line
    assert seen["functions"] == 1
    assert is_past or f"total {job['returns']['total']}" in seen["output"]
    assert seen["capabilities"]["supportsStepBack"] is True


def requests_of_the_table():
    """Names of requests, and of what each is told by in the capabilities."""
    rows = re.findall(r'DAP_REQUEST\("([^"]+)", \w+, \w+, \w+, ("\w+"|NULL), (\w+)\)', (HERE.parents[1] / "src/front/dap/requests.def").read_text())
    return {name: (None if capability == "NULL" else capability.strip('"'), who) for name, capability, who in rows}


@pytest.mark.parametrize("language", ["C", "Java"])
@pytest.mark.parametrize("is_past", [False, True], ids=["live", "recorded"])
def test_every_request_is_answered_as_the_capabilities_say(node, jobs, language, is_past):
    job = dict(jobs[language])
    if is_past:
        recording = pathlib.Path(job["cwd"]) / f"{language}-every.ebb"
        subprocess.run([EBB, "record", "-o", recording, *job["words"]], cwd=job["cwd"], check=True, capture_output=True, timeout=SECONDS * 4)
        job["launch"] = {"recording": str(recording), "stopOnEntry": False}
    told = drive(node, job, "dap_every_request.js")
    seen, table = told["seen"], requests_of_the_table()
    left_out = {"attach"} | ({"goto"} if language == "Java" else set()) | ({"goto", "ebb/branch", "setExpression", "setVariable", "writeMemory"} if is_past else set())
    assert set(table) - set(seen) <= left_out
    for request, answer in seen.items():
        capability = table[request][0]
        allowed = MAY_BE_REFUSED.get(request, set())
        if capability and not told["capabilities"].get(capability):
            assert "refused" in answer, f"{request} works, though {capability} is false"
        elif language not in allowed:
            assert "refused" not in answer, f"{request}: {answer}"
