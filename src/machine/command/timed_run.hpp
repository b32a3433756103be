// timed_run: a run on a described machine: what was asked for, the program, the machine with all its state, and what is
// recorded on the way.
//
//   Nothing in it refers to anything outside, but for descriptors of the host. So if it was made while the heap was
//   active, the heap's bytes are a checkpoint of it.
//
// Errors    wrong_use, elf_error, config_error from the constructor.
// Threads   none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "machine/command/run.hpp"
#include "machine/profile/cycle_profile.hpp"
#include "machine/report/runtime_files.hpp"
#include "machine/report/timeline.hpp"
#include "machine/report/trace.hpp"
#include "machine/timed/timed_machine.hpp"

namespace tess::machine {

class timed_run {
 public:
  timed_run(chosen_options const& begun, runtime_files const& of_runtime);
  /// The other run goes on on this machine (timed_machine::take_over), with all that is counted from now on.
  timed_run(timed_run& from, std::string const& machine, runtime_files const& of_runtime);
  timed_run(timed_run const&) = delete;
  timed_run& operator=(timed_run const&) = delete;

  /// To the end, or to what `now` has as limits. Progress is shown on a terminal, unless `now` is quiet.
  machine_outcome run(chosen_options const& now, run_pauses& pauses);

  [[nodiscard]] chosen_options const& begun() const noexcept { return begun_; }
  [[nodiscard]] machine_description const& described() const noexcept { return described_; }
  [[nodiscard]] timed_machine& machine() noexcept { return *machine_; }
  [[nodiscard]] elf_image const& image() const noexcept { return image_; }
  /// The machine's file with all that it extends.
  [[nodiscard]] std::string const& machine_text() const noexcept { return machine_text_; }
  /// Where the runtime in the program writes; empty: it does not.
  [[nodiscard]] std::string const& runtime_folder() const noexcept { return runtime_folder_; }
  /// The run goes on in another process.
  void restored(runtime_files const& of_runtime) { runtime_folder_ = of_runtime.folder().string(); }
  /// If they were asked for.
  [[nodiscard]] std::optional<trace>& traced() noexcept { return traced_; }
  [[nodiscard]] std::optional<cycle_profile>& profiled() noexcept { return profiled_; }
  [[nodiscard]] std::optional<timeline>& over_time() noexcept { return over_time_; }
  /// Statistics over time, from now on, as `now` has it.
  void begin_timeline(chosen_options const& now);

 private:
  void make_machine(runtime_files const& of_runtime);
  [[nodiscard]] std::string system_of() const;
  [[nodiscard]] std::uint32_t copies_of() const;
  void check_machine() const;
  void check_translation() const;
  void check_copies_in_tile() const;
  void check_room() const;
  void place_in_memory();
  void start_system(std::string const& what);

  chosen_options begun_;
  std::string machine_text_;
  std::string runtime_folder_;
  machine_description described_;
  std::vector<std::byte> file_;
  elf_image image_;
  std::vector<std::byte> system_contents_;
  std::string system_file_;  ///< What the system's harts run; empty: nothing.
  elf_image system_image_;
  std::unique_ptr<timed_machine> machine_;
  std::optional<trace> traced_;
  std::optional<cycle_profile> profiled_;
  std::optional<timeline> over_time_;
};

}  // namespace tess::machine
