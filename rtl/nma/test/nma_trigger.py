"""nma_trigger: each message that is taken becomes one request in the queue, in turn, with translated addresses; a full
queue refuses, and only a full one; each result has its steps, once and in order, with what its request said.
"""

import random
from dataclasses import dataclass, field

import cocotb
from nma_names import unpack
from places import (
    ACKNOWLEDGE,
    HERE,
    MESSAGE,
    PARTITION_BYTES,
    TAIL_WINDOW,
    TILES,
    TRANSFER,
    Answerer,
    partition,
    place_of,
    step_of,
    tlm,
)
from streams import interrupted, next_cycle, parameter, reset, settle

QUEUE = parameter("QUEUE_ENTRIES", 16)
LINE = parameter("LINE_BYTES", 32)
FROM_BITS = parameter("FROM_BITS", 16)
WORD, OFFSET = (1 << 64) - 1, (1 << 40) - 1
BAD_REQUEST, TRANSFER_FAILED = 1, 8


@dataclass
class Request:
    """The words of a message, and what must follow."""

    words: list[int]
    sender: int
    job: dict[str, int] = field(default_factory=dict)
    steps: list[tuple[int, int, list[int]]] = field(default_factory=list)
    moves: bool = False
    result: dict[str, int] = field(default_factory=dict)


def memory_offset(tile: int, address: int) -> int:
    return address - partition(tile) + tile % 2 * PARTITION_BYTES + 0x4000


