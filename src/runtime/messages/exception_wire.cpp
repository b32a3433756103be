// exception_wire: the format: kind, place and lengths, then type name, text, and the way that it took.
#include "runtime/messages/exception_wire.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <typeinfo>

#include "runtime/failures/failed_places.hpp"
#include "runtime/job/job.hpp"
#include "tess/memory.hpp"

namespace tess::detail {

namespace {

enum class wire_kind : std::uint8_t { error, place_failed, out_of_memory, remote };

struct wire_header {
  wire_kind kind;
  std::uint8_t unused;
  place_id place;
  std::uint16_t type_bytes;
  std::uint16_t text_bytes;
  std::uint16_t trace_bytes;
};

/// Its text without the prefix of its constructor.
std::string how_of(place_failed const& e) {
  std::string_view const text = e.what();
  place_failed const bare(e.place());
  std::string_view const front = bare.what();
  return std::string(text.substr(std::min(text.size(), front.size() + 1)));
}

/// Whole lines of a text, as many as fit.
std::string_view first_lines(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  return text.substr(0, text.substr(0, most).rfind('\n') + 1);
}

struct wire_text {
  wire_kind kind;
  place_id place;
  std::string type;
  std::string text;
};

wire_text describe(std::exception_ptr const& exception, place_id thrown_at) {
  try {
    std::rethrow_exception(exception);
  } catch (place_failed const& e) {
    return {wire_kind::place_failed, e.place(), {}, how_of(e)};
  } catch (remote_error const& e) {
    // It has crossed places before: keep its origin. Its text already names place and type.
    return {wire_kind::remote, e.place(), e.type_name(), e.what()};
  } catch (error const& e) {
    return {wire_kind::error, thrown_at, {}, e.what()};
  } catch (out_of_memory const& e) {
    return {wire_kind::out_of_memory, thrown_at, {}, e.what()};
  } catch (std::exception const& e) {
    return {wire_kind::remote, thrown_at, type_name_of(typeid(e)), e.what()};
  } catch (...) {
    return {wire_kind::remote, thrown_at, type_name_of_current(), "an exception that is no std::exception"};
  }
}

}  // namespace

std::string type_name_of_current() {
  std::type_info const* const type = abi::__cxa_current_exception_type();
  return type == nullptr ? "an unknown type" : type_name_of(*type);
}

std::string type_name_of(std::type_info const& type) {
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> const name(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status),
                                                         &std::free);
  return name ? name.get() : type.name();
}

std::vector<std::byte> encode_exception(std::exception_ptr exception, place_id thrown_at) {
  wire_text const what = describe(exception, thrown_at);
  std::string way = self == nullptr ? std::string() : this_place().exceptions.text_of(exception);
  if (way.empty()) way = "  thrown at place " + std::to_string(thrown_at) + ", by a function that is no task\n";
  std::string_view const type = std::string_view(what.type).substr(0, 200);
  std::string_view const text = std::string_view(what.text).substr(0, 800);
  std::string_view const trace = first_lines(way, 1000);
  wire_header const h{what.kind,
                      0,
                      what.place,
                      static_cast<std::uint16_t>(type.size()),
                      static_cast<std::uint16_t>(text.size()),
                      static_cast<std::uint16_t>(trace.size())};
  std::vector<std::byte> bytes(sizeof h);
  std::memcpy(bytes.data(), &h, sizeof h);
  for (std::string_view const part : {type, text, trace}) {
    auto const data = std::as_bytes(std::span(part));
    bytes.insert(bytes.end(), data.begin(), data.end());
  }
  return bytes;
}

std::exception_ptr decode_exception(std::span<std::byte const> bytes) noexcept try {
  wire_header h{};
  if (bytes.size() < sizeof h) return std::make_exception_ptr(error("a truncated exception arrived"));
  std::memcpy(&h, bytes.data(), sizeof h);
  bytes = bytes.subspan(sizeof h);
  if (bytes.size() < std::size_t{h.type_bytes} + h.text_bytes + h.trace_bytes)
    return std::make_exception_ptr(error("a truncated exception arrived"));
  auto const text_of = [](std::span<std::byte const> s) {
    return std::string(reinterpret_cast<char const*>(s.data()), s.size());
  };
  std::string const type = text_of(bytes.first(h.type_bytes));
  std::string const text = text_of(bytes.subspan(h.type_bytes, h.text_bytes));
  std::exception_ptr exception;
  if (h.kind == wire_kind::place_failed) {
    note_remote_failure();
    exception = std::make_exception_ptr(place_failed(h.place, text));
  } else if (h.kind == wire_kind::error) {
    exception = std::make_exception_ptr(error(text));
  } else if (h.kind == wire_kind::out_of_memory) {
    exception = std::make_exception_ptr(out_of_memory(text));
  } else {
    exception = std::make_exception_ptr(remote_error(h.place, type, text));
  }
  if (self != nullptr && h.trace_bytes != 0)
    this_place().exceptions.arrives(exception,
                                    text_of(bytes.subspan(std::size_t{h.type_bytes} + h.text_bytes, h.trace_bytes)));
  return exception;
} catch (...) {
  // No memory for the texts.
  return std::current_exception();
}

}  // namespace tess::detail
