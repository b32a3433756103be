"""checks: what is measured for each claim of RMem (reference/rmem_claims.csv), by the claim's name."""

import itertools
import math
from collections.abc import Callable

from tessera.papers.rmem.measures import Results
from tessera.papers.rmem.plan import BELOW, BEYOND, DIRECTIONS, KIB, SYSTEMS, WAYS
from tessera.reproduce.checks import Found, Measure

OVERLAP_TO = 64 * KIB
WRITTEN = 128 * KIB


def write_share(results: Results) -> Found | None:
    """Write throughput beside both bare portals; the lower share counts."""
    ours, *bare = [results.throughput(way, "write", WRITTEN) for way in WAYS]
    if not ours or not all(bare):
        return None
    shares = [ours / one for one in bare]
    return Found(min(shares), f"{shares[0]:.3f} of single-step, {shares[1]:.3f} of overlapped")


def writes(results: Results) -> list[tuple[int, float]]:
    """Size and throughput of every write; empty if one is missing."""
    points = [(size, results.throughput("rmem", "write", size)) for size in results.plan.sizes]
    return [] if None in [value for _, value in points] else points


def flat_to(results: Results) -> Found | None:
    """KiB of the largest write below a small share of the plateau."""
    points = writes(results)
    limit = results.paper["flat_share"].low / 100 * max((value for _, value in points), default=0)
    flat = [size for size, value in points if value <= limit]
    return Found(max(flat, default=0) / KIB) if points else None


def saturates_from(results: Results) -> Found | None:
    """KiB of the smallest write above a large share of the plateau."""
    points = writes(results)
    limit = results.paper["saturated_share"].low / 100 * max((value for _, value in points), default=0)
    return Found(min(size for size, value in points if value >= limit) / KIB) if points else None


def write_rises(results: Results) -> Found | None:
    """Steps to a larger write that is slower."""
    values = [value for _, value in writes(results)]
    return Found(sum(b < a for a, b in zip(values, values[1:], strict=False))) if values else None


def read_gains(results: Results) -> dict[int, float]:
    """Read throughput over that of the single-step bare portal, by size; empty if one is missing."""
    pairs = {size: [results.throughput(way, "read", size) for way in ("rmem", "bare")] for size in results.plan.sizes}
    return {} if any(None in pair for pair in pairs.values()) else {size: a / b for size, (a, b) in pairs.items()}


def read_gain(results: Results) -> Found | None:
    """The gain at 64 KiB, where the paper has its largest."""
    gains = {size: gain for size, gain in read_gains(results).items() if size <= OVERLAP_TO and size not in BELOW}
    if OVERLAP_TO not in gains:
        return None
    best = max(gains, key=gains.get)
    return Found(gains[OVERLAP_TO], f"the largest: {gains[best]:.4f} at {best / KIB:g} KiB")


def read_peak(results: Results) -> Found | None:
    """KiB of the paper's size with the largest gain."""
    gains = {size: gain for size, gain in read_gains(results).items() if size not in BELOW}
    return Found(max(gains, key=gains.get) / KIB) if gains else None


def read_top(results: Results) -> Found | None:
    """KiB of the paper's size with the highest throughput."""
    found = {size: results.throughput("rmem", "read", size) for size in results.plan.sizes if size not in BELOW}
    if None in found.values():
        return None
    words = ", ".join(f"{value:.0f} with {size / KIB:g} KiB" for size, value in found.items() if size >= OVERLAP_TO)
    return Found(max(found, key=found.get) / KIB, f"MB/s: {words}")


def read_after(pick: Callable[..., float]) -> Measure:
    """The least or largest gain beyond 64 KiB."""

    def measure(results: Results) -> float | None:
        gains = [gain for size, gain in read_gains(results).items() if size > OVERLAP_TO]
        return pick(gains) if gains else None

    return measure


def peers(direction: str) -> Measure:
    """The highest over the lowest total throughput of all numbers of peers."""

    def measure(results: Results) -> Found | None:
        totals = {count: results.total("rmem", direction, count) for count in results.plan.peers}
        if None in totals.values():
            return None
        words = ", ".join(f"{value:.0f} with {count}" for count, value in totals.items())
        return Found(max(totals.values()) / min(totals.values()), f"MB/s: {words}")

    return measure


def peers_gap(direction: str) -> Measure:
    """The highest share of the bare portal over the lowest, of all numbers of peers."""

    def measure(results: Results) -> Found | None:
        pairs = {count: [results.total(way, direction, count) for way in ("rmem", "bare")]
                 for count in results.plan.peers}  # fmt: skip
        if any(None in pair for pair in pairs.values()):
            return None
        shares = {count: ours / bare for count, (ours, bare) in pairs.items()}
        words = ", ".join(f"{share:.3f} with {count}" for count, share in shares.items())
        return Found(max(shares.values()) / min(shares.values()), words)

    return measure


def link_peak(results: Results) -> Found | None:
    """The highest throughput of any run: of one peer with each size, and of several together."""
    kinds = list(itertools.product((*WAYS, *BEYOND), DIRECTIONS, SYSTEMS))
    found = {f"{system}, {way}, {direction} of {size / KIB:g} KiB": results.throughput(way, direction, size, system)
             for way, direction, system in kinds for size in results.plan.sizes}  # fmt: skip
    found |= {f"{system}, {way}, {direction}, {count} peers": results.total(way, direction, count, system)
              for way, direction, system in kinds for count in results.plan.peers}  # fmt: skip
    found = {name: value for name, value in found.items() if value}
    if not found:
        return None
    best = max(found, key=found.get)
    return Found(found[best], best)


def write_linear(results: Results) -> Found | None:
    """The power of the size by which throughput grows from 2 to 64 KiB."""
    found = dict(writes(results))
    small, large = 2 * KIB, OVERLAP_TO
    if small not in found or large not in found:
        return None
    return Found(math.log(found[large] / found[small]) / math.log(large / small),
                 f"{found[small]:.4g} and {found[large]:.4g} MB/s")  # fmt: skip


def configured(pick: Callable[[dict], float]) -> Measure:
    """A value of the machine file."""
    return lambda results: Found(pick(results.machine), judged=True)


MEASURES: dict[str, Measure] = {
    "write_share": write_share,
    "flat_to": flat_to,
    "saturates_from": saturates_from,
    "write_rises": write_rises,
    "write_linear": write_linear,
    "read_gain": read_gain,
    "read_peak": read_peak,
    "read_top": read_top,
    "read_after_least": read_after(min),
    "read_after_most": read_after(max),
    "peers_write": peers("write"),
    "peers_read": peers("read"),
    "peers_gap_write": peers_gap("write"),
    "peers_gap_read": peers_gap("read"),
    "link_peak": link_peak,
    "link_mbs": configured(lambda of: of["network"]["link_bytes"] * of["clocks"]["network_mhz"]),
    "compute_clusters": configured(lambda of: of["grid"]["width"] * of["grid"]["height"] - len(of["memory"]["tiles"])),
    "io_clusters": configured(lambda of: len(of["memory"]["tiles"])),
    "elements": configured(lambda of: of["harts"]["application"]),
    "managers": configured(lambda of: of["harts"]["system"]),
    "scratchpad_bytes": configured(lambda of: of["tile"]["tlm_bytes"]),
    "l1_bytes": configured(lambda of: of["l1_data"]["way_bytes"] * of["l1_data"]["ways"]),
    "core_mhz": configured(lambda of: of["clocks"]["tile_mhz"]),
}
