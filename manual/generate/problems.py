"""The page of the problems: what `gnomon describe` says of each."""
from common import Program, listing


def write(build, source):
    program = Program(build, source)
    out = [
        "# Problems that are built in",
        "",
        "Each is one file of `problems/`, in C++ or a [model file](formulas.md); `gnomon run NAME` integrates it, "
        "`gnomon export NAME` writes it as a model file where it is made of formulas. "
        "The text below is that of `gnomon describe NAME`.",
        "",
    ]
    for name, found in program.names("problems").items():
        text = program("describe", name).split("\n\n--rtol without")[0].splitlines()
        out += [f"## {name}", "", found["text"][0].upper() + found["text"][1:] + ".", "", listing("\n".join(text[1:]))]
    (source / "models" / "problems.md").write_text("\n".join(out), encoding="utf-8")
