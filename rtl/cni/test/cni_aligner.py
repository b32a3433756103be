"""cni_aligner: each byte of a packet arrives at its place, nothing else is written, and words move in every cycle.
"""

import random

import cocotb
from streams import happened, interrupted, next_cycle, parameter, reset, settle

LINE = parameter("LINE_BYTES", 64)
SHIFTS = parameter("SHIFTS", 1)


class Packet:
    """Bytes at a place in words of the source, and what must come out of them."""

    def __init__(self, draw: random.Random, size: int | None = None) -> None:
        self.size = size or draw.choice([draw.randrange(1, LINE + 1), draw.randrange(1, 9), LINE])
        self.source = draw.randrange(8)
        self.to = draw.randrange(8) if SHIFTS else self.source
        data = [draw.randrange(256) for _ in range(self.size)]
        self.words = self.split([draw.randrange(256) for _ in range(self.source)] + data, draw)
        self.aligned: list[list[int | None]] = []
        places: list[int | None] = [None] * self.to + list(data)
        places += [None] * (-len(places) % 8)
        for at in range(0, len(places), 8):
            self.aligned.append(places[at : at + 8])

    @staticmethod
    def split(data: list[int], draw: random.Random) -> list[int]:
        data = data + [draw.randrange(256) for _ in range(-len(data) % 8)]
        return [int.from_bytes(data[at : at + 8], "little") for at in range(0, len(data), 8)]


def arrives(item: int, wanted: list[int | None], last: bool) -> None:
    """Compares a word that leaves: the word, strobes, last."""
    assert item & 1 == int(last), "not the last word"
    for i, value in enumerate(wanted):
        assert item >> 1 + i & 1 == int(value is not None), "a strobe"
        if value is not None:
            assert item >> 9 + 8 * i & 255 == value, f"byte {i}"


async def run(dut, packets: list[Packet], stall: float) -> tuple[int, int]:
    """All of them; returns how many cycles they took, and how many words left."""
    draw = random.Random(cocotb.RANDOM_SEED + 1)
    waiting, words = list(packets), [word for packet in packets for word in packet.words]
    wanted = [(w, w is packet.aligned[-1]) for packet in packets for w in packet.aligned]
    words_left, kept, offers, feeds, cycles = len(wanted), None, False, False, 0
    for port in (dut.packet_valid_i, dut.word_valid_i, dut.aligned_ready_i):
        port.value = 0
    await reset(dut)
    while wanted:
        offers = offers or (bool(waiting) and draw.random() >= stall)
        feeds = feeds or (bool(words) and draw.random() >= stall)
        dut.packet_valid_i.value, dut.word_valid_i.value = int(offers), int(feeds)
        if offers:
            one = waiting[0]
            dut.from_i.value, dut.to_i.value, dut.bytes_i.value = one.source, one.to, one.size
        dut.word_i.value = words[0] if feeds else draw.getrandbits(64)
        dut.aligned_ready_i.value = int(draw.random() >= stall)
        await settle()
        item = int(dut.aligned_o.value) if int(dut.aligned_valid_o.value) else None
        assert kept is None or item == kept, "an offer changed"
        kept = item if not int(dut.aligned_ready_i.value) else None
        if int(dut.quiet_o.value):
            assert item is None and int(dut.packet_ready_o.value) and not int(dut.word_ready_o.value)
        if offers and int(dut.packet_ready_o.value):
            waiting.pop(0)
            offers = False
        if feeds and int(dut.word_ready_o.value):
            words.pop(0)
            feeds = False
        if item is not None and int(dut.aligned_ready_i.value):
            arrives(item, *wanted.pop(0))
        cycles += 1
        assert cycles < 100 * words_left + 100, "it stands still"
        await next_cycle(dut)
    assert not waiting and not words
    await settle()
    assert int(dut.quiet_o.value)
    return cycles, words_left


@cocotb.test()
async def random_packets(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    await run(dut, [Packet(draw) for _ in range(400)], 0.3)


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, random_packets.func)


@cocotb.test()
async def every_alignment(dut):
    draw, packets = random.Random(cocotb.RANDOM_SEED), []
    for source in range(8):
        for to in range(8) if SHIFTS else (source,):
            for size in (1, 7, 8, 9, LINE):
                while True:
                    packet = Packet(draw, size)
                    if (packet.source, packet.to) == (source, to):
                        break
                packets.append(packet)
    await run(dut, packets, 0)


@cocotb.test()
async def a_word_moves_in_each_cycle(dut):
    """A packet takes its words, one cycle, and one more if its first byte moves down."""
    draw = random.Random(cocotb.RANDOM_SEED)
    packets = [Packet(draw, LINE) for _ in range(50)]
    cycles, _ = await run(dut, packets, 0)
    assert cycles == 1 + sum(len(one.aligned) + 1 + int(one.to < one.source) for one in packets)


@cocotb.test()
async def each_takes_its_cycles(dut):
    """From a packet's edge to its first word at the destination, with words of the source that wait."""
    for port in (dut.packet_valid_i, dut.word_valid_i):
        port.value = 0
    await reset(dut)
    dut.word_valid_i.value = dut.aligned_ready_i.value = 1
    for source, to, cycles in ((0, 0, 2), (3, 3, 2), (2, 5, 2), (5, 2, 3)) if SHIFTS else ((0, 0, 2), (3, 3, 2)):
        dut.packet_valid_i.value, dut.bytes_i.value = 1, 8
        dut.from_i.value, dut.to_i.value = source, to
        seen = []
        for cycle in range(10):
            await settle()
            if int(dut.aligned_valid_o.value):
                seen.append(cycle)
            await next_cycle(dut)
            dut.packet_valid_i.value = 0
        words = 1 if to == 0 else 2
        assert seen == [cycles + word for word in range(words)], (source, to)


@cocotb.test()
async def energy_words(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    _, words = await run(dut, [Packet(draw, LINE) for _ in range(200)], 0)
    happened("an aligned word", words)
