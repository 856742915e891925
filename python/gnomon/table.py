"""Trajectories in files: what ``gnomon run --output`` writes."""

from __future__ import annotations

import csv
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import BadValueError, FileError
from .own_process import in_own_process

if TYPE_CHECKING:
    import pandas


class Table(Mapping):
    """A trajectory that was read from a file: a mapping from the names of its columns to arrays, one entry a row.

    Attributes
    ----------
    columns : list of str
        ``t``, coordinates ``bob1.x``, velocities ``der(bob1.x)``, momenta ``p(bob1.x)``, multipliers ``lambda.rod1``,
        ``energy``, ``energy_error``, ``position_max``, ``velocity_max``, errors of invariants, outputs.
    units : dict of str
        By column, where they are known.
    kinds : dict of str
        By column: time, position, velocity, momentum, multiplier, energy, energy_error, constraint, invariant, output,
        other. Empty for a ``.csv``, which has none.
    provenance : dict
        Problem, scheme, solver, step and what else made the table. Empty for a ``.csv``.
    """

    def __init__(self, names: list[str], values: list[np.ndarray], units: dict, kinds: dict, provenance: Any):
        self.columns, self._values = names, dict(zip(names, values))
        self.units, self.kinds, self.provenance = units, kinds, provenance if provenance is not None else {}

    @property
    def t(self) -> np.ndarray:
        """The times, of shape (rows,)."""
        return self["t"]

    def __getitem__(self, name: str) -> np.ndarray:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def to_dataframe(self) -> pandas.DataFrame:
        """A table with time as the index, the other columns by name; units and provenance are in its ``attrs``."""
        import pandas

        columns = {name: self._values[name] for name in self.columns if name != "t"}
        index = pandas.Index(self._values["t"], name="t") if "t" in self._values else None
        frame = pandas.DataFrame(columns, index=index)
        frame.attrs.update(units=dict(self.units), provenance=self.provenance)
        return frame

    def __repr__(self) -> str:
        rows = len(next(iter(self._values.values()), ()))
        return f"<gnomon.Table: {rows} rows of {', '.join(self.columns[:6])}{', ...' if len(self.columns) > 6 else ''}>"


def read(path: str | os.PathLike) -> Table:
    """Reads a trajectory that ``gnomon run --output`` wrote.

    Parameters
    ----------
    path : path
        Ends in ``.h5`` (for which the package h5py is needed), ``.csv`` or ``.jsonl``.

    Returns
    -------
    Table

    Raises
    ------
    FileError
        Where it cannot be read, with the line in text files, and where a ``.h5`` has other numbers than were written.
    BadValueError
        Where its name ends otherwise.
    ImportError
        For a ``.h5`` without h5py.
    """
    name = os.fspath(path)
    readers = {".h5": _read_hdf5, ".csv": _read_csv, ".jsonl": _read_json_lines}
    end = os.path.splitext(name)[1]
    if end not in readers:
        raise BadValueError(f'table "{name}" ends in none of .csv, .h5 and .jsonl')
    if os.path.isdir(name):
        raise FileError(f'table "{name}" cannot be read: it is a folder')
    try:
        return readers[end](name)
    except FileError:
        raise
    except OSError as error:
        raise FileError(f'table "{name}" cannot be read: {error.strerror or error}') from error
    except UnicodeDecodeError as error:
        raise FileError(f'table "{name}" is no text: {error}') from error
    except DAMAGED as error:
        raise FileError(f'table "{name}" is damaged: {error}') from error


# What readers of CSV, JSON and HDF5, and the lines below, say of data of another form.
DAMAGED = (csv.Error, ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError)


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _read_hdf5(name: str) -> Table:
    try:
        import h5py
    except ImportError as error:
        raise ImportError(
            f'reading "{name}" needs the package h5py, which is not installed (pip install h5py, or python3-h5py)'
        ) from error
    return in_own_process(f'table "{name}"', lambda: _read_hdf5_here(h5py, name))


