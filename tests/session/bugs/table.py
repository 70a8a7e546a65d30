"""The table of concurrency bugs (table.txt), for the tests and for bench/java/explore."""
import subprocess
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent


class Bug(NamedTuple):
    name: str
    failure: str  # how explore tells it
    hotspot: str  # what HotSpot prints under the schedule, or `status N`; '': nothing that ends
    options: list


def read():
    rows = [line.split('|') for line in (HERE / 'table.txt').read_text().splitlines() if line and not line.startswith('#')]
    cells = [[cell.strip() for cell in row] + [''] for row in rows]
    return [Bug(row[0], row[1], row[2].replace('\\n', '\n'), row[3].split()) for row in cells]


def compile_into(folder):
    subprocess.run(['javac', '-g', '-Xlint:none', '-nowarn', '-d', folder, *HERE.glob('*.java')], check=True, stderr=subprocess.DEVNULL)
