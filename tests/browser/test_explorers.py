"""The explorers in a real JupyterLab in a real browser: a slider is dragged, a list is walked by keyboard, and the page follows."""

import contextlib
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from dexlab_course.paths import NOTEBOOKS
from dexlab_course.show.browser import find_browser
from dexlab_course.show.explorers.slots import joints_of, slots

pytestmark = pytest.mark.browser
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
FLAGS += ["--disable-component-update", "--disable-sync"]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a JupyterLab that serves a copy of the chapter, so that the test cannot change a page."""
    if find_browser() is None:
        pytest.skip("no Chromium on this machine: install one (Debian: chromium) or name it in DEXLAB_BROWSER")
    folder = tmp_path_factory.mktemp("lab")
    for page in ("01_dof_maps", "03_pd_and_saturation"):
        shutil.copy(NOTEBOOKS / page / "concept.ipynb", folder / f"{page}.ipynb")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    token = secrets.token_hex(8)
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", f"--port={port}", "--allow-root", f"--ServerApp.root_dir={folder}"]
    command += [
        f"--IdentityProvider.token={token}",
        "--LabApp.news_url=",
        "--ServerApp.port_retries=0",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]
    # Cells out of sight are rendered too, and nothing of the user's own settings takes part.
    settings = folder / "settings" / "@jupyterlab" / "notebook-extension"
    settings.mkdir(parents=True)
    (settings / "tracker.jupyterlab-settings").write_text('{"windowingMode": "none"}', encoding="utf-8")
    own = {"JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"), "JUPYTER_CONFIG_DIR": str(folder / "config")}
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **own})
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/api?token={token}", timeout=1).close()
                break
            except OSError:
                assert time.monotonic() < deadline, (folder / "server.log").read_text(encoding="utf-8")[-2000:]
                time.sleep(0.3)
        yield f"http://127.0.0.1:{port}/lab/tree/PAGE?token={token}&reset"
    finally:
        server.terminate()
        server.wait(timeout=20)


def wait_for_kernel(lab: str, page: str) -> None:
    """Until the page's kernel is idle and the page is connected to it; before that, Lab would ask which kernel to run with."""
    sessions = lab.replace("/lab/tree/PAGE", "/api/sessions")
    deadline = time.monotonic() + 90
    while True:
        with urllib.request.urlopen(sessions, timeout=5) as answer:
            kernels = [session["kernel"] for session in json.load(answer) if session["path"] == page]
        if any(kernel["execution_state"] == "idle" and kernel["connections"] for kernel in kernels):
            time.sleep(1.0)  # the page learns of it a moment later
            return
        assert time.monotonic() < deadline, f"no idle kernel: {kernels}"
        time.sleep(0.3)


def settled(shown: Any) -> float:
    """The number once it no longer changes: every move of the mouse asks the kernel again."""
    last = ""
    for _ in range(60):
        now = shown.inner_text()
        if now == last:
            return float(now)
        last = now
        time.sleep(0.7)
    raise AssertionError(f"the number never settled, last {last}")


@contextlib.contextmanager
def running_page(lab: str, name: str) -> Iterator[Any]:
    """A browser page with the notebook opened and all its cells run; an error of the page itself fails the test."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        page = browser.new_page(viewport={"width": 1300, "height": 1000})
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(lab.replace("PAGE", name))
        page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
        wait_for_kernel(lab, name)
        page.click('.lm-MenuBar-itemLabel:text-is("Run")')
        page.click('.lm-Menu-itemLabel:text-is("Run All Cells")')
        yield page
        assert problems == []
        browser.close()


def test_a_dragged_slider_changes_the_number(lab: str) -> None:
    from playwright.sync_api import expect

    with running_page(lab, "03_pd_and_saturation.ipynb") as page:
        shown = page.locator(".dexlab-given-at-the-start").first
        shown.wait_for(state="attached", timeout=120_000)
        shown.scroll_into_view_if_needed()
        before = settled(shown)
        assert before == 3.5

        handle = page.locator(".widget-hslider", has_text=re.compile("error")).locator(".noUi-handle")
        box = handle.bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] / 2 - 40, box["y"] + box["height"] / 2, steps=8)
        page.mouse.up()
        expect(shown).not_to_have_text(f"{before:.3f}", timeout=20_000)
        dragged = settled(shown)
        assert dragged < before - 1.0  # a smaller error asks for less

        handle.focus()
        page.keyboard.press("ArrowRight")  # and without a mouse
        expect(shown).not_to_have_text(f"{dragged:.3f}", timeout=20_000)
        assert settled(shown) > dragged


def test_the_slots_of_the_next_joint_light_up_by_keyboard(lab: str) -> None:
    from playwright.sync_api import expect

    with running_page(lab, "01_dof_maps.ipynb") as page:
        shown = page.locator(".dexlab-drake-q").first
        shown.wait_for(state="attached", timeout=120_000)
        shown.scroll_into_view_if_needed()
        wanted = [slots("mixed_joints", name) for name in joints_of("mixed_joints")]
        expect(shown).to_have_attribute("data-slots", ", ".join(map(str, wanted[0]["drake"]["q"])))

        page.locator(".widget-hslider .noUi-handle").focus()
        for expected in wanted[1:3]:
            page.keyboard.press("ArrowRight")
            for variant in ("drake", "genesis", "superdex"):
                for space in ("q", "v", "u"):
                    words = ", ".join(map(str, expected[variant][space])) or "none"
                    expect(page.locator(f".dexlab-{variant}-{space}").first).to_have_attribute("data-slots", words, timeout=20_000)

        page.locator(".widget-dropdown select").select_option("two_joint_arm")
        expect(shown).to_have_attribute("data-slots", "0", timeout=20_000)
