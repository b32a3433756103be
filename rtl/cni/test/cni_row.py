"""cni_row: what a store to each word of each kind of line is."""

import cocotb
from streams import next_cycle, parameter, reset, settle

NONE, COMMAND, ADD, SET, KEEP, PUT, HEAD, DATA, REQUEST = range(9)
ROWS = {
    0: [NONE] * 8,
    1: [NONE] * 8,
    2: [COMMAND] * 8,
    3: [ADD, *[KEEP] * 6, SET],
    4: [PUT, HEAD, NONE, KEEP, KEEP, KEEP, NONE, NONE],
    5: [DATA, REQUEST, NONE, KEEP, KEEP, NONE, NONE, NONE],
}
LEFT_OUT = {3: "COUNTERS", 4: "QUEUES", 5: "MATCH_QUEUES"}


@cocotb.test()
async def all_words(dut):
    await reset(dut)
    for code, rows in ROWS.items():
        for number, row in enumerate(rows):
            dut.code_i.value, dut.number_i.value = code, number
            await settle()
            if code in LEFT_OUT and not parameter(LEFT_OUT[code], 1):
                row = NONE
            assert int(dut.row_o.value) == row, (code, number)
            await next_cycle(dut)
