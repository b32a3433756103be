// triad: STREAM's triad a = b + q c in blocks with several buffers, by RDMA or by remote stores, for triad.cpp; or its
// copy a = b, which moves the same way and computes nothing.
//
//   With RDMA, each buffer has one counter for arriving data, b and c, and one for sent data, a; both set a flag. With
//   stores, core 0 sets the first flag itself and has one word for each buffer of each worker: 1 means that the buffer
//   may be filled.
//
// Shapes    an array has array_bytes; its blocks are dealt to the workers in turn, `passes` times. A buffer: a block of
//           b, which becomes a, and a block of c. Element: double, or float for a core whose loads and stores have 32
//           bits, as in the paper.
// Threads   one object per core.
#pragma once

#include "tile_core.hpp"

namespace cni {

struct triad_shape {
  std::uint64_t buffers = 0;
  std::uint64_t block_bytes = 0;
  std::uint64_t workers = 0;
  std::uint64_t blocks = 0;            // of all workers and passes
  std::uint64_t blocks_of_worker = 0;  // of this worker
};

enum class stream_kernel : std::uint8_t { triad, copy };

template <class Element>
class triad_core {
 public:
  static constexpr std::uint64_t array_bytes = 8192;
  static constexpr std::uint64_t buffers_max = channels_max;
  static constexpr std::uint64_t block_bytes_max = 2048;
  static constexpr unsigned workers_max = 4;

  triad_core(chip const& on, bool on_chip, stream_kernel kernel, std::uint64_t passes)
      : on_(on),
        barrier_(on, group_usual),
        commands_(on.line(on.own(), commands_line)),
        on_chip_(on_chip),
        copies_(kernel == stream_kernel::copy),
        passes_(passes),
        worker_(on.own() - (on_chip ? 1 : 0)) {
    must(on.cores() <= workers_max, "at most 4 copies");
    must(commands_.configure(), "no command buffer");
    for (unsigned i = 0; i < buffers_max; ++i) must(arrivals(i).configure() && sent(i).configure(), "no counter");
    namespace info = tess::machine::registers::information;
    arrays_ = on_chip ? on.data(0) : hw::row(on.tile(own()), info::row_partition) + far;
    if (!has_arrays()) return;
    for (std::uint64_t i = 0; i < array_bytes / sizeof(Element); ++i) {
      element(b_array, i) = b_of(i);
      element(c_array, i) = c_of(i);
    }
    flush();
  }
  [[nodiscard]] bool is_worker() const { return !on_chip_ || own() != 0; }

  /// Prepares run(); fills the array a with wrong values.
  triad_shape prepare(std::uint64_t buffers, std::uint64_t block_bytes, std::uint64_t workers) {
    triad_shape of{buffers, block_bytes, workers, passes_ * (array_bytes / block_bytes), 0};
    if (is_worker()) of.blocks_of_worker = on_chip_ ? (of.blocks - worker_ + workers - 1) / workers : of.blocks;
    for (unsigned i = 0; is_worker() && i < buffers; ++i) {
      await(arrivals(i), (copies_ ? 1 : 2) * block_bytes, flag(arrived_line, i));
      await(sent(i), block_bytes, flag(sent_line, i));
    }
    for (std::uint64_t i = 0; on_chip_ && own() == 0 && i < workers_max * buffers_max; ++i)
      hw::word(free_word(0, i)) = 1;
    for (std::uint64_t i = 0; has_arrays() && i < array_bytes / sizeof(Element); ++i) element(a_array, i) = -1;
    flush();
    return of;
  }
  /// Checks a; true on cores that have no arrays.
  [[nodiscard]] bool is_right(triad_shape const& /*of*/) {
    barrier_.wait();
    bool right = true;
    for (std::uint64_t i = 0; has_arrays() && i < array_bytes / sizeof(Element); ++i)
      right &= element(a_array, i) == b_of(i) + (copies_ ? 0 : factor * c_of(i));
    barrier_.wait();
    return right;
  }

  /// Bytes that a run moves for each byte of an array's block.
  [[nodiscard]] std::uint64_t arrays_moved() const { return copies_ ? 2 : 3; }

