"""Runs side by side, as one page for a browser."""

from __future__ import annotations

import os
import pathlib
import tempfile
from collections.abc import Sequence

import numpy as np

from . import _core
from .advise import Advice
from .ensemble import EnsembleResult
from .errors import BadValueError, FileError
from .fitting.result import FitResult
from .result import Result


def report(
    results: Result | EnsembleResult | Sequence[Result] | Advice | FitResult,
    path: str | os.PathLike[str],
    *,
    names: Sequence[str] | None = None,
    title: str | None = None,
) -> pathlib.Path:
    """Write a page of runs: who drifts, how far they are apart, and the mechanism in motion.

    Curves over time of energy error, both constraint levels, momentum maps, first integrals, coordinates, energies and
    steps; the distance of the first run from each reference; an animated view. One HTML file that needs no network. Of
    many states the extremes of equal intervals are kept.

    Parameters
    ----------
    results : Result, sequence of Result, EnsembleResult, Advice, or FitResult
        Results are of one model, perhaps with other parameters. The first one is that which references are compared with.
        Of an ensemble: how the runs ended, distributions of what was kept, how it depends on what varied.
        Of a fit: its parameters, measured and fitted motions, residuals.
        Of what :func:`gnomon.advise` found the page has time against error and every run.
    path : str
        Ends in ``.html``. The file appears whole or not at all.
    names : sequence of str, optional
        In legends; scheme and step or tolerance if left out.
    title : str, optional
        The name of the model if left out.

    Returns
    -------
    pathlib.Path
        Of the file.

    Raises
    ------
    BadValueError
        There is no result, they are not of one model, or the path does not end in ``.html``.
    FileError
        The file cannot be written.
    """
    target = pathlib.Path(path)
    if target.suffix != ".html":
        raise BadValueError(f'report: the path "{target}" does not end in .html')
    if isinstance(results, (EnsembleResult, FitResult)):
        if names is not None:
            kind = type(results).__name__
            raise BadValueError(f"report: names are for results of gnomon.solve, and this is of the type {kind}")
        _write(target, results._page(title))
        return target
    if isinstance(results, Advice):
        if names is not None or title is not None:
            raise BadValueError("report: names and title are for results of gnomon.solve, and this is an Advice")
        _write(target, results._page)
        return target
    runs = [results] if isinstance(results, Result) else list(results)
    for run in runs:
        if not isinstance(run, Result):
            raise BadValueError(f"report: {run!r} is no Result of gnomon.solve")
    if not runs:
        raise BadValueError("report: there is no result to show")
    _write(target, page_of(runs, names, title))
    return target


def page_of(runs: Sequence[Result], names: Sequence[str] | None = None, title: str | None = None) -> str:
    """The page of :func:`report` as text."""
    labels = [_name(run) for run in runs] if names is None else list(names)
    if len(labels) != len(runs):
        raise BadValueError(f"report: there are {len(labels)} names for {len(runs)} results")
    first = runs[0]
    for run in runs[1:]:
        if run._instance.coordinates != first._instance.coordinates:
            raise BadValueError(f"report: the results are of different models, {first.model.name} and {run.model.name}")
    t_end = max(float(run.t[-1]) if run.t.size else 0.0 for run in runs)
    page = _core.Report(title or first.model.name, ", ".join(labels), t_end, len(runs))
    for run, label in zip(runs, labels):
        reference = run.provenance["scheme"] in _core.references()
        error = np.empty(0) if run._energy_error is None else run._energy_error
        _notice(page, run, label if len(runs) > 1 else "The run")
        obstacles = run._instance.multipliers[run._instance.m :]
        where = [obstacles[event["contact"]] if event["contact"] >= 0 else "" for event in run.contact_events]
        events = [(event["t"], event["kind"], name) for event, name in zip(run.contact_events, where)]
        stopped = run.status < 0
        page.add(
            run._instance, label, reference, run._own_steps, run.t, run.y, run._lam, error, _facts(run), events, stopped
        )
    return page.html()


def _notice(page: _core.Report, run: Result, label: str) -> None:
    """What has to be seen first: that a run stopped and why, broken promises, warnings."""
    told = [*([run.message] if run.status < 0 else []), *(f"broken promise: {one}" for one in run.broken_promises)]
    bad = bool(told)
    told += run.warnings
    if run.status < 0:
        title = f"{label} stopped" + (f" at t = {run.t[-1]:.6g}" if run.t.size else "")
    else:
        title = f"{label}: a promise is broken" if bad else f"{label}: warnings"
    if told:
        page.notice(title, told, bad)


def _name(run: Result) -> str:
    of = run.provenance
    size = f"rtol = {of['rtol']:g}" if of["rtol"] else f"h = {of['step']:g}" if of["step"] else "default tolerance"
    return f"{of['scheme']}, {size}"


def _facts(run: Result) -> list[tuple[str, str]]:
    of = run.provenance
    facts = [("result", run.message), ("steps", str(run.stats["steps"])), ("time", f"{run.stats['seconds']:.3g} s")]
    for name in ("options", "solver", "contact", "parameters"):
        if of[name]:
            value = of[name]
            text = ", ".join(f"{key} = {entry}" for key, entry in value.items()) if isinstance(value, dict) else value
            facts.append((name, str(text)))
    facts += [("broken promise", text) for text in run.broken_promises]
    facts += [("warning", text) for text in run.warnings]
    facts += [(name, str(of[name])) for name in ("gnomon", "sundials", "python", "machine", "date")]
    return facts


def _write(target: pathlib.Path, text: str) -> None:
    """The whole file or none."""
    temporary = None
    try:
        descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, target)
    except OSError as error:
        if temporary is not None and os.path.exists(temporary):
            os.unlink(temporary)
        raise FileError(f'report: "{target}" cannot be written: {error.strerror}') from None
