// collective_cases: arrays that all places combine, gather or exchange, against a copy of the bytes that one receives.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "cases.hpp"
#include "harness/clock.hpp"
#include "limits/between_cores.hpp"

namespace bench {
namespace {

using item = std::int64_t;
using items = std::vector<item>;

/// So that a measurement takes about as long for each size.
std::uint64_t episodes_of(std::size_t bytes) {
  return std::max<std::uint64_t>((std::uint64_t{32} << 20U) / (bytes + 4096), 4);
}

/// Two flags, as a barrier needs, and the other's bytes.
double flags_and_copy(std::size_t bytes) {
  items const from(bytes / sizeof(item), 1);
  items to(from.size());
  std::uint64_t const episodes = episodes_of(bytes);
  double const begin = timestamp();
  for (std::uint64_t i = 0; i < episodes; ++i) {
    std::memcpy(to.data(), from.data(), bytes);
    do_not_optimize(to.front());
  }
  return (timestamp() - begin) * ns_per_second / static_cast<double>(episodes) + flag_exchange(1000);
}

enum class kind { all_reduce, all_gather, all_to_all };

/// `values` is for one place, `of_all` for each.
tess::task<void> one_episode(kind what, items& values, items const& to_all, items& of_all) {
  switch (what) {
    case kind::all_reduce:
      return tess::all_reduce(std::span(values));
    case kind::all_gather:
      return tess::all_gather(values, std::span(of_all));
    case kind::all_to_all:
      return tess::all_to_all(to_all, std::span(of_all));
  }
  std::unreachable();
}

tess::task<double> episodes(kind what, std::size_t bytes) {
  auto const result = co_await tess::place_local<double>::make(0.0);
  co_await tess::on_all_places(
      [](tess::place_local<double> ns, kind of, std::size_t each) -> tess::task<void> {
        items values(each / sizeof(item), 1);
        items const to_all(values.size() * tess::places(), 1);
        items of_all(to_all.size());
        std::uint64_t const count = episodes_of(each);
        for (std::uint64_t i = 0; i < count / 8 + 1; ++i) co_await one_episode(of, values, to_all, of_all);
        co_await tess::barrier();
        double const begin = timestamp();
        for (std::uint64_t i = 0; i < count; ++i) co_await one_episode(of, values, to_all, of_all);
        *ns = (timestamp() - begin) * ns_per_second / static_cast<double>(count);
      },
      result, what, bytes);
  double const ns = *result;
  co_await tess::place_local<double>::release(result);
  co_return ns;
}

}  // namespace

tess::task<void> collective_cases(suite& results) {
  for (auto const& [what, name] : {std::pair{kind::all_reduce, "all_reduce of "},
                                   {kind::all_gather, "all_gather of "},
                                   {kind::all_to_all, "all_to_all of "}})
    for (auto const& [bytes, size] : {std::pair{std::size_t{8}, "8 B"},
                                      {std::size_t{1} << 10U, "1 KiB"},
                                      {std::size_t{64} << 10U, "64 KiB"},
                                      {std::size_t{1} << 20U, "1 MiB"},
                                      {std::size_t{16} << 20U, "16 MiB"}})
      co_await compare(
          results, std::string(name) + size, "ns", [bytes] { return flags_and_copy(bytes); },
          [what, bytes] { return episodes(what, bytes); });
}

}  // namespace bench
