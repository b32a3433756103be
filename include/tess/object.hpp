// object: plain structs that travel: created by make(), copied with all that they lead to by at() and copy().
//
//     struct tree { int value; tree* left; tree* right; tess::array<double> weights; };
//     auto* t = tess::make<tree>(1, nullptr, nullptr, tess::array<double>(100));
//     tess::graph<tree> grown = co_await tess::at(p, [](tree* copy) -> tess::task<tree*> { … co_return copy; }, t);
//
//   Members: trivially copyable data, pointers to objects (also to a base, or one_of<A, B>), array<T>, array<T*>,
//   string, nested structs, std::array, transient<T>, global_ref<T>. Anything else is a compile error that names the
//   member and the remedy. Types with a base, private members or constructors list their members:
//   `struct leaf : node { … TESS_OBJECT(leaf, node, a, b) };`, base void if there is none.
//
//   Objects live in regions, which are freed as a whole, without destructors (docs/use/objects.md). The objects that a
//   call makes, and its arguments, live until it and all that it spawned have ended; a returned graph as long as its
//   graph<T>; an arena's as long as the arena; kept objects, and those made outside of any call, until the job ends.
//
// Units    bytes. An object is smaller than 2 GiB, a graph smaller than 32 GiB.
// Threads  make: tasks of the place. An arena: one task.
// Errors   out_of_memory. Checked builds throw when an object of a freed region is passed or followed.
// Cost     make: an addition, and clearing. copy: docs/use/objects.md.
// Source   "NEMESYS" (MEMSYS 2019), section 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "tess/array.hpp"
#include "tess/copier.hpp"
#include "tess/detail/objects/type_entry.hpp"
#include "tess/global_ref.hpp"
#include "tess/one_of.hpp"
#include "tess/transient.hpp"

namespace tess {

namespace detail {

/// Checks that the compiler's layout agrees with the derived one; folds to nothing.
template <class T>
void check_layout([[maybe_unused]] T& object) {
  if constexpr (std::is_aggregate_v<T> && !is_listed<T>) {
    with_members<aggregate<T>::count>(object, [&]<class... M>(M&... m) {
      std::size_t end = 0;
      auto const one = [&]<class Member>(Member& member) {
        end = (end + alignof(Member) - 1) / alignof(Member) * alignof(Member);
        TESS_ASSERT(reinterpret_cast<std::byte*>(&member) - reinterpret_cast<std::byte*>(&object) ==
                    static_cast<std::ptrdiff_t>(end));
        end += sizeof(Member);
      };
      (one(m), ...);
    });
  }
}

template <class T, class... Args>
T* make_in(region& where, Args&&... args) {
  type_record const& type = type_entry<T>::record;
  T* const made = ::new (where.allocate(type, type_index_of(type), sizeof(T))) T(std::forward<Args>(args)...);
  check_layout(*made);
  return made;
}

}  // namespace detail

/// Creates an object, T(args...), in the region of the running call.
template <class T, class... Args>
[[nodiscard]] T* make(Args&&... args) {
  return detail::make_in<T>(detail::current_region(), std::forward<Args>(args)...);
}

/// Creates objects that are freed together with it. `arena scratch; auto* n = scratch.make<node>(…);`
class arena {
 public:
  arena() : region_(detail::region::make(0)) {}
  arena(arena const&) = delete;
  arena& operator=(arena const&) = delete;
  ~arena() { detail::region::end(region_); }

  /// Creates an object, an array, a text.
  template <class T, class... Args>
  [[nodiscard]] T* make(Args&&... args) {
    return detail::make_in<T>(*region_, std::forward<Args>(args)...);
  }
  template <class T>
  [[nodiscard]] array<T> make_array(std::size_t count) {
    return array<T>(*region_, count);
  }
  [[nodiscard]] string make_string(std::string_view text);
  /// The size of its chunks.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return region_->bytes(); }

 private:
  detail::region* region_;
};

/// Creates objects that last as long as the job: `place_objects().make<node>(…)`.
class place_objects {
 public:
  /// Creates an object, an array.
  template <class T, class... Args>
  [[nodiscard]] T* make(Args&&... args) const {
    return detail::make_in<T>(detail::place_region(), std::forward<Args>(args)...);
  }
  template <class T>
  [[nodiscard]] array<T> make_array(std::size_t count) const {
    return array<T>(detail::place_region(), count);
  }
};

/// Owns a copied graph; get() is its root.
template <class T>
class graph {
 public:
  using element_type = T;

