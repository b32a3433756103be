// run: runs a program on a machine as the command line says, and reports the result.
//
// Errors    wrong_use, elf_error, config_error: a wrong request. Errors of the program are in its exit code and on
//           standard error.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tess::machine {

struct wrong_use : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct chosen_options {
  std::string machine = "single-tile";
  std::string timing;                  // empty: on for a machine with a clock of its own, off for single-tile
  std::vector<std::string> arguments;  // the first is the program
  std::vector<std::string> write_folders;
  std::vector<std::string> read_folders;
  std::vector<std::string> environment;
  std::uint64_t seed = 1;
  std::uint64_t layout = 0;
  std::uint64_t slice_cycles = 100'000;
  std::uint64_t memory_mebibytes = 4096;
  std::uint32_t harts = 4;
  std::uint32_t first_tile = 0;
  std::uint32_t first_tile_row = 0;   // first_tile is then a column
  std::uint32_t copies = 0;           // 0: from the program's notes
  std::string statistics;             // files; empty: none
  std::string engine = "translator";  // of what runs without time: or interpreter
  std::vector<std::string> rtl;       // units whose hardware takes the model's place
  std::string system;                 // polled, kernel, or the file of a program for the system's harts
  std::string trace;
  std::string task_trace;
  std::string picture;
  std::string instructions;            // a file, and which instructions
  std::vector<std::string> over_time;  // files
  std::string interval;                // of over_time; empty: as it fits
  std::uint64_t cycles_max = 0;        // of limits, 0: none
  std::uint64_t instructions_max = 0;
  double seconds_max = 0;
  std::string checkpoint = "checkpoint.tess";  // a file
  std::vector<std::string> checkpoint_at;      // cycles, begin or end
  std::optional<std::uint16_t> gdb_port;
  std::string fast_forward;           // where time begins: begin, end, a region or a number of instructions
  std::string sample;                 // auto, or where windows of the run are; empty: it is no sampled run
  std::string restore;                // a checkpoint; instead of a program
  std::vector<std::string> profiles;  // files, by whose names it is known what they are
  std::uint32_t copies_in_tile = 1;
  bool image_in_memory = false;
  bool list = false;                  // instead of a run
  std::string explain;                // instead of a run
  std::string show;                   // the same
  std::vector<std::string> compared;  // the same: two machines
  bool json = false;
  bool quiet = false;

  /// Then the program is told that there is no time, and so no tiles.
  [[nodiscard]] bool begins_without_time() const noexcept { return !fast_forward.empty() || !sample.empty(); }
};

/// The exit code: the program's.
int run(chosen_options const& chosen);

}  // namespace tess::machine