def some_request(draw: random.Random) -> Request:
    """Mostly a sound one."""
    source, target, final = (draw.choice([HERE, HERE + 1]) for _ in range(3))
    if draw.random() < 0.4:
        final = draw.randrange(TILES)
    lines = draw.randrange(1, 200)
    destination = partition(target) + LINE * draw.randrange(PARTITION_BYTES // LINE - lines)
    size = lines * LINE
    first = LINE * draw.randrange(lines + 1)
    if draw.random() < 0.3:
        destination = partition(target) + PARTITION_BYTES - size  # up to the end
    end = draw.choice([0, 0, destination, partition(final) + LINE * draw.randrange(PARTITION_BYTES // LINE - lines)])
    if draw.random() < 0.1:
        first += 8 * draw.randrange(-1, 4)
        first = max(first, 0)
    wrong = draw.randrange(20)
    if wrong == 0:
        source = draw.choice([0, 1, TILES, 4095])
    elif wrong == 1:
        places = [partition(0), tlm(HERE), destination + 8, 7 << 44, partition(HERE + 1) + (1 << 20), TAIL_WINDOW]
        destination = draw.choice(places)
    elif wrong == 2:
        beyond = partition(4) + PARTITION_BYTES - LINE * (lines - 1)
        end = draw.choice([tlm(1), destination + 8, 7 << 44, beyond, TAIL_WINDOW + LINE])
    elif wrong == 3:
        size += draw.choice([8, PARTITION_BYTES])
    elif wrong == 4:
        size += LINE
    elif wrong == 5:
        first = size + LINE
    elif wrong == 6:
        size = first = 0
    tile = draw.choice([draw.randrange(TILES), draw.randrange(4096)])
    shape = draw.getrandbits(32) | source << 32 | tile << 44 | draw.randrange(4) << 56
    counter = draw.choice([0, 1]) * (tlm(draw.randrange(TILES)) + 8 * draw.randrange(1000))
    words = [draw.getrandbits(63), destination, size | first << 40, end, shape, draw.getrandbits(64), counter]
    return Request(words, draw.getrandbits(FROM_BITS))


def is_buffer(address: int, size: int) -> bool:
    place = place_of(address)
    # An address of one tile's window is none for others.
    if not place.get("partition") or place["address"] != address:
        return False
    return address + size <= place["last"] + 1 and address % LINE == size % LINE == 0


def expected_job(request: Request) -> dict[str, int]:
    root, destination, room, final, shape, _, _ = request.words
    size, first = room & OFFSET, room >> 40
    final = final or destination
    request.moves = final != destination
    source = shape >> 32 & 0xFFF
    job = {"root": root, "objects": shape & 0xFFFFFFFF, "hashed": shape >> 56 & 1}
    sound = source in (HERE, HERE + 1) and is_buffer(destination, size) and is_buffer(final, size)
    sound = sound and place_of(destination)["memory_tile"] == HERE
    sound = sound and first <= size and first % (LINE if request.moves else 8) == 0
    if not sound:
        return {**job, "sound": 0}
    target = memory_offset(place_of(destination)["tile"], destination)
    base = partition(source)
    return job | {
        "sound": 1,
        "source_base": base,
        "source_end": base + PARTITION_BYTES,
        "source_shift": (memory_offset(source, base) - base) & OFFSET,
        "target": target,
        "begins": target + first,
        "ends": target + size,
        "final_shift": (final - target) & WORD,
    }


def expected_steps(request: Request) -> list[tuple[int, int, list[int]]]:
    """Those of its result, if no transfer fails."""
    _, destination, room, final, shape, task, counter = request.words
    first, result = room >> 40, request.result
    moves = request.moves and result["fault"] == 0
    steps = []
    if moves:
        if counter:
            steps.append((ACKNOWLEDGE, 0, [counter, 0]))
        size = (result["bytes"] - first + LINE - 1) // LINE * LINE
        steps.append((TRANSFER, 0, [destination + first, final + first, size]))
    tile = shape >> 44 & 0xFFF
    if shape >> 57 & 1 and tile < TILES:
        words = [task, result["root"], result["bytes"], result["fault"], result["objects"]]
        steps.append((MESSAGE, tile, words))
    if counter:
        steps.append((ACKNOWLEDGE, 0, [counter + (32 if moves else 0), result["fault"]]))
    return steps


class Network:
    """Senders, the accelerator and its queue, and who does the steps."""

    def __init__(self, dut, draw: random.Random, *, stall: float, slow: float) -> None:
        self.dut, self.draw, self.stall, self.slow = dut, draw, stall, slow
        self.look = Answerer(dut, draw, stall)
        self.to_send: list[Request] = []
        self.sending: Request | None = None
        self.at, self.offers = 0, False
        self.room = False
        self.arriving: Request | None = None  # taken; its job is to come
        self.responding: tuple[int, int] | None = None
        self.queue: list[Request] = []  # of the accelerator
        self.copied: list[Request] = []  # have begun
        self.ending: list[Request] = []  # results were taken
        self.step_under_way: tuple | None = None
        self.fails = False
        self.offer: int | None = None
        self.taken = self.refused = self.ended = self.steps = 0
        self.kept: dict[str, int] = {}

    def inside(self) -> int:
        """Requests without an end."""
        return len(self.queue) + len(self.copied) + len(self.ending)

    def drive(self) -> None:
        dut, draw = self.dut, self.draw
        self.look.drive()
        if self.sending is None and self.to_send and self.responding is None and draw.random() >= self.stall:
            self.sending, self.at, self.offers = self.to_send.pop(0), 0, True
        if self.sending is not None and not self.offers:
            self.offers = draw.random() >= self.stall
        offers = self.sending is not None and self.offers
        dut.message_valid_i.value = int(offers)
        dut.message_word_i.value = self.sending.words[self.at] if offers else draw.getrandbits(64)
        dut.message_from_i.value = self.sending.sender if offers else draw.getrandbits(FROM_BITS)
        dut.response_ready_i.value = int(draw.random() >= self.stall)
        dut.job_ready_i.value = int(len(self.queue) < QUEUE)
        self.begins = bool(self.queue) and not self.copied and draw.random() >= self.slow
        dut.job_begins_i.value = int(self.begins)
        result = bool(self.copied) and (self.offer is not None or draw.random() >= self.slow)
        dut.result_valid_i.value = int(result)
        if result:
            if self.offer is None:
                self.offer = self.some_result(self.copied[0])
            dut.result_i.value = self.offer
        else:
            dut.result_i.value = draw.getrandbits(140)
        dut.step_ready_i.value = int(draw.random() >= self.stall)
        done = self.step_under_way is not None and draw.random() >= self.slow
        self.does = self.step_under_way if done else None
        self.fails = draw.random() < 0.2
        dut.step_done_valid_i.value, dut.step_failed_i.value = int(done), int(self.fails)

    def some_result(self, request: Request) -> int:
        draw = self.draw
        size, first = request.words[2] & OFFSET, request.words[2] >> 40
        fault = draw.choice([0, 0, 0, 3, 5]) if request.job["sound"] else BAD_REQUEST
        used = draw.randrange(first // 8, size // 8 + 1) * 8 if request.job["sound"] else 0
        request.result = {"fault": fault, "root": draw.getrandbits(64), "bytes": used, "objects": draw.getrandbits(32)}
        value = 0
        for name, bits in (("fault", 4), ("root", 64), ("bytes", 40), ("objects", 32)):
            value = value << bits | request.result[name]
        return value

    def offered(self, port: str, *values: str) -> int | None:
        """What moves at a port; an offer stays until then."""
        dut = self.dut
        item = 0
        for value in values:
            item = item << 640 | int(getattr(dut, value).value)
        valid = int(getattr(dut, f"{port}_valid_o").value)
        if port in self.kept:
            assert valid and item == self.kept.pop(port), f"{port}: an offer changed"
        if valid and not int(getattr(dut, f"{port}_ready_i").value):
            self.kept[port] = item
            return None
        return item if valid else None

    def saw(self) -> None:
        dut = self.dut
        self.look.saw()
        assert int(dut.waiting_o.value) == len(self.queue)
        outside = self.arriving is None and self.responding is None and not (self.sending and self.at)
        if not int(dut.busy_o.value):
            assert outside and self.inside() == 0
        job = self.offered("job", "job_o")
        if job is not None:
            assert self.arriving is not None, "a request that nobody sent"
            said = unpack("job_t", job)
            for name, value in self.arriving.job.items():
                assert said[name] == value, (name, said, self.arriving.job)
            self.responding = (self.arriving.sender, 0)
        response = self.offered("response", "response_from_o", "response_refused_o")
        if response is not None:
            assert self.responding is not None
            assert (response >> 640, response & 1) == self.responding
            self.responding = None
            if self.refuses:
                self.to_send.append(self.sent)
        result = int(dut.result_ready_o.value) and self.offer is not None
        self.take_step()
        # What the edge does.
        if job is not None:
            self.queue.append(self.arriving)
            self.arriving = None
            self.taken += 1
        if self.begins:
            self.copied.append(self.queue.pop(0))
        if result:
            ended = self.copied.pop(0)
            ended.steps = expected_steps(ended)
            self.ending.append(ended)
            self.offer = None
            assert len(self.ending) == 1, "two results at a time"
            self.finish()
        if self.offers and self.sending is not None and int(dut.message_ready_o.value):
            self.word_moves(int(dut.job_ready_i.value))

    def word_moves(self, room: int) -> None:
        if self.at == 0:
            self.room = bool(room)
        self.at += 1
        self.offers = False
        if self.at < 7:
            return
        self.sent, self.sending = self.sending, None
        # The next thing that comes out says it.
        self.refuses = not self.room
        if self.refuses:
            self.refused += 1
            self.responding = (self.sent.sender, 1)
        else:
            self.sent.job = expected_job(self.sent)
            self.arriving = self.sent

    def take_step(self) -> None:
        dut = self.dut
        step = self.offered("step", "step_o")
        if self.does is not None:
            kind = self.does[0]
            self.step_under_way = None
            if kind == TRANSFER and self.fails:
                for other, _, words in self.ending[0].steps:
                    if other == MESSAGE:
                        words[3] = TRANSFER_FAILED
                    else:
                        words[1] = TRANSFER_FAILED
            self.finish()
        if not int(dut.step_valid_o.value):
            return
        assert self.step_under_way is None, "a step before the one before it is done"
        if step is None:
            return
        assert self.ending, "a step without a result"
        kind, tile, words = step_of(step)
        expected = self.ending[0].steps.pop(0)
        assert kind == expected[0] and words[: len(expected[2])] == expected[2], (kind, words, expected)
        assert kind != MESSAGE or tile == expected[1]
        self.step_under_way = expected
        self.steps += 1

    def finish(self) -> None:
        if self.ending and not self.ending[0].steps and self.step_under_way is None:
            self.ending.pop(0)
            self.ended += 1


async def begin(dut, **about) -> Network:
    network = Network(dut, random.Random(cocotb.RANDOM_SEED), **about)
    dut.tile_i.value, dut.tiles_i.value = HERE, TILES
    network.drive()
    await reset(dut)
    return network


async def run(network: Network, count: int, cycles: int = 12000) -> None:
    dut = network.dut
    network.to_send = [some_request(network.draw) for _ in range(count)]
    for _ in range(cycles):
        network.drive()
        await settle()
        network.saw()
        await next_cycle(dut)
        if network.ended == count and network.responding is None:
            break
    assert network.ended == network.taken == count, (network.taken, network.ended)
    for _ in range(20):
        network.drive()
        await settle()
        network.saw()
        assert not any(int(getattr(dut, f"{port}_valid_o").value) for port in ("job", "step", "response", "look"))
        await next_cycle(dut)
    assert not int(dut.busy_o.value)


@cocotb.test()
async def each_request_comes_once_and_ends_once(dut):
    for stall, slow in ((0.0, 0.0), (0.4, 0.4), (0.1, 0.8)):
        network = await begin(dut, stall=stall, slow=slow)
        await run(network, 120)
        assert network.steps > 60


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, each_request_comes_once_and_ends_once.func)


@cocotb.test()
async def a_full_queue_refuses_and_loses_nothing(dut):
    network = await begin(dut, stall=0.0, slow=0.98)
    network.to_send = []
    await run(network, 3 * QUEUE + 4, 40_000)
    assert network.refused > QUEUE, network.refused


@cocotb.test()
async def each_takes_its_cycles(dut):
    network = await begin(dut, stall=0, slow=0)
    draw = network.draw
    at = {}
    request = some_request(draw)
    destination = partition(HERE) + LINE
    request.words[1:4] = [destination, LINE * 8 | LINE << 40, 0]
    request.words[4] = 1 | HERE << 32 | 1 << 44 | 1 << 57
    request.words[6] = tlm(1)
    network.to_send = [request]
    for cycle in range(80):
        network.drive()
        if network.at == 0 and network.sending is not None:
            at.setdefault("first word", cycle)
        await settle()
        for port in ("job", "response"):
            if int(getattr(dut, f"{port}_valid_o").value):
                at.setdefault(port, cycle)
        if int(dut.result_valid_i.value) and int(dut.result_ready_o.value):
            at["result"] = cycle
        if int(dut.step_valid_o.value):
            at.setdefault("steps", []).append(cycle)
        network.saw()
        await next_cycle(dut)
    # Seven words, three questions that are answered one cycle later, and a cycle for the last bound.
    assert at["job"] - at["first word"] == 7 + 3 * 2 + 1, at
    assert at["response"] == at["job"] + 1, at
    # Six words are read; steps that are not needed take a cycle each.
    assert [step - at["result"] for step in at["steps"]] == [11, 14], at
