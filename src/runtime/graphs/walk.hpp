// walk: measures everything that a root leads to, then writes it as one image with its final pointers.
//
//   First pass: breadth first, without recursion. Every block gets its place in the image when it is first seen, and
//   for every pointer the place of its target is noted, in order. Second pass: blocks are copied in the same order, and
//   their pointers are taken from those notes, so no map is asked twice. The source is only read. Both passes fetch
//   ahead what they will read some objects later.
//
// Shapes   an image is a chunk from region::blocks_begin() on: blocks one behind the other, the root first.
//          Places are distances from the chunk's start in units of 8 bytes.
// Threads  one walk: one worker.
// Errors   tess::error for a pointer that leads outside the place or to no object, and for more than 32 GiB.
// Cost     12 to 16 bytes of notes per object and 4 per pointer, in memory that the worker uses again.
// Source   "NEMESYS" (MEMSYS 2019), sections 3.2 to 3.5; here with a queue instead of pointer reversal.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "runtime/graphs/map.hpp"
#include "tess/copier.hpp"
#include "tess/detail/region.hpp"

namespace tess::detail {

/// Memory for notes: grows, is never cleared, and stays for the next walk.
template <class T>
class notes {
 public:
  notes() = default;
  notes(notes const&) = delete;
  notes& operator=(notes const&) = delete;
  ~notes() { std::free(items_); }

  [[nodiscard]] T* data() noexcept { return items_; }
  [[nodiscard]] T const* data() const noexcept { return items_; }
  [[nodiscard]] std::uint64_t capacity() const noexcept { return capacity_; }
  /// Room for `items`, keeping what is there.
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

/// The three maps of a worker; used by one walk at a time, which does not suspend meanwhile.
struct copy_maps {
  linear_map linear;
  hashed_map hashed;
  dense_map dense;
};

class graph_walk {
 public:
  /// How blocks are named while the graph is measured: where they will lie, or by numbers from 1.
  enum class naming : std::uint8_t { places, numbers };
  struct found {
    std::byte const* source;
    std::uint32_t units;
    std::uint32_t type;
  };

  /// `root`: a block that nothing points to and that needs no header, such as the arguments of a call.
  void measure(void const* root, type_record const& type, copy_maps& maps, copy_map which, naming by = naming::places);
  /// In the order in which they were found; and of all their pointers, in the same order, the names of their targets.
  [[nodiscard]] found block(std::uint64_t i) const noexcept { return found_.data()[i]; }
  [[nodiscard]] std::uint32_t const* targets() const noexcept { return targets_.data(); }

  /// Of the image, after region::blocks_begin().
  [[nodiscard]] std::uint64_t bytes() const noexcept { return end_ - region::blocks_begin(); }
  [[nodiscard]] std::uint64_t blocks() const noexcept { return count_; }

  /// Writes the image to `chunk_start` + region::blocks_begin(); pointers are relative to `final_start`, where the
  /// chunk lies at the destination. The walk's notes are used up.
  void write(std::byte* chunk_start, std::uint64_t final_start) const noexcept;
  /// Where the root lies in the image: distance from the chunk's start.
  [[nodiscard]] static std::uint64_t root_offset(type_record const& type) noexcept {
    return place_block(region::blocks_begin(), type.bytes, type.alignment, false).object;
  }

  /// Large notes go back to the system.
  void end() noexcept {
    if (targets_.capacity() <= notes_kept) return;
    found_.release();
    targets_.release();
  }

 private:
  static constexpr std::uint64_t notes_kept = std::uint64_t{1} << 23;

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
  notes<found> found_;
  std::uint64_t count_ = 0;
  std::uint64_t scanned_ = 0;
  notes<std::uint32_t> targets_;
  std::uint64_t targets_count_ = 0;
  std::uint64_t end_ = 0;
};

/// The worker's, taken from a pool: another task may walk before this one has written.
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
