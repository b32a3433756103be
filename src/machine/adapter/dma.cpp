// dma: runs a transfer at its source: reads of the own home, writes to the destination's home, a few at a time.
#include <algorithm>

#include "machine/adapter/adapter.hpp"

namespace tess::machine {
namespace {

/// Awaitable: a number of events have happened.
class signals : public event {
 public:
  signals() : event([](event& self) { static_cast<signals&>(self).one(); }) {}
  /// co_await: until `count` events have happened since the start.
  auto reach(std::uint64_t count) noexcept {
    struct awaiter {
      signals& of;
      std::uint64_t count;
      [[nodiscard]] bool await_ready() const noexcept { return of.happened_ >= count; }
      void await_suspend(std::coroutine_handle<> waiting) const noexcept {
        of.wanted_ = count;
        of.waiting_ = waiting;
      }
      void await_resume() const noexcept {}
    };
    return awaiter{*this, count};
  }

 private:
  void one() {
    if (++happened_ == wanted_) waiting_.resume();
  }
  std::uint64_t happened_ = 0;
  std::uint64_t wanted_ = ~std::uint64_t{0};
  std::coroutine_handle<> waiting_;
};

}  // namespace

/// One packet of a transfer; it is reused when it has been written.
struct adapter::moving_packet {
  moving_packet() { moved.part = dma_packet{}; }
  transaction moved;
  signals written;
  std::uint64_t uses = 0;
};

process adapter::run_transfer(transaction& request) {
  begins();
  std::uint64_t const step = parameters_.dma_packet_bytes;
  // Half a packet is the smallest unit: a line of the caches.
  dma_transfer const& transfer = *request.transfer();
  bool wrong = (request.address | transfer.destination | request.bytes) % (step / 2) != 0;
  std::deque<moving_packet> packets(parameters_.dma_packets);
  std::size_t next = 0;
  for (std::uint64_t moved = 0; moved < request.bytes && !wrong; next = (next + 1) % packets.size()) {
    moving_packet& packet = packets[next];
    co_await packet.written.reach(packet.uses);
    transaction& piece = packet.moved;
    wrong = packet.uses > 0 && piece.status == remote_outcome::wrong;
    if (wrong) break;
    piece.what = remote_operation::read;
    piece.source = tile_;
    piece.status = remote_outcome::pending;
    piece.address = request.address + moved;
    piece.bytes = std::min(step - piece.address % step, request.bytes - moved);
    signals read;
    home_.access(piece, read);
    co_await read.reach(1);
    wrong = piece.status == remote_outcome::wrong;
    if (wrong) break;
    piece.what = remote_operation::write;
    piece.target = transfer.destination_tile;
    piece.address = transfer.destination + moved;
    piece.done = &packet.written;
    ++packet.uses;
    moved += piece.bytes;
    counted_.dma_bytes += piece.bytes;
    issue_data(piece);
  }
  for (moving_packet& packet : packets) {
    co_await packet.written.reach(packet.uses);
    wrong = wrong || (packet.uses > 0 && packet.moved.status == remote_outcome::wrong);
  }
  if (transfer.notifies && !wrong) {
    moving_packet& last = packets.front();
    last.moved.what = remote_operation::write;
    last.moved.target = transfer.destination_tile;
    last.moved.address = transfer.destination;
    last.moved.bytes = 0;
    last.moved.part = dma_packet{.is_end = true};
    last.moved.done = &last.written;
    issue_data(last.moved);
    co_await last.written.reach(++last.uses);
    wrong = last.moved.status == remote_outcome::wrong;
  }
  request.status = wrong ? remote_outcome::wrong : remote_outcome::done;
  ends();
  respond(request);
}

void adapter::issue_data(transaction& piece) {
  // No slot of the clients: a transfer limits its own packets, so requests and transfers do not wait for each other.
  issue_at_once(piece);
}

void adapter::issue_job(transaction& packet) {
  packet.source = tile_;
  packet.status = remote_outcome::pending;
  packet.refusals = 0;
  packet.issued = kernel_.now();
  post(packet);
}

}  // namespace tess::machine
