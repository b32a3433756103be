// rae: the hardware of rtl/rae, made C++ by Verilator, behind the ports that the simulator knows. It is compiled into a
// shared object of its own (tools/rtl/library.py), once for each set of parameters.
//
//   Lines are read and changed by an observer in the middle of a run, so memories of the hardware are visible here
//   (rtl/rae/simulator.vlt). If the line that changes is in the read register of its memory, that changes as well.
//
// Units     as interface_unit.
// Threads   one.
#include <Vrae_interface.h>
#include <Vrae_interface___024root.h>
#include <verilated.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "machine/rae/interface_unit.hpp"
#include "machine/rtl/verilated/clocked_model.hpp"
#ifdef TESS_RTL_WAVES
#include <verilated_fst_c.h>
#endif

#define IN_CACHE(name) rae_interface__DOT__i_interface_cache__DOT__##name  // NOLINT: Verilator's names
#define IN_CORE(name) rae_interface__DOT__i_interface_core__DOT__##name    // NOLINT
#define IN_ENTRIES(name) rae_interface__DOT__i_main_entries__DOT__##name   // NOLINT

namespace tess::machine {
namespace {

class verilated_interface final : public interface_unit {
 public:
  explicit verilated_interface(interface_parameters const& parameters)
      : parameters_(parameters), line_shift_(std::countr_zero(parameters.line_bytes)) {
#ifdef TESS_RTL_WAVES
    context_.traceEverOn(true);
    top_.trace(&waves_, 99);
    waves_.open(TESS_RTL_WAVES);
#endif
    top_.clk_i = 0;
    for (bool const runs : {true, false, true}) {
      top_.rst_ni = runs;
      top_.eval();
    }
    drive();
  }

  void step(interface_inputs const& in) override {
    top_.request_valid_i = in.request != nullptr;
    if (in.request != nullptr) {
      interface_request const& packet = *in.request;
      top_.request_packet_i = static_cast<unsigned char>(packet.what);
      top_.request_word_i = static_cast<unsigned char>(packet.word);
      top_.request_size_i = packet.size;
      top_.request_tag_i = packet.tag;
      top_.request_address_i = packet.address;
      top_.request_operand_i = packet.operand;
      top_.request_expected_i = packet.expected;
    }
    top_.grant_valid_i = in.grant;
    top_.grant_core_i = in.grant_from_core;
    top_.grant_entry_i = in.grant_entry;
    top_.line_valid_i = in.line != nullptr;
    top_.line_entry_i = in.line_entry;
    if (in.line != nullptr) std::memcpy(&top_.line_data_i, in.line, parameters_.line_bytes);
    top_.claim_valid_i = in.claim;
    top_.claim_takes_i = in.claim_takes;
    top_.claim_line_i = in.claim_line >> line_shift_;
    top_.answer_ready_i = in.answer_ready;
    top_.fetch_ready_i = in.fetch_ready;
    top_.store_ready_i = in.store_ready;
    top_.claim_done_ready_i = in.claim_done_ready;
    clock();
    drive();
  }

  bool writes(std::uint32_t entry) noexcept override { return bit(top_.writes_o, entry); }

  std::byte* line_of(std::uint64_t line) noexcept override {
    std::uint32_t const place = place_of(line >> line_shift_);
    return place == nowhere ? nullptr : bytes_at(place);
  }

  void changed(std::uint64_t line) noexcept override { reread(place_of(line >> line_shift_)); }

  void each_line(std::uint64_t address, std::uint64_t bytes, std::function<void(std::span<std::byte>)> call) override {
    std::uint64_t const begin = address >> line_shift_;
    std::uint64_t const lines = (address + bytes + parameters_.line_bytes - 1 >> line_shift_) - begin;
    auto const visit = [&](std::uint64_t line) {
      std::uint32_t const place = line - begin < lines ? place_of(line) : nowhere;
      if (place == nowhere) return;
      call({bytes_at(place), parameters_.line_bytes});
      reread(place);
    };
    for (std::uint32_t entry = 0; entry < parameters_.main_entries; ++entry)
      if (bit(root().IN_ENTRIES(used_q), entry)) visit(root().IN_ENTRIES(lines_q)[entry]);
    for (std::uint32_t index = 0; index < parameters_.cache_lines; ++index)
      if (bit(root().IN_CACHE(valid_q), index)) visit(cached_line(index));
  }

 private:
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  enum state : std::uint8_t { idle, hit, walk, step_, replace, keep, give_back, release };

