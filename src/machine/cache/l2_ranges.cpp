// l2_ranges: write-back, invalidation and flush of a range of addresses, line by line, waiting for memory at the end.
#include <vector>

#include "machine/cache/l2_private.hpp"

namespace tess::machine {
namespace {

/// Counts acknowledgements of lines, and resumes who awaits them all.
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

}  // namespace

task<> l2_private::write_back(std::uint64_t address, std::size_t bytes, picoseconds line_ps) {
  acknowledgements done;
  for (std::uint64_t line = line_address(address); line < address + bytes; line += shape().line_bytes) {
    if (line_ps > 0) co_await kernel_.delay(line_ps);
    bool const leaves = probe(line).line_state == dirty || departures_.contains(line);
    if (!leaves) continue;
    done.expect();
    write_back_line(line, done);
  }
  co_await done;
}

task<> l2_private::invalidate(std::uint64_t address, std::size_t bytes, picoseconds line_ps) {
  acknowledgements done;
  for (std::uint64_t line = line_address(address); line < address + bytes; line += shape().line_bytes) {
    if (line_ps > 0) co_await kernel_.delay(line_ps);
    bool const inside = line >= address && line + shape().line_bytes <= address + bytes;
    if (!inside && (probe(line).line_state == dirty || departures_.contains(line))) {
      done.expect();
      write_back_line(line, done);
    }
    drop_line(line);
  }
  co_await done;
}

task<> l2_private::flush(std::uint64_t address, std::size_t bytes, picoseconds line_ps) {
  co_await write_back(address, bytes, line_ps);
  // What was written meanwhile is the program's race; it is not lost.
  acknowledgements done;
  for (std::uint64_t line = line_address(address); line < address + bytes; line += shape().line_bytes) {
    if (probe(line).line_state == dirty) {
      done.expect();
      write_back_line(line, done);
    }
    drop_line(line);
  }
  co_await done;
}

}  // namespace tess::machine
