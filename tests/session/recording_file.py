"""Recordings as docs/recording-format.md describes them: read into blocks and events, changed, written again.

An implementation of its own, so that the page and the program are held against each other."""
import ctypes
import struct

MAGIC = b"\x89ebbrec\n"
EVENTS, SECTION, CUT = 1, 2, 3
HEAD = struct.Struct("<4sBBHIIQQQIIQ")
EVENTS_OF_ALL = ["VALUE", "BYTES", "EXIT", "MARK", "HASH", "FILE", "OPEN_FILE", "EDIT", "OUTPUT"]
EVENTS_OF_JAVA = ["WAKE", "KEEP", "NATIVE", "RETURN", "RAW", "JNI", "CALL", "ALLOC", "LOCAL", "WRITE", "REGISTER", "FIND_BOOT", "THROW",
                  "ATTACH", "DETACH", "DESTROY"]
NAMES = {**dict(enumerate(EVENTS_OF_ALL, 1)), **dict(enumerate(EVENTS_OF_JAVA, 32))}
M64 = (1 << 64) - 1


def xxh64(data):
    p1, p2, p3, p4, p5 = (11400714785074694791, 14029467366897019727, 1609587929392839161, 9650029242287828579, 2870177450012600261)

    def rotate(x, n):
        return ((x << n) | (x >> (64 - n))) & M64

    def step(acc, lane):
        return rotate((acc + lane * p2) & M64, 31) * p1 & M64

    at = 0
    if len(data) >= 32:
        lanes = [(p1 + p2) & M64, p2, 0, -p1 & M64]
        while at + 32 <= len(data):
            lanes = [step(a, v) for a, v in zip(lanes, struct.unpack_from("<4Q", data, at))]
            at += 32
        h = sum(rotate(a, n) for a, n in zip(lanes, (1, 7, 12, 18))) & M64
        for a in lanes:
            h = ((h ^ step(0, a)) * p1 + p4) & M64
    else:
        h = p5
    h = (h + len(data)) & M64
    for size, form in ((8, "<Q"), (4, "<I"), (1, "<B")):
        while at + size <= len(data):
            v = struct.unpack_from(form, data, at)[0]
            if size == 8:
                h = (rotate(h ^ step(0, v), 27) * p1 + p4) & M64
            elif size == 4:
                h = (rotate(h ^ (v * p1 & M64), 23) * p2 + p3) & M64
            else:
                h = rotate(h ^ (v * p5 & M64), 11) * p1 & M64
            at += size
    h = (h ^ (h >> 33)) * p2 & M64
    h = (h ^ (h >> 29)) * p3 & M64
    return h ^ (h >> 32)


def unpacked(data, nbytes):
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    out = ctypes.create_string_buffer(nbytes)
    n = zstd.ZSTD_decompress(out, ctypes.c_size_t(nbytes), data, ctypes.c_size_t(len(data)))
    assert n == nbytes, "a block unpacks to what its head says"
    return out.raw


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def as_varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


class Event:
    def __init__(self, kind, timestamp, values):
        self.kind, self.timestamp, self.values = kind, timestamp, values

    @property
    def name(self):
        return NAMES[self.kind]

    def numbers(self):
        """Its values, where all of them are varints."""
        found, at = [], 0
        while at < len(self.values):
            value, at = varint(self.values, at)
            found.append(value)
        return found


class Block:
    def __init__(self, kind, section, first, first_time, last_time, payload):
        self.kind, self.section, self.first = kind, section, first
        self.first_time, self.last_time = first_time, last_time
        self.payload = payload
        self.events = self._events() if kind == EVENTS else []

    def _events(self):
        events, at, time = [], 0, self.first_time
        while at < len(self.payload):
            kind, at = varint(self.payload, at)
            delta, at = varint(self.payload, at)
            nbytes, at = varint(self.payload, at)
            time += delta
            events.append(Event(kind, time, self.payload[at:at + nbytes]))
            at += nbytes
        return events

    def bytes(self):
        payload, time = self.payload, self.first_time
        if self.kind == EVENTS:
            payload = b""
            for e in self.events:
                payload += as_varint(e.kind) + as_varint(e.timestamp - time) + as_varint(len(e.values)) + e.values
                time = e.timestamp
        fields = [b"EBLK", self.kind, 0, self.section, len(payload), len(payload), self.first, self.first_time, self.last_time,
                  len(self.events), 0, xxh64(payload)]
        fields[10] = xxh64(HEAD.pack(*fields)) & 0xffffffff
        return HEAD.pack(*fields) + payload


class RecordingFile:
    def __init__(self, path, is_checked=True):
        """Checksums take Python a second for each megabyte."""
        data = path.read_bytes()
        assert data[:8] == MAGIC and struct.unpack_from("<II", data, 8) == (2, 32)
        assert struct.unpack_from("<Q", data, 24)[0] == xxh64(data[:24])
        self.prologue, self.blocks, at = data[:32], [], 32
        while at < len(data):
            magic, kind, packing, section, stored, raw, first, first_time, last_time, n, _, checksum = HEAD.unpack_from(data, at)
            payload = data[at + HEAD.size:at + HEAD.size + stored]
            assert magic == b"EBLK" and (not is_checked or xxh64(payload) == checksum)
            self.blocks.append(Block(kind, section, first, first_time, last_time, unpacked(payload, raw) if packing else payload))
            assert len(self.blocks[-1].events) == n
            at += HEAD.size + stored

    def events(self, name=None):
        return [e for b in self.blocks for e in b.events if name in (None, e.name)]

    def write(self, path):
        path.write_bytes(self.prologue + b"".join(b.bytes() for b in self.blocks))
        path.chmod(0o600)
