"""Arrays of numbers as they are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .errors import BadValueError, GnomonError

_EXACT = 2**53  # whole numbers up to this size are numbers of 64 bits, in which everything is computed


def numbers(
        values: Any, name: str, axes: Sequence[int] | None = (1,), error: type[GnomonError] = BadValueError) -> np.ndarray:
    """A new array of the same numbers in 64 bits.

    Parameters
    ----------
    values : array_like
        Of numbers that are real and have the same value in 64 bits: another type is refused, and so are masked entries.
    name : str
        Of the argument, for the sentence of an error.
    axes : sequence of int, optional
        How many axes it may have; any number of them with None.
    error : type
        Of the error.
    """
    try:
        given = np.asanyarray(values)
    except ValueError:
        raise error(f"{name} = {values!r} is no array of numbers") from None
    if np.ma.is_masked(given):
        raise error(f"{name} has masked entries, expected a number in each")
    if given.dtype.kind not in "biufO":
        raise error(f"{name} = {values!r} is no array of numbers: it has the type {given.dtype}, expected real numbers")
    try:
        if given.dtype.kind == "O" and any(one is None or isinstance(one, (str, bytes)) for one in given.flat):
            raise TypeError
        with np.errstate(over="ignore"):
            result = np.array(given, dtype=float, order="C")
    except (TypeError, ValueError, OverflowError):
        raise error(f"{name} = {values!r} is no array of numbers") from None
    if axes is not None and result.ndim not in axes:
        expected = " or ".join("one number" if one == 0 else "one axis" if one == 1 else f"{one} axes" for one in axes)
        raise error(f"{name} has the shape {result.shape}, expected {expected}")
    _check_exact(np.asarray(given), result, name, error)
    return result


def _check_exact(given: np.ndarray, result: np.ndarray, name: str, error: type[GnomonError]) -> None:
    """Refuses the first number that 64 bits change: whole numbers and those of more bits, which come by themselves."""
    if given.dtype.kind in "b" or (given.dtype.kind == "f" and given.dtype.itemsize <= 8) or not result.size:
        return
    if given.dtype.kind in "iu" and max(abs(int(given.min())), abs(int(given.max()))) <= _EXACT:
        return
    for one, number in zip(given.flat, result.flat):
        value = int(one) if isinstance(one, np.integer) else one
        if value == value and value != (int(number) if isinstance(value, int) and np.isfinite(number) else number):
            raise error(f"{name} has the entry {one}, which is no number of 64 bits: float(..) is the nearest one")
