// rmem_cache: the options and counters of the page cache of an rmem::array.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tess::rmem {

/// Which page is replaced first.
enum class replacement : std::uint8_t { fifo, lru, clock };
/// back: a changed page is written when it is replaced, or by flush(). through: before the write to it completes.
enum class write_policy : std::uint8_t { back, through };

/// The options of a page cache.
struct cache_options {
  static constexpr unsigned automatic = ~0U;
  std::size_t bytes = 0;       ///< of local memory; 0: the size of the region, at most a quarter of the free memory
  std::size_t page_bytes = 0;  ///< 0: 128 KiB; less if the cache would have fewer than 16 pages
  replacement replaces = replacement::clock;
  write_policy writes = write_policy::back;
  unsigned prefetch_pages = automatic;  ///< automatic: 1 MiB of pages, at most a quarter of the cache; 0: none
};

/// What a page cache has done so far.
struct cache_counts {
  std::uint64_t pins = 0;
  std::uint64_t misses = 0;      ///< pages read because a task waited for them
  std::uint64_t prefetched = 0;  ///< pages read before they were needed
  std::uint64_t written = 0;     ///< pages written back
};

}  // namespace tess::rmem
