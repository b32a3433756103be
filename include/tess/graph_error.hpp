// graph_error: an exception that carries a graph of objects, also from another place.
//
//     throw tess::graph_error<board>("no move left", position);   // copies what `position` leads to
//     … catch (tess::graph_error<board> const& e) { e.get()->… }
//
// Errors   through a finish (at_async, spawn at another place) it arrives as remote_error, without its graph.
#pragma once

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "tess/at.hpp"

namespace tess {

namespace detail {

class graph_error_base : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  /// The exception's graph, and the function that recreates the exception at the receiver.
  [[nodiscard]] virtual outgoing_graph outgoing() const = 0;
  [[nodiscard]] virtual handler_id maker() const = 0;
};

struct error_roots {
  void* root;
  std::array<char, 800> text;
};
[[nodiscard]] type_record const& error_root_type() noexcept;
[[nodiscard]] outgoing_graph outgoing_error(void* root, char const* text);

/// Makers of graph_errors are records among the message handlers, marked by this alignment; no message calls them.
inline constexpr std::uint16_t maker_alignment = 0x4745;
struct made_error {
  arrived_graph graph;
  std::exception_ptr* made;
};
[[nodiscard]] std::exception_ptr make_graph_error(handler_id maker, arrived_graph const& graph);

template <class T>
struct graph_error_maker;

}  // namespace detail

template <class T>
class graph_error : public detail::graph_error_base {
 public:
  /// Copies the graph that `root` leads to.
  graph_error(std::string const& text, T* root) : graph_error(text, copy(root)) {}
  graph_error(std::string const& text, graph<T> owned)
      : graph_error_base(text), graph_(std::make_shared<graph<T>>(std::move(owned))) {}

  [[nodiscard]] T* get() const noexcept { return graph_->get(); }
  T* operator->() const noexcept { return get(); }

 private:
  [[nodiscard]] detail::outgoing_graph outgoing() const override { return detail::outgoing_error(get(), what()); }
  [[nodiscard]] detail::handler_id maker() const override {
    return detail::handler_entry<detail::graph_error_maker<T>>::id();
  }

  std::shared_ptr<graph<T>> graph_;
};

namespace detail {

template <class T>
struct graph_error_maker {
  static constexpr std::uint32_t payload_bytes = sizeof(made_error);
  static constexpr std::uint16_t payload_alignment = maker_alignment;
  static constexpr bool variable = false;

  static void invoke(message_context&, std::byte const* payload, std::size_t) {
    made_error const& m = *reinterpret_cast<made_error const*>(payload);
    auto const& roots = *reinterpret_cast<error_roots const*>(m.graph.root);
    void* const root = roots.root;
    std::string const text(roots.text.data());
    graph<T> owned(static_cast<T*>(root), m.graph.owner);
    if (root == nullptr || is_object_of<T>(root))
      *m.made = std::make_exception_ptr(graph_error<T>(text, std::move(owned)));
    else
      *m.made = std::make_exception_ptr(
          error("an arrived exception", "a graph of another type", std::string(type_entry<T>::record.name)));
  }
};

}  // namespace detail
}  // namespace tess
