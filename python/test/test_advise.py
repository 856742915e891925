"""gnomon.advise: the same as the command."""

import pickle

import gnomon as gn
import numpy as np
import pytest

from conftest import interrupted


@pytest.fixture(scope="module")
def advice():
    return gn.advise("planar-pendulum", (0, 2), error=1e-5, budget=1.5)


def test_what_is_advised_keeps_the_error(advice):
    best = advice.best
    assert best["error"] <= 1e-5 and best["kind"] == "scheme" and not advice.interrupted
    assert advice.exact_energy["energy"] < 1e-14 and advice.best_reference["kind"] == "reference"
    s = gn.solve("planar-pendulum", (0, 2), **advice.arguments)
    exact = gn.solve("planar-pendulum", (0, 2), scheme="exact", t_eval=[2.0])
    assert s.success and np.linalg.norm(s.q[:, -1] - exact.q[:, -1]) <= 1e-5
    assert s.stats["steps"] == best["steps"]
    text = repr(advice)
    assert text.startswith("planar-pendulum, up to t = 2, for an error of 1e-05")
    assert "Advice: " + best["method"] in text and "gn.solve('planar-pendulum', (0, 2), scheme=" in text and "--" not in text


def test_table_and_page(advice, tmp_path):
    frame = advice.to_dataframe()
    assert len(frame) == len(advice.table) and {"method", "parameter", "seconds", "error", "energy"} <= set(frame)
    assert {"scheme", "reference"} == set(frame["kind"])
    again = pickle.loads(pickle.dumps(advice))
    assert repr(again) == repr(advice) and again.table == advice.table
    page = gn.report(again, tmp_path / "advice.html").read_text(encoding="utf-8")
    assert "Which scheme, which step: planar-pendulum" in page and "Time against error" in page
    with pytest.raises(gn.BadValueError, match="names and title"):
        gn.report(advice, tmp_path / "advice.html", title="a")


def test_models_made_in_python(rod, start, tmp_path):
    given = gn.advise(rod, (0, 0.5), error=1e-3, budget=0.5, parameters=dict(k=2), **start)
    assert "(0, 0.5), q0, v0, parameters=parameters, scheme=" in repr(given)
    assert gn.solve(rod, (0, 0.5), parameters=dict(k=2), **start, **given.arguments).success
    mechanism = gn.Mechanism("ball", planar=True, gravity=[0, -9.81])
    mechanism.rod("rope", mechanism.point("O", [0, 0]), mechanism.particle("ball", 1, [1, 0]))
    assert gn.advise(mechanism, (0, 0.5), error=1e-3, budget=0.5).best
    file = tmp_path / "ball.toml"
    file.write_text(mechanism.toml + "\n[run]\nuntil = 0.5\n")
    assert "ball.toml', (0, 0.5), scheme=" in repr(gn.advise(str(file), error=1e-3, budget=0.5))
    functions = gn.Model.from_functions("x", 1, lambda q: q[0] ** 2 / 2, gradient=lambda q: q, traced=False)
    assert gn.advise(functions, (0, 1), [1], error=1e-2, budget=1).table


def test_interrupt(rod, start):
    with interrupted(0.3) as caught:
        gn.advise(rod, (0, 20), error=1e-10, budget=60, **start)
    assert caught.value.result.interrupted
    with pytest.raises(gn.BadValueError, match="nothing is advised"):
        caught.value.result.arguments


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (dict(), "t_span is missing"),
        (dict(t_span=(1, 0)), "t_span"),
        (dict(t_span=(0, 1), error=1), "error = 1 is not between"),
        (dict(t_span=(0, 1), error=0), "error = 0"),
        (dict(t_span=(0, 1), budget=-1), "budget = -1"),
    ],
)
def test_wrong_arguments(rod, start, arguments, sentence):
    with pytest.raises(gn.BadValueError, match=sentence):
        gn.advise(rod, **arguments, **start)
