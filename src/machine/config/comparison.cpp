// comparison: walks the trees of merged machine files.
#include "machine/config/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "machine/config/description.hpp"
#include "machine/config/merged_file.hpp"
#include "machine/config/named_machines.hpp"

namespace tess::machine {
namespace {

/// Reads a machine twice: as a description, so that only valid ones are shown, and as a tree.
merged_file checked_file(std::string const& machine) {
  (void)described_machine(machine);
  std::filesystem::path const file = file_of_machine(machine, "");
  return {content_of_file(file), file.string()};
}

std::string json_of(toml::node const& value) {
  if (auto const* const number = value.as_integer()) return fmt::format("{}", number->get());
  if (auto const* const truth = value.as_boolean()) return truth->get() ? "true" : "false";
  std::string made;
  if (auto const* const list = value.as_array()) {
    for (toml::node const& one : *list) made += (made.empty() ? "" : ", ") + json_of(one);
    return "[" + made + "]";
  }
  if (auto const* const table = value.as_table()) {
    for (auto&& [key, one] : *table)
      made += fmt::format("{}\"{}\": {}", made.empty() ? "" : ", ", std::string(key.str()), json_of(one));
    return "{" + made + "}";
  }
  std::ostringstream text;
  if (value.is_string()) text << toml::json_formatter(*value.as_string(), toml::format_flags::none);
  return text.str();
}

struct leaf {
  std::string key;
  std::string written;
  std::string json;
  std::string table;  ///< Its table among [[tables]]: `partition[3]`.
};

struct machine_keys {
  std::vector<leaf> leaves;
  std::vector<leaf> tables;  ///< Each of [[tables]] as a whole.

  explicit machine_keys(std::string const& machine) {
    merged_file const file = checked_file(machine);
    add(file, file.root(), "");
  }
  void add(merged_file const& file, toml::table const& of, std::string const& path, std::string const& table = {}) {
    for (std::string const& key : file.keys(of, table.empty() ? path : "?.")) {
      toml::node const& node = *of.get(key);
      std::string const full = path + key;
      if (node.is_table()) {
        add(file, *node.as_table(), full + ".");
      } else if (node.is_array_of_tables()) {
        for (std::size_t i = 0; i < node.as_array()->size(); ++i) {
          toml::node const& one = *node.as_array()->get(i);
          tables.push_back({fmt::format("{}[{}]", full, i), file.written(one), json_of(one), {}});
          add(file, *one.as_table(), tables.back().key + ".", tables.back().key);
        }
      } else if (full != "name" && full != "summary") {
        leaves.push_back({full, file.written(node), json_of(node), table});
      }
    }
  }
  [[nodiscard]] bool has(std::string const& table) const {
    return std::ranges::find(tables, table, &leaf::key) != tables.end();
  }
  /// What stands for a key in a list of differences: the whole table, if the other machine does not have it.
  [[nodiscard]] leaf const& shown(leaf const& one, machine_keys const& other) const {
    if (one.table.empty() || other.has(one.table)) return one;
    return *std::ranges::find(tables, one.table, &leaf::key);
  }
};

void write_keys(merged_file const& file, toml::table const& of, std::string const& path, std::string const& table,
                std::string& made) {
  for (std::string const& key : file.keys(of, path)) {
    toml::node const& node = *of.get(key);
    if (node.is_table()) {
      write_keys(file, *node.as_table(), path + key + ".", table, made);
      continue;
    }
    std::string const full = path + key;
    std::string const comment = file.comment(node.source());
    made += fmt::format("{} = {}{}{}\n", full.substr(table.size()), file.written(node), comment.empty() ? "" : "  # ",
                        comment);
  }
}

}  // namespace

std::string resolved_text(std::string const& machine) {
  merged_file const file = checked_file(machine);
  toml::table const& root = file.root();
  std::string made = fmt::format("# {}: the machine with all its keys, as `tess machines show` writes it\n",
                                 root.get("name")->as_string()->get());
  auto const keys = file.keys(root, "");
  for (std::string const& key : keys) {
    toml::node const& node = *root.get(key);
    if (!node.is_table() && !node.is_array_of_tables()) made += fmt::format("{} = {}\n", key, file.written(node));
  }
  for (std::string const& key : keys) {
    toml::node const& node = *root.get(key);
    if (node.is_table()) {
      made += fmt::format("\n[{}]\n", key);
      write_keys(file, *node.as_table(), key + ".", key + ".", made);
    } else if (node.is_array_of_tables()) {
      for (toml::node const& one : *node.as_array()) {
        made += fmt::format("\n[[{}]]\n", key);
        write_keys(file, *one.as_table(), "?.", "?.", made);  // no path of the root's keys
      }
    }
  }
  return made;
}

std::vector<difference> differences_of(std::string const& one, std::string const& other) {
  machine_keys const of_one(one);
  machine_keys const of_other(other);
  std::vector<difference> made;
  auto const add = [&](difference added) {
    if (made.empty() || made.back().key != added.key) made.push_back(std::move(added));
  };
  for (leaf const& a : of_one.leaves) {
    auto const b = std::ranges::find(of_other.leaves, a.key, &leaf::key);
    leaf const& shown = of_one.shown(a, of_other);
    if (b == of_other.leaves.end()) {
      add({shown.key, {shown.written, ""}, {shown.json, ""}});
    } else if (a.json != b->json) {
      add({a.key, {a.written, b->written}, {a.json, b->json}});
    }
  }
  for (leaf const& b : of_other.leaves) {
    if (std::ranges::find(of_one.leaves, b.key, &leaf::key) != of_one.leaves.end()) continue;
    leaf const& shown = of_other.shown(b, of_one);
    add({shown.key, {"", shown.written}, {"", shown.json}});
  }
  return made;
}

}  // namespace tess::machine
