// teams: the numbers of a team's flags are agreed on by the parent, so that all members use the same ones.
#include "shmem/teams.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "shmem/group.hpp"
#include "shmem/setup.hpp"

extern "C" {
tess_shmem_team tess_shmem_team_world;
tess_shmem_team tess_shmem_team_shared;
tess_shmem_context tess_shmem_context_default;
}

namespace tess::shmem {

namespace {

constexpr std::size_t words_of_ids = teams_max / 64;
using id_set = std::array<std::uint64_t, words_of_ids>;
static_assert(sizeof(id_set) <= box_bytes);

// Numbers that this PE does not use, and the teams and contexts that it has made.
id_set free_ids;
std::vector<std::unique_ptr<tess_shmem_team>> teams;
std::vector<std::unique_ptr<tess_shmem_context>> contexts;
/// Destroyed ones, which are invalid, so that a program that still uses one is told so; the oldest is made again.
template <class T>
std::deque<std::unique_ptr<T>> destroyed;
constexpr std::size_t destroyed_kept = 64;
std::vector<std::unique_ptr<tess_shmem_pending>> pendings;
std::mutex contexts_lock;
std::mutex teams_lock;

/// Threads may make and destroy teams at the same time, of different parents.
std::unique_lock<std::mutex> one_thread() {
  std::unique_lock guard(teams_lock, std::defer_lock);
  if (own.threads == SHMEM_THREAD_MULTIPLE) guard.lock();
  return guard;
}

template <class T>
std::unique_ptr<T> make() {
  if (destroyed<T>.size() <= destroyed_kept) return std::make_unique<T>();
  std::unique_ptr<T> oldest = std::move(destroyed<T>.front());
  destroyed<T>.pop_front();
  return oldest;
}
/// Leaves null.
template <class T>
void retire(std::unique_ptr<T>& one) {
  *one = {};
  destroyed<T>.push_back(std::move(one));
}

/// False: another thread has taken it.
bool take(int id) {
  auto const guard = one_thread();
  std::uint64_t& word = free_ids[static_cast<std::size_t>(id) / 64];
  std::uint64_t const bit = std::uint64_t{1} << (id % 64);
  bool const was_free = (word & bit) != 0;
  word &= ~bit;
  return was_free;
}
void give_back(int id) {
  auto const guard = one_thread();
  free_ids[static_cast<std::size_t>(id) / 64] |= std::uint64_t{1} << (id % 64);
}

/// `use(theirs)` for what each member gives.
template <class T, class Use>
void exchange(group& all, T const& mine, Use&& use) {
  std::memcpy(all.next_box(), &mine, sizeof mine);
  all.meet();
  seen const values(all, sizeof mine);
  for (int member = 0; member < all.size(); ++member) {
    T theirs;
    std::memcpy(&theirs, values.of(member, all.box(member)), sizeof theirs);
    use(theirs);
  }
}

/// A number that is free at all members that want it, after so many others; -1: none.
int agree_on_id(group& all, bool wanted, int others) {
  id_set common;
  common.fill(~std::uint64_t{0});
  if (wanted) {
    auto const guard = one_thread();
    common = free_ids;
  }
  exchange(all, id_set(common), [&](id_set const& theirs) {
    for (std::size_t word = 0; word < words_of_ids; ++word) common[word] &= theirs[word];
  });
  int found = 0;
  for (std::uint64_t const word : common) found += std::popcount(word);
  if (found == 0) return -1;
  int left = others % found;
  for (std::size_t word = 0;; ++word)
    for (std::uint64_t bits = common[word]; bits != 0; bits &= bits - 1)
      if (left-- == 0) return static_cast<int>(word * 64) + std::countr_zero(bits);
}

struct shape {
  int start, stride, size;  ///< in the parent
};

/// The number of this PE in the shape; -1: it is not in it.
int index_in(shape const& s, int pe) {
  for (int i = 0; i < s.size; ++i)
    if (s.start + i * s.stride == pe) return i;
  return -1;
}

std::unique_ptr<tess_shmem_team> new_team(tess_shmem_team const& parent, shape const& s, int me, int id) {
  auto guard = one_thread();
  auto team = make<tess_shmem_team>();
  guard = {};
  team->start = parent.start + s.start * parent.stride;
  team->stride = parent.stride * s.stride;
  team->size = s.size;
  team->me = me;
  team->id = id;
  begin_meetings(*team);
  return team;
}

/// All PEs of the parent call it, those with me < 0 for the others' sake only.
int make_team(tess_shmem_team& parent, shape const& s, int me, shmem_team_config_t const* config, long mask,
              shmem_team_t* made) {
  *made = SHMEM_TEAM_INVALID;
  group all(parent);
  // Threads that split teams at the same time, all of different numbers, try different ones.
  for (int attempt = 0;; ++attempt) {
    int const id = agree_on_id(all, me >= 0, parent.id + attempt);
    if (id < 0) return -1;
    bool const is_mine = me >= 0 && take(id);
    auto team = is_mine ? new_team(parent, s, me, id) : nullptr;
    // Nobody tells a member anything before its flags are clear.
    bool all_have = true;
    exchange(all, me < 0 || is_mine, [&](bool theirs) { all_have = all_have && theirs; });
    if (!all_have) {
      if (is_mine) give_back(id);
      continue;
    }
    if (team == nullptr) return 0;
    if (config != nullptr && (mask & SHMEM_TEAM_NUM_CONTEXTS) != 0) team->config = *config;
    *made = team.get();
    auto const guard = one_thread();
    teams.push_back(std::move(team));
    return 0;
  }
}

/// A context that ends completes its operations.
void end_pending(tess_shmem_context const& context) {
  settle();
  if (context.pending == nullptr) return;
  own.network->quiet(*context.pending);
  std::erase_if(pendings, [&](auto const& pending) { return pending.get() == context.pending; });
}

void destroy_contexts_of(tess_shmem_team const& team) {
  std::scoped_lock const one(contexts_lock);
  for (auto& context : contexts) {
    if (context->team != &team) continue;
    end_pending(*context);
    retire(context);
  }
  std::erase(contexts, nullptr);
}

void open(tess_shmem_team& team, int id, shape const& s) {
  team = {};
  team.start = s.start;
  team.stride = s.stride;
  team.size = s.size;
  team.me = index_in(s, own.pe);
  team.id = id;
  take(id);
  begin_meetings(team);
}

/// The PEs that share memory, if they are as far from each other as those of a team must be; otherwise this one alone.
shape shared_shape() {
  std::vector<int> seen_pes;
  for (int pe = 0; pe < own.pes; ++pe)
    if (shares_memory(pe)) seen_pes.push_back(pe);
  int const stride = seen_pes.size() > 1 ? seen_pes[1] - seen_pes[0] : 1;
  shape const s{seen_pes[0], stride, static_cast<int>(seen_pes.size())};
  for (int i = 0; i < s.size; ++i)
    if (seen_pes[static_cast<std::size_t>(i)] != s.start + i * stride) return {own.pe, 1, 1};
  return s;
}

/// What counts the operations between hosts.
tess_shmem_pending* make_pending() {
  if (own.network == nullptr) return nullptr;
  return pendings.emplace_back(std::make_unique<tess_shmem_pending>()).get();
}

bool is_world(tess_shmem_team const& team) {
  return team.start == 0 && team.stride == 1 && team.size == own.pes;
}

bool is_made(shmem_team_t team) {
  auto const guard = one_thread();
  return team == SHMEM_TEAM_WORLD || team == SHMEM_TEAM_SHARED ||
         std::ranges::any_of(teams, [&](auto const& one) { return one.get() == team; });
}

}  // namespace

int team_my_pe(shmem_team_t team) {
  return is_made(team) ? team->me : -1;
}

int team_n_pes(shmem_team_t team) {
  return is_made(team) ? team->size : -1;
}

int team_get_config(shmem_team_t team, long config_mask, shmem_team_config_t* config) {
  if (!is_made(team)) return -1;
  if ((config_mask & SHMEM_TEAM_NUM_CONTEXTS) == 0) return 0;
  if (config == nullptr) return -1;
  config->num_contexts = team->config.num_contexts;
  return 0;
}

int team_translate_pe(shmem_team_t src_team, int src_pe, shmem_team_t dest_team) {
  if (!is_made(src_team) || !is_made(dest_team) || src_pe < 0 || src_pe >= src_team->size) return -1;
  int const pe = src_team->start + src_pe * src_team->stride;
  return index_in({dest_team->start, dest_team->stride, dest_team->size}, pe);
}

int team_split_strided(shmem_team_t parent_team, int start, int stride, int size, shmem_team_config_t const* config,
                       long config_mask, shmem_team_t* new_team) {
  *new_team = SHMEM_TEAM_INVALID;
  if (!is_made(parent_team)) return -1;
  // The shape is the same at all PEs: all refuse it, or none.
  std::int64_t const last = start + static_cast<std::int64_t>(size - 1) * stride;
  bool const sound = size >= 1 && start >= 0 && start < parent_team->size && last >= 0 && last < parent_team->size &&
                     (stride != 0 || size == 1);
  if (!sound) return -1;
  shape const wanted{start, stride, size};
  return make_team(*parent_team, wanted, index_in(wanted, parent_team->me), config, config_mask, new_team);
}

int team_split_2d(shmem_team_t parent_team, int xrange, shmem_team_config_t const* xaxis_config, long xaxis_mask,
                  shmem_team_t* xaxis_team, shmem_team_config_t const* yaxis_config, long yaxis_mask,
                  shmem_team_t* yaxis_team) {
  *xaxis_team = *yaxis_team = SHMEM_TEAM_INVALID;
  if (!is_made(parent_team) || xrange < 1) return -1;
  int const size = parent_team->size;
  xrange = std::min(xrange, size);
  int const x = parent_team->me % xrange;
  int const y = parent_team->me / xrange;
  shape const row{y * xrange, 1, std::min(xrange, size - y * xrange)};
  shape const column{x, xrange, (size - x + xrange - 1) / xrange};
  int const made = make_team(*parent_team, row, x, xaxis_config, xaxis_mask, xaxis_team);
  if (made != 0) return made;
  return make_team(*parent_team, column, y, yaxis_config, yaxis_mask, yaxis_team);
}

void team_destroy(shmem_team_t team) {
  if (team == SHMEM_TEAM_INVALID) return;
  if (team == SHMEM_TEAM_WORLD || team == SHMEM_TEAM_SHARED)
    fail("a team that the library made", "a team of shmem_team_split_…");
  if (!is_made(team)) fail("a team that was destroyed, or never made", "a team of shmem_team_split_…");
  // A member that is still in the last meeting has its flags.
  group(*team).meet();
  destroy_contexts_of(*team);
  give_back(team->id);
  auto const guard = one_thread();
  auto const found = std::ranges::find(teams, team, [](auto const& one) { return one.get(); });
  retire(*found);
  teams.erase(found);
}

void* team_ptr(shmem_team_t team, void const* dest, int pe) {
  if (!is_made(team) || pe < 0 || pe >= team->size) return nullptr;
  return ptr(dest, team->start + pe * team->stride);
}

int ctx_create(long options, shmem_ctx_t* ctx) {
  return team_create_ctx(SHMEM_TEAM_WORLD, options, ctx);
}

int team_create_ctx(shmem_team_t team, long options, shmem_ctx_t* ctx) {
  *ctx = SHMEM_CTX_INVALID;
  constexpr long known = SHMEM_CTX_SERIALIZED | SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE;
  if (team == SHMEM_TEAM_INVALID || (options & ~known) != 0) return -1;
  std::scoped_lock const one(contexts_lock);
  auto made = make<tess_shmem_context>();
  *made = {&of(team), options, is_world(*team) ? 1 : 0, make_pending()};
  *ctx = made.get();
  contexts.push_back(std::move(made));
  return 0;
}

void ctx_destroy(shmem_ctx_t ctx) {
  if (ctx == SHMEM_CTX_INVALID) return;
  if (ctx == SHMEM_CTX_DEFAULT) fail("the default context", "a context of shmem_ctx_create");
  std::scoped_lock const one(contexts_lock);
  auto const found = std::ranges::find(contexts, ctx, [](auto const& context) { return context.get(); });
  if (found == contexts.end()) fail("a context that was destroyed, or never made", "a context of shmem_ctx_create");
  end_pending(*ctx);
  retire(*found);
  contexts.erase(found);
}

int ctx_get_team(shmem_ctx_t ctx, shmem_team_t* team) {
  *team = ctx == SHMEM_CTX_INVALID ? SHMEM_TEAM_INVALID : ctx->team;
  return *team == SHMEM_TEAM_INVALID ? -1 : 0;
}

void ctx_session_start(shmem_ctx_t ctx, long /*options*/, shmem_ctx_session_config_t const* /*config*/,
                       long /*config_mask*/) {
  // A hint of what follows; operations of one host end at their call.
  if (ctx != SHMEM_CTX_INVALID) (void)pe_of(ctx, 0);
}

void ctx_session_stop(shmem_ctx_t ctx) {
  if (ctx != SHMEM_CTX_INVALID) (void)pe_of(ctx, 0);
}

void open_teams() {
  free_ids.fill(~std::uint64_t{0});
  open(tess_shmem_team_world, 0, {0, 1, own.pes});
  open(tess_shmem_team_shared, 1, shared_shape());
  tess_shmem_context_default = {&tess_shmem_team_world, 0, 1, make_pending()};
}

void complete_contexts() {
  for (auto const& pending : pendings) own.network->quiet(*pending);
}

void close_teams() {
  for (auto& context : contexts) retire(context);
  contexts.clear();
  pendings.clear();
  for (auto& team : teams) retire(team);
  teams.clear();
  tess_shmem_team_world.id = tess_shmem_team_shared.id = -1;
}

}  // namespace tess::shmem
