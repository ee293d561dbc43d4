"""Explorers: a pure function, and sliders around it. The function is tested without a browser, the sliders in one."""
