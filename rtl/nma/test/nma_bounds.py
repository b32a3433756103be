"""nma_bounds: addresses at and beside each limit, against the rules in Python."""

import random

import cocotb
from nma_names import ARRAY_FRONT, FRONT, WORD, pack
from streams import next_cycle, reset, settle


def near(draw: random.Random, *limits: int) -> int:
    """An address at a limit, or a little beside it."""
    return max(0, draw.choice(limits) + draw.choice([-16, -8, -1, 0, 0, 1, 8, 16])) & WORD


@cocotb.test()
async def knows_where_originals_and_copies_may_be(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    await reset(dut)
    dut.set_parent_i.value = dut.place_i.value = 0
    seen = {"wild": 0, "beyond": 0, "no_room": 0, "parent_wild": 0}
    for _ in range(3000):
        base = draw.getrandbits(44) // 8 * 8
        end = base + draw.choice([4096, 1 << 30])
        target = draw.getrandbits(38) // 16 * 16
        begins = target + 8 * draw.randrange(20)
        ends = begins + 8 * draw.randrange(200)
        used = begins + 8 * draw.randrange((ends - begins) // 8 + 1)
        dst = begins + 8 * draw.randrange((used - begins) // 8 + 1)
        array, aligned, back = (draw.randrange(2) for _ in range(3))
        child = near(draw, base + FRONT, base + ARRAY_FRONT, base + 2048, end)
        size = draw.choice([0, 8, 13, 64, draw.getrandbits(64), (end - child) & WORD, (end - child + 1) & WORD])
        parent = near(draw, begins + FRONT, used, dst, begins + 64, draw.getrandbits(64))
        dut.job_i.value = pack("job_t", source_base=base, source_end=end, target=target, begins=begins, ends=ends)
        dut.child_i.value, dut.used_i.value, dut.bytes_i.value, dut.parent_i.value = child, used, size, parent
        dut.dst_i.value = dst
        dut.is_array_i.value, dut.aligned_16_i.value, dut.back_i.value = array, aligned, back
        dut.set_parent_i.value = 1
        await next_cycle(dut)
        await settle()
        lost = bool(parent % 8) or parent < begins + FRONT or parent >= dst
        assert int(dut.parent_wild_o.value) == lost, (hex(parent), hex(begins), hex(dst))
        seen["parent_wild"] += lost
        await next_cycle(dut)
        dut.set_parent_i.value = 0
        await next_cycle(dut)
        await settle()
        wild = bool(child % 8) or child < base + FRONT or child >= end
        assert int(dut.wild_o.value) == wild, (hex(child), hex(base), hex(end))
        at_begin = parent & (1 << 40) - 1 == begins + FRONT if back else child == base + FRONT
        assert int(dut.front_wild_o.value) == (array and at_begin)
        await next_cycle(dut)
        seen["wild"] += wild
        if wild or (back and lost):
            continue
        beyond = size > end - child
        await settle()
        assert int(dut.beyond_o.value) == beyond
        seen["beyond"] += beyond
        await next_cycle(dut)
        if beyond:
            continue
        dut.place_i.value = 1
        await next_cycle(dut)
        dut.place_i.value = 0
        place = used + (ARRAY_FRONT if array else FRONT)
        place = (place + 15) // 16 * 16 if aligned else place
        place = parent if back else place
        words = (size + 7) // 8
        await settle()
        assert (int(dut.words_o.value), int(dut.object_o.value)) == (words, place)
        no_room = place + 8 * words > (used if back else ends)
        assert int(dut.no_room_o.value) == no_room
        if not no_room:
            assert int(dut.end_o.value) == place + 8 * words
        seen["no_room"] += no_room
        await next_cycle(dut)
    assert min(seen.values()) > 20, seen
