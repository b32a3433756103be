// dma: a transfer, run where its source is: reads of the tile's own home, writes to the destination's, a few at a time.
#include <algorithm>

#include "machine/adapter/adapter.hpp"

namespace tess::machine {
namespace {

/// Awaited: a number of things have happened.
class signals : public event {
 public:
  signals() : event([](event& self) { static_cast<signals&>(self).one(); }) {}
  /// co_await: until `count` have happened since the start.
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

/// One packet of a transfer; it is used again when it has been written.
struct adapter::dma_packet {
  transaction moved;
  signals written;
  std::uint64_t uses = 0;
};

process adapter::run_transfer(transaction& asked) {
  begins();
  std::uint64_t const step = made_of_.dma_packet_bytes;
  // Half a packet is the shortest piece: a line of the caches.
  bool wrong = (asked.address | asked.destination | asked.bytes) % (step / 2) != 0;
  std::deque<dma_packet> packets(made_of_.dma_packets);
  std::size_t next = 0;
  for (std::uint64_t moved = 0; moved < asked.bytes && !wrong; next = (next + 1) % packets.size()) {
    dma_packet& packet = packets[next];
    co_await packet.written.reach(packet.uses);
    transaction& piece = packet.moved;
    wrong = packet.uses > 0 && piece.status == remote_outcome::wrong;
    if (wrong) break;
    piece.what = remote_operation::read;
    piece.status = remote_outcome::pending;
    piece.address = asked.address + moved;
    piece.bytes = std::min(step - piece.address % step, asked.bytes - moved);
    signals read;
    home_.serve(piece, read);
    co_await read.reach(1);
    wrong = piece.status == remote_outcome::wrong;
    if (wrong) break;
    piece.what = remote_operation::write;
    piece.target = asked.destination_tile;
    piece.address = asked.destination + moved;
    piece.done = &packet.written;
    ++packet.uses;
    moved += piece.bytes;
    counted_.dma_bytes += piece.bytes;
    issue_data(piece);
  }
  for (dma_packet& packet : packets) {
    co_await packet.written.reach(packet.uses);
    wrong = wrong || (packet.uses > 0 && packet.moved.status == remote_outcome::wrong);
  }
  if (asked.tells && !wrong) {
    dma_packet& last = packets.front();
    last.moved.what = remote_operation::write;
    last.moved.target = asked.destination_tile;
    last.moved.address = asked.destination;
    last.moved.bytes = 0;
    last.moved.tells = true;
    last.moved.done = &last.written;
    issue_data(last.moved);
    co_await last.written.reach(++last.uses);
    wrong = last.moved.status == remote_outcome::wrong;
  }
  asked.status = wrong ? remote_outcome::wrong : remote_outcome::done;
  ends();
  respond(asked);
}

void adapter::issue_data(transaction& piece) {
  // No slot of the clients: a transfer has its own few, so that requests and transfers do not wait for each other.
  piece.is_dma_data = true;
  issue_at_once(piece);
}

void adapter::issue_job(transaction& packet) {
  packet.is_dma_data = true;
  packet.source = tile_;
  packet.status = remote_outcome::pending;
  packet.refusals = 0;
  packet.issued = kernel_.now();
  post(packet);
}

}  // namespace tess::machine
