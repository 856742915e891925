"""Is a model what it says it is?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from .errors import functions_raise
from .model import model_of


class CheckReport:
    """The lines of a check, of which each is a dict of name, value, tolerance (or None), note and passed."""

    def __init__(self, checks: list[dict[str, Any]]):
        self.checks = checks

    @property
    def passed(self) -> bool:
        """Whether all of them passed."""
        return all(one["passed"] for one in self.checks)

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        width = max((len(one["name"]) for one in self.checks), default=0)
        rows = []
        for one in self.checks:
            limit = "" if one["tolerance"] is None else f" <= {one['tolerance']:.3g}"
            value = one["value"]
            number = f"{value:.3g}" if isinstance(value, float) and math.isfinite(value) else str(value)
            rows.append(f"{'ok  ' if one['passed'] else 'FAIL'} {one['name']:{width}} {number}{limit} {one['note']}".rstrip())
        return "\n".join([*rows, "passed" if self.passed else "not passed"])


def check(
    model: Any,
    q0: Any = None,
    v0: Any = None,
    parameters: Mapping[str, Any] | None = None,
    project_start: bool = False,
) -> CheckReport:
    """Check the start, the rank of the constraints, and every function of a model against differences.

    Parameters
    ----------
    model : Model, Mechanism or str
    q0, v0 : array_like, optional
        The start; that of the model if left out.
    parameters : dict, optional
    project_start : bool
        Move an inconsistent start onto the constraints first, as in :func:`solve`; else it is an error.

    Returns
    -------
    CheckReport
        True where everything passed; prints as a table.
    """
    from .solve import _vector

    start = (_vector(q0, "q0"), _vector(v0, "v0"))
    instance = model_of(model)._build(parameters, *start)
    instance.set_start(instance.t0, *start)
    if project_start:
        instance.project_start()
    with functions_raise(instance):
        return CheckReport(instance.checks())
