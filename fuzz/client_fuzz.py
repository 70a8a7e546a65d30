#!/usr/bin/env python3
"""Hostile clients.  `fuzz/client_fuzz.py PROTOCOL PROGRAM [SECONDS [SEED]]` talks nonsense to `ebb dap`, `ebb mcp`, `ebb serve --gdb -` or `ebb serve --jdwp`
(PROTOCOL is dap, mcp, rsp or jdwp) of build/ebb, or of the binary that EBB names, which may be build-asan's: whole conversations whose messages are right in form and wrong in
what they say, and some that end in the middle of a message or promise a giant one.  It stops at the first crash, hang or complaint of a sanitizer, and leaves the conversation in
a file.  PROGRAM is compiled from a file beside it, PROGRAM.c; or it is a class file, which for jdwp it has to be and for rsp can't."""
import json
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
JUNK = [None, True, -1, 0, 1, 2**31, 2**63, 2**64, 1e308, "", "x", "\x00", "a" * 5000, [], {}, [[]], {"a": 1}, "-1", "0x", "*0", "%n%s", "main", "$pc",
        "1 @ 100000000", "é" * 50]


def spoil(r, value):
    """The same with some of it replaced, left away or added."""
    if isinstance(value, dict):
        other = {k: spoil(r, v) if r.random() < .5 else v for k, v in value.items()}
        if other and r.random() < .2:
            other.pop(r.choice(list(other)))
        if r.random() < .1:
            other[r.choice(["x", "seq", "type", "frameId", "threadId", "count", "start"])] = r.choice(JUNK)
        return other
    if isinstance(value, list):
        return [spoil(r, v) for v in value] if r.random() < .7 else r.choice(JUNK)
    return r.choice(JUNK) if r.random() < .4 else value


def spoil_bytes(r, data, share):
    return bytes(r.randrange(256) if r.random() < share else b for b in data)


def is_java(program):
    return program.suffix == ".class"


def cut(r, talk, giant):
    """A client that vanishes in the middle of a message, or whose last one is said to be very long."""
    how = r.random()
    return talk[:-r.randrange(1, 200)] if how < .2 else talk + giant if how < .3 else talk


# ---- DAP --------------------------------------------------------------------------------------------

