// tile: the fabric: windows for words, packets for everything else, sleep on one word of the tile.
#include "fabric/tile/tile.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "fabric/tile/addresses.hpp"
#include "fabric/tile/graphs.hpp"
#include "fabric/tile/inbox.hpp"
#include "fabric/tile/interface.hpp"
#include "fabric/tile/lines.hpp"
#include "fabric/tile/long_messages.hpp"
#include "fabric/tile/segment.hpp"
#include "fabric/tile/sleepers.hpp"
#include "fabric/tile/system.hpp"
#include "fabric/tile/transfers.hpp"
#include "fabric/tile/words.hpp"

namespace tess::detail {

namespace {

using kind = tile_packet_kind;

/// Blocks of up to this size are moved word by word, in the time that a packet and a DMA take.
constexpr std::size_t words_bytes_max = 64;
/// Packets that may wait here before requests are refused.
constexpr std::size_t waiting_max = 32;
constexpr unsigned packets_per_poll = 16;
constexpr std::uint64_t requester_shift = 40;

class tile_fabric final : public fabric, private fabric_capabilities {
 public:
  tile_fabric(thread_map const& threads, tile_options const& options, std::unique_ptr<wireup> wires)
      : wires_(std::move(wires)),
        own_(wires_->place()),
        by_kernel_(options.by_kernel && serve(places_)),
        segment_(reinterpret_cast<std::byte*>(places_.of(own_).partition), places_.segment_bytes()),
        sleepers_(threads.threads),
        words_(places_, post_, options.words),
        interface_(places_, options.interfaces),
        long_messages_(threads.message_memory, places_, post_, transfers_) {
    if (address_of(&tile_memory::own()) + sizeof(tile_memory) > places_.tlm_bytes())
      throw error("--fabric tile", "the program's image is larger than the tile-local memory",
                  "a smaller program, or a machine with more of it");
    // All lines are configured before another tile stores to them, and all kernels know their programs before messages
    // come.
    if (interface_.present() || by_kernel_) wires_->meet(std::chrono::seconds(10));
  }

  ~tile_fabric() override {
    // Messages leave, and their receivers may still have to fetch them.
    while (post_.waiting() != 0) post_.go_on();
    wires_->meet(std::chrono::seconds(10));
    sleepers_.end();
  }

  void word(place_id, word_request const& request, std::uint64_t (&result)[2], completion& done) override {
    words_.begin(request, result, done);
  }

  void put(place_id, std::span<std::byte const> source, std::uint64_t target, completion* local,
           std::uint64_t notified) override {
    place_id const to = place_of(source.empty() && notified != 0 ? notified : target);
    if (to != own_ && source.size() > words_bytes()) {
      if (interface_.present())
        return interface_.begin(
            {own_, to, address_of(source.data()), in_segment(to, target), source.size(), local, notified});
      tile_packet const packet(kind::put, source.size() | std::uint64_t{own_} << requester_shift,
                               address_of(source.data()), offset_of(target), notified, address_of(local));
      write_back(address_of(source.data()), source.size(), to, packet);
      move_on();
      return;
    }
    if (to == own_ && !source.empty()) std::memcpy(reach(target), source.data(), source.size());
    if (to != own_) store_words(reach(target), source.data(), source.size());
    if (local != nullptr) local->acknowledge(1);
    if (notified == 0) return;
    if (to == own_) return own_completion(notified).acknowledge(1);
    notify_far(to, notified);
  }

  void get(place_id, std::uint64_t source, std::span<std::byte> target, completion* local) override {
    place_id const from = place_of(source);
    if (from != own_ && target.size() > words_bytes()) {
      if (interface_.present())
        return interface_.begin(
            {from, own_, in_segment(from, source), address_of(target.data()), target.size(), local});
      return request_bytes(from, offset_of(source), target.data(), target.size(), local);
    }
    if (from == own_ && !target.empty()) std::memcpy(target.data(), reach(source), target.size());
    if (from != own_) load_words(target.data(), reach(source), target.size());
    if (local != nullptr) local->acknowledge(1);
  }

