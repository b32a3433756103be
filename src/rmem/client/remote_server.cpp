// remote_server: a transfer goes through a mapping if the server lends one, else over a connection.
#include "rmem/client/remote_server.hpp"

#include <utility>

namespace tess::rmem {

namespace {

using wire::operation;

/// After the connection was lost, it is unknown whether other operations were done.
bool may_be_repeated(operation what) {
  return what == operation::open || what == operation::list || what == operation::state || what == operation::revoke;
}

}  // namespace

/// Calls f with a connection for exclusive use. `retries`: f may be repeated when a lost server has come back.
template <class F>
auto remote_server::with(F&& f, bool retries) {
  auto const deadline = clock::now() + failure_timeout();
  for (;;) {
    try {
      return once(f);
    } catch (lost const&) {
      if (!retries || !endpoints_.regions_persist() || clock::now() > deadline) throw;
    }
  }
}

template <class F>
auto remote_server::once(F&& f) {
  struct borrowed {
    remote_server& of;
    std::unique_ptr<connection> c = of.take();
    ~borrowed() { of.give_back(std::move(c)); }
  } t{*this};
  try {
    return f(*t.c);
  } catch (refused const& no) {
    // The region is gone: its name may belong to another one now.
    if (no.why() == reason::no_region || no.why() == reason::revoked) drop_names();
    throw;
  }
}

std::uint8_t remote_server::number() {
  if (auto const known = endpoints_.number()) return *known;
  with([](connection const&) {}, true);
  return endpoints_.number().value_or(0);
}

void remote_server::present(token const& t, std::optional<std::uint8_t> number) {
  std::lock_guard const lock(mutex_);
  tokens_.push_back({t, number});
  // New connections present it first.
  idle_.clear();
  std::lock_guard const threads(threads_mutex_);
  if (engine_) engine_->reconnect();
}

std::unique_ptr<connection> remote_server::take() {
  {
    std::lock_guard const lock(mutex_);
    if (!idle_.empty()) {
      auto c = std::move(idle_.back());
      idle_.pop_back();
      return c;
    }
  }
  auto c = endpoints_.connect();
  std::lock_guard const lock(mutex_);
  for (auto const& [t, number] : tokens_) {
    if (number && number != endpoints_.number()) continue;
    auto const bytes = t.bytes();
    c->call({.what = operation::present}, bytes);
  }
  return c;
}

void remote_server::give_back(std::unique_ptr<connection> c) {
  std::lock_guard const lock(mutex_);
  if (!c->broken()) return idle_.push_back(std::move(c));
  // The other connections lead to the same dead server.
  endpoints_.suspect();
  idle_.clear();
  names_.clear();
}

connection::answer remote_server::call(wire::message const& m, std::span<std::byte const> payload) {
  return with([&](connection& c) { return c.call(m, payload); }, may_be_repeated(m.what));
}

void remote_server::cache_name(std::string_view name, region const& what, std::uint64_t ms) {
  std::lock_guard const lock(mutex_);
  names_.insert_or_assign(std::string(name), cached_name{what, clock::now() + std::chrono::milliseconds(ms)});
}

std::optional<region> remote_server::cached(std::string_view name, rights wanted) {
  std::lock_guard const lock(mutex_);
  auto const found = names_.find(name);
  if (found == names_.end() || clock::now() >= found->second.until ||
      (static_cast<std::uint32_t>(wanted) & ~static_cast<std::uint32_t>(found->second.what.held)) != 0)
    return std::nullopt;
  return found->second.what;
}

void remote_server::drop_names() {
  std::lock_guard const lock(mutex_);
  names_.clear();
}

/// Requests a lease of the region at `a`, once for reading and once for writing.
void remote_server::request_lease(address a, bool writes) {
  if (!endpoints_.all_local()) return;
  std::lock_guard const lock(lease_mutex_);
  if (mapped_.was_requested(a, writes)) return;
  try {
    if (!lease_connection_) lease_connection_ = take();
    auto const wanted = static_cast<std::uint32_t>(writes ? rights::read_write : rights::read);
    auto got = lease_connection_->call({.what = operation::lease, .address = a, .rights = wanted});
    region const what{got.head.address, got.head.size, rights::none};
    if (got.files.size() == 2)
      mapped_.add(what, writes, std::move(got.files[0]), std::move(got.files[1]));
    else
      mapped_.refuse(what, writes);
  } catch (refused const&) {
    // The transfer itself will be refused, too, with a better message.
  } catch (lost const&) {
    drop_leases();
    if (!endpoints_.regions_persist()) throw;
  }
}

void remote_server::drop_leases() {
  lease_connection_.reset();
  mapped_.drop_all();
}

/// Mapped bytes outlive their server, but must not be trusted for long after its end.
void remote_server::check_leases() {
  auto const now = clock::now().time_since_epoch().count();
  if (now - leases_checked_.load(std::memory_order_relaxed) < lease_check_interval) return;
  leases_checked_.store(now, std::memory_order_relaxed);
  std::lock_guard const lock(lease_mutex_);
  if (!lease_connection_ || lease_connection_->alive()) return;
  drop_leases();
  if (endpoints_.regions_persist()) return;
  throw lost("the memory server at " + endpoints_.text() + " is lost: it ended the connection");
}

/// The same without waiting for other threads; false: not sure.
bool remote_server::leases_are_valid() {
  auto const now = clock::now().time_since_epoch().count();
  if (now - leases_checked_.load(std::memory_order_relaxed) < lease_check_interval) return true;
  std::unique_lock const lock(lease_mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return false;
  leases_checked_.store(now, std::memory_order_relaxed);
  if (!lease_connection_ || lease_connection_->alive()) return true;
  drop_leases();
  return false;
}

/// False: the region is not lent.
bool remote_server::move_by_lease(bool reads, address a, std::byte* memory, std::size_t bytes) {
  check_leases();
  // Leases end for all clients when a right of one is revoked, so several attempts may be needed.
  for (int attempt = 0; attempt < 3; ++attempt) {
    if (mapped_.move(reads, a, memory, bytes) == mapped_regions::outcome::moved) return true;
    if (mapped_.was_requested(a, !reads)) break;
    request_lease(a, !reads);
  }
  return false;
}

void remote_server::move(bool reads, address a, std::byte* memory, std::size_t bytes) {
  if (bytes == 0 || move_by_lease(reads, a, memory, bytes)) return;
  with(
      [&](connection& c) {
        if (reads)
          c.read(memory, a, bytes);
        else
          c.write(a, memory, bytes);
      },
      true);
}

/// On the executor: as move(), but a transfer by the socket overlaps with others.
void remote_server::process(transfer& t) {
  try {
    if (move_by_lease(t.reads, t.at, t.memory, t.bytes)) return t.ended(t);
    engine().submit(t);
  } catch (...) {
    t.failure = std::current_exception();
    t.ended(t);
  }
}

void remote_server::process_queue() {
  for (;;) {
    transfer* t = nullptr;
    {
      std::lock_guard const lock(queue_mutex_);
      processing_ = !queue_.empty();
      if (!processing_) return;
      t = queue_.front();
      queue_.pop_front();
    }
    process(*t);
  }
}

bool remote_server::cancel(transfer& t) noexcept {
  std::lock_guard const lock(queue_mutex_);
  return std::erase(queue_, &t) != 0;
}

transfer_engine& remote_server::engine() {
  std::lock_guard const lock(threads_mutex_);
  if (!engine_)
    engine_ = std::make_unique<transfer_engine>([this] { return take(); }, [this] { drop_names(); },
                                                [this] {
                                                  endpoints_.suspect();
                                                  return endpoints_.regions_persist();
                                                },
                                                [this] { return endpoints_.patience(); });
  return *engine_;
}

serial_executor& remote_server::executor() {
  std::lock_guard const lock(threads_mutex_);
  if (!executor_) executor_ = std::make_unique<serial_executor>();
  return *executor_;
}

void remote_server::prepare() {
  if (prepared_.load(std::memory_order_acquire)) return;
  static_cast<void>(engine());
  if (endpoints_.all_local()) static_cast<void>(executor());
  prepared_.store(true, std::memory_order_release);
}

void remote_server::start(transfer& t) noexcept {
  try {
    if (!endpoints_.all_local() || (mapped_.was_requested(t.at, !t.reads) && !mapped_.has(t.at, !t.reads)))
      return engine().submit(t);
    {
      std::lock_guard const lock(queue_mutex_);
      queue_.push_back(&t);
      if (std::exchange(processing_, true)) return;
    }
    try {
      executor().run([this] { process_queue(); });
    } catch (...) {
      std::lock_guard const lock(queue_mutex_);
      processing_ = false;
      std::erase(queue_, &t);
      throw;
    }
  } catch (...) {
    t.failure = std::current_exception();
    t.ended(t);
  }
}

bool remote_server::move_mapped(bool reads, address at, std::byte* memory, std::size_t bytes) {
  return endpoints_.all_local() && leases_are_valid() &&
         mapped_.move(reads, at, memory, bytes) == mapped_regions::outcome::moved;
}

}  // namespace tess::rmem
