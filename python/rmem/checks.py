"""checks: what the reproduction of RMem must reach; each line says the paper's value and ours."""

from nemesys.items import Check
from rmem.figures import Known
from rmem.plan import BELOW, KIB, WAYS

OVERLAP_TO = 64 * KIB
FLAT_SHARE, SATURATED_SHARE = 0.1, 0.9  # of the plateau: where phases end


def write_share(known: Known) -> Check:
    """Against both bare forms; the lower share counts."""
    check = Check("write at 128 KiB, share of the bare portal", str(known.paper["write_share"]), "≥ 0.85", "", None)
    ours, *bare = [known.throughput(way, "write", 128 * KIB) for way in WAYS]
    if ours and all(bare):
        shares = [ours / one for one in bare]
        check.ours = f"{shares[0]:.3f} of single-step, {shares[1]:.3f} of overlapped"
        check.met = min(shares) >= 0.85
    return check


def phases(known: Known) -> Check:
    """A flat foot, a rise, a plateau."""
    paper = f"flat to {known.paper['flat_to'].low:g} KB, saturated above {known.paper['saturates_above'].low:g} KB"
    must = "the three phases, in this order; saturated from 64 KiB on"
    check = Check("write over size", paper, must, "", None)
    points = [(size, value) for size in known.plan.sizes if (value := known.throughput("rmem", "write", size))]
    if len(points) == len(known.plan.sizes) and not known.plan.quick:
        plateau = max(value for _, value in points)
        flat = [size for size, value in points if value <= FLAT_SHARE * plateau]
        saturated = [size for size, value in points if value >= SATURATED_SHARE * plateau]
        values = [value for _, value in points]
        check.ours = f"below {FLAT_SHARE:.0%} of the plateau to {max(flat, default=0)} B, "
        check.ours += f"above {SATURATED_SHARE:.0%} from {min(saturated) / KIB:g} KiB on"
        check.met = bool(flat) and values == sorted(values) and KIB < min(saturated) <= OVERLAP_TO
    return check


def read_gain(known: Known) -> Check:
    """Above single-step up to 64 KiB."""
    check = Check("read against the single-step bare portal, up to 64 KiB", f"up to {known.paper['read_gain']}",
                  "above it by the overlap; how much is reported", "", None)  # fmt: skip
    gains = {}
    for size in known.plan.sizes:
        ours, bare = (known.throughput(way, "read", size) for way in ("rmem", "bare"))
        if ours and bare and size <= OVERLAP_TO:
            gains[size] = ours / bare
    if gains:
        of_paper = {size: gain for size, gain in gains.items() if size not in BELOW} or gains
        best = max(of_paper, key=of_paper.get)
        check.ours = f"{of_paper[best]:.3f} times at {best / KIB:g} KiB, {of_paper[max(of_paper)]:.4f} at 64 KiB"
        check.met = all(gain > 1 for gain in gains.values())
    return check


def read_plateau(known: Known) -> Check:
    """Equal beyond."""
    check = Check("read beyond 64 KiB", "falls to the plateau of NodeOS", "within 5 % of the bare portal", "", None)
    shares = []
    for size in known.plan.sizes:
        ours, bare = (known.throughput(way, "read", size) for way in ("rmem", "bare"))
        if ours and bare and size > OVERLAP_TO:
            shares.append(ours / bare)
    if shares:
        check.ours = f"{min(shares):.4f} to {max(shares):.4f}"
        check.met = all(abs(share - 1) <= 0.05 for share in shares)
    return check


def flat(known: Known) -> Check:
    """Over peers."""
    check = Check("rmem over 1 to 16 peers, 64 KiB", "constant", "the highest within 10 % of the lowest", "", None)
    spreads = {}
    for direction in ("write", "read"):
        totals = [known.total("rmem", direction, peers) for peers in known.plan.peers]
        if all(totals):
            spreads[direction] = max(totals) / min(totals) - 1
    if len(spreads) == 2:
        check.ours = f"write {spreads['write']:.1%}, read {spreads['read']:.1%}"
        judged = not known.plan.quick
        check.met = max(spreads.values()) <= 0.1 if judged else None
        check.ours += "" if judged else " (by a part of the peers)"
    return check


def link(known: Known) -> Check:
    """Not reached."""
    peak = known.paper["link_peak"]
    check = Check("the peak of a link", f"{peak}, not reached", "below it", "", None)
    found = [value for way in WAYS for size in known.plan.sizes for direction in ("write", "read")
             if (value := known.throughput(way, direction, size))]  # fmt: skip
    if found:
        check.ours = f"{max(found):.0f} MB/s"
        check.met = max(found) < peak.low
    return check


def all_of(known: Known) -> list[Check]:
    """In the order of the figures."""
    return [check(known) for check in (write_share, phases, read_gain, read_plateau, flat, link)]
