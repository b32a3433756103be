// openssl: dlopen, and the table of functions.
#include "rmem/wire/openssl.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace tess::rmem {

namespace {

template <class Function>
void find(void* library, char const* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw std::runtime_error(std::string("libssl.so.3 has no ") + name + ": install libssl3");
}

openssl load() {
  // It brings libcrypto with it.
  void* const library = dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw std::runtime_error("remote memory by tcp needs OpenSSL: apt-get install libssl3 (libssl.so.3 is not there)");
  openssl all;
#define FUNCTION(name) find(library, #name, all.name);
  TESS_OPENSSL_FUNCTIONS
#undef FUNCTION
  return all;
}

}  // namespace

openssl const& openssl::library() {
  static openssl const all = load();
  return all;
}

}  // namespace tess::rmem
