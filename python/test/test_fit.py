"""gn.fit: parameters from measured motions."""

import json
import os
import pathlib
import pickle
import subprocess
import sys

import gnomon as gn
import numpy as np
import pytest
from conftest import interrupted

def has_ceres():
    """Whether Gnomon was built with it."""
    try:
        model = gn.Model("x", 1, "k*x^2", parameters=dict(k=1.0))
        gn.fit(model, dict(t=[0, 0.1, 0.2], x=[1.0, 0.99, 0.96]), ["k"], q0=[1], step=0.1)
    except gn.RefusedError as error:
        assert "libceres-dev" in str(error)
        return False
    return True


needs_ceres = pytest.mark.skipif(not has_ceres(), reason="Gnomon was built without Ceres Solver")
STEP = dict(step=0.02)
TIMES = np.linspace(0, 3, 31)


def swinging(**more):
    """A pendulum by its angle."""
    return gn.Model(
        "a", "m*l^2", "-m*g*l*cos(a)", force=dict(a="-c*der(a)"),
        parameters=dict(m=1.0, g=9.81, l=1.0, c=dict(value=0.1, min=0, unit="N*m*s"), **more),
        outputs=dict(angle=dict(formula="a", unit="rad"), height=dict(formula="l*(1 - cos(a))", unit="m")),
    )


def on_a_rod():
    """The same by x and y, with a spring, on a constraint."""
    return gn.Model(
        "x y", "m", "m*g*y + k*x^2/2", {"rod": "x^2 + y^2 - l^2"}, parameters=dict(m=2.0, g=9.81, k=3.0, l=1.0),
        start=dict(position=dict(x="l*sin(0.9)", y="-l*cos(0.9)")),
    )


def measured(model, times=TIMES, t0=0.0, **given):
    return gn.solve(model, (t0, times[-1]), t_eval=times, **{**STEP, **given})


@needs_ceres
def test_exact_data():
    s = measured(swinging().with_parameters(l=1.13, c=0.23), q0=[0.7], v0=[-0.4])
    f = gn.fit(
        swinging(), dict(t=s.t, a=s.q[0]), ["l", "c"], dict([("a", 0.5), ("der(a)", 0.0)]), **STEP
    )
    assert f.success and list(f) == ["l", "c", "start.a", "start.der(a)"] and not f.warnings
    for name, value in {"l": 1.13, "c": 0.23, "start.a": 0.7, "start.der(a)": -0.4}.items():
        assert f[name] == pytest.approx(value, abs=1e-10)
        assert f.errors[name] < 1e-8 and f.states[name] == "determined"
    assert f.rms["a"] < 1e-10 and f.degrees_of_freedom == 27
    assert f.model.parameters["l"] == f["l"] and f.records[0].q0[0] == pytest.approx(0.7, abs=1e-10)
    assert "l" in str(f) and "FitResult" in repr(f) and f.to_dataframe().loc["l", "state"] == "determined"


@needs_ceres
def test_gaps_rates_and_units():
    s = measured(swinging().with_parameters(l=1.13, c=0.23), q0=[0.7])
    angle, height = np.rad2deg(s.q[0]), 1000 * s.outputs["height"]
    angle[3:9] = np.nan
    data = dict(t=s.t, angle=angle, height=np.where(np.arange(31) % 3 == 0, height, np.nan))
    f = gn.fit(swinging(), data, "l c".split(), q0=[0.7], outputs=dict(angle="deg", height="mm"), **STEP)
    assert f["l"] == pytest.approx(1.13, abs=1e-10) and f["c"] == pytest.approx(0.23, abs=1e-10)
    assert f.degrees_of_freedom == 25 + 11 - 2 and np.isnan(f.records[0].fitted["angle"][4])
    pairs = dict(angle=(s.t, angle), h=(s.t[::3], height[::3]))
    other = dict(angle="deg", height=dict(column="h", factor=1e-3))
    g = gn.fit(swinging(), pairs, ["l", "c"], q0=[0.7], outputs=other, **STEP)
    assert g["l"] == pytest.approx(f["l"], abs=1e-10)
    with pytest.raises(gn.BadValueError, match="column angle is in mm, expected a unit like that of the model, rad"):
        gn.fit(swinging(), data, ["l"], q0=[0.7], outputs=dict(angle="mm"), **STEP)


