// exceptions: exceptions that carry a graph: the root with their text, and the handler that makes them again.
#include <cstring>
#include <string_view>

#include "runtime/graphs/owned_region.hpp"
#include "runtime/graphs/types.hpp"
#include "runtime/job/job.hpp"
#include "tess/graph_error.hpp"

namespace tess::detail {

namespace {
constexpr std::uint32_t error_slots[] = {0};
constinit slot_check const error_checks[] = {{}};
constexpr std::uint64_t error_mask[] = {1};

[[gnu::section("tess_types"), gnu::used, gnu::retain]] constinit type_record const error_root{
    sizeof(error_roots),
    1,
    error_slots,
    block_kind::object,
    8,
    0,
    nullptr,
    error_checks,
    error_mask,
    nullptr,
    "an exception's graph and text"};
}  // namespace

type_record const& error_root_type() noexcept {
  return error_root;
}

outgoing_graph outgoing_error(void* root, char const* text) {
  error_roots roots{root, {}};
  std::string_view const cut = std::string_view(text).substr(0, roots.text.size() - 1);
  std::memcpy(roots.text.data(), cut.data(), cut.size());
  return outgoing_graph(&roots, error_root, copier::nemesys, copy_map::automatic);
}

std::exception_ptr make_graph_error(handler_id maker, arrived_graph const& graph) {
  owned_region guard(graph.owner);
  handler_record const* record = nullptr;
  if (maker.object < the_job->objects.size()) {
    handler_object const& o = the_job->objects[maker.object];
    if (maker.index < o.end - o.begin) record = o.begin + maker.index;
  }
  if (record == nullptr || record->alignment != maker_alignment || record->bytes != sizeof(made_error))
    throw error("an arrived exception", "of an unknown type", "one of the same binary");
  std::exception_ptr made;
  made_error const m{graph, &made};
  message_context context{self->place, nullptr};
  static_cast<void>(guard.release());
  record->invoke(context, reinterpret_cast<std::byte const*>(&m), sizeof m);
  if (made != nullptr) this_place().exceptions.arrives(made, "  thrown at another place\n");
  return made;
}

}  // namespace tess::detail
