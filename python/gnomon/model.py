"""Models: formulas, files, problems that are built in, SymPy's expressions, Python functions."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from html import escape
from typing import Any, NoReturn

import numpy as np

from . import _core
from .errors import BadValueError, GnomonError, ModelError, UnknownNameError
from .formulas.toml import coordinate_names, model_text

#: What names of robot files end in.
ROBOTS = (".urdf", ".sdf", ".xml")


@contextmanager
def _model_errors(text: str | None = None):
    """What the library says of a model is a ModelError, with the line of its text; of a name that is not known, an
    UnknownNameError."""
    try:
        yield
    except (ModelError, UnknownNameError) as error:
        raise type(error)(_with_line(str(error), text)) from None
    except GnomonError as error:
        raise ModelError(_with_line(str(error), text)) from None


def _with_line(sentence: str, text: str | None) -> str:
    place = re.match(r"[^:]*\.toml:(\d+):\d+: ", sentence)
    lines = (text or "").splitlines()
    if place is None or int(place.group(1)) > len(lines):
        return sentence
    line = lines[int(place.group(1)) - 1].strip()
    return f"{sentence}; in the line: {line if len(line) <= 100 else line[:97] + '...'}"


def option_text(value: Any) -> str:
    """A value as the options and parameters of the library take it."""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return str(value)


def assignments(options: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """Options as the library takes them."""
    if not isinstance(options or {}, Mapping):
        raise BadValueError(f"{options!r} is no dict of names and values")
    return [(name, option_text(value)) for name, value in (options or {}).items()]


def of_entries(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """``u=[1, 2]`` as ``u[0]=1``, ``u[1]=2``: the values of an input."""
    flat: dict[str, Any] = {}
    for name, value in parameters.items():
        if isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) == 1:
            flat.update({f"{name}[{k}]": one for k, one in enumerate(value)})
        else:
            flat[name] = value
    return flat


class Parameters(dict):
    """Names and values of a model, which does not change: what would change them raises a ModelError."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise ModelError("the parameters of a model do not change: model.with_parameters(NAME=VALUE) makes another model")

    __setitem__ = __delitem__ = __ior__ = update = setdefault = pop = popitem = clear = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return (Parameters, (dict(self),))