@needs_ceres
def test_records_that_start_anywhere():
    model = swinging().with_parameters(l=1.13)
    one = measured(model, q0=[0.7], times=np.linspace(5, 7, 21), t0=5.0)
    two = measured(model, q0=[-0.3], v0=[1.0], times=np.linspace(0, 1, 9))
    data = dict(a=dict(t=one.t, a=one.q[0]), b=dict(t=two.t, a=two.q[0]))
    f = gn.fit(swinging(), data, ["l"], {"a": [0.5, 0.1], "b.der(a)": 0.5}, **STEP)
    assert list(f) == ["l", "a.start.a", "b.start.a", "b.start.der(a)"]
    for name, value in zip(f, (1.13, 0.7, -0.3, 1.0)):
        assert f[name] == pytest.approx(value, abs=1e-10)
    g = gn.fit(swinging(), data, ["l"], held={"a.start.a": 0.7, "b.start.a": -0.3, "b.start.der(a)": 1}, **STEP)
    assert g["l"] == pytest.approx(1.13, abs=1e-10)
    late = dict(t=one.t[5:], a=one.q[0][5:])
    h = gn.fit(swinging(), late, ["l"], q0=[0.7], t0=5.0, **STEP)
    assert h["l"] == pytest.approx(1.13, abs=1e-10) and h.records[0].t0 == 5


@needs_ceres
def test_a_start_on_constraints():
    model = on_a_rod()
    x = np.sin(0.9)
    s = gn.solve(model.with_parameters(l=1.1, k=3.3), (0, 3), t_eval=TIMES, **STEP)
    f = gn.fit(model, dict(t=s.t, x=s.q[0], y=s.q[1]), ["l", "k"], {"x": 0.7, "y": -0.9}, **STEP)
    assert f["l"] == pytest.approx(1.1, abs=1e-10) and f["k"] == pytest.approx(3.3, abs=1e-9)
    assert f["start.x"] == pytest.approx(1.1 * x, abs=1e-10)  # of the start on the rod, whatever is moved there
    assert f["start.y"] == pytest.approx(-1.1 * np.cos(0.9), abs=1e-10)
    assert not f.warnings and f.states["start.x"] == "determined"


@needs_ceres
def test_bounds():
    rng = np.random.default_rng(3)
    s = measured(swinging().with_parameters(c=0.0), q0=[0.7])
    data = dict(t=s.t, a=s.q[0] * np.exp(0.02 * s.t) + 1e-4 * rng.standard_normal(31))
    f = gn.fit(swinging(), data, dict(l=1.2, c=0.3), q0=[0.7], **STEP)
    assert f["c"] == 0 and f.states["c"] == "at minimum" and np.isnan(f.errors["c"])
    assert "Parameter c is at its least value, 0" in f.warnings[0]
    assert f.states["l"] == "determined" and f.errors["l"] < 0.02
    s = measured(swinging().with_parameters(c=0.2), q0=[0.7])
    g = gn.fit(swinging().with_parameters(c=0.0), dict(t=s.t, a=s.q[0]), ["c"], q0=[0.7], **STEP)  # begins at its bound
    assert g["c"] == pytest.approx(0.2, abs=1e-10)
    with pytest.raises(gn.BadValueError, match="parameter c begins at -1, expected a number between 0 and inf"):
        gn.fit(swinging(), dict(t=s.t, a=s.q[0]), dict(c=-1), q0=[0.7], **STEP)


