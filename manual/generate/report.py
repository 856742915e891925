"""The rows of `gnomon validate` that the pages show, and the page of the validation report."""
import json

from common import Program, listing

FEW = ("planar-pendulum", "double-spherical-pendulum-spatial", "swinging-atwood", "cubic-surface", "ellipse-pendulum")


def write(build, source, given):
    program = Program(build, source)
    if given:
        files, told = [given], f"The rows are those of a run of the tier *{json.loads(given.read_text())['tier']}*."
    else:
        files = [source / "generated" / f"{name}.json" for name in FEW]
        for name, file in zip(FEW, files):
            program("validate", name, "--quick", "--json", file)
        told = (
            "These rows were measured when this manual was built, on a few problems: "
            + ", ".join(FEW)
            + ". `./gnomon.sh validate --standard --json build/validation.json` measures all of them, and the next "
            "`./gnomon.sh manual` takes that file."
        )
    rows = {}
    for file in files:
        for row in json.loads(file.read_text())["rows"]:
            rows[row["case"], row["quantity"]] = row
    (source / "generated" / "rows.json").write_text(json.dumps(list(rows.values())))
    (source / "generated" / "told.md").write_text(told + "\n", encoding="utf-8")
    summary = program("validate", "--from", *files, statuses=(0, 1))
    (source / "generated" / "validation.md").write_text(told + "\n\n" + listing(summary), encoding="utf-8")
    for file in files:
        if file != given:
            file.unlink()
