"""nma_trigger: each message that is taken becomes one request in the queue, in turn, with translated addresses; a full
queue refuses, and only a full one; each result has its steps, once and in order, with what its request said.
"""

import random

import cocotb
from messages import FROM_BITS, LINE, OFFSET, Request, expected_job, expected_steps, some_request
from nma_names import unpack
from places import HERE, MESSAGE, TILES, TRANSFER, Answerer, partition, step_of, tlm
from streams import interrupted, next_cycle, parameter, reset, settle

QUEUE = parameter("QUEUE_ENTRIES", 16)
BAD_REQUEST, TRANSFER_FAILED = 1, 8


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
