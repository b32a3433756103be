// walk: pass 1 for each kind of map, and pass 2.
#include "runtime/graphs/walk.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "runtime/graphs/types.hpp"
#include "runtime/job/job.hpp"

namespace tess::detail {

namespace {

// Distances of prefetches, in objects: a miss takes about as long as ten objects.
constexpr std::uint64_t ahead_source = 12;
constexpr std::uint64_t ahead_targets = 6;
/// Smaller graphs fit the caches next to the core, where prefetching costs more than it saves.
constexpr std::uint64_t blocks_without_prefetch = 1500;
/// Bytes of an object that are prefetched; one unneeded line of every object would double the misses.
constexpr std::uint64_t prefetched_bytes = 32;
/// Pointers of one object whose targets are prefetched.
constexpr std::uint32_t prefetched_slots = 8;
/// Blocks, the root included: from the second object on, the dense map takes fewer instructions than a search.
constexpr std::uint64_t linear_blocks_max = 2;

/// Copies words of 8 bytes, at least one; small blocks without a call or a loop.
[[gnu::always_inline]] inline void copy_words(std::byte* to, std::byte const* from, std::uint64_t bytes) noexcept {
  struct half {
    std::uint64_t words[2];
  };
  auto const copy_half = [=](std::uint64_t at) {
    half h;
    std::memcpy(&h, from + at, sizeof h);
    std::memcpy(to + at, &h, sizeof h);
  };
  if (bytes > 128) {
    std::memcpy(to, from, bytes);
    return;
  }
  if (bytes < 16) {
    std::memcpy(to, from, 8);
    return;
  }
  // The last two words may overlap those copied before.
  copy_half(0);
  if (bytes > 32) {
    copy_half(16);
    if (bytes > 64) {
      copy_half(32);
      copy_half(48);
      copy_half(bytes - 64);
      copy_half(bytes - 48);
    }
    copy_half(bytes - 32);
  }
  copy_half(bytes - 16);
}

std::byte const* load_pointer(std::byte const* at) noexcept {
  std::byte const* p;
  std::memcpy(&p, at, sizeof p);
  return p;
}

}  // namespace

void graph_walk::refuse(std::byte const* target) {
  check_object(target, "copying a graph");
  throw error("copying a graph", "a pointer to no object", "pointers to the start of objects made by tess::make");
}

void graph_walk::make_room(std::uint64_t pointers) {
  if (pointers > targets_.capacity()) targets_.resize(std::max<std::uint64_t>(128, 2 * pointers));
  // Every block but the first was reached through a pointer.
  if (blocks_.capacity() <= targets_.capacity()) blocks_.resize(targets_.capacity() + 1);
}

/// Pass 1 with one map. What changes with every pointer lives in registers, and moves to the walk when the scan ends.
template <class Map, graph_walk::naming by>
class graph_walk::scanner {
 public:
  scanner(graph_walk& walk, Map& map) : walk_(walk), map_(map.view()) { load(); }

  /// Scans until all blocks are scanned, or more than `limit` were found.
  [[gnu::always_inline]] void scan(std::uint64_t limit) {
    std::uint64_t i = walk_.scanned_;
    // The type of the last object. Along a list, the next object is usually of the same type: a predicted comparison
    // does not wait for the type record as a load would.
    std::uint32_t index = ~0U;
    type_record const* type = nullptr;
    for (; i < count_ && count_ <= limit; ++i) {
      if (count_ > blocks_without_prefetch && i + ahead_targets < count_) prefetch_from(i);
      visited_block const f = blocks_[i];
      if (f.type != index) {
        type_record const& other = type_of(f.type);
        if (other.kind == block_kind::data_array) continue;
        if (other.kind == block_kind::pointer_array) {
          std::uint64_t const words = array_bytes_of(f.source) / 8;
          if (words > limit) break;  // It may exceed the limit on its own: the next map scans it.
          scan_words(reinterpret_cast<std::byte const* const*>(f.source), words);
          continue;
        }
        type = &other;
        index = f.type;
      }
      scan_object(f.source, *type);
    }
    store();
    walk_.scanned_ = i;
    // Positions have 32 bits.
    if (end_ >= std::uint64_t{1} << 35) [[unlikely]]
      throw error("copying a graph", "more than 32 GiB", "a smaller graph, or block transfers");
  }

