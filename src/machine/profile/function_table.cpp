// function_table: a search by address, and names as people write them.
#include "machine/profile/function_table.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>

namespace tess::machine {
namespace {

/// "tess::run(int)" is "tess::run", and "T std::find<A, B>(A)" is "std::find": without parameters, template arguments
/// and the type that is returned. Lambdas keep their number.
std::string shortened(std::string_view name) {
  std::string made;
  int angles = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    char const c = name[i];
    if (angles == 0 && made.ends_with("operator") && (c == '<' || c == '>' || c == '(' || c == ' ')) {
      // Its name goes up to the bracket of the parameters.
      std::size_t const end = std::min(name.find('(', c == '(' ? i + 1 : i), name.size());
      made += name.substr(i, end - i);
      i = end - 1;
      continue;
    }
    if (c == '<') ++angles;
    if (angles == 0) {
      if (c == ' ') {
        made.clear();  // what came before was the type that is returned
        continue;
      }
      if (c == '(' && !name.substr(i).starts_with("(anonymous namespace)")) {
        // There are names within a function, too: "f(int) const::{lambda()#1}".
        int open = 0;
        while (i < name.size() && (open += name[i] == '(' ? 1 : name[i] == ')' ? -1 : 0) > 0) ++i;
        std::string_view behind = name.substr(std::min(i + 1, name.size()));
        if (behind.starts_with(" const::")) i += 6;
        if (!behind.starts_with("::") && !behind.starts_with(" const::")) return made;
        continue;
      }
      if (c == '{') {
        std::size_t const end = name.find('}', i);
        std::size_t const number = name.rfind('#', end);
        made += number != std::string_view::npos && number > i
                    ? "{lambda" + std::string(name.substr(number, end - number + 1))
                    : "{lambda}";
        i = end == std::string_view::npos ? name.size() : end;
        continue;
      }
      if (c == '(') {
        made += "(anonymous namespace)";
        i += 20;
        continue;
      }
      made += c;
    }
    if (c == '>' && angles > 0 && name[i - 1] != '-') --angles;
  }
  return made;
}

/// The names of "_ZN3CLI3App8add_flagI...", for what the library cannot demangle; empty if it is not of this form.
std::string nested_name(std::string_view symbol) {
  std::string made;
  if (!symbol.starts_with("_ZN")) return made;
  symbol.remove_prefix(3);
  while (symbol.starts_with('K')) symbol.remove_prefix(1);
  while (!symbol.empty() && symbol[0] >= '1' && symbol[0] <= '9') {
    std::size_t length = 0;
    auto const [behind, wrong] = std::from_chars(symbol.data(), symbol.data() + symbol.size(), length);
    symbol.remove_prefix(static_cast<std::size_t>(behind - symbol.data()));
    if (wrong != std::errc{} || length > symbol.size()) return {};
    std::string_view const part = symbol.substr(0, length);
    made += (made.empty() ? "" : "::") + std::string(part.starts_with("_GLOBAL__N") ? "(anonymous namespace)" : part);
    symbol.remove_prefix(length);
  }
  return made;
}

}  // namespace

std::string readable_name(std::string_view symbol) {
  // Clang splits a coroutine into its ramp, which starts it, and clones that go on with it, or end it.
  bool is_coroutine = false;
  while (true) {
    std::size_t const dot = symbol.rfind('.');
    if (dot == std::string_view::npos || dot == 0) break;
    std::string_view const suffix = symbol.substr(dot + 1);
    bool const clone = suffix == "resume" || suffix == "destroy" || suffix == "cleanup" || suffix == "actor";
    bool const number = std::ranges::all_of(suffix, [](char c) { return c >= '0' && c <= '9'; });
    if (!clone && !number && suffix != "cold" && suffix != "part" && suffix != "llvm") break;
    is_coroutine = is_coroutine || clone;
    symbol = symbol.substr(0, dot);
  }
  std::string const mangled(symbol);
  // Other names would be types: "i" is "int".
  bool const is_mangled = mangled.starts_with("_Z");
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> const plain(
      is_mangled ? abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status) : nullptr, std::free);
  std::string name = plain != nullptr ? shortened(plain.get()) : nested_name(mangled);
  if (name.empty()) name = is_mangled ? mangled : shortened(mangled);
  return is_coroutine ? name + " (coroutine)" : name;
}

std::uint32_t function_table::at(std::uint64_t pc) const noexcept {
  auto const behind = std::ranges::upper_bound(*functions_, pc, {}, &elf_symbol::address);
  if (behind == functions_->begin()) return unknown;
  auto const found = std::prev(behind);
  // Code in assembly language may have no size.
  if (found->size_bytes != 0 && pc >= found->address + found->size_bytes) return unknown;
  return static_cast<std::uint32_t>(found - functions_->begin());
}

std::string function_table::name(std::uint32_t function) const {
  return function == unknown ? "?" : readable_name((*functions_)[function].name);
}

}  // namespace tess::machine
