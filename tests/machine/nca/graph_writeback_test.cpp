// graph_writeback_test: a graph writeback brings memory up to date, measures enough space for a copy, starts the task
// and reports faults. Method: the grid of a preset without harts; stores through the L2 as harts would issue them.
#include "../nma/nma_fixture.hpp"

namespace tess::machine {
namespace {

namespace nca = registers::nca;
namespace ranges = registers::ranges;
using registers::command_status;
using registers::graph_fault;

class a_graph_writeback : public nma_fixture {
 protected:
  struct command {
    std::uint64_t root = 0;
    std::uint64_t metadata = 0;
    std::uint64_t remote = 0;
    std::uint64_t dispatch = 0;
    std::uint64_t task = 0;
    std::uint64_t counter = 0;
    std::uint32_t hart = 0;
    std::uint32_t tile = 0;
  };
  explicit a_graph_writeback(machine_description const& made = read_machine(TESS_MACHINES "/nemesys-2x2.toml"))
      : nma_fixture(made) {}

  command_status ring(command const& what) {
    device& unit_of = *g.units[what.tile]->graphs;
    std::uint64_t const window = what.hart * registers::window_bytes;
    EXPECT_TRUE(unit_of.store(window + nca::root, what.root, what.hart));
    EXPECT_TRUE(unit_of.store(window + nca::metadata, what.metadata, what.hart));
    EXPECT_TRUE(unit_of.store(window + nca::remote, what.remote, what.hart));
    EXPECT_TRUE(unit_of.store(window + nca::dispatch, what.dispatch, what.hart));
    EXPECT_TRUE(unit_of.store(window + nca::task, what.task, what.hart));
    EXPECT_TRUE(unit_of.store(window + nca::counter, what.counter, what.hart));
    EXPECT_TRUE(unit_of.store(window + nca::doorbell, 1, what.hart));
    return static_cast<command_status>(*unit_of.load(window + nca::doorbell, what.hart));
  }
  using nma_fixture::ring;
  /// A store of a hart: the line is then in the L2, and dirty.
  void write(std::uint64_t address, std::uint64_t value) {
    transaction told;
    told.what = remote_operation::write;
    told.address = address;
    told.bytes = 8;
    std::memcpy(told.data.data(), &value, sizeof value);
    happened done;
    g.tiles[0]->serve(told, done);
    g.clock.run();
    EXPECT_EQ(told.status, remote_outcome::done);
  }
  std::uint64_t in_memory(std::uint64_t address) {
    region const& in = *g.map.find(address);
    std::uint64_t value = 0;
    std::memcpy(&value, g.tiles[in.memory_tile]->memory()->bytes().at(in.memory_offset + (address - in.base)),
                sizeof value);
    return value;
  }
  /// Runs to the end; returns the fault and the contents of M.
  graph_fault measure(std::uint64_t root, std::uint32_t tile = 0) {
    metadata = g.map.of(region_kind::tlm, tile)->base + 0x9000;
    std::uint64_t const told = counter(1);
    EXPECT_EQ(ring({.root = root, .metadata = metadata, .dispatch = 32, .counter = told, .tile = tile}),
              command_status::accepted);
    g.clock.run();
    EXPECT_EQ(graph.word(told), 0U);
    expect_at_rest(g);
    auto* const m = reinterpret_cast<std::uint64_t*>(g.tiles[tile]->peek(metadata));
    objects = m[0];
    bytes = m[1];
    return static_cast<graph_fault>(graph.word(told + 8));
  }

  std::uint64_t metadata = 0;
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
};

TEST_F(a_graph_writeback, gives_memory_what_was_written_and_counts_what_a_copy_needs) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    std::uint64_t const root = graph.random(seed * 9, seed);
    for (std::uint64_t const one : graph.made) {
      if (graph.type_of(one) != toy_graph::pointer_array && graph.size_of(one) != 0) write(one, one ^ seed);
    }
    ASSERT_EQ(measure(root), graph_fault::none);
    std::uint64_t const room = (64 + bytes + 31) / 32 * 32;
    ASSERT_EQ(copy(root, room, registers::nma::hashed, objects), graph_fault::none) << "seed " << seed;
    EXPECT_EQ(compared(root), objects);
  }
}

TEST_F(a_graph_writeback, writes_no_line_back_for_its_mark_alone) {
  std::uint64_t const list = graph.list(50);
  ASSERT_EQ(measure(list), graph_fault::none);
  EXPECT_EQ(objects, 50U);
  EXPECT_EQ(bytes, 50U * 64);
  EXPECT_EQ(g.tiles[0]->l2().counted().write_backs, 0U);
  write(graph.made[7], 99);
  EXPECT_NE(in_memory(graph.made[7]), 99U);
  ASSERT_EQ(measure(list), graph_fault::none);
  EXPECT_EQ(objects, 50U) << "marks of the traversal before do not count";
  EXPECT_EQ(in_memory(graph.made[7]), 99U);
  EXPECT_LE(g.tiles[0]->l2().counted().write_backs, 1U);
}

