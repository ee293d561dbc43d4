"""Run one notebook in a fresh kernel and say how it went, whatever happens to the kernel."""

import asyncio
import contextlib
import dataclasses
import os
import pathlib
import sys
import time
from collections.abc import Callable
from typing import Any, Literal

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from dexlab_course.commands.pages import Page, read

Outcome = Literal["ok", "failed", "kernel died", "timed out", "skipped"]
# Called with the page, the index of the running cell, and the number of cells.
Watch = Callable[[Page, int, int], None]


@dataclasses.dataclass
class Result:
    """How a page went. ``node`` holds all outputs up to the end, also of a page that failed."""

    page: Page
    outcome: Outcome
    node: Any
    seconds: float = 0.0
    cell: str = ""
    problem: str = ""


def own_kernel() -> AsyncKernelManager:
    """A kernel of this very environment, whatever kernels the user has installed elsewhere."""
    specs = KernelSpecManager(kernel_dirs=[str(pathlib.Path(sys.prefix, "share", "jupyter", "kernels"))])
    return AsyncKernelManager(kernel_name="python3", kernel_spec_manager=specs)


async def execute(page: Page, *, timeout: float, watch: Watch = lambda *_: None) -> Result:
    """Execute every cell of a page in order, in a kernel of its own.

    Args:
        page: what to run.
        timeout: limit for one cell [s].
        watch: called when a cell starts.

    Returns:
        The result; a failing cell, a dead kernel and a timeout are results, not exceptions. The kernel is gone afterwards, also when
        this coroutine is cancelled.
    """
    node = read(page.path)
    for cell in node.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    result = Result(page, "ok", node)
    running = {"index": 0}

    def started(cell: Any, cell_index: int) -> None:
        running["index"] = cell_index
        result.cell = cell.get("id", str(cell_index))
        watch(page, cell_index, len(node.cells))

    manager = own_kernel()
    client = NotebookClient(
        node,
        km=manager,
        timeout=timeout,
        resources={"metadata": {"path": str(page.path.parent)}},
        on_cell_start=started,
        store_widget_state=False,
        record_timing=False,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],  # the kernel's own remarks are not the course's
    )
    begin = time.monotonic()
    try:
        # The steps of NotebookClient.async_execute, without its signal handlers: they would kill one kernel and go on with the next page.
        client.reset_execution_trackers()
        await client.async_start_new_kernel(env={**os.environ, "DEXLAB_HEADLESS": "1", "PYDEVD_DISABLE_FILE_VALIDATION": "1"})
        await client.async_start_new_kernel_client()
        for index, cell in enumerate(node.cells):
            await client.async_execute_cell(cell, index, execution_count=client.code_cells_executed + 1)
        result.cell = ""
    except CellExecutionError as error:
        result.outcome, result.problem = "failed", str(error)
        if error.ename == "MissingEngineError":
            result.outcome, result.problem = "skipped", error.evalue
    except DeadKernelError:
        result.outcome = "kernel died"
        result.problem = "the process that ran this cell ended: an engine can do that with a failed demand or a segmentation fault"
    except RuntimeError as error:  # what the client says of a kernel that never answered
        if result.cell:
            raise
        result.outcome, result.problem = "kernel died", f"the kernel did not start: {error}; `dexlab doctor` looks for the cause"
    except CellTimeoutError:
        result.outcome, result.problem = "timed out", f"this cell did not finish within {timeout:g} s"
    finally:
        result.seconds = time.monotonic() - begin
        finished = result.outcome == "ok" and not result.cell
        await _end(client, manager, gently=finished and "genesis" in page.needs)
    return result


async def _end(client: NotebookClient, manager: AsyncKernelManager, *, gently: bool = False) -> None:
    """Leave no kernel and no open socket behind; also while being cancelled.

    A killed process loses what Genesis compiled: it writes its kernel cache when it exits. So its kernels are asked to go, and killed
    only if they do not.
    """
    if client.kc is not None:
        client.kc.stop_channels()
    manager.shutdown_wait_time = 20.0
    with contextlib.suppress(Exception):  # a kernel that died on its own is still to be cleaned up after
        await asyncio.shield(manager.shutdown_kernel(now=not gently))
