"""gnomon.solve(sensitivities=...): derivatives of motions."""

import pathlib

import gnomon as gn
import numpy as np
import pytest

GALLERY = pathlib.Path(__file__).parents[2] / "manual" / "gallery"


@pytest.fixture
def pendulum():
    return gn.Model(
        "x y", "m", "m*g*y", {"rod": "x^2 + y^2 - l^2"}, parameters=dict(m=2.0, g=9.81, l=1.0),
        start=dict(position=dict(x="l"), velocity=dict(y=0.5)), outputs=dict(height="y/l", pull="lambda.rod"),
    )


def difference(model, name, size, **given):
    """Of whole runs, of order four."""
    value = model.parameters[name]

    def run(k):
        return gn.solve(model, parameters={name: value + k * size}, project_start=True, **given)

    one, two = run(1), run(2)
    minus, far = run(-1), run(-2)
    return lambda f: (8 * (f(one) - f(minus)) - (f(two) - f(far))) / (12 * size)


def test_by_parameters(pendulum):
    given = dict(t_span=(0, 2), scheme="energy-momentum-ggl", step=0.01)
    s = gn.solve(pendulum, sensitivities=["l", "m"], **given)
    assert s.success and list(s.sensitivities) == ["l", "m"]
    by = s.sensitivities["l"]
    assert by.q.shape == by.v.shape == s.q.shape and by.y.shape == s.y.shape and by.lam.shape == s.lam.shape
    slope = difference(pendulum, "l", 1e-3, **given)
    assert np.max(np.abs(by.y - slope(lambda r: r.y))) < 1e-8 * np.max(np.abs(by.y))
    assert np.max(np.abs(by.lam - slope(lambda r: r.lam))) < 1e-7 * np.max(np.abs(by.lam))
    for name in ("height", "pull"):
        assert np.max(np.abs(by.outputs[name] - slope(lambda r: r.outputs[name]))) < 1e-7
    assert np.max(np.abs(s.sensitivities["m"].y)) < 1e-12
    assert np.max(np.abs(2 * np.sum(s.q * by.q, axis=0) - 2)) < 1e-12  # d(x^2 + y^2 - l^2)/dl = 0
    assert "d(x)/d(l)" in s.to_dataframe()


def test_by_the_start_with_a_tolerance(pendulum):
    times = [0, 0.3, 1.0]
    s = gn.solve(pendulum, (0, 1), rtol=1e-8, t_eval=times, sensitivities=["start.x", "start.der(y)"])
    assert s.success and s.sensitivities["start.x"].q.shape == (2, 3)
    assert np.max(np.abs(s.sensitivities["start.x"].y[:, 0])) < 1e-12  # along the rod: it is projected away
    speed = s.sensitivities["start.der(y)"]
    assert speed.v[1, 0] == pytest.approx(1, abs=1e-12) and abs(speed.q[:, 0]).max() < 1e-12
    given = dict(rtol=1e-10, q0=[1, 0], t_eval=times)
    ends = [gn.solve(pendulum, (0, 1), v0=[0, 0.5 + d], **given).y for d in (1e-3, -1e-3)]
    assert np.max(np.abs(speed.y - (ends[0] - ends[1]) / 2e-3)) < 1e-5


def test_parameters_that_follow_others():
    text = """format = 1
coordinates = ["x"]
mass = 1
potential = "w*x^2/2"
[parameters]
k = 3.0
w = "2*k"
[start]
position = { x = 1 }
"""
    m = gn.Model.from_toml(text, k=5.0)
    s = gn.solve(m, (0, 1), rtol=1e-9, t_eval=[0, 1], sensitivities=["k", "w"])
    root = np.sqrt(10.0)
    exact = -np.sin(root) / (2 * root)
    assert s.sensitivities["w"].q[0, 1] == pytest.approx(exact, rel=1e-6)
    assert s.sensitivities["k"].q[0, 1] == pytest.approx(2 * exact, rel=1e-6)


def test_of_functions():
    m = gn.Model.from_functions("x", 1.0, lambda q: q[0] ** 4 / 4, traced=False)
    s = gn.solve(m, (0, 1), q0=[1.0], step=0.05, sensitivities=["start.x"])
    ends = [gn.solve(m, (0, 1), q0=[1 + d], step=0.05).y[:, -1] for d in (1e-4, -1e-4)]
    assert np.max(np.abs(s.sensitivities["start.x"].y[:, -1] - (ends[0] - ends[1]) / 2e-4)) < 1e-6


