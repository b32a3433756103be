// ucx: the fabric: windows where they exist, active messages otherwise; sleep on event files; failures.
#include "fabric/ucx/ucx.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <optional>

#include "fabric/ucx/failures.hpp"
#include "fabric/ucx/host_segments.hpp"
#include "fabric/ucx/introduction.hpp"
#include "fabric/ucx/sleeper.hpp"
#include "fabric/ucx/watch.hpp"

namespace tess::detail {

namespace {

class ucx_fabric final : public fabric, private fabric_capabilities {
 public:
  ucx_fabric(thread_map const& threads, ucx_options const& options, std::unique_ptr<process_wireup> wires)
      : wires_(std::move(wires)),
        options_(options),
        first_(wires_ == nullptr ? place_id{0} : wires_->place()),
        known_(wires_.get()),
        job_{load_ucx(),
             nullptr,
             threads.places,
             wires_ == nullptr ? unsigned{threads.places} : wires_->processes_here(),
             threads.message_memory,
             &known_,
             {},
             {},
             {}},
        notices_(first_, threads.places, [this](place_id p) { return job_.has_failed(p); }) {
    bool const in_process = wires_ == nullptr;
    unsigned const own = in_process ? threads.places : 1;
    job_.context = make_ucx_context(threads.places, job_.places_here, own, options.windows);
    job_.failed = std::make_unique<std::atomic<bool>[]>(threads.places);
    job_.on_failure = [this](place_id p, char const* how) { report({p, how}); };
    job_.on_notice = [this](place_id p, place_id root) { report({p, "another place says so", root}); };
    job_.on_heartbeat = [this](place_id by) {
      if (watch_ != nullptr) watch_->heartbeat(by);
    };
    job_.wake_reader = [this](place_id reader) { is_here(reader) ? wake_readers(reader) : ring(reader); };
    if (options.windows) job_.mailboxes.resize(threads.places);
    try {
      if (!in_process && options.windows) bell_.emplace();
      if (!in_process && segment::many(job_.places_here)) {
        if (options.windows)
          segments_.join(*wires_, sizeof(mailbox_memory));
        else
          wires_->stay_apart();
      }
      for (unsigned i = 0; i < own; ++i) {
        auto const id = static_cast<place_id>(first_ + i);
        places_.push_back(std::make_unique<ucx_place>(job_, id, !in_process && (options.windows || options.memory_file),
                                                      segments_.of(id)));
      }
      make_sleepers(threads);
      if (options.windows)
        for (auto const& p : places_) p->make_mailbox();
      in_process ? meet_here() : meet_others();
      start_watch();
    } catch (...) {
      release();
      throw;
    }
  }

  ~ucx_fabric() override {
    if (watch_ != nullptr) watch_->expect_ends();
    for (auto const& p : places_) p->close_mailbox();
    bool const whole = !failures_.any();
    // What was sent to a failed place may never leave.
    auto const most = whole ? options_.failure_timeout : std::min(options_.failure_timeout, flush_timeout);
    auto const until = std::chrono::steady_clock::now() + most;
    while (std::chrono::steady_clock::now() < until &&
           !std::ranges::all_of(places_, [](auto const& p) { return p->all_sent(); }))
      for (auto const& p : places_) p->progress(true);
    // Others may still have something for us, or read our segment.
    if (whole && wires_ != nullptr) wires_->meet(options_.failure_timeout);
    release();
  }

  void word(place_id from, word_request const& request, std::uint64_t (&result)[2], completion& done) override {
    if (std::byte* const memory = reach(from, request.address)) {
      apply_request(memory, request, result);
      done.acknowledge(1);
      return;
    }
    here(from).word(request, result, done);
    fail_if_target_failed(request.address);
  }

  void put(place_id from, std::span<std::byte const> source, std::uint64_t target, completion* local,
           std::uint64_t notified) override {
    std::uint64_t const where = source.empty() && notified != 0 ? notified : target;
    std::byte* const memory = reach(from, where);
    if (memory == nullptr) {
      here(from).put(source, target, local, notified);
      fail_if_target_failed(where);
      return;
    }
    if (!source.empty()) std::memcpy(memory, source.data(), source.size());
    if (local != nullptr) local->acknowledge(1);
    if (notified == 0) return;
    auto* const cell = reinterpret_cast<completion*>(reach(from, notified));
    if (place_of(notified) == from) return cell->acknowledge(1);
    // Only the target's process can wake a task that waits there. The bytes come first.
    std::atomic_thread_fence(std::memory_order_release);
    if (!here(from).notify(notified)) here(from).put({}, notified, nullptr, notified);
    fail_if_target_failed(notified);
  }

