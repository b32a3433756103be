"""nma_on_axi: the accelerator copies graphs in a memory behind AXI4, whatever order that memory works in."""

import random

import cocotb
from axi_memory import AxiMemory
from graphs import ENTRIES, MAP, NONE, Copier, random_graph
from nma import Surroundings, some_job
from streams import reset


class OnAxi(Surroundings):
    """The same surroundings, but for the memory."""

    def __init__(self, dut, memory, draw: random.Random, stall: float) -> None:
        super().__init__(dut, memory, draw, stall=stall)
        self.axi = AxiMemory(dut, draw, stall, memory.at, self.store)

    def store(self, at: int, word: int) -> None:
        job = self.inside[0]
        assert MAP <= at < MAP + 16 * ENTRIES or job.begins <= at < job.ends, f"a write at {at:x}"
        self.memory.words[at] = word

    def drive_memory(self) -> None:
        self.axi.drive()

    def saw_access(self) -> None:
        self.axi.saw()


@cocotb.test()
async def copies_graphs(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    await reset(dut)
    good = 0
    for number in range(24):
        memory = random_graph(draw, damaged=number % 4 == 3)
        around = OnAxi(dut, memory, draw, draw.choice([0, 0.3, 0.6]))
        for _ in range(2):
            job = some_job(draw, memory)
            wanted = Copier(memory, job, len(memory.types))
            expected = wanted.run()
            await around.run([job])
            assert around.results[-1] == expected, job
            if expected[0] == NONE:
                good += 1
                for at, word in wanted.words.items():
                    assert memory.at(at) == word
    assert good > 15
    assert not int(dut.error_o.value)
