// access_streams: recognises accesses to pages in equal steps, whose next pages can be prefetched.
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
    std::uint32_t steps = 0;      // how many were equal
    std::int64_t prefetched = 0;  // steps beyond `last`
    std::uint64_t used = 0;       // when
    /// Enough equal steps to expect more.
    [[nodiscard]] bool is_established() const noexcept;
  };
  struct result {
    stream* continued = nullptr;   // the stream that this access belongs to, unless it is new
    std::uint64_t left = no_page;  // the page that an established stream has left
  };
  /// Records an access to a page.
  [[nodiscard]] result record(std::uint64_t page);

 private:
  std::array<stream, 8> streams_{};
  std::uint64_t accesses_ = 0;
};

}  // namespace tess::rmem::detail
