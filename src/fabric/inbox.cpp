// inbox: the ring, the overflow list of replies, and the chunks behind large messages.
#include "fabric/inbox.hpp"

#include <new>
#include <utility>

namespace tess::detail {

chunk_pool::~chunk_pool() {
  for (chunk* list : {free_, returned_.load(std::memory_order_acquire)})
    while (list != nullptr) ::operator delete(std::exchange(list, list->next));
}

chunk* chunk_pool::make_single(std::size_t bytes) {
  return new (::operator new(sizeof(chunk) + bytes)) chunk;
}

chunk* chunk_pool::take() {
  std::lock_guard const lock(mutex_);
  // A look first: exchanging in vain would take the line away from the readers who give back.
  // acquire: the reader is done with the bytes before we overwrite them.
  if (free_ == nullptr && returned_.load(std::memory_order_relaxed) != nullptr)
    free_ = returned_.exchange(nullptr, std::memory_order_acquire);
  if (free_ != nullptr) return std::exchange(free_, free_->next);
  if (made_ == limit_) return nullptr;
  chunk* const c = make_single(capacity);
  c->owner = this;
  ++made_;
  return c;
}

void chunk_pool::give_back(chunk* c) noexcept {
  if (c->owner == nullptr) {
    ::operator delete(c);
    return;
  }
  std::atomic<chunk*>& list = c->owner->returned_;
  c->next = list.load(std::memory_order_relaxed);
  // release: pairs with the acquire of take().
  while (!list.compare_exchange_weak(c->next, c, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

inbox::inbox() : slots_(std::make_unique<slot[]>(slots)) {
  for (std::uint32_t i = 0; i < slots; ++i) slots_[i].sequence.store(i, std::memory_order_relaxed);
}

bool inbox::push(place_id source, std::span<std::byte const> bytes, chunk* large) noexcept {
  std::uint64_t position = tail_.load(std::memory_order_relaxed);
  slot* s;
  for (;;) {
    s = &slots_[position % slots];
    std::uint64_t const sequence = s->sequence.load(std::memory_order_acquire);
    if (sequence == position) {
      if (tail_.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) break;
    } else if (sequence < position) {
      return false;
    } else {
      position = tail_.load(std::memory_order_relaxed);
    }
  }
  s->source = source;
  s->is_large = large != nullptr;
  if (large != nullptr) {
    s->bytes = large->bytes;
    std::memcpy(s->data, &large, sizeof large);
  } else {
    s->bytes = static_cast<std::uint32_t>(bytes.size());
    std::memcpy(s->data, bytes.data(), bytes.size());
  }
  // release to the reader; sequentially consistent for the look at the sleepers that follows.
  s->sequence.store(position + 1, std::memory_order_seq_cst);
  return true;
}

void inbox::push_overflow(place_id source, chunk* large) {
  std::lock_guard const lock(overflow_mutex_);
  overflow_.emplace_back(source, large);
  overflowed_.fetch_add(1, std::memory_order_seq_cst);
}

bool inbox::pop(message& m) noexcept {
  // Replies that found no slot go first: they are few, and somebody waits for each.
  if (overflowed_.load(std::memory_order_relaxed) != 0 && pop_overflow(m)) return true;
  std::uint64_t position = head_.load(std::memory_order_relaxed);
  slot* s;
  for (;;) {
    s = &slots_[position % slots];
    std::uint64_t const sequence = s->sequence.load(std::memory_order_acquire);
    if (sequence == position + 1) {
      if (head_.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) break;
    } else if (sequence < position + 1) {
      return false;
    } else {
      position = head_.load(std::memory_order_relaxed);
    }
  }
  m.source = s->source;
  m.bytes = s->bytes;
  m.large = nullptr;
  if (s->is_large != 0)
    std::memcpy(&m.large, s->data, sizeof m.large);
  else
    std::memcpy(m.small, s->data, inline_bytes);
  // release: the slot may be written again.
  s->sequence.store(position + slots, std::memory_order_release);
  return true;
}

bool inbox::pop_overflow(message& m) noexcept {
  std::lock_guard const lock(overflow_mutex_);
  if (overflow_.empty()) return false;
  m.source = overflow_.front().first;
  m.large = overflow_.front().second;
  m.bytes = m.large->bytes;
  overflow_.pop_front();
  overflowed_.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

bool inbox::empty() const noexcept {
  for (;;) {
    std::uint64_t const position = head_.load(std::memory_order_seq_cst);
    if (slots_[position % slots].sequence.load(std::memory_order_seq_cst) == position + 1) return false;
    // Another worker may have taken this slot meanwhile; then the next one counts.
    if (head_.load(std::memory_order_seq_cst) == position) return overflowed_.load(std::memory_order_seq_cst) == 0;
  }
}

}  // namespace tess::detail
