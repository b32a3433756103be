// shadow: the cells, and the comparison of an access with those before it.
#include "runtime/races/shadow.hpp"

#include <link.h>
#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>

#include "tess/detail/platform.hpp"

namespace tess::detail::races {

namespace {

struct alignas(128) cell {
  static constexpr unsigned accesses = 5;
  /// The granule, shifted by one; bit 0: locked. 0: none.
  std::atomic<std::uint64_t> granule{0};
  // Another thread may look at them without the lock.
  struct shared_access {
    std::atomic<std::uint64_t> when{0}, where{0}, callers{0};
  };
  std::array<shared_access, accesses> known{};

  [[nodiscard]] access at(unsigned i) const noexcept {
    return {known[i].when.load(std::memory_order_relaxed), known[i].where.load(std::memory_order_relaxed),
            known[i].callers.load(std::memory_order_relaxed)};
  }
  void set(unsigned i, access const& a) noexcept {
    known[i].when.store(a.when, std::memory_order_relaxed);
    known[i].where.store(a.where, std::memory_order_relaxed);
    known[i].callers.store(a.callers, std::memory_order_relaxed);
  }
  void clear() noexcept {
    for (unsigned i = 0; i < accesses; ++i) set(i, {});
  }
};
static_assert(sizeof(cell) == 128);

constexpr unsigned cell_bits = 19;
constexpr std::size_t cells = std::size_t{1} << cell_bits;
constinit zeros<cell, cells> table{};

cell& cell_of(std::uint64_t granule) noexcept {
  // Neighbours stay neighbours; places, which lie far apart, do not fall on each other.
  return table[(granule ^ granule >> cell_bits ^ granule >> 31) % cells];
}

void lock(cell& c, std::uint64_t& seen) noexcept {
  for (;;) {
    seen = c.granule.load(std::memory_order_relaxed);
    if ((seen & 1) == 0 && c.granule.compare_exchange_weak(seen, seen | 1, std::memory_order_acquire)) return;
    spin_pause();
  }
}

/// `a` says all that `b` says, and of the same time.
bool covers(access const& a, access const& b) noexcept {
  constexpr std::uint64_t time = (std::uint64_t{1} << 40) - 1;
  if (((a.when ^ b.when) & time) != 0 || (b.bytes() & ~a.bytes()) != 0) return false;
  return (a.flags() & 3) == (b.flags() & 3) || (a.flags() & 3) == writes;
}

bool is_ordered(access const& before, strand const& s) noexcept {
  return s.known.of[before.slot()] >= before.clock();
}

bool conflict(access const& a, access const& b) noexcept {
  return (a.bytes() & b.bytes()) != 0 && ((a.flags() | b.flags()) & writes) != 0 &&
         (a.flags() & b.flags() & is_word) == 0;
}

/// After `now`, `before` says nothing that matters: whoever is ordered after `now` is ordered after it.
bool replaces(access const& now, access const& before) noexcept {
  return (before.bytes() & ~now.bytes()) == 0 && ((now.flags() & writes) != 0 || (before.flags() & writes) == 0) &&
         ((now.flags() & is_word) == 0 || (before.flags() & is_word) != 0);
}

void compare(strand& s, std::uint64_t granule, access const& now) noexcept {
  cell& c = cell_of(granule);
  if (c.granule.load(std::memory_order_acquire) == granule << 1)
    for (unsigned i = 0; i < cell::accesses; ++i)
      if (covers(c.at(i), now)) return;
  std::uint64_t seen;
  lock(c, seen);
  if (seen != granule << 1) c.clear();
  access unordered;
  unsigned chosen = cell::accesses;
  for (unsigned i = 0; i < cell::accesses; ++i) {
    access const before = c.at(i);
    if (before.when == 0) {
      if (chosen == cell::accesses) chosen = i;
      continue;
    }
    bool const ordered = is_ordered(before, s);
    if (!ordered && conflict(now, before)) unordered = before;
    if (!ordered || !replaces(now, before)) continue;
    // The first one that is replaced becomes this one; the others have nothing to say any more.
    if (chosen == cell::accesses || c.at(chosen).when == 0)
      chosen = i;
    else
      c.set(i, {});
  }
  c.set(chosen != cell::accesses ? chosen : now.clock() % cell::accesses, now);
  c.granule.store(granule << 1, std::memory_order_release);
  if (unordered.when != 0) [[unlikely]]
    found(granule, now, unordered);
}

// ── memory of threads ───────────────────────────────────────────────────────────────────────────────────────────────

struct range {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  [[nodiscard]] bool contains(std::uint64_t address) const noexcept { return address - begin < bytes; }
};

/// The main thread's thread-local memory does not lie on its stack.
range thread_local_memory() noexcept {
  std::size_t bytes = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* sum) {
        for (unsigned i = 0; i < object->dlpi_phnum; ++i)
          if (object->dlpi_phdr[i].p_type == PT_TLS)
            *static_cast<std::size_t*>(sum) += object->dlpi_phdr[i].p_memsz + object->dlpi_phdr[i].p_align;
        return 0;
      },
      &bytes);
  auto const pointer = reinterpret_cast<std::uint64_t>(__builtin_thread_pointer());
  return {pointer - bytes, bytes + 4096};
}

struct thread_memory {
  range stack, local;
};
constinit thread_local thread_memory mine{};
constinit std::array<thread_memory, 4096> threads{};
constinit std::atomic<std::uint32_t> threads_count{0};

