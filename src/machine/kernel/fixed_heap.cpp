// fixed_heap: free lists by size behind a page of its own state, and mappings that grow.
#include "machine/kernel/fixed_heap.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <new>
#include <utility>

#include "machine/kernel/assert.hpp"

namespace tess::machine {
namespace {

constexpr std::uint64_t step_bytes = 16;
constexpr std::uint64_t mapped_step_bytes = std::uint64_t{64} << 20U;
constexpr std::size_t small_classes = 64;   // of 16 bytes each
constexpr std::size_t middle_classes = 24;  // four for each power of two, up to 64 KiB

struct free_block {
  free_block* next;
};
// In front of a block.
struct block_head {
  std::uint64_t bytes;    // of the block, without the head
  std::uint64_t skipped;  // from its beginning to what was given out, for an alignment
};
static_assert(sizeof(block_head) == step_bytes);

struct free_pages {
  std::uint64_t bytes;
  std::uint64_t first;  // 0: an empty entry
};

// In the heap's first page.
struct heap_state {
  std::uint64_t end;         // the first address that was never used
  std::uint64_t mapped_end;  // up to here there is memory
  void* root;
  std::array<free_block*, small_classes + middle_classes> blocks;
  // Freed pages, for the next block of the same size; when the table is full, only their addresses are lost.
  std::array<free_pages, 64> pages;
};
static_assert(sizeof(heap_state) <= fixed_heap::page_bytes);

heap_state& state() noexcept {
  return *reinterpret_cast<heap_state*>(fixed_heap::base);
}

std::uint64_t page_up(std::uint64_t bytes) noexcept {
  return (bytes + fixed_heap::page_bytes - 1) & ~(fixed_heap::page_bytes - 1);
}

std::uint64_t mapped_up(std::uint64_t address) noexcept {
  return (address + mapped_step_bytes - 1) / mapped_step_bytes * mapped_step_bytes;
}

bool is_mapped = false;

// Throws if the addresses are taken.
void map(std::uint64_t from, std::uint64_t to) {
  void* const wanted = reinterpret_cast<void*>(from);
  void* const mapped = ::mmap(wanted, to - from, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (mapped == wanted) return;
  if (mapped != MAP_FAILED) ::munmap(mapped, to - from);
  throw std::bad_alloc();
}

std::uint64_t grow(std::uint64_t bytes) {
  heap_state& of = state();
  if (bytes > of.mapped_end - of.end) {
    std::uint64_t const wanted = mapped_up(of.end + bytes);
    map(of.mapped_end, wanted);
    of.mapped_end = wanted;
  }
  return std::exchange(of.end, of.end + bytes);
}

// Sizes of a class: multiples of 16 up to 1 KiB, then four for each power of two. None: whole pages.
struct size_class {
  std::size_t number;
  std::uint64_t bytes;
};
constexpr std::uint64_t middle_max = std::uint64_t{64} << 10U;

size_class class_of(std::uint64_t bytes) noexcept {
  if (bytes <= small_classes * step_bytes) {
    std::uint64_t const steps = bytes == 0 ? 1 : (bytes + step_bytes - 1) / step_bytes;
    return {steps - 1, steps * step_bytes};
  }
  auto const power = static_cast<unsigned>(std::bit_width(bytes - 1)) - 1;  // bytes is in (2^power, 2^(power + 1)]
  std::uint64_t const quarter = std::uint64_t{1} << (power - 2);
  std::uint64_t const quarters = (bytes - (std::uint64_t{1} << power) + quarter - 1) / quarter;
  return {small_classes + (power - 10) * 4 + quarters - 1, (std::uint64_t{1} << power) + quarters * quarter};
}

}  // namespace

bool fixed_heap::active_ = false;

void fixed_heap::begin() {
  if (!is_mapped) {
    map(base, base + mapped_step_bytes);
    is_mapped = true;
    state().end = base + page_bytes;
    state().mapped_end = base + mapped_step_bytes;
  }
  active_ = true;
}

void* fixed_heap::take(std::size_t bytes) {
  if (bytes > middle_max) {
    // The head has a page of its own, so that what is given out begins at one.
    std::byte* const pages = take_pages(bytes + page_bytes) + page_bytes;
    reinterpret_cast<block_head*>(pages)[-1] = {page_up(bytes), 0};
    return pages;
  }
  auto const [number, size] = class_of(bytes);
  free_block*& list = state().blocks[number];
  if (list != nullptr) {
    free_block* const taken = list;
    list = taken->next;
    return taken;
  }
  auto* const head = reinterpret_cast<block_head*>(grow(size + sizeof(block_head)));
  *head = {size, 0};
  return head + 1;
}

void* fixed_heap::take(std::size_t bytes, std::size_t alignment) {
  if (alignment <= step_bytes) return take(bytes);
  auto const whole = reinterpret_cast<std::uintptr_t>(take(bytes + alignment));
  std::uintptr_t const aligned = (whole + alignment - 1) / alignment * alignment;
  if (aligned == whole) return reinterpret_cast<void*>(whole);
  auto* const head = reinterpret_cast<block_head*>(aligned) - 1;
  *head = {0, aligned - whole};
  return head + 1;
}

void fixed_heap::give(void* block) noexcept {
  block_head const* head = static_cast<block_head*>(block) - 1;
  if (head->bytes == 0) {
    block = static_cast<std::byte*>(block) - head->skipped;
    head = static_cast<block_head*>(block) - 1;
  }
  if (head->bytes > middle_max)
    return give_pages(static_cast<std::byte*>(block) - page_bytes, head->bytes + page_bytes);
  free_block*& list = state().blocks[class_of(head->bytes).number];
  list = ::new (block) free_block{list};
}
std::byte* fixed_heap::take_pages(std::uint64_t bytes) {
  bytes = page_up(bytes);
  auto const freed = std::ranges::find(state().pages, bytes, &free_pages::bytes);
  if (freed != state().pages.end()) {
    freed->bytes = 0;
    return reinterpret_cast<std::byte*>(std::exchange(freed->first, 0));
  }
  if (std::uint64_t const ragged = page_up(state().end) - state().end; ragged != 0) grow(ragged);
  return reinterpret_cast<std::byte*>(grow(bytes));
}

void fixed_heap::give_pages(void* pages, std::uint64_t bytes) noexcept {
  bytes = page_up(bytes);
  // They read as zeros again.
  ::madvise(pages, bytes, MADV_DONTNEED);
  auto const empty = std::ranges::find(state().pages, 0, &free_pages::first);
  if (empty != state().pages.end()) *empty = {bytes, reinterpret_cast<std::uint64_t>(pages)};
}

void fixed_heap::set_root(void* root) noexcept {
  state().root = root;
}

void* fixed_heap::root() noexcept {
  return state().root;
}

std::span<std::byte> fixed_heap::bytes() noexcept {
  return {reinterpret_cast<std::byte*>(base), page_up(state().end - base)};
}

std::span<std::byte> fixed_heap::reserve(std::uint64_t bytes) {
  MACHINE_ASSERT(!is_mapped && bytes >= page_bytes);
  if (bytes > size_max) throw std::bad_alloc();
  map(base, mapped_up(base + bytes));
  is_mapped = true;
  return {reinterpret_cast<std::byte*>(base), bytes};
}

void fixed_heap::adopt(std::span<std::byte const> bytes) {
  // The other process may have had more memory behind the last block; and what it took to write the bytes is counted in
  // its state, but not among them.
  std::uint64_t const mapped_end = mapped_up(base + bytes.size());
  std::uint64_t const wanted = mapped_up(state().end);
  if (wanted > mapped_end) map(mapped_end, wanted);
  state().mapped_end = std::max(wanted, mapped_end);
  active_ = true;
}

}  // namespace tess::machine
