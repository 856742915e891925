"""Gradients of numbers that depend on a motion, by many parameters at once."""

from __future__ import annotations

import difflib
import inspect
import numbers as kinds
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from typing import Any

import numpy as np

from .. import _core
from ..arrays import numbers
from ..errors import BadValueError, GnomonError, NotFiniteError, RefusedError, UnknownNameError, functions_raise
from ..progress import reported
from ..solve import Setup, span_of, times_of
from .sensitivities import Request


class Functional:
    """A weighted sum of quantities at times and of integrals of quantities over the time of a motion.

    Made by :func:`at` and :func:`integral`; ``a + b``, ``a - b``, ``2*a``, ``a/2`` and ``sum([a, b])`` are functionals
    too.
    """

    def __init__(self, terms: Sequence[tuple[float, str, float | str]]):
        self._terms = list(terms)

    def __add__(self, other: Functional) -> Functional:
        return Functional([*self._terms, *other._terms]) if isinstance(other, Functional) else NotImplemented

    def __radd__(self, other: Any) -> Functional:
        return self if isinstance(other, kinds.Real) and other == 0 else NotImplemented  # sum() begins with 0

    def __mul__(self, factor: float) -> Functional:
        if not isinstance(factor, kinds.Real):
            return NotImplemented
        if not np.isfinite(factor):
            raise BadValueError(f"a functional times {factor} is not finite")
        return Functional([(float(factor) * weight, name, when) for weight, name, when in self._terms])

    __rmul__ = __mul__

    def __truediv__(self, divisor: float) -> Functional:
        return self * (1 / divisor) if isinstance(divisor, kinds.Real) else NotImplemented

    def __neg__(self) -> Functional:
        return -1.0 * self

    def __sub__(self, other: Functional) -> Functional:
        return self + -other

    def __repr__(self) -> str:
        return "<gnomon.Functional of " + ", ".join(sorted({name for _, name, _ in self._terms})) + ">"


def at(quantity: str, t: float | None = None) -> Functional:
    """A quantity of a motion at a time; at the end if `t` is left out."""
    if t is not None:
        try:
            t = float(t)
        except (TypeError, ValueError):
            raise BadValueError(f"t = {t!r} is no number") from None
    return Functional([(1.0, _name(quantity), "end" if t is None else t)])


def integral(quantity: str) -> Functional:
    """The integral of a quantity over the time of a motion, by the trapezoidal rule over the states that it has.

    Those are the ends of its steps, or ``t_eval``. The gradient is that of this sum: exact, whatever the
    error of the rule.
    """
    return Functional([(1.0, _name(quantity), "integral")])


def _name(quantity: str) -> str:
    if not isinstance(quantity, str):
        raise BadValueError(f"quantity = {quantity!r} is no name")
    return quantity


class Motion:
    """Quantities of a motion, which can be differentiated backwards.

    Attributes
    ----------
    t : ndarray, shape (N,)
    values : ndarray, shape (quantities, N)
    quantities, parameters : list of str
        What the rows of ``values`` are, and what gradients are by.
    backward : bool
        Whether gradients go over the steps backwards; else derivatives were found forwards, with the motion.
    warnings : list of str
    """

    def __init__(self, t, values, quantities, parameters, pull_back, backward, warnings):
        self.t, self.values, self.quantities, self.parameters = t, values, list(quantities), list(parameters)
        self.backward, self.warnings, self._pull_back = backward, list(warnings), pull_back

    def pull_back(self, weights: Any) -> np.ndarray:
        """dJ/ds, shape (parameters,), of a number J with ``dJ/dvalues = weights``, of the shape of ``values``."""
        given = numbers(weights, "weights", axes=(2,))
        if given.shape != self.values.shape:
            raise BadValueError(f"weights have the shape {given.shape}, and values have {self.values.shape}")
        if not np.all(np.isfinite(given)):
            raise NotFiniteError("weights have an entry that is not finite")
        return self._pull_back(given)

    def __repr__(self) -> str:
        size = f"{len(self.quantities)} quantities at {self.t.size} times"
        return f"<gnomon.Motion of {size}, by {len(self.parameters)} numbers>"


