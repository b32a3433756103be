// timeline: what is read at each sample, and the columns that follow from two of them.
#include "machine/report/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "machine/report/measurement.hpp"
#include "machine/report/parquet.hpp"

namespace tess::machine {
namespace {

constexpr picoseconds first_interval = 1'000'000;

/// Links between tiles, and those out of the network, which end where they begin.
template <class Each>
void each_link(grid const& g, Each each) {
  topology const& layout = g.noc.layout();
  for (std::uint32_t router = 0; router < layout.routers(); ++router) {
    for (std::uint32_t port = 0; port < layout.ports(); ++port) {
      link_end const ahead = layout.neighbour(router, port);
      std::uint32_t const node = layout.node_at(router, port);
      bool const between = ahead.router != link_end::nowhere;
      if (!between && node == link_end::nowhere) continue;
      each(between ? router : node, between ? ahead.router : node, g.noc.link_flits(router, port));
    }
  }
}

struct hart_sums {
  std::uint64_t instructions = 0;
  std::uint64_t loads = 0;
  std::uint64_t load_misses = 0;
  std::uint64_t harts = 0;
};

std::vector<hart_sums> sums_by_tile(timed_machine const& of) {
  std::vector<hart_sums> made(of.hardware().tiles.size());
  for (auto const& program : of.programs()) {
    hart_sums& sum = made[program->tile_number()];
    for (timed_hart const& one : program->harts()) {
      sum.instructions += one.context.retired;
      sum.loads += one.memory().counted().loads;
      sum.load_misses += one.memory().counted().load_misses;
      ++sum.harts;
    }
  }
  return made;
}

std::string quoted(std::string const& name) {
  if (name.find_first_of(",\"\n\r") == std::string::npos) return name;
  std::string made = "\"";
  for (char const letter : name) made += letter == '"' ? "\"\"" : std::string(1, letter);
  return made + "\"";
}

}  // namespace

picoseconds time_from(std::string_view text, picoseconds cycle_ps) {
  double value = 0;
  auto const [behind, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view const unit = text.substr(static_cast<std::size_t>(behind - text.data()));
  double const each = unit == "ns"       ? 1e3
                      : unit == "us"     ? 1e6
                      : unit == "ms"     ? 1e9
                      : unit == "s"      ? 1e12
                      : unit == "cycles" ? static_cast<double>(cycle_ps)
                                         : 0;
  if (error != std::errc{} || value * each < static_cast<double>(cycle_ps) || value * each > 1e18) return 0;
  return static_cast<picoseconds>(value * each);
}

timeline::timeline(timed_machine& of, picoseconds interval_ps)
    : of_(of), interval_(interval_ps == 0 ? first_interval : interval_ps), grows_(interval_ps == 0) {
  name_columns();
  take();
  of_.sample_every(interval_, [this] { take(); });
}

void timeline::name_columns() {
  grid const& g = of_.hardware();
  auto const add = [this](std::string name, bool is_share) { columns_.push_back({std::move(name), is_share}); };
  add("instructions", false);
  add("instructions_per_cycle", true);
  add("l1_data_miss_rate", true);
  add("l2_miss_rate", true);
  add("network_load", true);
  add("dram_load", true);
  auto const sums = sums_by_tile(of_);
  for (auto const& one : g.tiles) {
    std::uint32_t const tile = one->number();
    if (sums[tile].harts != 0) {
      add(fmt::format("tiles[{}].instructions", tile), false);
      add(fmt::format("tiles[{}].instructions_per_hart_cycle", tile), true);
    }
    add(fmt::format("tiles[{}].bus_load", tile), true);
    add(fmt::format("tiles[{}].l2_hits", tile), false);
    add(fmt::format("tiles[{}].l2_misses", tile), false);
    add(fmt::format("tiles[{}].adapter_load", tile), true);
    if (g.units[tile]->graphs) add(fmt::format("tiles[{}].nca_load", tile), true);
  }
  for (auto const& one : g.tiles) {
    if (one->memory() == nullptr) continue;
    add(fmt::format("memories[{}].port_load", one->number()), true);
    add(fmt::format("memories[{}].bytes", one->number()), false);
    if (g.units[one->number()]->accelerator != nullptr) add(fmt::format("memories[{}].nma_load", one->number()), true);
  }
  each_link(g, [&](std::uint32_t from, std::uint32_t to, std::uint64_t) {
    add(from == to ? fmt::format("exits[{}].load", to) : fmt::format("links[{}-{}].load", from, to), true);
  });
  for (std::uint32_t node = 0; node < g.noc.layout().nodes(); ++node)
    add(fmt::format("injections[{}].load", node), true);
}

void timeline::take() {
  grid const& g = of_.hardware();
  picoseconds const now = g.clock.now();
  if (!samples_.empty() && samples_.back().time == now) return;
  std::uint64_t const cycles = now / g.description.tile_clock_ps;
  std::uint64_t const network_cycles = g.noc.clock().count(now);
  sample taken{.time = now, .values = {}, .regions = of_.regions().cycles_until(cycles)};
  taken.values.reserve(columns_.size());
  auto const add = [&](std::uint64_t part, std::uint64_t whole) { taken.values.push_back({part, whole}); };

  auto const sums = sums_by_tile(of_);
  hart_sums all;
  for (hart_sums const& one : sums) {
    all.instructions += one.instructions;
    all.loads += one.loads;
    all.load_misses += one.load_misses;
  }
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t memories = 0;
  std::uint64_t busy_ps = 0;
  for (auto const& one : g.tiles) {
    hits += one->l2().counted().hits;
    misses += one->l2().counted().misses;
    if (one->memory() == nullptr) continue;
    ++memories;
    busy_ps += one->memory()->counted().busy_ps;
  }
  std::uint64_t flits = 0;
  std::uint64_t links = 0;
  each_link(g, [&](std::uint32_t from, std::uint32_t to, std::uint64_t sent) {
    if (from == to) return;
    flits += sent;
    ++links;
  });
  add(all.instructions, 0);
  add(all.instructions, cycles);
  add(all.load_misses, all.loads);
  add(misses, hits + misses);
  add(flits, links * network_cycles);
  add(busy_ps, memories * now);
  for (auto const& one : g.tiles) {
    hart_sums const& sum = sums[one->number()];
    if (sum.harts != 0) {
      add(sum.instructions, 0);
      add(sum.instructions, sum.harts * cycles);
    }
    add(one->bus_busy_cycles(), cycles);
    add(one->l2().counted().hits, 0);
    add(one->l2().counted().misses, 0);
    add(one->network_adapter().counted().busy_ps, now);
    if (auto const& graphs = g.units[one->number()]->graphs) add(graphs->counted().busy_ps, now);
  }
  for (auto const& one : g.tiles) {
    if (one->memory() == nullptr) continue;
    add(one->memory()->counted().busy_ps, now);
    add(one->memory()->counted().bytes, 0);
    if (auto const& unit = g.units[one->number()]->accelerator) add(unit->counted().busy_ps, now);
  }
  each_link(g, [&](std::uint32_t, std::uint32_t, std::uint64_t sent) { add(sent, network_cycles); });
  for (std::uint32_t node = 0; node < g.noc.layout().nodes(); ++node) add(g.noc.counted(node).flits, network_cycles);
  samples_.push_back(std::move(taken));
  if (grows_ && samples_.size() > rows_max) thin();
}

void timeline::thin() {
  interval_ *= 2;
  std::size_t kept = 1;  // the first is the begin of the run
  for (std::size_t i = 1; i < samples_.size(); ++i)
    if (samples_[i].time % interval_ == 0) std::swap(samples_[kept++], samples_[i]);
  samples_.resize(kept);
  of_.change_samples(interval_);
}

timeline::table timeline::columns() const {
  table made;
  made.names = {"begin_us", "end_us"};
  for (column const& one : columns_) made.names.push_back(one.name);
  auto const& regions = of_.regions().totals();
  for (region_total const& one : regions) made.names.push_back("regions[" + one.name + "].harts");
  auto const cycle_ps = static_cast<double>(of_.hardware().description.tile_clock_ps);
  for (std::size_t i = 1; i < samples_.size(); ++i) {
    sample const& before = samples_[i - 1];
    sample const& after = samples_[i];
    std::vector<double> row{static_cast<double>(before.time) * 1e-6, static_cast<double>(after.time) * 1e-6};
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      std::uint64_t const part = after.values[k].part - before.values[k].part;
      row.push_back(columns_[k].is_share ? share(part, after.values[k].whole - before.values[k].whole)
                                         : static_cast<double>(part));
    }
    for (std::size_t k = 0; k < regions.size(); ++k) {
      auto const at = [k](sample const& one) { return k < one.regions.size() ? one.regions[k] : 0; };
      double const grown = static_cast<double>(at(after)) - static_cast<double>(at(before));
      row.push_back(std::max(0.0, grown) * cycle_ps / static_cast<double>(after.time - before.time));
    }
    made.rows.push_back(std::move(row));
  }
  return made;
}

std::string timeline::csv() const {
  table const all = columns();
  fmt::memory_buffer text;
  auto const out = std::back_inserter(text);
  for (std::string const& name : all.names) fmt::format_to(out, "{}{}", text.size() == 0 ? "" : ",", quoted(name));
  for (auto const& row : all.rows) {
    char const* comma = "\n";
    for (double const value : row) {
      fmt::format_to(out, "{}{}", comma, value);
      comma = ",";
    }
  }
  fmt::format_to(out, "\n");
  return fmt::to_string(text);
}

bool timeline::knows(std::string_view suffix) noexcept {
  return suffix == ".csv" || suffix == ".parquet" || suffix == ".svg";
}

std::string timeline::file(std::string_view suffix, std::string const& program) const {
  if (suffix == ".csv") return csv();
  if (suffix == ".svg") return picture(program);
  if (suffix != ".parquet") return {};
  table const all = columns();
  return parquet_of(all.names, all.rows);
}

}  // namespace tess::machine
