"""nca_range_slots: against a list of commands in Python."""

import random

import cocotb
from streams import interrupted, next_cycle, parameter, reset, settle

SLOTS = parameter("SLOTS", 8)
UNDER_WAY = parameter("UNDER_WAY", 255)
TAG_BITS = parameter("TAG_BITS", 4)


@cocotb.test()
async def agrees_with_a_list(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    for port in ("begin", "visiting", "visit", "done_valid", "result_ready", "slot", "done_slot", "tag"):
        getattr(dut, f"{port}_i").value = 0
    await reset(dut)
    slots: list[dict[str, int] | None] = [None] * SLOTS
    ends: list[int] = []  # slots, in the order of their ends
    visiting, result, results = None, None, 0
    for _ in range(5000):
        free = next((i for i, slot in enumerate(slots) if slot is None), None)
        begins = visiting is None and free is not None and draw.random() < 0.7
        room = visiting is not None and slots[visiting]["lines"] < UNDER_WAY
        visits = room and draw.random() < 0.6
        last = visits and draw.random() < 0.3
        under_way = [i for i, slot in enumerate(slots) if slot and slot["lines"]]
        done = draw.choice(under_way) if under_way and draw.random() < 0.5 else None
        ready = draw.random() < 0.5
        tag = draw.getrandbits(TAG_BITS)
        dut.begin_i.value, dut.tag_i.value = int(begins), tag
        dut.visiting_i.value, dut.visit_i.value = int(visiting is not None), int(visits)
        dut.slot_i.value = visiting if visiting is not None else draw.randrange(SLOTS)
        dut.done_valid_i.value, dut.done_slot_i.value = int(done is not None), done or 0
        dut.result_ready_i.value = int(ready)
        await settle()
        assert int(dut.has_free_o.value) == (free is not None)
        if free is not None:
            assert int(dut.free_o.value) == free
        if visiting is not None:
            assert int(dut.has_room_o.value) == room
        assert int(dut.result_valid_o.value) == (result is not None)
        if result is not None:
            assert int(dut.result_tag_o.value) == result
        takes = result is None or ready
        assert int(dut.ends_o.value) == (takes and bool(ends))
        await next_cycle(dut)
        if takes:
            results += result is not None
            result = None
            if ends:
                ended = ends.pop(0)
                result, slots[ended] = slots[ended]["tag"], None
        if done is not None:
            slots[done]["lines"] -= 1
            if slots[done]["closed"] and not slots[done]["lines"]:
                ends.append(done)
        if visits:
            slots[visiting]["lines"] += 1
            slots[visiting]["closed"] = int(last)
            visiting = None if last else visiting
        if begins:
            visiting, slots[free] = free, {"lines": 0, "closed": 0, "tag": tag}
    assert results > 20


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, agrees_with_a_list.func)
