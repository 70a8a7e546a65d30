#!/usr/bin/python3
"""Runs cases of the conformance suite under the debugger: walk [--quick] [--plain] [-v] [PATTERN...]

Each must answer as HotSpot does; then tests/jvm/walk.c goes back and forth in what was recorded.  --plain: without a recording,
only that nothing changes.
"""
import argparse
import sys
import time
from pathlib import Path

import conformance as c


def walk_program():
    return Path(c.jvm_dir()).parents[1] / 'tests' / 'jvm' / 'walk'


def differences(case, plain):
    command = case.command((f'-XXaltjvm={c.jvm_dir()}',))
    answer = c.execute([str(walk_program()), *(['-p'] if plain else []), *command], case.stdin, 8 * case.timeout, case.env)
    return c.differences(case, answer, c.on_hotspot(case))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--quick', action='store_true', help='only the cases of quick.txt')
    ap.add_argument('--plain', action='store_true', help='nothing is recorded')
    ap.add_argument('-v', action='store_true', help='name the cases that pass too')
    ap.add_argument('pattern', nargs='*')
    args = ap.parse_args()
    if c.why_no_machine():
        sys.exit(c.why_no_machine())
    c.compile_suite()
    selected = c.quick_cases() if args.quick else c.cases()
    selected = [x for x in selected if not args.pattern or any(p in x.name for p in args.pattern)]
    start, failed, known = time.time(), 0, c.known_failures()
    for case in selected:
        wrong = differences(case, args.plain)
        if wrong and case.name not in known:
            failed += 1
            print(f'FAIL {case.name}', *wrong, sep='\n     ', flush=True)
        elif args.v:
            print(f'ok   {case.name}', flush=True)
    print(f'{len(selected) - failed} of {len(selected)} pass, {time.time() - start:.0f} s')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
