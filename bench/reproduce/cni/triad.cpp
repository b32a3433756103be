// triad: bandwidth of STREAM's triad a = b + q c over arrays in another memory, in blocks, with several buffers.
//
//   chip: the arrays are in core 0's scratchpad, and the other copies are workers. dram: each copy is a worker with
//   arrays in its own part of DDR. A worker fetches a block of b and one of c into a buffer, computes, and sends the
//   block of a back; with k buffers, the transfers of k - 1 others overlap with this.
//   rdma: the worker requests the copies. stores (chip only): core 0 pushes the blocks of b and c by remote stores into
//   free buffers; the worker stores its a into core 0's scratchpad.
//
// Units     bytes of one block of one array; cycles of the clock that all cores share. Elements are doubles, as in
//           STREAM.
// Errors    exit code 1: an element is wrong, or a transfer failed; 2: wrong arguments.
// Source    CNI (IJPP 2012), figure 8; J. D. McCalpin's STREAM.
#include "triad.hpp"

#include "measure_blocks.hpp"

namespace cni {
namespace {

struct triad_asked {
  bool on_chip = false;
  char const* transport = nullptr;
  std::uint64_t passes = 0;
};

void print(triad_asked const& asked, triad_shape const& of, unsigned workers, unsigned core, spent const& time) {
  std::printf(
      "{\"program\":\"triad\",\"place\":\"%s\",\"transport\":\"%s\",\"workers\":%u,\"core\":%u,\"buffers\":%lu,"
      "\"bytes\":%lu,\"moved\":%lu,\"begin\":%lu,\"end\":%lu}\n",
      asked.on_chip ? "chip" : "dram", asked.transport, workers, core, static_cast<unsigned long>(of.buffers),
      static_cast<unsigned long>(of.block_bytes), static_cast<unsigned long>(3 * of.block_bytes * of.blocks_of_worker),
      static_cast<unsigned long>(time.begin), static_cast<unsigned long>(time.end));
}

void measure(triad_asked const& asked) {
  chip const on;
  bool const by_rdma = asked.transport == std::string_view("rdma");
  unsigned const workers = on.cores() - (asked.on_chip ? 1 : 0);
  must(workers >= 1, "on chip one copy has the arrays, so two are needed (--copies)");
  triad_core own(on, asked.on_chip, asked.passes);
  on.meet();
  for (std::uint64_t buffers = 1; buffers <= triad_core::buffers_max; ++buffers)
    for (std::uint64_t bytes = 64; bytes <= triad_core::block_bytes_max; bytes *= 2) {
      triad_shape const of = own.prepare(buffers, bytes, workers);
      spent time;
      for (int round = 0; round < 2; ++round) time = by_rdma ? own.run_rdma(of) : own.run_stores(of);
      expect(own.is_right(of), "an element of a is wrong");
      expect(hw::faults() == 0, "a transfer failed");
      if (own.is_worker()) print(asked, of, workers, on.own(), time);
    }
}

}  // namespace
}  // namespace cni

int main(int count, char** words) {
  cni::triad_asked asked;
  std::string_view const place = count == 4 ? words[1] : "";
  std::string_view const by = count == 4 ? words[2] : "";
  if (count == 4) asked = {place == "chip", words[2], cni::number_of(words[3])};
  bool const known = (place == "chip" && (by == "rdma" || by == "stores")) || (place == "dram" && by == "rdma");
  if (!known || asked.passes == 0 || asked.passes > 64) {
    std::fputs(
        "usage: cni-triad chip rdma|stores PASSES, or cni-triad dram rdma PASSES\n"
        "  PASSES: over the arrays, 1 to 64. --copies: one for the arrays on chip, and the workers\n",
        stderr);
    return 2;
  }
  cni::measure(asked);
  return cni::exit_code();
}