class Gradient(Mapping):
    """A mapping from names to derivatives; that of an input ``u`` is an array by its values.

    Attributes
    ----------
    value : float
        The number itself.
    vector : ndarray
        The same derivatives in one array, in the order in which they were asked for.
    motion : Motion
    """

    def __init__(self, value: float, vector: np.ndarray, groups: Mapping[str, slice | int], motion: Motion):
        self.value, self.vector, self.motion, self._groups = value, vector, motion, groups

    def __getitem__(self, name: str) -> Any:
        found = self.vector[self._groups[name]]
        return float(found) if found.ndim == 0 else found

    def __iter__(self) -> Iterator[str]:
        return iter(self._groups)

    def __len__(self) -> int:
        return len(self._groups)

    def __repr__(self) -> str:
        return f"<gnomon.Gradient of {self.value:.6g} by {', '.join(self)}>"


_CHOICES = ("auto", "backward", "forward")
_MOST_DIRECTIONS = 16  # what transposed equations cost beyond them
_MOST_STATES = 2**62


def motion(
    model: Any,
    t_span: Sequence[float],
    q0: Any = None,
    v0: Any = None,
    *,
    with_respect_to: Sequence[str] | str,
    quantities: Sequence[str] | str,
    t_eval: Any = None,
    direction: str = "auto",
    states: int = 1000,
    progress: bool | Callable[[float], Any] | None = None,
    **arguments: Any,
) -> Motion:
    """Integrate a model, so that numbers made of its quantities can be differentiated.

    Parameters
    ----------
    model, t_span, q0, v0, t_eval, progress
        As in :func:`solve`.
    with_respect_to : sequence of str
        Real parameters of the model, entries ``start.x`` and ``start.der(x)`` of its start, and inputs ``u``, which
        stand for all their values ``u[0]``, ``u[1]``, ...
    quantities : sequence of str
        Positions ``x``, velocities ``der(x)``, multipliers ``lambda.g`` and outputs of the model.
    direction : str
        ``"backward"``: a gradient goes over the steps from the last one to the first, with a cost a step of twice the
        degrees of freedom, at most some twenty, however many parameters there are; values of inputs count in their time
        alone. One of the derivatives is found forwards, too, and a gradient that does not agree with it is refused.
        ``"forward"``: derivatives go along with the motion, with a cost of the number of parameters; over contacts and
        friction there is no other way. ``"auto"``: the cheaper one.
    states : int
        As many states are kept at most; what lies between them is stepped again. The memory is bounded by twice as
        many, the time by a run more for each factor `states` in the number of steps.
    **arguments
        Others of :func:`solve`: ``scheme``, ``step``, ``rtol``, ``options``, ``parameters``, ...

    Raises
    ------
    UnknownNameError, BadValueError
        A name, or an argument, is wrong.
    RefusedError
        There are no derivatives: of references, of an overdetermined DAE, of contacts backwards.
    GnomonError
        The run failed; derivatives of one that ends early would be those of another motion.
    """
    t0, t1 = span_of(t_span)
    setup = _setup(motion, model, t0, q0, v0, arguments)
    request, _ = _request(setup, with_respect_to)
    return _motion(setup, request, t0, t1, _names(quantities), times_of(t_eval, t0, t1), direction, states, progress)


