// unit_file: a unit of one's own as a shared object: it is loaded once and stays loaded.
//
//   Linked by `tess unit build`, it asks for an address that follows from its content. So a second run has it at the
//   same place, and what a checkpoint has of its memory (vtables, coroutines) means the same there.
//
// Errors    unit_file_error: no such file, no unit, a unit for another version, or a declaration that cannot be.
// Threads   one.
#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "machine/own_unit/unit_guard.hpp"
#include "tess/machine/unit_interface.hpp"

namespace tess::machine {

class unit_file_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class unit_file {
 public:
  /// The same object for the same file.
  [[nodiscard]] static std::shared_ptr<unit_file const> load(std::filesystem::path const& file,
                                                             std::string const& unit_name);

  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  [[nodiscard]] unit::declaration const& declared() const noexcept { return *declared_; }
  /// In another process, which has this object's bytes: loads the file again, to the same place. Errors: it has other
  /// contents now, or the place is taken.
  void load_again(std::string const& unit_name) const;
  /// How far from the addresses in the file it was loaded; 0: where it asked for.
  [[nodiscard]] std::uintptr_t loaded_at() const noexcept { return loaded_at_; }

 private:
  explicit unit_file(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::uint64_t sum_ = 0;  ///< A sum of the file's bytes.
  unit::declaration const* declared_ = nullptr;
  std::uintptr_t loaded_at_ = 0;
};

}  // namespace tess::machine
