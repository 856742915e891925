"""gnomon.gradient and gnomon.motion: gradients by many numbers, backwards over the steps."""

import gnomon as gn
import numpy as np
import pytest

DRIVEN = """format = 1
name = "driven pendulum"
coordinates = ["x", "y"]
mass = "m"
potential = "m*g*y"
force = { x = "u - c*der(x)", y = "w - c*der(y)" }
[constraints]
rod = "x^2 + y^2 - l^2"
[parameters]
m = 2.0
g = 9.81
l = 1.0
c = 0.1
[inputs]
u = { times = [0, 0.25, 0.5, 0.75], values = [1, -2, 3, 0.5] }
w = { every = 0.15, count = 6, value = 0.5, hold = "linear" }
[start]
position = { x = "l" }
velocity = { y = 0.5 }
[outputs]
height = "y/l"
pull = "lambda.rod"
effort = "u^2 + w^2"
"""
NAMES = ["u", "w", "l", "c", "start.der(y)"]
GIVEN = dict(t_span=(0, 1), with_respect_to=NAMES, step=0.02, scheme="energy-momentum-ggl")
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


@pytest.fixture
def driven():
    return gn.Model.from_toml(DRIVEN)


def both(objective, model, **given):
    """Backwards, after a comparison with the derivatives that go along with the motion."""
    back, along = (gn.gradient(objective, model, direction=d, **given) for d in ("backward", "forward"))
    assert back.motion.backward and not along.motion.backward
    assert back.value == pytest.approx(along.value, rel=1e-14)
    assert np.max(np.abs(back.vector - along.vector)) < 1e-10 * np.max(np.abs(along.vector))
    return back


def of_runs(model, name, size, **given):
    """dJ/ds by the difference of order four of whole runs."""
    value = model.parameters[name]

    def run(k):
        return gn.gradient(model=model, parameters={name: value + k * size}, project_start=True, **given).value

    return (8 * (run(1) - run(-1)) - (run(2) - run(-2))) / (12 * size)


@pytest.mark.parametrize("scheme", ["energy-momentum-ggl", "energy-momentum", "rattle", "line-integral-ggl"])
@pytest.mark.parametrize(
    "objective",
    [
        gn.at("x", 0.8) - 2 * gn.at("der(y)"),
        gn.at("lambda.rod", 0.5) + gn.at("lambda.rod"),
        gn.at("height", 0.33) + gn.at("pull", 0.25) / 10 + gn.at("effort", 0.3),
        2 * gn.at("x", 1.0) - gn.integral("effort") + gn.integral("pull"),
    ],
    ids=["motion", "multipliers", "outputs", "integrals"],
)
def test_backward_is_forward(driven, scheme, objective):
    found = both(objective, driven, **{**GIVEN, "scheme": scheme})
    assert list(found) == NAMES and len(found) == 5 and found.vector.shape == (13,)
    assert found["u"].shape == (4,) and found["w"].shape == (6,) and isinstance(found["l"], float)
    in_order = [*found["u"], *found["w"], found["l"], found["c"], found["start.der(y)"]]
    assert np.array_equal(in_order, found.vector)


def test_gradient_is_difference_of_runs(driven):
    given = {**GIVEN, "objective": gn.at("x", 0.8) - gn.at("pull") / 10 + gn.at("effort", 0.1)}
    found = gn.gradient(model=driven, direction="backward", **given)
    for name, derivative in zip(found.motion.parameters, found.vector):
        if name in ("u[0]", "u[3]", "w[2]", "l", "c"):
            assert derivative == pytest.approx(of_runs(driven, name, 1e-3, **given), rel=1e-7, abs=1e-8)
    alone = gn.gradient(model=driven, **{**given, "with_respect_to": "u[3]"})
    assert list(alone) == ["u[3]"] and alone["u[3]"] == pytest.approx(found["u"][3], rel=1e-10)


def test_areas_of_an_input():
    """x(2) is the sum of u[k]/m times the area of (2 - t) over its time."""
    cart = gn.Model.from_toml("""format = 1
coordinates = ["x"]
mass = 2
potential = "0"
force = { x = "u" }
[inputs]
u = { times = [0, 0.5, 1.2], values = [1, -2, 0.5] }
""")
    areas = np.array([(4 - 1.5**2) / 2, (1.5**2 - 0.8**2) / 2, 0.8**2 / 2])
    for step in (0.1, 0.17):
        found = both("x", cart, t_span=(0, 2), step=step, scheme="energy-momentum-ggl", with_respect_to="u")
        assert np.allclose(found["u"], areas / 2, rtol=1e-11)


