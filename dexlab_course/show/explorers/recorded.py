"""Index maps of the course's robots as the engines made them, read from a file: they are there when no engine is.

``tools/record_maps.py`` writes the file; a test compares it with what the installed engines say.
"""

import functools
import json
import pathlib
from collections.abc import Mapping

from dexlab_course.dof import DofMap, Joint
from dexlab_course.errors import unknown_name

FILE = pathlib.Path(__file__).with_name("recorded_maps.json")

# What the record calls the engines and the choices that change the slots.
VARIANTS = {
    "drake": "Drake",
    "drake_rpy": "Drake, base with roll-pitch-yaw",
    "genesis": "Genesis",
    "superdex": "SuperDex, actor space",
    "superdex_bot": "SuperDex, bot space",
}


@functools.cache
def recorded_maps() -> Mapping[str, Mapping[str, DofMap]]:
    """By robot, then by variant (``VARIANTS``; ``drake_rpy`` and ``superdex_bot`` only where the base floats)."""
    robots = json.loads(FILE.read_text(encoding="utf-8"))["robots"]
    return {robot: {variant: DofMap.from_dict(one) for variant, one in variants.items()} for robot, variants in robots.items()}


@functools.cache
def recorded_versions() -> Mapping[str, str]:
    """The engine versions that the maps were recorded with."""
    versions: dict[str, str] = json.loads(FILE.read_text(encoding="utf-8"))["versions"]
    return versions


def recorded(robot: str, variant: str) -> DofMap:
    """One map of the record.

    >>> len(recorded("mixed_joints", "genesis")["wrist"].q), len(recorded("mixed_joints", "superdex")["wrist"].q)
    (4, 3)

    Raises:
        UnknownNameError: a robot or variant that is not recorded.
    """
    maps = recorded_maps()
    if robot not in maps:
        raise unknown_name("robot", robot, maps)
    if variant not in maps[robot]:
        raise unknown_name("engine", variant, maps[robot])
    return maps[robot][variant]


def counterpart(joint: Joint, other: DofMap) -> Joint | None:
    """The same joint of the same robot in another engine's map, or None where it owns no slot.

    Names carry over, but for a free base: each importer calls it something else.

    >>> counterpart(recorded("floating_seven", "drake")["base"], recorded("floating_seven", "genesis")).name
    'root_joint'
    """
    if joint.name in other:
        return other[joint.name]
    return next((one for one in other if one.kind == joint.kind == "free"), None)
