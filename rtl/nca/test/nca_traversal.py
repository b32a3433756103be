"""nca_traversal: the traversal without its queue marks, counts and writes back all objects of random graphs, and no
others; it takes a graph when the one before has its result, and has nothing left of one that a reset cut off.
"""

import cocotb
import nca_graph_writeback as graphs
from streams import interrupted

GRAPHS = 12


@cocotb.test()
async def random_graphs(dut):
    await graphs.traverse(dut, GRAPHS)


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, random_graphs.func)


@cocotb.test()
async def a_list_needs_no_stack_and_a_tree_does(dut):
    await graphs.a_list_needs_no_stack_and_a_tree_does.func(dut)


@cocotb.test()
async def each_fault_is_found(dut):
    await graphs.each_fault_is_found.func(dut)


@cocotb.test()
async def jobs_are_taken_one_after_another(dut):
    await graphs.jobs_wait_in_their_order.func(dut)
