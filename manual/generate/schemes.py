"""A page a scheme: its equations from the head of its file, promises, options, models, what was measured."""
import collections
import json
import re

import mathematics
from common import ROOT, Program, head_comment, number, table

PROMISES = {
    "energy": "the energy, with what works booked, is exact",
    "discrete energy": "an energy of the scheme's own is exact",
    "position": "$g(q) = 0$ at the end of every step",
    "hidden": "$G v + g_t = 0$ at the end of every step",
    "momentum": "momentum maps of declared symmetries are exact",
    "symmetric": "a step of $-h$ takes a step of $h$ back",
    "symplectic": "the flow of a step is symplectic",
}
FAMILIES = {
    "Energy-momentum schemes": (
        "energy-momentum",
        "energy-momentum-general",
        "energy-momentum-ggl",
        "constrained-midpoint",
    ),
    "Line integrals": ("hbvm", "line-integral-ggl"),
    "Penalties and augmented Lagrangians": (
        "penalty",
        "penalty-general",
        "penalty-dhat",
        "augmented-lagrange",
        "augmented-lagrange-general",
    ),
    "Runge-Kutta with projections": ("projected-rk",),
    "Symplectic schemes": (
        "rattle",
        "symplectic-euler-natural",
        "symplectic-euler-true",
        "symplectic-euler-conjugate-natural",
        "symplectic-euler-conjugate-true",
        "symplectic-euler-true-adjoint",
    ),
    "Alpha-schemes": ("alpha", "alpha-exact", "alpha-penalty", "alpha-augmented", "beam-dissipative"),
    "Compositions": ("composition",),
}


def _promises(text):
    """["order 2", "energy", ..] of "promises at best order 2, energy, .."."""
    return [p.strip() for p in text.split("at best", 1)[1].split(",")]


def _meaning(promise):
    found = re.match(r"order (\d+)(?: \((.*)\))?", promise)
    if not found:
        return PROMISES[promise]
    more = {None: "", "not to the constrained motion": ", to the motion with the penalty"}
    second = re.fullmatch(r"p: (\d+)", found.group(2) or "")
    tail = f", of $p$ $O(h^{{{second.group(1)}}})$" if second else more.get(found.group(2), f" ({found.group(2)})")
    return f"the error of $q$ at a fixed time is $O(h^{{{found.group(1)}}})$" + tail


def _options(described):
    """Rows of a table from the block "options" of `gnomon describe`."""
    lines, rows = described.splitlines(), []
    begin = next((i for i, line in enumerate(lines) if line.startswith("options (")), None)
    if begin is None:
        return rows
    for line in lines[begin + 1 :]:
        if not line.strip():
            break
        if re.match(r"  \S", line):
            name, _, text = line.strip().partition(" ")
            rows.append([f"`{name}`", text.strip(), ""])
        else:
            rows[-1][2] = line.strip()
    return rows


def _matrix(program):
    """{scheme: marks}, {scheme: marks of derivatives}, texts of the columns, of `gnomon list --matrix`."""
    taken, derivatives, columns = {}, {}, {}
    marks = taken
    for line in program("list", "--matrix").splitlines():
        found = re.match(r"  (\S+)((?:\s+(?:[EDXedx]{1,2}|[BF-])){4,})\s*$", line)
        column = re.match(r"\s+(\d+)  (\S.*)", line)
        if line.startswith("derivatives"):
            marks = derivatives
        elif found:
            marks[found.group(1)] = found.group(2).split()
        elif column:
            columns[int(column.group(1))] = column.group(2)
    return taken, derivatives, [columns[k] for k in sorted(columns)]


MARKS = {
    "E": "energy at rounding level",
    "D": "a discrete energy",
    "X": "taken",
    "e": "energy at rounding level, where $U$, $g$, $c$ are at most quadratic",
    "d": "a discrete energy, where $U$, $g$, $c$ are at most quadratic",
    "x": "where $U$, $g$, $c$ are at most quadratic",
    "Xe": "taken; energy at rounding level, where $U$, $g$, $c$ are at most quadratic",
    "-": "no",
}


# The gated row of a promise, and the row with its size.
LEVELS = {"energy": "energy-relative", "position": "position", "hidden": "hidden"}


def _order_table(orders):
    """Orders by problem; many of them behind their extremes."""
    heads = ("order-q", "order-p")
    rows = [[n, *(f"{found[k]:.2f}" if k in found else "" for k in heads)] for n, found in sorted(orders.items())]
    whole = table(["problem", "order of $q$", "order of $p$"], rows)
    if len(rows) <= 24:
        return [whole]
    told = []
    for name, key in zip(("$q$", "$p$"), heads):
        values = sorted(found[key] for found in orders.values() if key in found)
        told.append(f"of {name} {values[0]:.2f} to {values[-1]:.2f}, median {values[len(values) // 2]:.2f}")
    said = f"{len(rows)} starts and choices of options: " + "; ".join(told) + "."
    return [
        said,
        "",
        "```{raw} html\n<details><summary>all of them</summary>\n```",
        "",
        whole,
        "",
        "```{raw} html\n</details>\n```",
    ]


