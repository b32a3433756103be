// libraries: the same graphs through Boost.Serialization with tracking and cereal with shared pointers.
//
//   Each gives the ns per object of: serialise into a string, copy the string, deserialise. Both recurse along what
//   they copy.
#pragma once

#include <cstddef>

namespace bench {

enum class shape { list, tree, graph };

[[nodiscard]] double boost_copy_ns(shape s, std::size_t count);
[[nodiscard]] double cereal_copy_ns(shape s, std::size_t count);

}  // namespace bench
