// libraries: the same graphs through Boost.Serialization with tracking and cereal with shared pointers.
//
//   Each returns ns per object of serialising into a string, copying the string and deserialising. Both recurse along
//   the graph.
#pragma once

#include <cstddef>

namespace bench {

enum class shape { list, tree, graph };

[[nodiscard]] double boost_copy_ns(shape s, std::size_t count);
[[nodiscard]] double cereal_copy_ns(shape s, std::size_t count);

}  // namespace bench
