// trace: what is kept, and how it is written.
#include "machine/report/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>

namespace tess::machine {
namespace {

constexpr double us(picoseconds time) {
  return static_cast<double>(time) * 1e-6;
}

std::uint64_t flits_of(network const& network, std::uint32_t router) {
  std::uint64_t sum = 0;
  for (std::uint32_t port = 0; port < network.layout().ports(); ++port) sum += network.link_flits(router, port);
  return sum;
}

}  // namespace

trace::trace(timed_machine& of) : of_(of) {
  for (auto const& program : of_.programs()) {
    for (timed_hart& one : program->harts()) one.set_log(this);
  }
  for (auto const& one : of_.hardware().tiles) one->set_log(this);
  for (auto const& units : of_.hardware().units)
    for (auto const& one : units->own) one->set_log(this);
  of_.regions().set_listener(
      [this](hart const& who, std::uint32_t tile, std::string const& name, std::uint64_t begin, std::uint64_t end) {
        picoseconds const cycle = of_.hardware().description.tile_clock_ps;
        keep({tile, who.number, nullptr, name_of_region(name), begin * cycle, (end - begin) * cycle});
      });
  name_counters();
  take();
}

trace::~trace() {
  of_.regions().set_listener({});
  for (auto const& one : of_.hardware().tiles) one->set_log(nullptr);
  for (auto const& units : of_.hardware().units)
    for (auto const& one : units->own) one->set_log(nullptr);
  for (auto const& program : of_.programs()) {
    for (timed_hart& one : program->harts()) one.set_log(nullptr);
  }
}

void trace::waited(timed_hart const& who, char const* why, picoseconds begin, picoseconds end) {
  keep({who.place().number(), who.context.number, nullptr, why, begin, end - begin});
}

void trace::busy(std::uint32_t tile, char const* unit, char const* what, picoseconds begin, picoseconds end) {
  keep({tile, 0, unit, what, begin, end - begin});
}

void trace::keep(wait const& added) {
  if (added.length < shortest_) {
    ++dropped_;
    return;
  }
  waits_.push_back(added);
  if (waits_.size() >= waits_max) thin_waits();
}

void trace::thin_waits() {
  std::vector<picoseconds> lengths;
  lengths.reserve(waits_.size());
  for (wait const& one : waits_) lengths.push_back(one.length);
  auto const middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::ranges::nth_element(lengths, middle);
  shortest_ = *middle;
  // Among waits of equal length, every second one is kept.
  bool stays = false;
  std::size_t const before = waits_.size();
  std::erase_if(waits_, [&](wait const& one) {
    if (one.length != shortest_) return one.length < shortest_;
    stays = !stays;
    return !stays;
  });
  dropped_ += before - waits_.size();
}

char const* trace::name_of_region(std::string const& name) {
  auto const [at, is_new] = names_by_region_.try_emplace(&name, nullptr);
  if (is_new) {
    using nlohmann::json;
    std::string const quoted = json(name).dump(-1, ' ', false, json::error_handler_t::replace);
    at->second = names_.emplace_back(quoted.substr(1, quoted.size() - 2)).c_str();
  }
  return at->second;
}

void trace::name_counters() {
  for (auto const& program : of_.programs()) {
    for (timed_hart const& one : program->harts())
      counters_.push_back({program->tile_number(), fmt::format("hart {}", one.context.number), "instructions a cycle"});
  }
  grid const& g = of_.hardware();
  for (auto const& one : g.tiles) {
    counters_.push_back({one->number(), "bus", "load"});
    counters_.push_back({one->number(), "L2", "miss rate"});
    counters_.push_back({one->number(), "adapter", "requests a cycle"});
    if (one->memory() != nullptr) counters_.push_back({one->number(), "DDR", "load"});
  }
  for (std::uint32_t router = 0; router < g.noc.layout().routers(); ++router)
    counters_.push_back({router, "router", "flits a cycle"});
}

void trace::take() {
  grid const& g = of_.hardware();
  picoseconds const now = g.clock.now();
  std::uint64_t const cycles = now / g.description.tile_clock_ps;
  snapshot taken{.time = now, .values = {}};
  for (auto const& program : of_.programs()) {
    for (timed_hart const& one : program->harts()) taken.values.push_back({one.context.retired, one.context.now()});
  }
  for (auto const& one : g.tiles) {
    auto const& l2 = one->l2().counted();
    taken.values.push_back({one->bus_busy_cycles(), cycles});
    taken.values.push_back({l2.misses, l2.misses + l2.hits});
    taken.values.push_back({one->network_adapter().counted().requests, cycles});
    if (one->memory() != nullptr) taken.values.push_back({one->memory()->counted().busy_ps, now});
  }
  network const& network = g.noc;
  for (std::uint32_t router = 0; router < network.layout().routers(); ++router)
    taken.values.push_back({flits_of(network, router), g.noc.clock().count(now)});
  samples_.push_back(std::move(taken));
}

void trace::sample() {
  picoseconds const now = of_.hardware().clock.now();
  if (now < next_) return;
  take();
  if (samples_.size() > std::max<std::size_t>(16, values_max / counters_.size())) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < samples_.size(); i += 2) std::swap(samples_[kept++], samples_[i]);
    samples_.resize(kept);
    interval_ *= 2;
  }
  next_ = now + interval_;
}