TEST_F(a_graph_writeback, needs_no_stack_for_a_list_and_says_when_it_is_full) {
  ASSERT_EQ(measure(graph.list(5000)), graph_fault::none);
  EXPECT_EQ(objects, 5000U);
  // The other pointer is still to be followed, on every level.
  std::uint64_t const leaf = graph.make(toy_graph::leaf);
  std::uint64_t root = 0;
  for (int i = 0; i < 1100; ++i) {
    std::uint64_t const one = graph.make(toy_graph::node);
    graph.word(one + 8) = root;
    graph.word(one + 16) = leaf;
    root = one;
    if (i == 1023) EXPECT_EQ(measure(root), graph_fault::none);
  }
  EXPECT_EQ(measure(root), graph_fault::stack_full);
  std::uint64_t const wide = graph.make(toy_graph::pointer_array, 8 * 20'000);
  for (std::uint64_t i = 0; i < 20'000; ++i) graph.word(wide + i * 8) = i % 2 == 0 ? leaf : graph.make(toy_graph::leaf);
  EXPECT_EQ(measure(wide), graph_fault::none);
  EXPECT_EQ(objects, 10'002U);
}

TEST_F(a_graph_writeback, reports_the_fault_of_an_invalid_graph) {
  EXPECT_EQ(measure(0), graph_fault::null_pointer);
  std::uint64_t const root = graph.list(4);
  std::uint64_t const others = g.map.of(region_kind::partition, 1)->base + 4096;
  for (std::uint64_t const wild : {others, others + 4, std::uint64_t{64}, ~std::uint64_t{7}}) {
    graph.word(graph.made.front() + 8) = wild;
    EXPECT_EQ(measure(root), graph_fault::wild_pointer);
  }
  graph.word(graph.made.front() + 8) = 0;
  graph.word(graph.made[1] - layout::header) = 1U << 20U;
  graph.word(metadata = g.map.of(region_kind::tlm, 0)->base + 0x9000) = 4711;
  EXPECT_EQ(measure(root), graph_fault::bad_descriptor);
  EXPECT_EQ(objects, 4711U) << "M is not written";
}

TEST_F(a_graph_writeback, sends_the_metadata_and_starts_a_task_there) {
  std::uint64_t const root = graph.list(6);
  std::uint64_t const own = graph.chunk(64);
  write(own + 16, 42);  // what software put into M
  std::uint64_t const there = g.map.of(region_kind::tlm, 1)->base + 0xa000;
  ASSERT_EQ(ring({.root = root,
                  .metadata = own,
                  .remote = there,
                  .dispatch = nca::dispatch_of(64) | nca::spawning(1),
                  .task = 5,
                  .counter = counter(1)}),
            command_status::accepted);
  g.clock.run();
  EXPECT_EQ(graph.word(counter(1) + 8), 0U);
  auto const* const m = reinterpret_cast<std::uint64_t*>(g.tiles[1]->peek(there));
  EXPECT_EQ(m[0], 6U);
  EXPECT_EQ(m[1], 6U * 64);
  EXPECT_EQ(m[2], 42U);
  std::array<std::uint64_t, 6> words{};
  auto const came = g.tiles[1]->network_adapter().take_task();
  ASSERT_TRUE(came.has_value());
  std::memcpy(words.data(), came->data(), sizeof words);
  EXPECT_EQ(words, (std::array<std::uint64_t, 6>{5, there, 6, 6 * 64, 0, 0}));
  // A fault starts no task.
  ASSERT_EQ(ring({.dispatch = nca::spawning(1), .counter = counter(1)}), command_status::accepted);
  g.clock.run();
  EXPECT_FALSE(g.tiles[1]->network_adapter().take_task().has_value());
}

TEST_F(a_graph_writeback, serves_four_harts_with_overlapping_graphs_one_after_another) {
  std::uint64_t const list = graph.list(40);
  std::uint64_t const m = g.map.of(region_kind::tlm, 0)->base + 0x9000;
  std::vector<std::uint64_t> roots{list, graph.made[20], graph.made[39], graph.made[5]};
  std::uint64_t const all = counter(4);
  for (std::uint32_t hart = 0; hart < 4; ++hart) {
    ASSERT_EQ(ring({.root = roots[hart], .metadata = m + hart * 32, .dispatch = 32, .counter = all, .hart = hart}),
              command_status::accepted);
  }
  g.clock.run();
  EXPECT_EQ(graph.word(all), 0U);
  std::uint64_t const sizes[] = {40, 21, 40, 6};
  for (std::uint32_t hart = 0; hart < 4; ++hart) EXPECT_EQ(graph.word(m + hart * 32), sizes[hart]);
  std::uint64_t const copied = counter(4, 1);
  std::vector<copy_arguments> asks;
  for (std::uint32_t hart = 0; hart < 4; ++hart) {
    asks.push_back({.root = roots[hart], .chunk = graph.chunk(4096), .bytes = 4096, .hart = hart, .counter = copied});
    ASSERT_EQ(ring(*g.units[0]->requests, asks.back()), command_status::accepted);
  }
  g.clock.run();
  EXPECT_EQ(graph.word(copied), 0U);
  for (std::uint32_t i = 0; i < 4; ++i)
    EXPECT_EQ(graph.compare(roots[i], asks[i].chunk + 104, asks[i].chunk), sizes[i]);
}

TEST_F(a_graph_writeback, measures_a_graph_that_was_returned_three_times) {
  std::uint64_t root = graph.random(60, 21);
  std::uint64_t const first = root;
  ASSERT_EQ(measure(root), graph_fault::none);
  std::uint64_t const size = objects;
  for (std::uint32_t time = 0; time < 6; ++time) {
    std::uint32_t const from = time % 2;
    std::uint32_t const to = 1 - from;
    copy_arguments what{
        .root = root, .bytes = 32'768, .map = registers::nma::hashed, .objects = size, .source_tile = from};
    what.chunk = g.map.of(region_kind::partition, to)->base + 0x10'0000 + time * 65'536;
    what.counter = counter(1);
    ASSERT_EQ(ring(*g.units[to]->requests, what), command_status::accepted);
    g.clock.run();
    ASSERT_EQ(graph.word(what.counter + 8), 0U);
    root = what.chunk + 64 + layout::front_bytes;
    ASSERT_EQ(measure(root, to), graph_fault::none);
    EXPECT_EQ(objects, size);
    EXPECT_EQ(graph.compare(first, root, what.chunk), size);
  }
}

TEST_F(a_graph_writeback, is_refused_with_invalid_parameters) {
  std::uint64_t const root = graph.list(2);
  std::uint64_t const m = g.map.of(region_kind::tlm, 0)->base + 0x9000;
  std::uint64_t const others = g.map.of(region_kind::tlm, 1)->base + 0x9000;
  EXPECT_EQ(ring({.root = root, .metadata = others, .dispatch = 32}), command_status::wrong);
  EXPECT_EQ(ring({.root = root, .metadata = m, .dispatch = 40}), command_status::wrong);
  EXPECT_EQ(ring({.root = root, .metadata = m + 8, .dispatch = 32}), command_status::wrong);
  EXPECT_EQ(ring({.root = root, .remote = others, .dispatch = 32}), command_status::wrong);
  EXPECT_EQ(ring({.root = root, .metadata = m, .remote = 0x7777'0000'0000, .dispatch = 32}), command_status::wrong);
  EXPECT_EQ(ring({.root = root, .dispatch = nca::spawning(4)}), command_status::wrong);
  EXPECT_EQ(ring({.root = root, .counter = m + 4}), command_status::wrong);
}

/// A queue of one.
class a_short_queue : public a_graph_writeback {
 protected:
  a_short_queue()
      : a_graph_writeback([] {
          machine_description made = read_machine(TESS_MACHINES "/nemesys-2x2.toml");
          made.nca.queue_entries = 1;
          return made;
        }()) {}
};

TEST_F(a_short_queue, says_that_it_is_full_and_takes_it_later) {
  std::uint64_t const list = graph.list(10);
  EXPECT_EQ(ring({.root = list, .hart = 0}), command_status::accepted);
  EXPECT_EQ(ring({.root = list, .hart = 1}), command_status::full);
  g.clock.run();
  EXPECT_EQ(ring({.root = list, .hart = 1}), command_status::accepted);
  g.clock.run();
  EXPECT_EQ(g.units[0]->graphs->counted().graphs, 2U);
}

TEST_F(a_graph_writeback, is_not_needed_when_a_range_ends_in_a_trigger) {
  std::uint64_t const root = graph.list(3);
  copy_arguments what{.root = root, .chunk = graph.chunk(1024), .bytes = 1024, .counter = counter(1)};
  post(*g.units[0]->requests, what);
  write(what.chunk + 128, 13);  // a stale line of the buffer
  device& of_ranges = g.units[0]->ranges;
  auto const invalidate = [&](std::uint64_t told) {
    EXPECT_TRUE(of_ranges.store(ranges::operation, ranges::invalidate, 0));
    EXPECT_TRUE(of_ranges.store(ranges::address, what.chunk, 0));
    EXPECT_TRUE(of_ranges.store(ranges::bytes, 1024, 0));
    EXPECT_TRUE(of_ranges.store(ranges::counter, told, 0));
    EXPECT_TRUE(of_ranges.store(ranges::trigger, 1, 0));
    EXPECT_TRUE(of_ranges.store(ranges::doorbell, 1, 0));
    g.clock.run();
    EXPECT_EQ(graph.word(told), 0U);
    return graph.word(told + 8);
  };
  EXPECT_EQ(invalidate(counter(1, 1)), 0U);
  EXPECT_EQ(graph.word(what.counter), 0U);
  EXPECT_EQ(graph.compare(root, what.chunk + 104, what.chunk), 3U) << "through the L2, which has no stale line";
  what.chunk = g.map.of(region_kind::tlm, 0)->base;
  post(*g.units[0]->requests, what);
  what.chunk = graph.chunk(1024);
  EXPECT_EQ(invalidate(counter(1, 1)), 1U) << "such a request cannot be made";
}

}  // namespace
}  // namespace tess::machine
