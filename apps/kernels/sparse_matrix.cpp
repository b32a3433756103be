// sparse_matrix: memory for rows, and their addresses for other places.
#include "kernels/sparse_matrix.hpp"

#include <numeric>

#include "kernels/random_word.hpp"

namespace kernels {

namespace {

constexpr std::uint64_t rows_per_task = 1024;

// Turns slots into the positions of their rows and allocates their entries. Returns the number of entries.
std::uint64_t allocate_rows(matrix_part& part) {
  auto const offsets = tess::allocate<std::uint64_t>(part.count + 1);
  std::uint64_t* const to = offsets.local();
  part.rows.offsets = to;
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < part.count; ++i) {
    to[i] = sum;
    sum += std::exchange(part.slots[i], sum);
  }
  to[part.count] = sum;
  part.owner = true;
  part.columns = tess::allocate<vertex>(std::max<std::uint64_t>(sum, 1)).local();
  part.rows.targets = part.columns;
  return sum;
}

void give_back(matrix_part& part) {
  if (!part.owner) return;
  tess::deallocate(tess::to_global(const_cast<std::uint64_t*>(part.rows.offsets)));
  if (part.columns != nullptr) tess::deallocate(tess::to_global(part.columns));
}

// Addresses of a place's rows, for the others.
struct row_addresses {
  tess::global_ptr<vertex> columns;
  tess::global_ptr<std::uint64_t> offsets;
};

}  // namespace

void sparse_matrix::set_blocks(std::uint64_t size, std::uint64_t block) noexcept {
  size_ = size;
  block_ = block;
  reciprocal_ = ~std::uint64_t{0} / block + 1;
}

tess::task<sparse_matrix> sparse_matrix::of(graph::distributed_graph g) {
  sparse_matrix m;
  m.set_blocks(g.vertices(), g.block());
  m.entries_ = g.edges();
  m.parts_ = co_await matrix_parts::make();
  co_await tess::on_all_places(
      [](matrix_parts parts, graph::distributed_graph from) {
        graph::graph_part const& part = from.part();
        parts->first = part.first;
        parts->count = part.count;
        parts->rows = part.out;
      },
      m.parts_, g);
  co_await m.publish();
  co_return m;
}

tess::task<sparse_matrix> sparse_matrix::make(std::uint64_t size) {
  sparse_matrix m;
  m.slots_ = co_await tess::global_array<std::uint64_t>::make(size, 64);
  m.has_slots_ = true;
  m.set_blocks(size, m.slots_.block());
  m.parts_ = co_await matrix_parts::make();
  co_await tess::on_all_places(
      [](matrix_parts parts, tess::global_array<std::uint64_t> slots) {
        parts->first = slots.begin_at(tess::here());
        parts->count = slots.local().size();
        parts->slots = slots.local().data();
      },
      m.parts_, m.slots_);
  co_return m;
}

tess::task<void> sparse_matrix::release(sparse_matrix m) {
  co_await tess::on_all_places([](matrix_parts parts) { give_back(*parts); }, m.parts_);
  co_await matrix_parts::release(m.parts_);
  if (m.has_slots_) co_await tess::global_array<std::uint64_t>::release(m.slots_);
}

tess::task<void> sparse_matrix::lay_out() {
  entries_ = 0;
  for (unsigned p = 0; p < tess::places(); ++p)
    entries_ += co_await tess::at(
        static_cast<tess::place_id>(p), [](matrix_parts parts) { return allocate_rows(*parts); }, parts_);
  co_await publish();
}

tess::task<void> sparse_matrix::publish() const {
  auto const all = co_await tess::global_array<row_addresses>::make(tess::places());
  co_await tess::on_all_places(
      [](matrix_parts parts, tess::global_array<row_addresses> table) {
        graph::rows const& rows = parts->rows;
        table.local()[0] = {tess::to_global(const_cast<vertex*>(rows.targets)),
                            tess::to_global(const_cast<std::uint64_t*>(rows.offsets))};
      },
      parts_, all);
  co_await tess::on_all_places(
      [](matrix_parts parts, tess::global_array<row_addresses> table) -> tess::task<void> {
        matrix_part& mine = *parts;
        co_await tess::overlap<16>(
            0, table.size(), [=](std::uint64_t p) { return tess::get(table[p]); },
            [&mine](std::uint64_t, row_addresses const& there) {
              mine.columns_of.push_back(there.columns);
              mine.offsets_of.push_back(there.offsets);
            });
      },
      parts_, all);
  co_await tess::global_array<row_addresses>::release(all);
}

tess::task<void> sparse_matrix::finish() const {
  return tess::on_all_places(
      [](matrix_parts parts) -> tess::task<void> {
        matrix_part const& mine = *parts;
        co_await tess::forall_chunks(0, mine.count, rows_per_task, [&mine](std::uint64_t begin, std::uint64_t end) {
          for (std::uint64_t i = begin; i < end; ++i)
            std::sort(mine.columns + mine.rows.offsets[i], mine.columns + mine.rows.offsets[i + 1]);
        });
      },
      parts_);
}

tess::task<gathered_matrix> gather(sparse_matrix m) {
  gathered_matrix all;
  for (unsigned p = 0; p < tess::places(); ++p) {
    auto const place = static_cast<tess::place_id>(p);
    std::uint64_t const count = m.end_at(place) - m.begin_at(place);
    if (count == 0) continue;
    std::vector<std::uint64_t> offsets(count + 1);
    co_await tess::get(m.part().offsets_of[p], std::span(offsets));
    std::uint64_t const before = all.columns.size();
    all.columns.resize(before + offsets[count]);
    if (offsets[count] != 0) co_await tess::get(m.part().columns_of[p], std::span(all.columns).subspan(before));
    for (std::uint64_t i = 1; i <= count; ++i) all.offsets.push_back(before + offsets[i]);
  }
  co_return all;
}

gathered_matrix sorted_matrix(std::uint64_t size, std::vector<entry> const& entries) {
  gathered_matrix made;
  made.offsets.assign(size + 1, 0);
  made.columns.resize(entries.size());
  for (entry const& e : entries) ++made.offsets[e.row + std::uint64_t{1}];
  std::partial_sum(made.offsets.begin(), made.offsets.end(), made.offsets.begin());
  std::vector<std::uint64_t> next = made.offsets;
  for (entry const& e : entries) made.columns[next[e.row]++] = e.column;
  for (std::uint64_t i = 0; i < size; ++i)
    std::sort(made.columns.data() + made.offsets[i], made.columns.data() + made.offsets[i + 1]);
  return made;
}

tess::task<std::uint64_t> checksum(sparse_matrix m) {
  std::uint64_t sum = 0;
  for (unsigned p = 0; p < tess::places(); ++p)
    sum += co_await tess::at(
        static_cast<tess::place_id>(p),
        [](matrix_parts parts) {
          matrix_part const& mine = *parts;
          std::uint64_t here = 0;
          for (std::uint64_t i = 0; i < mine.count; ++i)
            for (vertex const column : mine.rows.neighbours(i)) here += random_word(mine.first + i, column);
          return here;
        },
        m.parts());
  co_return sum;
}

}  // namespace kernels
