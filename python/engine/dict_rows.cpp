// dict_rows: numbers the vertices, then walks the rows in their order.
#include "dict_rows.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace engine {

namespace {

constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

// As PyDict_Next, with the hash; not part of every version's interface.
using next_with_hash = int (*)(PyObject*, Py_ssize_t*, PyObject**, PyObject**, Py_hash_t*);

next_with_hash hashed_next() {
  static auto const found = reinterpret_cast<next_with_hash>(dlsym(RTLD_DEFAULT, "_PyDict_Next"));
  return found;
}

[[noreturn]] void refuse(char const* what) {
  throw adjacency_error(what);
}

// A hash table from hashes to vertices, of twice as many places as entries at least.
class hash_table {
 public:
  explicit hash_table(std::size_t entries) : slots_(std::bit_ceil(2 * entries + 16), {0, nobody}) {}

  // The place of the hash, or the free one for it.
  [[nodiscard]] std::pair<Py_hash_t, std::uint32_t>& at(Py_hash_t hash) {
    std::size_t const mask = slots_.size() - 1;
    std::size_t i = (static_cast<std::uint64_t>(hash) * 0x9E3779B97F4A7C15U >> 20U) & mask;
    while (slots_[i].second != nobody && slots_[i].first != hash) i = (i + 1) & mask;
    return slots_[i];
  }

 private:
  std::vector<std::pair<Py_hash_t, std::uint32_t>> slots_;
};

// The numbers of the vertices. A vertex is known by the hash of its name, unless two have the same: an end of an edge
// is a vertex of the graph, so that nothing needs to be compared.
class numbering {
 public:
  explicit numbering(nb::dict const& vertices) : vertices_(vertices) {
    PyObject *name = nullptr, *ignored = nullptr;
    Py_ssize_t position = 0;
    std::vector<Py_hash_t> hashes;
    hashes.reserve(vertices.size());
    bool naturals = true;
    Py_hash_t most = 0;
    texts_ = plain_ = in_order_ = true;
    while (PyDict_Next(vertices.ptr(), &position, &name, &ignored) != 0) {
      Py_hash_t const hash = hash_of(name);
      names_.push_back(name);
      texts_ = texts_ && PyUnicode_CheckExact(name);
      plain_ = plain_ && (PyUnicode_CheckExact(name) || PyLong_CheckExact(name));
      // A natural number that is not too large is its own hash, and -1 and -2 have the same.
      naturals = naturals && PyLong_CheckExact(name) && hash >= 0;
      in_order_ = in_order_ && naturals && static_cast<std::size_t>(hash) == hashes.size() && is_its_hash(name, hash);
      most = std::max(most, hash);
      hashes.push_back(hash);
    }
    if (in_order_) return;
    if (naturals && static_cast<std::size_t>(most) < 4 * hashes.size() + 1024) {
      direct_.assign(static_cast<std::size_t>(most) + 1, nobody);
      for (std::uint32_t v = 0; v < hashes.size(); ++v) direct_[static_cast<std::size_t>(hashes[v])] = v;
      // A number above 2^61 may have a small hash, too.
      different_ = static_cast<std::size_t>(std::ranges::count(direct_, nobody)) + hashes.size() == direct_.size();
      if (different_) return;
    }
    direct_.clear();
    different_ = true;
    table_ = hash_table(hashes.size());
    for (std::uint32_t v = 0; different_ && v < hashes.size(); ++v) {
      auto& place = table_.at(hashes[v]);
      different_ = place.second == nobody;
      place = {hashes[v], v};
    }
    if (!different_) fill_by_name();
  }
  numbering(numbering const&) = delete;
  numbering& operator=(numbering const&) = delete;
  ~numbering() { Py_XDECREF(by_name_); }

  [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }
  [[nodiscard]] PyObject* name(std::uint32_t v) const noexcept { return names_[v]; }
  // All names are texts, which dicts keep without their hashes.
  [[nodiscard]] bool texts() const noexcept { return texts_; }
  // All names are texts or integers, which are hashed without anybody's code.
  [[nodiscard]] bool plain() const noexcept { return plain_; }
  // To hash or to compare names may be anybody's code.
  [[nodiscard]] bool runs_code() const noexcept { return !plain_; }
  // No two names have the same hash.
  [[nodiscard]] bool different() const noexcept { return different_; }
  [[nodiscard]] bool in_order() const noexcept { return in_order_; }

