// trace: the events of this PE, and how those of all become one file in the Trace Event Format (JSON).
#include "shmem/trace.hpp"

#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/output_file.hpp"
#include "shmem/call.hpp"
#include "shmem/gather.hpp"
#include "shmem/job.hpp"
#include "shmem/source_line.hpp"

namespace tess::shmem {

bool tracing = false;

namespace {

/// Times are nanoseconds of the host's clock since it was started.
struct event {
  std::uint64_t begin, end;
  std::uint64_t word;  ///< which it wrote, or which it waited for; 0: none
  std::uint64_t bytes;
  std::uint32_t site : 31;
  std::uint32_t waits : 1;
  std::int16_t pe;  ///< -1: none
  std::uint16_t thread;
};
static_assert(sizeof(event) == 40);

std::mutex one;
std::vector<event> events;
std::size_t events_max = 0;
std::map<std::pair<char const*, void*>, std::uint32_t> numbers;
std::vector<std::pair<char const*, void*>> sites;
std::string file_name;

std::uint16_t thread_number() {
  static std::atomic<std::uint16_t> threads{0};
  thread_local std::uint16_t const mine = threads.fetch_add(1);
  return mine;
}

std::uint64_t word_number(void const* address, int pe) {
  auto const at = static_cast<std::byte const*>(address);
  auto const in_heap = static_cast<std::size_t>(at - own.heap);
  auto const in_data = static_cast<std::size_t>(at - own.data);
  std::uint64_t const of_pe = static_cast<std::uint64_t>(pe + 1) << 48U;
  if (in_heap < own.heap_bytes) return of_pe | in_heap << 1U | 1U;
  return in_data < own.data_bytes ? of_pe | in_data << 1U : 0;
}

/// 0: it is about none, or about several.
std::uint64_t word_of(operation const& o, std::uint64_t result) {
  if (o.what == role::moves && o.word != nullptr && !(o.acquires && !o.releases)) return word_number(o.word, o.word_pe);
  bool const has_seen = o.what == role::waits && (!o.is_test || result != 0);
  if (has_seen && o.items == 1 && o.which == chosen::all) return word_number(o.ivars, own.pe);
  if (o.what == role::waits && o.which == chosen::any && result < o.items)
    return word_number(static_cast<std::byte const*>(o.ivars) + result * o.item_bytes, own.pe);
  return 0;
}

std::uint64_t nanoseconds(double seconds) {
  return static_cast<std::uint64_t>(seconds * 1e9);
}

/// What the hosts' common clock says at this host's zero.
std::int64_t zero_of_host() {
  using std::chrono::duration_cast;
  auto const now = std::chrono::system_clock::now().time_since_epoch();
  auto const here = std::chrono::steady_clock::now().time_since_epoch();
  return duration_cast<std::chrono::nanoseconds>(now).count() - duration_cast<std::chrono::nanoseconds>(here).count();
}

template <class T>
void append(std::string& text, T const& value) {
  text.append(reinterpret_cast<char const*>(&value), sizeof value);
}
template <class T>
T take(std::string_view& bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
  bytes.remove_prefix(std::min(sizeof value, bytes.size()));
  return value;
}

/// The zero, lines `NAME OFFSET FILE`, and the events.
std::string own_report() {
  std::string text;
  append(text, zero_of_host());
  append(text, sites.size());
  for (auto const& [name, from] : sites) {
    place_in_file const at = find_in_file(from);
    text += std::string(name) + " " + std::to_string(at.offset) + " " + at.file + "\n";
  }
  append(text, events.size());
  text.append(reinterpret_cast<char const*>(events.data()), events.size() * sizeof(event));
  return text;
}

/// Source lines, each looked up once, as that starts a process.
class lines {
 public:
  std::string of(place_in_file const& at) {
    auto const [known, is_new] = found_.try_emplace({at.file, at.offset});
    if (is_new && found_.size() <= looked_up) {
      std::string const line = source_line(at);
      if (line.size() > 3) known->second = line.substr(2, line.size() - 3);
    }
    return known->second;
  }

 private:
  static constexpr std::size_t looked_up = 300;
  std::map<std::pair<std::string, std::uintptr_t>, std::string> found_;
};

struct pe_report {
  std::vector<std::pair<std::string, std::string>> sites;  ///< name and line
  std::vector<event> events;
};

pe_report read_report(int pe, std::string_view bytes, std::int64_t zero, lines& known) {
  pe_report report;
  auto const its_zero = take<std::int64_t>(bytes);
  // PEs of this host have the same clock.
  std::int64_t const shift = heap_of(pe) != nullptr ? 0 : its_zero - zero;
  for (auto left = take<std::size_t>(bytes); left != 0; --left) {
    std::string_view const line = bytes.substr(0, bytes.find('\n'));
    bytes.remove_prefix(std::min(bytes.size(), line.size() + 1));
    std::string_view const name = line.substr(0, line.find(' '));
    std::string_view const rest = line.substr(std::min(line.size(), name.size() + 1));
    place_in_file at;
    auto const digits = std::from_chars(rest.data(), rest.data() + rest.size(), at.offset).ptr;
    at.file = rest.substr(std::min(rest.size(), static_cast<std::size_t>(digits - rest.data()) + 1));
    report.sites.emplace_back(name, known.of(at));
  }
  report.events.resize(std::min(take<std::size_t>(bytes), bytes.size() / sizeof(event)));
  std::memcpy(report.events.data(), bytes.data(), report.events.size() * sizeof(event));
  for (event& e : report.events) {
    e.begin = static_cast<std::uint64_t>(static_cast<std::int64_t>(e.begin) + shift);
    e.end = static_cast<std::uint64_t>(static_cast<std::int64_t>(e.end) + shift);
  }
  return report;
}

/// Who wrote a word when, in the order of time.
struct written {
  std::uint64_t begin;
  std::size_t pe;
  std::uint16_t thread;
};
using words_written = std::map<std::uint64_t, std::vector<written>>;

words_written find_written(std::vector<pe_report> const& all) {
  words_written words;
  for (std::size_t pe = 0; pe < all.size(); ++pe)
    for (event const& e : all[pe].events)
      if (e.word != 0 && e.waits == 0) words[e.word].push_back({e.begin, pe, e.thread});
  for (auto& [word, by] : words) std::ranges::sort(by, {}, &written::begin);
  return words;
}

class writer {
 public:
  writer(detail::output_file& out, std::vector<pe_report> const& all)
      : out_(out), all_(all), words_(find_written(all)) {
    zero_ = UINT64_MAX;
    for (pe_report const& report : all)
      for (event const& e : report.events) zero_ = std::min(zero_, e.begin);
  }

