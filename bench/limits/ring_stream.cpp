// ring_stream: a single-producer single-consumer ring in which each side reads the other's index as rarely as possible.
//
//   Producer and consumer each keep a copy of the other's index and read the index itself only when the copy indicates
//   full or empty. The producer publishes batches, so that the line of its index moves once per batch and not once per
//   record; the consumer frees space in the same way.
//
// Source    cached indices: Lee et al., "MCRingBuffer" (IPDPS 2010).
#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

#include "harness/clock.hpp"
#include "harness/pin.hpp"
#include "limits/between_cores.hpp"

namespace bench {
namespace {

constexpr std::uint64_t capacity = 4096;  // at most 96 KiB of records: fits the L2 of both sides
constexpr std::uint64_t batch = 32;       // 128 is no faster
constexpr double million = 1e6;

/// A function and its arguments, as in an active message.
template <std::size_t Words>
struct record {
  using payload = std::array<std::uint64_t, Words>;

  void (*call)(std::uint64_t& sum, payload const& arguments);
  payload arguments;
};

template <std::size_t Words>
struct ring {
  alignas(128) std::atomic<std::uint64_t> written = 0;
  alignas(128) std::atomic<std::uint64_t> consumed = 0;
  alignas(128) std::array<record<Words>, capacity> records{};
};

template <std::size_t Words>
void add(std::uint64_t& sum, std::array<std::uint64_t, Words> const& arguments) {
  for (std::uint64_t const argument : arguments) sum += argument;
}

template <std::size_t Words>
void produce(ring<Words>& shared, std::uint64_t count) noexcept {
  // Opaque to the compiler, which would otherwise store a constant.
  auto* call = &add<Words>;
  do_not_optimize(call);
  std::uint64_t free_until = capacity;
  for (std::uint64_t begin = 0; begin < count; begin += batch) {
    std::uint64_t const end = std::min(begin + batch, count);
    while (free_until < end) {
      // Pairs with the consumer's release: its calls on these records have ended.
      free_until = shared.consumed.load(std::memory_order_acquire) + capacity;
    }
    for (std::uint64_t i = begin; i < end; ++i) {
      record<Words>& written = shared.records[i % capacity];
      written.call = call;
      written.arguments.fill(i);
    }
    // Pairs with the consumer's acquire: the records are written.
    shared.written.store(end, std::memory_order_release);
  }
}

template <std::size_t Words>
std::uint64_t consume(ring<Words>& shared, std::uint64_t count) noexcept {
  std::uint64_t sum = 0;
  for (std::uint64_t next = 0; next < count;) {
    std::uint64_t const end = shared.written.load(std::memory_order_acquire);
    for (; next < end; ++next) {
      record<Words> const& found = shared.records[next % capacity];
      found.call(sum, found.arguments);
      // Pairs with the producer's acquire: these records may be overwritten.
      if ((next + 1) % batch == 0) shared.consumed.store(next + 1, std::memory_order_release);
    }
  }
  return sum;
}

template <std::size_t Words>
double stream(std::uint64_t records) {
  auto const shared = std::make_unique<ring<Words>>();
  double const seconds = team_seconds(2, [&](int rank) {
    if (rank == 0) {
      produce(*shared, records);
    } else {
      std::uint64_t const sum = consume(*shared, records);
      do_not_optimize(sum);
    }
  });
  return static_cast<double>(records) / seconds / million;
}

}  // namespace

double ring_stream(std::uint64_t records, ring_record size) {
  return size == ring_record::bytes_16 ? stream<1>(records) : stream<2>(records);
}

}  // namespace bench
