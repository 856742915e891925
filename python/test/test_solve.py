"""gnomon.solve: results, tolerances, references, events, failures."""

import pickle

import gnomon as gn
import numpy as np
import pytest

from conftest import make_rod


def test_shape_of_a_result(rod, start):
    s = gn.solve(rod, (1, 3), step=0.01, **start)
    assert s.success and s.status == 0
    assert s.t.shape == (201,) and s.t[0] == 1 and s.t[-1] == pytest.approx(3)
    assert s.y.shape == (6, 201)
    assert s.q.shape == s.v.shape == s.p.shape == (3, 201)
    assert s.lam.shape == s.g.shape == s.gv.shape == (1, 201)
    assert s.t_events is None and s.y_events is None and s.sol is None
    assert s.nfev > 0 and s.njev > 0
    assert np.array_equal(s.y[:, 0], [1, 0, 0, 0, 1, 0])
    assert np.max(np.abs(s.energy_error)) < 1e-14
    assert np.max(np.abs(s.energy - s.energy[0])) < 1e-13
    assert np.allclose(s.energy, s.kinetic + s.potential, rtol=1e-15, atol=1e-14)
    assert np.max(np.abs(s.g)) < 1e-15
    assert s.promises["energy"] and s.promises["order"] == 2 and s.broken_promises == []
    assert s.provenance["scheme"] == "energy-momentum" and s.provenance["parameters"] == {"k": 5.0, "l": 1.0}
    assert "energy-momentum" in repr(s)


def test_like_solve_ivp():
    """The arguments and results that SciPy's function has, on a problem that both take."""
    from scipy.integrate import solve_ivp

    oscillator = gn.Model("x", 1, "x^2/2")

    def down(t, y):
        return y[0]

    down.direction = -1

    def late(t, y):
        return t - 7.75

    late.terminal = True
    given = dict(t_eval=np.linspace(0, 9, 19), dense_output=True, events=[down, late], rtol=1e-10)
    ours = gn.solve(oscillator, (0, 20), q0=[0.0], v0=[1.0], **given)
    theirs = solve_ivp(lambda t, y: [y[1], -y[0]], (0, 20), [0.0, 1.0], atol=1e-10, **given)
    assert ours.status == theirs.status == 1 and ours.success
    assert ours.t.shape == theirs.t.shape and np.max(np.abs(ours.y - theirs.y)) < 1e-7
    for mine, other in zip(ours.t_events, theirs.t_events):
        assert mine.shape == other.shape and np.max(np.abs(mine - other)) < 1e-6
    for mine, other in zip(ours.y_events, theirs.y_events):
        assert mine.shape == other.shape and np.max(np.abs(mine - other)) < 1e-6
    assert ours.sol(1.0).shape == theirs.sol(1.0).shape
    assert ours.sol([1.0, 2.0]).shape == theirs.sol([1.0, 2.0]).shape


def test_times(rod, start):
    times = np.linspace(0, 2, 41)
    every = gn.solve(rod, (0, 2), step=0.05, scheme="line-integral-ggl", options=dict(s=3), **start)
    fixed = gn.solve(rod, (0, 2), step=0.05, scheme="line-integral-ggl", options=dict(s=3), t_eval=times, **start)
    assert np.array_equal(fixed.t, times)
    assert np.array_equal(fixed.y, every.y)  # the times are those of the steps
    between = gn.solve(rod, (0, 2), step=0.05, scheme="line-integral-ggl", options=dict(s=3), t_eval=times[:-1] + 0.02, **start)
    assert np.array_equal(between.t, times[:-1] + 0.02)
    tolerance = gn.solve(rod, (0, 2), rtol=1e-10, t_eval=times[:-1] + 0.02, **start)
    assert np.max(np.abs(between.y - tolerance.y)) < 1e-5  # the scheme's own error
    assert np.max(np.abs(tolerance.energy_error)) < 1e-14
    assert np.max(np.abs(between.energy_error)) < 1e-4
    none = gn.solve(rod, (0, 2), step=0.05, t_eval=[], **start)
    assert none.success and none.y.shape == (6, 0)


