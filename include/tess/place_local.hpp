// place_local: one T per place, made by one task for all; the 8-byte handle travels in `at`; *h is this place's T.
//
//   It replaces mutable globals, which places in one process would share by accident.
//
// Errors   an exception of a constructor is thrown by make(), after what the other places made has been destroyed.
// Threads  made and released by one task, for all; *h by any task of the place.
// Cost     *h is an addition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "tess/detail/objects/plain_data.hpp"
#include "tess/forall.hpp"
#include "tess/global_ptr.hpp"
#include "tess/memory.hpp"

namespace tess {

template <class T>
class place_local {
 public:
  place_local() = default;

  /// Constructs T(args...) at every place; args travel as for at_async.
  template <class... Args>
  static task<place_local> make(Args... args) {
    static_assert(alignof(T) <= 64);
    place_local const h(co_await detail::symmetric_allocate(sizeof(block)));
    std::exception_ptr failed;
    try {
      co_await on_all_places(
          [](place_local l, Args... a) {
            new (l.address()) T(a...);
            l.here_block().made = true;
          },
          h, args...);
    } catch (...) {
      failed = std::current_exception();
    }
    if (failed) {
      co_await release(h);
      std::rethrow_exception(std::move(failed));
    }
    co_return h;
  }
  /// Destroys every place's T and gives the memory back.
  static task<void> release(place_local h) {
    // A place whose T could not be constructed has nothing to destroy.
    co_await on_all_places(
        [](place_local l) {
          if (std::exchange(l.here_block().made, false)) std::destroy_at(l.address());
        },
        h);
    co_await detail::symmetric_release(h.offset_);
  }

  T& operator*() const { return *address(); }
  T* operator->() const { return address(); }
  /// The T of another place, for word and block operations.
  [[nodiscard]] global_ptr<T> of(place_argument p) const { return global_ptr<T>(p, offset_); }

 private:
  explicit place_local(std::uint64_t offset) noexcept : offset_(offset) {}
  /// The block at the offset; zeroed when it is allocated.
  struct block {
    alignas(T) std::byte value[sizeof(T)];
    bool made;
  };
  [[nodiscard]] T* address() const { return static_cast<T*>(detail::to_local(global_ptr<T>(here(), offset_).bits())); }
  [[nodiscard]] block& here_block() const { return *reinterpret_cast<block*>(address()); }

  std::uint64_t offset_ = 0;
};

template <class T>
inline constexpr bool plain_data<place_local<T>> = true;

}  // namespace tess
