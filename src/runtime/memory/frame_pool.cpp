// frame_pool: allocates slabs and large blocks, and returns blocks that another worker freed.
#include "tess/detail/tasks/frame_pool.hpp"

#include "runtime/job/job.hpp"
#include "tess/memory.hpp"

namespace tess::detail {

namespace {
void* segment_memory(std::size_t bytes) {
  return to_local(segment_allocate(bytes));
}

/// The bytes behind a block's header begin a cache line, so that a frame that suspends touches few lines.
std::byte* first_block(void* slab) noexcept {
  constexpr std::size_t header = 16;
  auto const address = reinterpret_cast<std::uintptr_t>(slab) + header;
  return static_cast<std::byte*>(slab) + ((0 - address) & (cache_line - 1));
}
}  // namespace

void* frame_pool::refill(std::size_t size_class, kind k) {
  if (size_class >= classes) return allocate_large(size_class, k);
  if (collect_returned())
    if (block* const b = lists_[size_class]) {
      lists_[size_class] = b->next;
      b->state = k;
      return &b->next;
    }
  std::size_t& open = open_slab_[size_class];
  if (open == 0 || slabs_[open - 1].used == slabs_[open - 1].capacity) {
    std::size_t const block_bytes = size_class * granule;
    // Room in the list first: if there is none, nothing is lost.
    slabs_.push_back({nullptr, block_bytes, 0, 0});
    try {
      slabs_.back().base = first_block(segment_memory(slab_bytes));
    } catch (...) {
      slabs_.pop_back();
      throw;
    }
    slabs_.back().capacity = (slab_bytes - cache_line) / block_bytes;
    reserved_bytes_ += slab_bytes;
    open = slabs_.size();
  }
  slab& s = slabs_[open - 1];
  auto* const b = reinterpret_cast<block*>(s.base + s.used++ * s.block_bytes);
  b->owner = this;
  b->size_class = static_cast<std::uint32_t>(size_class);
  b->state = k;
  return &b->next;
}

void* frame_pool::allocate_large(std::size_t size_class, kind k) {
  collect_returned();
  auto* const link = static_cast<large_link*>(segment_memory(sizeof(large_link) + size_class * granule));
  *link = {large_.next, &large_};
  link->next->previous = link;
  large_.next = link;
  block* const b = large_block(link);
  b->owner = this;
  b->size_class = static_cast<std::uint32_t>(size_class);
  b->state = k;
  return &b->next;
}

void frame_pool::free_large(block* b) noexcept {
  large_link* const link = reinterpret_cast<large_link*>(b) - 1;
  link->next->previous = link->previous;
  link->previous->next = link->next;
  segment_release(to_global(link));
}

bool frame_pool::collect_returned() noexcept {
  if (returned_.load(std::memory_order_relaxed) == nullptr) return false;
  // acquire: the other worker is done with the blocks.
  for (block* b = returned_.exchange(nullptr, std::memory_order_acquire); b != nullptr;) {
    block* const next = b->next;
    if (b->size_class >= classes) {
      free_large(b);
    } else {
      b->next = lists_[b->size_class];
      lists_[b->size_class] = b;
    }
    b = next;
  }
  return true;
}

void frame_pool::release_elsewhere(block* b) noexcept {
  if (b->owner == nullptr) return;
  if (b->owner == this) {
    free_large(b);
    return;
  }
  batch& out = outgoing_[b->owner->worker_ % batches];
  if (out.owner != b->owner) send(out);
  out.owner = b->owner;
  b->next = out.first;
  out.first = b;
  if (out.last == nullptr) out.last = b;
  if (++out.count == batch_size) send(out);
}

void frame_pool::send(batch& out) noexcept {
  if (out.first != nullptr) out.owner->receive(out.first, out.last);
  out = {};
}

void frame_pool::receive(block* first, block* last) noexcept {
  last->next = returned_.load(std::memory_order_relaxed);
  // release: pairs with the acquire of collect_returned.
  while (!returned_.compare_exchange_weak(last->next, first, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

void frame_pool::flush_returns() noexcept {
  for (batch& out : outgoing_)
    if (out.first != nullptr) send(out);
}

}  // namespace tess::detail
