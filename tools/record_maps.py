"""Write the index maps of the course's robots, as the installed engines make them, for the explorer that works without an engine.

    .venv/bin/python tools/record_maps.py

Needs all three engines, half a minute. A test compares the file with what the installed engines say.
"""

import json

from dexlab_course.dof import DofMap
from dexlab_course.engines import version
from dexlab_course.show.explorers.recorded import FILE


def course_maps() -> dict[str, dict[str, DofMap]]:
    """By robot, then by engine and variant, in the order in which a reader meets them."""
    from dexlab_course.engines.drake import course_maps as drake
    from dexlab_course.engines.genesis import course_maps as genesis
    from dexlab_course.engines.genesis import start
    from dexlab_course.engines.superdex import course_maps as superdex

    start()
    parts = (drake.course_maps(), genesis.course_maps(), superdex.course_maps())
    return {robot: {variant: one for part in parts for variant, one in part[robot].items()} for robot in parts[0]}


def as_text(maps: dict[str, dict[str, DofMap]]) -> str:
    """JSON with one joint a line, so that a change can be read in a diff."""

    def one(layout: DofMap) -> str:
        data = layout.to_dict()
        joints = ",\n".join(f"        {json.dumps(joint, ensure_ascii=False)}" for joint in data.pop("joints"))
        head = json.dumps(data, ensure_ascii=False)[1:-1]
        return f'{{{head}, "joints": [\n{joints}\n      ]}}'

    def robot(variants: dict[str, DofMap]) -> str:
        return "{\n" + ",\n".join(f"      {json.dumps(name)}: {one(layout)}" for name, layout in variants.items()) + "\n    }"

    versions = {engine: version(engine) for engine in ("drake", "genesis", "superdex")}
    robots = ",\n".join(f"    {json.dumps(name)}: {robot(variants)}" for name, variants in maps.items())
    return f'{{\n  "versions": {json.dumps(versions)},\n  "robots": {{\n{robots}\n  }}\n}}\n'


if __name__ == "__main__":
    FILE.write_text(as_text(course_maps()), encoding="utf-8")
    print(f"wrote {FILE.name}")
