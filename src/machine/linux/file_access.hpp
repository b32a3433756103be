// file_access: the host files that a program may open, and how.
//
//   Reading: what lies below the folders that were given, or is one of the files: regular files and folders of ordinary
//   file systems. What counts is where a name leads, not how it is written: it is resolved once, to a descriptor, and
//   the path of that is checked, so neither `..` nor a symbolic link nor /proc/self/root leads out. A hard link is a
//   name like any other, in the folder that it is in. A program sees that the folders above the given ones exist.
//   /dev/null, /dev/zero and /dev/(u)random (the latter two seeded) may always be read; never what exposes the
//   simulator itself, as /proc and /sys do.
//   Writing, creating, renaming, deleting: only below the folders of allow_write, which may be read, too. The kernel
//   itself resolves names below them (openat2, RESOLVE_BENEATH).
//
// Errors    results are descriptors of the host, or negative Linux error numbers: ENOENT for what may not be seen.
//           std::runtime_error from allow_... if it is not there.
// Threads   none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "machine/linux/host_handles.hpp"

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

// Where a descriptor of the host leads; empty: nowhere.
[[nodiscard]] std::string path_of(int descriptor);

class file_access {
 public:
  void allow_write(std::filesystem::path const& folder) { write_folders_.push_back(open_folder(folder)); }
  void allow_read(std::filesystem::path const& folder) { read_folders_.push_back(open_folder(folder)); }
  // The program knows the folder by another name, `shown`; there is one such folder at most.
  void allow_write_as(std::filesystem::path const& folder, std::string shown);
  // If there is one, it is now this one; the descriptor of the other is not of this process.
  void move_shown(std::filesystem::path const& folder);
  // A single file.
  void allow_read_file(std::filesystem::path const& file);

  // Paths are absolute. `flags` and `mode` are those of openat, which RISC-V and x86-64 share.
  [[nodiscard]] int open(std::string const& path, int flags, unsigned mode);
  // O_PATH, for queries about a file; the last link is followed or not. Folders above the given ones can be seen.
  [[nodiscard]] int look(std::string const& path, bool follow) const;
  // The folder that contains it, in which it may be created or deleted, and its name there.
  [[nodiscard]] int parent_for_change(std::string const& path, std::string& name);
  [[nodiscard]] bool may_write(int descriptor) const;
  // The descriptors of folders, but for that of allow_write_as.
  void each_descriptor(descriptor_visitor const& visit);
  // A line about the first refused attempt to write, and one about the first to read a file that is there, if that may
  // be why the program failed. Empty if there was none.
  [[nodiscard]] std::string refused(bool failed) const;

 private:
  struct folder {
    host_file descriptor;
    std::string path;   // absolute, without links and without a slash at its end
    std::string given;  // the same as it was given
  };
  static folder open_folder(std::filesystem::path const& path);
  // The path on the host of one that the program gives.
  [[nodiscard]] std::string on_host(std::string const& path) const;
  static folder const* holder_of(std::vector<folder> const& folders, std::string const& path);
  static int open_beneath(folder const& root, std::string const& path, int flags, unsigned mode);
  int open_for_change(std::string const& path, int flags, unsigned mode) const;
  // Where a name that may not be there yet leads: that of its folder, and its own. False: its folder is not there.
  static bool resolve_parent(std::string const& path, std::string& whole, std::string& name);
  enum class sight : std::uint8_t { none, exists, whole };
  [[nodiscard]] sight sight_of(int descriptor) const;
  [[nodiscard]] int unseen(std::string const& path, int why) const;
  int refuse_write(std::string const& path);

  std::vector<folder> write_folders_;
  std::string shown_;  // empty: no folder has another name
  std::size_t shown_folder_ = 0;
  std::vector<folder> read_folders_;
  std::vector<std::string> read_files_;  // where they lead
  std::vector<std::string> read_links_;  // the same as they were given
  std::string refused_write_;
  std::string refused_read_;
};

}  // namespace tess::machine
