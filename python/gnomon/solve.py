"""The one call that integrates."""

from __future__ import annotations

import difflib
import inspect
import math
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _core
from .arrays import numbers
from .errors import BadValueError, InconsistentStartError, RefusedError, UnknownNameError, functions_raise
from .events import Event, Watcher
from .model import Model, assignments, model_of, of_entries
from .progress import reported
from .result import DenseOutput, Result
from .derivatives.sensitivities import request_of, sensitivities_of

_SCHEME_OF_OPTIONS = "energy-momentum"  # where they are given without one
_DEFAULT_SOLVER = "kinsol-newton"
_DEFAULT_TOLERANCE = 1e-6
_REFERENCE_TIMES = 201
_WORDS_OF_SCIPY = dict(
    fun="the model comes first, a gnomon.Model", y0="the start is q0 and v0", method="the method is scheme",
    args="numbers of the model are parameters", jac="derivatives are found",
    vectorized="functions are those of the model",
    min_step="steps have no least size",
)


class Setup:
    """What a run is made of: a model at its start, the scheme and the steps."""

    def __init__(
        self, model, t0, q0, v0, *, scheme, step, rtol, atol, solver, algebra, options, parameters, project_start, contact,
        first_step, max_step,
    ):
        """Arguments as those of :func:`solve`."""
        self.model: Model = model_of(model)
        self.start = (_vector(q0, "q0"), _vector(v0, "v0"))
        self.parameters = of_entries(parameters or {})
        self.instance = self.model._build(self.parameters, *self.start)
        self.instance.set_start(t0, *self.start)
        if project_start:
            self.instance.project_start()
        self.step, self.rtol, self.atol = _positive(step, "step"), _positive(rtol, "rtol"), _positive(atol, "atol")
        self.first_step, self.max_step = _positive(first_step, "first_step"), _positive(max_step, "max_step")
        self.scheme, self.solver, self.options = scheme, solver, assignments(options)
        self.solver_options: list[tuple[str, str]] = []
        self.contact = [(name.replace("_", "-"), text) for name, text in assignments(contact)]
        self._take_run_defaults()
        self.solver = self.solver or _DEFAULT_SOLVER
        if algebra is not None:
            self.solver_options.append(("algebra", algebra))
        self.is_reference = self.scheme in _core.references() and self.scheme not in _core.schemes()
        self._check_scheme()
        self._check_steps()
        if not self.is_reference:
            with functions_raise(self.instance):
                self._choose_scheme()

    def _take_run_defaults(self) -> None:
        """What the model says of its runs, where the caller says nothing; as the command line does."""
        named, solved, contacts = self.scheme is not None, self.solver is not None, bool(self.contact)
        by_size, by_tolerance = self.step is not None, self.rtol is not None
        reference = self.scheme in _core.references()
        for name, text in self.model._source.run_defaults:
            pair = tuple(text.split("=", 1))
            if name == "step" and not by_tolerance and not by_size and not reference:
                self.step = float(text)
            elif name in ("rtol", "atol") and not by_size and not reference and getattr(self, name) is None:
                setattr(self, name, float(text))
            elif name == "scheme" and not named:
                self.scheme = text
            elif name == "option" and not named:
                self.options.append(pair)
            elif name == "solver" and not solved:
                self.solver = text
            elif name == "solver-option" and not solved:
                self.solver_options.append(pair)
            elif name == "contact" and not contacts:
                self.contact.append(pair)

    def _check_scheme(self) -> None:
        if self.scheme is None or self.is_reference:
            return
        try:
            _core.scheme_options(self.scheme)
        except UnknownNameError as error:
            raise UnknownNameError(f"{error}; references: {', '.join(_core.references())}") from None

    def _check_steps(self) -> None:
        if self.is_reference:
            return
        if self.step is not None and self.rtol is not None:
            raise BadValueError("both step and rtol are given: steps are of one size or of a tolerance")
        if self.step is None and self.rtol is None:
            self.rtol = _DEFAULT_TOLERANCE
        if self.step is not None and self.atol is not None:
            raise BadValueError("atol is given without rtol")
        if self.step is not None and (self.first_step is not None or self.max_step is not None):
            raise BadValueError("first_step and max_step are for steps of a tolerance: give rtol in place of step")

    def _choose_scheme(self) -> None:
        if self.options and self.scheme is None:
            if self.rtol is not None:
                name = self.options[0][0]
                raise BadValueError(f"option {name} is given without scheme: the tolerance chooses the scheme, name the one")
            self.scheme = _SCHEME_OF_OPTIONS
        if self.scheme is None or (self.rtol is not None and not self.options):
            self.scheme, self.options = _core.suited(
                self.instance, self.scheme or "", self.rtol or 0.0, self.solver, self.solver_options, self.contact
            )

    @property
    def model_of_run(self) -> Model:
        """The model, with the parameters of the run."""
        return self.model.with_parameters(**self.parameters) if self.parameters else self.model

    def run(self) -> _core.Run:
        """An integrator that has not started."""
        made = _core.Run(self.instance, self.scheme, self.options, self.solver, self.solver_options, self.contact)
        if self.rtol is not None:
            made.set_tolerances(self.rtol, self.atol or 0.0, self.first_step or 0.0, self.max_step or 0.0)
        return made

    def started(self, turns: Sequence[int] = ()) -> _core.Run:
        """An integrator at the start."""
        try:
            made = self.run()
            made.start(list(turns))
        except InconsistentStartError as error:
            if self.start[0] is None and self.model._start_names:
                raise InconsistentStartError(f"{error}; q0 was not given, and the model has no start: it is zero") from None
            raise
        return made

    def provenance(self) -> dict[str, Any]:
        """Versions, and everything that the run depends on."""
        return dict(
            gnomon=_core.version,
            sundials=_core.sundials_version,
            python=platform.python_version(),
            numpy=np.__version__,
            machine=platform.platform(),
            date=time.strftime("%Y-%m-%dT%H:%M:%S%z"),
            model=self.model.name,
            parameters={**self.model.parameters, **self.parameters},
            scheme=self.scheme,
            options=dict(self.options),
            solver=None if self.is_reference else self.solver,
            solver_options={} if self.is_reference else dict(self.solver_options),
            contact=dict(self.contact),
            step=self.step,
            rtol=self.rtol,
            atol=self.atol,
        )


