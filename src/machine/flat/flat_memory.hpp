// flat_memory: one coherent memory without time: addresses from 0, page rights, and a hit path of a few instructions.
//
//   The rights of every page lie at a fixed distance before the memory, so one base register is enough for an access:
//   rotate the address so that misaligned ones become huge, compare, test the page's byte, access. Unmapped pages have
//   no rights; the host allocates only touched pages.
//
// Units     bytes; pages of 4096.
// Errors    std::system_error from the constructor if the host has no address space. A forbidden access stops the hart
//           with stop::access.
// Threads   none.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "machine/hart/memory_policy.hpp"
#include "machine/isa/atomic.hpp"

namespace tess::machine {

class flat_memory final : public code_source {
 public:
  static constexpr bool timed = false;
  static constexpr bool in_place_atomics = true;
  static constexpr unsigned page_shift = 12;
  static constexpr std::uint64_t page_bytes = std::uint64_t{1} << page_shift;
  static constexpr std::uint64_t size_bytes_max = std::uint64_t{1} << 38U;
  // The byte of a page's rights is so far before the base, plus the page's number.
  static constexpr std::uint64_t pages_max = size_bytes_max >> page_shift;

  explicit flat_memory(std::uint64_t size_bytes);
  flat_memory(flat_memory const&) = delete;
  flat_memory& operator=(flat_memory const&) = delete;
  ~flat_memory() override;

  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return size_bytes_; }
  [[nodiscard]] std::byte* fast() const noexcept { return base_; }

  // May code of any of these pages be executed?
  [[nodiscard]] bool have_code(std::uint64_t begin, std::uint64_t end) const noexcept;
  // Sets the rights of whole pages; both addresses are multiples of page_bytes within the memory.
  void set_rights(std::uint64_t begin, std::uint64_t end, std::uint8_t rights) noexcept;
  [[nodiscard]] std::uint8_t rights(std::uint64_t address) const noexcept;
  [[nodiscard]] std::span<std::uint8_t const> all_rights() const noexcept {
    return {&rights_of(base_, 0), size_bytes_ / page_bytes};
  }
  // Moves these whole pages of the host to `into`, which has as many; they are gone here. Rights stay.
  // Throws std::system_error.
  void give(std::uint64_t begin, std::uint64_t bytes, std::byte* into);
  // Returns the pages to the host; they read as zero afterwards. Rights stay.
  void discard(std::uint64_t begin, std::uint64_t end) noexcept;

  // The bytes [address, address + size) if all have the rights, else an empty span (as for size 0).
  [[nodiscard]] std::span<std::byte> bytes(std::uint64_t address, std::uint64_t size,
                                           std::uint8_t rights) const noexcept;
  // The same without a check of rights: for the loader, and for system calls that have checked.
  [[nodiscard]] std::byte* at(std::uint64_t address) const noexcept { return base_ + address; }

  bool halfword(std::uint64_t pc, std::uint16_t& into) const override;

  // The memory policy.
  template <class T>
  [[gnu::always_inline]] static bool load(hart&, inst const*, std::byte* base, std::uint64_t address,
                                          T& value) noexcept {
    if (!allowed<sizeof(T)>(base, address, right_read)) [[unlikely]]
      return false;
    std::memcpy(&value, base + address, sizeof(T));
    return true;
  }
  template <class T>
  static bool load_slowly(hart& h, inst const*, std::byte* base, std::uint64_t address, T& value) noexcept {
    if (!allowed_everywhere(h, base, address, sizeof(T), right_read)) return false;
    std::memcpy(&value, base + address, sizeof(T));
    return true;
  }
  template <class T>
  [[gnu::always_inline]] static bool store(hart&, inst const*, std::byte* base, std::uint64_t address,
                                           T value) noexcept {
    if (!allowed<sizeof(T)>(base, address, right_write)) [[unlikely]]
      return false;
    std::memcpy(base + address, &value, sizeof(T));
    return true;
  }
  template <class T>
  static bool store_slowly(hart& h, inst const*, std::byte* base, std::uint64_t address, T value) noexcept {
    if (!allowed_everywhere(h, base, address, sizeof(T), right_write)) return false;
    std::memcpy(base + address, &value, sizeof(T));
    return true;
  }
  static bool fetch(hart&, inst const*, std::byte*, std::uint64_t) noexcept { return true; }

  // LR, SC and AMOs, from h.request. SC succeeds if the word still has the value that LR read: a change that was undone
  // in between is not observable.
  template <class T, stop Kind>
  static bool atomic(hart& h, std::byte* base, std::uint64_t& raw) noexcept {
    std::uint64_t const address = h.request.address;
    access_right const wanted = Kind == stop::load_reserved ? right_read : right_write;
    if (!allowed<sizeof(T)>(base, address, wanted)) [[unlikely]]
      return refuse(h, wanted);
    T old;
    std::memcpy(&old, base + address, sizeof(T));
    raw = old;
    if constexpr (Kind == stop::load_reserved) {
      h.reserved = {.address = address, .value = old, .bytes = sizeof(T)};
      return true;
    }
    T next = combined<T>(h.request.operation, old, static_cast<T>(h.request.operand));
    if constexpr (Kind == stop::compare_swap) {
      if (old != static_cast<T>(h.request.expected)) return true;
    }
    if constexpr (Kind == stop::store_conditional) {
      bool const kept = h.reserved.bytes == sizeof(T) && h.reserved.address == address && h.reserved.value == old;
      h.reserved = {};
      raw = kept ? 0 : 1;
      if (!kept) return true;
      next = static_cast<T>(h.request.operand);
    }
    std::memcpy(base + address, &next, sizeof(T));
    return true;
  }

 private:
  static std::uint8_t& rights_of(std::byte* base, std::uint64_t page) noexcept {
    return reinterpret_cast<std::uint8_t*>(base - pages_max)[page];  // NOLINT
  }
  template <std::size_t Bytes>
  [[gnu::always_inline]] static bool allowed(std::byte* base, std::uint64_t address, access_right wanted) noexcept {
    constexpr int log2 = std::countr_zero(Bytes);
    std::uint64_t const page = std::rotr(address, log2) >> (page_shift - log2);
    return page < pages_max && (rights_of(base, page) & wanted) != 0;
  }
  // The path of misaligned and forbidden accesses.
  [[gnu::cold]] static bool allowed_everywhere(hart& h, std::byte* base, std::uint64_t address, std::uint64_t bytes,
                                               access_right wanted) noexcept;
  [[gnu::cold]] static bool refuse(hart& h, access_right wanted) noexcept;

  std::uint64_t size_bytes_;
  std::byte* reserved_;
  std::byte* base_;
};

}  // namespace tess::machine
