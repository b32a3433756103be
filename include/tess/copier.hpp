// copier: how a graph of objects is copied to another place, and how copies of objects already visited are found.
//
//   Chosen for a run by settings::copier (`--copier`), or for one call as the second argument of at() and at_async().
//   All produce isomorphic graphs; docs/use/objects.md says what each costs and when to use which. Without
//   accelerators, `no_nca` is `nemesys`.
//
// Source  "NEMESYS" (MEMSYS 2019), sections 2 and 3; Pegasus (DATE 2017).
#pragma once

#include <cstdint>

namespace tess {

/// How a graph of objects is copied to another place.
enum class copier : std::uint8_t {
  automatic,        ///< as the run's settings say; in the settings: nemesys
  message_passing,  ///< serialise, send, deserialise
  pegasus,          ///< the receiver walks the source and copies object by object
  nemesys,          ///< measure, then write the copy with its final pointers
  no_nca,           ///< nemesys with only the accelerator near memory: a processor measures
};

/// Maps a source object to its copy.
enum class copy_map : std::uint8_t {
  automatic,  ///< linear for few objects, then dense
  linear,     ///< a list with linear search
  hashed,     ///< H3 universal hash, linear probing, 2^(ceil(log2 n) + 1) slots
  dense,      ///< one slot per 16 bytes of the segment, indexed by offset
};

}  // namespace tess
