"""Checks every link of a chain that `origin` told, by going there and executing one instruction.

What an instruction takes or leaves is on the operand stack (`info stack`), which the machine keeps for itself: origin has no part in it.  So at a link by which the
value was written, passed, returned or thrown, the value lies on the stack before the instruction; at one by which it was read, copied or made, it lies on top after it."""
import re

TAKES_TOP = ("field-write", "array-write", "return", "throw")
TAKES = ("parameter",)
LEAVES = ("field-read", "array-read", "copy", "conversion", "constant", "allocation", "operation")
UNSEEN = ("copied by", "given by", "given to", "by reflection", "is what", "iinc", "put together", "the Java machine", "the native method", "came out of")  # not on the stack: moved by the machine


def questions(n_links):
    """To ask after `origin`; answers go to `check`."""
    return [c for k in range(1, n_links + 1) for c in (f"goto #{k}", "when -i", "info stack", "stepi", "info stack")]


def plain(text):
    """What two texts of one value have in common, of whatever type it was shown as; None: nothing that could be compared."""
    text = {"true": "1", "false": "0"}.get(text, text)
    if re.fullmatch(r"-?\d+", text) or text == "null":
        return text
    character = re.match(r"(\d+) '", text) or re.fullmatch(r"'(.)'", text)
    if character:
        return character[1] if character[1].isdigit() and " " in text else str(ord(character[1]))
    address = re.search(r"@(0x[0-9a-f]+)", text)
    return address[1] if address else None


def stack(told):
    return [plain(slot["value"]) for slot in told.get("stack", [])]


def check_link(link, before, after):
    """False: it can't be seen on the stack."""
    value = plain(link["value"])
    if value is None or any(words in link["what"] for words in UNSEEN):
        return False
    takes_any = link["kind"] in TAKES or link["what"].startswith("written by")
    if takes_any and value not in before:
        raise AssertionError((link, before))
    if link["kind"] in TAKES_TOP and not takes_any and (not before or before[-1] not in (value, None)):
        raise AssertionError((link, before))
    is_call = link["what"].startswith("read by") or "made here, by" in link["what"] and "by new" not in link["what"]
    on_top = (after or [])[-2:] if re.search(r"\((l|d|.2l|.2d)", link["what"]) else (after or [])[-1:]     # of a long or double, the upper slot holds nothing
    if link["kind"] in LEAVES and not is_call and after is not None and not {value, None} & set(on_top):
        raise AssertionError((link, after))
    return not is_call and not (link["kind"] in LEAVES and after is None)


def check(links, told):
    """How many links were seen on the stack.  Each of them is where it says it is, and they go back in time."""
    times = [int(link["position"].split("@")[0]) for link in links if not link["what"].startswith("given by the call site")]  # which is told where its call begins
    assert times == sorted(times, reverse=True), [(link["position"], link["what"]) for link in links]
    seen = 0
    for k, link in enumerate(links):
        gone, at, before, stepped, after = told[5 * k:5 * k + 5]
        assert at.get("position") == link["position"], (link, gone, at)
        assert gone.get("frame", {}).get("line") == link.get("line"), (link, gone)
        is_inside = stepped.get("frame", {}).get("function") == link["function"]   # not in the initialiser of a class, say
        seen += check_link(link, stack(before), stack(after) if is_inside else None)
    return seen
