"""Steps one by one."""

from __future__ import annotations

import operator
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from .errors import BadValueError, IntegrationError, RefusedError, functions_raise
from .model import Model, of_entries
from .solve import Setup, _positive


@dataclass(frozen=True)
class Checkpoint:
    """A state of an integrator."""

    state: _core.State
    run: _core.Run

    @property
    def t(self) -> float:
        """Its time."""
        return self.state.t


class _Earlier:
    """What the runs before the parameters were set have to say."""

    def __init__(self):
        self.counters: dict[str, Any] = {}
        self.broken_promises: list[str] = []
        self.contact_events: list[dict[str, Any]] = []

    def stats(self, now: dict[str, Any]) -> dict[str, Any]:
        """Counts and work added up, errors and the largest step the largest, the smallest step the smallest."""
        together = dict(now)
        for name, before in self.counters.items():
            join = min if name == "smallest_step" else max if "error" in name or name == "largest_step" else operator.add
            together[name] = join(before, now[name]) if name in now else before
        return together

    def add(self, run: Integrator) -> None:
        self.counters, self.broken_promises, self.contact_events = run.stats, run.broken_promises, run.contact_events


class Integrator:
    """A run that is advanced step by step, and can go back to a checkpoint.

    It has started when it is made. One integrator serves one thread at a time.

    Parameters
    ----------
    model, q0, v0, scheme, step, rtol, atol, solver, algebra, options, parameters, project_start, contact, first_step, max_step
        As in :func:`gnomon.solve`; ``scheme`` is no reference.
    t0 : float
        Time of the start.

    Examples
    --------
    >>> run = gn.Integrator("planar-pendulum", step=0.01)
    >>> before = run.checkpoint()
    >>> run.step()
    >>> run.advance(1.0)
    >>> run.restore(before)
    """

    def __init__(
        self,
        model: Any,
        q0: Any = None,
        v0: Any = None,
        *,
        t0: float = 0.0,
        scheme: str | None = None,
        step: float | None = None,
        rtol: float | None = None,
        atol: float | None = None,
        solver: str | None = None,
        algebra: str | None = None,
        options: Mapping[str, Any] | None = None,
        parameters: Mapping[str, Any] | None = None,
        project_start: bool = False,
        contact: Mapping[str, Any] | None = None,
        first_step: float | None = None,
        max_step: float | None = None,
    ):
        given = dict(scheme=scheme, step=step, rtol=rtol, atol=atol, solver=solver, algebra=algebra, options=options)
        given.update(parameters=parameters, project_start=project_start, contact=contact)
        given.update(first_step=first_step, max_step=max_step)
        self._setup = Setup(model, float(t0), q0, v0, **given)
        if self._setup.is_reference:
            raise RefusedError(f"{self._setup.scheme} is a reference and no scheme: gnomon.solve runs it")
        self._given = given
        self._earlier = _Earlier()
        self._n = len(self._setup.instance.coordinates)
        with functions_raise(self._setup.instance):
            self._run = self._setup.started()

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_"):
            raise BadValueError(f"{name} of an integrator is not set from outside: see set_parameters and restore")
        super().__setattr__(name, value)

    @property
    def model(self) -> Model:
        """The model, with the parameters that hold now."""
        return self._setup.model_of_run

    @property
    def t(self) -> float:
        """Time."""
        return self._run.t

    @property
    def y(self) -> np.ndarray:
        """q and v."""
        return self._run.y

    @property
    def q(self) -> np.ndarray:
        """Positions."""
        return self._run.y[: self._n]

    @property
    def v(self) -> np.ndarray:
        """Velocities."""
        return self._run.y[self._n :]

    @property
    def p(self) -> np.ndarray:
        """Momenta."""
        return self._run.p

    @property
    def lam(self) -> np.ndarray:
        """Multipliers that belong to the state by itself."""
        return self._run.lam

    @property
    def energy_error(self) -> float:
        """H less what it should be, since the start or since the parameters were last set."""
        return self._run.energy_error

    @property
    def stats(self) -> dict[str, Any]:
        """Counts and largest errors since the start."""
        return self._earlier.stats(self._run.counters)

    @property
    def promises(self) -> dict[str, Any]:
        """What the scheme promises for this model."""
        return self._run.promises

    @property
    def broken_promises(self) -> list[str]:
        """Those that were seen broken."""
        return self._earlier.broken_promises + self._run.broken_promises

    @property
    def contact_events(self) -> list[dict[str, Any]]:
        """What happened at obstacles."""
        return self._earlier.contact_events + self._run.events

    def step(self, h: float | None = None) -> None:
        """One step of size `h`, which may be negative; of the integrator's step if left out.

        Raises
        ------
        IntegrationError
            The step failed; the state is as before.
        """
        size = self._setup.step if h is None else float(h)
        if size is None:
            raise BadValueError("this integrator has a tolerance and no step: give h, or call step_to(t)")
        self._take(self._run.step(size))

    def step_to(self, t: float) -> None:
        """One step of the tolerance towards `t`, not beyond. Raises as :meth:`step`."""
        if self._setup.rtol is None:
            raise BadValueError("this integrator has no rtol: call step() or advance(t)")
        self._take(self._run.step_to(float(t)))

    def advance(self, t: float, step: float | None = None) -> None:
        """Steps until `t`, where one ends. Raises as :meth:`step`, at the last good state."""
        size = _positive(step, "step") or self._setup.step or 0.0
        self._take(self._run.advance(float(t), size))

    def set_parameters(self, parameters: Mapping[str, Any] | None = None, /, **values: Any) -> None:
        """Go on from the present positions, velocities and angles with other parameters of the model.

        The energy is that of the new model from here on: what the change makes of it is no error. ``stats``,
        ``broken_promises`` and ``contact_events`` go on; checkpoints of before belong to the model of before.

        Raises
        ------
        UnknownNameError, ModelError
            The model has no such parameter, or it may not have this value.
        InconsistentStartError
            The present state does not satisfy the constraints of the new model: ``project_start=True`` of the
            constructor moves it there.

        The integrator is as before then.

        Examples
        --------
        >>> run = gn.Integrator(gn.Model("x", "m", "k*x^2/2", parameters=dict(m=1, k=1)), [1], step=0.01)
        >>> run.advance(1.0)
        >>> run.set_parameters(k=4.0)
        >>> run.advance(2.0)
        """
        changed = of_entries({**(parameters or {}), **values})
        given = {**self._given, "parameters": {**self._setup.parameters, **changed}}
        setup = Setup(self._setup.model, self.t, self.q, self.v, **given)
        with functions_raise(setup.instance):
            run = setup.started(self._run.turns)
        self._earlier.add(self)
        self._setup, self._run = setup, run

    def checkpoint(self) -> Checkpoint:
        """The state as a value, for :meth:`restore` of this integrator."""
        return Checkpoint(self._run.checkpoint(), self._run)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Back to a state that this integrator has had with the present parameters. Raises BadValueError for others."""
        if checkpoint.run is not self._run:
            raise BadValueError("the checkpoint is of other parameters: those of a checkpoint must be the present ones")
        self._run.restore(checkpoint.state)

    def save(self, file: str | os.PathLike) -> None:
        """Write everything that going on bit by bit needs; see also `gnomon run --checkpoint`."""
        self._run.save(os.fspath(file))

    def load(self, file: str | os.PathLike) -> None:
        """Go on from a file that an integrator of the same model, scheme, solver and options has saved."""
        self._run.load(os.fspath(file))

    def _take(self, report: tuple) -> None:
        success, message, _, raised = report
        if raised is not None:
            raise raised
        if self._setup.instance.raised is not None:
            raise self._setup.instance.raised
        if not success:
            raise IntegrationError(message)

    def __getstate__(self) -> None:
        raise TypeError("a gnomon.Integrator is not pickled: save(path) writes its state, load(path) of another one reads it")

    def __repr__(self) -> str:
        return f"<gnomon.Integrator {self.model.name!r}, {self._setup.scheme}, t = {self.t:g}>"