  void copy(place_id, std::uint64_t source, std::uint64_t target, std::size_t bytes, completion* local) override {
    place_id const from = place_of(source);
    place_id const to = place_of(target);
    if (from == own_) return put(own_, {reach(source), bytes}, target, local, 0);
    if (to == own_ || bytes == 0) return get(own_, source, {reach(target), bytes}, local);
    if (interface_.present())
      return interface_.begin({from, to, in_segment(from, source), in_segment(to, target), bytes, local});
    post_.send(from, tile_packet(kind::copy, bytes, offset_of(source), target, 0, address_of(local)));
  }

  bool try_send(place_id, place_id target, message_class cls, std::span<std::byte const> bytes) override {
    bool const may_wait = cls == message_class::request;
    if (may_wait && (post_.waiting() >= waiting_max || inbox_.own() >= waiting_max)) return false;
    if (target == own_) {
      inbox_.push_own(own_, bytes);
      tile_sleepers::call_watcher();
      return true;
    }
    if (bytes.size() <= tile_packet::small_bytes) {
      post_.send(target, tile_packet(bytes));
      return true;
    }
    if (long_messages_.send_chunk(target, bytes)) return true;
    if (may_wait && !long_messages_.may_send_large(bytes)) return false;
    long_messages_.send_large(target, bytes);
    move_on();
    return true;
  }

  unsigned poll(place_id, unsigned budget, message_sink& sink) override {
    unsigned delivered = inbox_.deliver(own_, budget, sink);
    // Packets first: a call's memory is requested, and then its data is fetched below.
    bool moved = false;
    for (unsigned taken = 0; delivered < budget && taken < packets_per_poll; ++taken) {
      auto const r = post_.take();
      if (taken == 0) sleepers_.call_next();
      if (!r) break;
      moved = true;
      if (r->packet.kind() == kind::small) {
        sink.deliver(own_, r->source, r->packet.message());
        ++delivered;
      } else if (by_kernel_ && r->packet.kind() == kind::graph_ready) {
        calls_.deliver(object_at<tile_memory::arrival>(r->packet.bytes()), sink);
        ++delivered;
      } else if (tile_calls::incoming* const call = take(*r)) {
        calls_.deliver(call, sink);
        ++delivered;
      }
    }
    moved |= move_on().moved;
    delivered += calls_.deliver_arrived(budget - delivered, sink);
    return delivered == 0 && moved ? 1 : delivered;
  }

  void sleep(std::uint32_t thread, deadline until, idle_question nothing_to_do) override {
    sleepers_.sleep(thread, until, [&](bool watches) {
      while (tile_post::queue_empty() && post_.waiting() == 0 && inbox_.empty() && calls_.none_arrived() &&
             interface_.nothing_ended() && lines_.nothing_answered() && nothing_to_do()) {
        if (watches && sleepers_.is_stalled()) return false;
        // The watcher progresses what is under way; the others may sleep.
        if (!watches || (transfers_.idle() && graphs_.idle() && calls_.idle())) return true;
        // Its end may have made a task of this thread runnable, which no other thread would resume.
        if (move_on().ended) return false;
      }
      return false;
    });
  }
  void wake(std::uint32_t thread) noexcept override { sleepers_.wake(thread); }
  bool wakes_surely() const noexcept override { return true; }
  bool stalled() noexcept override { return sleepers_.take_stalled(); }

  place_window window(place_id p) const noexcept override { return {words_.window(p), words_.window(p)}; }
  place_segment segment(place_id p) const noexcept override {
    if (p == own_) return {segment_.base(), segment_.bytes()};
    return {places_.word(p, places_.of(p).partition), segment_.bytes()};
  }
  bool extend_segment(place_id, std::uint64_t offset, std::uint64_t bytes) override {
    return segment_.commit(offset, bytes);
  }
  memory_room room(place_id) const override { return segment_.room(); }

