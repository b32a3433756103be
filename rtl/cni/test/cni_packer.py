"""cni_packer: each header becomes a packet with exactly its bytes in their places, or one end that says why not."""

import random
from collections import deque
from dataclasses import dataclass, field

import cocotb
from cni_structs import ADD, COPY, HEADER_FIELDS, STORE, TRANSFER, packed, unpacked
from streams import interrupted, next_cycle, parameter, reset, settle

JOBS, HEADERS = parameter("JOBS", 64), parameter("HEADERS", 4)
WORD, LINE, MESSAGE_BYTES = 8, 64, 40
ALIGNED_FIELDS = (64, 8, 1)  # word, strobes, last
# The first word of a job is written so long before its header may come.
AHEAD = 1


@dataclass(eq=False)
class Packet:
    """A header, with the words that belong to it and those that must leave."""

    number: int
    header: tuple[int, ...]
    none: int = 0
    start: int = 0  # the first byte in its word of the source
    source: list[int] = field(default_factory=list)  # words of the read, or of the memory of jobs
    fault: int = 0  # of the read, instead of words
    written: int | None = None  # the cycle in which the first word of the memory was written
    left: bool = False  # the header has
    taken: int = 0  # words of the read
    sent: int = 0  # words of the packet

    @property
    def kind(self) -> int:
        return self.header[0]

    @property
    def reads(self) -> bool:
        return self.kind == COPY and not self.none

    def words(self) -> list[tuple[int, int, int]]:
        """What must leave: word, strobes and whether it is the last; other bytes are 0."""
        size = WORD if self.kind == TRANSFER else self.header[3]
        to = 0 if self.kind == TRANSFER else self.header[2] % WORD
        data = b"".join(word.to_bytes(WORD, "little") for word in self.source)[self.start : self.start + size]
        places = range(0, to + size, WORD)
        found = []
        for place in places:
            inside = [byte for byte in range(WORD) if to <= place + byte < to + size]
            word = sum(data[place + byte - to] << 8 * byte for byte in inside)
            found.append((word, sum(1 << byte for byte in inside), int(place == places[-1])))
        return found


def seen_of(word: int, strobes: int, last: int) -> tuple[int, int, int]:
    """A word that leaves, without the bytes that are not written."""
    mask = sum(255 << 8 * byte for byte in range(WORD) if strobes >> byte & 1)
    return word & mask, strobes, last


