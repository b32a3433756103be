// pegasus: the copier whose receiver walks the source graph and copies it object by object.
//
//   A hash map leads from each object to its copy. Through a window the receiver reads the source in place; without one
//   it gets each object's header, then its words. On a machine without coherence the sender writes each object back,
//   and the receiver invalidates the lines of each before it reads them through its cache: it requests the ranges of
//   all new objects of a block, waits once, and reads their headers; large objects are awaited when their turn comes.
//
// Errors  tess::error for pointers outside the source's place and for unknown types.
// Source  Pegasus (DATE 2017), as "NEMESYS" (MEMSYS 2019), section 4 describes it.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "fabric/graph_units.hpp"
#include "runtime/graphs/copier.hpp"
#include "runtime/graphs/copy_lines.hpp"
#include "runtime/graphs/nemesys.hpp"
#include "runtime/graphs/owned_region.hpp"
#include "runtime/graphs/types.hpp"
#include "runtime/graphs/walk.hpp"
#include "runtime/job/job.hpp"
#include "tess/block.hpp"

namespace tess::detail {

namespace {

/// Where a source graph lies: its addresses are those of its place, and are read here at address + distance.
struct pull_source {
  std::uint64_t segment;
  std::uint64_t segment_bytes;
  std::uint64_t distance = 0;
  graph_units* units = nullptr;  ///< without coherence: lines are invalidated before they are read
};

/// The words before a block at its source; before an object, the first of them belongs to its neighbour.
using block_front = std::array<std::byte, array_front_bytes>;

class object_puller {
 public:
  /// `maps` and `copies` are scratch memory.
  object_puller(pull_source const& from, std::uint64_t root, type_record const& root_type, bool linear, copy_maps& maps,
                std::vector<pulled_block>& copies)
      : from_(from),
        owner_(region::make_growing(root_type.bytes + 64)),
        linear_(linear),
        list_(maps.linear),
        seen_(maps.hashed),
        copies_(copies) {
    list_.begin();
    seen_.begin();
    copies_.clear();
    auto* const copy =
        static_cast<std::byte*>(owner_->allocate(root_type, type_index_of(root_type), root_type.bytes, true));
    copies_.push_back({root, copy, &root_type, root_type.bytes});
  }

  [[nodiscard]] std::size_t count() const noexcept { return copies_.size(); }
  [[nodiscard]] pulled_block const& at(std::size_t i) const noexcept { return copies_[i]; }
  [[nodiscard]] region* finish() noexcept { return owner_.release(); }

  /// The number of a block that a pointer leads to, from 1; a new block is the last one, and has no copy yet.
  [[nodiscard]] std::uint32_t number_of(std::uint64_t source) {
    if (source - from_.segment >= from_.segment_bytes || source - from_.segment < sizeof(block_front) ||
        source % 8 != 0)
      throw error("copying a graph", "a pointer that leads outside the objects of its place",
                  "pointers to objects made by tess::make");
    auto const next = static_cast<std::uint32_t>(copies_.size() + 1);
    std::uint32_t number = next;
    if (!linear_)
      number = seen_.find_or_insert(source, next);
    else if (!list_.find(source, number))
      list_.insert(source, next);
    if (number == next) copies_.push_back({.source = source});
    return number;
  }
  /// Makes the copy of a block, without its words; `front` is what precedes the block at its source.
  void make_copy(std::size_t i, std::byte const* front) {
    object_header const header = header_of(front + sizeof(block_front));
    type_record const* const type = find_type(header.type);
    if (type == nullptr) throw error("copying a graph", "a pointer to no object", "pointers to starts of objects");
    bool const array = type->kind != block_kind::object;
    std::uint64_t const bytes = array ? array_bytes_of(front + sizeof(block_front)) : type->bytes;
    pulled_block& made = copies_[i];
    made.copy = static_cast<std::byte*>(owner_->allocate(*type, header.type, bytes, true));
    made.type = type;
    made.bytes = (bytes + 7) & ~std::uint64_t{7};
  }

  /// When a block's words have arrived: clears its transients, and puts the number of its target into every slot; a
  /// null pointer stays 0.
  void number_slots(pulled_block const& of) {
    type_record const& type = *of.type;
    for (std::uint32_t t = 0; t < type.transients_count; ++t)
      std::memset(of.copy + type.transients[t].offset, 0, type.transients[t].bytes);
    for_slots(of, [&](std::uint64_t target) -> std::uint64_t { return number_of(target); });
  }
  /// Replaces the numbers by addresses, once all targets have copies.
  void resolve_slots(pulled_block const& of) const noexcept {
    for_slots(of, [&](std::uint64_t number) { return reinterpret_cast<std::uint64_t>(copies_[number - 1].copy); });
  }