def test_units_of_length_and_time():
    """An angle is a function of t sqrt(g/l), and so is its discrete motion with that of the step."""
    m = gn.Model("a", "m*l^2", "-m*g*l*cos(a)", parameters=dict(m=1.0, g=9.81, l=1.1))
    found = both(
        gn.at("a") + gn.at("a", 0.7), m, t_span=(0, 2), q0=[1], step=0.01, with_respect_to=["l", "g", "m", "start.a"]
    )
    assert abs(found["l"] * 1.1 + found["g"] * 9.81) < 1e-11 and abs(found["m"]) < 1e-12


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
    found = gn.motion(
        m, (0, period), step=period / 100, scheme="line-integral-ggl", options=dict(s=4, k=8), t_eval=[period],
        with_respect_to=["a"], quantities=["x", "y", "der(x)", "der(y)"], direction="backward",
    )
    ends = [found.pull_back(row[:, None])[0] for row in np.eye(4)]
    speed = np.sin(a) * slope
    assert np.allclose(ends, [np.cos(a), np.sin(a), np.cos(a) * speed, np.sin(a) * speed], atol=1e-9)


def test_functionals(driven):
    parts = [gn.gradient(one, driven, **GIVEN) for one in (gn.at("x", 1.0), gn.integral("effort"))]
    found = gn.gradient(2 * gn.at("x", 1.0) - gn.integral("effort"), driven, **GIVEN)
    assert found.value == pytest.approx(2 * parts[0].value - parts[1].value, rel=1e-14)
    assert np.allclose(found.vector, 2 * parts[0].vector - parts[1].vector, rtol=0, atol=1e-12)
    same = sum([gn.at("x"), -gn.integral("effort") / 2]) * 2
    assert np.array_equal(gn.gradient(same, driven, **GIVEN).vector, found.vector)
    # The integral of (u^2 + w^2) at the steps, which meet every time of u; w is 0.5
    whole = gn.gradient(gn.integral("effort"), driven, **{**GIVEN, "step": 0.01})
    assert np.allclose(whole["u"], 0.5 * np.array([1, -2, 3, 0.5]), atol=0.06)
    assert np.allclose(whole["w"], [0.075, 0.15, 0.15, 0.15, 0.15, 0.325], atol=1e-3)


def test_times_of_a_functional(driven):
    """A time is found in t_eval to rounding, and is added where it is missing."""
    times = np.linspace(0, 1, 11)
    assert 0.3 not in times
    found = gn.gradient(gn.at("x", 0.3), driven, t_eval=times, **GIVEN)
    assert np.array_equal(found.motion.t, times)
    assert gn.gradient(gn.at("x", 0.3) + gn.integral("x"), driven, t_eval=times, **GIVEN).motion.t.size == 11
    assert np.array_equal(gn.gradient(gn.at("x", 0.25), driven, t_eval=[0.5], **GIVEN).motion.t, [0.25, 0.5])
    assert gn.gradient(gn.at("x", 0.3) - gn.at("x", 3 * 0.1), driven, **GIVEN).value == 0
    at_start = both(gn.at("x", 0) + gn.at("der(y)", 0), driven, **GIVEN)
    assert at_start["l"] == pytest.approx(1) and at_start["start.der(y)"] == pytest.approx(1)
    assert np.all(at_start["u"] == 0)


def test_function_of_quantities(driven):
    times = np.linspace(0.1, 1, 10)
    data = gn.solve(driven.with_parameters(l=1.05), (0, 1), step=0.02, t_eval=times, scheme="energy-momentum-ggl").q

    def squares(values):
        residuals = values - data
        return np.sum(residuals**2), 2 * residuals

    found = both(squares, driven, quantities=["x", "y"], t_eval=times, **GIVEN)
    assert found.value > 0 and found.motion.values.shape == (2, 10) and np.array_equal(found.motion.t, times)
    assert found["l"] == pytest.approx(
        of_runs(driven, "l", 1e-3, objective=squares, quantities=["x", "y"], t_eval=times, **GIVEN), rel=1e-8
    )