// A unit does several things at a time, and slices of a track must not overlap: each goes to the first track of its
// unit that is free.
std::string trace::units_json() {
  constexpr std::uint32_t first_track = 1000;  // behind all harts
  std::vector<wait> slices;
  std::ranges::copy_if(waits_, std::back_inserter(slices), [](wait const& one) { return one.unit != nullptr; });
  auto const unit_of = [](wait const& one) { return std::pair(one.tile, std::string_view(one.unit)); };
  std::ranges::sort(slices, {}, [](wait const& one) {
    return std::tuple(one.tile, std::string_view(one.unit), one.begin, one.length, std::string_view(one.why));
  });
  fmt::memory_buffer text;
  auto const out = std::back_inserter(text);
  std::vector<picoseconds> busy_until;
  std::uint32_t track = first_track;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    wait const& one = slices[i];
    if (i > 0 && unit_of(slices[i - 1]) != unit_of(one)) {
      track = slices[i - 1].tile == one.tile ? track + static_cast<std::uint32_t>(busy_until.size()) : first_track;
      busy_until.clear();
    }
    auto free = std::ranges::find_if(busy_until, [&](picoseconds until) { return until <= one.begin; });
    auto const number = track + static_cast<std::uint32_t>(free - busy_until.begin());
    if (free == busy_until.end()) {
      free = busy_until.insert(free, 0);
      fmt::format_to(out,
                     ",\n{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":\"{}\"}}}}",
                     one.tile, number, one.unit);
    }
    *free = one.begin + one.length;
    fmt::format_to(out, ",\n{{\"ph\":\"X\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{:.3f},\"dur\":{:.3f}}}",
                   one.why, one.tile, number, us(one.begin), us(one.length));
  }
  return fmt::to_string(text);
}

std::string trace::json() {
  take();
  grid const& g = of_.hardware();
  fmt::memory_buffer text;
  auto const out = std::back_inserter(text);
  fmt::format_to(out, "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"machine\":{},\"dropped_waits\":{}}},\n",
                 nlohmann::json(g.description.name).dump(), dropped_);
  fmt::format_to(out, "\"traceEvents\":[");
  char const* comma = "\n";
  for (auto const& one : g.tiles) {
    fmt::format_to(
        out, "{}{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"args\":{{\"name\":\"tile {} ({}, {})\"}}}}",
        comma, one->number(), one->number(), one->number() % g.description.width, one->number() / g.description.width);
    comma = ",\n";
  }
  for (auto const& program : of_.programs()) {
    for (timed_hart const& one : program->harts()) {
      std::uint32_t const number = one.context.number;
      fmt::format_to(
          out, ",\n{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":\"hart {}\"}}}}",
          program->tile_number(), number, number);
    }
  }
  for (wait const& one : waits_) {
    if (one.unit != nullptr) continue;
    fmt::format_to(out, ",\n{{\"ph\":\"X\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{:.3f},\"dur\":{:.3f}}}",
                   one.why, one.tile, one.hart, us(one.begin), us(one.length));
  }
  text.append(units_json());
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    for (std::size_t k = 1; k < samples_.size(); ++k) {
      counts const& before = samples_[k - 1].values[i];
      counts const& after = samples_[k].values[i];
      std::uint64_t const whole = after.whole - before.whole;
      double const value = whole == 0 ? 0 : static_cast<double>(after.part - before.part) / static_cast<double>(whole);
      fmt::format_to(out, ",\n{{\"ph\":\"C\",\"name\":\"{}\",\"pid\":{},\"ts\":{:.3f},\"args\":{{\"{}\":{:.4f}}}}}",
                     counters_[i].name, counters_[i].tile, us(samples_[k - 1].time), counters_[i].unit, value);
    }
  }
  fmt::format_to(out, "\n]}}\n");
  return fmt::to_string(text);
}

}  // namespace tess::machine
