// form: how a kernel updates single words: by word operations on them, or by messages to their owners.
#pragma once

#include <cstdint>

namespace kernels {

enum class form : std::uint8_t {
  words,    // fetch_add, get, put and the like, many on their way at a time
  messages  // at_async to the owner, gathered by destination
};

}  // namespace kernels
