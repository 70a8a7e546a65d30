"""Just enough of the class-file format to find its parts: constants, attributes and the instructions of each method."""
import re
import struct
from pathlib import Path

TABLE = Path(__file__).resolve().parents[2] / 'tests' / 'jvm' / 'conformance' / 'support' / 'Opcodes.java'
CONSTANT_SIZES = {3: 5, 4: 5, 5: 9, 6: 9, 7: 3, 8: 3, 9: 5, 10: 5, 11: 5, 12: 5, 15: 4, 16: 3, 17: 5, 18: 5, 19: 3, 20: 3}
OPERAND_BYTES = {'NONE': 0, 'BYTE': 1, 'SHORT': 2, 'LDC': 1, 'LDC_W': 2, 'LOCAL': 1, 'IINC': 2, 'BRANCH': 2, 'BRANCH_W': 4, 'FIELD': 2,
                 'METHOD': 2, 'INTERFACE': 4, 'DYNAMIC': 4, 'TYPE': 2, 'ARRAY': 1, 'MULTI': 3}


def read_opcodes():
    """(name, shape) by code, from the table of the assembler."""
    text = re.search(r'TABLE = """(.*?)"""', TABLE.read_text(), re.DOTALL).group(1)
    ops, shape = [], None
    for word in text.split():
        if word.isupper() or word in OPERAND_BYTES or word in ('TABLE', 'LOOKUP', 'WIDE'):
            shape = word
        else:
            ops.append((word, shape))
    return ops


OPCODES = read_opcodes()


class ClassFile:
    """Where things are in a class file that is well formed; struct.error or IndexError if it is not."""

    def __init__(self, data):
        self.data = bytes(data)
        self.constants = []     # (index, tag, offset)
        self.codes = []         # (offset, length) of the bytes of each method
        self.attributes = []    # (name, offset of the length, length)
        self.members = []       # offset of each field_info and method_info
        self.utf8 = {}
        at = self._pool(8)
        at += 6
        at = at + 2 + 2 * self._u2(at)
        for _ in ('fields', 'methods'):
            count = self._u2(at)
            at += 2
            for _ in range(count):
                self.members.append(at)
                at = self._attributes(at + 6)
        self.size = self._attributes(at)

    def _u2(self, at):
        return struct.unpack_from('>H', self.data, at)[0]

    def _u4(self, at):
        return struct.unpack_from('>I', self.data, at)[0]

    def _pool(self, at):
        count, at, index = self._u2(at), at + 2, 1
        while index < count:
            tag = self.data[at]
            self.constants.append((index, tag, at))
            if tag == 1:
                size = 3 + self._u2(at + 1)
                self.utf8[index] = self.data[at + 3:at + size]
            else:
                size = CONSTANT_SIZES[tag]
            at += size
            index += 2 if tag in (5, 6) else 1
        return at

    def _attributes(self, at):
        count, at = self._u2(at), at + 2
        for _ in range(count):
            name, length = self.utf8.get(self._u2(at), b'?').decode('latin-1'), self._u4(at + 2)
            self.attributes.append((name, at + 2, length))
            if name == 'Code':
                ncode = self._u4(at + 10)
                self.codes.append((at + 14, ncode))
                handlers = at + 14 + ncode
                self._attributes(handlers + 2 + 8 * self._u2(handlers))
            at += 6 + length
        return at

    def instructions(self, start, length):
        """(offset, code, is wide) of each instruction of the method whose bytes are at `start`."""
        at = start
        while at < start + length:
            code = self.data[at]
            wide = code == 196
            if wide:
                code = self.data[at + 1]
            yield at, code, wide
            at += self._size(at, start, code, wide)

    def _size(self, at, start, code, wide):
        shape = OPCODES[code][1]
        if wide:
            return 6 if shape == 'IINC' else 4
        if shape in ('TABLE', 'LOOKUP'):
            body = at + 1 + -(at + 1 - start) % 4
            if shape == 'TABLE':
                return body + 12 + 4 * (self._u4(body + 8) - self._u4(body + 4) + 1 & 0xffffffff) - at
            return body + 8 + 8 * self._u4(body + 4) - at
        return 1 + OPERAND_BYTES[shape]


def opcodes_used(data):
    """The mnemonics in a class file, `wide X` for wide forms."""
    c = ClassFile(data)
    return {('wide ' if wide else '') + OPCODES[code][0] for start, n in c.codes for _, code, wide in c.instructions(start, n)}
