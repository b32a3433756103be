"""cni: a whole interface: each job has the packets that it must have, with their bytes, and ends once; nothing is left.
"""

import random
from collections import deque

import cocotb
from cni_tile import (
    ACKNOWLEDGEMENT,
    ADD,
    ALL,
    BUSY,
    COMMAND,
    COPY,
    COUNTER,
    DONE,
    FORBIDDEN,
    LINE,
    LOOK,
    MATCH,
    NOWHERE,
    OF_COMMANDS,
    OF_COPIES,
    OF_EVENTS,
    OF_WORDS,
    PUT,
    QUEUE,
    REGIONS,
    STORE,
    THIRD,
    TRANSFER,
    WRONG,
    Job,
    Line,
    Store,
    byte_at,
    code_of,
    home_of,
    may,
    refusal,
    remote,
    word_at,
)
from streams import happened, interrupted, next_cycle, parameter, reset, settle

JOBS, TILE, TILE_BITS = parameter("JOBS", 64), 1, parameter("TILE_BITS", 10)
ENTRIES, COPY_PACKETS, POSTED = parameter("ENTRIES", 16), parameter("COPY_PACKETS", 8), parameter("POSTED", 8)
SHARE = JOBS // 4
WORDS = 0x5_0000  # where words of the port `word` go
INPUTS = ("store", "ring_answer", "set", "region_ask", "home_answer", "copy", "word", "written", "posted",
          "posted_done", "read_word", "done")  # fmt: skip
OUTPUTS = {
    "ring": ("ring_o",),
    "result": ("result_o",),
    "region_answer": ("region_allowed_o", "region_code_o", "region_way_o"),
    "home": ("home_address_o", "home_bytes_o"),
    "answer": ("answer_source_o", "answer_carries_o", "acknowledged_address_o", "acknowledged_value_o"),
    "local": ("acknowledged_address_o", "acknowledged_value_o"),
    "read": ("read_address_o", "read_bytes_o"),
    "packet": ("packet_posted_o", "packet_number_o", "packet_o"),
    "data": ("data_o",),
    "ended": ("ended_o",),
}
USUAL = {"stall": 0.3, "store": 0.7, "command": 9, "copy": 0.1, "word": 0.1, "written": 0.2, "posted": 0.3, "ask": 0.05,
         "set": 0.02, "done": 0.3, "wrong": 0.1, "unread": 0.03, "noise": 1}  # fmt: skip


def fields(value: int, *widths: int) -> list[int]:
    """Those of a packed struct, the first one first."""
    found = []
    for width in reversed(widths):
        found.append(value & ((1 << width) - 1))
        value >>= width
    return found[::-1]