def dap(r, program):
    source = {"path": str(program.with_suffix(".java")) if is_java(program) else f"{program}.c"}
    launch = {"mainClass": program.stem, "classPaths": [str(program.parent)]} if is_java(program) else {"program": str(program)}
    opening = [("initialize", {"adapterID": "ebb"}), ("launch", {**launch, "stopOnEntry": True}),
               ("setBreakpoints", {"source": source, "breakpoints": [{"line": 3, "condition": "1", "hitCondition": "3", "logMessage": "{x}"}]}),
               ("setFunctionBreakpoints", {"breakpoints": [{"name": "main"}]}), ("configurationDone", {})]
    more = [("threads", {}), ("stackTrace", {"threadId": 1, "startFrame": 0, "levels": 20}), ("scopes", {"frameId": 1}), ("variables", {"variablesReference": 1, "start": 0, "count": 5}),
            ("evaluate", {"expression": "1 + 1", "frameId": 1, "context": "watch"}), ("evaluate", {"expression": "info registers", "context": "repl"}),
            ("next", {"threadId": 1}), ("stepIn", {"threadId": 1}), ("stepOut", {"threadId": 1}), ("continue", {"threadId": 1}), ("pause", {"threadId": 1}),
            ("stepBack", {"threadId": 1, "granularity": "instruction"}), ("reverseContinue", {"threadId": 1}), ("restart", {}), ("cancel", {"requestId": 3}),
            ("disassemble", {"memoryReference": "0x555555555129", "instructionCount": 20, "instructionOffset": -5}),
            ("readMemory", {"memoryReference": "0x555555558014", "count": 64, "offset": 0}), ("writeMemory", {"memoryReference": "0x555555558014", "data": "AAAA"}),
            ("setVariable", {"variablesReference": 1, "name": "i", "value": "3"}), ("setExpression", {"expression": "$rax", "value": "3", "frameId": 1}),
            ("dataBreakpointInfo", {"name": "total"}), ("setDataBreakpoints", {"breakpoints": [{"dataId": "total", "accessType": "write"}]}),
            ("setInstructionBreakpoints", {"breakpoints": [{"instructionReference": "0x555555555129"}]}), ("completions", {"text": "to", "column": 3}),
            ("exceptionInfo", {"threadId": 1}), ("gotoTargets", {"source": source, "line": 3}), ("goto", {"threadId": 1, "targetId": 1}),
            ("modules", {"startModule": 0, "moduleCount": 5}), ("loadedSources", {}), ("source", {"sourceReference": 1}), ("stepInTargets", {"frameId": 1}),
            ("ebb/reverseStepIn", {"threadId": 1}), ("ebb/reverseStepOut", {"threadId": 1}), ("ebb/lastWrite", {"expression": "total", "frameId": 1}),
            ("ebb/values", {"expression": "total"}), ("ebb/bisect", {"expression": "total < 9"}), ("ebb/origin", {"expression": "total"}), ("ebb/goto", {"position": "40"}),
            ("ebb/bookmark", {"name": "here", "note": "x"}), ("ebb/bookmarks", {}), ("ebb/branch", {}), ("ebb/historySpan", {}),
            ("setExceptionBreakpoints", {"filters": ["throw"], "filterOptions": [{"filterId": "throw", "condition": "1"}]}),
            ("breakpointLocations", {"source": source, "line": 1, "endLine": 4})]
    talk = b""
    for number, (command, arguments) in enumerate(opening + [r.choice(more) for _ in range(40)], 1):
        is_kept = number <= 2
        message = {"seq": number, "type": "request", "command": command, "arguments": arguments if is_kept or r.random() < .5 else spoil(r, arguments)}
        body = json.dumps(message if is_kept or r.random() < .95 else spoil(r, message)).encode()
        body = spoil_bytes(r, body, .02) if r.random() < .02 else body
        talk += b"Content-Length: %d\r\n\r\n" % len(body) + body
    return cut(r, talk, b"Content-Length: %d\r\n\r\n{" % r.choice([2**30, 2**31, 2**63, 2**64 - 1, 2**70]))


# ---- MCP --------------------------------------------------------------------------------------------

def mcp(r, program):
    words = ["java", "-cp", str(program.parent), program.stem] if is_java(program) else [str(program)]
    opening = [("initialize", {"protocolVersion": "2024-11-05", "capabilities": {}}), ("tools/list", {}), ("tools/call", {"name": "open", "arguments": {"program": words}}),
               ("tools/call", {"name": "start", "arguments": {}})]
    tools = [("break", {"where": "add", "condition": "i == 40"}), ("watch", {"expression": "total"}), ("print", {"expression": "total"}), ("print", {"expression": "1 + 1"}),
             ("last_write", {"expression": "total"}), ("values", {"expression": "total"}), ("bisect", {"condition": "total < 9"}), ("goto", {"position": "40"}),
             ("goto", {"position": "end"}), ("frame", {"level": 1}), ("backtrace", {"limit": 3}), ("source", {"where": "1,3"}), ("delete", {"numbers": "1"}),
             *((name, {"count": 2}) for name in ("next", "step", "reverse_next", "reverse_step")), *((name, {"seconds": 1}) for name in ("continue", "reverse_continue")),
             *((name, {}) for name in ("run", "finish", "reverse_finish", "breakpoints", "locals", "arguments", "threads", "source", "history")),
             *(("command", {"line": line}) for line in ("info registers", "x/10i $pc", "until", "origin total", "bookmark a", "branch", "kill", "help")),
             ("open", {"program": words}), ("nothing", {})]
    calls = [("tools/call", {"name": name, "arguments": arguments}) for name, arguments in (r.choice(tools) for _ in range(30))]
    others = [("ping", {}), ("notifications/cancelled", {"requestId": 3}), ("resources/list", {}), ("tools/list", {"cursor": "x"})]
    talk = b""
    for number, (method, params) in enumerate([*opening, *calls, r.choice(others)], 1):
        is_kept = number <= len(opening)
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params if is_kept or r.random() < .6 else spoil(r, params)}
        line = json.dumps(message if is_kept or r.random() < .9 else spoil(r, message)).encode()
        talk += (spoil_bytes(r, line, .05) if not is_kept and r.random() < .05 else line).replace(b"\n", b" ") + b"\n"
    return cut(r, talk, b'{"jsonrpc": "' + b"a" * 20_000_000)


