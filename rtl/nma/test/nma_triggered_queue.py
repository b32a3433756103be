"""nma_triggered_queue: requests leave the queue in the order of the messages that were taken; a message is refused if
so many requests wait as the queue has entries, and then only.
"""

import random

import cocotb
from nma_names import unpack
from nma_trigger import expected_job, some_request
from places import HERE, TILES, Answerer
from streams import Sink, interrupted, next_cycle, parameter, reset, settle

QUEUE = parameter("QUEUE_ENTRIES", 16)


class Memory:
    """Senders in turn, a machine that begins the next copy when the result of the last one was taken, and a network."""

    def __init__(self, dut, draw: random.Random, stall: float) -> None:
        self.dut, self.draw = dut, draw
        self.look, self.sink = Answerer(dut, draw, 0.2), Sink(stall, draw)
        self.to_send = [some_request(draw) for _ in range(40)]
        self.taken, self.refused, self.at, self.full = [], 0, 0, False
        self.copies = self.step = False  # under way

    def drive(self) -> None:
        dut = self.dut
        self.look.drive()
        self.sink.decide()
        self.sink.ready = self.sink.ready and not self.copies
        self.offers = bool(self.to_send) and self.draw.random() < 0.8
        dut.message_valid_i.value, dut.job_ready_i.value = int(self.offers), int(self.sink.ready)
        dut.message_word_i.value = self.to_send[0].words[self.at] if self.to_send else 0
        dut.message_from_i.value = self.to_send[0].sender if self.to_send else 0
        dut.response_ready_i.value = dut.step_ready_i.value = 1
        dut.result_valid_i.value, dut.result_i.value = int(self.copies), 0
        dut.step_done_valid_i.value, dut.step_failed_i.value = int(self.step), 0

    def saw(self) -> None:
        dut = self.dut
        waiting = len(self.taken) - len(self.sink.received)
        self.look.saw()
        self.step = bool(int(dut.step_valid_o.value))
        if self.offers and int(dut.message_ready_o.value):
            if self.at == 0:
                self.full = waiting == QUEUE
            self.at = (self.at + 1) % 7
        if int(dut.response_valid_o.value):
            assert int(dut.response_refused_o.value) == self.full
            self.refused += self.full
            sent = self.to_send.pop(0)
            (self.to_send if self.full else self.taken).append(sent)
        if self.copies and int(dut.result_ready_o.value):
            self.copies = False
        begun = len(self.sink.received)
        self.sink.saw(int(dut.job_valid_o.value), lambda: int(dut.job_o.value))
        self.copies |= len(self.sink.received) > begun


async def run(dut, stall: float) -> None:
    memory = Memory(dut, random.Random(cocotb.RANDOM_SEED), stall)
    dut.tile_i.value, dut.tiles_i.value = HERE, TILES
    memory.drive()
    await reset(dut)
    for _ in range(8000):
        if len(memory.taken) == 40 and len(memory.sink.received) == 40:
            break
        memory.drive()
        await settle()
        memory.saw()
        await next_cycle(dut)
    received = memory.sink.received
    assert len(memory.taken) == len(received) == 40
    assert stall < 0.9 or memory.refused > 0
    for request, job in zip(memory.taken, received, strict=True):
        said = unpack("job_t", job)
        assert all(said[name] == value for name, value in expected_job(request).items())


@cocotb.test()
async def requests_keep_their_order(dut):
    for stall in (0.0, 0.6, 0.99):
        await run(dut, stall)


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, requests_keep_their_order.func)
