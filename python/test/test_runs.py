"""What happens around a run: steps one by one, Ctrl-C, threads, memory, time."""

import os
import pathlib
import pickle
import resource
import subprocess
import sys
import threading
import time

import gnomon as gn
import numpy as np
import pytest

from conftest import interrupted


def test_integrator(rod, start, tmp_path):
    run = gn.Integrator(rod, step=0.01, **start)
    for _ in range(5):
        run.step()
    assert run.t == pytest.approx(0.05)
    before, y = run.checkpoint(), run.y
    run.advance(1.0)
    s = gn.solve(rod, (0, 1), step=0.01, **start)
    assert np.array_equal(run.y, s.y[:, -1]) and abs(run.energy_error) < 1e-15
    assert run.lam == pytest.approx(s.lam[:, -1])
    run.restore(before)
    assert np.array_equal(run.y, y) and run.t == pytest.approx(0.05)
    run.step(-0.05)
    assert run.q == pytest.approx([1, 0, 0], abs=1e-4)
    run.restore(before)
    run.save(tmp_path / "run.checkpoint")
    other = gn.Integrator(rod, step=0.01, **start)
    other.load(tmp_path / "run.checkpoint")
    run.advance(1.0), other.advance(1.0)
    assert np.array_equal(run.y, other.y)
    with pytest.raises(gn.IntegrationError, match="not converged"):
        for _ in range(20):
            run.step(3.0)
    with pytest.raises(gn.BadValueError, match="no rtol"):
        run.step_to(2.0)
    with pytest.raises(gn.FileError):
        other.load(tmp_path / "missing")
    tolerant = gn.Integrator(rod, rtol=1e-8, **start)
    tolerant.step_to(1.0)
    assert 0 < tolerant.t <= 1
    tolerant.advance(1.0)
    assert tolerant.t == 1 and tolerant.stats["steps"] > 1
    with pytest.raises(TypeError, match="save"):
        pickle.dumps(run)
    with pytest.raises(gn.RefusedError, match="is a reference"):
        gn.Integrator(rod, scheme="ida-ggl", **start)


@pytest.mark.parametrize("arguments", [dict(step=1e-4), dict(scheme="ida-ggl", rtol=1e-12), dict(rtol=1e-13)])
def test_interrupt(rod, start, arguments):
    """Ctrl-C ends a run of hours within a moment; what was computed is kept."""
    with interrupted(0.3) as caught:
        gn.solve(rod, (0, 1e6), t_eval=np.linspace(0, 1e6, 10**6), **arguments, **start)
    result = caught.value.result
    assert result.status == -2 and not result.success and "interrupted" in result.message
    assert 0 < len(result.t) < 10**6 and np.isfinite(result.y).all()


def test_interrupt_of_an_integrator(rod, start):
    run = gn.Integrator(rod, step=1e-4, **start)
    with interrupted(0.2):
        run.advance(1e6)
    assert run.t > 0
    run.step()


def test_threads(rod, start):
    """Solves side by side do what they do one after the other; other threads go on meanwhile."""
    expected = gn.solve(rod, (0, 200), step=0.01, **start).y
    results = [None, None]

    def work(k):
        results[k] = gn.solve(rod, (0, 200), step=0.01, **start).y

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    counted = 0
    while any(thread.is_alive() for thread in threads):
        counted += 1
        time.sleep(0.001)
    assert counted > 5
    for y in results:
        assert np.array_equal(y, expected)


def test_one_integrator_serves_one_thread(rod, start):
    run = gn.Integrator(rod, step=1e-4, **start)
    worker = threading.Thread(target=lambda: run.advance(50.0))
    worker.start()
    time.sleep(0.1)
    refusals = 0
    while worker.is_alive():
        try:
            run.step(1e-12)
        except gn.RefusedError as error:
            assert "one thread" in str(error)
            refusals += 1
        time.sleep(0.001)
    assert refusals > 0