  bool coherent() const noexcept override { return true; }
  void publish(place_id, std::uint64_t, std::uint64_t) override {}
  void refresh(place_id, std::uint64_t, std::uint64_t) override {}
  graph_units* graphs() noexcept override {
    return tile_registers::has_unit(machine::registers::unit::nma) ? &graphs_ : nullptr;
  }
  event_units* event_lines() noexcept override { return interface_.present() ? &lines_ : nullptr; }
  std::uint64_t now_ns() const noexcept override { return sleepers_.cycles_ns(); }
  void mark_measured(bool begins) noexcept override {
    tile_registers::store(
        tile_registers::unit(machine::registers::unit::information) + tile_registers::information::measured,
        begins ? 1 : 0);
  }
  std::vector<place_failure> failures() override { return {}; }
  fabric_capabilities& capabilities() noexcept override { return *this; }

 private:
  /// A get, or a copy to this place, until its bytes have arrived.
  struct pending_get {
    std::uint64_t address;
    std::byte* target;
    std::uint64_t bytes;
    completion* local;
  };

  [[nodiscard]] static bool serve(tile_places const& places) {
    tile_system::serve(places);
    return true;
  }
  std::size_t words_bytes() const noexcept { return words_.by_messages() ? 0 : words_bytes_max; }
  /// The address that its owner uses.
  std::uint64_t in_segment(place_id of, std::uint64_t address) const noexcept {
    return places_.of(of).partition + offset_of(address);
  }
  std::byte* reach(std::uint64_t address) const noexcept {
    return segment(place_of(address)).base + offset_of(address);
  }
  completion& own_completion(std::uint64_t address) const noexcept {
    return *reinterpret_cast<completion*>(segment_.base() + offset_of(address));  // NOLINT: where its owner made it
  }

  /// With network interfaces a place gets a packet only when its counter has become zero and a task waits for it.
  void notify_far(place_id to, std::uint64_t notified) {
    if (!interface_.present()) return post_.send(to, tile_packet(kind::notify, 0, notified));
    asm volatile("fence rw, rw" ::: "memory");
    auto const value = std::atomic_ref(*reinterpret_cast<std::int64_t*>(reach(notified) + completion::value_offset));
    if (completion::notifies(value.fetch_sub(1))) post_.send(to, tile_packet(kind::notify_zero, 0, notified));
  }

  void request_bytes(place_id from, std::uint64_t offset, std::byte* target, std::uint64_t bytes, completion* local) {
    auto* const asked = new pending_get{places_.of(from).partition + offset, target, bytes, local};
    post_.send(from, tile_packet(kind::publish, bytes, offset, address_of(asked)));
  }

  /// Calls the watcher: a hart must progress it even if all that are awake go to sleep.
  void fetch(tile_fetch const& wanted) {
    transfers_.fetch(wanted);
    tile_sleepers::call_watcher();
  }
  void write_back(std::uint64_t address, std::uint64_t bytes, place_id to, tile_packet const& then) {
    transfers_.write_back(address, bytes, to, then);
    tile_sleepers::call_watcher();
  }

  struct progress {
    bool moved = false;
    bool ended = false;  ///< A fetch, a push, or a command to an accelerator.
  };
  /// Progresses packets, ranges and fetches that are under way.
  progress move_on() {
    progress made;
    post_.go_on();
    made.ended = graphs_.step();
    made.moved |= calls_.step();
    while (auto const ended = transfers_.step(made.moved, made.ended)) {
      end(*ended);
      made.ended = true;
    }
    while (auto const ended = interface_.take_ended()) {
      if (ended->callback != nullptr) ended->callback(ended->context, 0);
      if (ended->local != nullptr) ended->local->acknowledge(1);
      if (ended->notified != 0) notify_far(ended->to, ended->notified);
      made.moved = made.ended = true;
    }
    if (lines_.step()) made.moved = made.ended = true;
    return made;
  }

