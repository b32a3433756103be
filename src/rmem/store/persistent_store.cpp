// persistent_store: at the start the journal is replayed into an empty store, and then compacted.
#include "rmem/store/persistent_store.hpp"

#include <sys/random.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tess::memd {

persistent_store::persistent_store(options chosen) : chosen_(std::move(chosen)) {
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
    if (c.what == change::kind::replica_state) replication_ = c;
  }
  loaded_regions_ = !store_->regions().empty();
}

std::vector<change> persistent_store::snapshot() const {
  auto all = store_->snapshot();
  all.push_back(replication_);
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
    if (is_new) throw;
    journal_->resume();  // a full disk has no room for a second journal
  }
}

replica_state persistent_store::state() const {
  return static_cast<replica_state>(std::min(replication_.rights, static_cast<std::uint32_t>(replica_state::in_sync)));
}

void persistent_store::set_state(std::uint64_t epoch, replica_state s) {
  replication_.address = epoch;
  replication_.rights = static_cast<std::uint32_t>(s);
  if (journal_ && !journal_->append(replication_)) journal_->fail("its disk is full");
}

void persistent_store::on_write(store::write_listener f) {
  on_write_ = std::move(f);
  store_->on_write(on_write_);
}

void persistent_store::clear() {
  store_.reset();
  pages_.reset();
  load({});
  begin_journal(true);
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
