// acknowledgements: counts expected events and resumes the waiting coroutine when all have happened.
//
// Threads   one.
#pragma once

#include <coroutine>
#include <cstdint>

#include "machine/kernel/event.hpp"

namespace tess::machine {

class acknowledgements : public event {
 public:
  acknowledgements() : event([](event& self) { static_cast<acknowledgements&>(self).one(); }) {}
  void expect() noexcept { ++missing_; }
  [[nodiscard]] bool await_ready() const noexcept { return missing_ == 0; }
  void await_suspend(std::coroutine_handle<> waiting) noexcept { waiting_ = waiting; }
  void await_resume() const noexcept {}

 private:
  void one() {
    if (--missing_ == 0 && waiting_) waiting_.resume();
  }
  std::uint64_t missing_ = 0;
  std::coroutine_handle<> waiting_;
};

}  // namespace tess::machine
