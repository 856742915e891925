"""Inputs of a model: values over time that are held or joined by lines, and their derivatives."""

import numpy as np
import pytest

import gnomon as gn

CART = """format = 1
name = "cart"
coordinates = ["x"]
mass = 2
potential = "0"
force = { x = "u" }
[inputs]
u = %s
"""


def cart(entry):
    return gn.Model.from_toml(CART % entry)


def test_held_values_and_their_derivatives():
    m = cart("{ times = [0, 0.5, 1.2], values = [1, -2, 0.5] }")
    assert m.parameters["u[1]"] == -2
    names = ["u[0]", "u[1]", "u[2]"]
    for step in (0.1, 0.17):
        s = gn.solve(m, (0, 2), step=step, scheme="energy-momentum-ggl", sensitivities=names)
        # x(2) is the sum of u_k/m times the area of (2 - t) over its time
        areas = [(4 - 1.5**2) / 2, (1.5**2 - 0.8**2) / 2, 0.8**2 / 2]
        found = [s.sensitivities[name].q[0, -1] for name in names]
        assert np.allclose(found, np.array(areas) / 2, rtol=1e-11)
        assert s.q[0, -1] == pytest.approx(np.dot([1, -2, 0.5], areas) / 2, rel=1e-12)


def test_lines_and_equal_times():
    m = cart("{ from = 0.5, every = 0.25, count = 5, value = 0, hold = 'linear' }")
    values = np.array([1.0, 3, -1, 2, 4])
    s = gn.solve(m.with_parameters(u=values), (0, 3), rtol=1e-10, sensitivities=[f"u[{k}]" for k in range(5)])
    t = np.linspace(0, 3, 300001)
    u = np.interp(t, 0.5 + 0.25 * np.arange(5), values)
    x = np.trapezoid(u * (3 - t), t) / 2 if hasattr(np, "trapezoid") else np.trapz(u * (3 - t), t) / 2
    assert s.q[0, -1] == pytest.approx(x, rel=1e-8)
    assert s.q[0, -1] == pytest.approx(sum(v * s.sensitivities[f"u[{k}]"].q[0, -1] for k, v in enumerate(values)), rel=1e-9)


def test_feedback_between_steps():
    run = gn.Integrator(cart("{ value = 0 }"), q0=[1.0], step=0.01)
    for _ in range(2000):
        run.set_parameters(u=-2 * run.q[0] - 3 * run.v[0])
        run.step()
    assert abs(run.q[0]) < 1e-4


@pytest.mark.parametrize(
    "entry, sentence",
    [
        ("{ times = [0, 1], values = [1] }", "2 times and 1 values, expected as many of both"),
        ("{ times = [1, 0], values = [1, 2] }", "go from 1 to 0, expected ascending numbers"),
        ("{ every = 0.1, count = 2.5, value = 0 }", "count of input u is 2.5, expected a whole number"),
        ("{ every = -1, count = 2, value = 0 }", "every of input u is -1, expected a time above 0"),
        ("{ times = [0, 1], values = [1, 2], hold = 'cubics' }", 'unknown hold "cubics"'),
        ("{ every = 0.1, count = 3 }", "takes one value, or times with as many values"),
        ("{ tims = [0] }", 'did you mean "times"'),
        ("{ value = 0, count = 3 }", "input u has count, and no times: expected times and values, or every and count"),
        ("{ value = 0, hold = 'linear' }", "input u has hold, and no times"),
        ("{ times = [0], values = [1], every = 2 }", "input u has every, and its times are listed"),
        ("{ every = 1, count = 2, values = [1, 2] }", "input u has values, and its times are those of from"),
        ("3", "expected a table"),
    ],
)
def test_bad_entries(entry, sentence):
    with pytest.raises(gn.ModelError) as error:
        cart(entry)
    assert sentence in str(error.value) and ":8:" in str(error.value)


def test_equal_values_are_values_too():
    m = cart("{ times = [0, 0.5, 1.2], values = [0, 0, 0] }")
    names = ["u[0]", "u[1]", "u[2]"]
    areas = np.array([(4 - 1.5**2) / 2, (1.5**2 - 0.8**2) / 2, 0.8**2 / 2])
    for step in (0.1, 0.17):
        s = gn.solve(m, (0, 2), q0=[0.5], v0=[1], step=step, scheme="energy-momentum-ggl", sensitivities=names)
        found = [s.sensitivities[name].q[0, -1] for name in names]
        assert np.allclose(found, areas / 2, rtol=1e-11)


@pytest.mark.parametrize("scheme", ["energy-momentum", "energy-momentum-ggl", "rattle"])
def test_a_value_begins_with_the_step_at_its_time(scheme):
    m = cart("{ times = [0, 0.5, 1.2], values = [1, -2, 0.5] }")
    areas = [(4 - 1.5**2) / 2, (1.5**2 - 0.8**2) / 2, 0.8**2 / 2]
    s = gn.solve(m, (0, 2), step=0.1, scheme=scheme)
    assert s.q[0, -1] == pytest.approx(np.dot([1, -2, 0.5], areas) / 2, rel=1e-12)


def test_cubics():
    times = np.array([0, 0.3, 0.7, 1, 1.8, 2.0])
    text = CART % f"{{ times = {times.tolist()}, values = {(times**2 - times).tolist()}, hold = 'cubic' }}"
    m = gn.Model.from_toml(text + '[outputs]\nnow = "u"\n')
    t = np.linspace(0.3, 1.8, 76)
    s = gn.solve(m, (0, 2.5), step=0.01, scheme="energy-momentum-ggl", t_eval=t)
    assert np.allclose(s.outputs["now"], t**2 - t, atol=1e-13)  # slopes are those of parabolas
    steep = m.with_parameters(u=[0, 1, 0, 0, 2, 2])
    t = np.linspace(0, 2.4, 241)
    u = gn.solve(steep, (0, 2.5), step=0.01, scheme="energy-momentum-ggl", t_eval=t).outputs["now"]
    assert np.allclose(u[np.searchsorted(t, times - 1e-9)], [0, 1, 0, 0, 2, 2], atol=1e-12)
    assert np.all(u[t >= 2] == 2) and np.max(np.abs(np.diff(u, 2))) < 0.02
