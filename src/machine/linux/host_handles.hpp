// host_handles: what a descriptor of the host leads to, so that a checkpoint can open it again in another process.
//
//   Files that may be written are kept with their contents, as the program has made them so far, and get these again.
//   Files that can only be read must still have their size and the time of their last change.
//
// Errors    handle_error: a file cannot be read, is not there any more, has changed, or cannot be written.
// Cost      the bytes of files that may be written.
// Threads   none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tess::machine {

struct handle_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct host_handle {
  std::string path;         // empty: the file has no name
  int flags = 0;            // of open(2)
  std::int64_t offset = 0;  // -1: it has none
  bool is_file = false;     // an ordinary one; otherwise a folder or a device
  std::int64_t size_bytes = 0;
  std::int64_t modified_ns = 0;
  std::optional<std::vector<std::byte>> contents;
};

// Is called with each descriptor, which it may replace.
using descriptor_visitor = std::function<void(int&)>;

[[nodiscard]] host_handle handle_of(int descriptor);
// A new descriptor.
[[nodiscard]] int open_again(host_handle const& handle);

}  // namespace tess::machine
