// oracle_test: every word of a node is linearizable for all its users: other nodes, the own node by objects, and its
// harts through their L2.
// Method: random operations of all kinds and widths from all nodes on a few words, in lines that share an entry of the
// interface cache and a set of the L2; the owner's L2 of four lines evicts them all the time. The history of calls and
// returns of each word, and its final value, must be linearizable. Both policies, with and without merging, interfaces
// of one entry and of many, next to the memory and next to the L2, which words of cache-integrated interfaces bypass;
// failures print their seeds.
#include <random>

#include "linearizable.hpp"
#include "rae_fixture.hpp"

namespace {

using namespace tess::machine;        // NOLINT: a test of one namespace
using namespace tess::machine::test;  // NOLINT

TEST(an_order_of_operations, is_found_only_if_there_is_one) {
  operation_done const one{.kind = what::add, .operand = 1, .brought = 0, .called = 1, .returned = 3};
  operation_done two{.kind = what::add, .operand = 1, .brought = 1, .called = 2, .returned = 4};
  EXPECT_TRUE(word_order({one, two}).exists());
  two.brought = 0;
  EXPECT_FALSE(word_order({one, two}).exists());  // lost
  two = {.kind = what::load, .brought = 0, .called = 4, .returned = 5};
  EXPECT_FALSE(word_order({one, two}).exists());  // too old
}

struct setting {
  char const* name;
  changes description;
};

class interleavings {
 public:
  interleavings(changes wanted, unsigned seed) : nodes_(with_small_l2(std::move(wanted))), draw_(seed) {
    for (std::uint64_t const line : {0U, 64U, 128U, 4096U}) {
      words_.push_back(line);
      words_.push_back(line + 40);
    }
    histories_.resize(words_.size());
  }

  void run(int operations) {
    for (std::uint32_t node = 0; node < nodes_.g.description.tiles(); ++node) {
      for (int client = 0; client < 2; ++client) nodes_.g.clock.start(others(node, operations));
    }
    for (int client = 0; client < 2; ++client) nodes_.g.clock.start(owner(operations));
    nodes_.run();
    for (std::size_t i = 0; i < words_.size(); ++i) {
      operation_done last{.brought = nodes_.newest(nodes_.word(words_[i])), .called = ++numbers_};
      last.returned = ++numbers_;
      histories_[i].push_back(last);
      EXPECT_TRUE(word_order(histories_[i]).exists()) << "word " << i << " of " << histories_[i].size();
    }
  }
  nodes& machine() { return nodes_; }
  [[nodiscard]] std::uint64_t returned() const { return returned_; }

 private:
  static changes with_small_l2(changes wanted) {
    wanted.emplace_back("l2.way_bytes", "128");
    wanted.emplace_back("l2.ways", "2");
    wanted.emplace_back("l1_data.way_bytes", "64");
    wanted.emplace_back("l1_instruction.way_bytes", "64");
    return wanted;
  }

  operation_done draw(std::size_t& word) {
    word = draw_() % words_.size();
    operation_done one{.kind = static_cast<what>(draw_() % 12)};
    bool const plain = one.kind == what::load || one.kind == what::store;
    one.bytes = plain ? std::uint64_t{1} << draw_() % 4 : (draw_() % 2 == 0 ? 4 : 8);
    one.offset = draw_() % (8 / one.bytes) * one.bytes;
    // Few values, so that compare-and-swap succeeds, and the largest, so that signs matter.
    one.operand = draw_() % 4 == 0 ? ~(draw_() % 4) : draw_() % 4;
    one.expected = draw_() % 4;
    return one;
  }

