// remote_server: a transfer goes through a mapping that the server lends, else over a connection.
#include "rmem/client/remote_server.hpp"

#include <utility>

namespace tess::rmem {

namespace {

using wire::operation;

/// Of the others it is not known, after a loss, whether they were done.
bool may_be_repeated(operation what) {
  return what == operation::open || what == operation::list || what == operation::state || what == operation::revoke;
}

}  // namespace

/// With a connection that nobody else uses meanwhile. What may be done `again` is, on the server that comes back.
template <class F>
auto one_server::with(F&& f, bool again) {
  auto const deadline = clock::now() + failure_timeout();
  for (;;) {
    try {
      return once(f);
    } catch (lost const&) {
      if (!again || !reached_.come_back() || clock::now() > deadline) throw;
    }
  }
}

template <class F>
auto one_server::once(F&& f) {
  struct taken {
    one_server& of;
    std::unique_ptr<connection> c = of.take();
    ~taken() { of.give_back(std::move(c)); }
  } t{*this};
  try {
    return f(*t.c);
  } catch (refused const& no) {
    // A region that is gone: its name may lead elsewhere now.
    if (no.why() == reason::no_region || no.why() == reason::revoked) forget_names();
    throw;
  }
}

std::uint8_t one_server::number() {
  if (auto const known = reached_.number()) return *known;
  with([](connection const&) {}, true);
  return reached_.number().value_or(0);
}

void one_server::present(memd::token const& t, std::optional<std::uint8_t> number) {
  std::lock_guard const lock(mutex_);
  tokens_.push_back({t, number});
  // Those that come show it first.
  idle_.clear();
  std::lock_guard const threads(starting_);
  if (portal_) portal_->reconnect();
}

std::unique_ptr<connection> one_server::take() {
  {
    std::lock_guard const lock(mutex_);
    if (!idle_.empty()) {
      auto c = std::move(idle_.back());
      idle_.pop_back();
      return c;
    }
  }
  auto c = reached_.find();
  std::lock_guard const lock(mutex_);
  for (auto const& [t, number] : tokens_) {
    if (number && number != reached_.number()) continue;
    auto const shown = t.bytes();
    c->call({.what = operation::present}, shown);
  }
  return c;
}

void one_server::give_back(std::unique_ptr<connection> c) {
  std::lock_guard const lock(mutex_);
  if (!c->broken()) return idle_.push_back(std::move(c));
  // The others lead to the same dead server.
  idle_.clear();
  names_.clear();
}

connection::answer one_server::call(wire::message const& m, std::span<std::byte const> payload) {
  return with([&](connection& c) { return c.call(m, payload); }, may_be_repeated(m.what));
}

void one_server::remember(std::string_view name, region const& what, std::uint64_t ms) {
  std::lock_guard const lock(mutex_);
  names_.insert_or_assign(std::string(name), known_name{what, clock::now() + std::chrono::milliseconds(ms)});
}

std::optional<region> one_server::remembered(std::string_view name, rights wanted) {
  std::lock_guard const lock(mutex_);
  auto const found = names_.find(name);
  if (found == names_.end() || clock::now() >= found->second.until ||
      (static_cast<std::uint32_t>(wanted) & ~static_cast<std::uint32_t>(found->second.what.held)) != 0)
    return std::nullopt;
  return found->second.what;
}

void one_server::forget_names() {
  std::lock_guard const lock(mutex_);
  names_.clear();
}

/// Asks for a lease of the region at `a`, once for each way.
void one_server::ask_to_lend(address a, bool writes) {
  if (!reached_.are_local()) return;
  std::lock_guard const lock(lending_);
  if (lent_.knows(a, writes)) return;
  try {
    if (!lender_) lender_ = take();
    auto const wanted = static_cast<std::uint32_t>(writes ? rights::read_write : rights::read);
    auto got = lender_->call({.what = operation::lease, .address = a, .rights = wanted});
    region const what{got.head.address, got.head.size, rights::none};
    if (got.files.size() == 2)
      lent_.add(what, writes, std::move(got.files[0]), std::move(got.files[1]));
    else
      lent_.refuse(what, writes);
  } catch (refused const&) {
    // The transfer itself will be refused, too, and say better what is wrong.
  } catch (lost const&) {
    end_leases();
    if (!reached_.come_back()) throw;
  }
}

void one_server::end_leases() {
  lender_.reset();
  lent_.drop_all();
}

/// Mapped bytes outlive their server. They must not be believed long after.
void one_server::look_for_lender() {
  auto const now = clock::now().time_since_epoch().count();
  if (now - looked_.load(std::memory_order_relaxed) < look_every) return;
  looked_.store(now, std::memory_order_relaxed);
  std::lock_guard const lock(lending_);
  if (!lender_ || lender_->alive()) return;
  end_leases();
  if (reached_.come_back()) return;
  throw lost("the memory server at " + reached_.text() + " is lost: it ended the connection");
}

/// The same, without waiting for others that look, or speak with it; false: not sure.
bool one_server::mappings_count() {
  auto const now = clock::now().time_since_epoch().count();
  if (now - looked_.load(std::memory_order_relaxed) < look_every) return true;
  std::unique_lock const lock(lending_, std::try_to_lock);
  if (!lock.owns_lock()) return false;
  looked_.store(now, std::memory_order_relaxed);
  if (!lender_ || lender_->alive()) return true;
  end_leases();
  return false;
}

/// False: it is not lent.
bool one_server::move_lent(bool reads, address a, std::byte* memory, std::size_t bytes) {
  look_for_lender();
  // More than twice: a lease may end because somebody else's right was revoked.
  for (int attempt = 0; attempt < 3; ++attempt) {
    if (lent_.move(reads, a, memory, bytes) == leases::outcome::moved) return true;
    if (lent_.knows(a, !reads)) break;
    ask_to_lend(a, !reads);
  }
  return false;
}

void one_server::move(bool reads, address a, std::byte* memory, std::size_t bytes) {
  if (bytes == 0 || move_lent(reads, a, memory, bytes)) return;
  with(
      [&](connection& c) {
        if (reads)
          c.read(memory, a, bytes);
        else
          c.write(a, memory, bytes);
      },
      true);
}

/// On the thread beside: as move(), but whatever must go by the socket overlaps with others there.
void one_server::carry(transfer& t) {
  try {
    if (move_lent(t.reads, t.at, t.memory, t.bytes)) return t.ended(t);
    socket_portal().submit(t);
  } catch (...) {
    t.failure = std::current_exception();
    t.ended(t);
  }
}

void one_server::carry_all() {
  for (;;) {
    transfer* t = nullptr;
    {
      std::lock_guard const lock(waiting_mutex_);
      carries_ = !waiting_.empty();
      if (!carries_) return;
      t = waiting_.front();
      waiting_.pop_front();
    }
    carry(*t);
  }
}

bool one_server::take_back(transfer& t) noexcept {
  std::lock_guard const lock(waiting_mutex_);
  return std::erase(waiting_, &t) != 0;
}

portal& one_server::socket_portal() {
  std::lock_guard const lock(starting_);
  if (!portal_)
    portal_ = std::make_unique<portal>([this] { return take(); }, [this] { forget_names(); },
                                       [this] { return reached_.come_back(); }, failure_timeout());
  return *portal_;
}

aside& one_server::thread_beside() {
  std::lock_guard const lock(starting_);
  if (!beside_) beside_ = std::make_unique<aside>();
  return *beside_;
}

void one_server::prepare() {
  if (prepared_.load(std::memory_order_acquire)) return;
  static_cast<void>(socket_portal());
  if (reached_.are_local()) static_cast<void>(thread_beside());
  prepared_.store(true, std::memory_order_release);
}

void one_server::start(transfer& t) noexcept {
  try {
    if (!reached_.are_local() || (lent_.knows(t.at, !t.reads) && !lent_.has(t.at, !t.reads)))
      return socket_portal().submit(t);
    {
      std::lock_guard const lock(waiting_mutex_);
      waiting_.push_back(&t);
      if (std::exchange(carries_, true)) return;
    }
    try {
      thread_beside().run([this] { carry_all(); });
    } catch (...) {
      std::lock_guard const lock(waiting_mutex_);
      carries_ = false;
      std::erase(waiting_, &t);
      throw;
    }
  } catch (...) {
    t.failure = std::current_exception();
    t.ended(t);
  }
}

bool one_server::move_mapped(bool reads, address at, std::byte* memory, std::size_t bytes) {
  return reached_.are_local() && mappings_count() && lent_.move(reads, at, memory, bytes) == leases::outcome::moved;
}

}  // namespace tess::rmem
