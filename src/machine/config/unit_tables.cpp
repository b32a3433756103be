// unit_tables: tiles by words or by a list; parameters with the ranges that the unit declares.
#include "machine/config/unit_tables.hpp"

#include <fmt/format.h>

#include "machine/own_unit/unit_file.hpp"

namespace tess::machine {
namespace {

std::vector<std::uint32_t> tiles_of(toml_table& from, machine_description const& made) {
  std::vector<std::uint32_t> tiles;
  if (from.is_list("at")) {
    for (auto const& [x, y] : from.coordinate_list("at", made.width, made.height)) tiles.push_back(y * made.width + x);
    return tiles;
  }
  static constexpr std::array<std::string_view, 3> choices{"every tile", "memory tiles", "compute tiles"};
  std::size_t const chosen = from.choice("at", choices);
  for (std::uint32_t tile = 0; tile < made.tiles(); ++tile)
    if (chosen == 0 || made.is_memory(tile) == (chosen == 1)) tiles.push_back(tile);
  if (tiles.empty()) from.fail("at", "this machine has no compute tiles", "every tile, memory tiles, or a list");
  return tiles;
}

unit_description read_unit(toml_table from, std::string const& name, machine_description const& made) {
  unit_description read;
  read.name = name;
  std::string const file = from.text("file");
  read.where = from.where("file");
  try {
    read.file = unit_file::load(file, name);
  } catch (unit_file_error const& wrong) {
    from.fail("file", wrong.what(), "a unit, made by tess unit build");
  }
  from.note("file", file, "", std::string(read.file->declared().meaning));
  read.tiles = tiles_of(from, made);
  for (unit::parameter const& one : read.file->declared().parameters) {
    if (from.has(one.name)) {
      read.values.push_back(from.number(one.name, {one.least, one.most}, one.unit));
      from.explain_more(one.meaning);
    } else {
      read.values.push_back(one.usual);
      from.note(one.name, fmt::format("{}", one.usual), one.unit, fmt::format("{}; as usual", one.meaning));
    }
  }
  from.finish();
  return read;
}

}  // namespace

void read_units(toml_table from, machine_description& made) {
  for (std::string const& name : from.keys()) {
    if (made.units.size() == registers::own_units::count_max)
      from.fail(name, "too many units", fmt::format("at most {}", registers::own_units::count_max));
    made.units.push_back(read_unit(from.table(name), name, made));
  }
  from.finish();
}

}  // namespace tess::machine
