// piece_machine: states.
#include "machine/cni/piece_machine.hpp"

#include <algorithm>

namespace tess::machine {

void piece_machine::step() {
  switch (state_) {
    case state::idle:
      if (!in.entry_valid) break;
      copy_ = in.next;
      by_lines_ = in.by_lines;
      state_ = state::cut;
      break;
    case state::cut:
      bytes_ = std::min(copy_.bytes, left_in_line(copy_.destination));
      if (by_lines_) bytes_ = std::min(bytes_, left_in_line(copy_.source));
      state_ = state::packet;
      break;
    case state::packet:
      if (!in.packet_ready) break;
      copy_.source += bytes_;
      copy_.destination += bytes_;
      copy_.bytes -= bytes_;
      state_ = copy_.bytes == 0 ? state::idle : state::rest;
      break;
    case state::rest:
      if (in.rest_ready) state_ = state::idle;
      break;
  }
  refresh();
}

void piece_machine::refresh() {
  out.entry_ready = state_ == state::idle;
  out.packet_valid = state_ == state::packet;
  out.rest_valid = state_ == state::rest;
  out.quiet = state_ == state::idle;
  if (out.packet_valid) out.packet = {.source = copy_.source, .destination = copy_.destination, .bytes = bytes_};
  if (out.rest_valid) out.rest = copy_;
}

}  // namespace tess::machine
