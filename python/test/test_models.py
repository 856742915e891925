"""Models: formulas, files, problems, SymPy, mechanisms; and what is said of wrong ones."""

import math
import pickle

import gnomon as gn
import numpy as np
import pytest


def test_formulas_are_the_built_in_problem():
    built_in = gn.Model.problem("planar-pendulum")
    text = built_in.toml
    again = gn.Model.from_toml(text)
    one = gn.solve(built_in, (0, 5), step=0.01)
    other = gn.solve(again, (0, 5), step=0.01)
    assert one.y.shape == other.y.shape == (4, 501)
    assert np.max(np.abs(one.y - other.y)) < 1e-13
    assert {name: built_in.parameters[name] for name in ("mass", "gravity", "length")} == dict(mass=1, gravity=1, length=1)
    own = gn.Model("x y", 1, "y", {"rod": "(x^2 + y^2 - 1)/2"})
    mine = gn.solve(own, (0, 5), q0=one.q[:, 0], v0=one.v[:, 0], step=0.01)
    assert np.max(np.abs(one.y - mine.y)) < 1e-13


def test_text_of_a_model(rod):
    assert rod.name == "model"
    assert rod.coordinates == ["x", "y", "z"]
    assert rod.constraints == ["rod"]
    assert rod.parameters == {"k": 5.0, "l": 1.0}
    assert 'rod = "(x^2+y^2+z^2-l^2)/2"' in rod.toml
    again = gn.Model.from_toml(rod.toml)
    assert again.toml == rod.toml
    heavy = rod.with_parameters(k=7)
    assert heavy.parameters["k"] == 7 and rod.parameters["k"] == 5
    assert gn.Model.from_toml(rod.toml, l=2).parameters["l"] == 2
    assert "model" in repr(rod)


def test_values_of_python_become_toml(start):
    m = gn.Model(
        coordinates=("x", "y"),
        mass=np.array([[2.0, 0.5], [0.5, 1.0]]),
        potential={"weight": "g*y", "spring": "k*x^2/2"},
        parameters={"g": np.float64(9.81), "k": dict(value=1e20, unit="N/m", description='stiff "one"')},
        start=dict(position={"x": 0.0, "y": 1.0}),
        name='a "quoted" \\ name\n',
    )
    assert m.parameters == {"g": 9.81, "k": 1e20}
    s = gn.solve(m, (0, 1e-3), step=1e-4)
    assert s.success and s.energy[0] == pytest.approx(9.81)


def test_families():
    chain = gn.Model(
        ["r[3*n]"],
        potential="9.81*sum(i in 0..n-1: r[3*i+2])",
        constraints={
            "first": "(r[0]^2 + r[1]^2 + r[2]^2 - 1)/2",
            "rod[i] for i in 1..n-1": "((r[3*i]-r[3*i-3])^2 + (r[3*i+1]-r[3*i-2])^2 + (r[3*i+2]-r[3*i-1])^2 - 1)/2",
        },
        parameters=dict(n=4),
    )
    assert len(chain.coordinates) == 12 and chain.coordinates[0] == "r[0]" and len(chain.constraints) == 4
    q0 = np.array([[k + 1, 0, 0] for k in range(4)]).ravel()
    s = gn.solve(chain, (0, 1), q0=q0, step=0.01)
    assert s.success and np.max(np.abs(s.energy_error)) < 1e-13
    shorter = gn.solve(chain, (0, 0.1), q0=q0[:6], step=0.01, parameters=dict(n=2))
    assert shorter.y.shape == (12, 11)


def test_mass_that_depends_on_the_position_is_scaled_at_the_start_that_is_given():
    # M(q) is singular at q = 0, where the model would start by itself.
    m = gn.Model("r a", [1, "r^2"], "-1/r")
    s = gn.solve(m, (0, 20), q0=[1, 0], v0=[0, 1.2], rtol=1e-9)
    assert s.success and np.max(np.abs(s.energy_error)) < 1e-13


