// c_api: the functions of tess/rmem.h: exceptions become a number and a text.
#include <string>

#include "tess/rmem.h"
#include "tess/rmem.hpp"

namespace {

std::string& message() {
  static thread_local std::string text;
  return text;
}

template <class F>
int number_of(F&& f) noexcept {
  try {
    try {
      f();
      return TESS_RMEM_OK;
    } catch (tess::rmem::refused const& no) {
      message() = no.what();
      return static_cast<int>(no.why());
    } catch (tess::rmem::lost const& gone) {
      message() = gone.what();
      return TESS_RMEM_LOST;
    } catch (std::exception const& other) {
      message() = other.what();
      return TESS_RMEM_NO_MEMORY;
    }
  } catch (...) {  // there is no memory for the text either
    return TESS_RMEM_NO_MEMORY;
  }
}

}  // namespace

int tess_rmem_open(char const* name, unsigned rights, tess_rmem_region* found) {
  return number_of([&] {
    auto const r = tess::rmem::blocking::open(name, static_cast<tess::rmem::rights>(rights));
    *found = {r.base, r.size};
  });
}

int tess_rmem_create(char const* name, std::uint64_t size, unsigned rights_for_users, tess_rmem_region* made) {
  return number_of([&] {
    auto const r = tess::rmem::blocking::create(name, size, static_cast<tess::rmem::rights>(rights_for_users));
    *made = {r.base, r.size};
  });
}

int tess_rmem_remove(tess_rmem_region const* region) {
  return number_of([&] { tess::rmem::default_client().remove(region->base); });
}

int tess_memread(void* to, std::uint64_t from, std::size_t bytes) {
  return number_of([&] { tess::rmem::blocking::memread(to, from, bytes); });
}

int tess_memwrite(std::uint64_t to, void const* from, std::size_t bytes) {
  return number_of([&] { tess::rmem::blocking::memwrite(to, from, bytes); });
}

char const* tess_rmem_message(void) {
  return message().c_str();
}
