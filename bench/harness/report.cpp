// report: formats four significant digits as text and all digits in JSON.
#include "harness/report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

namespace bench {
namespace {

constexpr std::size_t columns = 9;
using row = std::array<std::string, columns>;

constexpr std::size_t text_columns = 2;  // bench and case are left-aligned, numbers right-aligned

std::string number(char const* printf_format, double value) {
  std::array<char, 32> text{};
  (void)std::snprintf(text.data(), text.size(), printf_format, value);
  return text.data();
}

std::string padded(std::string text, std::size_t width, bool left) {
  text.insert(left ? text.size() : 0, width - text.size(), ' ');
  return text;
}

row row_of(entry const& shown) {
  return {shown.bench,
          shown.name,
          std::to_string(shown.places),
          number("%.4g", shown.value),
          shown.unit,
          shown.limit ? number("%.4g", *shown.limit) : "-",
          shown.ratio ? number("%.3f", *shown.ratio) : "-",
          number("%.0f%%", shown.spread * 100),
          std::to_string(shown.runs)};
}

}  // namespace

std::string one_line(entry const& shown) {
  std::string line = shown.bench + ' ' + shown.name + " (" + std::to_string(shown.places) + "): ";
  line += number("%.4g ", shown.value) + shown.unit;
  if (shown.limit && shown.ratio) line += number(", limit %.4g", *shown.limit) + number(", ratio %.3f", *shown.ratio);
  return line;
}

std::string table(std::span<entry const> entries) {
  std::vector<row> rows{{"bench", "case", "places", "value", "unit", "limit", "ratio", "+-", "runs"}};
  std::ranges::transform(entries, std::back_inserter(rows), row_of);
  std::array<std::size_t, columns> widths{};
  for (row const& cells : rows) {
    for (std::size_t c = 0; c < columns; ++c) widths[c] = std::max(widths[c], cells[c].size());
  }
  std::string text;
  for (row const& cells : rows) {
    for (std::size_t c = 0; c < columns; ++c) {
      text += padded(cells[c], widths[c], c < text_columns) + "  ";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

std::string json(std::span<entry const> entries) {
  auto const number_or_null = [](std::optional<double> const& number) {
    return number ? nlohmann::ordered_json(*number) : nlohmann::ordered_json(nullptr);
  };
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (entry const& shown : entries) {
    list.push_back({{"bench", shown.bench},
                    {"case", shown.name},
                    {"places", shown.places},
                    {"value", shown.value},
                    {"unit", shown.unit},
                    {"limit", number_or_null(shown.limit)},
                    {"ratio", number_or_null(shown.ratio)},
                    {"runs", shown.runs}});
  }
  return list.dump(2) + '\n';
}

bool write_json(std::span<entry const> entries, std::string const& file) {
  std::ofstream out(file);
  out << json(entries);
  return out.flush().good();
}

}  // namespace bench
