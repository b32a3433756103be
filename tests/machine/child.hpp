// child: runs a shell line and captures its output; gives each test process a folder of its own.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <string>

#include "cli/process/process.hpp"

namespace tess::machine {

struct outcome {
  int code;
  std::string output;  // standard output
  std::string error;   // standard error
};

inline std::string text_of(std::filesystem::path const& file) {
  std::ostringstream text;
  text << std::ifstream{file, std::ios::binary}.rdbuf();
  return text.str();
}

// Removed when its owner is destroyed.
class work_folder {
 public:
  work_folder() : path_(std::filesystem::temp_directory_path() / ("tess-machine-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  work_folder(work_folder const&) = delete;
  work_folder& operator=(work_folder const&) = delete;
  ~work_folder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

  // A shell line, run in the folder.
  [[nodiscard]] outcome run(std::string const& typed) const {
    std::string const line = "cd '" + path_.string() + "' && { " + typed + "; } >output 2>error </dev/null";
    int const code = cli::run_to_end("/bin/sh", {"-c", line});
    return {code, text_of(path_ / "output"), text_of(path_ / "error")};
  }

  void write_executable(std::string const& name, std::span<std::byte const> bytes) const {
    std::ofstream stream{path_ / name, std::ios::binary};
    stream.write(reinterpret_cast<char const*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));  // NOLINT
    stream.close();
    std::filesystem::permissions(path_ / name, std::filesystem::perms::owner_all);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace tess::machine
