// page_cache: pages of a region in local memory; the cache of an rmem::array.
//
//   A page is pinned while it is used. Pinning a page that is not in the cache chooses a frame, writes back its changed
//   page, and reads the new one; others that want the page wait for the same read. The lock is not held while bytes
//   move. The next pages of access streams are prefetched, and pages that will be replaced next are written back early.
//
// Threads  any task of the place, and threads of the client. One mutex, held for a few instructions.
// Errors   refused and lost are thrown to the caller that pins. A page that could not be written stays in the cache and
//          is written again later.
// Cost     a hit: the lock, and a lookup in a table with 4 bytes for each page of the region.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "tess/detail/remote_memory/access_streams.hpp"
#include "tess/detail/remote_memory/page_order.hpp"
#include "tess/detail/remote_memory/remote_wait.hpp"
#include "tess/rmem.hpp"
#include "tess/rmem_cache.hpp"
#include "tess/task.hpp"

namespace tess::rmem {

namespace detail {

class page_cache {
 public:
  page_cache(client& with, region const& of, std::size_t item_bytes, cache_options const& chosen);
  page_cache(page_cache const&) = delete;
  page_cache& operator=(page_cache const&) = delete;
  /// Writes back, blocking; a failure is printed to standard error. Call flush() before it to get an exception.
  ~page_cache();

  [[nodiscard]] std::uint64_t items_per_page() const noexcept { return std::uint64_t{1} << item_shift_; }
  [[nodiscard]] unsigned item_shift() const noexcept { return item_shift_; }
  [[nodiscard]] std::uint64_t pages() const noexcept { return table_.size(); }
  [[nodiscard]] std::size_t frames() const noexcept { return frames_.size(); }
  [[nodiscard]] unsigned prefetch_pages() const noexcept { return prefetch_pages_; }
  [[nodiscard]] client& with() const noexcept { return client_; }
  [[nodiscard]] region const& of() const noexcept { return region_; }
  [[nodiscard]] cache_counts counts();

  struct view {
    std::byte* bytes = nullptr;
    std::size_t size = 0;
    std::uint32_t frame = 0;
    bool writes = false;
  };
  /// False: pinning would have to wait.
  [[nodiscard]] bool try_pin(std::uint64_t page, bool writes, view& v);
  [[nodiscard]] task<view> pin(std::uint64_t page, bool writes);
  [[nodiscard]] view pin_blocking(std::uint64_t page, bool writes);
  /// Without write-through. A page that was pinned for writing counts as changed.
  void unpin(view const& v) noexcept;
  /// Unpins according to the write policy: with write-through, returns when the server has the change.
  [[nodiscard]] task<void> release(view v);
  void release_blocking(view v);
  [[nodiscard]] bool writes_through() const noexcept { return writes_ == write_policy::through; }
  struct item {
    std::size_t offset;  // in the page
    void const* from;
    std::size_t bytes;
  };
  /// Writes one item; when it returns, the server has the item.
  [[nodiscard]] task<void> write_through(std::uint64_t page, item changed);

  /// Reads one item of a cached page. False: the page is not there or is being moved, or write-through is needed.
  [[nodiscard]] bool try_read(std::uint64_t page, std::size_t offset, void* to, std::size_t bytes);
  [[nodiscard]] bool try_write(std::uint64_t page, std::size_t offset, void const* from, std::size_t bytes);

  /// Called when a scan has left this page and will not return soon: it is replaced first.
  void passed(std::uint64_t page);
  /// Announces that these pages will be needed soon.
  void prefetch(std::uint64_t first, std::uint64_t count);
  /// When it returns, the server has everything that was changed and unpinned.
  [[nodiscard]] task<void> flush();
  void flush_blocking();
  /// Drops the unchanged pages of these bytes, which are written bypassing this cache.
  void invalidate(std::uint64_t offset, std::uint64_t bytes);

 private:
  static constexpr std::uint32_t none = page_order::none;
  static constexpr std::uint64_t no_page = access_streams::no_page;

  struct waiter : remote_wait {
    waiter* next = nullptr;
  };
  struct frame : transfer {
    page_cache* cache = nullptr;
    std::uint64_t page = no_page;
    std::uint32_t pins = 0;
    std::uint32_t writers = 0;  // of the pins
    bool loading = false;
    bool writing_back = false;
    bool dirty = false;
    bool referenced = false;  // since CLOCK passed it
    waiter* waiters = nullptr;
    [[nodiscard]] bool idle() const noexcept { return pins == 0 && !loading; }
  };
  enum class attempt : std::uint8_t { done, wait, started };
  using guard = std::unique_lock<std::mutex>;

  [[nodiscard]] attempt try_once(std::uint64_t page, bool writes, view& v, waiter& w);
  [[nodiscard]] attempt write_once(view const& v, item const* changed, waiter& w);
  [[nodiscard]] task<void> write_page(view v, item const* changed);
  void written(view& v);
  [[nodiscard]] attempt flush_once(waiter& w);
  void take(std::uint32_t i, bool writes, view& v);
  [[nodiscard]] std::uint32_t victim();
  void assign(std::uint32_t i, std::uint64_t page);
  void evict(std::uint32_t i);
  void start(frame& x, bool reads);
  [[nodiscard]] bool move_now(guard& lock, frame& x, bool reads);
  void complete(frame& x) noexcept;
  void record_use(std::uint64_t page);
  void replace_first(std::uint64_t page);
  [[nodiscard]] bool prefetch_page(std::uint64_t page);
  void write_back_early();
  void wait_for(waiter*& list, waiter& w);
  void wake(waiter* list, std::exception_ptr const& failure) noexcept;
  [[nodiscard]] std::size_t bytes_of(std::uint64_t page) const noexcept;

  client& client_;
  region region_;
  std::size_t page_bytes_ = 0;
  unsigned item_shift_ = 0;
  replacement replaces_;
  write_policy writes_;
  unsigned prefetch_pages_ = 0;
  std::byte* memory_ = nullptr;
  std::size_t memory_bytes_ = 0;

  std::mutex mutex_;                  // protects the members below
  std::vector<std::uint32_t> table_;  // indexed by page: its frame + 1
  std::vector<frame> frames_;
  std::vector<std::uint32_t> unused_;
  page_order order_{0};
  access_streams streams_;
  waiter* starved_ = nullptr;  // tasks that wait for any frame
  cache_counts counts_;
  std::atomic<std::uint32_t> in_flight_{0};  // number of transfers
};

}  // namespace detail
}  // namespace tess::rmem
