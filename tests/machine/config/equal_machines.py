"""equal_machines: dir-N is cni-N with coherent caches instead of network interfaces, and differs in nothing else.

Method: the files of both machines are compared key by key; what may differ is listed here with the reason.
Usage: equal_machines.py TESS_MACHINE
"""

import subprocess
import sys
import tomllib
import unittest

CORES = (4, 16, 32, 64, 128, 256, 512, 1024)
# Keys and tables that one of the two has, or that name it.
DIFFER = {
    "name": "the machine's own",
    "summary": "the machine's own",
    "cni": "the mechanism of one",
    "coherence": "the mechanism of the other",
    "nma": "unused; programs of directories need no accelerators",
    "nca": "unused; the same",
    "addresses.scratchpad_base": "where [cni] has its lines; coherent caches have none",
    "addresses.scratchpad_stride": "the same",
}


def keys_of(table: dict, before: str = "") -> dict[str, object]:
    """Values by dotted key."""
    found: dict[str, object] = {}
    for key, value in table.items():
        found.update(keys_of(value, f"{before}{key}.") if isinstance(value, dict) else {before + key: value})
    return found


def shown(machine: str) -> dict[str, object]:
    """The keys of a machine's file with all that it extends."""
    printed = subprocess.run([TESS_MACHINE, "--show", machine], check=True, capture_output=True, text=True).stdout
    return keys_of(tomllib.loads(printed))


class EqualMachines(unittest.TestCase):
    """One test for each number of cores."""

    def test_everything_but_the_mechanism_is_equal(self) -> None:
        """And each listed difference exists, so that the list grows no longer than needed."""
        for cores in CORES:
            with self.subTest(cores=cores):
                cni, coherent = (shown(f"{kind}-{cores}") for kind in ("cni", "dir"))
                differ = {key for key in cni.keys() | coherent.keys() if cni.get(key) != coherent.get(key)}
                allowed = {key for key in differ for name in DIFFER if key == name or key.startswith(name + ".")}
                found = [f"{key}: {cni.get(key)} and {coherent.get(key)}" for key in sorted(differ - allowed)]
                self.assertEqual(found, [], f"cni-{cores} and dir-{cores}")
                unused = [name for name in DIFFER if not any(f"{key}.".startswith(f"{name}.") for key in differ)]
                self.assertEqual(unused, [], "allowed to differ, but equal")


if __name__ == "__main__":
    TESS_MACHINE = sys.argv.pop()
    unittest.main()
