"""progress_check: long calls show a line on a terminal or in a notebook, short ones and logs do not.

Usage: progress_check.py FOLDER, which has the package tessera with its module. Method: scripts on a terminal of their
own, and through a pipe; a stand-in for IPython.
"""

import os
import pty
import re
import subprocess
import sys
import time
import types
import unittest

FOLDER = sys.argv.pop(1)
sys.path.insert(0, FOLDER)

try:
    import pandas  # noqa: F401

    from tessera import progress
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(0)

# A search from so many sources that it takes seconds, until it is interrupted.
LONG = """
import os, signal, threading, tessera as ts
{before}
g = ts.generate("kron:15")
threading.Timer(3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    ts.betweenness(g)
except KeyboardInterrupt:
    print("interrupted")
"""


def on_terminal(script):
    """Everything that came to the terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", script], env=os.environ | {"PYTHONPATH": FOLDER}, stdin=theirs,
                          stdout=theirs, stderr=theirs) as child:  # fmt: skip
        os.close(theirs)
        text = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # all other ends are closed
                break
            if not part:
                break
            text += part
    os.close(ours)
    assert child.returncode == 0, text
    return text.decode()


class Terminal(unittest.TestCase):
    def test_a_long_call_shows_its_time_and_goes_away(self):
        text = on_terminal(LONG.format(before=""))
        shown = re.findall(r"\r\x1b\[Kbetweenness: (\d) s", text)
        self.assertGreaterEqual(len(shown), 2)
        self.assertEqual(shown, sorted(shown))
        self.assertTrue(text.endswith("\r\x1b[Kinterrupted\r\n"), text)

    def test_not_if_it_is_turned_off(self):
        text = on_terminal(LONG.format(before="ts.configure(places=2)\nts.configure(progress=False)\n"
                                              "assert ts.places() == 2"))  # fmt: skip
        self.assertEqual(text, "interrupted\r\n")

    def test_short_calls_show_nothing(self):
        text = on_terminal("import tessera as ts, time\nfor _ in range(100): ts.bfs(ts.generate('grid:9x9'), 0)\n"
                           "time.sleep(2)")  # fmt: skip
        self.assertEqual(text, "")

    def test_a_log_has_no_such_lines(self):
        done = subprocess.run([sys.executable, "-c", LONG.format(before="")], env=os.environ | {"PYTHONPATH": FOLDER},
                              capture_output=True, text=True, check=True)  # fmt: skip
        self.assertEqual((done.stdout, done.stderr), ("interrupted\n", ""))


class Notebook(unittest.TestCase):
    def setUp(self):
        self.cells = []
        test = self

        class Handle:
            def __init__(self):
                self.texts = []
                test.cells.append(self.texts)

            def update(self, data, *, raw):
                assert raw
                self.texts.append(data["text/plain"])

        display = types.ModuleType("IPython.display")
        display.display = lambda data, *, raw, display_id: Handle() if raw and display_id else None
        shell = types.SimpleNamespace(kernel=object())
        self.modules = {"IPython": types.ModuleType("IPython"), "IPython.display": display}
        self.modules["IPython"].get_ipython = lambda: shell
        sys.modules.update(self.modules)
        progress._asked = (None, False)

    def tearDown(self):
        for name in self.modules:
            del sys.modules[name]
        progress._asked = (None, False)

    def test_a_cell_has_one_line_that_changes(self):
        with progress.doing("sweep") as line:
            time.sleep(1.8)
            line.note = "1 of 2"
            with progress.doing("inside"):
                time.sleep(0.8)
        self.assertEqual(len(self.cells), 1)
        self.assertEqual(self.cells[0][0], "sweep: 1 s")
        self.assertEqual(self.cells[0][-2:], ["sweep: 2 s, 1 of 2", ""])

    def test_short_calls_show_nothing(self):
        for _ in range(1000):
            with progress.doing("nothing"):
                pass
        self.assertEqual(self.cells, [])


if __name__ == "__main__":
    unittest.main()
