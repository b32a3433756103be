// allocate: allocation in segments: local memory from the place's own heap, symmetric memory from the heap at place 0.
#include <algorithm>
#include <cstring>

#include "runtime/job/job.hpp"
#include "runtime/memory/allocation_map.hpp"
#include "tess/assert.hpp"
#include "tess/forall.hpp"
#include "tess/memory.hpp"

namespace tess {

out_of_memory::out_of_memory(place_id place, std::uint64_t asked_bytes, std::uint64_t range_left_bytes)
    : text_("segment of place " + std::to_string(place) + ": asked for " + std::to_string(asked_bytes) +
            " bytes; its address range has " + std::to_string(range_left_bytes) + " left") {
  detail::memory_room const room = detail::the_job->fabric->room(place);
  text_ += ", and " + std::to_string(room.left_bytes) + " of " + std::to_string(room.limit_bytes) + " are left of " +
           room.limit;
}

namespace detail {

namespace {

/// Gives back what was released long ago, until at most `bytes` are kept.
void forget_released(heap& from, released_blocks& kept, std::uint64_t bytes) {
  while (kept.bytes > bytes) {
    kept.bytes -= from.bytes_of(kept.offsets.front());
    kept.known.erase(kept.offsets.front());
    TESS_ASSERT(from.release(kept.offsets.front()));
    kept.offsets.pop_front();
  }
}

/// The collection of a collected heap. What is alive is known, so nothing is traced.
void collect(place_heaps& p) {
  for (std::uint64_t const offset : p.own_dead) TESS_ASSERT(p.own->release(offset));
  p.own_dead.clear();
}

std::uint64_t allocate_block(heap& from, released_blocks& kept, std::uint64_t bytes) {
  if (allocation_fails()) return 0;
  std::uint64_t offset = from.allocate(bytes);
  if (offset == 0 && kept.bytes != 0) {
    forget_released(from, kept, 0);
    offset = from.allocate(bytes);
  }
  return offset;
}

/// False: `offset` is no block, or was released before.
bool release_block(heap& from, released_blocks& kept, std::uint64_t offset) {
  if (the_job->allocations == nullptr) return from.release(offset);
  std::uint64_t const bytes = from.bytes_of(offset);
  if (bytes == 0 || !kept.known.insert(offset).second) return false;
  kept.offsets.push_back(offset);
  kept.bytes += bytes;
  forget_released(from, kept, released_blocks::bytes_max);
  return true;
}

}  // namespace

std::uint64_t segment_allocate(std::size_t bytes) {
  place_state& p = this_place();
  std::lock_guard const lock(p.heaps.mutex);
  std::uint64_t offset = allocate_block(*p.heaps.own, p.heaps.own_released, bytes);
  if (offset == 0 && !p.heaps.own_dead.empty()) {
    collect(p.heaps);
    offset = allocate_block(*p.heaps.own, p.heaps.own_released, bytes);
  }
  if (offset == 0) throw out_of_memory(p.id, bytes, p.heaps.own->left_bytes());
  if (the_job->allocations != nullptr) the_job->allocations->add(p.id, offset, bytes);
  races::fresh(p.memory.base + offset, bytes);
  return global_ptr<std::byte>(p.id, offset).bits();
}

void segment_release(std::uint64_t address) {
  auto const g = global_ptr<std::byte>::from_bits(address);
  place_state& p = this_place();
  if (g.place() != p.id)
    throw error("deallocate",
                "memory of place " + std::to_string(g.place()) + " given back at place " + std::to_string(p.id),
                "a call at its own place: at(p.place(), …)");
  std::lock_guard const lock(p.heaps.mutex);
  if (the_job->options.collected_heap && the_job->allocations == nullptr) {
    p.heaps.own_dead.push_back(g.offset());
    return;
  }
  std::uint64_t const bytes = p.heaps.own->bytes_of(g.offset());
  if (!release_block(*p.heaps.own, p.heaps.own_released, g.offset()))
    throw error("deallocate",
                "offset " + std::to_string(g.offset()) + " of place " + std::to_string(p.id) + " is not allocated",
                "what allocate() returned, once");
  if (the_job->allocations != nullptr) the_job->allocations->remove(p.id, g.offset(), bytes);
}

void throw_not_local(std::uint64_t address) {
  throw error(
      "global_ptr::local",
      "memory of place " + std::to_string(detail::place_of(address)) + " seen from place " + std::to_string(here()),
      "get, put or at(p.place(), …)");
}

std::uint64_t to_global(void const* address) {
  place_state const& p = this_place();
  auto const offset = static_cast<std::uint64_t>(static_cast<std::byte const*>(address) - p.memory.base);
  if (offset >= p.memory.bytes) [[unlikely]]
    throw error("to_global", "the address is outside the segment of place " + std::to_string(p.id),
                "memory from allocate(), a place_local or a task's frame");
  return global_ptr<std::byte>(p.id, offset).bits();
}

std::size_t checked_bytes(std::uint64_t count, std::size_t size) {
  std::size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > detail::offset_mask)
    throw error("allocate", std::to_string(count) + " elements of " + std::to_string(size) + " bytes",
                "less than 2^48 bytes in all");
  return bytes;
}

std::size_t checked_share(std::uint64_t share, std::size_t size, std::uint64_t count, char const* what,
                          std::source_location at) {
  std::size_t bytes;
  if (__builtin_mul_overflow(share, size, &bytes) || bytes > detail::offset_mask)
    throw error(to_text(at),
                std::string(what) + " of " + std::to_string(count) + " elements, " + std::to_string(share) + " of " +
                    std::to_string(size) + " bytes at each place",
                "less than 2^48 bytes at each place");
  return bytes;
}

namespace {

/// Makes [offset, offset + bytes) usable and zero at this place.
constexpr auto open_symmetric = [](std::uint64_t offset, std::uint64_t bytes) {
  place_state& p = this_place();
  std::lock_guard const lock(p.heaps.mutex);
  if (allocation_fails() || !the_job->fabric->extend_segment(p.id, offset, bytes))
    throw out_of_memory(p.id, bytes, p.memory.bytes / 2 - offset);
  // Memory that was never used is zero already and stays untouched.
  if (offset < p.heaps.symmetric_used)
    std::memset(p.memory.base + offset, 0, std::min(bytes, p.heaps.symmetric_used - offset));
  races::fresh(p.memory.base + offset, bytes);
  p.heaps.symmetric_used = std::max(p.heaps.symmetric_used, offset + bytes);
  if (the_job->allocations != nullptr) the_job->allocations->add(p.id, offset, bytes);
};

constexpr auto reserve_symmetric = [](std::uint64_t bytes) {
  place_state& p = this_place();
  std::lock_guard const lock(p.heaps.mutex);
  std::uint64_t const offset = allocate_block(*p.heaps.symmetric, p.heaps.symmetric_released, bytes);
  if (offset == 0) throw out_of_memory(p.id, bytes, p.heaps.symmetric->left_bytes());
  return offset;
};

/// What is smaller is committed before anybody could be asked.
constexpr std::uint64_t large_bytes = std::uint64_t{64} << 20;

constexpr auto refuse_without_room = [](std::uint64_t bytes) {
  memory_room const room = the_job->fabric->room(here());
  if (bytes > room.each_bytes)
    throw out_of_memory("place " + std::to_string(here()) + ": asked for " + std::to_string(bytes) +
                        " bytes at each place; " + std::to_string(room.each_bytes) + " are left for each, of " +
                        room.limit);
};

}  // namespace

template <>
inline constexpr bool is_of_runtime<decltype(refuse_without_room)> = true;

task<std::uint64_t> symmetric_allocate(std::size_t bytes) {
  co_await check_room(bytes);
  std::uint64_t const offset = co_await at(0, reserve_symmetric, std::uint64_t{bytes});
  std::exception_ptr failed;
  try {
    co_await on_all_places(open_symmetric, offset, std::uint64_t{bytes});
  } catch (...) {
    failed = std::current_exception();
  }
  if (failed) {
    co_await symmetric_release(offset);
    std::rethrow_exception(failed);
  }
  co_return offset;
}

task<void> symmetric_release(std::uint64_t offset) {
  if (offset == 0) co_return;
  bool const known = co_await at(
      0,
      [](std::uint64_t o) {
        place_state& p = this_place();
        std::lock_guard const lock(p.heaps.mutex);
        // All places are in this process if accesses are verified. A block that is free may be used again at once.
        if (the_job->allocations != nullptr)
          for (unsigned q = 0; q < places(); ++q)
            the_job->allocations->remove(static_cast<place_id>(q), o, p.heaps.symmetric->bytes_of(o));
        return release_block(*p.heaps.symmetric, p.heaps.symmetric_released, o);
      },
      offset);
  if (!known) throw error("release", "offset " + std::to_string(offset) + " is not allocated", "one release per make");
}

}  // namespace detail

task<void> check_room(std::size_t bytes_of_each_place) {
  if (bytes_of_each_place >= detail::large_bytes)
    co_await on_all_places(detail::refuse_without_room, std::uint64_t{bytes_of_each_place});
}

}  // namespace tess
