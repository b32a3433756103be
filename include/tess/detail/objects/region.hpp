// region: memory of objects that are freed together: chunks with a bump allocator; and the header before an object.
//
//   A copied graph, the objects made by an `at` body, an arena: each is one region and is freed as a whole, without
//   destructors. From an object's header to its chunk is a subtraction, and the chunk points to its region.
//
// Shapes  chunk: {chunk, the region itself if it is the first, blocks}. A block: 8-byte header, then the object; for
//         an array, the size of its elements in bytes precedes it. Objects are aligned to 8, or 16 if their type is.
//         On RV64 the transition structure of four words, used by accelerators, precedes the header.
// Bits    header: 0-31 the type's index, 32-63 distance from the chunk's start in units of 8 bytes.
// Threads allocate: tasks of the place, under a lock if it has several workers.
// Errors  out_of_memory. Checked builds detect the use of an object of a freed region.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tess/detail/objects/object_type.hpp"
#include "tess/detail/tasks/worker.hpp"
#include "tess/machine/registers.hpp"

namespace tess::detail {

struct object_header {
  std::uint32_t type;
  std::uint32_t units;  ///< of 8 bytes between the chunk's start and the object
};
static_assert(sizeof(object_header) == 8);

/// The part of a block before its object: the header, on the machine the transition structure (NEMESYS, MEMSYS 2019,
/// section 3.2), and the size of an array. Software only writes zeros to the transition structure of a new block.
#if defined(__riscv)
inline constexpr std::uint64_t transition_bytes = machine::registers::objects::transition_bytes;
static_assert(machine::registers::objects::array_front_bytes == 16 + transition_bytes);
#else
inline constexpr std::uint64_t transition_bytes = 0;
#endif
inline constexpr std::uint64_t front_bytes = sizeof(object_header) + transition_bytes;
inline constexpr std::uint64_t array_front_bytes = front_bytes + sizeof(std::uint64_t);

inline object_header& header_of(void const* object) noexcept {
  return *reinterpret_cast<object_header*>(const_cast<std::byte*>(static_cast<std::byte const*>(object)) - 8);
}
/// The size in bytes of the elements of an array's block.
inline std::uint64_t& array_bytes_of(void const* block) noexcept {
  auto* const bytes = const_cast<std::byte*>(static_cast<std::byte const*>(block));
  return *reinterpret_cast<std::uint64_t*>(bytes - array_front_bytes);
}

class region;

struct chunk {
  static constexpr std::uint64_t live = 0x6b6e756863737365;  // "esschunk"
  static constexpr std::uint64_t dead = 0xdeadc0dedeadc0de;

  std::uint64_t magic;
  region* owner;
  chunk* next;
  std::uint64_t bytes;
};
static_assert(sizeof(chunk) == 32);

inline chunk* chunk_of(void const* object) noexcept {
  auto* const bytes = const_cast<std::byte*>(static_cast<std::byte const*>(object));
  return reinterpret_cast<chunk*>(bytes - std::uint64_t{header_of(object).units} * 8);
}

/// The position of a block that is put at `offset` of its chunk or later.
struct block_place {
  std::uint64_t object;  ///< offset of the object
  std::uint64_t end;
};
inline block_place place_block(std::uint64_t offset, std::uint64_t bytes, unsigned alignment, bool array) noexcept {
  std::uint64_t const front = array ? array_front_bytes : front_bytes;
  std::uint64_t const object = (offset + front + alignment - 1) & ~std::uint64_t{alignment - 1};
  return {object, object + ((bytes + 7) & ~std::uint64_t{7})};
}

class alignas(16) region {
 public:
  /// A region with room for a copied graph, or one that grows as objects are made in it.
  [[nodiscard]] static region* make(std::uint64_t bytes);
  /// A region that grows, with room for `bytes` in its first chunk.
  [[nodiscard]] static region* make_growing(std::uint64_t bytes);
  /// For a copied graph of at most `bytes`, written by accelerators: the region has whole cache lines of its own.
  [[nodiscard]] static region* make_lines(std::uint64_t bytes);
  /// For a copied graph that fills this memory, which a system gave out (graph_units.hpp).
  [[nodiscard]] static region* adopt(void* memory, std::uint64_t bytes) noexcept;
  /// Frees all its memory or, if it was kept, leaves it to the place.
  static void end(region* r) noexcept;

  /// Zeroed memory with its header; `bytes`: the size of the object or of all elements. `filled`: the caller writes
  /// all whole words of the object, so only what is around them is zeroed.
  [[nodiscard]] void* allocate(type_record const& type, std::uint32_t type_index, std::uint64_t bytes,
                               bool filled = false) {
    if (shared_) lock();
    void* made = nullptr;
    try {
      made = allocate_alone(type, type_index, bytes, filled);
    } catch (...) {
      if (shared_) unlock();
      throw;
    }
    if (shared_) unlock();
    return made;
  }

  void keep() noexcept { kept_.store(true, std::memory_order_relaxed); }
  /// True: its owner has already left it to the place, so it may be freed now.
  [[nodiscard]] bool unkeep() noexcept {
    kept_.store(false, std::memory_order_relaxed);
    return ended_.load(std::memory_order_acquire);
  }
  static void free_region(region* r) noexcept;
  [[nodiscard]] bool kept() const noexcept { return kept_.load(std::memory_order_relaxed); }
  [[nodiscard]] chunk* first() noexcept { return reinterpret_cast<chunk*>(this) - 1; }
  /// The size of all chunks.
  [[nodiscard]] std::uint64_t bytes() noexcept;
  /// For code that fills a new region itself: where blocks begin, and setting where they end.
  [[nodiscard]] std::byte* base() noexcept { return reinterpret_cast<std::byte*>(first()); }
  static constexpr std::uint64_t blocks_begin() noexcept;

 private:
  region(chunk* only, bool shared) noexcept : last_(only), shared_(shared) {}

  [[nodiscard]] void* allocate_alone(type_record const& type, std::uint32_t type_index, std::uint64_t bytes,
                                     bool filled);
  void grow(std::uint64_t bytes);
  void lock() noexcept {
    while (locked_.test_and_set(std::memory_order_acquire)) spin_pause();
  }
  void unlock() noexcept { locked_.clear(std::memory_order_release); }

  chunk* last_;               ///< new blocks are made in this one
  std::uint64_t used_ = 0;    ///< bytes used of last_
  std::uint64_t growth_ = 0;  ///< size of the next chunk
  std::atomic_flag locked_;
  std::atomic<bool> kept_{false};
  std::atomic<bool> ended_{false};
  bool shared_;
};
static_assert(sizeof(region) % 16 == 0);

constexpr std::uint64_t region::blocks_begin() noexcept {
  // Accelerators write whole cache lines from here on.
  constexpr std::uint64_t granule = transition_bytes != 0 ? 64 : 1;
  return (sizeof(chunk) + sizeof(region) + granule - 1) / granule * granule;
}

/// The region that holds the object; checked builds verify the object.
[[nodiscard]] region* region_of(void const* object);
/// Frees a kept region.
void discard_region(region* r);
/// Throws tess::error unless this is the start of a live object of the caller's place.
void check_object(void const* object, char const* who);
/// Where make() allocates: the region of the innermost call around the current task, or else the place's.
[[nodiscard]] region& current_region();
[[nodiscard]] region& region_of_scope(finish_scope& s);
/// The place's own region, which lasts as long as the job.
[[nodiscard]] region& place_region();

}  // namespace tess::detail
