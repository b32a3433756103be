"""cni_merge: packets of both sources arrive whole, each header before its words, in their order and in turns."""

import random
from collections import deque

import cocotb
from streams import interrupted, next_cycle, parameter, reset, settle, word

NUMBERS = parameter("JOBS", 64)
HEADER_WIDTH, WORD_WIDTH = 148, 73
COUNT = 150


class Packets:
    """A source: what is offered stays until it is taken, and words may be offered before their header has left."""

    def __init__(self, draw: random.Random, stall: float) -> None:
        self.draw, self.stall = draw, stall
        self.headers: deque[tuple[int, int]] = deque()  # with the number of the job
        self.words: deque[int] = deque()
        self.sent: list[tuple[tuple[int, int], list[int]]] = []
        for _ in range(COUNT):
            header = draw.getrandbits(HEADER_WIDTH), draw.randrange(NUMBERS)
            words = [draw.getrandbits(WORD_WIDTH) & ~1 for _ in range(draw.randrange(1, 9))]
            words[-1] |= 1  # the last of its packet
            self.headers.append(header)
            self.words.extend(words)
            self.sent.append((header, words))
        self.offers_header = self.offers_word = False

    def drive(self) -> None:
        self.offers_header = bool(self.headers) and (self.offers_header or self.draw.random() >= self.stall)
        self.offers_word = bool(self.words) and (self.offers_word or self.draw.random() >= self.stall)


async def merge(dut, stalls: tuple[float, float], sink_stall: float) -> None:
    draw = random.Random(cocotb.RANDOM_SEED)
    sources = [Packets(draw, stall) for stall in stalls]
    received: list[list[tuple[tuple[int, int], list[int]]]] = [[], []]
    begun: tuple[int, tuple[int, int], list[int]] | None = None
    waiting: tuple | None = None
    passed_over = [0, 0]
    await reset(dut)
    for _ in range(40 * COUNT * 9):
        if sum(map(len, received)) == 2 * COUNT:
            break
        for source in sources:
            source.drive()
        dut.packet_valid_i.value = word([source.offers_header for source in sources])
        dut.word_valid_i.value = word([source.offers_word for source in sources])
        headers = [source.headers[0] if source.headers else (0, 0) for source in sources]
        dut.packet_i.value = headers[1][0] << HEADER_WIDTH | headers[0][0]
        dut.number_i.value = headers[0][1]
        words = [source.words[0] if source.words else 0 for source in sources]
        dut.word_i.value = words[1] << WORD_WIDTH | words[0]
        ready, word_ready = draw.random() >= sink_stall, draw.random() >= sink_stall
        dut.packet_ready_i.value, dut.word_ready_i.value = int(ready), int(word_ready)
        await settle()
        valid, of = int(dut.packet_valid_o.value), int(dut.packet_posted_o.value)
        offer = (of, int(dut.packet_o.value), of or int(dut.packet_number_o.value)) if valid else None
        assert not (valid and begun), "a header among the words of another packet"
        assert begun or valid == any(source.offers_header for source in sources)
        assert waiting in (None, offer), "an offer changed"
        waiting = offer if not ready else None
        accepts = [valid and ready and of == at for at in range(2)]
        assert int(dut.packet_ready_o.value) == word(accepts)
        word_valid = int(dut.word_valid_o.value)
        assert word_valid == bool(begun and sources[begun[0]].offers_word)
        moves = [bool(begun) and begun[0] == at and word_ready for at in range(2)]
        assert int(dut.word_ready_o.value) == word(moves)
        if word_valid and word_ready:
            begun[2].append(int(dut.word_o.value))
            sources[begun[0]].words.popleft()
            sources[begun[0]].offers_word = False
            if begun[2][-1] & 1:
                received[begun[0]].append(begun[1:])
                begun = None
        if valid and ready:
            begun = (of, sources[of].headers.popleft(), [])
            assert offer[1:] == (begun[1][0], of or begun[1][1])
            sources[of].offers_header = False
            passed_over[of] = 0
            passed_over[1 - of] += sources[1 - of].offers_header
            assert max(passed_over) <= 1, "not in turns"
        await next_cycle(dut)
    assert received == [source.sent for source in sources]


@cocotb.test()
async def merges_without_stalls(dut):
    await merge(dut, (0, 0), 0)


@cocotb.test()
async def merges_when_all_stall(dut):
    await merge(dut, (0.3, 0.5), 0.4)


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, merges_when_all_stall.func)


@cocotb.test()
async def keeps_its_choice_when_the_sink_stalls(dut):
    await merge(dut, (0.6, 0.1), 0.8)
