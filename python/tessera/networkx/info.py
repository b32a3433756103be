"""info: what NetworkX shows of the backend in its documentation, by the entry point `networkx.backend_info`."""

from tessera.networkx.rules import FUNCTIONS


def get_info() -> dict:
    """The name and the functions of the backend."""
    return {
        "backend_name": "tessera",
        "project": "tessera",
        "package": "tessera",
        "short_summary": "Parallel graph algorithms of the Tessera runtime.",
        "functions": {name: {} for name in FUNCTIONS},
    }
