// strand: slots, edges, and where strands begin and end.
#include "runtime/races/strand.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "runtime/races/handling.hpp"
#include "tess/detail/tasks/short_lock.hpp"

namespace tess::detail::races {

namespace {

// Not a short_lock, which is itself an object of synchronisation.
class bucket_lock {
 public:
  void lock() noexcept {
    while (taken_.test_and_set(std::memory_order_acquire)) spin_pause();
  }
  void unlock() noexcept { taken_.clear(std::memory_order_release); }

 private:
  std::atomic_flag taken_;
};

struct bucket {
  vector_clock released;
  bucket_lock lock;
};
constexpr unsigned bucket_bits = 16;
constinit zeros<bucket, 1U << bucket_bits> buckets{};

struct slot_state {
  std::atomic<std::uint64_t> owner{0};
  std::atomic<std::uint32_t> clock{0};
};
constinit std::array<slot_state, slots> slot_states{};
constinit std::atomic<std::uint64_t> taken{0}, strands{0}, keys{0};

constexpr std::uint64_t own_key_bit = std::uint64_t{1} << 63;

bucket& bucket_of(std::uint64_t key) noexcept {
  // Addresses are multiples of 8 mostly; the product spreads them (D. Knuth, multiplicative hashing).
  return buckets[(key >> 3 ^ key << 61) * 0x9e3779b97f4a7c15U >> (64 - bucket_bits)];
}

void take_slot(strand& s) noexcept {
  auto const slot = static_cast<std::uint32_t>(taken.fetch_add(1, std::memory_order_relaxed) % slots);
  slot_state& state = slot_states[slot];
  state.owner.store(s.id, std::memory_order_relaxed);
  s.slot = slot;
  s.known.of[slot] = state.clock.fetch_add(1, std::memory_order_relaxed) + 1;
  s.counted = false;
}

bool owns_slot(strand const& s) noexcept {
  return s.slot != slots && slot_states[s.slot].owner.load(std::memory_order_relaxed) == s.id;
}

/// What the strand does from now on is not part of what it has released.
void count_on(strand& s) noexcept {
  if (!std::exchange(s.counted, false) || !owns_slot(s)) return;
  s.known.of[s.slot] = slot_states[s.slot].clock.fetch_add(1, std::memory_order_relaxed) + 1;
}

/// Objects of one type that threads of the job use again and again; they are given back to the thread that ends them.
template <class T>
struct spare {
  static inline thread_local T* first = nullptr;