@needs_ceres
def test_what_is_not_determined():
    s = measured(swinging().with_parameters(l=1.13, c=0.0), q0=[0.7])
    f = gn.fit(swinging().with_parameters(c=0.0), dict(t=s.t, a=s.q[0]), ["m", "l"], q0=[0.7], **STEP)
    assert f["l"] == pytest.approx(1.13, abs=1e-9) and f.states == dict(m="not determined", l="determined")
    assert f.warnings == ["Parameter m is not determined: no change of it shows in the data."]
    s = measured(swinging().with_parameters(l=1.13, c=0.2), q0=[0.7])
    f = gn.fit(swinging(), dict(t=s.t, a=s.q[0]), ["m", "c", "l"], q0=[0.7], **STEP)
    assert f.states == dict(m="not determined", c="not determined", l="determined")
    assert f["c"] / f["m"] == pytest.approx(0.2, abs=1e-9) and np.isnan(f.errors["m"])
    (text,) = f.warnings
    assert "Parameters m and c are not determined one by one, only combinations of them are" in text
    s = gn.solve(on_a_rod().with_parameters(g=10.0), (0, 3), t_eval=TIMES, **STEP)
    f = gn.fit(on_a_rod(), dict(t=s.t, x=s.q[0]), ["g", "m", "k"], **STEP)  # in x it is k/m, and g
    assert f.states == dict(g="determined", m="not determined", k="not determined")


@needs_ceres
def test_sigma_given_and_estimated():
    rng = np.random.default_rng(7)
    s = measured(swinging().with_parameters(l=1.13, c=0.23), q0=[0.7])
    data = dict(t=s.t, a=s.q[0] + 0.01 * rng.standard_normal(31))
    f = gn.fit(swinging(), data, ["l", "c"], q0=[0.7], **STEP)
    g = gn.fit(swinging(), data, ["l", "c"], q0=[0.7], sigma=f.sigma["a"], **STEP)
    assert f["l"] == pytest.approx(g["l"], abs=1e-9) and f.errors["l"] == pytest.approx(g.errors["l"], rel=1e-6)
    width = np.diff(f.intervals["l"])[0] / np.diff(g.intervals["l"])[0]
    assert width == pytest.approx(2.04523 / 1.95996, rel=1e-5)  # Student's t with 29 degrees of freedom
    assert f.sigma["a"] == pytest.approx(0.01, rel=0.3) and abs(f["l"] - 1.13) < 4 * f.errors["l"]
    assert f.correlation[0, 0] == pytest.approx(1) and f.correlation[0, 1] == f.correlation[1, 0]
    low = gn.fit(swinging(), data, ["l", "c"], q0=[0.7], sigma=0.001, **STEP)
    assert "What is left is larger than sigma says" in low.warnings[0]
    both = dict(data, height=s.outputs["height"] + 0.1 * rng.standard_normal(31))  # the errors of each are found
    f = gn.fit(swinging(), both, ["l", "c"], q0=[0.7], **STEP)
    assert f.sigma["a"] == pytest.approx(0.01, rel=0.3) and f.sigma["height"] == pytest.approx(0.1, rel=0.3)


@needs_ceres
def test_a_trial_without_a_motion_is_rejected():
    model = gn.Model("x", 1, "k*x^2/2 + log(k - 1)", parameters=dict(k=9.0), start=dict(position=dict(x=1.0)))
    s = measured(model.with_parameters(k=1.2))
    f = gn.fit(model, dict(t=s.t, x=s.q[0]), dict(k=2.5), **STEP)
    assert f.success and f["k"] == pytest.approx(1.2, abs=1e-9)
    with pytest.raises(gn.RefusedError, match="the search begins where model has no motion"):
        gn.fit(model, dict(t=s.t, x=s.q[0]), dict(k=0.5), **STEP)


def double_pendulum():
    return gn.Model(
        "a b", [["m1 + m2", "m2*l*cos(a - b)"], ["m2*l*cos(a - b)", "m2*l^2"]], "-(m1 + m2)*g*cos(a) - m2*g*l*cos(b)",
        parameters=dict(m1=1.0, m2=1.0, l=1.0, g=9.81), start=dict(position=dict(a=2.0, b=2.5)),
    )


@needs_ceres
def test_a_chaotic_record():
    times = np.linspace(0, 40, 401)
    rng = np.random.default_rng(5)
    s = gn.solve(double_pendulum(), (0, 40), rtol=1e-8, t_eval=times)
    data = dict(t=s.t, a=s.q[0] + 0.01 * rng.standard_normal(401))
    f = gn.fit(double_pendulum(), data, dict(l=1.002), sigma=0.01, rtol=1e-8)
    (text,) = [text for text in f.warnings if "chaotic" in text]
    assert text.startswith("Record record1 is of a chaotic motion: a change of the start grows by")
    assert "fit a record that ends before" in text and f.records[0].growth > 1e4
    assert not f.success and f.states == dict(l="not determined") and np.isnan(f.errors["l"])
    short = dict(t=s.t[:31], a=data["a"][:31])
    f = gn.fit(double_pendulum(), short, dict(l=1.002), sigma=0.01, rtol=1e-8)
    assert not any("chaotic" in text for text in f.warnings) and abs(f["l"] - 1) < 4 * f.errors["l"]