class Bench:
    """All that is around the interface, and the jobs that are not at their ends."""

    def __init__(self, dut, **rates: float) -> None:
        self.dut, self.rates, self.draw = dut, USUAL | rates, random.Random(cocotb.RANDOM_SEED)
        kinds = [COMMAND, COMMAND, COUNTER, COUNTER, COUNTER, QUEUE, QUEUE, MATCH, MATCH]
        self.lines = [Line(self.draw, kind, 0x1_4000 + 0x400 * i) for i, kind in enumerate(kinds)]
        self.weights = [self.rates["command"] if line.kind == COMMAND else 1 for line in self.lines]
        self.memory: dict[int, int] = {}
        self.slot, self.mark, self.asks = 0, 0, True
        self.driven: dict[str, int] = {}
        self.kept: dict[str, list[int]] = {}
        self.offers: dict[str, object] = {}
        self.inside: Store | None = None
        self.tentative: list[Job] = []
        self.room_at_store = (0, 0)
        self.ring = self.home = self.question = self.sound = None
        self.shorts: dict[str, deque[Job]] = {"line": deque(), "third": deque(), "word": deque()}
        self.live: list[Job] = []
        self.refused: list[tuple[int, int, int, int]] = []
        self.planned: deque[tuple[Job, tuple[int, int, int]]] = deque()
        self.beats: deque[tuple[int, int, Job]] = deque()
        self.read_seen = False
        self.packet: tuple | None = None
        self.data: list[tuple[int, int]] = []
        self.flying: list[Job] = []
        self.posted: deque[tuple[int, bytes]] = deque()
        self.posted_end = self.posted_flying = 0
        self.answering: tuple | None = None
        self.locally: tuple[int, int] | None = None
        self.seen: dict[str, int] = {}
        self.cycle = 0
        self.at: dict[str, list[int]] = {}  # in which cycles it was accepted, or offered first

    def happens(self, what: str = "") -> bool:
        return self.draw.random() < (self.rates[what] if what else 1 - self.rates["stall"])

    def saw(self, what: str) -> None:
        self.seen[what] = self.seen.get(what, 0) + 1

    def source(self, *, here: bool) -> int:
        """Where a copy begins: bytes that no other one reads now."""
        draw = self.draw
        self.slot = (self.slot + 1) % 100
        if draw.random() < 0.15:
            return NOWHERE if here else draw.choice([FORBIDDEN, NOWHERE, 0x2_9000, 0x2_9000])
        base = draw.choice([0x1_0000, 0x8_0000, 0xA_0000, 0xA_0000] + ([] if here else [0xC_0000, 0xC_0000]))
        return base + 512 * self.slot + draw.randrange(64)

    # Inputs.

    def put(self, **inputs: int) -> None:
        """Values of inputs; only changes cost time."""
        for name, value in inputs.items():
            if self.driven.get(name) != value:
                self.driven[name] = value
                getattr(self.dut, name).value = value

    def drive(self) -> None:
        self.put(**{f"{name}_ready_i": int(self.happens()) for name in OUTPUTS})
        self.drive_store()
        self.drive_answers()
        for name in ("copy", "word", "written", "posted", "region_ask", "set"):
            rate = {"region_ask": "ask"}.get(name, name)
            if name not in self.offers and self.asks and self.happens(rate):
                self.offers[name] = getattr(self, f"next_{name}")()
            self.put(**{f"{name}_valid_i": int(name in self.offers)})
        self.drive_done()

    def drive_store(self) -> None:
        dut, draw = self.dut, self.draw
        if "store" not in self.offers and self.inside is None and self.asks and self.happens("store"):
            self.offers["store"] = draw.choices(self.lines, self.weights)[0].store(self)
        self.put(store_valid_i=int("store" in self.offers))
        store = self.offers.get("store", self.inside)
        if store is None:
            return
        packed = store.line.kind
        offset, size = 8 * store.number, 8 * len(store.data)
        parts = (store.by, 2), (offset, 6), (size, 7), (store.data[0], 64), (store.line.tag, 64)
        for value, width in parts:
            packed = packed << width | value
        self.put(store_i=packed, words_i=sum(word << 64 * i for i, word in enumerate(store.line.words)))
        item, number = store.item or store.data, int(dut.item_number_o.value)
        self.put(item_word_i=item[number] if number < len(item) else 0)

    def drive_answers(self) -> None:
        draw = self.draw
        answers = self.ring is not None and self.happens()
        self.put(ring_answer_valid_i=int(answers), ring_plain_i=1)
        if answers:
            action, address, size = self.ring
            places, self.ring = range(address, address + size, 8), None
            if action == PUT:
                self.memory |= dict(zip(places, self.inside.data, strict=True))
            self.put(ring_word_i=self.memory.get(address, draw.getrandbits(64)))
            if action not in (PUT, LOOK):
                self.inside.item = [self.memory[at] for at in places]
        answers = self.home is not None and self.happens()
        self.put(home_answer_valid_i=int(answers))
        if answers:
            known, here, by_lines = home_of(self.home)
            self.home = None
            self.put(home_memory_i=int(known), home_here_i=int(here), home_by_lines_i=int(by_lines))
        if "read_word" not in self.offers and self.beats and self.happens():
            self.offers["read_word"] = self.beats[0]
        word, fault, _ = self.offers.get("read_word", (draw.getrandbits(64), draw.randrange(6), None))
        self.put(read_word_valid_i=int("read_word" in self.offers))
        # Inputs that are not valid have random bits, or those they had: such bits cost energy.
        if "read_word" in self.offers or self.happens("noise"):
            self.put(read_word_i=word, read_fault_i=fault)

    def drive_done(self) -> None:
        draw = self.draw
        if "done" not in self.offers and self.flying and self.happens("done"):
            job = draw.choice(self.flying)
            fault = draw.randrange(1, 6) if self.happens("wrong") else 0
            self.offers["done"] = (job, fault, draw.getrandbits(64))
        self.put(done_valid_i=int("done" in self.offers))
        if "done" in self.offers:
            job, fault, address = self.offers["done"]
            self.put(done_number_i=job.number, done_i=fault << 64 | address)
        ends = self.posted_flying > 0 and self.happens("done")
        self.put(posted_done_valid_i=int(ends), drain_i=int(not self.asks))
        self.posted_flying -= int(ends)

    def next_copy(self) -> Job:
        draw = self.draw
        size = draw.randrange(1, 400)
        acknowledgement = draw.choice([0, THIRD + 8])
        to = draw.choice([remote(draw), FORBIDDEN]) + draw.randrange(8)  # its own tile has checked it
        return self.copy(self.source(here=True), to, size, acknowledgement)

    def copy(self, source: int, to: int, size: int, acknowledgement: int = 0) -> Job:
        self.mark = (self.mark + 1) % (1 << 16)
        self.put(copy_i=(source << 64 | to) << 17 | size, copy_mark_i=self.mark)
        self.put(copy_acknowledgement_i=acknowledgement)
        return Job(OF_COPIES, COPY, to, size, b"", source, acknowledgement, mark=self.mark)

    def next_word(self) -> Job:
        address, value, adds = WORDS + 8 * self.draw.randrange(64), self.draw.getrandbits(64), self.draw.randrange(2)
        self.put(word_address_i=address, word_value_i=value, word_adds_i=adds)
        return Job(OF_WORDS, ADD if adds else STORE, address, data=value.to_bytes(8, "little"))

    def next_written(self) -> tuple[int, int, int, int]:
        draw = self.draw
        source, home, size, refused = draw.randrange(4), draw.randrange(4), draw.randrange(1, 65), draw.randrange(2)
        to = draw.choice([0, THIRD + 8 * draw.randrange(64)])
        self.put(written_source_i=source, written_home_i=home, written_to_i=to)
        self.put(written_bytes_i=size, written_refused_i=refused)
        return source, home, to, (-size if refused else size) & ALL

    def next_posted(self) -> tuple[int, bytes]:
        draw = self.draw
        size = draw.choice([1, 2, 4, 8, 8])
        address = self.posted_end
        if address % size or draw.random() < 0.3:
            address = 0x2_0000 + draw.randrange(512) * 8
        self.posted_end = address + size
        value = draw.getrandbits(64)
        self.put(posted_i=((address << 4 | size) << 64 | value) << 1 | int(draw.random() < 0.9))
        return address, value.to_bytes(8, "little")[:size]

    def next_region_ask(self) -> tuple[int, int, int]:
        address = self.draw.choice([remote(self.draw), FORBIDDEN, 0x1_FFC0, 0x2_FFC0])
        question = (address, self.draw.randrange(1, 300), self.draw.randrange(2))
        self.put(region_ask_i=(question[0] << 17 | question[1]) << 1 | question[2])
        return question

    def next_set(self, entry: int | None = None) -> bool:
        """An entry as it is, or one that cannot be."""
        index = self.draw.randrange(len(REGIONS) + 1) if entry is None else entry
        first, size, code, way = REGIONS[index] if index < len(REGIONS) else (0x7_0001, 0x1000, 4, 0)
        self.put(set_entry_i=index, set_match_i=first, set_mask_i=ALL ^ (size - 1), set_code_i=code, set_way_i=way)
        return index < len(REGIONS)

    # Outputs.

    def check(self) -> None:
        """What moves at the end of this cycle."""
        dut = self.dut
        if self.sound is not None:
            assert int(dut.set_sound_o.value) == int(self.sound)
        self.sound = None
        for name in ("store", "read_word", "copy", "word", "written", "posted", "region_ask", "set", "done"):
            if name in self.offers and int(getattr(dut, f"{name}_ready_o").value):
                self.at.setdefault(name, []).append(self.cycle)
                getattr(self, f"accepted_{name}")(self.offers.pop(name))
        # A command or an event is known with the result, which is offered as soon as its job was accepted.
        if self.inside and int(dut.result_valid_o.value) and not self.inside.told:
            self.inside.told = True
            if int(dut.result_o.value) >> 134 == DONE and self.inside.line.kind != COUNTER:
                for job in self.inside.line.done(self.inside):
                    self.enter(job, "line")
        for name, ports in OUTPUTS.items():
            valid, ready = int(getattr(dut, f"{name}_valid_o").value), self.driven[f"{name}_ready_i"]
            assert valid or name not in self.kept, f"{name}: an offer was withdrawn"
            if not valid:
                continue
            now = [int(getattr(dut, port).value) for port in ports]
            if name == "packet" and now[0]:
                now[1] = 0  # the number of no job
            if name in self.kept:
                assert now == self.kept.pop(name), f"{name}: an offer changed"
            else:
                self.at.setdefault(name, []).append(self.cycle)
            if not ready:
                self.kept[name] = now
            if name == "read" and not self.read_seen:
                self.read_offered(now[0])
            if ready:
                getattr(self, f"moved_{name}")(*now)
        # Notifications that may find the list full are none yet.
        for share in range(4) if not self.inside else (OF_COMMANDS, OF_COPIES, OF_WORDS):
            assert sum(job.share == share for job in self.live) <= SHARE, "more jobs than places"
        assert not int(dut.idle_o.value) or self.none_lives()

    def none_lives(self) -> bool:
        # What was accepted in this cycle, or may still be refused, is not counted yet.
        return not any(job.number is not None for job in self.live)

    def enter(self, job: Job, queue: str) -> None:
        """A job that was accepted: it is in the list from now on, or will be refused."""
        if queue != "line":
            why = (1, job.source) if job.kind == COPY and not home_of(job.source)[0] else None
        else:
            why = refusal(job)
        if why:
            self.refused.append((job.share, job.mark, *why))
            return
        self.live.append(job)
        if job.kind != COPY:
            self.shorts[queue].append(job)

    def accepted_store(self, store: Store) -> None:
        self.inside = store
        live = [sum(job.share == share for job in self.live) for share in (OF_COMMANDS, OF_EVENTS)]
        refusals = [sum(share == of for of, *_ in self.refused) for share in (OF_COMMANDS, OF_EVENTS)]
        self.room_at_store = (live[0] + refusals[0] < SHARE, live[1] + refusals[1] + 4 <= SHARE)
        if store.by == ACKNOWLEDGEMENT or store.line.kind == QUEUE:
            assert live[1] + 4 <= SHARE, "it may find no place"
        store.line.before = store.line.tag
        # A notification may leave before the result, which may be that the list is full.
        if store.line.kind == COUNTER:
            before = len(self.live), len(self.refused)
            for job in store.line.done(store):
                self.enter(job, "line")
            self.tentative = self.live[before[0] :]
            self.tentative_refused = self.refused[before[1] :]

    def moved_result(self, result: int) -> None:
        outcome, _, tag, number, value = fields(result, 2, 3, 64, 3, 64)
        store, self.inside = self.inside, None
        line = store.line
        if outcome == DONE:
            if line.kind == COUNTER:
                assert tag == (store.data[0] + line.before) & ALL or tag == line.words[1]
            line.tag, line.words[number] = tag, value
            self.saw(f"done {line.kind}")
            return
        if outcome == BUSY:
            self.saw("busy")
            assert store.by != ACKNOWLEDGEMENT, "an acknowledgement was refused"
            assert not self.room_at_store[int(line.kind != COMMAND)], "busy, with places left"
            for job in self.tentative if line.kind == COUNTER else []:
                self.live.remove(job)
                self.shorts["line"].remove(job)
            for one in self.tentative_refused if line.kind == COUNTER else []:
                self.refused.remove(one)
        else:
            assert outcome != WRONG or not may(store.data[0] & (1 << 48) - 1, 8, writes=True)

    def accepted_read_word(self, beat: tuple[int, int, Job]) -> None:
        assert self.beats.popleft() == beat
        _, fault, job = beat
        if fault:
            self.planned.remove(next(one for one in self.planned if one[0] is job))
            self.ended(job, fault, beat[0])

    def accepted_copy(self, job: Job) -> None:
        self.enter(job, "copy")

    def accepted_word(self, job: Job) -> None:
        self.enter(job, "word")

    def accepted_written(self, packet: tuple[int, int, int, int]) -> None:
        source, home, to, value = packet
        assert self.answering is None and self.locally is None, "two at once"
        carries = to != 0 and home == source
        self.answering = (source, int(carries), to, value)
        if to and not carries and home == TILE:
            self.locally = (to, value)
        elif to and not carries:
            self.saw("third")
            self.enter(Job(OF_WORDS, STORE, to, data=value.to_bytes(8, "little")), "third")

    def accepted_posted(self, store: tuple[int, bytes]) -> None:
        self.posted.append(store)

    def accepted_region_ask(self, question: tuple[int, int, int]) -> None:
        assert self.question is None
        self.question = question

    def accepted_set(self, sound: bool) -> None:
        self.sound = sound

    def accepted_done(self, done: tuple[Job, int, int]) -> None:
        job, fault, address = done
        self.flying.remove(job)
        self.ended(job, fault, address)

    def ended(self, job: Job, fault: int, address: int) -> None:
        """A packet of the job."""
        job.under_way -= 1
        if fault and not job.failed:
            job.verdict, job.failed = (fault, address), True

    def moved_ring(self, ring: int) -> None:
        self.ring = fields(ring, 2, 64, 7)

    def moved_region_answer(self, allowed: int, code: int, way: int) -> None:
        address, size, writes = self.question
        assert allowed == int(may(address, size, bool(writes)))
        assert code == code_of(address) and (code != 1 or way == 2)
        self.question = None
        self.saw("ask")

    def moved_home(self, address: int, size: int) -> None:
        assert self.home is None and size > 0
        self.home = address

    def moved_answer(self, source: int, carries: int, address: int, value: int) -> None:
        expected, self.answering = self.answering, None
        assert (source, carries) == expected[:2] and (not carries or (address, value) == expected[2:])

    def moved_local(self, address: int, value: int) -> None:
        assert (address, value) == self.locally
        self.locally = None

    def copy_at(self, address: int) -> Job:
        """The copy whose next bytes are there."""
        return next(job for job in self.live if job.kind == COPY and job.begun < job.size and job.piece()[0] == address)

    def read_offered(self, address: int) -> None:
        job = self.copy_at(address)
        # A packet may have been planned before it failed.
        job.late += int(job.failed)
        assert job.late <= 1, "a failed copy goes on"
        self.read_seen = True

    def moved_read(self, address: int, size: int) -> None:
        self.read_seen = False
        job = self.copy_at(address)
        piece = job.piece()
        assert size == piece[2]
        job.begun += size
        job.under_way += 1
        self.planned.append((job, piece))
        assert sum(one.under_way for one in self.live if one.kind == COPY) <= COPY_PACKETS
        if self.happens("unread"):
            self.beats.append((address, 3, job))
            self.saw("unread")
            return
        for at in range(address // 8 * 8, address + size, 8):
            self.beats.append((word_at(at), 0, job))

    def moved_packet(self, posted: int, number: int, header: int) -> None:
        assert self.packet is None
        self.packet = (posted, number, fields(header, 2, 1, 64, 17, 64))

    def moved_data(self, data: int) -> None:
        word, strobes, last = fields(data, 64, 8, 1)
        assert self.packet is not None, "a word before its header"
        self.data.append((word, strobes))
        if not last:
            return
        (posted, number, header), self.packet = self.packet, None
        kind, _, address, size, _ = header
        first = 0 if kind == TRANSFER else address % 8
        found = {8 * i + j: word >> 8 * j & 255 for i, (word, strobes) in enumerate(self.data) for j in range(8)
                 if strobes >> j & 1}  # fmt: skip
        self.data = []
        count = 8 if kind == TRANSFER else size
        assert sorted(found) == list(range(first, first + count)), "not the bytes of the packet"
        content = bytes(found[at] for at in sorted(found))
        if posted:
            self.check_posted(header, content)
        elif kind == COPY:
            self.check_piece(number, header, content)
        else:
            self.check_short(number, header, content)

    def check_posted(self, header: list[int], content: bytes) -> None:
        kind, no_retry, address, size, acknowledgement = header
        assert (kind, no_retry, acknowledgement) == (STORE, 0, 0)
        assert address // LINE == (address + size - 1) // LINE
        at = 0
        while at < size:
            to, stored = self.posted.popleft()
            assert to == address + at and stored == content[at : at + len(stored)]
            at += len(stored)
        self.posted_flying += 1
        self.saw("posted")
        assert self.posted_flying <= POSTED

    def check_piece(self, number: int, header: list[int], content: bytes) -> None:
        job, (source, to, size) = self.planned.popleft()
        assert header == [COPY, 0, to, size, job.acknowledgement]
        assert content == bytes(byte_at(source + i) for i in range(size))
        self.bind(job, number)
        self.flying.append(job)
        self.saw("piece")

    def check_short(self, number: int, header: list[int], content: bytes) -> None:
        """Jobs with one packet leave in the order in which they came."""
        kind, no_retry, address, size, acknowledgement = header
        base = address & ~0xFFFF
        queue = "third" if base == THIRD else "word" if base == WORDS else "line"
        assert self.shorts[queue], f"a packet of no job: {queue} {header} {content.hex()}"
        job = self.shorts[queue].popleft()
        expected = (job.kind, job.no_retry, job.address, job.size, job.acknowledgement, job.data)
        assert (kind, no_retry, address, size, acknowledgement, content) == expected
        self.bind(job, number)
        job.begun, job.under_way = 1, 1
        self.flying.append(job)
        self.saw(f"packet {kind}")

    def bind(self, job: Job, number: int) -> None:
        assert job.number in (None, number), "the number of a job changed"
        assert all(one is job or one.number != number for one in self.live), "a number of two jobs"
        job.number = number

    def moved_ended(self, ended: int) -> None:
        share, mark, fault, address = fields(ended, 2, 16, 3, 64)
        for job in self.live:
            verdict = (0, 0) if job.kind == ADD else job.verdict
            same = (job.share, job.mark, verdict[0]) == (share, mark, fault) and (not fault or verdict[1] == address)
            if same and job.complete and job not in self.flying:
                self.live.remove(job)
                self.saw(f"ended {share} {'wrong' if fault else 'ok'}")
                return
        assert (share, mark, fault, address) in self.refused, "nothing that has ended"
        self.refused.remove((share, mark, fault, address))
        self.saw(f"refused {share} {fault}")

    # Runs.

    async def step(self) -> None:
        self.drive()
        await settle()
        self.check()
        await next_cycle(self.dut)
        self.cycle += 1

    async def begin(self) -> None:
        """With the table of regions, and without jobs."""
        dut = self.dut
        for name in INPUTS:
            getattr(dut, f"{name}_valid_i").value = 0
        for name in OUTPUTS:
            getattr(dut, f"{name}_ready_i").value = 0
        dut.tile_i.value, dut.drain_i.value = TILE, 0
        await reset(dut)
        self.asks = False
        for index in range(len(REGIONS)):
            self.offers["set"] = self.next_set(index)
            while "set" in self.offers:
                await self.step()
        self.asks = True

    async def run(self, cycles: int) -> None:
        await self.begin()
        for _ in range(cycles):
            await self.step()
        self.asks = False
        for _ in range(8000):
            await self.step()
            if not (self.live or self.refused or self.offers or self.inside or self.posted or self.posted_flying):
                break
        self.nothing_is_left()

    def nothing_is_left(self) -> None:
        assert not self.live and not self.refused, (self.live, self.refused)
        assert not self.offers and not self.flying and not self.planned and not self.beats
        assert not self.posted and self.posted_flying == 0 and self.answering is None


async def run(dut, cycles: int, **rates: float) -> Bench:
    """Until everything has ended, and all places are free again."""
    bench = Bench(dut, **rates)
    await bench.run(cycles)
    for _ in range(20):
        await bench.step()
    await settle()
    assert int(dut.idle_o.value) and int(dut.room_o.value) == 15 and int(dut.drained_o.value)
    await next_cycle(dut)
    dut._log.info("%s", bench.seen)
    return bench


@cocotb.test()
async def everything_at_random(dut):
    seen = (await run(dut, 5000)).seen
    assert all(seen[f"packet {kind}"] for kind in (STORE, ADD, TRANSFER)) and seen["piece"] > 100
    assert all(seen[f"ended {share} ok"] > 9 for share in range(4))
    assert seen[f"ended {OF_COMMANDS} wrong"] and seen[f"ended {OF_COPIES} wrong"]
    assert JOBS > 16 or seen["busy"] > 2


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, everything_at_random.func)


