// main: `tess-machine`: runs a program on a simulated machine; `tess run --machine` becomes this program.
//
//   Standard input, output and error belong to the program. The first and last lines of standard error are the
//   simulator's.
//
// Errors    exit code of the program; 1 if it trapped, deadlocked, came to a limit or the simulator failed; 2 for wrong
//           use or input; 128 and the signal's number after SIGINT or SIGTERM, which end a run as a limit does.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string>

#include "base/standard_output.hpp"
#include "machine/command/failures.hpp"
#include "machine/command/run.hpp"
#include "machine/config/comparison.hpp"
#include "machine/config/named_machines.hpp"
#include "machine/report/explanation.hpp"
#include "machine/rtl/hardware.hpp"

namespace {

using tess::machine::chosen_options;
using tess::machine::exit_misuse;
using tess::machine::wrong_use;

void read_tile(std::string const& text, chosen_options& chosen) {
  std::uint32_t* const parts[] = {&chosen.first_tile, &chosen.first_tile_row};
  char const* at = text.data();
  char const* const end = at + text.size();
  for (std::uint32_t* const part : parts) {
    auto const [behind, error] = std::from_chars(at, end, *part);
    if (error != std::errc{}) break;
    if (behind == end) return;
    if (*behind != ',') break;
    at = behind + 1;
  }
  throw CLI::ValidationError("--tile", "\"" + text + "\" is neither a number nor x,y");
}

void read_port(std::string text, chosen_options& chosen) {
  if (text.starts_with(':')) text.erase(0, 1);
  std::uint16_t port = 0;
  auto const [behind, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (text.empty() || error != std::errc{} || behind != text.data() + text.size())
    throw CLI::ValidationError("--gdb", "\"" + text + "\" is no port; give one as :3333");
  chosen.gdb_port = port;
}

void declare(CLI::App& app, chosen_options& chosen) {
  app.add_option("--machine", chosen.machine, "a machine by name, or the file of one");
  app.add_option("--timing", chosen.timing,
                 "off: one coherent flat memory, one instruction a cycle; the default of single-tile only")
      ->check(CLI::IsMember({"off", "on"}));
  app.add_option(
         "--engine", chosen.engine,
         "what executes instructions without time: translator (default), which compiles those that are executed "
         "often to code of this computer, or interpreter; the results are the same")
      ->check(CLI::IsMember({"translator", "interpreter"}))
      ->envname("TESS_ENGINE");
  app.add_option("--rtl", chosen.rtl,
                 "with time: the hardware of this unit, in SystemVerilog, takes the place of its model; it is compiled "
                 "once; repeatable")
      ->check(CLI::IsMember(tess::machine::hardware_names))
      ->type_name("UNIT")
      ->expected(1)
      ->take_all();
  app.add_option_function<std::string>(
      "--tile", [&chosen](std::string const& text) { read_tile(text, chosen); },
      "with time: the first tile that may run the program, by number or as x,y");
  app.add_option("--copies", chosen.copies, "with time: tiles that run a copy of the program")
      ->check(CLI::Range(1, 4096));
  app.add_option("--pes-per-tile", chosen.copies_in_tile, "with time: copies of an OpenSHMEM program in each tile")
      ->check(CLI::Range(1, 64));
  app.add_option("--system", chosen.system,
                 "with time: what the system's harts run: polled (nothing), kernel, or a program for machine mode")
      ->type_name("polled|kernel|FILE");
  app.add_option("--harts", chosen.harts, "threads that can run at a time")->check(CLI::Range(1, 1024));
  app.add_option("--memory", chosen.memory_mebibytes, "memory of the program")
      ->type_name("MiB")
      ->check(CLI::Range(16, 262144));
  app.add_option("--allow-write", chosen.write_folders, "a folder below which the program may write; repeatable")
      ->type_name("DIR")
      ->expected(1)
      ->take_all();
  app.add_option("--allow-read", chosen.read_folders,
                 "the program may read below this folder and those of --allow-write, and nothing else; repeatable; "
                 "without it: below the current folder and the program's own, and the files and folders that its words "
                 "name")
      ->type_name("DIR")
      ->expected(1)
      ->take_all();
  app.add_option("--env", chosen.environment, "one for the program's environment, which is otherwise empty; repeatable")
      ->type_name("NAME=VALUE")
      ->check([](std::string const& text) {
        return text.find('=') - 1 < text.size() ? "" : fmt::format("\"{}\" will not do; give NAME=VALUE", text);
      })
      ->expected(1)
      ->take_all();
  app.add_option("--seed", chosen.seed, "of everything random in the program")->envname("TESS_SEED");
  app.add_option("--layout", chosen.layout,
                 "where stack, heap and mappings begin, by a number; 0: as usual; another number moves them")
      ->check(CLI::Range(0U, 1'000'000U));
  app.add_option_function<std::string>(
         "--image", [&chosen](std::string const& where) { chosen.image_in_memory = where == "memory"; },
         "with time, for programs of the runtime: memory: image and heap lie in the tile's partition of DDR; tlm: in "
         "the "
         "tile-local memory, the default")
      ->check(CLI::IsMember({"tlm", "memory"}));
  app.add_option("--slice", chosen.slice_cycles,
                 "how long a thread keeps its hart while others wait for one; default 100000")
      ->type_name("CYCLES")
      ->check(CLI::Range(std::uint64_t{1000}, std::uint64_t{1} << 40U));
  app.add_option("--max-cycles", chosen.cycles_max, "the run ends after so many, with 1 and all reports")
      ->check(CLI::PositiveNumber);
  app.add_option("--max-instructions", chosen.instructions_max, "the same, of all harts together; it may be a few more")
      ->check(CLI::PositiveNumber);
  app.add_option("--max-seconds", chosen.seconds_max, "the same after so long here; as Ctrl-C, it does not repeat")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--fast-forward-to", chosen.fast_forward,
                 "run the program without time up to there, and with time from then on, with warm caches: the begin or "
                 "the end of what it measures, a region that it names, or a number of instructions")
      ->type_name("begin|end|REGION|INSTRUCTIONS");
  app.add_option("--sample", chosen.sample,
                 "run the program without time, and simulate windows of it with time, in other processes: an estimate "
                 "of its cycles, with an interval; auto: period=8000000,window=100000,warmup=10000,follow=all,error=3%")
      ->type_name("auto|period=N,window=N,warmup=N,follow=N|all,error=N%");
  app.add_option("--checkpoint-at", chosen.checkpoint_at,
                 "with time: write the whole machine to a file when it comes to this cycle, or to the begin or the end "
                 "of what the program measures, and go on; repeatable")
      ->type_name("CYCLE|begin|end")
      ->expected(1)
      ->take_all();
  app.add_option("--checkpoint", chosen.checkpoint,
                 "the file for --checkpoint-at; with several places, each is a part of its name")
      ->type_name("FILE")
      ->capture_default_str();
  app.add_option(
         "--restore", chosen.restore,
         "go on from this checkpoint, instead of running a program; options for limits and reports may be given, and "
         "another --machine with the same tiles and addresses")
      ->type_name("FILE");
  app.add_option_function<std::string>(
         "--gdb", [&chosen](std::string const& text) { read_port(text, chosen); },
         "with time: wait there, on this computer, for gdb-multiarch, and run as it says; :0: any port")
      ->type_name(":PORT");
  app.add_option("--stats", chosen.statistics, "write what was counted there, as JSON")->type_name("FILE");
  app.add_option("--trace", chosen.trace, "with time: write a trace for Perfetto there")->type_name("FILE");
  app.add_option("--task-trace", chosen.task_trace, "have the runtime in the program write a trace of its tasks there")
      ->type_name("FILE");
  app.add_option("--profile", chosen.profiles,
                 "with time: write there where the cycles of all harts went, by function, line and call path, and what "
                 "they were spent on: a flame graph (.svg), for speedscope.app (.json), for other tools (.folded), "
                 "or a table of lines (.csv) or of harts (.harts); repeatable")
      ->type_name("FILE")
      ->expected(1)
      ->take_all();
  app.add_option(
         "--trace-instructions", chosen.instructions,
         "write each instruction there, and what it changed, as Spike's --log-commits does, or, in a file .tessi, "
         "as columns; of these cycles and tiles only, as in t.log,from=1000,to=2000,tiles=0-3+7")
      ->type_name("FILE[,from=CYCLE][,to=CYCLE][,tiles=LIST]");
  app.add_option("--stats-over-time", chosen.over_time,
                 "with time: write the statistics of each interval there: a table (.csv or .parquet), or a picture of "
                 "all parts over time (.svg); repeatable")
      ->type_name("FILE")
      ->expected(1)
      ->take_all();
  app.add_option("--stats-every", chosen.interval,
                 "the interval of --stats-over-time, as 10us, 500ns, 1ms or 2000cycles; default: as it grows, so that "
                 "there are up to 512")
      ->type_name("TIME");
  app.add_option("--picture", chosen.picture, "with time: draw the grid with its loads there, as SVG")
      ->type_name("FILE.svg");
  app.add_flag("--list", chosen.list, "the machines there are, one a line, instead of a run");
  app.add_option("--explain", chosen.explain, "a machine in words, instead of a run")->type_name("NAME|FILE.toml");
  app.add_option("--show", chosen.show, "a machine's file with all that it extends, instead of a run")
      ->type_name("NAME|FILE.toml");
  app.add_option("--differences", chosen.compared, "the keys in which two machines differ, instead of a run")
      ->type_name("NAME|FILE.toml")
      ->expected(2);
  app.add_flag("--json", chosen.json, "with --differences: as JSON");
  app.add_flag("--quiet", chosen.quiet, "print nothing of the simulator's own but errors");
}

/// What a checkpoint has is as it was when its run began.
void refuse_without_effect(CLI::App const& app, chosen_options const& chosen) {
  if (!chosen.arguments.empty())
    throw wrong_use{"--restore goes on with the program of the checkpoint; leave out " + chosen.arguments.front()};
  for (char const* const option :
       {"--timing", "--tile", "--copies", "--pes-per-tile", "--system", "--harts", "--memory", "--allow-write",
        "--allow-read", "--env", "--layout", "--image", "--slice", "--rtl", "--seed"})
    if (app.get_option(option)->count() != 0)
      throw wrong_use{fmt::format("--restore: {} is as it was when the run began; leave the option out", option)};
}

void list_machines() {
  for (std::string const& name : tess::machine::machine_names())
    fmt::print("{:<20} {}\n", name, tess::machine::described_machine(name).summary);
}

void print_differences(chosen_options const& chosen) {
  auto const found = tess::machine::differences_of(chosen.compared.front(), chosen.compared.back());
  auto const shown = [](std::string const& value, char const* none) { return value.empty() ? none : value; };
  if (chosen.json) {
    fmt::print("[");
    for (auto const& one : found) {
      fmt::print("{}\n  {{\"key\": \"{}\", \"values\": [{}, {}]}}", &one == &found.front() ? "" : ",", one.key,
                 shown(one.json.first, "null"), shown(one.json.second, "null"));
    }
    fmt::print("{}]\n", found.empty() ? "" : "\n");
    return;
  }
  std::size_t widths[] = {3, chosen.compared.front().size()};
  for (auto const& one : found) {
    widths[0] = std::max(widths[0], one.key.size());
    widths[1] = std::max(widths[1], one.written.first.size());
  }
  widths[1] = std::min<std::size_t>(widths[1], 60);
  if (found.empty()) return fmt::print("no key differs but name and summary\n");
  fmt::print("{:<{}}  {:<{}}  {}\n", "key", widths[0], chosen.compared.front(), widths[1], chosen.compared.back());
  for (auto const& one : found) {
    fmt::print("{:<{}}  {:<{}}  {}\n", one.key, widths[0], shown(one.written.first, "-"), widths[1],
               shown(one.written.second, "-"));
  }
}

}  // namespace

