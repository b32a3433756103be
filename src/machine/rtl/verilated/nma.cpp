// nma: the hardware of rtl/nma, made C++ by Verilator, behind the ports that the simulator knows. It is compiled into a
// shared object of its own (tools/rtl/library.py), once for each set of parameters.
//
//   Packed structs of ports are filled and read from their last field on.
//
// Threads   one.
#include <Vnma.h>
#include <verilated.h>

#include <algorithm>
#include <memory>

#include "machine/kernel/units.hpp"
#include "machine/nma/nma_unit.hpp"
#ifdef TESS_RTL_WAVES
#include <verilated_fst_c.h>
#endif

namespace tess::machine {
namespace {

class verilated_nma final : public nma_unit {
 public:
  explicit verilated_nma(nma_description const& description)
      : lanes_(description.burst_bytes / static_cast<std::uint32_t>(word_bytes)) {
#ifdef TESS_RTL_WAVES
    context_.traceEverOn(true);
    model_.trace(&waves_, 99);
    waves_.open(TESS_RTL_WAVES);
#endif
    model_.clk_i = 0;
    for (bool const runs : {true, false, true}) {
      model_.rst_ni = runs;
      model_.eval();
    }
    write_inputs();
    model_.eval();
    read_outputs();
  }

  void step() override {
    write_inputs();
    edge();
    read_outputs();
  }

 private:
  /// Bits of a port that is wider than 64 bits, one field after another.
  template <class Words>
  struct fields {
    Words& words;
    unsigned at = 0;
    void put(std::uint64_t value, unsigned bits) {
      for (unsigned done = 0; done < bits;) {
        unsigned const shift = (at + done) % 32;
        unsigned const piece = std::min(32 - shift, bits - done);
        std::uint32_t const mask = (piece == 32 ? ~0U : (1U << piece) - 1) << shift;
        std::uint32_t const part = static_cast<std::uint32_t>(value >> done) << shift;
        words[(at + done) / 32] = (words[(at + done) / 32] & ~mask) | (part & mask);
        done += piece;
      }
      at += bits;
    }
    [[nodiscard]] std::uint64_t take(unsigned bits) {
      std::uint64_t value = 0;
      for (unsigned done = 0; done < bits;) {
        unsigned const shift = (at + done) % 32;
        unsigned const piece = std::min(32 - shift, bits - done);
        std::uint64_t const mask = (std::uint64_t{1} << piece) - 1;
        value |= (words[(at + done) / 32] >> shift & mask) << done;
        done += piece;
      }
      at += bits;
      return value;
    }
  };

  void edge() {
    for (bool const up : {true, false}) {
      model_.clk_i = up;
      model_.eval();
#ifdef TESS_RTL_WAVES
      waves_.dump(context_.time());
      waves_.flush();
      context_.timeInc(1);
#endif
    }
  }

  void write_inputs() {
    fields settings{model_.settings_i};
    settings.put(in.types_count, 32);
    settings.put(in.types_address, 64);
    settings.put(in.map_entries, 38);
    settings.put(in.map_offset, 40);
    model_.job_valid_i = in.job_valid;
    if (in.job_valid) {
      fields job{model_.job_i};
      job.put(in.job.sound, 1);
      job.put(in.job.hashed, 1);
      job.put(in.job.objects, 32);
      job.put(in.job.final_shift, 64);
      job.put(in.job.ends, 40);
      job.put(in.job.begins, 40);
      job.put(in.job.target, 40);
      job.put(in.job.source_shift, 40);
      job.put(in.job.source_end, 64);
      job.put(in.job.source_base, 64);
      job.put(in.job.root, 64);
    }
    model_.access_ready_i = in.access_ready;
    model_.answer_valid_i = in.answer_valid;
    if (in.answer_valid) {
      model_.answer_tag_i = static_cast<std::uint8_t>(in.answer_tag);
      fields words{model_.answer_words_i};
      for (std::uint32_t lane = 0; lane < lanes_; ++lane) words.put(in.answer_words[lane], 64);
    }
    model_.written_i = in.written;
    model_.record_ready_i = in.record_ready;
    model_.record_answer_valid_i = in.record_answer_valid;
    model_.record_fault_i = in.record_fault;
    if (in.record_answer_valid) {
      fields words{model_.record_words_i};
      for (std::uint64_t const word : in.record_words) words.put(word, 64);
    }
    model_.result_ready_i = in.result_ready;
  }

  void read_outputs() {
    out.job_ready = model_.job_ready_o != 0;
    out.job_begins = model_.job_begins_o != 0;
    out.quiet = model_.quiet_o != 0;
    out.access_valid = model_.access_valid_o != 0;
    if (out.access_valid) {
      out.access = {.writes = model_.access_writes_o != 0,
                    .tag = model_.access_tag_o,
                    .offset = model_.access_offset_o,
                    .words = model_.access_words_o,
                    .lane = model_.access_lane_o,
                    .data = nullptr};
      if (out.access.writes) {
        fields words{model_.access_data_o};
        for (std::uint32_t lane = 0; lane < lanes_; ++lane) data_[lane] = words.take(64);
        out.access.data = data_.data();
      }
    }
    out.record_valid = model_.record_valid_o != 0;
    if (out.record_valid) {
      out.record_address = model_.record_address_o;
      out.record_whole = model_.record_whole_o != 0;
    }
    out.result_valid = model_.result_valid_o != 0;
    if (out.result_valid) {
      fields result{model_.result_o};
      out.result.objects = result.take(32);
      out.result.bytes = result.take(40);
      out.result.root = result.take(64);
      out.result.fault = static_cast<registers::graph_fault>(result.take(4));
    }
  }

  /// A context whose registers without a reset begin with anything.
  struct unknown_context : VerilatedContext {
    unknown_context() {
      randReset(2);
      randSeed(1);
    }
  };
  unknown_context context_;
  Vnma model_{&context_, ""};
#ifdef TESS_RTL_WAVES
  VerilatedFstC waves_;
#endif
  std::uint32_t lanes_;
  std::array<std::uint64_t, lanes_max> data_{};
};

}  // namespace
}  // namespace tess::machine

// The unit, for whoever loads this object; `bytes` is the size of the ports' types, which must be the same there.
extern "C" void* tess_rtl_make(void const* parameters, unsigned long bytes) {
  using namespace tess::machine;  // NOLINT
  if (bytes != sizeof(nma_description) + sizeof(nma_unit)) return nullptr;
  return static_cast<nma_unit*>(
      std::make_unique<verilated_nma>(*static_cast<nma_description const*>(parameters)).release());
}