def test_dense_output(rod, start):
    s = gn.solve(rod, (0, 2), step=0.02, scheme="line-integral-ggl", options=dict(s=3), dense_output=True, **start)
    assert np.max(np.abs(s.sol(s.t) - s.y)) < 1e-13
    middle = (s.t[1:] + s.t[:-1]) / 2
    fine = gn.solve(rod, (0, 2), step=0.01, scheme="line-integral-ggl", options=dict(s=3), **start)
    assert np.max(np.abs(s.sol(middle) - fine.y[:, 1::2])) < 1e-7
    again = pickle.loads(pickle.dumps(s.sol))
    assert np.array_equal(again(0.333), s.sol(0.333))
    heavier = gn.solve(rod, (0, 1), step=0.02, dense_output=True, parameters=dict(k=1), **start)
    assert np.max(np.abs(heavier.sol(heavier.t) - heavier.y)) < 1e-13


@pytest.mark.parametrize("reference", ["ida-ggl", "ida-index1", "cvode-projection"])
def test_references_by_the_same_call(rod, start, reference):
    s = gn.solve(rod, (0, 3), rtol=1e-9, **start)
    r = gn.solve(rod, (0, 3), rtol=1e-9, scheme=reference, **start)
    assert r.success and len(r.t) == r.stats["steps"] + 1 and r.t[-1] == 3
    assert np.max(np.abs(r.y[:, -1] - s.y[:, -1])) < 1e-6
    assert np.max(np.abs(s.energy_error)) < 1e-14 < np.max(np.abs(r.energy_error)) < 1e-5
    assert r.promises == {} and r.stats["steps"] > 0
    assert np.allclose(r.lam[:, -1], s.lam[:, -1], atol=1e-5)
    grid = gn.solve(rod, (0, 1.05), step=0.1, scheme=reference, **start)
    assert np.allclose(grid.t, [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.05])
    few = gn.solve(rod, (0, 1), t_eval=[0.25, 0.5], scheme=reference, dense_output=False, **start)
    assert np.array_equal(few.t, [0.25, 0.5])


def test_exact():
    r = gn.solve("odae-test", (0, 1), scheme="exact")
    assert np.allclose(r.y[:2, -1], np.exp([2, -1])) and np.isnan(r.energy).all()
    s = gn.solve("odae-test", (0, 1), step=1e-4, scheme="symplectic-euler-true")
    assert np.allclose(s.y[:, -1], r.y[:, -1], rtol=1e-2)
    with pytest.raises(gn.RefusedError, match="no closed-form"):
        gn.solve("chain", (0, 1), scheme="exact")


def test_tolerance_takes_the_suited_scheme(rod, start):
    s = gn.solve(rod, (0, 2), rtol=1e-8, **start)
    assert s.provenance["scheme"] == "projected-rk" and s.provenance["options"]
    assert s.stats["smallest_step"] < s.stats["largest_step"]
    named = gn.solve(rod, (0, 2), rtol=1e-8, scheme="line-integral-ggl", **start)
    assert named.provenance["scheme"] == "line-integral-ggl"
    assert np.max(np.abs(named.y[:, -1] - s.y[:, -1])) < 1e-6
    short = gn.solve(rod, (0, 2), rtol=1e-8, max_step=0.01, **start)
    assert short.stats["largest_step"] <= 0.01 + 1e-15


def test_step_alone_takes_a_scheme_for_every_model():
    assert gn.solve(gn.Model("a", 1, "a^2"), (0, 1), q0=[1], step=0.1).provenance["scheme"] == "energy-momentum"
    s = gn.solve(gn.Model("a", 1, "-cos(a)"), (0, 1), q0=[1], step=0.1)
    assert s.provenance["scheme"] == "energy-momentum-ggl" and np.max(np.abs(s.energy_error)) < 1e-15


def test_warnings():
    assert gn.solve("bricard-loop", (0, 0.1), step=0.01).warnings == ["constraint twist[6] repeats others"]
    r = gn.solve("closed-chain", (0, 0.1), step=0.01)
    assert r.warnings == [] and "WARNING" not in repr(r)