def test_pull_back_is_linear(driven):
    motion = gn.motion(driven, quantities=["x", "pull"], direction="backward", **GIVEN)
    assert motion.values.shape == (2, motion.t.size) and motion.t[[0, -1]].tolist() == [0, 1] and motion.warnings == []
    assert motion.parameters[:2] == ["u[0]", "u[1]"] and len(motion.parameters) == 13
    one, two = np.random.default_rng(1).normal(size=(2, *motion.values.shape))
    first, second = motion.pull_back(one), motion.pull_back(two)
    assert np.max(np.abs(first - second)) > 1
    small = 1e-10 * np.max(np.abs(first))
    assert np.allclose(motion.pull_back(2 * one - 3 * two), 2 * first - 3 * second, rtol=0, atol=small)
    assert np.array_equal(motion.pull_back(one), first)
    assert np.all(motion.pull_back(0 * one) == 0)
    along = gn.motion(driven, quantities=["x", "pull"], direction="forward", **GIVEN)
    assert np.allclose(along.values, motion.values, rtol=1e-14)
    assert np.allclose(along.pull_back(one), first, rtol=0, atol=small)


@pytest.mark.parametrize("times", [None, [0.1, 0.33, 1.0]])
def test_few_states(driven, times):
    given = dict(quantities=["x", "pull"], direction="backward", t_eval=times, **GIVEN)
    motion = gn.motion(driven, **given)
    weights = np.random.default_rng(2).normal(size=motion.values.shape)
    for states in (2, 3, 7):
        few = gn.motion(driven, states=states, **given)
        assert np.array_equal(few.values, motion.values)
        assert np.allclose(few.pull_back(weights), motion.pull_back(weights), rtol=0, atol=1e-10)


def test_steps_of_a_tolerance(driven):
    given = dict(t_span=(0, 1), with_respect_to=["l", "c", "start.der(y)"], scheme="energy-momentum-ggl")
    before, after = DRIVEN.split("u = {")[0], DRIVEN.split("[start]")[1]
    held = gn.Model.from_toml(before + "u = { value = 1 }\nw = { value = 2 }\n[start]" + after)
    both(gn.at("x", 0.8) + gn.integral("pull") / 10, held, rtol=1e-7, t_eval=np.linspace(0, 1, 6), **given)
    found = both(gn.at("x", 0.8), held, rtol=1e-7, **given)
    fine = gn.gradient(gn.at("x", 0.8), held, step=1e-3, direction="backward", **given)
    assert np.max(np.abs(found.vector - fine.vector)) < 1e-4 * np.max(np.abs(fine.vector))


@pytest.mark.parametrize("scheme", [None, "energy-momentum-ggl"])
def test_steps_of_a_tolerance_over_times_of_inputs(driven, scheme):
    """Steps end at the times of inputs, and begin anew there."""
    given = dict(t_span=(0, 1), with_respect_to=NAMES, scheme=scheme)
    found = both(gn.at("x", 0.8), driven, rtol=1e-7, **given)
    fine = gn.gradient(gn.at("x", 0.8), driven, direction="backward", **{**GIVEN, "step": 1e-3})
    assert np.max(np.abs(found.vector - fine.vector)) < 1e-4 * np.max(np.abs(fine.vector))


def test_of_functions():
    m = gn.Model.from_functions("x", 1.0, lambda q: q[0] ** 4 / 4, traced=False)
    given = dict(t_span=(0, 1), q0=[1.0], step=0.05, with_respect_to=["start.x", "start.der(x)"])
    back, along = (gn.gradient("x", m, direction=d, **given) for d in ("backward", "forward"))
    assert np.allclose(back.vector, along.vector, rtol=0, atol=1e-7)
    ends = [gn.solve(m, (0, 1), q0=[1 + d], step=0.05).q[0, -1] for d in (1e-4, -1e-4)]
    assert back["start.x"] == pytest.approx((ends[0] - ends[1]) / 2e-4, abs=1e-6)
    traced = gn.Model.from_functions("x", 1.0, lambda q: q[0] ** 4 / 4)
    assert np.allclose(both("x", traced, **given).vector, back.vector, rtol=0, atol=1e-7)


@pytest.mark.parametrize("direction", ["backward", "forward"])
@pytest.mark.parametrize("calls", [3, 200, 1000])
def test_what_a_function_raises(direction, calls):
    count = iter(range(calls))

    def potential(q):
        if next(count, None) is None:
            raise LookupError("enough")
        return q[0] ** 4 / 4

    m = gn.Model.from_functions("x", 1.0, potential, traced=False)
    with pytest.raises(LookupError, match="enough"):
        gn.gradient("x", m, (0, 1), q0=[1.0], step=0.05, with_respect_to="start.x", direction=direction)


