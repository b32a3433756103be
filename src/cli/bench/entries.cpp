// entries: one list of columns defines the keys of an entry, their types, and their display in the table.
#include "cli/bench/entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace tess::cli {
namespace {

using nlohmann::json;

enum class kind { text, number, number_or_null };

struct column {
  std::string_view key;
  kind holds;
};

constexpr std::array columns{
    column{"bench", kind::text},           column{"case", kind::text}, column{"places", kind::number},
    column{"value", kind::number},         column{"unit", kind::text}, column{"limit", kind::number_or_null},
    column{"ratio", kind::number_or_null},
};

bool fits(json const& entry, column const& wanted) {
  auto const found = entry.find(wanted.key);
  bool const absent = found == entry.end() || found->is_null();
  if (wanted.holds == kind::number_or_null) return absent || found->is_number();
  if (absent) return false;
  return wanted.holds == kind::text ? found->is_string() : found->is_number();
}

std::string cell(json const& entry, column const& shown) {
  auto const found = entry.find(shown.key);
  if (found == entry.end() || found->is_null()) return "-";
  if (found->is_string()) return found->get<std::string>();
  if (found->is_number_integer()) return found->dump();
  return fmt::format("{:.4g}", found->get<double>());
}

std::size_t width_of(column const& shown, json const& entries) {
  std::size_t width = shown.key.size();
  for (auto const& entry : entries) width = std::max(width, cell(entry, shown).size());
  return width;
}

}  // namespace

json read_bench_entries(std::filesystem::path const& file) {
  std::ifstream stream{file};
  json entries = json::parse(stream, nullptr, false);
  if (!entries.is_array()) throw std::runtime_error{"it wrote no JSON list of entries"};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    for (auto const& wanted : columns) {
      if (entries[i].is_object() && fits(entries[i], wanted)) continue;
      throw std::runtime_error{
          fmt::format("entry {} has no {} \"{}\"", i, wanted.holds == kind::text ? "text" : "number", wanted.key)};
    }
  }
  return entries;
}

std::string bench_table(json const& entries) {
  std::vector<std::size_t> widths;
  std::string text;
  auto const add = [&](std::size_t i, std::string_view word) {
    if (i > 0) text += "  ";
    text += columns[i].holds == kind::text ? fmt::format("{:<{}}", word, widths[i])
                                           : fmt::format("{:>{}}", word, widths[i]);
    if (i + 1 == columns.size()) text += '\n';
  };
  for (auto const& shown : columns) widths.push_back(width_of(shown, entries));
  for (std::size_t i = 0; i < columns.size(); ++i) add(i, columns[i].key);
  for (auto const& entry : entries) {
    for (std::size_t i = 0; i < columns.size(); ++i) add(i, cell(entry, columns[i]));
  }
  return text;
}

}  // namespace tess::cli
