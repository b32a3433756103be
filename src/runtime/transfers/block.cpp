// block: block transfers; where memory is not coherent, with the owner's publish and refresh.
#include "tess/block.hpp"

#include <cstring>

#include "runtime/job/job.hpp"
#include "runtime/tasks/worker_loop.hpp"
#include "tess/at.hpp"
#include "tess/memory.hpp"
#include "tess/word.hpp"

namespace tess::detail {

namespace {

void check_block(std::uint64_t address, std::size_t bytes, std::source_location at) {
#if !(defined(TESS_CHECKED) && TESS_CHECKED)
  if (!verifies_accesses()) [[likely]]
    return;
#endif
  if (bytes != 0) check_access(address, bytes, 1, at);
}

/// The transfer reads or writes a block at another place; with TESS_RACES all places have a window.
void note_access(std::uint64_t address, std::size_t bytes, bool writes, std::source_location at) noexcept {
#if TESS_RACES
  races::block(bytes_of_window(job.load_window[place_of(address)] + offset_of(address)), bytes, writes, at);
#else
  static_cast<void>(address), static_cast<void>(bytes), static_cast<void>(writes), static_cast<void>(at);
#endif
}

void count_block(std::size_t bytes) noexcept {
  cold_counts& c = this_worker().cold;
  ++c.block_operations;
  bump(c.block_bytes, bytes);
}

/// At the source's place, before the transfer.
constexpr auto publish_here = [](std::uint64_t offset, std::uint64_t bytes) {
  the_job->fabric->publish(here(), offset, bytes);
};

/// At the target's place, after the bytes arrived: makes them visible, then notifies the counter there.
constexpr auto refresh_here = [](std::uint64_t offset, std::uint64_t bytes, std::uint64_t notified) {
  the_job->fabric->refresh(here(), offset, bytes);
  if (notified != 0) static_cast<completion*>(to_local(notified))->acknowledge(1);
};

}  // namespace

template <>
inline constexpr bool is_of_runtime<decltype(publish_here)> = true;
template <>
inline constexpr bool is_of_runtime<decltype(refresh_here)> = true;

namespace {

/// Expects one acknowledgement of an operation; takes that back if the operation cannot be issued.
template <class Issue>
void announce(completion* cell, Issue issue) {
  if (cell != nullptr) cell->expect(1);
  try {
    issue();
  } catch (...) {
    if (cell != nullptr) cell->acknowledge(1);
    throw;
  }
}

/// A transfer on a machine without coherence takes three steps, in a task of its own that acknowledges the counter.
task<void> put_incoherent(std::span<std::byte const> source, std::uint64_t target, completion* local,
                          std::uint64_t notified) {
  std::uint64_t failure = 0;
  try {
    counter moved;
    announce(&access::cell(moved), [&] { the_job->fabric->put(here(), source, target, &access::cell(moved), 0); });
    co_await moved;
    co_await at(place_of(target), refresh_here, offset_of(target), std::uint64_t{source.size()}, notified);
  } catch (place_failed const& e) {
    failure = std::uint64_t{e.place()} + 1;
  }
  if (local != nullptr) local->acknowledge(1, failure);
}

task<void> get_incoherent(std::uint64_t source, std::span<std::byte> target, completion* local) {
  std::uint64_t failure = 0;
  try {
    co_await at(place_of(source), publish_here, offset_of(source), std::uint64_t{target.size()});
    counter moved;
    announce(&access::cell(moved), [&] { the_job->fabric->get(here(), source, target, &access::cell(moved)); });
    co_await moved;
  } catch (place_failed const& e) {
    failure = std::uint64_t{e.place()} + 1;
  }
  local->acknowledge(1, failure);
}

task<void> copy_incoherent(std::uint64_t source, std::uint64_t target, std::size_t bytes, completion* local) {
  std::uint64_t failure = 0;
  try {
    co_await at(place_of(source), publish_here, offset_of(source), std::uint64_t{bytes});
    counter moved;
    announce(&access::cell(moved), [&] { the_job->fabric->copy(here(), source, target, bytes, &access::cell(moved)); });
    co_await moved;
    co_await at(place_of(target), refresh_here, offset_of(target), std::uint64_t{bytes}, std::uint64_t{0});
  } catch (place_failed const& e) {
    failure = std::uint64_t{e.place()} + 1;
  }
  local->acknowledge(1, failure);
}

}  // namespace

void block_put(std::span<std::byte const> source, std::uint64_t target, completion* local, std::uint64_t notified,
               std::source_location at) {
  check_block(target, source.size(), at);
  count_block(source.size());
  races::block(source.data(), source.size(), false, at);
  note_access(target, source.size(), true, at);
  announce(local, [&] {
    if (the_job->fabric->coherent() || source.empty())
      the_job->fabric->put(here(), source, target, local, notified);
    else
      start_system_task(put_incoherent(source, target, local, notified));
  });
}

void block_get(std::uint64_t source, std::span<std::byte> target, completion* local, std::source_location at) {
  check_block(source, target.size(), at);
  count_block(target.size());
  note_access(source, target.size(), false, at);
  races::block(target.data(), target.size(), true, at);
  announce(local, [&] {
    if (the_job->fabric->coherent() || target.empty())
      the_job->fabric->get(here(), source, target, local);
    else
      start_system_task(get_incoherent(source, target, local));
  });
}

void block_copy(std::uint64_t source, std::uint64_t target, std::size_t bytes, completion* local,
                std::source_location at) {
  check_block(source, bytes, at);
  check_block(target, bytes, at);
  count_block(bytes);
  note_access(source, bytes, false, at);
  note_access(target, bytes, true, at);
  announce(local, [&] {
    if (the_job->fabric->coherent() || bytes == 0)
      the_job->fabric->copy(here(), source, target, bytes, local);
    else
      start_system_task(copy_incoherent(source, target, bytes, local));
  });
}

}  // namespace tess::detail
