// words: one pass over the arguments; the program's name is the first that is not an option.
#include "cli/run/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/command/nearest.hpp"
#include "cli/run/oshrun.hpp"

namespace tess::cli {
namespace {

constexpr std::string_view machine_option = "--machine";

enum class shape { foreign, complete, value_follows };

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

// How an argument matches one of our options: `--places=4` and `-n4` carry the value, `--no-window` has none,
// `--places`
// and `-n` take the next argument.
// `-name` is foreign: only digits may follow a short option.
shape shape_of(std::string_view word) {
  for (auto const& option : run_options) {
    if (word == option.name || (!option.short_name.empty() && word == option.short_name))
      return option.value.empty() ? shape::complete : shape::value_follows;
    if (word.starts_with(option.name) && word.substr(option.name.size()).starts_with('=')) return shape::complete;
    bool const short_form = !option.short_name.empty() && word.starts_with(option.short_name);
    if (short_form && is_number(word.substr(option.short_name.size()))) return shape::complete;
  }
  return shape::foreign;
}

[[noreturn]] void refuse_unknown(std::string const& word) {
  if (is_launcher_option(word))
    throw usage_error{fmt::format("run: {} is an option of other launchers; oshrun takes it", word)};
  std::vector<std::string> names;
  for (auto const& option : run_options) names.emplace_back(option.name);
  std::string const meant = nearest(word.substr(0, word.find('=')), names);
  throw usage_error{fmt::format("run: unknown option {}{}; options of the program go after its name", word,
                                meant.empty() ? "" : fmt::format(", did you mean {}?", meant))};
}

}  // namespace

run_split split_run_words(words const& given) {
  run_split split;
  bool named = false;
  bool on_machine = false;
  auto word = given.begin();
  for (; word != given.end() && *word != "--"; ++word) {
    if (named && on_machine) break;  // all that follows is the program's
    shape const kind = shape_of(*word);
    bool const chooses_machine = *word == machine_option || word->starts_with(std::string{machine_option} + "=");
    if (chooses_machine && named)
      throw usage_error{
          fmt::format("run: {} stands before the program, whose own all words behind it are then: tess "
                      "run --machine NAME {} ...",
                      *word, split.program)};
    on_machine = on_machine || chooses_machine;
    bool const asks_for_help = !named && (*word == "-h" || *word == "--help");
    if (kind != shape::foreign || asks_for_help) {
      split.ours.push_back(*word);
      if (kind != shape::value_follows) continue;
      auto const value = word + 1;
      if (value == given.end() || *value == "--") throw usage_error{fmt::format("run: {} needs a value", *word)};
      split.ours.push_back(*value);
      word = value;
    } else if (named) {
      split.arguments.push_back(*word);
    } else if (word->starts_with('-')) {
      refuse_unknown(*word);
    } else {
      split.program = *word;
      named = true;
    }
  }
  if (word == given.end()) return split;
  if (*word == "--") ++word;
  if (!named && word != given.end()) split.program = *word++;
  split.arguments.insert(split.arguments.end(), word, given.end());
  return split;
}

}  // namespace tess::cli
