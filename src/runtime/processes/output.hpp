// output: standard output and error of a place that is a process, brought to `tess run`, which passes lines on
//   whole. A launcher would pass on pieces of 4 KiB, in the middle of lines, and cut what it tags.
//
//   TESS_OUTPUT names the socket of `tess run` on this host; each stream is a connection that begins with an
//   output_header. It is set by `tess run` only. Without it, and over several hosts, the launcher passes output on.
//
// Threads   the main one, before there are others.
#pragma once

namespace tess::detail {

/// Does nothing where nobody listens.
void redirect_output() noexcept;

}  // namespace tess::detail
