// frame_pool: coroutine frames and slots from per-worker free lists; the memory is from the place's segment.
//
//   A block returns to the list of the worker that allocated it: at once if that worker frees it, otherwise in
//   batches through the owner's return stack, so that one spawner and one thief reach a steady state. Blocks have a
//   header with their owner and whether they are live, so the stall report can walk all frames although no
//   list is kept on the fast path.
//
// Shapes   block: a 16-byte header, then the memory handed out.
//          Size classes are multiples of 64 bytes up to 2 KiB, carved from
//          slabs so that the memory starts a cache line; larger blocks, 16-byte aligned, come from the segment one
//          at a time, each preceded by its link in a list of them.
// Threads  allocate, release, flush_returns, for_each_task: the owning worker. receive: any worker of the place.
// Cost     allocate and release are two loads and two stores; every 32nd release by another worker is a
//          compare-exchange. Large blocks also take constant time, under the place's lock.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "tess/detail/platform.hpp"
#include "tess/detail/tasks/fail_allocation.hpp"
#include "tess/detail/tasks/races.hpp"

namespace tess::detail {

class frame_pool {
 public:
  /// What a block is. async() lets a task keep its result in its frame; around an ending_task it makes one that does.
  enum class kind : std::uint32_t { free = 0, raw, task, ending_task };

  explicit frame_pool(std::uint16_t worker) noexcept : worker_(worker) {}
  frame_pool(frame_pool const&) = delete;
  frame_pool& operator=(frame_pool const&) = delete;

  /// At least `bytes`, 16-byte aligned. Throws std::bad_alloc when the segment is full.
  void* allocate(std::size_t bytes, kind k) {
    if (allocation_fails()) [[unlikely]]
      throw std::bad_alloc();
    std::size_t const c = (bytes + header_bytes + granule - 1) / granule;
    if (c < classes) [[likely]] {
      if (block* const b = lists_[c]) [[likely]] {
        lists_[c] = b->next;
        b->state = k;
        return races::fresh(&b->next, bytes);
      }
    }
    return races::fresh(refill(c, k), bytes);
  }

  /// Frees memory from any pool of this place.
  void release(void* memory) noexcept {
    block* const b = block_of(memory);
    b->state = kind::free;
    if (b->owner == this && b->size_class < classes) [[likely]] {
      b->next = lists_[b->size_class];
      lists_[b->size_class] = b;
      return;
    }
    release_elsewhere(b);
  }

  /// A block that was a task's frame goes on as something else.
  static void set_kind(void* memory, kind k) noexcept { block_of(memory)->state = k; }
  [[nodiscard]] static kind kind_of(void* memory) noexcept { return block_of(memory)->state; }

  /// Releasing the block will not free its memory. When a job is aborted, others may still refer to it.
  static void never_reuse(void* memory) noexcept { block_of(memory)->owner = nullptr; }

  /// Returns blocks that other workers own to them now.
  void flush_returns() noexcept;

  /// Calls visit(memory) for every live task frame that this pool allocated; visit may allocate here.
  template <class Visit>
  void for_each_task(Visit visit) const {
    // By index, because an allocation may move the list of slabs.
    for (std::size_t n = 0; n < slabs_.size(); ++n)
      for (std::size_t i = 0; i < slabs_[n].used; ++i) {
        auto* const b = reinterpret_cast<block*>(slabs_[n].base + i * slabs_[n].block_bytes);
        if (b->state >= kind::task) visit(static_cast<void*>(&b->next));
      }
    for (large_link const* l = large_.next; l != &large_; l = l->next) {
      block* const b = large_block(l);
      if (b->state >= kind::task) visit(static_cast<void*>(&b->next));
    }
  }

  /// The bytes of memory from allocate(): at least what was asked for.
  [[nodiscard]] static std::size_t size_of(void* memory) noexcept {
    return block_of(memory)->size_class * granule - header_bytes;
  }
  [[nodiscard]] std::uint64_t reserved_bytes() const noexcept { return reserved_bytes_; }

  /// Where things lie in a pool, its slabs and its blocks, for debuggers (src/runtime/report/debugger.hpp).
  struct distances {
    std::uint32_t slabs, large;                             // in a pool
    std::uint32_t slab_bytes, slab_block_bytes, slab_used;  // in a slab, whose first word is its address
    std::uint32_t header, state, task_state;                // before a frame; in its header; of live tasks, and above
    std::uint32_t link_bytes;                               // before the header of a large block
  };
  static constexpr distances layout() noexcept;

 private:
  static constexpr std::size_t granule = 64;
  static constexpr std::size_t header_bytes = 16;
  static constexpr std::size_t classes = 33;
  static constexpr std::size_t slab_bytes = std::size_t{64} << 10;
  static constexpr std::size_t batch_size = 32;
  static constexpr std::size_t batches = 8;

  struct block {
    frame_pool* owner;
    std::uint32_t size_class;
    kind state;
    block* next;  // only while free: it lies in the memory that is handed out
  };
  static_assert(offsetof(block, next) == header_bytes);

  /// Before the header of a large block.
  struct large_link {
    large_link* next;
    large_link* previous;
  };
  static_assert(sizeof(large_link) % 16 == 0);

  struct slab {
    std::byte* base;
    std::size_t block_bytes;
    std::size_t used;
    std::size_t capacity;
  };
  struct batch {
    frame_pool* owner = nullptr;
    block* first = nullptr;
    block* last = nullptr;
    std::size_t count = 0;
  };

  static block* block_of(void* memory) noexcept {
    return reinterpret_cast<block*>(static_cast<std::byte*>(memory) - header_bytes);
  }
  static block* large_block(large_link const* l) noexcept {
    return reinterpret_cast<block*>(const_cast<large_link*>(l) + 1);
  }
  void* refill(std::size_t size_class, kind k);
  void* allocate_large(std::size_t size_class, kind k);
  bool collect_returned() noexcept;
  void release_elsewhere(block* b) noexcept;
  void send(batch& out) noexcept;
  void receive(block* first, block* last) noexcept;
  void free_large(block* b) noexcept;

  std::array<block*, classes> lists_{};
  std::array<std::size_t, classes> open_slab_{};  // index + 1 into slabs_ of the slab being carved; 0: none
  std::vector<slab> slabs_;
  large_link large_{&large_, &large_};  // a ring of all large blocks
  std::array<batch, batches> outgoing_{};
  std::uint64_t reserved_bytes_ = 0;
  std::uint16_t worker_;
  alignas(cache_line) std::atomic<block*> returned_{nullptr};
};

constexpr frame_pool::distances frame_pool::layout() noexcept {
  return {offsetof(frame_pool, slabs_),
          offsetof(frame_pool, large_),
          sizeof(slab),
          offsetof(slab, block_bytes),
          offsetof(slab, used),
          header_bytes,
          offsetof(block, state),
          std::uint32_t{static_cast<std::uint32_t>(kind::task)},
          sizeof(large_link)};
}

}  // namespace tess::detail