@pytest.mark.parametrize(
    "make, kind, sentence",
    [
        (lambda: gn.Model("x y", 1, "9.81*yy"), gn.ModelError, 'unknown name "yy"; did you mean "y"?'),
        (lambda: gn.Model("x x"), gn.ModelError, '"x" is the name of something else already'),
        (lambda: gn.Model("x", potential="(x"), gn.ModelError, "model.toml:5"),
        (lambda: gn.Model("x", potential=object()), gn.ModelError, "potential is <object"),
        (lambda: gn.Model("x", constraints={3: "x"}), gn.ModelError, "has the key 3"),
        (lambda: gn.Model("x", constraints={"bad name": "x"}), gn.ModelError, "model.toml:8:"),
        (lambda: gn.Model.from_toml("/no/such/file.toml"), gn.ModelError, "/no/such/file.toml cannot be read"),
        (lambda: gn.Model.problem("planar-pendulm"), gn.UnknownNameError, 'did you mean "planar-pendulum"?'),
        (lambda: gn.Model.problem("planar-pendulum", ll=1), gn.UnknownNameError, 'no parameter "ll"'),
        (lambda: gn.solve(3, (0, 1), step=1), gn.ModelError, "3 is no model"),
        (lambda: gn.solve(gn.Model("x", -1), (0, 1), step=1), gn.ModelError, "mass"),
    ],
)
def test_wrong_models(make, kind, sentence):
    with pytest.raises(kind) as caught:
        make()
    assert sentence in str(caught.value)
    assert isinstance(caught.value, gn.GnomonError)


def test_pickled_models(rod, start):
    for model in (rod, rod.with_parameters(k=2), gn.Model.problem("chain", links=3)):
        again = pickle.loads(pickle.dumps(model))
        assert again.parameters == model.parameters
        given = start if model.name == "model" else {}
        assert np.array_equal(
            gn.solve(model, (0, 0.1), step=0.01, **given).y, gn.solve(again, (0, 0.1), step=0.01, **given).y
        )


def test_check(rod):
    assert gn.check(rod, q0=[1, 0, 0], v0=[0, 1, 0])
    report = gn.check("chain", parameters=dict(links=3))
    assert report.passed and "constraint-jacobian" in repr(report)
    with pytest.raises(gn.InconsistentStartError):
        gn.check(rod, q0=[2, 0, 0])
    assert gn.check(rod, q0=[2, 0, 0], project_start=True)


def test_equilibrium():
    ball = gn.Model(
        "x y", 2, "19.62*y + (x - a)^2", obstacles={"floor": "y - 0.1*x^2"}, parameters=dict(a=3.0), name="ball"
    )
    found = gn.equilibrium(ball, q0=[-1, 4])
    assert found and found.proved and found.closed_obstacles == [0] and "inertia" in found.message
    assert np.allclose(found.q, [3 / 2.962, 0.1 * (3 / 2.962) ** 2], rtol=1e-9)
    assert np.allclose(found.multipliers, [19.62], rtol=1e-9)
    assert gn.equilibrium(ball, q0=[-1, 4], parameters=dict(a=0.0)).q[0] == pytest.approx(0, abs=1e-9)

    falls = gn.equilibrium(gn.Model("x y", 1, "x^3 + y^2"), q0=[0.7, 0.2])
    assert not falls and "falls without bound" in falls.message
    assert abs(gn.equilibrium(gn.Model("x", 1, "x^2", force={"x": "-der(x)"}), q0=[1]).q[0]) < 1e-9  # as without damping
    with pytest.raises(gn.RefusedError):
        gn.equilibrium(gn.Model("x", 1, "x^2", force={"x": "-0.1*x"}), q0=[1])


