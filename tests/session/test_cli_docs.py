"""What the documents say about the commands is what the program says."""
import re
import subprocess

import pytest

from conftest import EBB, ROOT


def test_the_command_reference_is_fresh():
    made = subprocess.run([EBB, "help", "--markdown"], capture_output=True, text=True, check=True, timeout=120).stdout
    assert (ROOT / "docs" / "commands.md").read_text() == made, "run tools/update-docs"


def test_the_manual_page_is_roff_and_names_every_command():
    page = subprocess.run([EBB, "help", "--man"], capture_output=True, text=True, check=True, timeout=120).stdout
    for line in page.splitlines():
        assert line and (line[0] not in ".'" or re.match(r"\.(TH|SH|SS|TP|B|BR|br)\b", line)), line
        assert not re.search(r"\\(?![-e&]|f[BR])", line), line  # no escape that a text has brought along
    terms = page.replace("\\-", "-")
    reference = (ROOT / "docs" / "commands.md").read_text()
    for name in re.findall(r"^\| `([^`\[]+?)[ `\[]", reference, re.M):
        assert f"\n\\fB{name}" in terms, name


def test_every_command_has_help(ebb):
    reference = (ROOT / "docs" / "commands.md").read_text().split("## Settings")[0]
    names = re.findall(r"^\| `([a-z!][a-z_-]*(?: [a-z_-]+)?)[ `]", reference, re.M)
    assert len(names) > 120
    for name in {n.split()[0] for n in names}:
        done = ebb(["help", name])
        assert done.returncode == 0, name
        assert done.stdout


def test_every_field_of_json_is_described():
    document = (ROOT / "docs" / "json.md").read_text()
    words = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]*)`", document))))
    used = set()
    for source in (ROOT / "src" / "front" / "cli").glob("*.c"):
        used |= set(re.findall(r'(?:json_object_set_new|cli_json_\w+|cli_field_\w+)\([^,;]+,\s*"(\w+)"', source.read_text()))
    assert len(used) > 100
    assert not used - words


def test_the_manual_names_every_function():
    manual = (ROOT / "docs" / "manual.md").read_text()
    for name in re.findall(r"^EXPR_FUNCTION\((\w+)", (ROOT / "src" / "expr" / "functions.def").read_text(), re.M):
        assert f"`${name}(" in manual, name


def test_the_manual_names_no_command_that_is_not_there(ebb):
    manual = (ROOT / "docs" / "manual.md").read_text()
    for line in re.findall(r"^\(ebb\) (\S+)", manual, re.M):
        assert ebb(["help", line.split("/")[0]]).returncode == 0, line
