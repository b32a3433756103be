// between_cores: costs of communication between two cores: a line, two flags, a stream of records, a barrier.
//
// Threads   each starts its own pinned threads, on cpus 0 and 1 unless said otherwise.
// Units     ns or million per second, in the comment of each function.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bench {

/// ns per round trip: one line in each direction; the response is stored as soon as the request is seen.
[[nodiscard]] double ping_pong(std::uint64_t rounds);

/// ns per episode of a barrier of two threads, each of which sets its flag and waits for the other's.
[[nodiscard]] double flag_exchange(std::uint64_t rounds);

/// ns per episode of std::barrier, thread i on cpu i, round robin.
[[nodiscard]] double std_barrier(int threads, std::uint64_t rounds);

/// A record is a function pointer with 8 or with 16 bytes of arguments.
enum class ring_record { bytes_16, bytes_24 };

/// Million records per second through a single-producer single-consumer ring, each consumed by calling its function.
[[nodiscard]] double ring_stream(std::uint64_t records, ring_record size);

/// GB/s (10^9 bytes) of memcpy of a block, hot if it fits, on cpu 0.
[[nodiscard]] double memcpy_rate(std::size_t block_bytes);

}  // namespace bench