def solve(
    model: Any,
    t_span: Sequence[float],
    q0: Any = None,
    v0: Any = None,
    *,
    scheme: str | None = None,
    step: float | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    t_eval: Any = None,
    dense_output: bool = False,
    events: Event | Sequence[Event] | None = None,
    solver: str | None = None,
    algebra: str | None = None,
    options: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    project_start: bool = False,
    contact: Mapping[str, Any] | None = None,
    first_step: float | None = None,
    max_step: float | None = None,
    progress: bool | Callable[[float], Any] | None = None,
    sensitivities: Sequence[str] | None = None,
    **unknown: Any,
) -> Result:
    """Integrate a model from ``t_span[0]`` to ``t_span[1]``.

    Parameters
    ----------
    model : Model, Mechanism or str
        A name is that of a problem that is built in, or of a model file ``NAME.toml``.
    t_span : (float, float)
        Start and end.
    q0, v0 : array_like, shape (n,), optional
        Positions and velocities at the start; those of the model where they are left out.
    scheme : str, optional
        One of :func:`schemes`, or of :func:`references` (``"ida-ggl"``, ``"cvode-projection"``, ...). Left out: with
        ``rtol`` the cheapest that keeps energy and constraints of this model, with ``step`` ``"energy-momentum"`` or,
        where that does not take the model, ``"energy-momentum-ggl"``.
    step : float, optional
        The size of all steps; the last one is shortened to arrive. A reference chooses its own steps: with ``step`` it
        reports states at its multiples, which it steps to, else after every step of its own.
    rtol, atol : float, optional
        Steps of a tolerance in place of a size: the error of q and v at a fixed time in parts of their size, and in their
        units (from the sizes of the motion if left out: the largest of the run so far, times rtol). A reference has its
        own tolerances. Without step and rtol, here and in the model file, ``rtol`` is 1e-6.
    t_eval : array_like, optional
        Times at which states are wanted, ascending; after every step if left out. The steps do not change for them:
        between two steps the state is the scheme's own step from the first of them, by a second integrator, with the
        scheme's energy and constraints. Steps of a reference end there.
    dense_output : bool
        Make ``result.sol``, a polynomial of degree 5 a step. Where steps are large, as under ``rtol``, it is less
        accurate than they are: ``t_eval`` gives states as accurate as ``rtol``, and ``max_step`` bounds the difference.
    events : callable or list of callables, optional
        ``event(t, y)``, whose zeros are found, with attributes ``terminal`` and ``direction`` as in SciPy. Inside
        a step the state is as with ``t_eval``; of a reference on the polynomial of degree 5 through the ends of its step.
        Not for models with obstacles.
    solver : str, optional
        One of :func:`solvers`; ``"kinsol-newton"`` if left out.
    algebra : str, optional
        Linear algebra of the solver, see :func:`algebras`.
    options : dict, optional
        Of the scheme or reference, e.g. ``{"s": 3}``; see :func:`scheme_options`.
    parameters : dict, optional
        Numbers in place of the model's.
    project_start : bool
        Move an inconsistent start onto the constraints, in the metric of the mass.
    contact : dict, optional
        For models with obstacles: ``mode``, ``restitution``, ``zeno_speed``.
    first_step, max_step : float, optional
        Of steps of a tolerance.
    progress : bool or callable, optional
        Show how far the run is: a bar in a notebook, else a line of standard error; gone afterwards. Left out: in a
        notebook, where it takes more than a second. A function is called with the time, at most five times a second.
    sensitivities : sequence of str, optional
        Parameters of the model, and entries ``start.x`` and ``start.der(x)`` of its start, by which derivatives of the motion
        are wanted: ``result.sensitivities``. They are those of the steps as they are taken, their sizes held: what the
        scheme conserves, the derivatives conserve too. A change of the start is projected onto the constraints. They
        go over contacts, friction and switches as long as the events are the same beside the run; the run stops where
        they are not.

    Returns
    -------
    Result
        Arrays have time last: ``t`` of shape (N,), ``q`` and ``v`` of shape (n, N), ``lam``, the multipliers that belong to
        these states (not the unknowns of the steps), of shape (m, N). Where a step fails, ``success`` is False and the data goes up to there.

    Raises
    ------
    ModelError
        The model is wrong.
    GnomonError
        An argument is wrong, or the start, or scheme and model do not fit; one class a kind, see ``gnomon.errors``.
    KeyboardInterrupt
        After Ctrl-C, at the end of the step under way; what was computed up to there is its attribute ``result``. The
        same holds for whatever another signal handler, or an event, raises. Python hands signals to its main thread only.

    Notes
    -----
    The interpreter's lock is released while steps are taken: solves in several threads run side by side.
    """
    _refuse(unknown)
    t0, t1 = span_of(t_span)
    given = dict(scheme=scheme, step=step, rtol=rtol, atol=atol, solver=solver, algebra=algebra, options=options)
    given.update(parameters=parameters, project_start=project_start, contact=contact)
    setup = Setup(model, t0, q0, v0, first_step=first_step, max_step=max_step, **given)
    request = request_of(setup, sensitivities)
    times = times_of(t_eval, t0, t1)
    if dense_output and setup.instance.has_obstacles:
        raise RefusedError("dense_output is for models without obstacles: give t_eval")
    if events is not None and setup.instance.has_obstacles:
        raise RefusedError("events are for models without obstacles: result.contact_events has what happened at those")
    clock, functions = time.perf_counter(), setup.instance.function_seconds
    with functions_raise(request or setup.instance), reported(progress, "t", t0, t1) as shown:
        if setup.is_reference:
            values, raised = _reference_result(setup, t0, t1, times, dense_output, events, shown)
        else:
            values, raised = _scheme_result(setup, t0, t1, times, dense_output, events, shown, request)
    stats = values["stats"]
    stats["seconds"] = time.perf_counter() - clock
    stats["function_calls"] = setup.instance.function_calls
    stats["function_seconds"] = setup.instance.function_seconds - functions
    stats["function_share"] = min(1.0, stats["function_seconds"] / max(stats["seconds"], 1e-300))
    result = Result(**values)
    result.warnings = [*result.warnings, *_above_bounds(result)]
    if raised is not None:
        raised.result = result
        raise raised
    return result