  static T* take() noexcept {
    if (first == nullptr) return new (std::nothrow) T;
    T* const one = first;
    first = one->next_free;
    return one;
  }
  static void give(T* one) noexcept {
    one->next_free = first;
    first = one;
  }
};

strand* make_strand(vector_clock const* known, origin const& o) noexcept {
  strand* const s = spare<strand>::take();
  if (s == nullptr) return nullptr;
  known == nullptr ? static_cast<void>(s->known = {}) : static_cast<void>(s->known = *known);
  s->id = strands.fetch_add(1, std::memory_order_relaxed) + 1;
  s->slot = slots;
  s->origin = number_of(o);
  s->counted = false;
  return s;
}

thread_local void const* sender = nullptr;

// ── origins ─────────────────────────────────────────────────────────────────────────────────────────────────────────

struct known_origin {
  std::atomic<bool> is_set{false};
  origin what;
};
constinit zeros<known_origin, 1U << 16> origins{};
constinit std::mutex origins_mutex;

}  // namespace

std::uint16_t number_of(origin const& o) noexcept {
  constexpr unsigned tries = 16;
  std::uint64_t const mixed = (reinterpret_cast<std::uint64_t>(o.made_at) * 31 +
                               reinterpret_cast<std::uint64_t>(o.code) + o.place * 2 + static_cast<unsigned>(o.kind)) *
                              0x9e3779b97f4a7c15U;
  for (unsigned i = 0; i < tries; ++i) {
    auto const number = static_cast<std::uint16_t>((mixed >> 48) + i);
    if (number == 0) continue;
    known_origin& known = origins[number];
    if (!known.is_set.load(std::memory_order_acquire)) {
      std::lock_guard const lock(origins_mutex);
      if (!known.is_set.load(std::memory_order_relaxed)) {
        known.what = o;
        known.is_set.store(true, std::memory_order_release);
      }
    }
    if (known.what == o) return number;
  }
  return 0;
}

origin origin_of(std::uint16_t number) noexcept {
  return origins[number].is_set.load(std::memory_order_acquire) ? origins[number].what : origin{};
}

epoch epoch_of(strand& s) noexcept {
  if (!owns_slot(s)) take_slot(s);
  s.counted = true;
  return {s.known.of[s.slot], s.slot};
}

void forget_releases() noexcept {
  static_cast<void>(madvise(buckets.memory, sizeof buckets, MADV_HUGEPAGE));
  static_cast<void>(madvise(buckets.memory, sizeof buckets, MADV_DONTNEED));
}

// ── what programs and the runtime call ──────────────────────────────────────────────────────────────────────────────

std::uint64_t new_key() noexcept {
  return own_key_bit | keys.fetch_add(8, std::memory_order_relaxed);
}

void release(std::uint64_t key) noexcept {
  strand* const s = current();
  if (s == nullptr) return;
  bucket& b = bucket_of(key);
  {
    std::lock_guard const lock(b.lock);
    b.released.join(s->known);
  }
  count_on(*s);
}

void acquire(std::uint64_t key) noexcept {
  strand* const s = current();
  if (s == nullptr) return;
  bucket& b = bucket_of(key);
  std::lock_guard const lock(b.lock);
  s->known.join(b.released);
}

void begin(promise_base& task, void const* made_at) noexcept {
  strand* const parent = current();
  // The first word of a coroutine's frame is the address of the code that resumes it.
  void const* const code = *static_cast<void* const*>(handle_of(&task).address());
  origin o{strand_kind::task, self->place, made_at, code};
  // The task of a call is the call.
  if (made_at == nullptr && parent != nullptr)
    if (origin const caller = origin_of(parent->origin); caller.kind == strand_kind::handler) o = caller;
  task.strand.is = make_strand(parent == nullptr ? nullptr : &parent->known, o);
  if (parent != nullptr) count_on(*parent);
}

void continue_in(promise_base& child, promise_base const& parent) noexcept {
  child.strand.is = parent.strand.is;
}

strand* strand_of(promise_base const& task) noexcept {
  return task.strand.is;
}

void end(worker& w, strand* ended, std::uint64_t finish_key) noexcept {
  // The promise is gone: what the runtime does next is nobody's.
  w.current = &w.handler;
  if (ended == nullptr) return;
  bucket& b = bucket_of(finish_key);
  {
    std::lock_guard const lock(b.lock);
    b.released.join(ended->known);
  }
  spare<strand>::give(ended);
}

void sending_from(void const* code) noexcept {
  sender = code;
}

message_clock send() noexcept {
  void const* const from = std::exchange(sender, nullptr);
  strand* const s = current();
  sent_clock* const sent = s == nullptr ? nullptr : spare<sent_clock>::take();
  if (sent == nullptr) return {};
  sent->known = s->known;
  sent->sent_at = from;
  count_on(*s);
  return {sent};
}

void also_send(message_clock m) noexcept {
  sender = nullptr;
  strand* const s = current();
  if (s == nullptr || m.is == nullptr) return;
  m.is->known.join(s->known);
  count_on(*s);
}

handling::handling(worker& w, message_clock sent, finish_scope const* scope) noexcept
    : worker_(w), scope_(scope), outer_(w.current), outer_scope_(w.handler.scope), outer_strand_(w.handler.strand.is) {
  // A call at the own place comes here from a task.
  if (w.current != &w.handler) {
    w.handler.scope = outer_->scope;
    w.current = &w.handler;
  }
  w.handler.strand.is = nullptr;
  if (sent.is == nullptr) return;
  w.handler.strand.is = make_strand(&sent.is->known, {strand_kind::handler, w.place, sent.is->sent_at, nullptr});
  spare<sent_clock>::give(sent.is);
}

handling::~handling() {
  if (strand* const s = worker_.handler.strand.is) {
    if (scope_ != nullptr) release(scope_->key());
    spare<strand>::give(s);
  }
  worker_.handler.strand.is = outer_strand_;
  worker_.handler.scope = outer_scope_;
  worker_.current = outer_;
}

}  // namespace tess::detail::races
