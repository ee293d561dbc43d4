"""Tables with a header in one file: Parquet for size and speed, CSV for eyes and other tools. Nothing is ever half-written."""

import contextlib
import json
import os
import pathlib
from typing import TYPE_CHECKING, Any

from dexlab_course.errors import InvalidValueError, explain, unknown_name

if TYPE_CHECKING:
    import pandas

_SUFFIXES = (".parquet", ".csv")
_KEY = b"dexlab"


def write_table(frame: "pandas.DataFrame", header: dict[str, Any], path: str | os.PathLike[str]) -> pathlib.Path:
    """Write a table and its header; the format follows from the suffix. The file appears complete or not at all.

    Raises:
        UnknownNameError: another suffix than ``.parquet`` or ``.csv``.
        InvalidValueError: the folder does not exist or cannot be written.
    """
    path = _checked(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")  # in the same folder: only there is the last step atomic
    try:
        if path.suffix == ".parquet":
            _write_parquet(frame, header, part)
        else:
            _write_csv(frame, header, part)
        os.replace(part, path)
    except OSError as error:
        message = explain(
            "the table cannot be written",
            got=f"{path}: {error.strerror or error}",
            expected="a folder that can be written",
            remedy="make it first",
        )
        raise InvalidValueError(message) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink()
    return path


def read_table(path: str | os.PathLike[str]) -> tuple["pandas.DataFrame", dict[str, Any]]:
    """The table and the header of such a file, every number bit for bit.

    Raises:
        UnknownNameError: another suffix than ``.parquet`` or ``.csv``.
        InvalidValueError: the file does not exist, cannot be read, or has no header.
    """
    path = _checked(path)
    try:
        frame, text = _read_parquet(path) if path.suffix == ".parquet" else _read_csv(path)
        header = json.loads(text)
        if not isinstance(header, dict):
            raise ValueError("its header is no mapping")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:  # pyarrow's and json's errors are ValueErrors too
        message = explain(
            "this file cannot be read",
            got=f"{path}: {error}",
            expected="a table written by this course",
            remedy="write it again with TaskLog.write",
        )
        raise InvalidValueError(message) from error
    return frame, header


def _checked(path: str | os.PathLike[str]) -> pathlib.Path:
    path = pathlib.Path(path)
    if path.suffix not in _SUFFIXES:
        raise unknown_name("file suffix", path.suffix, _SUFFIXES)
    return path


def _write_parquet(frame: "pandas.DataFrame", header: dict[str, Any], path: pathlib.Path) -> None:
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    table = table.replace_schema_metadata({**(table.schema.metadata or {}), _KEY: json.dumps(header).encode()})
    pyarrow.parquet.write_table(table, path)


def _read_parquet(path: pathlib.Path) -> tuple["pandas.DataFrame", str]:
    import pyarrow.parquet

    with path.open("rb") as file:
        table = pyarrow.parquet.read_table(file)
    return table.to_pandas(), (table.schema.metadata or {}).get(_KEY, b"").decode()


def _write_csv(frame: "pandas.DataFrame", header: dict[str, Any], path: pathlib.Path) -> None:
    kinds = {column: frame[column].dtype.kind for column in frame.columns}
    kinds = {column: {"i": "int", "f": "float"}.get(kind, "str") for column, kind in kinds.items()}
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(f"# {json.dumps(header)}\n# {json.dumps(kinds)}\n")
        frame.to_csv(file, index=False, na_rep="nan")


def _read_csv(path: pathlib.Path) -> tuple["pandas.DataFrame", str]:
    import pandas

    with path.open(encoding="utf-8", newline="") as file:
        header, kinds = (file.readline().removeprefix("# ") for _ in range(2))
        # As text first: the default reader of older pandas is quick and off by a last bit, NumPy's conversion is exact.
        frame = pandas.read_csv(file, dtype=str, keep_default_na=False)
    columns = {column: frame[column].to_numpy(dtype=str).astype(kind) for column, kind in json.loads(kinds).items()}
    return pandas.DataFrame(columns), header
