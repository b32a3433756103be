// dictionary: encoding of columns by threads, each of which takes the same share of the edges.
#include "graph/dictionary.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <charconv>
#include <chrono>
#include <mutex>
#include <utility>

#include "graph/dictionary_maker.hpp"
#include "graph/encoding.hpp"
#include "graph/error.hpp"

namespace graph {

namespace {

// Below this, a thread costs more than it saves.
constexpr std::uint64_t edges_per_thread_min = 1 << 14;

[[noreturn]] void throw_repeated(std::string const& origin, std::uint64_t number, std::uint64_t before,
                                 std::string const& label) {
  throw input_error(origin, number, fmt::format("{} is also name {}", quoted(label), before), "each name once");
}

}  // namespace

hash_seed const& process_seed() noexcept {
  static hash_seed const seed = [] {
    hash_seed drawn{};
    if (::getrandom(&drawn, sizeof drawn, 0) != sizeof drawn) {
      auto const now = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
      drawn = {now * 0x9e3779b97f4a7c15U, now ^ 0xbf58476d1ce4e5b9U};
    }
    return hash_seed{drawn.first | 1U, drawn.second | 1U};
  }();
  return seed;
}

struct dictionary::contents {
  std::vector<std::int64_t> integers;  // or the ends of texts
  std::vector<char> text;
  std::shared_ptr<void const> keeps;
  mutable std::once_flag indexed;
  mutable name_slots slots;

