// words: separates the arguments of `tess run` into its own and the program's.
//
//   The options of `tess run` are recognised before and after the program's name, up to a `--`, which is dropped.
//   Every other word after the name goes to the program unchanged, in order:
//     run bfs data/x.mtx.gz --source libc6 -n 4   →   ours: -n 4; program: bfs; arguments: data/x.mtx.gz --source libc6
//   Behind --machine they are recognised before the name only, as the program may be anybody's:
//     run --machine M ./prog -n 2 --seed 3        →   ours: --machine M; program: ./prog; arguments: -n 2 --seed 3
//
// Errors    usage_error: an unknown option before the name, or an option of `tess run` without its value.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "cli/command/command.hpp"

namespace tess::cli {

struct run_option {
  std::string_view name;        // --places
  std::string_view short_name;  // -n, or empty
  std::string_view value;       // what the help calls its value; empty: it takes none
  std::string_view variable;    // the environment variable that tells the runtime; empty: it is the machine's
  std::string_view meaning;
};

inline constexpr std::array run_options{
    run_option{"--places", "-n", "PLACES", "TESS_PLACES",
               "partitions of the global memory; on a machine: tiles, default all"},
    run_option{"--workers", "", "WORKERS", "TESS_WORKERS",
               "workers of each place, or harts: one for each of a simulated tile, as bundled programs have there"},
    run_option{"--threads", "", "THREADS", "TESS_THREADS", "threads that all places share"},
    run_option{"--pin", "", "WHERE", "TESS_PIN",
               "processors of the threads: none, cores (one each), or a list as 0,2-5 (0 alone is 0-0); default: cores "
               "if there are as many threads as processors"},
    run_option{"--numa", "", "POLICY", "TESS_NUMA",
               "memory nodes of the segments, where there are several: local (default), interleave or none"},
    run_option{"--fabric", "", "FABRIC", "TESS_FABRIC",
               "how words and bytes move: smp, ucx (every place a process), tile (a tile of a machine, the default "
               "there), checked (verifies every call) or hostile (late, out of order)"},
    run_option{"--hosts", "", "HOST,HOST", "TESS_HOSTS", "ucx: where the processes run; as many times as places there"},
    run_option{
        "--launcher", "", "LAUNCHER", "TESS_LAUNCHER",
        "ucx: what starts the processes: tess (this host only), mpirun, prterun or srun; default: srun inside an "
        "allocation, mpirun for --hosts and for programs of MPI, otherwise tess"},
    run_option{"--tag-output", "", "", "TESS_TAG_OUTPUT", "ucx: each line of output says which place wrote it"},
    run_option{"--failure-timeout", "", "SECONDS", "TESS_FAILURE_TIMEOUT",
               "ucx: a failed place is detected within this time; default 10"},
    run_option{"--delay", "", "TIME[,JITTER]", "TESS_DELAY",
               "delay every operation on another place by this time, such as 3us or 3us,1us"},
    run_option{"--no-window", "", "", "TESS_NO_WINDOW",
               "words of other places go through the fabric instead of inlined loads and stores"},
    run_option{"--copier", "", "COPIER", "TESS_COPIER",
               "how graphs of objects travel: nemesys (default), pegasus or message_passing; on a machine also no_nca: "
               "like nemesys, but a hart does the work of the near-cache accelerator"},
    run_option{"--dummy-allocations", "", "", "TESS_DUMMY_ALLOCATIONS",
               "where an accelerator copied a graph, the receiver allocates as many objects, as other copiers must"},
    run_option{"--heap", "", "HEAP", "TESS_HEAP",
               "recycled (default), or collected: memory of objects is used again only when a place's heap is full"},
    run_option{"--seed", "", "SEED", "TESS_SEED", "seed of everything random, also of programs with an option --seed"},
    run_option{"--buffer-memory", "", "BYTES", "TESS_BUFFER_MEMORY",
               "memory for a place's messages until they are delivered"},
    run_option{"--flush-bytes", "", "BYTES", "TESS_FLUSH_BYTES",
               "send aggregated messages before a buffer exceeds this size"},
    run_option{"--flush-after", "", "MICROSECONDS", "TESS_FLUSH_AFTER",
               "send aggregated messages about this long after the first of them"},
    run_option{"--flush-idle", "", "0|1", "TESS_FLUSH_IDLE", "1: also send aggregated messages when a worker is idle"},
    run_option{"--overlap-calls", "", "0|1", "TESS_OVERLAP_CALLS",
               "0: a worker starts no further task while one of its tasks waits for an `at`"},
    run_option{"--stats", "", "FILE", "TESS_STATS", "write statistics there, as JSON"},
    run_option{"--trace", "", "FILE", "TESS_TRACE", "write a trace there, for Perfetto"},
    run_option{"--stall-timeout", "", "SECONDS", "TESS_STALL_TIMEOUT",
               "report which tasks wait where after this long without progress; 0: never"},
    run_option{
        "--machine", "", "NAME|FILE", "",
        "run the program on this simulated machine, such as nemesys-4x4, or FILE.toml; yours is a static RV64 one"},
    run_option{"--timing", "", "on|off", "",
               "of the machine: off is one coherent flat memory, without time; default of single-tile only"},
    run_option{"--engine", "", "translator|interpreter", "",
               "of the machine, without time: whether instructions become instructions of this computer; same results"},
    run_option{"--picture", "", "FILE.svg", "", "of the machine: draw its grid with the load of every part there"},
    run_option{"--profile", "", "FILE", "",
               "of the machine: where its cycles went there, by function, line and call path: .svg, .json, .csv, "
               ".folded or .harts; repeatable"},
    run_option{
        "--trace-instructions", "", "FILE[,from=CYCLE][,to=CYCLE][,tiles=LIST]", "",
        "of the machine: each instruction and what it changed, as text, or FILE.tessi as columns, of these cycles "
        "and tiles (0-3+7) only"},
    run_option{"--report", "", "FILE.html", "",
               "of the machine: a page about the run, which opens without a network, as tess report makes of several"},
    run_option{"--stats-over-time", "", "FILE", "",
               "of the machine: the statistics of each interval, as a table (.csv, .parquet) or a picture (.svg); "
               "repeatable"},
    run_option{"--stats-every", "", "TIME", "", "of the machine: that interval, as 10us, 500ns or 2000cycles"},
    run_option{
        "--task-trace", "", "FILE", "",
        "of the machine: the runtime's own trace of tasks, as --trace without a machine; writing it takes simulated "
        "time"},
    run_option{"--tile", "", "TILE", "", "of the machine: the first tile that may run the program"},
    run_option{"--copies", "", "COPIES", "",
               "of the machine: number of tiles that run a copy of a program without the runtime; default 1"},
    run_option{"--pes-per-tile", "", "PES", "",
               "of the machine: number of PEs of an OpenSHMEM program in each tile; compile it with the same number"},
    run_option{"--system", "", "polled|kernel|FILE", "",
               "of the machine: what the system's hart of each tile runs: nothing, the system kernel, or FILE"},
    run_option{"--layout", "", "N", "",
               "of the machine: stack, heap and mappings begin elsewhere, by a number; default 0, as usual"},
    run_option{"--rtl", "", "UNIT", "",
               "of the machine: this unit's hardware, as SystemVerilog, for its model: cni, nca, nma, rae; repeatable"},
    run_option{"--image", "", "tlm|memory", "",
               "of the machine: where image and heap of a program of the runtime lie; default tlm, tile-local"},
    run_option{"--slice", "", "CYCLES", "",
               "of the machine: how long a thread keeps its hart while others wait for one; default 100000"},
    run_option{"--max-cycles", "", "CYCLES", "",
               "of the machine: end the run after this many cycles, with exit code 1 and all reports"},
    run_option{"--max-instructions", "", "INSTRUCTIONS", "",
               "of the machine: the same after this many instructions of all harts"},
    run_option{"--max-seconds", "", "SECONDS", "", "of the machine: the same after this long on this computer"},
    run_option{"--fast-forward-to", "", "begin|end|REGION|INSTRUCTIONS", "",
               "of the machine: run without timing up to this point, then with timing and warm caches; one tile only"},
    run_option{"--sample", "", "auto|period=N,window=N,warmup=N,follow=N|all,error=N%", "",
               "of the machine: estimate the cycles of an untimed run from timed windows"},
    run_option{"--checkpoint-at", "", "CYCLE|begin|end", "",
               "of the machine: write all of it to a file then, or at the begin or end of what the program measures, "
               "and go on; repeatable"},
    run_option{"--checkpoint", "", "FILE", "", "of the machine: that file; default checkpoint.tess"},
    run_option{"--gdb", "", ":PORT", "",
               "of the machine: wait there, on this computer, for gdb-multiarch, and run as it says, also backwards"},
    run_option{"--restore", "", "FILE", "",
               "go on from this checkpoint, in place of a program; with --machine on that one, if it has the same "
               "tiles and addresses"},
    run_option{"--allow-write", "", "DIR", "", "of the machine: the program may write below this folder; repeatable"},
    run_option{"--allow-read", "", "DIR", "",
               "of the machine: the program may read below this folder and those of --allow-write, and nothing else; "
               "repeatable; without it: below the current folder and its own, and what its words name"},
    run_option{
        "--env", "", "NAME=VALUE", "",
        "of the machine: an environment variable of the program, which gets of yours only TESS_, SHMEM_ and SMA_; "
        "repeatable"},
};

struct run_split {
  words ours;           // options with their values, for the option parser
  std::string program;  // empty if none was given
  words arguments;
};

run_split split_run_words(words const& given);

}  // namespace tess::cli
