"""Watchpoints that need no debug register: VM mode checks them in translated stores, and tells what native mode tells."""
import re
import time

PROGRAM = r"""
    #include <string.h>
    #include <unistd.h>

    struct record { char name[40]; long values[10]; } records[4];
    long others[1000];

    __attribute__((noinline)) void fill(struct record *r, int i)
    {
        memset(r->name, 'a' + i, sizeof r->name - 1);
        r->values[i] = i * 7;
        r->values[9] += i;
    }

    __attribute__((noinline)) long busy(long n)
    {
        for (long i = 0; i < n; i++)
            others[i % 1000] += i;
        return others[5];
    }

    int main(int argc, char **argv)
    {
        int ends[2];
        long sum = 0;
        for (int i = 0; i < 4; i++) {
            fill(&records[i], i);
            sum += busy(argc > 1 ? 2000000 : 1000);
        }
        if (pipe(ends) || write(ends[1], "from outside", 12) != 12 || read(ends[0], records[2].name, 12) != 12)
            return 1;
        records[1] = records[2];
        return (int)(sum & 1);
    }
"""


def stops(ebb, program, mode, *commands):
    words = [word for command in (f"mode {mode}", "break main", "run", *commands, *["continue"] * 30) for word in ("-e", command)]
    done = ebb(["run", "--batch", *words, program], timeout=100)
    told = re.findall(r"^(?:Old value|New value) = .*$", done.stdout, re.M)
    assert "exited" in done.stdout, done.stdout + done.stderr
    return told


def test_long_ranges_are_told_as_natively(ebb, compile_c):
    program = compile_c(PROGRAM, flags=("-g", "-O1"))
    for what in (["watch records[1].values", "watch records[2].values"], ["watch records[3].values[9]", "watch others[0]@6"]):
        natively = stops(ebb, program, "native", *what[:1])
        assert len(natively) >= 2
        assert stops(ebb, program, "vm", *what[:1]) == natively


def test_more_than_debug_registers(ebb, compile_c):
    program = compile_c(PROGRAM, flags=("-g", "-O1"))
    commands = [f"watch records[{i}].values[{k}]" for i in (0, 1, 2) for k in (1, 2, 9)]
    natively = stops(ebb, program, "native", *commands)
    assert len(natively) >= 8
    assert stops(ebb, program, "vm", *commands) == natively


def test_what_the_kernel_writes_is_told(ebb, compile_c):
    program = compile_c(PROGRAM, flags=("-g", "-O1"))
    told = stops(ebb, program, "vm", "tbreak pipe", "continue", "watch records[2].name")
    assert any("from outside" in text for text in told)


def test_a_quiet_one_is_cheap(ebb, compile_c):
    """Eight million stores elsewhere: by single steps that would take many minutes."""
    program = compile_c(PROGRAM, flags=("-g", "-O1"))
    began = time.monotonic()
    done = ebb(["run", "--batch", "-e", "mode vm", "-e", "break main", "-e", "run", "-e", "watch records[3].values", "-e", "continue",
                "-e", "print records[3].values[3]", program, "long"], timeout=100)
    assert "$1 = 21" in done.stdout or "New value" in done.stdout, done.stdout
    assert time.monotonic() - began < 30


READS = r"""
    #include <string.h>

    struct { int before[50]; int table[50]; int after[50]; } all;
    int copies[50];

    __attribute__((noinline)) int sum(const int *from, int n)
    {
        int total = 0;
        for (int i = 0; i < n; i++)
            total += from[i];
        return total;
    }

    int main(void)
    {
        int total = 0;
        for (int i = 0; i < 50; i++)
            all.before[i] = all.table[i] = all.after[i] = i;
        for (int i = 0; i < 1000; i++)
            total += sum(all.before, 50) + sum(all.after, 50);
        total += sum(all.table + 10, 3);
        memcpy(copies, all.table + 40, 8);
        return total & 1;
    }
"""


def test_reads_of_long_ranges(ebb, compile_c):
    """Each place that reads the array, and nothing of the thousands that read what is beside it."""
    program = compile_c(READS, flags=("-g", "-O1", "-fno-tree-vectorize", "-fno-builtin"))
    for what, mode, least in (("rwatch all.table", "vm", 4), ("awatch all.table", "vm", 54)):
        words = [word for command in (f"mode {mode}", "break main", "run", what, "delete 1", *["continue"] * 70) for word in ("-e", command)]
        done = ebb(["run", "--batch", *words, program], timeout=100)
        kind = "Read watchpoint 2: all.table" if "rwatch" in what else "Access (read/write) watchpoint 2: all.table"
        assert "exited" in done.stdout, done.stdout[-2000:] + done.stderr
        assert least <= done.stdout.count(kind) - 1 <= least + 4, done.stdout[-2000:] # memcpy may read in pieces
