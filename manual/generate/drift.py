"""Drift of energy and constraints over time, measured by the Python package: a picture and a table."""
import numpy as np

from common import number, table

UNTIL, RTOL = 100.0, 1e-6
RUNS = [
    ("ida-index1", dict(scheme="ida-index1", rtol=RTOL, atol=RTOL)),
    ("ida-ggl", dict(scheme="ida-ggl", rtol=RTOL, atol=RTOL)),
    ("cvode-projection", dict(scheme="cvode-projection", rtol=RTOL, atol=RTOL)),
    ("energy-momentum", dict(scheme="energy-momentum", step=0.01)),
    ("energy-momentum-ggl", dict(scheme="energy-momentum-ggl", step=0.01)),
    ("projected-rk", dict(rtol=RTOL)),
]


def write(build, source):
    import gnomon as gn
    import matplotlib.pyplot as plt

    model = gn.Model.problem("double-spherical-pendulum", start="spatial")
    figure, axes = plt.subplots(3, 1, figsize=(7.2, 8.2), sharex=True)
    rows, floor = [], 1e-19
    for k, (name, how) in enumerate(RUNS):
        s = gn.solve(model, (0, UNTIL), t_eval=np.linspace(0, UNTIL, 401), **how)
        scale = max(np.max(np.abs(s.kinetic)), np.max(np.abs(s.potential)))
        curves = [np.abs(s.energy_error) / scale, np.max(np.abs(s.g), axis=0), np.max(np.abs(s.gv), axis=0)]
        for axis, curve in zip(axes, curves):
            axis.semilogy(
                s.t,
                np.maximum.accumulate(np.maximum(curve, floor)),
                color=f"C{k}",
                lw=1.4,
                ls=("-", "--", "-.", "-", "--", "-.")[k],
                label=name,
            )
        how_long = f"h = {how['step']}" if "step" in how else f"rtol = {how['rtol']:g}"
        rows.append([f"`{s.provenance['scheme']}`", how_long, *(number(np.max(c)) for c in curves), s.stats["steps"]])
    for axis, says in zip(axes, ("relative energy error", "max |g|", "max |G v|")):
        axis.set_ylabel(says + ", so far")
        axis.grid(True, alpha=0.3)
    axes[-1].set_xlabel("t [s]")
    axes[0].legend(ncol=3, fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1.02), frameon=False)
    figure.tight_layout()
    figure.savefig(source / "generated" / "drift.svg")
    head = ["", "steps", "relative energy error", r"$\max\vert g\vert$", r"$\max\vert G v\vert$", "number of steps"]
    (source / "generated" / "drift.md").write_text(table(head, rows).replace("\\\\vert", "\\vert"), encoding="utf-8")
