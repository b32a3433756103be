// triad: bandwidth of STREAM's triad a = b + q c, or of its copy a = b, over arrays in another memory, in blocks, with
// several buffers.
//
//   chip: the arrays are in core 0's scratchpad, and the other copies are workers. dram: each copy is a worker with
//   arrays in its own part of DDR. A worker fetches a block of b and one of c into a buffer, computes, and sends the
//   block of a back; with k buffers, the transfers of k - 1 others overlap with this.
//   rdma: the worker requests the copies. stores (chip only): core 0 pushes the blocks of b and c by remote stores into
//   free buffers; the worker stores its a into core 0's scratchpad.
//
// Units     bytes of one block of one array; cycles of the clock that all cores share. Elements are doubles, as in
//           STREAM, or have 32 bits.
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
  stream_kernel kernel = stream_kernel::triad;
  unsigned bits = 64;
};

void print(triad_asked const& asked, triad_shape const& of, std::uint64_t moved, unsigned workers, unsigned core,
           spent const& time) {
  std::printf(
      "{\"program\":\"triad\",\"kernel\":\"%s\",\"bits\":%u,\"place\":\"%s\",\"transport\":\"%s\",\"workers\":%u,"
      "\"core\":%u,\"buffers\":%lu,\"bytes\":%lu,\"moved\":%lu,\"begin\":%lu,\"end\":%lu}\n",
      asked.kernel == stream_kernel::copy ? "copy" : "triad", asked.bits, asked.on_chip ? "chip" : "dram",
      asked.transport, workers, core, static_cast<unsigned long>(of.buffers),
      static_cast<unsigned long>(of.block_bytes), static_cast<unsigned long>(moved),
      static_cast<unsigned long>(time.begin), static_cast<unsigned long>(time.end));
  std::fflush(stdout);  // whole lines: other copies print, too
}

template <class Element>
void measure(triad_asked const& asked) {
  chip const on;
  bool const by_rdma = asked.transport == std::string_view("rdma");
  unsigned const workers = on.cores() - (asked.on_chip ? 1 : 0);
  must(workers >= 1, "on chip one copy has the arrays, so two are needed (--copies)");
  triad_core<Element> own(on, asked.on_chip, asked.kernel, asked.passes);
  on.meet();
  for (std::uint64_t buffers = 1; buffers <= own.buffers_max; ++buffers)
    for (std::uint64_t bytes = 64; bytes <= own.block_bytes_max; bytes *= 2) {
      triad_shape const of = own.prepare(buffers, bytes, workers);
      spent time;
      for (int round = 0; round < 2; ++round) time = by_rdma ? own.run_rdma(of) : own.run_stores(of);
      expect(own.is_right(of), "an element of a is wrong");
      expect(hw::faults() == 0, "a transfer failed");
      std::uint64_t const moved = own.arrays_moved() * of.block_bytes * of.blocks_of_worker;
      if (own.is_worker()) print(asked, of, moved, workers, on.own(), time);
    }
}

}  // namespace
}  // namespace cni

int main(int count, char** words) {
  cni::triad_asked asked;
  bool const counted = count >= 4 && count <= 6;
  std::string_view const place = counted ? words[1] : "";
  std::string_view const by = counted ? words[2] : "";
  std::string_view const kernel = count >= 5 ? words[4] : "triad";
  std::string_view const bits = count == 6 ? words[5] : "64";
  if (counted) asked = {place == "chip", words[2], cni::number_of(words[3])};
  if (kernel == "copy") asked.kernel = cni::stream_kernel::copy;
  if (bits == "32") asked.bits = 32;
  bool known = (place == "chip" && (by == "rdma" || by == "stores")) || (place == "dram" && by == "rdma");
  known = known && (kernel == "triad" || kernel == "copy") && (bits == "64" || bits == "32");
  if (!known || asked.passes == 0 || asked.passes > 64) {
    std::fputs(
        "usage: cni-triad chip rdma|stores PASSES [triad|copy [64|32]], or cni-triad dram rdma PASSES ...\n"
        "  PASSES: over the arrays, 1 to 64. --copies: one for the arrays on chip, and the workers.\n"
        "  copy: a = b. 32: elements, loads and stores of 32 bits\n",
        stderr);
    return 2;
  }
  if (asked.bits == 32)
    cni::measure<float>(asked);
  else
    cni::measure<double>(asked);
  return cni::exit_code();
}
