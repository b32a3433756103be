"""nma_operands: for each state, whether it loads or stores, and what."""

import random

import cocotb
from cocotb.triggers import Timer
from nma_names import STATES, WHATS

LOADS_COPY = {"Retreat", "Up", "UpHeader", "UpPosition", "UpIndex"}
BITS = {"word": 64, "target": 40, "dst": 40, "object": 40, "final_copy": 64, "src": 64, "bytes": 64, "header": 32}
BITS |= {"position": 38, "index": 2}
FLAGS = ("is_array", "front_wild", "back", "mask_missing", "null")


def stored(at: dict[str, int]) -> dict[str, int]:
    """What each state stores."""
    return {
        "ParentWord": at["final_copy"],
        "SavePosition": at["position"],
        "SaveIndex": at["index"],
        "SaveBytes": at["bytes"],
        "SaveParentSrc": at["src"],
        "SaveParentDst": at["dst"],
        "SaveHeader": ((at["object"] - at["target"]) // 8 & 0xFFFFFFFF) << 32 | at["header"],
        "Point": at["word"],
    }


@cocotb.test()
async def each_state_has_its_own(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    for state in list(STATES) * 40:
        at = {name: draw.getrandbits(bits) for name, bits in BITS.items()}
        at |= {"object": at["object"] // 8 * 8, "target": at["target"] // 16 * 16}
        flags = {name: draw.randrange(2) for name in FLAGS}
        what = draw.choice(list(WHATS))
        for name, value in (at | flags).items():
            getattr(dut, f"{name}_i").value = value
        dut.what_i.value, dut.state_i.value = WHATS[what], STATES[state]
        await Timer(1, unit="ns")
        size = state == "Size" and flags["is_array"] and not flags["front_wild"]
        originals = state in ("LoadHeader", "NoElements") or (state == "Word" and not flags["mask_missing"])
        assert int(dut.loads_original_o.value) == bool(originals or (size and not flags["back"])), state
        assert int(dut.loads_copy_o.value) == bool(state in LOADS_COPY or (size and flags["back"])), state
        values = stored(at)
        null = flags["null"] and what != "WordDescriptor"
        stores = state in values or (state == "Copy" and (what == "WordData" or bool(null)))
        assert int(dut.stores_o.value) == stores, (state, what)
        if stores:
            assert int(dut.store_value_o.value) == values.get(state, at["word"]), state