def gradient(
    objective: Functional | str | Callable[[np.ndarray], tuple[float, Any]],
    model: Any,
    t_span: Sequence[float],
    q0: Any = None,
    v0: Any = None,
    *,
    with_respect_to: Sequence[str] | str,
    quantities: Sequence[str] | str | None = None,
    t_eval: Any = None,
    direction: str = "auto",
    states: int = 1000,
    progress: bool | Callable[[float], Any] | None = None,
    **arguments: Any,
) -> Gradient:
    """The derivatives of a number that depends on a motion, exact for the steps as they are taken.

    Parameters
    ----------
    objective : Functional, str or callable
        ``gn.at("miss") + 0.1*gn.integral("effort")``, of quantities, which may be outputs of the model; a name alone is
        that quantity at the end. A function gets the `quantities`, an array of shape (quantities, N), and returns the
        number and its derivatives by them, of the same shape.
    model, t_span, q0, v0, with_respect_to, quantities, t_eval, direction, states, progress, **arguments
        As in :func:`motion`.

    Returns
    -------
    Gradient
        ``gradient["k"]``, ``gradient["u"]``, ``gradient.vector``, ``gradient.value``.

    Examples
    --------
    >>> m = gn.Model("a", "m*l^2", "-m*g*l*cos(a)", parameters=dict(m=1.0, g=9.81, l=1.1))
    >>> found = gn.gradient("a", m, (0, 2), q0=[1], with_respect_to=["l", "g", "start.a"], step=0.01)
    >>> round(found["l"] * 1.1 + found["g"] * 9.81, 12)  # a change of units
    0.0
    """
    t0, t1 = span_of(t_span)
    setup = _setup(gradient, model, t0, q0, v0, arguments)
    request, groups = _request(setup, with_respect_to)
    times = times_of(t_eval, t0, t1)
    if isinstance(objective, str):
        objective = at(objective)
    if isinstance(objective, Functional):
        if quantities is not None:
            raise BadValueError("quantities are those of a function, and the objective has names of its own")
        names = list(dict.fromkeys(name for _, name, _ in objective._terms))
        times = _with_times_of(objective, times, t0, t1)
    elif callable(objective):
        if quantities is None:
            raise BadValueError("quantities are missing: the names of what the objective is a function of")
        names = _names(quantities)
    else:
        raise BadValueError(f"objective = {objective!r} is no quantity, functional or function")
    found = _motion(setup, request, t0, t1, names, times, direction, states, progress)
    value, weights = _evaluated(objective, found)
    try:
        return Gradient(value, found.pull_back(weights), groups, found)
    except RefusedError:
        if direction != "auto" or not found.backward:
            raise
    found = _motion(setup, request, t0, t1, names, times, "forward", states, progress)
    return Gradient(value, found.pull_back(weights), groups, found)


def _setup(asked: Callable[..., Any], model: Any, t0: float, q0: Any, v0: Any, arguments: Mapping[str, Any]) -> Setup:
    """`asked`: the function that was called with these arguments."""
    taken = [name for name, one in inspect.signature(Setup).parameters.items() if one.kind is one.KEYWORD_ONLY]
    for name in arguments:
        if name not in taken:
            known = [*(one for one in inspect.signature(asked).parameters if one != "arguments"), *taken]
            ours = _nearest(name, known)
            raise TypeError(f'{asked.__name__} has no argument "{name}": {ours}')
    return Setup(model, t0, q0, v0, **{**dict.fromkeys(taken), "project_start": False, **arguments})


def _nearest(name: str, known: Sequence[str], further: Iterable[str] = ()) -> str:
    near = difflib.get_close_matches(name, [*known, *further], 1)
    return f'did you mean "{near[0]}"?' if near else f"known: {', '.join(known)}"


def _names(given: Sequence[str] | str, argument: str = "quantities") -> list[str]:
    names = [given] if isinstance(given, str) else list(given) if isinstance(given, Iterable) else []
    if not names or not all(isinstance(name, str) for name in names):
        raise BadValueError(f"{argument} = {given!r} is no list of names")
    return names


