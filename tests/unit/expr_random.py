#!/usr/bin/env python3
"""Writes random expressions as C: each is computed by the compiler and, from its text, by src/expr.

Undefined behaviour is kept out by construction (divisors are odd, shift counts small, no float becomes an
integer; a character literal is a char here, as in gdb, and so none is used; two arms of ?: of one type keep it, so one is promoted); what wraps round is defined by -fwrapv.  The seed is fixed: the test is the same every time."""
import sys

from expr_maker import Maker

INTEGERS = ["v_bool", "v_char", "v_schar", "v_uchar", "v_short", "v_ushort", "v_int", "v_uint", "v_long", "v_ulong",
            "v_llong", "v_ullong", "v_enum", "v_int128", "v_uint128"]
FLOATS = ["v_float", "v_double", "v_ldouble"]
COMPLEX = ["v_cfloat", "v_cdouble", "v_cldouble", "v_cinf", "2.5i", "1e3if", "7.25Li"]
COMPLEX_CASTS = ["float _Complex", "double _Complex", "long double _Complex"]
LITERALS = ["0", "1", "7", "255", "0x7fffffff", "2147483648", "0xffffffff", "4294967295u", "1l", "3ul", "5ll", "9ull",
            "0x8000000000000000", "077"]
FLOAT_LITERALS = ["1.5", "0.1f", "3.25L", "1e10", "0x1p-3", "100.f"]
CASTS = ["char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long", "long long", "_Bool", "__int128"]
FLOAT_CASTS = ["float", "double", "long double"]


class CMaker(Maker):
    def integer(self, depth):
        if depth <= 0:
            return self.leaf(INTEGERS, LITERALS, 0.7)
        kind = self.random.randrange(12)
        a = lambda: self.integer(depth - 1)
        if kind < 4:
            return f"({a()} {self.pick('+', '-', '*', '&', '|', '^')} {a()})"
        if kind == 4:
            return f"({a()} {self.pick('/', '%')} ({a()} | 1))"
        if kind == 5:
            return f"({a()} {self.pick('<<', '>>')} ({a()} & 7))"
        if kind == 6:
            return f"{self.pick('-', '~', '!', '+')}{a()}"
        if kind == 7:
            return f"(({self.random.choice(CASTS)}){a()})"
        if kind == 8:
            return f"({a()} {self.pick('==', '!=', '<', '>', '<=', '>=', '&&', '||')} {a()})"
        if kind == 9:
            return f"({self.real(depth - 1)} {self.pick('==', '!=', '<', '>', '<=', '>=')} {self.number(depth - 1)})"
        if kind == 10:
            return f"({self.number(depth - 1)} ? +{a()} : {a()})"
        return f"(int)sizeof({self.number(depth - 1)})"

    def real(self, depth):
        if depth <= 0:
            return self.leaf(FLOATS, FLOAT_LITERALS, 0.7)
        kind = self.random.randrange(8)
        if kind < 4:
            return self.mixed(self.real(depth - 1), self.number(depth - 1), "+", "-", "*", "/")
        if kind == 4:
            return f"{self.pick('-', '+')}{self.real(depth - 1)}"
        if kind == 5:
            return f"(({self.random.choice(FLOAT_CASTS)}){self.number(depth - 1)})"
        if kind == 6:
            return f"({self.integer(depth - 1)} ? {self.real(depth - 1)} : {self.number(depth - 1)})"
        return self.real(0)

    def complex(self, depth):
        if depth <= 0:
            return self.random.choice(COMPLEX)
        kind = self.random.randrange(8)
        if kind < 4:
            return self.mixed(self.complex(depth - 1), self.pick(self.number, self.complex)(depth - 1), "+", "-", "*", "/")
        if kind == 4:
            return f"{self.pick('-', '+', '~')}{self.complex(depth - 1)}"
        if kind == 5:
            return f"(({self.random.choice(COMPLEX_CASTS)}){self.pick(self.number, self.complex)(depth - 1)})"
        if kind == 6:
            return f"({self.complex(depth - 1)} ? {self.complex(depth - 1)} : {self.complex(depth - 1)})"
        return self.complex(0)

    def of_complex(self, depth):
        """A real number, made of a complex one."""
        kind = self.random.randrange(5)
        if kind < 2:
            return f"({self.complex(depth)} {self.pick('==', '!=')} {self.pick(self.number, self.complex)(depth)})"
        if kind == 2:
            return f"{self.pick('__real__', '__imag__')} {self.complex(depth)}"
        if kind == 3:
            return f"(({self.random.choice(FLOAT_CASTS)}){self.complex(depth)})"
        return f"!{self.complex(depth)}"


def main():
    maker = CMaker(20)
    with open(sys.argv[1], "w") as out:
        for i in range(2000):
            text = maker.number(1 + i % 4) if i % 3 else maker.pick(maker.complex, maker.of_complex)(i % 4)
            # A sign in front of another one would be an increment.
            while any(twice in text for twice in ("++", "--")):
                text = text.replace("++", "+ +").replace("--", "- -")
            out.write(f"CASE({text})\n")


main()
