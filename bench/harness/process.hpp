// process: runs a program to its end, and returns what it wrote.
//
// Errors   std::runtime_error with what it wrote: it could not be started, or did not end with 0.
#pragma once

#include <string>
#include <vector>

namespace bench {

/// What of a program's output is returned; standard error always is.
enum class output { everything, errors };

/// `words`: the program, by its path or for PATH, and its arguments; not empty. `variables`: NAME=VALUE, in the place
/// of those of this process.
[[nodiscard]] std::string output_of(std::vector<std::string> words, output wanted,
                                    std::vector<std::string> variables = {});

}  // namespace bench
