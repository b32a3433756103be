// exception_wire: the format: kind, place and lengths, then type name and text.
#include "runtime/messages/exception_wire.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <typeinfo>

#include "runtime/failures/failed_places.hpp"
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
};

std::string type_name_of(std::type_info const& type) {
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> const name(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status),
                                                         &std::free);
  return name ? name.get() : type.name();
}

/// Its text without the prefix of its constructor.
std::string how_of(place_failed const& e) {
  std::string_view const text = e.what();
  place_failed const bare(e.place());
  std::string_view const front = bare.what();
  return std::string(text.substr(std::min(text.size(), front.size() + 1)));
}

std::vector<std::byte> write(wire_kind kind, place_id place, std::string_view type, std::string_view text) {
  type = type.substr(0, 200);
  text = text.substr(0, 800);
  wire_header const h{kind, 0, place, static_cast<std::uint16_t>(type.size()), static_cast<std::uint16_t>(text.size())};
  std::vector<std::byte> bytes(sizeof h + type.size() + text.size());
  std::memcpy(bytes.data(), &h, sizeof h);
  std::ranges::copy(std::as_bytes(std::span(type)), bytes.begin() + sizeof h);
  std::ranges::copy(std::as_bytes(std::span(text)),
                    bytes.begin() + static_cast<std::ptrdiff_t>(sizeof h + type.size()));
  return bytes;
}

}  // namespace

std::vector<std::byte> encode_exception(std::exception_ptr exception, place_id thrown_at) {
  try {
    std::rethrow_exception(std::move(exception));
  } catch (place_failed const& e) {
    return write(wire_kind::place_failed, e.place(), {}, how_of(e));
  } catch (remote_error const& e) {
    // It has crossed places before: keep its origin. Its text already names place and type.
    return write(wire_kind::remote, e.place(), e.type_name(), e.what());
  } catch (error const& e) {
    return write(wire_kind::error, thrown_at, {}, e.what());
  } catch (out_of_memory const& e) {
    return write(wire_kind::out_of_memory, thrown_at, {}, e.what());
  } catch (std::exception const& e) {
    return write(wire_kind::remote, thrown_at, type_name_of(typeid(e)), e.what());
  } catch (...) {
    return write(wire_kind::remote, thrown_at, {}, "an exception that is no std::exception");
  }
}

std::exception_ptr decode_exception(std::span<std::byte const> bytes) noexcept try {
  wire_header h{};
  if (bytes.size() < sizeof h) return std::make_exception_ptr(error("a truncated exception arrived"));
  std::memcpy(&h, bytes.data(), sizeof h);
  bytes = bytes.subspan(sizeof h);
  if (bytes.size() < std::size_t{h.type_bytes} + h.text_bytes)
    return std::make_exception_ptr(error("a truncated exception arrived"));
  auto const text_of = [](std::span<std::byte const> s) {
    return std::string(reinterpret_cast<char const*>(s.data()), s.size());
  };
  std::string const type = text_of(bytes.first(h.type_bytes));
  std::string const text = text_of(bytes.subspan(h.type_bytes, h.text_bytes));
  if (h.kind == wire_kind::place_failed) {
    note_remote_failure();
    return std::make_exception_ptr(place_failed(h.place, text));
  }
  if (h.kind == wire_kind::error) return std::make_exception_ptr(error(text));
  if (h.kind == wire_kind::out_of_memory) return std::make_exception_ptr(out_of_memory(text));
  return std::make_exception_ptr(remote_error(h.place, type, text));
} catch (...) {
  // No memory for the texts.
  return std::current_exception();
}

}  // namespace tess::detail
