"""nma_states: each state leads where its rules in Python say, and has the parts do what they say and nothing else, with
random answers of the parts around it, and stalls.
"""

import random
from collections import Counter

import cocotb
from nma_names import OFFSET, STATES, WHATS, fields, pack, unpack
from state_rules import FAULTS, LANES, PARTS, Machine
from streams import interrupted, next_cycle, reset, settle

LOADS_ORIGINAL = ("LoadHeader", "Word", "NoElements")
LOADS_COPY = ("Retreat", "Up", "UpHeader", "UpPosition", "UpIndex")
SAVES = ("ParentWord", "SavePosition", "SaveIndex", "SaveBytes", "SaveParentSrc", "SaveParentDst", "SaveHeader")
WAITS = ("TypeWait", "MaskWait", "ProbeWait", "KnownWait", "FetchWait")
# What memory takes of which state.
TAKES = {"Probe": "read", "Known": "read", "Fetch": "read", "Clear": "write", "InsertOriginal": "write"}
TAKES |= {"InsertCopy": "write", "Clean": "run", "Search": "searched", "Stream": "streamed"}
# How often an input is high; the others are high in half of all cycles.
CHANCES = dict.fromkeys(("wild", "front_wild", "beyond", "no_room", "parent_wild", "position_beyond"), 0.03)
CHANCES |= dict.fromkeys(("map_misfit", "map_full", "map_round", "record_fault"), 0.03)
CHANCES |= {"record_sound": 0.97, "original_has": 0.8, "copy_has_line": 0.8, "copies": 0.6, "drained": 0.3}
FLAGS = (*CHANCES, "is_array", "last", "mask_missing", "copy_dirty", "run_last", "found", "stream_complete")
FLAGS += ("stream_head_full", "access_valid", "has_room", "answered", "job_valid", "record_ready")
FLAGS += ("record_answer_valid", "result_ready")
WIDE = {"type_bytes": 32, "mask_at": 64, "words": 38, "object": 40, "end_at": 40, "final_copy": 64, "position": 38}
WIDE |= {"left": 38, "original_at": 40, "original_word": 64, "copy_word": 64, "table_words": 38, "map_count": 38}


