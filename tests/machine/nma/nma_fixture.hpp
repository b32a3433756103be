// nma_fixture: requests a copy from the accelerator of a grid, as a hart would, and checks the result.
#pragma once

#include "../at_rest.hpp"
#include "../with_hardware.hpp"
#include "toy_graph.hpp"

namespace tess::machine {

class nma_fixture : public testing::Test {
 protected:
  struct copy_arguments {
    std::uint64_t root = 0;
    std::uint64_t chunk = 0;
    std::uint64_t bytes = 0;
    registers::nma::map_code map = registers::nma::linear;
    std::uint64_t objects = 0;
    std::uint64_t final_address = 0;
    std::uint32_t source_tile = 0;
    std::uint32_t hart = 0;
    std::uint64_t counter = 0;
    std::uint64_t spawn = 0;
    std::uint64_t task = 0;
    std::uint64_t first = 64;
  };
  static void post(device& unit, copy_arguments const& what) {
    namespace of = registers::nma;
    std::uint64_t const window = what.hart * registers::window_bytes;
    EXPECT_TRUE(unit.store(window + of::root, what.root, what.hart));
    EXPECT_TRUE(unit.store(window + of::destination, what.chunk, what.hart));
    EXPECT_TRUE(unit.store(window + of::room, what.bytes | what.first << of::room_bits, what.hart));
    EXPECT_TRUE(unit.store(window + of::final_address, what.final_address, what.hart));
    EXPECT_TRUE(
        unit.store(window + of::shape, of::shape_of(what.objects, what.source_tile, what.map) | what.spawn, what.hart));
    EXPECT_TRUE(unit.store(window + of::task, what.task, what.hart));
    EXPECT_TRUE(unit.store(window + of::counter, what.counter, what.hart));
  }
  static registers::command_status ring(device& unit, copy_arguments const& what) {
    post(unit, what);
    std::uint64_t const doorbell = what.hart * registers::window_bytes + registers::nma::doorbell;
    EXPECT_TRUE(unit.store(doorbell, 1, what.hart));
    return static_cast<registers::command_status>(*unit.load(doorbell, what.hart));
  }

  explicit nma_fixture(machine_description const& description = read_machine(TESS_MACHINES "/nemesys-2x2.toml"))
      : g(with_hardware(description)) {}

  /// The first counter in the tile-local memory of tile 0, set to `value`.
  std::uint64_t counter(std::uint64_t value, std::uint64_t number = 0) {
    std::uint64_t const at = g.map.of(region_kind::tlm, 0)->base + 0x8000 + number * 32;
    graph.word(at) = value;
    graph.word(at + 8) = 0;
    return at;
  }
  /// Requests, waits, and returns the fault; without one the copy is compared.
  registers::graph_fault copy(std::uint64_t root, std::uint64_t bytes, registers::nma::map_code map,
                              std::uint64_t objects) {
    copy_arguments what{.root = root, .chunk = graph.chunk(bytes), .bytes = bytes, .map = map, .objects = objects};
    what.counter = counter(1);
    chunk = what.chunk;
    std::uint64_t const before = g.clock.now();
    EXPECT_EQ(ring(*g.units[0]->requests, what), registers::command_status::accepted);
    g.clock.run();
    took_ps = g.clock.now() - before;
    EXPECT_EQ(graph.word(what.counter), 0U);
    expect_at_rest(g);
    return static_cast<registers::graph_fault>(graph.word(what.counter + 8));
  }
  /// The copy of the root is the first block.
  std::uint64_t compared(std::uint64_t root) {
    auto const type = graph.type_of(root);
    std::uint64_t const front = type >= toy_graph::data_array ? layout::array_front_bytes : layout::front_bytes;
    std::uint64_t const alignment = type == toy_graph::leaf ? 16 : 8;
    return graph.compare(root, chunk + ((64 + front + alignment - 1) & ~(alignment - 1)), chunk);
  }

  grid g;
  toy_graph graph{g, 0};
  nma& unit = *g.units[g.description.memory.tiles.front()]->accelerator;
  std::uint64_t chunk = 0;
  picoseconds took_ps = 0;
};

}  // namespace tess::machine
