// client: connections that are taken for one call each, leases, and the names it remembers.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <utility>

#include "rmem/aside.hpp"
#include "rmem/connection.hpp"
#include "rmem/leases.hpp"
#include "rmem/portal.hpp"
#include "rmem/servers.hpp"
#include "rmem/token.hpp"
#include "tess/rmem.hpp"

namespace tess::rmem {

namespace {

using wire::operation;
using clock = std::chrono::steady_clock;

std::span<std::byte const> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string token_text(std::span<std::byte const> bytes) {
  auto const t = memd::token::from(bytes);
  if (!t) throw lost("the memory server gave a token of the wrong size");
  return t->text();
}

std::uint32_t bits(rights r) {
  return static_cast<std::uint32_t>(r);
}

}  // namespace

struct client::inside {
  explicit inside(std::string const& where) : reached(where) {}

  servers reached;
  std::vector<memd::token> tokens;
  std::mutex mutex;  // of what follows
  std::vector<std::unique_ptr<connection>> idle;
  struct remembered {
    region what;
    clock::time_point until;
  };
  std::map<std::string, remembered, std::less<>> names;
  leases lent;

  std::unique_ptr<connection> take() {
    {
      std::lock_guard const lock(mutex);
      if (!idle.empty()) {
        auto c = std::move(idle.back());
        idle.pop_back();
        return c;
      }
    }
    auto c = reached.find();
    std::lock_guard const lock(mutex);
    for (auto const& t : tokens) {
      auto const shown = t.bytes();
      c->call({.what = operation::present}, shown);
    }
    return c;
  }
  void give_back(std::unique_ptr<connection> c) {
    std::lock_guard const lock(mutex);
    if (!c->broken()) return idle.push_back(std::move(c));
    // The others lead to the same dead server.
    idle.clear();
    names.clear();
  }
  /// With a connection that nobody else uses meanwhile. What may be done `again` is, on the server that comes back.
  template <class F>
  auto with(F&& f, bool again) {
    auto const deadline = clock::now() + failure_timeout();
    for (;;) {
      try {
        return once(f);
      } catch (lost const&) {
        if (!again || !reached.come_back() || clock::now() > deadline) throw;
      }
    }
  }
  template <class F>
  auto once(F&& f) {
    struct taken {
      inside& of;
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
  connection::answer call(wire::message const& m, std::span<std::byte const> payload = {}) {
    return with([&](connection& c) { return c.call(m, payload); }, may_be_repeated(m.what));
  }

  /// Of the others it is not known, after a loss, whether they were done.
  static bool may_be_repeated(operation what) {
    return what == operation::open || what == operation::list || what == operation::state || what == operation::revoke;
  }

  void remember(std::string_view name, region const& what, std::uint64_t ms) {
    std::lock_guard const lock(mutex);
    names.insert_or_assign(std::string(name), remembered{what, clock::now() + std::chrono::milliseconds(ms)});
  }
  /// They may lead elsewhere now.
  void forget_names() {
    std::lock_guard const lock(mutex);
    names.clear();
  }
  /// Asks for a lease of the region at `a`, once for each way.
  void ask_to_lend(address a, bool writes) {
    if (!reached.are_local()) return;
    std::lock_guard const lock(lending);
    if (lent.knows(a, writes)) return;
    try {
      if (!lender) lender = take();
      auto got = lender->call(
          {.what = operation::lease, .address = a, .rights = bits(writes ? rights::read_write : rights::read)});
      region const what{got.head.address, got.head.size, rights::none};
      if (got.files.size() == 2)
        lent.add(what, writes, std::move(got.files[0]), std::move(got.files[1]));
      else
        lent.refuse(what, writes);
    } catch (refused const&) {
      // The transfer itself will be refused, too, and say better what is wrong.
    } catch (lost const&) {
      end_leases();
      if (!reached.come_back()) throw;
    }
  }
  void end_leases() {
    lender.reset();
    lent.drop_all();
  }
  /// Mapped bytes outlive their server. They must not be believed long after.
  void look_for_lender() {
    auto const now = clock::now().time_since_epoch().count();
    if (now - looked.load(std::memory_order_relaxed) < look_every) return;
    looked.store(now, std::memory_order_relaxed);
    std::lock_guard const lock(lending);
    if (!lender || lender->alive()) return;
    end_leases();
    if (reached.come_back()) return;
    throw lost("the memory server at " + reached.text() + " is lost: it ended the connection");
  }
  /// The same, without waiting for others that look, or speak with it; false: not sure.
  bool mappings_count() {
    auto const now = clock::now().time_since_epoch().count();
    if (now - looked.load(std::memory_order_relaxed) < look_every) return true;
    std::unique_lock const lock(lending, std::try_to_lock);
    if (!lock.owns_lock()) return false;
    looked.store(now, std::memory_order_relaxed);
    if (!lender || lender->alive()) return true;
    end_leases();
    return false;
  }
  void move(bool reads, address a, std::byte* memory, std::size_t bytes) {
    if (bytes == 0) return;
    look_for_lender();
    // More than twice: a lease may end because somebody else's right was revoked.
    for (int attempt = 0; attempt < 3; ++attempt) {
      if (lent.move(reads, a, memory, bytes) == leases::outcome::moved) return;
      if (lent.knows(a, !reads)) break;
      ask_to_lend(a, !reads);
    }
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
  void carry(transfer& t) {
    try {
      look_for_lender();
      for (int attempt = 0; attempt < 3; ++attempt) {
        if (lent.move(t.reads, t.at, t.memory, t.bytes) == leases::outcome::moved) return t.ended(t);
        if (lent.knows(t.at, !t.reads)) break;
        ask_to_lend(t.at, !t.reads);
      }
      socket_portal().submit(t);
    } catch (...) {
      t.failure = std::current_exception();
      t.ended(t);
    }
  }
  portal& socket_portal() {
    std::lock_guard const lock(starting);
    if (!opened)
      opened = std::make_unique<portal>([this] { return take(); }, [this] { forget_names(); },
                                        [this] { return reached.come_back(); }, failure_timeout());
    return *opened;
  }
  aside& thread_beside() {
    std::lock_guard const lock(starting);
    if (!beside) beside = std::make_unique<aside>();
    return *beside;
  }

  std::mutex lending;  // of the next
  std::unique_ptr<connection> lender;
  std::atomic<clock::rep> looked{0};
  static constexpr clock::rep look_every =
      std::chrono::duration_cast<clock::duration>(std::chrono::milliseconds(10)).count();

  std::atomic<bool> prepared{false};
  std::mutex starting;  // of the threads; they end first, `beside` before the portal that it gives transfers to
  std::unique_ptr<portal> opened;
  std::unique_ptr<aside> beside;
};

client::client(std::string const& where, std::vector<std::string> tokens) : in_(std::make_unique<inside>(where)) {
  for (auto const& t : tokens) present(t);
  in_->with([](connection const&) {}, true);
}

client::~client() = default;

std::optional<region> client::remembered(std::string_view name, rights wanted) {
  std::lock_guard const lock(in_->mutex);
  auto const found = in_->names.find(name);
  if (found == in_->names.end() || clock::now() >= found->second.until ||
      (bits(wanted) & ~bits(found->second.what.held)) != 0)
    return std::nullopt;
  return found->second.what;
}

region client::open(std::string_view name, rights wanted) {
  if (auto const known = remembered(name, wanted)) return *known;
  auto const a = in_->call({.what = operation::open, .rights = bits(wanted)}, bytes_of(name));
  region const found{a.head.address, a.head.size, static_cast<rights>(a.head.rights)};
  in_->remember(name, found, a.head.argument);
  return found;
}

region client::create(std::string_view name, std::uint64_t size, rights for_users, std::string* owner_token) {
  auto const a = in_->call({.what = operation::create, .size = size, .rights = bits(for_users)}, bytes_of(name));
  if (!a.payload.empty()) {
    std::string const shown = token_text(a.payload);
    if (owner_token != nullptr) *owner_token = shown;
    present(shown);
  }
  return {a.head.address, a.head.size, static_cast<rights>(a.head.rights)};
}

void client::remove(address of) {
  in_->call({.what = operation::remove, .address = of});
  in_->forget_names();
}

void client::memread(void* to, address from, std::size_t bytes) {
  in_->move(true, from, static_cast<std::byte*>(to), bytes);
}

void client::memwrite(address to, void const* from, std::size_t bytes) {
  // move() only reads it then.
  in_->move(false, to, const_cast<std::byte*>(static_cast<std::byte const*>(from)), bytes);
}

void client::prepare() {
  if (in_->prepared.load(std::memory_order_acquire)) return;
  static_cast<void>(in_->socket_portal());
  if (in_->reached.are_local()) static_cast<void>(in_->thread_beside());
  in_->prepared.store(true, std::memory_order_release);
}

void client::start(transfer& t) noexcept {
  if (t.bytes == 0) return t.ended(t);
  if (in_->reached.are_local() && (!in_->lent.knows(t.at, !t.reads) || in_->lent.has(t.at, !t.reads)))
    return in_->thread_beside().run([this, &t] { in_->carry(t); });
  in_->socket_portal().submit(t);
}

bool client::move_mapped(bool reads, address at, std::byte* memory, std::size_t bytes) {
  return in_->reached.are_local() && in_->mappings_count() &&
         in_->lent.move(reads, at, memory, bytes) == leases::outcome::moved;
}

void client::run_aside(std::function<void()> f) {
  in_->thread_beside().run(std::move(f));
}

void client::link(address of, std::string_view name, std::uint64_t for_ms) {
  in_->call({.what = operation::link, .address = of, .argument = for_ms}, bytes_of(name));
}

void client::unlink(std::string_view name) {
  in_->call({.what = operation::unlink}, bytes_of(name));
  in_->forget_names();
}

namespace {
wire::message about(operation what, address of, wire::whom whom, rights r, std::uint64_t number) {
  return {.what = what,
          .address = of,
          .argument = static_cast<std::uint64_t>(whom),
          .rights = bits(r),
          .argument2 = number};
}
}  // namespace

void client::grant_user(address of, rights given, std::uint32_t user) {
  in_->call(about(operation::grant, of, wire::whom::user, given, user));
}
void client::grant_any_user(address of, rights given) {
  in_->call(about(operation::grant, of, wire::whom::any_user, given, 0));
}
std::string client::grant_token(address of, rights given) {
  return token_text(in_->call(about(operation::grant, of, wire::whom::token, given, 0)).payload);
}
void client::revoke_user(address of, std::uint32_t user) {
  in_->call(about(operation::revoke, of, wire::whom::user, rights::none, user));
}
void client::revoke_any_user(address of) {
  in_->call(about(operation::revoke, of, wire::whom::any_user, rights::none, 0));
}
void client::revoke_token(address of, std::string_view text) {
  // Its name is enough: the second half may be unknown.
  std::string whole(text);
  if (whole.size() == memd::token::size_bytes) whole.append(memd::token::size_bytes, '0');
  auto const t = memd::token::parse(whole);
  if (!t) throw refused(reason::bad_token, "a token has 64 hexadecimal digits, its name the first 32 of them");
  auto m = about(operation::revoke, of, wire::whom::token, rights::none, t->id.high);
  m.size = t->id.low;
  in_->call(m);
}

void client::present(std::string_view text) {
  auto const t = memd::token::parse(text);
  if (!t) throw refused(reason::bad_token, "a token has 64 hexadecimal digits");
  std::lock_guard const lock(in_->mutex);
  in_->tokens.push_back(*t);
  // Those that come show it first.
  in_->idle.clear();
  std::lock_guard const threads(in_->starting);
  if (in_->opened) in_->opened->reconnect();
}

std::vector<client::listed> client::list() {
  std::vector<listed> all;
  for (std::uint64_t from = 1; from != 0;) {
    auto const a = in_->call({.what = operation::list, .address = from});
    from = a.head.address;
    for (wire::reader r(a.payload); !r.empty();) {
      auto const base = r.number<std::uint64_t>();
      auto const size = r.number<std::uint64_t>();
      auto const held = r.number<std::uint32_t>();
      auto const grants = r.number<std::uint32_t>();
      auto const leased = r.number<std::uint8_t>();
      auto const name_size = r.number<std::uint8_t>();
      auto const owner_size = r.number<std::uint8_t>();
      auto name = r.text(name_size.value_or(0));
      auto owner = r.text(owner_size.value_or(0));
      if (!owner_size || !name || !owner) throw lost("the memory server's list is cut short");
      all.push_back(
          {std::move(*name), {*base, *size, static_cast<rights>(*held)}, std::move(*owner), *grants, *leased != 0});
    }
  }
  return all;
}

client::figures client::state() {
  auto const a = in_->call({.what = operation::state});
  wire::reader r(a.payload);
  figures f;
  for (auto* const to : {&f.size, &f.free, &f.regions, &f.connections, &f.reads, &f.writes, &f.read_bytes,
                         &f.written_bytes, &f.refused, &f.leases})
    *to = r.number<std::uint64_t>().value_or(0);
  return f;
}

}  // namespace tess::rmem