  void get(place_id from, std::uint64_t source, std::span<std::byte> target, completion* local) override {
    std::byte const* const memory = reach(from, source);
    if (memory == nullptr && !target.empty()) {
      here(from).get(source, target, local);
      fail_if_target_failed(source);
      return;
    }
    if (!target.empty()) std::memcpy(target.data(), memory, target.size());
    if (local != nullptr) local->acknowledge(1);
  }

  void copy(place_id from, std::uint64_t source, std::uint64_t target, std::size_t bytes, completion* local) override {
    std::byte* const to = reach(from, target);
    std::byte* const memory = reach(from, source);
    if (bytes == 0 || (to != nullptr && memory != nullptr)) {
      if (bytes != 0) std::memmove(to, memory, bytes);
      if (local != nullptr) local->acknowledge(1);
    } else if (memory != nullptr) {
      here(from).put({memory, bytes}, target, local, 0);
      fail_if_target_failed(target);
    } else if (to != nullptr) {
      here(from).get(source, {to, bytes}, local);
      fail_if_target_failed(source);
    } else {
      here(from).copy(source, target, bytes, local);
      fail_if_target_failed(source);
    }
  }

  bool try_send(place_id from, place_id target, message_class cls, std::span<std::byte const> bytes) override {
    // The message is dropped; the job is about to end.
    if (job_.failed[target].load(std::memory_order_relaxed)) {
      here(from).drop(bytes);
      return true;
    }
    if (!here(from).try_send(target, cls, bytes)) return false;
    if (target == from) wake_readers(from);
    return true;
  }
  std::byte* lend(place_id from, place_id to) noexcept override { return here(from).lend(to); }
  void give_back(place_id from, std::byte* lent) noexcept override { here(from).give_back(lent); }

