"""area: what RAE's text counts of its hardware, from the circuit in rtl/rae: bytes of the sub-entries, and comparators.

The paper leaves out the operands of requests and the lines of main entries, and so does the claim; the table has both.
"""

from tessera.papers.rae.measures import Results
from tessera.papers.rae.plan import HARDWARE
from tessera.reproduce import hardware
from tessera.reproduce.checks import Found, Measure
from tessera.reproduce.items import Cell, Item

CIRCUIT = "RAE interface, 64 entries of 64, 64 KB"
KIB = 1024
# Memories of the circuit by their names in it.
SUB_ENTRIES = "i_sub_entries.i_requests.words_q"
MEMORIES = {
    "sub-entries, without operands": SUB_ENTRIES,
    "operands of sub-entries": "i_sub_entries.i_operands.words_q",
    "lines of the interface cache and of main entries": "i_interface_cache.i_lines.words_q",
    "tags of the interface cache": "i_interface_cache.i_tags.words_q",
    "queue of requests": "i_request_queue.i_requests.items_q",
    "lines' addresses in main entries": "i_main_entries.lines_q",
}


def circuit(results: Results) -> hardware.Area | None:
    """What was measured of the interface."""
    return hardware.areas(results, HARDWARE).get(CIRCUIT)


def buffer_kib(results: Results) -> Found | None:
    """The sub-entries of all extended MSHRs."""
    found = circuit(results)
    return found and Found(found["memories"][SUB_ENTRIES] / KIB, f"all memories: {found['bytes'] / KIB:.1f} KiB")


def comparators(results: Results) -> Found | None:
    """Comparisons of two variables of 8 bits or more in the whole interface."""
    found = circuit(results)
    return found and Found(found["comparators"], "of the whole interface; 64 of them in the main entries")


def figure(results: Results) -> Item:
    """The memories of the interface."""
    found = circuit(results)
    rows: list[list[Cell]] = []
    if found:
        rows = [[name, found["memories"][key] / KIB] for name, key in MEMORIES.items()]
    sentences = ["The interface with the parameters of table I. The paper counts the sub-entries, 64 of each of the 64 "
                 "extended MSHRs, and a comparator for each MSHR."]  # fmt: skip
    if found:
        sentences.append(f"On a Virtex-7: {found['LUT']} LUTs, {found['FF']} registers, {found['BRAM']:g} block RAMs.")
    else:
        sentences.append(hardware.not_measured(results))
    return Item(HARDWARE, "Memories of the network interface", ["memory", "KiB"], rows, sentences)


MEASURES: dict[str, Measure] = {"buffer": buffer_kib, "comparators": comparators}