@needs_ceres
def test_regular_motions_are_not_called_chaotic():
    times = np.linspace(0, 100, 501)
    s = measured(swinging().with_parameters(c=0.0), q0=[1.5], times=times)
    f = gn.fit(swinging().with_parameters(c=0.0), dict(t=s.t, a=s.q[0]), dict(l=1.001), q0=[1.5], sigma=0.1, **STEP)
    assert f["l"] == pytest.approx(1, abs=1e-8) and not f.warnings


@needs_ceres
def test_what_is_wrong_is_said():
    s = measured(swinging(), q0=[0.7])
    data = dict(t=s.t, a=s.q[0])
    given = dict(q0=[0.7], **STEP)
    for error, words, arguments, more in (
        (gn.UnknownNameError, 'unknown parameter "ll"; did you mean "l"', (data, ["ll"]), {}),
        (gn.UnknownNameError, 'unknown parameter "start.b"', (data, [], ["b"]), {}),
        (gn.BadValueError, "no parameter is sought", (data,), {}),
        (gn.BadValueError, "columns b, and none is called like a quantity of", (dict(t=s.t, b=s.t), ["l"]), {}),
        (gn.BadValueError, 'data have no column "b", known are a', (data, ["l"]), dict(outputs=["b"])),
        (gn.BadValueError, "expected one of times, t or time", (dict(a=s.t), ["l"]), {}),
        (gn.BadValueError, "is not after the one before", (dict(t=s.t[::-1], a=s.t), ["l"]), {}),
        (gn.BadValueError, "a of record1 has 2 values, expected 31", (dict(t=s.t, a=[1, 2]), ["l"]), {}),
        (gn.BadValueError, "has no value of a", (dict(t=s.t, a=s.t * np.nan), ["l"]), {}),
        (gn.BadValueError, 'sigma has "b"', (data, ["l"]), dict(sigma=dict(b=1))),
        (gn.BadValueError, "sought or held twice", (data, ["l", "l"]), {}),
        (gn.BadValueError, "before the start of the motion, 1", (data, ["l"]), dict(t0=1)),
        (gn.RefusedError, "ida-ggl is a reference", (data, ["l"]), dict(scheme="ida-ggl", step=None)),
    ):
        with pytest.raises(error) as said:
            gn.fit(swinging(), *arguments, **{**given, **more})
        assert words in str(said.value)


def test_neighbours_of_a_bound():
    s = gn.solve(swinging(), (0, 1), q0=[0.7], parameters=dict(c=0.0), sensitivities=["c"], **STEP)
    assert s.success and np.max(np.abs(s.sensitivities["c"].q)) > 0.01
    model = gn.Model(
        "x", 1, "k*x^2/2", parameters=dict(k=dict(value=1.0, min=0, max=1), l=dict(value=0.0, min=0)),
        outputs=dict(root="sqrt(l)*x"), start=dict(position=dict(x="1 + sqrt(l)")),
    )
    with pytest.raises(gn.GnomonError, match="a derivative looks at both sides of a bound, and there is no model with l = -"):
        gn.solve(model, (0, 1), sensitivities=["l"], **STEP)


@needs_ceres
def test_files_frames_and_pages(tmp_path):
    import pandas

    s = measured(swinging().with_parameters(l=1.13), q0=[0.7])
    (tmp_path / "swing.csv").write_text(
        "t [ms], angle [deg], note\n"
        + "".join(f"{1000 * t}, {'' if k == 4 else np.rad2deg(a)}, 1\n" for k, (t, a) in enumerate(zip(s.t, s.q[0])))
    )
    f = gn.fit(swinging(), tmp_path / "swing.csv", ["l"], q0=[0.7], **STEP)
    assert f["l"] == pytest.approx(1.13, abs=1e-9) and f.degrees_of_freedom == 29 and f.records[0].name == "swing"
    frame = pandas.DataFrame(dict(a=s.q[0]), index=pandas.Index(s.t, name="t"))
    assert gn.fit(swinging(), frame, ["l"], q0=[0.7], **STEP)["l"] == pytest.approx(1.13, abs=1e-9)
    page = gn.report(f, tmp_path / "fit.html").read_text()
    assert "95 % interval" in page and "measured less fitted" in page
    assert len(f.plot().axes) == 2
    again = pickle.loads(pickle.dumps(f))
    assert dict(again) == dict(f) and gn.report(again, tmp_path / "again.html").read_text() == page
    assert np.array_equal(again.records[0].residuals["angle"], f.records[0].residuals["angle"], equal_nan=True)


