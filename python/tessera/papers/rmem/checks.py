"""checks: what the reproduction of RMem must reach, with the paper's values and ours."""

from tessera.papers.rmem.measures import Results
from tessera.papers.rmem.plan import BELOW, KIB, WAYS
from tessera.reproduce.items import Check

OVERLAP_TO = 64 * KIB
FLAT_SHARE, SATURATED_SHARE = 0.1, 0.9  # shares of the plateau at which the phases end


def write_share(results: Results) -> Check:
    """Write throughput against both bare portals; the lower share counts."""
    check = Check("write at 128 KiB, share of the bare portal", str(results.paper["write_share"]), "≥ 0.85")
    ours, *bare = [results.throughput(way, "write", 128 * KIB) for way in WAYS]
    if ours and all(bare):
        shares = [ours / one for one in bare]
        check.ours = f"{shares[0]:.3f} of single-step, {shares[1]:.3f} of overlapped"
        check.met = min(shares) >= 0.85
    return check


def phases(results: Results) -> Check:
    """The three phases of write throughput over size: flat, rising, saturated."""
    paper = f"flat to {results.paper['flat_to'].low:g} KB, saturated above {results.paper['saturates_above'].low:g} KB"
    must = "the three phases, in this order; saturated from 64 KiB on"
    check = Check("write over size", paper, must)
    points = [(size, value) for size in results.plan.sizes if (value := results.throughput("rmem", "write", size))]
    if len(points) == len(results.plan.sizes) and not results.plan.quick:
        plateau = max(value for _, value in points)
        flat = [size for size, value in points if value <= FLAT_SHARE * plateau]
        saturated = [size for size, value in points if value >= SATURATED_SHARE * plateau]
        values = [value for _, value in points]
        check.ours = f"below {FLAT_SHARE:.0%} of the plateau to {max(flat, default=0)} B, "
        check.ours += f"above {SATURATED_SHARE:.0%} from {min(saturated) / KIB:g} KiB on"
        check.met = bool(flat) and values == sorted(values) and KIB < min(saturated) <= OVERLAP_TO
    return check


def read_gain(results: Results) -> Check:
    """Read throughput up to 64 KiB is above that of the single-step bare portal."""
    check = Check("read against the single-step bare portal, up to 64 KiB", f"up to {results.paper['read_gain']}",
                  "above it by the overlap; the gain is reported")  # fmt: skip
    gains = {}
    for size in results.plan.sizes:
        ours, bare = (results.throughput(way, "read", size) for way in ("rmem", "bare"))
        if ours and bare and size <= OVERLAP_TO:
            gains[size] = ours / bare
    if gains:
        of_paper = {size: gain for size, gain in gains.items() if size not in BELOW} or gains
        best = max(of_paper, key=of_paper.get)
        check.ours = f"{of_paper[best]:.3f} times at {best / KIB:g} KiB, {of_paper[max(of_paper)]:.4f} at 64 KiB"
        check.met = all(gain > 1 for gain in gains.values())
    return check


def read_plateau(results: Results) -> Check:
    """Read throughput beyond 64 KiB equals that of the bare portal."""
    check = Check("read beyond 64 KiB", "falls to the plateau of NodeOS", "within 5 % of the bare portal")
    shares = []
    for size in results.plan.sizes:
        ours, bare = (results.throughput(way, "read", size) for way in ("rmem", "bare"))
        if ours and bare and size > OVERLAP_TO:
            shares.append(ours / bare)
    if shares:
        check.ours = f"{min(shares):.4f} to {max(shares):.4f}"
        check.met = all(abs(share - 1) <= 0.05 for share in shares)
    return check


def flat(results: Results) -> Check:
    """Throughput is constant over peers."""
    check = Check("rmem over 1 to 16 peers, 64 KiB", "constant", "the highest within 10 % of the lowest")
    spreads = {}
    for direction in ("write", "read"):
        totals = [results.total("rmem", direction, peers) for peers in results.plan.peers]
        if all(totals):
            spreads[direction] = max(totals) / min(totals) - 1
    if len(spreads) == 2:
        check.ours = f"write {spreads['write']:.1%}, read {spreads['read']:.1%}"
        judged = not results.plan.quick
        check.met = max(spreads.values()) <= 0.1 if judged else None
        check.ours += "" if judged else " (by a part of the peers)"
    return check


def link(results: Results) -> Check:
    """The peak of a link is not reached."""
    peak = results.paper["link_peak"]
    check = Check("the peak of a link", f"{peak}, not reached", "below it")
    found = [value for way in WAYS for size in results.plan.sizes for direction in ("write", "read")
             if (value := results.throughput(way, direction, size))]  # fmt: skip
    if found:
        check.ours = f"{max(found):.0f} MB/s"
        check.met = max(found) < peak.low
    return check


def all_of(results: Results) -> list[Check]:
    """All checks, in the order of the figures."""
    return [check(results) for check in (write_share, phases, read_gain, read_plateau, flat, link)]
