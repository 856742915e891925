"""What goes wrong, as exceptions: one class a kind of mistake, each with one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class GnomonError(Exception):
    """Base class of all errors of Gnomon.

    Attributes
    ----------
    code : str
        The kind of mistake in words, as in the C++ and C interfaces, e.g. ``"bad value"``.
    """

    code = "error"


class ModelError(GnomonError, ValueError):
    """A model is wrong; the sentence names the place, by line and column of ``model.toml`` where it has one."""

    code = "bad model"


class UnknownNameError(GnomonError, LookupError):
    """No scheme, solver, problem, reference or option has that name; the sentence has the nearest known one."""

    code = "unknown name"


class BadValueError(GnomonError, ValueError):
    """A number or a choice outside what is expected."""

    code = "bad value"


class BadSizeError(GnomonError, ValueError):
    """An array of the wrong length."""

    code = "bad size"


class InconsistentStartError(GnomonError, ValueError):
    """The start does not fulfil ``g(q0) = 0`` or ``G v0 + g_t = 0``."""

    code = "inconsistent start"


class RankDeficientError(GnomonError, ValueError):
    """The start is a singular position."""

    code = "rank-deficient constraints"


class NotFiniteError(GnomonError, ArithmeticError):
    """The start, or a function of the model there, is not finite."""

    code = "value not finite"


class CallbackError(GnomonError, ArithmeticError):
    """A function of the model cannot be evaluated."""

    code = "callback failed"


class RefusedError(GnomonError):
    """Scheme, solver and model do not fit together; the sentence says why."""

    code = "combination refused"


class PluginError(GnomonError):
    """A module of GNOMON_PLUGIN_PATH was refused."""

    code = "bad plug-in"


class FileError(GnomonError, OSError):
    """A file that cannot be read or written."""

    code = "bad file"


class IntegrationError(GnomonError, ArithmeticError):
    """A step of :class:`gnomon.Integrator` failed; its state is as before the step."""

    code = "integration failed"


_BY_CODE = {kind.code: kind for kind in GnomonError.__subclasses__()}

# What the library speaks of, and the argument that does it.
_ARGUMENTS = (("a projection in the mass metric would repair it", "project_start=True"),)


def error_of(code: str, sentence: str) -> GnomonError:
    """The exception of a code of the library."""
    for said, argument in _ARGUMENTS:
        if said in sentence:
            sentence += f": {argument}"
    return _BY_CODE.get(code, GnomonError)(sentence)


@contextmanager
def functions_raise(instance: Any) -> Iterator[None]:
    """What a Python function of the model raised, in place of what the library says of it."""
    try:
        yield
    except Exception:
        if instance.raised is not None:
            raise instance.raised from None
        raise