  // Integers are hashed modulo 2^61 - 1.
  [[nodiscard]] static bool is_its_hash(PyObject* integer, Py_hash_t hash) {
    int overflow = 0;
    return PyLong_AsLongLongAndOverflow(integer, &overflow) == hash && overflow == 0;
  }

  [[nodiscard]] static Py_hash_t hash_of(PyObject* name) {
    Py_hash_t const hash = PyObject_Hash(name);
    if (hash == -1) throw nb::python_error();
    return hash;
  }

  [[nodiscard]] std::uint32_t by_hash(Py_hash_t hash) {
    auto const word = static_cast<std::uint64_t>(hash);
    if (in_order_) return word < names_.size() ? static_cast<std::uint32_t>(word) : nobody;
    if (!direct_.empty()) return word < direct_.size() ? direct_[word] : nobody;
    return table_.at(hash).second;
  }

  [[nodiscard]] std::uint32_t by_name(PyObject* name) {
    if (different_) return by_hash(hash_of(name));
    PyObject* const number = PyDict_GetItemWithError(by_name_, name);
    if (number != nullptr) return static_cast<std::uint32_t>(PyLong_AsUnsignedLong(number));
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    return nobody;
  }

 private:
  void fill_by_name() {
    by_name_ = PyDict_New();
    if (by_name_ == nullptr) throw nb::python_error();
    for (std::uint32_t v = 0; v < names_.size(); ++v) {
      nb::object const number = nb::steal(PyLong_FromUnsignedLong(v));
      if (PyDict_SetItem(by_name_, names_[v], number.ptr()) != 0) throw nb::python_error();
    }
  }

  nb::dict vertices_;
  std::vector<PyObject*> names_;
  bool texts_ = false, plain_ = false, in_order_ = false, different_ = true;
  std::vector<std::uint32_t> direct_;  // of natural numbers
  hash_table table_{0};
  PyObject* by_name_ = nullptr;
};

// The rows' dicts by vertex.
std::vector<PyObject*> row_dicts(numbering& numbers, nb::dict const& adjacency) {
  std::vector<PyObject*> rows(numbers.size(), nullptr);
  if (adjacency.size() != rows.size()) refuse("there are not as many rows as vertices");
  PyObject *name = nullptr, *row = nullptr;
  Py_ssize_t position = 0;
  for (std::uint32_t i = 0; PyDict_Next(adjacency.ptr(), &position, &name, &row) != 0; ++i) {
    std::uint32_t const v = name == numbers.name(i) ? i : numbers.by_name(name);
    if (v == nobody) refuse("a row belongs to no vertex");
    if (!PyDict_CheckExact(row)) refuse("a row is no dict");
    rows[v] = row;
  }
  if (std::ranges::find(rows, nullptr) != rows.end()) refuse("a vertex has no row");
  return rows;
}

struct entry {
  std::uint32_t target;
  PyObject* edge;
  double sum = 0, smallest = 0;
};

class weigher {
 public:
  explicit weigher(dict_rows_rules const& rules)
      : key_(rules.weight.ptr()), missing_(rules.missing), several_(rules.several) {
    kind_ = missing_ == 1 ? weights_kind::all_one : kind_of(missing_);
  }
  [[nodiscard]] weights_kind kind() const noexcept { return kind_; }

  // Edges between the same ends also count without weights.
  void weigh(entry& e) {
    if (!PyDict_Check(e.edge)) refuse("an edge has no dict");
    if (!several_) {
      e.sum = e.smallest = weight_of(e.edge);
      return;
    }
    if (PyDict_Size(e.edge) == 0) refuse("there is an edge of multiplicity 0");
    if (PyDict_Size(e.edge) > 1) kind_ = std::max(kind_, weights_kind::integers);
    PyObject *key = nullptr, *edge = nullptr;
    Py_ssize_t position = 0;
    e.smallest = std::numeric_limits<double>::infinity();
    while (PyDict_Next(e.edge, &position, &key, &edge) != 0) {
      if (!PyDict_Check(edge)) refuse("an edge has no dict");
      double const one = weight_of(edge);
      e.sum += one;
      e.smallest = std::min(e.smallest, one);
    }
  }

