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
  bool const loads =
      h.stopped == stop::extended_load || (h.stopped == stop::extended_begin && h.request.begun == stop::load);
  h.request.right = loads ? right_read : right_write;
  h.request.fault = why;
  h.stopped = stop::access;
  pending_ = true;
  return serve();
}

seat::extended_place seat::find_extended(access_request const& of) const {
  if (of.address % of.bytes != 0) return {.fault = extended_fault::misaligned};
  object_lookaside const* const objects = tile_.objects();
  auto const node = objects == nullptr ? std::nullopt : objects->tile_of(of.object);
  if (!node) return {.fault = extended_fault::no_object};
  auto const name = objects->global(*node, of.address);
  region const* const in = name ? map_.find(*name) : nullptr;
  // Of another node than the object's: who goes beyond its memory is told, instead of reaching its neighbour's.
  if (in == nullptr || in->kind == region_kind::device || in->tile != *node) return {.fault = extended_fault::outside};
  return {.tile = in->tile, .name = *name};
}

void seat::fill_remote(transaction& asked, remote_operation what, extended_place const& there) const {
  access_request const& of = occupant.request;
  asked.what = what;
  asked.word = static_cast<word_operation>(of.operation);
  asked.status = remote_outcome::pending;
  asked.target = there.tile;
  asked.address = there.name;
  asked.bytes = of.bytes;
  asked.operand = of.operand;
  asked.expected = of.expected;
  std::memcpy(asked.data.data(), &of.operand, sizeof of.operand);
}

bool seat::serve_extended() {
  hart& h = occupant;
  extended_place const there = find_extended(h.request);
  if (there.fault != extended_fault::none) return refuse_extended(there.fault);
  if (!drain_posted()) return false;
  memory_.drain(h);
  fill_remote(remote_, operation_of(h.stopped), there);
  remote_.done = this;
  remote_pending_ = true;
  // The own node is no other case for the program: it is as weakly ordered, and takes what its home takes.
  if (there.tile == tile_.number()) {
    remote_.source = there.tile;
    tile_.serve(remote_, *this);
  } else {
    tile_.network_adapter().issue(remote_);
  }
  return false;
}

}  // namespace tess::machine
