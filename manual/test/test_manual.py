"""What the pages of the manual show runs: commands, Python and model files, page by page in a folder of its own.

GNOMON_PROGRAM is the built program. Programs in C and C++ are built by validation/embed/run.sh.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

MANUAL = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(MANUAL))
sys.path.insert(0, str(MANUAL / "generate"))

import errors  # noqa: E402
import mathematics  # noqa: E402
import peers  # noqa: E402
import snippets  # noqa: E402
import thumbnails  # noqa: E402

PAGES = sorted(MANUAL.rglob("*.md"))


def commands(text):
    """The commands of a block of a console, without the prompt; lines that end with a backslash go on."""
    return re.findall(r"^\$ (.*)$", text.replace("\\\n", " "), re.M)


def run(command, status):
    words = shlex.split(command)
    assert words[0] == "./gnomon.sh", f"{command}: expected ./gnomon.sh first"
    done = subprocess.run([os.environ["GNOMON_PROGRAM"], *words[1:]], capture_output=True, text=True)
    assert done.returncode == status, f"{command}\n{done.stdout}{done.stderr}"
    if status:
        assert len(done.stderr.splitlines()) <= 2 or status == 3, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(MANUAL)))
def test_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = [block for block in snippets.blocks(page.read_text(encoding="utf-8")) if "not run" not in block.notes]
    for block in found:
        if "file" in block.notes:
            (tmp_path / block.notes["file"]).write_text(block.text, encoding="utf-8")
    names = {}
    for block in found:
        where = f"{page.name}:{block.line}"
        if block.language == "console":
            assert commands(block.text), f"{where}: no command"
            for command in commands(block.text):
                run(command, int(block.notes.get("status", 0)))
        elif block.language == "python":
            exec(compile(block.text, where, "exec"), names)
        elif block.language == "toml":
            assert "file" in block.notes, f"{where}: a model file needs a name"


def test_languages():
    """Every block is one that is run, compiled by embed/run.sh, or shows text."""
    known = {"console", "python", "toml", "cpp", "c", "cmake", "text"}
    for page in PAGES:
        for block in snippets.blocks(page.read_text(encoding="utf-8")):
            assert block.language in known or block.language.startswith(
                "{"
            ), f"{page.name}:{block.line}: {block.language!r}"


def test_formulas():
    """Formulas of comments become TeX."""
    given = {
        "q1 - q0 = h M^-1 p_m": r"q_{1} - q_{0} = h M^{-1} p_{m}",
        "D_qPsi.dq": r"D_q\Psi \cdot \Delta q",
        "sum_{j<s} I_j(c)": r"\sum _{j<s} I_{j}(c)",
        "delta_i0 + O(h^2k)": r"\delta _{i0} + O(h^{2k})",
        "q^ = q0 + h v0": r"\hat{q} = q_{0} + h v_{0}",
        "(M^-1 A)^(1/2) <= 1e-22": r"(M^{-1} A)^{1/2} \le  10^{-22}",
    }
    for text, tex in given.items():
        assert mathematics.tex(text) == tex
    said = mathematics.prose("A force Q enters the second equation, H1 - H0 = Q.dq (kernels/a.hpp), with a |g| < 1.")
    assert (
        said
        == r"A force $Q$ enters the second equation, $H_{1} - H_{0} = Q\cdot \Delta q$ (`kernels/a.hpp`), with a $|g| < 1$."
    )


def sources():
    """The texts of C++ that say something, with literals of several lines as one."""
    root = MANUAL.parent
    found = [
        path
        for folder in ("lib/src", "lib/include", "plugins", "problems", "program", "output", "validation")
        for path in (root / folder).rglob("*")
        if path.suffix in (".cpp", ".hpp", ".h") and "/test/" not in str(path)
    ]
    texts = (path.read_text(encoding="utf-8") for path in found)
    return "\n".join(re.sub(r'"\s*\n\s*"', "", text) for text in texts).replace(r"\"", '"')


def test_thumbnails():
    """Of a picture of the program the mechanism alone, within its size, without numbers and words."""
    small = thumbnails.thumbnail((MANUAL / "pictures" / "four-bar.svg").read_text(encoding="utf-8"))
    assert small.count("<polyline") > 5 and "<text" not in small and len(small) < 30000
    points = [tuple(map(float, pair.split(","))) for line in re.findall(r'points="([^"]+)"', small) for pair in line.split()]
    for c, size in enumerate((thumbnails.WIDTH, thumbnails.HEIGHT)):
        reached = [point[c] for point in points]
        assert 0 <= min(reached) and max(reached) <= size
    assert any(max(p[c] for p in points) - min(p[c] for p in points) > 0.9 * size
               for c, size in enumerate((thumbnails.WIDTH, thumbnails.HEIGHT)))


def test_kept_tables_are_those_of_the_data():
    page = peers.PAGE.read_text(encoding="utf-8")
    assert page == peers.filled(page), "run python3 manual/generate/peers.py"


def test_errors_are_all_there():
    """Every code and every end of a solve that the sources name has its remedy, and every sentence that the page quotes
    is one of the sources."""
    text = sources()
    flags = (MANUAL.parent / "lib/include/gnomon/flags.h").read_text(encoding="utf-8")
    codes = dict(re.findall(r'X\((\w+), ([A-Z_]+), -?\d+, "', flags))
    used = set(re.findall(r"\bErrorCode::(\w+)", text))
    assert used - {"name"} <= set(codes), used - set(codes)  # `name`: the macro that makes them
    flags_used = set(re.findall(r'X\((?:\w+, )?([A-Z_]+), -?\d+, "', flags))
    assert flags_used == set(errors.REMEDIES), flags_used ^ set(errors.REMEDIES)
    assert set(re.findall(r"\bSolveStatus::(\w+)", text)) <= set(errors.ENDS)

    page = (MANUAL / "reference" / "errors.md").read_text(encoding="utf-8")
    quoted = re.findall(r"^\| \*(.+?)\* \|", page, re.M)
    assert len(quoted) > 10
    # Of TOML and KINSOL, and those that are composed of names.
    others = ("not TOML", "not converged: KINSOL", "the force of x", "BROKEN promise", "potential gradient")
    ours = [one for one in quoted if not one.startswith(others)]
    for sentence in ours:
        # Names and numbers are those of an example.
        names = r"rattle|crank|slider|energy|M|G|IDA"
        parts = re.split(rf"\.\.|\b\d[\d.e+-]*\b|\b(?:{names})\b|[:;,|']|--\w+", sentence)
        for part in (part.strip() for part in parts):
            assert len(part) < 12 or part in text, f"no source says {part!r} of {sentence!r}"
