"""axi_memory: a memory with an AXI4 port of 64 bits that uses all that AXI allows: each channel stalls alone, bursts of
different IDs overtake each other and are interleaved, and a word is read or written at any time before it is answered.

It checks its manager: offers stay, bursts have as many words as they say, and none crosses 4 KiB.
"""

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

PAGE = 4096


@dataclass
class Burst:
    """What was requested, and how many words of it are done."""

    id: int
    address: int
    words: int
    done: int = 0


class AxiMemory:
    """Cycle by cycle: `drive` before the outputs are read, `saw` after it."""

    def __init__(self, dut, draw: random.Random, stall: float, read: Callable[[int], int], write: Callable) -> None:
        self.dut, self.draw, self.stall, self.read, self.write = dut, draw, stall, read, write
        self.reads: list[Burst] = []
        self.writes: deque[Burst] = deque()
        self.data: deque[tuple[int, bool]] = deque()
        self.responses: deque[int] = deque()
        self.offered: Burst | None = None
        self.responds = False
        self.waiting: dict[str, tuple] = {}
        self.overtaken = 0
        self.refuses_reads = self.refuses_writes = 0.0  # how often
        self.refused = False  # a response of this cycle says so

    def goes(self) -> bool:
        return self.draw.random() >= self.stall

    def drive(self) -> None:
        """Inputs of this cycle. What was offered once is offered until it is taken, which is always at once."""
        dut, draw = self.dut, self.draw
        self.refused = False
        self.ready = {name: self.goes() for name in ("ar", "aw", "w")}
        for name, ready in self.ready.items():
            getattr(dut, f"{name}_ready_i").value = int(ready)
        # Bursts of one ID stay in their order.
        first = {burst.id: burst for burst in reversed(self.reads)}
        reads = bool(first) and self.goes()
        dut.r_valid_i.value = int(reads)
        if reads:
            burst = draw.choice(list(first.values()))
            self.overtaken += burst is not self.reads[0]
            dut.r_id_i.value, dut.r_data_i.value = burst.id, self.read(burst.address + 8 * burst.done)
            dut.r_resp_i.value = self.response(self.refuses_reads)
            burst.done += 1
            dut.r_last_i.value = int(burst.done == burst.words)
            if burst.done == burst.words:
                self.reads.remove(burst)
        # A write is done, word by word, when its data and its address are here.
        if self.writes and self.data and self.goes():
            burst = self.writes[0]
            data, last = self.data.popleft()
            self.write(burst.address + 8 * burst.done, data)
            burst.done += 1
            assert last == (burst.done == burst.words), "the last word is not said to be it"
            if last:
                self.responses.append(self.writes.popleft().id)
        responds = bool(self.responses) and self.goes()
        dut.b_valid_i.value = int(responds)
        if responds:
            dut.b_id_i.value, dut.b_resp_i.value = self.responses.popleft(), self.response(self.refuses_writes)

    def response(self, refuses: float) -> int:
        """SLVERR or DECERR so often."""
        if self.draw.random() >= refuses:
            return 0
        self.refused = True
        return self.draw.choice([2, 3])

    def stays(self, name: str, item: tuple) -> bool:
        """Whether it is taken; what was offered before must be the same."""
        valid = bool(int(getattr(self.dut, f"{name}_valid_o").value))
        if name in self.waiting:
            assert valid and self.waiting.pop(name) == item, f"{name} was withdrawn or changed"
        if valid and not self.ready[name]:
            self.waiting[name] = item
        return valid and self.ready[name]

    def value(self, port: str) -> int:
        return int(getattr(self.dut, port).value)

    def saw(self) -> None:
        """What moves at the next edge."""
        assert self.value("r_ready_o") and self.value("b_ready_o")
        for name in ("ar", "aw"):
            if not self.value(f"{name}_valid_o"):
                assert name not in self.waiting
                continue
            burst = Burst(*(self.value(f"{name}_{part}_o") for part in ("id", "addr", "len")))
            burst.words += 1
            assert (self.value(f"{name}_size_o"), self.value(f"{name}_burst_o")) == (3, 1)
            constant = [self.value(f"{name}_{part}_o") for part in ("lock", "cache", "prot", "qos")]
            assert constant == [0, 0b0010, 0b010, 0]
            if self.stays(name, (burst.id, burst.address, burst.words)):
                assert burst.address // PAGE == (burst.address + 8 * burst.words - 1) // PAGE, "it crosses 4 KiB"
                (self.reads if name == "ar" else self.writes).append(burst)
        if not self.value("w_valid_o"):
            assert "w" not in self.waiting
            return
        item = (self.value("w_data_o"), bool(self.value("w_last_o")))
        assert self.value("w_strb_o") == 0xFF
        if self.stays("w", item):
            self.data.append(item)

    @property
    def idle(self) -> bool:
        return not (self.reads or self.writes or self.data or self.responses)
