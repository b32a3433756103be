// allocation_map: its bytes are mapped without reserving memory for them.
#include "runtime/memory/allocation_map.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <new>

namespace tess::detail {

namespace {

constexpr std::uint8_t given_back = 0xff;

std::uint8_t read(std::uint8_t const& state) noexcept {
  return __atomic_load_n(&state, __ATOMIC_RELAXED);
}
void write(std::uint8_t& state, std::uint64_t value) noexcept {
  std::atomic_ref(state).store(static_cast<std::uint8_t>(value), std::memory_order_relaxed);
}

}  // namespace

allocation_map::allocation_map(std::vector<std::uint64_t> const& segment_bytes) {
  for (std::uint64_t const bytes : segment_bytes) {
    std::size_t const count = bytes / line + 1;
    void* const mapped =
        ::mmap(nullptr, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    lines_.emplace_back(static_cast<std::uint8_t*>(mapped), count);
  }
}

allocation_map::~allocation_map() {
  for (auto const lines : lines_) ::munmap(lines.data(), lines.size());
}

void allocation_map::add(place_id place, std::uint64_t offset, std::uint64_t bytes) noexcept {
  for (std::uint64_t done = 0; done < bytes; done += line)
    write(lines_[place][(offset + done) / line], std::min(bytes - done, line));
}

void allocation_map::remove(place_id place, std::uint64_t offset, std::uint64_t bytes) noexcept {
  for (std::uint64_t done = 0; done < bytes; done += line) write(lines_[place][(offset + done) / line], given_back);
}

char const* allocation_map::look(place_id place, std::uint64_t offset, std::uint64_t bytes) const noexcept {
  if (bytes == 0) return nullptr;
  std::uint64_t const end = offset + bytes;
  for (std::uint64_t at = offset / line; at * line < end; ++at) {
    std::uint8_t const state = read(lines_[place][at]);
    if (state == given_back) return "memory that was given back";
    if (state == 0) return at == offset / line ? "memory that is not allocated" : "memory beyond the end of its block";
    if (std::min(end - at * line, line) > state) return "memory beyond the end of its block";
  }
  return nullptr;
}

}  // namespace tess::detail
