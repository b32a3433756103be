// nursery: blocks are those of the segment's heap.
#include "runtime/memory/nursery.hpp"

#include <new>

#include "tess/memory.hpp"

namespace tess::detail {

void* nursery::allocate(std::uint64_t bytes) {
  std::uint64_t const all = front_bytes + (bytes + 15) / 16 * 16;
  if (current_ == nullptr || used_ + all > block_bytes) {
    if (current_ != nullptr) drop(current_);
    current_ = nullptr;
    current_ = ::new (to_local(segment_allocate(block_bytes))) block;
    used_ = sizeof(block);
  }
  current_->holders.fetch_add(1, std::memory_order_relaxed);
  std::byte* const made = reinterpret_cast<std::byte*>(current_) + used_;
  used_ += all;
  *reinterpret_cast<block**>(made) = current_;
  return made + front_bytes;
}

void nursery::release(void* chunk) noexcept {
  drop(*reinterpret_cast<block**>(static_cast<std::byte*>(chunk) - front_bytes));
}

void nursery::drop(block* b) noexcept {
  // acq_rel: whoever gives the block back comes after all that was done in it.
  if (b->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) segment_release(to_global(b));
}

}  // namespace tess::detail
