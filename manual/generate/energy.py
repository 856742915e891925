#!/usr/bin/env python3
"""Draws the energy error of Gnomon, IDA and CVODE over time: pictures/energy.svg, at the head of README and manual.

    energy.py PROGRAM

The double spherical pendulum in space, by `gnomon run .. --output`, at one relative tolerance for all. Takes a minute.
The file is kept, so that README has it without a build.
"""
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

OUT = pathlib.Path(__file__).resolve().parents[1] / "pictures" / "energy.svg"
RTOL, BEGIN, UNTIL, FLOOR = "1e-8", 0.1, 1000.0, 1e-19
# Colours that the colour-blind tell apart; the dashes do it in grey. Last, by how many points the name is moved.
RUNS = [
    ("IDA: ida-index1", "ida-index1", "#D55E00", (0, (5, 1.5)), 1.5, 0),
    ("CVODE: cvode-projection", "cvode-projection", "#007F5C", (0, (5, 1.5, 1, 1.5)), 1.5, 5),
    ("IDA: ida-ggl", "ida-ggl", "#AA4499", (0, (1.2, 1)), 2.0, -5),
    ("Gnomon", None, "#0072B2", "-", 2.4, 0),
]


def measured(program, folder, scheme):
    """Times, H - H0 and E = max(max|T|, max|U|) at the integrator's own steps; of IDA's and CVODE's every tenth."""
    table = pathlib.Path(folder) / "run.csv"
    call = [program, "run", "double-spherical-pendulum", "--set", "start=spatial", "--rtol", RTOL]
    call += ["--until", str(UNTIL), "--output", str(table), "--json"]
    call += ["--scheme", scheme, "--every", "10"] if scheme else []
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    with table.open(encoding="utf-8") as file:
        rows = csv.reader(file)
        heads = [head.split(" [")[0] for head in next(rows)]
        wanted = [heads.index(name) for name in ("t", "energy_error", "bob1.y", "bob2.y")]
        t, error, y1, y2 = np.array([[float(row[k]) for k in wanted] for row in rows]).T
    said = json.loads(done.stdout)
    if not scheme:
        return t, error, said["energy"]["max_abs_error"] / said["energy"]["max_rel_error"]
    potential = 9.81 * (y1 + y2)
    return t, error, max(np.abs(potential).max(), np.abs(2.75 + error - potential).max())


def main():
    program = sys.argv[1]
    plt.rcParams.update({"svg.hashsalt": "gnomon", "font.size": 10, "axes.axisbelow": True})
    figure, axis = plt.subplots(figsize=(7.6, 4.3))
    times = np.geomspace(BEGIN, UNTIL, 400)
    with tempfile.TemporaryDirectory() as folder:
        for label, scheme, color, dashes, width, moved in RUNS:
            t, error, scale = measured(program, folder, scheme)
            largest = np.maximum.accumulate(np.abs(error)) / scale
            shown = np.maximum(largest[np.searchsorted(t, times, side="right") - 1], FLOOR)
            middle = shown[np.searchsorted(times, 100.0) - 1]
            print(f"{label}: E = {scale:.3g} J, {middle:.1e} up to t = 100, {shown[-1]:.1e} up to {UNTIL:g}")
            axis.loglog(times, shown, color=color, ls=dashes, lw=width)
            axis.annotate(
                label, (UNTIL, shown[-1]), (6, moved), textcoords="offset points", color=color, va="center"
            )
    epsilon = np.finfo(float).eps
    axis.axhline(epsilon, color="0.35", lw=0.8)
    axis.annotate("machine epsilon", (BEGIN, epsilon), (4, 3), textcoords="offset points", color="0.35", fontsize=9)
    axis.set(xlim=(BEGIN, UNTIL), ylim=(FLOOR / 3, 10))
    axis.set(xlabel="time t [s]", ylabel="largest |H(t) - H(0)| / E up to t [1]")
    axis.set_yticks(10.0 ** np.arange(-18, 1, 3))
    axis.minorticks_off()
    axis.grid(True, color="0.88")
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)
    figure.savefig(OUT, bbox_inches="tight", metadata={"Date": None})
    OUT.write_text(re.sub(r" *\n(?=[A-Za-z] |z)", " ", OUT.read_text()))  # a path is one line
    print(OUT)


if __name__ == "__main__":
    main()
