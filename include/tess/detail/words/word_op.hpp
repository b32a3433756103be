// word_op: the operations on one word.
#pragma once

#include <cstdint>

namespace tess::detail {

enum class word_op : std::uint8_t {
  get,
  put,
  fetch_add,
  fetch_and,
  fetch_or,
  fetch_xor,
  fetch_min,
  fetch_max,
  exchange,
  compare_swap
};

}  // namespace tess::detail