 private:
  [[gnu::always_inline]] void load() noexcept {
    segment_ = walk_.segment_;
    segment_bytes_ = walk_.segment_bytes_;
    blocks_ = walk_.blocks_.data();
    count_ = walk_.count_;
    targets_ = walk_.targets_.data();
    targets_count_ = walk_.targets_count_;
    end_ = walk_.end_;
    targets_room_ = walk_.targets_.capacity();
  }
  [[gnu::always_inline]] void store() const noexcept {
    walk_.count_ = count_;
    walk_.targets_count_ = targets_count_;
    walk_.end_ = end_;
  }
  /// Room for this many more pointers, even if all lead to new blocks.
  [[gnu::always_inline]] void make_room(std::uint64_t pointers) {
    if (targets_count_ + pointers <= targets_room_) [[likely]]
      return;
    store();
    walk_.make_room(targets_count_ + pointers);
    load();
  }

  [[gnu::always_inline]] void scan_object(std::byte const* source, type_record const& type) {
    std::uint32_t const n = type.slots_count;
    make_room(n);
    std::uint32_t const* const slots = type.slots;
    for (std::uint32_t s = 0; s < n; ++s) record(load_pointer(source + slots[s]));
  }

  [[gnu::always_inline]] void scan_words(std::byte const* const* words, std::uint64_t count) {
    constexpr std::uint64_t step = 1024;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i % step == 0) make_room(std::min(step, count - i));
      if (i + ahead_targets < count) fetch(words[i + ahead_targets]);
      record(words[i]);
    }
  }

  /// Records the position of a pointer's target, which gets one now if it is new.
  [[gnu::always_inline]] void record(std::byte const* target) {
    std::uint32_t units = 0;
    if (target != nullptr) {
      // One comparison rejects addresses of the stack, the heap and other places, and protects the dense map.
      auto const offset = static_cast<std::uint64_t>(target - segment_);
      if (offset >= segment_bytes_) [[unlikely]]
        refuse(target);
      if (!map_.find(offset, units)) {
        units = add(target);
        map_.insert(offset, units);
      }
    }
    targets_[targets_count_++] = units;
  }

  [[gnu::always_inline]] std::uint32_t add(std::byte const* target) {
#if defined(TESS_CHECKED) && TESS_CHECKED
    check_object(target, "copying a graph");
#endif
    std::uint32_t const index = header_of(target).type;
    type_record const& type = type_of(index);
    std::uint64_t object = end_ + front_bytes;
    if (type.kind == block_kind::object && type.alignment == 8) [[likely]] {
      end_ = object + type.bytes;
    } else {
      bool const array = type.kind != block_kind::object;
      block_place const at = place_block(end_, array ? array_bytes_of(target) : type.bytes, type.alignment, array);
      object = at.object;
      end_ = at.end;
    }
    auto const units = static_cast<std::uint32_t>(by == naming::numbers ? count_ + 1 : object / 8);
    blocks_[count_++] = {target, units, index};
    return units;
  }

  [[gnu::always_inline]] void fetch(std::byte const* target) const noexcept {
    auto const offset = static_cast<std::uint64_t>(target - segment_);
    if (offset >= segment_bytes_) return;
    prefetch_read(target - sizeof(object_header));
    map_.prefetch(offset);
  }
  /// Prefetches what the objects after the scanned one lead to.
  [[gnu::always_inline]] void prefetch_from(std::uint64_t scanned) const noexcept {
    visited_block const& near = blocks_[scanned + ahead_targets];
    type_record const& type = type_of(near.type);
    std::uint32_t const n = type.slots_count < prefetched_slots ? type.slots_count : prefetched_slots;
#pragma clang loop unroll(disable)
    for (std::uint32_t i = 0; i < n; ++i) fetch(load_pointer(near.source + type.slots[i]));
    if (scanned + ahead_source < count_) {
      std::byte const* const far = blocks_[scanned + ahead_source].source;
      prefetch_read(far);
      prefetch_read(far + prefetched_bytes - 1);
    }
  }

  graph_walk& walk_;
  decltype(std::declval<Map&>().view()) map_;
  std::byte const* segment_;
  std::uint64_t segment_bytes_;
  visited_block* blocks_;
  std::uint64_t count_;
  std::uint32_t* targets_;
  std::uint64_t targets_count_;
  std::uint64_t end_;
  std::uint64_t targets_room_;
};

template <class Map>
void graph_walk::walk(Map& map, std::uint64_t limit) {
  if (numbers_)
    scanner<Map, naming::numbers>(*this, map).scan(limit);
  else
    scanner<Map, naming::positions>(*this, map).scan(limit);
}