  /// Returns a call that is now complete, to be delivered.
  tile_calls::incoming* take(tile_post::received const& r) {
    auto const& [kind_and_bytes, a, b, c, d] = r.packet.words;
    std::uint64_t const bytes = r.packet.bytes();
    switch (r.packet.kind()) {
      case kind::small:
        break;
      case kind::chunk:
        fetch({.what = kind::chunk, .source = r.source, .address = a, .bytes = bytes, .a = b});
        break;
      case kind::large: {
        auto* const into = new std::vector<std::byte>(bytes);
        fetch({.what = kind::large,
               .source = r.source,
               .address = a,
               .target = into->data(),
               .bytes = bytes,
               .a = b,
               .b = address_of(into)});
        break;
      }
      case kind::fetched:
        long_messages_.fetched(a);
        break;
      case kind::put: {
        std::uint64_t const size = bytes & ((std::uint64_t{1} << requester_shift) - 1);
        fetch({.what = kind::put,
               .source = r.source,
               .address = a,
               .target = segment_.base() + b,
               .bytes = size,
               .a = c,
               .b = d,
               .requester = static_cast<place_id>(bytes >> requester_shift)});
        break;
      }
      case kind::done:
        object_at<completion>(a)->acknowledge(1);
        break;
      case kind::notify:
        own_completion(a).acknowledge(1);
        break;
      case kind::notify_zero:
        own_completion(a).notify();
        break;
      case kind::publish:
        write_back(address_of(segment_.base()) + a, bytes, r.source, tile_packet(kind::ready, 0, b));
        break;
      case kind::ready: {
        auto const* const asked = object_at<pending_get>(a);
        fetch({.what = kind::ready,
               .source = r.source,
               .address = asked->address,
               .target = asked->target,
               .bytes = asked->bytes,
               .a = a});
        break;
      }
      case kind::graph_call:
      case kind::graph_stage:
      case kind::graph_ready:
        return calls_.take(r);
      case kind::word:
      case kind::word_done:
        words_.take(r);
        break;
      case kind::copy:
        pass_on(r.source, {segment_.base() + a, bytes}, b, d);
        break;
    }
    return nullptr;
  }

  /// The second part of a copy between other places: from here to the target's place.
  void pass_on(place_id requester, std::span<std::byte const> source, std::uint64_t target, std::uint64_t local) {
    if (place_of(target) == own_) {
      std::memmove(reach(target), source.data(), source.size());
      if (local != 0) post_.send(requester, tile_packet(kind::done, 0, local));
      return;
    }
    write_back(address_of(source.data()), source.size(), place_of(target),
               tile_packet(kind::put, source.size() | std::uint64_t{requester} << requester_shift,
                           address_of(source.data()), offset_of(target), 0, local));
  }

  void end(tile_fetch const& f) {
    switch (f.what) {
      case kind::chunk:
        long_messages_.release(f.source, f.a);
        inbox_.push_received(f);
        break;
      case kind::large:
        post_.send(f.source, tile_packet(kind::fetched, 0, f.a));
        inbox_.push_owned(f.source, std::unique_ptr<std::vector<std::byte>>(object_at<std::vector<std::byte>>(f.b)));
        break;
      case kind::graph_call:
        calls_.fetched(f);
        break;
      case kind::put:
        if (f.a != 0) own_completion(f.a).acknowledge(1);
        if (f.b != 0) end_of_put(f);
        break;
      case kind::ready: {
        std::unique_ptr<pending_get> const asked(object_at<pending_get>(f.a));
        if (asked->local != nullptr) asked->local->acknowledge(1);
        break;
      }
      default:
        break;
    }
  }

  void end_of_put(tile_fetch const& f) {
    if (f.requester == own_) return object_at<completion>(f.b)->acknowledge(1);
    post_.send(f.requester, tile_packet(kind::done, 0, f.b));
  }

  std::unique_ptr<wireup> wires_;
  tile_places places_;
  place_id own_;
  bool by_kernel_;  ///< The system kernel takes the messages.
  tile_segment segment_;
  tile_sleepers sleepers_;
  tile_post post_{places_};
  tile_transfers transfers_{places_, post_};
  tile_words words_;
  tile_interface interface_;
  tile_lines lines_{places_, interface_};
  tile_long_messages long_messages_;
  tile_inbox inbox_;
  tile_calls calls_{places_, post_, transfers_};
  tile_graphs graphs_{places_, post_, transfers_, calls_};
};

}  // namespace

std::unique_ptr<fabric> make_tile_fabric(thread_map const& threads, tile_options const& options,
                                         std::unique_ptr<wireup> wires) {
  return std::make_unique<tile_fabric>(threads, options, std::move(wires));
}

}  // namespace tess::detail
