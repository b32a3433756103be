// tile_graphs: graphs of objects between tiles of a simulated machine, by each copier, with and without accelerators.
//
//   Method: a ring of nodes with arrays, a shared node and a pointer back goes to every place, again and again with new
//   values in the same memory: a reader of stale lines in a cache or in memory sees old ones. An invalid pointer must
//   become an error of the program, whichever unit finds it.
#include <cstdio>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <tess/tess.hpp>
#include <utility>
#include <vector>

#include "fabric/tile/memory.hpp"
#include "runtime/graphs/copier.hpp"
#include "runtime/graphs/nemesys.hpp"
#include "runtime/job/job.hpp"

namespace {

using namespace tess;

struct node {
  std::int64_t value = 0;
  node* next = nullptr;
  node* shared = nullptr;
  array<std::int64_t> weights;
};

constexpr int length = 70;  // from 64 objects on, the map near memory is hashed

node* ring(int nodes) {
  node* const first = make<node>();
  node* const shared = make<node>();
  node* last = first;
  for (int i = 1; i < nodes; ++i) last = last->next = make<node>();
  last->next = first;
  shared->shared = first;
  for (node* n = first;; n = n->next) {
    n->shared = shared;
    if (n->next == first) break;
  }
  first->weights = place_objects().make_array<std::int64_t>(33);
  return first;
}

void fill(node* first, std::int64_t round) {
  for (node* n = first;; n = n->next) {
    n->value = ++round * 3;
    if (n->next == first) break;
  }
  first->shared->value = -round;
  std::iota(first->weights.begin(), first->weights.end(), round);
}

/// Depends on all values in the graph and on the identity of its objects.
std::int64_t digest(node* first, int nodes) {
  std::int64_t sum = first->shared->value + (first->shared->shared == first ? 1 : 1'000'000);
  node* n = first;
  for (int i = 0; i < nodes; ++i, n = n->next) sum = sum * 31 + n->value + (n->shared == first->shared ? 5 : 7);
  if (n != first) sum += 77;
  for (std::int64_t const w : first->weights) sum = sum * 17 + w;
  return sum;
}

int failures = 0;
void expect(bool good, std::string const& what) {
  if (good) return;
  std::printf("wrong at place %u: %s\n", unsigned{here()}, what.c_str());
  ++failures;
}

task<void> every_copier(int nodes) {
  node* const first = ring(nodes);
  std::int64_t round = 0;
  for (int again = 0; again < 3; ++again)
    for (unsigned p = 0; p < places(); ++p)
      for (copier const by : {copier::message_passing, copier::pegasus, copier::nemesys, copier::no_nca}) {
        fill(first, ++round);
        std::int64_t const mine = digest(first, nodes);
        auto const to = static_cast<place_id>(p);
        std::string const what = "copier " + std::to_string(static_cast<int>(by)) + " to " + std::to_string(p);
        std::int64_t const there = co_await at(to, by, [](node* copy, int n) { return digest(copy, n); }, first, nodes);
        expect(there == mine, what);
        graph<node> const back = co_await at(
            to, by,
            [](node* copy) {
              copy->value += 1;
              return copy;
            },
            first);
        expect(back.get() != first && back->value == first->value + 1, what + " and back");
        back.get()->value -= 1;
        expect(digest(back.get(), nodes) == mine, what + " and back, whole");
        expect(digest(first, nodes) == mine, what + ": the source was changed");
      }
}

/// As in X10, the source may change when an at_async has returned, or an at_async_copied has ended.
task<void> sources_may_change() {
  constexpr int nodes = 40;
  node* const first = ring(nodes);
  auto const check = [](node* copy, std::int64_t expected) {
    if (digest(copy, nodes) != expected) throw error("tile_graphs", "a graph arrived changed", "as it was at the call");
  };
  std::int64_t round = 5000;
  for (copier const by : {copier::message_passing, copier::pegasus, copier::nemesys, copier::no_nca})
    co_await finish([&]() -> task<void> {
      for (unsigned p = 0; p < places(); ++p) {
        fill(first, ++round);
        at_async(static_cast<place_id>(p), by, check, first, digest(first, nodes));
        fill(first, ++round);
        co_await at_async_copied(static_cast<place_id>(p), by, check, first, digest(first, nodes));
      }
      fill(first, ++round);
    });
}

/// Many at a time: more than the accelerators' queues and the counters of a tile.
task<void> many_at_once() {
  constexpr int calls = 60;
  node* const first = ring(6);
  fill(first, 1000);
  std::int64_t const mine = digest(first, 6);
  co_await finish([&] {
    for (int i = 0; i < calls; ++i)
      at_async(
          static_cast<place_id>(static_cast<unsigned>(i) % places()), copier::nemesys,
          [](node* copy, std::int64_t expected) {
            if (digest(copy, 6) != expected) throw error("tile_graphs", "a graph arrived wrong", "as it was sent");
          },
          first, mine);
  });
}

/// On a large machine more calls wait at a place for their copies than it has records for in its tile-local memory.
task<void> all_call_one_place() {
  co_await on_all_places([]() -> task<void> {
    if (here() == 0) co_return;
    constexpr int calls = 12;
    node* const first = ring(length);
    fill(first, here());
    std::int64_t const mine = digest(first, length);
    co_await finish([&] {
      for (int i = 0; i < calls; ++i)
        at_async(
            0, copier::nemesys,
            [](node* copy, std::int64_t expected) {
              if (digest(copy, length) != expected)
                throw error("tile_graphs", "a graph arrived wrong", "as it was sent");
            },
            first, mine);
    });
  });
}

task<void> accelerators_are_used() {
  detail::graph_units* const units = detail::accelerators();
  expect(units != nullptr, "there are no accelerators");
  if (units == nullptr) co_return;
  node* const first = ring(length);
  fill(first, 5);
  for (unsigned p = 0; p < places(); ++p) {
    auto const sent = co_await detail::copy_by_accelerators(*units, first, static_cast<place_id>(p));
    expect(sent.has_value(), "an accelerator gave up on a sound graph to " + std::to_string(p));
    if (!sent) continue;
    expect(sent->blocks == length + 2, "objects: " + std::to_string(sent->blocks));
    co_await at(static_cast<place_id>(p), [](std::uint64_t region) { detail::end_asked_region(region); }, sent->where);
  }
}

/// What the system kernel of a tile has done for its place.
struct system_counts {
  std::uint64_t begun = 0;
  std::uint64_t ready = 0;
  std::uint64_t staged = 0;
  std::uint64_t passed_on = 0;
};
constexpr auto counts_of_system = [] {
  machine::system::place_block const& block = detail::tile_memory::own().system;
  return system_counts{block.calls_begun, block.calls_ready, block.calls_staged, block.passed_on};
};

/// T1 and T2 at the target and T3 at the caller are done once for each call by the system kernel if it runs, and
/// otherwise by the harts of the places.
task<void> system_tasks_run_where_they_should() {
  bool const by_kernel = detail::tile_memory::own().by_kernel;
  constexpr std::uint64_t times = 5;
  node* const first = ring(3);
  for (unsigned p = 0; p < places(); ++p) {
    auto const to = static_cast<place_id>(p);
    if (to == here()) continue;
    system_counts const before = co_await at(to, counts_of_system);
    std::uint64_t const staged = counts_of_system().staged;
    for (std::uint64_t i = 0; i < times; ++i) co_await at(to, copier::nemesys, [](node*) {}, first);
    system_counts const after = co_await at(to, counts_of_system);
    std::uint64_t const wanted = by_kernel ? times : 0;
    std::string const where = " to place " + std::to_string(p);
    expect(after.begun - before.begun == wanted, "T1: " + std::to_string(after.begun - before.begun) + where);
    expect(after.ready - before.ready == wanted, "T2: " + std::to_string(after.ready - before.ready) + where);
    bool const one_memory = detail::accelerators()->share_memory(here(), to);
    expect(counts_of_system().staged - staged == (one_memory ? 0 : wanted),
           "T3: " + std::to_string(counts_of_system().staged - staged) + where);
    expect((after.passed_on != before.passed_on) == by_kernel, "messages that the kernel passed on" + where);
  }
}

/// The memory that the kernel gives out for graphs comes back: more than there is of it arrives, and no call goes
/// another way.
task<void> the_system_gets_its_memory_back() {
  if (!detail::accelerators()->system_allocates()) co_return;
  constexpr std::uint64_t words = 8192;
  auto const to = static_cast<place_id>(places() - 1);
  node* const first = make<node>();
  first->weights = place_objects().make_array<std::int64_t>(words);
  std::uint64_t const times = detail::this_place().graphs.of_system.size() / (words * 8) + 10;
  system_counts const before = co_await at(to, counts_of_system);
  for (std::uint64_t i = 0; i < times; ++i) co_await at(to, copier::nemesys, [](node*) {}, first);
  system_counts const after = co_await at(to, counts_of_system);
  expect(after.ready - before.ready == times,
         "of " + std::to_string(times) + " graphs the system took " + std::to_string(after.ready - before.ready));
}

/// Streams go from tile-local memory to tile-local memory, which is free again afterwards; without room there they take
/// another path.
task<void> streams_have_buffers() {
  auto const to = static_cast<place_id>(places() - 1);
  constexpr auto left = [] { return detail::this_place().graphs.buffers->left_bytes(); };
  std::uint64_t const before = co_await at(to, left);
  node* const first = ring(length);
  fill(first, 7);
  std::int64_t const mine = digest(first, length);
  struct seen {
    std::int64_t digest;
    bool freed;
  };
  auto const inside = [](node* copy, std::uint64_t all) {
    // The stream has been read by now.
    return seen{digest(copy, length), detail::this_place().graphs.buffers->left_bytes() == all};
  };
  auto const [there, freed] = co_await at(to, copier::message_passing, inside, first, before);
  expect(there == mine && freed, "a stream by its buffer");
  std::uint64_t const taken = co_await at(to, [] {
    std::uint64_t count = 0;
    while (detail::this_place().graphs.buffers->allocate(4096) != nullptr) ++count;
    return count;
  });
  expect(taken > 100, "buffers: " + std::to_string(taken));
  expect((co_await at(to, copier::message_passing, inside, first, before)).digest == mine, "a stream without a buffer");
}

task<void> dummies_are_allocated() {
  auto const to = static_cast<place_id>(places() - 1);
  node* const first = ring(length);
  std::uint64_t bytes[2];
  for (bool const dummies : {false, true}) {
    co_await at(to, [](bool wanted) { detail::the_job->options.dummy_allocations = wanted; }, dummies);
    bytes[dummies ? 1 : 0] =
        co_await at(to, copier::nemesys, [](node* copy) { return detail::region_of(copy)->bytes(); }, first);
  }
  co_await at(to, [] { detail::the_job->options.dummy_allocations = false; });
  constexpr std::uint64_t dummy = 8 + detail::front_bytes;
  expect(bytes[1] >= bytes[0] + (length + 2) * dummy, "dummies: " + std::to_string(bytes[1] - bytes[0]));
}

/// Accelerators that give up at once, with the fault that a test wants.
class faulty_units final : public detail::graph_units {
 public:
  explicit faulty_units(graph_units& sound) : sound_(sound) {}
  void call(detail::graph_call const&, detail::graph_size& result, detail::completion& done) override {
    result.fault = fault;
    done.acknowledge(1);
  }
  void write_back(void const*, detail::graph_size& result, detail::completion& done) override {
    result.fault = fault;
    done.acknowledge(1);
  }
  void copy(detail::graph_move const& what, std::uint64_t& result, detail::completion& done) override {
    sound_.copy(what, result, done);
  }
  void serve(detail::graph_receiver& receiver) noexcept override { sound_.serve(receiver); }
  bool system_allocates() const noexcept override { return sound_.system_allocates(); }
  void manage(std::span<std::byte> memory, std::uint64_t first_block, bool collects) override {
    sound_.manage(memory, first_block, collects);
  }
  void release(void* chunk) noexcept override { sound_.release(chunk); }
  void write_back_range(void const* begin, std::uint64_t bytes) override { sound_.write_back_range(begin, bytes); }
  void invalidate_range(void const* begin, std::uint64_t bytes) override { sound_.invalidate_range(begin, bytes); }
  void wait_for_ranges() override { sound_.wait_for_ranges(); }
  std::span<std::byte> message_memory() noexcept override { return sound_.message_memory(); }
  void push(void const* source, place_id to, std::uint64_t target, std::uint64_t bytes,
            detail::completion& done) override {
    sound_.push(source, to, target, bytes, done);
  }
  bool share_memory(place_id one, place_id other) const noexcept override { return sound_.share_memory(one, other); }

