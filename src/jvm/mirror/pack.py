#!/usr/bin/env python3
"""Compiles Java sources into a jar: pack.py JDK/bin OUT.jar SOURCE.java..."""
import pathlib
import subprocess
import sys
import tempfile


def main():
    tools, out, *sources = sys.argv[1:]
    with tempfile.TemporaryDirectory() as tmp:
        subprocess.run([pathlib.Path(tools) / 'javac', '--release', '8', '-g', '-Xlint:-options', '-d', tmp, *sources], check=True)
        subprocess.run([pathlib.Path(tools) / 'jar', '--create', '--date', '2020-01-01T00:00:00Z', '--file', out, '-C', tmp, '.'], check=True)


main()
