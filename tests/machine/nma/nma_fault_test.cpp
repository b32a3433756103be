// nma_fault_test: an invalid request or graph ends the request with its fault, and nothing outside of the buffer and
// the copy map is written. Method: graphs with one wrong word; every other word of memory is compared.
#include "nma_fixture.hpp"

namespace tess::machine {
namespace {

using registers::command_status;
using registers::graph_fault;
using registers::nma::hashed;
using registers::nma::linear;

class a_fault : public nma_fixture {
 protected:
  std::uint64_t& graph_word_of_memory(std::uint64_t address) {
    return *reinterpret_cast<std::uint64_t*>(g.tiles[3]->peek(address));
  }
  /// Both maps report the same fault, and the words before and after the buffer do not change.
  graph_fault found(std::uint64_t root, std::uint64_t bytes = 4096, std::uint64_t objects = 64) {
    std::uint64_t const begin = g.map.of(region_kind::partition, 0)->base;
    graph_fault seen = graph_fault::none;
    std::uint64_t const faults_before = unit.counted().faults;
    for (auto const map : {linear, hashed}) {
      std::vector<std::uint64_t> words;
      std::uint64_t const end = graph.chunk(0);
      for (std::uint64_t at = begin; at < end; at += 8) words.push_back(graph.word(at));
      graph_fault const told = copy(root, bytes, map, objects);
      EXPECT_TRUE(map == linear || told == seen);
      seen = told;
      for (std::uint64_t at = begin; at < end; at += 8) {
        EXPECT_EQ(graph.word(at), words[(at - begin) / 8]);
        if (graph.word(at) != words[(at - begin) / 8]) return seen;
      }
      for (std::uint64_t at = chunk; at < chunk + 64; at += 8) EXPECT_EQ(graph.word(at), 0U);
      for (std::uint64_t at = chunk + bytes; at < chunk + bytes + 64; at += 8) EXPECT_EQ(graph.word(at), 0U);
    }
    EXPECT_EQ(unit.counted().faults > 0, seen != graph_fault::none || faults_before > 0);
    return seen;
  }
};

TEST_F(a_fault, is_a_null_root_or_an_array_with_elements_nowhere) {
  EXPECT_EQ(found(0), graph_fault::null_pointer);
  std::uint64_t const root = graph.make(toy_graph::holder);
  graph.word(root + 16) = 3;
  graph.word(root + 24) = 24;
  EXPECT_EQ(found(root), graph_fault::null_pointer);
  graph.word(root + 16) = graph.word(root + 24) = 0;
  EXPECT_EQ(found(root), graph_fault::none);
}

TEST_F(a_fault, is_a_pointer_that_leads_out_of_the_partition_or_between_words) {
  region const& own = *g.map.of(region_kind::partition, 0);
  std::uint64_t const others = g.map.of(region_kind::partition, 1)->base + 4096;
  std::uint64_t const tlm = g.map.of(region_kind::tlm, 0)->base + 64;
  std::uint64_t const root = graph.list(5);
  std::uint64_t const last = graph.made.front();
  std::uint64_t const local = 0x2000;  // of the local window
  for (std::uint64_t const wild : {others, tlm, local, own.base, own.base + 16, own.end(), own.end() + 8, root + 4,
                                   std::uint64_t{8}, ~std::uint64_t{7}}) {
    graph.word(last + 8) = wild;
    EXPECT_EQ(found(root), graph_fault::wild_pointer) << std::hex << wild;
    EXPECT_EQ(found(wild), graph_fault::wild_pointer) << std::hex << wild;
  }
}

TEST_F(a_fault, is_an_object_that_reaches_beyond_the_partition) {
  std::uint64_t const end = g.map.of(region_kind::partition, 0)->end();
  graph.word(end - 8 - layout::header) = toy_graph::node;
  EXPECT_EQ(found(end - 8), graph_fault::wild_pointer);
  std::uint64_t const array = graph.make(toy_graph::data_array, 64);
  for (std::uint64_t const bytes : {std::uint64_t{1} << 28U, ~std::uint64_t{0}, ~std::uint64_t{0} - 6}) {
    graph.word(array - layout::array_bytes) = bytes;
    EXPECT_EQ(found(array), graph_fault::wild_pointer);
  }
}

TEST_F(a_fault, is_a_copy_that_changes_while_it_is_made) {
  std::uint64_t const list = graph.list(200);
  std::uint64_t const last = graph.made.front();
  region const& others = *g.map.of(region_kind::partition, 1);
  std::uint64_t const bytes = 64 + 200 * 64 + 64;
  // The difference of two copies, or the address of nothing that is copied.
  struct change {
    std::uint64_t word;
    bool is_place;
    std::uint64_t value;
  };
  for (auto const& [word, is_place, value] :
       {change{layout::parent_src, false, others.base}, change{layout::parent_dst, false, others.base},
        change{layout::position, false, others.base}, change{layout::header, false, others.base},
        change{layout::parent_dst, true, 64}, change{layout::parent_dst, true, 128},
        change{layout::parent_dst, false, 0}}) {
    copy_arguments what{.root = list, .chunk = graph.chunk(bytes), .bytes = bytes, .counter = counter(1)};
    EXPECT_EQ(ring(*g.units[0]->requests, what), command_status::accepted);
    // The copy of the last object is about to be made; the words of the tenth have been in memory for long.
    std::uint64_t const tenth = what.chunk + 64 + 9 * 64 + layout::front_bytes;
    while (graph.word(what.chunk + 64 + 190 * 64 + layout::front_bytes) == 0) g.clock.run_until(g.clock.next_due());
    graph.word(tenth - word) = is_place ? graph.word(tenth - word) + value : value;
    g.clock.run();
    EXPECT_EQ(graph.word(what.counter), 0U);
    auto const told = static_cast<graph_fault>(graph.word(what.counter + 8));
    EXPECT_EQ(told, word == layout::header ? graph_fault::bad_descriptor : graph_fault::wild_pointer) << word;
    EXPECT_EQ(graph.word(last), 1000U) << "an original changes";
    for (std::uint64_t at = 0; at < 64; at += 8) {
      EXPECT_EQ(graph.word(what.chunk + at), 0U);
      EXPECT_EQ(graph.word(what.chunk + bytes + at), 0U);
    }
  }
}

TEST_F(a_fault, is_a_type_that_does_not_exist_or_makes_no_sense) {
  std::uint64_t const root = graph.list(3);
  for (std::uint32_t const index : {std::uint32_t{toy_graph::types_count}, 1U << 20U, ~0U}) {
    graph.word(graph.made[1] - layout::header) = index;
    EXPECT_EQ(found(root), graph_fault::bad_descriptor) << index;
  }
  graph.word(graph.made[1] - layout::header) = toy_graph::node;
  std::uint64_t const record = g.map.of(region_kind::tlm, 3)->base + toy_graph::types_at;
  auto const with = [&](std::uint64_t offset, std::uint64_t value) {
    std::uint64_t const before = std::exchange(graph_word_of_memory(record + offset), value);
    graph_fault const told = found(root);
    graph_word_of_memory(record + offset) = before;
    return told;
  };
  EXPECT_EQ(with(layout::record_size, 20), graph_fault::bad_descriptor);
  EXPECT_EQ(with(layout::record_kind, 3 | 8U << 8U), graph_fault::bad_descriptor);
  EXPECT_EQ(with(layout::record_kind, 7U << 8U), graph_fault::bad_descriptor);
  EXPECT_EQ(with(layout::record_mask, registers::own_devices), graph_fault::bad_descriptor);
  EXPECT_EQ(with(layout::record_mask, 0x1004), graph_fault::bad_descriptor);
  EXPECT_EQ(with(layout::record_mask, 0x7777'0000'0000), graph_fault::bad_descriptor);
  EXPECT_EQ(found(root), graph_fault::none);
  std::uint64_t const ragged = graph.make(toy_graph::pointer_array, 12);
  EXPECT_EQ(found(ragged), graph_fault::bad_descriptor);
}

TEST_F(a_fault, is_a_buffer_that_is_too_small_by_a_line) {
  std::uint64_t const root = graph.list(8);
  std::uint64_t const needed = 64 + 8 * 64;
  EXPECT_EQ(found(root, needed), graph_fault::none);
  EXPECT_EQ(found(root, needed - 32), graph_fault::buffer_full);
  EXPECT_EQ(found(root, 64), graph_fault::buffer_full);
  EXPECT_EQ(found(graph.make(toy_graph::data_array, 5000), 4096), graph_fault::buffer_full);
}

TEST_F(a_fault, is_a_request_with_an_address_outside_this_memory) {
  std::uint64_t const root = graph.list(3);
  copy_arguments const good{.root = root, .chunk = graph.chunk(1024), .bytes = 1024, .counter = counter(1)};
  region const& own = *g.map.of(region_kind::partition, 0);
  auto const told = [&](auto&& change) {
    copy_arguments what = good;
    change(what);
    counter(1);
    EXPECT_EQ(ring(*g.units[0]->requests, what), command_status::accepted);
    g.clock.run();
    EXPECT_EQ(graph.word(good.counter), 0U);
    return static_cast<graph_fault>(graph.word(good.counter + 8));
  };
  EXPECT_EQ(told([](copy_arguments&) {}), graph_fault::none);
  EXPECT_EQ(told([](copy_arguments& what) { what.chunk += 8; }), graph_fault::bad_request);
  EXPECT_EQ(told([](copy_arguments& what) { what.bytes = 1000; }), graph_fault::bad_request);
  EXPECT_EQ(told([&](copy_arguments& what) { what.chunk = own.end() - 512; }), graph_fault::bad_request);
  EXPECT_EQ(told([](copy_arguments& what) { what.first = 2048; }), graph_fault::bad_request);
  EXPECT_EQ(told([](copy_arguments& what) { what.first = 66; }), graph_fault::bad_request);
  EXPECT_EQ(told([](copy_arguments& what) { what.source_tile = 99; }), graph_fault::bad_request);
  EXPECT_EQ(told([](copy_arguments& what) { what.source_tile = 1; }), graph_fault::wild_pointer);
  EXPECT_EQ(told([](copy_arguments& what) { what.map = hashed; }), graph_fault::map_full) << "a table for no objects";
  EXPECT_EQ(told([](copy_arguments& what) { what.final_address = 0x4000'0000'0000; }), graph_fault::bad_request);
  // An address outside of all memories, or one that cannot be notified, is refused at once.
  copy_arguments wrong = good;
  wrong.chunk = g.map.of(region_kind::tlm, 0)->base;
  EXPECT_EQ(ring(*g.units[0]->requests, wrong), command_status::wrong);
  wrong = good;
  wrong.counter += 4;
  EXPECT_EQ(ring(*g.units[0]->requests, wrong), command_status::wrong);
}

/// A map of 256 entries.
class a_small_map : public nma_fixture {
 protected:
  a_small_map()
      : nma_fixture([] {
          machine_description made = read_machine(TESS_MACHINES "/nemesys-2x2.toml");
          made.nma.map_bytes = 4096;
          return made;
        }()) {}
};

TEST_F(a_small_map, reports_that_it_is_full_and_writes_nothing_beyond) {
  region const& memory_own = *g.map.of(region_kind::partition, 3);
  for (std::uint64_t at = 4096; at < 8192; at += 8) graph.word(memory_own.base + at) = ~at;
  std::uint64_t const fits = graph.list(256);
  EXPECT_EQ(copy(fits, 32'768, linear, 0), graph_fault::none);
  EXPECT_EQ(compared(fits), 256U);
  EXPECT_EQ(copy(graph.list(257), 32'768, linear, 0), graph_fault::map_full);
  EXPECT_EQ(copy(graph.list(128), 32'768, hashed, 128), graph_fault::none);
  EXPECT_EQ(copy(graph.list(255), 32'768, hashed, 100), graph_fault::none) << "more than announced, with one slot left";
  EXPECT_EQ(copy(graph.list(256), 32'768, hashed, 100), graph_fault::map_full);
  EXPECT_EQ(copy(graph.list(129), 32'768, hashed, 129), graph_fault::map_full) << "no table of that size";
  for (std::uint64_t at = 4096; at < 8192; at += 8) EXPECT_EQ(graph.word(memory_own.base + at), ~at);
}

}  // namespace
}  // namespace tess::machine
