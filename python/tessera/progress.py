"""progress: a line on a terminal, or below a notebook's cell, while a call takes longer than a second.

It says what runs, for how long, and how far it is where that is known (sweeps). It goes away when the call ends. Where
standard error is neither a terminal nor a notebook's there is none, nor after `tessera.configure(progress=False)`.

    with doing("sweep") as line:
        line.note = "3 of 12 runs"

Cost: a few microseconds a call where there is somebody to see it. One thread, started by the first call, looks twice a
second whether there is something to show: a thread for each call would cost more than a call on a small graph.
"""

import sys
import threading
import time

SHOWN_AFTER_SECONDS = 1.0
LOOKS_SECONDS = 0.5

allowed = True  # by configure(progress=...)
_now = None  # the outermost call under way
_lock = threading.Lock()
_watcher = None
_asked = (None, False)  # standard error, and whether somebody sees it: asking costs a system call


def _notebook():
    """IPython's function `display` in a notebook; None elsewhere."""
    there = sys.modules.get("IPython")
    shell = there.get_ipython() if there and hasattr(there, "get_ipython") else None
    if not hasattr(shell, "kernel"):
        return None
    from IPython.display import display

    return display


def wanted() -> bool:
    """Whether there is somebody to see it."""
    global _asked
    if not allowed:
        return False
    if _asked[0] is not sys.stderr:
        _asked = (sys.stderr, _notebook() is not None or bool(getattr(sys.stderr, "isatty", bool)()))
    return _asked[1]


class doing:
    """A call under way: a context manager. `note` may be set at any time. Within another one it shows nothing."""

    __slots__ = ("what", "note", "begin", "shown")

    def __init__(self, what: str) -> None:
        self.what = what
        self.note = ""
        self.shown = None  # what was written, if it was

    def __enter__(self):
        global _now
        self.begin = time.monotonic()
        if _now is None and wanted():
            _now = self
            if _watcher is None:
                _watch()
        return self

    def __exit__(self, *_):
        global _now
        if _now is self:
            with _lock:
                _now = None
                if self.shown is not None:
                    self.shown.write("")

    def _text(self) -> str:
        seconds = int(time.monotonic() - self.begin)
        clock = f"{seconds // 60}:{seconds % 60:02}" if seconds >= 60 else f"{seconds} s"
        return f"{self.what}: {clock}{', ' if self.note else ''}{self.note}"


class _Terminal:
    """A line that is written over."""

    def __init__(self, stream) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        self._stream.write(f"\r\x1b[K{text}")
        self._stream.flush()


class _Cell:
    """A line below a notebook's cell."""

    def __init__(self, display) -> None:
        self._handle = display({"text/plain": ""}, raw=True, display_id=True)

    def write(self, text: str) -> None:
        self._handle.update({"text/plain": text}, raw=True)


def _watch() -> None:
    global _watcher
    _watcher = threading.Thread(target=_look, name="tessera progress", daemon=True)
    _watcher.start()


def _look() -> None:
    while True:
        time.sleep(LOOKS_SECONDS)
        with _lock:
            under_way = _now
            if under_way is None or time.monotonic() - under_way.begin < SHOWN_AFTER_SECONDS:
                continue
            try:
                if under_way.shown is None:
                    display = _notebook()
                    under_way.shown = _Cell(display) if display else _Terminal(sys.stderr)
                under_way.shown.write(under_way._text())
            except (OSError, ValueError):
                return  # the stream was closed


def told(name: str, function):
    """The function, which says that it runs."""

    def telling(*arguments):
        with doing(name.replace("_", " ")):
            return function(*arguments)

    return telling
