"""session: where the algorithms run: threads of this process, processes that a launcher started, simulated tiles."""

import atexit
import contextlib
import contextvars
import sys

from tessera import _engine
from tessera import progress as _progress

_current = contextvars.ContextVar("engine", default=_engine)


class _CurrentEngine:
    """The engine that algorithms use: tessera._engine, or that of a simulated machine while a function runs there."""

    def __getattr__(self, name):
        function = getattr(_current.get(), name)
        return _progress.told(name, function) if _progress.wanted() else function


engine = _CurrentEngine()


@contextlib.contextmanager
def on_engine(other):
    """Algorithms of this thread use another engine."""
    before = _current.set(other)
    try:
        yield
    finally:
        _current.reset(before)


def check_integer(name: str, number, least: int, most: int) -> None:
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        raise TypeError(f"{name}={number!r}, expected an integer")
    if not least <= number <= most:
        raise ValueError(f"{name}={number}, expected a number from {least} to {most}")


def configure(places: int | None = None, workers: int = 0, *, progress: bool | None = None) -> None:
    """Sets the places of this process, from the next call on, and whether long calls show their progress.

    Parameters: `places`, from 1 to 65535; `workers` of each place, up to 64, or 0 for the processors divided among the
    places. Without this call there is one place with a worker for each processor, which is the fastest on one host.
    Graphs stay, and are spread over the new places when they are next used. In a job of processes (`init`) it has no
    effect. `progress`: whether a line on a terminal or in a notebook tells what takes longer than a second; with it
    alone the places stay.

    >>> import tessera as ts
    >>> ts.configure(places=2)
    >>> ts.places()
    2
    >>> ts.configure()
    """
    if progress is not None:
        _progress.allowed = progress
        if places is None and workers == 0:
            return
    places = 1 if places is None else places
    check_integer("places", places, 1, 65535)
    check_integer("workers", workers, 0, 64)
    engine.configure(places, workers)


def places() -> int:
    """The number of places."""
    return _engine.places()


def init() -> None:
    """Makes each process that a launcher started a place: `mpirun -n 8 python SCRIPT`.

    To be called by all processes, before any other function. The first process returns and runs the script; the others
    work for it, and leave the script here, with exit code 0, when it ends. Without a launcher it does nothing.
    """
    code = _engine.serve()
    if code is not None:
        sys.exit(code)


# Threads of places must not outlive the interpreter, and other processes wait for the end.
atexit.register(_engine.stop)