  spent run_rdma(triad_shape const& of) {
    spent time;
    barrier_.wait();
    if (is_worker()) {
      time.begin = hw::cycle();
      work_by_rdma(of);
      time.end = hw::cycle();
    }
    barrier_.wait();
    return time;
  }
  spent run_stores(triad_shape const& of) {
    spent time;
    barrier_.wait();
    time.begin = hw::cycle();
    if (is_worker())
      work_by_stores(of);
    else
      push(of);
    hw::fence();
    time.end = hw::cycle();
    barrier_.wait();
    return time;
  }

 private:
  static constexpr Element factor = 3;
  static constexpr std::uint64_t far = 65536;  // offset in a partition
  enum array : std::uint64_t { b_array = 0, c_array = 1, a_array = 2 };

  [[nodiscard]] unsigned own() const { return on_.own(); }
  [[nodiscard]] bool has_arrays() const { return !on_chip_ || own() == 0; }
  static Element b_of(std::uint64_t i) { return static_cast<Element>(mixed(i) % 1000); }  // exact in all computations
  static Element c_of(std::uint64_t i) { return static_cast<Element>(mixed(~i) % 1000); }
  Element volatile& element(array of, std::uint64_t i) const {
    return *reinterpret_cast<Element volatile*>(arrays_ + of * array_bytes + i * sizeof(Element));
  }
  /// Copies access DDR behind the caches: writes this core's lines back and invalidates them.
  void flush() const {
    hw::fence();
    if (on_chip_) return;
    namespace registers = tess::machine::registers;
    namespace of = registers::ranges;
    struct alignas(32) completion {
      std::uint64_t value = 1;
      std::uint64_t error = 0;
      std::uint64_t notify = 0;
      std::uint64_t cookie = 0;
    } counter;
    std::uint64_t const unit = registers::own_devices + registers::unit_bytes * std::uint64_t(registers::unit::ranges);
    hw::word(unit + of::operation) = of::flush;
    hw::word(unit + of::address) = arrays_;
    hw::word(unit + of::bytes) = 3 * array_bytes;
    hw::word(unit + of::counter) = reinterpret_cast<std::uint64_t>(&counter);
    hw::word(unit + of::trigger) = 0;
    hw::fence();
    hw::word(unit + of::doorbell) = 1;
    hw::wait_while(reinterpret_cast<std::uint64_t>(&counter.value), [](std::uint64_t value) { return value != 0; });
    cni::expect(counter.error == 0, "DDR could not be flushed");
  }
  [[nodiscard]] hw::counter arrivals(std::uint64_t buffer) const {
    return hw::counter(on_.line(own(), channels_line + buffer));
  }
  [[nodiscard]] hw::counter sent(std::uint64_t buffer) const {
    return hw::counter(on_.line(own(), sends_line + buffer));
  }
  [[nodiscard]] std::uint64_t flag(event_line line, std::uint64_t buffer) const {
    return on_.line(own(), line) + 8 * buffer;
  }
  [[nodiscard]] std::uint64_t free_word(std::uint64_t worker, std::uint64_t buffer) const {
    return on_.line(0, shared_line) + 8 * (worker * buffers_max + buffer);
  }
  static void await(hw::counter of, std::uint64_t bytes, std::uint64_t flag) {
    of.reload(-bytes);
    of.set(-bytes);
    of.preset(1);
    of.notify(0, flag);
  }
  static void take(std::uint64_t flag) {
    while (hw::word(flag) == 0) {
    }
    hw::word(flag) = 0;
    seen_by_others();
  }
  /// Address of the i-th block of this worker in an array.
  [[nodiscard]] std::uint64_t place(triad_shape const& of, array which, std::uint64_t i) const {
    std::uint64_t const turn = on_chip_ ? i * of.workers + worker_ : i;
    return arrays_ + which * array_bytes + turn * of.block_bytes % array_bytes;
  }
  [[nodiscard]] std::uint64_t buffer(unsigned core, triad_shape const& of, std::uint64_t number) const {
    return on_.data(core) + 2 * of.block_bytes * number;
  }
  static void compute(Element const* b, Element const* c, Element volatile* a, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; i += 4) {
      Element const four[] = {b[i] + factor * c[i], b[i + 1] + factor * c[i + 1], b[i + 2] + factor * c[i + 2],
                              b[i + 3] + factor * c[i + 3]};
      a[i] = four[0];
      a[i + 1] = four[1];
      a[i + 2] = four[2];
      a[i + 3] = four[3];
    }
  }
  void compute_block(triad_shape const& of, std::uint64_t at, std::uint64_t to) const {
    auto const* const b = reinterpret_cast<Element const*>(at);
    if (!copies_) {
      compute(b, b + of.block_bytes / sizeof(Element), reinterpret_cast<Element volatile*>(to),
              of.block_bytes / sizeof(Element));
    } else if (at != to) {
      store_elements(to, b, of.block_bytes);
    }
    seen_by_others();
  }

