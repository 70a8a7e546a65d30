#!/usr/bin/env python3
"""Broken ELF files and broken DWARF under the real ebb.

`fuzz/elf_fuzz.py [--count N] [--seed S] [--ebb BINARY] [--keep FOLDER]` compiles the programs of examples/c in the
forms of FORMS, breaks copies of them on disk and takes each through the conversation of SCRIPT.  What must hold:

 E1. ebb ends by itself, with status 0 or 1: no signal, no sanitizer's report, no failed check.
 E2. ebb does not hang.  A broken *program* may: then SIGINT, as a person would press Ctrl-C, ends the conversation.
 E3. Every complaint is one line of sane length, and there are no more of them than commands.
 E4. No process is left behind.
 E5. With --json, which every third mutant gets, every answer is an object in one line.

Seeds name mutants: the same seed makes the same one, from the same compiler.  Failures are told with their seed, and
--keep saves their files.  Code is never broken, only what describes it: what the program does stays harmless."""
import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FORMS = {
    "plain": ["-O0", "-gdwarf-5"],
    "dwarf4": ["-O0", "-gdwarf-4"],
    "optimised": ["-O2", "-gdwarf-5"],
    "optimised4": ["-O2", "-gdwarf-4"],
    "fixed": ["-O0", "-gdwarf-5", "-no-pie"],
    "static": ["-O0", "-gdwarf-5", "-static"],
    "compressed": ["-O0", "-gdwarf-5", "-gz"],
    "types": ["-O0", "-gdwarf-5", "-fdebug-types-section"],
    "stripped": ["-O2", "-gdwarf-5"],  # the symbols are in PROGRAM.debug, which is what gets broken
}
SOURCES = {"calc": (["-lm"], "evaluate"), "ledger": ([], "find")}
SCRIPT = """set confirm off
set print elements 20
break main
info line main
list main
list 40,50
info source
info functions main
info variables a
info types a
info scope main
ptype main
ptype struct account
whatis argc
break {inner}
run
bt
bt full 5
info locals
info args
info frame
info registers rip
p *argv@argc
p $_siginfo
step
next
step
info symbol $pc
x/3i $pc
disassemble
up
info locals
down
finish
info sharedlibrary
continue
bt
until
kill
"""
SECONDS = 20  # for one conversation, before it counts as too long
LONGEST_LINE = 1000
Section = collections.namedtuple("Section", "name header offset size flags")
Outcome = collections.namedtuple("Outcome", "what status output")  # what: None if all is well
CODE, NO_BYTES = 4, 8  # SHF_EXECINSTR, SHT_NOBITS


# ---- what there is to break ----

def build(folder):
    """Compiles all forms; returns {(source, form): (program, the file to break)}."""
    made = {}
    for source, (libraries, _) in SOURCES.items():
        for form, flags in FORMS.items():
            program = folder / f"{source}-{form}"
            made[source, form] = (program, program)
            subprocess.run(["gcc", *flags, "-Wl,--build-id", "-o", program, ROOT / "examples" / "c" / f"{source}.c", *libraries, "-lpthread"],
                           check=True, timeout=120)
            if form == "stripped":
                debug = folder / f"{program.name}.debug"
                subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True, timeout=60)
                subprocess.run(["objcopy", "--strip-all", f"--add-gnu-debuglink={debug}", program], check=True, timeout=60)
                made[source, form] = (program, debug)
    return made


def sections(data):
    """The sections of a sound file that have bytes in it."""
    table, = struct.unpack_from("<Q", data, 40)
    entry, count, names = struct.unpack_from("<HHH", data, 58)
    heads = [struct.unpack_from("<IIQQQQ", data, table + i * entry) for i in range(count)]
    base = heads[names][4]
    return [Section(bytes(data[base + h[0]:data.index(0, base + h[0])]).decode(), table + i * entry, h[4], h[5], h[2])
            for i, h in enumerate(heads) if h[1] not in (0, NO_BYTES) and h[5] > 0]


# ---- how to break it: each takes (choice of random things, bytes, sections) and changes the bytes ----

INTERESTING = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff, 1 << 63, (1 << 64) - 1]


def put(choice, data, at, width=None):
    """One field gets an interesting value, or one near to what it had."""
    width = width or choice.choice([1, 2, 4, 8])
    at = max(0, min(at, len(data) - width))
    old = int.from_bytes(data[at:at + width], "little")
    new = choice.choice([choice.choice(INTERESTING), old + choice.choice([-8, -1, 1, 8]), old << 1, choice.getrandbits(8 * width)])
    data[at:at + width] = (new % (1 << 8 * width)).to_bytes(width, "little")


