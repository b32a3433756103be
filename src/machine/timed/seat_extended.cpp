// seat_extended: what a hart wants of the node of an object (xBGAS): a word there, by the adapter, or here.
#include <cstring>

#include "machine/timed/seat.hpp"
#include "machine/unit/object_lookaside.hpp"

namespace tess::machine {
namespace {

remote_operation operation_of(stop wanted) {
  switch (wanted) {
    case stop::extended_load:
      return remote_operation::read;
    case stop::extended_store:
      return remote_operation::write;
    case stop::extended_compare_swap:
      return remote_operation::compare_swap;
    default:
      return remote_operation::atomic;
  }
}

}  // namespace

char const* seat::extended_name(hart const& of) noexcept {
  static constexpr char const* words[] = {"eamoswap.w", "eamoadd.w", "eamoxor.w",  "eamoand.w", "eamoor.w",
                                          "eamomin.w",  "eamomax.w", "eamominu.w", "eamomaxu.w"};
  static constexpr char const* doubles[] = {"eamoswap.d", "eamoadd.d", "eamoxor.d",  "eamoand.d", "eamoor.d",
                                            "eamomin.d",  "eamomax.d", "eamominu.d", "eamomaxu.d"};
  bool const is_double = of.request.bytes == sizeof(std::uint64_t);
  if (of.stopped == stop::extended_load) return "extended load";
  if (of.stopped == stop::extended_store) return "extended store";
  if (of.stopped == stop::extended_compare_swap) return is_double ? "eamocas.d" : "eamocas.w";
  return (is_double ? doubles : words)[static_cast<std::size_t>(of.request.operation)];
}

bool seat::refuse_extended(extended_fault why) {
  hart& h = occupant;
  h.request.right = h.stopped == stop::extended_load ? right_read : right_write;
  h.request.fault = why;
  h.stopped = stop::access;
  pending_ = true;
  return serve();
}

bool seat::serve_extended() {
  hart& h = occupant;
  if (h.request.address % h.request.bytes != 0) return refuse_extended(extended_fault::misaligned);
  object_lookaside const* const objects = tile_.objects();
  auto const node = objects == nullptr ? std::nullopt : objects->tile_of(h.request.object);
  if (!node) return refuse_extended(extended_fault::no_object);
  auto const name = objects->global(*node, h.request.address);
  region const* const in = name ? map_.find(*name) : nullptr;
  if (in == nullptr || in->kind == region_kind::device) return refuse_extended(extended_fault::outside);
  if (!drain_posted()) return false;
  memory_.drain(h);
  remote_.what = operation_of(h.stopped);
  remote_.word = static_cast<word_operation>(h.request.operation);
  remote_.status = remote_outcome::pending;
  remote_.target = in->tile;
  remote_.address = *name;
  remote_.bytes = h.request.bytes;
  remote_.operand = h.request.operand;
  remote_.expected = h.request.expected;
  std::memcpy(remote_.data.data(), &h.request.operand, sizeof h.request.operand);
  remote_.done = this;
  remote_pending_ = true;
  // The own node is no other case for the program: it is as weakly ordered, and takes what its home takes.
  if (in->tile == tile_.number()) {
    remote_.source = in->tile;
    tile_.serve(remote_, *this);
  } else {
    tile_.network_adapter().issue(remote_);
  }
  return false;
}

}  // namespace tess::machine