  process others(std::uint32_t node, int operations) {
    for (int i = 0; i < operations; ++i) {
      co_await nodes_.g.clock.delay(draw_() % 200'000);
      std::size_t word = 0;
      operation_done one = draw(word);
      transaction request;
      fill(request, one, nodes_.word(words_[word]) + one.offset);
      request.target = 0;
      happening done;
      request.done = &done;
      one.called = ++numbers_;
      if (node == 0) {
        request.source = 0;
        if (nodes_.g.description.cni && draw_() % 8 == 0) request.part = cni_message{};
        nodes_.g.tiles[0]->serve(request, done);  // an object that is the own node
      } else {
        nodes_.g.tiles[node]->network_adapter().issue(request);
      }
      co_await done;
      one.returned = ++numbers_;
      one.brought = one.kind == what::load ? nodes::value(request) : request.operand;
      EXPECT_EQ(request.status, remote_outcome::done);
      histories_[word].push_back(one);
      ++returned_;
    }
  }
  void fill(transaction& request, operation_done const& one, std::uint64_t address) {
    static constexpr atomic_operation atomics[] = {
        atomic_operation::swap,        atomic_operation::add,         atomic_operation::exclusive_or,
        atomic_operation::conjunction, atomic_operation::disjunction, atomic_operation::min,
        atomic_operation::max,         atomic_operation::minu,        atomic_operation::maxu};
    request.bytes = one.bytes;
    request.operand = one.operand;
    request.expected = one.expected;
    std::memcpy(request.data.data(), &one.operand, sizeof one.operand);
    // By one of the two names of the partition.
    std::uint64_t const uncached =
        nodes_.g.map.of(region_kind::partition_uncached, 0)->base - nodes_.g.map.of(region_kind::partition, 0)->base;
    request.address = draw_() % 2 == 0 ? address : address + uncached;
    request.what = one.kind == what::load    ? remote_operation::read
                   : one.kind == what::store ? remote_operation::write
                   : one.kind == what::cas   ? remote_operation::compare_swap
                                             : remote_operation::atomic;
    if (request.what == remote_operation::atomic)
      request.word = atomics[static_cast<std::size_t>(one.kind) - static_cast<std::size_t>(what::swap)];
  }

  process owner(int operations) {
    for (int i = 0; i < operations; ++i) {
      co_await nodes_.g.clock.delay(draw_() % 100'000);
      std::size_t word = 0;
      operation_done one = draw(word);
      std::uint64_t const address = nodes_.word(words_[word]);
      one.called = ++numbers_;
      bool const stores = one.kind != what::load;
      for (;;) {
        if (std::byte* const there = nodes_.g.tiles[0]->look_up(tile::place::l2, address, stores)) {
          std::uint64_t value = 0;
          std::memcpy(&value, there, sizeof value);
          std::memcpy(&one.brought, reinterpret_cast<char const*>(&value) + one.offset, one.bytes);  // NOLINT
          bool const atomic = one.kind != what::load && one.kind != what::store;
          if (atomic && one.bytes == 4)
            one.brought =
                static_cast<std::uint64_t>(static_cast<std::int32_t>(static_cast<std::uint32_t>(one.brought)));
          EXPECT_TRUE(explains(one, value));
          std::memcpy(there, &value, sizeof value);
          break;
        }
        happening come;
        nodes_.g.tiles[0]->l2().bring(address, come, stores);
        co_await come;
      }
      one.returned = ++numbers_;
      histories_[word].push_back(one);
      // Some lines are written to memory, and stay or not, as by the range unit.
      std::uint64_t const range = draw_() % 16;
      if (range == 0) co_await nodes_.g.tiles[0]->l2().flush(address, 8, 0);
      if (range != 1 && range != 2) continue;
      happening written;
      nodes_.g.tiles[0]->l2().write_back_line(address, written);
      co_await written;
    }
  }

  nodes nodes_;
  std::mt19937_64 draw_;
  std::vector<std::uint64_t> words_;
  std::vector<std::vector<operation_done>> histories_;
  std::uint64_t numbers_ = 0;
  std::uint64_t returned_ = 0;
};

class every_word : public testing::TestWithParam<setting> {};

TEST_P(every_word, is_linearizable_for_its_owner_and_all_nodes) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    interleavings all(GetParam().description, seed);
    all.run(30);
    auto const counted = all.machine().counted();
    EXPECT_EQ(all.returned(), all.machine().g.description.tiles() * 2 * 30U);
    EXPECT_EQ(counted.requests, counted.hits + counted.entries + counted.merged);
    EXPECT_EQ(counted.invalidations > 0, all.machine().g.description.has_nodes());
  }
}

changes interface_of(char const* policy, char const* merge, char const* places, char const* cache) {
  return {{"policy", policy},      {"merge", merge},          {"main_entries", places},
          {"sub_entries", places}, {"queue_entries", places}, {"cache_bytes", cache}};
}
changes beside_l2(char const* merge, char const* places) {
  return {{"machine", "tessera-2x2"}, {"merge", merge},          {"main_entries", places},
          {"sub_entries", places},    {"queue_entries", places}, {"adapter.outstanding", "1"}};
}
INSTANTIATE_TEST_SUITE_P(beside_l2, every_word,
                         testing::Values(setting{"merged", beside_l2("true", "64")},
                                         setting{"few", beside_l2("true", "2")}, setting{"one", beside_l2("true", "1")},
                                         setting{"unmerged", beside_l2("false", "64")}),
                         [](auto const& of) { return of.param.name; });
INSTANTIATE_TEST_SUITE_P(
    interfaces, every_word,
    testing::Values(setting{"retain", interface_of("\"retain\"", "true", "64", "65536")},
                    setting{"retain_small_cache", interface_of("\"retain\"", "true", "8", "64")},
                    setting{"retain_few", interface_of("\"retain\"", "true", "2", "128")},
                    setting{"retain_one", interface_of("\"retain\"", "true", "1", "128")},
                    setting{"retain_unmerged", interface_of("\"retain\"", "false", "4", "128")},
                    setting{"free_at_once", interface_of("\"free-at-once\"", "true", "64", "65536")},
                    setting{"free_at_once_few", interface_of("\"free-at-once\"", "true", "2", "128")},
                    setting{"free_at_once_one", interface_of("\"free-at-once\"", "true", "1", "64")},
                    setting{"free_at_once_unmerged", interface_of("\"free-at-once\"", "false", "64", "64")}),
    [](auto const& of) { return of.param.name; });

}  // namespace