def test_sympy():
    sympy = pytest.importorskip("sympy")
    from sympy.physics.mechanics import dynamicsymbols

    x, y = dynamicsymbols("x y")
    m, g, l = sympy.symbols("m g l")
    rates = x.diff() ** 2 + y.diff() ** 2
    model = gn.Model.from_sympy(
        m * rates / 2, m * g * y, [(x**2 + y**2 - l**2) / 2], [x, y], parameters={m: 2, g: 9.81, l: 1}, force={x: -x.diff() / 10}
    )
    same = gn.Model("x y", 2, "2*9.81*y", {"g1": "(x^2 + y^2 - 1)/2"}, force={"x": "-0.1*der(x)"})
    one, other = (gn.solve(each, (0, 2), q0=[1, 0], step=0.01) for each in (model, same))
    assert np.max(np.abs(one.y - other.y)) < 1e-13
    assert one.stats["work"] < -0.01

    # A double pendulum in angles: M(q), and functions.
    a, b = dynamicsymbols("a b")
    px, py = sympy.sin(a) + sympy.sin(b), -sympy.cos(a) - sympy.cos(b)
    t = dynamicsymbols._t
    T = (a.diff() ** 2 + px.diff(t) ** 2 + py.diff(t) ** 2) / 2
    double = gn.Model.from_sympy(T, g * (py - sympy.cos(a)), None, [a, b], parameters={g: 9.81})
    s = gn.solve(double, (0, 5), q0=[1, 1.5], rtol=1e-9)
    r = gn.solve(double, (0, 5), q0=[1, 1.5], scheme="ida-ggl", rtol=1e-11)
    assert np.max(np.abs(s.y[:, -1] - r.y[:, -1])) < 1e-6 and np.max(np.abs(s.energy_error)) < 1e-13

    q, v = sympy.symbols("q v")
    piece = sympy.Piecewise((q**2, q > 0), (sympy.Abs(q) ** 3, True))
    plain = gn.Model.from_sympy(v**2 / 2, piece + sympy.pi * sympy.Max(q, 1), coordinates=[q], velocities=[v])
    assert "if(q > 0, (q)^(2)" in plain.toml and "max(" in plain.toml

    for bad, sentence in [
        (lambda: gn.Model.from_sympy(v**3, q, None, [q], velocities=[v]), "no quadratic form"),
        (lambda: gn.Model.from_sympy(v**2, q, None, [q]), "velocity of q is not known"),
        (lambda: gn.Model.from_sympy(v**2, sympy.gamma(q), None, [q], velocities=[v]), "function gamma"),
        (lambda: gn.Model.from_sympy(v**2, m * q, None, [q], velocities=[v]), 'unknown name "m"'),
    ]:
        with pytest.raises(gn.ModelError, match=sentence):
            bad()



def test_constraints_of_velocities():
    blade = gn.Model.from_functions(
        "x y a",
        [1, 1, 0.5],
        lambda q: -3 * q[0],
        velocity_constraints=lambda q, v: {"blade": v[0] * np.sin(q[2]) - v[1] * np.cos(q[2])},
    )
    s = gn.solve(blade, (0, 5), q0=[0, 0, 0.5], v0=[0, 0, 2], rtol=1e-9)
    assert blade.constraints == ["blade"]
    np.testing.assert_allclose(s.y[:2, -1], [0.6927040141, 3.2643628473], atol=1e-8)
    assert np.max(np.abs(s.energy_error)) < 1e-15
    with pytest.raises(gn.GnomonError, match="not linear in the velocities"):
        gn.solve(gn.Model("x", 1, "0", {"c": "der(x)^2 - 1"}), (0, 1))
    with pytest.raises(gn.ModelError, match="constraint 'c' is in constraints and in velocity_constraints"):
        gn.Model.from_functions("x y", 1, lambda q: 0 * q[0], lambda q: {"c": q[0]}, velocity_constraints=lambda q, v: {"c": v[1]})
    called = gn.Model.from_functions(
        "x y a",
        [1, 1, 0.5],
        lambda q: -3 * q[0],
        velocity_constraints=lambda q, v: {"blade": v[0] * np.sin(q[2]) - v[1] * np.cos(q[2])},
        traced=False,
    )
    s = gn.solve(called, (0, 5), q0=[0, 0, 0.5], v0=[0, 0, 2], rtol=1e-7)
    np.testing.assert_allclose(s.y[:2, -1], [0.6927040141, 3.2643628473], atol=1e-6)
    assert np.max(np.abs(s.energy_error)) < 1e-10
    driven = gn.Model.from_functions(
        "x y", 1, lambda q: 0.0, velocity_constraints=lambda q, v: [v[0] - q[1]], traced=False
    )
    s = gn.solve(driven, (0, 1), q0=[0, 0], v0=[0, 1], rtol=1e-7)
    assert s.y[0, -1] == pytest.approx(0.5, abs=1e-5)  # x' = y = t
    with pytest.raises(gn.GnomonError, match="not linear in the velocities"):
        square = gn.Model.from_functions("x", 1, lambda q: 0.0, velocity_constraints=lambda q, v: v**2, traced=False)
        gn.solve(square, (0, 1))


