// merged_file: reads the chain of files, merges them from the last base on, and remembers the order of the keys.
#include "machine/config/merged_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include "machine/config/named_machines.hpp"
#include "machine/config/toml_table.hpp"

namespace tess::machine {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t text_bytes_max = 4U << 20U;
constexpr std::size_t chain_max = 32;
// A key of a machine has two dots at most. Each dot is a table within a table, which are destroyed by recursion.
constexpr std::ptrdiff_t line_dots_max = 1000;
constexpr std::string_view base_expected = "a machine's name, or the path of a file that ends in .toml";

std::string const unit_name_expected =
    R"(a letter, then letters, digits, _ and -, 55 at most, as name = "filter"; without, it is that of the file)";

bool is_unit_name(std::string_view name) {
  auto const is_letter = [](char one) { return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z'); };
  return !name.empty() && name.size() < 56 && is_letter(name.front()) &&
         std::ranges::all_of(
             name, [&](char one) { return is_letter(one) || (one >= '0' && one <= '9') || one == '_' || one == '-'; });
}

/// What a variant has for itself.
bool is_own(std::string_view key) {
  return key == "name" || key == "summary" || key == "extends" || key == "without";
}

fs::path true_path(fs::path const& file) {
  std::error_code failed;
  fs::path const found = fs::weakly_canonical(file, failed);
  return failed ? file.lexically_normal() : found;
}

/// Adds what only the base has to the variant.
void add_base(toml::table& variant, toml::table& base) {
  for (auto&& [key, node] : base) {
    toml::node* const own = variant.get(key);
    if (own == nullptr) {
      variant.insert(key, std::move(node));
    } else if (own->is_table() && node.is_table()) {
      add_base(*own->as_table(), *node.as_table());
    }
  }
}

std::string quoted_text(std::string_view text) {
  std::string made = "\"";
  for (char const one : text) {
    if (static_cast<unsigned char>(one) < 0x20U || one == 0x7f) {
      made += fmt::format("\\u{:04x}", static_cast<unsigned char>(one));
      continue;
    }
    if (one == '"' || one == '\\') made += '\\';
    made += one;
  }
  return made + '"';
}

}  // namespace

std::string content_of_file(fs::path const& file) {
  std::error_code failed;
  bool const exists = fs::exists(file, failed);
  if (exists && !fs::is_regular_file(file, failed))
    throw config_error(file.string() + ": is no regular file; expected a machine file");
  if (exists && fs::file_size(file, failed) > text_bytes_max)
    throw config_error(
        fmt::format("{}: is too large; expected a machine file of at most {} bytes", file.string(), text_bytes_max));
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream.is_open() || stream.bad())
    throw config_error(file.string() + ": cannot be read; expected a machine file");
  return text.str();
}

merged_file::merged_file(std::string text, std::string name) {
  toml::table variant = parsed(text, std::move(name));
  root_ = merged(std::move(variant));
}

toml::table merged_file::parsed(std::string const& text, std::string name) {
  source_file added{.name = name, .path = true_path(name), .lines = {}, .owner = {}};
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) added.lines.push_back(std::move(line));
  files_.push_back(std::move(added));
  auto const path = std::make_shared<std::string const>(name);
  for (std::size_t i = 0; i < files_.back().lines.size(); ++i) {
    if (std::ranges::count(files_.back().lines[i], '.') <= line_dots_max) continue;
    toml::source_position const at{static_cast<toml::source_index>(i + 1), 1};
    fail({at, at, path}, "the line has too many dots", fmt::format("at most {}", line_dots_max));
  }
  try {
    toml::table made = toml::parse(text, name);
    name_units(made);
    return made;
  } catch (toml::parse_error const& wrong) {
    fail(wrong.source(), std::string(wrong.description()), "TOML 1.0");
  }
}

void merged_file::name_units(toml::table& machine) const {
  static std::string const expected = R"(tables [[unit]], each with file = "NAME.so" or with a name)";
  toml::node* const units = machine.get("unit");
  if (units == nullptr) return;
  if (!units->is_array_of_tables() && !units->is_table()) fail(units->source(), "unit is no table", expected);
  toml::table named;
  if (units->is_array_of_tables()) {
    for (toml::node& one : *units->as_array()) {
      toml::table& unit = *one.as_table();
      auto const text_at = [&](char const* key) {
        toml::node const* const found = unit.get(key);
        return found == nullptr || !found->is_string() ? std::string{} : found->as_string()->get();
      };
      bool const has_name = unit.contains("name");
      std::string const name = has_name ? text_at("name") : fs::path(text_at("file")).stem().string();
      toml::source_region const at = has_name ? unit.get("name")->source() : unit.source();
      if (!is_unit_name(name))
        fail(at, name.empty() ? "a unit has no name" : fmt::format("\"{}\" cannot be the name of a unit", name),
             unit_name_expected);
      if (named.contains(name)) fail(at, fmt::format("there are two units \"{}\"", name), "a name for each");
      toml::key key(name, toml::source_region(unit.source()));
      unit.erase("name");
      named.insert(std::move(key), std::move(unit));
    }
    machine.insert_or_assign("unit", std::move(named));
  }
  for (auto&& [name, one] : *machine.get("unit")->as_table()) {
    if (!one.is_table()) fail(one.source(), fmt::format("unit.{} is no table", name.str()), expected);
    if (!is_unit_name(name.str()))
      fail(name.source(), fmt::format("\"{}\" cannot be the name of a unit", name.str()), unit_name_expected);
    toml::node* const file = one.as_table()->get("file");
    if (file == nullptr || !file->is_string() || file->as_string()->get().empty()) continue;
    fs::path const folder = fs::absolute(files_.back().name).parent_path();
    *file->as_string() = (folder / file->as_string()->get()).lexically_normal().string();
  }
}

