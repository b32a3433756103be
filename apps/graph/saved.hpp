// saved: graphs in files (.tgr) that are mapped into memory instead of being read.
//
//   A page of header, then sections that begin at pages: the arrays of csr.hpp and the names, as they are in memory.
//
//     bytes    header
//     0-7      89 'T' 'G' 'R' 0d 0a 1a 0a: damaged by what damages texts
//     8-15     version 1, then 01020304 in the order of the bytes of words, 32 bits each
//     16-23    flags: 1 directed, 2 weights, 4 rows of in-edges, 8 integer names, 16 text names
//     24-55    vertices, entries of out-rows, self-loops, size of the file, 64 bits each
//     56-247   eight sections: offset, bytes and checksum of each, 64 bits each; an absent one has no bytes:
//              offsets [vertices + 1] of 64 bits, targets [entries] of 32, weights [entries] of 64 (doubles); the same
//              three of in-rows; names: integers of 64 bits, or ends of texts [vertices + 1] of 64; bytes of the texts
//     4088     checksum of the header's bytes before it
//
//   open_saved() verifies the header, and everything that leads to memory: that offsets grow to the number of entries,
//   that targets grow in each row and are vertices, and that ends of names grow to the size of the texts. It reads
//   offsets, targets and ends once. check_saved() verifies the checksums of all sections, that weights are finite, that
//   no name is there twice and that the rows of in-edges are those of the out-edges.
//
// Errors    input_error: another version, another order of bytes, truncated, damaged. A file that is truncated while it
//           is mapped ends the process by a signal: replace files instead of writing to them, as save() does.
#pragma once

#include <string>

#include "graph/csr.hpp"

namespace graph {

inline constexpr unsigned saved_version = 1;

// Throws std::runtime_error if the file cannot be written; then nothing is left of it.
void save(csr const& graph, std::string const& path, unsigned threads = 0);

[[nodiscard]] csr open_saved(std::string const& path, unsigned threads = 0);
// The same, and all else that can be wrong.
csr check_saved(std::string const& path, unsigned threads = 0);

}  // namespace graph