def test_functions(start):
    """What Python's functions do is what formulas do."""

    def potential(q):
        spring = np.sqrt(q @ q + 1) - 2 * -q[1] ** 2 / (1 + abs(q[2]))
        return 9.81 * q[2] + 5.0 * q[0] ** 2 / 2 + np.sin(q[0]) ** 2 * spring - (q[0] - (q[1] - q[2])) / (q[2] ** 2 + 2)

    def constraints(q):
        return {"rod": (sum(x**2 for x in q) - 1) / 2}

    m = gn.Model.from_functions(
        "x y z", lambda q: [1, 2, 1.5], potential, constraints, lambda q, v: -0.1 * v * np.hypot(v[0], 1e-3) + q[0] * v * 0
    )
    for point in np.random.default_rng(1).normal(size=(5, 3)):
        unit = point / np.linalg.norm(point)
        s = gn.solve(m, (0, 1e-3), q0=unit, step=1e-3)
        assert s.potential[0] == pytest.approx(potential(unit), rel=1e-14)
    assert m.constraints == ["rod"]
    s = gn.solve(m, (0, 1), step=1e-3, **start)
    assert s.stats["work"] < 0 and np.max(np.abs(s.energy_error)) < 1e-14

    M = gn.Model.from_functions("a b", lambda q: [[2, np.cos(q[0] - q[1])], [np.cos(q[0] - q[1]), 1]], lambda q: -q[0])
    assert np.max(np.abs(gn.solve(M, (0, 1), q0=[0, 1], rtol=1e-8).energy_error)) < 1e-13

    for bad, sentence in [
        (lambda q: q[0] if q[0] > 0 else 0, "branches on x"),
        (lambda q: float(q[0]), "takes the number of x"),
        (lambda q: math.sin(q[0]), "takes the number of x, as math.sin .* numpy.sin"),
        (lambda q: "nothing", "returns 'nothing'"),
        (lambda q: np.inf, "not finite"),
        (lambda q: np.maximum(q[0], 0), "branches"),
    ]:
        with pytest.raises(gn.ModelError, match=sentence):
            gn.Model.from_functions("x", 1, bad)


def four_bar():
    m = gn.Mechanism("four-bar linkage", planar=True, gravity=[0, -9.81])
    O, P = m.point("O", [0, 0]), m.point("P", [4, 0])
    crank = m.body(
        "crank",
        shape=dict(box=[1, 0.05], density=10),
        markers=dict(left=[-0.5, 0], right=[0.5, 0]),
        orientation="60*deg",
        place=dict(left=O),
        angular_velocity=5,
    )
    coupler = m.body(
        "coupler",
        shape=dict(box=[4, 0.05], density=10),
        markers=dict(left=[-2, 0], right=[2, 0]),
        place=dict(left=crank.at("right"), right=[4.2, 2.9]),
    )
    rocker = m.body(
        "rocker",
        mass="heavy",
        inertia=1.5,
        markers=dict(top=[0, 1.5], bottom=[0, -1.5]),
        place=dict(bottom=P, top=coupler.at("right")),
    )
    m.joint("A", "revolute", O, crank.at("left"))
    m.joint("B", "revolute", crank.at("right"), coupler.at("left"))
    m.joint("C", "revolute", coupler.at("right"), rocker.at("top"))
    m.joint("D", "revolute", P, rocker.at("bottom"))
    m.parameter("heavy", dict(value=2, unit="kg"))
    m.assemble()
    return m


def test_mechanism(tmp_path):
    mechanism = four_bar()
    s = gn.solve(mechanism, (0, 1), rtol=1e-8)
    assert s.success and np.max(np.abs(s.energy_error)) < 1e-12
    assert {"crank.angle", "A.angle", "C.force.x"} <= set(s.outputs)
    assert s.outputs["crank.omega"][0] == pytest.approx(5)
    file = tmp_path / "four-bar.toml"
    file.write_text(mechanism.toml)
    again = gn.solve(str(file), (0, 1), rtol=1e-8)
    assert np.array_equal(s.y, again.y)
    lighter = gn.solve(mechanism, (0, 1), rtol=1e-8, parameters=dict(heavy=1))
    assert not np.allclose(s.y[:, -1], lighter.y[:, -1])
    mechanism.output("reach", "hypot(crank.right.x, crank.right.y)")
    reach = gn.solve(mechanism, (0, 0.1), rtol=1e-8).outputs["reach"]
    assert np.allclose(reach, 1, rtol=0, atol=1e-13)
    mechanism.joint("E", "revolut", "O", "crank.left")
    with pytest.raises(gn.ModelError, match="revolut"):
        mechanism.model()