class Around:
    """Who plans packets, reads and writes words, and takes packets; in the order of headers."""

    def __init__(self, dut, draw: random.Random, stall: float, sink_stall: float) -> None:
        self.dut, self.draw, self.stall, self.sink_stall = dut, draw, stall, sink_stall
        self.planned: deque[Packet] = deque()  # their words are being written, or are
        self.writes: deque[tuple[Packet, int]] = deque()
        self.queue: deque[Packet] = deque()  # headers that were taken
        self.reads: deque[tuple[Packet, int, int]] = deque()  # word and fault
        self.offers_header = self.offers_read = False
        self.waiting: dict[str, tuple] = {}  # offers that must stay
        self.cycles = self.packets = self.failed = self.none = 0
        self.asks = True

    def goes(self) -> bool:
        return self.draw.random() >= self.stall

    def new_packet(self) -> Packet | None:
        draw = self.draw
        busy = [*self.planned, *self.queue]
        kind = draw.choice([COPY, COPY, STORE, ADD, TRANSFER])
        stored = [packet.number for packet in busy if kind != COPY or not packet.reads]
        free = [number for number in range(JOBS) if number not in stored]
        if not free:
            return None
        number, none = draw.choice(free), int(kind == COPY and draw.random() < 0.15)
        address = draw.getrandbits(64)
        if kind == COPY:
            size = draw.choice([LINE - address % LINE, draw.randrange(1, LINE - address % LINE + 1)])
        else:
            size = {STORE: draw.choice([8, 16, 32, 64, draw.randrange(1, MESSAGE_BYTES + 1)]), ADD: WORD}.get(kind)
            size = size or draw.randrange(1, (1 << 16) + 1)
            address = address if draw.random() < 0.3 else address & -WORD
        header = kind, draw.randrange(2), address, size, draw.getrandbits(64)
        packet = Packet(number, header, none)
        if kind == COPY:
            packet.start = draw.randrange(WORD)
            packet.fault = draw.randrange(1, 6) if draw.random() < 0.15 else 0
        words = 1 if kind == TRANSFER or packet.fault else (packet.start + size + WORD - 1) // WORD
        packet.source = [draw.getrandbits(64) for _ in range(words)]
        return packet

    def drive(self) -> None:
        dut, draw = self.dut, self.draw
        if len(self.planned) < 3 and not self.writes and self.asks and self.goes() and (packet := self.new_packet()):
            self.planned.append(packet)
            if packet.kind != COPY:
                self.writes.extend((packet, index) for index in range(len(packet.source)))
        # Words of a job are written one after another, without a stall.
        writes = self.writes.popleft() if self.writes else None
        packet, index = writes or (None, draw.randrange(8))
        if packet and index == 0:
            packet.written = self.cycles
        dut.word_valid_i.value, dut.word_index_i.value = int(writes is not None), index
        dut.word_number_i.value = packet.number if packet else draw.randrange(JOBS)
        dut.word_i.value = packet.source[index] if packet else draw.getrandbits(64)
        head = self.planned[0] if self.planned else None
        if head and (head.kind == COPY or (head.written is not None and self.cycles >= head.written + AHEAD)):
            self.offers_header = self.offers_header or self.goes()
        offered = head if self.offers_header else Packet(draw.randrange(JOBS), (COPY, 0, draw.getrandbits(64), 1, 0))
        dut.header_valid_i.value, dut.header_number_i.value = int(self.offers_header), offered.number
        dut.header_i.value = packed(HEADER_FIELDS, *offered.header)
        dut.header_none_i.value, dut.header_from_i.value = offered.none, offered.start
        self.offers_read = bool(self.reads) and (self.offers_read or self.goes())
        nothing = None, draw.getrandbits(64), draw.choice([0, 0, draw.randrange(6)])
        read = self.reads[0] if self.offers_read else nothing
        dut.read_valid_i.value, dut.read_word_i.value, dut.read_fault_i.value = int(self.offers_read), *read[1:]
        self.ready = {name: draw.random() >= self.sink_stall for name in ("packet", "word", "done")}
        for name, ready in self.ready.items():
            getattr(dut, f"{name}_ready_i").value = int(ready)

    def offer(self, name: str) -> tuple:
        """What is offered at a port, without what means nothing."""
        dut = self.dut
        if name == "packet":
            return int(dut.packet_number_o.value), unpacked(HEADER_FIELDS, int(dut.packet_o.value))
        if name == "word":
            return seen_of(*unpacked(ALIGNED_FIELDS, int(dut.word_o.value)))
        number = int(dut.done_number_o.value)
        return (number,) if self.queue and self.queue[0].none else (number, int(dut.done_o.value))

    def expected(self, name: str, current: Packet) -> tuple | None:
        """What may be offered there now; None: nothing."""
        read = self.offers_read and self.reads[0][0] is current
        if name == "word":
            words = current.words() if current.left else []
            return words[current.sent] if current.sent < len(words) else None
        if name == "packet":
            # Its first word is there, or inside.
            comes = not current.reads or (not current.fault and (read or current.taken))
            return (current.number, current.header) if comes and not current.none and not current.left else None
        if current.none:
            return (current.number,)
        return (current.number, current.fault << 64 | current.source[0]) if current.fault and read else None

    def check(self) -> None:
        """Outputs of this cycle, and what leaves by them."""
        dut, current = self.dut, self.queue[0] if self.queue else None
        assert int(dut.header_ready_o.value) == (len(self.queue) < HEADERS)
        takes = self.offers_read and int(dut.read_ready_o.value)
        if takes:
            assert self.reads[0][0] is current, "a word of another packet was taken"
        moved = None
        for name in ("packet", "word", "done"):
            valid = int(getattr(dut, f"{name}_valid_o").value)
            assert valid or name not in self.waiting, "an offer was withdrawn"
            if not valid:
                continue
            offer = self.offer(name)
            assert current and offer == self.expected(name, current), name
            assert self.waiting.pop(name, offer) == offer, "an offer changed"
            assert moved is None
            moved = name if self.ready[name] else ""
            if not self.ready[name]:
                self.waiting[name] = offer
        if current and current.fault and not current.none:
            assert takes == (moved == "done"), "the fault is the end's"
        if takes:
            self.reads.popleft()
            self.offers_read = False
            current.taken += 1
        if moved == "packet":
            current.left = True
        elif moved == "word":
            current.sent += 1
        if moved == "done" or (moved == "word" and current.sent == len(current.words())):
            assert current.taken == (len(current.source) if current.reads else 0)
            self.queue.popleft()
            self.packets += moved == "word"
            self.failed += bool(moved == "done" and not current.none)
            self.none += current.none

    async def step(self, *, asks: bool = True) -> None:
        self.asks = asks
        self.drive()
        await settle()
        self.check()
        if self.offers_header and int(self.dut.header_ready_o.value):
            packet = self.planned.popleft()
            self.offers_header = False
            self.queue.append(packet)
            if packet.reads:
                self.reads.extend((packet, word, packet.fault) for word in packet.source)
        self.cycles += 1
        await next_cycle(self.dut)

    async def run(self, cycles: int) -> None:
        await reset(self.dut)
        for _ in range(cycles):
            await self.step()
        for _ in range(1000 * HEADERS):
            if not self.planned and not self.queue:
                break
            await self.step(asks=False)
        assert not self.planned and not self.queue and not self.reads, "a packet never left"
        for _ in range(5):
            await self.step(asks=False)


@cocotb.test()
async def each_packet_has_its_words(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    for stall, sink_stall in ((0, 0), (0.1, 0.5), (0.5, 0.1)):
        around = Around(dut, draw, stall, sink_stall)
        await around.run(700)
        assert around.packets > 20 and around.failed > 0 and around.none > 0


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    draw = random.Random(cocotb.RANDOM_SEED)

    async def some(dut) -> None:
        await Around(dut, draw, 0.1, 0.2).run(100)

    await interrupted(dut, some)


@cocotb.test()
async def a_whole_line_takes_ten_cycles(dut):
    """And an aligned word four; with a queue of one header, one more."""
    draw = random.Random(cocotb.RANDOM_SEED)
    for header, cycles in (((COPY, 0, LINE, LINE, 0), 10), ((STORE, 0, LINE, WORD, 0), 4)):
        around = Around(dut, draw, 0, 0)
        numbers = iter(range(1 << 20))

        def next_packet(around: Around = around, header=header, numbers=numbers) -> Packet:
            words = [around.draw.getrandbits(64) for _ in range(header[3] // WORD)]
            return Packet(next(numbers) % JOBS, header, source=words)

        around.new_packet = next_packet
        await around.run(400)
        assert around.packets >= 400 // (cycles + (HEADERS == 1)) - 1
