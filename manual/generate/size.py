"""Pictures and tables of the page on size, from what validation/bench/size/size.py measured."""
import csv

import numpy as np

from common import ROOT, table

DATA = ROOT / "manual" / "data" / "size.csv"
WAYS = {(1, 1): "1 thread", (2, 1): "2 threads", (1, 2): "2 processes"}


def _time(seconds):
    for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.2g} us"


def _memory(kilobytes):
    return f"{kilobytes / 1024:.0f} MiB" if kilobytes < 1024**2 else f"{kilobytes / 1024**2:.1f} GiB"


def _rows():
    lines = DATA.read_text(encoding="utf-8").splitlines()
    note = [line.lstrip("# ") for line in lines if line.startswith("#")]
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    for row in rows:
        row.update({name: float(row[name]) for name in ("size", "seconds", "step_seconds", "memory_kb")})
        row["way"] = (int(row["threads"]), int(row["ranks"]))
    return note, rows


def _slope(x, y):
    return np.polyfit(np.log(x), np.log(y), 1)[0]


def _one_system(rows, source):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(7.2, 3.4))
    cells = []
    program = min(row["memory_kb"] for row in rows)
    for kind, label, mark in (("chain", "chain of links", "o-"), ("net", "square net of points", "s-")):
        mine = [row for row in rows if row["kind"] == kind]
        size = np.array([row["size"] for row in mine])
        axes[0].loglog(size, [row["step_seconds"] for row in mine], mark, ms=4, label=label)
        axes[1].loglog(size, [row["memory_kb"] / 1024 for row in mine], mark, ms=4, label=label)
        last = slice(-4, None)
        for name in ("step_seconds", "memory_kb"):
            mine[-1]["slope_" + name] = _slope(size[last], np.array([row[name] for row in mine])[last])
        for row in mine:
            each = f"{row['memory_kb'] * 1.024 / row['size']:.1f} kB"
            large = row["memory_kb"] > 5 * program  # otherwise most of it is the program
            cells.append([label, f"{row['size']:.0f}", _time(row["step_seconds"]), _memory(row["memory_kb"]),
                          each if large else ""])
        cells.append([label, "grows as", f"N^{mine[-1]['slope_step_seconds']:.2f}",
                      f"N^{mine[-1]['slope_memory_kb']:.2f}", ""])
    for axis, says in zip(axes, ("time of a step [s]", "largest memory [MiB]")):
        axis.set_xlabel("links, points")
        axis.set_ylabel(says)
        axis.grid(True, alpha=0.3)
    axes[0].legend(frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(source / "generated" / "size-one.svg")
    head = ["", "number", "a step", "memory", "memory for each"]
    (source / "generated" / "size-one.md").write_text(table(head, cells), encoding="utf-8")


def _ensembles(rows, source):
    import matplotlib.pyplot as plt

    mine = [row for row in rows if row["kind"] == "ensemble"]
    figure, axes = plt.subplots(1, 2, figsize=(7.2, 3.4))
    for way, label in WAYS.items():
        these = [row for row in mine if row["way"] == way]
        size = [row["size"] for row in these]
        axes[0].loglog(size, [row["seconds"] / row["size"] * 1e6 for row in these], "o-", ms=4, label=label)
        axes[1].semilogx(size, [row["memory_kb"] / 1024 for row in these], "o-", ms=4, label=label)
    for axis, says in zip(axes, ("wall time of a run [us]", "largest memory of a process [MiB]")):
        axis.set_xlabel("runs")
        axis.set_ylabel(says)
        axis.grid(True, alpha=0.3)
    axes[0].legend(frameon=False, fontsize=8)
    axes[0].set_yticks([200, 500, 1000, 2000, 5000], ["200", "500", "1000", "2000", "5000"])
    axes[0].minorticks_off()
    axes[1].set_ylim(bottom=0)
    figure.tight_layout()
    figure.savefig(source / "generated" / "size-ensembles.svg")
    cells = []
    for size in sorted({row["size"] for row in mine}):
        of = {row["way"]: row for row in mine if row["size"] == size}
        cells.append([f"{size:.0f}", *(_time(of[way]["seconds"]) if way in of else "" for way in WAYS),
                      *(_memory(of[way]["memory_kb"]) if way in of else "" for way in WAYS)])
    head = ["runs", *WAYS.values(), *("memory, " + label for label in WAYS.values())]
    (source / "generated" / "size-ensembles.md").write_text(table(head, cells), encoding="utf-8")


def write(source):
    note, rows = _rows()
    _one_system(rows, source)
    _ensembles(rows, source)
    (source / "generated" / "size-note.md").write_text("Measured by " + note[0] + ".\n", encoding="utf-8")