def test_direction_is_chosen():
    """Backwards costs three directions a step of a pendulum, and forwards one for each number."""
    m = gn.Model("a", 1, "-g*cos(a)", parameters=dict(g=9.81), start=dict(position=dict(a=1)))
    given = dict(t_span=(0, 1), step=0.1)
    assert not gn.gradient("a", m, with_respect_to="g", **given).motion.backward
    pushed = gn.Model.from_toml(DRIVEN.replace("count = 6", "count = 60").replace("0.15", "0.015"))
    assert gn.gradient("x", pushed, with_respect_to="w", **given).motion.backward


def test_contacts_go_forwards():
    ball, given = gn.Model.from_toml(BALL), dict(t_span=(0, 1.0), step=0.01, contact=dict(zeno_speed=0.1))
    found = gn.gradient(gn.at("x") + gn.at("der(y)"), ball, with_respect_to=["height", "g"], **given)
    assert not found.motion.backward
    s = gn.solve(ball, sensitivities=["height", "g"], **given)
    assert len(s.contact_events) == 2
    for name in ("height", "g"):
        by = s.sensitivities[name]
        assert found[name] == pytest.approx(by.q[0, -1] + by.v[1, -1], rel=1e-12)
    with pytest.raises(gn.RefusedError, match="has obstacles, .* its derivatives are found forwards"):
        gn.gradient("x", ball, with_respect_to="g", direction="backward", **given)


def test_what_is_shown(driven):
    seen = []
    found = gn.gradient("x", driven, progress=seen.append, **GIVEN)
    assert repr(found) == f"<gnomon.Gradient of {found.value:.6g} by u, w, l, c, start.der(y)>"
    assert repr(found.motion) == "<gnomon.Motion of 1 quantities at 1 times, by 13 numbers>"
    assert repr(gn.at("y") + gn.integral("x")) == "<gnomon.Functional of x, y>"
    assert all(0 <= t <= 1 for t in seen)


@pytest.mark.parametrize(
    "error, sentence, given",
    [
        (gn.UnknownNameError, 'has no quantity "heigt"; did you mean "height"', dict(objective="heigt")),
        (gn.UnknownNameError, 'has no quantity "q"; known: x, y, der', dict(objective=gn.integral("q"))),
        (gn.UnknownNameError, 'nothing called "uu", the parameter; did you mean "u"', dict(with_respect_to=["uu"])),
        (gn.UnknownNameError, 'nothing called "u.7.", the parameter; did you mean "u', dict(with_respect_to=["u[7]"])),
        (gn.UnknownNameError, 'did you mean "start.y"', dict(with_respect_to="start.z")),
        (gn.BadValueError, "with_respect_to is empty", dict(with_respect_to=[])),
        (gn.BadValueError, "with_respect_to = None is no list of names", dict(with_respect_to=None)),
        (gn.BadValueError, "with_respect_to = .3. is no list of names", dict(with_respect_to=[3])),
        (gn.BadValueError, "u.0. is asked for twice", dict(with_respect_to=["u", "u[0]"])),
        (gn.BadValueError, "direction = 'up', expected one of auto, backward, forward", dict(direction="up")),
        (gn.BadValueError, "states = 1, expected a whole number from 2", dict(states=1)),
        (gn.BadValueError, "states = 2.5, expected a whole number from 2", dict(states=2.5)),
        (gn.BadValueError, "objective = 3 is no quantity, functional or function", dict(objective=3)),
        (gn.BadValueError, "quantities are missing", dict(objective=lambda values: (0, values))),
        (gn.BadValueError, "quantities are those of a function", dict(quantities="x")),
        (gn.BadValueError, "quantities = .. is no list", dict(objective=lambda values: (0, values), quantities=[])),
        (gn.BadValueError, "quantities = 3 is no list", dict(objective=lambda values: (0, values), quantities=3)),
        (gn.BadValueError, "returned an object of the type float", dict(objective=lambda values: 1.0, quantities="x")),
        (gn.BadValueError, "expected one number", dict(objective=lambda values: (values, values), quantities="x")),
        (gn.BadValueError, "shape .3,., and the quantities have .1, 51.",
         dict(objective=lambda values: (0, [1, 2, 3]), quantities="x")),
        (gn.NotFiniteError, "derivative that is not finite",
         dict(objective=lambda values: (0, np.nan * values), quantities="x")),
        (gn.BadValueError, "asks for t = 1.5, which is not between 0 and 1",
         dict(objective=gn.at("x", 1.5), t_eval=[0, 1])),
        (gn.BadValueError, "asks for t = nan", dict(objective=gn.at("x", np.nan))),
        (gn.BadValueError, "t_eval has no 0.5", dict(objective=gn.at("x", 0.5) + gn.integral("x"), t_eval=[0, 1])),
        (gn.BadValueError, "at 0.5: give t_eval", dict(objective=gn.at("x", 0.5) + gn.integral("x"))),
        (gn.BadValueError, "t_eval is empty", dict(objective=gn.integral("x"), t_eval=[])),
        (gn.BadValueError, "t_eval.1. = 0.25 is not above", dict(t_eval=[0.5, 0.25])),
        (gn.BadValueError, "does not end after its start", dict(t_span=(1, 0))),
        (gn.RefusedError, "ida-ggl is a reference", dict(scheme="ida-ggl", step=None)),
        (TypeError, 'gradient has no argument "stepp": did you mean "step"', dict(stepp=0.1)),
        (TypeError, 'gradient has no argument "quantites": did you mean "quantities"', dict(quantites="x")),
    ],
)
def test_bad_arguments(driven, error, sentence, given):
    with pytest.raises(error, match=sentence) as raised:
        gn.gradient(model=driven, **{"objective": "x", **GIVEN, **given})
    assert "\n" not in str(raised.value)


