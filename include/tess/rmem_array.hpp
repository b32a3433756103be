// rmem_array: an array in remote memory, larger than local memory, which holds a cache of its pages.
//
//     auto a = co_await tess::rmem::array<double>::create("vector", n);
//     co_await a.forall([](std::uint64_t i, double& x) { x = double(i); });   // tasks of this place, page by page
//     double const x = co_await a[7];                                         // other tasks run meanwhile
//     co_await (a[7] = 2 * x);
//     for (double& y : a) y += 1;                                             // prefetched; the worker waits
//     for (auto& tile : a.tiles(64 * 1024)) scale(tile.data(), tile.size());  // two buffers beside the cache
//     co_await a.flush();                                                     // all changes are at the server
//
//   An `array<T const>` only reads; as_const() makes one of an array<T>. Copies share the cache. Each place has its own
//   cache: it sees another place's changes after a flush() there, unless the page is still in its own cache.
//
// Units    items; the cache's options in bytes and pages.
// Threads  tasks of the place. A range-for blocks its worker,
//          which serves messages but runs none of its tasks;
//          they run during `co_await tiles.next()` and forall().
// Errors   refused and lost, from any call that waits. A changed page that cannot be written stays in the cache, and
//          flush() throws.
// Cost     a cached item: a lock and a few instructions. Iteration: the lock once for each page.
// Source   RMem (MultiProg 2019), section 7, leaves caching, prefetching and tiling to future work.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "tess/assert.hpp"
#include "tess/detail/remote_memory/page_cache.hpp"
#include "tess/detail/remote_memory/tile_pipeline.hpp"
#include "tess/finish.hpp"
#include "tess/place.hpp"
#include "tess/rmem_cache.hpp"
#include "tess/rmem_task.hpp"

namespace tess::rmem {

/// Consecutive items of an array, in local memory. An array<T const> has tiles with a const T.
template <class T>
class tile {
 public:
  tile() = default;
  tile(std::span<T> items, std::uint64_t first) : items_(items), first_(first) {}
  [[nodiscard]] T* data() const noexcept { return items_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }
  /// Index of the first item in the array.
  [[nodiscard]] std::uint64_t first() const noexcept { return first_; }
  T& operator[](std::size_t i) const noexcept { return items_[i]; }
  [[nodiscard]] T* begin() const noexcept { return items_.data(); }
  [[nodiscard]] T* end() const noexcept { return items_.data() + items_.size(); }

 private:
  template <class U>
  friend class tile_range;
  std::span<T> items_;
  std::uint64_t first_ = 0;
};

/// One pass over all items in order: `for (auto& tile : a.tiles(n))`, or `while (auto* tile = co_await tiles.next())`.
template <class T>
class tile_range {
  static constexpr bool writes = !std::is_const_v<T>;

 public:
  tile_range(std::shared_ptr<detail::page_cache> cache, std::size_t items)
      : cache_(std::move(cache)), bytes_((items == 0 ? 1 : items) * sizeof(T)) {}

  /// Null: there are no more tiles, and all are written. Every tile of an array<T> is written back.
  [[nodiscard]] task<tile<T>*> next() {
    if (!pipeline_) {
      co_await cache_->flush();
      start();
    }
    co_return show(co_await pipeline_->next());
  }

  /// Steps from tile to tile, blocking.
  struct iterator {
    tile_range* of;
    tile<T>& operator*() const noexcept { return of->shown_; }
    iterator& operator++() {
      of->step();
      return *this;
    }
    bool operator==(std::default_sentinel_t) const noexcept { return of->shown_.size() == 0; }
  };
  [[nodiscard]] iterator begin() {
    cache_->flush_blocking();
    start();
    step();
    return {this};
  }
  [[nodiscard]] static std::default_sentinel_t end() noexcept { return {}; }

 private:
  void start() { pipeline_ = std::make_unique<detail::tile_pipeline>(cache_->with(), cache_->of(), bytes_, writes); }
  void step() { static_cast<void>(show(pipeline_->next_blocking())); }
  tile<T>* show(detail::tile_pipeline::tile const& t) {
    shown_.items_ = {reinterpret_cast<T*>(t.bytes), t.size / sizeof(T)};
    shown_.first_ = t.offset / sizeof(T);
    // The cache must not keep stale values.
    if (writes) cache_->invalidate(t.offset, t.size);
    return t.bytes == nullptr ? nullptr : &shown_;
  }

