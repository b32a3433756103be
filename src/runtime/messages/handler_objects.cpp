// handler_objects: finds the file and build id of each loaded object in the loader's list of program headers.
#include "runtime/messages/handler_objects.hpp"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "tess/detail/objects/shared_object.hpp"
#include "tess/detail/tasks/out_buffer.hpp"

namespace tess::detail {

namespace {

// Objects enter before the program's own initialisers run, so this must need none.
constinit std::mutex entered_mutex;
constinit shared_object* entered = nullptr;

/// The address and identity of a loaded object.
struct loaded_file {
  std::string path;
  std::string build_id;
};

std::string hexadecimal(std::span<std::byte const> bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (std::byte const b : bytes) {
    text += digits[std::to_integer<unsigned>(b) >> 4];
    text += digits[std::to_integer<unsigned>(b) & 15];
  }
  return text;
}

/// The build id in a segment of notes: {name size, data size, type}, name, data, the latter two padded to 4 bytes.
std::string build_id_in(std::span<std::byte const> notes) {
  while (notes.size() > sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) h;
    std::memcpy(&h, notes.data(), sizeof h);
    std::size_t const name = (h.n_namesz + 3UL) & ~3UL;
    std::size_t const data = (h.n_descsz + 3UL) & ~3UL;
    notes = notes.subspan(sizeof h);
    if (notes.size() < name + data) break;
    if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 && std::memcmp(notes.data(), "GNU", 4) == 0)
      return hexadecimal(notes.subspan(name, h.n_descsz));
    notes = notes.subspan(name + data);
  }
  return {};
}

struct search {
  std::uintptr_t address;
  std::optional<loaded_file> found;
};

int look_into(dl_phdr_info* info, std::size_t, void* context) {
  auto& s = *static_cast<search*>(context);
  std::span const headers(info->dlpi_phdr, info->dlpi_phnum);
  bool const here = std::ranges::any_of(headers, [&](auto const& h) {
    return h.p_type == PT_LOAD && s.address - info->dlpi_addr - h.p_vaddr < h.p_memsz;
  });
  if (!here) return 0;
  s.found = loaded_file{info->dlpi_name, {}};
  for (auto const& h : headers)
    if (h.p_type == PT_NOTE && s.found->build_id.empty())
      s.found->build_id = build_id_in({reinterpret_cast<std::byte const*>(info->dlpi_addr + h.p_vaddr), h.p_memsz});
  return 1;
}

loaded_file file_of(void const* address) {
  search s{reinterpret_cast<std::uintptr_t>(address), {}};
  dl_iterate_phdr(look_into, &s);
  return std::move(s.found).value_or(loaded_file{});
}

std::string name_of(std::string const& path) {
  return std::filesystem::path(path).filename().string();
}

/// One object with its entry, which takes the number.
struct candidate {
  handler_object object;
  shared_object* entry;
};

candidate described(shared_object& entry) {
  loaded_file const file = file_of(&entry);
  handler_object object{name_of(file.path), file.build_id, entry.begin, entry.end, entry.types_begin, entry.types_end};
  if (object.build_id.empty())
    throw error(object.file, "a shared object without build id", "one linked by `tess c++ --shared`");
  if (object.end - object.begin >= run_index)
    throw error(object.file, std::to_string(object.end - object.begin) + " handlers", "fewer than 65535");
  return {std::move(object), &entry};
}

}  // namespace

void enter_object(shared_object& object) noexcept {
  // Code compiled for a shared object may be linked into the program.
  if (object.begin == __start_tess_handlers) {
    object.number = 0;
    return;
  }
  std::scoped_lock const lock(entered_mutex);
  object.next = std::exchange(entered, &object);
}

void refuse_late_object(shared_object const& object) {
  throw error("tess::at", name_of(file_of(&object).path) + " was loaded while the job ran",
              "a shared object that is linked to the program, or opened before tess::run");
}

std::vector<handler_object> number_objects() {
  std::scoped_lock const lock(entered_mutex);
  std::vector<candidate> found;
  for (shared_object* o = entered; o != nullptr; o = o->next) found.push_back(described(*o));
  auto const key = [](candidate const& c) { return std::tie(c.object.file, c.object.build_id); };
  std::ranges::sort(found, {}, key);
  if (auto const twice = std::ranges::adjacent_find(found, {}, key); twice != found.end())
    throw error(twice->object.file, "the same shared object loaded twice", "one copy of it");

  loaded_file const program = file_of(&entered);
  std::vector<handler_object> objects{{"program", program.build_id, __start_tess_handlers, __stop_tess_handlers,
                                       __start_tess_types, __stop_tess_types}};
  for (candidate& c : found) {
    c.entry->number = static_cast<std::uint16_t>(objects.size());
    objects.push_back(std::move(c.object));
  }
  return objects;
}

std::string identity(std::vector<handler_object> const& objects) {
  std::string text;
  for (handler_object const& o : objects) {
    if (!text.empty()) text += ", ";
    text += o.file + ' ' + (o.build_id.empty() ? "without build id" : o.build_id.substr(0, 16)) + " (" +
            std::to_string(o.end - o.begin) + " handlers)";
  }
  return text;
}

}  // namespace tess::detail
