// persistent_store: a record is replayed into an empty store, and written anew.
#include "rmem/store/persistent_store.hpp"

#include <sys/random.h>

#include <stdexcept>
#include <utility>
#include <vector>

namespace tess::memd {

holdings::holdings(options chosen) : chosen_(std::move(chosen)) {
  std::vector<change> changes;
  if (!chosen_.file.empty())
    record_ = std::make_unique<record>(chosen_.file, chosen_.size_bytes, chosen_.number, changes);
  load(changes);
  if (changes.empty()) {
    // Addresses begin anywhere, so that those of an earlier run lead nowhere.
    std::uint32_t random = 0;
    static_cast<void>(!getrandom(&random, sizeof random, 0));
    store_->begin_addresses_at(std::uint64_t{random} * pages::page_bytes);
  }
  begin_record(changes.empty());
}

void holdings::load(std::vector<change> const& changes) {
  memory_ = record_ ? std::make_unique<pages>(chosen_.size_bytes + record::header.size, chosen_.file)
                    : std::make_unique<pages>(chosen_.size_bytes);
  store_ = std::make_unique<store>(*memory_, chosen_.number, chosen_.operating_user);
  store_->lend_at_most(chosen_.lent_max);
  store_->tell_written(told_written_);
  if (record_ && !memory_->take_again(std::span(&record::header, 1))) record_->fail("has no room for its first page");
  for (auto const& c : changes) {
    if (!store_->replay(c)) record_->fail("its record does not fit together; bring a copy back");
    if (c.what == change::kind::standing) standing_ = c;
  }
  had_regions_ = !store_->regions().empty();
}

std::vector<change> holdings::snapshot() const {
  auto all = store_->snapshot();
  all.push_back(standing_);
  return all;
}

void holdings::begin_record(bool is_new) {
  store_->record_with([this](change const& c) {
    if (record_ && !record_->add(c)) return false;
    if (told_) told_(c);
    return true;
  });
  if (!record_) return;
  // What regions held that were removed while the server was killed.
  memory_->clear_free();
  try {
    record_->rewrite(snapshot());
  } catch (std::runtime_error const&) {
    if (is_new) throw;
    record_->resume();  // a full disk has no room for a second one
  }
}

void holdings::set_standing(change const& c) {
  standing_ = c;
  if (record_ && !record_->add(c)) record_->fail("its disk is full");
}

void holdings::tell_written(store::listener to) {
  told_written_ = std::move(to);
  store_->tell_written(told_written_);
}

void holdings::clear() {
  store_.reset();
  memory_.reset();
  load({});
  begin_record(true);
}

void holdings::tend() {
  if (!record_ || !record_->is_long()) return;
  try {
    record_->rewrite(snapshot());
  } catch (std::runtime_error const&) {
    record_->put_off_rewriting();
  }
}

}  // namespace tess::memd