def test_bad_functionals_and_weights(driven):
    with pytest.raises(gn.BadValueError, match="quantity = 3 is no name"):
        gn.at(3)
    with pytest.raises(gn.BadValueError, match="quantity = None is no name"):
        gn.integral(None)
    with pytest.raises(gn.BadValueError, match="t = 'end' is no number"):
        gn.at("x", "end")
    with pytest.raises(gn.BadValueError, match="times nan is not finite"):
        np.nan * gn.at("x")
    for wrong in (lambda: gn.at("x") * gn.at("y"), lambda: gn.at("x") + 1, lambda: gn.at("x") / "2"):
        with pytest.raises(TypeError, match="unsupported operand"):
            wrong()
    with pytest.raises(TypeError, match='motion has no argument "methd"'):
        gn.motion(driven, quantities="x", methd=1, **GIVEN)
    for direction in ("backward", "forward"):
        motion = gn.motion(driven, quantities="x", direction=direction, **GIVEN)
        with pytest.raises(gn.BadValueError, match="shape .2, 3., and values have .1, 51."):
            motion.pull_back(np.ones((2, 3)))
        with pytest.raises(gn.BadValueError, match="expected 2 axes"):
            motion.pull_back(np.ones(51))
        with pytest.raises(gn.NotFiniteError, match="weights have an entry that is not finite"):
            motion.pull_back(np.full((1, 51), np.nan))


def test_run_that_fails():
    m = gn.Model("x", 1, "x + sqrt(x)", start=dict(position=dict(x=0.5)))
    for direction in ("backward", "forward"):
        with pytest.raises(gn.GnomonError, match="step .* over h = 0.01"):
            gn.gradient("x", m, (0, 5), step=0.01, with_respect_to="start.x", direction=direction)


def test_constraints_that_repeat_others():
    twice = gn.Model.from_toml("""format = 1
coordinates = ["x", "y"]
mass = 1
potential = "9.81*y"
force = { x = "u" }
constraints = { rod = "x^2 + y^2 - l^2", again = "2*(x^2 + y^2) - 2*l^2" }
[parameters]
l = 1
[inputs]
u = { every = 0.1, count = 10, value = 0.2 }
[start]
position = { y = "-l" }
velocity = { x = 1 }
""")
    asked = dict(t_span=(0, 1), with_respect_to=["l", "u"], step=0.02)
    found = gn.gradient("x", twice, **asked)
    assert found.motion.backward and np.all(found["u"] > 0)
    forwards = gn.gradient("x", twice, direction="forward", **asked)
    for name in ("l", "u"):
        np.testing.assert_allclose(found[name], forwards[name], rtol=1e-9, atol=1e-12)