  std::shared_ptr<detail::page_cache> cache_;
  std::size_t bytes_;
  std::unique_ptr<detail::tile_pipeline> pipeline_;
  tile<T> shown_;
};

/// An array of T in remote memory with a cache of its pages.
template <class T>
class array {
  using item = std::remove_const_t<T>;
  static constexpr bool writes = !std::is_const_v<T>;
  static_assert(std::is_trivially_copyable_v<item>,
                "an array in remote memory holds plain data, no pointers or resources");
  using cache = detail::page_cache;
  /// Unpinned when it goes out of scope.
  struct pinned {
    cache* of;
    cache::view view;
    ~pinned() {
      if (of != nullptr) of->unpin(view);
    }
  };

 public:
  array() = default;
  /// Uses the bytes of this region as the items.
  array(client& with, region of, cache_options const& chosen = {}) : size_(of.size / sizeof(T)) {
    of.size = size_ * sizeof(T);
    cache_ = std::make_shared<cache>(with, of, sizeof(T), chosen);
  }

  /// An array of zeros in a new region.
  [[nodiscard]] static task<array> create(std::string name, std::uint64_t items, cache_options chosen = {}) {
    client* const with = co_await find_client();
    region const made = co_await rmem::create(*with, std::move(name), items * sizeof(T));
    co_return array(*with, made, chosen);
  }
  /// The array in the region of this name.
  [[nodiscard]] static task<array> open(std::string name, cache_options chosen = {}) {
    client* const with = co_await find_client();
    region const found = co_await rmem::open(*with, std::move(name), writes ? rights::read_write : rights::read);
    co_return array(*with, found, chosen);
  }

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// The region that holds the items.
  [[nodiscard]] region const& where() const noexcept { return cache_->of(); }
  /// The size of the cache.
  [[nodiscard]] std::size_t cache_bytes() const noexcept { return cache_->frames() * items_per_page() * sizeof(T); }
  /// The number of items in a page of the cache.
  [[nodiscard]] std::uint64_t items_per_page() const noexcept { return cache_->items_per_page(); }
  /// What the cache has done so far.
  [[nodiscard]] cache_counts counts() const { return cache_->counts(); }
  /// A read-only array that shares the cache.
  [[nodiscard]] array<item const> as_const() const noexcept {
    array<item const> same;
    same.cache_ = cache_;
    same.size_ = size_;
    return same;
  }

  /// The reading or writing of one item.
  template <bool Write>
  class [[nodiscard("an item of a remote array is read and written by co_await")]] access {
   public:
    access(cache* c, std::uint64_t i, item v) noexcept
        : cache_(c), page_(i >> c->item_shift()), offset_((i & (c->items_per_page() - 1)) * sizeof(item)), value_(v) {}
    access(access const&) = delete;
    access& operator=(access const&) = delete;

    bool await_ready() {
      if constexpr (Write) return cache_->try_write(page_, offset_, &value_, sizeof(item));
      return cache_->try_read(page_, offset_, &value_, sizeof(item));
    }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> h) {
      slow_.emplace(with_page());
      wait_.emplace(std::move(*slow_).operator co_await());
      return wait_->await_suspend(h);
    }
    std::conditional_t<Write, void, item> await_resume() {
      if (wait_) wait_->await_resume();
      if constexpr (!Write) return value_;
    }

   private:
    task<void> with_page() {
      if constexpr (Write)
        if (cache_->writes_through()) {
          co_await cache_->write_through(page_, {offset_, &value_, sizeof(item)});
          co_return;
        }
      auto const v = co_await cache_->pin(page_, Write);
      if constexpr (Write)
        std::memcpy(v.bytes + offset_, &value_, sizeof(item));
      else
        std::memcpy(&value_, v.bytes + offset_, sizeof(item));
      if constexpr (Write)
        co_await cache_->release(v);
      else
        cache_->unpin(v);
    }

    cache* cache_;
    std::uint64_t page_;
    std::size_t offset_;
    item value_;
    std::optional<task<void>> slow_;
    std::optional<decltype(std::declval<task<void>>().operator co_await())> wait_;
  };

  /// What a[i] gives: `co_await a[i]`, `co_await (a[i] = v)`.
  class element {
   public:
    element(cache* c, std::uint64_t i) noexcept : cache_(c), index_(i) {}
    access<false> operator co_await() const noexcept { return {cache_, index_, item{}}; }
    access<true> operator=(item v) const noexcept
      requires writes
    {
      return {cache_, index_, v};
    }

   private:
    cache* cache_;
    std::uint64_t index_;
  };
  [[nodiscard]] element operator[](std::uint64_t i) const {
    TESS_DEBUG_ASSERT(i < size_);
    return {cache_.get(), i};
  }

