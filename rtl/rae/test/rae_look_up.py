"""rae_look_up: what becomes of each request, and when, against its rules in Python, with random answers and stalls."""

import random
from collections import Counter

import cocotb
from streams import interrupted, next_cycle, parameter, reset, settle

LOOK_UP_CYCLES = parameter("LOOK_UP_CYCLES", 1)
ENTRY_WIDTH, LINE_WIDTH = parameter("ENTRY_WIDTH", 6), parameter("LINE_WIDTH", 25)
# How often each of these is high, in most cycles and in some phases.
CHANCES = {"frozen": 0.1, "ended": 0.2, "hit": 0.3, "found": 0.3, "open": 0.6, "has_free": 0.7}
CHANCES |= {"core_ready": 0.6, "fetch_ready": 0.5, "store_waits": 0.2}
TOLD = ("hit", "entered", "merged", "stalled")


class Rules:
    """The request at the head of the queue, and the fetch that is offered."""

    def __init__(self) -> None:
        self.age: int | None = None  # cycles since the tag was read
        self.blocked = self.counted = False
        self.fetch: tuple[int, int] | None = None
        self.told = dict.fromkeys(TOLD, 0)

    def decision(self, wrong: int, at: dict[str, int]) -> str:
        """What happens to it in this cycle."""
        if at["frozen"] or self.age != LOOK_UP_CYCLES:
            return ""
        if wrong:
            return "core"
        if at["found"]:
            return "join" if at["open"] else "wait"
        if at["hit"]:
            return "core"
        if not at["has_free"]:
            return "wait"
        fetches = (self.fetch is None or at["fetch_ready"]) and not at["store_waits"]
        return "take" if fetches else ""

    def step(self, decision: str, wrong: int, line: int, entry: int, reads: bool, at: dict[str, int]) -> bool:
        """The clock edge; whether the request has left."""
        leaves = decision in ("join", "take") or (decision == "core" and bool(at["core_ready"]))
        self.told = {
            "hit": int(decision == "core" and leaves and not wrong),
            "entered": int(decision == "take"),
            "merged": int(decision == "join"),
            "stalled": int(decision == "wait" and not self.counted),
        }
        if self.fetch is not None and at["fetch_ready"]:
            self.fetch = None
        if decision == "take":
            self.fetch = (entry, line)
        if leaves or decision == "wait" or at["frozen"]:
            self.age = None
        elif reads:
            self.age = 1
        elif self.age is not None and self.age < LOOK_UP_CYCLES:
            self.age += 1
        self.blocked = (self.blocked or decision == "wait") and not at["ended"]
        self.counted = (self.counted or decision == "wait") and not leaves
        return leaves


@cocotb.test()
async def follows_its_rules(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    dut.head_i.value = 0
    await reset(dut)
    rules = Rules()
    head: tuple[int, int] | None = None
    happened: Counter = Counter()
    chances = CHANCES
    for cycle in range(6000):
        if cycle % 200 == 199:
            chances = {name: draw.choice([chance, 0.05, 0.95]) for name, chance in CHANCES.items()}
        if head is None and draw.random() < 0.7:
            head = (int(draw.random() < 0.1), draw.getrandbits(LINE_WIDTH))
        wrong, line = head or (draw.randrange(2), draw.getrandbits(LINE_WIDTH))
        entry = draw.getrandbits(ENTRY_WIDTH)
        at = {name: int(draw.random() < chance) for name, chance in chances.items()}
        for name, value in at.items():
            getattr(dut, f"{name}_i").value = value
        dut.head_i.value, dut.wrong_i.value, dut.line_i.value = int(head is not None), wrong, line
        dut.free_entry_i.value = entry
        await settle()
        assert {name: int(getattr(dut, f"{name}_o").value) for name in TOLD} == rules.told
        assert int(dut.blocked_o.value) == rules.blocked
        assert int(dut.fetch_valid_o.value) == (rules.fetch is not None)
        if rules.fetch is not None:
            assert (int(dut.fetch_entry_o.value), int(dut.fetch_line_o.value)) == rules.fetch
        reads = head is not None and rules.age is None and not rules.blocked and not at["frozen"]
        assert int(dut.tag_read_o.value) == reads
        decides = not at["frozen"] and rules.age == LOOK_UP_CYCLES
        assert int(dut.may_take_o.value) == decides
        assert int(dut.may_enter_o.value) == (decides and bool(at["open" if at["found"] else "has_free"]))
        decision = rules.decision(wrong, at)
        done = {"core": dut.core_valid_o, "join": dut.join_o, "take": dut.take_o}
        assert {name: int(port.value) for name, port in done.items()} == {name: int(name == decision) for name in done}
        leaves = rules.step(decision, wrong, line, entry, reads, at)
        assert int(dut.leaves_o.value) == leaves
        happened[decision] += 1
        if leaves:
            head = None
        await next_cycle(dut)
    assert min(happened[name] for name in ("core", "join", "take", "wait")) > 3, happened


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, follows_its_rules.func)