  // Makes the index once; calls repeated(vertex, earlier one) for a name that comes again.
  template <class Repeated>
  void index(dictionary const& of, Repeated const& repeated) const {
    auto const want = [&](std::uint32_t v) {
      return of.texts_ ? slots.want(of.text_of(v)) : slots.want(of.integers_[v]);
    };
    auto const same = [&](std::uint32_t a, std::uint32_t b) {
      return of.texts_ ? of.text_of(a) == of.text_of(b) : of.integers_[a] == of.integers_[b];
    };
    std::call_once(indexed, [&] {
      slots.reserve(of.size());
      for (std::uint32_t v = 0; v < of.size(); ++v) {
        name_slots::wanted const one = want(v);
        std::size_t const slot = slots.search(one, [&](std::uint32_t other) { return same(v, other); });
        if (slots.is_empty(slot))
          slots.set(slot, one.key, v);
        else
          repeated(v, slots.number_at(slot));
      }
    });
  }
};

dictionary::dictionary(std::vector<std::int64_t> integers, std::string const& origin) {
  auto const made = std::make_shared<contents>();
  made->integers = std::move(integers);
  integers_ = made->integers;
  contents_ = made;
  check(origin);
}

dictionary::dictionary(std::vector<char> text, std::vector<std::int64_t> ends_from_zero, std::string const& origin)
    : texts_(true) {
  auto const made = std::make_shared<contents>();
  made->text = std::move(text);
  made->integers = std::move(ends_from_zero);
  text_ = made->text;
  offsets_ = made->integers;
  contents_ = made;
  check(origin);
}

dictionary::dictionary(std::span<std::int64_t const> integers, std::shared_ptr<void const> keeps)
    : integers_(integers) {
  auto const made = std::make_shared<contents>();
  made->keeps = std::move(keeps);
  contents_ = made;
}

dictionary::dictionary(std::span<char const> text, std::span<std::int64_t const> ends_from_zero,
                       std::shared_ptr<void const> keeps)
    : texts_(true), text_(text), offsets_(ends_from_zero) {
  auto const made = std::make_shared<contents>();
  made->keeps = std::move(keeps);
  contents_ = made;
}

void dictionary::check(std::string const& origin) const {
  std::int64_t end = 0;
  for (std::size_t i = 0; i < offsets_.size(); ++i) {
    bool const ordered = i == 0 ? offsets_[i] == 0 : offsets_[i] >= end;
    if (!ordered || offsets_[i] > static_cast<std::int64_t>(text_.size())) {
      throw input_error(origin, i, "the end of a name is out of order", "ends that grow from 0 to the text's size");
    }
    end = offsets_[i];
  }
  if (size() > vertices_count_max) {
    throw input_error(origin, 0, fmt::format("{} names", size()), fmt::format("at most {}", vertices_count_max));
  }
  if (contents_ == nullptr) return;
  contents_->index(*this, [&](std::uint32_t v, std::uint32_t before) {
    throw_repeated(origin, v + std::uint64_t{1}, before + std::uint64_t{1}, label(v));
  });
}

std::string_view dictionary::text_of(std::uint32_t vertex) const noexcept {
  return {text_.data() + offsets_[vertex],
          static_cast<std::size_t>(offsets_[vertex + std::size_t{1}] - offsets_[vertex])};
}

std::string dictionary::label(std::uint32_t vertex) const {
  return texts_ ? std::string(text_of(vertex)) : fmt::format("{}", integers_[vertex]);
}

std::optional<std::uint32_t> dictionary::find(std::string_view name) const {
  if (contents_ == nullptr) return std::nullopt;
  if (!texts_) {
    std::int64_t integer = 0;
    auto const [stop, problem] = std::from_chars(name.data(), name.data() + name.size(), integer);
    bool const is_integer = problem == std::errc{} && stop == name.data() + name.size();
    return is_integer ? find(integer) : std::nullopt;
  }
  contents_->index(*this, [](std::uint32_t, std::uint32_t) {});
  name_slots const& slots = contents_->slots;
  std::size_t const slot = slots.search(slots.want(name), [&](std::uint32_t v) { return text_of(v) == name; });
  return slots.is_empty(slot) ? std::nullopt : std::optional(slots.number_at(slot));
}

std::optional<std::uint32_t> dictionary::find(std::int64_t name) const {
  if (contents_ == nullptr) return std::nullopt;
  if (texts_) return find(std::string_view(fmt::format("{}", name)));
  contents_->index(*this, [](std::uint32_t, std::uint32_t) {});
  name_slots const& slots = contents_->slots;
  std::size_t const slot = slots.search(slots.want(name), [&](std::uint32_t v) { return integers_[v] == name; });
  return slots.is_empty(slot) ? std::nullopt : std::optional(slots.number_at(slot));
}

namespace {

dictionary of_integers(integer_names given) {
  auto const names = std::make_shared<integer_names>(std::move(given));
  return {names->integers, names};
}

}  // namespace

dictionary dictionary_maker::from(name_table<text_names> table) {
  auto const names = std::make_shared<text_names>(table.take_names());
  return {names->text, names->offsets, names};
}

dictionary dictionary_maker::from(name_table<integer_names> table) {
  return of_integers(table.take_names());
}

dictionary dictionary_maker::from(integer_array table) {
  return of_integers(table.take_names());
}

void throw_too_many_names(std::string const& origin) {
  throw input_error(origin, 0, fmt::format("more than {} names of vertices", vertices_count_max),
                    "a graph of fewer vertices");
}

namespace {

struct text_reader {
  text_column sources;
  text_column targets;

  [[nodiscard]] static std::string_view at(text_column const& column, std::uint64_t i) noexcept {
    return {column.bytes.data() + column.offsets[i],
            static_cast<std::size_t>(column.offsets[i + 1] - column.offsets[i])};
  }
  [[nodiscard]] std::string_view source(std::uint64_t i) const noexcept { return at(sources, i); }
  [[nodiscard]] std::string_view target(std::uint64_t i) const noexcept { return at(targets, i); }
};

struct integer_reader {
  std::span<std::int64_t const> sources;
  std::span<std::int64_t const> targets;