def scribble(choice, data, lo, hi):
    """A few bytes somewhere in [lo, hi)."""
    for _ in range(choice.choice([1, 1, 2, 5, 20, 100])):
        at = choice.randrange(lo, hi)
        kind = choice.random()
        if kind < 0.4:
            data[at] ^= 1 << choice.randrange(8)
        elif kind < 0.8:
            put(choice, data, min(at, max(lo, hi - 8)))
        else:
            data[at] = choice.choice([0, 0xff, 0x80, choice.randrange(256)])


def break_header(choice, data, parts):
    for _ in range(choice.choice([1, 1, 2, 4])):
        at, width = choice.choice([(4, 1), (5, 1), (6, 1), (16, 2), (18, 2), (24, 8), (32, 8), (40, 8), (52, 2), (54, 2), (56, 2), (58, 2), (60, 2), (62, 2)])
        put(choice, data, at, width)


def break_section_table(choice, data, parts):
    for _ in range(choice.choice([1, 1, 2, 5])):
        put(choice, data, choice.choice(parts).header + choice.choice([0, 4, 8, 16, 24, 32, 40, 44, 48, 56]), choice.choice([4, 8]))


def break_program_headers(choice, data, parts):
    table, = struct.unpack_from("<Q", data, 32)
    count, = struct.unpack_from("<H", data, 56)
    for _ in range(choice.choice([1, 1, 2])):
        put(choice, data, table + 56 * choice.randrange(max(count, 1)) + choice.choice([0, 4, 8, 16, 32, 40, 48]), choice.choice([4, 8]))


def break_section(choice, data, parts, names):
    candidates = [p for p in parts if any(p.name.startswith(n) for n in names) and not p.flags & CODE]
    if candidates:
        part = choice.choice(candidates)
        scribble(choice, data, part.offset, part.offset + part.size)


def break_debug(choice, data, parts):
    for _ in range(choice.choice([1, 1, 3])):
        break_section(choice, data, parts, [".debug_"])


def break_unit(choice, data, parts):
    """The beginnings of .debug_* sections hold headers: lengths, versions, offsets."""
    candidates = [p for p in parts if p.name.startswith(".debug_")] or parts
    part = choice.choice(candidates)
    for _ in range(choice.choice([1, 2, 4])):
        put(choice, data, part.offset + choice.randrange(min(part.size, 64)))


def break_tables(choice, data, parts):
    break_section(choice, data, parts, [".eh_frame", ".symtab", ".strtab", ".dynsym", ".dynstr", ".dynamic", ".note", ".gnu", ".rela", ".shstrtab", ".interp"])


def swap_sections(choice, data, parts):
    """Two sections exchange their places: every offset points into the wrong kind of data."""
    candidates = [p for p in parts if p.name.startswith((".debug_", ".symtab", ".strtab", ".eh_frame"))]
    if len(candidates) > 1:
        a, b = choice.sample(candidates, 2)
        data[a.header + 24:a.header + 40], data[b.header + 24:b.header + 40] = data[b.header + 24:b.header + 40], data[a.header + 24:a.header + 40]


def cut(choice, data, parts):
    del data[choice.choice([choice.randrange(len(data)), choice.randrange(200), max(0, len(data) - choice.randrange(1, 5000))]):]


def blank(choice, data, parts):
    """A stretch of a section that is not code becomes all zeros, or all ones, or a copy of another stretch."""
    part = choice.choice([p for p in parts if not p.flags & CODE])
    n = choice.randrange(1, min(part.size, 4096) + 1)
    at = part.offset + choice.randrange(part.size - n + 1)
    other = choice.randrange(len(data) - n)
    data[at:at + n] = choice.choice([bytes(n), b"\xff" * n, bytes(data[other:other + n])])


BREAKERS = [(break_debug, 8), (break_unit, 5), (break_tables, 3), (break_section_table, 2), (swap_sections, 1), (cut, 2), (blank, 2),
            (break_header, 1), (break_program_headers, 1)]