def _read_hdf5_here(h5py: Any, name: str) -> Table:
    many, best_compression = 1 << 20, 1100
    with h5py.File(name, "r") as file:
        data = [one for one in file.values() if isinstance(one, h5py.Dataset) and one.ndim == 1]
        data.sort(key=lambda one: one.attrs.get("index", len(data)))
        names = [_text(one.attrs.get("name", one.name[1:])) for one in data]
        units = {n: _text(one.attrs["unit"]) for n, one in zip(names, data) if _text(one.attrs.get("unit", ""))}
        kinds = {n: _text(one.attrs["kind"]) for n, one in zip(names, data) if "kind" in one.attrs}
        provenance = _text(file.attrs.get("provenance", ""))
        if not names:
            raise FileError(f'table "{name}" has no data sets of one dimension, which are its columns')
        if len({"checksum" in one.attrs for one in (file, *data)}) > 1:
            raise FileError(f'table "{name}" is damaged: checksums are missing')
        _check(name, "its provenance and columns", file, _crc((provenance, *names)))
        values = []
        for n, one in zip(names, data):
            if one.size > many and one.size // best_compression > one.id.get_storage_size():
                raise FileError(f'table "{name}" is damaged: its {one.size} rows of "{n}" cannot lie in its bytes')
            values.append(one[:])
            head = _crc((n, units.get(n, ""), kinds.get(n, "")))
            _check(name, f'"{n}"', one, zlib.crc32(values[-1].tobytes(), head))
        return Table(names, values, units, kinds, json.loads(provenance or "{}"))


def _crc(texts: Iterable[str]) -> int:
    return zlib.crc32("".join(text + "\0" for text in texts).encode())


def _check(table: str, what: str, written: Any, checksum: int) -> None:
    if int(written.attrs.get("checksum", checksum)) != checksum:
        raise FileError(f'table "{table}" is damaged: the checksum of {what} is another one')


def _read_csv(name: str) -> Table:
    with open(name, newline="", encoding="utf-8") as file:
        reader = csv.reader(file)
        titles = next(reader, None)
        if not titles:
            raise FileError(f'table "{name}", line 1: the names of the columns are missing')
        rows = []
        for row in reader:
            if not row:
                continue
            if len(row) != len(titles):
                raise FileError(
                    f'table "{name}", line {reader.line_num}: has {len(row)} entries, '
                    f"expected {len(titles)}, one a column"
                )
            try:
                rows.append([float(entry) if entry.strip() else float("nan") for entry in row])
            except ValueError as error:
                raise FileError(f'table "{name}", line {reader.line_num}: {error}') from error
    names, units = [], {}
    for title in map(str.strip, titles):
        column, bracket, unit = title.rpartition(" [")
        known = bool(bracket and column and unit.endswith("]"))
        names.append(column if known else title)
        if known:
            units[column] = unit[:-1]
    values = np.array(rows, dtype=float).reshape(len(rows), len(names))
    return Table(names, list(values.T.copy()), units, {}, {})


def _read_json_lines(name: str) -> Table:
    with open(name, encoding="utf-8") as file:
        rows: list[list[float]] = []
        head = None
        for number, line in enumerate(file, 1):
            try:
                one = json.loads(line)
                if head is None:
                    head, names = one, [column["name"] for column in one["columns"]]
                else:
                    rows.append([float("nan") if one[n] is None else float(one[n]) for n in names])
            except (ValueError, KeyError, TypeError) as error:
                what = "row" if head is not None else 'head {"columns": [...], ...}'
                raise FileError(f'table "{name}", line {number}: is no {what}') from error
    if head is None:
        raise FileError(f'table "{name}", line 1: the head {{"columns": [...], ...}} is missing')
    units = {column["name"]: column["unit"] for column in head["columns"] if column.get("unit")}
    kinds = {column["name"]: column["kind"] for column in head["columns"] if "kind" in column}
    values = np.array(rows, dtype=float).reshape(len(rows), len(names))
    return Table(names, list(values.T.copy()), units, kinds, head.get("provenance"))
