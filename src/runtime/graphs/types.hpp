// types: the record of an object's type, found by the index in the object's header.
#pragma once

#include "runtime/job/job.hpp"
#include "tess/detail/objects/object_type.hpp"

namespace tess::detail {

/// The type must exist.
[[nodiscard]] inline type_record const& type_of(std::uint32_t index) noexcept {
  if (index >> type_object_shift == 0) [[likely]]
    return __start_tess_types[index];
  return the_job->objects[index >> type_object_shift].types_begin[index & ((1U << type_object_shift) - 1)];
}

/// Null if there is no such type.
[[nodiscard]] inline type_record const* find_type(std::uint32_t index) noexcept {
  std::uint32_t const object = index >> type_object_shift;
  if (object >= the_job->objects.size()) return nullptr;
  handler_object const& o = the_job->objects[object];
  std::uint32_t const i = index & ((1U << type_object_shift) - 1);
  return i < static_cast<std::uint64_t>(o.types_end - o.types_begin) ? o.types_begin + i : nullptr;
}

/// `t` is `type`, or derived from it.
[[nodiscard]] inline bool is_or_derives(type_record const* t, type_record const& type) noexcept {
  for (; t != nullptr; t = t->base)
    // Equal types of the program and a shared object have two records.
    if (t == &type || (t->bytes == type.bytes && t->name == type.name)) return true;
  return false;
}

[[nodiscard]] inline bool accepts(accepted_types const& accepted, type_record const& type) noexcept {
  if (accepted.types == nullptr) return true;
  for (std::uint32_t i = 0; i < accepted.count; ++i)
    if (is_or_derives(&type, *accepted.types[i])) return true;
  return false;
}

/// The type of a root block with one pointer to anything.
[[nodiscard]] type_record const& any_root_type() noexcept;

}  // namespace tess::detail