def _refuse(unknown: Mapping[str, Any]) -> None:
    """What is no argument of :func:`solve`, with ours for a word of SciPy."""
    for name in unknown:
        known = [one for one in inspect.signature(solve).parameters if one != "unknown"]
        near = difflib.get_close_matches(name, known, 1)
        ours = _WORDS_OF_SCIPY.get(name) or (f'did you mean "{near[0]}"?' if near else f"known: {', '.join(known)}")
        raise TypeError(f'solve has no argument "{name}": {ours}')


def _above_bounds(result: Result) -> list[str]:
    """Outputs above what the model holds for, each with the first state of the result where it is."""
    found = []
    for name, most in result._instance.output_bounds:
        values = result.outputs[name]
        above = np.flatnonzero(values > most)
        if above.size:
            k = above[0]
            value = f"{name} is {values[k]:.4g} at t = {result.t[k]:.6g}"
            found.append(f"{value}, at most {most:g} is what the model holds for")
    return found


def _scheme_result(setup, t0, t1, times, dense_output, events, progress, request):
    run = setup.started()
    watcher = _watcher(events, t0, run.y)
    by = ([], None) if request is None else (request.parameters, request.variant)
    record = run.record(t1, setup.step or 0.0, times, dense_output, watcher, progress, *by)
    raised, counters = record["raised"] or (request or setup.instance).raised, run.counters
    if record.get("no_derivative"):
        record.update(success=False, message=record["no_derivative"])
    values = _common(setup, record, dense_output)
    _set_status(values, record, raised)
    values["sensitivities"] = sensitivities_of(request, record, setup.instance)
    values.update(_found(watcher))
    values["nfev"], values["njev"] = counters["residual_evaluations"], counters["jacobian_evaluations"]
    values.update(stats=counters, promises=run.promises, broken_promises=run.broken_promises, _conservative=True)
    warning = record.get("derivative_warning")
    values["contact_events"], values["warnings"] = run.events, [*run.warnings, *([warning] if warning else [])]
    return values, raised