def _measured(rows):
    """The tables of what `validate` measured of one scheme."""
    orders = collections.defaultdict(dict)
    largest = {}
    reasons = collections.Counter(
        r["reason"] for r in rows if r.get("reason") and r["verdict"] in ("known_failure", "better")
    )
    # An error counts where the scheme promises it, by a row with a gate; where it never does, the largest that was seen.
    promised = {(r["case"], LEVELS[r["quantity"]]) for r in rows if r["quantity"] in LEVELS and "gate" in r}
    for row in rows:
        value, quantity, prefix = row.get("measured"), row["quantity"], f"conformance/{row['scheme']}/"
        if value is None or not row["case"].startswith("conformance/"):
            continue
        name = row["case"].removeprefix("conformance/").removeprefix(row["scheme"] + "/")
        if quantity in ("order-q", "order-p"):
            orders[name][quantity] = value
        elif quantity in LEVELS.values() and row["case"].startswith(prefix):
            found = ((row["case"], quantity) in promised, value, name)
            largest[quantity] = max(found, largest.get(quantity, found))
    out = []
    if orders:
        out += ["### Orders", "", *_order_table(orders), ""]
    if largest:
        text = {
            "energy-relative": r"relative energy error $\max|H-H_{\mathrm{expected}}|/\max(\max|T|,\max|U|)$",
            "position": r"$\max|g|$",
            "hidden": r"$\max|G v + g_t|$",
        }
        lines = [
            [text[k].replace("|", r"\vert "), number(largest[k][1]), largest[k][2], "yes" if largest[k][0] else "no"]
            for k in text
            if k in largest
        ]
        out += ["### Largest errors", "", table(["error", "largest", "on", "promised"], lines)]
    if reasons:
        out += (
            ["### Limits", ""]
            + [
                f"- {mathematics.prose(reason)}" + (f" ({n} rows)" if n > 1 else "")
                for reason, n in reasons.most_common()
            ]
            + [""]
        )
    return out


def _page(program, name, found, marks, columns, rows):
    described = program("describe", name)
    source = re.search(r"^source: (.*)", described, re.M).group(1)
    comment = head_comment(ROOT / "plugins" / "schemes" / f"{name.replace('-', '_')}.cpp")
    equations = mathematics.markdown(re.sub(rf"^{re.escape(name)}: ", "", comment.strip()))
    promises = _promises(found["more"])
    out = [
        f"# {name}",
        "",
        found["text"][0].upper() + found["text"][1:] + ".",
        "",
        f"Source: {source}.",
        "",
        "## Promises",
        "",
        table(["promise", "meaning"], [[p, _meaning(p)] for p in promises]),
        "At best; `gnomon describe PROBLEM` says what holds for a model. Promises are watched while a run goes on.",
        "",
        "## Equations",
        "",
        equations[0].upper() + equations[1:],
        "",
    ]
    options = _options(described)
    out += ["## Options", "", table(["option", "what", "default; range"], options) if options else "None.", ""]
    if name in marks:
        out += [
            "## Models it takes",
            "",
            table(
                ["models with", "taken"],
                [[c.replace("|", "\\|"), MARKS.get(m, m)] for c, m in zip(columns, marks[name])],
            ),
        ]
    measured = _measured([row for row in rows if row["scheme"] == name])
    out += ["## Measured", "", "```{include} ../generated/told.md\n```", ""] + (measured or ["No rows of this scheme."])
    return "\n".join(out) + "\n"


def write(build, source):
    program = Program(build, source)
    rows = json.loads((source / "generated" / "rows.json").read_text())
    names = program.names("schemes")
    marks, derivatives, columns = _matrix(program)
    for name, found in names.items():
        (source / "schemes" / f"{name}.md").write_text(
            _page(program, name, found, marks, columns, rows), encoding="utf-8"
        )
    out, left = [], set(names)
    for family, members in [*FAMILIES.items(), ("Others", ())]:
        members = [m for m in members if m in names] if members else sorted(left)
        left -= set(members)
        if members:
            out += [f"```{{toctree}}\n:caption: {family}\n:maxdepth: 1\n\n" + "\n".join(members) + "\n```", ""]
    heads = ["order", "$H$", "$H_d$", "$g$", "$G v$", "$J$", "$-h$", r"$\omega$"]
    lines = []
    for name, found in names.items():
        promised = _promises(found["more"])
        order = next((p.removeprefix("order ").split(" (")[0] for p in promised if p.startswith("order")), "")
        lines.append([f"[{name}](../schemes/{name}.md)", order, *("✓" if p in promised else "" for p in PROMISES)])
    (source / "generated" / "schemes.md").write_text("\n".join(out), encoding="utf-8")
    (source / "generated" / "promises.md").write_text(table(["scheme", *heads], lines), encoding="utf-8")
    where = [[str(i + 1), c] for i, c in enumerate(columns)]
    heads = ["", *map(str, range(1, len(columns) + 1))]
    for page, found in (("matrix", marks), ("derivatives", derivatives)):
        rows = [[f"[{n}](../schemes/{n}.md)" if n in names else n, *m] for n, m in found.items()]
        (source / "generated" / f"{page}.md").write_text(
            table(heads, rows) + "\n" + table(["", "models with"], where), encoding="utf-8"
        )
