// holdings: what a server has: its memory, what it knows of it, and the files that keep both, if there are any.
//
// Threads  one.
// Errors   std::runtime_error that says which file is damaged, and how.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include "rmem/pages.hpp"
#include "rmem/record.hpp"
#include "rmem/store.hpp"

namespace tess::memd {

class holdings {
 public:
  struct options {
    std::uint64_t size_bytes = 0;
    std::filesystem::path file{};  // empty: nothing is kept
    std::uint8_t number = 0;
    std::uint32_t operating_user = 0;
  };

  explicit holdings(options chosen);

  [[nodiscard]] store& what() { return *store_; }
  [[nodiscard]] bool is_kept() const { return record_ != nullptr; }
  /// Now and then: keeps the record short. A full disk puts it off.
  void tend();
  /// Onto the disk itself.
  void sync();

 private:
  void load(std::vector<change> const& changes);
  void begin_record(bool is_new);

  options chosen_;
  std::unique_ptr<record> record_;
  std::unique_ptr<pages> memory_;
  std::unique_ptr<store> store_;
};

}  // namespace tess::memd
