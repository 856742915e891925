"""How far a run is, while it is under way."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .errors import BadValueError

_EVERY = 0.2  # seconds
_SILENT = 1.0  # seconds in a notebook, for runs that are over before


@contextmanager
def reported(wanted: Any, name: str, first: float, last: float) -> Iterator[Callable[[float], None] | None]:
    """What is to be called with the position between `first` and `last`, at least as often as is shown; None: nothing is.

    Parameters
    ----------
    wanted : bool, callable or None
        As ``progress`` of :func:`gnomon.solve`.
    name : str
        Of the position: ``"t"``, ``"runs"``.
    """
    if not (wanted is None or isinstance(wanted, bool) or callable(wanted)):
        raise BadValueError(f"progress = {wanted!r} is neither True, False nor a function of the position")
    notebook = _notebook()
    if wanted is False or (wanted is None and notebook is None):
        yield None
        return
    if callable(wanted):
        yield _Seldom(wanted)
        return
    show = _NotebookLine(notebook) if notebook is not None else _TerminalLine()
    begin = time.monotonic()

    def line(position: float) -> None:
        done = (position - first) / (last - first) if last != first else 1.0
        left = (time.monotonic() - begin) * (1 - done) / done if done > 0 else float("inf")
        show(f"{name} = {position:.6g} of {last:.6g}" + (f", {left:.0f} s left" if left < float("inf") else ""), done)

    try:
        yield _Seldom(line, _SILENT if notebook is not None else 0.0)
    finally:
        show.remove()


class _Seldom:
    """Calls a function with the position, at most every fifth of a second."""

    def __init__(self, function: Callable[[float], Any], silent: float = 0.0):
        self._function, self._next = function, time.monotonic() + silent

    def __call__(self, position: float) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _EVERY
            self._function(position)


def _notebook() -> Any:
    """IPython.display where this interpreter is that of a notebook."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    if getattr(shell, "kernel", None) is None:
        return None
    import IPython.display

    return IPython.display


class _NotebookLine:
    """A bar below the cell, which is gone afterwards."""

    def __init__(self, display: Any):
        self._display, self._handle = display, None

    def __call__(self, text: str, done: float) -> None:
        html = self._display.HTML(f'<progress value="{done:.4f}" max="1"></progress> {text}')
        if self._handle is None:
            self._handle = self._display.display(html, display_id=True)
        else:
            self._handle.update(html)

    def remove(self) -> None:
        if self._handle is not None:
            self._handle.update(self._display.HTML(""))


class _TerminalLine:
    """One line of standard error, which is gone afterwards."""

    def __init__(self):
        self._width = 0

    def __call__(self, text: str, done: float) -> None:
        print(f"\r{text:<{self._width}}", end="", file=sys.stderr, flush=True)
        self._width = max(self._width, len(text))

    def remove(self) -> None:
        if self._width:
            print("\r" + " " * self._width + "\r", end="", file=sys.stderr, flush=True)