def test_machine():
    m = gn.Mechanism("winch", planar=True, gravity=[0, -9.81])
    O, tip = m.point("O", [0, 0]), m.point("tip", [0, 5])
    drum = m.body("drum", mass=10, inertia=0.9, position=[0, 0])
    wheel = m.body("wheel", mass=1, inertia=0.1, position=[0, 0])
    load = m.particle("load", 4, [0, 1])
    m.joint("A", "revolute", O, drum, limits=[-20, 20], restitution=0.2)
    m.joint("B", "revolute", O, wheel)
    m.gear("g", ["A", "B"], ratio=2)
    m.rope("r", [tip, load], length="start - 0.3*A.angle")
    s = gn.solve(m, (0, 1), rtol=1e-8)
    a = 9.81 / (1 + (0.9 + 4 * 0.1) / (4 * 0.3**2))
    assert s.outputs["load.y"][-1] == pytest.approx(1 - a / 2, abs=1e-8)
    assert s.outputs["B.angle"][-1] == pytest.approx(-2 * a / 0.3 / 2, abs=1e-7)  # more than a turn
    once = gn.solve(m, (0, 1), rtol=1e-8, t_eval=[1.0])
    assert once.outputs["B.angle"][-1] == pytest.approx(-2 * a / 0.3 / 2, abs=1e-7)


def test_rolling_beyond_its_grip():
    m = gn.Mechanism("ball", gravity=[9.81 * np.sin(0.6), 0, -9.81 * np.cos(0.6)])
    O = m.point("O", [0, 0, 0])
    ball = m.body("ball", shape=dict(sphere=0.1, density=500), position=[0, 0, 0.1])
    m.joint("roll", "rolling", O, ball, normal=[0, 0, 1], friction=0.1)
    s = gn.solve(m, (0, 1), rtol=1e-8)
    (said,) = s.warnings
    assert said.startswith("roll.grip is 1.95")  # 2/7 tan(.6)/.1
    assert gn.solve(m, (0, 1), rtol=1e-8, scheme="ida-index1").warnings[-1].startswith("roll.grip is 1.95")


def test_words_of_machines():
    """A bearing, a table as a motor, a bushing and a weld without mass, as the manual says them."""
    m = gn.Mechanism("press", planar=True, gravity=[0, -9.81])
    O = m.point("O", [0, 0])
    arm = m.body("arm", mass=2, inertia=0.3, markers=dict(top=[0, 0.5], low=[0, -0.5]), place=dict(top=O))
    foot = m.body("foot", mass=0, markers=dict(sole=[0, -0.1]), position=[0, -1])
    pad = m.body("pad", mass=1, inertia=0.1, position=[0, -1.1])
    m.table("turn", [0, 1, 2], [0, 0.25, 1.0])
    m.joint("A", "revolute", O, arm.at("top"), bearing=dict(coefficient=0.2, radius=0.1))
    m.joint("W", "weld", arm.at("low"), foot)
    m.joint("B", "bushing", foot.at("sole"), pad, stiffness=500, damping=[3, 4], turn_stiffness=2)
    m.motor("drive", "A", angle="turn(t)")
    s = gn.solve(m, (0, 1.5), rtol=1e-8)
    assert s.success, s.message
    assert s.outputs["A.angle"][-1] == pytest.approx(1.5**2 / 4, abs=1e-9)  # three points make a parabola
    force = np.hypot(s.outputs["A.force.x"], s.outputs["A.force.y"])
    # The force and its friction are two multipliers, each as accurate between the stages as the run.
    assert np.allclose(s.outputs["A.friction_limit"], 0.02 * force, rtol=1e-7)
    assert np.allclose(s.outputs["A.friction_torque"][1:], -0.02 * force[1:], rtol=1e-7)  # it turns on


def test_lists():
    for names in (gn.schemes(), gn.references(), gn.problems(), gn.solvers(), gn.algebras()):
        assert names and all(isinstance(text, str) for text in names.values())
    assert "energy-momentum" in gn.schemes() and "ida-ggl" in gn.references()
    assert {one["name"] for one in gn.scheme_options("hbvm")} >= {"k", "s"}
    assert "rtol" in {one["name"] for one in gn.scheme_options("ida-ggl")}