def test_solvers_and_algebra(rod, start):
    one = gn.solve(rod, (0, 1), step=0.01, **start)
    other = gn.solve(rod, (0, 1), step=0.01, solver="newton", algebra="dense", **start)
    assert np.max(np.abs(one.y - other.y)) < 1e-13


def test_failure_keeps_the_data(rod, start):
    s = gn.solve(rod, (0, 30), step=3.0, **start)
    assert not s.success and s.status == -1
    assert "not converged" in s.message and s.t[-1] < 30 and s.y.shape == (6, len(s.t))
    assert s.energy.shape == s.t.shape


def test_start_can_be_projected(rod):
    with pytest.raises(gn.InconsistentStartError, match="project_start=True"):
        gn.solve(rod, (0, 1), q0=[1.1, 0, 0], step=0.01)
    for scheme in ("energy-momentum", "ida-ggl"):
        s = gn.solve(rod, (0, 1), q0=[1.1, 0, 0], step=0.01, project_start=True, scheme=scheme)
        assert s.success and np.allclose(s.q[:, 0], [1, 0, 0])


@pytest.mark.parametrize(
    "arguments, kind, sentence",
    [
        (dict(y0=[1, 0, 0]), TypeError, 'solve has no argument "y0": the start is q0 and v0'),
        (dict(method="RK45"), TypeError, "the method is scheme"),
        (dict(stpe=0.1), TypeError, 'solve has no argument "stpe": did you mean "step"?'),
        (dict(step=0.1, rtol=1e-6), gn.BadValueError, "both step and rtol"),
        (dict(step=0.1, atol=1e-6), gn.BadValueError, "atol is given without rtol"),
        (dict(step=0.1, max_step=0.2), gn.BadValueError, "first_step and max_step are for steps of a tolerance"),
        (dict(step=0.1, options="s=3"), gn.BadValueError, "'s=3' is no dict"),
        (dict(step=0.1, events=lambda t, y: np.nan if t > 0.5 else 1), gn.BadValueError, "event 0 is nan at t = 0.6"),
        (dict(step=-0.1), gn.BadValueError, "step = -0.1 is not a finite number above zero"),
        (dict(step="small"), gn.BadValueError, "step = 'small' is no number"),
        (dict(step=0.1, scheme="energy-momentu"), gn.UnknownNameError, 'did you mean "energy-momentum"?'),
        (dict(step=0.1, scheme="ida"), gn.UnknownNameError, "references: cvode-projection, exact, ida-ggl"),
        (dict(step=0.1, solver="newto"), gn.UnknownNameError, 'did you mean "newton"?'),
        (dict(step=0.1, options=dict(s=3)), gn.UnknownNameError, '"s"'),
        (dict(rtol=1e-6, options=dict(s=3)), gn.BadValueError, "without scheme"),
        (dict(rtol=1e-6, scheme="rattle"), gn.RefusedError, "does not take a tolerance"),
        (dict(step=0.1, parameters=dict(kk=1)), gn.UnknownNameError, 'no parameter "kk"'),
        (dict(step=0.1, q0=[1, 0]), gn.BadSizeError, "q0 has 2 entries, expected 3"),
        (dict(step=0.1, q0=[[1, 0, 0]]), gn.BadValueError, "one axis"),
        (dict(step=0.1, q0=["a", 0, 0]), gn.BadValueError, "no array of numbers"),
        (dict(step=0.1, q0=[np.nan, 0, 0]), gn.GnomonError, "finite"),
        (dict(step=0.1, t_eval=[0.5, 0.2]), gn.BadValueError, "t_eval[1] = 0.2 is not above the time before it, 0.5"),
        (dict(step=0.1, t_eval=[2.0]), gn.BadValueError, "t_eval[0] = 2.0 is not between 0 and 1"),
        (dict(step=0.1, contact=dict(restitution=2)), gn.BadValueError, "restitution"),
    ],
)
def test_wrong_arguments(rod, start, arguments, kind, sentence):
    with pytest.raises(kind) as caught:
        gn.solve(rod, (0, 1), **{**start, **arguments})
    assert sentence in str(caught.value)


