// ipc: mailbox, windows and transfers of this cluster: by its units' registers, or by calls of the system kernel.
//
//   The same three classes for both. Bare, a hart accesses the registers itself, as mailbox.hpp and portal.hpp do. By
//   the kernel, every operation is a call that the system's hart of the cluster does, as in the paper's NodeOS; the run
//   chooses with `--system kernel`. What a wait has found is kept until it is used, so that looking costs no call.
//
// Threads   one hart of the cluster.
// Errors    as in mailbox.hpp and portal.hpp; a call that the kernel refuses for another reason ends the program.
#pragma once

#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <tess/machine/mailbox.hpp>
#include <tess/machine/portal.hpp>
#include <tess/machine/system_call.hpp>
#include <utility>

namespace mppa {

namespace calls = tess::machine::system;

/// The run has a system kernel.
inline bool by_kernel() {
  static bool const chosen = [] {
    char const* const system = std::getenv("TESS_SYSTEM");
    return system != nullptr && std::string_view(system) == "kernel";
  }();
  return chosen;
}

/// A call of the kernel, which may be under way while its hart does something else.
class kernel_call {
 public:
  void submit(calls::call_number number, std::array<std::uint64_t, 5> operands) {
    using namespace tess::machine;  // NOLINT
    block_ = {.number = static_cast<std::uint64_t>(number), .operands = operands};
    std::uint64_t const own = cluster::window(registers::unit::interrupts) + registers::interrupts::call;
    while (cluster::word(own) != 0) {
    }
    cluster::fence();
    cluster::word(own) = reinterpret_cast<std::uint64_t>(&block_);
  }
  std::int64_t result() {
    auto const ended = [this] { return *const_cast<std::uint64_t volatile*>(&block_.state) != 0; };
    while (!ended()) tess::machine::cluster::sleep_on(block_.state, ended);
    tess::machine::cluster::fence();
    return block_.result;
  }
  static std::int64_t of(calls::call_number number, std::array<std::uint64_t, 5> operands) {
    kernel_call one;
    one.submit(number, operands);
    return one.result();
  }

 private:
  calls::call block_;
};

/// What the last wait has found.
struct found_things {
  std::uint64_t closed = 0;  ///< Windows.
  bool message = false;
};
inline found_things found;

class mailbox {
 public:
  using words = tess::machine::mailbox::words;
  using message = tess::machine::mailbox::message;

  mailbox() {
    if (!by_kernel()) {
      bare_.emplace();
      return;
    }
    await_kernel();
    if (kernel_call::of(calls::call_number::mailbox_open, {port}) != 0) std::abort();
  }
  mailbox(mailbox const&) = delete;
  mailbox& operator=(mailbox const&) = delete;
  ~mailbox() {
    if (by_kernel()) kernel_call::of(calls::call_number::mailbox_close, {port});
  }

  static void send(std::uint64_t to, words const& said) {
    if (!by_kernel()) return tess::machine::mailbox::send(to, said);
    auto const from = reinterpret_cast<std::uint64_t>(said.data());
    if (kernel_call::of(calls::call_number::mailbox_send, {to, port, from, sizeof said}) != 0) std::abort();
  }
  /// Until the last message of this hart is in its receiver's mailbox.
  static void flush() {
    if (!by_kernel()) tess::machine::mailbox::flush();
  }
  [[nodiscard]] static bool empty() { return by_kernel() ? !found.message : tess::machine::mailbox::empty(); }
  [[nodiscard]] static std::optional<message> try_receive() {
    if (!by_kernel()) return tess::machine::mailbox::try_receive();
    if (!std::exchange(found.message, false)) return std::nullopt;
    return received(calls::call_number::mailbox_try);
  }
  /// Sleeps until `there()`, which looks at the mailbox, and at windows of the mask.
  template <class Condition>
  void wait_until(std::uint64_t windows, Condition there) {
    if (!by_kernel()) return bare_->wait_until(there);
    while (!there()) {
      auto const news = static_cast<std::uint64_t>(kernel_call::of(calls::call_number::await, {port, windows}));
      found.closed |= news & ~calls::awaited_message;
      found.message = (news & calls::awaited_message) != 0;
    }
  }
  [[nodiscard]] message receive() {
    if (!by_kernel()) return bare_->receive();
    found.message = false;
    return *received(calls::call_number::mailbox_receive);
  }

