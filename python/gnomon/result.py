"""What a run leaves behind."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from .arrays import numbers
from .errors import BadValueError, UnknownNameError
from .model import Model
from .derivatives.sensitivities import Sensitivity

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas
    import xarray


class DenseOutput:
    """The solution between the times of a run, as a callable.

    ``sol(t)`` is ``y`` at ``t``, of shape ``(n,)`` or, for several times, ``(n, len(t))``: the polynomial of degree 5 with
    the positions, velocities and accelerations of both ends of a step. Between steps it keeps energy and constraints as
    accurately as the scheme solves the equations, not to rounding; beyond the first and last time it extrapolates.
    """

    def __init__(self, model: Model, start: tuple, t: np.ndarray, y: np.ndarray, lam: np.ndarray):
        self._model, self._start = model, start
        self._t, self._y, self._lam = t, y, lam
        self.t_min, self.t_max = float(t[0]), float(t[-1])

    @cached_property
    def _instance(self) -> _core.Instance:
        return self._model._build(None, *self._start)

    def __call__(self, t: Any) -> np.ndarray:
        times = np.atleast_1d(numbers(t, "t", axes=(0, 1)))
        values = self._instance.interpolate(self._t, self._y, self._lam, times)
        return values[:, 0] if np.ndim(t) == 0 else values

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_instance"}


def _shown_once(figure: matplotlib.figure.Figure) -> matplotlib.figure.Figure:
    """A notebook shows the figures of pyplot at the end of a cell: the last line of it needs not show them again."""

    def display() -> None:
        import matplotlib.pyplot

        if not matplotlib.pyplot.fignum_exists(getattr(figure, "number", -1)):
            raise NotImplementedError

    figure._ipython_display_ = display
    return figure


def _set_legends(axes: Any) -> None:
    """Beside the curves."""
    for each in axes:
        if each.lines:
            each.legend(loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0, fontsize="small")


class Result:
    """A solution, with the attributes of :func:`scipy.integrate.solve_ivp` and more. Time is the last axis.

    Attributes
    ----------
    t : ndarray, shape (N,)
        Times.
    y : ndarray, shape (2n, N)
        ``q`` above ``v``. (Of an overdetermined DAE its ``y`` above ``z``.)
    success : bool
        Whether the end, or a terminal event, was reached.
    status : int
        0: the end was reached, 1: a terminal event, -1: a step failed, -2: interrupted.
    message : str
        In words; where a step failed, at which time and why.
    nfev, njev : int
        Evaluations of the equations of a step, and of their Jacobian.
    t_events, y_events : list of ndarray or None
        Times and states of the events.
    sol : DenseOutput or None
        With ``dense_output=True``.
    q, v : ndarray, shape (n, N)
        Positions and velocities: views of ``y``.
    p : ndarray, shape (n, N)
        Momenta.
    lam : ndarray, shape (m, N)
        The multipliers that belong to the states by themselves, by index reduction, whatever the scheme; of a model with
        obstacles those of the steps, one more an obstacle, and with Coulomb friction its tangential force.
    energy, kinetic, potential : ndarray, shape (N,)
        ``H = T + U``; NaN for a model without an energy.
    energy_error : ndarray, shape (N,)
        ``H`` less what it should be: ``H`` at the start plus the booked work. Measured by the run itself, in extended
        precision. Of a reference ``H - H(t0)``, NaN where something does work.
    g, gv : ndarray, shape (m, N)
        Constraints, and their derivatives along the motion ``G v + g_t``.
    momentum, integrals, outputs : dict of str to ndarray, shape (N,)
        Momentum maps, further integrals, and what the model asks for, by name.
    contact_events : list of dict
        Landings, impacts, launches and what else happened at obstacles: t, kind, contact, energy_change.
    sensitivities : dict of str to Sensitivity
        Derivatives of the motion by the names that were asked for: ``q``, ``v``, ``lam``, ``outputs`` of each.
    stats : dict
        Counts, largest errors, ``seconds``; of these ``function_seconds``, the share ``function_share``, were spent in
        ``function_calls`` calls of Python functions, none where the model is of formulas (functions that were read once
        are formulas).
    promises : dict
        What the scheme promises for this model: order, energy, position, ...; empty for a reference.
    broken_promises : list of str
        Those that the run saw broken.
    warnings : list of str
        What else one should know: a reference that is none, positions where constraints lose rank, constraints that
        repeat others, outputs above what the model holds for (the grip of a wheel) in a state of the result.
    provenance : dict
        Versions, scheme, options, parameters.
    model : Model
    """

    t: np.ndarray
    y: np.ndarray
    success: bool
    status: int
    message: str
    nfev: int
    njev: int
    t_events: list[np.ndarray] | None
    y_events: list[np.ndarray] | None
    sol: DenseOutput | None
    contact_events: list[dict[str, Any]]
    sensitivities: dict[str, Sensitivity]
    stats: dict[str, Any]
    promises: dict[str, Any]
    broken_promises: list[str]
    warnings: list[str]
    provenance: dict[str, Any]
    model: Model
    _parameters: dict[str, Any]
    _start: tuple[np.ndarray | None, np.ndarray | None]
    _lam: np.ndarray
    _turns: np.ndarray
    _energy_error: np.ndarray | None
    _conservative: bool
    _own_steps: bool

    def __init__(self, **values: Any):
        self.__dict__.update(values)

    # Made when they are asked for -------------------------------------------------------------------------------------

    @cached_property
    def _instance(self) -> _core.Instance:
        return self.model._build(self._parameters, *self._start)

    @property
    def _n(self) -> int:
        return len(self._instance.coordinates)

    @property
    def q(self) -> np.ndarray:
        return self.y[: self._n]

    @property
    def v(self) -> np.ndarray:
        return self.y[self._n :]

    @cached_property
    def p(self) -> np.ndarray:
        return self._instance.momenta(self.y)

    @cached_property
    def lam(self) -> np.ndarray:
        if self._instance.has_obstacles:
            return self._lam
        return self._instance.index1(self.t, self.y, self._lam)

    @cached_property
    def _measured(self) -> dict[str, np.ndarray]:
        return self._instance.measure(self.t, self.y, self._lam)

    @property
    def energy(self) -> np.ndarray:
        return self._measured["energy"]

    @property
    def kinetic(self) -> np.ndarray:
        return self._measured["kinetic"]

    @property
    def potential(self) -> np.ndarray:
        return self._measured["potential"]

    @cached_property
    def energy_error(self) -> np.ndarray:
        if self._energy_error is not None:
            return self._energy_error
        error = np.full_like(self.t, np.nan)
        return self.energy - self.energy[0] if self._conservative and len(self.t) else error

    @cached_property
    def g(self) -> np.ndarray:
        return self._instance.constraints(self.t, self.y, False)

    @cached_property
    def gv(self) -> np.ndarray:
        return self._instance.constraints(self.t, self.y, True)

    @property
    def momentum(self) -> dict[str, np.ndarray]:
        return dict(zip(self._instance.symmetries, self._measured["momentum"]))

    @property
    def integrals(self) -> dict[str, np.ndarray]:
        return dict(zip(self._instance.integrals, self._measured["integrals"]))

    @cached_property
    def outputs(self) -> dict[str, np.ndarray]:
        names = [name for name, _ in self._instance.output_names]
        return dict(zip(names, self._instance.outputs(self.t, self.y, self._lam, self._turns))) if names else {}

    # For people -------------------------------------------------------------------------------------------------------

    def _columns(self) -> dict[str, np.ndarray]:
        """Coordinates, velocities, multipliers, energy, its error and the outputs by name."""
        names = self._instance.coordinates
        columns = dict(zip(names, self.q))
        columns.update(zip((f"der({name})" for name in names), self.v))
        columns.update(zip((f"lambda.{name}" for name in self._instance.multipliers), self.lam))
        columns["energy"] = self.energy
        columns["energy_error"] = self.energy_error
        columns.update(self.outputs)
        for by, one in self.sensitivities.items():
            rows = dict(zip(names, one.q))
            rows.update(zip((f"der({name})" for name in names), one.v))
            rows.update(zip((f"lambda.{name}" for name in self._instance.multipliers), one.lam))
            rows.update(one.outputs)
            columns.update((f"d({name})/d({by})", values) for name, values in rows.items())
        return columns

    def to_dataframe(self) -> pandas.DataFrame:
        """A table with time as the index: coordinates, velocities ``der(x)``, multipliers ``lambda.rod``, energy,
        energy_error and the outputs by name."""
        import pandas

        return pandas.DataFrame(self._columns(), index=pandas.Index(self.t, name="t"))

    def to_xarray(self) -> xarray.Dataset:
        """The same as a dataset of xarray along ``t``, the outputs with their units as ``attrs["units"]``."""
        import xarray

        units = dict(self._instance.output_names)
        variables = {
            name: ("t", values, dict(units=units[name]) if units.get(name) else {})
            for name, values in self._columns().items()
        }
        return xarray.Dataset(variables, coords={"t": self.t})

    def plot(self, *names: str, axes: Any = None) -> matplotlib.figure.Figure:
        """Coordinates, energy error and constraint errors over time, or quantities by name, by Matplotlib.

        Parameters
        ----------
        *names : str
            Of columns of :meth:`to_dataframe`, e.g. ``"crank.x", "lambda.rod", "energy"``; those of one unit in one frame.
        axes : sequence of Axes, optional
            Where to draw, e.g. those of another result; three without names.

        Returns
        -------
        Figure
        """
        import matplotlib.pyplot

        if len(names) == 1 and not isinstance(names[0], str):
            if all(isinstance(one, str) for one in names[0]):
                names = tuple(names[0])
            else:
                names, axes = (), names[0]
        if axes is not None and not np.iterable(axes):
            axes = [axes]
        if names:
            return self._plot_by_name(names, axes)
        scheme = self.provenance["scheme"]
        first = axes is None
        if first:
            figure, axes = matplotlib.pyplot.subplots(3, 1, sharex=True, figsize=(7, 8), layout="constrained")
            figure.suptitle(self.model.name)
        if len(axes) != 3:
            raise BadValueError(f"plot: {len(axes)} axes are given, expected 3: of motion, energy and constraints")
        motion, energy, levels = axes
        most = 8  # curves that a legend can name
        for name, values in list(zip(self._instance.coordinates, self.q))[:most]:
            motion.plot(self.t, values, "-" if first else "--", label=name if first else f"{name}, {scheme}")
        motion.set_ylabel("coordinates" if self._n <= most else f"coordinates, the first {most} of {self._n}")

        def sizes(values: np.ndarray) -> np.ndarray:
            """Of the largest row; zero has no logarithm."""
            largest = np.max(np.abs(np.atleast_2d(values)), axis=0)
            return np.where(largest > 0, largest, np.nan)

        scale = max(float(np.max(np.abs(one), initial=0)) for one in (self.kinetic, self.potential)) or 1.0
        energy.semilogy(self.t, sizes(self.energy_error) / scale, label=scheme)
        energy.set_ylabel("|energy error| / max(T, |U|)")
        if self.g.shape[0]:
            levels.semilogy(self.t, sizes(self.g), label=f"|g|, {scheme}")
            levels.semilogy(self.t, sizes(self.gv), label=f"|G v|, {scheme}")
        levels.set_ylabel("constraints")
        levels.set_xlabel("t")
        _set_legends(axes)
        return _shown_once(motion.figure)

    def _plot_by_name(self, names: Sequence[str], axes: Any) -> matplotlib.figure.Figure:
        import matplotlib.pyplot

        columns, units = self._columns(), dict(self._instance.output_names)
        for name in names:
            if name not in columns:
                near = difflib.get_close_matches(name, columns, 1)
                ours = f'did you mean "{near[0]}"?' if near else f"known: {', '.join(columns)}"
                raise UnknownNameError(f'plot: the result has no "{name}"; {ours}')
        frames = list(dict.fromkeys(units.get(name, "") for name in names))
        if axes is None:
            figure, made = matplotlib.pyplot.subplots(
                len(frames), 1, sharex=True, squeeze=False, figsize=(7, 1 + 2.5 * len(frames)), layout="constrained"
            )
            figure.suptitle(self.model.name)
            axes = made[:, 0]
        if len(axes) != len(frames):
            raise BadValueError(f"plot: {len(axes)} axes are given, expected {len(frames)}, one for each unit")
        for name in names:
            axes[frames.index(units.get(name, ""))].plot(self.t, columns[name], label=name)
        for each, unit in zip(axes, frames):
            each.set_ylabel(f"[{unit}]" if unit else "")
        axes[-1].set_xlabel("t")
        _set_legends(axes)
        return _shown_once(axes[0].figure)

    def _repr_html_(self) -> str:
        """What notebooks show: the page of :func:`gnomon.report`, with the mechanism in motion."""
        from .report import page_of

        return f'<iframe srcdoc="{escape(page_of([self]))}" style="width: 100%; height: 960px; border: 0"></iframe>'

    def __repr__(self) -> str:
        rows = [
            f"{self.model.name}, {self.provenance['scheme']}: {self.message}",
            f"  t        {len(self.t)} times" + (f", {self.t[0]:g} .. {self.t[-1]:g}" if len(self.t) else ""),
            f"  y        {self.y.shape[0]} rows: {', '.join(self._instance.coordinates[:6])}"
            + (", .." if self._n > 6 else "")
            + " and velocities",
        ]
        if "max_energy_error" in self.stats:
            rows.append(f"  energy   max error {self.stats['max_energy_error']:.3g}")
        if self._instance.m and "max_position_error" in self.stats:
            rows.append(
                f"  levels   max |g| {self.stats['max_position_error']:.3g}, "
                f"max |G v| {self.stats['max_velocity_error']:.3g}"
            )
        share = f", {self.stats['function_share']:.0%} of it in Python functions" if self._instance.of_functions else ""
        rows.append(f"  effort   {self.stats['steps']} steps, {self.stats['seconds']:.3g} s{share}")
        rows += [f"  BROKEN   promise {text}" for text in self.broken_promises]
        rows += [f"  WARNING  {text}" for text in self.warnings]
        return "\n".join(rows)

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_instance"}
