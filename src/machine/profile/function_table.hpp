// function_table: which function of a program an address belongs to.
//
// Threads   none.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "machine/linux/elf.hpp"

namespace tess::machine {

class function_table {
 public:
  static constexpr std::uint32_t unknown = std::numeric_limits<std::uint32_t>::max();

  /// The image must exist as long.
  explicit function_table(elf_image const& image) : functions_(&image.functions) {}
  /// Its number by address; `unknown` if the file has no symbol for it.
  [[nodiscard]] std::uint32_t at(std::uint64_t pc) const noexcept;
  /// As in the source, without parameters; "?" if it is unknown.
  [[nodiscard]] std::string name(std::uint32_t function) const;

 private:
  std::vector<elf_symbol> const* functions_;
};

/// "_ZN3foo3barEi.resume" is "foo::bar (coroutine)": without parameters, what the compiler appended in words.
[[nodiscard]] std::string readable_name(std::string_view symbol);

}  // namespace tess::machine
