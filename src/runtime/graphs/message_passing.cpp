// message_passing: steps two and three; serialise.cpp and arrival.cpp do the first and the last.
#include "runtime/graphs/message_passing.hpp"

#include "runtime/graphs/nemesys.hpp"
#include "runtime/job/job.hpp"
#include "tess/assert.hpp"
#include "tess/at.hpp"
#include "tess/counter.hpp"

namespace tess::detail {

namespace {

constexpr std::uint64_t message_line = 64;

constexpr auto make_buffer_here = [](std::uint64_t bytes) {
  return reinterpret_cast<std::uint64_t>(this_place().buffers->allocate(bytes));
};

}  // namespace

template <>
inline constexpr bool is_of_runtime<decltype(make_buffer_here)> = true;

task<std::uint64_t> push_stream(std::byte* stream, std::uint64_t bytes, place_id target) {
  if (target == self->place) co_return reinterpret_cast<std::uint64_t>(stream);
  std::uint64_t const there = co_await at(target, make_buffer_here, bytes);
  if (there == 0) co_return 0;
  counter pushed;
  pushed.cell().expect(1);
  accelerators()->push(stream, target, there, (bytes + message_line - 1) / message_line * message_line, pushed.cell());
  co_await pushed;
  end_stream(stream);
  co_return there;
}

void end_stream(std::byte const* stream) noexcept {
  bool const known = this_place().buffers->release(stream);
  TESS_ASSERT(known);
}

}  // namespace tess::detail
