// file_access: the host files that a program may open, and how.
//
//   Reading: regular files and folders that the user may read, of ordinary file systems; not /proc, /sys and similar
//   ones, which expose the simulator itself; of devices only /dev/null, /dev/zero and /dev/(u)random (the latter two
//   seeded). With --allow-read, only files below one of its folders. Writing, creating, renaming, deleting: only below
//   the folders of --allow-write. The kernel itself resolves names below them (openat2, RESOLVE_BENEATH), so neither
//   `..` nor a symbolic link leads out.
//
// Errors    results are descriptors of the host, or negative Linux error numbers. std::runtime_error from allow_... if
//           it is not a folder.
// Threads   none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tess::machine {

// A descriptor of the host that is closed by its destructor; -1: none.
class host_file {
 public:
  host_file() = default;
  explicit host_file(int descriptor) noexcept : descriptor_(descriptor) {}
  host_file(host_file&& other) noexcept : descriptor_(other.release()) {}
  host_file& operator=(host_file&& other) noexcept;
  ~host_file();
  [[nodiscard]] int get() const noexcept { return descriptor_; }
  [[nodiscard]] int release() noexcept;

 private:
  int descriptor_ = -1;
};

class file_access {
 public:
  void allow_write(std::filesystem::path const& folder) { write_folders_.push_back(open_folder(folder)); }
  void allow_read(std::filesystem::path const& folder) { read_folders_.push_back(open_folder(folder)); }

  // Paths are absolute. `flags` and `mode` are those of openat, which RISC-V and x86-64 share.
  [[nodiscard]] int open(std::string const& path, int flags, unsigned mode);
  // O_PATH, for queries about a file; the last link is followed or not.
  [[nodiscard]] int look(std::string const& path, bool follow);
  // The folder that contains it, in which it may be created or deleted, and its name there.
  [[nodiscard]] int parent_for_change(std::string const& path, std::string& name);
  [[nodiscard]] bool may_write(std::string const& path) const;
  // The path of the first refused attempt to write, for a message; empty if there was none.
  [[nodiscard]] std::string const& refused_write() const noexcept { return refused_write_; }

 private:
  struct folder {
    host_file descriptor;
    std::string path;  // absolute, without a slash at its end
  };
  static folder open_folder(std::filesystem::path const& path);
  static folder const* holder_of(std::vector<folder> const& folders, std::string const& path);
  int open_beneath(folder const& root, std::string const& path, int flags, unsigned mode) const;
  int look_anywhere(std::string const& path, bool follow) const;
  int refuse_write(std::string const& path);

  std::vector<folder> write_folders_;
  std::vector<folder> read_folders_;
  std::string refused_write_;
};

}  // namespace tess::machine
