"""SymPy's expressions as the formulas of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy
import sympy.physics.mechanics
from sympy.printing.str import StrPrinter

from ..errors import ModelError

_SAME = {one: one for one in "exp log sin cos tan sinh cosh tanh asin acos atan atan2 erf cbrt".split()} | {"Abs": "abs"}


class _Formulas(StrPrinter):
    """Prints an expression whose coordinates are symbols already."""

    def _print_Pow(self, expr: sympy.Pow, rational: bool = False) -> str:
        base, exponent = expr.as_base_exp()
        if exponent == sympy.Rational(1, 2):
            return f"sqrt({self._print(base)})"
        if exponent == -1:
            return f"1/({self._print(base)})"
        return f"({self._print(base)})^({self._print(exponent)})"

    def _print_Float(self, expr: sympy.Float) -> str:
        return repr(float(expr))

    def _print_Exp1(self, expr: Any) -> str:
        return "exp(1)"

    def _print_Pi(self, expr: Any) -> str:
        return "pi"

    def _print_Function(self, expr: sympy.Function) -> str:
        name = type(expr).__name__
        if name not in _SAME:
            raise ModelError(f"the function {name} in {expr} has no counterpart among the formulas of a model")
        return f"{_SAME[name]}({', '.join(self._print(one) for one in expr.args)})"

    def _print_Abs(self, expr: sympy.Abs) -> str:
        return f"abs({self._print(expr.args[0])})"

    def _nested(self, name: str, arguments: Sequence[Any]) -> str:
        first, *rest = arguments
        return f"{name}({self._print(first)}, {self._nested(name, rest)})" if rest else self._print(first)

    def _print_Max(self, expr: sympy.Max) -> str:
        return self._nested("max", expr.args)

    def _print_Min(self, expr: sympy.Min) -> str:
        return self._nested("min", expr.args)

    def _print_Piecewise(self, expr: sympy.Piecewise) -> str:
        (value, condition), *rest = expr.args
        if condition is sympy.true or condition == True:  # noqa: E712, a sympy object
            return self._print(value)
        if not rest:
            raise ModelError(f"{expr} has no value where none of its conditions holds")
        if not isinstance(condition, sympy.core.relational.Relational) or condition.rel_op not in ("<", "<=", ">", ">="):
            raise ModelError(f"the condition {condition} is none of <, <=, > and >= between two numbers")
        test = f"{self._print(condition.lhs)} {condition.rel_op} {self._print(condition.rhs)}"
        return f"if({test}, {self._print(value)}, {self._print(sympy.Piecewise(*rest))})"


def model_of(
    T: Any,
    U: Any,
    g: Any,
    coordinates: Sequence[Any],
    *,
    velocities: Sequence[Any] | None = None,
    parameters: Mapping[Any, Any] | None = None,
    force: Mapping[Any, Any] | None = None,
    **further: Any,
) -> dict[str, Any]:
    """The arguments of Model, see :meth:`gnomon.Model.from_sympy`."""
    positions = list(coordinates)
    if not positions:
        raise ModelError("coordinates is empty: name the coordinates, e.g. dynamicsymbols('x y')")
    time = sympy.Symbol("t")
    rates = list(velocities) if velocities is not None else [_rate(one) for one in positions]
    if len(rates) != len(positions):
        raise ModelError(f"{len(rates)} velocities are given for {len(positions)} coordinates")
    names = [one.func.__name__ if isinstance(one, sympy.core.function.AppliedUndef) else one.name for one in positions]
    q = [sympy.Symbol(name) for name in names]
    v = [sympy.Symbol(f"der({name})") for name in names]
    rename = [*zip(rates, v), *zip(positions, q), (sympy.physics.mechanics.dynamicsymbols._t, time)]

    def plain(expression: Any) -> sympy.Expr:
        """With symbols for coordinates and velocities; the velocities first, which contain the coordinates."""
        return sympy.sympify(expression).subs(rename[: len(v)]).subs(rename[len(v) :])

    def formula(expression: Any, what: str) -> str:
        left = plain(expression)
        if left.atoms(sympy.Derivative) or left.atoms(sympy.core.function.AppliedUndef):
            raise ModelError(f"{what} contains {left}, where something is neither a coordinate nor a velocity")
        return _Formulas().doprint(left)

    kinetic = plain(T)
    mass = sympy.hessian(kinetic, v)
    if mass.free_symbols & set(v) or sympy.simplify(kinetic - (sympy.Matrix(v).T * mass * sympy.Matrix(v))[0] / 2) != 0:
        raise ModelError(f"T = {T} is no quadratic form in the velocities")
    if time in mass.free_symbols:
        raise ModelError(f"T = {T} depends on time")
    mass = mass.applyfunc(sympy.simplify)
    rows = [[formula(entry, "T") for entry in mass.row(i)] for i in range(len(v))]
    if g is None:
        g = {}
    elif isinstance(g, (sympy.MatrixBase, list, tuple)):
        g = {f"g{i + 1}": one for i, one in enumerate(g)}
    elif not isinstance(g, Mapping):
        g = {"g1": g}
    of_name = {str(one): name for one, name in zip(positions, names)} | {name: name for name in names}
    forces = {of_name.get(str(one), str(one)): formula(Q, f"the force on {one}") for one, Q in (force or {}).items()}
    return dict(
        coordinates=names,
        mass=[rows[i][i] for i in range(len(v))] if mass.is_diagonal() else rows,
        potential=formula(U, "U"),
        constraints={name: formula(one, name) for name, one in g.items()},
        parameters={str(name): _number(value) for name, value in (parameters or {}).items()},
        force=forces or None,
        **further,
    )


def _rate(position: Any) -> Any:
    time = sympy.physics.mechanics.dynamicsymbols._t
    if not position.has(time):
        raise ModelError(f"the velocity of {position} is not known: take dynamicsymbols, or give velocities")
    return position.diff(time)


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, sympy.Basic) else value
