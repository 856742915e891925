"""The motion beside an equilibrium or a state, to first order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import BadValueError, IntegrationError, functions_raise
from .solve import Setup


@dataclass(frozen=True)
class Linearisation:
    """The linear motion that :func:`linearise` found, ``d/dt [y; w] = matrix @ [y; w]``, with ``dq = positions @ y``.

    ``y`` are minimal coordinates, ``positions`` spans the null space of G with ``positions.T @ M @ positions = 1``; ``w`` are
    velocities, ``dp = momenta @ w`` (at rest; beside a motion ``dp`` follows from ``y``, too).

    Attributes
    ----------
    matrix : ndarray, shape (N + W, N + W)
    positions : ndarray, shape (n, N)
    momenta : ndarray, shape (n, W)
    s : ndarray of complex, shape (modes,)
        Motions ``exp(s t)``, by ``|s|``; of a pair of conjugates the one with ``imag >= 0``.
    shapes : ndarray of complex, shape (n, modes)
        ``dq`` of each, a column a mode, its largest entry real.
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
    t: float
    q: np.ndarray
    message: str

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
    rtol : float
        Of the run to the time.
    parameters : dict, optional
    project_start : bool
        As in :func:`gnomon.solve`.

    Raises
    ------
    RefusedError
        For friction and for overdetermined DAEs.
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
    given = dict(scheme=None, step=None, rtol=rtol, atol=None, solver=None, algebra=None, options=None, contact=None)
    setup = Setup(
        model, 0.0, q0, v0, parameters=parameters, project_start=project_start, first_step=None, max_step=None, **given
    )
    with functions_raise(setup.instance):
        if at == "equilibrium":
            found, q, message = setup.instance.linearise_equilibrium()
            if found is None:
                raise IntegrationError(message)
            return Linearisation(**found, t=setup.instance.t0, q=q, message=message)
        run = setup.started()
        if at != "start":
            success, message, _, raised = run.advance(float(at), 0.0)
            if raised is not None:
                raise raised
            if not success:
                raise IntegrationError(message)
        n = len(setup.instance.coordinates)
        return Linearisation(**run.linearise(), t=run.t, q=run.y[:n], message=f"at t = {run.t:g} of the motion")