@cocotb.test()
async def a_slow_network(dut):
    """The list is full of commands and events most of the time."""
    seen = (await run(dut, 9000, stall=0.5, done=0.03, wrong=0.0, store=1, copy=0.5, word=0.5)).seen
    assert JOBS > 16 or seen["busy"] > 4


@cocotb.test()
async def events_without_commands(dut):
    """Notifications, additions and answers, which come as fast as they may."""
    seen = (await run(dut, 3500, stall=0, store=1, command=0, done=1, copy=0, posted=0)).seen
    assert seen[f"ended {OF_EVENTS} ok"] > 30 and seen[f"refused {OF_EVENTS} 2"] > 5


@cocotb.test()
async def what_is_refused_and_what_fails(dut):
    seen = (await run(dut, 9000, stall=0.1, store=1, command=99, wrong=0.5, unread=0.2, word=0, written=0)).seen
    assert all(seen[f"refused {OF_COMMANDS} {fault}"] for fault in (1, 2, 5))
    assert seen["unread"] > 5 and seen[f"ended {OF_COMMANDS} wrong"] > 10


class Alone(Bench):
    """One thing after another, with ports that answer in the next cycle; a packet that has left is done in the next."""

    def __init__(self, dut) -> None:
        super().__init__(dut, **dict.fromkeys(USUAL, 0) | {"done": 1, "command": 9})

    async def take(self, port: str, *items: object, cycles: int = 60) -> None:
        """Each as soon as it is accepted, and until all that it causes is over."""
        self.at.clear()
        for item in items:
            self.offers[port] = item() if callable(item) else item
            while port in self.offers:
                await self.step()
        for _ in range(cycles):
            await self.step()
        self.nothing_is_left()

    async def command(self, *words: int) -> None:
        """Stored to a line one word after another; the last one counts."""
        line = self.lines[0]
        line.pending = list(enumerate(words))
        for _ in words:
            await self.take("store", line.store(self))

    def after(self, begin: str, *ends: str) -> list[int]:
        """Cycles from the first edge of one to the first offers of others."""
        return [self.at[end][0] - self.at[begin][0] for end in ends]

    def apart(self, port: str) -> set[int]:
        """Cycles between offers that follow each other."""
        return {later - one for one, later in zip(self.at[port], self.at[port][1:], strict=False)}


