"""cni_job_queue: against a list: its first number is offered, with whether that job waits and is a copy."""

import random

import cocotb
from streams import interrupted, next_cycle, parameter, reset, settle

JOBS = parameter("JOBS", 64)


@cocotb.test()
async def offers_the_first_and_what_it_is(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    for name in ("put", "take", "end_valid", "end_number", "number", "is_copy", "next_waits", "next_is_copy"):
        getattr(dut, f"{name}_i").value = 0
    await reset(dut)
    queue, waits, copies = [], set(), set()
    ended = full = at_once = 0
    for cycle in range(6000):
        if cycle % 60 == 0:
            puts_often, takes_often, ends_often = (draw.choice([0.05, 0.5, 0.95]) for _ in range(3))
        await next_cycle(dut)
        others = {number for number in range(JOBS) if number not in queue}
        if len(queue) > 1:
            dut.next_waits_i.value, dut.next_is_copy_i.value = int(queue[1] in waits), int(queue[1] in copies)
        else:
            dut.next_waits_i.value, dut.next_is_copy_i.value = draw.randrange(2), draw.randrange(2)
        take = bool(queue) and draw.random() < takes_often
        put = bool(others) and draw.random() < puts_often
        number, is_copy = draw.choice(sorted(others)) if put else draw.randrange(JOBS), draw.random() < 0.5
        end = draw.choice(sorted(waits)) if waits and draw.random() < ends_often else None
        if end is not None and take and end == queue[0]:
            end = None
        dut.take_i.value, dut.put_i.value = int(take), int(put)
        dut.number_i.value, dut.is_copy_i.value = number, int(is_copy)
        dut.end_valid_i.value = int(end is not None)
        dut.end_number_i.value = draw.randrange(JOBS) if end is None else end
        await settle()
        assert int(dut.valid_o.value) == bool(queue)
        if len(queue) > 1:
            assert int(dut.next_o.value) == queue[1]
        if queue:
            assert int(dut.number_o.value) == queue[0]
            assert int(dut.waits_o.value) == (queue[0] in waits)
            assert int(dut.is_copy_o.value) == (queue[0] in copies)
        if take:
            at_once += put and len(queue) == 1
            gone = queue.pop(0)
            waits.discard(gone)
            copies.discard(gone)
        waits.discard(end)
        ended += end is not None and end in queue[:2]
        if put:
            queue.append(number)
            waits.add(number)
            if is_copy:
                copies.add(number)
        full += len(queue) == JOBS
    assert ended > 50 and full > 50 and (at_once > 20 or JOBS == 1)


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, offers_the_first_and_what_it_is.func)