def _request(setup: Setup, with_respect_to: Sequence[str] | str) -> tuple[Request, dict[str, slice | int]]:
    """What is varied, and the places of each name that was asked for."""
    if setup.is_reference:
        raise RefusedError(f"gradients are those of the steps of a scheme, and {setup.scheme} is a reference")
    if isinstance(with_respect_to, Sized) and len(with_respect_to) == 0:
        raise BadValueError("with_respect_to is empty: a gradient is by one name at least")
    asked = _names(with_respect_to, "with_respect_to")
    known = setup.model._source.parameters()
    entries = [f"start.{name}" for one in setup.instance.coordinates for name in (one, f"der({one})")]
    names: list[str] = []
    groups: dict[str, slice | int] = {}
    for name in asked:
        values: list[str] = []
        while name not in known and f"{name}[{len(values)}]" in known:
            values.append(f"{name}[{len(values)}]")
        if not values and name not in known and name not in entries:
            every = dict.fromkeys(re.sub(r"\[\d+\]$", "", one) for one in [*known, *entries])
            ours = _nearest(name, list(every), known)
            raise UnknownNameError(f'{setup.model.name} has nothing called "{name}", the parameter; {ours}')
        groups[name] = slice(len(names), len(names) + len(values)) if values else len(names)
        names += values or [name]
    return Request(setup, names, "with_respect_to", "parameter", "['k', 'start.x']", True), groups


def _motion(setup, request, t0, t1, quantities, times, direction, states, progress) -> Motion:
    if direction not in _CHOICES:
        raise BadValueError(f"direction = {direction!r}, expected one of {', '.join(_CHOICES)}")
    if not (isinstance(states, (int, np.integer)) and states >= 2):
        raise BadValueError(f"states = {states!r}, expected a whole number from 2")
    if times is not None and not times:
        raise BadValueError("t_eval is empty: give a time, or leave it out for the ends of all steps")
    known = [name for name, _ in _core.quantities(setup.instance)]
    for name in quantities:
        if name not in known:
            raise UnknownNameError(f'{setup.model.name} has no quantity "{name}"; {_nearest(name, known)}')
    rest = (request, t1, quantities, times, min(int(states), _MOST_STATES))
    with functions_raise(request), reported(progress, "t", t0, t1) as shown:
        if direction == "backward" or (direction == "auto" and _cheaper_backwards(setup, request, t0, t1)):
            try:
                return _backward(setup, setup.started(), *rest, shown)
            except RefusedError:  # of friction, say
                if direction == "backward":
                    raise
        return _forward(setup, setup.started(), *rest, shown)


def _cheaper_backwards(setup, request, t0, t1) -> bool:
    """By the number of directions in a step; backwards one is the derivative that is compared."""
    if setup.instance.has_events:
        return False
    free = min(2 * (len(setup.instance.coordinates) - setup.instance.m), _MOST_DIRECTIONS) + 2
    span = t1 - t0
    part = [max(0.0, min(until, t1) - max(begin, t0)) / span for *_, begin, until in request.parameters]
    return free + sum(part) < len(part)


def _backward(setup, run, request, t1, quantities, times, states, shown) -> Motion:
    step = setup.step or 0.0
    core = run.motion(t1, step, times or [], quantities, states, shown, request.parameters, request.variant_together)
    _check(request, core.raised, core.success, core.message)
    warnings = list(run.warnings)

    def pull_back(weights: np.ndarray) -> np.ndarray:
        with functions_raise(request):
            found, why, raised = core.pull_back(weights)
        raised = raised or request.raised
        if raised is not None:
            raise raised
        if found is None:
            raise RefusedError(why)
        if core.warning and core.warning not in result.warnings:
            result.warnings.append(core.warning)
        return found

    result = Motion(core.t, core.values, quantities, request.names, pull_back, True, warnings)
    return result


