// picture: tiles as boxes with a bar for each part; two arrows between neighbours, one for each direction.
#include "machine/report/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "machine/report/load_classes.hpp"
#include "machine/report/xml.hpp"

namespace tess::machine {
namespace {

// Sizes in the picture's own units, which are pixels at its natural size.
constexpr double box = 148;
constexpr double gap = 84;
constexpr double margin = 40;
constexpr double head = 74;
constexpr double legend = 70;
constexpr double lane = 13;  ///< From the middle between two tiles to an arrow.

std::string percent_of(double load) {
  if (load < 0.0001) return "0";
  if (load < 0.0005) return "&lt;0.1%";
  return load < 0.1 ? fmt::format("{:.1f}%", load * 100) : fmt::format("{:.0f}%", load * 100);
}

struct point {
  double x;
  double y;
};

/// Upper left corner of a tile.
point corner(machine_description const& description, std::uint32_t tile) {
  return {.x = margin + (tile % description.width) * (box + gap),
          .y = head + margin + (tile / description.width) * (box + gap)};
}

/// A part of a tile: its name, a bar as long as its load, and the figure. `what` is the tooltip.
std::string bar(point at, char const* name, double load, std::string const& figure, std::string const& what) {
  constexpr double width = 46;
  constexpr double height = 15;
  constexpr double name_width = 52;
  double const x = at.x + name_width;
  return fmt::format(
      "<g><title>{}</title><text x=\"{:.0f}\" y=\"{:.0f}\" class=\"n\">{}</text>"
      "<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" fill=\"#eceff1\"/>"
      "<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.1f}\" height=\"{:.0f}\" fill=\"{}\"/>"
      "<text x=\"{:.0f}\" y=\"{:.0f}\" class=\"f\">{}</text></g>\n",
      xml_escaped(what), at.x, at.y + 12, name, x, at.y, width, height, x, at.y,
      load < load_classes.front().below ? 0 : std::max(2.0, width * std::min(load, 1.0)), height, class_of(load).colour,
      at.x + box - 16, at.y + 12, figure);
}

std::string tile_box(machine_description const& description, measurement const& run, tile_measured const& one) {
  point const at = corner(description, one.number);
  std::uint64_t instructions = 0;
  std::uint64_t busy_harts = 0;
  for (hart_measured const& each : run.harts) {
    if (each.tile != one.number) continue;
    instructions += each.instructions;
    busy_harts += each.instructions > 0 ? 1 : 0;
  }
  std::uint64_t const harts = std::max<std::uint64_t>(busy_harts, 1);
  double const ipc = share(instructions, run.cycles * harts);
  double const missed = share(one.l2.misses, one.l2.misses + one.l2.hits);
  double const out = share(one.adapter.requests + one.adapter.served, run.cycles);
  std::string text = fmt::format(
      "<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" rx=\"6\" fill=\"{}\" stroke=\"#263238\" "
      "stroke-width=\"{}\"/>\n<text x=\"{:.0f}\" y=\"{:.0f}\" class=\"t\">{}, {}</text>\n"
      "<text x=\"{:.0f}\" y=\"{:.0f}\" class=\"k\">{}</text>\n",
      at.x, at.y, box, box, one.has_memory ? "#e3f2fd" : "#ffffff", one.has_memory ? 3 : 1.5, at.x + 10, at.y + 21,
      one.number % description.width, one.number / description.width, at.x + box - 10, at.y + 21,
      one.has_memory    ? "memory"
      : busy_harts == 0 ? "no program"
                        : fmt::format("{} hart{}", busy_harts, busy_harts == 1 ? "" : "s"));
  point row{.x = at.x + 8, .y = at.y + 32};
  constexpr double step = 22;
  auto const add = [&](char const* name, double load, std::string const& figure, std::string const& what) {
    text += bar(row, name, load, figure, what);
    row.y += step;
  };
  add("harts", ipc, percent_of(ipc),
      fmt::format("{} instructions: share of the cycles of {} harts", instructions, busy_harts));
  add("bus", one.bus_load, percent_of(one.bus_load), "share of cycles in which the bus to L2 and TLM moved something");
  add("L2", missed, percent_of(missed),
      fmt::format("L2: {} misses of {} look-ups", one.l2.misses, one.l2.misses + one.l2.hits));
  add("adapter", out, percent_of(out),
      fmt::format("adapter: {} requests, {:.0f} cycles each in the mean, and {} served: the bar is both per cycle",
                  one.adapter.requests, one.adapter_latency_cycles, one.adapter.served));
  if (std::uint64_t const all = run.energy_sum().total(); all != 0) {
    std::string units;
    for (std::size_t i = 0; i < energy_units; ++i)
      units += fmt::format("{}{} {:.1f} nJ", i == 0 ? "" : ", ", name_of(static_cast<energy_unit>(i)),
                           static_cast<double>(one.energy.fj[i]) * 1e-6);
    add("energy", share(one.energy.total(), all), percent_of(share(one.energy.total(), all)),
        fmt::format("share of the machine's energy: {}", units));
  }
  if (one.has_memory) {
    add("DDR", one.memory.load, percent_of(one.memory.load),
        fmt::format("DDR: port busy; {} bytes, {} reads, {} writes", one.memory.port.bytes, one.memory.port.reads,
                    one.memory.port.writes));
  }
  return text;
}

/// From one tile to its neighbour; on a torus also across the edge, as a stub on either side.
std::string arrow(machine_description const& description, link_measured const& one) {
  point const a = corner(description, one.from);
  point const b = corner(description, one.to);
  double const dx = b.x - a.x;
  double const dy = b.y - a.y;
  bool const flat = dy == 0;
  bool const wraps = std::abs(flat ? dx : dy) > box + gap + 1;
  double const towards = ((flat ? dx : dy) > 0) == !wraps ? 1 : -1;
  double const length = wraps ? margin - 8 : gap - 8;
  double const side = -towards * lane;  // traffic keeps to one side
  double const middle = box / 2;
  point const begin = flat ? point{a.x + (towards > 0 ? box + 4 : -4), a.y + middle + side}
                           : point{a.x + middle - side, a.y + (towards > 0 ? box + 4 : -4)};
  point const end = flat ? point{begin.x + towards * length, begin.y} : point{begin.x, begin.y + towards * length};
  point const label = flat ? point{(begin.x + end.x) / 2, begin.y + (side > 0 ? 19 : -10)}
                           : point{begin.x + (side > 0 ? -10 : 10), (begin.y + end.y) / 2 + 4};
  char const* const anchor = flat ? "middle" : side > 0 ? "end" : "start";
  load_class const& seen = class_of(one.load);
  double const width = 4 + 8 * std::sqrt(std::clamp(one.load, 0.0, 1.0));
  double const tip = 8;
  point const neck = flat ? point{end.x - towards * tip, end.y} : point{end.x, end.y - towards * tip};
  double const wing = width / 2 + 4;
  std::string const head_of_arrow = flat ? fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}", neck.x,
                                                       neck.y - wing, neck.x, neck.y + wing, end.x, end.y)
                                         : fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}", neck.x - wing,
                                                       neck.y, neck.x + wing, neck.y, end.x, end.y);
  std::string text = fmt::format(
      "<g><title>link ({}, {}) to ({}, {}): {} flits, {:.2f}% of the cycles</title>"
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"{:.1f}\"/>"
      "<polygon points=\"{}\" fill=\"{}\"/>",
      one.from % description.width, one.from / description.width, one.to % description.width,
      one.to / description.width, one.flits, 100 * one.load, begin.x, begin.y, neck.x, neck.y, seen.colour, width,
      head_of_arrow, seen.colour);
  if (one.load >= 0.0005 && !wraps)
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"l\" text-anchor=\"{}\">{}</text>", label.x, label.y,
                        anchor, percent_of(one.load));
  return text + "</g>\n";
}

