// rae_lockstep: the hardware of the network interface and its C++ pipeline do the same in each cycle.
// Method: both get the same inputs, drawn at random as core's caches, memory, other nodes and owners of lines would
// give them, with stalls on every port; all that they drive is compared in each cycle. Few lines and few values, so
// that requests meet. An observer changes lines now and then. At the end everything is answered, and all lines are the
// same. It needs no oracle of its own: what the pipeline does is checked by machine_rae_test.
//
// Usage: rae_lockstep LIBRARY CYCLES SEED KEY=VALUE...; a mismatch prints both sides' last 40 transactions. A run of a
// million cycles fails if something never happened. The seed also chooses with what the hardware's registers begin.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "machine/rae/interface_pipeline.hpp"

namespace {

using namespace tess::machine;  // NOLINT: a test of one namespace

interface_parameters parameters_of(std::span<char*> words) {
  interface_parameters made;
  std::map<std::string_view, std::uint32_t*> const keys{
      {"MAIN_ENTRIES", &made.main_entries},     {"SUB_ENTRIES", &made.sub_entries},
      {"QUEUE_ENTRIES", &made.queue_entries},   {"PACKET_CYCLES", &made.packet_cycles},
      {"LOOK_UP_CYCLES", &made.look_up_cycles}, {"OPERATION_CYCLES", &made.operation_cycles},
      {"CACHE_LINES", &made.cache_lines},       {"LINE_BYTES", &made.line_bytes},
      {"ADDRESS_WIDTH", &made.address_bits}};
  for (std::string_view const word : words) {
    std::size_t const equals = word.find('=');
    std::uint32_t value = 0;
    std::from_chars(word.data() + equals + 1, word.data() + word.size(), value);
    std::string_view const key = word.substr(0, equals);
    if (key == "RETAIN") {
      made.retain = value != 0;
    } else if (key == "MERGE") {
      made.merge = value != 0;
    } else if (auto const found = keys.find(key); found != keys.end()) {
      *found->second = value;
    }
  }
  return made;
}

/// Draws true with a probability that changes every now and then: calm and busy times, stalls and none.
class sometimes {
 public:
  explicit sometimes(std::mt19937_64& draw) : draw_(draw) {}
  bool operator()() {
    if (left_-- == 0) {
      static constexpr unsigned chances[] = {0, 1, 4, 16, 32, 60, 64};
      chance_ = chances[draw_() % std::size(chances)];
      left_ = 1 + draw_() % 300;
    }
    return draw_() % 64 < chance_;
  }

 private:
  std::mt19937_64& draw_;
  std::uint64_t left_ = 0;
  unsigned chance_ = 0;
};

class bench {
 public:
  bench(interface_parameters const& parameters, interface_unit& hardware, std::uint64_t seed)
      : parameters_(parameters), pipeline_(parameters), hardware_(hardware), draw_(seed) {
    for (std::uint32_t tag = 0; tag < parameters.requests_max(); ++tag) spare_tags_.push_back(tag);
    line_.resize(parameters.line_bytes);
  }

