// types: the type of a root that is one pointer, and the types of single objects.
#include "runtime/graphs/types.hpp"

#include "tess/object.hpp"

namespace tess::detail {

namespace {

constexpr std::uint32_t any_slots[] = {0};
constinit slot_check const any_checks[] = {{}};
constexpr std::uint64_t any_mask[] = {1};

[[gnu::section("tess_types"), gnu::used, gnu::retain]] constinit type_record const any_root{
    8, 1, any_slots, block_kind::object, 8, 0, nullptr, any_checks, any_mask, nullptr, "one pointer"};

}  // namespace

type_record const& any_root_type() noexcept {
  return any_root;
}

bool object_has_type(void const* object, type_record const& type) noexcept {
  return is_or_derives(&type_of(header_of(object).type), type);
}

}  // namespace tess::detail
