// mapped_regions: mmap of what the server lent.
#include "rmem/client/mapped_regions.hpp"

#include <sys/mman.h>

#include <cstring>
#include <mutex>
#include <utility>

#include "rmem/wire/message.hpp"

namespace tess::rmem {

namespace {
constexpr std::uint64_t host_page_bytes = 4096;
std::uint64_t mapped_size(region const& r) {
  return (r.size + host_page_bytes - 1) / host_page_bytes * host_page_bytes;
}
}  // namespace

mapped_regions::mapping::~mapping() {
  if (bytes != nullptr) munmap(bytes, mapped_size(what));
  if (epoch != nullptr) munmap(epoch, wire::lease_epoch_bytes);
}

mapped_regions::entry const* mapped_regions::at(address a) const {
  auto const after = entries_.upper_bound(a);
  if (after == entries_.begin()) return nullptr;
  auto const& [base, e] = *std::prev(after);
  return a - base < e.size ? &e : nullptr;
}

mapped_regions::outcome mapped_regions::move(bool reads, address a, std::byte* memory, std::size_t bytes) {
  std::shared_ptr<mapping> m;
  {
    std::shared_lock const lock(mutex_);
    entry const* const e = at(a);
    if (e == nullptr || !e->mapped || (!reads && !e->mapped->writes)) return outcome::no_lease;
    m = e->mapped;
  }
  std::uint64_t const offset = a - m->what.base;
  // The server refuses transfers that leave the region, with a better message.
  if (bytes > m->what.size - offset) return outcome::no_lease;
  if (reads)
    std::memcpy(memory, m->bytes + offset, bytes);
  else
    std::memcpy(m->bytes + offset, memory, bytes);
  // Pairs with leased_memory::end(): either the server sees our bytes, or we see the end.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (std::atomic_ref(*m->epoch).load(std::memory_order_seq_cst) == wire::lease_valid) return outcome::moved;
  drop(a);
  return outcome::ended;
}

bool mapped_regions::add(region const& what, bool writes, descriptor memory, descriptor epoch) {
  auto m = std::make_shared<mapping>();
  m->what = what;
  m->writes = writes;
  int const protection = writes ? PROT_READ | PROT_WRITE : PROT_READ;
  void* const bytes = mmap(nullptr, mapped_size(what), protection, MAP_SHARED, memory.number(), 0);
  if (bytes != MAP_FAILED) m->bytes = static_cast<std::byte*>(bytes);
  void* const word = mmap(nullptr, wire::lease_epoch_bytes, PROT_READ, MAP_SHARED, epoch.number(), 0);
  if (word != MAP_FAILED) m->epoch = static_cast<std::uint64_t*>(word);
  if (m->bytes == nullptr || m->epoch == nullptr) {
    refuse(what, writes);
    return false;
  }
  std::lock_guard const lock(mutex_);
  entry& e = entries_[what.base];
  e.size = what.size;
  e.mapped = std::move(m);
  e.read_requested = true;
  e.write_requested = e.write_requested || writes;
  return true;
}

void mapped_regions::refuse(region const& what, bool writes) {
  std::lock_guard const lock(mutex_);
  entry& e = entries_[what.base];
  e.size = what.size;
  (writes ? e.write_requested : e.read_requested) = true;
}

bool mapped_regions::was_requested(address a, bool writes) const {
  std::shared_lock const lock(mutex_);
  entry const* const e = at(a);
  return e != nullptr && (writes ? e->write_requested : e->read_requested);
}

bool mapped_regions::has(address a, bool writes) const {
  std::shared_lock const lock(mutex_);
  entry const* const e = at(a);
  return e != nullptr && e->mapped && (!writes || e->mapped->writes);
}

void mapped_regions::drop(address a) {
  std::lock_guard const lock(mutex_);
  if (at(a) != nullptr) entries_.erase(std::prev(entries_.upper_bound(a)));
}

void mapped_regions::drop_all() {
  std::lock_guard const lock(mutex_);
  entries_.clear();
}

}  // namespace tess::rmem
