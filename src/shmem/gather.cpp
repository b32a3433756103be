// gather: a length and the bytes, at the begin of each heap.
#include "shmem/gather.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "shmem/call.hpp"
#include "shmem/job.hpp"
#include "shmem/network.hpp"

namespace tess::shmem {

namespace {

void read_heap(int pe, std::size_t at, void* into, std::size_t bytes) {
  if (std::byte const* const heap = heap_of(pe)) {
    std::memcpy(into, heap + at, bytes);
    return;
  }
  network& all = *own.network;
  all.get(all.given(), all.in_heap(pe, at), into, bytes);
}

}  // namespace

void gather(std::string_view mine, std::function<void(std::size_t pe, std::string_view bytes)> const& take) {
  mine = mine.substr(0, gathered_max);
  std::size_t const size = mine.size();
  if (own.network != nullptr && !own.network->extend_heap(0, sizeof size + size))
    fail("there is no memory for what is reported at the end", "more memory");
  std::byte* const heap = heap_of(own.pe);
  std::memcpy(heap, &size, sizeof size);
  std::memcpy(heap + sizeof size, mine.data(), size);
  meet();
  for (int pe = 0; own.pe == 0 && pe < own.pes; ++pe) {
    std::size_t theirs = 0;
    read_heap(pe, 0, &theirs, sizeof theirs);
    std::string bytes(std::min(theirs, gathered_max), ' ');
    read_heap(pe, sizeof theirs, bytes.data(), bytes.size());
    take(static_cast<std::size_t>(pe), bytes);
  }
  // Nobody gives its heap away before.
  meet();
}

}  // namespace tess::shmem
