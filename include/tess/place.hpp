// place: a partition of the global address space, and the workers that may access it with ordinary loads and stores.
#pragma once

#include <concepts>
#include <cstdint>
#include <source_location>
#include <type_traits>

#include "tess/detail/tasks/worker.hpp"
#include "tess/error.hpp"

namespace tess {

/// The caller's place. Only inside run().
[[nodiscard]] inline place_id here() noexcept {
  TESS_DEBUG_ASSERT(detail::self != nullptr);
  return detail::self->place;
}

/// The number of places of the job, 1 to 65535.
[[nodiscard]] inline place_id places() noexcept {
  return detail::job.places;
}

/// The number of workers of each place.
[[nodiscard]] inline unsigned workers() noexcept {
  return detail::job.workers;
}

/// A place as the argument of a call: any integer, so that a number that no place has is refused, not cut to 16 bits.
/// It also has the call's line, which a call with any number of arguments cannot take as a further one.
class place_argument {
 public:
  template <std::integral Number>
  [[gnu::always_inline]] constexpr place_argument(Number place,
                                                  std::source_location at = std::source_location::current())
      : place_(static_cast<place_id>(place)), called_at_(at) {
    if constexpr (!std::is_same_v<Number, place_id>)
      if (static_cast<std::uint64_t>(place) > 0xffff) [[unlikely]]
        refuse(static_cast<std::int64_t>(place));
  }
  [[gnu::always_inline]] constexpr operator place_id() const noexcept { return place_; }
  [[nodiscard]] constexpr std::source_location called_at() const noexcept { return called_at_; }  ///< of the call

 private:
  [[noreturn]] static void refuse(std::int64_t place);

  place_id place_;
  std::source_location called_at_;
};

}  // namespace tess
