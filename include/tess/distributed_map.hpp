// distributed_map: and distributed_set, hash tables that are spread over all places; each key has an owner.
//
//   Made by one task for all places; the handle is a value that travels in `at`. Keys, values and arguments are of any
//   type that `at` takes. What several places do to one key happens in some order, one after the other.
//
//     auto const counts = co_await distributed_map<std::string, long>::make();
//     counts.update_async(word, [](long& count) { ++count; });         // gathered into messages; the finish waits
//     std::optional<long> const n = co_await counts.find("the");
//     co_await forall(counts, [](std::string const& word, long& count) { … });   // at the owners
//     co_await distributed_map<std::string, long>::release(counts);
//
// Threads   any task, of any place. Functions that are passed run inside a message handler and must not block.
// Errors    out_of_memory of a place comes back to the caller, or goes to the finish.
// Cost      each operation is an `at` to the owner; those that end in async are gathered as at_async is: use these for
//           many. A place's part is a std::unordered_map in its private memory.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "tess/at.hpp"
#include "tess/detail/tasks/short_lock.hpp"
#include "tess/forall.hpp"
#include "tess/place_local.hpp"

namespace tess {

namespace detail {

/// Spreads hashes that are the numbers themselves (the finalizer of MurmurHash3; A. Appleby).
constexpr place_id owner_of_hash(std::uint64_t hash, unsigned places) noexcept {
  hash = (hash ^ hash >> 33U) * 0xff51afd7ed558ccdU;
  hash = (hash ^ hash >> 33U) * 0xc4ceb9fe1a85ec53U;
  return static_cast<place_id>((hash ^ hash >> 33U) % places);
}

template <class Table>
struct table_part {
  Table table;
  short_lock lock;
};

template <class Table>
task<std::uint64_t> count_everywhere(place_local<table_part<Table>> parts) {
  std::uint64_t count = 0;
  for (unsigned p = 0; p < places(); ++p)
    count += co_await at(
        static_cast<place_id>(p),
        [](place_local<table_part<Table>> t) {
          std::scoped_lock const hold(t->lock);
          return std::uint64_t{t->table.size()};
        },
        parts);
  co_return count;
}

}  // namespace detail

template <class K, class V, class Hash = std::hash<K>>
class distributed_map {
  using table = std::unordered_map<K, V, Hash>;
  using part = detail::table_part<table>;

 public:
  using key_type = K;     ///< as in std::unordered_map
  using mapped_type = V;  ///< as in std::unordered_map

  distributed_map() = default;
  /// Makes an empty one, with a part at each place.
  static task<distributed_map> make() { co_return distributed_map(co_await place_local<part>::make()); }
  /// One task calls it, for all, when no task uses the map any more.
  static task<void> release(distributed_map m) { return place_local<part>::release(m.parts_); }

  /// The place that has this key.
  [[nodiscard]] place_id owner(K const& key) const { return detail::owner_of_hash(Hash()(key), places()); }

  /// co_await gives the value, or nothing.
  [[nodiscard]] auto find(K key) const {
    place_id const p = owner(key);
    return at(
        p,
        [](place_local<part> t, K k) -> std::optional<V> {
          std::scoped_lock const hold(t->lock);
          auto const found = t->table.find(k);
          if (found == t->table.end()) return std::nullopt;
          return found->second;
        },
        parts_, std::move(key));
  }
  /// co_await is true if the key was new; otherwise its value stays.
  [[nodiscard]] auto insert(K key, V value) const {
    place_id const p = owner(key);
    return at(
        p,
        [](place_local<part> t, K k, V v) {
          std::scoped_lock const hold(t->lock);
          return t->table.try_emplace(std::move(k), std::move(v)).second;
        },
        parts_, std::move(key), std::move(value));
  }
  /// co_await is true if the key was new; otherwise its value is replaced.
  [[nodiscard]] auto assign(K key, V value) const {
    place_id const p = owner(key);
    return at(
        p, [](place_local<part> t, K k, V v) { return assign_here(t, std::move(k), std::move(v)); }, parts_,
        std::move(key), std::move(value));
  }
  void assign_async(K key, V value) const {
    place_id const p = owner(key);
    at_async(
        p, [](place_local<part> t, K k, V v) { static_cast<void>(assign_here(t, std::move(k), std::move(v))); }, parts_,
        std::move(key), std::move(value));
  }
  /// co_await is true if there was such a key.
  [[nodiscard]] auto erase(K key) const {
    place_id const p = owner(key);
    return at(
        p,
        [](place_local<part> t, K k) {
          std::scoped_lock const hold(t->lock);
          return t->table.erase(k) != 0;
        },
        parts_, std::move(key));
  }
  /// f(value, args...) at the owner; a new key gets V() first. co_await gives what f returns.
  template <class F, class... Args>
    requires std::invocable<F&, V&, Args...>
  [[nodiscard]] auto update(K key, F f, Args... args) const {
    place_id const p = owner(key);
    return at(
        p,
        [](place_local<part> t, F g, K k, Args... a) {
          std::scoped_lock const hold(t->lock);
          return g(t->table[std::move(k)], std::move(a)...);
        },
        parts_, std::move(f), std::move(key), std::move(args)...);
  }
  template <class F, class... Args>
    requires std::invocable<F&, V&, Args...>
  void update_async(K key, F f, Args... args) const {
    place_id const p = owner(key);
    at_async(
        p,
        [](place_local<part> t, F g, K k, Args... a) {
          std::scoped_lock const hold(t->lock);
          g(t->table[std::move(k)], std::move(a)...);
        },
        parts_, std::move(f), std::move(key), std::move(args)...);
  }

