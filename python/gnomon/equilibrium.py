"""Where a model rests: proved minima of its potential."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import functions_raise
from .model import model_of


@dataclass(frozen=True)
class Equilibrium:
    """Where the search of :func:`equilibrium` ended.

    Attributes
    ----------
    q : ndarray of shape (n,)
    multipliers : ndarray of shape (m + obstacles,)
        Those of the constraints, then of the obstacles: the force of obstacle i is ``+multipliers[m+i] grad c_i``, zero
        where it is open.
    closed_obstacles : list of int
        Obstacles that push.
    proved : bool
        Whether the second derivatives prove a strict minimum; also the truth value of this object.
    message : str
        What is there: the proof, or why there is none (a potential that falls without bound, neutral directions,
        "stationary, not decided").
    iterations : int
    """

    q: np.ndarray
    multipliers: np.ndarray
    closed_obstacles: list[int]
    proved: bool
    message: str
    iterations: int

    def __bool__(self) -> bool:
        return self.proved


def equilibrium(model: Any, q0: Any = None, parameters: Mapping[str, Any] | None = None) -> Equilibrium:
    """A minimum of the potential under constraints and obstacles, by descent from the start, and its proof.

    Parameters
    ----------
    model : Model, Mechanism or str
    q0 : array_like, optional
        Where the search starts; that of the model if left out. It is moved onto the constraints.
    parameters : dict, optional

    Returns
    -------
    Equilibrium
        True where a minimum is proved; else its ``message`` says why not.

    Raises
    ------
    RefusedError
        For forces outside the potential and friction outside of contacts, and for overdetermined DAEs.
    """
    from .solve import _vector

    start = _vector(q0, "q0")
    instance = model_of(model)._build(parameters, start, None)
    instance.set_start(instance.t0, start, None)
    with functions_raise(instance):
        return Equilibrium(**instance.equilibrium())
