// persistent_store: a server's store with the memory under it and, for a server with a file, the journal that keeps it.
//
// Threads  one.
// Errors   std::runtime_error that says which file is damaged, and how.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "rmem/store/journal.hpp"
#include "rmem/store/page_allocator.hpp"
#include "rmem/store/store.hpp"

namespace tess::memd {

class persistent_store {
 public:
  struct options {
    std::uint64_t size_bytes = 0;
    std::filesystem::path file{};  // empty: nothing is kept
    std::uint8_t number = 0;
    std::uint32_t operating_user = 0;
    std::size_t lent_max = 0;
  };

  explicit persistent_store(options chosen);

  [[nodiscard]] store& current() { return *store_; }
  [[nodiscard]] bool is_persistent() const { return journal_ != nullptr; }
  /// Is called for every change, after it was written to the journal.
  void on_change(std::function<void(change const&)> f) { on_change_ = std::move(f); }
  /// Is called for every write, also after clear().
  void on_write(store::write_listener f);

  /// What a replicated server's copy is worth; kept in the file.
  [[nodiscard]] replica_record const& replication() const { return replication_; }
  void set_replication(replica_record const& r);
  /// The file had regions.
  [[nodiscard]] bool loaded_regions() const { return loaded_regions_; }
  /// Forgets everything, to become a copy of another server. `keeps`: files are set aside, as PATH.aside and
  /// PATH.aside.record, where they replace those of the last time.
  void clear(bool keeps);
  /// Removes the files that were set aside.
  void remove_aside();

  /// To be called regularly: keeps the journal short. A full disk postpones that.
  void maintain();
  /// Writes to the disk itself; false: the disk failed.
  [[nodiscard]] bool sync() { return !journal_ || journal_->sync(); }

 private:
  void load(std::vector<change> const& changes);
  void begin_journal(bool is_new);
  [[nodiscard]] std::vector<change> snapshot() const;
  void set_aside();

  options chosen_;
  std::unique_ptr<journal> journal_;
  std::unique_ptr<page_allocator> pages_;
  std::unique_ptr<store> store_;
  replica_record replication_;
  bool loaded_regions_ = false;
  std::function<void(change const&)> on_change_;
  store::write_listener on_write_;
};

}  // namespace tess::memd
