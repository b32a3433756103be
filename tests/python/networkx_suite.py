"""networkx_suite: NetworkX's own tests, from its wheel, pass with every call that the backend can do done by it.

Usage: networkx_suite.py FOLDER [--few | PYTEST ARGUMENTS], which has the package tessera with its module; `--few` runs
the tests of the modules whose functions the backend has. A test that fails with the backend is run once more without
it: only those that pass then are failures of ours.
"""

import importlib.util
import os
import re
import subprocess
import sys
import tempfile


def run(arguments, backend):
    """What pytest printed, and the tests that failed."""
    environment = dict(os.environ)
    for name in ("NETWORKX_TEST_BACKEND", "NETWORKX_FALLBACK_TO_NX", "NETWORKX_BACKEND_PRIORITY"):
        environment.pop(name, None)
    if backend:
        environment |= {"NETWORKX_TEST_BACKEND": "tessera", "NETWORKX_FALLBACK_TO_NX": "True"}
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run([sys.executable, "-m", "pytest", "--pyargs", *arguments, "-q", "-p", "no:cacheprovider",
                              "--tb=short", "-rfE"], env=environment, cwd=folder, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", ran.stdout, re.MULTILINE)
    if ran.returncode > 1 or not re.search(r"\d+ passed", ran.stdout) and not failed:
        sys.exit(f"pytest ended with {ran.returncode}:\n{ran.stdout}")
    return ran.stdout, failed


def tests_of_the_backend():
    """Files and folders of NetworkX that test what the backend has."""
    from networkx.utils.backends import _registered_algorithms, backend_info

    chosen = set()
    for name in backend_info["tessera"]["functions"]:
        module = sys.modules[_registered_algorithms[name].__module__].__file__
        folder = os.path.join(os.path.dirname(module), "tests")
        own = os.path.join(folder, "test_" + os.path.basename(module))
        chosen.add(own if os.path.exists(own) else folder)
    return sorted(chosen)


def main():
    folder, *more = sys.argv[1:]
    for needed in ("networkx", "pytest", "xdist", "scipy"):
        if importlib.util.find_spec(needed) is None:
            print(f"skipped: no {needed}")
            return 0
    # NetworkX finds backends when it is imported.
    os.environ["PYTHONPATH"] = os.path.abspath(folder)
    sys.path.insert(0, os.environ["PYTHONPATH"])
    import networkx

    wanted = [*tests_of_the_backend(), "-n", "2"] if more == ["--few"] else more or ["networkx", "-n", "2"]
    output, failed = run(wanted, backend=True)
    ours = []
    if failed:
        root = os.path.dirname(networkx.__file__)
        alone = [os.path.join(root, test) for test in failed]
        _, both = run([*alone, "-n", "2"], backend=False)
        ours = [test for test in failed if not any(other.endswith(test) for other in both)]
    print(output if ours else output.strip().splitlines()[-1])
    for test in ours:
        print(f"fails with the backend only: {test}")
    return 1 if ours else 0


if __name__ == "__main__":
    sys.exit(main())
