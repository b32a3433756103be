// memory: the heap of the job.
#include "shmem/memory.hpp"

#include <unistd.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "shmem/call.hpp"
#include "shmem/collectives.hpp"
#include "shmem/heap.hpp"
#include "shmem/network.hpp"

namespace tess::shmem {

namespace {

constexpr std::size_t large = std::size_t{64} << 20U;

std::optional<symmetric_heap> heap;

/// A number with K, M, G or T behind it, as 1.5 describes; nothing: it is no size.
std::optional<std::size_t> read_size(std::string_view text) {
  double number = 0;
  auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || !(number >= 0) || number > 0x1p62) return std::nullopt;
  std::string_view const scale(end, text.data() + text.size());
  if (scale.size() > 1) return std::nullopt;
  constexpr std::string_view scales = "kKmMgGtT";
  std::size_t const found = scale.empty() ? 0 : scales.find(scale);
  if (found == std::string_view::npos) return std::nullopt;
  double const bytes = std::ceil(std::ldexp(number, scale.empty() ? 0 : static_cast<int>(10 * (found / 2 + 1))));
  return bytes < 0x1p62 ? std::optional(static_cast<std::size_t>(bytes)) : std::nullopt;
}

std::size_t limit_of_heap() {
  std::size_t const most = own.network != nullptr ? own.network->heap_bytes() : detail::shmem_job::heap_offset(own.pes);
  std::string given;
  for (char const* name : {"SHMEM_SYMMETRIC_SIZE", "SMA_SYMMETRIC_SIZE"})
    if (char const* const value = std::getenv(name); value != nullptr && given.empty()) given = value;
  if (given.empty()) return most;
  auto const size = read_size(given);
  if (!size || *size == 0)
    fail("SHMEM_SYMMETRIC_SIZE is `" + given + "`", "a number of bytes, with K, M, G or T behind it");
  return std::min(most, (*size + 4095) / 4096 * 4096);
}

/// The system's, by /proc/meminfo; no limit if that cannot be read.
std::size_t free_memory() {
  std::ifstream lines("/proc/meminfo");
  std::string word;
  while (lines >> word) {
    std::size_t kibibytes = 0;
    if (word == "MemAvailable:" && lines >> kibibytes) return kibibytes * 1024;
  }
  return SIZE_MAX;
}

/// The answer must be the same at all PEs.
bool all_agree(bool mine) {
  group all(tess_shmem_team_world);
  std::memcpy(all.next_box(), &mine, sizeof mine);
  all.meet();
  seen const answers(all, sizeof mine);
  for (int pe = 0; pe < all.size(); ++pe) {
    bool theirs = false;
    std::memcpy(&theirs, answers.of(pe, all.box(pe)), sizeof theirs);
    mine = mine && theirs;
  }
  return mine;
}

/// One PE of a host asks the system for all.
bool has_room(std::size_t bytes) {
  return all_agree(own.pe != 0 || free_memory() / static_cast<std::size_t>(own.pes) >= bytes);
}

/// Between hosts each PE takes memory before others may write there.
bool extend(std::size_t at, std::size_t bytes) {
  if (own.network == nullptr) return true;
  return all_agree(own.network->extend_heap(at, bytes));
}

void* allocate(std::size_t size, std::size_t alignment) {
  if (size == 0) return nullptr;
  bool const is_large = size >= large;
  std::optional<std::size_t> at;
  bool const asks_system = is_large && own.network == nullptr;
  if (!asks_system || (size <= own.heap_bytes && has_room(size))) at = heap->allocate(size, alignment);
  if (!at) return nullptr;
  if (!extend(*at, size)) {
    [[maybe_unused]] bool const released = heap->release(*at);
    return nullptr;
  }
  std::byte* const object = own.heap + *at;
  take_memory(object, size);
  return object;
}

std::size_t offset_of(void* ptr) {
  auto const at = static_cast<std::byte*>(ptr) - own.heap;
  if (at < 0 || !heap->size_of(static_cast<std::size_t>(at)))
    fail("an address that no object has", "one that shmem_malloc returned, and that was not freed");
  return static_cast<std::size_t>(at);
}

}  // namespace

void* malloc(std::size_t size) {
  return align(0, size);
}

void* malloc_with_hints(std::size_t size, long /*hints*/) {
  return malloc(size);
}

void* calloc(std::size_t count, std::size_t size) {
  if (size != 0 && count > SIZE_MAX / size) return nullptr;
  void* const made = allocate(count * size, 0);
  if (made != nullptr) std::memset(made, 0, count * size);
  if (count * size != 0) barrier_all();
  return made;
}

void* align(std::size_t alignment, std::size_t size) {
  if (alignment != 0 && !std::has_single_bit(alignment)) return nullptr;
  void* const made = allocate(size, alignment);
  if (size != 0) barrier_all();
  return made;
}

void* realloc(void* ptr, std::size_t size) {
  if (ptr == nullptr) return malloc(size);
  if (size == 0) {
    free(ptr);
    return nullptr;
  }
  // Before the others are waited for: who calls with a wrong address may be alone.
  std::size_t const at = offset_of(ptr);
  std::size_t const had = *heap->size_of(at);
  barrier_all();
  void* made = ptr;
  if (heap->resize(at, size)) {
    if (!extend(at, size)) {
      [[maybe_unused]] bool const shortened = heap->resize(at, had);
      made = nullptr;
    }
  } else {
    made = allocate(size, 0);
    if (made != nullptr) {
      std::memcpy(made, ptr, std::min(had, size));
      [[maybe_unused]] bool const released = heap->release(at);
    }
  }
  barrier_all();
  return made;
}

void free(void* ptr) {
  if (ptr == nullptr) return;
  std::size_t const at = offset_of(ptr);
  std::size_t const had = *heap->size_of(at);
  barrier_all();
  [[maybe_unused]] bool const released = heap->release(at);
  give_back_memory(static_cast<std::byte*>(ptr), had);
}

void open_heap() {
  own.heap_bytes = limit_of_heap();
  heap.emplace(own.heap, own.heap_bytes);
  if (std::size_t const border = heap_border()) heap->divide(border);
}

void close_heap() {
  heap.reset();
  // What a later init finds is zero, as at first.
  give_back_memory(own.heap, own.heap_bytes);
}

}  // namespace tess::shmem
