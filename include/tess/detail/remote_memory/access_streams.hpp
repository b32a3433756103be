// access_streams: detects page accesses with a constant stride, so that their next pages can be prefetched.
#pragma once

#include <array>
#include <cstdint>

namespace tess::rmem::detail {

class access_streams {
 public:
  static constexpr std::uint64_t no_page = ~std::uint64_t{0};

  struct stream {
    std::uint64_t last = no_page;
    std::int64_t step = 0;        // in pages; 0: only one access so far
    std::uint32_t steps = 0;      // how many steps in a row were equal
    std::int64_t prefetched = 0;  // number of steps beyond `last`
    std::uint64_t used = 0;       // the time of the last use
    /// True after enough equal steps to expect more.
    [[nodiscard]] bool is_established() const noexcept;
  };
  struct result {
    stream* continued = nullptr;   // the stream that this access continues; null for a new one
    std::uint64_t left = no_page;  // the page that an established stream has just left
  };
  /// Records an access to a page.
  [[nodiscard]] result record(std::uint64_t page);

 private:
  std::array<stream, 8> streams_{};
  std::uint64_t accesses_ = 0;
};

}  // namespace tess::rmem::detail