bool merged_file::add_memory(toml::table& machine) {
  toml::table* const dram = machine["dram"].as_table();
  toml::node const* const preset = dram == nullptr ? nullptr : dram->get("preset");
  if (preset == nullptr) return false;
  toml::source_region const at = preset->source();
  auto const* const wanted = preset->as_string();
  fs::path const near = fs::path(files_.back().name).parent_path();
  fs::path const file = wanted == nullptr ? fs::path{} : file_of_memory(wanted->get(), near);
  if (file.empty()) {
    fail(at, wanted == nullptr ? "preset is no text" : fmt::format("there is no memory \"{}\"", wanted->get()),
         fmt::format("one of {}", fmt::join(memory_names(), ", ")));
  }
  toml::table memory = parsed(content_of_file(file), file.string());
  for (auto&& [key, node] : memory)
    if (key.str() != "dram" || !node.is_table()) fail(key.source(), "this is no [dram]", "that table, and no other");
  // It is no part of the chain.
  files_.back().owner = files_[files_.size() - 2].name;
  memories_.push_back(std::move(files_.back()));
  files_.pop_back();
  note_order(memory, "");
  dram->erase("preset");
  if (toml::table* const known = memory["dram"].as_table()) add_base(*dram, *known);
  return true;
}

toml::table merged_file::merged(toml::table variant) {
  bool const own_memory = add_memory(variant);
  toml::node const* const extends = variant.get("extends");
  toml::node const* const without = variant.get("without");
  if (extends == nullptr) {
    if (without != nullptr) fail(without->source(), "without what it extends, nothing is left out", "extends = \"…\"");
    note_order(variant, "");
    return variant;
  }
  toml::source_region const at = extends->source();
  if (!extends->is_string() || extends->as_string()->get().empty())
    fail(at, "extends is no text", std::string(base_expected));
  std::string const wanted = extends->as_string()->get();
  std::string const name = files_.back().name;
  fs::path const base = file_of_machine(wanted, fs::path(name).parent_path());
  if (base.empty()) {
    fail(at, fmt::format("there is no machine \"{}\"", wanted),
         fmt::format("one of {}, or a path that ends in .toml", fmt::join(machine_names(), ", ")), wanted);
  }
  fs::path const file = true_path(base);
  if (auto const found = std::ranges::find(files_, file, &source_file::path); found != files_.end()) {
    bool const itself = found + 1 == files_.end();
    fail(at, itself ? "a machine extends itself" : "machines extend each other in a circle",
         "a base that does not need this file", wanted);
  }
  if (files_.size() == chain_max) fail(at, "too many machines extend each other", fmt::format("at most {}", chain_max));
  std::string text;
  try {
    text = content_of_file(base);
  } catch (config_error const& unreadable) {
    std::string const said = unreadable.what();
    fail(at, fmt::format("the base {}", said.substr(0, said.find(';'))), std::string(base_expected), wanted);
  }
  toml::table inherited = merged(parsed(text, base.string()));
  for (std::string_view const own : {"name", "summary", "extends", "without"}) inherited.erase(own);
  if (without != nullptr) {
    if (!without->is_array()) fail(without->source(), "without is no list", "a list of tables and keys of the base");
    leave_out(inherited, *without->as_array());
  }
  if (own_memory) inherited.erase("dram");
  note_order(variant, "");
  add_base(variant, inherited);
  if (!variant.contains("name")) variant.insert("name", fs::path(name).stem().string());
  if (!variant.contains("summary")) variant.insert("summary", "a variant of " + wanted);
  variant.erase("extends");
  variant.erase("without");
  return variant;
}

void merged_file::leave_out(toml::table& base, toml::array const& keys) const {
  static std::string const expected = "a key or a table that the base has, as \"l2.ways\" or \"cni\"";
  for (toml::node const& one : keys) {
    if (!one.is_string()) fail(one.source(), "an element of without is no text", expected);
    std::string_view rest = one.as_string()->get();
    toml::table* in = &base;
    while (in != nullptr) {
      std::size_t const dot = rest.find('.');
      std::string_view const key = rest.substr(0, dot);
      if (dot == std::string_view::npos) {
        if (in->erase(key) == 0) in = nullptr;
        break;
      }
      toml::node* const inner = in->get(key);
      in = inner == nullptr ? nullptr : inner->as_table();
      rest.remove_prefix(dot + 1);
    }
    if (in == nullptr)
      fail(one.source(), fmt::format("the base has no \"{}\" to leave out", one.as_string()->get()), expected);
  }
}

