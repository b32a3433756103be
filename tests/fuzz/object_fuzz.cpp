// object_fuzz: no image or stream of a graph makes its receiver crash or leak, and all copiers make equal copies.
//
//   An input holds the form of the graph (i: image, s: stream), the number of objects, the number of bytes that select
//   them, those bytes, and then the damage, 11 bytes each: kind, word, value. It does not depend on how types are
//   numbered. An undamaged graph must arrive as it was sent; a damaged one must be refused, or be a graph that every
//   copier can walk.
//   libFuzzer calls the entry below; fuzz_replay.cpp calls it for each file of the corpus.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "runtime/graphs/serialise.hpp"
#include "runtime/graphs/types.hpp"
#include "runtime/graphs/walk.hpp"
#include "runtime/job/job.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/random_graphs.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* bytes, std::size_t size);

namespace {

using namespace tess;  // NOLINT: a program of its own

constexpr std::uint64_t objects_max = 24;
constexpr std::size_t edit_bytes = 11;
#if defined(TESS_CHECKED) && TESS_CHECKED
constexpr bool dead_regions_wait = true;
#else
constexpr bool dead_regions_wait = false;
#endif

void require(bool promise) {
  if (!promise) std::abort();
}

/// Choices read from the bytes of the input; zeros follow the last.
class chosen_by {
 public:
  explicit chosen_by(std::span<std::uint8_t const> bytes) : bytes_(bytes) {}
  std::uint64_t below(std::uint64_t n) noexcept { return next() % n; }

 private:
  std::uint64_t next() noexcept {
    if (bytes_.empty()) return 0;
    std::uint8_t const b = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return b;
  }
  std::span<std::uint8_t const> bytes_;
};

struct fuzz_input {
  bool stream;
  std::uint64_t objects_count;
  std::span<std::uint8_t const> choices;
  std::span<std::uint8_t const> edits;
};

/// A graph in transit.
struct travelling {
  detail::sent_graph sent;
  std::vector<std::byte> bytes;
};

travelling send(void const* root, bool stream) {
  detail::borrowed_walk walk;
  walk->measure(&root, detail::any_root_type(), detail::worker_copy_maps(), copy_map::automatic,
                stream ? detail::graph_walk::naming::numbers : detail::graph_walk::naming::positions);
  travelling t{{stream ? detail::sent_graph::transport::serialised : detail::sent_graph::transport::image,
                {},
                static_cast<std::uint32_t>(walk->blocks()),
                0,
                0},
               {}};
  if (stream) {
    t.bytes = detail::serialise(*walk);
  } else {
    constexpr std::uint64_t begin = detail::region::blocks_begin();
    std::vector<std::byte> chunk(begin + walk->bytes());
    walk->write(chunk.data(), 0);
    t.bytes.assign(chunk.begin() + begin, chunk.end());
  }
  t.sent.bytes = t.bytes.size();
  return t;
}

std::uint32_t types_count() {
  std::uint32_t count = 0;
  while (detail::find_type(count) != nullptr) ++count;
  return count;
}

void damage(travelling& t, std::span<std::uint8_t const> edit) {
  std::uint16_t at = 0;
  std::uint64_t value = 0;
  std::memcpy(&at, edit.data() + 1, sizeof at);
  std::memcpy(&value, edit.data() + 3, sizeof value);
  std::size_t const words = t.bytes.size() / 8;
  if (words == 0) return;
  std::byte* const place = t.bytes.data() + at % words * 8;
  std::uint64_t word = 0;
  std::memcpy(&word, place, sizeof word);
  switch (edit[0] % 9) {
    case 0:
      word ^= std::uint64_t{1} << value % 64;
      break;
    case 1:
      word = value;
      break;
    case 2:
      word += value;
      break;
    case 3:  // another type, in a header
      word = (word >> 32 << 32) | value % (types_count() + 1);
      break;
    case 4:  // what stands elsewhere, such as another pointer
      std::memcpy(&word, t.bytes.data() + value % words * 8, sizeof word);
      break;
    case 5:  // a place of the image
      word = value % (words + 32) * 8;
      break;
    case 6:
      t.bytes.resize(at % t.bytes.size());
      t.sent.bytes = t.bytes.size();
      return;
    case 7:
      t.sent.blocks = static_cast<std::uint32_t>(value);
      return;
    default:
      t.sent.bytes = value;
      return;
  }
  std::memcpy(place, &word, sizeof word);
}

void copy_by_all(void* root) {
  std::uint64_t objects = 0;
  for (copier const by : {copier::nemesys, copier::message_passing, copier::pegasus}) {
    copy_counts counts;
    auto const copied = copy(static_cast<test::thing*>(root), by, copy_map::automatic, &counts);
    require(copied.get() != nullptr && (objects == 0 || objects == counts.objects));
    objects = counts.objects;
  }
}

void receive(travelling const& t, void* original, bool damaged) try {
  detail::arrived_graph const arrived =
      detail::receive_graph(t.sent, t.bytes.data(), t.bytes.size(), detail::any_root_type());
  void* root = nullptr;
  std::memcpy(&root, arrived.root, sizeof root);
  graph<test::container> const owned(static_cast<test::container*>(root), arrived.owner);
  if (!damaged) require(test::comparison().same(static_cast<test::container*>(original), owned.get()));
  if (root != nullptr) copy_by_all(root);
} catch (error const&) {
  require(damaged);
}

void check(fuzz_input const& input) {
  chosen_by choices(input.choices);
  test::container* const root = test::make_random_graph(choices, 1 + input.objects_count % objects_max);
  copy_by_all(root);
  travelling t = send(root, input.stream);
  for (std::size_t i = 0; i + edit_bytes <= input.edits.size(); i += edit_bytes)
    damage(t, input.edits.subspan(i, edit_bytes));
  bool const damaged = input.edits.size() >= edit_bytes;
  std::uint64_t left = 0;
  for (int round = 0; round < 3; ++round) {
    receive(t, root, damaged);
    std::uint64_t const now = detail::this_place().heaps.own->left_bytes();
    // The first rounds may fill free lists.
    require(dead_regions_wait || round < 2 || now == left);
    left = now;
  }
}

runtime& places_of_all_inputs() {
  static runtime* const places = [] {
    settings s;
    s.fabric = "smp";
    s.places = s.workers = s.threads = 1;
    return new runtime(s);  // lives as long as the process: inputs come until it is killed
  }();
  return *places;
}

}  // namespace

int LLVMFuzzerTestOneInput(std::uint8_t const* bytes, std::size_t size) {
  if (size < 3) return 0;
  std::span<std::uint8_t const> const rest(bytes + 3, size - 3);
  std::size_t const chosen = std::min<std::size_t>(bytes[2], rest.size());
  fuzz_input const input{bytes[0] == 's', bytes[1], rest.first(chosen), rest.subspan(chosen)};
  places_of_all_inputs().run([&input]() -> task<void> {
    // A separate call, which frees the objects made in it.
    co_await at(here(), unchecked([i = &input] { check(*i); }));
  });
  return 0;
}