def test_without_ceres(tmp_path):
    """Libraries beside which the module is not."""
    folder = next(
        pathlib.Path(line.split()[-1]).parent for line in open("/proc/self/maps") if "libgnomon.so" in line
    )
    for file in folder.glob("libgnomon*.so*"):
        (tmp_path / file.name).symlink_to(file.resolve())
    script = "import gnomon as gn\ngn.fit(gn.Model('x', 1, 'x^2'), dict(t=[0, 1], x=[1, 2]), ['k'], q0=[1], step=0.1)"
    end = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path)}, capture_output=True, text=True
    )
    assert "what fits parameters, a module built with Ceres Solver (libceres-dev), is missing" in end.stderr.splitlines()[-1]


@needs_ceres
def test_interrupted():
    times = np.linspace(0, 20, 201)
    s = gn.solve(double_pendulum(), (0, 20), rtol=1e-9, t_eval=times)
    with interrupted(after=0.3):
        while True:
            gn.fit(double_pendulum(), dict(t=s.t, a=s.q[0]), dict(l=1.1, m2=0.8), rtol=1e-9)


@needs_ceres
def test_a_mechanism():
    text = """format = 1
planar = true
gravity = [0, -9.81]
points = { O = [0, 0] }
[parameters]
m = { value = 1.0, min = 0.1 }
a = { value = 0.5, min = 0.1, unit = "m" }
d = 0.05
[bodies.bar]
mass = "m"
inertia = 0.1
markers = { hinge = [0, "a"] }
orientation = "50*deg"
place = { hinge = "O" }
[joints]
pivot = { type = "revolute", between = ["O", "bar.hinge"], damping = "d" }
"""
    model = gn.Model.from_toml(text)
    s = gn.solve(model.with_parameters(a=0.55, d=0.08), (0, 2), t_eval=np.linspace(0, 2, 21), step=0.02)
    assert "pivot.angle" in s.outputs
    data = {"t": s.t, "pivot.angle": np.rad2deg(s.outputs["pivot.angle"])}
    f = gn.fit(model, data, ["a", "d"], outputs={"pivot.angle": "deg"}, step=0.02)
    assert f["a"] == pytest.approx(0.55, abs=1e-9) and f["d"] == pytest.approx(0.08, abs=1e-9)


TEXT = """format = 1
coordinates = ["a"]
mass = "l^2"
potential = "-9.81*l*cos(a)"
force = { a = "-c*der(a)" }
parameters = { l = { value = 1.0, unit = "m" }, c = { value = 0.1, min = 0 }, offset = 0.0 }
start = { position = { a = 0.7 } }
outputs = { encoder = { formula = "a + offset", unit = "rad" } }
"""