def _forward(setup, run, request, t1, quantities, times, _, shown) -> Motion:
    record = run.record(t1, setup.step or 0.0, times, False, None, shown, request.parameters, request.variant)
    _check(request, record["raised"], record["success"], record["no_derivative"] or record["message"])
    if record["no_derivative"]:
        raise RefusedError(record["no_derivative"])
    states, rows = (record["output"], record["output_by"]) if times else (record["steps"], record["steps_by"])
    t, count = states["t"], len(request.names)
    derivatives = rows.reshape(count, -1, t.size)
    measured, of = _measured(setup, states, quantities)
    warnings = [*run.warnings, *([record["derivative_warning"]] if record["derivative_warning"] else [])]
    chosen = derivatives[:, of, :]
    return Motion(
        t, measured, quantities, request.names, lambda weights: np.einsum("kqn,qn->k", chosen, weights), False, warnings
    )


def _measured(setup, states, quantities) -> tuple[np.ndarray, list[int]]:
    """The quantities in the states, and where they are among the rows of derivatives."""
    instance = setup.instance
    known = [name for name, _ in _core.quantities(instance)]
    n, m, outputs = len(instance.coordinates), instance.m, len(instance.output_names)
    t, y, lam = states["t"], states["y"], states["lam"]
    if not instance.has_obstacles:
        lam = instance.index1(t, y, lam)
    rows = [y, lam[:m], instance.outputs(t, y, lam, states["turns"])] if outputs else [y, lam[:m]]
    places = [known.index(name) for name in quantities]
    return np.concatenate(rows)[places], [place if place < 2 * n + m else place + len(lam) - m for place in places]


def _check(request, raised, success, message) -> None:
    raised = raised or request.raised
    if raised is not None:
        raise raised
    if not success:
        raise GnomonError(message)


def _with_times_of(objective: Functional, times, t0: float, t1: float):
    """Times at which the states are needed; None: the ends of all steps."""
    whens = {when for _, _, when in objective._terms}
    near = 8 * np.finfo(float).eps * max(abs(t0), abs(t1))
    asked: list[float] = []
    for t in sorted(t1 if when == "end" else when for when in whens if when != "integral"):
        if not t0 - near <= t <= t1 + near:
            raise BadValueError(f"the objective asks for t = {t:.17g}, which is not between {t0:g} and {t1:g}")
        if not asked or t - asked[-1] > near:
            asked.append(min(max(t, t0), t1))
    if times is not None:
        missing = [t for t in asked if not any(abs(t - one) <= near for one in times)]
        if missing and "integral" in whens:
            raise BadValueError(f"t_eval has no {missing[0]:.17g}, which the objective asks for")
        return sorted([*times, *missing])
    if "integral" not in whens:
        return asked
    for t in asked:
        if t not in (t0, t1):
            both = f"an integral and a quantity at {t:g}"
            raise BadValueError(f"the objective has {both}: give t_eval, which has that time")
    return None


def _evaluated(objective, found: Motion) -> tuple[float, np.ndarray]:
    if not isinstance(objective, Functional):
        returned = objective(found.values)
        if not (isinstance(returned, (tuple, list)) and len(returned) == 2):
            kind = f"an object of the type {type(returned).__name__}"
            raise BadValueError(f"the objective returned {kind}, expected a number and its derivatives")
        value = numbers(returned[0], "the number that the objective returns", axes=(0,))
        derivatives = numbers(returned[1], "the array of derivatives that the objective returns", axes=None)
        if derivatives.shape != found.values.shape:
            shapes = f"{derivatives.shape}, and the quantities have {found.values.shape}"
            raise BadValueError(f"the derivatives that the objective returns have the shape {shapes}")
        if not np.all(np.isfinite(derivatives)):
            raise NotFiniteError("the objective returned a derivative that is not finite")
        return float(value), derivatives
    weights = np.zeros_like(found.values)
    t = found.t
    trapezoid = np.zeros_like(t)
    trapezoid[1:] += np.diff(t) / 2
    trapezoid[:-1] += np.diff(t) / 2
    for weight, name, when in objective._terms:
        row = weights[found.quantities.index(name)]
        if when == "integral":
            row += weight * trapezoid
        else:
            row[-1 if when == "end" else int(np.argmin(np.abs(t - when)))] += weight
    counts = weights != 0
    return float(np.sum(weights[counts] * found.values[counts])), weights