  std::uint64_t fault = 0;

 private:
  graph_units& sound_;
};

/// Software copies what an accelerator could not, also after transfer_failed; an invalid graph is an error of the call.
task<void> every_fault_has_its_end() {
  using machine::registers::graph_fault;
  node* const first = ring(length);
  fill(first, 11);
  std::int64_t const mine = digest(first, length);
  detail::graph_units* const sound = detail::accelerators();
  faulty_units faulty(*sound);
  detail::this_place().graphs.units = &faulty;
  for (std::uint64_t fault = 1; fault <= static_cast<std::uint64_t>(graph_fault::transfer_failed); ++fault) {
    faulty.fault = fault;
    bool const mended = fault != static_cast<std::uint64_t>(graph_fault::null_pointer) &&
                        fault != static_cast<std::uint64_t>(graph_fault::bad_descriptor);
    for (place_id const to : {place_id{0}, static_cast<place_id>(places() - 1)}) {
      bool arrived = false;
      try {
        arrived = co_await at(to, copier::nemesys, [](node* copy) { return digest(copy, length); }, first) == mine;
      } catch (error const&) {
      }
      expect(arrived == mended, "fault " + std::to_string(fault) + " to " + std::to_string(to));
    }
  }
  detail::this_place().graphs.units = sound;
}

/// If the memory's accelerator gives up a copy, the target keeps nothing, and the caller gets the fault.
task<void> rooms_too_small_are_given_back() {
  auto const to = static_cast<place_id>(places() - 1);
  constexpr auto left = [] {
    detail::place_state& p = detail::this_place();
    std::lock_guard const lock(p.heaps.mutex);
    return p.heaps.own->left_bytes();
  };
  node* const first = ring(length);
  static_cast<void>(detail::write_back_graph(*detail::accelerators(), first));
  std::uint64_t const before = co_await at(to, left);
  for (int again = 0; again < 20; ++again) {
    std::byte const message[64]{};
    detail::graph_call call{
        .root = first, .target = to, .message = message, .arrival = 0, .measured = true, .size = {}};
    // Too small for it, and with and without hashing.
    call.size = {0, again % 2 == 0 ? std::uint64_t{2} : std::uint64_t{100}, 2048};
    detail::graph_size size;
    counter ended;
    detail::access::cell(ended).expect(1);
    detail::accelerators()->call(call, size, detail::access::cell(ended));
    co_await ended;
    expect(size.fault == static_cast<std::uint64_t>(machine::registers::graph_fault::buffer_full),
           "a room too small: fault " + std::to_string(size.fault));
  }
  // A collected heap keeps them until it is full.
  bool const collected = detail::the_job->options.collected_heap;
  expect(collected || co_await at(to, left) == before, "a room too small was kept");
}

task<void> objects_of_no_type_are_errors() {
  node* const first = ring(3);
  std::uint32_t const type = std::exchange(detail::header_of(first->next).type, 0x7fff'ffffU);
  bool told = false;
  try {
    co_await at(static_cast<place_id>(places() - 1), copier::nemesys, [](node*) {}, first);
  } catch (error const& e) {
    told = std::string(e.what()).find("no object") != std::string::npos;
  }
  expect(told, "an object of no type was not reported");
  detail::header_of(first->next).type = type;
}

task<void> wild_pointers_are_errors() {
  node* const first = ring(3);
  first->shared->next = reinterpret_cast<node*>(0x10000);  // NOLINT: wild
  bool told = false;
  try {
    co_await at(static_cast<place_id>(places() - 1), copier::nemesys, [](node*) {}, first);
  } catch (error const& e) {
    told = std::string(e.what()).find("address outside") != std::string::npos;
  }
  expect(told, "a wild pointer was not reported");
  first->shared->next = nullptr;
  co_await at(static_cast<place_id>(places() - 1), copier::nemesys, [](node*) {}, first);
}

/// A collected heap uses no memory again until it is full. Then all of what ended is free, or there would be none left.
void collections() {
  constexpr std::uint64_t block = 65536;
  bool const collected = detail::the_job->options.collected_heap;
  detail::place_state const& own = detail::this_place();
  std::uint64_t const half = own.memory.bytes / 2 - own.graphs.of_system.size();
  std::set<std::uint64_t> offsets;
  std::uint64_t again = 0;
  for (std::uint64_t done = 0; again == 0 && done < 3 * half; done += block) {
    auto const memory = allocate<std::byte>(block - 64);
    if (!offsets.insert(memory.offset()).second) again = offsets.size();
    deallocate(memory);
  }
  std::uint64_t const as_many = half / block;
  expect(collected ? again == 0 || again > as_many / 2 : again != 0 && again <= 2,
         "memory was used again after " + std::to_string(again) + " blocks of " + std::to_string(as_many));
}

task<int> app(args) {
  co_await every_copier(5);
  co_await every_copier(length);
  co_await sources_may_change();
  co_await many_at_once();
  co_await all_call_one_place();
  co_await accelerators_are_used();
  co_await system_tasks_run_where_they_should();
  co_await the_system_gets_its_memory_back();
  co_await dummies_are_allocated();
  co_await every_fault_has_its_end();
  co_await rooms_too_small_are_given_back();
  co_await objects_of_no_type_are_errors();
  co_await wild_pointers_are_errors();
  co_await streams_have_buffers();
  collections();
  if (failures == 0) std::printf("all copies as they should be\n");
  co_return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return tess::run(argc, argv, app);
}
