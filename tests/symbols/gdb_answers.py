"""Runs inside gdb: answers the questions of a file in the probe's own format, one block per question."""
import os
import gdb


def spots(spec):
    try:
        breakpoint = gdb.Breakpoint(spec)
    except Exception as error:
        return ["error " + str(error)]
    if breakpoint.pending:
        answer = ["error pending"]
    else:
        answer = sorted("0x%x %s %d %s" % (at.address, at.source[0] if at.source else "-", at.source[1] if at.source else 0, at.function or "-")
                        for at in breakpoint.locations)
    breakpoint.delete()
    return answer


def line_at(address):
    at = gdb.find_pc_line(address)
    if at.symtab is None:
        return ["none"]
    return ["%s %d 0x%x 0x%x" % (at.symtab.filename, at.line, at.pc, at.last + 1 if at.last else 0)]


def functions_at(address):
    names = []
    block = gdb.block_for_pc(address)
    while block and not block.is_static and not block.is_global:
        if block.function:
            names.append(block.function.name)
        block = block.superblock
    return names


def is_listed(symbol):
    if symbol.is_constant and symbol.type.code == gdb.TYPE_CODE_ENUM:
        return symbol.name not in [field.name for field in symbol.type.fields()]
    return symbol.is_variable or symbol.is_argument or symbol.is_constant


def locals_at(address):
    out = []
    block = gdb.block_for_pc(address)
    while block and not block.is_static and not block.is_global:
        out.append("{")
        out += sorted(("param " if s.is_argument else "") + s.name for s in block if is_listed(s))
        block = block.superblock
    return out


def answer(question):
    word, _, argument = question.partition(" ")
    if word == "break":
        return spots(argument)
    if word == "breakline":
        path, _, line = argument.rpartition(" ")
        return spots("%s:%s" % (path, line))
    if word == "pc":
        return line_at(int(argument, 16))
    if word == "at":
        return functions_at(int(argument, 16))
    if word == "locals":
        return locals_at(int(argument, 16))
    command = {"whatis": "whatis ", "ptype": "ptype ", "struct": "ptype struct ", "type": "ptype "}[word]
    try:
        text = gdb.execute(command + argument, to_string=True)
    except gdb.error as error:
        return ["error " + str(error)]
    return text.replace("type = ", "", 1).rstrip("\n").split("\n")


with open(os.environ["QUESTIONS"]) as questions, open(os.environ["ANSWERS"], "w") as answers:
    for question in questions:
        for line in answer(question.rstrip("\n")):
            answers.write(line + "\n")
        answers.write(".\n")