  [[nodiscard]] Vrae_interface___024root& root() noexcept { return *top_.rootp; }
  // Verilator's words of all widths have their lowest bits first.
  template <class Word>
  static bool bit(Word const& of, std::uint32_t number) noexcept {
    unsigned char byte = 0;
    std::memcpy(&byte, reinterpret_cast<char const*>(&of) + number / 8, 1);  // NOLINT
    return (byte >> number % 8 & 1U) != 0;
  }
  [[nodiscard]] std::byte* bytes_at(std::uint32_t place) noexcept {
    return reinterpret_cast<std::byte*>(&root().IN_CACHE(i_lines__DOT__words_q)[place]);  // NOLINT
  }
  [[nodiscard]] std::uint64_t cached_line(std::uint32_t index) noexcept {
    auto const bits = std::countr_zero(parameters_.cache_lines);
    std::uint64_t const line_bits = parameters_.address_bits - static_cast<std::uint64_t>(line_shift_);
    std::uint64_t const tag_bits = line_bits > static_cast<std::uint64_t>(bits) ? line_bits - bits : 1;
    std::uint64_t const tag = root().IN_CACHE(i_tags__DOT__words_q)[index] & ((std::uint64_t{1} << tag_bits) - 1);
    return tag << bits | index;
  }
  [[nodiscard]] std::uint32_t place_of(std::uint64_t line) noexcept {
    for (std::uint32_t entry = 0; entry < parameters_.main_entries; ++entry) {
      bool const owns = bit(root().IN_ENTRIES(used_q), entry) && bit(root().IN_ENTRIES(owned_q), entry);
      if (owns && root().IN_ENTRIES(lines_q)[entry] == line) return parameters_.cache_lines + entry;
    }
    auto const index = static_cast<std::uint32_t>(line & (parameters_.cache_lines - 1));
    return bit(root().IN_CACHE(valid_q), index) && cached_line(index) == line ? index : nowhere;
  }
  // What the core has read, by its state, as it is now.
  void reread(std::uint32_t changed_place) noexcept {
    std::uint32_t const mask = parameters_.cache_lines - 1;
    std::uint32_t const entry = root().IN_CORE(entry_q);
    std::uint32_t place = nowhere;
    switch (root().IN_CORE(state_q)) {
      case hit:
        place = root().IN_CORE(hit_index_q);
        break;
      case step_:
      case keep:
      case give_back:
        place = parameters_.cache_lines + entry;
        break;
      case replace:
        place = static_cast<std::uint32_t>(root().IN_ENTRIES(lines_q)[entry]) & mask;
        break;
      case release:
        place = static_cast<std::uint32_t>(root().IN_CORE(claim_line_q)) & mask;
        break;
      default:
        break;
    }
    if (place != changed_place || place == nowhere) return;
    std::memcpy(&root().IN_CACHE(i_lines__DOT__read_data_o), bytes_at(place), parameters_.line_bytes);
    if (root().IN_CORE(state_q) != hit && root().IN_CORE(state_q) != step_) return;
    // So does what an operation of several cycles has made of it already.
    top_.eval();
    root().IN_CORE(taken_q) = root().IN_CORE(taken_d);
    top_.eval();
    root().IN_CORE(done_q) = root().IN_CORE(done_d);
    top_.eval();
  }

  void clock() {
    top_.clk_i = 1;
    top_.eval();
    record();
    top_.clk_i = 0;
    top_.eval();
    record();
  }
  void record() {
#ifdef TESS_RTL_WAVES
    waves_.dump(context_.time());
    waves_.flush();
    context_.timeInc(1);
#endif
  }

  void drive() {
    outputs_.request_ready = top_.request_ready_o;
    outputs_.line_ready = top_.line_ready_o;
    outputs_.claim_ready = top_.claim_ready_o;
    outputs_.busy = top_.busy_o;
    outputs_.queued = top_.queued_o;
    outputs_.answer = top_.answer_valid_o;
    outputs_.answer_wrong = top_.answer_wrong_o;
    outputs_.answer_tag = top_.answer_tag_o;
    outputs_.answer_data = top_.answer_data_o;
    outputs_.fetch = top_.fetch_valid_o;
    outputs_.fetch_entry = top_.fetch_entry_o;
    outputs_.fetch_line = std::uint64_t{top_.fetch_line_o} << line_shift_;
    outputs_.store = top_.store_valid_o;
    outputs_.store_line = std::uint64_t{top_.store_line_o} << line_shift_;
    outputs_.store_data = reinterpret_cast<std::byte const*>(&top_.store_data_o);  // NOLINT
    outputs_.claim_done = top_.claim_done_valid_o;
    outputs_.hit = top_.hit_o;
    outputs_.entered = top_.entered_o;
    outputs_.merged = top_.merged_o;
    outputs_.stalled = top_.stalled_o;
  }

  interface_parameters parameters_;
  int line_shift_;
  random_context context_;
  Vrae_interface top_{&context_, ""};
#ifdef TESS_RTL_WAVES
  VerilatedFstC waves_;
#endif
};

}  // namespace
}  // namespace tess::machine

// The unit, for whoever loads this object; `bytes` is the size of the ports' types, which must be the same there.
extern "C" void* tess_rtl_make(void const* parameters, unsigned long bytes) {
  using namespace tess::machine;  // NOLINT
  if (bytes != sizeof(interface_parameters) + sizeof(interface_inputs) + sizeof(interface_outputs)) return nullptr;
  return static_cast<interface_unit*>(
      std::make_unique<verilated_interface>(*static_cast<interface_parameters const*>(parameters)).release());
}
