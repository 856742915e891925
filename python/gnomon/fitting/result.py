"""What a fit has found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..model import Model

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas


@dataclass(frozen=True)
class FittedRecord:
    """A measured motion beside the fitted one.

    Attributes
    ----------
    name : str
    t : ndarray, shape (N,)
    measured, fitted, residuals : dict of str to ndarray, shape (N,)
        By column, in its unit; NaN where nothing was measured. ``residuals`` are measured less fitted.
    t0 : float
    q0, v0 : ndarray, shape (n,)
        The start of the fitted motion.
    growth : float
        By how much a change of the start grows over the record.
    """

    name: str
    t: np.ndarray
    measured: dict[str, np.ndarray]
    fitted: dict[str, np.ndarray]
    t0: float
    q0: np.ndarray
    v0: np.ndarray
    growth: float

    @property
    def residuals(self) -> dict[str, np.ndarray]:
        """What was measured less what was fitted."""
        return {name: self.measured[name] - self.fitted[name] for name in self.measured}


class FitResult(Mapping):
    """What :func:`gnomon.fit` found: a mapping from the names of what was sought to values.

    Attributes
    ----------
    errors : dict of str to float
        Standard errors by name; NaN where the data do not determine the number or it ended at a bound.
    intervals : dict of str to (float, float)
        Of 95 %.
    states : dict of str to str
        ``"determined"``, ``"not determined"``, ``"at minimum"`` or ``"at maximum"``.
    names : list of str
    covariance, correlation : ndarray, shape (parameters, parameters)
    singular_values : ndarray
        Of the derivatives of the residuals, columns scaled to length one.
    rms, sigma : dict of str to float
        By column, in its unit: of the residuals, and the standard deviation that was given or estimated.
    chi_squared : float
        Sum of the squared residuals in units of sigma.
    degrees_of_freedom : int
    records : list of FittedRecord
    success : bool
        The search ended at a least sum of squares.
    message : str
    warnings : list of str
        Sentences: what is not determined, what ended at a bound, a chaotic record, residuals larger than sigma.
    model : Model
        With the fitted parameters; the starts are in ``records``.
    """

    def __init__(self, found: _core.Fitted, model: Model, provenance: Mapping[str, Any]):
        self._found: _core.Fitted | str = found
        self.provenance = dict(provenance)
        parameters = found.parameters
        self.names = [one["name"] for one in parameters]
        self._values = {one["name"]: one["value"] for one in parameters}
        self.errors = {one["name"]: one["error"] for one in parameters}
        self.intervals = {one["name"]: (one["lower"], one["upper"]) for one in parameters}
        self.states = {one["name"]: one["state"] for one in parameters}
        self.units = {one["name"]: one["unit"] for one in parameters}
        self.covariance, self.correlation = found.covariance, found.correlation
        self.singular_values = found.singular_values
        columns = found.columns
        self._columns = columns
        self.rms = {one["column"]: one["rms"] for one in columns}
        self.sigma = {one["column"]: one["sigma"] for one in columns}
        self.chi_squared, self.degrees_of_freedom = found.chi_squared, found.values - found.determined
        self.success, self.message, self.warnings = found.converged, found.message, list(found.warnings)
        self.iterations, self.runs = found.iterations, found.runs + found.runs_with_derivatives
        self.records = [self._record(one) for one in found.records]
        own = model.parameters
        self.model = model.with_parameters(**{k: v for k, v in self._values.items() if k in own})

    def _record(self, one: Mapping[str, Any]) -> FittedRecord:
        def by_column(rows: np.ndarray) -> dict[str, np.ndarray]:
            return {column["column"]: rows[:, k] for k, column in enumerate(self._columns)}

        measured, fitted = by_column(one["measured"]), by_column(one["fitted"])
        times = np.asarray(one["times"])
        return FittedRecord(one["name"], times, measured, fitted, one["t0"], one["q0"], one["v0"], one["growth"])

    def __getitem__(self, name: str) -> float:
        try:
            return self._values[name]
        except KeyError:
            raise KeyError(f"{name!r} was not sought, known are {', '.join(self.names)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def to_dataframe(self) -> pandas.DataFrame:
        """A row a parameter: value, standard error, interval, state and unit."""
        import pandas

        rows = [
            dict(value=self[name], error=self.errors[name], lower=self.intervals[name][0], upper=self.intervals[name][1],
                 state=self.states[name], unit=self.units[name])
            for name in self.names
        ]
        return pandas.DataFrame(rows, index=pandas.Index(self.names, name="parameter"))

    def plot(self) -> matplotlib.figure.Figure:
        """Measured and fitted motions over time, and the residuals below them, by Matplotlib; a column of frames each."""
        import matplotlib.pyplot

        columns = [one for one in self._columns if one["count"] > 0]
        figure, axes = matplotlib.pyplot.subplots(
            2, len(columns), sharex=True, squeeze=False, figsize=(4.5 * len(columns) + 2, 6), layout="constrained"
        )
        for above, below, column in zip(axes[0], axes[1], columns):
            name, unit = column["column"], f" [{column['unit']}]" if column["unit"] else ""
            for k, record in enumerate(self.records):
                known = np.isfinite(record.measured[name])
                colour = f"C{k}"
                above.plot(record.t[known], record.measured[name][known], ".", color=colour, label=record.name)
                above.plot(record.t[known], record.fitted[name][known], "-", color=colour, linewidth=1)
                below.plot(record.t[known], record.residuals[name][known], ".", color=colour)
            above.set_ylabel(name + unit)
            below.set_ylabel(f"{name}, measured less fitted{unit}")
            below.set_xlabel("t")
            below.axhline(0, color="grey", linewidth=0.8)
            if len(self.records) > 1:
                above.legend()
        return figure

    def _page(self, title: str | None) -> str:
        """The page that gnomon.report writes; of a result that was pickled, as it was then."""
        if isinstance(self._found, str):
            return self._found
        facts = [(name, str(value)) for name, value in self.provenance.items() if value not in (None, {}, [])]
        return self._found.page(title or f"{self.model.name}, fitted", facts)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_found": self._page(None)}

    def __str__(self) -> str:
        width = max(map(len, self.names))
        lines = []
        for name in self.names:
            (lower, upper), unit = self.intervals[name], f" {self.units[name]}" if self.units[name] else ""
            known = self.states[name] == "determined"
            how = f"+- {self.errors[name]:.2g}{unit}, 95 %: {lower:.6g} to {upper:.6g}" if known else self.states[name]
            lines.append(f"{name:<{width}}  {self[name]:.8g} {how}")
        return "\n".join([*lines, *(f"warning: {text}" for text in self.warnings)])

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name}={self[name]:.6g}" for name in self.names)
        return f"<gnomon.FitResult: {numbers}>"
