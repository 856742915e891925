"""What is shown and plotted of models and results, and runs of which little is said."""
import gnomon as gn
import numpy as np
import pytest

CRANK = """format = 1
name = "a <crank>"
gravity = [0, 0, -9.81]
points = { O = [0, 0, 0] }
bodies.arm = { mass = 1, inertia = [0.1, 0.1, 0.01], markers = { top = [0, 0, 0.5] }, place = { top = "O" }, angular_velocity = [0, 1, 0] }
joints.pin = { type = "revolute", between = ["O", "arm.top"], axis = [0, 1, 0] }
parameters = { m = { value = 2, unit = "kg" } }
"""


@pytest.fixture(scope="module")
def run():
    return gn.solve(gn.Model.from_toml(CRANK), [0, 1])


def test_a_model_and_times_are_enough(run):
    assert run.success and run.provenance["rtol"] == 1e-6
    finer = gn.solve(gn.Model.from_toml(CRANK), [0, 1], rtol=1e-9)
    assert np.abs(run.outputs["arm.x"][-1] - finer.outputs["arm.x"][-1]) < 1e-5
    assert gn.solve(gn.Model.from_toml(CRANK), [0, 1], step=0.1).provenance["rtol"] is None


def test_one_constraint_needs_no_name():
    m = gn.Model("x y", 1, "9.81*y", "x**2 + y^2 - 1")
    assert m.constraints == ["constraint"]
    assert gn.solve(m, (0, 1), q0=[1, 0]).success


def test_what_notebooks_show(run):
    shown = run.model._repr_html_()
    assert "a &lt;crank&gt;" in shown and "<th>m</th><td>2.0</td>" in shown and "<crank>" not in shown
    page = run._repr_html_()
    assert page.startswith("<iframe srcdoc=") and "<crank>" not in page and "arm.x" in page
    # The page is in quotes: none of its own ends them.
    assert page.count('"') == 4


def test_quantities_by_name(run):
    import matplotlib

    matplotlib.use("Agg")
    figure = run.plot("arm.x", "arm.z", "pin.angle", "energy")
    labels = [[line.get_label() for line in each.lines] for each in figure.axes]
    assert labels == [["arm.x", "arm.z"], ["pin.angle"], ["energy"]]
    assert [each.get_ylabel() for each in figure.axes] == ["[m]", "[rad]", ""]
    assert all(each.get_legend() is not None for each in figure.axes)
    with pytest.raises(gn.UnknownNameError, match='no "arm.xx"; did you mean "arm.x"'):
        run.plot("arm.xx")
    assert len(run.plot().axes) == 3
    assert len(run.plot(run.plot().axes).axes) == 3


def test_datasets_have_units(run):
    pytest.importorskip("xarray")
    data = run.to_xarray()
    assert data["arm.x"].attrs["units"] == "m" and np.array_equal(data["arm.x"], run.outputs["arm.x"])
    assert np.array_equal(data["t"], run.t)
