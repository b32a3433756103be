"""nma_lines: states load and store words of both registers, or say which register must get a line first."""

import random

import cocotb
from nma_names import STATES, WHATS, burst_of, lanes_of, pack
from streams import interrupted, next_cycle, parameter, reset, settle

LANES = parameter("LANES", 8)
LINE = 8 * LANES
LOADS_COPY = ["Retreat", "Up", "UpPosition", "UpIndex"]


class Machine:
    """Does what the machine does when a line is missing, on a memory of a few lines."""

    def __init__(self, dut, draw: random.Random) -> None:
        self.dut, self.draw = dut, draw
        self.memory = {8 * at: draw.getrandbits(64) for at in range(4 * LANES)}
        self.written = dict(self.memory)

    async def do(self, **what: int) -> None:
        self.dut.do_i.value = pack("lines_do_t", **what)
        await next_cycle(self.dut)
        self.dut.do_i.value = 0

    async def move(self, which: str, at: int) -> None:
        """The original or the copy is about another word, which is in the present line or not."""
        dut = self.dut
        await settle()
        enters = at // LINE == int(getattr(dut, f"{which}_line_o").value)
        await next_cycle(dut)
        getattr(dut, f"{which}_enters_i").value = int(enters)
        dut.moves_i.value = pack("addresses_do_t", **{which: 1})
        await next_cycle(dut)
        dut.moves_i.value = 0
        getattr(dut, f"{which}_at_i").value = at

    async def clean(self) -> None:
        """Writes each run that has changed."""
        dut = self.dut
        while True:
            await settle()
            dirty, line = int(dut.dirty_o.value), int(dut.copy_line_o.value) * LINE
            lane, count = int(dut.run_lane_o.value), int(dut.run_words_o.value)
            words, last = lanes_of(int(dut.words_o.value), LANES), int(dut.run_last_o.value)
            await next_cycle(dut)
            if not dirty:
                return
            for at in range(lane, lane + count):
                self.written[line + 8 * at] = words[at]
            await self.do(written=1)
            if last:
                assert not int(dut.dirty_o.value)

    async def until_present(self) -> None:
        """Gets the lines that the state misses."""
        dut = self.dut
        for _ in range(3):
            await settle()
            original, copy, store = (
                int(port.value) for port in (dut.original_missing_o, dut.copy_missing_o, dut.store_missing_o)
            )
            has_line = int(dut.copy_has_line_o.value)
            await next_cycle(dut)
            if not (original or copy or store):
                return
            # The cycle in which the machine sees it has taken the line of the original; other states follow.
            dut.runs_i.value = 0
            if original:
                await self.do(fill_original=1)
                dut.runs_i.value = 1
                continue
            line = int(dut.copy_at_i.value) // LINE * LINE
            if store or not has_line:
                await self.clean()
                await self.do(take_copy=1)
            if copy:
                dut.fill_words_i.value = burst_of([self.written[line + 8 * at] for at in range(LANES)])
                await self.do(fill_copy=1)
            dut.runs_i.value = 1
        raise AssertionError("a line is still missing")


@cocotb.test()
async def words_are_those_of_the_memory(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    dut.state_i.value = STATES["Idle"]
    await reset(dut)
    machine = Machine(dut, draw)
    now = dict(machine.memory)
    for name in ("is_array", "front_wild", "back", "mask_missing", "what", "target", "dst", "object", "final_copy"):
        getattr(dut, f"{name}_i").value = 0
    for name in ("src", "bytes", "header", "position", "index", "do", "state", "word", "null", "moves"):
        getattr(dut, f"{name}_i").value = 0
    dut.runs_i.value = 1
    await machine.do(clear=1)
    for _ in range(1500):
        at = 8 * draw.randrange(4 * LANES)
        kind = draw.choice(["original", "load", "store", "store"])
        if kind == "original":
            await machine.move("original", at)
            base = at // LINE * LINE
            dut.fill_words_i.value = burst_of([machine.memory[base + 8 * lane] for lane in range(LANES)])
            dut.state_i.value = STATES["LoadHeader"]
            await machine.until_present()
            await settle()
            assert int(dut.original_has_o.value)
            assert int(dut.original_word_o.value) == machine.memory[at]
            await next_cycle(dut)
        elif kind == "load":
            await machine.move("copy", at)
            dut.state_i.value = STATES[draw.choice(LOADS_COPY)]
            await machine.until_present()
            await settle()
            assert int(dut.copy_word_o.value) == now[at]
            await next_cycle(dut)
        else:
            value = draw.getrandbits(64)
            await machine.move("copy", at)
            dut.word_i.value, dut.what_i.value = value, WHATS["WordData"]
            dut.state_i.value = STATES["Copy"]
            # While the state is only waited in, nothing is stored.
            dut.runs_i.value = 0
            await settle()
            before = int(dut.words_o.value)
            for _ in range(3):
                await next_cycle(dut)
            await settle()
            assert int(dut.words_o.value) == before
            await next_cycle(dut)
            dut.runs_i.value = 1
            await settle()
            assert int(dut.copies_o.value)
            await next_cycle(dut)
            await machine.until_present()
            now[at] = value
        dut.state_i.value = STATES["Idle"]
        await next_cycle(dut)
    await machine.clean()
    assert machine.written == now


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, words_are_those_of_the_memory.func)