  graph() noexcept = default;
  graph(T* root, detail::region* r) noexcept : root_(root), region_(r) {}
  graph(graph&& other) noexcept
      : root_(std::exchange(other.root_, nullptr)), region_(std::exchange(other.region_, nullptr)) {}
  graph& operator=(graph&& other) noexcept {
    std::swap(root_, other.root_);
    std::swap(region_, other.region_);
    return *this;
  }
  ~graph() {
    if (region_ != nullptr) detail::region::end(region_);
  }

  [[nodiscard]] T* get() const noexcept { return root_; }
  operator T*() const noexcept { return root_; }
  T* operator->() const noexcept { return root_; }
  T& operator*() const noexcept { return *root_; }
  explicit operator bool() const noexcept { return root_ != nullptr; }

  /// Passes the region to the caller.
  [[nodiscard]] detail::region* release() noexcept {
    root_ = nullptr;
    return std::exchange(region_, nullptr);
  }

 private:
  T* root_ = nullptr;
  detail::region* region_ = nullptr;
};

/// Keeps the whole region of `root` until the job ends or discard(root): a call's arguments, or what its body made.
template <class T>
T* keep(T* root) {
  if (root != nullptr) detail::region_of(root)->keep();
  return root;
}
template <class T>
T* keep(graph<T> owned) {
  T* const root = keep(owned.get());
  if (detail::region* const r = owned.release()) detail::region::end(r);
  return root;
}
/// Frees what keep() kept; null is allowed. Its region must not be used any more, and its call must have ended.
template <class T>
void discard(T* root) {
  if (root != nullptr) detail::discard_region(detail::region_of(root));
}

/// The statistics of a copy.
struct copy_counts {
  std::uint64_t objects = 0;  ///< including arrays
  std::uint64_t bytes = 0;    ///< of the image, including headers
};

namespace detail {
struct copied_graph {
  void* root;
  region* owner;
};
[[nodiscard]] copied_graph copy_here(void const* root, copier by, copy_map map, copy_counts* counts);
}  // namespace detail

/// Copies everything that `root` leads to, at this place: what at(here(), …) does with its arguments.
template <class T>
[[nodiscard]] graph<T> copy(T* root, copier by = copier::automatic, copy_map map = copy_map::automatic,
                            copy_counts* counts = nullptr) {
  detail::copied_graph const made = detail::copy_here(root, by, map, counts);
  return graph<T>(static_cast<T*>(made.root), made.owner);
}

}  // namespace tess

// NOLINTBEGIN: the preprocessor needs these for repetition.
#define TESS_PARENS ()
#define TESS_EXPAND(...) TESS_EXPAND3(TESS_EXPAND3(TESS_EXPAND3(TESS_EXPAND3(__VA_ARGS__))))
#define TESS_EXPAND3(...) TESS_EXPAND2(TESS_EXPAND2(TESS_EXPAND2(TESS_EXPAND2(__VA_ARGS__))))
#define TESS_EXPAND2(...) TESS_EXPAND1(TESS_EXPAND1(TESS_EXPAND1(TESS_EXPAND1(__VA_ARGS__))))
#define TESS_EXPAND1(...) __VA_ARGS__
#define TESS_LIST_MEMBERS(type, ...) __VA_OPT__(TESS_EXPAND(TESS_LIST_MEMBER(type, __VA_ARGS__)))
#define TESS_LIST_MEMBER(type, m, ...)                                                \
  ::tess::detail::listed_member<decltype(type::m), offsetof(type, m)>{#m} __VA_OPT__( \
      , TESS_LIST_AGAIN TESS_PARENS(type, __VA_ARGS__))
#define TESS_LIST_AGAIN() TESS_LIST_MEMBER

/// Used inside a class that is not a plain aggregate: its base, or void, and all members in order.
#define TESS_OBJECT(type, base, ...)                                                       \
  friend struct ::tess::detail::listed_access;                                             \
  _Pragma("clang diagnostic push")                                                         \
      _Pragma("clang diagnostic ignored \"-Winvalid-offsetof\"") template <class TessSelf> \
      static consteval auto tess_object(TessSelf*) {                                       \
    return ::tess::detail::list_members<base>(TESS_LIST_MEMBERS(type, __VA_ARGS__));       \
  }                                                                                        \
  _Pragma("clang diagnostic pop")
// NOLINTEND