 private:
  static weights_kind kind_of(double value) {
    return value == std::floor(value) ? weights_kind::integers : weights_kind::reals;
  }

  double weight_of(PyObject* edge) {
    if (key_ == nullptr || PyDict_Size(edge) == 0) return missing_;
    PyObject* const found = PyDict_GetItemWithError(edge, key_);
    if (found == nullptr) {
      if (PyErr_Occurred() != nullptr) throw nb::python_error();
      return missing_;
    }
    if (PyFloat_Check(found)) {
      double const value = PyFloat_AsDouble(found);
      if (!std::isfinite(value)) refuse("a weight is not finite");
      kind_ = weights_kind::reals;
      return value;
    }
    if (!PyLong_Check(found)) refuse("a weight is no number");
    int overflow = 0;
    long long const value = PyLong_AsLongLongAndOverflow(found, &overflow);
    if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    // What double takes exactly.
    if (overflow != 0 || value > (1LL << 53) || value < -(1LL << 53)) refuse("a weight is above 2^53");
    if (value != 1) kind_ = std::max(kind_, weights_kind::integers);
    return static_cast<double>(value);
  }

  PyObject* key_;
  double missing_;
  bool several_;
  weights_kind kind_;
};

class walk {
 public:
  walk(numbering& numbers, dict_rows_rules const& rules)
      : numbers_(numbers), rules_(rules), weigher_(rules), weighs_(rules.weight.is_valid() || rules.several) {}

  dict_rows run(std::vector<PyObject*> const& rows) {
    std::size_t const n = rows.size();
    made_.offsets.resize(n + 1);
    for (std::size_t v = 0; v < n; ++v) {
      if (v + 16 < n) __builtin_prefetch(rows[v + 16]);
      made_.offsets[v + 1] = made_.offsets[v] + static_cast<std::uint64_t>(PyDict_Size(rows[v]));
    }
    made_.targets.resize(made_.offsets[n]);
    if (rules_.directed) made_.as_added.resize(made_.offsets[n]);
    if (weighs_) made_.sums.resize(made_.offsets[n]);
    if (weighs_ && rules_.several) made_.smallest.resize(made_.offsets[n]);
    filled_.assign(made_.offsets.begin(), made_.offsets.end() - 1);
    for (std::size_t u = 0; u < n; ++u) {
      if (u + 16 < n) __builtin_prefetch(rows[u + 16]);
      if (u + 8 < n) __builtin_prefetch(entries_of(rows[u + 8]));
      if (u + 4 < n)
        for (int line = 1; line < 4; ++line) __builtin_prefetch(entries_of(rows[u + 4]) + 64 * line);
      if (rules_.directed || weighs_)
        read(static_cast<std::uint32_t>(u), rows[u]);
      else
        mirror(static_cast<std::uint32_t>(u), rows[u]);
    }
    for (std::size_t v = 0; v < n; ++v)
      if (filled_[v] != made_.offsets[v + 1]) refuse("an edge has no mirror");
    if (all_sorted_) made_.as_added = {};
    made_.kind = weigher_.kind();
    made_.numbers = numbers_.in_order();
    if (made_.kind == weights_kind::all_one) made_.sums = {}, made_.smallest = {};
    return std::move(made_);
  }

 private:
  // Where a dict's entries lie, in the Pythons that we know; elsewhere what is fetched early is of no use.
  static char const* entries_of(PyObject* dict) { return reinterpret_cast<char* const*>(dict)[4]; }

