"""What a type checker sees of the package."""

import subprocess
import sys

import pytest

pytest.importorskip("mypy")

USE = '''
import gnomon as gn

m = gn.Model("x y", 1.0, "9.81*y", constraints="x^2 + y^2 - 1")
s = gn.solve(m, (0, 1), q0=[1, 0], step=0.1)
reveal_type(s.t)
reveal_type(s.q)
reveal_type(s.success)
reveal_type(s.broken_promises)
reveal_type(s.to_dataframe())
run = gn.Integrator(m, [1, 0], rtol=1e-8)
run.advance(1.0)
run.set_parameters()
reveal_type(run.y)
reveal_type(gn.advise(m, (0, 1)).best)
s.no_such_thing
'''

# What is imported for types only takes a minute to read.
SETTINGS = """[mypy]
ignore_missing_imports = True
[mypy-gnomon.*]
ignore_errors = True
[mypy-matplotlib.*,pandas.*,scipy.*,sympy.*,xarray.*]
follow_imports = skip
"""


def mypy(module, *arguments, folder):
    (folder / "mypy.ini").write_text(SETTINGS)
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout


def test_stubs_are_those_of_the_module(tmp_path):
    found = mypy("mypy.stubtest", "gnomon._core", "--mypy-config-file", "mypy.ini", "--concise", folder=tmp_path)
    assert [line for line in found.splitlines() if "metaclass differs" not in line] == []


def test_attributes_have_types(tmp_path):
    (tmp_path / "use.py").write_text(USE)
    found = mypy("mypy", "--config-file", "mypy.ini", "use.py", folder=tmp_path)
    types = [line.split('is "', 1)[1].split("[", 1)[0].rstrip('"') for line in found.splitlines() if "Revealed" in line]
    assert types == [
        "numpy.ndarray", "numpy.ndarray", "builtins.bool", "builtins.list", "Any", "numpy.ndarray", "Union"
    ], found
    assert [line for line in found.splitlines() if "error:" in line] == [
        'use.py:16: error: "Result" has no attribute "no_such_thing"  [attr-defined]'
    ], found
