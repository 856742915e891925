"""Derivatives of a motion by parameters of its model and entries of its start."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import _core
from ..errors import BadValueError, RefusedError, UnknownNameError
from ..model import assignments


class Sensitivity:
    """How a motion changes with one parameter, in the units of the quantity and of the parameter. Time is the last axis.

    Attributes
    ----------
    q, v : ndarray, shape (n, N)
        Derivatives of positions and velocities.
    y : ndarray, shape (2n, N)
        ``q`` above ``v``.
    lam : ndarray, shape (m, N)
        Of the multipliers that belong to the states.
    outputs : dict of str to ndarray, shape (N,)
        Of what the model asks for.
    """

    def __init__(self, rows: np.ndarray, n: int, m: int, outputs: Sequence[str]):
        self.y, self.q, self.v, self.lam = rows[: 2 * n], rows[:n], rows[n : 2 * n], rows[2 * n : 2 * n + m]
        self.outputs: dict[str, np.ndarray] = dict(zip(outputs, rows[2 * n + m :]))

    def __repr__(self) -> str:
        return f"<gnomon.Sensitivity of {self.q.shape[0]} coordinates at {self.q.shape[1]} times>"


class Request:
    """Numbers of a model and its start by name, and the instances of a run with one of them changed."""

    def __init__(self, setup: Any, names: Sequence[str], argument: str, kind: str, example: str, starts: bool):
        """`setup`: the Setup of the run. `kind`: of one of them, for sentences. `starts`: whether entries of it are taken."""
        if isinstance(names, str) or not all(isinstance(name, str) for name in names):
            raise BadValueError(f"{argument} = {names!r} is no list of names: write {example}")
        self.names, self._kind = list(names), kind
        self._setup = setup
        self._coordinates = setup.instance.coordinates
        self._start = setup.instance.start
        self._given = {**setup.model._given, **setup.parameters}
        known: dict[str, Any] = dict(setup.model._source.parameters())
        self._entries = {}
        self._of_functions: list[_core.Instance] = []
        self._together: _core.ChangedParameters | None = None
        if starts:
            for k, name in enumerate([*self._coordinates, *(f"der({name})" for name in self._coordinates)]):
                self._entries[f"start.{name}"] = k
        self.values: list[float] = []
        self.parameters: list[tuple[str, float, bool, float, float]] = []
        for name in self.names:
            if self.names.count(name) > 1:
                raise BadValueError(f"{kind} {name} is asked for twice")
            self._add(name, known)

    def _add(self, name: str, known: Mapping[str, Any]) -> None:
        if name in self._entries:
            n = len(self._coordinates)
            entry = self._entries[name]
            half = self._start[:n] if entry < n else self._start[n:]
            value = float(self._start[entry])
            size = float(np.max(np.abs(half))) or 1.0
        elif name not in known:
            every = [*known, *self._entries]
            near = difflib.get_close_matches(name, every, 1)
            ours = f'did you mean "{near[0]}"?' if near else f"known: {', '.join(every) or 'none'}"
            raise UnknownNameError(f'{self._setup.model.name} has nothing called "{name}", the {self._kind}; {ours}')
        elif not isinstance(known[name], float):
            what = "a parameter that is no real number: a motion has no derivative by it"
            raise BadValueError(f"{self._kind} {name} is {what}")
        else:
            value = self._setup.model._source.value(assignments(self._given), name)
            size = abs(value) or 1.0
        acts = (-math.inf, math.inf) if name in self._entries else self._setup.model._source.acts(name)
        self.values.append(value)
        self.parameters.append((name, size, name not in self._entries, *acts))

    def variant(self, which: int, change: float) -> _core.Instance:
        """The instance of the run with one number changed."""
        changes = np.zeros(len(self.names))
        changes[which] = change
        return self.variant_together(changes)

    def variant_together(self, changes: np.ndarray) -> _core.Instance:
        """The instance of the run with these changes of all the numbers."""
        setup = self._setup
        by = dict(zip(self.names, changes.tolist()))
        places = [name for name in self.names if name not in self._entries]
        changed = {}
        if any(by[name] != 0 for name in places):
            if self._together is None:
                self._together = _core.ChangedParameters(setup.model._source, assignments(self._given), places)
            others = dict(self._together(np.array([by[name] for name in places])))
            changed = {name: float(others[name]) for name in places if by[name] != 0}
        instance = setup.model._build({**setup.parameters, **changed}, *setup.start, beyond_bounds=True)
        instance.set_start(setup.instance.t0, *setup.start)
        if any(by[name] != 0 for name in self._entries.keys() & by.keys()):
            moved = instance.start.copy()
            for name, entry in self._entries.items():
                moved[entry] += by.get(name, 0)
            n = len(self._coordinates)
            instance.set_start(setup.instance.t0, moved[:n], moved[n:])
        if instance.of_functions:
            self._of_functions.append(instance)
        return instance

    @property
    def raised(self) -> BaseException | None:
        """What a Python function of the model raised, in the run or beside it."""
        instances = [self._setup.instance, *self._of_functions]
        return next((one.raised for one in instances if one.raised is not None), None)


def sensitivities_of(request: Request | None, record: Mapping[str, Any], instance: _core.Instance) -> dict[str, Sensitivity]:
    """By name, of the states of a result."""
    if request is None:
        return {}
    rows = record["output_by"] if "output_by" in record else record["steps_by"]
    outputs = [name for name, _ in instance.output_names]
    size = rows.shape[0] // max(len(request.names), 1)
    n, m = len(instance.coordinates), instance.m
    return {
        name: Sensitivity(rows[k * size : (k + 1) * size], n, m, outputs) for k, name in enumerate(request.names)
    }


def request_of(setup: Any, names: Sequence[str] | None) -> Request | None:
    """None where no derivatives are wanted."""
    if names is None or (not isinstance(names, str) and len(names) == 0):
        return None
    if setup.is_reference:
        raise RefusedError(f"sensitivities are those of the steps of a scheme, and {setup.scheme} is a reference")
    return Request(setup, names, "sensitivities", "sensitivity", "['k', 'start.x']", True)
