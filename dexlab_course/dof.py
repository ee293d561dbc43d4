"""Which slot moves which joint: the map from joint names to places in position, velocity and command vectors.

A model has up to three vectors: q (positions, ``nq`` entries), v (velocities, ``nv``) and u (commands, ``nu``). They may differ in
length and in order. ``DofMap`` says for each joint where it lives in each of them, so that no index is ever guessed.
"""

import dataclasses
import hashlib
import json
import os
import pathlib
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dexlab_course.arrays import Floats, as_floats, last_axis
from dexlab_course.errors import ForeignModelError, ModelFileError, ShapeError, UnknownNameError, explain, unknown_name

if TYPE_CHECKING:
    import pandas

Space = Literal["q", "v", "u"]
Indices = NDArray[np.intp]
_SPACE_NAMES = {"q": "position", "v": "velocity", "u": "command"}


def _indices(values: Iterable[int]) -> Indices:
    array = np.array(list(values), dtype=np.intp)
    array.flags.writeable = False
    return array


@dataclasses.dataclass(frozen=True, eq=False)
class Joint:
    """One joint and its places.

    Attributes:
        name: unique within the map; a joint that repeats across model instances is written ``instance::joint``.
        kind: ``revolute``, ``continuous``, ``prismatic``, ``ball``, ``planar`` or ``free``.
        q, v, u: indices of its entries in the three vectors; empty where it has none (no actuator: ``u`` is empty).
        unit: unit of one position entry, ``rad``, ``m``, or words for a mixed joint (``m, quat_wxyz``).
    """

    name: str
    kind: str
    q: Indices
    v: Indices
    u: Indices
    unit: str

    @classmethod
    def at(cls, name: str, kind: str, *, q: Iterable[int], v: Iterable[int], u: Iterable[int] = (), unit: str = "rad") -> "Joint":
        """A joint from plain integers.

        >>> Joint.at("elbow", "revolute", q=[1], v=[1], u=[0]).u.tolist()
        [0]
        """
        return cls(name, kind, _indices(q), _indices(v), _indices(u), unit)


