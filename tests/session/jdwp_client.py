"""The Java Debug Wire Protocol, spoken by hand: what jdb never asks for can be asked of HotSpot and of ebb alike."""
import socket
import struct

SECONDS = 180


def text(value):
    data = value.encode()
    return struct.pack('>I', len(data)) + data


def u8(value):
    return struct.pack('>Q', value)


def u4(value):
    return struct.pack('>I', value)


class Answer:
    """An error, or contents that are read one after the other."""

    def __init__(self, error, data):
        self.error, self.data, self.at = error, data, 0

    def take(self, nbytes):
        got = self.data[self.at:self.at + nbytes]
        assert len(got) == nbytes, 'the answer is too short'
        self.at += nbytes
        return got

    def number(self, nbytes):
        return int.from_bytes(self.take(nbytes), 'big')

    def u1(self):
        return self.number(1)

    def u4(self):
        return self.number(4)

    def id(self):
        return self.number(8)

    def text(self):
        return self.take(self.u4()).decode()

    def place(self):
        return self.u1(), self.id(), self.id(), self.id()

    def value(self):
        tag = chr(self.u1())
        nbytes = {'Z': 1, 'B': 1, 'C': 2, 'S': 2, 'I': 4, 'F': 4, 'V': 0}.get(tag, 8)
        return tag, self.number(nbytes)


class Jdwp:
    """One conversation.  Ids have eight bytes, as they have with both."""

    def __init__(self, port):
        self.socket = socket.create_connection(('127.0.0.1', port), timeout=SECONDS)
        self.received, self.last, self.events = b'', 0, []
        self.socket.sendall(b'JDWP-Handshake')
        while len(self.received) < 14:
            self.hear()
        assert self.received[:14] == b'JDWP-Handshake'
        self.received = self.received[14:]

    def hear(self):
        got = self.socket.recv(1 << 16)
        if not got:
            raise EOFError
        self.received += got

    def packet(self):
        while len(self.received) < 11:
            self.hear()
        nbytes = int.from_bytes(self.received[:4], 'big')
        while len(self.received) < nbytes:
            self.hear()
        packet, self.received = self.received[:nbytes], self.received[nbytes:]
        return packet

    def ask(self, command_set, command, data=b''):
        self.last += 1
        self.socket.sendall(struct.pack('>IIBBB', 11 + len(data), self.last, 0, command_set, command) + data)
        while True:
            packet = self.packet()
            if packet[8] & 0x80 and int.from_bytes(packet[4:8], 'big') == self.last:
                return Answer(int.from_bytes(packet[9:11], 'big'), packet[11:])
            self.events.append(packet)

    def good(self, command_set, command, data=b''):
        answer = self.ask(command_set, command, data)
        assert answer.error == 0, f'{command_set}.{command} is refused with {answer.error}'
        return answer

    def event(self):
        """The next packet of events: what stands still, and their bytes from the first one's kind on."""
        packet = self.events.pop(0) if self.events else self.packet()
        answer = Answer(0, packet[11:])
        policy, n = answer.u1(), answer.u4()
        return policy, n, answer

    # ---- what every test needs ----

    def class_named(self, name):
        answer = self.good(1, 2, text(f'L{name};'))
        return answer.id() if answer.u4() and answer.u1() else None

    def wait_for_class(self, name):
        found = self.class_named(name)
        if not found:
            self.request(8, 2, b'\x05' + text(name.replace('/', '.')))
            self.resume()
            self.stop(8)
            found = self.class_named(name)
        return found

    def methods(self, cls):
        answer = self.good(2, 15, u8(cls))
        return [(answer.id(), answer.text(), answer.text(), answer.text(), answer.u4()) for _ in range(answer.u4())]

    def method(self, cls, name):
        return next(row[0] for row in self.methods(cls) if row[1] == name)

    def fields(self, cls):
        answer = self.good(2, 14, u8(cls))
        return [(answer.id(), answer.text(), answer.text(), answer.text(), answer.u4()) for _ in range(answer.u4())]

    def request(self, kind, policy, *filters):
        return self.good(15, 1, bytes([kind, policy]) + u4(len(filters)) + b''.join(filters)).u4()

    def clear(self, kind, request):
        self.good(15, 2, bytes([kind]) + u4(request))

    def break_in(self, cls, name, bci=0):
        return self.request(2, 2, b'\x07\x01' + u8(cls) + u8(self.method(cls, name)) + u8(bci))

    def resume(self):
        self.good(1, 9)

    def stop(self, kind):
        """Waits for an event of that kind, and reads its thread."""
        while True:
            _, _, event = self.event()
            got = event.u1()
            if got == kind:
                event.u4()
                event.thread = event.id()
                return event
            assert got not in (99,), 'the program has ended'
            if got == 90:
                continue

    def name_of(self, thread):
        return self.good(11, 1, u8(thread)).text()

    def type_of(self, object_id):
        answer = self.good(9, 1, u8(object_id))
        answer.u1()
        return self.good(2, 1, u8(answer.id())).text()

    def string(self, object_id):
        return self.good(10, 1, u8(object_id)).text()

    def place_name(self, place):
        _, cls, method, index = place
        if not cls:  # HotSpot's own threads, and those that are ending, have no Java frame
            return '?', '?', index
        name = next((row[1] for row in self.methods(cls) if row[0] == method), '?')
        return self.good(2, 1, u8(cls)).text(), name, index
