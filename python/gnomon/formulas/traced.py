"""Python functions as the formulas of a model: each is called once, with symbols in place of numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import ModelError
from .toml import coordinate_names

_MOST = 100_000  # characters of a formula


class Symbol:
    """A formula, with the arithmetic of numbers; functions are those of NumPy, which call methods of these names."""

    __slots__ = ("text", "binds")

    def __init__(self, text: str, binds: int = 9):
        """`binds`: how strongly its outermost operation does; + is 1, * is 2, a sign 3, ^ is 4, a name 9."""
        if len(text) > _MOST:
            raise ModelError(f"a function makes a formula of more than {_MOST} characters: write it as a formula")
        self.text, self.binds = text, binds

    def _in(self, binds: int) -> str:
        return self.text if self.binds >= binds else f"({self.text})"

    def __neg__(self) -> Symbol:
        return Symbol(f"-{self._in(4)}", 1)

    def __pos__(self) -> Symbol:
        return self

    def __abs__(self) -> Symbol:
        return Symbol(f"abs({self.text})")

    def arctan2(self, other: Any) -> Symbol:
        return Symbol(f"atan2({self.text}, {_symbol(other).text})")

    def hypot(self, other: Any) -> Symbol:
        return Symbol(f"hypot({self.text}, {_symbol(other).text})")

    def square(self) -> Symbol:
        return self**2

    def conjugate(self) -> Symbol:
        return self

    def _branch(self, *_: Any) -> Any:
        raise ModelError(
            f"a function branches on {self.text}: write if(a < b, c, d) in a formula, or keep it a function "
            "by traced=False"
        )

    def _number(self, *_: Any) -> Any:
        raise ModelError(
            f"a function takes the number of {self.text}, as math.sin and float do: write the functions of NumPy, such as "
            "numpy.sin, or keep it a function by traced=False"
        )

    __bool__ = _branch
    __float__ = __int__ = __index__ = _number
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _branch  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return self.text


def _method(name: str) -> Callable[[Symbol], Symbol]:
    return lambda self: Symbol(f"{name}({self.text})")


def _operators(sign: str, left: int, right: int) -> tuple[Callable, Callable]:
    """With the symbol on the left and on the right; how strongly the operands have to bind."""
    return (
        lambda self, other: _infix(self, sign, other, left, right),
        lambda self, other: _infix(other, sign, self, left, right),
    )


for _word, *_how in (("add", " + ", 1, 1), ("sub", " - ", 1, 2), ("mul", "*", 2, 2), ("truediv", "/", 2, 3), ("pow", "^", 9, 9)):
    for _prefix, _operator in zip(("__", "__r"), _operators(*_how)):
        setattr(Symbol, f"{_prefix}{_word}__", _operator)

for _numpy, _name in {
    **{one: one for one in "sqrt cbrt exp expm1 log log1p sin cos tan sinh cosh tanh".split()},
    **{"arcsin": "asin", "arccos": "acos", "arctan": "atan"},
}.items():
    setattr(Symbol, _numpy, _method(_name))


def _symbol(value: Any) -> Symbol:
    if isinstance(value, Symbol):
        return value
    if isinstance(value, np.ndarray) and value.shape == ():
        return _symbol(value.item())
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ModelError(f"a function returns {value!r}, expected a number or an expression of its arguments") from None
    if not np.isfinite(number):
        raise ModelError(f"a function returns {number}, which is not finite")
    text = repr(int(number)) if number == int(number) and abs(number) < 2**53 else repr(number)
    return Symbol(text, 1 if number < 0 else 9)


def _infix(left: Any, operation: str, right: Any, binds_left: int, binds_right: int) -> Any:
    if any(isinstance(one, np.ndarray) and one.shape for one in (left, right)):
        return NotImplemented  # the array goes through its entries
    text = _symbol(left)._in(binds_left) + operation + _symbol(right)._in(binds_right)
    return Symbol(text, {" + ": 1, " - ": 1, "*": 2, "/": 2, "^": 4}[operation])


def _vector(names: Sequence[str]) -> np.ndarray:
    out = np.empty(len(names), dtype=object)
    out[:] = [Symbol(name) for name in names]
    return out


def _formulas(values: Any) -> Any:
    """Formulas in place of the expressions in nested lists and arrays."""
    if isinstance(values, Mapping):
        return {name: _formulas(one) for name, one in values.items()}
    if isinstance(values, (list, tuple)) or (isinstance(values, np.ndarray) and values.shape):
        return [_formulas(one) for one in values]
    return _symbol(values).text


def model_of(
    coordinates: str | Sequence[str],
    mass: Any,
    potential: Callable[[np.ndarray], Any],
    constraints: Callable[[np.ndarray], Any] | None,
    force: Callable[[np.ndarray, np.ndarray], Any] | None,
    velocity_constraints: Callable[[np.ndarray, np.ndarray], Any] | None,
    **further: Any,
) -> dict[str, Any]:
    """The arguments of Model, see :meth:`gnomon.Model.from_functions`."""
    names = coordinate_names(coordinates)
    q, v = _vector(names), _vector([f"der({name})" for name in names])
    made: dict[str, Any] = dict(coordinates=names, mass=_formulas(mass(q)) if callable(mass) else mass)
    made["potential"] = _formulas(potential(q))
    rows: dict[str, str] = {}
    for values in (
        None if constraints is None else constraints(q),
        None if velocity_constraints is None else velocity_constraints(q, v),
    ):
        levels = [] if values is None else _formulas(values)
        levels = levels if isinstance(levels, (dict, list)) else [levels]
        named = levels if isinstance(levels, dict) else {f"g{len(rows) + i + 1}": g for i, g in enumerate(levels)}
        for name in named.keys() & rows.keys():
            raise ModelError(f"constraint {name!r} is in constraints and in velocity_constraints, expected in one of them")
        rows.update(named)
    if rows:
        made["constraints"] = rows
    if force is not None:
        forces = _formulas(force(q, v))
        if not isinstance(forces, list) or len(forces) != len(names):
            raise ModelError(f"force returns {forces!r}, expected {len(names)} entries, one a coordinate")
        made["force"] = dict(zip(names, forces))
    return {**made, **further}