@pytest.fixture
def program(tmp_path):
    """`gnomon` in a folder with a model and two tables of its motion."""

    def run(*arguments, status=0):
        done = subprocess.run([os.environ["GNOMON_PROGRAM"], *arguments], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == status, done.stderr
        return done.stdout if status != 2 else done.stderr

    if "GNOMON_PROGRAM" not in os.environ:
        pytest.skip("GNOMON_PROGRAM is not set")
    (tmp_path / "p.toml").write_text(TEXT)
    for name, start in (("one", "0.7"), ("two", "0.3")):
        (tmp_path / "q.toml").write_text(TEXT.replace("a = 0.7", f"a = {start}"))
        exact = ["--set", "l=1.13", "--set", "c=0.2", "--set", "offset=0.05", "--step", "0.02", "--until", "2"]
        run("run", "q.toml", *exact, "--times", "0:0.1:2", "--output", f"{name}.csv")
    run.folder = tmp_path
    return run


@needs_ceres
def test_the_command(program):
    given = ["--columns", "encoder", "--step", "0.02", "--json"]
    found = json.loads(program("fit", "p.toml", "one.csv", "--vary", "l,c,offset", *given))
    assert found["status"] == "success" and found["parameters"]["l"]["unit"] == "m"
    for name, value in dict(l=1.13, c=0.2, offset=0.05).items():
        assert found["parameters"][name]["value"] == pytest.approx(value, abs=1e-10)
    found = json.loads(
        program("fit", "p.toml", "one.csv", "two.csv", "--vary", "l,c=0.3,start.a=0.5", "--set", "offset=0.05", *given)
    )
    assert found["names"] == ["l", "c", "one.start.a", "two.start.a"]
    assert found["parameters"]["two.start.a"]["value"] == pytest.approx(0.3, abs=1e-10)
    held = ["--set", "two.start.a=0.3", "--set", "one.offset=0.05", "--set", "two.offset=0.05"]
    found = json.loads(program("fit", "p.toml", "one.csv", "two.csv", "--vary", "l,c", *held, *given))
    assert found["parameters"]["l"]["value"] == pytest.approx(1.13, abs=1e-10)
    own = json.loads(program("fit", "p.toml", "one.csv", "two.csv", "--vary", "l,c,one.offset,two.offset", *held[:2], *given))
    assert own["names"][2:] == ["one.offset", "two.offset"]
    assert own["parameters"]["two.offset"]["value"] == pytest.approx(0.05, abs=1e-9)
    files = ["--output", "left.csv", "--report", "fit.html", "--sigma", "encoder=0.01"]
    text = program("fit", "p.toml", "one.csv", "--vary", "l,c,offset", "--rtol", "1e-8", *files)
    assert "gnomon run p.toml --set l=1.1" in text and "sigma 0.01 given, 21 values" in text and "der(a)" in text
    left = gn.read(program.folder / "left.csv")
    assert left.columns[:5] == ["record", "t", "a", "a.fitted", "a.left"] and left.units["encoder.left"] == "rad"
    assert "95 % interval" in (program.folder / "fit.html").read_text()


@needs_ceres
def test_what_the_command_refuses(program):
    for words, arguments in (
        ('unknown parameter "ll"; did you mean "l"', ["one.csv", "--vary", "ll"]),
        ("--vary is missing: it says what is sought", ["one.csv"]),
        ("DATA is missing", ["--vary", "l"]),
        ('unknown column of the data "x"', ["one.csv", "--vary", "l", "--columns", "a=x"]),
        ('unknown quantity of p "x"', ["one.csv", "--vary", "l", "--columns", "x=a"]),
        ("--sigma = 0 is not above zero", ["one.csv", "--vary", "l", "--sigma", "0"]),
        ('column a has the unit "parsec"', ["one.csv", "--vary", "l", "--unit", "a=parsec"]),
        ('"nothing.csv" cannot be read', ["nothing.csv", "--vary", "l"]),
        ("c begins at -1, expected a number between 0 and inf", ["one.csv", "--vary", "c=-1"]),
        ("does not end in .html", ["one.csv", "--vary", "l", "--report", "a.txt"]),
    ):
        said = program("fit", "p.toml", *arguments, status=2)
        assert words in said and said.count("\n") == 1, said


def test_over_an_impact():
    ball = gn.Model.from_toml(
        """format = 1
coordinates = ["x", "y"]
mass = 1
potential = "g*y"
[parameters]
g = 9.81
height = 1.0
[obstacles]
floor = { formula = "y", restitution = 0.5 }
[start]
position = { y = "height" }
velocity = { x = 2.0 }
"""
    )
    t = np.linspace(0, 0.9, 61)
    truth = gn.solve(ball.with_parameters(g=9.7, height=1.05), (0, 0.9), t_eval=t, step=0.01)
    fit = gn.fit(ball, dict(t=t, y=truth.q[1]), ["g", "height"], step=0.01)
    assert fit["g"] == pytest.approx(9.7, rel=1e-10) and fit["height"] == pytest.approx(1.05, rel=1e-10)