def memory_in_use():
    """Of this process, in MB."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 1e6


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read from /proc")
def test_nothing_leaks(rod, start):
    def rounds(count):
        for _ in range(count):
            run = gn.Integrator(rod, step=0.01, **start)
            run.step()
            gn.solve(rod, (0, 0.05), step=0.01, dense_output=True, events=lambda t, y: y[0], **start).sol(0.01)
            gn.solve(rod, (0, 0.05), scheme="ida-ggl", t_eval=[0.05], **start)

    rounds(200)
    before = memory_in_use()
    rounds(1000)
    assert memory_in_use() - before < 2


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read from /proc")
def test_states_arrive_without_a_copy(rod, start):
    """The peak over a run of 1e6 states is that of its arrays."""
    script = (
        "import resource, sys; sys.path.insert(0, sys.argv[1]); import gnomon as gn; from conftest import make_rod\n"
        "run = dict(q0=[1, 0, 0], v0=[0, 1, 0], step=1e-3)\n"
        "gn.solve(make_rod(), (0, 1), **run)\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "s = gn.solve(make_rod(), (0, 1000), **run)\n"
        "grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024\n"
        "print(grown / (s.t.nbytes + s.y.nbytes + s._lam.nbytes + s._energy_error.nbytes), s.y.shape[1])"
    )
    folder = str(pathlib.Path(__file__).parent)
    done = subprocess.run([sys.executable, "-c", script, folder], capture_output=True, text=True, check=True)
    ratio, states = done.stdout.split()
    assert int(states) == 1000001
    assert float(ratio) < 1.05


def test_import_waits_for_what_is_used():
    """What takes long to import comes with the first plot, table or SymPy expression."""
    script = "import sys, gnomon; print(*{'matplotlib', 'pandas', 'scipy', 'sympy'} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", script], text=True).split() == []


def test_example_of_the_readme(tmp_path, monkeypatch):
    """What README.md shows runs, and shows what it says."""
    readme = pathlib.Path(__file__).resolve().parents[2] / "README.md"
    monkeypatch.chdir(tmp_path)
    names = {}
    monkeypatch.syspath_prepend(readme.parent / "manual")
    import snippets

    for code in snippets.of_language(readme.read_text(encoding="utf-8"), "python"):
        exec(code, names)
    assert np.max(np.abs(names["s"].energy_error)) < 1e-14 < np.max(np.abs(names["r"].energy_error))
    assert list(tmp_path.iterdir())


def test_version():
    project = pathlib.Path(__file__).resolve().parents[1] / "pyproject.toml"
    assert f'version = "{gn.__version__}"' in project.read_text(encoding="utf-8")


def test_docstrings():
    for name in gn.__all__:
        assert getattr(gn, name).__doc__, name


@pytest.mark.parametrize(
    "given", [dict(step=0.01), dict(rtol=1e-6), dict(scheme="ida-ggl"), dict(scheme="cvode-projection")])
def test_a_formula_that_becomes_no_number_is_named(given):
    falls = gn.Model("x", 1, "x", force={"x": "-0.1*sqrt(x)"})
    s = gn.solve(falls, (0, 3), q0=[1], **given)
    assert s.status == -1 and 'the force of x, "-0.1*sqrt(x)", is not a number' in s.message


TORSION = """format = 1
planar = true
bodies.wheel = { position = [0, 0], shape = { disc = 0.5, density = 10 }, angular_velocity = 3, velocity = "assembled" }
points.O = { position = [0, 0] }
joints.hub = { type = "revolute", between = ["O", "wheel"], stiffness = "k" }
parameters = { k = 0.01 }
"""


def test_parameters_between_steps(rod, start):
    """An oscillator whose stiffness changes, against the closed form; what counts goes on."""
    m = gn.Model("x", 1, "k*x^2/2", parameters=dict(k=1))
    run = gn.Integrator(m, [1], rtol=1e-10)
    run.advance(1.0)
    steps = run.stats["steps"]
    run.set_parameters(k=4)
    assert run.t == 1 and run.stats["steps"] == steps
    run.advance(2.0)
    exact = np.cos(1) * np.cos(2) - np.sin(1) / 2 * np.sin(2)
    assert run.q[0] == pytest.approx(exact, abs=1e-8)
    assert run.stats["steps"] > steps and abs(run.energy_error) < 1e-14 and not run.broken_promises
    for values, error in ((dict(kk=3), gn.UnknownNameError), (dict(k="x"), gn.ModelError)):
        with pytest.raises(error):
            run.set_parameters(**values)
    assert run.t == 2 and run.q[0] == pytest.approx(exact, abs=1e-8)

    # A rod of another length does not fit where it is: refused, and projected where that was asked for.
    for project in (False, True):
        run = gn.Integrator(rod, step=0.01, project_start=project, **start)
        run.advance(0.5)
        before = run.y
        if project:
            run.set_parameters(l=1.001)
            assert np.linalg.norm(run.q) == pytest.approx(1.001, abs=1e-14)
            run.advance(1.0)
            assert abs(run.energy_error) < 1e-14
        else:
            with pytest.raises(gn.InconsistentStartError):
                run.set_parameters(l=1.001)
            assert np.array_equal(run.y, before)


def test_parameters_between_steps_keep_turns():
    """A torsion spring that is wound up by more than a turn keeps its angle."""
    m = gn.Model.from_toml(TORSION)
    run = gn.Integrator(m, rtol=1e-9)
    run.advance(3.0)
    whole = gn.solve(m, (0, 6), rtol=1e-9, t_eval=[0, 3, 6])
    assert whole.outputs["hub.angle"][1] > 7
    run.set_parameters(k=0.01)
    run.advance(6.0)
    assert run.y == pytest.approx(whole.y[:, -1], abs=1e-6)


def test_parameters_between_steps_beside_contacts():
    """A ball at rest on the floor stays there when gravity changes, and what happened before is not forgotten."""
    m = gn.Model("y", 1, "a*y", obstacles={"floor": "y"}, parameters=dict(a=9.81))
    run = gn.Integrator(m, [1], step=0.01, contact={"restitution": 0.0})
    run.advance(2.0)
    events = len(run.contact_events)
    assert events > 0 and run.q[0] == pytest.approx(0, abs=1e-12)
    run.set_parameters(a=20)
    run.advance(3.0)
    assert run.q[0] == pytest.approx(0, abs=1e-12) and len(run.contact_events) >= events
    run.set_parameters(a=-2)
    run.advance(4.0)
    assert run.q[0] == pytest.approx(1, abs=1e-9)
