// persistent_store: what a server has: its memory, what it knows of it, and the files that keep both, if there are any.
//
// Threads  one.
// Errors   std::runtime_error that says which file is damaged, and how.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include "rmem/store/journal.hpp"
#include "rmem/store/page_allocator.hpp"
#include "rmem/store/store.hpp"

namespace tess::memd {

class holdings {
 public:
  struct options {
    std::uint64_t size_bytes = 0;
    std::filesystem::path file{};  // empty: nothing is kept
    std::uint8_t number = 0;
    std::uint32_t operating_user = 0;
    std::size_t lent_max = 0;
  };

  explicit holdings(options chosen);

  [[nodiscard]] store& what() { return *store_; }
  [[nodiscard]] bool is_kept() const { return record_ != nullptr; }
  /// Every change of the store from here on, once it is recorded.
  void tell(std::function<void(change const&)> to) { told_ = std::move(to); }
  /// Every write, also of a store that takes this one's place.
  void tell_written(store::listener to);
  /// Of two servers: what the file says, if it says anything; what it is to say.
  [[nodiscard]] change const& standing() const { return standing_; }
  [[nodiscard]] bool had_regions() const { return had_regions_; }
  void set_standing(change const& c);
  /// Forgets all, to become the copy of another server.
  void clear();
  /// Now and then: keeps the record short. A full disk puts it off.
  void tend();
  /// Onto the disk itself; false: it does not take it.
  [[nodiscard]] bool sync() { return !record_ || record_->sync(); }

 private:
  void load(std::vector<change> const& changes);
  void begin_record(bool is_new);
  [[nodiscard]] std::vector<change> snapshot() const;

  options chosen_;
  std::unique_ptr<record> record_;
  std::unique_ptr<pages> memory_;
  std::unique_ptr<store> store_;
  change standing_{.what = change::kind::standing};
  bool had_regions_ = false;
  std::function<void(change const&)> told_;
  store::listener told_written_;
};

}  // namespace tess::memd
