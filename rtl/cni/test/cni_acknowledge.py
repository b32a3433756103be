"""cni_acknowledge: each packet has one answer, and its acknowledgement goes to the tile of its address, once.
"""

import random

import cocotb
from streams import happened, interrupted, next_cycle, parameter, reset, settle

TILES, LINE, HERE = 1 << parameter("TILE_BITS", 10), parameter("LINE_BYTES", 64), 2


async def run(dut, cycles: int, stall: float) -> dict[str, int]:
    """Random packets; returns how many went each way."""
    draw = random.Random(cocotb.RANDOM_SEED)
    ways = {"answer": 0, "carries": 0, "store": 0, "job": 0}
    dut.tile_i.value = HERE
    for port in (dut.written_valid_i, dut.answer_ready_i, dut.store_ready_i, dut.job_ready_i):
        port.value = 0
    await reset(dut)
    offer, due = None, {}
    for _ in range(cycles):
        if offer is None and draw.random() >= stall:
            address = draw.choice([0, draw.getrandbits(60) + 1])
            tiles = (draw.randrange(TILES), draw.randrange(TILES))
            offer = (tiles[0], address, tiles[1], draw.randrange(1, LINE + 1), draw.randrange(2))
        dut.written_valid_i.value = int(offer is not None)
        if offer:
            dut.written_source_i.value, dut.written_to_i.value, dut.written_home_i.value = offer[:3]
            dut.written_bytes_i.value, dut.written_refused_i.value = offer[3:]
        ready = {way: draw.random() >= stall for way in ("answer", "store", "job")}
        dut.answer_ready_i.value, dut.store_ready_i.value = int(ready["answer"]), int(ready["store"])
        dut.job_ready_i.value = int(ready["job"])
        await settle()
        valid = {"answer": dut.answer_valid_o, "store": dut.store_valid_o, "job": dut.job_valid_o}
        word = (int(dut.word_address_o.value), int(dut.word_value_o.value))
        for way, port in valid.items():
            assert int(port.value) == int(way in due), f"{way}: {due}"
            if way in due:
                if way == "answer":
                    assert int(dut.answer_source_o.value) == due[way][0]
                    assert int(dut.answer_carries_o.value) == int(due[way][1] is not None)
                    assert due[way][1] in (None, word)
                else:
                    assert due[way] == word
                if ready[way]:
                    del due[way]
                    ways[way] += 1
        assert int(dut.quiet_o.value) == int(dut.written_ready_o.value)
        if offer and int(dut.written_ready_o.value):
            assert not due
            source, address, home, size, refused = offer
            word = (address, (-size if refused else size) % (1 << 64)) if address else None
            due["answer"] = (source, word if home == source else None)
            ways["carries"] += int(word is not None and home == source)
            if word and home != source:
                due["store" if home == HERE else "job"] = word
            offer = None
        await next_cycle(dut)
    return ways


@cocotb.test()
async def random_packets(dut):
    ways = await run(dut, 4000, 0.3)
    assert all(count > 20 for count in ways.values()), ways


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, random_packets.func)


@cocotb.test()
async def each_takes_its_cycles(dut):
    """Answer, store and job come in the cycle after the packet, and the next packet in the one after that."""
    dut.tile_i.value = HERE
    dut.answer_ready_i.value = dut.store_ready_i.value = dut.job_ready_i.value = 1
    dut.written_valid_i.value = 0
    await reset(dut)
    source, elsewhere = (HERE + 1) % TILES, (HERE + 2) % TILES
    dut.written_source_i.value, dut.written_bytes_i.value, dut.written_refused_i.value = source, LINE, 0
    # No address, one at the packet's source, here, or elsewhere.
    for address, home, store, job in ((0, HERE, 0, 0), (64, source, 0, 0), (64, HERE, 1, 0), (64, elsewhere, 0, 1)):
        dut.written_valid_i.value, dut.written_to_i.value, dut.written_home_i.value = 1, address, home
        for offered in (0, 1):
            await settle()
            assert int(dut.written_ready_o.value) == 1 - offered
            assert int(dut.answer_valid_o.value) == offered
            assert int(dut.store_valid_o.value) == (offered and store)
            assert int(dut.job_valid_o.value) == (offered and job)
            await next_cycle(dut)


@cocotb.test()
async def energy_packets(dut):
    ways = await run(dut, 2000, 0)
    happened("an acknowledged packet", ways["answer"])
