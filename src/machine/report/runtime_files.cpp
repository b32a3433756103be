// runtime_files: a temporary folder, and an environment variable for each file.
#include "machine/report/runtime_files.hpp"

#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

namespace tess::machine {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view statistics_name = "statistics.json";
constexpr std::string_view trace_name = "trace.json";

}  // namespace

runtime_files::runtime_files(bool statistics, bool trace, std::vector<std::string> const& environment) {
  auto const named = [&](std::string_view variable) {
    return std::ranges::any_of(environment, [&](std::string const& one) { return one.starts_with(variable); });
  };
  statistics = statistics && !named("TESS_STATS=");
  trace = trace && !named("TESS_TRACE=");
  if (!statistics && !trace) return;
  std::string folder = (fs::temp_directory_path() / "tess-machine-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr)
    throw fs::filesystem_error("a folder for what the runtime writes", folder,
                               std::error_code(errno, std::system_category()));
  folder_ = folder;
  fs::path const shown{shown_folder};
  if (statistics) variables_.push_back("TESS_STATS=" + (shown / statistics_name).string());
  if (trace) variables_.push_back("TESS_TRACE=" + (shown / trace_name).string());
}

runtime_files::~runtime_files() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

std::string runtime_files::contents_of(std::string_view name) const {
  if (folder_.empty()) return {};
  std::ifstream stream{folder_ / name, std::ios::binary};
  return {std::istreambuf_iterator<char>(stream), {}};
}
std::string runtime_files::statistics() const {
  return contents_of(statistics_name);
}
std::string runtime_files::trace() const {
  return contents_of(trace_name);
}

}  // namespace tess::machine
