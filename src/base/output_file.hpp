// output_file: a file that is replaced when its content is complete; a device, a pipe or what a link names keeps its
// kind.
//
//   A regular file, new or old, is written beside itself and renamed at close(), so that a full disk or an end on the
//   way leaves the old content. A link stays, and what it names is replaced in the same way. Devices, pipes and sockets
//   cannot be replaced, so they are written at once.
//
// Errors   write_error, a tess::error, naming the file and the system's reason; in the constructor, if it cannot be
//          created.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "tess/error.hpp"

namespace tess::detail {

struct write_error : error {
  using error::error;
};

class output_file {
 public:
  explicit output_file(std::string name);
  ~output_file();
  output_file(output_file const&) = delete;
  output_file& operator=(output_file const&) = delete;

  void write(std::string_view text);
  void close();

 private:
  [[noreturn]] void fail(char const* what);

  std::string name_;
  std::string target_;   ///< the name, or what it leads to as a link
  std::string partial_;  ///< empty: the file is written in place
  std::FILE* file_ = nullptr;
};

/// What a name leads to through links; the name itself if that does not exist yet.
[[nodiscard]] std::string target_of(std::string const& name);

/// Without the quotes.
[[nodiscard]] std::string json_escaped(std::string_view text);

}  // namespace tess::detail
