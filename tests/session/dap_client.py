"""A client of the Debug Adapter Protocol, as small as can be: it checks the form of every message that it gets."""
import json
import os
import queue
import subprocess
import threading

from conftest import EBB, SECONDS

MESSAGE_KEYS = {"response": {"request_seq", "success", "command"}, "event": {"event"}, "request": {"command"}}


class Refused(Exception):
    """The answer was no; its text says why."""


class Dap:
    """with Dap() as dap: ...; requests wait for their answer, events are kept until somebody waits for them."""

    def __init__(self, arguments=("dap",), cwd=None, env=None, streams=None):
        self.process = None
        if streams:
            self.to, self.of = streams
        else:
            self.process = subprocess.Popen([EBB, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd,
                                            env=env or os.environ, start_new_session=True)
            self.to, self.of = self.process.stdin, self.process.stdout
        self.seq, self.heard_seq = 0, 0
        self.messages = queue.Queue()
        self.events, self.output, self.capabilities = [], "", {}
        threading.Thread(target=self._listen, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.close()

    def close(self):
        try:
            self.to.close()
        except OSError:
            pass
        if self.process:
            try:
                self.process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                raise
            self.complaints = self.process.stderr.read().decode()
            self.process.stderr.close()

    # ---- messages

    def _listen(self):
        try:
            while message := self._read():
                self.messages.put(message)
        except (OSError, ValueError) as why:
            self.messages.put(why)
        self.messages.put(None)

    def _read(self):
        length = None
        while (line := self.of.readline()) not in (b"\r\n", b""):
            name, value = line.decode("ascii").split(":")
            assert name == "Content-Length" and length is None
            length = int(value)
        if length is None:
            return None
        return json.loads(self.of.read(length))

    def _check(self, message):
        assert message["seq"] == self.heard_seq + 1
        self.heard_seq += 1
        assert MESSAGE_KEYS[message["type"]] <= set(message)
        if message["type"] == "response" and not message["success"]:
            assert message["message"] and "\n" not in message["message"]

    def next(self, seconds=SECONDS):
        message = self.messages.get(timeout=seconds)
        if isinstance(message, Exception):
            raise message
        if message:
            self._check(message)
            if message.get("event") == "output":
                if message["body"]["category"] in ("stdout", "stderr"):
                    self.output += message["body"]["output"]
            if message.get("event") == "capabilities":
                self.capabilities.update(message["body"]["capabilities"])
        return message

    def send_bytes(self, data):
        self.to.write(data)
        self.to.flush()

    def send(self, command, **arguments):
        self.seq += 1
        body = json.dumps({"seq": self.seq, "type": "request", "command": command, "arguments": arguments}).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        return self.seq

    def answer(self, seq):
        while message := self.next():
            if message["type"] == "response" and message["request_seq"] == seq:
                if not message["success"]:
                    raise Refused(message["message"])
                return message.get("body", {})
            self.events.append(message)
        raise EOFError("the adapter is gone")

    def ask(self, command, **arguments):
        return self.answer(self.send(command, **arguments))

    def event(self, *names):
        """The next event of one of these names that nobody has waited for."""
        for i, message in enumerate(self.events):
            if message.get("event") in names:
                return self.events.pop(i)
        while message := self.next():
            if message.get("event") in names:
                return message
            self.events.append(message)
        raise EOFError(f"no {names}")

    # ---- what every session does

    def begin(self, request="launch", breakpoints=None, functions=(), before=None, **arguments):
        """initialize, launch, breakpoints, configurationDone; the first stop's body, or None if it just ended."""
        self.capabilities.update(self.ask("initialize", adapterID="ebb", linesStartAt1=True, columnsStartAt1=True, supportsInvalidatedEvent=True,
                                          supportsProgressReporting=True))
        seq = self.send(request, **arguments)
        self.answer(seq)
        self.event("initialized")
        for path, lines in (breakpoints or {}).items():
            self.ask("setBreakpoints", source={"path": str(path)}, breakpoints=[line if isinstance(line, dict) else {"line": line} for line in lines])
        if functions:
            self.ask("setFunctionBreakpoints", breakpoints=[{"name": name} for name in functions])
        if before:
            before(self)
        self.ask("configurationDone")
        return self.stop()

    def stop(self):
        message = self.event("stopped", "terminated")
        return message.get("body") if message["event"] == "stopped" else None

    def go(self, command, **arguments):
        """A move, and the stop that ends it."""
        arguments.setdefault("threadId", 1)
        self.ask(command, **arguments)
        return self.stop()

    def frames(self, thread=1, **arguments):
        return self.ask("stackTrace", threadId=thread, **arguments)["stackFrames"]

    def where(self, thread=1):
        top = self.frames(thread, levels=1)[0]
        return top["name"], top["line"]

    def variables(self, reference, **arguments):
        return {v["name"]: v for v in self.ask("variables", variablesReference=reference, **arguments)["variables"]}

    def locals(self, frame=None, thread=1):
        frame = frame or self.frames(thread, levels=1)[0]["id"]
        found = {}
        for scope in self.ask("scopes", frameId=frame)["scopes"]:
            if not scope["expensive"]:
                found.update(self.variables(scope["variablesReference"]))
        return found

    def value(self, expression, **arguments):
        frame = self.frames(levels=1)[0]["id"]
        return self.ask("evaluate", expression=expression, frameId=frame, context="watch", **arguments)["result"]

    def command(self, line):
        return self.ask("evaluate", expression=line, context="repl")["result"]
