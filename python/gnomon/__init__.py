"""Gnomon: energy-conserving integrators for constrained mechanical systems.

>>> import gnomon as gn
>>> m = gn.Model("x y z", 1, "9.81*z + k*x^2/2", {"rod": "(x^2+y^2+z^2-l^2)/2"}, parameters=dict(k=5.0, l=1.0))
>>> s = gn.solve(m, (0, 100), q0=[1, 0, 0], v0=[0, 1, 0], scheme="energy-momentum", step=0.01)
>>> r = gn.solve(m, (0, 100), q0=[1, 0, 0], v0=[0, 1, 0], scheme="ida-ggl", rtol=1e-8)
"""

from . import _core
from .advise import Advice, advise
from .check import CheckReport, check
from .ensemble import EnsembleResult, ensemble
from .equilibrium import Equilibrium, equilibrium
from .linearisation import Linearisation, Monodromy, linearise, monodromy
from .errors import (
    BadSizeError,
    BadValueError,
    CallbackError,
    FileError,
    GnomonError,
    InconsistentStartError,
    IntegrationError,
    ModelError,
    NotFiniteError,
    PluginError,
    RankDeficientError,
    RefusedError,
    UnknownNameError,
)
from .fitting.fit import fit
from .fitting.result import FitResult, FittedRecord
from .integrator import Integrator
from .mechanism import Mechanism
from .model import Model
from .report import report
from .result import DenseOutput, Result
from .derivatives.gradient import Functional, Gradient, Motion, at, gradient, integral, motion
from .derivatives.sensitivities import Sensitivity
from .solve import solve
from .table import Table, read

__version__ = _core.version


def schemes() -> dict[str, str]:
    """Names of the schemes, with one line on each."""
    return _core.schemes()


def references() -> dict[str, str]:
    """Names of the references: other integrators for the same models, by the same call of :func:`solve`."""
    return _core.references()


def problems() -> dict[str, str]:
    """Names of the problems that are built in, for :meth:`Model.problem` and :func:`solve`."""
    return _core.problems()


def solvers() -> dict[str, str]:
    """Names of the nonlinear solvers."""
    return _core.solvers()


def algebras() -> dict[str, str]:
    """Names of the linear algebra."""
    return _core.algebras()


def scheme_options(name: str) -> list[dict[str, str]]:
    """The options of a scheme or a reference: name, default, range, unit, help."""
    return _core.reference_options(name) if name in _core.references() else _core.scheme_options(name)


__all__ = [
    *("Model", "Mechanism", "solve", "Result", "DenseOutput", "Sensitivity", "Integrator", "check", "CheckReport"),
    *("advise", "Advice", "equilibrium", "Equilibrium", "linearise", "Linearisation"),
    *("gradient", "Gradient", "at", "integral", "Functional", "motion", "Motion"),
    *("monodromy", "Monodromy", "fit", "FitResult", "FittedRecord"),
    *("report", "read", "Table", "ensemble", "EnsembleResult"),
    *("schemes", "references", "problems", "solvers", "algebras", "scheme_options"),
    *("GnomonError", "ModelError", "UnknownNameError", "BadValueError", "BadSizeError", "InconsistentStartError"),
    *("RankDeficientError", "NotFiniteError", "CallbackError", "RefusedError", "PluginError", "FileError"),
    "IntegrationError",
]
