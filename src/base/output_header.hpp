// output_header: the first bytes of a connection that carries an output stream of a place to `tess run`.
#pragma once

#include <cstdint>

namespace tess::detail {

struct output_header {
  std::uint32_t place;
  std::uint32_t stream;  ///< 1: standard output, 2: standard error
};

}  // namespace tess::detail
