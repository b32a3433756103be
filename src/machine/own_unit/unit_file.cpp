// unit_file: dlopen, the version, and what may be wrong with a declaration.
#include "machine/own_unit/unit_file.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "base/elf_processor.hpp"

namespace tess::machine {
namespace {

namespace fs = std::filesystem;

/// A name that is a key of TOML and of JSON.
bool is_key(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char one) {
    return (one >= 'a' && one <= 'z') || (one >= '0' && one <= '9') || one == '_';
  });
}

/// What is wrong with what the unit says of itself; empty: nothing.
std::string trouble_of(unit::declaration const& made) {
  static constexpr std::array<std::string_view, 3> reserved{"name", "file", "at"};
  if (made.make == nullptr || made.meaning == nullptr) return "its declaration is empty";
  std::set<std::string_view> names;
  for (unit::parameter const& one : made.parameters) {
    if (one.name == nullptr || one.unit == nullptr || one.meaning == nullptr) return "a parameter has no name";
    if (!is_key(one.name)) return fmt::format("its parameter \"{}\" is no name of a-z, 0-9 and _", one.name);
    if (std::ranges::count(reserved, one.name) != 0)
      return fmt::format("its parameter \"{}\" has the name of a key that all units have", one.name);
    if (!names.insert(one.name).second) return fmt::format("it declares the parameter \"{}\" twice", one.name);
    if (one.least > one.usual || one.usual > one.most)
      return fmt::format("the usual value of its parameter \"{}\" is not within its range", one.name);
  }
  return {};
}

/// FNV-1a, of all bytes.
std::uint64_t sum_of(fs::path const& file) {
  std::ifstream stream(file, std::ios::binary);
  std::uint64_t sum = 0xcbf2'9ce4'8422'2325;
  std::for_each(std::istreambuf_iterator<char>(stream), {},
                [&](char one) { sum = (sum ^ static_cast<unsigned char>(one)) * 0x100'0000'01b3; });
  return sum;
}

#if defined(__x86_64__)
constexpr std::uint16_t host_processor = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t host_processor = EM_AARCH64;
#else
constexpr std::uint16_t host_processor = EM_NONE;  // not compared
#endif

/// The other processor that the file is built for; EM_NONE: there is none. dlopen would say that there is no such file.
std::uint16_t other_processor(fs::path const& file) {
  Elf64_Ehdr header{};
  std::ifstream stream(file, std::ios::binary);
  stream.read(reinterpret_cast<char*>(&header), offsetof(Elf64_Ehdr, e_version));  // NOLINT: bytes of the file
  if (!stream || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return EM_NONE;
  return host_processor == EM_NONE || header.e_machine == host_processor ? std::uint16_t{EM_NONE} : header.e_machine;
}

/// Null, and `reason` says why: it cannot be loaded. Its static constructors run here.
void* open_object(std::string const& path, std::string const& unit_name, std::string& reason) {
  unit_place const place{.name = unit_name.c_str(), .file = path.c_str()};
  unit_guard const guard(place, 0);
  void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  char const* const said = handle == nullptr ? ::dlerror() : nullptr;
  reason = said == nullptr ? "no reason is known" : said;
  return handle;
}

unit::declaration const* declaration_of(void* handle) {
  void* const declares = ::dlsym(handle, "tess_unit_declaration");
  if (declares == nullptr) return nullptr;
  return reinterpret_cast<unit::declaration const* (*)()>(declares)();  // NOLINT: as TESS_UNIT defines it
}

std::uintptr_t place_of(void* handle) noexcept {
  link_map const* of = nullptr;
  return ::dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&of)) == 0 ? of->l_addr : 0;
}

}  // namespace

std::shared_ptr<unit_file const> unit_file::load(fs::path const& file, std::string const& unit_name) {
  static std::map<fs::path, std::shared_ptr<unit_file const>> loaded;
  std::error_code absent;
  fs::path const name = fs::weakly_canonical(file, absent);
  if (absent || !fs::exists(name, absent))
    throw unit_file_error(fmt::format("there is no file {}; make it: tess unit build {}.cpp", file.string(),
                                      (file.parent_path() / file.stem()).string()));
  if (!fs::is_regular_file(name, absent)) throw unit_file_error(fmt::format("{} is no file", file.string()));
  if (auto const found = loaded.find(name); found != loaded.end()) return found->second;

  if (std::uint16_t const other = other_processor(name); other != EM_NONE)
    throw unit_file_error(
        fmt::format("{} is built for {}, and this simulator runs on {}; build it here: tess unit build", file.string(),
                    elf_processor(other), elf_processor(host_processor)));
  std::shared_ptr<unit_file> const made(new unit_file(name.string()));
  std::string reason;
  void* const handle = open_object(made->path_, unit_name, reason);
  if (handle == nullptr)
    throw unit_file_error(
        fmt::format("{} cannot be loaded ({}); a unit is made by tess unit build", file.string(), reason));
  auto const* const version = static_cast<std::uint32_t const*>(::dlsym(handle, "tess_unit_version"));
  bool const known = version != nullptr && *version == unit::version;
  if (version == nullptr || (known && ::dlsym(handle, "tess_unit_declaration") == nullptr))
    throw unit_file_error(fmt::format("{} is no unit: it has no TESS_UNIT; see tess/machine/unit.hpp", file.string()));
  if (!known)
    throw unit_file_error(
        fmt::format("{} was made for version {} of tess/machine/unit.hpp, and this simulator has {}; build it again: "
                    "tess unit build",
                    file.string(), *version, unit::version));
  made->sum_ = sum_of(name);
  made->declared_ = declaration_of(handle);
  made->loaded_at_ = place_of(handle);
  if (std::string const wrong = made->declared_ == nullptr ? "it declares nothing" : trouble_of(*made->declared_);
      !wrong.empty())
    throw unit_file_error(fmt::format("{}: {}", file.string(), wrong));
  return loaded[name] = made;
}

void unit_file::load_again(std::string const& unit_name) const {
  if (!fs::exists(path_) || sum_of(path_) != sum_)
    throw unit_file_error(
        fmt::format("the unit {} ({}) is not there as it was; restore its file, or begin anew", unit_name, path_));
  std::string reason;
  void* const handle = open_object(path_, unit_name, reason);
  if (handle == nullptr) throw unit_file_error(fmt::format("{} cannot be loaded ({})", path_, reason));
  if (place_of(handle) != loaded_at_ || declaration_of(handle) != declared_)
    throw unit_file_error(
        fmt::format("the unit {} ({}) is loaded at another place than it was, which this system "
                    "does not let it choose; begin anew",
                    unit_name, path_));
}

}  // namespace tess::machine
