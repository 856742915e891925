"""Models whose functions stay Python's while they run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _core
from .arrays import numbers
from .errors import ModelError, RefusedError, UnknownNameError
from .formulas.toml import coordinate_names
from .model import Model, _model_errors


class _Source:
    """What a model says of itself that comes from no text."""

    description = "Python functions, called while it runs"
    run_defaults: list[tuple[str, str]] = []

    def __init__(self, name: str):
        self.name = name

    def parameters(self) -> dict[str, Any]:
        return {}


class FunctionsModel(Model):
    """See :meth:`gnomon.Model.from_functions` with ``traced=False``."""

    def __init__(
        self,
        coordinates: str | Sequence[str],
        mass: Any,
        potential: Callable[[np.ndarray], float],
        constraints: Callable[[np.ndarray], Any] | None = None,
        force: Callable[[np.ndarray, np.ndarray], Any] | None = None,
        *,
        velocity_constraints: Callable[[np.ndarray, np.ndarray], Any] | None = None,
        gradient: Callable[[np.ndarray], Any] | None = None,
        jacobian: Callable[[np.ndarray], Any] | None = None,
        switches: Callable[[np.ndarray, np.ndarray], Any] | None = None,
        name: str = "model",
    ):
        self._names = coordinate_names(coordinates)
        if callable(mass):
            raise ModelError("mass is a function, and with traced=False a number, a list or a matrix is expected")
        functions = dict(
            potential=potential,
            gradient=gradient,
            constraints=constraints,
            jacobian=jacobian,
            velocity_constraints=velocity_constraints,
            force=force,
            switches=switches,
        )
        for what, each in functions.items():
            if not callable(each) and (each is not None or what == "potential"):
                raise ModelError(f"{what} is {each!r}, expected a function")
        if jacobian is not None and constraints is None:
            raise ModelError("jacobian is given without constraints")
        self._mass = self._mass_of(mass)
        self._functions = functions
        self._name, self._source, self._given, self._start_names = name, _Source(name), {}, None

    def _mass_of(self, mass: Any) -> np.ndarray:
        n = len(self._names)
        values = numbers(mass, "mass", axes=(0, 1, 2), error=ModelError)
        if values.ndim == 0:
            values = np.full(n, values)
        if values.shape not in ((n,), (n, n)):
            raise ModelError(f"mass has the shape {values.shape}, expected a number, ({n},) or ({n}, {n})")
        return values

    @property
    def toml(self) -> str:
        what = "is of Python functions, which have no formulas: from_functions reads those with traced=True"
        raise RefusedError(f"{self.name} {what}")

    def with_parameters(self, **parameters: Any) -> Model:
        if parameters:
            one = next(iter(parameters))
            raise UnknownNameError(f'{self.name} has no parameter "{one}": its functions have their own numbers')
        return self

    @property
    def coordinates(self) -> list[str]:
        return list(self._names)

    def _build(
        self, parameters: Mapping[str, Any] | None = None, q0: Any = None, v0: Any = None, beyond_bounds: bool = False
    ) -> _core.Instance:
        self.with_parameters(**(parameters or {}))
        n = len(self._names)
        start = [np.zeros(n) if one is None or len(one) != n else np.asarray(one, float) for one in (q0, v0)]
        functions, names = dict(self._functions), []
        if functions["constraints"] is not None:
            levels = functions["constraints"](start[0].copy())
            names = list(levels) if isinstance(levels, Mapping) else []
            functions["constraints"] = _Rows(functions["constraints"], isinstance(levels, Mapping))
            names = names or [f"g{i + 1}" for i in range(np.size(levels))]
        n_velocity_constraints = 0
        if functions["velocity_constraints"] is not None:
            rates = functions["velocity_constraints"](start[0].copy(), start[1].copy())
            n_velocity_constraints = len(rates) if isinstance(rates, Mapping) else int(np.size(rates))
            functions["velocity_constraints"] = _Rows(
                functions["velocity_constraints"], isinstance(rates, Mapping), "velocity_constraints"
            )
        n_switches = 0
        if functions["switches"] is not None:
            n_switches = int(np.size(functions["switches"](start[0].copy(), start[1].copy())))
        with _model_errors():
            return _core.instance_of_functions(
                " ".join(self._names), self._mass, functions, names, *start, n_velocity_constraints, n_switches
            )

    def __getstate__(self) -> dict[str, Any]:
        return dict(coordinates=self._names, mass=self._mass, name=self._name, **self._functions)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)


class _Rows:
    """The values of constraints as an array, of a dict in its order and of one number too."""

    def __init__(self, function: Callable[..., Any], named: bool, what: str = "constraints"):
        self._function, self._named, self._what = function, named, what

    def __call__(self, *arguments: np.ndarray) -> np.ndarray:
        levels = self._function(*arguments)
        return np.atleast_1d(numbers(list(levels.values()) if self._named else levels, self._what, axes=(0, 1)))