template <class Map>
void graph_walk::move_into(Map& map) const {
  // The root is not in the map.
  for (std::uint64_t i = 1; i < count_; ++i)
    map.insert(static_cast<std::uint64_t>(blocks_.data()[i].source - segment_), blocks_.data()[i].units);
}

void graph_walk::measure(void const* root, type_record const& type, copy_maps& maps, copy_map which, naming by) {
  numbers_ = by == naming::numbers;
  place_segment const memory = this_place().memory;
  segment_ = memory.base;
  segment_bytes_ = memory.bytes;
  count_ = scanned_ = targets_count_ = 0;
  block_place const at = place_block(region::blocks_begin(), type.bytes, type.alignment, false);
  end_ = at.end;
  make_room(1);
  blocks_.data()[count_++] = {static_cast<std::byte const*>(root), static_cast<std::uint32_t>(at.object / 8),
                              type_index_of(type)};
  constexpr std::uint64_t no_limit = ~std::uint64_t{0};
  if (which == copy_map::linear || which == copy_map::automatic) {
    maps.linear.begin();
    walk(maps.linear, which == copy_map::linear ? no_limit : linear_blocks_max);
    if (scanned_ == count_) return;
    which = copy_map::dense;
  }
  if (which == copy_map::dense && maps.dense.begin(segment_bytes_)) {
    move_into(maps.dense);
    walk(maps.dense, no_limit);
    return;
  }
  maps.hashed.begin();
  move_into(maps.hashed);
  walk(maps.hashed, no_limit);
}

void graph_walk::write(std::byte* chunk_start, std::uint64_t final_start) const noexcept {
  std::uint32_t const* target = targets_.data();
  std::uint64_t end = region::blocks_begin();
  auto const pointer_to = [=](std::uint32_t units) { return units == 0 ? 0 : final_start + std::uint64_t{units} * 8; };
  for (std::uint64_t i = 0; i < count_; ++i) {
    visited_block const f = blocks_.data()[i];
    if (i + ahead_source < count_) {
      std::byte const* const far = blocks_.data()[i + ahead_source].source;
      prefetch_read(far);
      prefetch_read(far + prefetched_bytes - 1);
    }
    type_record const& type = type_of(f.type);
    std::byte* const to = chunk_start + std::uint64_t{f.units} * 8;
    // Padding between two blocks is sent too.
    if (type.alignment > 8) [[unlikely]]
      std::memset(chunk_start + end, 0, static_cast<std::uint64_t>(to - chunk_start) - end);
    if constexpr (transition_bytes != 0) std::memset(to - front_bytes, 0, transition_bytes);
    header_of(to) = {f.type, f.units};
    if (type.kind == block_kind::object) [[likely]] {
      copy_words(to, f.source, type.bytes);
      for (std::uint32_t t = 0; t < type.transients_count; ++t)
        std::memset(to + type.transients[t].offset, 0, type.transients[t].bytes);
      std::uint32_t const n = type.slots_count;
      std::uint32_t const* const slots = type.slots;
#pragma clang loop unroll(disable) vectorize(disable)
      for (std::uint32_t s = 0; s < n; ++s) {
        std::uint64_t const pointer = pointer_to(*target++);
        std::memcpy(to + slots[s], &pointer, sizeof pointer);
      }
      end = std::uint64_t{f.units} * 8 + type.bytes;
      continue;
    }
    std::uint64_t const bytes = array_bytes_of(f.source);
    array_bytes_of(to) = bytes;
    end = std::uint64_t{f.units} * 8 + ((bytes + 7) & ~std::uint64_t{7});
    if (type.kind == block_kind::data_array) {
      if (bytes != 0) copy_words(to, f.source, (bytes + 7) & ~std::uint64_t{7});
    } else {
      auto* const words = reinterpret_cast<std::uint64_t*>(to);
      for (std::uint64_t w = 0; w < bytes / 8; ++w) words[w] = pointer_to(*target++);
    }
  }
}

borrowed_walk::borrowed_walk() {
  auto& spare = this_worker().graphs.spare_walks;
  if (spare.empty()) {
    walk_ = std::make_unique<graph_walk>();
  } else {
    walk_ = std::move(spare.back());
    spare.pop_back();
  }
}

borrowed_walk::~borrowed_walk() {
  walk_->trim();
  try {
    this_worker().graphs.spare_walks.push_back(std::move(walk_));
  } catch (...) {
    // No memory to keep it: the next walk allocates its own.
  }
}

copy_maps& worker_copy_maps() {
  auto& maps = this_worker().graphs.maps;
  if (maps == nullptr) maps = std::make_unique<copy_maps>();
  return *maps;
}

}  // namespace tess::detail