  // f(vertex, edge) for each entry of a dict.
  template <class F>
  void each_end(PyObject* row, F const& f) {
    PyObject *name = nullptr, *edge = nullptr;
    Py_ssize_t position = 0;
    auto* const next = rules_.lent_hashes ? hashed_next() : nullptr;
    if (numbers_.different() && numbers_.plain() && (numbers_.texts() || next == nullptr)) {
      ends_.clear();
      while (PyDict_Next(row, &position, &name, &edge) != 0) {
        __builtin_prefetch(name);
        ends_.emplace_back(name, edge);
      }
      for (auto const& [end, its_edge] : ends_) f(checked(numbers_.by_hash(numbering::hash_of(end))), its_edge);
    } else if (numbers_.different() && next != nullptr) {
      Py_hash_t hash = 0;
      while (next(row, &position, &name, &edge, &hash) != 0) f(checked(numbers_.by_hash(hash)), edge);
    } else {
      while (PyDict_Next(row, &position, &name, &edge) != 0) {
        // What compares names may be anybody's code.
        nb::object const kept = nb::borrow(name), kept_edge = nb::borrow(edge);
        f(checked(numbers_.by_name(name)), edge);
      }
    }
  }

  static std::uint32_t checked(std::uint32_t v) {
    if (v == nobody) refuse("an edge leads to no vertex");
    return v;
  }

  // Each end gets the row's vertex, so that rows are filled in ascending order.
  void mirror(std::uint32_t u, PyObject* row) {
    each_end(row, [&](std::uint32_t v, PyObject*) {
      std::uint64_t const at = filled_[v]++;
      if (at >= made_.offsets[v + std::size_t{1}]) refuse("an edge has no mirror");
      made_.targets[at] = u;
      if (v == u) ++made_.self_loops;
    });
  }

  // Takes the ends of a row, whose edges' dicts are on their way while the row before is finished.
  void read(std::uint32_t u, PyObject* row) {
    std::swap(entries_, before_);
    entries_.clear();
    each_end(row, [&](std::uint32_t v, PyObject* edge) {
      if (!rules_.directed && v < u) return;
      entries_.push_back({v, edge});
      if (!weighs_) return;
      __builtin_prefetch(edge);
      // Other people's code may come next, and remove the edge.
      if (numbers_.runs_code()) weigher_.weigh(entries_.back());
    });
    if (u != 0) finish(u - 1, before_);
    if (u + std::size_t{1} == filled_.size()) finish(u, entries_);
  }

  void finish(std::uint32_t u, std::vector<entry>& entries) {
    if (weighs_ && !numbers_.runs_code())
      for (entry& e : entries) weigher_.weigh(e);
    if (rules_.directed)
      std::ranges::transform(entries, made_.as_added.begin() + static_cast<std::ptrdiff_t>(filled_[u]), &entry::target);
    if (!std::ranges::is_sorted(entries, {}, &entry::target)) {
      std::ranges::sort(entries, {}, &entry::target);
      all_sorted_ = false;
    }
    for (entry const& e : entries) {
      put(u, e.target, e);
      if (e.target == u) ++made_.self_loops;
      if (!rules_.directed && e.target != u) put(e.target, u, e);
    }
  }

  void put(std::uint32_t row, std::uint32_t target, entry const& e) {
    std::uint64_t const at = filled_[row]++;
    if (at >= made_.offsets[row + std::size_t{1}]) refuse("an edge has no mirror");
    made_.targets[at] = target;
    if (weighs_) made_.sums[at] = e.sum;
    if (weighs_ && rules_.several) made_.smallest[at] = e.smallest;
  }

  numbering& numbers_;
  dict_rows_rules const& rules_;
  weigher weigher_;
  bool weighs_;
  bool all_sorted_ = true;
  dict_rows made_;
  std::vector<std::uint64_t> filled_;    // up to where each row is
  std::vector<entry> entries_, before_;  // of this row, and of the one before
  std::vector<std::pair<PyObject*, PyObject*>> ends_;
};

}  // namespace

dict_rows read_dict_rows(nb::dict const& vertices, nb::dict const& adjacency, dict_rows_rules const& rules) {
  if (vertices.size() >= nobody) refuse("there are more than 2^32 - 2 vertices");
  numbering numbers(vertices);
  std::vector<PyObject*> const rows = row_dicts(numbers, adjacency);
  return walk(numbers, rules).run(rows);
}

}  // namespace engine