int main(int argc, char** argv) {
  tess::detail::check_standard_output_at_exit();
  chosen_options chosen;
  CLI::App app{
      "Runs a static RV64 Linux program on a simulated machine: tess-machine [OPTIONS] -- PROGRAM [ARGUMENTS]"};
  app.footer("Example: tess-machine --timing off -- ./hello");
  declare(app, chosen);
  // Everything after `--` belongs to the program.
  char** const split = std::find(argv, argv + argc, std::string_view{"--"});
  chosen.arguments.assign(std::min(split + 1, argv + argc), argv + argc);
  try {
    app.parse(static_cast<int>(split - argv), argv);
    if (chosen.list) return list_machines(), 0;
    if (!chosen.show.empty()) return fmt::print("{}", tess::machine::resolved_text(chosen.show)), 0;
    if (!chosen.compared.empty()) return print_differences(chosen), 0;
    if (!chosen.explain.empty()) {
      fmt::print("{}", tess::machine::explanation_of(tess::machine::described_machine(chosen.explain)));
      return 0;
    }
    if (!chosen.restore.empty()) refuse_without_effect(app, chosen);
    if (!chosen.restore.empty() && app.get_option("--machine")->count() == 0) chosen.machine.clear();
    if (chosen.arguments.empty() && chosen.restore.empty())
      throw wrong_use{"which program? give it after --, as in tess-machine -- ./hello"};
    return tess::machine::run(chosen);
  } catch (CLI::Success const& done) {
    return app.exit(done);
  } catch (CLI::ParseError const& wrong) {
    fmt::print(stderr, "tess-machine: {}; see --help\n", wrong.what());
    return exit_misuse;
  } catch (...) {
    return tess::machine::report_failure();
  }
}
