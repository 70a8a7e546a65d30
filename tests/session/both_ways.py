"""Programs run natively and in VM mode: what they print and how they end is compared."""
import os
import pathlib
import re
import signal
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EBB = os.environ.get("EBB", str(ROOT / "build" / "ebb"))
LONG = os.environ.get("EBB_LONG_TESTS") == "1"
SECONDS = 600 if LONG else 180


def result(done, out):
    said = out.read_bytes() if out.exists() else b""
    return said, done


def natively(words, folder, out):
    with open(out, "wb") as to:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=to, stderr=subprocess.STDOUT, cwd=folder, timeout=SECONDS)
    return result(done.returncode, out)


def in_vm_mode(words, folder, out):
    """A shell sends the output to a file and becomes the program, which comes up in VM mode again.  It is not recorded: then the kernel would seem to be an
    older one, without io_uring, and a robust mutex of a thread that ends would be told of later."""
    line = 'exec "$@" >"$0" 2>&1'
    done = subprocess.run([EBB, "run", "--no-init", "--batch", "-e", "mode vm", "-e", "set record-native off", "-e", "handle all nostop noprint pass", "-e", "run",
                           "--", "/bin/sh", "-c", line, out, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", cwd=folder, timeout=SECONDS)
    end = re.search(r"exited normally|exited with code (\d+)|terminated with signal (\w+)", done.stdout)
    assert end, done.stdout[-2000:] + done.stderr[-2000:]
    if end[2]:
        return result(-signal.Signals[end[2]], out)
    return result(int(end[1] or "0", 8), out)


def compare(words, folder):
    words = [str(word) for word in words]
    native = natively(words, folder, folder / "native.out")
    translated = in_vm_mode(words, folder, folder / "vm.out")
    assert translated == native


def visit(pid, seconds, mode="vm"):
    """One visit: attached to in that mode, run for a while, interrupted, let go."""
    guest = subprocess.Popen([EBB, "attach", "--no-init", str(pid)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
    guest.stdin.write(f"set confirm off\nmode {mode}\necho there\\n\ncontinue\n")
    guest.stdin.flush()
    said = ""
    while "there\n" not in said:
        line = guest.stdout.readline()
        assert line, said
        said += line
    time.sleep(seconds)
    guest.send_signal(signal.SIGINT)
    guest.stdin.write("detach\n")
    guest.stdin.close()
    for _ in range(120): # the first one may have come before the program ran
        try:
            guest.wait(0.5)
            break
        except subprocess.TimeoutExpired:
            guest.send_signal(signal.SIGINT)
    else:
        guest.kill()
    said += guest.stdout.read()
    assert guest.returncode == 0 and "detached" in said, said
