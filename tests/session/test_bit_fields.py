"""Bit-fields share their bytes with neighbours: the past of one is told of its own bits alone, as gdb's watchpoints tell it."""
import re
import subprocess

import pytest
from test_cc import PLUGIN, build

PROGRAM = r"""
    #include <stdbool.h>
    #include <stdlib.h>
    enum color { RED, GREEN, BLUE };
    struct fields { unsigned a : 3, b : 5; int c : 12; bool on : 1; enum color color : 2; unsigned long wide : 40; };
    struct fields f, many[3];

    __attribute__((noinline)) void set_a(struct fields *p, int v) { p->a = v; }
    __attribute__((noinline)) void set_b(struct fields *p, int v) { p->b = v; }
    __attribute__((noinline)) void set_c(struct fields *p, int v) { p->c = v; }
    __attribute__((noinline)) void set_on(struct fields *p, bool v) { p->on = v; }
    __attribute__((noinline)) void set_color(struct fields *p, enum color v) { p->color = v; }
    __attribute__((noinline)) void set_wide(struct fields *p, unsigned long v) { p->wide = v; }

    __attribute__((noinline)) void set_all(struct fields *p)
    {
        set_a(p, 2); set_b(p, 9); set_c(p, -5); set_on(p, true); set_color(p, BLUE); set_wide(p, 1UL << 39);
        set_a(p, 6); set_b(p, 1); set_c(p, 7); set_on(p, false); set_color(p, GREEN); set_wide(p, 5);
        set_a(p, 6); set_b(p, 30);
    }
    __attribute__((noinline)) void done(void) { }

    int main(void)
    {
        set_all(&f);
        set_all(&many[1]);
        done();
        return f.a == many[1].a ? 0 : 1;
    }
"""

# What the program's text says, in the order of time.
VALUES = {
    'a': ['0', '2', '6'], 'b': ['0', '9', '1', '30'], 'c': ['0', '-5', '7'], 'on': ['false', 'true', 'false'],
    'color': ['RED', 'BLUE', 'GREEN'], 'wide': ['0', str(1 << 39), '5'],
}
PLACES = ('f', 'many[1]')


@pytest.fixture(params=['c', 'c++'])
def program(request, compile_c, tmp_path):
    if request.param == 'c':
        return compile_c(PROGRAM, flags=('-g', '-O0'))
    (tmp_path / 'fields.cc').write_text(PROGRAM)
    subprocess.run(['g++', '-g', '-O0', '-o', tmp_path / 'fields', tmp_path / 'fields.cc'], check=True)
    return tmp_path / 'fields'


def say(ebb, program, *commands, options=()):
    words = [w for c in commands for w in ('-e', c)]
    done = ebb(['run', *options, '--batch', *words, '--', str(program)], timeout=120)
    return done.stdout + done.stderr


def listed(out):
    return [re.sub(r' \(at the beginning of history\)$', '', v) for v in re.findall(r'^(?:main|\d+@\S+)\t(.*)$', out, re.M)]


def changes(out):
    return list(zip(re.findall(r'^Old value = (.*)$', out, re.M), re.findall(r'^New value = (.*)$', out, re.M)))


def at_end(*commands):
    return 'break done', 'run', 'up', 'delete', *commands


def pairs(values):
    return list(zip(values, values[1:]))


def test_gdb_sees_these_values(program):
    for field, values in VALUES.items():
        words = [w for c in ('break main', 'run', f'watch many[1].{field}', *['continue'] * 5) for w in ('-ex', c)]
        out = subprocess.run(['gdb', '-nx', '-batch', *words, program], capture_output=True, text=True, check=False, timeout=120).stdout
        assert changes(out) == pairs(values)


def test_values(ebb, program):
    fields = [(f'{place}.{field}', values) for place in PLACES for field, values in VALUES.items()]
    out = say(ebb, program, *at_end(*(f'values {name}' for name, _ in fields)))
    assert listed(out) == [value for _, values in fields for value in values]


def test_last_write(ebb, program):
    for field, values in VALUES.items():
        out = say(ebb, program, *at_end(f'last-write many[1].{field}', 'backtrace'))
        assert changes(out) == pairs(values)[-1:] and f'in set_{field} (' in out


def test_watchpoints_both_ways(ebb, program):
    for field, values in (('b', VALUES['b']), ('c', VALUES['c'])):
        forward = say(ebb, program, 'break main', 'run', f'watch many[1].{field}', *['continue'] * 5)
        assert changes(forward) == pairs(values)
        back = say(ebb, program, *at_end(f'watch many[1].{field}', *['reverse-continue'] * 5))
        assert changes(back) == pairs(values[::-1])


def test_what_reads_neighbours_too_is_told_of_them(ebb, program):
    """The bits of the field that the value comes from are not all that it depends on."""
    what = 'f.b == 1 ? f.a : 0'
    assert changes(say(ebb, program, 'break main', 'run', f'watch {what}', *['continue'] * 5)) == [('0', '6'), ('6', '0')]


def test_bisect(ebb, program):
    out = say(ebb, program, *at_end('bisect f.a < 5', 'print f.a', 'print many[1].a'))
    assert '$1 = 6' in out and '$2 = 0' in out


def test_origin_says_that_it_cannot(ebb, program):
    assert '"f.a" is a bit-field' in say(ebb, program, *at_end('origin f.a'))


@pytest.mark.skipif(not PLUGIN.exists(), reason='the plugin was not built: install gcc-12-plugin-dev and g++')
def test_of_a_program_that_counts(ebb, tmp_path):
    (tmp_path / 'fields.c').write_text(PROGRAM)
    counted = build(tmp_path, tmp_path / 'fields.c', '-O0')
    for field, values in VALUES.items():
        out = say(ebb, counted, *at_end(f'values many[1].{field}', f'last-write many[1].{field}', 'backtrace'), options=['--native'])
        assert listed(out) == values
        assert changes(out) == pairs(values)[-1:] and re.search(rf'#0 .*set_{field} \(', out)
