"""larger_than_memory: `tess run rmem-vector`, one command, no server: its limit, seen from outside, and what is left.

Method: while it runs, the kernel is asked what the process may take and has taken at most. Afterwards the server that
it started must be gone.
"""

import os
import pathlib
import re
import subprocess
import sys
import time

COMMAND = os.environ["TESS"]
ITEM_BYTES = 8


def children(process):
    """The processes below this one, with their commands."""
    found = {}
    for task in pathlib.Path(f"/proc/{process}/task").glob("*/children"):
        for child in task.read_text().split():
            command = pathlib.Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
            found[int(child)] = [word.decode() for word in command]
            found |= children(child)
    return found


def number(file, pattern):
    """The number in the line that begins so, or None."""
    found = re.search(pattern, pathlib.Path(file).read_text())
    return found and int(found[1])


def main():
    """Runs it, and says what was wrong by an AssertionError."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("TESS_RMEM")}
    environment["TESS_RMEM_SIZE"] = "1G"
    program = subprocess.Popen([COMMAND, "run", "rmem-vector"], stdout=subprocess.PIPE, text=True, env=environment)
    limit = peak = 0
    servers = set()
    while program.poll() is None:
        try:
            own = pathlib.Path(f"/proc/{program.pid}/cmdline").read_text().split("\0")
            everyone = children(program.pid) | {program.pid: own}
            for process, words in everyone.items():
                if "memd" in words or pathlib.Path(words[0]).name == "tess-memd":
                    servers.add(process)
                elif pathlib.Path(words[0]).name == "rmem-vector":
                    limit = number(f"/proc/{process}/limits", r"Max address space +(\d+)") or limit
                    peak = max(peak, number(f"/proc/{process}/status", r"VmPeak:\s+(\d+) kB") or 0)
        except (FileNotFoundError, ProcessLookupError):
            pass  # it has just ended
        time.sleep(0.01)
    output = program.stdout.read()
    assert program.returncode == 0, output
    items = int(re.match(r"(\d+) items multiplied, 0 wrong", output)[1])
    assert limit > 0 and items * ITEM_BYTES >= 8 * limit, f"{items} items, a limit of {limit} bytes"
    assert 0 < peak * 1024 <= limit, f"{peak} KiB taken of {limit} bytes"
    assert len(servers) == 1, f"servers: {servers}"
    for _ in range(500):
        if not any(pathlib.Path(f"/proc/{server}").exists() for server in servers):
            break
        time.sleep(0.01)
    else:
        raise AssertionError("the program's own server outlives it")
    print(f"{items * ITEM_BYTES} bytes multiplied with {peak * 1024} bytes of memory, limit {limit}")


if __name__ == "__main__":
    sys.exit(main())
