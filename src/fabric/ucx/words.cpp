// words: word operations of a place on others: gathered for each of them until somebody makes progress, done there
// in
//   one go, answered in one.
//
//   One active message costs UCX about a microsecond of both sides' time whatever is in it, so tasks that issue words
//   in turn share one. A lone word does not wait for others: its task suspends, nobody else can run, the worker polls.
//   UCX's own puts, gets and atomics by remote keys are not for words. Over shared memory and TCP it emulates them by
//   messages which the target's progress serves as it serves ours, has no minimum, maximum and floating point, and
//   writes what came over TCP in pieces; networks' atomics exclude each other, not the processor's
//   (docs/use/cluster.md).
//
// Threads  the place's lock guards all of it.
#include <cstring>

#include "fabric/ucx/place.hpp"

namespace tess::detail {

void ucx_place::word(word_request const& request, std::uint64_t (&result)[2], completion& done) {
  auto const to = static_cast<place_id>(request.address >> 48);
  std::lock_guard const lock(mutex_);
  word_entry const entry{operations_.add({to, &done, result, {}, 0, 0}),
                         request.address,
                         {request.operands[0], request.operands[1]},
                         static_cast<std::uint8_t>(request.op),
                         static_cast<std::uint8_t>(request.type),
                         request.bytes,
                         request.alignment,
                         0};
  sending*& words = words_to_[to];
  if (words == nullptr) {
    words = take_sending(packet_kind::words);
    words_for_.push_back(to);
  }
  append(*words, entry);
  if (words->bytes.size() == words_max * sizeof(word_entry)) flush_words(to);
}

void ucx_place::flush_words(place_id to) {
  if (sending* const words = std::exchange(words_to_[to], nullptr); words != nullptr) start(to, words, words->bytes);
}

void ucx_place::flush_all_words() {
  // What a failure calls may come back here: the list is ours first.
  while (!words_for_.empty()) {
    place_id const to = words_for_.back();
    words_for_.pop_back();
    flush_words(to);
  }
}

/// The answers are those of the operations that can be done; the others are told of, and never answered.
void ucx_place::take_words(packet const& p, std::span<std::byte const> data) {
  sending* const answers = take_sending(packet_kind::word_results);
  for (std::size_t at = 0; at + sizeof(word_entry) <= data.size(); at += sizeof(word_entry)) {
    word_entry e;
    std::memcpy(&e, data.data() + at, sizeof e);
    std::byte* const memory = is_word(e) ? own(e.address, e.bytes) : nullptr;
    if (memory == nullptr) {
      refuse(p, is_word(e) ? "a word operation outside of the segment" : "a word operation of an unknown sort");
      continue;
    }
    word_request const request{
        static_cast<word_op>(e.op),    static_cast<word_type>(e.type), e.bytes, e.alignment, e.address,
        {e.operands[0], e.operands[1]}};
    word_answer answer{e.cookie, {}};
    apply_request(memory, request, answer.result);
    append(*answers, answer);
  }
  if (answers->bytes.empty())
    end_sending(answers);
  else
    start(p.source, answers, answers->bytes);
}

void ucx_place::take_word_results(std::span<std::byte const> data) {
  for (std::size_t at = 0; at + sizeof(word_answer) <= data.size(); at += sizeof(word_answer)) {
    word_answer answer;
    std::memcpy(&answer, data.data() + at, sizeof answer);
    auto const o = operations_.take(answer.cookie);
    if (!o) continue;
    // Of a block: whoever says so need not know what it is.
    if (o->result != nullptr) std::memcpy(o->result, answer.result, sizeof answer.result);
    end_failed(*o, 0);
  }
}

}  // namespace tess::detail
