// cycle_profile: one tree of all harts, and the files that show it.
#include "machine/profile/cycle_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace tess::machine {
namespace {

std::uint64_t sum(spent_cycles const& cycles) noexcept {
  return std::accumulate(cycles.begin(), cycles.end(), std::uint64_t{0});
}

void add(spent_cycles& to, spent_cycles const& more) noexcept {
  for (std::size_t i = 0; i < ways_to_spend; ++i) to[i] += more[i];
}

std::string place_of(source_frame const& frame) {
  return fmt::format("{}:{}", std::filesystem::path(frame.file).filename().string(), frame.line);
}

bool is_coroutine(std::string_view function) {
  return function.ends_with(" (coroutine)");
}

/// Adds nodes by label below a node.
class tree_builder {
 public:
  std::uint32_t child(std::uint32_t parent, std::uint32_t label, bool is_line) {
    std::uint64_t const place = std::uint64_t{parent} << 32U | std::uint64_t{label} << 1U | (is_line ? 1U : 0U);
    auto const [found, added] = known_.try_emplace(place, static_cast<std::uint32_t>(made.size()));
    if (!added) return found->second;
    made[parent].children.push_back(found->second);
    made.push_back({.label = *texts_[label], .parent = parent, .is_line = is_line, .cycles = {}, .children = {}});
    return found->second;
  }
  std::uint32_t label(std::string text) {
    auto const [found, added] = labels_.try_emplace(std::move(text), static_cast<std::uint32_t>(texts_.size()));
    if (added) texts_.push_back(&found->first);
    return found->second;
  }
  profile_tree made{{.label = "all", .cycles = {}, .children = {}}};

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> known_;
  std::unordered_map<std::string, std::uint32_t> labels_;
  std::vector<std::string const*> texts_;
};

/// The labels of a pc: its functions, outermost first, and its line.
struct labels {
  std::vector<std::uint32_t> functions;
  std::uint32_t line = 0;
};

/// Equal ones by their place, so that the order is always the same.
void most_first(std::vector<cycle_profile::line_total>& all) {
  std::ranges::sort(all, [](cycle_profile::line_total const& a, cycle_profile::line_total const& b) {
    if (a.all() != b.all()) return a.all() > b.all();
    return std::tie(a.file, a.line, a.function) < std::tie(b.file, b.line, b.function);
  });
}

/// Separators of the format may not be in names.
std::string folded_name(std::string name) {
  std::ranges::replace(name, ';', ',');
  return name;
}

std::string csv_text(std::string const& text) {
  std::string quoted = "\"";
  for (char const c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

cycle_profile::cycle_profile(timed_machine& of, std::string program, std::string system) : of_(of) {
  auto const add_image = [&](std::string file, elf_image const& image) {
    images_.emplace_back(std::move(file), function_table(image));
    profiled_image& added = images_.back();
    added.all_harts = std::make_unique<call_profile>(added.functions, added.shapes, added.threads);
  };
  std::uint64_t entry = 0;
  of.tell_profiles();
  for (auto const& one : of.programs()) {
    elf_image const& image = one->image();
    if (images_.empty()) {
      entry = image.entry;
      add_image(std::move(program), image);
    }
    tables_.emplace_back(image);
    threads_.emplace_back();
    std::uint64_t const moved_by = image.entry - entry;
    for (timed_hart& hart : one->harts())
      add(hart, 0, moved_by, moved_by == 0 ? images_.front().shapes : moved_[moved_by],
          fmt::format("tile {}, hart {}", one->tile_number(), hart.context.number));
  }
  for (auto const& one : of.systems()) {
    if (one == nullptr) continue;
    if (images_.size() == 1) add_image(system, one->image());
    one->tell_profiles();
    tables_.emplace_back(one->image());
    threads_.emplace_back();
    add(one->system_hart(), 1, 0, images_.back().shapes, fmt::format("tile {}, the system's hart", one->tile_number()));
  }
}

void cycle_profile::add(timed_hart& hart, std::size_t image, std::uint64_t moved_by, block_shapes& shapes,
                        std::string name) {
  harts_.emplace_back(&hart, image, moved_by, std::move(name),
                      std::make_unique<call_profile>(tables_.back(), shapes, threads_.back()));
  hart.set_profile(*harts_.back().cycles);
}

void cycle_profile::finish() {
  std::uint64_t const end = of_.hardware().clock.now() / of_.hardware().description.tile_clock_ps;
  for (profiled_hart& one : harts_) {
    one.hart->finish_profile(end);
    images_[one.image].all_harts->add(*one.cycles, one.moved_by);
  }
  for (profiled_image& image : images_) {
    // What cycles went on, and where it was called from.
    std::vector<std::uint64_t> addresses;
    image.all_harts->visit([&](call_profile::line_item const& item) { addresses.push_back(item.pc); });
    for (call_profile::call const& one : image.all_harts->calls())
      if (one.site != 0) addresses.push_back(one.site);
    find_lines(image, std::move(addresses));
  }
}

void cycle_profile::find_lines(profiled_image& image, std::vector<std::uint64_t> addresses) {
  std::ranges::sort(addresses);
  auto const again = std::ranges::unique(addresses);
  addresses.erase(again.begin(), again.end());
  auto found = source_lines(image.file, addresses);
  std::uint32_t function = function_table::unknown;
  std::string name = "?";
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    std::vector<source_frame>& frames = found[i];
    std::ranges::reverse(frames);
    // A name takes long to make readable, and most addresses are in the function of the one before.
    if (std::uint32_t const at = image.functions.at(addresses[i]); at != function) {
      function = at;
      name = image.functions.name(at);
    }
    if (frames.empty()) frames.emplace_back();
    // The table knows clones, too.
    if (name != "?") frames.front().function = name;
    if (frames.front().function.empty()) frames.front().function = "?";
    has_lines_ = has_lines_ || frames.back().line != 0;
    image.frames.emplace(addresses[i], std::move(frames));
  }
}

std::vector<cycle_profile::counted> cycle_profile::all_counted() const {
  std::vector<counted> all;
  for (std::size_t i = 0; i < images_.size(); ++i) all.push_back({i, images_[i].all_harts.get()});
  return all;
}

profile_tree cycle_profile::tree_of(std::vector<counted> const& wanted) const {
  tree_builder builder;
  for (auto const& [image, cycles] : wanted) {
    std::unordered_map<std::uint64_t, labels> known;
    auto const labels_at = [&](std::uint64_t pc) -> labels const& {
      auto const [found, added] = known.try_emplace(pc);
      if (!added) return found->second;
      auto const& frames = images_[image].frames.at(pc);
      for (source_frame const& frame : frames) {
        bool const split = is_coroutine(frame.function) && frame.line != 0;
        found->second.functions.push_back(
            builder.label(split ? frame.function + " at " + place_of(frame) : frame.function));
      }
      found->second.line = builder.label(frames.back().line == 0 ? "" : place_of(frames.back()));
      return found->second;
    };
    auto const below = [&](std::uint32_t node, labels const& of) {
      for (std::uint32_t const function : of.functions) node = builder.child(node, function, false);
      return node;
    };
    auto const& calls = cycles->calls();
    std::vector<std::uint32_t> of_call(calls.size(), 0);
    // Callees stand behind their callers.
    for (std::uint32_t i = 1; i < calls.size(); ++i) {
      std::uint32_t const parent = of_call[calls[i].parent];
      of_call[i] = calls[i].site == 0 ? parent : below(parent, labels_at(calls[i].site));
    }
    cycles->visit([&](call_profile::line_item const& item) {
      labels const& of = labels_at(item.pc);
      std::uint32_t const line = builder.child(below(of_call[item.of], of), of.line, true);
      tess::machine::add(builder.made[line].cycles, item.cycles);
    });
  }
  profile_tree made = std::move(builder.made);
  for (std::size_t i = made.size(); i-- > 0;) {
    made[i].total += sum(made[i].cycles);
    if (i != 0) made[made[i].parent].total += made[i].total;
  }
  return made;
}

std::uint64_t cycle_profile::line_total::all() const noexcept {
  return sum(cycles);
}

std::vector<cycle_profile::line_total> cycle_profile::totals(bool each_line) const {
  using key = std::tuple<std::string_view, std::string_view, std::uint32_t>;
  std::map<key, line_total> found;
  for (std::size_t image = 0; image < images_.size(); ++image) {
    // One function's code is in many calls: the texts are compared once for an instruction.
    std::unordered_map<std::uint64_t, call_profile::line_item> by_pc;
    images_[image].all_harts->visit([&](call_profile::line_item const& item) {
      call_profile::line_item& sum = by_pc[item.pc];
      sum.instructions += item.instructions;
      tess::machine::add(sum.cycles, item.cycles);
    });
    for (auto const& [pc, sum] : by_pc) {
      source_frame const& frame = images_[image].frames.at(pc).back();
      line_total& total = found[each_line ? key{frame.function, frame.file, frame.line} : key{frame.function, "", 0}];
      if (total.function.empty()) total.function = frame.function;
      if (total.line == 0 || frame.line < total.line) total.file = frame.file, total.line = frame.line;
      total.instructions += sum.instructions;
      tess::machine::add(total.cycles, sum.cycles);
    }
  }
  std::vector<line_total> all;
  for (auto& [place, total] : found) all.push_back(std::move(total));
  most_first(all);
  return all;
}

std::uint64_t cycle_profile::idle_cycles() const noexcept {
  std::uint64_t idle = 0;
  for (profiled_image const& one : images_) idle += one.all_harts->idle_cycles();
  return idle;
}

bool cycle_profile::knows(std::string_view suffix) noexcept {
  return suffix == ".json" || suffix == ".folded" || suffix == ".svg" || suffix == ".csv" || suffix == ".harts";
}

std::string cycle_profile::file(std::string_view suffix) const {
  if (suffix == ".json") return speedscope();
  if (suffix == ".folded") return folded();
  if (suffix == ".csv") return csv();
  if (suffix == ".harts") return by_hart();
  if (suffix != ".svg") return {};
  return flame_graph(tree(), fmt::format("{} on {}", std::filesystem::path(images_.front().file).filename().string(),
                                         of_.hardware().description.name));
}

std::string cycle_profile::folded() const {
  profile_tree const made = tree();
  std::vector<std::string> paths(made.size());
  std::string text;
  for (std::size_t i = 1; i < made.size(); ++i) {
    profile_node const& node = made[i];
    paths[i] = paths[node.parent];
    if (!node.label.empty()) paths[i] += (paths[i].empty() ? "" : ";") + folded_name(node.label);
    for (std::size_t on = 0; on < ways_to_spend; ++on) {
      if (node.cycles[on] != 0)
        text += fmt::format("{};[{}] {}\n", paths[i], name_of(static_cast<spent>(on)), node.cycles[on]);
    }
  }
  return text;
}

std::string cycle_profile::speedscope() const {
  nlohmann::json frames = nlohmann::json::array();
  std::unordered_map<std::string, std::size_t> numbers;
  auto const number_of = [&](std::string const& label) {
    auto const [found, added] = numbers.try_emplace(label, frames.size());
    if (added) frames.push_back({{"name", label}});
    return found->second;
  };
  auto const profile_of = [&](std::string const& name, profile_tree const& tree) {
    nlohmann::json samples = nlohmann::json::array();
    nlohmann::json weights = nlohmann::json::array();
    std::vector<std::vector<std::size_t>> paths(tree.size());
    for (std::size_t i = 1; i < tree.size(); ++i) {
      paths[i] = paths[tree[i].parent];
      if (!tree[i].label.empty()) paths[i].push_back(number_of(tree[i].label));
      for (std::size_t on = 0; on < ways_to_spend; ++on) {
        if (tree[i].cycles[on] == 0) continue;
        auto whole = paths[i];
        whole.push_back(number_of(fmt::format("[{}]", name_of(static_cast<spent>(on)))));
        samples.push_back(std::move(whole));
        weights.push_back(tree[i].cycles[on]);
      }
    }
    return nlohmann::json{{"type", "sampled"},
                          {"name", name},
                          {"unit", "none"},
                          {"startValue", 0},
                          {"endValue", tree[0].total},
                          {"samples", std::move(samples)},
                          {"weights", std::move(weights)}};
  };
  block_shapes moved_none;
  thread_paths no_threads;
  nlohmann::json profiles = nlohmann::json::array({profile_of("all harts, cycles", tree())});
  for (profiled_hart const& one : harts_) {
    call_profile alone(images_[one.image].functions, moved_none, no_threads);
    alone.add(*one.cycles, one.moved_by);
    profile_tree const its = tree_of({{one.image, &alone}});
    if (its[0].total != 0) profiles.push_back(profile_of(one.name + ", cycles", its));
  }
  return nlohmann::json{{"$schema", "https://www.speedscope.app/file-format-schema.json"},
                        {"exporter", "tess run --profile"},
                        {"shared", {{"frames", std::move(frames)}}},
                        {"profiles", std::move(profiles)}}
             .dump() +
         '\n';
}

std::string cycle_profile::csv() const {
  std::string text = "function,file,line,instructions,cycles";
  for (std::size_t on = 0; on < ways_to_spend; ++on) text += fmt::format(",{}", name_of(static_cast<spent>(on)));
  text += '\n';
  for (line_total const& one : by_line()) {
    text += fmt::format("{},{},{},{},{}", csv_text(one.function), csv_text(one.file), one.line, one.instructions,
                        one.all());
    for (std::uint64_t const cycles : one.cycles) text += fmt::format(",{}", cycles);
    text += '\n';
  }
  return text;
}

std::string cycle_profile::by_hart() const {
  std::string text = "tile,hart,no thread";
  for (std::size_t on = 0; on < ways_to_spend; ++on) text += fmt::format(",{}", name_of(static_cast<spent>(on)));
  text += '\n';
  for (profiled_hart const& one : harts_) {
    spent_cycles cycles{};
    one.cycles->visit([&](call_profile::line_item const& item) { tess::machine::add(cycles, item.cycles); });
    text += fmt::format("{},{},{}", one.hart->place().number(), one.hart->context.number, one.cycles->idle_cycles());
    for (std::uint64_t const each : cycles) text += fmt::format(",{}", each);
    text += '\n';
  }
  return text;
}

std::string cycle_profile::summary() const {
  constexpr std::size_t functions_max = 6;
  constexpr double shown_from = 0.005;
  auto const functions = by_function();
  spent_cycles all{};
  for (line_total const& one : functions) tess::machine::add(all, one.cycles);
  auto const whole = static_cast<double>(std::max<std::uint64_t>(sum(all), 1));
  auto const parts = [&](spent_cycles const& cycles, double of) {
    std::string text;
    for (std::size_t on = 0; on < ways_to_spend; ++on) {
      double const part = static_cast<double>(cycles[on]) / of;
      if (part < shown_from) continue;
      text += fmt::format("{}{} {:.0f}%", text.empty() ? "" : ", ", name_of(static_cast<spent>(on)), 100 * part);
    }
    return text;
  };
  std::string text = fmt::format("machine: cycles of harts    {}, and {} without a thread: {}\n", sum(all),
                                 idle_cycles(), parts(all, whole));
  for (std::size_t i = 0; i < std::min(functions_max, functions.size()); ++i) {
    line_total const& one = functions[i];
    text += fmt::format("machine:   {:5.1f}%  {}: {}\n", 100 * static_cast<double>(one.all()) / whole, one.function,
                        parts(one.cycles, static_cast<double>(std::max<std::uint64_t>(one.all(), 1))));
  }
  if (!has_lines_) text += "machine: no source lines: compile with -g, and have llvm-symbolizer-19 (package llvm-19)\n";
  return text;
}

}  // namespace tess::machine
