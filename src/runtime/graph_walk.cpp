// graph_walk: the two passes.
#include "runtime/graph_walk.hpp"

#include <cstring>
#include <string>

#include "runtime/job.hpp"
#include "runtime/object_types.hpp"

namespace tess::detail {

namespace {

// Objects between what is read now and what is fetched: a miss takes about as long as some ten objects.
constexpr std::uint64_t ahead_source = 12;
constexpr std::uint64_t ahead_targets = 6;
/// Pointers of one object that are followed ahead.
constexpr std::uint32_t slots_ahead = 8;
/// Beyond so many objects a search through all of them costs more than the dense map does.
constexpr std::uint64_t linear_most = 12;

/// Words of 8 bytes; small blocks without a call.
[[gnu::always_inline]] inline void copy_words(std::byte* to, std::byte const* from, std::uint64_t bytes) noexcept {
  if (bytes > 128) {
    std::memcpy(to, from, bytes);
    return;
  }
  std::uint64_t at = 0;
  for (; at + 16 <= bytes; at += 16) std::memcpy(to + at, from + at, 16);
  if (at < bytes) std::memcpy(to + at, from + at, 8);
}

std::byte const* load_pointer(std::byte const* at) noexcept {
  std::byte const* p;
  std::memcpy(&p, at, sizeof p);
  return p;
}

}  // namespace

void graph_walk::refuse(std::byte const* target) const {
  check_object(target, "copying a graph");
  throw error("copying a graph", "a pointer to no object", "pointers to the start of objects made by tess::make");
}

/// The place of a pointer's target, given to it now if it is new.
template <class Map>
[[gnu::always_inline]] inline std::uint32_t graph_walk::place_of(Map& map, std::byte const* target) {
  if (target == nullptr) return 0;
  // One comparison finds addresses of the stack, of the heap and of other places, and protects the dense map.
  if (static_cast<std::uint64_t>(target - segment_) >= segment_bytes_) [[unlikely]]
    refuse(target);
  auto const source = reinterpret_cast<std::uint64_t>(target);
  if (std::uint32_t const known = map.find(source); known != 0) return known;
#if defined(TESS_CHECKED) && TESS_CHECKED
  check_object(target, "copying a graph");
#endif
  object_header const h = header_of(target);
  type_record const& type = type_of(h.type);
  bool const array = type.kind != block_kind::object;
  block_place const at = place_block(end_, array ? array_bytes_of(target) : type.bytes, type.alignment, array);
  auto const units = static_cast<std::uint32_t>(numbers_ ? count_ + 1 : at.object / 8);
  end_ = at.end;
  found_.reserve(count_ + 1);
  found_.data()[count_++] = {target, units, h.type};
  map.insert(source, units);
  return units;
}

/// Starts to fetch what the objects after the scanned one lead to.
template <class Map>
[[gnu::always_inline]] inline void graph_walk::look_ahead(Map const& map, std::uint64_t scanned) const noexcept {
  if (scanned + ahead_targets >= count_) return;
  found const& near = found_.data()[scanned + ahead_targets];
  type_record const& type = type_of(near.type);
  std::uint32_t const n = type.slots_count < slots_ahead ? type.slots_count : slots_ahead;
  for (std::uint32_t i = 0; i < n; ++i) {
    std::byte const* const p = load_pointer(near.source + type.slots[i]);
    if (static_cast<std::uint64_t>(p - segment_) >= segment_bytes_) continue;
    prefetch_read(p - sizeof(object_header));
    map.prefetch(reinterpret_cast<std::uint64_t>(p));
  }
  if (scanned + ahead_source < count_) {
    std::byte const* const far = found_.data()[scanned + ahead_source].source;
    prefetch_read(far);
    prefetch_read(far + cache_line);
  }
}

template <class Map>
void graph_walk::scan_words(Map& map, std::byte const* const* words, std::uint64_t count) {
  targets_.reserve(targets_count_ + count);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i + ahead_targets < count) {
      std::byte const* const p = words[i + ahead_targets];
      if (static_cast<std::uint64_t>(p - segment_) < segment_bytes_) {
        prefetch_read(p - sizeof(object_header));
        map.prefetch(reinterpret_cast<std::uint64_t>(p));
      }
    }
    targets_.data()[targets_count_++] = place_of(map, words[i]);
  }
}