def test_wrong_span(rod, start):
    wrong = {
        "does not end after": [(1, 0), (0, 0)],
        "is not finite": [(0, np.inf), (np.nan, 1)],
        "the rounding of t": [(1e16, 1e16 + 4), (-1e16 - 2, -1e16)],
        "no pair": [3],
    }
    for why, spans in wrong.items():
        for span in spans:
            for steps in (dict(step=0.1), dict(rtol=1e-6), dict(scheme="ida-ggl")):
                with pytest.raises(gn.BadValueError, match=f"t_span.*{why}"):
                    gn.solve(rod, span, **steps, **start)


@pytest.mark.parametrize("given", [dict(step=0.01), dict(scheme="ida-ggl")])
def test_what_an_event_raises_comes_out_with_the_data(rod, start, given):
    def broken(t, y):
        if t > 0.5:
            raise ZeroDivisionError("in the event")
        return 1.0

    with pytest.raises(ZeroDivisionError, match="in the event") as caught:
        gn.solve(rod, (0, 5), events=broken, **given, **start)
    assert 0.4 < caught.value.result.t[-1] < 0.6


def test_terminal_events():
    def middle(t, y):
        return y[0]

    middle.terminal = 3
    s = gn.solve(gn.Model("x", 1, "x^2/2"), (0, 100), q0=[1.0], step=0.01, events=middle)
    assert s.status == 1 and s.success and len(s.t_events[0]) == 3
    assert s.t[-1] == s.t_events[0][-1] == pytest.approx(2.5 * np.pi, rel=1e-4)
    assert abs(s.y[0, -1]) < 1e-14 and abs(s.energy_error[-1]) < 1e-4


def test_events_at_the_ends_of_steps():
    """A zero at the end of a step is found once, wherever rounding puts it."""
    free = gn.Model("x", 1, 0)
    for offset in (0, 1e-16, -1e-16, 0.25):
        s = gn.solve(free, (0, 2), q0=[-1 + offset], v0=[1], step=0.125, events=lambda t, y: y[0])
        assert len(s.t_events[0]) == 1 and s.t_events[0][0] == pytest.approx(1 - offset)


def test_contact(tmp_path):
    ball = gn.Model("y", 1, "9.81*y", obstacles={"floor": dict(formula="y", restitution=0.5)})
    s = gn.solve(ball, (0, 1), q0=[1], scheme="energy-momentum-ggl", step=0.01)
    assert s.success and s.contact_events[0]["t"] == pytest.approx(np.sqrt(2 / 9.81), abs=1e-9)
    assert s.lam.shape == (1, len(s.t)) and ball.constraints == ["floor"]
    assert s.stats["impact_losses"] < 0 and np.max(np.abs(s.energy_error)) < 1e-12
    times = np.linspace(0, 1, 7)
    sampled = gn.solve(ball, (0, 1), q0=[1], scheme="energy-momentum-ggl", step=0.01, t_eval=times)
    assert np.array_equal(sampled.t, times) and np.min(sampled.q) > -1e-9
    reference = gn.solve(ball, (0, 1), q0=[1], scheme="ida-ggl", t_eval=times)
    assert np.max(np.abs(reference.q - sampled.q)) < 1e-6
    with pytest.raises(gn.RefusedError, match="contact_events"):
        gn.solve(ball, (0, 1), q0=[1], step=0.01, events=lambda t, y: y[0])
    with pytest.raises(gn.RefusedError, match="t_eval"):
        gn.solve(ball, (0, 1), q0=[1], step=0.01, dense_output=True)


def test_outputs_and_table(start):
    m = make_rod(outputs={"tension": "lambda.rod*l"}, symmetries={}, integrals={"height": "z"})
    s = gn.solve(m, (0, 1), step=0.01, **start)
    assert np.allclose(s.outputs["tension"], s.lam[0])
    assert np.array_equal(s.integrals["height"], s.q[2])
    table = s.to_dataframe()
    assert table.index.name == "t" and len(table) == 101
    assert list(table.columns[:8]) == ["x", "y", "z", "der(x)", "der(y)", "der(z)", "lambda.rod", "energy"]
    assert np.array_equal(table["tension"], s.outputs["tension"])
    double = gn.solve("double-spherical-pendulum", (0, 1), step=0.01, parameters=dict(start="spatial"))
    assert len(double.momentum) == 1
    for values in double.momentum.values():
        assert np.max(np.abs(values - values[0])) < 1e-13


