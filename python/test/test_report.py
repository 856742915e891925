"""The page of runs."""

import numpy as np
import pytest

import gnomon as gn


@pytest.fixture(scope="module")
def runs():
    model = gn.Model.problem("double-spherical-pendulum", start="spatial")
    return [gn.solve(model, (0, 2), rtol=1e-8)] + [
        gn.solve(model, (0, 2), scheme=name, rtol=1e-8) for name in ("ida-ggl", "cvode-projection")
    ]


def test_references_at_their_own_steps(runs):
    scheme, ida, cvode = runs
    assert len(ida.t) > 250 and len(cvode.t) > 250
    assert ida.t[0] == 0 and ida.t[-1] == 2 and np.all(np.diff(ida.t) > 0)
    assert len(ida.t) == ida.stats["steps"] + 1
    assert abs(ida.energy_error).max() > 1e3 * abs(scheme.energy_error).max()
    asked = gn.solve(ida.model, (0, 2), scheme="ida-ggl", rtol=1e-8, t_eval=[0.5, 1.5])
    assert asked.t.tolist() == [0.5, 1.5]
    exact = gn.solve("conical-pendulum", (0, 1), scheme="exact")
    assert len(exact.t) == 201


def test_page(runs, tmp_path):
    path = gn.report(runs, tmp_path / "page.html")
    text = path.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    for part in ("Energy error", "Distance from the references", "ida-ggl, rtol = 1e-08", "cvode-projection"):
        assert part in text
    one = gn.report(runs[0], str(tmp_path / "one.html"), names=["<b>&"], title="a </script> b")
    assert "</script> b" not in one.read_text(encoding="utf-8")
    sampled = gn.solve(runs[0].model, (0, 2), step=0.01, t_eval=np.linspace(0, 2, 21))
    assert "Step size" not in gn.report(sampled, tmp_path / "sampled.html").read_text(encoding="utf-8")


def test_what_is_no_report(runs, tmp_path):
    other = gn.solve("planar-pendulum", (0, 1), step=0.1)
    for said, results, name, more in (
        ("no result", [], "page.html", {}),
        ("no Result", [1], "page.html", {}),
        (".html", runs, "page.htm", {}),
        ("2 names for 3 results", runs, "page.html", dict(names=["a", "b"])),
        ("different models", [runs[0], other], "page.html", {}),
    ):
        with pytest.raises(gn.BadValueError, match=said):
            gn.report(results, tmp_path / name, **more)
    with pytest.raises(gn.FileError, match="cannot be written"):
        gn.report(runs, tmp_path / "nowhere" / "page.html")
    assert list(tmp_path.iterdir()) == []
