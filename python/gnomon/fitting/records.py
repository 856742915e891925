"""Measured motions, as they come: tables, arrays, files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .. import _core
from ..arrays import numbers
from ..errors import BadValueError
from ..table import Table, read

_TIMES = ("t", "time")


class Columns:
    """One measured motion: times, columns by name with NaN for a gap, and their units where they are known."""

    def __init__(self, name: str, times: np.ndarray, values: dict[str, np.ndarray], units: Mapping[str, str]):
        self.name, self.times, self.values, self.units = name, times, values, dict(units)

    def record(self, t0: float | None) -> dict[str, Any]:
        """What the core takes."""
        names = list(self.values)
        rows = np.empty((self.times.size, len(names)), order="F")
        for k, name in enumerate(names):
            rows[:, k] = self.values[name]
        return dict(name=self.name, times=self.times.tolist(), columns=names, values=rows, start_time=t0)


def records_of(data: Any) -> list[Columns]:
    """One record, or several as a list or by name."""
    if isinstance(data, Mapping) and data and all(_is_record(one) for one in data.values()):
        return [_columns(str(name), one) for name, one in data.items()]
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        if len(data) == 0:
            raise BadValueError("data is empty, expected a measured motion or a list of them")
        return [_columns(_name(one) or f"record{k + 1}", one) for k, one in enumerate(data)]
    return [_columns(_name(data) or "record1", data)]


def _name(one: Any) -> str:
    return os.path.splitext(os.path.basename(os.fspath(one)))[0] if isinstance(one, (str, os.PathLike)) else ""


def _is_record(one: Any) -> bool:
    return isinstance(one, (Mapping, str, os.PathLike)) or hasattr(one, "columns")


def _columns(name: str, one: Any) -> Columns:
    if isinstance(one, (str, os.PathLike)):
        one = read(one)
    units: dict[str, str] = {}
    if isinstance(one, Table):
        units = one.units
    elif hasattr(one, "columns") and hasattr(one, "index"):  # a DataFrame; times may be its index
        units = dict(one.attrs.get("units", {}))
        known = [column for column in _TIMES if column in one.columns]
        table = {} if known else {"t": one.index.to_numpy()}
        one = {**table, **{str(column): one[column].to_numpy() for column in one.columns}}
    if not isinstance(one, Mapping):
        raise BadValueError(
            f"data of {name} is {type(one).__name__}, expected a mapping of columns with times t, a DataFrame or a file"
        )
    time = next((key for key in _TIMES if key in one), None)
    if time is None:
        return _of_pairs(name, one, units)
    factor = _core.unit_factor(units.get(time, ""), "s", f"column {time} of {name}")
    times = factor * numbers(one[time], f"{time} of {name}")
    values = {}
    for key in one:
        if key == time:
            continue
        values[key] = numbers(one[key], f"{key} of {name}")
        if values[key].size != times.size:
            raise BadValueError(f"{key} of {name} has {values[key].size} values, expected {times.size}, one a time")
    return Columns(name, times, values, units)


def _of_pairs(name: str, one: Mapping[str, Any], units: Mapping[str, str]) -> Columns:
    """Columns with times of their own, ``{"theta": (t, theta)}``: gaps at the times of others."""
    pairs = dict(_pairs(name, one))
    times = np.unique(np.concatenate([t for t, _ in pairs.values()])) if pairs else np.empty(0)
    values = {}
    for key, (t, y) in pairs.items():
        values[key] = np.full(times.size, np.nan)
        values[key][np.searchsorted(times, t)] = y
    return Columns(name, times, values, units)


def _pairs(name: str, one: Mapping[str, Any]) -> Iterator[tuple[str, tuple[np.ndarray, np.ndarray]]]:
    for key, pair in one.items():
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise BadValueError(
                f"data of {name} has the columns {', '.join(map(str, one))}, expected one of times, t or time, or pairs "
                "(times, values)"
            )
        t, y = numbers(pair[0], f"times of {key} of {name}"), numbers(pair[1], f"{key} of {name}")
        if t.size != y.size:
            raise BadValueError(f"{key} of {name} has {y.size} values, expected {t.size}, one a time")
        yield str(key), (t, y)
