// temporary_file: an empty file that its destructor removes.
//
// Errors    std::runtime_error: it cannot be made.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace tess::cli {

class temporary_file {
 public:
  temporary_file() {
    std::string name = (std::filesystem::temp_directory_path() / "tess-XXXXXX").string();
    int const descriptor = ::mkstemp(name.data());
    if (descriptor < 0) throw std::runtime_error{"cannot create " + name + "; is the disk full?"};
    ::close(descriptor);
    path_ = name;
  }
  temporary_file(temporary_file const&) = delete;
  temporary_file& operator=(temporary_file const&) = delete;
  ~temporary_file() {
    std::error_code already_gone;
    std::filesystem::remove(path_, already_gone);
  }

  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tess::cli