def test_what_a_function_raises_beside_the_run():
    count = iter(range(1000))

    def potential(q):
        if next(count, None) is None:
            raise LookupError("enough")
        return q[0] ** 4 / 4

    m = gn.Model.from_functions("x", 1.0, potential, traced=False)
    with pytest.raises(LookupError, match="enough"):
        gn.solve(m, (0, 1), q0=[1.0], step=0.05, sensitivities=["start.x"])


def test_what_is_refused(pendulum):
    with pytest.raises(gn.UnknownNameError, match='did you mean "start.x"'):
        gn.solve(pendulum, (0, 1), step=0.1, sensitivities=["start.xx"])
    with pytest.raises(gn.BadValueError, match="no list of names"):
        gn.solve(pendulum, (0, 1), step=0.1, sensitivities="l")
    with pytest.raises(gn.BadValueError, match="twice"):
        gn.solve(pendulum, (0, 1), step=0.1, sensitivities=["l", "l"])
    with pytest.raises(gn.RefusedError, match="reference"):
        gn.solve(pendulum, (0, 1), scheme="ida-ggl", sensitivities=["l"])


BALL = """format = 1
coordinates = ["x", "y"]
mass = 1
potential = "g*y"
[parameters]
g = 9.81
height = 1.0
[obstacles]
floor = { formula = "y", restitution = 0.5, slip = "x", friction = 0.1 }
[start]
position = { y = "height" }
velocity = { x = 2.0 }
"""


def test_over_impacts():
    ball, given = gn.Model.from_toml(BALL), dict(t_span=(0, 1.0), step=0.01, contact=dict(zeno_speed=0.1))
    s = gn.solve(ball, sensitivities=["height", "g"], **given)
    assert len(s.contact_events) == 2
    for name in ("height", "g"):
        slope = difference(ball, name, 1e-3, **given)(lambda r: r.y[:, -1])
        assert np.max(np.abs(s.sensitivities[name].y[:, -1] - slope)) < 1e-9 * np.max(np.abs(slope))


def test_period_over_amplitude():
    """dv(T)/da = g sin(a) T'(a) at the end of a period T(a) = 4 K(sin(a/2)) of a pendulum of length one."""
    from scipy.special import ellipe, ellipk

    a = 1.2
    k2 = np.sin(a / 2) ** 2
    period = 4 * ellipk(k2)
    slope = 2 * np.cos(a / 2) * (ellipe(k2) / (1 - k2) - ellipk(k2)) / np.sin(a / 2)
    m = gn.Model(
        "x y", 1, "y", {"rod": "(x^2 + y^2 - 1)/2"}, parameters=dict(a=a),
        start=dict(position=dict(x="sin(a)", y="-cos(a)")),
    )
    s = gn.solve(
        m, (0, period), step=period / 100, scheme="line-integral-ggl", options=dict(s=4, k=8), sensitivities=["a"]
    ).sensitivities["a"]
    speed = np.sin(a) * slope
    assert np.allclose(s.y[:, -1], [np.cos(a), np.sin(a), np.cos(a) * speed, np.sin(a) * speed], atol=1e-9)


def test_knife_edge():
    """x = c (sin(a0 + w t) - sin(a0))^2/(2 w^2), c = g sin(slope)."""
    w, slope, t, a0 = 2.0, 0.3, 1.7, 0.5
    s = gn.solve(
        gn.Model.from_toml(GALLERY / "knife-edge.toml"), (0, t), step=0.02, scheme="line-integral-ggl", options=dict(s=4, k=8),
        sensitivities=["w", "slope"],
    ).sensitivities
    rise, turned = np.sin(a0 + w * t) - np.sin(a0), np.cos(a0 + w * t) * t
    c = 9.81 * np.sin(slope)
    assert s["w"].q[0, -1] == pytest.approx(c * rise * turned / w**2 - c * rise**2 / w**3, rel=1e-9)
    assert s["slope"].q[0, -1] == pytest.approx(9.81 * np.cos(slope) * rise**2 / (2 * w**2), rel=1e-9)
