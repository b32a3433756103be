// merged_file: a machine file and the files that it extends, as one tree in which every node knows its file and line.
//
//   `extends` names a machine, or has the path of a file relative to the one that says it. Tables are merged key by
//   key; any other value, a list and [[tables]] among them, takes the place of the base's. A [[unit]] is a table by its
//   name, as [unit.NAME] is, so it is merged key by key, too. `without` lists keys and tables of the base that are left
//   out. A variant inherits neither name nor summary. `preset` of [dram] names a file
//   of machines/memory, whose [dram] takes the place of the base's.
//
// Errors    config_error, `file:line:column: what; expected …`, with the chain of files if there are several.
// Threads   one.
#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tess::machine {

class merged_file {
 public:
  /// `name` is used in messages; its folder is where relative paths begin.
  merged_file(std::string text, std::string name);

  [[nodiscard]] toml::table& root() noexcept { return root_; }
  [[nodiscard]] toml::table const& root() const noexcept { return root_; }
  [[nodiscard]] std::string where(toml::source_region const& at) const;
  /// `base`: what the file wants to extend, if that is the error.
  [[noreturn]] void fail(toml::source_region const& at, std::string const& what, std::string const& expected,
                         std::string const& base = {}) const;
  /// The comment behind a value.
  [[nodiscard]] std::string comment(toml::source_region const& at) const;
  /// A value as its file writes it.
  [[nodiscard]] std::string written(toml::node const& value) const;
  /// A table's keys in the order of the files, those of the base first.
  [[nodiscard]] std::vector<std::string> keys(toml::table const& of, std::string const& path) const;

 private:
  struct source_file {
    std::string name;
    std::filesystem::path path;
    std::vector<std::string> lines;
    std::string owner;  ///< The file that names it, if it is a memory.
  };

  toml::table parsed(std::string const& text, std::string name);
  toml::table merged(toml::table variant);
  /// Puts the memory that [dram] names by `preset` behind the table's own keys. Was there one?
  bool add_memory(toml::table& machine);
  /// Makes each of [[unit]] a table [unit.NAME], whose `file` is an absolute path.
  void name_units(toml::table& machine) const;
  void leave_out(toml::table& base, toml::array const& keys) const;
  void note_order(toml::table const& of, std::string const& path);
  [[nodiscard]] source_file const* file_of(toml::source_region const& at) const;

  std::vector<source_file> files_;  ///< The one that was named first, each before its base.
  std::vector<source_file> memories_;
  toml::table root_;
  std::map<std::string, std::size_t> order_;  ///< By path of a key.
};

/// The content of a machine file. Errors: config_error without a position, if there is no such regular file.
[[nodiscard]] std::string content_of_file(std::filesystem::path const& file);

}  // namespace tess::machine
