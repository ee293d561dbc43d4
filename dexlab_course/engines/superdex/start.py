"""Start SuperDex in double precision: the precision is chosen once, before the first import."""

import os
import sys
from types import ModuleType

from dexlab_course.errors import InvalidValueError, MissingEngineError, explain


def start(*, precision: str = "double") -> tuple[ModuleType, ModuleType]:
    """Import and initialise SuperDex; calling it again does nothing. Returns the modules (physics, robotics).

    Args:
        precision: ``"double"`` (the numbers of the course) or ``"single"`` (SuperDex' own default). One process has one precision.

    Raises:
        InvalidValueError: another precision is already loaded in this process.
        MissingEngineError: SuperDex is not installed.
    """
    if precision not in {"double", "single"}:
        raise InvalidValueError(explain("unknown precision", got=precision, expected="'double' or 'single'", remedy="choose one of them"))
    if "superdex.physics" not in sys.modules:
        os.environ["SUPERDEX_PRECISION"] = precision
    try:
        import superdex.physics as physics
        import superdex.robotics as robotics
    except ImportError as error:
        raise MissingEngineError(f"SuperDex cannot be imported ({error}). `make course ENGINES=superdex` installs it.") from error
    if physics.uses_double_precision() != (precision == "double"):
        loaded = "double" if physics.uses_double_precision() else "single"
        message = explain(
            "SuperDex is already loaded with another precision",
            got=loaded,
            expected=precision,
            remedy="restart the kernel and call start() before any other import of superdex",
        )
        raise InvalidValueError(message)
    if not physics.is_initialized():
        physics.initialize(num_worker_threads=0)
    return physics, robotics
