// address: says why an address cannot be used.
#include "shmem/address.hpp"

#include <charconv>
#include <string>

#include "shmem/call.hpp"
#include "shmem/network.hpp"

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

bool contains(std::byte const* begin, std::size_t length, void const* address, std::size_t bytes) {
  auto const distance = static_cast<std::size_t>(static_cast<std::byte const*>(address) - begin);
  return distance < length && bytes <= length - distance;
}

}  // namespace

bool is_symmetric(void const* address, std::size_t bytes) {
  return contains(own.heap, own.heap_bytes, address, bytes) || contains(own.data, own.data_bytes, address, bytes);
}

std::uint64_t far(void const* address, std::size_t bytes, int pe) {
  bool const is_pe = pe >= 0 && pe < own.pes;
  if (own.network == nullptr || !is_pe || !is_symmetric(address, bytes)) fail_address(address, bytes, pe);
  auto const at = static_cast<std::byte const*>(address);
  bool const in_heap = contains(own.heap, own.heap_bytes, address, bytes);
  return in_heap ? own.network->in_heap(pe, static_cast<std::uint64_t>(at - own.heap))
                 : own.network->in_statics(pe, static_cast<std::uint64_t>(at - own.data));
}

void fail_pe(int pe) {
  fail("there is no PE " + std::to_string(pe), "0 to " + std::to_string(own.pes - 1));
}

void fail_address(void const* address, std::size_t bytes, int pe) {
  if (pe < 0 || pe >= own.pes) fail_pe(pe);
  std::string expected = "memory of shmem_malloc";
  if (own.heap_bytes != 0) expected += " (" + range(own.heap, own.heap_bytes) + ")";
  if (own.data_bytes != 0) expected += " or a static of the program (" + range(own.data, own.data_bytes) + ")";
  fail(std::to_string(bytes) + " bytes at " + hexadecimal(address) + " are not symmetric", expected);
}

}  // namespace tess::shmem
