// timeline_picture: small multiples: a panel for each kind of part, a row for each part, time to the right, loads as
// colours.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "machine/report/load_classes.hpp"
#include "machine/report/timeline.hpp"
#include "machine/report/xml.hpp"

namespace tess::machine {
namespace {

constexpr std::size_t bins_max = 220;
constexpr std::size_t links_max = 24;
constexpr std::size_t regions_max = 10;
// Sizes in the picture's own units.
constexpr double left_edge = 150;
constexpr double plot_width = 880;
constexpr double right_edge = 60;
constexpr double top_edge = 86;
constexpr double foot = 70;

struct heat_row {
  std::string label;
  std::vector<double> bins;
  double mean = 0;
};
struct heat_panel {
  std::string title;
  std::vector<heat_row> rows{};
  std::string note{};  ///< What is not shown.
};

/// The values of a column, averaged over equal parts of the time.
heat_row row_of(timeline::table const& all, std::size_t column, std::size_t bins, std::string label, double scale) {
  heat_row made{.label = std::move(label), .bins = std::vector<double>(bins)};
  double const begin = all.rows.front()[0];
  double const whole = all.rows.back()[1] - begin;
  double const width = whole / static_cast<double>(bins);
  for (auto const& row : all.rows) {
    double const value = row[column] * scale;
    made.mean += value * (row[1] - row[0]) / whole;
    auto const first = static_cast<std::size_t>(std::max(0.0, (row[0] - begin) / width));
    for (std::size_t bin = first; bin < bins; ++bin) {
      double const from = std::max(row[0], begin + static_cast<double>(bin) * width);
      double const to = std::min(row[1], begin + static_cast<double>(bin + 1) * width);
      if (to <= from) break;
      made.bins[bin] += value * (to - from) / width;
    }
  }
  return made;
}

std::string tile_text(std::uint32_t tile, std::uint32_t width) {
  return fmt::format("{}, {}", tile % width, tile / width);
}

/// "links[3-7].load" as "3, 0 to 3, 1"; `name` begins with `part` and ends with `value`.
bool reads(std::string_view name, std::string_view part, std::string_view value, std::uint32_t width,
           std::string& label) {
  if (!name.starts_with(part) || !name.ends_with(value)) return false;
  char const* at = name.data() + part.size();
  char const* const end = name.data() + name.size();
  std::uint32_t tile = 0;
  label.clear();
  for (auto read = std::from_chars(at, end, tile); read.ec == std::errc{}; read = std::from_chars(at, end, tile)) {
    label += (label.empty() ? "" : " to ") + tile_text(tile, width);
    at = read.ptr + 1;
    if (*read.ptr != '-') break;
  }
  return !label.empty();
}

void keep_busiest(heat_panel& panel, std::size_t most, char const* what) {
  std::ranges::sort(panel.rows, {}, [](heat_row const& one) { return std::pair(-one.mean, one.label); });
  std::size_t const idle =
      static_cast<std::size_t>(std::ranges::count_if(panel.rows, [](heat_row const& one) { return one.mean <= 0; }));
  std::size_t const kept = std::min(most, panel.rows.size() - idle);
  if (kept < panel.rows.size()) panel.note = fmt::format("{} {} with less", panel.rows.size() - kept, what);
  panel.rows.resize(kept);
}

std::string percent_text(double share) {
  return share < 0.0005   ? "0"
         : share < 0.0995 ? fmt::format("{:.1f}%", 100 * share)
                          : fmt::format("{:.0f}%", 100 * share);
}

/// Cells of equal colour are one rectangle.
std::string cells_of(heat_row const& row, double y, double height) {
  std::string text;
  double const width = plot_width / static_cast<double>(row.bins.size());
  for (std::size_t i = 0; i < row.bins.size();) {
    load_class const& seen = class_of(row.bins[i]);
    std::size_t end = i + 1;
    while (end < row.bins.size() && &class_of(row.bins[end]) == &seen) ++end;
    if (&seen != &load_classes.front())
      text += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>",
                          left_edge + static_cast<double>(i) * width, y, static_cast<double>(end - i) * width + 0.3,
                          height - 1, seen.colour);
    i = end;
  }
  return text;
}

std::string panel_text(heat_panel const& panel, double& y) {
  double const height = panel.rows.size() > 16 ? 9 : panel.rows.size() > 6 ? 12 : 15;
  std::string text =
      fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" class=\"t\">{}</text>\n", left_edge, y + 12, panel.title);
  if (!panel.note.empty())
    text += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" class=\"m\">{}</text>\n", left_edge + plot_width, y + 12,
                        panel.note);
  y += 19;
  text += fmt::format("<rect x=\"{:.0f}\" y=\"{:.1f}\" width=\"{:.0f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", left_edge,
                      y, plot_width, height * static_cast<double>(panel.rows.size()) - 1, load_classes.front().colour);
  for (heat_row const& row : panel.rows) {
    text += fmt::format(
        "<g><title>{0}: {1} in the mean</title><text x=\"{2:.0f}\" y=\"{3:.1f}\" class=\"n\" font-size=\"{4:.0f}\">{0}"
        "</text>{5}<text x=\"{6:.0f}\" y=\"{3:.1f}\" font-size=\"{4:.0f}\">{1}</text></g>\n",
        xml_escaped(row.label), percent_text(row.mean), left_edge - 6, y + height - (height > 9 ? 3 : 1.5),
        std::min(11.0, height), cells_of(row, y, height), left_edge + plot_width + 6);
    y += height;
  }
  y += 12;
  return text;
}

