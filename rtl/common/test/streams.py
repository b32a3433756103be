"""streams: sources and sinks with random stalls, for benches of modules with valid/ready streams.

A bench steps them cycle by cycle: inputs change after the falling edge, and what is accepted is what valid and ready
are just before the rising one.
"""

import json
import os
import random
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.task import Task
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge, Timer


def parameter(name: str, default: int) -> int:
    """The value of a parameter of the module."""
    given = dict(word.split("=") for word in os.environ.get("BENCH_PARAMETERS", "").split())
    return int(given.get(name, default))


class Source:
    """Offers items in order, with stalls in between; an item that was offered stays until it is accepted."""

    def __init__(self, items: Sequence[int], stall: float, draw: random.Random) -> None:
        self.items, self.stall, self.draw = list(items), stall, draw
        self.accepted: list[int] = []
        self.offers = False

    @property
    def item(self) -> int:
        return self.items[0] if self.offers else self.draw.getrandbits(31)

    def decide(self) -> None:
        if not self.offers and self.items:
            self.offers = self.draw.random() >= self.stall

    def saw(self, ready: int) -> None:
        if self.offers and ready:
            self.accepted.append(self.items.pop(0))
            self.offers = False


class Sink:
    """Accepts items, with stalls; a module that offered an item must keep it until it is accepted."""

    def __init__(self, stall: float, draw: random.Random) -> None:
        self.stall, self.draw = stall, draw
        self.received: list[int] = []
        self.ready = False
        self.waiting: int | None = None

    def decide(self) -> None:
        self.ready = self.draw.random() >= self.stall

    def saw(self, valid: int, item: Callable[[], int]) -> None:
        if self.waiting is not None:
            assert valid, "an offer was withdrawn before it was accepted"
            assert item() == self.waiting, "an item changed before it was accepted"
        self.waiting = item() if valid and not self.ready else None
        if valid and self.ready:
            self.received.append(item())


clocks: list[Task] = []  # The one that runs, if any; it ends with its test.
# Many times what the longest test takes.
CYCLES_MAX = 300_000


async def expire() -> None:
    """Fails a test that waits for ever, by its name."""
    await Timer(10 * CYCLES_MAX, unit="ns")
    raise AssertionError(f"no end after {CYCLES_MAX} cycles")


async def reset(dut) -> None:
    """Starts the clock, if the module has one, and resets it; cycles begin after a falling edge."""
    if not hasattr(dut, "clk_i"):
        return
    if hasattr(dut, "rst_ni"):
        dut.rst_ni.value = 0
    if not clocks or clocks[-1].done():
        clocks[:] = [Clock(dut.clk_i, 10, unit="ns").start(start_high=False)]
        cocotb.start_soon(expire())
    # A clock that begins with a random 1 falls at once.
    for _ in range(2):
        await RisingEdge(dut.clk_i)
        await FallingEdge(dut.clk_i)
    if hasattr(dut, "rst_ni"):
        dut.rst_ni.value = 1


async def interrupted(dut, test: Callable[..., Coroutine], times: int = 24) -> None:
    """Runs a test several times, each of which ends at any time with the reset by which the next one begins.

    The last run is whole. Each starts as after the first reset, so nothing may be left of what was under way.
    """
    draw = random.Random(cocotb.RANDOM_SEED)
    for _ in range(times):
        run = cocotb.start_soon(test(dut))
        for _ in range(draw.randrange(5, 200)):
            await FallingEdge(dut.clk_i)
            if run.done():
                break
        run.cancel()
    await test(dut)


async def settle() -> None:
    """Until the outputs follow the inputs of this cycle."""
    await ReadOnly()


async def next_cycle(dut) -> None:
    """To after the next rising and falling edge; without a clock, some time later."""
    await (FallingEdge(dut.clk_i) if hasattr(dut, "clk_i") else Timer(10, unit="ns"))


def word(bits: Sequence[int]) -> int:
    """Bits as a port's value, the first one lowest."""
    return sum(int(bit) << i for i, bit in enumerate(bits))


def bit(port, index: int) -> int:
    """One bit of a port's value."""
    return int(port.value) >> index & 1


def happened(what: str, times: int) -> None:
    """Says what a test whose name begins with `energy_` did, for `./tess rtl energy`."""
    Path("happened.json").write_text(json.dumps({"what": what, "times": times}), encoding="utf-8")