# ---- gdb's protocol ---------------------------------------------------------------------------------

PACKETS = [b"g", b"p0", b"p10", b"P0=0000000000000000", b"m555555558014,4", b"M555555558014,4:00000000", b"X555555558014,4:abcd", b"Z0,555555555129,1",
           b"Z2,555555558014,4", b"Z0,555555555129,1;X3,220022", b"z0,555555555129,1", b"vCont;s:p1.1", b"vCont;c", b"vCont;r555555555129,555555555140:p1.1",
           b"bs", b"bc", b"s", b"c", b"qfThreadInfo", b"qsThreadInfo", b"qC", b"Hg0", b"Hc-1", b"T1", b"qXfer:features:read:target.xml:0,fff",
           b"qXfer:auxv:read::0,1000", b"qXfer:libraries-svr4:read::0,fff", b"qXfer:exec-file:read::0,fff", b"qXfer:siginfo:read::0,100",
           b"qRcmd," + b"info registers".hex().encode(), b"vFile:open:2f6574632f706173737764,0,0", b"QPassSignals:e;10", b"qSearch:memory:555555558000;100;abc",
           b"G" + b"00" * 700, b"qSymbol::", b"qAttached"]


def spoil_packet(r, packet):
    packet = bytearray(packet)
    for _ in range(r.randrange(1, 4)):
        at = r.randrange(len(packet) + 1)
        how = r.randrange(4)
        if how == 0 and packet:
            packet[at % len(packet)] = r.choice(b"0123456789abcdef,;:-+#$*}~\x00\xff")
        elif how == 1:
            packet[at:at] = r.choice([b"ffffffffffffffff", b",", b";", b":", b"-1", b"0", b"~" * 50, b"99999999999"])
        elif how == 2:
            del packet[at:at + r.randrange(6)]
        else:
            packet += packet[:r.randrange(50)]
    return bytes(packet)


def rsp(r, program):
    talk = b""
    for packet in [b"qSupported:swbreak+;hwbreak+;vContSupported+;xmlRegisters=i386", b"QStartNoAckMode", b"?", *(r.choice(PACKETS) for _ in range(60))]:
        packet = spoil_packet(r, packet) if r.random() < .5 else packet
        talk += b"$" + packet + (b"#%02x" % (sum(packet) & 255) if r.random() < .97 else b"")
    return cut(r, talk, b"$m0,ffffffffffffffff#%02x$" % (sum(b"m0,ffffffffffffffff") & 255) + b"g" * 20_000_000)


# ---- JDWP --------------------------------------------------------------------------------------------

COMMANDS = {1: 22, 2: 19, 3: 4, 4: 1, 5: 1, 6: 5, 9: 10, 10: 1, 11: 14, 12: 3, 13: 3, 14: 1, 15: 3, 16: 4, 17: 1, 18: 2}
ENDINGS = {(1, 6), (1, 10)}  # what ends the conversation, or the program
IDS = [0, 1, 2, 3, 40, 400, 1 << 20, 1 << 32 | 1 << 16, 0x100000000000, 0x100000000008, 2**63, 2**64 - 1]


def jdwp_contents(r):
    """Ids, numbers, texts and bytes as they come."""
    data = b""
    for _ in range(r.randrange(7)):
        kind = r.randrange(4)
        if kind == 0:
            data += r.choice(IDS).to_bytes(8, "big")
        elif kind == 1:
            data += r.choice([0, 1, 2, 5, 100, 2**31, 2**32 - 1]).to_bytes(4, "big")
        elif kind == 2:
            word = r.choice([b"LAdds;", b"Ljava/lang/Object;", b"[I", b"", b"\xff\x00", b"x" * 300])
            data += len(word).to_bytes(4, "big") + word
        else:
            data += bytes(r.choice(b"\x00\x01\x02\x03ILsVZ[\xff") for _ in range(r.randrange(9)))
    return data


