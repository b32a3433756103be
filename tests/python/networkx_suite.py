"""networkx_suite: NetworkX's own tests, from its wheel, pass with every call that the backend can do done by it.

Usage: networkx_suite.py FOLDER [PYTEST ARGUMENTS], which has the package tessera with its module. A test that fails
with the backend is run once more without it: only those that pass then are failures of ours.
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


def main():
    folder, *more = sys.argv[1:]
    for needed in ("networkx", "pytest", "xdist", "scipy"):
        if importlib.util.find_spec(needed) is None:
            print(f"skipped: no {needed}")
            return 0
    import networkx

    os.environ["PYTHONPATH"] = os.path.abspath(folder)
    output, failed = run(more or ["networkx", "-n", "2"], backend=True)
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