def _reference_result(setup, t0, t1, times, dense_output, events, progress):
    watcher = _watcher(events, t0, setup.instance.start)
    own_steps = times is None and not setup.step
    if times is None:
        count = math.floor((t1 - t0) / setup.step + 1e-9) + 1 if setup.step else _REFERENCE_TIMES
        times = list(t0 + setup.step * np.arange(count) if setup.step else np.linspace(t0, t1, count))
        if t1 - times[-1] > 1e-9 * (t1 - t0):
            times.append(t1)
    known = {spec["name"] for spec in _core.reference_options(setup.scheme)}
    own = list(setup.options)
    if setup.rtol is not None and "rtol" in known:
        own += [("rtol", repr(setup.rtol)), ("atol", repr(setup.atol or setup.rtol / 10))]
    asked = [float(t) for t in times]
    record = _core.run_reference(setup.instance, setup.scheme, own, setup.contact, asked, own_steps, t1, watcher, progress)
    raised = record["raised"] or setup.instance.raised
    record["steps"], steps = record["output"], record["steps"]
    values = _common(setup, record, dense_output)
    values["_energy_error"] = None
    values["_own_steps"] = record["own_steps"]
    values["sensitivities"] = {}
    _set_status(values, record, raised)
    values["warnings"] = [record["warning"]] if record["warning"] else []
    values.update(_found(watcher), promises={}, broken_promises=[], contact_events=record["events"])
    values["nfev"], values["njev"] = record["residual_evaluations"], record["jacobian_evaluations"]
    values.update(stats=dict(steps=steps), _conservative=record["conservative"])
    return values, raised


