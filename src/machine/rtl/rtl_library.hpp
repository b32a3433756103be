// rtl_library: the hardware of a unit, made C++ by Verilator, as a shared object that takes the place of its model.
//
//   The object has one function, which makes the unit behind the ports that the simulator knows (interface_unit and its
//   like). It is compiled for one set of parameters by tools/rtl/library.py; src/machine/rtl/verilated has the class
//   between ports and hardware.
//
// Errors    rtl_error: no such file, or it was compiled for other ports.
// Threads   one.
#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>

namespace tess::machine {

class rtl_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class rtl_library {
 public:
  /// It stays loaded, as the units that it makes may outlive this object.
  explicit rtl_library(std::filesystem::path const& file);

  /// A unit as it is after reset. `Ports`: the types of its inputs and outputs, of which the object knows the size.
  template <class Unit, class... Ports, class Parameters>
  [[nodiscard]] std::unique_ptr<Unit> make(Parameters const& parameters) const {
    return std::unique_ptr<Unit>(static_cast<Unit*>(made(&parameters, (sizeof(Parameters) + ... + sizeof(Ports)))));
  }

 private:
  using maker = void* (*)(void const* parameters, unsigned long bytes);
  [[nodiscard]] void* made(void const* parameters, unsigned long bytes) const;

  std::filesystem::path file_;
  maker make_ = nullptr;
};

}  // namespace tess::machine