@cocotb.test()
async def each_takes_its_cycles(dut):
    bench = Alone(dut)
    await bench.begin()
    for _ in range(JOBS):
        await bench.step()  # The memories of the list are cleared.
    here, there = 0x8_0000, 0x2_0000
    await bench.command(2 | 8 << 8, there, 0, 9)
    assert bench.after("store", "result", "packet", "data") == [7, 15, 17]
    assert bench.after("done", "ended") == [2]
    await bench.command(2 | 8 << 8, there, 0x2_8000, 9)
    assert bench.after("store", "packet") == [15 + 3], "a look-up of the acknowledgement's address"
    await bench.command(1 | LINE << 8, there, 0, here)
    assert bench.after("store", "read", "packet", "data") == [21, 23, 24]
    counter = next(line for line in bench.lines if line.kind == COUNTER)
    counter.tag, counter.words[3:7] = 1, [there, 0, 0, 0]
    await bench.take("store", Store(counter, 0, 0, [ALL]))
    assert bench.after("store", "packet") == [14]
    await bench.take("copy", bench.copy(here, there, LINE))
    assert bench.after("copy", "read", "packet", "data") == [9, 11, 12]
    # The words of a packet, and two cycles; with one header, the next packet is planned when this one has left.
    many = parameter("HEADERS", 4) > 1
    apart = LINE // 8 + (2 if many else 4)
    await bench.take("copy", bench.copy(here, there, 8 * LINE), cycles=200)
    assert bench.apart("packet") == {apart}, bench.at
    await bench.take("copy", *[lambda: bench.copy(here, there, LINE)] * 4, cycles=200)
    assert bench.apart("packet") == {apart}, bench.at
    await bench.take("word", *[bench.next_word] * 4)
    assert bench.after("word", "packet") == [6] and bench.apart("packet") == {4 if many else 5}, bench.at
    bench.put(posted_i=((there << 4 | 8) << 64 | 7) << 1 | 1)
    await bench.take("posted", (there, (7).to_bytes(8, "little")))
    assert bench.after("posted", "packet") == [parameter("COMBINE_CYCLES", 8) + 3]
    bench.put(region_ask_i=(there << 17 | 8) << 1 | 1)
    await bench.take("region_ask", (there, 8, 1))
    assert bench.after("region_ask", "region_answer") == [2]
    bench.put(written_source_i=0, written_home_i=TILE, written_to_i=64, written_bytes_i=8, written_refused_i=0)
    await bench.take("written", (0, TILE, 64, 8))
    assert bench.after("written", "answer", "local") == [1, 1]


@cocotb.test()
async def energy_packets(dut):
    others = {"store": 0, "wrong": 0, "unread": 0, "word": 0, "written": 0, "posted": 0, "ask": 0, "set": 0, "noise": 0}
    seen = (await run(dut, 1500, stall=0, copy=1, done=1, **others)).seen
    happened("a packet of a copy", seen["piece"])
