#!/usr/bin/env python3
"""Compiles Java sources and writes their class files as a C array of that name: embed.py JAVAC OUT.c NAME -g|-g:none SOURCE.java..."""
import pathlib
import subprocess
import sys
import tempfile


def main():
    javac, out, name, debug, *sources = sys.argv[1:]
    with tempfile.TemporaryDirectory() as tmp:
        subprocess.run([javac, '--release', '8', debug, '-Xlint:-options', '-d', tmp, *sources], check=True)
        files = sorted(pathlib.Path(tmp).rglob('*.class'))
        text = '/* Made by embed.py. */\n#include "weave/runtime.h"\n\n'
        rows = ''
        for n, path in enumerate(files):
            data = path.read_bytes()
            text += f'static const uint8_t class_{n}[] = {{{",".join(map(str, data))}}};\n'
            rows += f'    {{"{path.relative_to(tmp).as_posix()}", {{class_{n}, sizeof class_{n}}}}},\n'
        text += f'const weave_runtime_class {name}[] = {{\n{rows}    {{NULL, {{NULL, 0}}}},\n}};\n'
    pathlib.Path(out).write_text(text)


main()