  /// Remote stores as wide as an element.
  static void store_elements(std::uint64_t to, void const* from, std::uint64_t bytes) {
    if constexpr (sizeof(Element) == 8)
      store_words(to, from, bytes);
    else
      store_words<std::uint32_t>(to, from, bytes);
  }
  void fetch(triad_shape const& of, std::uint64_t i) const {
    std::uint64_t const number = i % of.buffers;
    std::uint64_t const to = buffer(own(), of, number);
    std::uint64_t const completion = arrivals(number).address();
    commands_.copy(to, place(of, b_array, i), of.block_bytes, completion);
    if (!copies_) commands_.copy(to + of.block_bytes, place(of, c_array, i), of.block_bytes, completion);
  }
  /// A buffer is refilled one block later, when its block of a has been sent.
  void work_by_rdma(triad_shape const& of) const {
    std::uint64_t const n = of.blocks_of_worker;
    std::uint64_t const late = of.buffers > 1 ? 1 : 0;
    for (std::uint64_t i = 0; i < of.buffers && i < n; ++i) fetch(of, i);
    for (std::uint64_t i = 0; i < n; ++i) {
      std::uint64_t const number = i % of.buffers;
      std::uint64_t const at = buffer(own(), of, number);
      take(flag(arrived_line, number));
      compute_block(of, at, at);
      commands_.copy(place(of, a_array, i), at, of.block_bytes, sent(number).address());
      if (i < late || i - late + of.buffers >= n) continue;
      take(flag(sent_line, (i - late) % of.buffers));
      fetch(of, i - late + of.buffers);
    }
    for (std::uint64_t i = n > of.buffers ? n - of.buffers : 0; i < n; ++i) take(flag(sent_line, i % of.buffers));
  }
  void work_by_stores(triad_shape const& of) const {
    for (std::uint64_t i = 0; i < of.blocks_of_worker; ++i) {
      std::uint64_t const number = i % of.buffers;
      take(flag(arrived_line, number));
      compute_block(of, buffer(own(), of, number), place(of, a_array, i));
      hw::word(free_word(worker_, number)) = 1;  // after a, in order: both go to core 0
    }
  }
  /// The work of core 0.
  void push(triad_shape const& of) const {
    for (std::uint64_t i = 0; i < of.blocks; ++i) {
      unsigned const worker = static_cast<unsigned>(i % of.workers);
      std::uint64_t const number = i / of.workers % of.buffers;
      take(free_word(worker, number));
      std::uint64_t const from = arrays_ + i * of.block_bytes % array_bytes;
      std::uint64_t const to = buffer(worker + 1, of, number);
      store_elements(to, reinterpret_cast<void const*>(from), of.block_bytes);
      if (!copies_)
        store_elements(to + of.block_bytes, reinterpret_cast<void const*>(from + array_bytes), of.block_bytes);
      hw::word(on_.line(worker + 1, arrived_line) + 8 * number) = 1;  // after the blocks, in order
    }
    for (std::uint64_t i = 0; i < of.workers * of.buffers; ++i)
      while (hw::word(free_word(i / of.buffers, i % of.buffers)) == 0) {
      }
  }

  chip const& on_;
  counter_barrier barrier_;
  hw::command_buffer commands_;
  bool on_chip_;
  bool copies_;
  std::uint64_t passes_;
  std::uint64_t worker_;
  std::uint64_t arrays_ = 0;
};

}  // namespace cni
