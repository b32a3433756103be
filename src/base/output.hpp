// output: connects the standard output and error of a process to `tess run`, which forwards whole lines.
//
//   A launcher would forward pieces of 4 KiB that split lines. TESS_OUTPUT, set by `tess run` only, names its socket on
//   this host; each stream is a connection that begins with an output_header. Without it, and over several hosts, the
//   launcher forwards the output.
//
// Threads   the main one, before there are others.
#pragma once

namespace tess::detail {

/// Does nothing where no `tess run` listens.
void redirect_output() noexcept;

}  // namespace tess::detail