 private:
  template <class Change>
  [[gnu::always_inline]] static void for_slots(pulled_block const& of, Change const& change) {
    auto const change_one = [&](std::byte* at) {
      std::uint64_t word;
      std::memcpy(&word, at, sizeof word);
      if (word == 0) return;
      word = change(word);
      std::memcpy(at, &word, sizeof word);
    };
    if (of.type->kind == block_kind::pointer_array) {
      for (std::uint64_t at = 0; at < of.bytes; at += 8) change_one(of.copy + at);
      return;
    }
    std::uint32_t const n = of.type->slots_count;
    std::uint32_t const* const slots = of.type->slots;
    for (std::uint32_t s = 0; s < n; ++s) change_one(of.copy + slots[s]);
  }

  pull_source from_;
  owned_region owner_;
  bool linear_;
  linear_map& list_;
  hashed_map& seen_;
  std::vector<pulled_block>& copies_;
};

/// Invalidation, ahead of the reads, of what a graph's place may have changed. Whole lines are invalidated, and those
/// next to the ones before only once.
class stale_lines {
 public:
  explicit stale_lines(pull_source const& from) : units_(from.units), end_(from.segment + from.segment_bytes) {}

  void drop(std::uint64_t begin, std::uint64_t bytes) {
    if (units_ == nullptr || bytes == 0) return;
    std::uint64_t first = begin / line * line;
    std::uint64_t last = std::min((begin + bytes + line - 1) / line * line, end_);
    if (first >= clean_begin_ && first <= clean_end_) first = clean_end_;
    if (first >= last) return;
    units_->invalidate_range(reinterpret_cast<void const*>(first), last - first);
    pending_ = true;
    if (first != clean_end_) clean_begin_ = first;
    clean_end_ = last;
  }
  /// Everything that was dropped may be read.
  void settle() {
    if (std::exchange(pending_, false)) units_->wait_for_ranges();
  }