  unsigned poll(place_id at, unsigned budget, message_sink& sink) override {
    ucx_place& p = here(at);
    p.polls.store(p.polls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    bool moved = false;
    unsigned delivered = p.deliver_mail(budget, sink, moved);
    moved = p.take_served() || moved;
    if (p.progress_due()) moved = p.progress() || moved;
    delivered += p.deliver_inbox(budget - delivered, sink);
    if (delivered < budget || p.empty()) p.return_credit();
    if (!options_.progress_thread && failures_.is_reported()) handle_failures();
    return delivered == 0 && moved ? 1 : delivered;
  }

  void sleep(std::uint32_t thread, deadline until, idle_question nothing_to_do) override {
    ucx_sleeper& s = *sleepers_[thread];
    s.asleep.store(1, std::memory_order_seq_cst);
    std::vector<ucx_place*> watched;
    for (ucx_place* const p : s.places)
      if (!p->watched.exchange(true, std::memory_order_seq_cst)) watched.push_back(p);
    for (ucx_place* const p : s.places) p->begin_sleep();
    for (int round = 0; idle(s) && nothing_to_do() && wait(s, watched, until, round); ++round) {
    }
    for (ucx_place* const p : s.places) p->end_sleep();
    for (ucx_place* const p : watched) p->watched.store(false, std::memory_order_seq_cst);
    s.asleep.store(0, std::memory_order_relaxed);
  }

  void wake(std::uint32_t thread) noexcept override { sleepers_[thread]->wake(); }

  place_window window(place_id p) const noexcept override { return {windows_[p], windows_[p]}; }
  place_segment segment(place_id p) const noexcept override {
    if (is_here(p)) return {here(p).memory().base(), here(p).memory().bytes()};
    return {windows_[p], segment_bytes(p)};
  }
  bool extend_segment(place_id p, std::uint64_t offset, std::uint64_t bytes) override {
    return here(p).memory().commit(offset, bytes);
  }
  memory_room room(place_id) const override {
    memory_room room = places_.front()->memory().room();
    // Each process knows its own commits only; what others took is free no more.
    std::uint64_t const all = std::min(shared_memory_limit().bytes, available_memory());
    room.each_bytes = std::min(room.each_bytes, all / (wires_ == nullptr ? 1 : wires_->processes_here()));
    return room;
  }

  bool coherent() const noexcept override { return true; }
  void publish(place_id, std::uint64_t, std::uint64_t) override {}
  void refresh(place_id, std::uint64_t, std::uint64_t) override {}
  std::vector<place_failure> failures() override { return failures_.take_published(); }
  fabric_capabilities& capabilities() noexcept override { return *this; }
  void fail(place_id p, std::string const& how) override { report({p, how}); }

 private:
  static constexpr int rounds_at_once = 8;
  static constexpr std::chrono::milliseconds flush_timeout{300};

  bool is_here(place_id p) const noexcept { return p >= first_ && p < first_ + places_.size(); }
  ucx_place& here(place_id p) const noexcept { return *places_[p - first_]; }

  /// Memory that `from` can access directly; null: it must ask.
  std::byte* reach(place_id from, std::uint64_t address) const noexcept {
    place_id const p = place_of(address);
    std::byte* const base = p == from ? here(p).memory().base() : windows_[p];
    return base == nullptr ? nullptr : base + offset_of(address);
  }

  /// Those of another process; 0: it is gone.
  std::uint64_t segment_bytes(place_id p) const noexcept try { return known_.of(p).where.bytes; } catch (...) {
    return 0;
  }

  /// Operations sent to a failed place never complete; a new report makes the watch end them.
  void fail_if_target_failed(std::uint64_t to) {
    if (job_.failed[place_of(to)].load(std::memory_order_relaxed)) report({place_of(to), "it failed before"});
  }

  void make_sleepers(thread_map const& threads) {
    for (std::uint32_t t = 0; t < threads.threads; ++t) sleepers_.push_back(std::make_unique<ucx_sleeper>());
    for (auto const& p : places_) {
      threads_.push_back(threads.threads_of_place[p->id()]);
      for (std::uint32_t const t : threads_.back()) sleepers_[t]->places.push_back(p.get());
    }
  }

  void meet_here() {
    known_.set_board(std::make_unique<host_board>(job_.places));
    for (auto const& p : places_) {
      introduction const mine{describe_segment(-1, p->memory().bytes()), {}, {}, p->address(), options_.identity};
      known_.board().enter(p->id(), write_introduction(mine));
      windows_.push_back(options_.windows ? p->memory().base() : nullptr);
    }
    if (options_.windows)
      for (auto const& p : places_) p->open_mailbox();
  }

  void meet_others() {
    ucx_place const& own = *places_.front();
    places_here_ = wires_->places_here();
    auto board = std::make_unique<host_board>(job_.places);
    // Others cannot use the file without windows, and need not if it is theirs, too. They watch its process all the
    // same.
    int const shown = options_.windows && !segments_.joined() ? own.memory().file() : -1;
    introduction const mine{describe_segment(shown, own.memory().bytes()), board->place(),
                            bell_ ? bell_->place() : bell_place{}, own.address(), options_.identity};
    std::vector<std::byte> const bytes = write_introduction(mine);
    wires_->introduce(bytes);
    join_board(std::move(board), mine.where);
    known_.board().enter(first_, bytes);
    known_.board().stamp(first_, std::chrono::steady_clock::now());
    check_program();
    windows_.resize(job_.places);
    windows_[first_] = options_.windows ? own.memory().base() : nullptr;
    if (segments_.joined() && wires_->share_segments())
      find_segments();
    else
      map_segments(mine.where);
    if (options_.windows && maps_all_) places_.front()->open_mailbox();
  }

  /// Places of a host share the board of the first one; one that cannot map it has its own.
  void join_board(std::unique_ptr<host_board> mine, segment_place const& where) {
    place_id const first_here = places_here_.front();
    if (first_here != first_) {
      std::vector<std::byte> const bytes = wires_->introduction_of(first_here);
      introduction_view const its = read_introduction(bytes, first_here);
      if (auto shared = same_host(its.where, where) ? host_board::open(its.board, job_.places) : nullptr)
        mine = std::move(shared);
    }
    known_.set_board(std::move(mine));
  }

  void check_program() {
    introduction_view const first = known_.of(0);
    if (first.identity == options_.identity) return;
    // The launcher may end all processes when one ends: one of each host reports why.
    if (known_.board().take_report()) throw other_program(first_, known_.of(first_), first);
    wires_->meet(std::chrono::seconds(1));
    throw reported_by_place_0();
  }

  /// In the file that all processes share.
  void find_segments() {
    for (place_id const p : places_here_) {
      segment_part const its = segments_.of(p);
      windows_[p] = its.base;
      job_.mailboxes[p] = reinterpret_cast<mailbox_memory*>(its.behind);
    }
  }

  /// Each one's file.
  void map_segments(segment_place const& mine) {
    std::uint64_t space = 0;
    for (place_id const p : places_here_)
      if (segment_place const where = known_.of(p).where; p != first_ && where.file >= 0 && same_host(mine, where))
        space += window_space::bytes_for(where.bytes);
    space_.reserve(space);
    std::erase_if(places_here_, [&](place_id p) { return p != first_ && !meet(p, mine); });
  }

  /// False: it is on another host.
  bool meet(place_id p, segment_place const& mine) {
    segment_place const where = known_.of(p).where;
    if (!same_host(mine, where)) return false;
    if (int const file = open_segment(where); file >= 0) {
      windows_[p] = space_.map(file, where.bytes, !segment::many(job_.places_here));
      close(file);
    }
    if (windows_[p] != nullptr && options_.windows)
      job_.mailboxes[p] = reinterpret_cast<mailbox_memory*>(windows_[p] + where.bytes);
    else
      maps_all_ = false;
    return true;
  }

  void start_watch() {
    if (!options_.progress_thread) return;
    std::vector<ucx_place*> own;
    for (auto const& p : places_) own.push_back(p.get());
    watch_ = std::make_unique<ucx_watch>(
        job_, std::move(own),
        wires_ == nullptr ? ucx_watch::surroundings{}
                          : ucx_watch::surroundings{places_here_, wires_->processes_here(), wires_->launcher(),
                                                    bell_ ? &*bell_ : nullptr},
        options_.failure_timeout,
        ucx_watch::calls{[this](ucx_place& p) {
                           p.progress();
                           if (!p.empty()) wake_readers(p.id());
                         },
                         [this](ucx_place& p) { wake_readers(p.id()); }, [this] { handle_failures(); },
                         [this](place_id p, char const* how) { report({p, how}); }});
  }

  void release() noexcept {
    watch_.reset();
    windows_.clear();
    space_.release();
    places_.clear();
    segments_.release();
    if (job_.context != nullptr) job_.ucx.cleanup(job_.context);
    job_.context = nullptr;
    sleepers_.clear();
  }

  bool idle(ucx_sleeper& s) {
    bool moved = false;
    for (ucx_place* const p : s.places) {
      bool const served = p->progress();
      // Otherwise the thread would sleep again at once, and each operation of a series would pay for waking it.
      if (served) p->served.store(true, std::memory_order_relaxed);
      moved = served || !p->empty() || moved;
    }
    return !moved && s.asleep.load(std::memory_order_seq_cst) != 0;
  }

  /// False: the sleep ends.
  bool wait(ucx_sleeper& s, std::vector<ucx_place*> const& watched, deadline until, int round) {
    std::vector<pollfd> files{{s.file, POLLIN, 0}};
    // The thread that looks after the place also hears its bell.
    files.push_back({watched.empty() || !bell_ ? -1 : bell_->file(), POLLIN, 0});
    std::chrono::nanoseconds left = until - std::chrono::steady_clock::now();
    for (ucx_place* const p : watched) {
      if (p->arm()) {
        files.push_back({p->event_file(), POLLIN, 0});
        continue;
      }
      // UCX has something to do first. Work that never ends, as towards a failed place, must not keep this thread
      // awake.
      if (round < rounds_at_once) return true;
      left = std::min<std::chrono::nanoseconds>(left, std::chrono::milliseconds(1));
    }
    if (left.count() <= 0) return false;
    auto const ns = left.count();
    timespec const most{ns / 1'000'000'000, ns % 1'000'000'000};
    if (ppoll(files.data(), files.size(), &most, nullptr) <= 0) return false;
    if (files[1].revents != 0) {
      bell_->silence();
      for (ucx_place* const p : watched) p->hear_again();
    }
    if (files[0].revents == 0) return true;
    std::uint64_t n;
    static_cast<void>(!read(s.file, &n, sizeof n));
    // A wake-up of an earlier sleep, which arrived late, does not count.
    return s.asleep.load(std::memory_order_seq_cst) != 0;
  }

  void wake_readers(place_id p) noexcept {
    for (std::uint32_t const t : threads_[p - first_])
      if (sleepers_[t]->asleep.load(std::memory_order_seq_cst) != 0) return wake(t);
  }

  /// At another process of this host, whose readers sleep.
  void ring(place_id reader) noexcept try {
    introduction_view const its = known_.of(reader);
    // Any packet wakes it, too.
    if (!bells_.ring(reader, its.where.process, its.bell)) places_.front()->send_heartbeat(reader);
  } catch (std::exception const&) {
    // It has gone.
  }

  /// May be called under the lock of a place, because the failure is handled later.
  void report(ucx_failures::reported&& r) {
    failures_.report(std::move(r));
    if (watch_ != nullptr) watch_->wake();
  }

  void handle(ucx_failures::reported const& r, bool known) {
    // A task that learns of the failure by an operation finds it published.
    if (!known) failures_.publish(r.place, "on host " + known_.host_of(r.place) + ": " + r.how);
    for (auto const& p : places_) p->end_operations_on(r.place);
    // Places of one process need no notices, and others go on without this one if it is the place.
    if (wires_ != nullptr && !is_here(r.place)) tell(r, known);
    for (auto const& p : places_) p->progress(true);
  }

  void tell(ucx_failures::reported const& r, bool known) {
    ucx_place& own = *places_.front();
    if (!known)
      for (auto const& m : notices_.learned(r.place)) own.send_notice(m);
    if (r.root)
      for (auto const& m : notices_.told(r.place, *r.root)) own.send_notice(m);
    else if (!known)
      for (auto const& m : notices_.seen(r.place)) own.send_notice(m);
  }

  /// What they sent before is not lost.
  void take_in_last() {
    for (auto const& p : places_)
      for (int i = 0; i < rounds_at_once && p->progress(true); ++i) {
      }
    for (auto const& p : places_) p->take_in_mail();
  }

  void handle_failures() {
    std::vector<ucx_failures::reported> const reports = failures_.take_reports();
    if (reports.empty()) return;
    take_in_last();
    // All before the first is told: none of them is anybody's neighbour any more.
    std::vector<bool> known;
    for (auto const& r : reports) known.push_back(job_.failed[r.place].exchange(true, std::memory_order_seq_cst));
    for (std::size_t i = 0; i < reports.size(); ++i) handle(reports[i], known[i]);
    for (std::uint32_t t = 0; t < sleepers_.size(); ++t) wake(t);
  }

  std::unique_ptr<process_wireup> wires_;
  ucx_options options_;
  place_id first_;
  ucx_introductions known_;
  ucx_job job_;
  host_segments segments_;
  std::vector<std::unique_ptr<ucx_place>> places_;
  std::vector<std::vector<std::uint32_t>> threads_;  ///< of each place of this process
  window_space space_;
  std::vector<std::byte*> windows_;
  std::vector<place_id> places_here_;  ///< in order; empty: all places are in this process
  bool maps_all_ = true;               ///< the segments of all processes of this host
  std::vector<std::unique_ptr<ucx_sleeper>> sleepers_;
  std::optional<ucx_doorbell> bell_;
  ucx_doorbells bells_;

  ucx_failures failures_;
  ucx_notices notices_;
  std::unique_ptr<ucx_watch> watch_;
};

}  // namespace

std::unique_ptr<fabric> make_ucx_fabric(thread_map const& threads, ucx_options const& options,
                                        std::unique_ptr<process_wireup> wires) {
  return std::make_unique<ucx_fabric>(threads, options, std::move(wires));
}

}  // namespace tess::detail
