// hart_waits: what a hart waits for, in words for a trace and by kind for a profile.
#include <utility>

#include "machine/timed/timed_hart.hpp"

namespace tess::machine {

spent timed_hart::spent_on() const noexcept {
  hart const& h = context;
  switch (h.stopped) {
    case stop::fetch:
      return has_waited_ ? spent::memory : spent::l2;
    case stop::load:
    case stop::store:
      switch (memory_.place_of(h.request.address)) {
        case tile::place::device:
          return spent::device;
        case tile::place::event:
        case tile::place::posted:
          return spent::interface;
        case tile::place::remote:
          return spent::remote;
        default:
          if (has_waited_) return spent::memory;
          return h.stopped == stop::load ? spent::l2 : spent::buffer;
      }
    case stop::load_reserved:
    case stop::store_conditional:
    case stop::atomic:
    case stop::compare_swap:
      if (memory_.is_foreign(h.request.address) || memory_.is_remote(h.request.address)) return spent::remote;
      return has_waited_ ? spent::memory : spent::l2;
    case stop::extended_load:
    case stop::extended_store:
    case stop::extended_atomic:
    case stop::extended_compare_swap:
    case stop::extended_begin:
    case stop::ticket_test:
    case stop::ticket_get:
      return spent::remote;
    case stop::fence:
    case stop::fence_i:
      return has_waited_ ? spent::remote : spent::buffer;
    case stop::wait:
    case stop::wait_for_interrupt:
      return spent::sleep;
    case stop::ecall:
      return has_waited_ ? spent::sleep : spent::system;
    case stop::quantum:
      return spent::issue;
    default:
      return spent::system;
  }
}

void timed_hart::finish_profile(std::uint64_t cycle) {
  context.profile->finish(context, spent_on(), cycle);
}

void timed_hart::begin_wait() noexcept {
  has_waited_ = true;
  if (log_ == nullptr) return;
  wait_begin_ = kernel_.now();
  if (translates_from_ != never) {
    waits_for_ = "translation";
    return;
  }
  switch (context.stopped) {
    case stop::fetch:
      waits_for_ = "instructions";
      break;
    case stop::load:
      waits_for_ = remote_pending_ ? "remote load" : "load";
      break;
    case stop::store:
      waits_for_ = remote_pending_ ? "remote store" : "store";
      break;
    case stop::wait:
      waits_for_ = "a reserved word";
      break;
    case stop::wait_for_interrupt:
      waits_for_ = "an interrupt";
      break;
    case stop::ecall:
      waits_for_ = "asleep";
      break;
    case stop::extended_load:
    case stop::extended_store:
    case stop::extended_atomic:
    case stop::extended_compare_swap:
      waits_for_ = extended_name(context);
      break;
    case stop::extended_begin:
      waits_for_ = "begun words";
      break;
    case stop::ticket_get:
      waits_for_ = "eaget";
      break;
    case stop::fence:
      waits_for_ = "fence";
      break;
    default:
      waits_for_ = remote_pending_ ? "remote atomic" : "atomic";
  }
}

void timed_hart::end_wait() {
  log_->waited(*this, std::exchange(waits_for_, nullptr), wait_begin_, kernel_.now());
}

char const* timed_hart::extended_name(hart const& of) noexcept {
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

}  // namespace tess::machine