  void write() {
    out_.write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    for (std::size_t pe = 0; pe < all_.size(); ++pe) {
      std::snprintf(line_, sizeof line_,
                    R"(%s{"name":"process_name","ph":"M","pid":%zu,"tid":0,"args":{"name":"PE %zu"}})",
                    pe == 0 ? "" : ",\n", pe, pe);
      out_.write(line_);
      for (event const& e : all_[pe].events) {
        write_slice(pe, e);
        if (e.waits != 0 && e.word != 0) write_arrow(pe, e);
      }
    }
    out_.write("\n]}\n");
  }

 private:
  [[nodiscard]] double microseconds(std::uint64_t at) const { return static_cast<double>(at - zero_) / 1e3; }

  void write_slice(std::size_t pe, event const& e) {
    auto const& [name, where] = all_[pe].sites[e.site];
    std::string arguments;
    auto const add = [&](std::string const& text) { arguments += (arguments.empty() ? "" : ",") + text; };
    if (e.pe >= 0) add("\"pe\":" + std::to_string(e.pe));
    if (e.bytes != 0) add("\"bytes\":" + std::to_string(e.bytes));
    if (!where.empty()) add("\"line\":\"" + detail::json_escaped(where) + "\"");
    std::snprintf(
        line_, sizeof line_, R"(%s{"name":"%s","cat":"shmem","ph":"X","ts":%.3f,"dur":%.3f,"pid":%zu,"tid":%u)", ",\n",
        name.c_str(), microseconds(e.begin), static_cast<double>(e.end - e.begin) / 1e3, pe, unsigned{e.thread});
    out_.write(line_);
    out_.write(",\"args\":{" + arguments + "}}");
  }

  /// From the last write that began before the wait ended.
  void write_arrow(std::size_t pe, event const& e) {
    auto const found = words_.find(e.word);
    if (found == words_.end()) return;
    auto const after = std::ranges::upper_bound(found->second, e.end, {}, &written::begin);
    if (after == found->second.begin()) return;
    written const& by = *std::prev(after);
    if (by.pe == pe) return;
    ++arrows_;
    std::snprintf(line_, sizeof line_,
                  ",\n"
                  R"({"name":"word","cat":"shmem","ph":"s","id":%zu,"ts":%.3f,"pid":%zu,"tid":%u})"
                  ",\n"
                  R"({"name":"word","cat":"shmem","ph":"f","bp":"e","id":%zu,"ts":%.3f,"pid":%zu,"tid":%u})",
                  arrows_, microseconds(by.begin), by.pe, unsigned{by.thread}, arrows_,
                  microseconds(std::max({by.begin, e.begin, e.end - 1})), pe, unsigned{e.thread});
    out_.write(line_);
  }

  detail::output_file& out_;
  std::vector<pe_report> const& all_;
  words_written words_;
  std::uint64_t zero_ = 0;
  std::size_t arrows_ = 0;
  char line_[512];
};

}  // namespace

void trace_call(operation const& of, std::uint64_t result, double began) {
  if (of.what == role::other) return;
  double const ended = seconds_now();
  std::scoped_lock const lock(one);
  if (events.size() == events_max) return;
  auto const [known, is_new] =
      numbers.try_emplace({current.name, current.from}, static_cast<std::uint32_t>(sites.size()));
  if (is_new) sites.emplace_back(current.name, current.from);
  events.push_back({nanoseconds(began), nanoseconds(ended), word_of(of, result), of.bytes, known->second & 0x7fffffffU,
                    of.what == role::waits ? 1U : 0U, static_cast<std::int16_t>(of.pe), thread_number()});
}

void begin_trace() {
  char const* const name = std::getenv("TESS_TRACE");
  if (name != nullptr) file_name = name;
  // A job of the runtime in this process must not write the same file.
  unsetenv("TESS_TRACE");
  if (file_name.empty()) return;
  constexpr std::size_t of_a_pe = std::size_t{1} << 19U;
  constexpr std::size_t of_all = std::size_t{1} << 23U;
  events_max = std::min(of_a_pe, of_all / static_cast<std::size_t>(own.pes));
  tracing = true;
}

void end_trace() {
  if (!tracing) return;
  tracing = false;
  std::vector<pe_report> all;
  lines known;
  std::int64_t const zero = zero_of_host();
  gather(own_report(), [&](std::size_t pe, std::string_view bytes) {
    all.push_back(read_report(static_cast<int>(pe), bytes, zero, known));
  });
  events.clear();
  if (own.pe != 0) return;
  try {
    detail::output_file file(file_name);
    writer(file, all).write();
    file.close();
  } catch (detail::write_error const& problem) {
    std::fprintf(stderr, "shmem: %s\n", problem.what());
    std::exit(1);
  }
}

}  // namespace tess::shmem
