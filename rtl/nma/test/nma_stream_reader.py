"""nma_stream_reader: ranges of a memory are read in bursts; those that are kept come out in order."""

import random

import cocotb
from nma_names import burst_of, lanes_of, pack
from streams import interrupted, next_cycle, parameter, reset, settle

SLOTS, LANES = parameter("SLOTS", 8), parameter("LANES", 8)


class Reader:
    """The module, with a memory whose answers overtake each other."""

    def __init__(self, dut, draw: random.Random) -> None:
        self.dut, self.draw = dut, draw
        self.under_way: list[tuple[int, int, int, bool]] = []  # slot, offset, words, needed
        self.issued: list[tuple[int, int]] = []
        self.taken: list[int] = []
        self.expects: int | None = None

    async def cycle(self, *, keep: bool, goes: bool = True, **do: int) -> None:
        """A cycle in which what can happen does, if it `goes` on."""
        dut, draw = self.dut, self.draw
        dut.keep_i.value, dut.arrived_i.value, dut.do_i.value = int(keep), 0, 0
        await settle()
        if self.expects is not None:
            words = lanes_of(int(dut.out_o.value), LANES)[: self.expects]
            assert int(dut.out_words_o.value) == self.expects
            self.taken += words
            self.expects = None
        can_issue, head_full = int(dut.can_issue_o.value), int(dut.head_full_o.value)
        slot, offset, words = int(dut.slot_o.value), int(dut.offset_o.value), int(dut.words_o.value)
        await next_cycle(dut)
        do = dict(do)
        if goes and can_issue and draw.random() < 0.6:
            do["issued"] = 1
            assert slot not in [one[0] for one in self.under_way], "a slot is used twice"
            assert 0 < words <= LANES and offset // (8 * LANES) == (offset + 8 * words - 1) // (8 * LANES)
            self.issued.append((offset, words))
        if goes and keep and head_full and draw.random() < 0.6:
            do["take"] = 1
        answer = None
        if self.under_way and draw.random() < 0.5:
            answer = self.under_way.pop(draw.randrange(len(self.under_way)))
            dut.arrived_i.value, dut.arrived_slot_i.value = 1, answer[0]
            data = [answer[1] + 8 * lane for lane in range(answer[2])]
            data += [draw.getrandbits(64) for _ in range(LANES - answer[2])]
            dut.arrived_words_i.value = burst_of(data)
        dut.do_i.value = pack("stream_do_t", **do)
        await settle()
        if answer:
            assert int(dut.arrived_live_o.value) == answer[3]
            if answer[3]:
                assert (int(dut.arrived_offset_o.value), int(dut.arrived_count_o.value)) == answer[1:3]
        await next_cycle(dut)
        dut.arrived_i.value, dut.do_i.value = 0, 0
        if do.get("begins"):
            self.under_way = [(*one[:3], False) for one in self.under_way]
        if do.get("issued"):
            self.under_way.append((slot, offset, words, True))
        if do.get("take"):
            self.expects = next(words for at, words in self.issued if at == self.issued[len(self.heads)][0])
            self.heads.append(self.expects)

    async def begin(self, offset: int, words: int) -> None:
        """Another range, in a cycle in which nothing is kept."""
        self.dut.begin_offset_i.value, self.dut.begin_words_i.value = offset, words
        self.issued, self.taken, self.heads = [], [], []
        await self.cycle(keep=False, goes=False, begins=1)


@cocotb.test()
async def reads_ranges_ahead(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    dut.do_i.value = dut.arrived_i.value = dut.keep_i.value = 0
    await reset(dut)
    await settle()
    assert int(dut.complete_o.value) and not int(dut.can_issue_o.value) and not int(dut.head_full_o.value)
    assert int(dut.slot_o.value) == 0
    await next_cycle(dut)
    reader = Reader(dut, draw)
    for _ in range(60):
        keep, words = draw.random() < 0.5, draw.randrange(1, 12 * LANES)
        offset = draw.getrandbits(36) // 8 * 8
        await reader.begin(offset, words)
        abandoned = not keep and draw.random() < 0.4
        for _ in range(draw.randrange(20) if abandoned else 5000):
            await reader.cycle(keep=keep)
            if keep and len(reader.taken) == words:
                break
            if not keep and int(dut.complete_o.value):
                break
        if abandoned:
            continue
        if keep:
            assert reader.taken == [offset + 8 * at for at in range(words)]
        else:
            assert not [one for one in reader.under_way if one[3]]
        assert sum(count for _, count in reader.issued) == words
        at = offset
        for begins, count in reader.issued:
            assert begins == at
            at += 8 * count


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, reads_ranges_ahead.func)
