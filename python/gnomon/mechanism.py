"""Bodies and joints, with the words of model files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Union

from . import _core
from .errors import GnomonError, ModelError
from .model import Model
from .formulas.toml import key_text, model_text, value_text

Numbers = Sequence[Any]
"""Two numbers or formulas in the plane, three in space."""


class Part:
    """A point, a particle or a body of a mechanism."""

    def __init__(self, name: str):
        self.name = name

    def at(self, marker: str) -> str:
        """The name of a marker of a body."""
        return f"{self.name}.{marker}"

    def __repr__(self) -> str:
        return f"<gnomon part {self.name!r}>"


Place = Union[Part, str]


def _name(place: Any) -> Any:
    return place.name if isinstance(place, Part) else place


class Mechanism:
    """Bodies and joints; :meth:`model` makes the model, and :func:`gnomon.solve` takes the mechanism itself.

    Every method adds an entry of a model file; its keywords are the keys of that entry, which the manual lists ("Mechanisms
    of bodies and joints"): numbers or formulas of parameters, of the time and of names. What is wrong is found by :meth:`model`.

    Parameters
    ----------
    name : str
    gravity : sequence of numbers, optional
        Acceleration; none if left out.
    planar : bool
        In the plane, with positions of two numbers.

    Examples
    --------
    >>> m = gn.Mechanism("pendulum of a rod", gravity=[0, 0, -9.81])
    >>> O = m.point("O", [0, 0, 0])
    >>> rod = m.body("rod", shape=dict(box=[1, .1, .1], density=1000), markers=dict(end=[-.5, 0, 0]), place=dict(end=O))
    >>> m.joint("pivot", "revolute", O, rod.at("end"), axis=[0, 1, 0])
    >>> s = gn.solve(m, (0, 5), rtol=1e-8)
    """

    def __init__(self, name: str = "mechanism", *, gravity: Numbers | None = None, planar: bool = False):
        self.name = name
        self._head = [f"name = {value_text(name, 'name')}"]
        if planar:
            self._head.append("planar = true")
        if gravity is not None:
            self._head.append(f"gravity = {value_text(gravity, 'gravity')}")
        self._tables: list[str] = []
        self._parameters: dict[str, Any] = {}
        self._outputs: dict[str, Any] = {}
        self._start: dict[str, Any] = {}

    @classmethod
    def from_file(cls, path: str | os.PathLike) -> Mechanism:
        """The mechanism of a robot in URDF, SDF or MJCF, or of a model file, to go on with: to close loops by further joints,
        to add springs, contacts and motors. Paths of meshes of a model file are from the working folder.

        Examples
        --------
        >>> m = gn.Mechanism.from_file("delta.urdf")  # doctest: +SKIP
        >>> m.joint("close2", "spherical", "platform.foot2", "fore2.tip2")  # doctest: +SKIP
        """
        try:
            import tomllib
        except ImportError:
            raise ModelError("gnomon.Mechanism.from_file needs Python 3.11 or later") from None
        name = os.fspath(path)
        try:
            entries = tomllib.loads(_core.robot_text(name))
        except GnomonError as error:
            raise ModelError(str(error)) from None
        except tomllib.TOMLDecodeError as error:
            raise ModelError(f"{name} is no model file: {error}") from None
        entries.pop("format", None)
        stem = os.path.splitext(os.path.basename(name))[0]
        made = cls(entries.pop("name", stem), gravity=entries.pop("gravity", None), planar=entries.pop("planar", False))
        made._parameters, made._outputs = entries.pop("parameters", {}), entries.pop("outputs", {})
        made._start = entries.pop("start", {})
        made._tables.append(model_text(entries).partition("\n")[2].strip())
        return made

    def _entry(self, table: str, name: str, keys: dict[str, Any]) -> Part:
        lines = [f"[{table}.{key_text(name, table)}]"]
        for key, value in keys.items():
            if isinstance(value, dict):
                value = {inner: _name(one) for inner, one in value.items()}
            if value is not None:
                lines.append(f"{key} = {value_text(_name(value), f'{table}.{name}.{key}')}")
        self._tables.append("\n".join(lines))
        return Part(name)

    def parameter(self, name: str, value: Any) -> None:
        """A number that formulas may name; a dict says unit, min, max and description too."""
        self._parameters[name] = value

    def point(self, name: str, position: Numbers) -> Part:
        """A point fixed in space, or moving by formulas of t."""
        return self._entry("points", name, dict(position=position))

    def particle(
        self, name: str, mass: Any, position: Numbers, velocity: Numbers | None = None, hold: bool | None = None
    ) -> Part:
        """A particle; with ``hold=True`` `assemble` does not move it."""
        return self._entry("particles", name, dict(mass=mass, position=position, velocity=velocity, hold=hold))

    def body(self, name: str, **keys: Any) -> Part:
        """A rigid body: shape, or mass and inertia; markers, centre_of_mass, orientation, place or position, velocity,
        angular_velocity; repair, hold."""
        return self._entry("bodies", name, keys)

    def joint(self, name: str, type: str, a: Place, b: Place, **keys: Any) -> None:
        """A joint between two places: axis, axes, stiffness, rest, damping, limits, restitution, stop_stiffness,
        stop_damping, friction_torque, friction_force, bearing, hold; of the type "rolling" normal, radius, radii,
        inside, axis, friction; of the type "bushing" stiffness, damping, turn_stiffness, turn_damping."""
        self._entry("joints", name, dict(type=type, between=[_name(a), _name(b)], **keys))

    def gear(self, name: str, of: Sequence[str], ratio: Any = None, ratios: Sequence[Any] | None = None) -> None:
        """Angles and distances of joints in a fixed ratio: that of the second to the first, or ratios whose sum of ratio
        times motion is zero."""
        self._entry("joints", name, dict(type="gear", of=list(of), ratio=ratio, ratios=ratios))

    def rod(self, name: str, a: Place, b: Place, length: Any = None) -> None:
        """A massless rigid rod; its length is that of the start unless given."""
        self._entry("rods", name, dict(between=[_name(a), _name(b)], length=length))

    def spring(self, name: str, a: Place, b: Place, **keys: Any) -> None:
        """A spring between two places: stiffness, rest_length, damping; or tension, or energy, a formula."""
        self._entry("springs", name, dict(between=[_name(a), _name(b)], **keys))

    def rope(self, name: str, through: Sequence[Place], **keys: Any) -> None:
        """A rope through places: length, restitution; or stiffness, damping."""
        self._entry("ropes", name, dict(through=[_name(one) for one in through], **keys))

    def motor(self, name: str, joint: str, **keys: Any) -> None:
        """A motor of a joint: angle, distance, torque or force."""
        self._entry("motors", name, dict(joint=joint, **keys))

    def load(self, name: str, on: Place, force: Numbers) -> None:
        """A force at a place, of formulas."""
        self._entry("loads", name, dict(on=_name(on), force=force))

    def contact(self, name: str, point: Numbers | Place, normal: Numbers, on: Sequence[Place], **keys: Any) -> None:
        """Places that stay above a plane, which moves with the body or point that it goes through: restitution,
        friction."""
        plane = dict(point=_name(point), normal=normal)
        self._entry("contacts", name, dict(plane=plane, on=[_name(one) for one in on], **keys))

    def table(self, name: str, x: Sequence[float], y: Sequence[float], ends: str | None = None) -> None:
        """The cubic spline through points, a function ``name(u)`` in formulas; ends "not-a-knot" or "natural"."""
        self._entry("tables", name, dict(x=list(x), y=list(y), ends=ends))

    def output(self, name: str, formula: Any) -> None:
        """What ``result.outputs`` shows beside what it has by itself, of names such as ``"crank.right.x"``, or
        ``"A.force.x"`` of a joint; for pictures and animations of one's own."""
        self._outputs[name] = formula

    def assemble(self) -> None:
        """The start is moved to where everything fits. Bodies, particles, and angles and distances of joints with
        ``hold=True`` stay as they are given."""
        self._start["assemble"] = True

    def add(self, toml: str) -> None:
        """Further tables of the model file, as text."""
        self._tables.append(toml)

    @property
    def toml(self) -> str:
        """The text of the model file."""
        tables = list(self._tables)
        named = (("parameters", self._parameters), ("outputs", self._outputs), ("start", self._start))
        for title, entries in named:
            if entries:
                rows = (f"{key_text(key, title)} = {value_text(one, key)}" for key, one in entries.items())
                tables.append("\n".join([f"[{title}]", *rows]))
        return "\n\n".join(["\n".join(["format = 1", *self._head]), *tables]) + "\n"

    def _repr_html_(self) -> str:
        return self.model()._repr_html_()

    def model(self) -> Model:
        """The model. Raises ModelError for what is wrong in it, by line and column of ``toml``."""
        return Model._made(toml=self.toml, name=self.name, kind="text")
