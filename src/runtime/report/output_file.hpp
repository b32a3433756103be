// output_file: a file that appears only when it is complete: written under another name, then renamed.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace tess::detail {

class output_file {
 public:
  /// Throws tess::error naming the file and the system's reason, as do write and close.
  explicit output_file(std::string name);
  ~output_file();
  output_file(output_file const&) = delete;
  output_file& operator=(output_file const&) = delete;

  void write(std::string_view text);
  void close();

 private:
  [[noreturn]] void fail(char const* what);

  std::string name_;
  std::string partial_;
  std::FILE* file_;
};

/// Without the quotes.
[[nodiscard]] std::string json_escaped(std::string_view text);

}  // namespace tess::detail