class Around:
    """The parts of the machine: they answer at random, but for what they never say."""

    def __init__(self, dut, draw: random.Random) -> None:
        self.dut, self.draw = dut, draw
        settings = {"map_offset": draw.getrandbits(34) << 6, "types_address": draw.getrandbits(64)}
        self.model = Machine(settings | {"types_count": 1 << 31})
        dut.settings_i.value = pack("settings_t", **self.model.settings)
        self.visited: Counter = Counter()

    def word(self) -> int:
        """A word, often one that means something."""
        child = self.model.registers.get("child", 0)
        return self.draw.choice([0, child, self.draw.getrandbits(37), self.draw.getrandbits(64)])

    def inputs(self) -> dict[str, int]:
        draw, model = self.draw, self.model
        state, now = model.state, model.registers
        at = {name: int(draw.random() < CHANCES.get(name, 0.5)) for name in FLAGS}
        at |= {name: draw.getrandbits(bits) for name, bits in WIDE.items()}
        at |= {"kind": draw.randrange(3), "code": draw.randrange(4), "remain": draw.choice([0, draw.getrandbits(38)])}
        at |= {"original_word": self.word(), "copy_word": self.word(), "answer": self.word()}
        at |= {"words": draw.randrange(4 * LANES), "table_words": draw.randrange(1, 4 * LANES)}
        at |= {"left": draw.randrange(1, 6), "out_words": min(now.get("range_left", LANES), LANES)}
        job = {name: draw.getrandbits(bits) for name, bits in fields("job_t")}
        job["sound"], job["root"] = int(draw.random() < 0.9), draw.choice([job["root"]] * 9 + [0])
        at["job"] = job
        # The root's parent is wild, as it is null; types are mostly known.
        if state == "UpCheck" and now["word"] == 0:
            at["wild"] = int(draw.random() < 0.95)
        if draw.random() < 0.95:
            at["original_word"] &= ~(1 << 31)
            at["copy_word"] &= ~(1 << 31)
        # Only what a state offers is taken, and only a burst that is full is stored.
        takes = {name: 0 for name, _ in fields("taken_t")}
        if state in TAKES and not model.pause and (state != "Clean" or at["copy_dirty"]):
            takes[TAKES[state]] = int(draw.random() < 0.6)
        if state == "Stream" and now["out_full"]:
            takes |= {"streamed": 0, "stored": int(draw.random() < 0.6)}
        at["taken"] = takes
        self.lines(at)
        return at

    def lines(self, at: dict[str, int]) -> None:
        """What is missing is what the state needs; a state that fails without a line needs none."""
        state, now = self.model.state, self.model.registers
        at["copy_has"] = int(at["copy_has_line"] and self.draw.random() < 0.8)
        loads_original, loads_copy = state in LOADS_ORIGINAL, state in LOADS_COPY
        if state == "Word":
            loads_original = not at["mask_missing"]
        elif state == "Size":
            at["front_wild"] &= at["is_array"]
            loads = at["is_array"] and not at["front_wild"]
            loads_original, loads_copy = loads and not now["back"], loads and now["back"]
        elif state == "Copy":
            # A descriptor's first word and its number of elements are never data.
            at["copies"] = int(now["what"] == "WordData" or (at["copies"] and now["is_null"]))
        stores = state in SAVES or state == "Point" or (state == "Copy" and at["copies"])
        at["original_missing"] = int(bool(loads_original) and not at["original_has"])
        at["copy_missing"] = int(bool(loads_copy) and not at["copy_has"])
        at["store_missing"] = int(stores and not at["copy_has_line"])

    def drive(self) -> None:
        self.at = at = self.inputs()
        self.model.begin(at)
        for name, value in at.items():
            port = getattr(self.dut, f"{name}_i")
            port.value = pack({"job": "job_t", "taken": "taken_t"}[name], **value) if isinstance(value, dict) else value

    def quiet(self) -> bool:
        state, at = self.model.state, self.at
        if state in ("Clear", "InsertOriginal", "InsertCopy"):
            return not at["has_room"]
        if state == "Stream":
            return not at["access_valid"] and bool(self.model.registers["out_full"] or not at["stream_head_full"])
        if state == "Search":
            return not (at["access_valid"] or at["found"] or at["stream_complete"])
        if state == "Clean":
            return bool(at["copy_dirty"]) and not at["has_room"]
        if state in ("Idle", "Drain"):
            return not at["job_valid" if state == "Idle" else "drained"]
        return state in WAITS

    def check(self) -> None:
        dut, model = self.dut, self.model
        state, now, does = model.state, model.registers, model.does
        assert int(dut.state_o.value) == STATES[state], f"instead of {state}"
        assert bool(int(dut.pauses_o.value)) == (model.pause > 0), state
        for part in PARTS:
            done = unpack(f"{part}_do_t", int(getattr(dut, f"{part}_do_o").value))
            assert {name for name, bit in done.items() if bit} == does[part], f"{state}: {part}"
        for name in ("new_index", "set_type", "sets_parent"):
            assert int(getattr(dut, f"{name}_o").value) == does[name], f"{state}: {name}"
        begins = int(dut.stream_begin_offset_o.value), int(dut.stream_begin_words_o.value)
        assert begins == does["range"], state
        assert int(dut.job_ready_o.value) == (state == "Idle")
        assert int(dut.result_valid_o.value) == (state == "Result")
        assert int(dut.record_valid_o.value) == (state in ("TypeAsk", "MaskAsk"))
        assert int(dut.record_whole_o.value) == (state == "TypeAsk")
        assert bool(int(dut.quiet_o.value)) == self.quiet(), state
        for name in ("used", "child", "back", "header", "bytes", "src", "dst", "word", "range_at", "range_left"):
            assert now.get(name) in (None, int(getattr(dut, f"{name}_o").value)), f"{state}: {name}"
        for name in ("is_null", "out_full", "fills_copy"):
            assert now.get(name) in (None, int(getattr(dut, f"{name}_o").value)), f"{state}: {name}"
        if "what" in now:
            assert int(dut.what_o.value) == WHATS[now["what"]], state
        if "job" in now:
            assert unpack("job_t", int(dut.job_o.value)) == now["job"], state
        if state in ("TypeAsk", "MaskAsk"):
            assert int(dut.record_address_o.value) == now["record_at"]
        if state == "Result":
            root = 0 if now["fault"] else now["root"]
            expected = {"fault": now["fault"], "root": root, "objects": now["objects"]}
            expected["bytes"] = now["used"] - now["job"]["target"] & OFFSET
            assert unpack("result_t", int(dut.result_o.value)) == expected
            self.visited[f"fault {now['fault']}"] += 1

    async def run(self, cycles: int) -> None:
        await reset(self.dut)
        for _ in range(cycles):
            self.visited[self.model.state] += 1
            self.drive()
            await settle()
            self.check()
            self.model.end()
            await next_cycle(self.dut)


@cocotb.test()
async def states_follow_their_rules(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    around = Around(dut, draw)
    await around.run(15000)
    wanted = [*STATES, *(f"fault {fault}" for fault in FAULTS)]
    assert min(around.visited[one] for one in wanted) > 0, around.visited


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    draw = random.Random(cocotb.RANDOM_SEED)

    async def some(dut) -> None:
        await Around(dut, draw).run(200)

    await interrupted(dut, some)
