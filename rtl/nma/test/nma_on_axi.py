"""nma_on_axi: the accelerator copies graphs in a memory behind AXI4, whatever order that memory works in."""

import random

import cocotb
from axi_memory import AxiMemory
from graphs import ENTRIES, MAP, MEMORY_ERROR, NONE, TARGET, TARGET_BYTES, Copier, Job, random_graph
from nma import Surroundings, some_job
from streams import interrupted, reset


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


async def copies(dut, draw: random.Random, rounds: int) -> int:
    """Copies graphs and compares; how many had no fault."""
    await reset(dut)
    good = 0
    for number in range(rounds):
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
    return good


@cocotb.test()
async def copies_graphs(dut):
    assert await copies(dut, random.Random(cocotb.RANDOM_SEED), 24) > 15


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    draw = random.Random(cocotb.RANDOM_SEED)

    async def some(dut) -> None:
        await copies(dut, draw, 1)

    await interrupted(dut, some)


@cocotb.test()
async def a_job_whose_memory_refuses_has_that_fault(dut):
    """Reads or writes; the next job has its own result."""
    draw = random.Random(cocotb.RANDOM_SEED)
    await reset(dut)
    for number in range(12):
        memory = random_graph(draw, damaged=False)
        around = OnAxi(dut, memory, draw, draw.choice([0, 0.3]))
        job = Job(memory.any_object(), TARGET, TARGET + TARGET_BYTES, 0, len(memory.objects))
        expected = Copier(memory, job, len(memory.types)).run()
        for refuses in (True, False):
            # The header of the root is read, and its copy is written, whatever else is done.
            around.axi.refuses_reads = float(refuses and number % 2)
            around.axi.refuses_writes = float(refuses and not number % 2)
            await around.run([job])
            if refuses:
                assert around.results[-1][:2] == (MEMORY_ERROR, 0)
                assert number % 2 or around.results[-1][2:] == expected[2:]
            else:
                assert around.results[-1] == expected
