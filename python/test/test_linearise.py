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


def test_inputs_and_outputs_of_a_cart_with_a_pole():
    """Of the textbook: M x'' = F - b x' - m g a, l a'' = g a - x''."""
    signal = pytest.importorskip("scipy.signal")
    M, m, l, b, g = 2, 0.3, 0.5, 0.1, 9.81
    cart = gn.Model.from_toml(
        f"""format = 1
coordinates = ["x", "u", "v"]
mass = [{M}, {m}, {m}]
potential = "{m * g}*v"
[constraints]
rod = "((u - x)^2 + v^2 - {l * l})/2"
[force]
x = "F - {b}*der(x)"
[parameters]
F = 0.0
[start]
position = {{ v = {l} }}
[outputs]
position = "x"
angle = "atan2(u - x, v)"
"""
    )
    found = gn.linearise(cart, "start", inputs=["F"])
    assert found.input_names == ["F"] and found.output_names == ["position", "angle"]
    assert found.A is found.matrix and found.B.shape == (4, 1) and found.C.shape == (2, 4) and found.D.shape == (2, 1)
    for s in 2j * np.pi * np.array([0.1, 1.0, 10.0]):
        expected = np.linalg.solve([[M * s**2 + b * s, m * g], [s**2, l * s**2 - g]], [1, 0])
        response = found.C @ np.linalg.solve(s * np.eye(4) - found.A, found.B) + found.D
        np.testing.assert_allclose(response[:, 0], expected, rtol=1e-10)
    system = signal.StateSpace(found.A, found.B, found.C, found.D)
    matrix = [[0, 0, 1, 0], [0, 0, 0, 1], [0, -m * g / M, -b / M, 0], [0, (M + m) * g / M / l, b / M / l, 0]]
    book = signal.StateSpace(matrix, [[0], [0], [1 / M], [-1 / M / l]], np.eye(2, 4), np.zeros((2, 1)))
    t = np.linspace(0, 1, 11)
    np.testing.assert_allclose(signal.step(system, T=t)[1], signal.step(book, T=t)[1], rtol=1e-9, atol=1e-12)
    # The friction of the cart holds it in no place: s = 0 once.
    assert not found.rigid.any() and found.s[0] == 0


def test_steady_response_is_that_of_equilibria():
    """C (-A)^-1 B + D is the derivative of the outputs at rest, by a load and by a spring."""
    m = gn.Model.from_toml(
        FOUR_BAR.replace("stiffness = 30", 'stiffness = "k"')
        .replace("c = 0.0", "c = 0.3\nk = 30.0\nweight = 2.0")
        .replace("mass = 2\n", 'mass = "weight"\n')
    )
    found = gn.linearise(m, inputs=["k", "weight"])
    gain = found.D - found.C @ np.linalg.solve(found.A, found.B)
    for name, size, column in (("k", 30.0, gain[:, 0]), ("weight", 2.0, gain[:, 1])):

        def outputs(value):
            at = gn.linearise(m, parameters={name: value}).q
            return np.array([x[0] for x in gn.solve(m, (0, 1e-3), at, step=1e-3, parameters={name: value}).outputs.values()])

        h = 1e-2 * size
        slope = (8 * (outputs(size + h) - outputs(size - h)) - outputs(size + 2 * h) + outputs(size - 2 * h)) / (12 * h)
        np.testing.assert_allclose(column, slope, rtol=1e-6, atol=1e-12)


def test_rigid_modes():
    """A free body in space: six of them, and nothing else."""
    body = """format = 1
bodies.b = { mass = 2, inertia = [0.3, 0.2, 0.1], position = [0, 0, 0] }
"""
    found = gn.linearise(gn.Model.from_toml(body), "start")
    assert found.rigid.tolist() == [True] * 6 and not found.s.any() and not found.frequencies.any()
    assert np.linalg.matrix_rank(found.shapes) == 6
    moved = np.abs(found.shapes) > 1e-9
    assert moved.sum(axis=0).min() == 1


def test_monodromy():
    """Floquet multipliers: a damped oscillator, and Mathieu's equation against its own integration."""
    damped = gn.Model("x", 1, "x^2/2", force={"x": "-0.2*der(x)"})
    found = gn.monodromy(damped, 3.0)
    assert np.abs(found.multipliers) == pytest.approx([np.exp(-0.3)] * 2, rel=1e-9)
    assert np.abs(np.angle(found.multipliers)) == pytest.approx([3 * np.sqrt(0.99)] * 2, rel=1e-8)
    assert found.matrix.shape == (2, 2) and found.gap == 0 and found.period == 3

    mathieu = gn.Model("x", 1, "(a + 0.8*cos(2*t))*x^2/2", parameters=dict(a=1.3))
    found = gn.monodromy(mathieu, np.pi, scheme="line-integral-ggl", step=0.02)
    assert found.steps == 157
    integrate = pytest.importorskip("scipy.integrate")
    columns = [
        integrate.solve_ivp(
            lambda t, z: [z[1], -(1.3 + 0.8 * np.cos(2 * t)) * z[0]], (0, np.pi), z, rtol=1e-12, atol=1e-14
        ).y[:, -1]
        for z in ([1, 0], [0, 1])
    ]
    np.testing.assert_allclose(found.matrix, np.transpose(columns), atol=1e-7)
    assert np.prod(found.multipliers) == pytest.approx(1, abs=1e-9)

    pendulum = gn.Model("x y", 3, "3*9.81*y", "x^2 + y^2 - 1", start=dict(position=dict(x=0.6, y=-0.8)))
    with pytest.raises(gn.RefusedError, match="comes back"):
        gn.monodromy(pendulum, 1.0, step=0.01)
    with pytest.raises(gn.BadValueError, match="above zero"):
        gn.monodromy(pendulum, -1.0)
    with pytest.raises(gn.BadValueError, match="reference"):
        gn.monodromy(pendulum, 1.0, scheme="ida-ggl")


def test_refusals_of_inputs():
    pendulum = gn.Model(
        "x y", 3, "3*9.81*y", {"rod": "x^2 + y^2 - l^2"}, parameters=dict(l=2), start=dict(position=dict(y="-l"))
    )
    with pytest.raises(gn.RefusedError, match="input l moves constraint rod"):
        gn.linearise(pendulum, inputs=["l"])
    with pytest.raises(gn.UnknownNameError, match="known: l"):
        gn.linearise(pendulum, inputs=["force"])
    with pytest.raises(gn.BadValueError, match="twice"):
        gn.linearise(pendulum, inputs=["l", "l"])
    with pytest.raises(gn.BadValueError, match="no list of names"):
        gn.linearise(pendulum, inputs="l")
    bare = gn.linearise(pendulum)
    assert bare.B.shape == (2, 0) and bare.C.shape == (0, 2) and bare.D.shape == (0, 0) and bare.input_names == []


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
