// clocked_model: what units of hardware that Verilator made C++ have in common: a clock, a reset, registers and
// memories that begin with random bits, a waveform if TESS_RTL_WAVES names a file, and how the simulator makes and
// steps them.
//
//   The environment's variable TESS_RTL_SEED chooses the bits: other ones for each number.
//
// Threads   one.
#pragma once

#include <verilated.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#ifdef TESS_RTL_WAVES
#include <verilated_fst_c.h>
#endif

namespace tess::machine {

/// What has no reset begins with bits that TESS_RTL_SEED chooses.
struct random_context : VerilatedContext {
  random_context() {
    std::uint64_t seed = 0;
    if (char const* const given = std::getenv("TESS_RTL_SEED"))
      std::from_chars(given, given + std::strlen(given), seed);
    randReset(2);
    // Verilator takes positive numbers only.
    randSeed(1 + static_cast<int>(seed % 0x7fff'ffffU));
  }
};

template <class Model>
class clocked_model {
 public:
  clocked_model() {
#ifdef TESS_RTL_WAVES
    context_.traceEverOn(true);
    ports.trace(&waves_, 99);
    waves_.open(TESS_RTL_WAVES);
#endif
    ports.clk_i = 0;
    for (bool const runs : {true, false, true}) {
      ports.rst_ni = runs;
      ports.eval();
    }
  }

  /// An edge of the clock; inputs have been set.
  void edge() {
    for (bool const up : {true, false}) {
      ports.clk_i = up;
      ports.eval();
#ifdef TESS_RTL_WAVES
      waves_.dump(context_.time());
      waves_.flush();
      context_.timeInc(1);
#endif
    }
  }

 private:
  random_context context_;

 public:
  Model ports{&context_, ""};

 private:
#ifdef TESS_RTL_WAVES
  VerilatedFstC waves_;
#endif
};

/// The hardware behind the ports of a unit, for a class that copies these to and from its own.
template <class Unit, class Model>
class verilated_unit : public Unit {
 public:
  void step() final {
    write_inputs();
    model_.edge();
    read_outputs();
  }

  /// For whoever loads the shared object; `bytes` is the size of the ports' types, which must be the same there.
  template <class Made, class Parameters>
  static void* make(void const* parameters, unsigned long bytes) {
    if (bytes != sizeof(Parameters) + sizeof(Unit)) return nullptr;
    auto made = std::make_unique<Made>(*static_cast<Parameters const*>(parameters));
    // The outputs before the first edge.
    verilated_unit& unit = *made;
    unit.write_inputs();
    unit.model_.ports.eval();
    unit.read_outputs();
    return static_cast<Unit*>(made.release());
  }

 protected:
  clocked_model<Model> model_;

 private:
  virtual void write_inputs() = 0;
  virtual void read_outputs() = 0;
};

/// A port as wide as its module's parameters make it.
template <class Port>
void set_port(Port& port, std::uint64_t value) {
  port = static_cast<Port>(value);
}

/// Bits of a port that is wider than 64 bits, one field after another. Packed structs begin with their last field.
template <class Words>
struct port_fields {
  Words& words;
  unsigned at = 0;

  void put(std::uint64_t value, unsigned bits) {
    for (unsigned done = 0; done < bits;) {
      unsigned const shift = (at + done) % 32;
      unsigned const piece = std::min(32 - shift, bits - done);
      std::uint32_t const mask = (piece == 32 ? ~0U : (1U << piece) - 1) << shift;
      std::uint32_t const part = static_cast<std::uint32_t>(value >> done) << shift;
      words[(at + done) / 32] = (words[(at + done) / 32] & ~mask) | (part & mask);
      done += piece;
    }
    at += bits;
  }
  [[nodiscard]] std::uint64_t take(unsigned bits) {
    std::uint64_t value = 0;
    for (unsigned done = 0; done < bits;) {
      unsigned const shift = (at + done) % 32;
      unsigned const piece = std::min(32 - shift, bits - done);
      std::uint64_t const mask = (std::uint64_t{1} << piece) - 1;
      value |= (words[(at + done) / 32] >> shift & mask) << done;
      done += piece;
    }
    at += bits;
    return value;
  }
};
template <class Words>
port_fields(Words&) -> port_fields<Words>;

}  // namespace tess::machine