def jdwp(r, _program):
    talk = b"JDWP-Handshake"
    for number in range(1, 120):
        command_set = r.choice(list(COMMANDS))
        command = r.randrange(1, COMMANDS[command_set] + 1)
        if number % 40 == 0:
            command_set, command = 1, 9  # it runs for a while
        if (command_set, command) in ENDINGS and r.random() < .9:
            continue
        data = jdwp_contents(r)
        talk += (11 + len(data)).to_bytes(4, "big") + number.to_bytes(4, "big") + bytes([0, command_set, command]) + data
    return cut(r, talk, r.choice([2**20, 2**31, 2**32 - 1]).to_bytes(4, "big") + b"\x00\x00\x00\x01\x00\x01\x01")


def say_on_port(child, talk):
    """To the port that it tells first: all of it, and then nothing more; what comes back is read to its end."""
    port = int(re.search(rb":(\d+)\n", child.stderr.readline())[1])
    with socket.create_connection(("127.0.0.1", port), 200) as connection:
        sender = threading.Thread(target=send_all, args=(connection, talk))
        sender.start()
        try:
            while connection.recv(1 << 16):
                pass
        except ConnectionResetError:
            pass
        sender.join(200)


def send_all(connection, talk):
    try:
        connection.sendall(talk)
        connection.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # it had enough


# ---- conversations ----------------------------------------------------------------------------------

PROTOCOLS = {"dap": (dap, ["dap"]), "mcp": (mcp, ["mcp"]), "rsp": (rsp, ["serve", "--gdb", "-", "PROGRAM"]),
             "jdwp": (jdwp, ["serve", "--jdwp", "0", "java", "-cp", "FOLDER", "NAME"])}


SANITIZERS = re.compile(rb"ERROR: \w+Sanitizer|runtime error: |SUMMARY: \w+Sanitizer")


def verdict(status, complaints):
    """None, or what a sanitizer or the end of the process says."""
    found = SANITIZERS.search(complaints)
    if found:
        return f"a sanitizer complains: {complaints[found.start():found.start() + 1500].decode(errors='replace')}"
    return f"ended by signal {-status}: {complaints[-300:]!r}" if status < 0 else None


def converse(ebb, protocol, program, seed):
    """What went wrong in the conversation of that seed, or None; and what was said."""
    make, words = PROTOCOLS[protocol]
    talk = make(random.Random(seed), program)
    meant = {"PROGRAM": str(program), "FOLDER": str(program.parent), "NAME": program.stem}
    with subprocess.Popen([ebb, *(meant.get(w, w) for w in words)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, start_new_session=True) as child:
        try:
            if protocol == "jdwp":
                say_on_port(child, talk)
            _, complaints = child.communicate(None if protocol == "jdwp" else talk, timeout=200)
        except (subprocess.TimeoutExpired, TimeoutError):
            os.killpg(child.pid, signal.SIGKILL)
            return "a hang", talk
        except BaseException:
            os.killpg(child.pid, signal.SIGKILL) # or leaving would wait for it
            raise
    return verdict(child.returncode, complaints), talk


def main():
    protocol, program = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    seconds, seed = float((sys.argv[3:] or ["60"])[0]), int((sys.argv[4:] or ["1"])[0])
    ebb, end = os.environ.get("EBB", str(ROOT / "build" / "ebb")), time.time() + seconds
    while time.time() < end:
        wrong, talk = converse(ebb, protocol, program, seed)
        if wrong:
            file = tempfile.NamedTemporaryFile(prefix=f"{protocol}-{seed}-", delete=False)
            file.write(talk)
            sys.exit(f"seed {seed}: {wrong}; the conversation is in {file.name}")
        seed += 1
    print(f"seeds up to {seed - 1}: nothing found")


if __name__ == "__main__":
    main()
