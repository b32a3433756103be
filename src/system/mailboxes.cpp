// mailboxes: packets, their assembly, acknowledgements and queues.
#include "system/mailboxes.hpp"

#include <tess/machine/system_place.hpp>

#include "system/graphs.hpp"
#include "system/kernel.hpp"
#include "system/waiting.hpp"

namespace tess::system::mailboxes {
namespace {

using machine::system::error;
using machine::system::message_bytes_max;
using machine::system::ports;

constexpr std::int64_t code_of(error one) {
  return static_cast<std::int64_t>(one);
}

constexpr std::uint64_t payload_words = 4;
constexpr std::uint64_t message_words = 16;   // 120 bytes in four packets
constexpr std::uint64_t queue_messages = 14;  // as many as fit into a block
constexpr std::uint64_t packets_max = 64;
constexpr std::uint64_t sends_max = 8;
constexpr std::uint64_t tiles_max = 64;
constexpr int polls_max = 32;

enum packet_kind : std::uint64_t { data, accepted, refused, room };
static_assert(static_cast<std::uint64_t>(machine::system::packet::mail_room) == room);

/// The first word of a packet.
struct header {
  packet_kind kind;
  std::uint64_t port, index, bytes, send;
  [[nodiscard]] std::uint64_t packed() const { return kind | port << 8U | index << 16U | bytes << 24U | send << 32U; }
  static header of(std::uint64_t word) {
    return {static_cast<packet_kind>(word & 255U), word >> 8U & 255U, word >> 16U & 255U, word >> 24U & 255U,
            word >> 32U};
  }
};

struct packet {
  std::uint64_t words[1 + payload_words];
  std::uint64_t target;
};

struct message {
  std::uint64_t source;
  std::uint64_t bytes;
  std::uint64_t words[message_words];
};

struct mailbox {
  message* queue;  // null: the port is closed
  std::uint64_t first;
  std::uint64_t count;
  task_list receivers;
  std::uint64_t refused;  // bit t: tile t wants to hear of room
};

/// A send that waits for its acknowledgement.
struct pending_send {
  task* sender;
  packet_kind answer;
  bool answered;
};

mailbox all[ports];
message* assembled[tiles_max];  // by source
packet outgoing[packets_max];
std::uint64_t outgoing_first;
std::uint64_t outgoing_count;
task_list wait_for_packets;
pending_send sends[sends_max];
std::uint64_t free_sends = (1U << sends_max) - 1;
task_list wait_for_sends;
task_list wait_for_room;  // senders whose message was refused

void copy(void* to, void const* from, std::uint64_t bytes) {
  auto* into = static_cast<unsigned char*>(to);
  auto const* at = static_cast<unsigned char const*>(from);
  bool const words = ((reinterpret_cast<std::uint64_t>(to) | reinterpret_cast<std::uint64_t>(from)) & 7U) == 0;
  std::uint64_t done = 0;
  for (; words && done + 8 <= bytes; done += 8)
    *reinterpret_cast<std::uint64_t*>(into + done) = *reinterpret_cast<std::uint64_t const*>(at + done);
  for (; done < bytes; ++done) into[done] = at[done];
}

void wake_all(task_list& of) {
  while (task* const one = of.take()) wake(one);
}

/// A packet for the unit; there must be room, of which a part is kept for answers.
packet& next_packet() {
  return outgoing[(outgoing_first + outgoing_count++) % packets_max];
}

void deliver(std::uint64_t source, std::uint64_t const* words);

void answer(std::uint64_t to, packet_kind what, std::uint64_t port, std::uint64_t send) {
  if (to == own_tile) {
    std::uint64_t const words[] = {header{what, port, 0, 0, send}.packed(), 0, 0, 0, 0};
    return deliver(to, words);
  }
  packet& one = next_packet();
  one.words[0] = header{what, port, 0, 0, send}.packed();
  one.target = to;
}

/// The last packet of a message has come.
void accept(header const& of, message const& whole) {
  mailbox& box = all[of.port % ports];
  bool const taken = box.queue != nullptr && box.count < queue_messages;
  if (taken) {
    copy(&box.queue[(box.first + box.count++) % queue_messages], &whole, 16 + (of.bytes + 7) / 8 * 8);
    if (task* const one = box.receivers.take()) wake(one);
    waiting::changed();
  } else {
    box.refused |= std::uint64_t{1} << whole.source;
  }
  answer(whole.source, taken ? accepted : refused, of.port, of.send);
}

void deliver(std::uint64_t source, std::uint64_t const* words) {
  header const of = header::of(words[0]);
  if (of.kind == room) {
    // A sender may not have noticed yet that it was refused.
    for (pending_send& one : sends)
      if (one.answered && one.answer == refused) one.answer = room;
    return wake_all(wait_for_room);
  }
  if (of.kind != data) {
    pending_send& one = sends[of.send % sends_max];
    one.answer = of.kind;
    one.answered = true;
    if (one.sender != nullptr) {
      wake(one.sender);
      one.sender = nullptr;
    }
    return;
  }
  message*& whole = assembled[source];
  if (whole == nullptr) whole = static_cast<message*>(own_memory.allocate(sizeof(message)));
  if (whole == nullptr) panic(panic_code::memory);
  for (std::uint64_t k = 0; k < payload_words; ++k) whole->words[of.index * payload_words + k] = words[1 + k];
  if ((of.index + 1) * payload_words * 8 < of.bytes) return;
  whole->source = source;
  whole->bytes = of.bytes;
  accept(of, *whole);
}

/// Those whose messages were refused send them again.
void tell_of_room(std::uint64_t port) {
  mailbox& box = all[port];
  for (; box.refused != 0; box.refused &= box.refused - 1)
    answer(static_cast<std::uint64_t>(__builtin_ctzll(box.refused)), room, port, 0);
  (void)pump();
}

/// Cuts a message into packets; waits while too many are on their way.
void put_packets(std::uint64_t tile, std::uint64_t port, std::uint64_t const* words, std::uint64_t bytes,
                 std::uint64_t send) {
  std::uint64_t const needed = bytes == 0 ? 1 : (bytes + payload_words * 8 - 1) / (payload_words * 8);
  for (;;) {
    if (outgoing_count + needed <= packets_max / 2) break;
    wait_for_packets.put(own_task());
    block();
  }
  for (std::uint64_t k = 0; k < needed; ++k) {
    std::uint64_t packed[1 + payload_words];
    packed[0] = header{data, port, k, bytes, send}.packed();
    for (std::uint64_t i = 0; i < payload_words; ++i) packed[1 + i] = words[k * payload_words + i];
    if (tile == own_tile) {
      deliver(tile, packed);
      continue;
    }
    packet& one = next_packet();
    for (std::uint64_t i = 0; i <= payload_words; ++i) one.words[i] = packed[i];
    one.target = tile;
  }
  (void)pump();
}

}  // namespace

bool pump() {
  namespace to = registers::invoke;
  std::uint64_t const at = window(registers::unit::invoke, own_hart);
  constexpr auto accepted_there = static_cast<std::uint64_t>(registers::command_status::accepted);
  while (outgoing_count != 0) {
    int polls = 0;
    while (word(at + to::doorbell) == accepted_there && polls < polls_max) ++polls;
    if (polls == polls_max) {
      wake_network();
      return false;
    }
    packet const& one = outgoing[outgoing_first];
    for (std::uint64_t k = 0; k <= payload_words; ++k) word(at + 8 * k) = one.words[k];
    word(at + to::target) = one.target;
    word(at + to::counter) = 0;
    word(at + to::doorbell) = 1;
    outgoing_first = (outgoing_first + 1) % packets_max;
    --outgoing_count;
  }
  wake_all(wait_for_packets);
  return true;
}

bool take_packets() {
  namespace of = registers::tasks;
  std::uint64_t const at = window(registers::unit::tasks, own_hart);
  bool const serves = graphs::serves();
  // Each packet may need an answer.
  while (outgoing_count < packets_max && (!serves || graphs::has_room())) {
    if (word(at + of::take) == 0) return true;
    std::uint64_t words[1 + payload_words];
    for (std::uint64_t k = 0; k <= payload_words; ++k) words[k] = word(at + 8 * k);
    std::uint64_t const source = word(at + of::source);
    if ((words[0] & 255U) > room) {
      graphs::take(source, words);
    } else {
      deliver(source, words);
    }
  }
  return false;
}

void put_packet(std::uint64_t tile, std::uint64_t const* words) {
  while (outgoing_count >= packets_max / 2) {
    wait_for_packets.put(own_task());
    block();
  }
  packet& one = next_packet();
  for (std::uint64_t k = 0; k <= payload_words; ++k) one.words[k] = words[k];
  one.target = tile;
  (void)pump();
}

std::int64_t open(std::uint64_t port) {
  no_interrupts const off;
  if (port >= ports || all[port].queue != nullptr) return code_of(error::no_mailbox);
  auto* const queue = static_cast<message*>(own_memory.allocate(queue_messages * sizeof(message)));
  if (queue == nullptr) return code_of(error::no_memory);
  all[port].queue = queue;
  all[port].first = all[port].count = 0;
  tell_of_room(port);
  return 0;
}

std::int64_t close(std::uint64_t port) {
  no_interrupts const off;
  if (port >= ports || all[port].queue == nullptr) return code_of(error::no_mailbox);
  own_memory.release(all[port].queue);
  all[port].queue = nullptr;
  all[port].count = 0;
  return 0;
}

std::int64_t send(std::uint64_t tile, std::uint64_t port, void const* from, std::uint64_t bytes) {
  if (bytes > message_bytes_max || port >= ports || tile >= tiles_max) return code_of(error::invalid);
  std::uint64_t words[message_words];
  copy(words, from, bytes);
  no_interrupts const off;
  while (free_sends == 0) {
    wait_for_sends.put(own_task());
    block();
  }
  auto const number = static_cast<std::uint64_t>(__builtin_ctzll(free_sends));
  free_sends &= free_sends - 1;
  pending_send& own = sends[number];
  for (;;) {
    own = {};
    put_packets(tile, port, words, bytes, number);
    if (!own.answered) {
      own.sender = own_task();
      block();
    }
    if (own.answer == accepted) break;
    while (own.answer == refused) {
      wait_for_room.put(own_task());
      block();
    }
  }
  free_sends |= std::uint64_t{1} << number;
  if (task* const next = wait_for_sends.take()) wake(next);
  return 0;
}

bool has_message(std::uint64_t port) {
  return port < ports && all[port].count != 0;
}

std::int64_t try_receive(std::uint64_t port, void* into, std::uint64_t bytes) {
  no_interrupts const off;
  if (port >= ports || all[port].queue == nullptr) return code_of(error::no_mailbox);
  mailbox& box = all[port];
  if (box.count == 0) return code_of(error::none_there);
  message const& oldest = box.queue[box.first];
  std::uint64_t const length = oldest.bytes < bytes ? oldest.bytes : bytes;
  copy(into, oldest.words, length);
  auto const result = static_cast<std::int64_t>(oldest.source << 16U | oldest.bytes);
  box.first = (box.first + 1) % queue_messages;
  --box.count;
  tell_of_room(port);
  return result;
}

std::int64_t receive(std::uint64_t port, void* into, std::uint64_t bytes) {
  for (;;) {
    no_interrupts const off;
    std::int64_t const result = try_receive(port, into, bytes);
    if (result != code_of(error::none_there)) return result;
    all[port].receivers.put(own_task());
    block();
  }
}

}  // namespace tess::system::mailboxes
