// options: the input of a program of IMSuite: from a file, or from the generator, by default as in the paper.
#pragma once

#include <optional>
#include <string>

#include "command_line/parser.hpp"
#include "imsuite/generate.hpp"

namespace imsuite {

// Omitted options are as in the kernel's paper_input.
struct input_options {
  std::string file;
  std::optional<std::int32_t> nodes;
  std::optional<graph_kind> kind;
  std::optional<bool> equal_weights;
  std::int64_t seed = 101;
  std::int32_t max_children = 0;
  std::optional<std::int32_t> committee;
};

// --size, --graph, --weights, --seed, --max-children, --committee.
void declare_generation(command_line::parser& app, input_options& into);
// These, and --input.
void declare(command_line::parser& app, input_options& into);

[[nodiscard]] generation generation_of(kernel k, input_options const& given);
// Throws graph::input_error.
[[nodiscard]] input load(kernel k, input_options const& given);
// One line for a report: the source of the input.
[[nodiscard]] std::string describe(kernel k, input_options const& given, input const& loaded);

}  // namespace imsuite