std::string axis_text(double begin_us, double end_us, double y) {
  double const span = end_us - begin_us;
  bool const is_long = end_us >= 10'000;
  double step = std::pow(10.0, std::floor(std::log10(span)));
  for (double const part : {0.5, 0.4, 0.5}) {
    if (span / step >= 5) break;
    step *= part;
  }
  std::string text;
  for (double at = std::ceil(begin_us / step) * step; at <= end_us + step * 1e-6; at += step) {
    double const x = left_edge + (at - begin_us) / span * plot_width;
    text += fmt::format(
        "<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"#90a4ae\"/>"
        "<text x=\"{0:.1f}\" y=\"{3:.1f}\" class=\"a\">{4:g}</text>\n",
        x, y - 8, y - 3, y + 9, is_long ? at * 1e-3 : at);
  }
  return text + fmt::format("<text x=\"{:.0f}\" y=\"{:.1f}\" class=\"n\" font-size=\"11\">time, {}</text>\n",
                            left_edge - 6, y + 9, is_long ? "ms" : "us");
}

std::string scale_text(double y) {
  std::string text;
  double x = left_edge;
  for (load_class const& one : load_classes) {
    text += fmt::format(
        "<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"84\" height=\"20\" fill=\"{}\"/><text x=\"{:.0f}\" "
        "y=\"{:.0f}\" text-anchor=\"middle\" font-size=\"11\" fill=\"{}\">{}</text>\n",
        x, y, one.colour, x + 42, y + 14, one.dark_text, xml_escaped(one.name));
    x += 84;
  }
  return text;
}

std::vector<heat_panel> panels_of(timeline::table const& all, std::uint32_t grid_width, std::uint64_t harts) {
  std::size_t const bins = std::min(bins_max, std::max<std::size_t>(all.rows.size(), 1));
  heat_panel regions{.title = "regions of the program: share of its harts that are in them"};
  heat_panel instructions{.title = "instructions a cycle of each hart, by tile"};
  heat_panel buses{.title = "buses of tiles"};
  heat_panel adapters{.title = "network adapters of tiles: something under way"};
  heat_panel memories{.title = "ports of memories"};
  heat_panel accelerators{.title = "accelerators near memories"};
  heat_panel links{.title = "links between tiles, busiest first"};
  for (std::size_t column = 2; column < all.names.size(); ++column) {
    std::string const& name = all.names[column];
    std::string label;
    auto const add = [&](heat_panel& to, std::string_view part, std::string_view value) {
      if (!reads(name, part, value, grid_width, label)) return false;
      to.rows.push_back(row_of(all, column, bins, label, 1));
      return true;
    };
    if (name.starts_with("regions[")) {
      constexpr std::size_t around = std::string_view("regions[].harts").size();
      regions.rows.push_back(row_of(all, column, bins, name.substr(8, name.size() - around),
                                    1 / static_cast<double>(std::max<std::uint64_t>(harts, 1))));
      continue;
    }
    add(instructions, "tiles[", "].instructions_per_hart_cycle") || add(buses, "tiles[", "].bus_load") ||
        add(adapters, "tiles[", "].adapter_load") || add(memories, "memories[", "].port_load") ||
        add(accelerators, "memories[", "].nma_load") || add(links, "links[", "].load");
  }
  keep_busiest(regions, regions_max, "regions");
  keep_busiest(links, links_max, "links");
  std::vector<heat_panel> made;
  for (heat_panel* const one : {&regions, &instructions, &buses, &adapters, &memories, &accelerators, &links})
    if (std::ranges::any_of(one->rows, [](heat_row const& row) { return row.mean > 0; }))
      made.push_back(std::move(*one));
  return made;
}

}  // namespace

std::string timeline::picture(std::string const& program) const {
  table const all = columns();
  machine_description const& description = of_.hardware().description;
  std::uint64_t harts = 0;
  for (auto const& one : of_.programs()) harts += one->harts().size();
  std::string body;
  double y = top_edge;
  if (!all.rows.empty()) {
    for (heat_panel const& one : panels_of(all, description.width, harts)) body += panel_text(one, y);
    body += axis_text(all.rows.front()[0], all.rows.back()[1], y);
  }
  double const width = left_edge + plot_width + right_edge;
  double const height = y + foot;
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
             "height=\"{1:.0f}\" font-family=\"sans-serif\">\n<style>.t{{font-size:13px;font-weight:bold}}"
             ".n{{text-anchor:end}}.m{{font-size:11px;text-anchor:end;fill:#455a64}}.a{{font-size:11px;"
             "text-anchor:middle}}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fafafa\"/>\n"
             "<text x=\"{2:.0f}\" y=\"34\" font-size=\"20\" font-weight=\"bold\">{3}: {4}, over time</text>\n"
             "<text x=\"{2:.0f}\" y=\"58\" font-size=\"13\">Busy share of each part; on the right its mean. {5} rows "
             "of "
             "{6}.</text>\n",
             width, height, left_edge, xml_escaped(description.name),
             xml_escaped(program.substr(program.rfind('/') + 1)), all.rows.size(),
             interval_ % 1'000'000 == 0 ? fmt::format("{} us", interval_ / 1'000'000)
                                        : fmt::format("{} ns", interval_ / 1000)) +
         body + scale_text(y + 28) + "</svg>\n";
}

}  // namespace tess::machine
