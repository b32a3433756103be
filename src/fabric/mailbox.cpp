// mailbox: slots that are claimed, written, read and freed; chunks that are lent and returned.
#include "fabric/mailbox.hpp"

#include <algorithm>
#include <cstring>

namespace tess::detail {

namespace {

constexpr std::uint64_t slots_count = mailbox_memory::slots_count;

/// The claim of an abandoned slot, whose writer may still write.
constexpr std::uint64_t dead = ~std::uint64_t{0};

/// The word of a claim and a slot that `writer` has in the lap of a position. Zero: never used.
constexpr std::uint64_t claim_word(std::uint64_t position, place_id writer) noexcept {
  return (position / slots_count + 1) << 16U | writer;
}
/// Laps begun by the writer of this word.
constexpr std::uint64_t laps_of(std::uint64_t word) noexcept {
  return word >> 16U;
}
constexpr place_id writer_of(std::uint64_t word) noexcept {
  return static_cast<place_id>(word);
}

/// The contents of a large message's slot.
struct chunk_reference {
  std::uint64_t lent;
  std::uint32_t chunk;
  std::uint32_t bytes;
};

constexpr bool is_lent(std::uint64_t word) noexcept {
  return (word & 1U) != 0;
}

/// By its reader, or by the owner after the reader has failed; the first one counts.
void return_chunk(mailbox_memory::chunk& c, std::uint64_t lent) noexcept {
  // release: pairs with the acquire of lend().
  c.word.compare_exchange_strong(lent, lent & ~std::uint64_t{1}, std::memory_order_release, std::memory_order_relaxed);
}

/// The word of a chunk that is lent once more.
constexpr std::uint64_t lent_word(std::uint64_t word, place_id to) noexcept {
  return ((word >> 17U) + 1) << 17U | std::uint64_t{to} << 1U | 1U;
}

/// The first free one of the first `limit` chunks, so that few are in use where the reader keeps up: their lines stay
/// in the first caches of both. Null: no credit.
mailbox_memory::chunk* take_chunk(mailbox_memory& from, std::uint32_t limit, place_id to, chunk_reference& r) noexcept {
  for (r.chunk = 0; r.chunk < limit; ++r.chunk) {
    mailbox_memory::chunk& c = from.chunks[r.chunk];
    std::uint64_t word = c.word.load(std::memory_order_relaxed);
    if (is_lent(word)) continue;
    r.lent = lent_word(word, to);
    // acquire: the reader is done with the bytes before we overwrite them.
    if (c.word.compare_exchange_strong(word, r.lent, std::memory_order_acquire, std::memory_order_relaxed)) return &c;
  }
  return nullptr;
}

}  // namespace

std::uint64_t mailbox::received::address() const noexcept {
  std::uint64_t a;
  std::memcpy(&a, small, sizeof a);
  return a;
}

mailbox::mailbox(directory& all, place_id owner, mailbox_memory& memory, std::uint64_t chunk_memory,
                 std::atomic<bool> const* failed, bool one_reader)
    : all_(all),
      memory_(memory),
      failed_(failed),
      owner_(owner),
      one_reader_(one_reader),
      chunks_(static_cast<std::uint32_t>(
          std::clamp<std::uint64_t>(chunk_memory / mailbox_memory::chunk_bytes, 2, mailbox_memory::chunks_max))) {
  all[owner] = &memory;
}

bool mailbox::send(place_id to, std::span<std::byte const> bytes) noexcept {
  std::uint32_t const lent = chunk_of(bytes.data());
  bool const is_lent = lent != mailbox_memory::chunks_max;
  if (bytes.size() <= mailbox_memory::inline_bytes) {
    if (!push(*all_[to], kind::message, bytes)) return false;
    if (is_lent) give_back(memory_.chunks[lent].data);
    return true;
  }
  if (is_lent) return send_lent(to, lent, bytes.size());
  if (bytes.size() > mailbox_memory::chunk_bytes) return false;
  chunk_reference r{0, 0, static_cast<std::uint32_t>(bytes.size())};
  mailbox_memory::chunk* const c = take_chunk(memory_, chunks_, to, r);
  if (c == nullptr) return false;
  std::memcpy(c->data, bytes.data(), bytes.size());
  if (!push(*all_[to], kind::large_message, std::as_bytes(std::span(&r, 1)))) {
    return_chunk(*c, r.lent);
    return false;
  }
  // If it failed meanwhile, give_up() may have missed this chunk.
  if (failed_ != nullptr && failed_[to].load(std::memory_order_seq_cst)) return_chunk(*c, r.lent);
  return true;
}

std::byte* mailbox::lend() noexcept {
  // The other chunks are for messages that were written elsewhere.
  chunk_reference r{};
  if (being_written_.fetch_add(1, std::memory_order_relaxed) < chunks_ / 2)
    if (mailbox_memory::chunk* const c = take_chunk(memory_, chunks_, owner_, r)) return c->data;
  being_written_.fetch_sub(1, std::memory_order_relaxed);
  return nullptr;
}

void mailbox::give_back(std::byte* lent) noexcept {
  mailbox_memory::chunk& c = memory_.chunks[chunk_of(lent)];
  being_written_.fetch_sub(1, std::memory_order_relaxed);
  return_chunk(c, c.word.load(std::memory_order_relaxed));
}

/// The chunk that these bytes begin; chunks_max: none.
std::uint32_t mailbox::chunk_of(std::byte const* data) const noexcept {
  auto const at = reinterpret_cast<std::uintptr_t>(data) - reinterpret_cast<std::uintptr_t>(memory_.chunks[0].data);
  return at < sizeof memory_.chunks ? static_cast<std::uint32_t>(at / sizeof(mailbox_memory::chunk))
                                    : mailbox_memory::chunks_max;
}

bool mailbox::send_lent(place_id to, std::uint32_t chunk, std::size_t bytes) noexcept {
  mailbox_memory::chunk& c = memory_.chunks[chunk];
  mailbox_memory& there = *all_[to];
  std::uint64_t position;
  if (!claim(there, position)) return false;
  std::uint64_t const lent = lent_word(c.word.load(std::memory_order_relaxed), to);
  chunk_reference const r{lent, chunk, static_cast<std::uint32_t>(bytes)};
  c.word.store(lent, std::memory_order_seq_cst);
  being_written_.fetch_sub(1, std::memory_order_relaxed);
  publish(there, position, kind::large_message, std::as_bytes(std::span(&r, 1)));
  if (failed_ != nullptr && failed_[to].load(std::memory_order_seq_cst)) return_chunk(c, lent);
  return true;
}

bool mailbox::notify(place_id to, std::uint64_t address) noexcept {
  return push(*all_[to], kind::notification, std::as_bytes(std::span(&address, 1)));
}

/// The next free slot, ours now; false: the ring is full.
bool mailbox::claim(mailbox_memory& to, std::uint64_t& position) noexcept {
  position = to.tail.load(std::memory_order_relaxed);
  // Two rounds suffice unless others advance meanwhile; then the next call finds room.
  for (std::uint64_t steps = 0; steps < 2 * slots_count; ++steps) {
    // acquire: the reader is done with the bytes.
    if (position >= to.seen.load(std::memory_order_acquire) + slots_count) {
      std::uint64_t const read = to.read.load(std::memory_order_acquire);
      if (position >= read + slots_count) return false;
      // release: writers that read `seen` rely on the acquire above.
      to.seen.store(read, std::memory_order_release);
    }
    prefetch_write(&to.slots[position % slots_count]);
    bool claimed = false;
    if (failed_ != nullptr) {
      std::atomic<std::uint64_t>& claim = to.claims[position % slots_count];
      std::uint64_t word = claim.load(std::memory_order_relaxed);
      claimed = laps_of(word) <= position / slots_count &&
                claim.compare_exchange_strong(word, claim_word(position, owner_), std::memory_order_relaxed);
    }
    // Claimed by another writer, or abandoned: its writer may not have advanced the tail yet.
    std::uint64_t tail = position;
    bool const advanced = to.tail.compare_exchange_strong(tail, position + 1, std::memory_order_relaxed);
    // Writers that do not fail need not be known before they have written.
    if (claimed || (failed_ == nullptr && advanced)) return true;
    position = advanced ? position + 1 : tail;
  }
  return false;
}

bool mailbox::push(mailbox_memory& to, kind what, std::span<std::byte const> bytes) noexcept {
  std::uint64_t position;
  if (!claim(to, position)) return false;
  publish(to, position, what, bytes);
  return true;
}

/// Fills the slot that was claimed.
void mailbox::publish(mailbox_memory& to, std::uint64_t position, kind what,
                      std::span<std::byte const> bytes) noexcept {
  slot& s = to.slots[position % slots_count];
  s.bytes = static_cast<std::uint32_t>(bytes.size());
  s.kind = static_cast<std::uint32_t>(what);
  if (!bytes.empty()) std::memcpy(s.data, bytes.data(), bytes.size());
  // release to the reader; sequentially consistent with the look at the sleepers that follows.
  s.word.store(claim_word(position, owner_), std::memory_order_seq_cst);
}

bool mailbox::must_wake(place_id to) const noexcept {
  mailbox_memory& m = *all_[to];
  return m.sleepers.load(std::memory_order_seq_cst) != 0 && m.waking.load(std::memory_order_seq_cst) == 0 &&
         m.waking.exchange(1, std::memory_order_seq_cst) == 0;
}

void mailbox::give_up(place_id failed) noexcept {
  some_failed_.store(true, std::memory_order_seq_cst);
  for (mailbox_memory::chunk& c : memory_.chunks) {
    std::uint64_t const word = c.word.load(std::memory_order_seq_cst);
    if (is_lent(word) && static_cast<place_id>(word >> 1U) == failed) return_chunk(c, word);
  }
}

bool mailbox::arrived(std::uint64_t position) const noexcept {
  // acquire: the slot's contents. seq_cst: pairs with a reader that has announced its sleep.
  std::uint64_t const word = memory_.slots[position % slots_count].word.load(std::memory_order_seq_cst);
  return laps_of(word) == position / slots_count + 1;
}

/// Abandons the slot if its writer has failed.
bool mailbox::skip(std::uint64_t position) noexcept {
  std::atomic<std::uint64_t>& claim = memory_.claims[position % slots_count];
  std::uint64_t const word = claim.load(std::memory_order_relaxed);
  if (word == dead) return true;
  bool const writing = laps_of(word) == position / slots_count + 1 && writer_of(word) < all_.size();
  if (!writing || !failed_[writer_of(word)].load(std::memory_order_relaxed)) return false;
  claim.store(dead, std::memory_order_relaxed);
  return true;
}

bool mailbox::pop(received& r) noexcept {
  bool const some_failed = some_failed_.load(std::memory_order_relaxed);
  if (!some_failed && !arrived(head_.load(std::memory_order_relaxed))) return false;
  // acquire: the head.
  if (!one_reader_ && reading_.exchange(true, std::memory_order_acquire)) return false;
  std::uint64_t position = head_.load(std::memory_order_relaxed);
  bool found = false;
  for (std::uint64_t steps = 0; !found && steps < slots_count; ++steps) {
    found = arrived(position);
    if (found)
      read(memory_.slots[position % slots_count], r);
    else if (!some_failed || !skip(position))
      break;
    head_.store(++position, std::memory_order_relaxed);
    // release: the slot may be written again.
    memory_.read.store(position, std::memory_order_release);
  }
  if (!one_reader_) reading_.store(false, std::memory_order_release);
  return found;
}

/// Checks everything, because the writer may be another process.
void mailbox::read(slot const& s, received& r) const noexcept {
  r.source = writer_of(s.word.load(std::memory_order_relaxed));
  r.what = static_cast<kind>(s.kind);
  r.bytes = s.bytes;
  r.large = nullptr;
  std::memcpy(r.small, s.data, sizeof r.small);
  bool sound = r.source < all_.size() && all_[r.source] != nullptr && r.bytes <= sizeof r.small;
  if (r.what == kind::large_message && sound) {
    chunk_reference c;
    std::memcpy(&c, r.small, sizeof c);
    sound = c.chunk < mailbox_memory::chunks_max && c.bytes <= mailbox_memory::chunk_bytes && is_lent(c.lent);
    r.bytes = c.bytes;
    r.chunk = c.chunk;
    r.lent = c.lent;
    if (sound) r.large = all_[r.source]->chunks[c.chunk].data;
  } else if (r.what == kind::notification) {
    sound = sound && r.bytes == sizeof(std::uint64_t);
  } else {
    sound = sound && r.what == kind::message;
  }
  if (!sound) r.what = kind::malformed;
}

void mailbox::done(received const& r) noexcept {
  if (r.large != nullptr) return_chunk(all_[r.source]->chunks[r.chunk], r.lent);
}

bool mailbox::empty() const noexcept {
  for (;;) {
    std::uint64_t const position = head_.load(std::memory_order_seq_cst);
    std::uint64_t next = position;
    if (some_failed_.load(std::memory_order_relaxed))
      while (next < position + slots_count &&
             memory_.claims[next % slots_count].load(std::memory_order_relaxed) == dead)
        ++next;
    if (arrived(next)) return false;
    // Another worker may have read this one meanwhile; then the next one counts.
    if (head_.load(std::memory_order_seq_cst) == position) return true;
  }
}

void mailbox::begin_sleep() noexcept {
  memory_.sleepers.fetch_add(1, std::memory_order_seq_cst);
  memory_.waking.store(0, std::memory_order_seq_cst);
}

void mailbox::end_sleep() noexcept {
  memory_.sleepers.fetch_sub(1, std::memory_order_seq_cst);
  memory_.waking.store(0, std::memory_order_seq_cst);
}

}  // namespace tess::detail
