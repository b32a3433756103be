// address: says why an address cannot be used.
#include "shmem/address.hpp"

#include <charconv>
#include <string>

#include "shmem/call.hpp"

namespace tess::shmem {

namespace {

std::string hexadecimal(void const* address) {
  char digits[20] = "0x";
  auto const end = std::to_chars(digits + 2, digits + sizeof digits, reinterpret_cast<std::uintptr_t>(address), 16).ptr;
  return {digits, end};
}

std::string range(std::byte const* begin, std::size_t bytes) {
  return hexadecimal(begin) + " to " + hexadecimal(begin + bytes);
}

}  // namespace

void fail_address(void const* address, std::size_t bytes, int pe) {
  if (pe < 0 || pe >= own.pes) fail("there is no PE " + std::to_string(pe), "0 to " + std::to_string(own.pes - 1));
  std::string expected = "memory of shmem_malloc";
  if (own.heap_bytes != 0) expected += " (" + range(own.heap, own.heap_bytes) + ")";
  if (own.data_bytes != 0) expected += " or a static of the program (" + range(own.data, own.data_bytes) + ")";
  fail(std::to_string(bytes) + " bytes at " + hexadecimal(address) + " are not symmetric", expected);
}

}  // namespace tess::shmem