  [[nodiscard]] std::int64_t source(std::uint64_t i) const noexcept { return sources[i]; }
  [[nodiscard]] std::int64_t target(std::uint64_t i) const noexcept { return targets[i]; }
};

template <class Table, class Reader>
void encode_part(Table& table, Reader const& reader, std::uint64_t begin, std::uint64_t end, encoded_ends& into) {
  std::array<typename Table::name, names_batch> batch;
  std::array<std::uint32_t, names_batch> numbers;
  while (begin != end) {
    std::uint64_t const count = std::min<std::uint64_t>(names_batch / 2, end - begin);
    for (std::uint64_t i = 0; i < count; ++i) {
      batch[2 * i] = reader.source(begin + i);
      batch[2 * i + 1] = reader.target(begin + i);
    }
    table.add(std::span<typename Table::name const>(batch).first(2 * count), numbers.data());
    for (std::uint64_t i = 0; i < count; ++i) {
      into.sources[begin + i] = numbers[2 * i];
      into.targets[begin + i] = numbers[2 * i + 1];
    }
    begin += count;
  }
}

template <class Table, class Reader>
encoded_ends encode_all(std::vector<Table> tables, Reader const& reader, std::uint64_t count,
                        std::string const& origin) try {
  encoded_ends made;
  made.sources.resize(count);
  made.targets.resize(count);
  auto const threads = static_cast<unsigned>(tables.size());
  on_threads(threads, [&](unsigned part) {
    encode_part(tables[part], reader, part_begin(count, part, threads), part_begin(count, part + 1, threads), made);
  });
  std::vector<renumbering> const changes = join(tables);
  on_threads(threads, [&](unsigned part) {
    std::uint64_t const begin = part_begin(count, part, threads);
    std::uint64_t const size = part_begin(count, part + 1, threads) - begin;
    renumber(std::span(made.sources).subspan(begin, size), changes[part]);
    renumber(std::span(made.targets).subspan(begin, size), changes[part]);
  });
  made.names = dictionary_maker::from(std::move(tables[0]));
  return made;
} catch (too_many_names const&) {
  throw_too_many_names(origin);
}

struct integer_range {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = std::numeric_limits<std::int64_t>::min();

  void add(std::span<std::int64_t const> values) noexcept {
    for (std::int64_t const value : values) {
      least = std::min(least, value);
      most = std::max(most, value);
    }
  }
};

unsigned threads_of(std::uint64_t edges, unsigned wanted) {
  return static_cast<unsigned>(std::min<std::uint64_t>(threads_for(wanted), 1 + edges / edges_per_thread_min));
}

}  // namespace

encoded_ends encode(std::span<std::int64_t const> sources, std::span<std::int64_t const> targets,
                    std::string const& origin, unsigned wanted) {
  std::uint64_t const count = sources.size();
  unsigned const threads = threads_of(count, wanted);
  std::vector<integer_range> ranges(threads);
  on_threads(threads, [&](unsigned part) {
    integer_range range;
    std::uint64_t const begin = part_begin(count, part, threads);
    std::uint64_t const size = part_begin(count, part + 1, threads) - begin;
    range.add(sources.subspan(begin, size));
    range.add(targets.subspan(begin, size));
    ranges[part] = range;
  });
  integer_range all;
  for (integer_range const& each : ranges) all = {std::min(all.least, each.least), std::max(all.most, each.most)};
  // An array of each thread takes as much as the result, or less.
  std::uint64_t const width = static_cast<std::uint64_t>(all.most) - static_cast<std::uint64_t>(all.least);
  integer_reader const reader{sources, targets};
  if (count != 0 && width < 2 * count / threads)
    return encode_all(std::vector<integer_array>(threads, integer_array(all.least, width + 1)), reader, count, origin);
  return encode_all(std::vector<name_table<integer_names>>(threads), reader, count, origin);
}

encoded_ends encode(text_column const& sources, text_column const& targets, std::string const& origin,
                    unsigned wanted) {
  std::uint64_t const count = sources.offsets.empty() ? 0 : sources.offsets.size() - 1;
  return encode_all(std::vector<name_table<text_names>>(threads_of(count, wanted)), text_reader{sources, targets},
                    count, origin);
}

}  // namespace graph
