"""The tables of the page on other multibody programs, from what `gnomon bench peers --json` measured.

`python3 manual/generate/peers.py` writes them into the page, where they are kept so that a code host shows them.
"""
import json
import re

from common import ROOT, table

DATA = ROOT / "manual" / "data" / "peers.json"
PAGE = ROOT / "manual" / "start" / "peers.md"


def _measurements():
    return [(one["what"], one["value"]) for one in json.loads(DATA.read_text(encoding="utf-8"))["measurements"]]


def _programs(rows):
    return list(dict.fromkeys(program for _, _, program, _ in rows))


def _parsed(pattern):
    """(mechanism and T, what, program, value) of the measurements that fit."""
    found = ((re.fullmatch(pattern, what), value) for what, value in _measurements())
    return [(*match.groups(), value) for match, value in found if match]


def _costs():
    rows = _parsed(r"peers (.*) error (\S+), (.*)")
    programs = _programs(rows)
    cells = {}
    for name, error, program, value in rows:
        cells.setdefault((name, error), {})[program] = 1e3 * value
    out = []
    for (name, error), by_program in cells.items():
        best = min((by_program[p], p) for p in by_program)[1]
        texts = {p: f"{value:.3g}" for p, value in by_program.items()}
        texts[best] = f"**{texts[best]}**"
        out.append([name, error, *(texts.get(p, "-") for p in programs)])
    return table(["mechanism, T", "error [m]", *(f"{p} [ms]" for p in programs)], out)


def _longer():
    energies = _parsed(r"peers (.*) (energy), (.*)")
    gaps = {(name, program): value for name, _, program, value in _parsed(r"peers (.*) (gap), (.*)")}
    programs = _programs(energies)
    cells = {}
    for name, _, program, value in energies:
        cells.setdefault(name, {})[program] = f"{value:.0e}, {gaps[name, program]:.0e}"
    return table(
        ["mechanism, T", *programs], [[name, *(row.get(p, "-") for p in programs)] for name, row in cells.items()]
    )


def filled(page):
    """The text of the page with its tables as they are measured."""
    for name, made in (("costs", _costs), ("longer", _longer)):
        begin, end = f"<!-- {name}: manual/generate/peers.py -->\n", f"<!-- end of {name} -->\n"
        before, rest = page.split(begin)
        page = before + begin + "\n" + re.sub(r"</?span[^>]*>", "", made()).strip() + "\n\n" + end + rest.split(end)[1]
    return page


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
