"""The tables of the page "which scheme": from the library's own table, and from what `gnomon advise` said."""
import csv
import itertools
import re

from common import ROOT, table

TABLE = ROOT / "lib" / "src" / "registry" / "suited_schemes.inc"
ADVICE = ROOT / "manual" / "data" / "advice.csv"


def _suited():
    rows = re.findall(r'\{"([^"]+)", ([\d.e+-]+), "([^"]+)", (\d+), ([\d.]+)\}', TABLE.read_text(encoding="utf-8"))
    out = []
    for (model, tolerance), group in itertools.groupby(rows, key=lambda row: row[:2]):
        best = sorted(group, key=lambda row: float(row[4]))[:3]
        name = {"projected-rk": "stages", "line-integral-ggl": "s"}
        out.append(
            [
                model,
                tolerance,
                *(f"{s} {name[s] + '=' + n if s in name else ''} ({float(c):.2f})" for _, _, s, n, c in best),
            ]
        )
    return table(["model", "rtol", "cheapest (cost)", "second", "third"], out)


def _short(reason):
    """The cause in a sentence of the program, to its first clause."""
    stopped = re.search(r"step \d+ from t = ([\d.]+) over", reason)
    if stopped:
        return f"the solution of high order stops at t = {stopped.group(1)}"
    return re.split(r", | over |; ", reason.split(": ", 1)[-1])[0]


def _advice():
    lines = ADVICE.read_text(encoding="utf-8").splitlines()
    notes = [line.lstrip("# ") for line in lines if line.startswith("#")]
    rows = []
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        if row["method"]:
            exact = f"{row['exact_method']}, {row['exact_at']}: {row['exact_ms']} ms" if row["exact_method"] else "none"
            reference = f"{row['reference']}: {row['reference_ms']} ms" if row["reference"] else "none reaches it"
            rows.append(
                [f"`{row['model']}`", row["until"], f"{row['method']}, {row['at']}: {row['ms']} ms", exact, reference]
            )
        else:
            rows.append([f"`{row['model']}`", row["until"], "no advice: " + _short(row["reason"]), "", ""])
    head = [
        "model",
        "until",
        "cheapest for an error of 1e-6",
        "cheapest with the energy at rounding level",
        "best of IDA and CVODE",
    ]
    return (
        table(head, rows)
        + "\n"
        + f"Measured by `{notes[0].split(';')[0]}`; {';'.join(notes[0].split(';')[1:]).strip()}.\n"
    )


def write(build, source):
    (source / "generated" / "suited.md").write_text(_suited(), encoding="utf-8")
    (source / "generated" / "advice.md").write_text(_advice(), encoding="utf-8")
