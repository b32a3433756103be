// persistent_store: at the start the journal is replayed into an empty store, and then compacted.
#include "rmem/store/persistent_store.hpp"

#include <sys/random.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tess::memd {

namespace {

std::filesystem::path record_of(std::filesystem::path const& file) {
  return file.string() + ".record";
}
std::filesystem::path aside(std::filesystem::path const& file) {
  return file.string() + ".aside";
}

}  // namespace

persistent_store::persistent_store(options chosen) : chosen_(std::move(chosen)) {
  // A kill may have left the second of two files that were set aside.
  std::error_code none;
  if (!chosen_.file.empty() && !std::filesystem::exists(chosen_.file, none) &&
      std::filesystem::exists(aside(chosen_.file), none))
    std::filesystem::rename(record_of(chosen_.file), record_of(aside(chosen_.file)), none);
  std::vector<change> changes;
  if (!chosen_.file.empty())
    journal_ = std::make_unique<journal>(chosen_.file, chosen_.size_bytes, chosen_.number, changes);
  load(changes);
  if (changes.empty()) {
    // Addresses begin at a random offset, so that those of an earlier run lead nowhere.
    std::uint32_t random = 0;
    static_cast<void>(!getrandom(&random, sizeof random, 0));
    store_->offset_addresses(std::uint64_t{random} * page_allocator::page_bytes);
  }
  begin_journal(changes.empty());
}

void persistent_store::load(std::vector<change> const& changes) {
  pages_ = journal_ ? std::make_unique<page_allocator>(chosen_.size_bytes + journal::header.size, chosen_.file)
                    : std::make_unique<page_allocator>(chosen_.size_bytes);
  store_ = std::make_unique<store>(*pages_, chosen_.number, chosen_.operating_user);
  store_->set_lent_max(chosen_.lent_max);
  store_->on_write(on_write_);
  if (journal_ && !pages_->claim(std::span(&journal::header, 1))) journal_->fail("has no room for its first page");
  for (auto const& c : changes) {
    if (!store_->replay(c)) journal_->fail("its journal contradicts itself; restore a copy");
    if (c.what == change::kind::replica_state) replication_ = record_from(c);
  }
  loaded_regions_ = !store_->regions().empty();
}

std::vector<change> persistent_store::snapshot() const {
  auto all = store_->snapshot();
  all.push_back(change_of(replication_));
  return all;
}

void persistent_store::begin_journal(bool is_new) {
  store_->journal_to([this](change const& c) {
    if (journal_ && !journal_->append(c)) return false;
    if (on_change_) on_change_(c);
    return true;
  });
  if (!journal_) return;
  // Regions that were removed just before a kill may have left their bytes.
  pages_->clear_free();
  try {
    journal_->compact(snapshot());
  } catch (std::runtime_error const&) {
    if (is_new) {
      // With its size and no journal the next start would take it for damaged.
      std::error_code none;
      std::filesystem::resize_file(chosen_.file, 0, none);
      throw;
    }
    journal_->resume();  // a full disk has no room for a second journal
  }
}

void persistent_store::set_replication(replica_record const& r) {
  replication_ = r;
  if (journal_ && !journal_->append(change_of(r))) journal_->fail("its disk is full");
}

void persistent_store::on_write(store::write_listener f) {
  on_write_ = std::move(f);
  store_->on_write(on_write_);
}

void persistent_store::clear(bool keeps) {
  store_.reset();
  pages_.reset();
  if (journal_ && keeps) set_aside();
  load({});
  begin_journal(true);
}

void persistent_store::set_aside() {
  journal_.reset();
  std::filesystem::rename(chosen_.file, aside(chosen_.file));
  std::filesystem::rename(record_of(chosen_.file), record_of(aside(chosen_.file)));
  std::vector<change> none;
  journal_ = std::make_unique<journal>(chosen_.file, chosen_.size_bytes, chosen_.number, none);
}

void persistent_store::remove_aside() {
  std::error_code none;
  if (chosen_.file.empty()) return;
  std::filesystem::remove(aside(chosen_.file), none);
  std::filesystem::remove(record_of(aside(chosen_.file)), none);
}

void persistent_store::maintain() {
  if (!journal_ || !journal_->is_long()) return;
  try {
    journal_->compact(snapshot());
  } catch (std::runtime_error const&) {
    journal_->postpone_compaction();
  }
}

}  // namespace tess::memd
