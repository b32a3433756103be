// fixed_heap: memory at a fixed address: all that is allocated from begin() on is in it, so that a copy of its bytes is
// a copy of all these objects.
//
//   Pointers between objects of the heap, and from it into the simulator's executable, which is linked at a fixed
//   address, keep their meaning in another process. So a checkpoint needs no code in caches, units or coroutines. What
//   must not be in the heap are handles of the host: open files, and pointers into shared libraries.
//
//   Small blocks come from a free list for each size, and large ones are whole pages, whose memory goes back to the
//   host when they are freed. A block has a head of 16 bytes with its size; freed blocks are used again, newest first.
//
// Errors    std::bad_alloc if the host has no memory, or if the fixed addresses are taken.
// Threads   one.
// Cost      some ten instructions for a small block; nothing at all while the heap is not in use.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tess::machine {

class fixed_heap {
 public:
  /// False in a build with AddressSanitizer or ThreadSanitizer, whose operator new takes nothing here.
  static constexpr bool available = !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer);
  static constexpr std::uintptr_t base = 0x2000'0000'0000;
  static constexpr std::uint64_t page_bytes = 4096;

  /// From now on operator new of the simulator takes its memory here.
  static void begin();
  [[nodiscard]] static bool active() noexcept { return active_; }
  [[nodiscard]] static bool holds(void const* block) noexcept {
    return reinterpret_cast<std::uintptr_t>(block) - base < size_max;
  }

  /// Aligned to 16 bytes.
  [[nodiscard]] static void* take(std::size_t bytes);
  [[nodiscard]] static void* take(std::size_t bytes, std::size_t alignment);
  /// What take() returned.
  static void give(void* block) noexcept;
  /// Whole pages of zeros.
  [[nodiscard]] static std::byte* take_pages(std::uint64_t bytes);
  static void give_pages(void* pages, std::uint64_t bytes) noexcept;

  /// The object that all others are found from; kept with the bytes.
  static void set_root(void* root) noexcept;
  [[nodiscard]] static void* root() noexcept;
  /// All that was ever in use; pages in it may have no memory yet, and are zero then.
  [[nodiscard]] static std::span<std::byte> bytes() noexcept;
  /// Memory of zeros for that many bytes, to be filled with those of another process's heap; then adopt() makes them
  /// this one's, as if begin() had been called. The heap must not have been in use.
  [[nodiscard]] static std::span<std::byte> reserve(std::uint64_t bytes);
  static void adopt(std::span<std::byte const> bytes);

 private:
  static constexpr std::uint64_t size_max = std::uint64_t{1} << 44U;
  static bool active_;
};

}  // namespace tess::machine
