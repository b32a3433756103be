// dictionary_maker: makes a dictionary of a table that was filled, without looking at its names again.
#pragma once

#include <string>

#include "graph/dictionary.hpp"
#include "graph/name_table.hpp"

namespace graph {

class dictionary_maker {
 public:
  [[nodiscard]] static dictionary from(name_table<text_names> table);
  [[nodiscard]] static dictionary from(name_table<integer_names> table);
  [[nodiscard]] static dictionary from(integer_array table);
};

[[noreturn]] void throw_too_many_names(std::string const& origin);

}  // namespace graph
