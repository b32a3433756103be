// ports: a unit that makes one request of its interface for each store to its registers, for tests.
//
//   Registers: 0 to 4 are arguments; a store to register 5 makes the request of that number; register 6 counts those
//   that have ended, 7 those of them that were wrong, 8 is the last value. Words of messages are added to register 9.
#include <tess/machine/unit.hpp>

namespace {

class ports final : public tess::unit::device, private tess::unit::miss_listener {
 public:
  static constexpr auto parameters = std::to_array<tess::unit::parameter>({
      {.name = "full", .unit = "messages", .meaning = "that are refused first", .usual = 0, .most = 5},
      {.name = "listens", .unit = "", .meaning = "1: it counts misses", .usual = 0, .most = 1},
  });

  explicit ports(tess::unit::tile& here)
      : here_(here), full_(here.value("full")), misses_(here.statistic("misses", "heard")), queue_(here.machine(), 2) {
    if (here.value("listens") != 0) here.l2.tell_misses(*this);
    here.start(consume());
  }

  std::optional<std::uint64_t> load(std::uint64_t offset, tess::unit::requester by) override {
    if (offset == 80) return by.tile;
    if (offset == 88) return by.hart;
    return offset / 8 < registers_.size() ? std::optional(registers_[offset / 8]) : std::nullopt;
  }
  bool store(std::uint64_t offset, std::uint64_t value, tess::unit::requester) override {
    if (offset / 8 >= registers_.size()) return false;
    registers_[offset / 8] = value;
    if (offset == 40) here_.start(run());
    return true;
  }
  tess::unit::receipt message(std::uint32_t from, std::span<std::uint64_t const> words) override {
    if (words.front() == 77) return tess::unit::receipt::wrong;
    if (full_ != 0) return --full_, tess::unit::receipt::full;
    for (std::uint64_t const word : words) registers_[9] += word + 1000 * from;
    return tess::unit::receipt::taken;
  }

 private:
  void missed(std::uint64_t, bool) override { ++misses_; }

  tess::unit::process run() {
    auto& [a, b, c, d, e, what, ended, wrong, value, sum] = registers_;
    bool done = true;
    switch (what) {
      case 0:
        done = co_await here_.bus.read(a, std::as_writable_bytes(std::span(&value, 1)).first(b));
        break;
      case 1:
        done = co_await here_.bus.write(a, c);
        break;
      case 2:
        value = c;
        done = co_await here_.bus.modify(tess::unit::atomic{static_cast<std::uint8_t>(d)}, a, value, b);
        break;
      case 3:
        value = c;
        done = co_await here_.bus.compare_swap(a, d, value, b);
        break;
      case 4:
        value = here_.l2.prefetch(a) ? 1 : 0;
        break;
      case 5:
        value = here_.l2.has(a) ? 1 : 0;
        break;
      case 6:
        done = co_await here_.memory.read(here_.memory.offset_of(a, 8).value(),
                                          std::as_writable_bytes(std::span(&value, 1)));
        break;
      case 7:
        done = co_await here_.memory.write(here_.memory.offset_of(a, 8).value(), std::as_bytes(std::span(&c, 1)));
        break;
      case 8:
        done = co_await here_.network.put(a, std::as_bytes(std::span(registers_).subspan(2, b)));
        break;
      case 9:
        done = co_await here_.network.send(static_cast<std::uint32_t>(a), std::span(registers_).subspan(2, b));
        break;
      case 10:
        done = co_await here_.acknowledge(a, b);
        break;
      case 11:
        here_.interrupt(a);
        break;
      case 12:
        value = co_await twice(a);
        break;
      case 13:
        for (std::uint64_t i = 0; i < a; ++i) co_await queue_.push(i);
        break;
      default:
        done = co_await here_.clock.delay(what);
    }
    ++ended;
    wrong += done ? 0 : 1;
  }

  tess::unit::task<std::uint64_t> twice(std::uint64_t of) {
    co_await here_.clock.delay(of);
    co_return 2 * of;
  }
  tess::unit::process consume() {
    for (;;) {
      registers_[9] += co_await queue_.pop();
      co_await here_.clock.delay(3);
    }
  }

  tess::unit::tile& here_;
  std::uint64_t full_;
  std::uint64_t& misses_;
  tess::unit::queue<std::uint64_t> queue_;
  std::array<std::uint64_t, 10> registers_{};
};

}  // namespace

TESS_UNIT(ports, "makes every request of the interface");
