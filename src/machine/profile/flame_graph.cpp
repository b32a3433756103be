// flame_graph: the tree as bars upon bars, each as wide as its cycles; what they were spent on is the last bar.
//
// Source    B. Gregg, "The Flame Graph" (CACM 59/6, 2016).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "machine/profile/cycle_profile.hpp"
#include "machine/report/xml.hpp"

namespace tess::machine {
namespace {

constexpr double width = 1400;
constexpr double margin = 12;
constexpr double row = 17;
constexpr double head = 78;
constexpr double narrowest = 0.4;  ///< Bars below are left out.
constexpr double letter = 6.3;     ///< Mean width, 11 px.

// By what cycles are spent on; distinguishable with colour blindness (after Okabe and Ito).
constexpr std::array<char const*, ways_to_spend> colours{"#009e73", "#f0e442", "#e69f00", "#d55e00",
                                                         "#999999", "#cc79a7", "#b79ae0", "#c9b037",
                                                         "#0072b2", "#56b4e9", "#dde3e6"};

class drawing {
 public:
  explicit drawing(profile_tree const& tree) : tree_(tree), depth_(depth_of(0, 0)) {
    scale_ = (width - 2 * margin) / static_cast<double>(std::max<std::uint64_t>(tree[0].total, 1));
    height_ = head + static_cast<double>(depth_ + 1) * row + margin;
    draw(0, margin, 0);
  }
  [[nodiscard]] std::string svg(std::string const& title) const {
    std::string legend;
    double x = margin;
    spent_cycles all{};
    for (profile_node const& node : tree_)
      for (std::size_t on = 0; on < ways_to_spend; ++on) all[on] += node.cycles[on];
    for (std::size_t on = 0; on < ways_to_spend; ++on) {
      if (all[on] == 0) continue;
      std::string const text = fmt::format("{} {}", name_of(static_cast<spent>(on)), percent(all[on]));
      legend += fmt::format(
          "<rect x=\"{:.0f}\" y=\"48\" width=\"13\" height=\"13\" fill=\"{}\" stroke=\"#666\"/>"
          "<text x=\"{:.0f}\" y=\"59\">{}</text>\n",
          x, colours[on], x + 18, xml_escaped(text));
      x += 18 + letter * static_cast<double>(text.size()) + 22;
    }
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
               "height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"11\">\n"
               "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
               "<text x=\"{2:.0f}\" y=\"22\" font-size=\"16\" font-weight=\"bold\">{3}</text>\n"
               "<text x=\"{2:.0f}\" y=\"38\" fill=\"#555\">{4} cycles of all harts; a bar is as wide as the cycles in "
               "it and in what it calls; the last one says what they were spent on</text>\n",
               width, height_, margin, xml_escaped(title), tree_[0].total) +
           legend + bars_ + "</svg>\n";
  }

 private:
  [[nodiscard]] std::size_t depth_of(std::uint32_t node, std::size_t at) const {
    std::size_t deepest = at + (tree_[node].is_line ? 1 : 0);
    for (std::uint32_t const child : tree_[node].children) deepest = std::max(deepest, depth_of(child, at + 1));
    return deepest;
  }
  [[nodiscard]] std::string percent(std::uint64_t cycles) const {
    double const part =
        100 * static_cast<double>(cycles) / static_cast<double>(std::max<std::uint64_t>(tree_[0].total, 1));
    return part >= 10 ? fmt::format("{:.0f}%", part) : fmt::format("{:.2g}%", part);
  }
  void bar(double x, double long_by, std::size_t level, std::string const& label, std::uint64_t cycles,
           char const* colour) {
    double const y = height_ - margin - static_cast<double>(level + 1) * row;
    bars_ += fmt::format(
        "<g><title>{}: {} cycles, {}</title><rect x=\"{:.1f}\" y=\"{:.0f}\" width=\"{:.1f}\" height=\"{:.0f}\" "
        "fill=\"{}\" stroke=\"#fff\" stroke-width=\"0.5\"/>",
        xml_escaped(label), cycles, percent(cycles), x, y, long_by, row - 1, colour);
    auto const letters = static_cast<std::size_t>(std::max(0.0, (long_by - 6) / letter));
    if (letters >= 3) {
      std::string_view fitting = label;
      // Rather the last part of a name than the first one of its namespace.
      for (std::size_t at = 0; fitting.size() > letters && (at = fitting.find("::")) != std::string_view::npos;)
        fitting.remove_prefix(at + 2);
      std::string const text(fitting.size() <= letters ? std::string(fitting)
                                                       : std::string(fitting.substr(0, letters - 1)) + "…");
      bars_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.0f}\">{}</text>", x + 3, y + 12, xml_escaped(text));
    }
    bars_ += "</g>\n";
  }
  void draw(std::uint32_t number, double x, std::size_t level) {
    profile_node const& node = tree_[number];
    double const long_by = static_cast<double>(node.total) * scale_;
    if (long_by < narrowest) return;
    if (!node.label.empty()) {
      bar(x, long_by, level, node.label, node.total, node.is_line ? "#eceff1" : level % 2 == 0 ? "#ffd9b3" : "#ffcc99");
      ++level;
    }
    std::vector<std::uint32_t> below = node.children;
    std::ranges::sort(below, [&](std::uint32_t a, std::uint32_t b) {
      return tree_[a].total != tree_[b].total ? tree_[a].total > tree_[b].total : a < b;
    });
    for (std::uint32_t const child : below) {
      draw(child, x, level);
      x += static_cast<double>(tree_[child].total) * scale_;
    }
    if (!node.is_line) return;
    for (std::size_t on = 0; on < ways_to_spend; ++on) {
      double const part = static_cast<double>(node.cycles[on]) * scale_;
      if (part >= narrowest) bar(x, part, level, name_of(static_cast<spent>(on)), node.cycles[on], colours[on]);
      x += part;
    }
  }

  profile_tree const& tree_;
  std::size_t depth_;
  double scale_ = 0;
  double height_ = 0;
  std::string bars_;
};

}  // namespace

std::string flame_graph(profile_tree const& tree, std::string const& title) {
  return drawing(tree).svg(title);
}

}  // namespace tess::machine
