// tree: locations of files relative to the running `tess`; the build tree has the layout of the installed one.
//
//   bin/tess   lib/libtessera.a   libexec/tessera/NAME   libexec/tessera/bench/NAME
//   share/tessera/build.json   share/tessera/packages.txt
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tess::cli {

struct tree {
  std::filesystem::path prefix;

  [[nodiscard]] std::filesystem::path programs() const { return prefix / "libexec" / "tessera"; }
  // Programs for simulated machines; in a build tree only those that `./tess run --machine` has built.
  [[nodiscard]] std::filesystem::path machine_programs() const { return programs() / "riscv"; }
  [[nodiscard]] std::filesystem::path benches() const { return programs() / "bench"; }
  [[nodiscard]] std::filesystem::path reproductions() const { return programs() / "reproduce"; }
  [[nodiscard]] std::filesystem::path share() const { return prefix / "share" / "tessera"; }
  [[nodiscard]] std::filesystem::path build_json() const { return prefix / "share" / "tessera" / "build.json"; }
  [[nodiscard]] std::filesystem::path packages() const { return prefix / "share" / "tessera" / "packages.txt"; }
};

// The tree that this executable is part of.
tree own_tree();

bool is_executable_file(std::filesystem::path const& file);

// Names of the programs that `tess run` can run: in a build tree all that can be built, elsewhere all installed ones.
std::vector<std::string> program_names(tree const& here);

// Names of the executables in a folder, sorted; none if there is no such folder.
std::vector<std::string> executables_in(std::filesystem::path const& folder);

}  // namespace tess::cli