  /// Calls f(x) or f(i, x) for every item, or f(tile) for every page, in any order, in tasks of this place that process
  /// a page at a time. f must not wait. All pages of an array<T> count as changed.
  template <class F>
    requires std::invocable<F&, tile<T> const&> || std::invocable<F&, T&> || std::invocable<F&, std::uint64_t, T&>
  [[nodiscard]] task<void> forall(F f) {
    std::atomic<std::uint64_t> next{0};
    std::uint64_t tasks = 2ULL * workers();
    if (cache_->pages() < tasks) tasks = cache_->pages();
    if (cache_->frames() / 2 < tasks) tasks = cache_->frames() / 2;
    co_await finish([&] {
      for (std::uint64_t k = 0; k < tasks; ++k) spawn(visit_pages<F>(cache_.get(), &next, &f));
    });
  }

  /// One pass in order, with one page pinned at a time and the next ones prefetched. Blocks its worker.
  class iterator {
   public:
    explicit iterator(cache* c) : pass_(std::make_unique<pass>(c)) { *this = pass_->items(); }
    iterator(iterator const&) = delete;
    iterator& operator=(iterator const&) = delete;
    T& operator*() const noexcept { return *at_; }
    iterator& operator++() {
      if (++at_ == end_) [[unlikely]]
        *this = pass_->next();
      return *this;
    }
    bool operator==(std::default_sentinel_t) const noexcept { return at_ == nullptr; }

   private:
    /// A separate class, so that the two pointers of the iterator stay in registers.
    class pass {
     public:
      explicit pass(cache* c) : pinned_{c, {}} { pin(); }
      [[nodiscard]] std::span<T> items() const noexcept {
        return {reinterpret_cast<T*>(pinned_.view.bytes), pinned_.view.size / sizeof(T)};
      }
      [[gnu::noinline]] std::span<T> next() {
        cache* const c = std::exchange(pinned_.of, nullptr);
        c->release_blocking(std::exchange(pinned_.view, {}));
        pinned_.of = c;
        ++page_;
        pin();
        return items();
      }

     private:
      void pin() {
        cache* const c = std::exchange(pinned_.of, nullptr);
        if (page_ == c->pages()) return;
        pinned_.view = c->pin_blocking(page_, writes);
        pinned_.of = c;
      }
      pinned pinned_;
      std::uint64_t page_ = 0;
    };
    void operator=(std::span<T> items) noexcept {
      at_ = items.data();
      end_ = at_ + items.size();
    }
    T* at_ = nullptr;
    T* end_ = nullptr;
    std::unique_ptr<pass> pass_;
  };
  [[nodiscard]] iterator begin() const { return iterator(cache_.get()); }
  [[nodiscard]] static std::default_sentinel_t end() noexcept { return {}; }

  /// Tiles of `items` each; the last one may have fewer. The array must not be used otherwise during the pass.
  [[nodiscard]] tile_range<T> tiles(std::size_t items) const { return tile_range<T>(cache_, items); }

  /// After it returns, all changes are at the server.
  [[nodiscard]] task<void> flush() { return cache_->flush(); }

 private:
  template <class U>
  friend class array;

  template <class F>
  static void visit(F& f, std::span<T> items, std::uint64_t first) {
    if constexpr (std::invocable<F&, tile<T> const&>)
      f(tile<T>(items, first));
    else if constexpr (std::invocable<F&, T&>)
      for (T& x : items) f(x);
    else
      for (T& x : items) f(first++, x);
  }

  template <class F>
  static task<void> visit_pages(cache* c, std::atomic<std::uint64_t>* next, F* f) {
    std::uint64_t const batch = c->prefetch_pages() / 2 + 1;
    for (;;) {
      std::uint64_t const page = next->fetch_add(1, std::memory_order_relaxed);
      if (page >= c->pages()) co_return;
      if (page % batch == 0) c->prefetch(page + 1, c->prefetch_pages());
      pinned p{c, {}};
      if (!c->try_pin(page, writes, p.view)) {
        p.of = nullptr;
        p.view = co_await c->pin(page, writes);
        p.of = c;
      }
      visit(*f, {reinterpret_cast<T*>(p.view.bytes), p.view.size / sizeof(T)}, page << c->item_shift());
      p.of = nullptr;
      co_await c->release(p.view);
      c->passed(page);
      co_await yield();
    }
  }

  std::shared_ptr<cache> cache_;
  std::uint64_t size_ = 0;
};

}  // namespace tess::rmem