def _common(setup, record, dense_output) -> dict[str, Any]:
    """What runs of schemes and references have in common."""
    every_step = record.get("steps")
    states = record.get("output", every_step)
    sol = None
    if dense_output and every_step["t"].size > 1:
        sol = DenseOutput(setup.model_of_run, setup.start, every_step["t"], every_step["y"], every_step["lam"])
    return dict(
        t=states["t"],
        y=states["y"],
        _lam=states["lam"],
        _turns=states["turns"],
        _energy_error=states["energy_error"],
        sol=sol,
        model=setup.model_of_run,
        provenance=setup.provenance(),
        _parameters=setup.parameters,
        _start=setup.start,
        _own_steps=states is every_step,
    )


def _watcher(events: Any, t0: float, y0: np.ndarray) -> Watcher | None:
    given = events is not None and (callable(events) or len(events) > 0)
    return Watcher(events, t0, y0) if given else None


def _found(watcher: Watcher | None) -> dict[str, Any]:
    return watcher.results() if watcher else dict(t_events=None, y_events=None)


def _set_status(values: dict[str, Any], record: dict[str, Any], raised: BaseException | None) -> None:
    """From what ended the run: an exception, a failure, a terminal event, or its end."""
    values["success"] = record["success"] and raised is None
    values["status"] = -2 if raised is not None else -1 if not record["success"] else 1 if record["stopped"] else 0
    last = f"{values['t'][-1]:g}" if values["t"].size else "its start"
    sentences = {0: "the end was reached", 1: "a terminal event was reached", -1: record["message"]}
    values["message"] = sentences.get(values["status"], f"interrupted after t = {last}")


def _vector(values: Any, name: str) -> np.ndarray | None:
    """One number stands for one entry."""
    return None if values is None else np.atleast_1d(numbers(values, name, axes=(0, 1)))


def _positive(value: Any, name: str) -> float | None:
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise BadValueError(f"{name} = {value!r} is no number") from None
    if not (number > 0 and math.isfinite(number)):
        raise BadValueError(f"{name} = {value!r} is not a finite number above zero")
    return number


def span_of(t_span: Any) -> tuple[float, float]:
    try:
        t0, t1 = map(float, t_span)
    except (TypeError, ValueError):
        raise BadValueError(f"t_span = {t_span!r} is no pair of times: write (0, 10)") from None
    if not (math.isfinite(t0) and math.isfinite(t1)):
        raise BadValueError(f"t_span = ({t0:g}, {t1:g}) is not finite")
    if not t1 > t0:
        raise BadValueError(f"t_span = ({t0:g}, {t1:g}) does not end after its start")
    if t1 - t0 <= 2 * np.finfo(float).eps * max(abs(t0), abs(t1)):
        raise BadValueError(
            f"t_span = ({t0:.17g}, {t1:.17g}) is of the size of the rounding of t there; expected a start nearer to 0"
        )
    return t0, t1


def times_of(t_eval: Any, t0: float, t1: float) -> list[float] | None:
    times = _vector(t_eval, "t_eval")
    if times is None:
        return None
    # np.arange ends beside what was meant.
    near = 8 * np.finfo(float).eps * max(abs(t0), abs(t1))
    if times.size and 0 < times[-1] - t1 <= near:
        times[-1] = t1
    outside = np.flatnonzero(~((t0 <= times) & (times <= t1)))
    if outside.size:
        k = outside[0]
        raise BadValueError(f"t_eval[{k}] = {times[k].item()!r} is not between {t0:g} and {t1:g}")
    not_above = np.flatnonzero(~(np.diff(times) > 0))
    if not_above.size:
        k = not_above[0] + 1
        raise BadValueError(f"t_eval[{k}] = {times[k].item()!r} is not above the time before it, {times[k - 1].item()!r}")
    return times.tolist()