/// Until everything is scanned, or more than `limit` blocks were found.
template <class Map>
void graph_walk::walk(Map& map, std::uint64_t limit) {
  while (scanned_ < count_ && count_ <= limit) {
    look_ahead(map, scanned_);
    found const f = found_.data()[scanned_++];
    type_record const& type = type_of(f.type);
    if (type.kind == block_kind::object) {
      std::uint32_t const n = type.slots_count;
      targets_.reserve(targets_count_ + n);
      for (std::uint32_t i = 0; i < n; ++i) {
        std::uint32_t const target = place_of(map, load_pointer(f.source + type.slots[i]));
        targets_.data()[targets_count_++] = target;
      }
    } else if (type.kind == block_kind::pointer_array) {
      std::uint64_t const words = array_bytes_of(f.source) / 8;
      if (words > limit) {
        // It alone may lead beyond the limit: the next map scans it.
        --scanned_;
        return;
      }
      scan_words(map, reinterpret_cast<std::byte const* const*>(f.source), words);
    }
    if (end_ >= std::uint64_t{1} << 35) [[unlikely]]
      throw error("copying a graph", "more than 32 GiB", "a smaller graph, or block transfers");
  }
}

template <class Map>
void graph_walk::move_into(Map& map) const {
  // The root is not in the map.
  for (std::uint64_t i = 1; i < count_; ++i)
    map.insert(reinterpret_cast<std::uint64_t>(found_.data()[i].source), found_.data()[i].units);
}

void graph_walk::measure(void const* root, type_record const& type, copy_maps& maps, copy_map which, naming by) {
  numbers_ = by == naming::numbers;
  place_segment const memory = this_place().memory;
  segment_ = memory.base;
  segment_bytes_ = memory.bytes;
  count_ = scanned_ = targets_count_ = 0;
  block_place const at = place_block(region::blocks_begin(), type.bytes, type.alignment, false);
  end_ = at.end;
  found_.reserve(1);
  found_.data()[count_++] = {static_cast<std::byte const*>(root), static_cast<std::uint32_t>(at.object / 8),
                             type_index_of(type)};
  constexpr std::uint64_t no_limit = ~std::uint64_t{0};
  if (which == copy_map::linear || which == copy_map::automatic) {
    maps.linear.begin();
    walk(maps.linear, which == copy_map::linear ? no_limit : linear_most);
    if (scanned_ == count_) return;
    which = copy_map::dense;
  }
  if (which == copy_map::dense && maps.dense.begin(reinterpret_cast<std::uint64_t>(segment_), segment_bytes_)) {
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
    found const f = found_.data()[i];
    if (i + ahead_source < count_) {
      std::byte const* const far = found_.data()[i + ahead_source].source;
      prefetch_read(far);
      prefetch_read(far + cache_line);
    }
    type_record const& type = type_of(f.type);
    std::byte* const to = chunk_start + std::uint64_t{f.units} * 8;
    // What alignment left between two blocks is sent too.
    if (type.alignment > 8) [[unlikely]]
      std::memset(chunk_start + end, 0, static_cast<std::uint64_t>(to - chunk_start) - end);
    header_of(to) = {f.type, f.units};
    if (type.kind == block_kind::object) {
      copy_words(to, f.source, type.bytes);
      for (std::uint32_t t = 0; t < type.transients_count; ++t)
        std::memset(to + type.transients[t].offset, 0, type.transients[t].bytes);
      for (std::uint32_t s = 0; s < type.slots_count; ++s) {
        std::uint64_t const pointer = pointer_to(*target++);
        std::memcpy(to + type.slots[s], &pointer, sizeof pointer);
      }
      end = std::uint64_t{f.units} * 8 + type.bytes;
      continue;
    }
    std::uint64_t const bytes = array_bytes_of(f.source);
    array_bytes_of(to) = bytes;
    end = std::uint64_t{f.units} * 8 + ((bytes + 7) & ~std::uint64_t{7});
    if (type.kind == block_kind::data_array) {
      std::memcpy(to, f.source, (bytes + 7) & ~std::uint64_t{7});
    } else {
      auto* const words = reinterpret_cast<std::uint64_t*>(to);
      for (std::uint64_t w = 0; w < bytes / 8; ++w) words[w] = pointer_to(*target++);
    }
  }
}

borrowed_walk::borrowed_walk() {
  auto& spare = this_worker().spare_walks;
  if (spare.empty()) {
    walk_ = std::make_unique<graph_walk>();
  } else {
    walk_ = std::move(spare.back());
    spare.pop_back();
  }
}

borrowed_walk::~borrowed_walk() {
  walk_->end();
  try {
    this_worker().spare_walks.push_back(std::move(walk_));
  } catch (...) {
    // No memory to remember it: the next walk makes notes of its own.
  }
}

copy_maps& worker_copy_maps() {
  auto& maps = this_worker().maps;
  if (maps == nullptr) maps = std::make_unique<copy_maps>();
  return *maps;
}

}  // namespace tess::detail
