#!/usr/bin/python3
"""Records cases of the conformance suite and replays them: replay [--quick] [--sanitized] [--every N] [--flow MODE] [-v] [PATTERN...]

Each case is recorded with state hashes (at every N-th end of a quantum or switch of threads), then replayed in another
directory, without its input, with other surroundings, and with an undo log, or with aliases of object flow (--flow on, writes or null), which must not be noticed.  Recorded it must answer as
HotSpot does; replayed it must show nothing and come to the end with the same states.
"""
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import by_hand
import conformance as c
import sanitizers


UNDO = 1 << 20
FLOW = []   # the mode, if any
NOT_CREATED = ('Could not create the Java Virtual Machine', 'Error occurred during initialization of VM')


def recorded(case, path, every, more_env=(), slower=1):
    env = (*case.env, *more_env, ('EBB_RECORD', str(path)), ('EBB_VERIFY', str(every)))
    return c.execute(case.command((f'-XXaltjvm={c.jvm_dir()}',)), case.stdin, 4 * slower * case.timeout, env)


def replayed(case, path, home=None, more_env=(), slower=1):
    """(status, stdout, stderr) of a replay by a launcher that knows nothing of the program."""
    stack = [o for o in case.options if o.startswith('-Xss')]
    command = [str((home or c.java_home()) / 'bin' / 'java'), f'-XXaltjvm={c.jvm_dir()}', *stack, '-cp', '/nowhere', 'Nobody']
    with tempfile.TemporaryDirectory(prefix='replay-') as cwd:
        env = {'PATH': '/bin', 'EBB_REPLAY': str(path), 'EBB_LOG': 'record', **({'EBB_FLOW': FLOW[0], 'EBB_FLOW_CHECK': '1'} if FLOW else {'EBB_UNDO': str(UNDO)}), **dict(more_env)}
        try:
            p = subprocess.run(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False,
                               timeout=8 * slower * case.timeout)
        except subprocess.TimeoutExpired:
            return 'timeout', '', ''
        return p.returncode, p.stdout.decode(errors='replace'), p.stderr.decode(errors='replace')


def differences(case, every=1, more_env=(), slower=1):
    """What is wrong with recording and replaying the case; how many states were compared; bytes of the recording."""
    with tempfile.TemporaryDirectory(prefix='recording-') as folder:
        path = Path(folder) / 'recording'
        answer = recorded(case, path, every, more_env, slower)
        wrong = [f'recorded: {d}' for d in c.differences(case, answer, c.on_hotspot(case))]
        if not path.exists() or any(x in answer.stdout + answer.stderr for x in NOT_CREATED):
            return wrong, 0, 0 # nothing was run
        status, out, err = replayed(case, path, None, more_env, slower)
        end = re.search(r'replayed to the end at timestamp (\d+), (\d+) states compared', err)
        if status != 0 or out or not end:
            wrong.append(f'replayed: status {status}, stdout {out[:200]!r}, stderr {err[-600:]!r}')
        return wrong, int(end[2]) if end else 0, path.stat().st_size


def sanitized_differences(case, every):
    """The same, and what the sanitizers say of both."""
    with tempfile.TemporaryDirectory(prefix='sanitized-') as folder:
        wrong, compared, size = differences(case, every, sanitizers.environment(Path(folder) / 'report'), sanitizers.SLOWER)
        reports = [p.read_text(errors='replace') for p in sorted(Path(folder).iterdir())]
    return wrong + [line for text in reports for line in sanitizers.findings(text)], compared, size


def main():
    ap = by_hand.arguments(__doc__)
    ap.add_argument('--sanitized', action='store_true', help='the machine of build-asan: a finding of a sanitizer is a difference too')
    ap.add_argument('--every', type=int, default=1, help='hash each N-th state')
    ap.add_argument('--flow', choices=['on', 'writes', 'null'], help='replay with aliases instead of an undo log')
    args = ap.parse_args()
    FLOW.extend([args.flow] if args.flow else [])
    if args.sanitized:
        os.environ.setdefault('EBB_JVM_DIR', str(c.ROOT / 'build-asan' / 'src' / 'jvm'))
    elif c.why_no_machine():
        sys.exit(c.why_no_machine())
    selected = by_hand.selected(args)
    start, failed, states, nbytes = time.time(), 0, 0, 0
    known = c.known_failures()
    for case in selected:
        wrong, compared, size = (sanitized_differences if args.sanitized else differences)(case, args.every)
        states += compared
        nbytes += size
        if case.name in known:
            wrong = []
        failed += bool(wrong)
        by_hand.tell(args, case, wrong, f': {compared} states, {size} bytes')
    print(f'{len(selected) - failed} of {len(selected)} pass, {states} states compared, {nbytes} bytes recorded, '
          f'{time.time() - start:.0f} s')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
