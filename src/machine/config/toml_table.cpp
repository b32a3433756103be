// toml_table: queries of the tree of a machine file, with the positions of its nodes.
#include "machine/config/toml_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "machine/config/merged_file.hpp"

namespace tess::machine {

struct toml_document::inside {
  merged_file file;
  std::vector<explained_value> explained;
};

struct toml_table::inside {
  std::shared_ptr<toml_document::inside> document;
  toml::table* table;
  std::string path;  ///< With a dot at its end, or empty.
  std::vector<std::string> known_keys;

  toml::node& get(std::string_view key, std::string const& expected) {
    known_keys.emplace_back(key);
    toml::node* const found = table->get(key);
    if (found == nullptr) document->file.fail(table->source(), fmt::format("no key \"{}{}\"", path, key), expected);
    return *found;
  }
  [[noreturn]] void wrong(toml::node const& at, std::string const& what, std::string const& expected) const {
    document->file.fail(at.source(), what, expected);
  }
};

toml_document::toml_document(std::string text, std::string name)
    : inside_(std::make_shared<inside>(inside{merged_file(std::move(text), std::move(name)), {}})) {}

toml_table toml_document::root() const {
  return toml_table(std::make_shared<toml_table::inside>(toml_table::inside{inside_, &inside_->file.root(), "", {}}));
}

std::vector<explained_value> const& toml_document::explained() const {
  return inside_->explained;
}

void toml_table::explain(std::string_view key, std::string value, std::string_view unit) const {
  toml_document::inside& document = *inside_->document;
  document.explained.push_back({inside_->path + std::string(key), std::move(value), std::string(unit),
                                document.file.comment(inside_->table->get(key)->source())});
}

std::uint64_t toml_table::number(std::string_view key, number_range range, std::string_view unit) {
  std::string const expected = range.max == number_range{}.max
                                   ? fmt::format("a number of {} of at least {}", unit, range.min)
                                   : fmt::format("{} to {} {}", range.min, range.max, unit);
  toml::node const& node = inside_->get(key, expected);
  auto const* const value = node.as_integer();
  if (value == nullptr) inside_->wrong(node, fmt::format("{} is no integer", key), expected);
  if (value->get() < 0 || static_cast<std::uint64_t>(value->get()) < range.min ||
      static_cast<std::uint64_t>(value->get()) > range.max) {
    inside_->wrong(node, fmt::format("{} = {} is impossible", key, value->get()), expected);
  }
  explain(key, range.min >= 1ULL << 32U ? fmt::format("{:#x}", value->get()) : fmt::format("{}", value->get()), unit);
  return static_cast<std::uint64_t>(value->get());
}

std::uint32_t toml_table::small_number(std::string_view key, number_range range, std::string_view unit) {
  range.max = std::min<std::uint64_t>(range.max, 0xffff'ffffU);
  return static_cast<std::uint32_t>(number(key, range, unit));
}

std::uint64_t toml_table::power_of_two(std::string_view key, number_range range, std::string_view unit) {
  std::uint64_t const value = number(key, range, unit);
  if (!std::has_single_bit(value)) {
    fail(key, fmt::format("{} = {} is no power of two", key, value),
         fmt::format("{} or {}", std::bit_floor(value), std::bit_ceil(value)));
  }
  return value;
}

bool toml_table::flag(std::string_view key) {
  toml::node const& node = inside_->get(key, "true or false");
  if (!node.is_boolean()) inside_->wrong(node, fmt::format("{} is no truth value", key), "true or false");
  explain(key, node.as_boolean()->get() ? "true" : "false", "");
  return node.as_boolean()->get();
}

std::string toml_table::text(std::string_view key) {
  toml::node const& node = inside_->get(key, "a text");
  if (!node.is_string()) inside_->wrong(node, fmt::format("{} is no text", key), "a text");
  return node.as_string()->get();
}

namespace {
std::string one_of(std::span<std::string_view const> choices) {
  std::string all = "one of";
  for (std::string_view const one : choices) all += fmt::format("{} {}", one == choices.front() ? "" : ",", one);
  return all;
}
}  // namespace

std::size_t toml_table::choice(std::string_view key, std::span<std::string_view const> choices) {
  std::string const given = text(key);
  auto const found = std::ranges::find(choices, given);
  if (found == choices.end()) fail(key, fmt::format("{} = \"{}\" is unknown", key, given), one_of(choices));
  explain(key, given, "");
  return static_cast<std::size_t>(found - choices.begin());
}

std::vector<std::size_t> toml_table::choices(std::string_view key, std::span<std::string_view const> choices) {
  std::string const expected = "a list, each " + one_of(choices);
  toml::node& node = inside_->get(key, expected);
  if (!node.is_array()) inside_->wrong(node, fmt::format("{} is no list", key), expected);
  std::vector<std::size_t> all;
  std::string shown;
  for (toml::node const& element : *node.as_array()) {
    auto const* const given = element.as_string();
    auto const found = given == nullptr ? choices.end() : std::ranges::find(choices, given->get());
    if (found == choices.end()) inside_->wrong(element, fmt::format("unknown element of {}", key), expected);
    all.push_back(static_cast<std::size_t>(found - choices.begin()));
    shown += std::string(shown.empty() ? "" : ", ") + std::string(*found);
  }
  explain(key, shown, "");
  return all;
}

namespace {
std::optional<std::pair<std::uint32_t, std::uint32_t>> pair_of(toml::node const& node, std::uint32_t width,
                                                               std::uint32_t height) {
  auto const* const list = node.as_array();
  if (list == nullptr || list->size() != 2) return std::nullopt;
  auto const* const x = list->get(0)->as_integer();
  auto const* const y = list->get(1)->as_integer();
  if (x == nullptr || y == nullptr || x->get() < 0 || x->get() >= width || y->get() < 0 || y->get() >= height) {
    return std::nullopt;
  }
  return {{static_cast<std::uint32_t>(x->get()), static_cast<std::uint32_t>(y->get())}};
}
}  // namespace

std::pair<std::uint32_t, std::uint32_t> toml_table::coordinates(std::string_view key, std::uint32_t width,
                                                                std::uint32_t height) {
  std::string const expected = fmt::format("[x, y] with x below {} and y below {}", width, height);
  toml::node const& node = inside_->get(key, expected);
  auto const at = pair_of(node, width, height);
  if (!at) inside_->wrong(node, fmt::format("{} is no tile of the grid", key), expected);
  return *at;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> toml_table::coordinate_list(std::string_view key,
                                                                                 std::uint32_t width,
                                                                                 std::uint32_t height) {
  std::string const expected = fmt::format("a list of [x, y] with x below {} and y below {}", width, height);
  toml::node& node = inside_->get(key, expected);
  if (!node.is_array() || node.as_array()->empty())
    inside_->wrong(node, fmt::format("{} is no such list", key), expected);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
  std::string shown;
  for (toml::node const& element : *node.as_array()) {
    auto const at = pair_of(element, width, height);
    if (!at) inside_->wrong(element, fmt::format("an element of {} is no tile of the grid", key), expected);
    if (std::ranges::count(all, *at) != 0) inside_->wrong(element, "this tile is named twice", expected);
    all.push_back(*at);
    shown += fmt::format("{}({}, {})", shown.empty() ? "" : ", ", at->first, at->second);
  }
  explain(key, shown, "");
  return all;
}

bool toml_table::has(std::string_view key) {
  inside_->known_keys.emplace_back(key);
  return inside_->table->contains(key);
}

toml_table toml_table::table(std::string_view key) {
  std::string const expected = fmt::format("a table [{}{}]", inside_->path, key);
  toml::node& node = inside_->get(key, expected);
  if (!node.is_table()) inside_->wrong(node, fmt::format("{} is no table", key), expected);
  return toml_table(
      std::make_shared<inside>(inside{inside_->document, node.as_table(), inside_->path + std::string(key) + ".", {}}));
}

std::vector<toml_table> toml_table::tables(std::string_view key) {
  std::string const expected = fmt::format("tables [[{}{}]]", inside_->path, key);
  toml::node& node = inside_->get(key, expected);
  if (!node.is_array_of_tables()) inside_->wrong(node, fmt::format("{} is no list of tables", key), expected);
  std::vector<toml_table> all;
  for (toml::node& element : *node.as_array()) {
    all.push_back(toml_table(std::make_shared<inside>(
        inside{inside_->document, element.as_table(), fmt::format("{}{}[{}].", inside_->path, key, all.size()), {}})));
  }
  return all;
}

bool toml_table::is_list(std::string_view key) {
  toml::node const* const found = inside_->table->get(key);
  return found != nullptr && found->is_array();
}

std::vector<std::string> toml_table::keys() const {
  return inside_->document->file.keys(*inside_->table, inside_->path);
}

std::string toml_table::where(std::string_view key) const {
  toml::node const* const at = inside_->table->get(key);
  return inside_->document->file.where((at != nullptr ? *at : *inside_->table).source());
}

void toml_table::note(std::string_view key, std::string value, std::string_view unit, std::string source) const {
  inside_->document->explained.push_back(
      {inside_->path + std::string(key), std::move(value), std::string(unit), std::move(source)});
}

void toml_table::explain_more(std::string_view meaning) const {
  std::string& source = inside_->document->explained.back().source;
  source = source.empty() ? std::string(meaning) : fmt::format("{}; {}", meaning, source);
}

void toml_table::fail(std::string_view key, std::string const& what, std::string const& expected) const {
  toml::node const* const at = inside_->table->get(key);
  inside_->wrong(at != nullptr ? *at : *inside_->table, what, expected);
}

void toml_table::finish() const {
  for (auto&& [key, node] : *inside_->table) {
    if (std::ranges::count(inside_->known_keys, std::string_view(key.str())) != 0) continue;
    // A key that several parts read is named once.
    std::vector<std::string_view> named;
    for (std::string const& known : inside_->known_keys)
      if (std::ranges::count(named, std::string_view(known)) == 0) named.push_back(known);
    std::string const expected = fmt::format("one of {}", fmt::join(named, ", "));
    inside_->document->file.fail(key.source(), fmt::format("unknown key \"{}{}\"", inside_->path, key.str()), expected);
  }
}

}  // namespace tess::machine
