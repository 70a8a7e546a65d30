#!/usr/bin/env python3
"""Asks gdb and the symbol reader the same questions about a program, and shows where they differ.

    compare_with_gdb.py PROBE PROGRAM [--addresses N] [--show N]

Every function and every line is a breakpoint question; addresses are spread over the code; types come from the
names of functions, variables, structs and typedefs."""
import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def blocks(text):
    answers, current = [], []
    for line in text.splitlines():
        if line == ".":
            answers.append(current)
            current = []
        else:
            current.append(line)
    return answers


def ask_probe(probe, program, questions):
    done = subprocess.run([probe, program], input="\n".join(questions) + "\n", capture_output=True, text=True, timeout=600)
    if done.returncode:
        sys.exit(f"probe failed ({done.returncode}): {done.stderr[-300:]}")
    return blocks(done.stdout)


def ask_gdb(program, questions):
    with tempfile.TemporaryDirectory() as folder:
        asked, answered = os.path.join(folder, "q"), os.path.join(folder, "a")
        pathlib.Path(asked).write_text("\n".join(questions) + "\n")
        subprocess.run(["gdb", "-nx", "-batch", "-ex", "set breakpoint pending off", "-ex", "set width 0",
                        "-x", str(HERE / "gdb_answers.py"), program],
                       env=dict(os.environ, QUESTIONS=asked, ANSWERS=answered, DEBUGINFOD_URLS=""),
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=1200)
        return blocks(pathlib.Path(answered).read_text())


def code_addresses(program, count):
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "-j", ".text", program], capture_output=True, text=True).stdout
    found = re.findall(r"^\s+([0-9a-f]+):", text, re.M)
    return found if len(found) <= count else sorted(random.Random(1).sample(found, count))


def make_questions(probe, program, n_addresses):
    functions, lines = ask_probe(probe, program, ["functions", "lines"])
    questions = [f"break {name}" for name in sorted(set(functions))]
    longest = {}
    for line in lines:
        path, _, last = line.rpartition(" ")
        longest[path] = max(longest.get(path, 0), int(last))
    for path, last in sorted(longest.items()):
        numbers = range(1, last + 2)
        if last > 3000:
            numbers = sorted(random.Random(2).sample(numbers, 1500))
        questions += [f"breakline {path} {number}" for number in numbers]
    for address in code_addresses(program, n_addresses):
        questions += [f"pc {address}", f"at {address}", f"locals {address}"]
    questions += [f"whatis {name}" for name in sorted(set(functions))]
    variables, types = ask_probe(probe, program, ["search v .", "search t ."])
    for line in variables:
        found = re.search(r": (?:static )?(?:[^;]*?)([A-Za-z_]\w*)(?:\[[^;]*)?;$", line)
        if found:
            questions += [f"whatis {found[1]}", f"ptype {found[1]}"]
    for line in types:
        if found := re.search(r": struct (\w+);$", line):
            questions.append(f"struct {found[1]}")
        if found := re.search(r": typedef .*?\b(\w+);$", line):
            questions.append(f"type {found[1]}")
    return questions


def normal(question, answer):
    word = question.split()[0]
    if answer and answer[0].startswith("error"):
        return ["error"]
    if word in ("break", "breakline"): # gdb's Python names the outer function of an inlined one
        return sorted(line.rpartition(" ")[0] for line in answer)
    if word == "at":
        return [line.split()[0] for line in answer]
    if word == "locals":
        groups, out = [], []
        for line in answer:
            if line == "{":
                groups.append([])
                continue
            if line.endswith(";"): # a declaration: the declared name
                line = declared_name(line)
            groups[-1].append(line)
        for group in groups:
            out += ["{"] + sorted(set(group))
        return out
    return answer


def declared_name(line):
    param = "param " if line.startswith("param ") else ""
    text = re.sub(r"^(param |static )", "", line).rstrip(";")
    if found := re.search(r"\(\*+(?:const |volatile |restrict )*(\w+)", text):
        return param + found[1]
    text = re.sub(r"(\[[^\]]*\])+$", "", text)
    text = re.sub(r"(\[[^\]]*\])+\)?.*$", "", text) if "(*" in text else text
    return param + re.findall(r"\w+", text)[-1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("probe")
    parser.add_argument("program")
    parser.add_argument("--addresses", type=int, default=2000)
    parser.add_argument("--show", type=int, default=8)
    options = parser.parse_args()
    questions = make_questions(options.probe, options.program, options.addresses)
    ours, theirs = ask_probe(options.probe, options.program, questions), ask_gdb(options.program, questions)
    if len(ours) != len(questions) or len(theirs) != len(questions):
        sys.exit(f"answers are missing: {len(questions)} questions, {len(ours)} ours, {len(theirs)} gdb's")
    counts, shown = {}, {}
    for question, a, b in zip(questions, ours, theirs):
        word = question.split()[0]
        same = normal(question, a) == normal(question, b)
        total, wrong = counts.get(word, (0, 0))
        counts[word] = (total + 1, wrong + (not same))
        if not same:
            shown[word] = shown.get(word, 0) + 1
            if shown[word] <= options.show:
                print(f"--- {question}\n  ebb {normal(question, a)}\n  gdb {normal(question, b)}")
    print(options.program, " ".join(f"{word}:{wrong}/{total}" for word, (total, wrong) in sorted(counts.items())))
    return 1 if any(wrong for _, wrong in counts.values()) else 0


sys.exit(main())
