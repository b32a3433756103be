// profile: the counters of this PE, and how those of all become one file.
#include "shmem/profile.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "base/output_file.hpp"
#include "shmem/call.hpp"
#include "shmem/gather.hpp"
#include "shmem/job.hpp"
#include "shmem/source_line.hpp"

namespace tess::shmem {

bool profiling = false;

namespace {

struct counters {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;
};
struct traffic {
  std::uint64_t operations = 0;
  std::uint64_t bytes = 0;
};

std::mutex one;
std::map<std::pair<std::string, void*>, counters> by_call;
std::vector<traffic> by_pe;
thread_local std::uint64_t bytes_of_call = 0;
std::string file_name;

/// Lines of text: `call NAME LINE CALLS BYTES SECONDS` and `pe NUMBER OPERATIONS BYTES`.
std::string written_counters() {
  // Lines of equal calls are one; only the costliest are looked up, since each takes a process.
  constexpr std::size_t looked_up = 40;
  std::vector<std::pair<std::pair<std::string, void*>, counters>> sorted(by_call.begin(), by_call.end());
  std::ranges::sort(sorted, [](auto const& a, auto const& b) { return a.second.seconds > b.second.seconds; });
  std::ostringstream text;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    auto const& [key, c] = sorted[i];
    std::string line = i < looked_up ? source_line(key.second) : "";
    line = line.size() > 3 ? line.substr(2, line.size() - 3) : "-";
    std::ranges::replace(line, ' ', '_');
    text << "call " << key.first << ' ' << line << ' ' << c.calls << ' ' << c.bytes << ' ' << c.seconds << '\n';
  }
  for (std::size_t pe = 0; pe < by_pe.size(); ++pe)
    if (by_pe[pe].operations != 0) text << "pe " << pe << ' ' << by_pe[pe].operations << ' ' << by_pe[pe].bytes << '\n';
  return std::move(text).str();
}

/// What all PEs counted.
struct totals {
  std::map<std::pair<std::string, std::string>, counters> calls;  ///< by function and line
  std::vector<std::vector<traffic>> matrix;
};

void add_report(totals& all, std::string const& text, std::size_t pe) {
  std::istringstream lines(text);
  std::string word;
  while (lines >> word) {
    if (word == "call") {
      std::string name, line;
      counters c;
      lines >> name >> line >> c.calls >> c.bytes >> c.seconds;
      counters& sum = all.calls[{name, line}];
      sum.calls += c.calls;
      sum.bytes += c.bytes;
      sum.seconds += c.seconds;
    } else {
      std::size_t target = 0;
      traffic t;
      lines >> target >> t.operations >> t.bytes;
      if (target < all.matrix.size()) all.matrix[pe][target] = t;
    }
  }
}

std::string as_json(totals const& all) {
  std::ostringstream text;
  text << "{\"pes\": " << own.pes << ",\n \"calls\": [";
  char const* between = "\n";
  for (auto const& [key, c] : all.calls) {
    text << between << "  {\"call\": \"" << key.first << "\", \"line\": \"" << (key.second == "-" ? "" : key.second)
         << "\", \"calls\": " << c.calls << ", \"bytes\": " << c.bytes << ", \"seconds\": " << c.seconds << "}";
    between = ",\n";
  }
  auto const matrix = [&](char const* name, auto value) {
    text << ",\n \"" << name << "\": [";
    for (std::size_t pe = 0; pe < all.matrix.size(); ++pe) {
      text << (pe == 0 ? "\n  [" : ",\n  [");
      for (std::size_t to = 0; to < all.matrix.size(); ++to) text << (to == 0 ? "" : ", ") << value(all.matrix[pe][to]);
      text << "]";
    }
    text << "]";
  };
  text << "]";
  matrix("operations", [](traffic const& t) { return t.operations; });
  matrix("bytes", [](traffic const& t) { return t.bytes; });
  text << "}\n";
  return std::move(text).str();
}

std::string as_csv(totals const& all) {
  std::ostringstream text;
  text << "pe,with,operations,bytes\n";
  for (std::size_t pe = 0; pe < all.matrix.size(); ++pe)
    for (std::size_t to = 0; to < all.matrix.size(); ++to)
      text << pe << ',' << to << ',' << all.matrix[pe][to].operations << ',' << all.matrix[pe][to].bytes << '\n';
  return std::move(text).str();
}

/// A square for each pair, the darker the more bytes.
std::string as_picture(totals const& all) {
  std::size_t const pes = all.matrix.size();
  std::uint64_t most = 1;
  for (auto const& row : all.matrix)
    for (traffic const& t : row) most = std::max(most, t.bytes);
  double const side = std::clamp(480.0 / static_cast<double>(pes), 2.0, 60.0);
  double const all_sides = side * static_cast<double>(pes);
  std::ostringstream text;
  text << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << all_sides + 80 << "\" height=\"" << all_sides + 80
       << "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
       << "<text x=\"60\" y=\"18\">bytes moved by each PE (rows) to and from each (columns); darkest: " << most
       << "</text>\n";
  for (std::size_t pe = 0; pe < pes; ++pe) {
    double const y = 50 + side * static_cast<double>(pe);
    if (pe == 0 || pe + 1 == pes || side >= 12)
      text << "<text x=\"52\" y=\"" << y + side / 2 + 4 << "\" text-anchor=\"end\">" << pe << "</text>\n"
           << "<text x=\"" << 10 + y + side / 2 << "\" y=\"44\" text-anchor=\"middle\">" << pe << "</text>\n";
    for (std::size_t to = 0; to < pes; ++to) {
      double const share = static_cast<double>(all.matrix[pe][to].bytes) / static_cast<double>(most);
      text << "<rect x=\"" << 60 + side * static_cast<double>(to) << "\" y=\"" << y << "\" width=\"" << side
           << "\" height=\"" << side << "\" fill=\"#08519c\" fill-opacity=\"" << share
           << "\" stroke=\"#ddd\" stroke-width=\"0.5\"><title>" << pe << " with " << to << ": "
           << all.matrix[pe][to].bytes << " B</title></rect>\n";
    }
  }
  text << "</svg>\n";
  return std::move(text).str();
}

}  // namespace

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void count_call(char const* name, void* from, double began) {
  double const took = seconds_now() - began;
  std::scoped_lock const lock(one);
  counters& c = by_call[{name, from}];
  ++c.calls;
  c.bytes += std::exchange(bytes_of_call, 0);
  c.seconds += took;
}