  /// The keys of all places, which are asked one after the other.
  [[nodiscard]] task<std::uint64_t> size() const { return detail::count_everywhere(parts_); }
  /// This place's part, for its tasks, while no other task uses the map.
  [[nodiscard]] table& local() const noexcept { return parts_->table; }

 private:
  explicit distributed_map(place_local<part> parts) noexcept : parts_(parts) {}

  static bool assign_here(place_local<part> t, K key, V value) {
    std::scoped_lock const hold(t->lock);
    return t->table.insert_or_assign(std::move(key), std::move(value)).second;
  }

  place_local<part> parts_;
};

/// f(key, value) for every entry, at its owner, while no other task uses the map. f travels as for at_async.
template <class K, class V, class Hash, class F>
  requires std::invocable<F&, K const&, V&>
task<void> forall(distributed_map<K, V, Hash> m, F f) {
  return on_all_places(
      [](distributed_map<K, V, Hash> map, F g) {
        for (auto& [key, value] : map.local()) g(key, value);
      },
      m, f);
}

/// The keys alone: see distributed_map.
template <class K, class Hash = std::hash<K>>
class distributed_set {
  using table = std::unordered_set<K, Hash>;
  using part = detail::table_part<table>;

 public:
  using key_type = K;  ///< as in std::unordered_set

  distributed_set() = default;
  /// Makes an empty one, with a part at each place.
  static task<distributed_set> make() { co_return distributed_set(co_await place_local<part>::make()); }
  /// One task calls it, for all, when no task uses the set any more.
  static task<void> release(distributed_set s) { return place_local<part>::release(s.parts_); }

  /// The place that has this key.
  [[nodiscard]] place_id owner(K const& key) const { return detail::owner_of_hash(Hash()(key), places()); }

  /// co_await is true if there is such a key.
  [[nodiscard]] auto contains(K key) const {
    place_id const p = owner(key);
    return at(
        p,
        [](place_local<part> t, K k) {
          std::scoped_lock const hold(t->lock);
          return t->table.contains(k);
        },
        parts_, std::move(key));
  }
  /// co_await is true if the key was new.
  [[nodiscard]] auto insert(K key) const {
    place_id const p = owner(key);
    return at(p, [](place_local<part> t, K k) { return insert_here(t, std::move(k)); }, parts_, std::move(key));
  }
  void insert_async(K key) const {
    place_id const p = owner(key);
    at_async(
        p, [](place_local<part> t, K k) { static_cast<void>(insert_here(t, std::move(k))); }, parts_, std::move(key));
  }
  /// co_await is true if there was such a key.
  [[nodiscard]] auto erase(K key) const {
    place_id const p = owner(key);
    return at(
        p,
        [](place_local<part> t, K k) {
          std::scoped_lock const hold(t->lock);
          return t->table.erase(k) != 0;
        },
        parts_, std::move(key));
  }

  /// The keys of all places, which are asked one after the other.
  [[nodiscard]] task<std::uint64_t> size() const { return detail::count_everywhere(parts_); }
  /// This place's part, for its tasks, while no other task uses the set.
  [[nodiscard]] table& local() const noexcept { return parts_->table; }

 private:
  explicit distributed_set(place_local<part> parts) noexcept : parts_(parts) {}

  static bool insert_here(place_local<part> t, K key) {
    std::scoped_lock const hold(t->lock);
    return t->table.insert(std::move(key)).second;
  }

  place_local<part> parts_;
};

template <class K, class V, class Hash>
inline constexpr bool plain_data<distributed_map<K, V, Hash>> = true;
template <class K, class Hash>
inline constexpr bool plain_data<distributed_set<K, Hash>> = true;

}  // namespace tess
