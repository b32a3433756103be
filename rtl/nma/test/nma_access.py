"""nma_access: what each state offers, that an offer stays, and how many writes are under way."""

import random

import cocotb
from nma_names import STATES, burst_of, lanes_of, unpack
from streams import interrupted, next_cycle, parameter, reset, settle

LANES, STREAM_BURSTS, POSTED = parameter("LANES", 8), parameter("STREAM_BURSTS", 8), parameter("POSTED_WRITES", 8)
LINE = 8 * LANES
WRITES = {"Clear", "InsertOriginal", "InsertCopy", "Clean"}
OFFERS = [*WRITES, "Stream", "Search", "Probe", "Known", "Fetch"]
TAKEN = dict.fromkeys(WRITES, "write") | dict.fromkeys(("Probe", "Known", "Fetch"), "read")
TAKEN |= {"Clean": "run", "Search": "searched", "Stream": "streamed"}  # its reads


def draw_inputs(draw: random.Random) -> dict[str, int]:
    """Anything at all ports."""
    offsets = ("range_at", "original_entry", "copy_entry", "stream_offset", "wanted")
    at = {name: draw.getrandbits(40) // 8 * 8 for name in offsets}
    at |= {"line": draw.getrandbits(40) // LINE * LINE, "range_left": draw.choice([1, 2, LANES, 1000])}
    at |= {name: draw.getrandbits(64) for name in ("original", "copy")}
    at |= {name: burst_of([draw.getrandbits(64) for _ in range(LANES)]) for name in ("out_data", "line_data")}
    at |= {"slot": draw.randrange(STREAM_BURSTS), "run_lane": draw.randrange(LANES)}
    at |= {name: draw.randrange(1, LANES + 1) for name in ("stream_words", "out_words")}
    at["run_words"] = draw.randrange(1, LANES + 1 - at["run_lane"])
    return at | {name: draw.randrange(2) for name in ("can_issue", "out_full", "dirty", "found")}


def expected(state: str, at: dict[str, int], room: bool) -> tuple | None:
    """(writes, tag, offset, words that are written or how many are read), if there is an offer."""
    single, out = STREAM_BURSTS, lanes_of(at["out_data"], LANES)
    reads = (False, at["slot"], at["stream_offset"], at["stream_words"]) if at["can_issue"] else None
    lane = at["run_lane"]
    if state in WRITES and not room:
        return None
    if state == "Stream":
        return (True, None, at["range_at"], out[: at["out_words"]]) if at["out_full"] and room else reads
    if state == "Search":
        return None if at["found"] else reads
    if state == "Clean" and not at["dirty"]:
        return None
    return {
        "Clear": (True, None, at["range_at"], [0] * min(LANES, at["range_left"])),
        "InsertOriginal": (True, None, at["original_entry"], [at["original"]]),
        "InsertCopy": (True, None, at["copy_entry"], [at["copy"]]),
        "Probe": (False, single, at["original_entry"], 1),
        "Known": (False, single, at["copy_entry"], 1),
        "Fetch": (False, single, at["wanted"] // LINE * LINE, LANES),
        "Clean": (True, None, at["line"] + 8 * lane, lanes_of(at["line_data"], LANES)[lane : lane + at["run_words"]]),
    }.get(state)


def offered(dut) -> tuple | None:
    """The same, of the module."""
    if not int(dut.valid_o.value):
        return None
    offset, words, lane = int(dut.offset_o.value), int(dut.words_o.value), int(dut.lane_o.value)
    if int(dut.writes_o.value):
        return True, None, offset, lanes_of(int(dut.data_o.value), LANES)[lane : lane + words]
    return False, int(dut.tag_o.value), offset, words


@cocotb.test()
async def offers_what_the_state_needs(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    await reset(dut)
    dut.ready_i.value = dut.written_i.value = dut.pauses_i.value = 0
    under_way, full, acknowledges = 0, 0, 0.4
    for number in range(1500):
        if number % 100 == 0:
            acknowledges = draw.choice([0.02, 0.4])
        state = draw.choice(OFFERS if draw.random() < 0.8 else list(STATES))
        at = draw_inputs(draw)
        dut.state_i.value = STATES[state]
        for name, value in at.items():
            getattr(dut, f"{name}_i").value = value
        pauses = state == "Probe" and draw.random() < 0.3
        dut.pauses_i.value = int(pauses)
        room = under_way < POSTED
        full += not room
        waits = None if pauses else expected(state, at, room)
        stall = draw.random()
        for _ in range(30):
            ready, written = draw.random() >= stall, under_way > 0 and draw.random() < acknowledges
            dut.ready_i.value, dut.written_i.value = int(ready), int(written)
            await settle()
            assert offered(dut) == waits, state
            assert int(dut.drained_o.value) == (under_way == 0)
            assert int(dut.has_room_o.value) == (under_way < POSTED)
            taken = waits is not None and ready
            if waits is not None:
                kind = "stored" if state == "Stream" and waits[0] else TAKEN[state]
                assert unpack("taken_t", int(dut.taken_o.value))[kind] == taken
            await next_cycle(dut)
            under_way += (taken and waits[0]) - written
            if taken or waits is None or written:
                break
            # A read of the stream that was offered stays, whatever comes meanwhile.
            if state == "Search":
                dut.found_i.value = 1
            if state == "Stream" and not waits[0]:
                dut.out_full_i.value = 1
        else:
            taken = True
        if not taken and waits is not None:  # whoever asks goes on until it is taken
            dut.ready_i.value, dut.written_i.value = 1, 0
            await settle()
            assert offered(dut) == waits, state
            await next_cycle(dut)
            under_way += waits[0]
        dut.ready_i.value = dut.written_i.value = 0
        dut.state_i.value = STATES["Idle"]
        await settle()
        assert int(dut.drained_o.value) == (under_way == 0)
        assert int(dut.has_room_o.value) == (under_way < POSTED), "known a cycle too late"
        await next_cycle(dut)
    assert full > 20


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, offers_what_the_state_needs.func)
