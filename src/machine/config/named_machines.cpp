// named_machines: share/tessera/machines, relative to the executable in libexec/tessera/machine.
#include "machine/config/named_machines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tess::machine {
namespace {

std::filesystem::path folder() {
  auto const root = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../../..";
  return (root / "share/tessera/machines").lexically_normal();
}

std::vector<std::string> names_in(std::filesystem::path const& of) {
  std::vector<std::string> names;
  std::error_code none;
  for (auto const& entry : std::filesystem::directory_iterator(of, none)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

std::vector<std::string> machine_names() {
  return names_in(folder());
}

std::vector<std::string> memory_names() {
  return names_in(folder() / "memory");
}

std::filesystem::path file_of_memory(std::string const& wanted, std::filesystem::path const& near) {
  if (wanted.empty() || wanted.contains('/')) return {};
  std::error_code none;
  for (std::filesystem::path const& in : {folder() / "memory", near / "memory"}) {
    auto file = in / (wanted + ".toml");
    if (std::filesystem::exists(file, none)) return file;
  }
  return {};
}

std::filesystem::path file_of_machine(std::string const& wanted, std::filesystem::path const& near) {
  if (wanted.ends_with(".toml")) return (near / wanted).lexically_normal();
  if (wanted.empty() || wanted.contains('/')) return {};
  std::error_code none;
  for (std::filesystem::path const& in : {folder(), near}) {
    auto file = in / (wanted + ".toml");
    if (std::filesystem::exists(file, none)) return file;
  }
  return {};
}

machine_description described_machine(std::string const& wanted) {
  if (wanted.ends_with(".toml")) return read_machine(wanted);
  auto const names = machine_names();
  if (std::ranges::find(names, wanted) == names.end()) {
    throw config_error(
        fmt::format("no machine \"{}\"; expected one of {}, or FILE.toml", wanted, fmt::join(names, ", ")));
  }
  return read_machine(folder() / (wanted + ".toml"));
}

}  // namespace tess::machine
