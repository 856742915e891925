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


def test_progress_is_told_to_a_function(rod, start):
    seen = []
    for arguments in (dict(step=1e-5), dict(scheme="ida-ggl", step=1e-4)):
        seen.clear()
        gn.solve(rod, (0, 3), progress=seen.append, t_eval=[0, 3] if "scheme" not in arguments else None, **arguments, **start)
        assert len(seen) >= 2 and seen == sorted(seen) and 0 <= seen[0] and seen[-1] <= 3
    seen.clear()
    gn.ensemble(rod, (0, 1), step=1e-4, vary={"step": "grid(1e-4,2e-4,200)"}, progress=seen.append, **start)
    assert len(seen) >= 2 and seen == sorted(seen) and seen[-1] <= 1
    with pytest.raises(ZeroDivisionError) as caught:
        gn.solve(rod, (0, 1e4), step=1e-4, t_eval=[0, 1e4], progress=lambda t: 1 / 0, **start)
    assert caught.value.result.status == -2
    with pytest.raises(gn.BadValueError, match="progress = 3 is neither"):
        gn.solve(rod, (0, 1), step=0.1, progress=3, **start)


def test_progress_in_a_terminal_and_in_a_notebook(rod, start, capsys, monkeypatch):
    gn.solve(rod, (0, 3), step=1e-5, t_eval=[0, 3], progress=True, **start)
    line = capsys.readouterr().err
    assert "t = " in line and " of 3, " in line and line.endswith("\r") and "\n" not in line
    gn.solve(rod, (0, 1), step=1e-2, **start)
    assert capsys.readouterr().err == ""

    shown = []

    class Display:
        HTML = str

        def display(self, text, display_id):
            shown.append(text)
            return self

        def update(self, text):
            shown.append(text)

    monkeypatch.setattr("gnomon.progress._notebook", lambda: Display())
    monkeypatch.setattr("gnomon.progress._SILENT", 0.0)
    gn.solve(rod, (0, 3), step=1e-5, t_eval=[0, 3], **start)
    assert shown[0].startswith("<progress value=") and shown[-1] == ""
    shown.clear()
    gn.solve(rod, (0, 3), step=1e-5, t_eval=[0, 3], progress=False, **start)
    assert shown == []


def test_models_of_results_have_the_numbers_of_the_run(rod, start):
    s = gn.solve(rod, (0, 1), step=0.1, parameters=dict(k=7), **start)
    assert s.model.parameters["k"] == 7 and rod.parameters["k"] == 5
    run = gn.Integrator(rod, step=0.1, **start)
    before = run.checkpoint()
    run.set_parameters({"k": 6})
    assert run.model.parameters["k"] == 6
    with pytest.raises(gn.BadValueError, match="of other parameters"):
        run.restore(before)


def test_what_people_write():
    m = gn.Model("x, y", [1, 1], "9.81*y", "x^2 + y^2 - 1")
    assert m.coordinates == ["x", "y"] and "x^2 + y^2 - 1" in m._repr_html_()
    assert gn.solve(gn.Model("a", 1, "a^2"), (0, 0.3), 1, 0, t_eval=np.arange(0, 0.4, 0.1)).t[-1] == 0.3
    for arguments, sentence in (
        (dict(constraints="x^2 = 1"), r"write left - \(right\).*; in the line: "),
        (dict(force={"x": "-0.1*vx"}), r'unknown name "vx"; the velocity of x is der\(x\)'),
        (dict(force={"x": "-0.1*x_dot"}), r"the velocity of x is der\(x\)"),
    ):
        with pytest.raises(gn.GnomonError, match=sentence):
            gn.Model("x y", 1, "9.81*y", **arguments)._built
    figure = gn.solve(m, (0, 1), [1, 0]).plot(["x", "y"])
    assert [line.get_label() for line in figure.axes[0].lines] == ["x", "y"]
    with pytest.raises(gn.BadValueError, match="1 axes are given, expected 3"):
        gn.solve(m, (0, 1), [1, 0]).plot(axes=figure.axes[0])


def test_a_page_begins_with_what_went_wrong():
    ceiling = gn.Model("y", 1, "9.81*sqrt(1 - y)")
    s = gn.solve(ceiling, (0, 5), [0], step=0.01)
    assert not s.success
    page = s._repr_html_()
    stopped = f"The run stopped at t = {s.t[-1]:.6g}"
    assert 0 < page.find(stopped) < page.index("Where it came from")
    ball = gn.Model("y", 1, "9.81*y", obstacles={"floor": "y"}, drawing={"ball": [["0", "y"]]})
    bounces = gn.solve(ball, (0, 1), [0.2], step=0.01, contact={"restitution": 0.5})
    shown = bounces._repr_html_()
    assert f"The run stopped at t = {bounces.t[-1]:.6g}" not in shown and "impact" in shown


def test_nothing_is_set_in_vain(rod, start):
    with pytest.raises(gn.ModelError, match="a model does not change, and k was to be set"):
        rod.k = 3
    run = gn.Integrator(rod, step=0.1, **start)
    with pytest.raises(gn.BadValueError, match="parameters of an integrator is not set from outside"):
        run.parameters = dict(k=3)


def test_a_start_that_was_forgotten(rod):
    with pytest.raises(gn.InconsistentStartError, match="q0 was not given, and the model has no start"):
        gn.solve(rod, (0, 1))
