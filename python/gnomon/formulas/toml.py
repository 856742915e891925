"""The text of a model file from Python's values."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..arrays import numbers
from ..errors import ModelError


def coordinate_names(coordinates: str | Sequence[str]) -> list[str]:
    """Of ``"x y z"``, ``"x, y, z"`` or a list of them."""
    return coordinates.replace(",", " ").split() if isinstance(coordinates, str) else list(coordinates)


def value_text(value: Any, what: str) -> str:
    """One value: a formula, a number, a list or a table.

    Parameters
    ----------
    value : str, bool, int, float, sequence or mapping
        Strings are formulas. NumPy's numbers and arrays count as numbers and lists.
    what : str
        The name of the value in the sentence of an error.
    """
    if isinstance(value, np.ndarray) and value.dtype.kind not in "biUO":
        value = numbers(value, what, None, ModelError)
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        # Whole numbers beyond 64 bits are none in TOML.
        return str(value) if abs(value) < 2**63 else repr(float(value))
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(value_text(one, what) for one in value) + "]"
    if isinstance(value, Mapping):
        entries = (f"{key_text(key, what)} = {value_text(one, f'{what}.{key}')}" for key, one in value.items())
        return "{ " + ", ".join(entries) + " }"
    raise ModelError(f"{what} is {value!r}, expected a formula (str), a number, a list or a dict")


def key_text(key: Any, what: str) -> str:
    """A key, in quotes where it has more than letters, digits and underscores."""
    if not isinstance(key, str):
        raise ModelError(f"{what} has the key {key!r}, expected a name (str)")
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)


def model_text(entries: Mapping[str, Any]) -> str:
    """The text of a model file: a mapping is a table, everything else stands before the tables; ``None`` is left out."""
    given = {key: value for key, value in entries.items() if value is not None}
    lines = ["format = 1"]
    lines += [f"{key} = {value_text(value, key)}" for key, value in given.items() if not isinstance(value, Mapping)]
    for key, table in given.items():
        if isinstance(table, Mapping) and table:
            lines += ["", f"[{key}]"]
            lines += [f"{key_text(name, key)} = {value_text(one, f'{key}.{name}')}" for name, one in table.items()]
    return "\n".join(lines) + "\n"
