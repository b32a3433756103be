// gdb_commands: what gdb asks of a debugger while the run stands still, packet by packet.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "machine/debug/debugger.hpp"
#include "machine/debug/target_registers.hpp"
#include "machine/linux/run_limit.hpp"

namespace tess::machine {
namespace {

constexpr std::string_view error_answer = "E01";
constexpr std::uint64_t memory_max = gdb_connection::packet_max / 2 - 16;
constexpr std::uint32_t watch_bytes_max = 4096;

std::string hex_text(std::string_view text) {
  return hex_of(std::as_bytes(std::span(text)));
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  int const base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  std::uint64_t value = 0;
  auto const [behind, wrong] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return wrong != std::errc{} || behind != text.data() + text.size() ? std::nullopt : std::optional(value);
}

std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::string_view const word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

}  // namespace

void debugger::serve(thread t, std::string const& reason) {
  stopped_ = shown_ = t;
  steps_.reset();
  goes_to_.reset();
  last_stop_ = stop_text(reason);
  if (!std::exchange(greets_, false)) gdb_.send(last_stop_);
  for (;;) {
    auto const packet = gdb_.receive(link_.life);
    if (packet && answer(*packet)) return;
    if (packet) continue;
    if (gdb_.closed()) throw debug_end{"gdb is gone"};
    if (caught_signal() != 0) throw debug_end{"stopped by a signal"};
    std::array<std::byte, 1> nothing{};
    if (::read(link_.life, nothing.data(), 0) == 0) throw debug_end{"the process that began the run has ended"};
  }
}

std::string debugger::stop_text(std::string const& reason) const {
  return fmt::format("T{}thread:{:x};core:{:x};", reason, stopped_ + 1, harts_[stopped_].hart->place().number());
}

bool debugger::answer(std::string_view packet) {
  if (packet.empty()) return gdb_.send(""), false;
  char const kind = packet.front();
  std::string_view rest = packet.substr(1);
  timed_hart& shown = *harts_[shown_].hart;
  switch (kind) {
    case '\3':  // it stands still already
      return false;
    case '?':
      gdb_.send(last_stop_);
      return false;
    case 'g': {
      std::string all;
      for (std::uint64_t number = 0; number < registers_in_packet; ++number) all += *register_text(shown, number);
      gdb_.send(all);
      return false;
    }
    case 'G':
    case 'P': {
      std::string bytes;
      bool done = true;
      if (kind == 'P') {
        auto const number = take_hex(rest);
        done = number && take(rest, "=") && bytes_of_hex(rest, bytes) && set_register(shown, *number, bytes);
      } else {
        for (std::uint64_t number = 0; done && number < registers_in_packet; ++number) {
          std::size_t const digits = register_text(shown, number)->size();
          done = rest.size() >= digits && bytes_of_hex(rest.substr(0, digits), bytes) &&
                 (digits == 0 || set_register(shown, number, bytes));
          rest.remove_prefix(std::min(digits, rest.size()));
        }
      }
      if (done) past_.forget();  // this did not happen there
      gdb_.send(done ? "OK" : error_answer);
      return false;
    }
    case 'p': {
      auto const number = take_hex(rest);
      auto const text = number ? register_text(shown, *number) : std::nullopt;
      gdb_.send(text && !text->empty() ? *text : std::string(error_answer));
      return false;
    }
    case 'm':
      return read_memory(rest), false;
    case 'M':
    case 'X':
      return write_memory(rest, kind == 'X'), false;
    case 'H':
      if (!rest.empty()) rest.remove_prefix(1);
      if (auto const id = take_hex(rest); id && *id > 0 && *id <= harts_.size()) shown_ = *id - 1;
      gdb_.send("OK");
      return false;
    case 'T': {
      auto const id = take_hex(rest);
      gdb_.send(id && *id > 0 && *id <= harts_.size() ? "OK" : error_answer);
      return false;
    }
    case 'z':
    case 'Z':
      return set_point(rest, kind == 'Z'), false;
    case 'c':
    case 'C':
      return resume("c");
    case 's':
    case 'S':
      return resume(fmt::format("s:{:x}", stopped_ + 1));
    case 'b':
      if (rest == "s" || rest == "c") return reverse(rest == "s");
      gdb_.send("");
      return false;
    case 'D':
      gdb_.send("OK");
      past_.forget();
      detached_ = true;
      return true;
    case 'k':
      throw debug_end{"gdb has ended it"};
    case 'v':
      if (rest == "Cont?") return gdb_.send("vCont;c;C;s;S;r"), false;
      if (take(rest, "Cont;")) return resume(rest);
      if (take(rest, "Kill")) {
        gdb_.send("OK");
        throw debug_end{"gdb has ended it"};
      }
      gdb_.send("");
      return false;
    case 'q':
    case 'Q':
      return answer_query(packet), false;
    default:
      gdb_.send("");
      return false;
  }
}

bool debugger::resume(std::string_view actions) {
  if (at_end_) {
    gdb_.send(fmt::format("W{:02x}", static_cast<unsigned>(exit_code_) & 255U));
    detached_ = true;
    return true;
  }
  bool others = false;
  steps_.reset();
  steps_from_ = steps_to_ = 0;
  while (!actions.empty()) {
    std::string_view action = actions.substr(0, actions.find(';'));
    actions.remove_prefix(std::min(action.size() + 1, actions.size()));
    std::size_t const colon = action.find(':');
    std::optional<std::uint64_t> id;
    if (colon != std::string_view::npos) {
      std::string_view text = action.substr(colon + 1);
      id = take_hex(text);
      action = action.substr(0, colon);
    }
    char const what = action.empty() ? ' ' : action.front();
    bool const is_step = what == 's' || what == 'S' || what == 'r';
    if (!id || *id == 0 || *id > harts_.size()) {
      others = true;
      if (is_step && !steps_) steps_ = stopped_;
    } else if (is_step && !steps_) {
      steps_ = *id - 1;
      std::string_view range = action.substr(1);
      auto const from = what == 'r' ? take_hex(range) : std::nullopt;
      auto const to = from && take(range, ",") ? take_hex(range) : std::nullopt;
      if (to) {
        steps_from_ = *from;
        steps_to_ = *to;
      }
    }
  }
  // gdb takes its breakpoints away while one hart steps over one of them; the others do not stand still here.
  if (others || !steps_) taken_away_.clear();
  return true;
}

void debugger::set_point(std::string_view packet, bool insert) {
  auto const kind = take_hex(packet);
  auto const address = kind && take(packet, ",") ? take_hex(packet) : std::nullopt;
  auto const size = address && take(packet, ",") ? take_hex(packet) : std::nullopt;
  if (!size || *kind > 4) return gdb_.send(size ? "" : error_answer);
  if (*kind <= 1) {
    if (insert) {
      breakpoints_.insert(*address);
      taken_away_.erase(*address);
    } else if (breakpoints_.erase(*address) != 0) {
      taken_away_.insert(*address);
    }
    return gdb_.send("OK");
  }
  auto const same = [&](watch const& one) {
    return one.kind == static_cast<char>(*kind) && one.given == *address && one.bytes == *size;
  };
  std::erase_if(watches_, same);
  if (!insert) return gdb_.send("OK");
  auto const name = harts_[shown_].host->memory_at(*address);
  if (!name || *size == 0 || *size > watch_bytes_max) return gdb_.send(error_answer);
  watches_.push_back({.kind = static_cast<char>(*kind),
                      .given = *address,
                      .address = *name,
                      .bytes = static_cast<std::uint32_t>(*size)});
  watches_.back().value = bytes_at(watches_.back());
  gdb_.send("OK");
}

void debugger::read_memory(std::string_view where) {
  auto const address = take_hex(where);
  auto const size = address && take(where, ",") ? take_hex(where) : std::nullopt;
  if (!size) return gdb_.send(error_answer);
  std::string bytes(std::min(*size, memory_max), '\0');
  debugged_hart const& shown = harts_[shown_];
  std::size_t done = 0;
  while (done < bytes.size() &&
         shown.host->look_at(*address + done, std::as_writable_bytes(std::span(bytes).subspan(done, 1)), *shown.hart))
    ++done;
  gdb_.send(done == 0 && !bytes.empty() ? std::string(error_answer)
                                        : hex_text(std::string_view(bytes).substr(0, done)));
}

void debugger::write_memory(std::string_view packet, bool binary) {
  auto const address = take_hex(packet);
  auto const size = address && take(packet, ",") ? take_hex(packet) : std::nullopt;
  std::string bytes;
  if (!size || !take(packet, ":")) return gdb_.send(error_answer);
  if (binary)
    bytes = packet;
  else if (!bytes_of_hex(packet, bytes))
    return gdb_.send(error_answer);
  if (bytes.size() != *size) return gdb_.send(error_answer);
  if (bytes.empty()) return gdb_.send("OK");
  bool const done = harts_[shown_].host->change(*address, std::as_bytes(std::span(bytes)));
  if (done) {
    past_.forget();  // this did not happen there
    for (watch& one : watches_) one.value = bytes_at(one);
  }
  gdb_.send(done ? "OK" : error_answer);
}

void debugger::answer_part(std::string_view range, std::string const& whole) {
  auto const offset = take_hex(range);
  auto const size = offset && take(range, ",") ? take_hex(range) : std::nullopt;
  if (!size) return gdb_.send(error_answer);
  std::string_view const rest = std::string_view(whole).substr(std::min<std::uint64_t>(*offset, whole.size()));
  std::string_view const part = rest.substr(0, std::min(*size, memory_max));
  gdb_.send((part.size() == rest.size() ? "l" : "m") + std::string(part));
}

void debugger::answer_query(std::string_view packet) {
  if (packet.starts_with("qSupported"))
    return gdb_.send(
        fmt::format("PacketSize={:x};QStartNoAckMode+;qXfer:features:read+;qXfer:threads:read+;qXfer:exec-file:read+;"
                    "vContSupported+;ReverseStep+;ReverseContinue+",
                    gdb_connection::packet_max - 16));
  if (packet == "QStartNoAckMode") {
    gdb_.send("OK");
    return gdb_.leave_acknowledgements();
  }
  if (packet == "qC") return gdb_.send(fmt::format("QC{:x}", stopped_ + 1));
  if (packet.starts_with("qAttached")) return gdb_.send("0");
  if (packet == "qSymbol::") return gdb_.send("OK");
  if (packet == "qfThreadInfo") {
    std::string ids;
    for (thread t = 0; t < harts_.size(); ++t)
      if (harts_[t].has_thread() || t == stopped_) ids += fmt::format("{}{:x}", ids.empty() ? "m" : ",", t + 1);
    return gdb_.send(ids);
  }
  if (packet == "qsThreadInfo") return gdb_.send("l");
  if (take(packet, "qThreadExtraInfo,")) {
    auto const id = take_hex(packet);
    if (!id || *id == 0 || *id > harts_.size()) return gdb_.send(error_answer);
    timed_hart const& one = *harts_[*id - 1].hart;
    return gdb_.send(hex_text(fmt::format("tile {}, hart {}", one.place().number(), one.context.number)));
  }
  if (take(packet, "qXfer:features:read:target.xml:"))
    return answer_part(packet, target_description(*harts_[shown_].hart));
  if (take(packet, "qXfer:threads:read::")) return answer_part(packet, threads_xml());
  if (take(packet, "qXfer:exec-file:read:")) {
    packet.remove_prefix(std::min(packet.find(':') + 1, packet.size()));
    return answer_part(packet, program_);
  }
  std::string text;
  if (take(packet, "qRcmd,")) return bytes_of_hex(packet, text) ? command(text) : gdb_.send(error_answer);
  gdb_.send("");
}

std::string debugger::threads_xml() const {
  static constexpr std::array states{"no thread", "running", "waits in a system call or for an interrupt",
                                     "waits for a word"};
  std::string xml = "<?xml version=\"1.0\"?><threads>";
  for (thread t = 0; t < harts_.size(); ++t) {
    if (!harts_[t].has_thread() && t != stopped_) continue;
    timed_hart const& one = *harts_[t].hart;
    xml += fmt::format(R"(<thread id="{:x}" core="{}" name="tile {}, hart {}">{}, cycle {}</thread>)", t + 1,
                       one.place().number(), one.place().number(), one.context.number,
                       states[static_cast<std::size_t>(one.is)], one.context.now());
  }
  return xml + "</threads>";
}

void debugger::command(std::string_view text) {
  std::string_view const name = next_word(text);
  std::string said;
  if (name == "where") {
    said = where(shown_) + "\n";
  } else if (name == "who-wrote") {
    said = who_wrote(text);
  } else if (name == "goto") {
    auto const step = number_in(next_word(text));
    if (!step || *step == 0 || *step >= step_) {
      said = fmt::format("give a step from 1 to {}\n", step_ - 1);
    } else if (past_.copies() == 0) {
      said = "registers or memory were changed: there is no way back to before that\n";
    } else {
      goes_to_ = step;
      said = fmt::format("reverse-continue now leads to step {}\n", *step);
    }
  } else if (name == "units") {
    for (registers::unit unit = registers::unit::information; unit <= registers::unit::interrupts;
         unit = static_cast<registers::unit>(static_cast<int>(unit) + 1)) {
      static constexpr std::array names{"information", "ranges",  "adapter", "invoke",   "tasks",     "nma",
                                        "nca",         "portals", "cni",     "extended", "interrupts"};
      auto const number = static_cast<std::size_t>(unit);
      std::uint64_t const address = registers::own_devices + number * registers::unit_bytes;
      timed_hart& one = *harts_[shown_].hart;
      if (one.place().device_at(one.memory().global(address)).first != nullptr)
        said += fmt::format("{:<12} {:#x}\n", names[number], address);
    }
    said += "info registers units, or $nma_doorbell: those of the thread's window\n";
  } else {
    said =
        "where                     the thread's tile, hart, pc, cycle and step\n"
        "who-wrote ADDRESS [BYTES] who wrote there last, and when; 8 bytes if none are given\n"
        "goto STEP                 where the next reverse-continue leads\n"
        "units                     the units of the thread's tile\n";
  }
  gdb_.send(hex_text(said));
}

std::string debugger::who_wrote(std::string_view words) {
  auto const address = number_in(next_word(words));
  std::string_view const size_word = next_word(words);
  auto const size = size_word.empty() ? std::optional<std::uint64_t>(sizeof(std::uint64_t)) : number_in(size_word);
  auto const name = address ? harts_[shown_].host->memory_at(*address) : std::nullopt;
  if (!name || !size || *size == 0 || *size > watch_bytes_max)
    return "give an address of memory, as 0x1000, and perhaps a number of bytes\n";
  if (past_.copies() == 0) return "registers or memory were changed: what was before that is not known any more\n";
  asked_ = {.given = *address, .address = *name, .bytes = static_cast<std::uint32_t>(*size)};
  std::string found = "nobody, since the run began\n";
  std::uint64_t until = step_;
  for (std::size_t copy = past_.latest(step_ - 1).value_or(0) + 1; copy-- > 0;) {
    if (past_.step_of(copy) >= until) continue;
    auto const answered = ask(copy, "who-wrote", until);
    if (!answered) {
      found = "stopped\n";
      break;
    }
    until = past_.step_of(copy);
    auto const told = nlohmann::json::parse(*answered);
    std::uint64_t const stored = told.at(0);
    std::uint64_t const changed = told.at(2);
    if (stored == 0 && changed == 0) continue;
    found.clear();
    if (stored != 0) found += fmt::format("stored by {}\n", std::string(told.at(1)));
    if (changed != 0) found += fmt::format("became {}\n", std::string(told.at(3)));
    if (stored == 0)
      found += "no hart stored to it in that time: a unit did, or a message of another tile that was on its way\n";
    if (stored != 0) found += fmt::format("monitor goto {} and reverse-continue lead there\n", stored);
    break;
  }
  asked_ = {};
  return found;
}

}  // namespace tess::machine
