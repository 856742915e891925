"""The one call that fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import _core
from ..errors import BadValueError, RefusedError
from ..model import assignments
from ..solve import Setup
from .records import Columns, records_of
from .result import FitResult


def fit(
    model: Any,
    data: Any,
    parameters: Sequence[str] | Mapping[str, float | None] | str = (),
    start: Sequence[str] | Mapping[str, Any] | str = (),
    outputs: Sequence[str] | Mapping[str, Any] | str | None = None,
    sigma: float | Mapping[str, float] | None = None,
    *,
    q0: Any = None,
    v0: Any = None,
    t0: float | Mapping[str, float] | None = None,
    held: Mapping[str, float] | None = None,
    scheme: str | None = None,
    step: float | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    solver: str | None = None,
    algebra: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> FitResult:
    """Parameters of a model, and entries of its start, from measured motions, by least squares.

    ``min over s of  sum ((y(t_i; s) - y_i)/sigma)^2`` within the bounds of the model, by Levenberg-Marquardt (Ceres
    Solver), with ``y`` the motion as :func:`solve` steps it and its exact derivatives. A trial for which there is no
    motion is a rejected step.

    Parameters
    ----------
    model : Model, Mechanism or str
    data : mapping, DataFrame, path, or a list or dict of these
        One record, or several: columns by name with times ``t``; a DataFrame may have its times as the index; a file is
        one of :func:`read`; NaN is a gap. ``{"x": (t, x), "y": (u, y)}`` has columns with times of their own.
    parameters : sequence of str or dict
        Real parameters of the model that are sought, within ``min`` and ``max`` of the model; of a dict the value is
        where the search begins, None for that of the model. ``"R.k"`` is that of the record R alone.
    start : sequence of str or dict
        Entries of the start that are sought: ``"x"``, ``"der(x)"``. Of several records each has its own, ``R.start.x``;
        ``"R.x"`` is that of record R, ``"shared.x"`` one for all. They are moved onto the constraints, and reported so.
    outputs : sequence of str or dict, optional
        The columns that are fitted, by the names of coordinates ``x``, velocities ``der(x)``, multipliers ``lambda.g``
        and outputs of the model; all that the model knows if left out. Of a dict the value is the unit of the data,
        ``{"theta": "deg"}``, a factor by which they become the model's, or a dict of ``column``, ``unit``, ``factor``,
        ``offset``.
    sigma : float or dict by column, optional
        Standard deviation of the errors, in the unit of the data. Left out: estimated from the residuals, a column each.
    q0, v0 : array_like, optional
        The start of a model that has none.
    t0 : float or dict by record, optional
        Time of the start; the first time of each record if left out.
    held : dict, optional
        ``{"R.start.x": 0.2, "R.load": 3}``: what a record has of its own, as it is known.
    scheme, step, rtol, atol, solver, algebra, options
        As in :func:`solve`.

    Returns
    -------
    FitResult
        A mapping from names to values, with errors, intervals of 95 %, what is not determined, and the residuals.

    Raises
    ------
    UnknownNameError
        A parameter, an entry of the start or a column is not known.
    BadValueError
        Times do not ascend, units do not fit, nothing is sought.
    RefusedError
        There is no motion with derivatives where the search begins (an overdetermined DAE, a grazed contact), or Gnomon was
        built without Ceres Solver.
    KeyboardInterrupt
        After Ctrl-C.

    Notes
    -----
    Intervals are ``s +- q sqrt(C_ss)`` with ``C = (J^T J)^-1`` on what the data determine, and ``q`` of Student's t where
    sigma is estimated, else of the normal distribution (Seber and Wild, Nonlinear Regression, 1989).

    Examples
    --------
    >>> m = gn.Model("a", "m*l^2", "-m*g*l*cos(a)", parameters=dict(m=1.0, g=9.81, l=1.1))
    >>> s = gn.solve(m.with_parameters(l=1.0), (0, 2), q0=[1], t_eval=np.linspace(0, 2, 21), step=0.01)
    >>> round(gn.fit(m, dict(t=s.t, a=s.q[0]), "l", q0=[1], step=0.01)["l"], 9)
    1.0
    """
    records = records_of(data)
    names = [record.name for record in records]
    first = records[0].times
    begin = _start_time(t0, names[0])
    begin = begin if begin is not None else float(first[0]) if first.size else 0.0
    setup = Setup(
        model, begin, q0, v0, scheme=scheme, step=step, rtol=rtol, atol=atol, solver=solver, algebra=algebra,
        options=options, parameters=None, project_start=True, contact=None, first_step=None, max_step=None,
    )
    if setup.is_reference:
        raise RefusedError(f"a fit needs derivatives of the steps of a scheme, and {setup.scheme} is a reference")
    if setup.instance.of_functions:
        raise RefusedError(f"{setup.model.name} is made of Python functions: a fit is of models that are made of formulas")
    if q0 is not None or v0 is not None:
        _refuse_other_start(setup)
    columns = _columns(setup, records, outputs, sigma)
    what = dict(
        set=assignments(setup.model._given),
        records=[record.record(_start_time(t0, record.name)) for record in records],
        columns=columns,
        free=[*_named("parameters", parameters), *_starts(start, names)],
        held=[(name, float(value)) for name, value in (held or {}).items()],
        step=setup.step or 0.0,
        rtol=setup.rtol or 0.0,
        atol=setup.atol or 0.0,
        scheme=setup.scheme,
        options=setup.options,
        solver=setup.solver,
        solver_options=setup.solver_options,
    )
    found, raised = _core.fit(setup.model._source_at(*setup.start), what)
    if raised is not None:
        raise raised
    provenance = {**setup.provenance(), "records": names, "columns": [one["column"] for one in columns]}
    return FitResult(found, setup.model, provenance)


def _refuse_other_start(setup: Setup) -> None:
    if not setup.model._start_names:
        raise BadValueError(
            f'{setup.model.name} has a start of its own, and q0 or v0 is given: hold entries of it, held={{"start.x": 0.1}}'
        )


def _start_time(t0: Any, name: str) -> float | None:
    if isinstance(t0, Mapping):
        t0 = t0.get(name)
    return None if t0 is None else float(t0)


def _named(argument: str, given: Any) -> list[tuple[str, float | None]]:
    """Names, with where the search begins."""
    if isinstance(given, str):
        given = [given]
    if isinstance(given, Mapping):
        return [(str(name), None if value is None else float(value)) for name, value in given.items()]
    if not all(isinstance(name, str) for name in given):
        raise BadValueError(f"{argument} = {given!r} is no list of names and no dict of where the search begins")
    return [(name, None) for name in given]


def _starts(given: Any, records: Sequence[str]) -> list[tuple[str, float | None]]:
    """Entries of the start by their names in full; of a list of values one a record."""
    out: list[tuple[str, float | None]] = []
    values = dict(given) if isinstance(given, Mapping) else dict(_named("start", given))
    for name, value in values.items():
        before = next((f"{one}." for one in (*records, "shared") if name.startswith(f"{one}.")), "")
        entry = name[len(before) :]
        full = f"{before}{'' if entry.startswith('start.') else 'start.'}{entry}"
        if isinstance(value, (Sequence, Mapping)) and not isinstance(value, str):
            pairs = list(value.items()) if isinstance(value, Mapping) else list(zip(records, value))
            if len(pairs) != len(records):
                raise BadValueError(f"start of {name} has {len(value)} values, expected {len(records)}, one a record")
            out += [(f"{record}.{full}", float(one)) for record, one in pairs]
        else:
            out.append((full, None if value is None else float(value)))
    return out


def _columns(setup: Setup, records: Sequence[Columns], outputs: Any, sigma: Any) -> list[dict[str, Any]]:
    known = [name for name, _ in _core.quantities(setup.instance)]
    there = list(dict.fromkeys(name for record in records for name in record.values))
    if outputs is None:
        outputs = [name for name in there if name in known]
        if not outputs:
            raise BadValueError(
                f"data have the columns {', '.join(there)}, and none is called like a quantity of {setup.model.name}, "
                f"which are {', '.join(known)}: outputs={{NAME: dict(column=..)}} says what one is"
            )
    if isinstance(outputs, str):
        outputs = [outputs]
    given = dict(outputs) if isinstance(outputs, Mapping) else {name: {} for name in outputs}
    columns = []
    for quantity, one in given.items():
        if isinstance(one, str):
            one = dict(unit=one)
        elif not isinstance(one, Mapping):
            one = dict(factor=float(one))
        unknown = [key for key in one if key not in ("column", "unit", "factor", "offset")]
        if unknown:
            raise BadValueError(f"outputs of {quantity} have {unknown[0]!r}, expected column, unit, factor or offset")
        column = one.get("column", quantity)
        if column not in there:
            raise BadValueError(f'data have no column "{column}", known are {", ".join(there)}')
        unit = one.get("unit") or next((record.units[column] for record in records if column in record.units), "")
        factor = one.get("factor")
        columns.append(
            dict(column=column, quantity=quantity, unit=unit, factor=None if factor is None else float(factor),
                 offset=float(one.get("offset", 0)), sigma=_sigma_of(sigma, column))
        )
    if isinstance(sigma, Mapping):
        for name in sigma:
            if name not in [one["column"] for one in columns]:
                raise BadValueError(f'sigma has "{name}", which is no column that is fitted')
    return columns


def _sigma_of(sigma: Any, column: str) -> float:
    if isinstance(sigma, Mapping):
        sigma = sigma.get(column)
    if sigma is None:
        return 0.0
    if not float(sigma) > 0:
        raise BadValueError(f"sigma of {column} is {sigma!r}, expected a number above zero")
    return float(sigma)
