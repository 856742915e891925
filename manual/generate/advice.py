#!/usr/bin/env python3
"""Asks `gnomon advise` about every model file of the tree and writes what it says to data/advice.csv.

    advice.py PROGRAM [NAME ...]

Takes about 20 s of processor time a model; the times in it are those of the machine that ran it. The file is kept, so
that the manual builds fast and the same everywhere.
"""
import csv
import json
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

from common import models

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE.parent / "data" / "advice.csv"
ERROR, BUDGET = "1e-6", "20"
FIELDS = "model until method at error ms energy exact_method exact_at exact_ms reference reference_ms reason".split()


def processor():
    found = re.search(r"model name\s*:\s*(.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return found.group(1) if found else platform.machine()


def steps(found):
    return f"h = {found['step']:.3g}" if "step" in found else f"rtol = {found['rtol']:.2g}"


def asked(program, name, model):
    until = re.search(r"^until = ([\d.]+)", model.read_text(), re.M).group(1)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "advice.json"
        call = [
            program,
            "advise",
            str(model),
            "--until",
            until,
            "--error",
            ERROR,
            "--budget",
            BUDGET,
            "--json",
            str(file),
        ]
        done = subprocess.run(call, capture_output=True, text=True)
        found = json.loads(file.read_text()) if file.exists() else {}
    row = dict.fromkeys(FIELDS, "")
    row.update(model=name, until=until)
    best, exact, reference = (found.get(key) for key in ("advice", "exact_energy", "best_reference"))
    if best:
        row.update(method=best["method"].replace(" by rtol", ""), at=steps(best), error=f"{best['error']:.1e}")
        row.update(ms=f"{best['seconds'] * 1e3:.3g}", energy=f"{best['energy']:.0e}")
    else:
        said = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        row["reason"] = said[-1].removeprefix("gnomon: ").replace(str(model), name)[:200]
    if exact:
        row.update(exact_method=exact["method"].replace(" by rtol", ""), exact_at=steps(exact))
        row["exact_ms"] = f"{exact['seconds'] * 1e3:.3g}"
    if reference:
        row.update(reference=reference["reference"], reference_ms=f"{reference['seconds'] * 1e3:.3g}")
    return row


def main():
    program, wanted = sys.argv[1], sys.argv[2:]
    with OUT.open("w", newline="", encoding="utf-8") as out:
        version = subprocess.check_output([program, "--version"], text=True).strip()
        out.write(f"# gnomon advise MODEL --until T --error {ERROR} --budget {BUDGET}; {version}; {processor()}\n")
        out.write("# written again by manual/generate/advice.py build/release/bin/gnomon\n")
        table = csv.DictWriter(out, FIELDS, lineterminator="\n")
        table.writeheader()
        for name, model in models():
            if wanted and name not in wanted:
                continue
            table.writerow(asked(program, name, model))
            out.flush()


if __name__ == "__main__":
    main()
