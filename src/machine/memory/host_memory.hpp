// host_memory: memory of the simulated machine; the host allocates only touched pages.
//
// Errors    std::system_error from the constructor if the host has no address space.
// Threads   none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tess::machine {

class host_memory {
 public:
  enum class pages : std::uint8_t { small, large };
  /// `large` asks for large pages, where most of the memory will be touched.
  explicit host_memory(std::uint64_t bytes, pages of = pages::small);
  host_memory(host_memory const&) = delete;
  host_memory& operator=(host_memory const&) = delete;
  ~host_memory();

  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return size_bytes_; }
  [[nodiscard]] std::byte* at(std::uint64_t offset) const noexcept { return base_ + offset; }
  /// The same bytes as there; the sizes are equal.
  void copy(host_memory const& from) noexcept;
  /// Sets whole pages to zero, and frees them on the host.
  void discard(std::uint64_t begin, std::uint64_t end) noexcept;

 private:
  std::uint64_t size_bytes_;
  std::byte* base_;
};

}  // namespace tess::machine
