// nma_lockstep: the accelerator's hardware beside its model, edge by edge, on random graphs with random stalls at all
// ports: in each cycle both offer the same.
//
//   Every 20 000 cycles begin with another memory, other speeds of the ports, and both units after reset. Where words
//   of copies change while they are made, all copies must end then. What the model does is checked by
//   machine_nma_test; here an access outside of buffer and map is an error, too.
//
// Usage: nma_lockstep LIBRARY CYCLES SEED KEY=VALUE...; a mismatch prints both sides' last 40 transactions. Exit codes:
// 0 the same, 1 different, 2 wrong use.
#include <dlfcn.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "machine/nma/copy_machine.hpp"
#include "toy_memory.hpp"

namespace tess::machine {
namespace {

constexpr std::uint64_t cycles_of_a_memory = 20'000;
constexpr std::uint64_t cycles_to_end = 10'000'000;
constexpr std::size_t shown = 40;

std::optional<std::uint64_t> number_of(std::string_view word) {
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc{} && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

/// The parameters of rtl/nma/nma.sv. The model always has both maps.
struct hardware_parameters {
  nma_description model;
  bool hashed = true;
};

std::optional<hardware_parameters> parameters_of(std::span<char*> words) {
  nma_description made;
  std::uint32_t hashed = 1;
  std::map<std::string_view, std::uint32_t*> const keys{
      {"QUEUE_ENTRIES", &made.queue_entries}, {"STATE_CYCLES", &made.state_cycles},
      {"BURST_BYTES", &made.burst_bytes},     {"STREAM_BURSTS", &made.stream_bursts},
      {"POSTED_WRITES", &made.posted_writes}, {"HASHED", &hashed}};
  for (std::string_view const word : words) {
    std::size_t const equals = word.find('=');
    auto const key = keys.find(word.substr(0, equals));
    auto const value = equals == std::string_view::npos ? std::nullopt : number_of(word.substr(equals + 1));
    if (key == keys.end() || !value) return std::nullopt;
    *key->second = static_cast<std::uint32_t>(*value);
  }
  return hashed <= 1 ? std::optional(hardware_parameters{made, hashed == 1}) : std::nullopt;
}

/// What one side offers in a cycle, as text.
std::string text_of(nma_unit::outputs const& out) {
  std::string text;
  auto const add = [&](char const* format, auto... values) {
    char buffer[160];
    std::snprintf(buffer, sizeof buffer, format, values...);
    text += buffer;
  };
  add("%c%c%c", out.job_ready ? 'r' : '-', out.job_begins ? 'b' : '-', out.quiet ? 'q' : '-');
  if (out.access_valid) {
    add(" %s tag %u at %llx words %u lane %u", out.access.writes ? "write" : "read", out.access.tag,
        static_cast<unsigned long long>(out.access.offset), out.access.words, out.access.lane);
    for (std::uint32_t at = 0; out.access.writes && at < out.access.words; ++at)
      add(" %llx", static_cast<unsigned long long>(out.access.data[out.access.lane + at]));
  }
  if (out.record_valid)
    add(" record %llx %d", static_cast<unsigned long long>(out.record_address), out.record_whole ? 1 : 0);
  if (out.result_valid)
    add(" result %llu root %llx bytes %llu objects %llu", static_cast<unsigned long long>(out.result.fault),
        static_cast<unsigned long long>(out.result.root), static_cast<unsigned long long>(out.result.bytes),
        static_cast<unsigned long long>(out.result.objects));
  return text;
}

bool same(nma_unit::outputs const& a, nma_unit::outputs const& b) {
  auto const access = [](nma_access const& x, nma_access const& y) {
    return x.writes == y.writes && (x.writes || x.tag == y.tag) && x.offset == y.offset && x.words == y.words &&
           x.lane == y.lane &&
           (!x.writes || std::memcmp(x.data + x.lane, y.data + y.lane, x.words * sizeof *x.data) == 0);
  };
  auto const result = [](nma_result const& x, nma_result const& y) {
    return x.fault == y.fault && x.root == y.root && x.bytes == y.bytes && x.objects == y.objects;
  };
  return a.job_ready == b.job_ready && a.job_begins == b.job_begins && a.quiet == b.quiet &&
         a.access_valid == b.access_valid && (!a.access_valid || access(a.access, b.access)) &&
         a.record_valid == b.record_valid &&
         (!a.record_valid || (a.record_address == b.record_address && a.record_whole == b.record_whole)) &&
         a.result_valid == b.result_valid && (!a.result_valid || result(a.result, b.result));
}

using maker = void* (*)(void const*, unsigned long);

class lockstep {
 public:
  lockstep(maker make, hardware_parameters const& parameters)
      : make_(make), parameters_(parameters.model), hashed_(parameters.hashed) {}

  [[nodiscard]] bool run(std::uint64_t cycles, std::uint64_t seed) {
    for (std::uint64_t done = 0; done < cycles; done += cycles_of_a_memory, ++seed)
      if (!run_memory(seed, std::min(cycles - done, cycles_of_a_memory))) return false;
    std::printf("%llu cycles are the same, %llu copies; by their fault:", static_cast<unsigned long long>(cycles),
                static_cast<unsigned long long>(results_));
    bool all = true;
    for (std::size_t i = 0; i < kinds; ++i) {
      std::printf(" %llu", static_cast<unsigned long long>(faults_[i]));
      all = all && (faults_[i] != 0 || cycles < 1'000'000);
    }
    std::printf("\n");
    if (!all) std::printf("a fault never happened: the test does not test it\n");
    return all;
  }
  [[nodiscard]] bool is_hardware() const { return hardware() != nullptr; }

 private:
  static constexpr std::size_t kinds = 7;

  [[nodiscard]] std::unique_ptr<nma_unit> hardware() const {
    return std::unique_ptr<nma_unit>(
        static_cast<nma_unit*>(make_(&parameters_, sizeof(nma_description) + sizeof(nma_unit))));
  }

  [[nodiscard]] bool run_memory(std::uint64_t seed, std::uint64_t cycles) {
    ::setenv("TESS_RTL_SEED", std::to_string(seed).c_str(), 1);
    auto const rtl = hardware();
    copy_machine model(parameters_);
    nma_unit::inputs given;
    toy_memory around(seed);
    std::deque<std::string> last_of_model;
    std::deque<std::string> last_of_rtl;
    for (std::uint64_t cycle = 0;; ++cycle) {
      if (cycle == cycles) around.hurry();
      if (cycle >= cycles && (!around.corrupts() || around.idle())) break;
      if (cycle == cycles + cycles_to_end) {
        std::printf("seed %llu: a copy does not end\n", static_cast<unsigned long long>(seed));
        return false;
      }
      note(last_of_model, cycle, model.out);
      note(last_of_rtl, cycle, rtl->out);
      if (!same(model.out, rtl->out)) {
        std::printf("seed %llu, cycle %llu: the model, then the hardware\n", static_cast<unsigned long long>(seed),
                    static_cast<unsigned long long>(cycle));
        for (auto const& line : last_of_model) std::printf("  %s\n", line.c_str());
        std::printf("\n");
        for (auto const& line : last_of_rtl) std::printf("  %s\n", line.c_str());
        return false;
      }
      around.drive(given);
      rtl->in = model.in = given;
      // Hardware without a hashed map refuses such a job as both refuse one whose table does not fit: of no objects.
      if (!hashed_ && given.job.hashed) model.in.job.objects = 0;
      if (!around.take(given, model.out)) {
        std::printf("seed %llu, cycle %llu: an access outside of buffer and map\n",
                    static_cast<unsigned long long>(seed), static_cast<unsigned long long>(cycle));
        return false;
      }
      model.step();
      rtl->step();
    }
    results_ += around.results;
    for (std::size_t i = 0; i < kinds; ++i) faults_[i] += around.faults[i];
    return true;
  }
  static void note(std::deque<std::string>& last, std::uint64_t cycle, nma_unit::outputs const& out) {
    if (!out.active()) return;
    last.push_back(std::to_string(cycle) + ": " + text_of(out));
    if (last.size() > shown) last.pop_front();
  }

  maker make_;
  nma_description parameters_;
  bool hashed_;
  std::uint64_t results_ = 0;
  std::array<std::uint64_t, kinds> faults_{};
};

int main_of(std::span<char*> words) {
  auto const cycles = words.size() < 4 ? std::nullopt : number_of(words[2]);
  auto const seed = words.size() < 4 ? std::nullopt : number_of(words[3]);
  auto const parameters = words.size() < 4 ? std::nullopt : parameters_of(words.subspan(4));
  if (!cycles || !seed || !parameters) {
    std::fprintf(stderr, "nma_lockstep LIBRARY CYCLES SEED KEY=VALUE...\n");
    return 2;
  }
  void* const library = ::dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
  auto const make = library == nullptr ? nullptr : reinterpret_cast<maker>(::dlsym(library, "tess_rtl_make"));
  if (make == nullptr || !lockstep(make, *parameters).is_hardware()) {
    std::fprintf(stderr, "nma_lockstep: %s is not this hardware\n", words[1]);
    return 2;
  }
  return lockstep(make, *parameters).run(*cycles, *seed) ? 0 : 1;
}

}  // namespace
}  // namespace tess::machine

int main(int count, char** words) {
  return tess::machine::main_of({words, words + count});
}
