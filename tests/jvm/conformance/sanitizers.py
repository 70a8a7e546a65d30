"""Cases on a machine built with the address, undefined and leak sanitizers: what they find of ours is a difference.

The stock launcher knows nothing of sanitizers, so their libraries are preloaded.  Reports go to files; a leak counts if
our library is on its stack, any other report counts always.  What the launcher and the JDK's libraries leave over is theirs.
"""
import re
import subprocess
import tempfile
from pathlib import Path

import conformance

SLOWER = 10
ASAN = ('handle_segv=0:handle_sigfpe=0:handle_abort=0:allow_user_segv_handler=1:detect_stack_use_after_return=0:'
        'exitcode=0:halt_on_error=1:abort_on_error=0:allocator_may_return_null=1')


def environment(log):
    libraries = [subprocess.run(['gcc', f'-print-file-name=lib{name}.so'], capture_output=True, text=True, check=True).stdout.strip()
                 for name in ('asan', 'ubsan')]
    return (('LD_PRELOAD', ' '.join(libraries)), ('ASAN_OPTIONS', f'{ASAN}:log_path={log}'),
            ('UBSAN_OPTIONS', f'print_stacktrace=1:log_path={log}'))


def findings(text):
    """The reports of one process that are about us, in one line each."""
    found = [line.strip() for line in text.splitlines() if 'runtime error:' in line]
    for report in re.split(r'^=+$', text, flags=re.MULTILINE):
        error = re.search(r'ERROR: AddressSanitizer: .*', report)
        if error:
            where = re.search(r'#\d+ \S+ in (\w+ \S*src/jvm\S+)', report)
            found.append(error[0] + (f' at {where[1]}' if where else ''))
    for leak in re.findall(r'^(?:Direct|Indirect) leak of .*?(?:\n\n|\Z)', text, flags=re.MULTILINE | re.DOTALL):
        ours = re.findall(r'in (\w+) \S*src/(?:jvm|base)/', leak)
        if ours:
            found.append(f'{leak.splitlines()[0]} {" < ".join(ours[:6])}')
    return found


def check(case):
    """Differences from HotSpot, and what the sanitizers say."""
    oracle = conformance.on_hotspot(case)
    with tempfile.TemporaryDirectory(prefix='sanitized-') as folder:
        ours = conformance.on_ours(case, environment(Path(folder) / 'report'), SLOWER)
        reports = [p.read_text(errors='replace') for p in sorted(Path(folder).iterdir())]
    return conformance.differences(case, ours, oracle) + [line for text in reports for line in findings(text)]
