#!/usr/bin/python3
"""Runs cases of the conformance suite under the debugger: walk [--quick] [--plain | --log] [-v] [PATTERN...]

Each must answer as HotSpot does; then tests/jvm/walk.c goes back and forth in what was recorded.  --plain: without a recording,
only that nothing changes.  --log: they keep an undo log while they run, and go back by it now and then.
"""
import sys
import time
from pathlib import Path

import by_hand
import conformance as c


def walk_program():
    return Path(c.jvm_dir()).parents[1] / 'tests' / 'jvm' / 'walk'


def differences(case, option):
    command = case.command((f'-XXaltjvm={c.jvm_dir()}',))
    answer = c.execute([str(walk_program()), *option, *command], case.stdin, 8 * case.timeout, case.env)
    return c.differences(case, answer, c.on_hotspot(case))


def main():
    ap = by_hand.arguments(__doc__)
    ap.add_argument('--plain', action='store_const', const=['-p'], dest='option', default=[], help='nothing is recorded')
    ap.add_argument('--log', action='store_const', const=['-l'], dest='option', help='an undo log is kept while they run')
    args = ap.parse_args()
    if c.why_no_machine():
        sys.exit(c.why_no_machine())
    selected = by_hand.selected(args)
    start, failed, known = time.time(), 0, c.known_failures()
    for case in selected:
        wrong = differences(case, args.option)
        if case.name in known:
            wrong = []
        failed += bool(wrong)
        by_hand.tell(args, case, wrong)
    print(f'{len(selected) - failed} of {len(selected)} pass, {time.time() - start:.0f} s')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