std::string legend_at(double x, double y) {
  std::string text = fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" class=\"n\">load</text>\n", x, y + 15);
  x += 40;
  for (load_class const& one : load_classes) {
    text += fmt::format(
        "<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"84\" height=\"22\" fill=\"{}\"/>"
        "<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"middle\" font-size=\"11\" fill=\"{}\">{}</text>\n",
        x, y, one.colour, x + 42, y + 15, one.dark_text, xml_escaped(one.name));
    x += 84;
  }
  return text;
}

}  // namespace

std::string picture_of(measurement const& run, machine_description const& description, std::string const& program) {
  constexpr double legend_width = 700;
  double const width = std::max(2 * margin + description.width * (box + gap) - gap, legend_width);
  double const height = head + 2 * margin + description.height * (box + gap) - gap + legend;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "font-family=\"sans-serif\">\n<style>.t{{font-size:15px;font-weight:bold}}.k{{font-size:12px;text-anchor:end;"
      "fill:#455a64}}.n{{font-size:12px}}.f{{font-size:11px;text-anchor:end}}.l{{font-size:11px}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fafafa\"/>\n",
      width, height);
  text += fmt::format("<text x=\"{:.0f}\" y=\"34\" font-size=\"20\" font-weight=\"bold\">{}: {}</text>\n", margin,
                      xml_escaped(description.name), xml_escaped(program.substr(program.rfind('/') + 1)));
  text += fmt::format(
      "<text x=\"{:.0f}\" y=\"58\" font-size=\"13\">{:.6f} s simulated, {} cycles, {} instructions, {:.3f} a "
      "cycle.</text>\n"
      "<text x=\"{:.0f}\" y=\"78\" font-size=\"13\">Bars: busy share; of L2 the miss rate, of adapters operations a "
      "cycle.</text>\n",
      margin, static_cast<double>(run.simulated_ps) * 1e-12, run.cycles, run.instructions,
      share(run.instructions, run.cycles), margin);
  for (link_measured const& one : run.links) {
    if (one.from != one.to) text += arrow(description, one);
  }
  for (tile_measured const& one : run.tiles) text += tile_box(description, run, one);
  text += legend_at(margin, height - legend + 20);
  return text + "</svg>\n";
}

}  // namespace tess::machine
