// lockstep_bench: hardware beside its model, edge by edge, with a world around them that stalls at random: in each
// cycle both offer the same.
//
//   Every 20 000 cycles begin with another world and both units after reset, whose registers began with the bits that
//   the world's seed chooses. A mismatch prints both sides' last 40
//   transactions. A world says itself when something that the model asks for must not be, and what a long run must have
//   reached.
//
// Usage: BENCH LIBRARY CYCLES SEED KEY=VALUE...; exit codes: 0 the same, 1 different, 2 wrong use.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>

namespace tess::machine {

using lockstep_keys = std::map<std::string_view, std::uint32_t*>;

/// Random choices.
class dice {
 public:
  explicit dice(std::uint64_t seed) : choose_(seed) {}
  std::uint64_t word() { return choose_(); }
  std::uint64_t below(std::uint64_t limit) { return choose_() % limit; }
  bool chance(std::uint64_t of) { return below(of) == 0; }
  bool happens(std::uint64_t percent) { return below(100) < percent; }
  /// How often a port moves, in percent: often always, seldom rarely.
  std::uint64_t rate() { return chance(3) ? 100 : chance(3) ? 5 + below(20) : 30 + below(70); }

 private:
  std::mt19937_64 choose_;
};

inline std::optional<std::uint64_t> number_of(std::string_view word) {
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc{} && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

/// `Unit`: the ports; `Model`: the C++ circuit; `World`: what is around it, with text_of(outputs), which says all that
/// must be the same, and statistics that it adds up.
template <class Unit, class Model, class World>
class lockstep_bench {
  using parameters = typename Unit::parameters;
  using maker = void* (*)(void const*, unsigned long);

 public:
  lockstep_bench(maker make, parameters const& made) : make_(make), made_(made) {}

  [[nodiscard]] bool is_hardware() const { return hardware() != nullptr; }
  [[nodiscard]] bool run(std::uint64_t cycles, std::uint64_t seed) {
    static constexpr std::uint64_t cycles_of_a_world = 20'000;
    typename World::statistics reached;
    for (std::uint64_t done = 0; done < cycles; done += cycles_of_a_world, ++seed)
      if (!run_world(seed, std::min(cycles - done, cycles_of_a_world), reached)) return false;
    std::printf("%llu cycles are the same, %s\n", static_cast<unsigned long long>(cycles), reached.text().c_str());
    if (cycles < 1'000'000 || reached.all()) return true;
    std::printf("something never happened: the test does not test it\n");
    return false;
  }

 private:
  [[nodiscard]] std::unique_ptr<Unit> hardware() const {
    return std::unique_ptr<Unit>(static_cast<Unit*>(make_(&made_, sizeof(parameters) + sizeof(Unit))));
  }
  [[nodiscard]] bool run_world(std::uint64_t seed, std::uint64_t cycles, typename World::statistics& reached) {
    ::setenv("TESS_RTL_SEED", std::to_string(seed).c_str(), 1);
    auto const rtl = hardware();
    Model model(made_);
    World around(seed, made_);
    std::deque<std::string> last_of_model;
    std::deque<std::string> last_of_rtl;
    for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
      std::string const of_model = World::text_of(model.out);
      std::string const of_rtl = World::text_of(rtl->out);
      note(last_of_model, cycle, model.out.active(), of_model);
      note(last_of_rtl, cycle, rtl->out.active(), of_rtl);
      if (of_model != of_rtl) {
        std::printf("seed %llu, cycle %llu: the model, then the hardware\n", static_cast<unsigned long long>(seed),
                    static_cast<unsigned long long>(cycle));
        for (auto const& line : last_of_model) std::printf("  %s\n", line.c_str());
        std::printf("  now %s\n\n", of_model.c_str());
        for (auto const& line : last_of_rtl) std::printf("  %s\n", line.c_str());
        std::printf("  now %s\n", of_rtl.c_str());
        return false;
      }
      around.drive(model.in);
      rtl->in = model.in;
      if (char const* const wrong = around.take(model.in, model.out, reached)) {
        std::printf("seed %llu, cycle %llu: %s\n", static_cast<unsigned long long>(seed),
                    static_cast<unsigned long long>(cycle), wrong);
        return false;
      }
      model.step();
      rtl->step();
    }
    return true;
  }
  static void note(std::deque<std::string>& last, std::uint64_t cycle, bool active, std::string const& text) {
    static constexpr std::size_t shown = 40;
    if (!active) return;
    last.push_back(std::to_string(cycle) + ": " + text);
    if (last.size() > shown) last.pop_front();
  }

  maker make_;
  parameters made_;
};

template <class Bench, class Parameters>
int lockstep_main(std::span<char*> words, Parameters& made, lockstep_keys const& keys) {
  auto const cycles = words.size() < 4 ? std::nullopt : number_of(words[2]);
  auto const seed = words.size() < 4 ? std::nullopt : number_of(words[3]);
  bool right = cycles && seed;
  for (std::size_t i = 4; i < words.size(); ++i) {
    std::string_view const word = words[i];
    std::size_t const equals = word.find('=');
    auto const key = keys.find(word.substr(0, equals));
    auto const value = equals == std::string_view::npos ? std::nullopt : number_of(word.substr(equals + 1));
    right = right && key != keys.end() && value;
    if (right) *key->second = static_cast<std::uint32_t>(*value);
  }
  if (!right) {
    std::fprintf(stderr, "usage: LIBRARY CYCLES SEED KEY=VALUE...\n");
    return 2;
  }
  void* const library = ::dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
  auto const make = library == nullptr
                        ? nullptr
                        : reinterpret_cast<void* (*)(void const*, unsigned long)>(::dlsym(library, "tess_rtl_make"));
  if (make == nullptr || !Bench(make, made).is_hardware()) {
    std::fprintf(stderr, "%s is not this hardware\n", words[1]);
    return 2;
  }
  return Bench(make, made).run(*cycles, *seed) ? 0 : 1;
}

}  // namespace tess::machine
