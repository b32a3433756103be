"""gdb_commands: the commands of share/gdb/tess.py list the tasks of a program that stalls, and of one that crashed.

Method: gdb runs a program of tests/runtime to the point in question and executes the commands; the folder of the
programs is the first argument.
"""

import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(sys.argv.pop(1))
SCRIPT = ROOT / "share/gdb/tess.py"
ENVIRONMENT = {**os.environ, "TESS_FABRIC": "smp", "TESS_PLACES": "2", "TESS_WORKERS": "1", "TESS_STALL_TIMEOUT": "0"}


def line_of(source, comment):
    for number, line in enumerate((ROOT / "tests/runtime" / source).read_text().splitlines(), 1):
        if comment in line:
            return f"{source}:{number}"
    raise AssertionError(f"no `{comment}` in {source}")


def gdb(*arguments):
    done = subprocess.run(["gdb", "-batch", "-nx", "-x", SCRIPT, *arguments], env=ENVIRONMENT, capture_output=True,
                          text=True, timeout=100, stdin=subprocess.DEVNULL)
    return done.stdout + done.stderr


class Gdb(unittest.TestCase):
    def test_lists_waiting_tasks_of_a_process_that_it_is_attached_to(self):
        with subprocess.Popen([PROGRAMS / "stalling_program", "counter"], env=ENVIRONMENT,
                              stderr=subprocess.DEVNULL) as program:
            try:
                time.sleep(1)
                said = gdb("-p", str(program.pid), "-ex", "tess tasks", "-ex", "tess tasks 1", "-ex", "tess task 64")
            finally:
                program.send_signal(signal.SIGKILL)
        if "Operation not permitted" in said:
            self.skipTest("the kernel lets only root attach: /proc/sys/kernel/yama/ptrace_scope")
        waits = f"waits for counter at {line_of('stalling_program.cpp', 'the line that the report names')} in "
        self.assertRegex(said, rf"place 1 worker 0  0x[0-9a-f]+  {waits}", said)
        # Once among all tasks, once among those of place 1.
        self.assertEqual(said.count(waits), 2, said)
        self.assertRegex(said, r"place 0 worker 0  0x[0-9a-f]+  waits for at at stalling_program.cpp:", said)
        self.assertIn("    awaited at stalling_program.cpp:", said)
        self.assertIn("tess task: no task of this process has its frame at 0x40", said)

    def test_lists_the_task_that_crashed(self):
        said = gdb("-ex", "run", "-ex", "tess tasks", "--args", PROGRAMS / "ending_program", "null")
        self.assertIn("SIGSEGV", said)
        at = line_of("ending_program.cpp", "before the end")
        self.assertRegex(said, rf"place 0 worker 0  0x[0-9a-f]+  runs, after its co_await at {at} in ", said)
        self.assertIn(f"awaited at {line_of('ending_program.cpp', 'main' + chr(39) + 's end')}", said)

    def test_says_what_is_missing(self):
        said = gdb("-ex", "start", "-ex", "tess tasks", "--args", PROGRAMS / "ending_program", "null")
        self.assertIn("no job runs", said)
        self.assertIn("not a Tessera program", gdb("-ex", "tess tasks", "--args", "/bin/true"))


if __name__ == "__main__":
    unittest.main()
