"""nma: copies of random graphs are what a recursive copier makes, with stalls on every port and answers that overtake
each other; damaged graphs end with the fault that they have; and nothing is written outside of buffer and map.
"""

import random
from collections import deque

import cocotb
from graphs import (
    BASE,
    ENTRIES,
    MAP,
    MAP_FULL,
    NONE,
    RECORD,
    SHIFT,
    SOURCE_BYTES,
    TARGET,
    TARGET_BYTES,
    TYPES,
    WILD_POINTER,
    Copier,
    Job,
    Memory,
    random_graph,
)
from nma_names import DATA, DATA_ARRAY, FRONT, OBJECT, PARENT_DST, POINTER, burst_of, lanes_of, pack, unpack
from streams import happened, interrupted, next_cycle, parameter, reset, settle

LANES = parameter("LANES", parameter("BURST_BYTES", 64) // 8)
STREAM_BURSTS, HASHED = parameter("STREAM_BURSTS", 8), parameter("HASHED", 1)
# There is no object.
FRONT_OF_NOTHING = 24
QUEUE, STATE_CYCLES = parameter("QUEUE_ENTRIES", 16), parameter("STATE_CYCLES", 1)


class Surroundings:
    """A memory, a section of types, and someone who sends jobs and takes results."""

    def __init__(self, dut, memory: Memory, draw: random.Random, *, stall: float = 0.3, latency: int = 0) -> None:
        self.dut, self.memory, self.draw, self.stall, self.latency = dut, memory, draw, stall, latency
        self.jobs: deque[Job] = deque()
        self.inside: deque[Job] = deque()
        self.results: list[tuple[int, int, int, int]] = []
        self.reads: list[tuple[int, int, list[int]]] = []  # from which cycle on, tag, words
        self.unwritten = 0
        self.record: list[int] | None = None
        self.offers = False
        self.waiting: dict[str, object] = {}
        self.cycle = self.words_written = 0
        self.corrupts = 0.0
        self.stubborn: dict[int, int] = {}  # words that somebody else writes all the time

    def goes(self) -> bool:
        return self.draw.random() >= self.stall

    def drive(self) -> None:
        dut, draw = self.dut, self.draw
        self.offers = bool(self.jobs) and (self.offers or self.goes())
        dut.job_valid_i.value = int(self.offers)
        if self.offers:
            job = self.jobs[0]
            dut.job_i.value = pack(
                "job_t",
                root=job.root,
                source_base=BASE,
                source_end=BASE + SOURCE_BYTES,
                source_shift=SHIFT,
                target=TARGET,
                begins=job.begins,
                ends=job.ends,
                final_shift=job.final_shift,
                objects=job.objects,
                hashed=job.hashed,
                sound=job.sound,
            )
        self.access_ready, self.record_ready, self.result_ready = self.goes(), self.goes(), self.goes()
        dut.record_ready_i.value = int(self.record_ready)
        dut.result_ready_i.value = int(self.result_ready)
        self.drive_memory()
        tells = self.record is not None and self.goes()
        dut.record_answer_valid_i.value = int(tells)
        if tells:
            dut.record_fault_i.value = int(not self.record)
            dut.record_words_i.value = burst_of(self.record or [draw.getrandbits(64)] * 3)
            self.record = None

    def drive_memory(self) -> None:
        dut = self.dut
        dut.access_ready_i.value = int(self.access_ready)
        arrived = [one for one in self.reads if one[0] <= self.cycle]
        answers = bool(arrived) and self.goes()
        dut.answer_valid_i.value = int(answers)
        if answers:
            answer = self.draw.choice(arrived) if self.stall else arrived[0]
            self.reads.remove(answer)
            dut.answer_tag_i.value = answer[1]
            dut.answer_words_i.value = burst_of(answer[2])
        acknowledges = self.unwritten > 0 and self.goes()
        self.unwritten -= acknowledges
        dut.written_i.value = int(acknowledges)

    def stays(self, name: str, valid: bool, taken: bool, item: object) -> None:
        """What was offered and not taken is still offered."""
        if name in self.waiting:
            assert valid and self.waiting[name] == item, f"{name} was withdrawn or changed"
            del self.waiting[name]
        if valid and not taken:
            self.waiting[name] = item

    def saw(self) -> None:
        dut = self.dut
        takes = self.offers and int(dut.job_ready_o.value)
        if takes:
            self.inside.append(self.jobs.popleft())
            self.offers = False
        self.saw_access()
        valid = bool(int(dut.record_valid_o.value))
        item = (int(dut.record_address_o.value), int(dut.record_whole_o.value)) if valid else None
        self.stays("record", valid, self.record_ready, item)
        if valid and self.record_ready:
            self.record = self.type_words(*item)
        valid = bool(int(dut.result_valid_o.value))
        found = unpack("result_t", int(dut.result_o.value)) if valid else {}
        item = tuple(found.get(name) for name in ("fault", "root", "bytes", "objects"))
        self.stays("result", valid, self.result_ready, item)
        if valid and self.result_ready:
            assert not self.unwritten, "a result before the last write is in memory"
            self.inside.popleft()
            self.results.append(item)

    def saw_access(self) -> None:
        dut = self.dut
        valid, item = bool(int(dut.access_valid_o.value)), None
        if valid:
            offset, words = int(dut.access_offset_o.value), int(dut.access_words_o.value)
            lane, writes = int(dut.access_lane_o.value), int(dut.access_writes_o.value)
            data = lanes_of(int(dut.access_data_o.value), LANES)[lane : lane + words] if writes else []
            item = (writes, int(dut.access_tag_o.value), offset, words, data)
        self.stays("access", valid, self.access_ready, item)
        if not (valid and self.access_ready):
            return
        assert offset % 8 == 0 and 0 < words <= LANES
        # Only the bursts of an array that are written may lie across two lines.
        assert writes or offset // (8 * LANES) == (offset + 8 * words - 8) // (8 * LANES)
        if writes:
            job = self.inside[0]
            end = offset + 8 * words
            in_map = MAP <= offset and end <= MAP + 16 * ENTRIES
            assert in_map or (job.begins <= offset and end <= job.ends), f"a write at {offset:x}"
            self.memory.words.update((offset + 8 * at, word) for at, word in enumerate(data))
            self.memory.words.update(self.stubborn)
            self.words_written += words
            self.unwritten += 1
        else:
            read = [self.memory.at(offset + 8 * at) for at in range(words)]
            read += [self.draw.getrandbits(64) for _ in range(LANES - words)]
            self.reads.append((self.cycle + 1 + self.latency, item[1], read))

    def type_words(self, address: int, whole: int) -> list[int]:
        """A record or a word of a mask; nothing if it is outside of the section."""
        draw, types = self.draw, self.memory.types
        if whole:
            number, rest = divmod(address - TYPES, RECORD)
            assert not rest and 0 <= number < len(types), "a record that is not there"
            of = types[number]
            kind = of.kind | of.alignment << 8 | draw.getrandbits(48) << 16
            return [of.size | draw.getrandbits(32) << 32, kind, of.mask_at]
        for of in types:
            if of.mask_at <= address < of.mask_at + 8 * len(of.mask):
                return [of.mask[(address - of.mask_at) // 8], draw.getrandbits(64), draw.getrandbits(64)]
        return []

    async def run(self, jobs: list[Job], cycles: int = 200_000) -> int:
        """Until all have results; how many cycles it took."""
        dut, start = self.dut, self.cycle
        dut.settings_i.value = pack(
            "settings_t",
            map_offset=MAP,
            map_entries=ENTRIES,
            types_address=TYPES,
            types_count=len(self.memory.types),
        )
        self.jobs.extend(jobs)
        done = len(self.results) + len(jobs)
        while len(self.results) < done:
            self.drive()
            await settle()
            self.saw()
            if self.corrupts and self.inside and self.draw.random() < self.corrupts:
                at = self.inside[0].begins + 8 * self.draw.randrange(64)
                junk = self.draw.choice([self.draw.getrandbits(64), TARGET + 8 * self.draw.randrange(99), 0])
                self.memory.words[at] = junk
            self.cycle += 1
            assert self.cycle - start < cycles, "it does not end"
            await next_cycle(dut)
        return self.cycle - start


def some_job(draw: random.Random, memory: Memory) -> Job:
    """A request for any object; now and then one that cannot be done."""
    begins = TARGET + 8 * draw.randrange(20)
    root = memory.any_object() if draw.random() < 0.9 else draw.choice([0, BASE + 4, BASE + FRONT_OF_NOTHING])
    return Job(
        root=root,
        begins=begins,
        ends=begins + 8 * draw.randrange(draw.choice([20, 200])) if draw.random() < 0.25 else TARGET + TARGET_BYTES,
        final_shift=draw.getrandbits(64) // 8 * 8,
        objects=len(memory.objects) if draw.random() < 0.8 else draw.choice([0, 1, 5, 33, draw.getrandbits(32)]),
        hashed=draw.randrange(2) if HASHED else int(draw.random() < 0.1),
        sound=int(draw.random() < 0.95),
    )


async def copies(dut, seed: int, rounds: int, *, stall: float, damaged: float) -> dict[int, int]:
    """Copies graphs and compares; how many had each fault."""
    draw = random.Random(seed)
    faults: dict[int, int] = {}
    await reset(dut)
    for _ in range(rounds):
        memory = random_graph(draw, damaged=draw.random() < damaged)
        around = Surroundings(dut, memory, draw, stall=stall, latency=draw.choice([0, 0, 9]))
        for _ in range(3):
            job = some_job(draw, memory)
            if not HASHED and job.hashed:
                job.objects = 0
            wanted = Copier(memory, job, len(memory.types))
            expected = wanted.run()
            await around.run([job])
            assert around.results[-1] == expected, job
            faults[expected[0]] = faults.get(expected[0], 0) + 1
            if expected[0] == NONE:
                for at, word in wanted.words.items():
                    assert memory.at(at) == word, f"the copy differs at {at - TARGET:x}"
    return faults


@cocotb.test()
async def copies_are_what_a_recursive_copier_makes(dut):
    faults = await copies(dut, cocotb.RANDOM_SEED, 25, stall=0.3, damaged=0.2)
    assert faults[NONE] > 20, faults


@cocotb.test()
async def faults_are_those_of_the_graph(dut):
    faults = set()
    for part in range(12):  # Two are nearly always enough for the rarest of them.
        faults |= set(await copies(dut, cocotb.RANDOM_SEED + 1 + part, 30, stall=0.05, damaged=1))
        if part > 0 and faults == set(range(7)):
            break
    assert faults == set(range(7))


@cocotb.test()
async def slow_ports_change_nothing(dut):
    await copies(dut, cocotb.RANDOM_SEED + 2, 4, stall=0.8, damaged=0)


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    draw = random.Random(cocotb.RANDOM_SEED)

    async def graphs(dut) -> None:
        await copies(dut, draw.getrandbits(32), 2, stall=0.1, damaged=0.2)

    async def array(dut) -> None:
        await reset(dut)
        memory, job = one_array(draw, 400)
        wanted = Copier(memory, job, len(memory.types))
        expected = wanted.run()
        around = Surroundings(dut, memory, draw, stall=0.1)
        await around.run([job])
        assert around.results == [expected]
        for at, word in wanted.words.items():
            assert memory.at(at) == word, f"the copy differs at {at - TARGET:x}"

    await interrupted(dut, graphs)
    # A burst that was to be written shows in the next array, which must therefore be whole.
    for times in range(1, 13):
        await interrupted(dut, array, times)


@cocotb.test()
async def jobs_that_wait_are_done_in_their_order(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    await reset(dut)
    memory = random_graph(draw, damaged=False)
    around = Surroundings(dut, memory, draw, stall=0)
    jobs = [Job(memory.any_object(), TARGET + 64 * n, TARGET + TARGET_BYTES, 64 * n, 60) for n in range(QUEUE + 4)]
    await around.run(jobs)
    expected = [Copier(memory, job, len(memory.types)).run() for job in jobs]
    assert around.results == expected


@cocotb.test()
async def whoever_changes_a_copy_changes_nothing_else(dut):
    """What comes back from the copies is checked: writes stay in buffer and map, and each job has a result."""
    draw = random.Random(cocotb.RANDOM_SEED)
    await reset(dut)
    faults = set()
    for _ in range(25):
        memory = random_graph(draw, damaged=False)
        around = Surroundings(dut, memory, draw, stall=0.1)
        around.corrupts = draw.choice([0.002, 0.02, 0.2])
        await around.run([some_job(draw, memory) for _ in range(3)])
        faults |= {result[0] for result in around.results}
    assert len(faults) > 3


def one_array(draw: random.Random, words: int) -> tuple[Memory, Job]:
    """A data array."""
    memory = Memory(draw)
    address = memory.add_object(memory.add_type(DATA_ARRAY, alignment=16), 8 * words)
    return memory, Job(address, TARGET, TARGET + TARGET_BYTES, 0, 1)


def one_list(
    draw: random.Random, count: int, words: int, *, hashed: int = HASHED, shuffled: bool = False
) -> tuple[Memory, Job]:
    """Objects with a pointer to the next one, and data. No object is looked up that lies above all before it."""
    memory = Memory(draw)
    number = memory.add_type(OBJECT, [POINTER, *[DATA] * (words - 1)])
    addresses = [memory.add_object(number) for _ in range(count)]
    if shuffled:
        draw.shuffle(addresses)
    for address, following in zip(addresses, [*addresses[1:], 0], strict=True):
        memory.set_original(address, following)
    return memory, Job(addresses[0], TARGET, TARGET + TARGET_BYTES, 0, count, hashed=hashed)


@cocotb.test()
async def a_copy_ends_though_its_parent_is_changed(dut):
    """The second object of a list says that its parent is itself, the first of the next copies, or nothing."""
    draw = random.Random(cocotb.RANDOM_SEED)
    await reset(dut)
    for words in (1, 3):
        apart = FRONT + 8 * words
        for parent in (apart, 2 * apart, 0):
            memory, job = one_list(draw, 3, words)
            first = TARGET + FRONT
            around = Surroundings(dut, memory, draw, stall=0.1)
            around.stubborn = {first + apart - PARENT_DST: first + parent if parent else 0}
            await around.run([job], cycles=20_000)
            assert around.results[0][0] == WILD_POINTER, around.results


@cocotb.test()
async def a_look_up_ends_though_the_table_has_no_empty_slot(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    await reset(dut)
    memory, job = one_list(draw, 3, 1)
    around = Surroundings(dut, memory, draw, stall=0.1)
    around.stubborn = {MAP + 8 * at: 8 for at in range(8)}
    await around.run([job], cycles=20_000)
    assert around.results[0][0] == (MAP_FULL if HASHED else 0), around.results


async def cycles_of(dut, memory: Memory, job: Job, draw: random.Random) -> int:
    """How many a copy takes with a memory that answers in the next cycle."""
    around = Surroundings(dut, memory, draw, stall=0)
    taken = await around.run([job])
    assert around.results[-1][0] == NONE
    return taken


@cocotb.test()
async def an_array_moves_a_burst_every_two_cycles(dut):
    await reset(dut)

    async def array_of(words: int) -> int:
        # The same draws for each, so that both arrays begin at the same place of a burst.
        draw = random.Random(cocotb.RANDOM_SEED)
        return await cycles_of(dut, *one_array(draw, words), draw)

    few, many = await array_of(8 * LANES), await array_of(40 * LANES)
    if STREAM_BURSTS > 1 and parameter("POSTED_WRITES", 8) > 2:
        assert many - few == 2 * 32


@cocotb.test()
async def an_object_moves_a_word_every_cycle(dut):
    """Beside its bursts: one is read, and one written."""
    await reset(dut)

    async def object_of(words: int) -> int:
        # The same draws for each, so that both objects begin at the same place of a burst.
        draw = random.Random(cocotb.RANDOM_SEED)
        memory = Memory(draw)
        address = memory.add_object(memory.add_type(OBJECT, [DATA] * words, alignment=16))
        return await cycles_of(dut, memory, Job(address, TARGET, TARGET + TARGET_BYTES, 0, 1), draw)

    # Words of one mask.
    few, many = await object_of(LANES), await object_of(3 * LANES)
    if 3 * LANES <= 32:
        bursts = 2
        assert (many - few) <= STATE_CYCLES * 2 * LANES + bursts * (6 + STATE_CYCLES)


@cocotb.test()
async def energy_of_a_word_of_an_array(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    await reset(dut)
    await cycles_of(dut, *one_array(draw, 2048), draw)
    happened("word of an array, random bits", 2048)


@cocotb.test()
async def energy_of_a_word_of_an_object(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    await reset(dut)
    memory = Memory(draw)
    address = memory.add_object(memory.add_type(OBJECT, [DATA] * 2048))
    await cycles_of(dut, memory, Job(address, TARGET, TARGET + TARGET_BYTES, 0, 1), draw)
    happened("word of an object, random bits", 2048)


async def copy_list(dut, count: int, hashed: int) -> None:
    """A list of objects of three words, in any order in memory, so that most are looked up in the map."""
    draw = random.Random(cocotb.RANDOM_SEED)
    await reset(dut)
    await cycles_of(dut, *one_list(draw, count, 3, hashed=hashed, shuffled=True), draw)
    happened(f"object of a list of {count}, {'hashed' if hashed else 'linear'} map", count)


@cocotb.test(skip=not HASHED)
async def energy_of_an_object_of_30_hashed(dut):
    await copy_list(dut, 30, hashed=1)


@cocotb.test()
async def energy_of_an_object_of_30_linear(dut):
    await copy_list(dut, 30, hashed=0)


@cocotb.test()
async def energy_of_an_object_of_60_linear(dut):
    await copy_list(dut, 60, hashed=0)
