// handler_objects: the program and the shared objects whose handlers messages may name, numbered alike everywhere.
//
//   The number of an object is its rank by file name and build id, so that it does not depend on the order of loading:
//   what `identity` says is equal at all places exactly if every {object, index} means the same there.
//
// Threads  number_objects: while no job runs. The rest: any.
// Errors   tess::error from number_objects: no build id, an object loaded twice, too many handlers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tess/detail/handler.hpp"

namespace tess::detail {

struct handler_object {
  std::string file;      ///< without its folder
  std::string build_id;  ///< in hexadecimal digits; may be empty for the program only
  handler_record const* begin = nullptr;
  handler_record const* end = nullptr;
  type_record const* types_begin = nullptr;
  type_record const* types_end = nullptr;
};

/// Gives each object that is loaded now its number: its index in the result. [0] is the program itself.
[[nodiscard]] std::vector<handler_object> number_objects();

/// `program 1a2b (7 handlers), libfoo.so 3c4d (2 handlers)`
[[nodiscard]] std::string identity(std::vector<handler_object> const& objects);

}  // namespace tess::detail
