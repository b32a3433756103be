// l2_ranges: write-back, invalidation and flush of a range of addresses, line by line, waiting for memory at the end.
#include "machine/cache/acknowledgements.hpp"
#include "machine/cache/l2_private.hpp"

namespace tess::machine {

task<> l2_private::write_back(std::uint64_t address, std::size_t bytes, picoseconds line_ps) {
  acknowledgements done;
  for (std::uint64_t line = line_address(address); line < address + bytes; line += shape().line_bytes) {
    if (line_ps > 0) co_await kernel_.delay(line_ps);
    if (!leaves(line)) continue;
    done.expect();
    write_back_line(line, done);
  }
  co_await done;
}

task<> l2_private::invalidate(std::uint64_t address, std::size_t bytes, picoseconds line_ps) {
  acknowledgements done;
  for (std::uint64_t line = line_address(address); line < address + bytes; line += shape().line_bytes) {
    if (line_ps > 0) co_await kernel_.delay(line_ps);
    // A directory counts on what is dirty here: nothing is dropped then.
    bool const inside = !coherent() && line >= address && line + shape().line_bytes <= address + bytes;
    if (!inside && leaves(line)) {
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