class Model:
    """A mechanical model of formulas.

    ``T = v^T M v / 2``, a potential ``U(q, t)`` and constraints ``g(q, t) = 0``. Strings are formulas with the words of
    model files (the manual's "Models of formulas"); derivatives, polynomial degrees and sparsity are found. A model is
    checked when it is made, as far as its text goes, and does not change.

    Parameters
    ----------
    coordinates : str or sequence of str
        Names, ``"x y z"`` or ``["x", "y", "z"]``; ``"r[3*n]"`` stands for ``r[0]``, ``r[1]``, ...
    mass : formula, sequence, matrix or dict
        One for all coordinates, one each, a matrix, or by coordinate; with coordinates in it, ``M(q)``.
    potential : formula or dict
        ``U``; of a dict, the sum of its formulas.
    constraints : dict of str to formula, or one formula, optional
        By name, each ``= 0``, one alone is named ``constraint``; with ``der(x)`` in it, linearly, a constraint of velocities.
    parameters : dict of str to number, formula or dict, optional
        Names for numbers; ``dict(value=.., unit=.., min=.., max=.., description=..)`` says more of one.
    force, friction : dict of str to formula, optional
        ``Q(q, q', t)`` and ``R(q, q', lambda)`` by coordinate; ``der(x)`` is a velocity, ``lambda.NAME`` a multiplier.
    obstacles : dict of str to formula or dict, optional
        By name, each ``>= 0``.
    definitions, invariants, symmetries, integrals, outputs, drawing : dict, optional
        The tables of a model file.
    start : dict, optional
        ``dict(position={..}, velocity={..}, project=..)`` by coordinate; what is not given is zero.
    name : str
        For messages and titles.

    Raises
    ------
    ModelError
        With one sentence that names what is wrong, by line and column of ``toml``.

    Examples
    --------
    >>> import gnomon as gn
    >>> m = gn.Model("x y", 1, "9.81*y", {"rod": "(x^2 + y^2 - l^2)/2"}, parameters=dict(l=1.0))
    >>> s = gn.solve(m, (0, 10), q0=[1, 0], step=0.01)
    """

    def __init__(
        self,
        coordinates: str | Sequence[str],
        mass: Any = 1,
        potential: Any = 0,
        constraints: str | Mapping[str, Any] | None = None,
        *,
        parameters: Mapping[str, Any] | None = None,
        force: Mapping[str, Any] | None = None,
        friction: Mapping[str, Any] | None = None,
        obstacles: Mapping[str, Any] | None = None,
        definitions: Mapping[str, Any] | None = None,
        invariants: Mapping[str, Any] | None = None,
        symmetries: Mapping[str, Any] | None = None,
        integrals: Mapping[str, Any] | None = None,
        outputs: Mapping[str, Any] | None = None,
        drawing: Mapping[str, Any] | None = None,
        start: Mapping[str, Any] | None = None,
        name: str = "model",
    ):
        names = coordinate_names(coordinates)
        if isinstance(constraints, str):
            constraints = dict(constraint=constraints)
        tables = dict(constraints=constraints, obstacles=obstacles, force=force, friction=friction, parameters=parameters)
        tables.update(definitions=definitions, invariants=invariants, symmetries=symmetries, integrals=integrals)
        tables.update(outputs=outputs, drawing=drawing, start=start)
        text = model_text(dict(name=name, coordinates=names, mass=mass, potential=potential, **tables))
        plain = not start and all(re.fullmatch(r"\w+", one) for one in names)
        self._set(toml=text, name=name, kind="text", start_names=names if plain else None)

    def _set(
        self,
        *,
        toml: str | None,
        name: str,
        kind: str,
        start_names: list[str] | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> None:
        """`start_names`: the text has no start, and these coordinates."""
        self._toml, self._name, self._kind, self._start_names = toml, name, kind, start_names
        self._given = dict(given or {})
        with _model_errors(toml):
            if kind == "text":
                self._source = _core.Problem.of_text(toml, "model.toml" if start_names else f"{name}.toml")
            else:
                self._source = _core.Problem.named(name)
        self._check_parameters(self._given)

    def _check_parameters(self, given: Mapping[str, Any]) -> None:
        known = self._source.parameters()
        for one in given:
            if one not in known and one.split(".")[0] not in known:
                raise UnknownNameError(f'{self.name} has no parameter "{one}", known are {", ".join(known) or "none"}')

    @classmethod
    def _made(cls, **what: Any) -> Model:
        model = cls.__new__(cls)
        model._set(**what)
        return model

    @classmethod
    def from_toml(cls, path_or_text: str | os.PathLike, **parameters: Any) -> Model:
        """A model file, or a robot in URDF, SDF or MJCF: its path, or the text of a model file, which has more than one line.

        Parameters
        ----------
        path_or_text : str or path
            ``"four-bar.toml"``, or the text itself.
        **parameters
            Numbers in place of the file's.
        """
        text = os.fspath(path_or_text)
        name = "model"
        if "\n" not in text:
            name = os.path.splitext(os.path.basename(text))[0]
            if text.endswith(ROBOTS):
                try:
                    toml = _core.robot_text(text)
                except GnomonError as error:
                    raise ModelError(str(error)) from None
                return cls._made(toml=toml, name=name, kind="text", given=parameters)
            try:
                with open(text, encoding="utf-8") as file:
                    text = file.read()
            except OSError as error:
                raise ModelError(f"{text} cannot be read: {error.strerror}") from None
            except UnicodeDecodeError:
                raise ModelError(f"{text} is no text in UTF-8") from None
        return cls._made(toml=text, name=name, kind="text", given=parameters)

    @classmethod
    def problem(cls, name: str, **parameters: Any) -> Model:
        """A problem that is built in, see :func:`gnomon.problems`."""
        return cls._made(toml=None, name=name, kind="built in", given=parameters)

    @classmethod
    def from_sympy(cls, T: Any, U: Any, g: Any = None, coordinates: Sequence[Any] = (), **further: Any) -> Model:
        """A model from SymPy's expressions.

        Parameters
        ----------
        T : sympy expression
            Kinetic energy, a quadratic form in the velocities; its coefficients are ``M`` or ``M(q)``.
        U : sympy expression
            Potential.
        g : expression, sequence or dict of expressions, optional
            Constraints, each ``= 0``.
        coordinates : sequence of sympy functions of time or symbols
            ``dynamicsymbols("x y")``, whose velocities are their derivatives; or symbols, with ``velocities``.
        velocities : sequence of sympy symbols, optional
            Of coordinates that are symbols.
        parameters : dict of symbol or str to number, optional
            All other symbols of the expressions.
        force : dict of coordinate to expression, optional
        **further
            As in :class:`Model`.
        """
        from .formulas.from_sympy import model_of

        return cls(**model_of(T, U, g, coordinates, **further))

    @classmethod
    def from_functions(
        cls,
        coordinates: str | Sequence[str],
        mass: Any,
        potential: Callable[[np.ndarray], Any],
        constraints: Callable[[np.ndarray], Any] | None = None,
        force: Callable[[np.ndarray, np.ndarray], Any] | None = None,
        *,
        velocity_constraints: Callable[[np.ndarray, np.ndarray], Any] | None = None,
        traced: bool = True,
        **further: Any,
    ) -> Model:
        """A model from Python functions, which become formulas, or stay functions.

        Each function is called once, with symbols in place of numbers, and what it does with them is the formula; no
        Python runs while steps are taken. It may use arithmetic, NumPy's functions of one number, loops and ``q @ q``;
        it must not branch on a value, and functions of ``math`` and numbers that change from call to call are out.

        With ``traced=False`` the functions may do anything and are called while steps are taken, one thread at a time:
        hundreds of times slower than formulas, thousands without ``gradient`` and ``jacobian``. ``result.stats`` says how
        long they took (``function_seconds``, ``function_share``, ``function_calls``). Derivatives that are not given are
        differences, with the errors of those: about 1e-12 of a first one, more of a second. An exception of a function ends the run
        and is raised, once steps are taken with the attribute ``result``; after an ArithmeticError a smaller step is tried where there is one.

        Parameters
        ----------
        coordinates : str or sequence of str
            Names; their number is the length of q.
        mass : number, sequence, matrix, or callable ``mass(q)``
            As in :class:`Model`; a function returns a list or a matrix.
        potential : callable ``potential(q)``
            U.
        constraints : callable ``constraints(q)``, optional
            g: a list, or a dict by name.
        force : callable ``force(q, v)``, optional
            Q: a list with one entry a coordinate.
        velocity_constraints : callable ``velocity_constraints(q, v)``, optional
            A(q) v + b(q), linear in v: a list, or a dict by name.
        traced : bool
            Whether the functions become formulas.
        **further
            As in :class:`Model`; `parameters` are known to formulas only, functions have their own numbers. With
            ``traced=False`` only ``name``, ``gradient(q)`` of the potential, of shape (n,), ``jacobian(q)`` of the
            constraints, of shape (m, n), and ``switches(q, v)``, a list of numbers at whose zeros the other functions
            change: steps end there. `mass` is then a number, a list or a matrix.
        """
        if not traced:
            from .functions_model import FunctionsModel

            return FunctionsModel(
                coordinates, mass, potential, constraints, force, velocity_constraints=velocity_constraints, **further
            )
        from .formulas.traced import model_of

        return cls(**model_of(coordinates, mass, potential, constraints, force, velocity_constraints, **further))

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_"):
            raise ModelError(
                f"a model does not change, and {name} was to be set: model.with_parameters(NAME=VALUE) makes another model"
            )
        super().__setattr__(name, value)

    # What a model is --------------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Its name."""
        return self._source.name

    @property
    def description(self) -> str:
        """One line."""
        return self._source.description

    @property
    def toml(self) -> str:
        """The text of a model file. Of a problem that is built in it is written from the functions, where they have
        formulas; RefusedError otherwise."""
        return self._toml if self._toml is not None else self._build().text(self.name)

    @property
    def parameters(self) -> Parameters:
        """Names and values, to read: :meth:`with_parameters` makes a model of other ones."""
        return Parameters({**self._source.parameters(), **self._given})

    def with_parameters(self, **parameters: Any) -> Model:
        """The same model with other numbers; this one, and the results that belong to it, keep theirs.

        A sequence has the values of an input, which are parameters ``u[0]``, ``u[1]``, ...
        """
        model = type(self).__new__(type(self))
        model.__setstate__({**self.__getstate__(), "given": {**self._given, **of_entries(parameters)}})
        return model

    @property
    def coordinates(self) -> list[str]:
        """Names of the entries of q."""
        return list(self._start_names) if self._start_names else self._built.coordinates

    @property
    def constraints(self) -> list[str]:
        """Names of the entries of lambda: constraints, then obstacles."""
        return self._built.multipliers

    @cached_property
    def _built(self) -> _core.Instance:
        return self._build()

    def _build(
        self, parameters: Mapping[str, Any] | None = None, q0: Any = None, v0: Any = None, beyond_bounds: bool = False
    ) -> _core.Instance:
        """The model with its numbers, and the start where it is in the text or given.

        `beyond_bounds`: real parameters may lie beyond the bounds that the model declares.
        """
        with _model_errors(self._toml):
            self._check_parameters(parameters or {})
            return self._source_at(q0, v0).build(assignments({**self._given, **(parameters or {})}), beyond_bounds)

    def _source_at(self, q0: Any, v0: Any) -> _core.Problem:
        """What is built: with the start that is given, where the text has none."""
        if self._start_names and (q0 is not None or v0 is not None):
            return _core.Problem.of_text(self._toml + self._start_text(q0, v0), "model.toml")
        return self._source

    def _start_text(self, q0: Any, v0: Any) -> str:
        """The start as a table: what depends on it, the scale of M(q) say, is found there."""
        table = {}
        for key, values in (("position", q0), ("velocity", v0)):
            if values is not None and len(values) == len(self._start_names) and np.all(np.isfinite(values)):
                table[key] = dict(zip(self._start_names, map(float, values)))
        return "\n" + model_text({"start": table}).split("\n", 1)[1]

    def _repr_html_(self) -> str:
        """What notebooks show: coordinates, constraints and parameters."""
        built = self._built
        rows = [("coordinates", ", ".join(built.coordinates)), ("constraints", ", ".join(built.multipliers) or "none")]
        rows += [(name, option_text(value)) for name, value in self.parameters.items()]
        cells = "".join(f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in rows)
        about = f"<br>{escape(self.description)}" if self.description else ""
        text = f"<details><summary>its text</summary><pre>{escape(self._toml)}</pre></details>" if self._toml else ""
        return f"<p><b>{escape(self.name)}</b>{about}</p><table>{cells}</table>{text}"

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"<gnomon.Model {self.name!r}{': ' if numbers else ''}{numbers}>"

    def __getstate__(self) -> dict[str, Any]:
        return dict(toml=self._toml, name=self._name, kind=self._kind, start_names=self._start_names, given=self._given)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._set(**state)


def model_of(what: Any) -> Model:
    """A model: itself, that of a mechanism, or by the name of a problem or of a model file."""
    if isinstance(what, Model):
        return what
    if hasattr(what, "model") and callable(what.model):
        return what.model()
    if isinstance(what, (str, os.PathLike)):
        name = os.fspath(what)
        return Model.from_toml(name) if name.endswith((".toml", *ROBOTS)) or "\n" in name else Model.problem(name)
    raise ModelError(f"{what!r} is no model, expected a gnomon.Model, a gnomon.Mechanism or a name")
