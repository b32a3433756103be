// messages: words of other PEs by software: a request, a handler on the PE's own hart, and a reply; of programs that
// are compiled with -DTESS_SHMEM_MESSAGES.
//
//   A message is {handler, address, operand, expected}, a reply {handler, old value}: the image is the same in every
//   tile, and so are its functions' addresses. A PE serves others while it waits: for its own reply, for its window to
//   be free, in any call that waits. What comes while it waits for the window is kept, so that queues are emptied in
//   any case and nobody waits in a circle. A PE has one request under way, and is at most one meeting ahead: that
//   bounds what is kept.
//
// Threads   one hart of each PE.
// Cost      docs/use/openshmem.md has the instructions of each side.
// Source    the software path of RAE, section 2, made lean: no layers of a library, no completion queues.
#pragma once

#include <cstdint>

#include "tess/detail/words/word_op.hpp"

namespace tess::shmem::messages {

/// All words go by messages.
extern bool used;

/// Nobody sends before all have done this: a queue that is not open yet tells its PE of no message.
void open();
/// All have opened: words go by messages from now on, if the program is compiled so.
void begin();
/// A program must not end before its last message is in the other's queue.
void close();
/// Serves one, or sleeps until one comes.
void serve_one();
/// Serves what has come.
void serve();

/// At a PE; 1 and 2 bytes can only be loaded and stored. Returns the old value.
std::uint64_t ask(detail::word_op op, std::size_t bytes, std::uint64_t address, std::uint64_t operand,
                  std::uint64_t expected, int pe);
/// A flag of another PE; nobody waits for its end.
void raise(std::uint64_t address, std::uint64_t value, int pe);
/// It looks again at what it waits for; waits for its answer, so that it never has two of this PE.
void wake(int pe);

}  // namespace tess::shmem::messages
