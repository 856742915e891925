"""The motion beside an equilibrium, a state or a periodic motion, to first order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from .errors import BadValueError, IntegrationError, functions_raise
from .derivatives.sensitivities import Request
from .solve import Setup


@dataclass(frozen=True)
class Linearisation:
    """The linear motion that :func:`linearise` found, ``x' = A x + B u`` with ``x = [y; w]``, and outputs ``C x + D u``.

    ``y`` are minimal coordinates, ``dq = positions @ y``; ``positions`` spans the null space of G with
    ``positions.T @ M @ positions = 1``; ``w`` are velocities, ``dp = momenta @ w`` (at rest; beside a motion ``dp`` follows
    from ``y``, too). ``scipy.signal.StateSpace(found.A, found.B, found.C, found.D)`` is the same system there.

    Attributes
    ----------
    matrix, A : ndarray, shape (N + W, N + W)
    positions : ndarray, shape (n, N)
    momenta : ndarray, shape (n, W)
    B : ndarray, shape (N + W, inputs)
        By the changes ``u`` of the inputs; without ``inputs`` B, C and D have no entries.
    C : ndarray, shape (outputs, N + W)
        Changes of the outputs of the model; one that has no value or no derivative there is NaN.
    D : ndarray, shape (outputs, inputs)
    input_names, output_names : list of str
    s : ndarray of complex, shape (modes,)
        Motions ``exp(s t)``, by ``|s|``; of a pair of conjugates the one with ``imag >= 0``.
    shapes : ndarray of complex, shape (n, modes)
        ``dq`` of each, a column a mode, its largest entry real.
    rigid : ndarray of bool, shape (modes,)
        Those that stand for ``s = 0`` twice: displacements that stay, or go on at any constant velocity.
    t : float
    q : ndarray, shape (n,)
        Where it is.
    message : str
        What is there: "minimum, proved by the inertia (2, 1, 0)".
    """

    matrix: np.ndarray
    positions: np.ndarray
    momenta: np.ndarray
    s: np.ndarray
    shapes: np.ndarray
    rigid: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    input_names: list[str]
    output_names: list[str]
    t: float
    q: np.ndarray
    message: str

    @property
    def A(self) -> np.ndarray:
        """``matrix``, under its name in control."""
        return self.matrix

    @property
    def frequencies(self) -> np.ndarray:
        """Of the damped motion, in cycles a unit of time."""
        return np.abs(self.s.imag) / (2 * np.pi)

    @property
    def damping_ratios(self) -> np.ndarray:
        """``-real(s)/|s|``, zero where ``s`` is."""
        size = np.abs(self.s)
        return np.divide(-self.s.real, size, out=np.zeros_like(size), where=size > 0)


def linearise(
    model: Any,
    at: str | float = "equilibrium",
    q0: Any = None,
    v0: Any = None,
    *,
    inputs: Sequence[str] | None = None,
    rtol: float = 1e-10,
    parameters: Mapping[str, Any] | None = None,
    project_start: bool = False,
) -> Linearisation:
    """Frequencies, damping and modes beside an equilibrium, the start or a state of the motion.

    Parameters
    ----------
    model : Model, Mechanism or str
    at : "equilibrium", "start" or float
        Where: the equilibrium of :func:`gnomon.equilibrium`, the start, or a time of the motion from the start.
    q0, v0 : array_like, optional
        The start; that of the model if left out.
    inputs : sequence of str, optional
        Real parameters of the model that are inputs: B, C and D by them. The place is that of the model as it is, and an
        input leaves it there: it moves no constraint. B, C and D are differences of order six, to about 1e-12 of their
        entries and the rounding of the terms that these are made of.
    rtol : float
        Of the run to the time.
    parameters : dict, optional
    project_start : bool
        As in :func:`gnomon.solve`.

    Raises
    ------
    RefusedError
        For friction, overdetermined DAEs, and inputs that move a constraint.
    IntegrationError
        No minimum is there, or the run to the time stopped.

    Examples
    --------
    >>> m = gn.Model("x y", 1, "9.81*y", {"rod": "x^2 + y^2 - 1"}, start=dict(position=dict(y=-1)))
    >>> gn.linearise(m).frequencies
    array([0.49848704])
    """
    if not (at in ("equilibrium", "start") or isinstance(at, (int, float))):
        raise BadValueError(f'at = {at!r} is neither "equilibrium" nor "start" nor a time')
    setup = _setup(model, q0, v0, parameters, project_start, rtol=rtol)
    wanted, sizes = _inputs(setup, inputs)
    outputs = [] if inputs is None else [name for name, _ in setup.instance.output_names]
    names = dict(input_names=wanted.names, output_names=outputs)
    with functions_raise(setup.instance):
        if at == "equilibrium":
            found, q, message = setup.instance.linearise_equilibrium(sizes, wanted.variant)
            if found is None:
                raise IntegrationError(message)
            return Linearisation(**found, **names, t=setup.instance.t0, q=q, message=message)
        run = setup.started()
        if at != "start":
            success, message, _, raised = run.advance(float(at), 0.0)
            if raised is not None:
                raise raised
            if not success:
                raise IntegrationError(message)
        n = len(setup.instance.coordinates)
        found = run.linearise(sizes, wanted.variant)
        return Linearisation(**found, **names, t=run.t, q=run.y[:n], message=f"at t = {run.t:g} of the motion")


@dataclass(frozen=True)
class Monodromy:
    """How a periodic motion that is changed at its start has changed after a period: what :func:`monodromy` found.

    Attributes
    ----------
    matrix : ndarray, shape (N + W, N + W)
        ``[y; w]`` at the end by ``[y; w]`` at the start, minimal coordinates as those of :class:`Linearisation`.
    multipliers : ndarray of complex, shape (N + W,)
        Its eigenvalues, the Floquet multipliers, by their modulus, the largest first.
    positions : ndarray, shape (n, N)
    momenta : ndarray, shape (n, W)
    period : float
    steps : int
    gap : float
        From the start to the end of the motion, in parts of its largest distance from the start.
    remainder : float
        By which the derivatives of a step by four points are off those by six at most: what six leave is far smaller, unless it
        is rounding.
    """

    matrix: np.ndarray
    multipliers: np.ndarray
    positions: np.ndarray
    momenta: np.ndarray
    period: float
    steps: int
    gap: float
    remainder: float


def monodromy(
    model: Any,
    period: float,
    q0: Any = None,
    v0: Any = None,
    *,
    scheme: str | None = None,
    step: float | None = None,
    rtol: float | None = None,
    solver: str | None = None,
    options: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    project_start: bool = False,
) -> Monodromy:
    """The monodromy matrix and the Floquet multipliers of a motion that comes back to its start after ``period``.

    They are those of the motion as it is stepped: the derivative of all its steps.

    Parameters
    ----------
    model : Model, Mechanism or str
    period : float
    q0, v0 : array_like, optional
        The start; that of the model if left out. It is moved onto the constraints.
    scheme, solver, options, parameters, project_start
        As in :func:`gnomon.solve`; with a tolerance the scheme is ``"line-integral-ggl"`` where none is named.
    step : float, optional
        Steps of ``period/N``, N the whole number next to ``period/step``.
    rtol : float, optional
        Steps of a tolerance; 1e-10 where neither is given. It is that of the motion, and for its derivatives no step is longer
        than ``period/128``.

    Raises
    ------
    RefusedError
        The motion does not come back, by a thousandth of its largest distance from the start; friction, obstacles and
        overdetermined DAEs.
    IntegrationError
        A step failed, or has no derivative.

    Examples
    --------
    >>> m = gn.Model("x", 1, "x^2/2", force={"x": "-0.2*der(x)"})
    >>> abs(gn.monodromy(m, 2*np.pi).multipliers)
    array([0.53348808, 0.53348808])
    """
    try:
        period = float(period)
    except (TypeError, ValueError):
        raise BadValueError(f"period = {period!r} is no number") from None
    if not 0 < period < np.inf:
        raise BadValueError(f"period = {period!r} is not a finite number above zero")
    if step is None and rtol is None:
        rtol = _TOLERANCE
    if step is None and scheme is None:
        scheme = "line-integral-ggl"
    setup = _setup(
        model, q0, v0, parameters, project_start, rtol=rtol, step=step, scheme=scheme, solver=solver, options=options,
        max_step=None if step is not None else period / 128,
    )
    if setup.is_reference:
        raise BadValueError(f"a monodromy matrix is that of the steps of a scheme, and {setup.scheme} is a reference")
    with functions_raise(setup.instance):
        found = setup.started().monodromy(period, setup.step or 0.0)
    stopped = found.pop("stopped")
    if stopped:
        raise IntegrationError(stopped)
    return Monodromy(**found)


_TOLERANCE = 1e-10


def _setup(model: Any, q0: Any, v0: Any, parameters: Any, project_start: bool, **given: Any) -> Setup:
    """With the rest of the arguments of a run left out."""
    left_out = dict(scheme=None, step=None, atol=None, solver=None, algebra=None, options=None, contact=None)
    more = dict(first_step=None, max_step=None, parameters=parameters, project_start=project_start)
    return Setup(model, 0.0, q0, v0, **{**left_out, **more, **given})


def _inputs(setup: Setup, names: Sequence[str] | None) -> tuple[Request, list[tuple[str, float]] | None]:
    """Parameters that are inputs, and their sizes; None where B, C and D are not wanted."""
    request = Request(setup, [] if names is None else names, "inputs", "input", "['force', 'torque']", False)
    return request, None if names is None else [(name, size) for name, size, *_ in request.parameters]
