// walk: traverses an object graph twice: pass 1 measures it and gives each block its position, pass 2 writes the copy.
//
//   Pass 1 goes breadth first, without recursion. A block gets its position in the image when it is first reached. For
//   every pointer the position of its target is recorded, in order. Pass 2 copies the blocks in the same order and
//   takes their pointers from that record, so no map is searched twice. The source is only read. Both passes prefetch
//   what they will read some objects later.
//
// Shapes   an image is a chunk from region::blocks_begin() on: blocks one behind the other, the root first.
//          Positions are distances from the chunk's start in units of 8 bytes.
// Threads  one walk: one worker.
// Errors   tess::error for a pointer that leads outside the place or to no object, and for more than 32 GiB.
// Cost     16 bytes per object and 4 per pointer, in memory that the worker uses again.
// Source   "NEMESYS" (MEMSYS 2019), sections 3.2 to 3.5; here with a queue instead of pointer reversal.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "runtime/graphs/map.hpp"
#include "tess/copier.hpp"
#include "tess/detail/objects/region.hpp"

namespace tess::detail {

/// An array that grows, is never cleared, and stays for the next walk.
template <class T>
class scratch_array {
 public:
  scratch_array() = default;
  scratch_array(scratch_array const&) = delete;
  scratch_array& operator=(scratch_array const&) = delete;
  ~scratch_array() { std::free(items_); }

  [[nodiscard]] T* data() noexcept { return items_; }
  [[nodiscard]] T const* data() const noexcept { return items_; }
  [[nodiscard]] std::uint64_t capacity() const noexcept { return capacity_; }
  /// Room for `items`; its contents stay.
  void resize(std::uint64_t items) {
    void* const memory = std::realloc(static_cast<void*>(items_), items * sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    items_ = static_cast<T*>(memory);
    capacity_ = items;
  }
  void release() noexcept {
    std::free(items_);
    items_ = nullptr;
    capacity_ = 0;
  }

 private:
  T* items_ = nullptr;
  std::uint64_t capacity_ = 0;
};

/// The maps of a worker. One walk uses them at a time, and does not suspend meanwhile.
struct copy_maps {
  linear_map linear;
  hashed_map hashed;
  dense_map dense;
};

class graph_walk {
 public:
  /// How pointers name their targets: by positions in the image, or by numbers of blocks from 1.
  enum class naming : std::uint8_t { positions, numbers };
  struct visited_block {
    std::byte const* source;
    std::uint32_t units;
    std::uint32_t type;
  };

  /// `root`: a block that nothing points to and that needs no header, such as the arguments of a call.
  void measure(void const* root, type_record const& type, copy_maps& maps, copy_map which,
               naming by = naming::positions);
  /// Blocks in the order of the walk; and the names of the targets of all their pointers, in the same order.
  [[nodiscard]] visited_block block(std::uint64_t i) const noexcept { return blocks_.data()[i]; }
  [[nodiscard]] std::uint32_t const* targets() const noexcept { return targets_.data(); }

  /// Size of the image, from region::blocks_begin() on.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return end_ - region::blocks_begin(); }
  [[nodiscard]] std::uint64_t blocks() const noexcept { return count_; }

  /// Writes the image to `chunk_start` + region::blocks_begin(); pointers are relative to `final_start`, where the
  /// chunk lies at the destination.
  void write(std::byte* chunk_start, std::uint64_t final_start) const noexcept;
  /// Distance of the root from the chunk's start.
  [[nodiscard]] static std::uint64_t root_offset(type_record const& type) noexcept {
    return place_block(region::blocks_begin(), type.bytes, type.alignment, false).object;
  }

  /// Gives large arrays back to the system.
  void trim() noexcept {
    if (targets_.capacity() <= pointers_kept) return;
    blocks_.release();
    targets_.release();
  }

 private:
  static constexpr std::uint64_t pointers_kept = std::uint64_t{1} << 23;

  template <class Map>
  void walk(Map& map, std::uint64_t limit);
  template <class Map, naming by>
  class scanner;
  template <class Map>
  void move_into(Map& map) const;
  [[gnu::noinline]] void make_room(std::uint64_t pointers);
  [[noreturn]] static void refuse(std::byte const* target);

  std::byte const* segment_ = nullptr;
  std::uint64_t segment_bytes_ = 0;
  bool numbers_ = false;
  scratch_array<visited_block> blocks_;
  std::uint64_t count_ = 0;
  std::uint64_t scanned_ = 0;
  scratch_array<std::uint32_t> targets_;
  std::uint64_t targets_count_ = 0;
  std::uint64_t end_ = 0;
};

/// A walk from the worker's pool: another task may walk before this one has written.
class borrowed_walk {
 public:
  borrowed_walk();
  ~borrowed_walk();
  borrowed_walk(borrowed_walk const&) = delete;
  borrowed_walk& operator=(borrowed_walk const&) = delete;
  graph_walk* operator->() const noexcept { return walk_.get(); }
  graph_walk& operator*() const noexcept { return *walk_; }

 private:
  std::unique_ptr<graph_walk> walk_;
};

[[nodiscard]] copy_maps& worker_copy_maps();

}  // namespace tess::detail
