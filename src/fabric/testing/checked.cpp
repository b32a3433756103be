// checked: a wrapper that verifies every argument before it calls another fabric.
//
//   Each obligation of the caller in the contract is an assertion: addresses are inside segments and aligned,
//   completions are in memory, messages fit. It wraps `hostile`, and any fabric under test.
#include "fabric/fabric.hpp"
#include "tess/assert.hpp"

namespace tess::detail {

namespace {

constexpr std::size_t message_bytes_max = std::size_t{4} << 20;

class checked_fabric final : public fabric {
 public:
  checked_fabric(std::unique_ptr<fabric> inner, thread_map const& threads)
      : inner_(std::move(inner)), places_(threads.places), threads_(threads.threads) {}

  void word(place_id from, word_request const& r, std::uint64_t (&result)[2], completion& done) override {
    check_place(from);
    TESS_ASSERT(r.bytes >= 1 && r.bytes <= 16);
    TESS_ASSERT(r.alignment >= 1 && (r.alignment & (r.alignment - 1)) == 0);
    TESS_ASSERT(r.address % r.alignment == 0);
    TESS_ASSERT(r.type == word_type::raw || r.bytes == 4 || r.bytes == 8);
    check_range(r.address, r.bytes);
    inner_->word(from, r, result, done);
  }

  void put(place_id from, std::span<std::byte const> source, std::uint64_t target, completion* local,
           std::uint64_t notified) override {
    check_place(from);
    TESS_ASSERT(source.data() != nullptr || source.empty());
    if (!source.empty()) check_range(target, source.size());
    if (notified != 0) {
      check_range(notified, sizeof(completion));
      TESS_ASSERT(place_of(notified) == place_of(target));
    }
    inner_->put(from, source, target, local, notified);
  }

  void get(place_id from, std::uint64_t source, std::span<std::byte> target, completion* local) override {
    check_place(from);
    if (!target.empty()) check_range(source, target.size());
    inner_->get(from, source, target, local);
  }

  void copy(place_id from, std::uint64_t source, std::uint64_t target, std::size_t bytes, completion* local) override {
    check_place(from);
    if (bytes != 0) {
      check_range(source, bytes);
      check_range(target, bytes);
    }
    inner_->copy(from, source, target, bytes, local);
  }

  bool try_send(place_id from, place_id to, message_class cls, std::span<std::byte const> bytes) override {
    check_place(from);
    check_place(to);
    TESS_ASSERT(!bytes.empty() && bytes.size() <= message_bytes_max);
    bool const sent = inner_->try_send(from, to, cls, bytes);
    TESS_ASSERT(sent || cls == message_class::request);
    return sent;
  }

  std::byte* lend(place_id from, place_id to) noexcept override { return inner_->lend(from, to); }
  void give_back(place_id from, std::byte* lent) noexcept override { inner_->give_back(from, lent); }

  unsigned poll(place_id at, unsigned budget, message_sink& sink) override {
    check_place(at);
    unsigned const n = inner_->poll(at, budget, sink);
    TESS_ASSERT(n <= budget);
    return n;
  }

  void sleep(std::uint32_t thread, deadline until, idle_question nothing_to_do) override {
    TESS_ASSERT(thread < threads_);
    inner_->sleep(thread, until, nothing_to_do);
  }
  void wake(std::uint32_t thread) noexcept override {
    TESS_ASSERT(thread < threads_);
    inner_->wake(thread);
  }

  place_window window(place_id p) const noexcept override {
    check_place(p);
    return inner_->window(p);
  }
  place_segment segment(place_id p) const noexcept override {
    check_place(p);
    return inner_->segment(p);
  }
  bool extend_segment(place_id p, std::uint64_t offset, std::uint64_t bytes) override {
    check_place(p);
    return inner_->extend_segment(p, offset, bytes);
  }
  memory_room room(place_id p) const override { return (check_place(p), inner_->room(p)); }

  bool coherent() const noexcept override { return inner_->coherent(); }
  void publish(place_id at, std::uint64_t offset, std::uint64_t bytes) override {
    check_place(at);
    check_range(global_address(at, offset), bytes);
    inner_->publish(at, offset, bytes);
  }
  void refresh(place_id at, std::uint64_t offset, std::uint64_t bytes) override {
    check_place(at);
    check_range(global_address(at, offset), bytes);
    inner_->refresh(at, offset, bytes);
  }

  std::vector<place_failure> failures() override { return inner_->failures(); }
  fabric_capabilities& capabilities() noexcept override { return inner_->capabilities(); }

 private:
  void check_place(place_id p) const noexcept { TESS_ASSERT(p < places_); }

  void check_range(std::uint64_t address, std::size_t bytes) const noexcept {
    place_id const place = place_of(address);
    std::uint64_t const offset = offset_of(address);
    check_place(place);
    TESS_ASSERT(offset != 0);
    std::uint64_t const size = inner_->segment(place).bytes;
    TESS_ASSERT(offset <= size && bytes <= size - offset);
  }

  std::unique_ptr<fabric> inner_;
  unsigned places_;
  std::uint32_t threads_;
};

}  // namespace

std::unique_ptr<fabric> make_checked_fabric(std::unique_ptr<fabric> inner, thread_map const& threads) {
  return std::make_unique<checked_fabric>(std::move(inner), threads);
}

}  // namespace tess::detail
