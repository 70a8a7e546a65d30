"""Mutations of class files: some blind, most aimed at a part that the format or the verifier has to check."""
import struct

import classfile

INTERESTING = [0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 127, 128, 254, 255, 256, 0x7fff, 0x8000, 0xfffe, 0xffff]
NAMES = [b'I', b'J', b'V', b'[I', b'()V', b'(I)V', b'<init>', b'<clinit>', b'Ljava/lang/Object;', b'java/lang/Object', b'[[J', b'gen/T', b'', b'(',
         b'[' * 255 + b'I', b'Code', b'StackMapTable', b'BootstrapMethods', b'java/lang/String', b'\xc0\x80', b'\xff', b'L;', b'(J)J', b'run']


def flip_bit(r, d, c):
    at = r.randrange(len(d))
    d[at] ^= 1 << r.randrange(8)


def set_byte(r, d, c):
    d[r.randrange(len(d))] = r.choice(INTERESTING) & 0xff


def set_u2(r, d, c):
    struct.pack_into('>H', d, r.randrange(len(d) - 1), r.choice(INTERESTING))


def set_u4(r, d, c):
    struct.pack_into('>I', d, r.randrange(max(1, len(d) - 4)), r.choice([0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff0, 65535, 65536]))


def instruction(r, d, c):
    """A random instruction of the file, as (offset, code, is wide)."""
    start, n = r.choice(c.codes)
    return r.choice(list(c.instructions(start, n)))


def change_opcode(r, d, c):
    at, _, _ = instruction(r, d, c)
    d[at] = r.randrange(256)


def same_shape_opcode(r, d, c):
    """Another instruction of the same length: gets past the format, meets the verifier."""
    at, code, wide = instruction(r, d, c)
    shape = classfile.OPCODES[code][1]
    if not wide:
        d[at] = r.choice([i for i, (_, s) in enumerate(classfile.OPCODES) if s == shape])


def change_operand(r, d, c):
    at, code, wide = instruction(r, d, c)
    n = classfile.OPERAND_BYTES.get(classfile.OPCODES[code][1], 4)
    if n and at + 1 + n < len(d):
        d[at + 1 + r.randrange(n)] = r.choice([r.randrange(256), r.randrange(8)])


def change_limits(r, d, c):
    """max_stack or max_locals."""
    start, _ = r.choice(c.codes)
    struct.pack_into('>H', d, start - r.choice([8, 6]), r.choice([0, 1, 2, 3, 65535]))


def change_constant(r, d, c):
    """Another index in a constant that refers to others."""
    index, tag, at = r.choice(c.constants)
    if tag in (7, 8, 9, 10, 11, 12, 16, 17, 18):
        struct.pack_into('>H', d, at + 1 + 2 * (tag in (9, 10, 11, 12, 17, 18) and r.randrange(2)), r.randrange(len(c.constants) + 3))
    elif tag == 15:
        d[at + 1 + r.randrange(3)] = r.randrange(12)


def change_tag(r, d, c):
    _, _, at = r.choice(c.constants)
    d[at] = r.choice([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 16, 17, 18, 19, 20, 255])


def change_name(r, d, c):
    """Another text for a name, of any length: everything after it moves."""
    texts = [at for _, tag, at in c.constants if tag == 1]
    at = r.choice(texts)
    n = struct.unpack_from('>H', d, at + 1)[0]
    name = r.choice(NAMES)
    d[at + 1:at + 3 + n] = struct.pack('>H', len(name)) + name


def change_attribute(r, d, c):
    """Length or contents of an attribute."""
    _, at, n = r.choice(c.attributes)
    if n == 0 or r.randrange(3) == 0:
        struct.pack_into('>I', d, at, max(0, n + r.choice([-2, -1, 1, 2, 1000, 0xffff])) & 0xffffffff)
    else:
        d[at + 4 + r.randrange(n)] = r.choice([0, 1, 2, 3, 5, 8, 64, 128, 246, 247, 251, 255, r.randrange(256)])


def change_member(r, d, c):
    """Flags, name or descriptor of a field or method."""
    struct.pack_into('>H', d, r.choice(c.members) + 2 * r.randrange(3), r.choice([r.randrange(len(c.constants) + 2), 1 << r.randrange(16), 0]))


def change_version(r, d, c):
    struct.pack_into('>HH', d, 4, r.choice([0, 3, 65535]), r.choice([44, 45, 46, 48, 49, 50, 51, 52, 54, 55, 60, 61, 62]))


def cut(r, d, c):
    del d[r.randrange(10, len(d)):]


def remove_range(r, d, c):
    at = r.randrange(10, len(d))
    del d[at:at + r.randrange(1, 9)]


def repeat_range(r, d, c):
    at = r.randrange(10, len(d))
    d[at:at] = d[at:at + r.randrange(1, 17)]


BLIND = [flip_bit, set_byte, set_u2, set_u4, cut, remove_range, repeat_range, change_version]
FORMAT = [change_constant, change_tag, change_name, change_attribute, change_member]
CODE = [change_opcode, same_shape_opcode, change_operand, change_limits]
KINDS = [BLIND, FORMAT, FORMAT, CODE, CODE, CODE, CODE, CODE]     # most mutants should get as far as the verifier


def mutant(r, seed):
    """A mutated copy of `seed`; the same for the same random state."""
    d = bytearray(seed)
    for _ in range(r.choice([1, 1, 1, 2, 2, 3, 5])):
        try:
            parts = classfile.ClassFile(d)
            r.choice(r.choice(KINDS))(r, d, parts)
        except (struct.error, IndexError, KeyError, ValueError):
            flip_bit(r, d, None)
        if len(d) < 12:
            break
    return bytes(d)
