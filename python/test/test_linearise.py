"""Linearisations: closed forms, and the motion itself at small amplitude."""

import gnomon as gn
import numpy as np
import pytest

FOUR_BAR = """format = 1
planar = true
gravity = [0, -9.81]
points = { O = [0, 0], P = [4, 0] }
start = { assemble = true }
[bodies.crank]
shape = { box = [1, 0.05], density = 10 }
markers = { left = [-0.5, 0], right = [0.5, 0] }
orientation = "-100*deg"
place = { left = "O" }
[bodies.coupler]
shape = { box = [4, 0.05], density = 10 }
markers = { left = [-2, 0], right = [2, 0] }
place = { left = "crank.right", right = [4.2, -1.9] }
[bodies.rocker]
mass = 2
inertia = 1.5
markers = { top = [0, 1], bottom = [0, -1] }
place = { top = "P", bottom = "coupler.right" }
[joints]
A = { type = "revolute", between = ["O", "crank.left"], damping = "c" }
B = { type = "revolute", between = ["crank.right", "coupler.left"] }
C = { type = "revolute", between = ["coupler.right", "rocker.bottom"] }
D = { type = "revolute", between = ["P", "rocker.top"], stiffness = 30 }
[parameters]
c = 0.0
[outputs]
x = "crank.right.x"
"""


def test_closed_forms():
    pendulum = gn.Model("x y", 3, "3*9.81*y", "x^2 + y^2 - l^2", parameters=dict(l=2), start=dict(position=dict(y="-l")))
    found = gn.linearise(pendulum)
    assert found.frequencies == pytest.approx([np.sqrt(9.81 / 2) / 2 / np.pi], rel=1e-12)
    assert "minimum" in found.message and found.matrix.shape == (2, 2) and found.positions.shape == (2, 1)
    assert gn.linearise(pendulum, parameters=dict(l=0.5)).frequencies == pytest.approx([np.sqrt(9.81 / 0.5) / 2 / np.pi])
    top = gn.linearise(pendulum, "start", q0=[0, 2])
    assert np.sort(top.s.real) == pytest.approx([-np.sqrt(9.81 / 2), np.sqrt(9.81 / 2)], rel=1e-10)
    damped = gn.linearise(gn.Model("x", 2, "9*x^2", force={"x": "-1.2*der(x)"}), "start")
    assert damped.damping_ratios == pytest.approx([0.1]) and np.abs(damped.s) == pytest.approx([3])
    body = """format = 1
gravity = [0, 0, -9.81]
points.O = { position = [0, 0, 0] }
bodies.b = { mass = 2, inertia = [0.3, 0.2, 0.1], position = [0, 0, -0.4], markers = { top = [0, 0, 0.4] } }
joints.j = { type = "revolute", between = ["O", "b.top"], axis = [0, 1, 0] }
"""
    for at in ("equilibrium", "start", 1.0):
        found = gn.linearise(gn.Model.from_toml(body), at)
        assert found.frequencies == pytest.approx([np.sqrt(2 * 9.81 * 0.4 / (0.2 + 2 * 0.16)) / 2 / np.pi], rel=1e-9)


def test_the_motion_has_these_frequencies():
    """A four-bar linkage on a torsion spring, beside its equilibrium."""
    m = gn.Model.from_toml(FOUR_BAR)
    found = gn.linearise(m)
    assert found.frequencies.shape == (1,)
    amplitude = 1e-4
    start = found.q + amplitude * found.shapes[:, 0].real / np.abs(found.shapes[:, 0]).max()
    rest = gn.solve(m, (0, 0.1), found.q, rtol=1e-10)
    middle = rest.outputs["x"][0]
    s = gn.solve(m, (0, 10), start, rtol=1e-11, project_start=True, t_eval=np.linspace(0, 10, 4001))
    x = s.outputs["x"] - middle
    crossings = s.t[:-1][x[:-1] * x[1:] < 0] - x[:-1][x[:-1] * x[1:] < 0] * np.diff(s.t)[0] / np.diff(x)[x[:-1] * x[1:] < 0]
    period = 2 * (crossings[-1] - crossings[0]) / (len(crossings) - 1)
    assert 1 / period == pytest.approx(found.frequencies[0], rel=1e-4)
    damped = gn.linearise(m, parameters=dict(c=0.5))
    assert 0 < damped.damping_ratios[0] < 1 and abs(damped.s[0]) == pytest.approx(abs(found.s[0]), rel=1e-6)


def test_refusals():
    with pytest.raises(gn.BadValueError, match='neither "equilibrium" nor "start" nor a time'):
        gn.linearise("planar-pendulum", "somewhere")
    with pytest.raises(gn.RefusedError, match="overdetermined"):
        gn.linearise("odae-test")
    with pytest.raises(gn.RefusedError, match="friction"):
        floor = gn.Model("x y", 1, "9.81*y + x^2", "y", friction={"x": "-0.1*abs(lambda.constraint)*der(x)"})
        gn.linearise(floor, "start")
    with pytest.raises(gn.IntegrationError, match="falls without bound"):
        gn.linearise(gn.Model("x y", 1, "x^3 + y^2"), q0=[0.7, 0.2])