[[gnu::cold, gnu::noinline]] void look_at_thread() noexcept {
  pthread_attr_t attributes;
  void* begin = nullptr;
  std::size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &begin, &bytes);
    pthread_attr_destroy(&attributes);
  }
  mine = {{reinterpret_cast<std::uint64_t>(begin), std::max<std::uint64_t>(bytes, 1)}, thread_local_memory()};
  threads[threads_count.fetch_add(1, std::memory_order_relaxed) % threads.size()] = mine;
}

}  // namespace

bool is_on_stack(std::uint64_t address) noexcept {
  std::uint32_t const count = std::min<std::uint32_t>(threads_count.load(std::memory_order_relaxed), threads.size());
  return std::any_of(threads.begin(), threads.begin() + count,
                     [&](thread_memory const& t) { return t.stack.contains(address) || t.local.contains(address); });
}

namespace {

extern "C" char const __executable_start;  // NOLINT: the linker's name

/// A distance from the start of the program; 0: code of a shared object, which is not the program's.
std::uint64_t pack(std::uint64_t return_address) noexcept {
  std::uint64_t const distance = return_address - reinterpret_cast<std::uint64_t>(&__executable_start);
  return distance >> 32 == 0 ? distance : 0;
}

/// True if there is something to note.
bool is_shared(strand const* s, std::uint64_t address, std::size_t bytes) noexcept {
  if (s == nullptr || bytes == 0) return false;
  if (mine.stack.bytes == 0) [[unlikely]]
    look_at_thread();
  return !mine.stack.contains(address) && !mine.local.contains(address);
}

void note_range(strand& s, std::uint64_t address, std::size_t bytes, access a) noexcept {
  epoch const e = epoch_of(s);
  a.when |= e.clock | std::uint64_t{e.slot} << 32;
  a.where |= std::uint64_t{s.origin} << 48;
  std::uint64_t const end = address + bytes;
  for (std::uint64_t granule = address / 8; granule * 8 < end; ++granule) {
    unsigned mask = 0xff;
    if (granule * 8 < address) mask &= 0xffU << (address % 8);
    if (end - granule * 8 < 8) mask &= 0xffU >> (8 - (end - granule * 8));
    compare(s, granule, {a.when | std::uint64_t{mask & 0xff} << 40, a.where, a.callers});
  }
}

}  // namespace

std::array<std::uint64_t, 2> unpack(std::uint64_t callers) noexcept {
  auto const start = reinterpret_cast<std::uint64_t>(&__executable_start);
  std::uint64_t const inner = callers & 0xffffffff;
  std::uint64_t const outer = callers >> 32;
  return {inner == 0 ? 0 : start + inner, outer == 0 ? 0 : start + outer};
}

void note(void const* begin, std::size_t bytes, unsigned flags, frame const& called) noexcept {
  strand* const s = current();
  auto const address = reinterpret_cast<std::uint64_t>(begin);
  if (!is_shared(s, address, bytes)) return;
  // The caller's own frame is linked; what called that may be code without frames, which leaves any value.
  frame const& caller = *called.outer;
  auto const beyond = reinterpret_cast<std::uint64_t>(caller.outer);
  std::uint64_t callers = pack(caller.return_address);
  if (caller.outer > &caller && beyond % 8 == 0 && mine.stack.contains(beyond + sizeof(frame)))
    callers |= pack(caller.outer->return_address) << 32;
  note_range(*s, address, bytes, {std::uint64_t{flags} << 48, called.return_address, callers});
}

void note(void const* begin, std::size_t bytes, unsigned flags, std::source_location at) noexcept {
  strand* const s = current();
  auto const address = reinterpret_cast<std::uint64_t>(begin);
  if (is_shared(s, address, bytes))
    note_range(*s, address, bytes, {std::uint64_t{flags | has_location} << 48, std::bit_cast<std::uint64_t>(at), 0});
}

void forget(void const* begin, std::size_t bytes) noexcept {
  if (begin == nullptr) return;
  if (bytes >= cells * 8) {
    forget_all();
    return;
  }
  auto const address = reinterpret_cast<std::uint64_t>(begin);
  for (std::uint64_t granule = address / 8; granule * 8 < address + bytes; ++granule) {
    cell& c = cell_of(granule);
    if (c.granule.load(std::memory_order_relaxed) >> 1 != granule) continue;
    std::uint64_t seen;
    lock(c, seen);
    c.granule.store(seen == granule << 1 ? 0 : seen, std::memory_order_release);
  }
}

void forget_all() noexcept {
  static_cast<void>(madvise(table.memory, sizeof table, MADV_HUGEPAGE));
  for (cell& c : table) {
    if (c.granule.load(std::memory_order_relaxed) == 0) continue;
    std::uint64_t seen;
    lock(c, seen);
    c.granule.store(0, std::memory_order_release);
  }
}

void begin_word(void const* word, std::size_t bytes, bool writing, bool orders, std::source_location at) noexcept {
  note(word, bytes, is_word | (writing ? writes : 0), at);
  if (orders) release(word);
}

void block(void const* begin, std::size_t bytes, bool writing, std::source_location at) noexcept {
  note(begin, bytes, writing ? writes : 0, at);
}

void* fresh(void* begin, std::size_t bytes) noexcept {
  forget(begin, bytes);
  return begin;
}

}  // namespace tess::detail::races