  bool run(std::uint64_t cycles) {
    for (cycle_ = 0; cycle_ < cycles; ++cycle_)
      if (!step(true)) return false;
    // All that was asked for is answered.
    for (std::uint64_t rest = 0; rest < 100'000 && !is_done(); ++rest, ++cycle_)
      if (!step(false)) return false;
    if (!is_done()) return failed("requests without an answer, or claims that do not end");
    bool same = true;
    auto const compare = [&](std::span<std::byte> bytes, std::uint64_t line) {
      std::byte const* const other = hardware_.line_of(line);
      same = same && other != nullptr && std::memcmp(bytes.data(), other, bytes.size()) == 0;
    };
    for (std::uint64_t line = 0; line < lines_end(); line += parameters_.line_bytes) {
      if (std::byte* const here = pipeline_.line_of(line)) {
        compare({here, parameters_.line_bytes}, line);
      } else {
        same = same && hardware_.line_of(line) == nullptr;
      }
    }
    return same || failed("the lines at the end");
  }
  /// All that these parameters allow has happened.
  [[nodiscard]] bool reached_all() const {
    bool const merges = parameters_.merge && parameters_.sub_entries > 1;
    bool const always = answered_ != 0 && entered_ != 0 && stalled_ != 0 && stores_ != 0 && claims_ != 0;
    return always && (hits_ != 0 || !parameters_.retain) && (merged_ != 0 || !merges) && changes_ != 0;
  }
  [[nodiscard]] std::string counted() const {
    return fmt::format("{} answers, {} hits, {} entries, {} merged, {} stalled, {} stores, {} claims, {} changes",
                       answered_, hits_, entered_, merged_, stalled_, stores_, claims_, changes_);
  }

 private:
  struct wanted_line {
    std::uint32_t entry = 0;
    std::uint64_t line = 0;
  };

  [[nodiscard]] std::uint64_t lines_end() const {
    std::uint64_t const all = std::uint64_t{1} << parameters_.address_bits;
    return std::min<std::uint64_t>(all, 64 * std::uint64_t{parameters_.line_bytes} * (1 + parameters_.cache_lines));
  }
  [[nodiscard]] std::uint64_t some_line() {
    // A few lines often; among them some with the same index.
    std::uint64_t const lines = lines_end() / parameters_.line_bytes;
    std::uint64_t const index = draw_() % std::min<std::uint64_t>(parameters_.cache_lines, spread_);
    return (index + draw_() % 4 * parameters_.cache_lines) % lines * parameters_.line_bytes;
  }
  [[nodiscard]] bool is_done() const {
    return spare_tags_.size() == parameters_.requests_max() && !pipeline_.outputs().busy && asked_.empty() &&
           granted_.empty() && !claiming_;
  }

  void draw_request() {
    static constexpr remote_operation kinds[] = {remote_operation::read, remote_operation::write,
                                                 remote_operation::atomic, remote_operation::compare_swap};
    bool const only_loads = draw_() % 4 == 0;
    request_.what = kinds[only_loads ? 0 : draw_() % 4];
    request_.word = static_cast<atomic_operation>(draw_() % 9);
    bool const plain = request_.what == remote_operation::read || request_.what == remote_operation::write;
    request_.size = static_cast<std::uint8_t>(plain || draw_() % 16 == 0 ? draw_() % 4 : 2 + draw_() % 2);
    std::uint64_t offset = draw_() % parameters_.line_bytes;
    if (draw_() % 8 != 0) offset &= ~((std::uint64_t{1} << request_.size) - 1);
    request_.address = some_line() + offset;
    // Few values, so that compare-and-swap succeeds, and all, so that signs and halves matter.
    request_.operand = draw_() % 2 == 0 ? draw_() % 4 : draw_();
    request_.expected = draw_() % 2 == 0 ? draw_() % 4 : draw_();
    request_.tag = spare_tags_.front();
  }

  bool step(bool asks) {
    if (draw_() % 2000 == 0) spread_ = 1 + draw_() % 64;
    interface_outputs const& out = pipeline_.outputs();
    interface_inputs in;
    // What is valid stays so until it is taken.
    if (!requests_ && asks && !spare_tags_.empty() && request_comes_()) {
      draw_request();
      requests_ = true;
    }
    if (requests_) in.request = &request_;
    if (!claims_now_ && !claiming_ && asks && claim_comes_()) {
      claims_now_ = true;
      claim_line_ = some_line();
      claim_takes_ = draw_() % 2 == 0;
    }
    in.claim = claims_now_;
    in.claim_line = claim_line_;
    in.claim_takes = claim_takes_;
    bool const grants = !asked_.empty() && (!asks || grant_comes_());
    if (grants) {
      std::size_t const which = draw_() % asked_.size();
      wanted_line const wanted = asked_[which];
      asked_.erase(asked_.begin() + static_cast<std::ptrdiff_t>(which));
      in.grant = true;
      in.grant_entry = wanted.entry;
      in.grant_from_core = draw_() % 4 == 0;
      if (pipeline_.writes(wanted.entry) != hardware_.writes(wanted.entry)) return failed("the W bit");
      granted_.push_back(wanted);
    }
    if (!lines_ && !granted_.empty() && (!asks || line_comes_())) {
      std::size_t const which = draw_() % granted_.size();
      line_entry_ = granted_[which].entry;
      arriving_ = granted_[which].line;
      granted_.erase(granted_.begin() + static_cast<std::ptrdiff_t>(which));
      for (std::byte& one : line_) one = static_cast<std::byte>(draw_() % 3 == 0 ? draw_() : 0);
      lines_ = true;
    }
    if (lines_) in.line = line_.data();
    in.line_entry = line_entry_;
    in.answer_ready = !asks || answers_();
    in.fetch_ready = !asks || fetches_();
    in.store_ready = !asks || stores_ready_();
    in.claim_done_ready = !asks || claims_end_();

    note(last_of_pipeline_, in, out);
    note(last_of_hardware_, in, hardware_.outputs());
    bool const request = in.request != nullptr && out.request_ready;
    bool const line = in.line != nullptr && out.line_ready;
    bool const claim = in.claim && out.claim_ready;
    if (out.fetch && in.fetch_ready) asked_.push_back({out.fetch_entry, out.fetch_line});
    if (out.answer && in.answer_ready) {
      spare_tags_.push_back(out.answer_tag);
      ++answered_;
    }
    if (out.claim_done && in.claim_done_ready) {
      claiming_ = false;
      ++claims_;
    }
    stores_ += out.store && in.store_ready;
    hits_ += out.hit;
    entered_ += out.entered;
    merged_ += out.merged;
    stalled_ += out.stalled;
    bool const idles = !in.request && !in.grant && !in.line && !in.claim && !out.busy && draw_() % 2 == 0;
    pipeline_.step(in);
    hardware_.step(in);
    // The simulator leaves such a cycle out.
    if (idles) hardware_.step(in);
    if (request) {
      spare_tags_.pop_front();
      requests_ = false;
    }
    if (line) lines_ = false;
    if (claim) {
      claims_now_ = false;
      claiming_ = true;
    }
    if (!same()) return false;
    if (draw_() % 64 == 0) return observe();
    return true;
  }

  /// An observer changes a line that only the interface has; one that was granted must have come in.
  bool observe() {
    std::uint64_t const line = some_line();
    bool const comes =
        std::ranges::find(granted_, line, &wanted_line::line) != granted_.end() || (lines_ && line == arriving_);
    if (comes) return true;
    std::byte* const here = pipeline_.line_of(line);
    std::byte* const there = hardware_.line_of(line);
    if ((here == nullptr) != (there == nullptr)) return failed("where a line is");
    if (here == nullptr) return true;
    if (std::memcmp(here, there, parameters_.line_bytes) != 0) return failed("the bytes of a line");
    ++changes_;
    if (draw_() % 16 == 0) {
      pipeline_.each_line(line, parameters_.line_bytes, [](auto bytes) { std::ranges::fill(bytes, std::byte{}); });
      hardware_.each_line(line, parameters_.line_bytes, [](auto bytes) { std::ranges::fill(bytes, std::byte{}); });
      return true;
    }
    std::size_t const at = draw_() % parameters_.line_bytes;
    here[at] = there[at] = static_cast<std::byte>(draw_());
    pipeline_.changed(line);
    hardware_.changed(line);
    return true;
  }

  void note(std::deque<std::string>& last, interface_inputs const& in, interface_outputs const& out) const {
    std::string what;
    if (in.request != nullptr && out.request_ready)
      what +=
          fmt::format(" request {} {}.{} at {:#x} tag {}", static_cast<int>(in.request->what),
                      static_cast<int>(in.request->word), 1 << in.request->size, in.request->address, in.request->tag);
    if (out.fetch && in.fetch_ready) what += fmt::format(" fetch {} line {:#x}", out.fetch_entry, out.fetch_line);
    if (in.grant) what += fmt::format(" grant {} from {}", in.grant_entry, in.grant_from_core ? "core" : "memory");
    if (in.line != nullptr && out.line_ready) what += fmt::format(" line {}", in.line_entry);
    if (out.store && in.store_ready) what += fmt::format(" store {:#x}", out.store_line);
    if (in.claim && out.claim_ready)
      what += fmt::format(" claim {:#x}{}", in.claim_line, in.claim_takes ? ", taken" : "");
    if (out.claim_done && in.claim_done_ready) what += " claim done";
    if (out.answer && in.answer_ready) what += fmt::format(" answer {} {:#x}", out.answer_tag, out.answer_data);
    if (what.empty()) return;
    last.push_back(fmt::format("{:>9}:{}", cycle_, what));
    if (last.size() > 40) last.pop_front();
  }

  bool same() {
    interface_outputs const& a = pipeline_.outputs();
    interface_outputs const& b = hardware_.outputs();
    auto const differs = [&](char const* name, std::uint64_t here, std::uint64_t there) {
      if (here == there) return false;
      failed(fmt::format("{}: {:#x} in the pipeline, {:#x} in the hardware", name, here, there));
      return true;
    };
    bool wrong = differs("request_ready", a.request_ready, b.request_ready) ||
                 differs("line_ready", a.line_ready, b.line_ready) ||
                 differs("claim_ready", a.claim_ready, b.claim_ready) || differs("busy", a.busy, b.busy) ||
                 differs("queued", a.queued, b.queued) || differs("answer", a.answer, b.answer) ||
                 differs("fetch", a.fetch, b.fetch) || differs("store", a.store, b.store) ||
                 differs("claim_done", a.claim_done, b.claim_done) || differs("hit", a.hit, b.hit) ||
                 differs("entered", a.entered, b.entered) || differs("merged", a.merged, b.merged) ||
                 differs("stalled", a.stalled, b.stalled);
    if (!wrong && a.answer)
      wrong = differs("answer_wrong", a.answer_wrong, b.answer_wrong) ||
              differs("answer_tag", a.answer_tag, b.answer_tag) || differs("answer_data", a.answer_data, b.answer_data);
    if (!wrong && a.fetch)
      wrong = differs("fetch_entry", a.fetch_entry, b.fetch_entry) || differs("fetch_line", a.fetch_line, b.fetch_line);
    if (!wrong && a.store) {
      wrong = differs("store_line", a.store_line, b.store_line);
      if (!wrong && std::memcmp(a.store_data, b.store_data, parameters_.line_bytes) != 0)
        wrong = !failed("the bytes of a line to memory");
    }
    return !wrong;
  }

  bool failed(std::string const& what) {
    fmt::print("cycle {}: {}; the pipeline, then the hardware\n", cycle_, what);
    for (std::string const& one : last_of_pipeline_) fmt::print("{}\n", one);
    fmt::print("\n");
    for (std::string const& one : last_of_hardware_) fmt::print("{}\n", one);
    return false;
  }

  interface_parameters parameters_;
  interface_pipeline pipeline_;
  interface_unit& hardware_;
  std::mt19937_64 draw_;
  std::uint64_t cycle_ = 0;
  std::uint64_t spread_ = 4;
  std::deque<std::uint32_t> spare_tags_;
  bool requests_ = false;
  interface_request request_;
  bool claims_now_ = false;
  bool claiming_ = false;
  bool claim_takes_ = false;
  std::uint64_t claim_line_ = 0;
  std::vector<wanted_line> asked_;
  std::vector<wanted_line> granted_;
  bool lines_ = false;
  std::uint32_t line_entry_ = 0;
  std::uint64_t arriving_ = 0;
  std::vector<std::byte> line_;
  sometimes request_comes_{draw_}, claim_comes_{draw_}, grant_comes_{draw_}, line_comes_{draw_};
  sometimes answers_{draw_}, fetches_{draw_}, stores_ready_{draw_}, claims_end_{draw_};
  std::deque<std::string> last_of_pipeline_, last_of_hardware_;
  std::uint64_t answered_ = 0, hits_ = 0, entered_ = 0, merged_ = 0, stalled_ = 0, stores_ = 0, claims_ = 0;
  std::uint64_t changes_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: rae_lockstep LIBRARY CYCLES SEED KEY=VALUE...\n");
    return 2;
  }
  std::uint64_t numbers[2] = {};
  for (int i = 0; i < 2; ++i) {
    std::string_view const word = argv[2 + i];
    std::from_chars(word.data(), word.data() + word.size(), numbers[i]);
  }
  interface_parameters const parameters = parameters_of({argv + 4, argv + argc});
  void* const library = ::dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  using maker = void* (*)(void const*, unsigned long);
  auto const make = library == nullptr ? nullptr : reinterpret_cast<maker>(::dlsym(library, "tess_rtl_make"));
  ::setenv("TESS_RTL_SEED", argv[3], 1);
  std::size_t const bytes = sizeof(interface_parameters) + sizeof(interface_inputs) + sizeof(interface_outputs);
  std::unique_ptr<interface_unit> const hardware(
      make == nullptr ? nullptr : static_cast<interface_unit*>(make(&parameters, bytes)));
  if (hardware == nullptr) {
    fmt::print(stderr, "rae_lockstep: {} is not the hardware of this interface\n", argv[1]);
    return 2;
  }
  bench both(parameters, *hardware, numbers[1]);
  bool const same = both.run(numbers[0]);
  fmt::print("{}: {}\n", same ? "the same" : "different", both.counted());
  if (!same) return 1;
  if (numbers[0] < 1'000'000 || both.reached_all()) return 0;
  fmt::print("something never happened: the test does not test it\n");
  return 1;
}