void count_bytes(std::size_t bytes, int pe) {
  bytes_of_call += bytes;
  std::scoped_lock const lock(one);
  traffic& t = by_pe[static_cast<std::size_t>(pe)];
  ++t.operations;
  t.bytes += bytes;
}

void begin_profile() {
  char const* const name = std::getenv("TESS_STATS");
  if (name == nullptr || *name == '\0') return;
  file_name = name;
  by_call.clear();
  by_pe.assign(static_cast<std::size_t>(own.pes), {});
  profiling = true;
}

void end_profile() {
  if (!profiling) return;
  profiling = false;
  auto const pes = static_cast<std::size_t>(own.pes);
  totals all{{}, std::vector(pes, std::vector<traffic>(pes))};
  gather(written_counters(), [&](std::size_t pe, std::string_view bytes) { add_report(all, std::string(bytes), pe); });
  if (own.pe != 0) return;
  try {
    detail::output_file file(file_name);
    file.write(file_name.ends_with(".csv")   ? as_csv(all)
               : file_name.ends_with(".svg") ? as_picture(all)
                                             : as_json(all));
    file.close();
  } catch (detail::write_error const& problem) {
    std::fprintf(stderr, "shmem: %s\n", problem.what());
    std::exit(1);
  }
}

}  // namespace tess::shmem
