// handler_objects: numbers the program and its shared objects, so that a message can name a handler at every place.
//
//   The number of an object is its rank by file name and build id, so it does not depend on the order of loading. The
//   texts of `identity` are equal at all places exactly if every {object, index} names the same handler there.
//
// Threads  number_objects: only while no job runs. The rest: any.
// Errors   tess::error from number_objects: no build id, an object loaded twice, too many handlers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tess/detail/handler.hpp"

namespace tess::detail {

struct handler_object {
  std::string file;      ///< without its folder
  std::string build_id;  ///< in hexadecimal digits; only the program's may be empty
  handler_record const* begin = nullptr;
  handler_record const* end = nullptr;
  type_record const* types_begin = nullptr;
  type_record const* types_end = nullptr;
};

/// Numbers the objects that are loaded now: a number is an index of the result. [0] is the program itself.
[[nodiscard]] std::vector<handler_object> number_objects();

/// `program 1a2b (7 handlers), libfoo.so 3c4d (2 handlers)`
[[nodiscard]] std::string identity(std::vector<handler_object> const& objects);

}  // namespace tess::detail
