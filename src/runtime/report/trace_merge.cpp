// trace_merge: merges the traces of several processes line by line: write_trace() writes one event a line.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/launched.hpp"
#include "base/output_file.hpp"
#include "runtime/report/trace.hpp"

namespace tess::detail {

namespace {

/// The number after `"name":` in a line.
template <class Number>
std::optional<Number> number_after(std::string_view line, std::string_view name, std::size_t& begin, std::size_t& end) {
  begin = line.find(name);
  if (begin == std::string_view::npos) return std::nullopt;
  begin += name.size();
  Number n{};
  auto const [stop, error] = std::from_chars(line.data() + begin, line.data() + line.size(), n);
  if (error != std::errc{}) return std::nullopt;
  end = static_cast<std::size_t>(stop - line.data());
  return n;
}

std::optional<std::int64_t> zero_of(std::string_view head) {
  std::size_t begin = 0;
  std::size_t end = 0;
  return number_after<std::int64_t>(head, "\"zero_unix_ns\":", begin, end);
}

/// Writes an event with its time moved by `shift_us` microseconds.
void write_shifted(output_file& out, std::string const& line, double shift_us) {
  std::size_t begin = 0;
  std::size_t end = 0;
  auto const at = number_after<double>(line, "\"ts\":", begin, end);
  if (!at) return out.write(line);
  char text[64];
  std::snprintf(text, sizeof text, "%.3f", *at + shift_us);
  out.write(line.substr(0, begin) + text + line.substr(end));
}

/// The events of a file, each with a comma before it unless it is the first of all.
void add_events(output_file& out, std::ifstream& from, double shift_us, bool& first) {
  for (std::string line; std::getline(from, line) && line != "]}";) {
    if (line.ends_with(',')) line.pop_back();
    if (line.empty()) continue;
    if (!first) out.write(",\n");
    first = false;
    write_shifted(out, line, shift_us);
  }
}

}  // namespace

std::string trace_part_of(std::string const& file, unsigned place) {
  std::error_code none;
  auto const found = std::filesystem::status(file, none);
  if (!std::filesystem::exists(found) || std::filesystem::is_regular_file(found))
    return place == 0 ? file : file + "." + std::to_string(place);
  // A pipe or a device is written once, by the merge, and has no file beside it.
  char const* job_name = std::getenv(spawned_job_variable);
  if (job_name == nullptr) job_name = std::getenv("PMIX_NAMESPACE");
  std::string name = job_name != nullptr ? job_name : "job";
  std::ranges::replace_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '-');
  return std::filesystem::temp_directory_path(none) / ("tess-trace-" + name + "." + std::to_string(place));
}

void merge_traces(std::string const& file, unsigned places) {
  std::string const own_part = trace_part_of(file, 0);
  std::ifstream own(own_part);
  std::string head;
  std::getline(own, head);
  std::int64_t const zero = zero_of(head).value_or(0);
  output_file out(file);
  out.write(head + "\n");
  bool first = true;
  add_events(out, own, 0, first);
  for (unsigned p = 1; p < places; ++p) {
    std::string const name = trace_part_of(file, p);
    std::ifstream other(name);
    if (!std::getline(other, head)) continue;
    std::int64_t const its_zero = zero_of(head).value_or(zero);
    add_events(out, other, static_cast<double>(its_zero - zero) / 1e3, first);
    std::remove(name.c_str());
  }
  if (own_part != file) std::remove(own_part.c_str());
  out.write("\n]}\n");
  out.close();
}

}  // namespace tess::detail
