"""Work that may crash, in a process of its own."""

from __future__ import annotations

import faulthandler
import os
import pickle
import resource
import signal
import warnings
from collections.abc import Callable
from typing import Any

from .errors import FileError

SECONDS = 60  # of computing
SECONDS_OF_WAITING = 300  # by the clock, as for a lock in memory that a damaged file has overwritten


def in_own_process(what: str, work: Callable[[], Any]) -> Any:
    """What ``work()`` returns or raises; a ``FileError`` about ``what`` where it ends the process that it runs in."""
    receiver, sender = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the process runs nothing that waits for another thread
        child = os.fork()
    if child == 0:
        _work_and_end(sender, work)
    os.close(sender)
    with os.fdopen(receiver, "rb") as stream:
        data = stream.read()
    status = os.waitpid(child, 0)[1]
    if status != 0:
        by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
        ends = {signal.SIGPROF: "computes for more than a minute", signal.SIGALRM: "does not come to an end"}
        how = ends.get(by, "crashes")
        end = f" ({signal.strsignal(by)})" if by else ""
        raise FileError(f"{what} is damaged: the HDF5 library {how} when it reads it{end}")
    result, error = pickle.loads(data)
    if error is not None:
        raise error
    return result


def _work_and_end(sender: int, work: Callable[[], Any]) -> None:
    status = 1
    try:
        faulthandler.disable()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, SECONDS_OF_WAITING)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what libraries print about a crash helps nobody
        try:
            outcome = (work(), None)
        except Exception as error:
            error.__cause__ = error.__context__ = None
            outcome = (None, error)
        with os.fdopen(sender, "wb") as stream:
            pickle.dump(outcome, stream, protocol=5)
        status = 0
    finally:
        os._exit(status)
