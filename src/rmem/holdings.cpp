// holdings: a record is replayed into an empty store, and written anew.
#include "rmem/holdings.hpp"

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
  if (record_) begin_record(changes.empty());
}

void holdings::load(std::vector<change> const& changes) {
  memory_ = record_ ? std::make_unique<pages>(chosen_.size_bytes + record::header.size, chosen_.file)
                    : std::make_unique<pages>(chosen_.size_bytes);
  store_ = std::make_unique<store>(*memory_, chosen_.number, chosen_.operating_user);
  if (record_ && !memory_->take_again(std::span(&record::header, 1))) record_->fail("has no room for its first page");
  for (auto const& c : changes)
    if (!store_->replay(c)) record_->fail("its record does not fit together; bring a copy back");
  if (!changes.empty()) return;
  // Addresses begin anywhere, so that those of an earlier run lead nowhere.
  std::uint32_t random = 0;
  static_cast<void>(!getrandom(&random, sizeof random, 0));
  store_->begin_addresses_at(std::uint64_t{random} * pages::page_bytes);
}

void holdings::begin_record(bool is_new) {
  // What regions held that were removed while the server was killed.
  memory_->clear_free();
  try {
    record_->rewrite(store_->snapshot());
  } catch (std::runtime_error const&) {
    if (is_new) throw;
    record_->resume();  // a full disk has no room for a second one
  }
  store_->record_with([this](change const& c) { return record_->add(c); });
}

void holdings::tend() {
  if (!record_ || !record_->is_long()) return;
  try {
    record_->rewrite(store_->snapshot());
  } catch (std::runtime_error const&) {
    record_->put_off_rewriting();
  }
}

void holdings::sync() {
  if (record_) record_->sync();
}

}  // namespace tess::memd
