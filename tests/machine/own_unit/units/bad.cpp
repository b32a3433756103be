// bad: a unit that does what no unit should, for tests: its parameter says what.
#include <cstdlib>
#include <stdexcept>
#include <tess/machine/unit.hpp>

namespace {

int deep(int volatile* at) {
  int volatile here[1000] = {*at};
  return *at < 0 ? 0 : deep(here) + here[1];
}

class bad final : public tess::unit::device {
 public:
  static constexpr auto parameters = std::to_array<tess::unit::parameter>({
      {.name = "what", .unit = "", .meaning = "it does wrong", .usual = 0, .most = 99},
  });

  explicit bad(tess::unit::tile& here) : here_(here), what_(here.value("what")) {
    if (what_ == 1) throw std::runtime_error("no value will do");
    if (what_ == 2) *static_cast<int volatile*>(nothing_) = 1;
  }

  std::optional<std::uint64_t> load(std::uint64_t, tess::unit::requester) override {
    if (what_ == 3) throw std::logic_error("a load is more than it can do");
    if (what_ == 4) throw 17;
    return 5;
  }
  bool store(std::uint64_t, std::uint64_t, tess::unit::requester) override {
    int volatile zero = 0;
    if (what_ == 5) *static_cast<int volatile*>(nothing_) = 1;
    if (what_ == 6) std::abort();
    if (what_ == 7) return deep(&zero) != 0;
    while (what_ == 8) zero = 1;
    here_.start(run());
    return true;
  }

 private:
  tess::unit::process run() {
    co_await here_.clock.delay(100);
    while (what_ == 9) co_await here_.clock.delay(0);
    if (what_ == 10) throw std::out_of_range("a process that went too far");
    if (what_ == 11) (void)co_await here_.memory.read(~std::uint64_t{0}, {});
    if (what_ == 12) here_.interrupt(1);
    if (what_ == 13) (void)here_.value("absent");
    if (what_ == 14) (void)co_await sub();
  }
  tess::unit::task<int> sub() {
    co_await here_.clock.delay(1);
    throw std::runtime_error("a task below it");
  }

  tess::unit::tile& here_;
  std::uint64_t what_;
  void* volatile nothing_ = nullptr;
};

}  // namespace

TESS_UNIT(bad, "does what no unit should");
