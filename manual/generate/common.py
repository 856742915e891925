"""What the generators share: the program, tables, comments at the head of a file."""
import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Program:
    """The built program `gnomon`, run where its files may lie."""

    def __init__(self, build, folder):
        self.path, self.folder = pathlib.Path(build) / "bin" / "gnomon", pathlib.Path(folder)

    def __call__(self, *arguments, statuses=(0,)):
        """Standard output; another status than these is an error with what the program said."""
        call = [str(self.path), *map(str, arguments)]
        done = subprocess.run(call, cwd=self.folder, capture_output=True, text=True)
        if done.returncode not in statuses:
            raise RuntimeError(
                f"{' '.join(call[1:])} ended with status {done.returncode}: {done.stderr or done.stdout}"
            )
        return done.stdout

    def json(self, *arguments):
        return json.loads(self(*arguments, "--json"))

    def names(self, kind):
        """{name: description, promises} of one kind in `gnomon list`."""
        found, inside, name = {}, False, None
        for line in self("list").splitlines():
            if not line.startswith(" "):
                inside = line == kind
            elif inside and re.match(r"  \S", line):
                name, text = line.split(None, 1)
                found[name] = {"text": text.strip(), "more": ""}
            elif inside:
                found[name]["more"] += " " + line.strip()
        return found


def models():
    """[(name, file)] of the model files of the gallery and of those that are built in."""
    files = [*(ROOT / "manual" / "gallery").glob("*.toml"), *(ROOT / "problems").glob("*.toml")]
    return sorted((file.stem.replace("_", "-"), file) for file in files)


def head_comment(file):
    """The comment at the head of a C++ file without its marks and without `\\file`."""
    lines = []
    for line in pathlib.Path(file).read_text(encoding="utf-8").splitlines():
        if not line.startswith("///"):
            break
        if "\\file" not in line:
            lines.append(line[4:])
    return "\n".join(lines)


def table(head, rows):
    """A table in Markdown; what is a number, or "rtol = 1e-6", stays in one line."""

    def cell(content):
        text = str(content).replace("|", "\\|")
        return f'<span class="number">{text}</span>' if re.fullmatch(r"(\w+ = )?[-+]?[\d.]+(e[-+]\d+)?", text) else text

    cells = [head, ["---"] * len(head), *([cell(c) for c in row] for row in rows)]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in cells) + "\n"


def listing(text, language="text"):
    return f"```{language}\n{text.rstrip()}\n```\n"


def number(value, digits=2):
    """5.8e-18 and 0, as in the reports."""
    return (
        "0" if value == 0 else f"{value:.{digits - 1}e}" if not 1e-3 <= abs(value) < 1e4 else f"{value:.{digits + 1}g}"
    )
