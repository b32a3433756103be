// job_machine: the list of jobs: the clocked model of rtl/cni/cni_jobs, register for register.
//
// Cost      a turn in the cycle after it was asked for; later if entries have to leave, or to move aside.
// Threads   one.
#pragma once

#include <deque>
#include <vector>

#include "machine/cni/job_unit.hpp"

namespace tess::machine {

class job_machine final : public job_unit {
 public:
  explicit job_machine(parameters const& made) : places_(made.jobs) {}

  void step() override;

 private:
  struct place {
    bool used = false;
    bool waits = false;  ///< An entry without this has ended.
    bool is_copy = false;
    piece_unit::entry copy;
  };

  [[nodiscard]] bool is_dead(std::deque<std::uint32_t> const& queue) const noexcept;
  void look();
  void refresh();

  std::vector<place> places_;
  std::deque<std::uint32_t> list_;
  std::deque<std::uint32_t> aside_;  ///< Copies that were passed: all of them came before those of the list.
  std::uint32_t copies_ = 0, others_ = 0;
  bool turn_valid_ = false;
  std::uint32_t turn_number_ = 0;
  piece_unit::entry turn_;
};

}  // namespace tess::machine
