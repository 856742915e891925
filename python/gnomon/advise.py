"""Which scheme, at which step, for a wanted error: measured on the model itself."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from .errors import BadValueError, functions_raise
from .model import model_of

if TYPE_CHECKING:
    import pandas


class Advice:
    """What :func:`advise` found; prints as ``gnomon advise`` does, and :func:`gnomon.report` makes a page of it.

    Attributes
    ----------
    best : dict or None
        The cheapest scheme that was run and kept the error: ``method``, ``arguments``, ``parameter`` (the step, or the
        tolerance, as ``steps_of`` says), ``steps``, ``seconds``, ``error``, ``energy``, ``position``, ``velocity``. None
        where none was seen to keep it, or no solution can be trusted.
    exact_energy : dict or None
        The same, of those that keep the energy at rounding level.
    best_reference : dict or None
        The same, of IDA and CVODE.
    arguments : dict
        Those of `best` for :func:`gnomon.solve`: ``gn.solve(model, t_span, **advice.arguments)``.
    table : list of dict
        A row for every run, from the cheapest method on: ``method``, ``name``, ``kind`` (scheme or reference), ``options``,
        ``steps_of``, ``parameter``, ``seconds`` (None where it failed), ``error`` (the largest
        ``|q - q_true|/|q_true|`` at ten instants), ``energy``, ``position``, ``velocity`` (the largest errors over all
        steps), ``remark``.
    left_out : list of dict
        ``name`` and ``reason`` of schemes and references that do not take the model or do not tend to its motion.
    reference : dict
        What errors are measured against: ``source``, ``uncertainty``, ``confirmed_by``, ``agreement``, ``good``,
        ``agreed_until``, ``message``.
    interrupted : bool
        Ctrl-C ended it, and nothing is advised.
    seconds : float
        Processor time of all of it.
    """

    best: dict[str, Any] | None
    exact_energy: dict[str, Any] | None
    best_reference: dict[str, Any] | None
    table: list[dict[str, Any]]
    left_out: list[dict[str, str]]
    reference: dict[str, Any]
    interrupted: bool
    seconds: float
    _text: str
    _page: str

    def __init__(self, **values: Any):
        self.__dict__.update(values)

    @property
    def arguments(self) -> dict[str, Any]:
        if self.best is None:
            raise BadValueError("nothing is advised: " + self._text.strip().splitlines()[-1])
        return dict(self.best["arguments"])

    def to_dataframe(self) -> pandas.DataFrame:
        """The table, a row a run."""
        import pandas

        return pandas.DataFrame(self.table)

    def __repr__(self) -> str:
        return self._text.rstrip("\n")


def advise(
    model: Any,
    t_span: Sequence[float] | None = None,
    q0: Any = None,
    v0: Any = None,
    *,
    error: float = 1e-6,
    budget: float = 60.0,
    parameters: Mapping[str, Any] | None = None,
    project_start: bool = False,
) -> Advice:
    """Measure which scheme, at which step or tolerance, keeps a wanted error at the least cost, beside IDA and CVODE.

    The error is the largest ``|q - q_true|/|q_true|`` at ten instants up to the end, against a solution of high order
    that another code confirms. What is advised has been run and kept it. The same as the command ``gnomon advise``.

    Parameters
    ----------
    model : Model, Mechanism or str
    t_span : (float, float), optional
        Start and end; from 0 to the end that the model names for its runs if left out.
    q0, v0 : array_like, optional
        The start; that of the model if left out.
    error : float
        Wanted, between 1e-13 and 0.1.
    budget : float
        Seconds of processor time for all of it, about.
    parameters : dict, optional
        Numbers in place of the model's.
    project_start : bool
        Move an inconsistent start onto the constraints.

    Returns
    -------
    Advice

    Raises
    ------
    RefusedError
        No scheme takes the model.
    KeyboardInterrupt
        After Ctrl-C; what was measured up to there is its attribute ``result``.

    Notes
    -----
    The interpreter's lock is released meanwhile.

    Examples
    --------
    >>> advice = gn.advise("planar-pendulum", (0, 10), error=1e-8, budget=20)
    >>> s = gn.solve("planar-pendulum", (0, 10), **advice.arguments)
    """
    from .solve import _positive, span_of, _vector

    made = model_of(model)
    start = (_vector(q0, "q0"), _vector(v0, "v0"))
    instance = made._build(parameters, *start)
    if t_span is None:
        ends = [float(text) for name, text in made._source.run_defaults if name == "until"]
        if not ends:
            raise BadValueError("t_span is missing, and the model names no end for its runs: give e.g. t_span=(0, 10)")
        t_span = (instance.t0, ends[0])
    t0, t1 = span_of(t_span)
    wanted, seconds = _positive(error, "error"), _positive(budget, "budget")
    if wanted is None or not 1e-13 <= wanted <= 0.1:
        raise BadValueError(f"error = {error!r} is not between 1e-13, which double precision resolves, and 0.1")
    if seconds is None:
        raise BadValueError("budget is None, expected seconds")
    instance.set_start(t0, *start)
    if project_start:
        instance.project_start()
    given = [repr(os.fspath(model)) if isinstance(model, (str, os.PathLike)) else "model", f"({_number(t0)}, {_number(t1)})"]
    given += [name for name, value in (("q0", q0), ("v0", v0)) if value is not None]
    given = [f"{one}={one}" if one == "v0" and q0 is None else one for one in given]
    given += ["parameters=parameters"] if parameters else []
    given += ["project_start=True"] if project_start else []
    with functions_raise(instance):
        call = (", ".join(given), _number(t0))
        values, raised = _core.advise(instance, made.name, t1, wanted, seconds, *call, _surroundings())
    advice = Advice(**values)
    raised = raised or instance.raised
    if raised is not None:
        raised.result = advice
        raise raised
    return advice


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _surroundings() -> list[tuple[str, str]]:
    return [
        ("gnomon", _core.version),
        ("SUNDIALS", _core.sundials_version),
        ("Python", platform.python_version()),
        ("machine", platform.platform()),
        ("written", time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())),
    ]
