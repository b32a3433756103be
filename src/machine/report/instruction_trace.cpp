// instruction_trace: reads the words, and gives each wanted hart its log.
#include "machine/report/instruction_trace.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

namespace tess::machine {
namespace {

template <class T>
T number_in(std::string_view text, char const* what) {
  T value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw std::invalid_argument(fmt::format("\"{}\" is no {}", text, what));
  return value;
}

void read_tiles(std::string_view text, wanted_instructions& into) {
  while (true) {
    std::size_t const end = std::min(text.find('+'), text.size());
    std::string_view const one = text.substr(0, end);
    std::size_t const dash = std::min(one.find('-'), one.size());
    auto const first = number_in<std::uint32_t>(one.substr(0, dash), "tile; give tiles as in 0-3+7");
    auto const last =
        dash == one.size() ? first : number_in<std::uint32_t>(one.substr(dash + 1), "tile; give tiles as in 0-3+7");
    if (last < first) throw std::invalid_argument(fmt::format("\"{}\": the first tile is behind the last", one));
    into.tiles.push_back({first, last});
    if (end == text.size()) return;
    text.remove_prefix(end + 1);
  }
}

std::string about(std::string const& machine, std::string const& program, std::uint32_t harts_in_tile,
                  picoseconds cycle_ps) {
  nlohmann::ordered_json made;
  made["instructions"] = 1;
  made["machine"] = machine;
  made["program"] = program;
  made["harts_in_tile"] = harts_in_tile;
  made["cycle_ps"] = cycle_ps;
  return made.dump();
}

std::uint32_t harts_in_tile(machine_description const& description) {
  std::uint32_t most = 1;
  for (std::uint32_t tile = 0; tile < description.tiles(); ++tile) most = std::max(most, description.harts_of(tile));
  return most;
}

}  // namespace

bool wanted_instructions::has(std::uint32_t tile) const noexcept {
  return tiles.empty() ||
         std::ranges::any_of(tiles, [&](range const& one) { return one.first <= tile && tile <= one.last; });
}

wanted_instructions read_wanted_instructions(std::string const& words) {
  wanted_instructions made;
  std::string_view rest = words;
  // From the end, so that a file's name may have a comma.
  for (std::size_t comma = rest.rfind(','); comma != std::string_view::npos; comma = rest.rfind(',')) {
    std::string_view const word = rest.substr(comma + 1);
    std::string_view const value = word.substr(std::min(word.find('=') + 1, word.size()));
    if (word.starts_with("from=")) {
      made.window.from = number_in<std::uint64_t>(value, "cycle");
    } else if (word.starts_with("to=")) {
      made.window.to = number_in<std::uint64_t>(value, "cycle");
    } else if (word.starts_with("tiles=")) {
      read_tiles(value, made);
    } else if (word.contains('=')) {
      throw std::invalid_argument(fmt::format("\"{}\" is none of from=CYCLE, to=CYCLE, tiles=LIST", word));
    } else {
      break;
    }
    rest = rest.substr(0, comma);
  }
  made.file = rest;
  if (made.file.empty()) throw std::invalid_argument("there is no file; give one, as in t.log,from=1000,tiles=0-3+7");
  if (made.window.to <= made.window.from)
    throw std::invalid_argument(
        fmt::format("there is no cycle from {} on and before {}", made.window.from, made.window.to));
  return made;
}

instruction_trace::instruction_trace(wanted_instructions const& wanted, timed_machine& of, std::string const& program)
    : window_(wanted.window),
      file_(wanted.file, about(of.hardware().description.name, program, harts_in_tile(of.hardware().description),
                               of.hardware().description.tile_clock_ps)) {
  std::uint32_t const each = harts_in_tile(of.hardware().description);
  for (auto const& program_of_tile : of.programs()) {
    std::uint32_t const tile = program_of_tile->tile_number();
    if (!wanted.has(tile)) continue;
    program_of_tile->tell_commits();
    for (timed_hart& one : program_of_tile->harts()) follow(one, tile * each + one.context.number);
  }
  for (auto const& system : of.systems()) {
    if (system == nullptr || !wanted.has(system->tile_number())) continue;
    system->tell_commits();
    follow(system->system_hart(), system->tile_number() * each + system->system_hart().context.number);
  }
}

instruction_trace::instruction_trace(wanted_instructions const& wanted, flat_machine& of, std::uint32_t harts,
                                     std::string const& machine, std::string const& program)
    : window_(wanted.window), file_(wanted.file, about(machine, program, harts, 1000)) {
  for (std::uint32_t core = 0; core < harts; ++core) flat_logs_.emplace_back(file_, core, window_);
  of.set_commits(flat_logs_);
}

void instruction_trace::follow(timed_hart& hart, std::uint32_t core) {
  hart.set_commits(logs_.emplace_back(file_, core, window_));
  harts_.push_back(&hart.context);
}

void instruction_trace::close() {
  for (std::size_t i = 0; i < harts_.size(); ++i) logs_[i].finish(*harts_[i]);
  file_.close();
}

}  // namespace tess::machine
