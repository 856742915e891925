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

import mathematics  # noqa: E402
import snippets  # noqa: E402

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
