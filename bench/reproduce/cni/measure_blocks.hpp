// measure_blocks: measures an algorithm on blocks for every size; prints one line of JSON per run and core.
//
//   Each size runs once to fill the caches, unmeasured, and then `rounds` times. The last result is compared with that
//   of a second algorithm.
//
// Units     cycles of the clock that all cores share.
// Errors    exit code 1: a result is wrong; 2: wrong arguments.
#pragma once

#include <charconv>
#include <string_view>

#include "tile_core.hpp"

namespace cni {

/// 0 if the text is not a number.
inline std::uint64_t number_of(std::string_view text) {
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? value : 0;
}

struct blocks_asked {
  char const* program = nullptr;
  char const* transport = nullptr;
  std::uint64_t least = 0;  // elements
  std::uint64_t most = 0;
  std::uint64_t rounds = 0;
};

/// Algorithm: a type made of a core and n. `check(algorithm, n)`: whether its result is correct.
template <template <class> class Algorithm, core Core, class Check>
void measure_blocks(Core& own, blocks_asked const& asked, Check check) {
  for (std::uint64_t n = asked.least; n <= asked.most; n *= 2) {
    Algorithm<Core> algorithm(own, n);
    std::vector<spent> times;
    for (std::uint64_t round = 0; round <= asked.rounds; ++round) {
      algorithm.fill();
      own.barrier();
      spent const time = algorithm.run();
      if (round != 0) times.push_back(time);
      own.barrier();
    }
    expect(check(algorithm, n), "the result is wrong");
    for (spent const& time : times)
      std::printf(
          "{\"program\":\"%s\",\"transport\":\"%s\",\"cores\":%u,\"core\":%u,\"n\":%lu,"
          "\"begin\":%lu,\"end\":%lu,\"sending\":%lu,\"waiting\":%lu}\n",
          asked.program, asked.transport, own.cores(), own.number(), static_cast<unsigned long>(n),
          static_cast<unsigned long>(time.begin), static_cast<unsigned long>(time.end),
          static_cast<unsigned long>(time.sending), static_cast<unsigned long>(time.waiting));
    own.barrier();
  }
}

template <template <class> class Algorithm, transport By, class Check>
void measure_blocks_by(blocks_asked const& asked, Check check) {
  chip const on;
  must(is_power(on.cores()) && on.cores() <= 4, "1, 2 or 4 copies (--copies) are needed");
  tile_core<By> own(on);
  must(asked.most <= Algorithm<tile_core<By>>::elements_max, "so many elements do not fit into a scratchpad");
  must(asked.least >= on.cores(), "there must be as many elements as copies");
  measure_blocks<Algorithm>(own, asked, check);
  expect(hw::faults() == 0, "a transfer failed");
}

/// Arguments: TRANSPORT LEAST MOST ROUNDS.
template <template <class> class Algorithm, class Check>
int measure_blocks(char const* program, std::uint64_t least_allowed, int count, char** words, Check check) {
  blocks_asked asked{program};
  std::string_view const by = count == 5 ? words[1] : "";
  if (count == 5) {
    asked.transport = words[1];
    asked.least = number_of(words[2]);
    asked.most = number_of(words[3]);
    asked.rounds = number_of(words[4]);
  }
  bool const sizes = is_power(asked.least) && is_power(asked.most) && asked.least >= least_allowed;
  if ((by != "stores" && by != "rdma") || !sizes || asked.rounds == 0) {
    std::fprintf(stderr,
                 "usage: cni-%s stores|rdma LEAST MOST ROUNDS\n"
                 "  LEAST, MOST: elements, powers of two, all between are run; %lu is the least. --copies 1, 2 or 4\n",
                 program, static_cast<unsigned long>(least_allowed));
    return 2;
  }
  if (by == "rdma")
    measure_blocks_by<Algorithm, transport::rdma>(asked, check);
  else
    measure_blocks_by<Algorithm, transport::stores>(asked, check);
  return exit_code();
}

}  // namespace cni
