"""rae_operation_map: every packet, word, width and place in a line."""

import cocotb
from cocotb.triggers import Timer
from operations import OPERATIONS, PACKETS, code_of
from streams import parameter

LINE_BYTES = parameter("LINE_BYTES", 64)


@cocotb.test()
async def knows_every_packet(dut):
    for packet, name in enumerate(PACKETS):
        for word in range(16) if name == "atomic" else (0, 5):
            for size in range(4):
                for offset in range(LINE_BYTES):
                    dut.packet_i.value, dut.word_i.value = packet, word
                    dut.size_i.value, dut.offset_i.value = size, offset
                    await Timer(1, unit="ns")
                    code = code_of(name, word, size, offset, LINE_BYTES)
                    assert int(dut.wrong_o.value) == (code is None), f"{name} {word} {size} {offset}"
                    if code is not None:
                        assert int(dut.operation_o.value) == OPERATIONS.index(code)