 private:
  static constexpr std::uint64_t line = 64;
  graph_units* units_;
  std::uint64_t end_;
  std::uint64_t clean_begin_ = 0;  ///< dropped last, with what was dropped before next to it
  std::uint64_t clean_end_ = 0;
  bool pending_ = false;
};

task<region*> pull_by_gets(pull_source from, place_id source, std::uint64_t root, type_record const& root_type) {
  copy_maps maps;  // the worker's may serve another walk while this one waits
  std::vector<pulled_block> copies;
  object_puller p(from, root, root_type, false, maps, copies);
  auto const get_bytes = [&](std::uint64_t address, void* to, std::size_t count) {
    return get(global_ptr<std::byte const>(source, address - from.segment),
               std::span<std::byte>(static_cast<std::byte*>(to), count));
  };
  for (std::size_t i = 0; i < p.count(); ++i) {
    pulled_block const o = p.at(i);
    if (o.bytes != 0) co_await get_bytes(o.source, o.copy, o.bytes);
    std::size_t const known = p.count();
    p.number_slots(o);
    for (std::size_t n = known; n < p.count(); ++n) {
      alignas(8) block_front front;
      co_await get_bytes(p.at(n).source - sizeof front, &front, sizeof front);
      p.make_copy(n, front.data());
    }
    p.resolve_slots(o);
  }
  std::uint64_t const blocks = p.count();
  region* const made = p.finish();
  count_graph(blocks, made->bytes());
  co_return made;
}

/// A region with the copy; its first block is the root. `blocks`: how many there are.
region* pull_directly(pull_source const& from, std::uint64_t root, type_record const& root_type, copy_map which,
                      std::uint64_t& blocks) {
  // With a block's front, as much as a small object has: most need no second range.
  constexpr std::uint64_t small_bytes = 80;
  object_puller p(from, root, root_type, which == copy_map::linear, worker_copy_maps(),
                  this_worker().graphs.pulled_blocks);
  stale_lines stale(from);
  stale.drop(root, root_type.bytes);
  auto const here = [&](std::uint64_t source) { return reinterpret_cast<std::byte const*>(source + from.distance); };
  for (std::size_t i = 0; i < p.count(); ++i) {
    pulled_block const o = p.at(i);
    stale.settle();
    copy_lines(o.copy, here(o.source), o.bytes);
    std::size_t const known = p.count();
    p.number_slots(o);
    std::size_t const now = p.count();
    if (now == known) {
      p.resolve_slots(o);
      continue;
    }
    for (std::size_t n = known; from.units != nullptr && n < now; ++n)
      stale.drop(p.at(n).source - sizeof(block_front), sizeof(block_front) + small_bytes);
    stale.settle();
    for (std::size_t n = known; n < now; ++n) {
      std::uint64_t const source = p.at(n).source;
      p.make_copy(n, here(source) - sizeof(block_front));
      // The rest is awaited when the words of the next block are copied.
      if (std::uint64_t const bytes = p.at(n).bytes; bytes > small_bytes)
        stale.drop(source + small_bytes, bytes - small_bytes);
    }
    p.resolve_slots(o);
  }
  blocks = p.count();
  region* const made = p.finish();
  count_graph(blocks, made->bytes());
  return made;
}

/// At the receiver: copies what the root at `root` of place `source` leads to. Gives the region's address.
task<std::uint64_t> pull_graph(place_id source, std::uint64_t root, std::uint64_t source_segment,
                               std::uint32_t root_type) {
  type_record const* const type = find_type(root_type);
  if (type == nullptr) throw error("copying a graph", "an unknown root", "one of the same binary");
  pull_source from{source_segment, the_job->fabric->segment(source).bytes};
  // Places of a simulated machine use the same addresses for each other's memory.
  if (source != self->place) from.units = accelerators();
  if (job.load_window[source] != no_window || source == self->place) {
    std::uint64_t const here = reinterpret_cast<std::uint64_t>(
        source == self->place ? self->segment : bytes_of_window(job.load_window[source]));
    from.distance = from.units != nullptr ? 0 : here - source_segment;
    std::uint64_t blocks = 0;
    co_return reinterpret_cast<std::uint64_t>(pull_directly(from, root, *type, copy_map::hashed, blocks));
  }
  co_return reinterpret_cast<std::uint64_t>(co_await pull_by_gets(from, source, root, *type));
}

constexpr auto pull_graph_here = [](place_id source, std::uint64_t root, std::uint64_t segment, std::uint32_t type) {
  return pull_graph(source, root, segment, type);
};

}  // namespace

template <>
inline constexpr bool is_of_runtime<decltype(pull_graph_here)> = true;

namespace {

class pull_transfer final : public graph_transfer {
 public:
  pull_transfer(void const* root, type_record const& type)
      : units_(accelerators()),
        root_(root, type, units_ != nullptr ? root_copy::location::object : root_copy::location::segment),
        type_(type_index_of(type)) {}

  bool fits_message(place_id, std::size_t) override { return false; }
  std::size_t inline_bytes() const noexcept override { return 0; }
  void write_inline(std::byte*) override {}

  void snapshot() override { copied_ = copied_source(root_.get(), type_of(type_), copy_map::automatic); }

  task<sent_graph> send_ahead(place_id target) override {
    if (units_ != nullptr && target != self->place) static_cast<void>(write_back_graph(*units_, root_.get()));
    std::uint64_t const address =
        co_await at(target, pull_graph_here, self->place, reinterpret_cast<std::uint64_t>(root_.get()),
                    reinterpret_cast<std::uint64_t>(this_place().memory.base), type_);
    arrived_at(address, sent_graph::transport::region);
    co_return sent_;
  }

 private:
  graph_units* units_;
  root_copy root_;
  std::uint32_t type_;
  owned_region copied_;  ///< what snapshot() made
};

class pegasus final : public graph_copier {
 public:
  std::unique_ptr<graph_transfer> start(void const* root, type_record const& type, copy_map) const override {
    return std::make_unique<pull_transfer>(root, type);
  }
  copied_graph copy_here(void const* root, copy_map map, copy_counts* counts) const override {
    place_segment const memory = this_place().memory;
    std::uint64_t blocks = 0;
    region* const made = pull_directly({reinterpret_cast<std::uint64_t>(memory.base), memory.bytes},
                                       reinterpret_cast<std::uint64_t>(root), any_root_type(), map, blocks);
    if (counts != nullptr) *counts = {blocks - 1, made->bytes()};
    return {*reinterpret_cast<void* const*>(made->base() + graph_walk::root_offset(any_root_type())), made};
  }
};

}  // namespace

graph_copier const& pegasus_copier() noexcept {
  static constinit pegasus copier;
  return copier;
}

}  // namespace tess::detail
