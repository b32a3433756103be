"""statistics: every name in docs/use/statistics.md is written by the programs, and they write no other.

Method: the page's program is compiled and run with --stats and --trace, a benchmark with --json; keys, kinds of values
and counts that do not depend on timing are compared with the page's examples and tables. TESS names the `tess` to use.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from listings import blocks_of, programs_of  # noqa: E402

PAGE = Path(__file__).parents[2] / "docs" / "use" / "statistics.md"
TESS = os.environ.get("TESS")
# What a program decides, not timing.
EXACT = ["schema", "program", "fabric", "places", "workers", "threads", "exit_code", "result"]
EXACT_COUNTS = ["words_local", "words_remote", "blocks", "block_bytes"]


def example(title: str) -> object:
    return next(json.loads(block.text) for block in blocks_of(PAGE) if block.title == title)


def names_in_table(heading: str) -> list[str]:
    """First column of the table whose first heading is this."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith(f"| {heading} |"))
    names = []
    for line in lines[begin + 2 :]:
        if not line.startswith("|"):
            break
        names.append(re.match(r"\| `(\w+)`", line)[1])
    return names


def kinds(value: object) -> object:
    """Keys in order and types, without the values."""
    if isinstance(value, dict):
        return {key: kinds(item) for key, item in value.items()}
    if isinstance(value, list):
        return [kinds(item) for item in value]
    return "number" if isinstance(value, int | float) else type(value).__name__


@unittest.skipUnless(TESS, "TESS does not name a tess command")
class Statistics(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        (cls.folder / "counts.cpp").write_text(programs_of(PAGE)["counts"].text)
        cls.tess("c++", "-Wall", "-Wextra", "-Werror", "counts.cpp", "-o", "counts")

    @classmethod
    def tearDownClass(cls) -> None:
        cls.scratch.cleanup()

    @classmethod
    def tess(cls, *words: str) -> str:
        done = subprocess.run([TESS, *words], cwd=cls.folder, check=True, stdout=subprocess.PIPE, text=True)
        return done.stdout

    def run_counts(self, *words: str) -> dict:
        self.assertEqual(self.tess("run", "./counts", *words, "--stats", "counts.json"), "100 words so far\n")
        return json.loads((self.folder / "counts.json").read_text())

    def test_example_is_what_the_program_writes(self) -> None:
        shown = example("counts.json")
        # The example was taken with a thread per place.
        written = self.run_counts("-n", "2", "--threads", "2")
        self.assertEqual(kinds(written), kinds(shown))
        self.assertEqual({name: written[name] for name in EXACT}, {name: shown[name] for name in EXACT})
        for got, wanted in zip([written["counters"], *written["by_place"]],
                               [shown["counters"], *shown["by_place"]], strict=True):
            self.assertEqual({name: got[name] for name in EXACT_COUNTS}, {name: wanted[name] for name in EXACT_COUNTS})

    def test_tables_name_every_key(self) -> None:
        written = self.run_counts("-n", "3", "--fabric", "hostile", "--workers", "2")
        self.assertEqual(list(written), names_in_table("name"))
        self.assertEqual(list(written["counters"]), names_in_table("counter"))
        self.assertEqual(len(written["by_place"]), 3)
        for name in names_in_table("counter"):
            self.assertEqual(written["counters"][name], sum(place[name] for place in written["by_place"]), name)

    def test_trace_events_have_the_keys_of_the_table(self) -> None:
        self.tess("run", "./counts", "-n", "2", "--workers", "2", "--trace", "trace.json")
        trace = json.loads((self.folder / "trace.json").read_text())
        self.assertEqual(list(trace), ["displayTimeUnit", "otherData", "traceEvents"])
        self.assertEqual(list(trace["otherData"]), ["zero_unix_ns"])
        rows = re.findall(r"^\| (.*) \| `([MXi])` \| (.*) \| .* \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
        keys_of = {ph: re.findall(r"`(\w+)`", keys) for _, ph, keys in rows}
        names = {re.sub("FILE:LINE", r"[\\w.]+:\\d+", name) for row in rows for name in re.findall("`(.*?)`", row[0])}
        self.assertGreater(len(trace["traceEvents"]), 100)
        for event in trace["traceEvents"]:
            self.assertEqual(list(event), keys_of[event["ph"]])
            self.assertTrue(any(re.fullmatch(name, event["name"]) for name in names), event["name"])
        self.assertEqual({event["pid"] for event in trace["traceEvents"]}, {0, 1})
        self.assertEqual({event["tid"] for event in trace["traceEvents"]}, {0, 1})

    def test_benchmark_entries_have_the_keys_of_the_table(self) -> None:
        if "spawn" not in self.tess("bench", "--list").split():
            self.skipTest("this build has no benchmarks")
        self.tess("bench", "spawn", "--runs", "1", "--json", "spawn.json")
        written = json.loads((self.folder / "spawn.json").read_text())
        self.assertEqual(kinds(written), kinds(example("spawn.json")))
        self.assertEqual(sorted(written[0]), sorted(names_in_table("key")))


if __name__ == "__main__":
    unittest.main()
