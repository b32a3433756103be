// copies: gathers the counts and prints the table.
#include "imsuite/copies.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ranges>

#include "imsuite/names.hpp"
#include "imsuite/table5.hpp"
#include "imsuite/x10.hpp"
#include "tess/tess.hpp"

namespace imsuite {

namespace {

// One place's counts, as sent to place 0.
struct counted_list {
  tess::array<counted> all;
};

// Graphs of one size class, with the ranges of their objects and bytes.
struct size_class {
  std::string_view name;
  std::uint64_t bytes_end;
};
// Formatted as in the paper; its words are half as long.
constexpr std::array classes{size_class{"small", 2048}, size_class{"medium", 16384}, size_class{"large", UINT64_MAX}};

std::string ours(std::vector<counted> const& found) {
  std::uint64_t graphs = 0, objects = 0, bytes = 0;
  for (counted const& c : found) {
    graphs += c.graphs;
    objects += c.graphs * c.size.objects;
    bytes += c.graphs * c.size.bytes;
  }
  if (graphs == 0) return "  here   no copies: all nodes are at one place\n";
  std::string text = fmt::format("  here   {:6} copies, mean {:.1f} objects, {:.0f} bytes\n", 2 * graphs,
                                 static_cast<double>(objects) / static_cast<double>(graphs),
                                 static_cast<double>(bytes) / static_cast<double>(graphs));
  for (counted const& c : found) {
    auto const* in = classes.begin();
    while (c.size.bytes >= in->bytes_end) ++in;
    text += fmt::format("         {:6} of {:2} objects, {:5} bytes ({}), {} arrays in them\n", 2 * c.graphs,
                        c.size.objects, c.size.bytes, in->name, c.size.arrays);
  }
  return text;
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (auto const cell : std::views::split(line, ',')) cells.emplace_back(cell.begin(), cell.end());
  return cells;
}

// Columns: kernel, copies, objects, bytes, and objects, bytes, copies of the small, the medium and the large graphs.
std::string the_papers(std::string_view name) {
  for (auto const each : std::views::split(nemesys_table5, '\n')) {
    auto const cells = cells_of(std::string_view(each.begin(), each.end()));
    if (cells.size() != 4 + 3 * classes.size() || cells[0] != name) continue;
    std::string text =
        fmt::format("  paper  {:>6} copies, mean {} objects, {} bytes (in words of 4)\n", cells[1], cells[2], cells[3]);
    for (std::size_t c = 0; c < classes.size(); ++c) {
      auto const* const of = &cells[4 + 3 * c];
      if (!of[2].empty())
        text += fmt::format("         {:>6} of {:>2} objects, {} bytes ({})\n", of[2], of[0], of[1], classes[c].name);
    }
    return text;
  }
  return {};
}

}  // namespace

tess::task<void> start_counting(tess::place_local<copies> everywhere) {
  co_await tess::on_all_places(
      [](tess::place_local<copies> here) {
        here->sizes.clear();
        here->counting = true;
      },
      everywhere);
}

tess::task<std::vector<counted>> stop_counting(tess::place_local<copies> everywhere) {
  std::map<graph_size, std::uint64_t> sums;
  for (unsigned p = 0; p < tess::places(); ++p) {
    auto const list = co_await tess::at(
        static_cast<tess::place_id>(p),
        [](tess::place_local<copies> here) {
          here->counting = false;
          auto* const made = tess::make<counted_list>(tess::array<counted>(here->sizes.size()));
          std::ranges::transform(here->sizes, made->all.begin(),
                                 [](auto const& s) { return counted{s.first, s.second.graphs}; });
          return made;
        },
        everywhere);
    for (counted const& c : list->all) sums[c.size] += c.graphs;
  }
  std::vector<counted> found;
  for (auto const& [size, graphs] : sums) found.push_back({size, graphs});
  co_return found;
}

namespace {

std::uint64_t copies_of(std::vector<counted> const& found) {
  std::uint64_t copies = 0;
  for (counted const& c : found) copies += 2 * c.graphs;
  return copies;
}

std::string typical_graph(copies const& here) {
  auto const most = std::ranges::max_element(here.sizes, {}, [](auto const& s) { return s.second.graphs; });
  if (most == here.sizes.end()) return {};
  std::vector<std::string> words, json;
  for (graph_part const& part : most->second.parts) {
    words.push_back(fmt::format("{} {}", part.name, part.words));
    json.push_back(fmt::format("[\"{}\", {}]", part.name, part.words));
  }
  tess::report_result("typical", fmt::format("[{}]", fmt::join(json, ", ")));
  return fmt::format("the most frequent graph from place 0: {} words of 8 bytes, headers included\n  {}\n",
                     most->first.bytes / 8, fmt::join(words, ", "));
}

}  // namespace

std::string report_copies(kernel k, std::vector<counted> const& found, copies const& here) {
  std::vector<std::string> json;
  for (counted const& c : found)
    json.push_back(fmt::format("[{}, {}, {}, {}]", c.size.objects, c.size.arrays, c.size.bytes, 2 * c.graphs));
  tess::report_result("copies", std::to_string(copies_of(found)));
  tess::report_result("graphs", fmt::format("[{}]", fmt::join(json, ", ")));
  return fmt::format("copies of graphs to other places, each counted at both ends (NEMESYS, table 5)\n{}{}{}",
                     ours(found), the_papers(name_of(k).paper), typical_graph(here));
}

}  // namespace imsuite
