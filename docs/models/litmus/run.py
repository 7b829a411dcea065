#!/usr/bin/env python3
"""Runs the litmus tests of tests.py; exits 1 if any outcome is not the one wanted.

    run.py                      with the checker beside this file
    run.py HERD7 LIBDIR         with herd7 and the models it ships, to check the checker
"""
import os
import subprocess
import sys
import tempfile

import checker
from tests import TESTS


def source(name, arch, threads, condition, init):
    """The test in herd7's own format."""
    init = dict(init)
    if arch == "AArch64":
        start = " ".join(f"{p}:X1=x; {p}:X2=y; {p}:X3=c; {p}:X4=z;" for p in range(len(threads)))
    else:
        start = ""
    start += " ".join(f"{k}={v};" for k, v in init.items())
    rows = max(map(len, threads))
    lines = [" | ".join((t[i] if i < len(t) else "").ljust(22) for t in threads) + " ;" for i in range(rows)]
    heading = " | ".join(f"P{i}".ljust(22) for i in range(len(threads))) + " ;"
    return "\n".join([f"{'X86' if arch == 'x86' else arch} {name}", "{ " + start + " }", heading] + lines
                     + [f"exists ({condition})", ""])


def by_herd(herd, libdir, test):
    name, arch, _, threads, condition, init = test
    with tempfile.NamedTemporaryFile("w", suffix=".litmus", delete=False) as f:
        f.write(source(name, arch, threads, condition, init))
    done = subprocess.run([herd, "-set-libdir", libdir, f.name], capture_output=True, text=True)
    os.unlink(f.name)
    found = [line for line in done.stdout.splitlines() if line.startswith("Observation")]
    if not found:
        raise SystemExit(f"{name}: herd7 failed: {done.stderr.strip()[:300]}")
    return " Never " not in found[0]


def main(args):
    unexpected = 0
    for test in TESTS:
        name, arch, want, threads, condition, init = test
        if args:
            seen = by_herd(args[0], args[1], test)
        else:
            seen = checker.allowed(arch, threads, init, checker.parse_condition(condition))
        wrong = seen != (want == "S")
        unexpected += wrong
        print(f"litmus {name:52s} {'observable' if seen else 'never'}{'   <-- UNEXPECTED' if wrong else ''}")
    print(f"litmus: {len(TESTS)} tests, {unexpected} unexpected")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
