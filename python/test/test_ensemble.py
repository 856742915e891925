"""Ensembles: many runs on threads, as one array."""

import gnomon as gn
import numpy as np
import pytest

from conftest import interrupted, make_rod


RUNS = 1_000_000  # more than can be done before the interrupt
START = dict(q0=[1, 0, 0], v0=[0, 1, 0])


def test_rows_are_those_of_solve():
    m = make_rod()
    e = gn.ensemble(m, (0, 1), **START, step=0.01, vary={"k": "uniform(1,9)"}, runs=20, seed=3, keep=["q_end", "steps"])
    assert e.success and e.counts == {"success": 20}
    assert e.columns == ["k", "x", "y", "z", "steps"]
    for i in (0, 7, 19):
        s = gn.solve(m, (0, 1), **START, step=0.01, parameters=dict(k=e["k"][i]))
        assert np.array_equal(s.y[:3, -1], e.values[i, 1:4])
    assert np.all((e["k"] > 1) & (e["k"] < 9)) and np.unique(e["k"]).size == 20


def test_bits_do_not_depend_on_threads():
    def values(threads):
        return gn.ensemble(
            "double-spherical-pendulum",
            (0, 0.3),
            rtol=1e-6,
            vary={"start.der(bob1.z)": "normal(1,.1)", "gravity": [1, 9.81]},
            runs=8,
            sampling="sobol",
            threads=threads,
        ).values

    assert np.array_equal(values(1), values(4))


def test_words_and_frames():
    e = gn.ensemble(
        make_rod(),
        (0, 0.2),
        **START,
        vary={"scheme": ["energy-momentum", "rattle"], "step": [0.01, 0.02]},
        keep=["max_energy_error", "max(z)"],
    )
    frame = e.to_dataframe()
    assert list(frame["scheme"]) == ["energy-momentum"] * 2 + ["rattle"] * 2
    assert list(frame["step"]) == [0.01, 0.02] * 2
    assert frame.index.name == "run" and list(frame["status"].unique()) == ["success"]
    errors = frame.groupby("scheme")["max_energy_error"].max()
    assert errors["energy-momentum"] < 1e-13 < errors["rattle"]
    assert "4 runs (4 success)" in repr(e)
    with pytest.raises(KeyError, match="known are"):
        e["max_enrgy_error"]


def test_one_bad_run_does_not_spoil_the_rest():
    m = gn.Model("x", "m", "x^2/2", parameters=dict(m=dict(value=1.0, min=0.1, max=10.0)))
    e = gn.ensemble(m, (0, 1), q0=[1], step=0.1, vary={"m": [1, 20, 2]}, keep="steps")
    assert list(e.status) == ["success", "refused", "success"]
    assert '"20" is not a number in [0.1, 10]' in e.messages[1] and np.isnan(e["steps"][1]) and e["steps"][2] == 10
    assert not e.success


def test_what_is_wrong_is_said():
    m = make_rod()

    def refuse(match, error=gn.GnomonError, **changed):
        arguments = dict(vary={"k": "uniform(1,9)"}, step=0.01, **START)
        arguments.update(changed)
        with pytest.raises(error, match=match):
            gn.ensemble(m, (0, 1), **arguments)

    refuse('unknown variable "kk"', vary={"kk": "uniform(1,9)"})
    refuse("empty range", vary={"k": "uniform(9,1)"})
    refuse("no dict of names", vary={})
    refuse("neither a text such as", vary={"k": 3})
    refuse("did you mean \"max_energy_error\"", keep=["max_enrgy_error"])
    refuse("did you mean \"sobol\"", sampling="soboll")
    refuse("runs = 0", runs=0)
    refuse("runs = 1.5", runs=1.5)
    refuse("more than 1e9 runs", runs=2_000_000_000)
    refuse("is a reference", scheme="ida-ggl")
    refuse("time_limit", time_limit=-1)


def test_interrupts_keep_what_was_done():
    with interrupted(0.3) as raised:
        gn.ensemble(make_rod(), (0, 5), **START, step=0.01, vary={"k": "uniform(1,9)"}, runs=RUNS, keep="steps", threads=2)
    done = raised.value.result
    assert 0 < done.counts["success"] < RUNS
    assert done.counts["not done"] == RUNS - done.counts["success"]


def test_pages(tmp_path):
    m = gn.Model("x", "m", "x^2/2", parameters=dict(m=dict(value=1.0, min=0.1, max=10.0)))
    e = gn.ensemble(m, (0, 1), q0=[1], step=0.1, vary={"m": [1, 20, 2, 3], "scheme": ["rattle", "energy-momentum"]})
    page = gn.report(e, tmp_path / "e.html").read_text()
    for part in ("max_energy_error", "refused", "is not a number in", "m = 20, scheme = rattle", "8 runs"):
        assert part in page
    with pytest.raises(gn.BadValueError, match="does not end in .html"):
        gn.report(e, tmp_path / "e.htm")