 private:
  static constexpr std::uint64_t port = 1;

  /// The program may start before the kernel.
  static void await_kernel() {
    using namespace tess::machine;  // NOLINT
    std::uint64_t const harts = cluster::information(registers::information::harts);
    std::uint64_t const enabled = cluster::unit_address(registers::unit::interrupts) + registers::window_bytes * harts +
                                  registers::interrupts::enable;
    while ((cluster::word(enabled) >> registers::interrupts::source_calls & 1U) == 0) {
    }
  }
  static std::optional<message> received(calls::call_number how) {
    message came;
    auto const into = reinterpret_cast<std::uint64_t>(came.said.data());
    std::int64_t const result = kernel_call::of(how, {port, into, sizeof came.said});
    if (result < 0) return std::nullopt;
    came.source = static_cast<std::uint64_t>(result) >> 16U;
    return came;
  }

  std::optional<tess::machine::mailbox> bare_;
};

class receive_window {
 public:
  static constexpr std::uint64_t line_bytes = tess::machine::receive_window::line_bytes;
  enum class outcome : std::uint8_t { opened, in_use, invalid };

  explicit receive_window(std::uint64_t number) : number_(number), bare_(number) {}

  [[nodiscard]] std::uint64_t mask() const { return std::uint64_t{1} << number_; }
  [[nodiscard]] outcome open_if_closed(std::uint64_t address, std::uint64_t bytes, std::uint64_t sender) {
    if (!by_kernel()) {
      if (!bare_.is_closed()) return outcome::in_use;
      return bare_.open(address, bytes, sender) ? outcome::opened : outcome::invalid;
    }
    std::int64_t const result = kernel_call::of(calls::call_number::window_open, {number_, address, bytes, sender, 1});
    if (result == static_cast<std::int64_t>(calls::error::in_use)) return outcome::in_use;
    if (result != 0) return outcome::invalid;
    found.closed &= ~mask();
    return outcome::opened;
  }
  /// A previous opening ends.
  [[nodiscard]] bool open(std::uint64_t address, std::uint64_t bytes, std::uint64_t sender) {
    if (!by_kernel()) return bare_.open(address, bytes, sender);
    outcome how = open_if_closed(address, bytes, sender);
    if (how == outcome::in_use) {
      close();
      how = open_if_closed(address, bytes, sender);
    }
    return how == outcome::opened;
  }
  [[nodiscard]] bool is_closed() const { return by_kernel() ? (found.closed & mask()) != 0 : bare_.is_closed(); }
  void close() {
    if (!by_kernel()) return bare_.close();
    kernel_call::of(calls::call_number::window_close, {number_});
  }

 private:
  std::uint64_t number_;
  tess::machine::receive_window bare_;
};

/// One transfer at a time.
class portal_sender {
 public:
  portal_sender() = default;
  portal_sender(portal_sender const&) = delete;
  portal_sender& operator=(portal_sender const&) = delete;

  [[nodiscard]] bool begin(std::uint64_t from, std::uint64_t bytes, std::uint64_t to) {
    if (!by_kernel()) return bare_.begin(from, bytes, to);
    call_.submit(calls::call_number::transfer, {from, bytes, to});
    return busy_ = true;
  }
  [[nodiscard]] bool busy() const noexcept { return by_kernel() ? busy_ : bare_.busy(); }
  [[nodiscard]] bool finish() {
    if (!by_kernel()) return bare_.finish();
    busy_ = false;
    return call_.result() == 0;
  }
  [[nodiscard]] bool send(std::uint64_t from, std::uint64_t bytes, std::uint64_t to) {
    return begin(from, bytes, to) && finish();
  }

 private:
  tess::machine::portal_sender bare_;
  kernel_call call_;
  bool busy_ = false;
};

}  // namespace mppa