def test_plot(rod, start):
    figure = gn.solve(rod, (0, 1), step=0.01, **start).plot()
    assert len(figure.axes) == 3 and all(axes.lines for axes in figure.axes)
    assert gn.solve("chain", (0, 0.1), step=0.01).plot() is not None


def test_pickled_results(rod, start):
    s = gn.solve(rod, (0, 1), step=0.01, parameters=dict(k=3), **start)
    for result in (s, gn.solve(rod, (0, 1), scheme="ida-ggl", **start)):
        again = pickle.loads(pickle.dumps(result))
        for name in ("t", "y", "lam", "energy", "energy_error", "g", "gv", "p"):
            assert np.array_equal(getattr(again, name), getattr(result, name)), name
        assert again.stats == result.stats and again.provenance == result.provenance


@pytest.mark.parametrize("scheme", ["ida-ggl", "ida-index1", "cvode-projection"])
def test_events_of_references(rod, start, scheme):
    """By the same arguments as for schemes, at the same times."""

    def side(t, y):
        return y[0]

    def fourth(t, y):
        return y[0]

    fourth.terminal, fourth.direction = 2, -1
    ours = gn.solve(rod, (0, 5), rtol=1e-11, events=[side, fourth], **start)
    theirs = gn.solve(rod, (0, 5), rtol=1e-11, scheme=scheme, events=[side, fourth], **start)
    assert ours.status == theirs.status == 1 and theirs.success and len(theirs.t_events[1]) == 2
    for mine, other in zip(ours.t_events, theirs.t_events):
        assert np.allclose(mine, other, rtol=0, atol=1e-7)
    for mine, other in zip(ours.y_events, theirs.y_events):
        assert np.allclose(mine, other, rtol=0, atol=1e-6)
    assert theirs.t[-1] == theirs.t_events[1][-1] and abs(theirs.y[0, -1]) < 1e-12
    assert np.all(np.diff(theirs.t) > 0)
    times = [0.5, 1.0, 4.9]
    asked = gn.solve(rod, (0, 5), rtol=1e-11, scheme=scheme, events=fourth, t_eval=times, **start)
    expected = [t for t in times if t <= theirs.t[-1]]
    assert asked.t.tolist() == expected and asked.t_events[0] == pytest.approx(theirs.t_events[1], abs=1e-7)
    early = gn.solve(rod, (0, 5), rtol=1e-11, scheme=scheme, events=side, t_eval=[0.1], **start)
    assert early.t.tolist() == [0.1] and len(early.t_events[0]) > len(ours.t_events[0]) and early.status == 0


def test_events_of_a_closed_form():
    def height(t, y):
        return y[0]

    height.terminal = True
    exact = gn.solve("conical-pendulum", (0, 10), scheme="exact", events=height)
    ida = gn.solve("conical-pendulum", (0, 10), scheme="ida-ggl", rtol=1e-11, events=height)
    assert exact.status == ida.status == 1 and exact.t[-1] <= exact.t_events[0][0]
    assert exact.t_events[0] == pytest.approx(ida.t_events[0], abs=1e-8)


def test_times_keep_energy_and_constraints(rod, start):
    """A state between two steps is the scheme's own, and the steps are what they are without it."""
    times = np.linspace(0.013, 1.987, 40)
    for given in (dict(step=0.05, scheme="energy-momentum-ggl"), dict(rtol=1e-7)):
        s = gn.solve(rod, (0, 2), t_eval=times, **given, **start)
        every = gn.solve(rod, (0, 2), **given, **start)
        assert np.array_equal(s.t, times) and s.stats["steps"] == every.stats["steps"]
        assert np.max(np.abs(s.energy_error)) < 1e-14
        assert np.max(np.abs(s.g)) < 1e-14 and np.max(np.abs(s.gv)) < 1e-13
