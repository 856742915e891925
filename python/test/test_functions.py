"""Models whose functions stay Python's: what they take, and what they raise."""

import pickle

import gnomon as gn
import numpy as np
import pytest


def potential(q):
    return 9.81 * q[2] + 2.5 * q[0] ** 2 if q[0] > -9 else 0.0


def gradient(q):
    return [5 * q[0], 0, 9.81]


def constraints(q):
    return {"rod": (q @ q - 1) / 2}


def jacobian(q):
    return q[np.newaxis]


def make(**more):
    given = dict(gradient=gradient, jacobian=jacobian, traced=False)
    return gn.Model.from_functions("x y z", [1, 1, 1], potential, constraints, **{**given, **more})


def test_the_time_in_functions_is_said(rod, start):
    s = gn.solve(make(), (0, 0.5), step=0.02, scheme="energy-momentum-ggl", **start)
    assert s.success and 0 < s.stats["function_share"] <= 1 and s.stats["function_calls"] > 100
    assert s.stats["function_seconds"] == pytest.approx(s.stats["function_share"] * s.stats["seconds"])
    assert "in Python functions" in repr(s)
    same = gn.solve(rod, (0, 0.5), step=0.02, scheme="energy-momentum-ggl", **start)
    assert np.max(np.abs(s.y - same.y)) < 1e-9 and np.max(np.abs(s.energy_error)) < 1e-12
    assert same.stats["function_calls"] == same.stats["function_seconds"] == same.stats["function_share"] == 0
    read_once = gn.Model.from_functions("x y z", 1, lambda q: 9.81 * q[2] + 2.5 * q[0] ** 2, constraints)
    assert gn.solve(read_once, (0, 0.1), step=0.02, **start).stats["function_calls"] == 0
    ida = gn.solve(make(), (0, 0.5), scheme="ida-ggl", rtol=1e-10, **start)
    assert ida.stats["function_share"] > 0 and np.max(np.abs(ida.energy_error)) < 1e-6


def test_derivatives_from_differences(rod, start):
    plain = make(gradient=None, jacobian=None, force=None)
    s = gn.solve(plain, (0, 0.1), step=0.02, **start)
    given = gn.solve(make(), (0, 0.1), step=0.02, **start)
    assert np.max(np.abs(s.y - given.y)) < 1e-9
    assert gn.check(make(), **start)


def test_what_a_model_of_functions_is(start):
    m = make(name="bob")
    assert (m.name, m.coordinates, m.constraints, m.parameters) == ("bob", ["x", "y", "z"], ["rod"], {})
    again = pickle.loads(pickle.dumps(m))
    one, other = (gn.solve(each, (0, 0.1), step=0.02, **start) for each in (m, again))
    assert np.array_equal(one.y, other.y) and "lambda.rod" in one.to_dataframe()
    with pytest.raises(gn.RefusedError, match="no formulas"):
        m.toml
    with pytest.raises(gn.UnknownNameError, match='no parameter "k"'):
        gn.solve(m, (0, 1), step=0.1, parameters=dict(k=1), **start)
    run = gn.Integrator(m, step=0.02, **start)
    run.step()
    assert run.q == pytest.approx(one.q[:, 1], abs=1e-14)


@pytest.mark.parametrize(
    "function, kind, sentence",
    [
        (lambda q: undefined, NameError, "undefined"),  # noqa: F821
        (lambda q: [1, 2], ValueError, r"potential returned the shape \(2,\), expected \(\)"),
        (lambda q: "x", ValueError, "no array of numbers"),
        (lambda q: 1 / 0, gn.CallbackError, "ZeroDivisionError"),
        (lambda q: np.nan, gn.CallbackError, "not finite"),
    ],
)
def test_functions_that_fail_at_the_start(function, kind, sentence):
    model = gn.Model.from_functions("x", 1, function, traced=False)
    for call in (gn.solve, lambda m, span, **more: gn.Integrator(m, **more)):
        with pytest.raises(kind, match=sentence):
            call(model, (0, 1), q0=[1], step=0.1)


def test_functions_that_fail_later(start):
    def rises(q):
        if q[0] < 0.5:
            raise KeyError("below")
        return q[0] ** 2 / 2

    model = gn.Model.from_functions("x", 1, rises, gradient=lambda q: q, traced=False)
    with pytest.raises(KeyError, match="below") as caught:
        gn.solve(model, (0, 10), q0=[1], step=0.01)
    assert 0.9 < caught.value.result.t[-1] < np.arccos(0.5) + 0.05 and caught.value.result.status == -2
    with pytest.raises(KeyError, match="below"):
        gn.Integrator(model, q0=[1], step=0.01).advance(10)

    def ends(q):
        return q[0] ** 2 / 2 if q[0] > 0.5 else 1 / 0

    s = gn.solve(gn.Model.from_functions("x", 1, ends, gradient=lambda q: q, traced=False), (0, 10), q0=[1], step=0.01)
    assert s.status == -1 and "ZeroDivisionError" in s.message and 0.9 < s.t[-1] < 1.1


@pytest.mark.parametrize(
    "more, sentence",
    [
        (dict(mass=lambda q: 1), "mass is a function"),
        (dict(mass=[1, 2]), r"shape \(2,\)"),
        (dict(jacobian=3), "jacobian is 3"),
        (dict(jacobian=jacobian), "without constraints"),
    ],
)
def test_what_is_no_model_of_functions(more, sentence):
    with pytest.raises(gn.ModelError, match=sentence):
        gn.Model.from_functions("x", **{**dict(mass=1, potential=potential, traced=False), **more})


def test_steps_end_where_functions_switch():
    given = dict(gradient=lambda q: 9.81 + 1000 * np.minimum(q, 0), traced=False)
    rough = gn.Model.from_functions("x", 1, lambda q: 9.81 * q[0] + 500 * min(q[0], 0) ** 2, **given)
    model = gn.Model.from_functions(
        "x", 1, lambda q: 9.81 * q[0] + 500 * min(q[0], 0) ** 2, switches=lambda q, v: [q[0]], **given
    )
    caught = 0.9979494846333587
    s = gn.solve(model, (0, 3), q0=[1], rtol=1e-8)
    assert abs(s.q[0, -1] - caught) <= 2e-7
    # Steps over a switch that nobody named may be accurate by luck: the worst of three runs counts.
    errors = [
        max(abs(gn.solve(m, (0, 3), q0=[1], rtol=r).q[0, -1] - caught) for r in (1e-3, 1e-4, 1e-5))
        for m in (model, rough)
    ]
    assert errors[1] > 10 * errors[0]
