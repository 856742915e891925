"""Events of a run as in SciPy: functions of t and y whose zeros are found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .errors import BadValueError

Event = Callable[[float, np.ndarray], float]


class Watcher:
    """Looks at the events after every step, and at the solution inside it where one has changed its sign.

    An event may have ``terminal`` (True, or the number of its zeros after which the run ends) and ``direction`` (1: only
    zeros where it rises, -1: only where it falls), as in :func:`scipy.integrate.solve_ivp`.
    """

    def __init__(self, events: Event | Sequence[Event], t0: float, y0: np.ndarray):
        self.events = [events] if callable(events) else list(events)
        self._values = [float(event(t0, y0)) for event in self.events]
        self.t: list[list[float]] = [[] for _ in self.events]
        self.y: list[list[np.ndarray]] = [[] for _ in self.events]
        self._rows = len(y0)

    def __call__(self, t0: float, t1: float, y1: np.ndarray, at: Callable[[float], np.ndarray]) -> float | None:
        """After the step from t0 to t1; `at` is the solution inside it. The time to end at, or None."""
        found = []
        for number, event in enumerate(self.events):
            before, now = self._values[number], float(event(t1, y1))
            self._values[number] = now
            if now != now:
                raise BadValueError(f"event {number} is nan at t = {t1:g}, expected a number")
            rises = before < 0 <= now or before <= 0 < now
            falls = before > 0 >= now or before >= 0 > now
            direction = getattr(event, "direction", 0)
            # A zero at the end of a step is that step's, not the next one's.
            if before != 0 and ((rises and direction >= 0) or (falls and direction <= 0)):
                found.append((t1 if now == 0 else self._zero(event, t0, t1, at), number))
        for time, number in sorted(found):
            self.t[number].append(time)
            self.y[number].append(y1 if time == t1 else at(time))
            if 0 < int(getattr(self.events[number], "terminal", 0) or 0) <= len(self.t[number]):
                return time
        return None

    @staticmethod
    def _zero(event: Event, t0: float, t1: float, at: Callable[[float], np.ndarray]) -> float:
        from scipy.optimize import brentq

        def value(t: float) -> float:
            return float(event(t, at(t)))

        eps = np.finfo(float).eps
        left, right = value(t0), value(t1)
        if left * right > 0:  # zero, to rounding, at one of the ends
            return t0 if abs(left) < abs(right) else t1
        return float(brentq(value, t0, t1, xtol=4 * eps * max(abs(t0), abs(t1), 1e-300), rtol=4 * eps))

    def results(self) -> dict[str, Any]:
        """t_events and y_events."""
        return dict(
            t_events=[np.array(times) for times in self.t],
            y_events=[np.array(states).reshape(len(states), self._rows) for states in self.y],
        )
