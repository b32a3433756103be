// page_cache: pages of a region kept in local memory; what an rmem::array stands on.
//
//   A page is pinned while it is used. A pin of a page that is not there chooses a frame, writes back what it held if
//   that was changed, and reads the page; who wants it meanwhile waits with the first. Nothing is held while bytes
//   move. Steps of equal length between pages make a stream, whose next pages are fetched ahead; what will be replaced
//   next is written back ahead.
//
// Threads  any task of the place, and threads of the client. One mutex, held for some instructions.
// Errors   refused and lost come to whoever pins. A page that could not be written back stays, and is tried again.
// Cost     a hit: the lock, a look into a table with 4 bytes for each page of the region.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "tess/detail/remote_wait.hpp"
#include "tess/rmem.hpp"
#include "tess/task.hpp"

namespace tess::rmem {

enum class replacement : std::uint8_t { fifo, lru, clock };
/// back: when a page is replaced, or at flush(). through: before the write is done.
enum class writing : std::uint8_t { back, through };

struct cache_options {
  static constexpr unsigned automatic = ~0U;
  std::size_t bytes = 0;       ///< of local memory; 0: all of the region, but at most a quarter of what is free
  std::size_t page_bytes = 0;  ///< 0: 128 KiB; less if the cache would have fewer than 16 pages
  replacement replaces = replacement::clock;
  writing writes = writing::back;
  unsigned ahead = automatic;  ///< pages that are fetched ahead; automatic: 1 MiB, at most a quarter of the cache
};

struct cache_counts {
  std::uint64_t pins = 0;
  std::uint64_t misses = 0;         ///< pages read because somebody waited for them
  std::uint64_t fetched_ahead = 0;  ///< pages read before
  std::uint64_t written = 0;        ///< pages
};

namespace detail {

class page_cache {
 public:
  page_cache(client& with, region const& of, std::size_t item_bytes, cache_options const& chosen);
  page_cache(page_cache const&) = delete;
  page_cache& operator=(page_cache const&) = delete;
  /// Writes back, blocking; says on standard error if that failed. flush() before throws instead.
  ~page_cache();

  [[nodiscard]] std::uint64_t items_per_page() const noexcept { return std::uint64_t{1} << item_shift_; }
  [[nodiscard]] unsigned item_shift() const noexcept { return item_shift_; }
  [[nodiscard]] std::uint64_t pages() const noexcept { return table_.size(); }
  [[nodiscard]] std::size_t frames() const noexcept { return frames_.size(); }
  [[nodiscard]] unsigned ahead() const noexcept { return ahead_; }
  [[nodiscard]] client& with() const noexcept { return client_; }
  [[nodiscard]] region const& of() const noexcept { return region_; }
  [[nodiscard]] cache_counts counts();

  struct view {
    std::byte* bytes = nullptr;
    std::size_t size = 0;
    std::uint32_t frame = 0;
    bool writes = false;
  };
  /// Only if it need not wait.
  [[nodiscard]] bool try_pin(std::uint64_t page, bool writes, view& v);
  [[nodiscard]] task<view> pin(std::uint64_t page, bool writes);
  [[nodiscard]] view pin_blocking(std::uint64_t page, bool writes);
  /// What was pinned for writing counts as changed. Writing back: nothing to wait for.
  void unpin(view const& v) noexcept;
  /// As the cache's option says: returns when the change is where it has to be.
  [[nodiscard]] task<void> release(view v);
  void release_blocking(view v);
  [[nodiscard]] bool writes_through() const noexcept { return writes_ == writing::through; }
  struct item {
    std::size_t offset;  // in its page
    void const* from;
    std::size_t bytes;
  };
  /// One item, which is at the server when this ends.
  [[nodiscard]] task<void> write_through(std::uint64_t page, item changed);

  /// One item of a page that is there; false: it is not, or is being moved, or must be written through.
  [[nodiscard]] bool try_read(std::uint64_t page, std::size_t offset, void* to, std::size_t bytes);
  [[nodiscard]] bool try_write(std::uint64_t page, std::size_t offset, void const* from, std::size_t bytes);

  /// A pass has left this page, and will not come back to it before the others: it goes first.
  void passed(std::uint64_t page);
  /// These pages will be wanted soon.
  void fetch(std::uint64_t first, std::uint64_t count);
  /// Everything that was changed and released is at the server when this ends.
  [[nodiscard]] task<void> flush();
  void flush_blocking();
  /// Forgets unchanged pages of these bytes: somebody else writes them.
  void forget(std::uint64_t offset, std::uint64_t bytes);

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::uint64_t no_page = ~std::uint64_t{0};

  struct waiter : remote_wait {
    waiter* next = nullptr;
  };
  struct frame : transfer {
    page_cache* cache = nullptr;
    std::uint64_t page = no_page;
    std::uint32_t older = none;  // the order in which pages are replaced
    std::uint32_t newer = none;
    std::uint32_t pins = 0;
    std::uint32_t writers = 0;  // of the pins
    bool loading = false;
    bool cleaning = false;
    bool dirty = false;
    bool referenced = false;
    waiter* waiters = nullptr;
    [[nodiscard]] bool idle() const noexcept { return pins == 0 && !loading; }
  };
  struct stream {
    std::uint64_t last = no_page;
    std::int64_t step = 0;
    std::uint32_t steps = 0;   // that were as long
    std::int64_t fetched = 0;  // steps ahead of `last`
    std::uint64_t used = 0;    // when
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
  void append(std::uint32_t i);
  void unlink(std::uint32_t i);
  void start(frame& x, bool reads);
  [[nodiscard]] bool move_now(guard& lock, frame& x, bool reads);
  void land(frame& x) noexcept;
  void note(std::uint64_t page);
  void let_go(std::uint64_t page);
  void fetch_one(std::uint64_t page, bool& full);
  void clean_ahead();
  void wait_for(waiter*& list, waiter& w);
  void wake(waiter* list, std::exception_ptr const& failure) noexcept;
  [[nodiscard]] std::size_t bytes_of(std::uint64_t page) const noexcept;

  client& client_;
  region region_;
  std::size_t page_bytes_ = 0;
  unsigned item_shift_ = 0;
  replacement replaces_;
  writing writes_;
  unsigned ahead_ = 0;
  std::byte* memory_ = nullptr;
  std::size_t memory_bytes_ = 0;

  std::mutex mutex_;                  // of what follows
  std::vector<std::uint32_t> table_;  // by page: its frame + 1
  std::vector<frame> frames_;
  std::vector<std::uint32_t> unused_;
  std::uint32_t oldest_ = none;
  std::uint32_t newest_ = none;
  waiter* starved_ = nullptr;  // for any frame
  std::array<stream, 8> streams_{};
  std::uint64_t now_ = 0;  // counts pins, for the streams
  cache_counts counts_;
  std::atomic<std::uint32_t> under_way_{0};  // transfers
};

}  // namespace detail
}  // namespace tess::rmem
