"""Programs without symbols and lines: the call that made a frame is found, of whatever kind it is, with rules of unwinding and without."""
import re
import subprocess

import pytest

PROGRAM = r"""
#include <unistd.h>

typedef int (*step)(int);

int directly(int n), by_plt(int n);
int by_memory(int n), by_slot(int n), by_register(int n), by_high_register(int n, step next), by_padded(int n, step next);

static volatile step kept = by_plt;
static volatile struct { long pad[40]; step slots[8]; } far_away = {.slots = {[5] = by_memory}};

/* As an assembler's author writes it: no size, no rules; the high register makes another call, FF D3, the tail of this one. */
asm(".text\n"
    "by_high_register:\n"
    "    push %rbp\n    mov %rsp, %rbp\n    mov %rsi, %r11\n    call *%r11\n    pop %rbp\n    ret\n"
    "by_padded:\n"
    "    push %rbp\n    mov %rsp, %rbp\n    mov %rsi, %rax\n    mov $0x41, %ecx\n    call *%rax\n    pop %rbp\n    ret\n");

__attribute__((noipa)) int by_plt(int n) { return (int)getppid() * 2 + n; }
__attribute__((noipa)) int by_memory(int n) { return kept(n) + 1; }
__attribute__((noipa)) int by_slot(int n) { return far_away.slots[n + 5](n) + 1; }
__attribute__((noipa)) int directly(int n) { return by_slot(n) + 1; }
__attribute__((noipa)) int by_register(int n) { step next = far_away.slots[5] ? directly : kept; return next(n) + by_memory(n); }

int main(int argc, char **argv)
{
    return by_padded(argc - 1, (step)by_register) + by_high_register(argc - 1, directly) ? 3 : 4;
}
"""


@pytest.fixture(scope="module", params=["-fplt", "-fno-plt"])
def stripped(request, tmp_path_factory):
    """The program, and its calls by where they return to, as objdump sees them in the one that has symbols."""
    folder = tmp_path_factory.mktemp("stripped")
    (folder / "calls.c").write_text(PROGRAM)
    subprocess.run(["cc", "-O1", "-no-pie", request.param, "-o", folder / "whole", folder / "calls.c"], check=True)
    subprocess.run(["strip", "-o", folder / "bare", folder / "whole"], check=True)
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", folder / "whole"], check=True, capture_output=True, text=True).stdout
    code = [(int(place, 16), insn) for place, insn in re.findall(r"^ +([0-9a-f]+):\t(.*)$", text, re.M)]
    return folder / "bare", {after[0]: place for (place, insn), after in zip(code, code[1:]) if insn.startswith("call")}


def debug(ebb, program, *commands):
    done = ebb(["run", "--batch", *[word for command in commands for word in ("-e", command)], str(program)], timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("there, depth", [(["run"], 6), (["run", "continue 2"], 5)], ids=["by_padded", "by_high_register"])
def test_the_call_that_made_a_frame(ebb, stripped, there, depth):
    """From the function of a library, out of frame after frame, to the call that each returns after."""
    program, calls = stripped
    back = debug(ebb, program, "set breakpoint pending on", "break getppid", *there, f"bt {depth + 1}")
    expected = [calls[int(place, 16)] for place in re.findall(r"^#[1-9]\d* +0x([0-9a-f]+) in ", back, re.M)]
    assert len(expected) == depth, back
    out = debug(ebb, program, "set breakpoint pending on", "break getppid", *there, "delete", *["reverse-finish", "p/x (long)$pc"] * depth)
    assert [int(value, 16) for value in re.findall(r"^\$\d+ = 0x([0-9a-f]+)$", out, re.M)] == expected, out
