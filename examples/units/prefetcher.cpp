// prefetcher: a unit beside the L2 that fetches lines before they are asked for: it hears the L2's misses, and follows
// streams of equal strides.
//
//   It keeps a table of streams, each the misses within a page. A miss that is as far from the one before it as that
//   was from its own makes the stream certain; then the next lines of this stride are asked for, `ahead` of them.
//   It has no registers: programs need not know of it.
//
// Source    the reference prediction table of T.-F. Chen and J.-L. Baer, "Effective Hardware-Based Data Prefetching for
//           High-Performance Processors", IEEE Transactions on Computers 44(5), 1995, by pages instead of instructions.
#include <algorithm>
#include <tess/machine/unit.hpp>

namespace {

class prefetcher final : public tess::unit::device, private tess::unit::miss_listener {
 public:
  static constexpr auto parameters = std::to_array<tess::unit::parameter>({
      {.name = "streams",
       .unit = "streams",
       .meaning = "that are followed at a time",
       .usual = 16,
       .least = 1,
       .most = 1024},
      {.name = "ahead",
       .unit = "lines",
       .meaning = "asked for at each miss of a stream",
       .usual = 4,
       .least = 1,
       .most = 64},
      {.name = "page_bytes",
       .unit = "bytes",
       .meaning = "whose misses are a stream",
       .usual = 4096,
       .least = 256,
       .most = 1 << 20},
      {.name = "certain",
       .unit = "misses",
       .meaning = "of one stride before lines are asked for",
       .usual = 1,
       .least = 0,
       .most = 8},
  });

  explicit prefetcher(tess::unit::tile& here)
      : here_(here),
        ahead_(here.value("ahead")),
        page_bytes_(here.value("page_bytes")),
        certain_(here.value("certain")),
        heard_(here.statistic("misses", "misses of the L2 that it heard")),
        asked_(here.statistic("prefetches", "lines that it asked for")),
        streams_(here.value("streams")) {
    here.l2.tell_misses(*this);
  }

 private:
  struct stream {
    std::uint64_t page = ~std::uint64_t{0};
    std::uint64_t last = 0;
    std::uint64_t stride = 0;  ///< In bytes; a negative one wraps around.
    std::uint64_t repeated = 0;
    std::uint64_t used = 0;
  };

  void missed(std::uint64_t line, bool) override {
    ++heard_;
    std::uint64_t const page = line / page_bytes_;
    // A stream that comes to the end of its page goes on in the next one.
    auto const found = std::ranges::find_if(streams_, [&](stream const& one) {
      return one.page == page || (one.stride != 0 && one.last + one.stride == line);
    });
    stream& of = found != streams_.end() ? *found : *std::ranges::min_element(streams_, {}, &stream::used);
    bool const follows = found != streams_.end();
    if (!follows) of = {};
    std::uint64_t const stride = follows ? line - of.last : 0;
    // Lines that were asked for do not miss: the next miss may be several strides away.
    bool const same = of.stride != 0 && stride != 0 && is_multiple(stride, of.stride);
    of.repeated = same ? of.repeated + 1 : 0;
    if (!same) of.stride = stride;
    of.page = page;
    of.last = line;
    of.used = heard_;
    if (of.stride == 0 || of.repeated < certain_) return;
    for (std::uint64_t i = 1; i <= ahead_; ++i) asked_ += here_.l2.prefetch(line + i * of.stride) ? 1 : 0;
  }

  /// Is it 1 to ahead_ + 1 strides?
  [[nodiscard]] bool is_multiple(std::uint64_t distance, std::uint64_t stride) const {
    for (std::uint64_t i = 1; i <= ahead_ + 1; ++i)
      if (distance == i * stride) return true;
    return false;
  }

  tess::unit::tile& here_;
  std::uint64_t ahead_;
  std::uint64_t page_bytes_;
  std::uint64_t certain_;
  std::uint64_t& heard_;
  std::uint64_t& asked_;
  std::vector<stream> streams_;
};

}  // namespace

TESS_UNIT(prefetcher, "asks for the next lines of the L2's streams of misses");
