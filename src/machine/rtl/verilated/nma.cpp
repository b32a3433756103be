// nma: the hardware of rtl/nma, made C++ by Verilator, behind the ports that the simulator knows. It is compiled into a
// shared object of its own (tools/rtl/library.py), once for each set of parameters.
//
// Threads   one.
#include <Vnma.h>

#include <algorithm>

#include "clocked_model.hpp"
#include "machine/kernel/units.hpp"
#include "machine/nma/nma_unit.hpp"

namespace tess::machine {
namespace {

class verilated_nma final : public verilated_unit<nma_unit, Vnma> {
 public:
  explicit verilated_nma(nma_description const& description)
      : lanes_(description.burst_bytes / static_cast<std::uint32_t>(word_bytes)) {}

 private:
  void write_inputs() override {
    Vnma& to = model_.ports;
    port_fields settings{to.settings_i};
    settings.put(in.types_count, 32);
    settings.put(in.types_address, 64);
    settings.put(in.map_entries, 38);
    settings.put(in.map_offset, 40);
    to.job_valid_i = in.job_valid;
    if (in.job_valid) {
      port_fields job{to.job_i};
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
    to.access_ready_i = in.access_ready;
    to.answer_valid_i = in.answer_valid;
    if (in.answer_valid) {
      to.answer_tag_i = static_cast<std::uint8_t>(in.answer_tag);
      port_fields words{to.answer_words_i};
      for (std::uint32_t lane = 0; lane < lanes_; ++lane) words.put(in.answer_words[lane], 64);
    }
    to.written_i = in.written;
    to.record_ready_i = in.record_ready;
    to.record_answer_valid_i = in.record_answer_valid;
    to.record_fault_i = in.record_fault;
    if (in.record_answer_valid) {
      port_fields words{to.record_words_i};
      for (std::uint64_t const word : in.record_words) words.put(word, 64);
    }
    to.result_ready_i = in.result_ready;
  }

  void read_outputs() override {
    Vnma& from = model_.ports;
    out.job_ready = from.job_ready_o != 0;
    out.job_begins = from.job_begins_o != 0;
    out.quiet = from.quiet_o != 0;
    out.access_valid = from.access_valid_o != 0;
    if (out.access_valid) {
      out.access = {.writes = from.access_writes_o != 0,
                    .tag = from.access_tag_o,
                    .offset = from.access_offset_o,
                    .words = from.access_words_o,
                    .lane = from.access_lane_o,
                    .data = nullptr};
      if (out.access.writes) {
        port_fields words{from.access_data_o};
        for (std::uint32_t lane = 0; lane < lanes_; ++lane) data_[lane] = words.take(64);
        out.access.data = data_.data();
      }
    }
    out.record_valid = from.record_valid_o != 0;
    if (out.record_valid) {
      out.record_address = from.record_address_o;
      out.record_whole = from.record_whole_o != 0;
    }
    out.result_valid = from.result_valid_o != 0;
    if (out.result_valid) {
      port_fields result{from.result_o};
      out.result.objects = result.take(32);
      out.result.bytes = result.take(40);
      out.result.root = result.take(64);
      out.result.fault = static_cast<registers::graph_fault>(result.take(4));
    }
  }

  std::uint32_t lanes_;
  std::array<std::uint64_t, lanes_max> data_{};
};

}  // namespace
}  // namespace tess::machine

extern "C" void* tess_rtl_make(void const* parameters, unsigned long bytes) {
  using namespace tess::machine;  // NOLINT
  return verilated_nma::make<verilated_nma, nma_description>(parameters, bytes);
}