class DofMap:
    """All joints of a model with their places in q, v and u.

    Args:
        joints: in the order of the model.
        nq, nv, nu: lengths of the three vectors. They may be longer than the joints of this map need (other models live beside).
        source: the bytes of the model file (``file_bytes``), or any text that identifies the model; part of the fingerprint.
        options: import options that change the layout; part of the fingerprint.
        slotless: name -> kind of the joints that the engine knows but that own no slot, such as ``{"mount": "fixed", "pin": "loop"}``.
            They are no rows of the map; asking for one says what it is.

    Raises:
        ShapeError: an index lies outside its vector, or two joints of the map share a slot.
        UnknownNameError: two joints have one name.
    """

    def __init__(
        self,
        joints: Sequence[Joint],
        *,
        nq: int,
        nv: int,
        nu: int,
        source: bytes | str = b"",
        options: Mapping[str, Any] | None = None,
        slotless: Mapping[str, str] | None = None,
    ) -> None:
        self.joints = tuple(joints)
        self.slotless = types.MappingProxyType(dict(slotless or {}))
        self.nq, self.nv, self.nu = nq, nv, nu
        self._by_name = {joint.name: joint for joint in self.joints}
        self._source = source.encode() if isinstance(source, str) else source
        self._options = dict(options or {})
        names = [joint.name for joint in self.joints] + list(self.slotless)
        if len(set(names)) != len(names):
            twice = sorted({name for name in names if names.count(name) > 1})
            message = explain(
                "two joints have one name",
                got=twice,
                expected="unique names",
                remedy="write them as instance::joint, or make one map for each model instance",
            )
            raise UnknownNameError(message)
        for space in ("q", "v", "u"):
            self._check_slots(space)

    def _check_slots(self, space: Space) -> None:
        owner: dict[int, str] = {}
        for joint in self.joints:
            for index in getattr(joint, space).tolist():
                if not 0 <= index < self.size(space):
                    message = explain(
                        f"{joint.name} has a {_SPACE_NAMES[space]} slot outside the vector",
                        got=index,
                        expected=f"0 to {self.size(space) - 1}",
                        remedy="build the map from the engine's own indices",
                    )
                    raise ShapeError(message)
                if index in owner:
                    message = explain(
                        f"two joints share {_SPACE_NAMES[space]} slot {index}",
                        got=f"{owner[index]} and {joint.name}",
                        expected="one joint a slot",
                        remedy="build the map from the engine's own indices",
                    )
                    raise ShapeError(message)
                owner[index] = joint.name

    def __getitem__(self, name: str) -> Joint:
        if name in self.slotless:
            message = explain(
                f"{name} owns no slot in any vector",
                got=f"a {self.slotless[name]} joint",
                expected=f"a joint that moves, one of [{', '.join(self._by_name)}]",
                remedy="leave it out: nothing about it can be commanded",
            )
            raise UnknownNameError(message)
        try:
            return self._by_name[name]
        except KeyError:
            raise unknown_name("joint", name, self._by_name) from None

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __iter__(self) -> Iterator[Joint]:
        return iter(self.joints)

    def __len__(self) -> int:
        return len(self.joints)

    def __repr__(self) -> str:
        return f"DofMap({', '.join(self.names)}; nq={self.nq}, nv={self.nv}, nu={self.nu})"

    @property
    def names(self) -> tuple[str, ...]:
        """Joint names in model order."""
        return tuple(self._by_name)

    def size(self, space: Space) -> int:
        """Length of the vector of that space.

        >>> DofMap([Joint.at("slide", "prismatic", q=[0], v=[0], unit="m")], nq=1, nv=1, nu=0).size("u")
        0
        """
        if space not in _SPACE_NAMES:
            raise unknown_name("space", space, _SPACE_NAMES)
        return {"q": self.nq, "v": self.nv, "u": self.nu}[space]

    def owners(self, space: Space = "q") -> tuple[str, ...]:
        """The map read backwards: for each slot of the vector the joint that owns it; empty where none of this map does.

        >>> DofMap([Joint.at("b", "revolute", q=[0], v=[0], u=[1])], nq=1, nv=1, nu=2).owners("u")
        ('', 'b')
        """
        found = [""] * self.size(space)
        for joint in self.joints:
            for slot in getattr(joint, space).tolist():
                found[slot] = joint.name
        return tuple(found)

    def indices(self, names: str | Sequence[str], space: Space = "q") -> Indices:
        """Slots of the named joints in that space, in the order of ``names``, shape (k,).

        Raises:
            UnknownNameError: a name is not in the map.
            ShapeError: a joint has no slot there (a joint without an actuator has no ``u``), or is named twice.
        """
        self.size(space)
        wanted = [names] if isinstance(names, str) else list(names)
        if len(set(wanted)) != len(wanted):
            message = explain(
                "a joint is named twice",
                got=wanted,
                expected="each joint once",
                remedy="remove the repetition: two values cannot go into one slot",
            )
            raise ShapeError(message)
        slots = [getattr(self[name], space) for name in wanted]
        for name, slot in zip(wanted, slots, strict=True):
            if slot.size == 0:
                motor = "add an actuator to the model"
                if self[name].v.size > 1:  # a motor turns or shifts: few engines let one drive several freedoms
                    motor = "push it with a generalized force, which has its v slots, or add an actuator if the engine allows one here"
                message = explain(
                    f"{name} has no {_SPACE_NAMES[space]} slot",
                    got=f"joint of kind {self[name].kind}",
                    expected=f"a joint with an entry in {space}",
                    remedy=f"leave the joint out, or {motor}" if space == "u" else "leave the joint out",
                )
                raise ShapeError(message)
        return _indices(np.concatenate(slots).tolist() if slots else [])

    def gather(self, x: ArrayLike, names: str | Sequence[str], space: Space = "q") -> Floats:
        """Entries of the named joints out of a full vector ``x`` of shape (..., size), shape (..., k).

        >>> arm = DofMap([Joint.at("a", "revolute", q=[1], v=[1]), Joint.at("b", "revolute", q=[0], v=[0])], nq=2, nv=2, nu=0)
        >>> arm.gather([10.0, 20.0], ["a", "b"]).tolist()
        [20.0, 10.0]
        """
        full = last_axis(f"{space} vector", as_floats(f"{space} vector", x), self.size(space), of=f"{_SPACE_NAMES[space]} slot")
        return full[..., self.indices(names, space)]

    def scatter(self, x: ArrayLike, names: str | Sequence[str], values: ArrayLike, space: Space = "q") -> Floats:
        """A copy of the full vector ``x`` with ``values`` (shape (..., k)) placed into the slots of the named joints.

        >>> arm = DofMap([Joint.at("a", "revolute", q=[1], v=[1]), Joint.at("b", "revolute", q=[0], v=[0])], nq=2, nv=2, nu=0)
        >>> arm.scatter([0.0, 0.0], ["a"], [7.0]).tolist()
        [0.0, 7.0]
        """
        full = last_axis(f"{space} vector", as_floats(f"{space} vector", x), self.size(space), of=f"{_SPACE_NAMES[space]} slot")
        slots = self.indices(names, space)
        part = last_axis("values", as_floats("values", values), slots.size, of=f"{_SPACE_NAMES[space]} slot")
        result = np.array(np.broadcast_to(full, np.broadcast_shapes(full.shape[:-1], part.shape[:-1]) + full.shape[-1:]))
        result[..., slots] = part
        return result

    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that change with the model file, the import options, or the order of joints and slots."""
        layout = [[j.name, j.kind, j.q.tolist(), j.v.tolist(), j.u.tolist()] for j in self.joints]
        text = json.dumps([self.nq, self.nv, self.nu, layout, dict(self.slotless), self._options], sort_keys=True, default=str)
        return hashlib.sha256(self._source + b"\0" + text.encode()).hexdigest()[:16]

    def require(self, fingerprint: str) -> None:
        """Refuse anything that was built for another model.

        Raises:
            ForeignModelError: ``fingerprint`` is not this map's.
        """
        if fingerprint != self.fingerprint():
            message = explain(
                "this was built for another model",
                got=f"fingerprint {fingerprint}",
                expected=self.fingerprint(),
                remedy="rebuild the command from joint names with the map of the model you drive now",
            )
            raise ForeignModelError(message)

    def to_dict(self) -> dict[str, Any]:
        """Sizes, joints and slots as plain JSON data, without file and options."""
        joints = [
            {"name": j.name, "kind": j.kind, "unit": j.unit, "q": j.q.tolist(), "v": j.v.tolist(), "u": j.u.tolist()} for j in self.joints
        ]
        return {"nq": self.nq, "nv": self.nv, "nu": self.nu, "joints": joints, "slotless": dict(self.slotless)}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """The map that ``to_dict`` wrote. Its fingerprint is another: file and options are not in the record.

        >>> arm = DofMap([Joint.at("a", "revolute", q=[0], v=[0])], nq=1, nv=1, nu=0)
        >>> DofMap.from_dict(arm.to_dict())
        DofMap(a; nq=1, nv=1, nu=0)
        """
        joints = [Joint.at(one["name"], one["kind"], q=one["q"], v=one["v"], u=one["u"], unit=one["unit"]) for one in record["joints"]]
        return cls(joints, nq=record["nq"], nv=record["nv"], nu=record["nu"], slotless=record["slotless"])

    def to_frame(self, *, slotless: bool = False) -> "pandas.DataFrame":
        """One row for each joint: name, kind, unit and the slots in q, v and u; with ``slotless`` also those that own none."""
        import pandas

        columns = ["name", "kind", "unit", "q", "v", "u"]
        rows = [[one[key] for key in columns] for one in self.to_dict()["joints"]]
        if slotless:
            rows += [[name, kind, "", [], [], []] for name, kind in self.slotless.items()]
        return pandas.DataFrame(rows, columns=["joint", *columns[1:]])


def file_bytes(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a model file, for ``source`` of a map.

    Raises:
        ModelFileError: there is no such file.
    """
    path = pathlib.Path(path)
    try:
        return path.read_bytes()
    except OSError as error:
        message = explain("no such model file", got=path.name, expected="the file that the model was loaded from", remedy="check the path")
        raise ModelFileError(message) from error
