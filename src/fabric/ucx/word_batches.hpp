// word_batches: word operations of a place on others, gathered for each of them until the place makes progress.
//
//   An active message costs both sides about a microsecond whatever its size, so words that tasks issue in turn share
//   one. A single word does not wait: its task suspends, no other task is runnable, and the worker polls.
//   UCX's own puts, gets and atomics by remote keys do not fit words. Over shared memory and TCP it emulates them by
//   messages, which the target's progress serves as it serves these; it has no minimum, maximum and floating point, and
//   over TCP it writes data in pieces. Atomics of networks exclude each other, but not the processor's
//   (docs/use/cluster.md).
//
// Threads  the place's lock guards all of it.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "fabric/ucx/transport.hpp"

namespace tess::detail {

class ucx_word_batches {
 public:
  explicit ucx_word_batches(ucx_job const& job, ucx_transport& transport)
      : transport_(transport), batches_(job.places) {}

  void add(place_id to, word_entry const& entry) {
    ucx_transport::outgoing*& batch = batches_[to];
    if (batch == nullptr) {
      batch = transport_.make(packet_kind::words);
      targets_.push_back(to);
    }
    append(*batch, entry);
    if (batch->bytes.size() == words_max * sizeof(word_entry)) flush(to);
  }
  void flush_all() {
    while (!targets_.empty()) {
      place_id const to = targets_.back();
      targets_.pop_back();
      flush(to);
    }
  }
  [[nodiscard]] bool empty() const noexcept { return targets_.empty(); }

  template <class Entry>
  static void append(ucx_transport::outgoing& batch, Entry const& entry) {
    auto const bytes = std::as_bytes(std::span(&entry, 1));
    batch.bytes.insert(batch.bytes.end(), bytes.begin(), bytes.end());
  }

 private:
  void flush(place_id to) {
    if (auto* const batch = std::exchange(batches_[to], nullptr)) transport_.send(to, batch, batch->bytes);
  }

  ucx_transport& transport_;
  std::vector<ucx_transport::outgoing*> batches_;  ///< by place; null: none
  std::vector<place_id> targets_;                  ///< places with a batch
};

}  // namespace tess::detail
