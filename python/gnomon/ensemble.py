"""Many runs of one model, whose parameters, starts and methods vary."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from .errors import BadValueError, RefusedError
from .model import assignments, option_text
from .progress import reported
from .solve import Setup, _positive, span_of

if TYPE_CHECKING:
    import pandas

_DEFAULT_KEEP = ("max_energy_error", "max_position_error", "max_velocity_error", "steps", "q_end")


class EnsembleResult(Mapping):
    """The rows of an ensemble: a mapping from the names of its columns to arrays, one entry a run.

    Attributes
    ----------
    columns : list of str
        What varies, then the figures that are kept.
    values : numpy.ndarray, shape (runs, columns)
        Of a list of words the place in the list, see ``words``. NaN in the figures of runs that did not reach their end.
    status : numpy.ndarray of str, shape (runs,)
        ``"success"``, ``"failed"``, ``"refused"``, ``"promise broken"`` or ``"time limit"``; ``"not done"`` after Ctrl-C.
    messages : dict of int to str
        By run, a sentence for each that did not succeed; for a thousand of them at most.
    words : dict of str to list of str
        The lists of words that vary.
    provenance : dict
        What was run.
    """

    def __init__(self, columns, values, status, messages, words, provenance):
        self.columns, self.values, self.messages = list(columns), values, messages
        self.words, self.provenance, self._codes = words, provenance, status
        names = np.array([*_core.run_statuses(), "not done"])
        self.status = names[status]
        self.runs = len(status)

    @property
    def success(self) -> bool:
        """All runs succeeded."""
        return bool(np.all(self.status == "success"))

    @property
    def counts(self) -> dict[str, int]:
        """How many runs ended how."""
        names, counts = np.unique(self.status, return_counts=True)
        return {str(name): int(count) for name, count in zip(names, counts)}

    def __getitem__(self, name: str) -> np.ndarray:
        try:
            return self.values[:, self.columns.index(name)]
        except ValueError:
            raise KeyError(f"{name!r} is no column, known are {', '.join(self.columns)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def to_dataframe(self) -> pandas.DataFrame:
        """A row a run, with the status as the last column and words in place of their numbers; what was run is in its
        ``attrs``."""
        import pandas

        columns: dict[str, Any] = {name: self[name] for name in self.columns}
        for name, words in self.words.items():
            columns[name] = np.array(words)[columns[name].astype(int)]
        frame = pandas.DataFrame(columns, index=pandas.RangeIndex(self.runs, name="run"))
        frame["status"] = pandas.Categorical(self.status)
        frame.attrs["provenance"] = self.provenance
        return frame

    def _page(self, title: str | None) -> str:
        """The page that gnomon.report writes."""
        of = self.provenance
        names = dict(problem="model", set="parameters", scheme_options="options")
        definition = {
            key: of[names.get(key, key)]
            for key in ("problem", "set", "scheme", "scheme_options", "solver", "step", "rtol", "until", "sampling", "seed")
        }
        definition["set"] = [f"{name}={value}" for name, value in definition["set"].items()]
        definition["scheme_options"] = [f"{name}={value}" for name, value in definition["scheme_options"].items()]
        definition = {key: value for key, value in definition.items() if value is not None}
        definition.update(samples=of["runs"], columns=self.columns, words=self.words)
        definition["vary"] = [f"{name}={text}" for name, text in of["vary"].items()]
        return _core.ensemble_page(title or of["model"], json.dumps(definition), self.values, self._codes, self.messages)

    def __repr__(self) -> str:
        ends = ", ".join(f"{count} {name}" for name, count in self.counts.items())
        return f"<gnomon.EnsembleResult: {self.runs} runs ({ends}) of {', '.join(self.columns)}>"


def ensemble(
    model: Any,
    t_span: Sequence[float],
    q0: Any = None,
    v0: Any = None,
    *,
    vary: Mapping[str, Any],
    runs: int = 1,
    sampling: str = "random",
    seed: int = 0,
    keep: str | Sequence[str] = _DEFAULT_KEEP,
    threads: int | None = None,
    time_limit: float | None = None,
    scheme: str | None = None,
    step: float | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    solver: str | None = None,
    algebra: str | None = None,
    options: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    project_start: bool = False,
    contact: Mapping[str, Any] | None = None,
    progress: bool | Callable[[float], Any] | None = None,
) -> EnsembleResult:
    """Integrate a model many times, with other numbers each time, on several threads.

    Parameters
    ----------
    model, t_span, q0, v0
        As in :func:`gnomon.solve`.
    vary : dict
        By name: a parameter of the model; ``start.X``, ``start.der(X)``, ``start.p(X)`` for an entry of the start with
        coordinate ``X``; ``scheme``, ``solver``, ``step``, ``rtol``, ``until``, ``option.NAME``, ``solver-option.NAME``.
        The value is a list of numbers or words, or one of the texts ``"grid(a,b,n)"``, ``"log-grid(a,b,n)"``,
        ``"uniform(a,b)"``, ``"log-uniform(a,b)"``, ``"normal(mean,deviation)"``. There is a run for every combination of
        the lists and grids and, of each of these, for every sample of the others. Where a start varies it is projected
        onto the constraints.
    runs : int
        Samples of the values that are drawn.
    sampling : str
        ``"random"``, ``"latin-hypercube"`` or ``"sobol"``.
    seed : int
        Runs with the same seed get the same numbers, on every machine and with any number of threads.
    keep : str or sequence of str
        What is kept of each run: ``max_energy_error``, ``energy_slope``, ``max_position_error``, ``max_velocity_error``,
        ``max_momentum_error``, ``steps``, ``iterations``, ``refused_steps``, ``events``, ``t_end``, ``seconds``;
        ``q_end``, ``v_end``, ``p_end``, ``outputs_end``; a coordinate ``X``, ``der(X)``, ``p(X)`` or an output at the
        end; ``max(F)``, ``min(F)``, ``mean(F)`` of one of these over the run.
    threads : int, optional
        One for each processor if left out. The results are the same bits for any number of them.
    time_limit : float, optional
        Seconds that one run may compute.
    scheme, step, rtol, atol, solver, algebra, options, parameters, project_start, contact
        As in :func:`gnomon.solve`; references are not taken.
    progress : bool or callable, optional
        As in :func:`gnomon.solve`, of the part of the runs that are done: from 0 to 1.

    Returns
    -------
    EnsembleResult
        One row a run. A run that fails has its status, and does not spoil the others.

    Raises
    ------
    GnomonError
        As in :func:`gnomon.solve`; for names that are not known, with the nearest known ones.
    KeyboardInterrupt
        After Ctrl-C; its attribute ``result`` has the runs that were done.

    Examples
    --------
    >>> e = gn.ensemble("double-spherical-pendulum", (0, 1), step=0.01, vary={"mass2": "uniform(.5,2)"}, runs=100)
    >>> e["max_energy_error"].max() < 1e-14
    True
    """
    t0, t1 = span_of(t_span)
    texts, words = _distributions(vary)
    given = dict(scheme=scheme, solver=solver, algebra=algebra, options=options, parameters=parameters, atol=atol)
    # What varies is chosen by each run: here it has any value.
    given.update(step=1.0 if "step" in texts and step is None else step)
    given.update(rtol=1e-6 if "rtol" in texts and rtol is None else rtol)
    if "scheme" in words and scheme is None:
        given.update(scheme=words["scheme"][0])
    setup = Setup(model, t0, q0, v0, project_start=project_start, contact=contact, first_step=None, max_step=None, **given)
    if setup.is_reference:
        raise RefusedError(f"{setup.scheme} is a reference: ensembles are of schemes")
    own = setup.model._toml
    if own is not None and setup.model._start_names and any(start is not None for start in setup.start):
        own += setup.model._start_text(*setup.start)
    start = [None if one is None else one.tolist() for one in setup.start]
    what = dict(
        problem="model.toml" if own is not None else setup.model.name,
        toml=own,
        parameters=assignments({**setup.model._given, **setup.parameters}),
        t0=t0,
        q0=start[0],
        v0=start[1],
        scheme=setup.scheme,
        solver=setup.solver,
        options=assignments(options) if "scheme" in texts else setup.options,
        solver_options=setup.solver_options,
        contact=setup.contact,
        project_start=project_start,
        step=0.0 if "step" in texts else setup.step or 0.0,
        rtol=setup.rtol or 0.0,
        atol=setup.atol or 0.0,
        until=0.0 if "until" in texts else t1,
        keep=[keep] if isinstance(keep, str) else list(keep),
        time_limit=_positive(time_limit, "time_limit") or 0.0,
        vary=list(texts.items()),
        sampling=sampling,
        runs=_whole(runs, "runs", 1),
        seed=_whole(seed, "seed", 0),
        threads=os.cpu_count() or 1 if threads is None else _whole(threads, "threads", 1),
    )
    with reported(progress, "done", 0.0, 1.0) as shown:
        record = _core.run_ensemble({**what, "progress": shown})
    provenance = {**setup.provenance(), "vary": texts, "until": t1}
    provenance.update({name: what[name] for name in ("sampling", "runs", "seed", "keep")})
    result = EnsembleResult(
        record["columns"], record["values"], record["status"], record["messages"], words, provenance
    )
    if record["raised"] is not None:
        record["raised"].result = result
        raise record["raised"]
    return result


def _distributions(vary: Any) -> tuple[dict[str, str], dict[str, list[str]]]:
    """The texts of distributions, and the lists of words."""
    if not isinstance(vary, Mapping) or not vary:
        raise BadValueError(f"vary = {vary!r} is no dict of names and their values, {{'k': 'uniform(1,9)'}}")
    texts, words = {}, {}
    for name, values in vary.items():
        if isinstance(values, str):
            texts[name] = values
            entries = [one.strip() for one in values[5:-1].split(",")] if values.startswith("list(") else []
        else:
            try:
                entries = [option_text(value) for value in values]
            except TypeError:
                sentence = f"vary: {name} = {values!r} is neither a text such as 'uniform(1,9)' nor a list"
                raise BadValueError(sentence) from None
            if any("," in entry for entry in entries):
                raise BadValueError(f"vary: an entry of {name} = {values!r} has a comma")
            texts[name] = f"list({','.join(entries)})"
        if not all(map(_is_number, entries)):
            words[name] = entries
    return texts, words


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _whole(value: Any, name: str, least: int) -> int:
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= least:
        return int(value)
    raise BadValueError(f"{name} = {value!r} is no whole number of at least {least}")