void merged_file::note_order(toml::table const& of, std::string const& path) {
  std::vector<std::pair<toml::source_position, toml::key const*>> places;
  for (auto&& [key, node] : of) places.emplace_back(key.source().begin, &key);
  std::ranges::sort(places, [](auto const& one, auto const& other) { return one.first < other.first; });
  for (auto const& [place, key] : places) {
    std::string const full = path + std::string(key->str());
    if (path.empty() && is_own(key->str()) && key->str() != "name" && key->str() != "summary") continue;
    order_.try_emplace(full, order_.size());
    if (toml::table const* const inner = of.get(*key)->as_table()) note_order(*inner, full + ".");
  }
}

std::vector<std::string> merged_file::keys(toml::table const& of, std::string const& path) const {
  std::vector<std::pair<std::size_t, std::string>> found;
  for (auto&& [key, node] : of) {
    auto const place = order_.find(path + std::string(key.str()));
    std::size_t const line = key.source().begin.line;  // within [[tables]], whose keys are not merged
    found.emplace_back(place == order_.end() ? line : place->second, std::string(key.str()));
  }
  std::ranges::sort(found);
  std::vector<std::string> made;
  for (auto& [place, key] : found) made.push_back(std::move(key));
  return made;
}

merged_file::source_file const* merged_file::file_of(toml::source_region const& at) const {
  std::string const& name = at.path ? *at.path : files_.front().name;
  for (auto const* const files : {&files_, &memories_}) {
    auto const found = std::ranges::find(*files, name, &source_file::name);
    if (found != files->end()) return &*found;
  }
  return nullptr;
}

std::string merged_file::where(toml::source_region const& at) const {
  return fmt::format("{}:{}:{}", at.path ? *at.path : files_.front().name, at.begin.line, at.begin.column);
}

void merged_file::fail(toml::source_region const& at, std::string const& what, std::string const& expected,
                       std::string const& base) const {
  std::string said = fmt::format("{}: {}; expected {}", where(at), what, expected);
  source_file const* const wrong = file_of(at);
  if (wrong != nullptr && (wrong != &files_.front() || !base.empty())) {
    std::string chain;
    for (source_file const& one : files_) {
      if (&one == wrong) break;
      bool const has_it = one.name == wrong->owner;
      chain += one.name + (has_it ? " has the memory " : " extends ");
      if (has_it) break;
    }
    said += fmt::format(" ({}{}{}{})", chain, wrong->name, base.empty() ? "" : " extends ", base);
  }
  throw config_error(said);
}

std::string merged_file::comment(toml::source_region const& at) const {
  source_file const* const file = file_of(at);
  if (file == nullptr || at.begin.line == 0 || at.begin.line > file->lines.size()) return {};
  std::string const& line = file->lines[at.begin.line - 1];
  if (at.begin.column == 0 || at.begin.column > line.size()) return {};
  std::size_t const hash = line.find('#', at.begin.column - 1);
  if (hash == std::string::npos) return {};
  std::size_t const first = line.find_first_not_of("# ", hash);
  return first == std::string::npos ? std::string{} : line.substr(first);
}

std::string merged_file::written(toml::node const& value) const {
  if (auto const* const text = value.as_string()) return quoted_text(text->get());
  if (auto const* const truth = value.as_boolean()) return truth->get() ? "true" : "false";
  if (auto const* const list = value.as_array()) {
    std::string made;
    for (toml::node const& one : *list) made += (made.empty() ? "" : ", ") + written(one);
    return "[" + made + "]";
  }
  if (auto const* const table = value.as_table()) {
    std::string made;
    for (std::string const& key : keys(*table, "?"))
      made += fmt::format("{}{} = {}", made.empty() ? "" : ", ", key, written(*table->get(key)));
    return "{ " + made + " }";
  }
  auto const* const number = value.as_integer();
  if (number == nullptr) return {};  // no machine has another kind of value
  toml::source_region const& at = value.source();
  source_file const* const file = file_of(at);
  if (file == nullptr || at.begin.line == 0 || at.begin.line > file->lines.size())
    return fmt::format("{}", number->get());
  // Addresses stay hexadecimal.
  std::string_view const line = file->lines[at.begin.line - 1];
  std::size_t const begin = std::min<std::size_t>(at.begin.column - 1, line.size());
  std::size_t const end = line.find_first_not_of("0123456789abcdefABCDEFxob_+-", begin);
  return std::string(line.substr(begin, end == std::string_view::npos ? end : end - begin));
}

}  // namespace tess::machine
