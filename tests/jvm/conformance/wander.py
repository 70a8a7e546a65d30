#!/usr/bin/python3
"""Moves at random through the histories of the conformance suite: wander [--seed S] [--moves N] [--flow] [--quick] [-v] [PATTERN...]

Each case must answer as HotSpot does; then tests/jvm/wander.c goes forward and back in what was recorded, by the undo log and by
replay, and every moment must have one state.  The seed of each case is printed where it fails: --seed with that number and
the case's name walks the same way again.  With --flow aliases are switched on and off on the way, which no state shows.
"""
import random
import sys
import time
from pathlib import Path

import by_hand
import conformance as c


def wander_program():
    return Path(c.jvm_dir()).parents[1] / 'tests' / 'jvm' / 'wander'


def differences(case, seed, moves, flow=False):
    command = case.command((f'-XXaltjvm={c.jvm_dir()}',))
    answer = c.execute([str(wander_program()), *(['-f'] if flow else []), str(seed), str(moves), *command], case.stdin, 20 * case.timeout, case.env)
    return c.differences(case, answer, c.on_hotspot(case))


def main():
    ap = by_hand.arguments(__doc__)
    ap.add_argument('--seed', type=int, default=None, help='of the first case; the others have the numbers after it')
    ap.add_argument('--moves', type=int, default=30, help='of each case')
    ap.add_argument('--flow', action='store_true', help='with aliases, switched at random')
    args = ap.parse_args()
    if c.why_no_machine():
        sys.exit(c.why_no_machine())
    selected = by_hand.selected(args)
    first = args.seed if args.seed is not None else random.randrange(1, 1 << 31)
    print(f'seed {first}', flush=True)
    start, failed, known = time.time(), 0, c.known_failures()
    for seed, case in enumerate(selected, first):
        wrong = [] if case.name in known else differences(case, seed, args.moves, args.flow)
        failed += bool(wrong)
        by_hand.tell(args, case, [f'seed {seed}', *wrong] if wrong else [])
    print(f'{len(selected) - failed} of {len(selected)} pass, {len(selected) * args.moves} moves, seed {first}, '
          f'{time.time() - start:.0f} s')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
