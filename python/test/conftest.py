"""What the tests share."""

import os
import signal
import threading
from contextlib import contextmanager

import gnomon as gn
import pytest


def make_rod(**more):
    """A bob on a rod under gravity, held by a spring along x."""
    return gn.Model(
        coordinates="x y z",
        mass=[1, 1, 1],
        parameters=dict(k=5.0, l=1.0),
        potential="9.81*z + k*x^2/2",
        constraints={"rod": "(x^2+y^2+z^2-l^2)/2"},
        **more,
    )


@contextmanager
def interrupted(after):
    """Ctrl-C after so many seconds, which ends the block: the exception is the value of what this gives."""
    timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        yield caught
    timer.join()


@pytest.fixture
def rod():
    return make_rod()


@pytest.fixture
def start():
    return dict(q0=[1, 0, 0], v0=[0, 1, 0])
