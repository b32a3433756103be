// region: memory of objects that live and die together: chunks with a bump allocator; and the header before an object.
//
//   A copied graph, what an `at` body makes, an arena: each is one region and is freed as a whole, without destructors.
//   From an object's header to its chunk is a subtraction, and the chunk knows its region.
//
// Shapes  chunk: {chunk, the region itself if it is the first, blocks}. A block: header of 8 bytes, then the object; of
//         an array the bytes of its elements stand before that. Objects are aligned to 8, or 16 if their type is.
//         For RV64 the transition structure of four words, which belongs to accelerators, stands before the header.
// Bits    header: 0-31 type's index, 32-63 distance from the chunk's start in units of 8 bytes.
// Threads allocate: tasks of the place, under a lock if it has several workers.
// Errors  out_of_memory. Checked builds find out when an object of a dead region is used.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tess/detail/object_type.hpp"
#include "tess/detail/worker.hpp"
#include "tess/machine/registers.hpp"

namespace tess::detail {

struct object_header {
  std::uint32_t type;
  std::uint32_t units;  ///< of 8 bytes between the chunk's start and the object
};
static_assert(sizeof(object_header) == 8);

/// What of a block stands before its object: the header, on the machine the transition structure (NEMESYS, MEMSYS 2019,
/// section 3.2), and the size of an array. Software writes the transition structure once: as zeros, in a new block.
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
/// Bytes of the elements of an array's block.
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

/// Where a block comes to lie that is put at `offset` of its chunk or later.
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
  /// A region with room for a copied graph, or one that grows as things are made in it.
  [[nodiscard]] static region* make(std::uint64_t bytes);
  /// One that grows, with room for `bytes` in its first chunk.
  [[nodiscard]] static region* make_growing(std::uint64_t bytes);
  /// For a copied graph of at most so many bytes that accelerators write: it has whole cache lines of its own.
  [[nodiscard]] static region* make_lines(std::uint64_t bytes);
  /// Gives all its memory back, or, if it was kept, leaves it to the place.
  static void end(region* r) noexcept;

  /// Zeroed memory with its header; `bytes`: of the object or of all elements.
  [[nodiscard]] void* allocate(type_record const& type, std::uint32_t type_index, std::uint64_t bytes) {
    if (shared_) lock();
    void* made = nullptr;
    try {
      made = allocate_alone(type, type_index, bytes);
    } catch (...) {
      if (shared_) unlock();
      throw;
    }
    if (shared_) unlock();
    return made;
  }

  void keep() noexcept { kept_.store(true, std::memory_order_relaxed); }
  /// True: whoever held it has left it to the place, so it may be freed now.
  [[nodiscard]] bool unkeep() noexcept {
    kept_.store(false, std::memory_order_relaxed);
    return ended_.load(std::memory_order_acquire);
  }
  static void free_region(region* r) noexcept;
  [[nodiscard]] bool kept() const noexcept { return kept_.load(std::memory_order_relaxed); }
  [[nodiscard]] chunk* first() noexcept { return reinterpret_cast<chunk*>(this) - 1; }
  /// Bytes of all chunks.
  [[nodiscard]] std::uint64_t bytes() noexcept;
  /// For one who fills a new region himself: where blocks begin, and that they end there.
  [[nodiscard]] std::byte* base() noexcept { return reinterpret_cast<std::byte*>(first()); }
  static constexpr std::uint64_t blocks_begin() noexcept;

 private:
  region(chunk* only, bool shared) noexcept : last_(only), shared_(shared) {}

  [[nodiscard]] void* allocate_alone(type_record const& type, std::uint32_t type_index, std::uint64_t bytes);
  void grow(std::uint64_t bytes);
  void lock() noexcept {
    while (locked_.test_and_set(std::memory_order_acquire)) spin_pause();
  }
  void unlock() noexcept { locked_.clear(std::memory_order_release); }

  chunk* last_;               ///< blocks are made in this one
  std::uint64_t used_ = 0;    ///< of last_
  std::uint64_t growth_ = 0;  ///< bytes of the next chunk
  std::atomic_flag locked_;
  std::atomic<bool> kept_{false};
  std::atomic<bool> ended_{false};
  bool shared_;
};
static_assert(sizeof(region) % 16 == 0);

constexpr std::uint64_t region::blocks_begin() noexcept {
  // Accelerators write whole lines from here on.
  constexpr std::uint64_t granule = transition_bytes != 0 ? 64 : 1;
  return (sizeof(chunk) + sizeof(region) + granule - 1) / granule * granule;
}

/// The region that holds the object; checked builds verify the object.
[[nodiscard]] region* region_of(void const* object);
/// Frees a kept region.
void discard_region(region* r);
/// Throws tess::error unless this is the start of a live object of the caller's place.
void check_object(void const* object, char const* who);
/// Where make() puts things: the region of the innermost call around the current task, or else the place's.
[[nodiscard]] region& current_region();
[[nodiscard]] region& region_of_scope(finish_scope& s);
/// The place's own, as long as the job lives.
[[nodiscard]] region& place_region();

}  // namespace tess::detail
