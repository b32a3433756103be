// packet_fuzz: no packet makes a place crash, or access memory outside of the committed part of its segment.
//
//   An input is a sequence of packets: the length of the header in one byte, the header, the length of the data in two,
//   the data. They are sent to the last of three places that UCX connects in this process; answers go where the headers
//   say. Completions are zero before they are notified: effects of a packet on other memory are not checked.
//   libFuzzer calls the entry below; fuzz_replay.cpp calls it for each file of the corpus.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "fabric/ucx/place.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* bytes, std::size_t size);

namespace {

using namespace tess;          // NOLINT: a program of its own
using namespace tess::detail;  // NOLINT

constexpr place_id places_count = 3;
constexpr std::uint64_t committed_bytes = 2 << 20;

struct three_places {
  three_places() {
    job.failed = std::make_unique<std::atomic<bool>[]>(places_count);
    job.on_failure = [](place_id, char const*) {};
    job.on_heartbeat = [](place_id) {};
    job.on_notice = [](place_id, place_id) {};
    known.set_board(std::make_unique<host_board>(places_count));
    for (place_id p = 0; p < places_count; ++p) {
      places.push_back(std::make_unique<ucx_place>(job, p, false));
      known.board().enter(p, write_introduction({{}, {}, {}, places.back()->address(), {}}));
      if (!places.back()->memory().commit(0, committed_bytes)) std::abort();
    }
  }
  ~three_places() {
    places.clear();
    job.ucx.cleanup(job.context);
  }
  three_places(three_places const&) = delete;
  three_places& operator=(three_places const&) = delete;

  ucx_introductions known{nullptr};
  ucx_job job{load_ucx(),
              make_ucx_context(places_count, places_count, places_count, false),
              places_count,
              places_count,
              1 << 20,
              &known,
              {},
              {},
              {}};
  std::vector<std::unique_ptr<ucx_place>> places;
};

struct ignored_messages final : message_sink {
  void deliver(place_id, place_id, std::span<std::byte const>) override {}
};

/// The next `n` bytes, or as many as there are.
std::span<std::uint8_t const> take(std::span<std::uint8_t const>& rest, std::size_t n) {
  auto const taken = rest.first(std::min(n, rest.size()));
  rest = rest.subspan(taken.size());
  return taken;
}

void deliver(three_places& t, std::span<std::uint8_t const> header, std::vector<std::uint8_t> data) {
  ucx_place& target = *t.places.back();
  // A put can change only the target's own memory, and what it notifies there must be harmless.
  std::memset(target.memory().base(), 0, committed_bytes);
  packet p;
  static_cast<void>(read_packet(std::as_bytes(header), places_count, p));
  if (p.kind == packet_kind::put && p.other != 0) std::ranges::fill(data, std::uint8_t{0});
  if (target.receive(header.data(), header.size(), data.data(), data.size()) != UCS_OK) std::abort();
  for (auto const& place : t.places) {
    static_cast<void>(place->progress());
    ignored_messages ignored;
    while (place->deliver_inbox(64, ignored) > 0) {
    }
    place->return_credit();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* bytes, std::size_t size) {
  static three_places t;
  std::span<std::uint8_t const> rest(bytes, size);
  while (!rest.empty()) {
    std::size_t const header_bytes = take(rest, 1)[0];
    // A copy, so that a sanitizer detects reads behind its end.
    auto const taken = take(rest, header_bytes);
    std::vector<std::uint8_t> const header(taken.begin(), taken.end());
    auto const length = take(rest, 2);
    std::size_t const data_bytes = length.size() == 2 ? std::size_t{length[0]} | std::size_t{length[1]} << 8U : 0;
    auto const data = take(rest, data_bytes);
    deliver(t, header, {data.begin(), data.end()});
  }
  return 0;
}