class Mutants:
    """All mutants of the forms, made in a folder of their own."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.made = build(self.folder)
        self.sound = {}
        for key, (_, victim) in self.made.items():
            data = victim.read_bytes()
            self.sound[key] = (data, sections(data))

    def make(self, seed):
        """Writes mutant number `seed`; returns (program, inner function, description)."""
        choice = random.Random(seed)
        key = choice.choice(sorted(self.made))
        sound, parts = self.sound[key]
        data = bytearray(sound)
        breakers = [choice.choices(*zip(*BREAKERS))[0] for _ in range(choice.choice([1, 1, 1, 2]))]
        for breaker in sorted(breakers, key=lambda b: b is cut):
            breaker(choice, data, parts)
        folder = self.folder / "mutant"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        program, victim = self.made[key]
        shutil.copy(program, folder / program.name)
        (folder / victim.name).write_bytes(data)
        (folder / program.name).chmod(0o755)
        return folder / program.name, SOURCES[key[0]][1], f"seed {seed}: {'-'.join(key)}, {' and '.join(b.__name__ for b in breakers)}"


# ---- the conversation, and what is wrong with it ----

def processes_below(folder):
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.readlink(entry / "exe").startswith(f"{folder}/"):
                found.append(int(entry.name))
        except OSError:
            pass
    return found


def left_behind(folder):
    """Ends and returns who is still there a moment after ebb ended."""
    until = time.monotonic() + 3
    while (left := processes_below(folder)) and time.monotonic() < until:
        time.sleep(0.02)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return left


def own_seconds(pid):
    """Processor time that the process itself has used."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def converse(ebb, options, program, script, environment):
    """One conversation; returns (what went wrong or None, status, everything it said, its complaints)."""
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complained, tempfile.TemporaryFile() as typed:
        typed.write(script.encode())
        typed.seek(0)
        running = subprocess.Popen([ebb, "run", "--no-init", *options, program], stdin=typed, stdout=said, stderr=complained, env=environment,
                                   cwd=program.parent, start_new_session=True)
        wrong = None
        try:
            running.wait(SECONDS)
        except subprocess.TimeoutExpired:
            if own_seconds(running.pid) > SECONDS / 2:
                wrong = "ebb is busy with itself"
            for _ in range(10):  # the program's fault, perhaps: each Ctrl-C ends one command
                running.send_signal(signal.SIGINT)
                try:
                    running.wait(2)
                    break
                except subprocess.TimeoutExpired:
                    continue
            else:
                wrong = "ebb hangs"
                running.kill()
                running.wait()
        said.seek(0)
        complained.seek(0)
        return wrong, running.returncode, said.read().decode(errors="replace"), complained.read().decode(errors="replace")


def is_answer(line):
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def judge(ebb, program, inner, environment=None, as_json=False):
    """Takes a mutant through the conversation: E1 to E5."""
    script = SCRIPT.format(inner=inner)
    wrong, status, said, complaints = converse(ebb, ["--json"] if as_json else [], program, script,
                                             environment or {**os.environ, "LC_ALL": "C.UTF-8"})
    lines = complaints.splitlines()
    left = left_behind(program.parent)
    if not wrong and ("Sanitizer" in complaints or "runtime error:" in complaints):
        wrong = "a sanitizer complains"
    elif not wrong and status not in (0, 1):
        wrong = f"status {status}"
    elif not wrong and (len(lines) > len(script.splitlines()) + 5 or any(len(line) > LONGEST_LINE for line in lines)):
        wrong = f"{len(lines)} lines of complaints, the longest {max(map(len, lines))} bytes"
    elif not wrong and status == 1 and len(lines) != 1:
        wrong = f"status 1 with {len(lines)} lines of complaints"
    elif not wrong and as_json and not all(is_answer(line) for line in said.splitlines() if line.startswith('{"')):
        wrong = "an answer that is no JSON"
    if not wrong and left:
        wrong = f"left behind: {left}"
    return Outcome(wrong, status, said + complaints)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--count", type=int, default=1000)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--ebb", type=os.path.abspath, default=os.environ.get("EBB", str(ROOT / "build" / "ebb")))
    options.add_argument("--keep", type=pathlib.Path)
    chosen = options.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="ebb-elf-fuzz-"))
    failures, refused = 0, 0
    try:
        mutants = Mutants(folder)
        for seed in range(chosen.seed, chosen.seed + chosen.count):
            program, inner, name = mutants.make(seed)
            outcome = judge(chosen.ebb, program, inner, as_json=seed % 3 == 2)
            refused += outcome.status == 1
            if outcome.what:
                failures += 1
                print(f"{name}: {outcome.what}", flush=True)
                if chosen.keep:
                    shutil.copytree(program.parent, chosen.keep / str(seed), dirs_exist_ok=True)
                    (chosen.keep / str(seed) / "output").write_text(outcome.output)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"seeds {chosen.seed} to {chosen.seed + chosen.count - 1}: {failures} failures, {refused} files refused at once")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
