// parser: options as CLI11 knows them.
#include "command_line/parser.hpp"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <charconv>
#include <concepts>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <limits>
#include <map>
#include <type_traits>

namespace command_line {

namespace {

// What is wrong with a whole number as typed, which may have a unit; or nothing. CLI11 takes -1 for the largest of an
// unsigned type, and so what is too large.
template <class Number>
std::string wrong_number(std::string const& text, bool may_have_unit) {
  Number number{};
  auto const [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem == std::errc{} && (may_have_unit || stop == text.data() + text.size())) return {};
  return "\"" + text + "\" will not do; give a whole number from " +
         std::to_string(std::numeric_limits<Number>::min()) + " to " +
         std::to_string(std::numeric_limits<Number>::max());
}

// Before all other checks of the option: CLI11 applies what was added last by transform() first.
template <class Number>
void check_number(CLI::Option& of, bool may_have_unit) {
  auto const wrong = [may_have_unit](std::string& text) { return wrong_number<Number>(text, may_have_unit); };
  of.transform(CLI::Validator(wrong, ""));
}

}  // namespace

option option::shows_default() {
  option_->capture_default_str();
  return *this;
}

option option::required() {
  option_->required();
  return *this;
}

option option::positive() {
  option_->check(CLI::PositiveNumber);
  return *this;
}

option option::not_negative() {
  option_->check(CLI::NonNegativeNumber);
  return *this;
}

option option::between_integers(std::int64_t least, std::int64_t most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

option option::between(double least, double most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

option option::in_bytes() {
  option_->transform(CLI::AsSizeValue(false));
  check_number<std::uint64_t>(*option_, true);
  return *this;
}

option option::excludes(option other) {
  option_->excludes(other.option_);
  return *this;
}

option option::check(std::function<std::string(std::string const&)> wrong, std::string const& values) {
  option_->check(std::move(wrong), values);
  return *this;
}

option option::shown_as(std::string const& values) {
  option_->option_text(values);
  return *this;
}

parser::parser(std::string const& description, std::string const& program)
    : app_(std::make_unique<CLI::App>(description, program)) {}
parser::~parser() = default;

template <class Value>
option parser::add_option(std::string const& names, Value& into, std::string const& help) {
  CLI::Option* const made = app_->add_option(names, into, help);
  if constexpr (std::integral<Value>) check_number<Value>(*made, false);
  if constexpr (std::is_same_v<Value, std::optional<int>>) check_number<int>(*made, false);
  return option(made);
}
template option parser::add_option(std::string const&, std::string&, std::string const&);
template option parser::add_option(std::string const&, int&, std::string const&);
template option parser::add_option(std::string const&, unsigned&, std::string const&);
template option parser::add_option(std::string const&, std::int64_t&, std::string const&);
template option parser::add_option(std::string const&, std::uint64_t&, std::string const&);
template option parser::add_option(std::string const&, double&, std::string const&);
template option parser::add_option(std::string const&, std::optional<int>&, std::string const&);
template option parser::add_option(std::string const&, std::optional<double>&, std::string const&);
template option parser::add_option(std::string const&, std::vector<std::string>&, std::string const&);

option parser::add_flag(std::string const& names, bool& into, std::string const& help) {
  return option(app_->add_flag(names, into, help));
}

option parser::add_flag(std::string const& names, std::function<void()> given, std::string const& help) {
  return option(app_->add_flag_callback(names, std::move(given), help));
}

namespace {

std::map<std::string, std::size_t> numbered(std::vector<std::string> const& values) {
  std::map<std::string, std::size_t> indices;
  for (std::size_t index = 0; index < values.size(); ++index) indices.emplace(values[index], index);
  return indices;
}

}  // namespace

option parser::add_indices(std::string const& names, std::vector<std::string> const& values, index_setter set,
                           std::string const& help) {
  return option(app_->add_option_function<std::size_t>(names, set, help)
                    ->transform(CLI::CheckedTransformer(numbered(values)))
                    ->option_text(CLI::detail::join(values, "|")));
}

option parser::add_index_list(std::string const& names, std::vector<std::string> const& values, index_setter set,
                              std::string const& help) {
  auto const set_all = [set = std::move(set)](std::vector<std::size_t> const& indices) {
    for (std::size_t const index : indices) set(index);
  };
  return option(app_->add_option_function<std::vector<std::size_t>>(names, set_all, help)
                    ->transform(CLI::CheckedTransformer(numbered(values)))
                    ->option_text(CLI::detail::join(values, "|") + " ..."));
}

void parser::check_together(std::string const& name, std::function<std::string()> wrong) {
  checks_.emplace_back(name, std::move(wrong));
}

std::optional<int> parser::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
    for (auto const& [name, wrong] : checks_)
      if (std::string const text = wrong(); !text.empty()) throw CLI::ValidationError(name, text);
  } catch (CLI::ParseError const& wrong) {
    if (app_->exit(wrong) != 0) return 2;
    if (std::cout.flush() && std::fflush(stdout) == 0) return 0;
    std::fprintf(stderr, "standard output could not be written: %s\n", std::strerror(errno));
    return 1;
  }
  return std::nullopt;
}

}  // namespace command_line
