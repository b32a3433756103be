// smp: the fabric whose places are threads of one process; every place can access every segment directly.
//
//   Words are inlined and do not come here; blocks are copied by memcpy; a message is a line of the receiver's mailbox.
#include <algorithm>
#include <cstring>

#include "fabric/choice.hpp"
#include "fabric/fabric.hpp"
#include "fabric/mailbox.hpp"
#include "fabric/overflow.hpp"
#include "fabric/segment.hpp"
#include "fabric/sleepers.hpp"
#include "tess/machine/registers.hpp"

namespace tess::detail {

namespace {

/// A simulated machine counts the measured part on one tile, too, with time and without.
class marking_capabilities final : public fabric_capabilities {
 public:
  void mark_measured(bool begins) noexcept override {
    if (!on_machine()) return;
    constexpr std::uint64_t at =
        machine::registers::own_devices +
        static_cast<std::uint64_t>(machine::registers::unit::information) * machine::registers::unit_bytes +
        machine::registers::information::measured;
    *reinterpret_cast<std::uint64_t volatile*>(at) = begins ? 1 : 0;  // NOLINT
  }
};

class smp_fabric final : public fabric {
 public:
  explicit smp_fabric(thread_map const& threads) : threads_(threads), sleepers_(threads.threads) {
    places_of_thread_.resize(threads.threads);
    mailboxes_.resize(threads.places);
    for (unsigned p = 0; p < threads.places; ++p) {
      places_.push_back(std::make_unique<place>(threads, static_cast<place_id>(p), mailboxes_));
      for (std::uint32_t const t : threads.threads_of_place[p]) places_of_thread_[t].push_back(places_.back().get());
    }
  }

  void word(place_id, word_request const& request, std::uint64_t (&result)[2], completion& done) override {
    apply_request(at(request.address), request, result);
    done.acknowledge(1);
  }

  void put(place_id, std::span<std::byte const> source, std::uint64_t target, completion* local,
           std::uint64_t notified) override {
    if (!source.empty()) std::memcpy(at(target), source.data(), source.size());
    if (local != nullptr) local->acknowledge(1);
    if (notified != 0) reinterpret_cast<completion*>(at(notified))->acknowledge(1);
  }

  void get(place_id, std::uint64_t source, std::span<std::byte> target, completion* local) override {
    if (!target.empty()) std::memcpy(target.data(), at(source), target.size());
    if (local != nullptr) local->acknowledge(1);
  }

  void copy(place_id, std::uint64_t source, std::uint64_t target, std::size_t bytes, completion* local) override {
    std::memmove(at(target), at(source), bytes);
    if (local != nullptr) local->acknowledge(1);
  }

  bool try_send(place_id from, place_id target, message_class cls, std::span<std::byte const> bytes) override {
    if (!places_[from]->messages.send(target, bytes)) {
      if (cls == message_class::request && bytes.size() <= mailbox_memory::chunk_bytes) return false;
      places_[target]->late.push(from, bytes);
    }
    for (std::uint32_t const t : threads_.threads_of_place[target])
      if (sleepers_.wake(t)) break;
    return true;
  }

  std::byte* lend(place_id from, place_id) noexcept override { return places_[from]->messages.lend(); }
  void give_back(place_id from, std::byte* lent) noexcept override { places_[from]->messages.give_back(lent); }

  unsigned poll(place_id at_place, unsigned budget, message_sink& sink) override {
    place& p = *places_[at_place];
    unsigned delivered = 0;
    // Replies first: there are few, and a task waits for each.
    for (overflow::message m; delivered < budget && p.late.pop(m); ++delivered)
      sink.deliver(at_place, m.source, m.bytes);
    for (mailbox::received m; delivered < budget && p.messages.pop(m); ++delivered) {
      p.messages.prepare_answer(m);
      sink.deliver(at_place, m.source, m.view());
      p.messages.done(m);
    }
    return delivered;
  }

  void sleep(std::uint32_t thread, deadline until, idle_question nothing_to_do) override {
    sleepers_.sleep(thread, until, [&] { return inboxes_empty(thread) && nothing_to_do(); });
  }
  void wake(std::uint32_t thread) noexcept override { static_cast<void>(sleepers_.wake(thread)); }

  place_window window(place_id p) const noexcept override {
    return {places_[p]->memory.base(), places_[p]->memory.base()};
  }
  place_segment segment(place_id p) const noexcept override {
    return {places_[p]->memory.base(), places_[p]->memory.bytes()};
  }
  bool extend_segment(place_id p, std::uint64_t offset, std::uint64_t bytes) override {
    return places_[p]->memory.commit(offset, bytes);
  }
  memory_room room(place_id p) const override { return places_[p]->memory.room(); }

  bool coherent() const noexcept override { return true; }
  void publish(place_id, std::uint64_t, std::uint64_t) override {}
  void refresh(place_id, std::uint64_t, std::uint64_t) override {}
  std::vector<place_failure> failures() override { return {}; }
  fabric_capabilities& capabilities() noexcept override { return capabilities_; }

 private:
  struct place {
    place(thread_map const& threads, place_id id, mailbox::directory& all)
        : memory(threads.places, false, sizeof(mailbox_memory)),
          messages(all, id, *reinterpret_cast<mailbox_memory*>(memory.behind()), threads.message_memory, nullptr,
                   threads.threads_of_place[id].size() == 1) {}
    detail::segment memory;
    mailbox messages;
    overflow late;
  };

  std::byte* at(std::uint64_t address) const noexcept {
    return places_[place_of(address)]->memory.base() + offset_of(address);
  }

  bool inboxes_empty(std::uint32_t thread) const noexcept {
    return std::ranges::all_of(places_of_thread_[thread],
                               [](place const* p) { return p->messages.empty() && p->late.empty(); });
  }

  thread_map threads_;
  sleepers sleepers_;
  mailbox::directory mailboxes_;
  std::vector<std::unique_ptr<place>> places_;
  std::vector<std::vector<place*>> places_of_thread_;
  marking_capabilities capabilities_;
};

}  // namespace

std::unique_ptr<fabric> make_smp_fabric(thread_map const& threads) {
  return std::make_unique<smp_fabric>(threads);
}

}  // namespace tess::detail
