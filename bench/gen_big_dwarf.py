#!/usr/bin/env python3
"""Generates a C program with a lot of debug information: bench/gen_big_dwarf.py FOLDER [MEGABYTES].

Many units include one big header of types, as real programs do, and have functions, statics and types of their own.
FOLDER/build.ninja builds FOLDER/big from them."""
import pathlib
import sys

UNIT_BYTES = 100_000  # of debug information that one generated unit makes, measured with gcc 12 -g -O1


def header():
    lines = ["#ifndef COMMON_H", "#define COMMON_H", "#include <stdio.h>", "#include <stdlib.h>", "#include <string.h>"]
    for i in range(300):
        fields = "\n".join(f"    {kind} field_{i}_{k};" for k, kind in enumerate(
            ["int", "unsigned long", "const char *", "double", "short", "struct record_%d *" % max(0, i - 1)]))
        lines.append(f"struct record_{i} {{\n{fields}\n    int (*handler_{i})(struct record_{i} *, int, const char *);\n}};")
        lines.append(f"typedef struct record_{i} record_{i}_t;")
        lines.append(f"enum kind_{i} {{ KIND_{i}_A, KIND_{i}_B = {i + 3}, KIND_{i}_C }};")
    for i in range(40):
        lines.append(f"static inline int shared_{i}(record_{i}_t *r, int n)\n{{\n    int total = n;\n"
                     f"    for (int k = 0; k < n; k++)\n        total += r->field_{i}_0 * k + (int)r->field_{i}_1;\n    return total;\n}}")
    lines.append("#endif")
    return "\n".join(lines) + "\n"


def unit(u):
    lines = ['#include "common.h"', f"static int counter_{u};", f"int global_{u} = {u};"]
    for i in range(40):
        lines.append(f"struct private_{u}_{i} {{ int a_{i}; long b_{i}; record_{(u + i) % 300}_t *link; }};")
    for f in range(80):
        n = (u * 7 + f) % 300
        lines.append(f"""
{'static __attribute__((noinline)) ' if f % 3 else ''}int work_{u}_{f}(struct private_{u}_{f % 40} *p, record_{n}_t *r, int depth)
{{
    int sum = depth + counter_{u};
    for (int i = 0; i < depth; i++) {{
        int step = r->field_{n}_0 + i;
        if (step > 10) {{
            long wide = p->b_{f % 40} * step;
            sum += (int)wide + shared_{f % 40}((record_{f % 40}_t *)r, i);
        }}
        enum kind_{n} kind = step % 2 ? KIND_{n}_A : KIND_{n}_B;
        sum += kind;
    }}
    counter_{u} += sum;
    return sum;
}}""")
    calls = "\n".join(f"    sum += work_{u}_{f}((struct private_{u}_{f % 40} *)buffer, (record_{(u * 7 + f) % 300}_t *)buffer, n);" for f in range(80))
    lines.append(f"int entry_{u}(int n)\n{{\n    static char buffer[4096];\n    int sum = 0;\n{calls}\n    return sum;\n}}")
    return "\n".join(lines) + "\n"


def main():
    folder = pathlib.Path(sys.argv[1])
    megabytes = float(sys.argv[2]) if len(sys.argv) > 2 else 50
    n_units = max(1, int(megabytes * 1_000_000 / UNIT_BYTES))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "common.h").write_text(header())
    for u in range(n_units):
        (folder / f"unit_{u}.c").write_text(unit(u))
    calls = "\n".join(f"    int entry_{u}(int); sum += entry_{u}(argc);" for u in range(n_units))
    (folder / "main.c").write_text(f"#include <stdio.h>\nint main(int argc, char **argv)\n{{\n    int sum = 0;\n{calls}\n    printf(\"%d\\n\", sum);\n    return 0;\n}}\n")
    objects = [f"unit_{u}" for u in range(n_units)] + ["main"]
    rules = ["rule cc\n  command = gcc -g -O1 -c $in -o $out", "rule link\n  command = gcc @$out.rsp -o $out\n  rspfile = $out.rsp\n  rspfile_content = $in"]
    rules += [f"build {name}.o: cc {name}.c | common.h" for name in objects]
    rules.append("build big: link " + " ".join(f"{name}.o" for name in objects))
    (folder / "build.ninja").write_text("\n".join(rules) + "\ndefault big\n")
    print(f"{n_units} units; now: ninja -C {folder}")


main()
