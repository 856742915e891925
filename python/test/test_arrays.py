"""Arrays of other types than doubles, wherever one is taken: the same numbers, or a sentence that names the argument."""

from fractions import Fraction

import copy
import gnomon as gn
import numpy as np
import pickle
import pytest

EXACT = [
    np.array([1, 0, 0], dtype=np.float32),
    np.array([1, 0, 0], dtype=np.int8),
    np.array([True, False, False]),
    np.array([1.0, 9, 0, 9, 0, 9])[::2],
    np.asfortranarray(np.eye(3))[0],
    np.array([0.0, 0, 1])[::-1],
    np.array([1, Fraction(0), 0.0], dtype=object),
    np.ma.array([1.0, 0, 0]),
    np.array([1, 0, 0], dtype=">f8"),
    np.array([1, 0, 0], dtype=np.longdouble),
]
REFUSED = [
    (np.array([1 + 0j, 0, 0]), "complex128"),
    ([1j, 0, 0], "complex128"),
    (np.ma.array([1.0, 0, 0], mask=[0, 0, 1]), "masked"),
    (np.array(["1", "0", "0"]), "no array of numbers"),
    (["1", 0, 0], "no array of numbers"),
    (np.array(["1", 0, 0], dtype=object), "no array of numbers"),
    (np.array([None, 0, 0]), "no array of numbers"),
    (np.array([2**53 + 1, 0, 0]), "9007199254740993"),
    ([Fraction(1, 3), 0, 0], "1/3"),
    ([10**400, 0, 0], "no array of numbers"),
    (np.array([1, 0, 0], dtype=np.longdouble) / 3, "64 bits"),
    (np.array([0], dtype="M8[s]"), "datetime64"),
    ([[1, 0, 0]], r"\(1, 3\)"),
    (np.eye(3), r"\(3, 3\)"),
    ([[1], [0, 0]], "no array of numbers"),
    ({"x": 1}, "no array of numbers"),
]


@pytest.mark.parametrize("q0", EXACT, ids=lambda q0: str(q0.dtype))
def test_other_types_are_the_same_numbers(rod, q0):
    expected = gn.solve(rod, (0, 0.1), q0=[1, 0, 0], v0=[0, 1, 0], step=0.01).y
    assert np.array_equal(gn.solve(rod, (0, 0.1), q0=q0, v0=[0, 1, 0], step=0.01).y, expected)
    assert np.array_equal(gn.Integrator(rod, q0, [0, 1, 0], step=0.01).y, expected[:, 0])


@pytest.mark.parametrize("values, sentence", REFUSED)
@pytest.mark.parametrize("name", ["q0", "v0", "t_eval"])
def test_what_is_no_array_of_numbers(rod, start, name, values, sentence):
    with pytest.raises(gn.BadValueError, match=sentence) as caught:
        gn.solve(rod, (0, 1), **{**start, name: values}, step=0.1)
    assert name in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "values", [np.array([1j, 0, 0]), np.ma.array([1.0, 0, 0], mask=[0, 0, 1]), ["a", 0, 0], np.eye(3)])
def test_every_function_that_takes_a_start(rod, values):
    for call in (
        lambda: gn.Integrator(rod, values, step=0.1),
        lambda: gn.check(rod, values),
        lambda: gn.equilibrium(rod, values),
        lambda: gn.ensemble(rod, (0, 1), values, vary={"k": [1, 2]}, step=0.1),
    ):
        with pytest.raises(gn.BadValueError, match="q0"):
            call()


def test_masses(rod):
    one = gn.Model("x y", np.array([2, 1], dtype=np.int32), "x^2")
    assert gn.solve(one, (0, 0.1), q0=[1, 0], step=0.1).success
    for mass in (np.array([1j, 1]), np.ma.array([1.0, 1], mask=[0, 1]), np.array([1, 1], dtype=np.longdouble) / 3):
        with pytest.raises(gn.ModelError, match="mass"):
            gn.Model("x y", mass, "x^2")
        with pytest.raises(gn.ModelError, match="mass"):
            gn.Model.from_functions("x y", mass, lambda q: q[0], traced=False)


def test_dense_output_at_other_times(rod, start):
    s = gn.solve(rod, (0, 1), **start, step=0.1, dense_output=True)
    assert np.array_equal(s.sol(np.array([1, 2], dtype=np.float32) / 4), s.sol([0.25, 0.5]))
    for times in (np.array([0.5j]), np.ma.array([0.5], mask=[1]), ["0.5"], [[0.5]]):
        with pytest.raises(gn.BadValueError, match="^t "):
            s.sol(times)


@pytest.mark.parametrize("value", [1j, np.ma.masked, "1", np.array("1")], ids=str)
def test_what_functions_return(value):
    model = gn.Model.from_functions("x", 1, lambda q: value, traced=False)
    with pytest.raises(ValueError, match="potential returned something that is no array of numbers"):
        gn.solve(model, (0, 1), q0=[1], step=0.1)


def test_parameters_are_to_read(rod):
    with pytest.raises(gn.ModelError, match=r"with_parameters\(NAME=VALUE\)"):
        rod.parameters["k"] = 7
    with pytest.raises(gn.ModelError, match="do not change"):
        rod.parameters.update(k=7)
    with pytest.raises(gn.ModelError, match="do not change"):
        del rod.parameters["k"]
    assert rod.parameters == {"k": 5.0, "l": 1.0} == pickle.loads(pickle.dumps(rod.parameters))
    assert copy.deepcopy(rod.parameters) == {**rod.parameters}
