/* forwarding: the protocol of line_client.cpp, l2_private.cpp and forwarding_directory.cpp for one line, CACHES caches
 * and its home, all interleavings.
 *
 *   Every message has a slot of its own until its receiver takes it, so messages overtake each other in every way. The
 *   home's reads and writes of the memory are in order, so they are part of its steps. What is checked after every step:
 *   one cache that may write or many that may read; whoever may read has the value that was written last; a line is
 *   where it is looked for; when no message can be taken, nobody waits for one.
 *   Of the numbers of requests the lowest bit is enough. Each BUG_... leaves out one thing that the protocol needs; the
 *   checker must find what goes wrong (check_model.py). Values are counted modulo VALUES. NO_TRANSFERS: no engine reads
 *   and writes behind the caches; NO_CLEANING: no line is written back and kept, as range operations do.
 */
#ifndef CACHES
#define CACHES 2
#endif
#ifndef VALUES
#define VALUES 2
#endif
#define NOBODY CACHES
#define TRANSFER CACHES /* as a requester: keeps nothing */

/* A cache's line. */
#define INVALID 0
#define SHARED 1
#define EXCLUSIVE 2
#define MODIFIED 3

/* What a cache is asked for. */
#define NONE 0
#define SHARE 1   /* give it to a reader, keep it for reading */
#define OWN 2     /* give it away */
#define RECALL 3  /* the same, to the home, for a transfer */
#define LOSE 4    /* only lose it */

typedef cache_t {
  byte line;
  byte value;
  bool leaves;        /* given or written back; the home has not taken it, or a request for it is still to come */
  bool leaving_dirty;
  byte leaving_value;
  bool leaving_kept;
  bool again;         /* and once more */
  bool surrendered;   /* to a request that was forwarded */
  bool superseded;    /* says the home */
  byte wants;         /* INVALID: nothing; SHARED, EXCLUSIVE */
  bool asked;         /* the request was sent, as nothing leaves */
  bool held;          /* it was shared when it was asked for exclusively, with held_value */
  byte held_value;
  bool number;        /* of the latest request */
  bool has_come;      /* its answer, but not all acknowledgements */
  byte missing;       /* acknowledgements, plus CACHES */
  byte early;         /* what came before the line */
  byte early_to;
  byte due;           /* the line has come: what came early is answered next */
  byte due_to
};
cache_t cache[CACHES];

/* Messages, by cache. */
#define READ 1
#define WRITE 2
#define PUT 3
byte request[CACHES]; byte request_value[CACHES]; bool request_flag[CACHES]; /* WRITE: held; PUT: kept */
bool request_dirty[CACHES];                                                 /* PUT */
byte forward[CACHES]; byte forward_to[CACHES]; bool forward_about[CACHES];
bool lose[CACHES]; byte lose_to[CACHES]; bool lose_about[CACHES];
byte acknowledged[CACHES]; /* how many are on their way */
#define GRANT_SHARED 1
#define GRANT_EXCLUSIVE 2
byte response[CACHES]; byte response_value[CACHES]; bool response_data[CACHES]; byte response_expect[CACHES];
bool response_dirty[CACHES]; /* memory has an older value */
#define TAKEN 1
#define SUPERSEDED 2
byte put_answer[CACHES];
/* To the home. */
bool copied; bool copied_dirty; byte copied_value;
bool recalled; bool recalled_dirty; byte recalled_value;
byte lost; /* how many sharers have answered a transfer */

/* The home. */
byte memory;
byte owner = NOBODY;
bool owner_about;
bool sharer[CACHES]; bool sharer_about[CACHES];
#define COPY 1
byte blocked;
byte missing; /* answers for a transfer */

byte newest; /* the value written last */

/* Caches are alike, and so are their processes between steps: which of them has which number says nothing. So the states
 * that are stored have them in order of some of what they have: about a sixth of the states of three caches. Equal keys
 * may stand for different caches; then two states are stored for one, and nothing is lost. */
hidden int key[CACHES];
hidden byte spare; hidden byte last; hidden byte at; hidden byte each;

inline key_of(c) {
  key[c] = cache[c].line + (cache[c].value << 2) + (cache[c].leaves << 3) + (cache[c].superseded << 4) +
    (cache[c].wants << 5) + (cache[c].held << 7) + (cache[c].number << 8) + (cache[c].has_come << 9) +
    (cache[c].missing << 10) + (request[c] << 13) + (forward[c] << 15) + (lose[c] << 17) + (response[c] << 18) +
    (put_answer[c] << 20) + (sharer[c] << 22) + ((owner == c) << 23) + (cache[c].early << 24) +
    (cache[c].asked << 27) + (cache[c].surrendered << 28) + (acknowledged[c] << 29)
}

#define SWAP(of) spare = of[at]; of[at] = of[at + 1]; of[at + 1] = spare
#define SWAP_FIELD(of) spare = cache[at].of; cache[at].of = cache[at + 1].of; cache[at + 1].of = spare
#define OTHER(one) (one == at -> at + 1 : (one == at + 1 -> at : one))

inline swap() { /* at and the next */
  SWAP_FIELD(line); SWAP_FIELD(value); SWAP_FIELD(leaves); SWAP_FIELD(leaving_dirty); SWAP_FIELD(leaving_value);
  SWAP_FIELD(leaving_kept); SWAP_FIELD(again); SWAP_FIELD(surrendered); SWAP_FIELD(superseded); SWAP_FIELD(wants);
  SWAP_FIELD(asked); SWAP_FIELD(held); SWAP_FIELD(held_value); SWAP_FIELD(number); SWAP_FIELD(has_come);
  SWAP_FIELD(missing); SWAP_FIELD(early); SWAP_FIELD(early_to); SWAP_FIELD(due); SWAP_FIELD(due_to);
  SWAP(request); SWAP(request_value); SWAP(request_flag); SWAP(request_dirty);
  SWAP(forward); SWAP(forward_to); SWAP(forward_about); SWAP(lose); SWAP(lose_to); SWAP(lose_about);
  SWAP(acknowledged); SWAP(response); SWAP(response_value); SWAP(response_data); SWAP(response_expect);
  SWAP(response_dirty); SWAP(put_answer); SWAP(sharer); SWAP(sharer_about);
  owner = OTHER(owner);
  each = 0;
  do
  :: each < CACHES ->
     forward_to[each] = (forward[each] -> OTHER(forward_to[each]) : 0);
     lose_to[each] = (lose[each] -> OTHER(lose_to[each]) : 0);
     cache[each].early_to = (cache[each].early -> OTHER(cache[each].early_to) : 0);
     cache[each].due_to = (cache[each].due -> OTHER(cache[each].due_to) : 0);
     each++
  :: else -> break
  od
}

inline sort() {
  d_step {
    last = CACHES - 1;
    do
    :: last > 0 ->
       at = 0;
       do
       :: at < last ->
          key_of(at); key_of(at + 1);
          if
          :: key[at] > key[at + 1] -> swap()
          :: else
          fi;
          at++
       :: else -> break
       od;
       last--
    :: else -> break
    od;
    last = 0; at = 0; spare = 0; each = 0
  }
}

inline check() {
  byte w = 0; byte r = 0; byte i = 0; bool waits = false;
  bool quiet = !copied && !recalled && !lost;
  do
  :: i < CACHES ->
     if
     :: cache[i].line == INVALID
     :: cache[i].line == SHARED -> r++
     :: else -> w++
     fi;
     assert(cache[i].line == INVALID || cache[i].value == newest);
     if
     :: forward[i] || lose[i] || acknowledged[i] || response[i] || put_answer[i] || request[i] == PUT ||
        (request[i] && !blocked) || cache[i].due -> quiet = false
     :: else
     fi;
     if
     :: cache[i].wants || cache[i].leaves || cache[i].early || cache[i].due -> waits = true
     :: else
     fi;
     i++
  :: else -> break
  od;
  assert(w == 0 || (w == 1 && r == 0));
  assert(owner != NOBODY || blocked || memory == newest);
  assert(!quiet || (!blocked && !waits));
  i = 0; w = 0; r = 0; quiet = false; waits = false;
  sort()
}

/* --- A cache --- */

inline send_put() {
  request[id] = PUT;
  request_value[id] = (cache[id].leaving_dirty -> cache[id].leaving_value : 0);
  request_flag[id] = cache[id].leaving_kept; request_dirty[id] = cache[id].leaving_dirty;
  cache[id].surrendered = false
}

inline send_back(kept) {
  if
  :: cache[id].leaves -> cache[id].again = true; cache[id].leaving_dirty = true
  :: else -> cache[id].leaves = true; cache[id].leaving_dirty = (kept || cache[id].line == MODIFIED)
  fi;
  cache[id].leaving_value = cache[id].value;
  cache[id].leaving_kept = kept;
  if
  :: !cache[id].again -> send_put()
  :: else
  fi
}

inline ask() {
  cache[id].asked = true;
  cache[id].number = !cache[id].number;
  cache[id].missing = CACHES;
  request[id] = (cache[id].wants == SHARED -> READ : WRITE);
  request_flag[id] = cache[id].held
}

inline want(right) {
  cache[id].wants = right;
  cache[id].held = (cache[id].line == SHARED);
  cache[id].held_value = (cache[id].held -> cache[id].value : 0);
  if
  :: cache[id].leaves -> skip /* not before what leaves has arrived */
  :: else -> ask()
  fi
}

inline departed() {
  cache[id].leaves = false; cache[id].leaving_value = 0; cache[id].leaving_kept = false;
  cache[id].leaving_dirty = false; cache[id].surrendered = false; cache[id].superseded = false;
  if
  :: cache[id].wants -> ask()
  :: else
  fi
}

/* What a cache does for others: what and for whom. */
inline answer(what, whom) {
  byte v = 0; bool d = false; bool has = true;
  if
  :: cache[id].line != INVALID ->
     v = cache[id].value; d = (cache[id].line == MODIFIED || (cache[id].line == EXCLUSIVE && cache[id].leaves));
     if
     :: what == SHARE -> cache[id].line = SHARED
     :: else -> cache[id].line = INVALID; cache[id].value = 0
     fi
  :: cache[id].line == INVALID && cache[id].leaves -> v = cache[id].leaving_value; d = cache[id].leaving_dirty
  :: else -> has = false
  fi;
  assert(what == LOSE || (has && v == newest));
  if
  :: what == LOSE && whom == TRANSFER -> lost++
  :: what == LOSE && whom != TRANSFER -> acknowledged[whom]++
  :: what == RECALL -> recalled = true; recalled_dirty = d; recalled_value = (d -> v : 0)
  :: else ->
     if
     :: whom == TRANSFER -> skip /* it has read it */
     :: else ->
        response[whom] = (what == SHARE -> GRANT_SHARED : GRANT_EXCLUSIVE);
        response_value[whom] = v; response_data[whom] = true; response_expect[whom] = 0;
#ifndef BUG_TAKES_WRITTEN_LINES_FOR_CLEAN
        response_dirty[whom] = (what == OWN && d)
#endif
     fi;
     if
     :: what == SHARE -> copied = true; copied_dirty = d; copied_value = (d -> v : 0)
     :: else
     fi
  fi;
  if
  :: cache[id].leaves ->
#ifndef BUG_SENDS_ONCE_MORE
     cache[id].again = false;
#endif
     cache[id].surrendered = true;
     if
     :: cache[id].superseded -> departed()
     :: else
     fi
  :: else
  fi;
  v = 0; d = false; has = false
}

inline install() {
  if
  :: cache[id].line == INVALID -> cache[id].value = (response_data[id] -> response_value[id] : cache[id].held_value)
  :: else
  fi;
  cache[id].line = (response[id] == GRANT_SHARED -> SHARED : (response_dirty[id] -> MODIFIED : EXCLUSIVE));
  cache[id].wants = INVALID; cache[id].asked = false; cache[id].held = false; cache[id].held_value = 0;
  cache[id].has_come = false; cache[id].missing = 0;
  response[id] = NONE; response_value[id] = 0; response_data[id] = false; response_expect[id] = 0;
  response_dirty[id] = false;
  cache[id].due = cache[id].early; cache[id].due_to = cache[id].early_to;
  cache[id].early = NONE; cache[id].early_to = 0
}

inline look() {
#ifndef BUG_WAITS_FOR_NOBODY
  if
  :: cache[id].has_come && cache[id].missing == CACHES -> install()
  :: else
  fi
#else
  if
  :: cache[id].has_come -> install()
  :: else
  fi
#endif
}

proctype l2(byte id) {
  end: do
  :: atomic { cache[id].line == INVALID && !cache[id].wants -> want(SHARED); check() }
  :: atomic { cache[id].line <= SHARED && !cache[id].wants -> want(EXCLUSIVE); check() }
  :: atomic { cache[id].line >= EXCLUSIVE ->
       cache[id].line = MODIFIED; newest = (newest + 1) % VALUES; cache[id].value = newest; check() }
  :: atomic { cache[id].line == SHARED -> cache[id].line = INVALID; cache[id].value = 0; check() }
#ifndef BUG_OWNERS_LEAVE_SILENTLY
  :: atomic { cache[id].line >= EXCLUSIVE -> send_back(false); cache[id].line = INVALID; cache[id].value = 0; check() }
#else
  :: atomic { cache[id].line == EXCLUSIVE -> cache[id].line = INVALID; cache[id].value = 0; check() }
#endif
#ifndef NO_CLEANING
  :: atomic { cache[id].line == MODIFIED -> send_back(true); cache[id].line = EXCLUSIVE; check() }
#endif
  :: atomic { forward[id] ->
       if
       :: cache[id].asked && cache[id].number == forward_about[id] ->
          cache[id].early = forward[id]; cache[id].early_to = forward_to[id]
       :: else -> answer(forward[id], forward_to[id])
       fi;
       forward[id] = NONE; forward_to[id] = 0; forward_about[id] = false;
       check() }
  :: atomic { lose[id] ->
       if
#ifdef BUG_LETS_ALL_WAIT
       :: cache[id].asked ->
#else
#ifdef BUG_LETS_NONE_WAIT
       :: false ->
#else
       :: cache[id].asked && cache[id].number == lose_about[id] ->
#endif
#endif
          cache[id].early = LOSE; cache[id].early_to = lose_to[id]
       :: else -> answer(LOSE, lose_to[id])
       fi;
       lose[id] = false; lose_to[id] = 0; lose_about[id] = false;
       check() }
  :: atomic { cache[id].due ->
       answer(cache[id].due, cache[id].due_to);
       cache[id].due = NONE; cache[id].due_to = 0;
       check() }
  :: atomic { response[id] && !cache[id].has_come ->
       cache[id].has_come = true; cache[id].missing = cache[id].missing + response_expect[id]; look(); check() }
  :: atomic { acknowledged[id] -> acknowledged[id]--; cache[id].missing--; look(); check() }
  :: atomic { put_answer[id] ->
       if
#ifndef BUG_FORGETS_WHAT_LEAVES
       :: put_answer[id] == SUPERSEDED && !cache[id].surrendered -> cache[id].superseded = true
#endif
       :: cache[id].again -> cache[id].again = false; send_put()
       :: else -> departed()
       fi;
       put_answer[id] = NONE;
       check() }
  od
}

/* --- The home --- */

inline grant(c, right) { /* from the memory, or without data */
  response[c] = right;
  response_data[c] = !request_flag[c];
  response_value[c] = (request_flag[c] -> 0 : memory)
}

inline serve(c) {
  byte j = 0; byte others = 0;
  if
  :: request[c] == PUT ->
     if
#ifndef BUG_TAKES_OLD_LINES
     :: owner == c && blocked != TRANSFER + COPY ->
#else
     :: true ->
#endif
        if
        :: request_dirty[c] -> memory = request_value[c]
        :: else
        fi;
        if
        :: !request_flag[c] -> owner = (owner == c -> NOBODY : owner)
        :: else
        fi;
        put_answer[c] = TAKEN
#ifndef BUG_TAKES_OLD_LINES
     :: else -> put_answer[c] = SUPERSEDED
#endif
     fi
  :: request[c] == READ && owner != NOBODY ->
     assert(owner != c);
     forward[owner] = SHARE; forward_to[owner] = c; forward_about[owner] = owner_about;
     sharer[owner] = true; sharer_about[owner] = owner_about;
     sharer[c] = true; sharer_about[c] = cache[c].number;
     owner = NOBODY; owner_about = false;
#ifndef BUG_DOES_NOT_WAIT_FOR_COPIES
     blocked = COPY
#endif
  :: request[c] == READ && owner == NOBODY ->
     sharer[c] = false; sharer_about[c] = false;
     do
     :: j < CACHES -> others = others + sharer[j]; j++
     :: else -> break
     od;
     if
     :: others == 0 -> owner = c; owner_about = cache[c].number; grant(c, GRANT_EXCLUSIVE)
     :: else -> sharer[c] = true; sharer_about[c] = cache[c].number; grant(c, GRANT_SHARED)
     fi
  :: request[c] == WRITE && owner != NOBODY ->
     assert(owner != c);
     forward[owner] = OWN; forward_to[owner] = c; forward_about[owner] = owner_about;
     owner = c; owner_about = cache[c].number
  :: else ->
     do
     :: j < CACHES ->
        if
        :: sharer[j] && j != c ->
           lose[j] = true; lose_to[j] = c; lose_about[j] = sharer_about[j]; others++
        :: else
        fi;
        j++
     :: else -> break
     od;
#ifndef BUG_BELIEVES_WHAT_IS_HELD
     request_flag[c] = request_flag[c] && sharer[c];
#endif
     owner = c; owner_about = cache[c].number;
     grant(c, GRANT_EXCLUSIVE);
     response_expect[c] = others;
     j = 0;
     do
     :: j < CACHES -> sharer[j] = false; sharer_about[j] = false; j++
     :: else -> break
     od
  fi;
  request[c] = NONE; request_value[c] = 0; request_flag[c] = false; request_dirty[c] = false;
  j = 0; others = 0
}

inline transfer_writes() {
  byte k = 0;
  blocked = TRANSFER + COPY; missing = 0;
  if
  :: owner != NOBODY ->
     forward[owner] = RECALL; forward_to[owner] = TRANSFER; forward_about[owner] = owner_about; missing++
  :: else
  fi;
  do
  :: k < CACHES ->
     if
     :: sharer[k] -> lose[k] = true; lose_to[k] = TRANSFER; lose_about[k] = sharer_about[k]; missing++
     :: else
     fi;
     sharer[k] = false; sharer_about[k] = false;
     k++
  :: else -> break
  od;
  k = 0
}

inline end_transfer() {
  if
  :: missing == 0 -> newest = (newest + 1) % VALUES; memory = newest; blocked = 0
  :: else
  fi
}

#define REQUEST(c) \
  :: atomic { request[c] == PUT || (request[c] && !blocked) -> serve(c); check() }

proctype home() {
  end: do
  REQUEST(0)
  REQUEST(1)
#if CACHES > 2
  REQUEST(2)
#endif
  :: atomic { copied ->
       if
       :: copied_dirty -> memory = copied_value
       :: else
       fi;
       copied = false; copied_dirty = false; copied_value = 0; blocked = 0;
       check() }
#ifndef NO_TRANSFERS
  :: atomic { !blocked -> transfer_writes(); end_transfer(); check() }
  :: atomic { !blocked && owner == NOBODY -> assert(memory == newest); check() }
  :: atomic { !blocked && owner != NOBODY ->
       forward[owner] = SHARE; forward_to[owner] = TRANSFER; forward_about[owner] = owner_about;
       sharer[owner] = true; sharer_about[owner] = owner_about;
       owner = NOBODY; owner_about = false; blocked = COPY;
       check() }
  :: atomic { recalled ->
       if
       :: recalled_dirty -> memory = recalled_value
       :: else
       fi;
       recalled = false; recalled_dirty = false; recalled_value = 0;
       owner = NOBODY; owner_about = false; missing--; end_transfer();
       check() }
  :: atomic { lost -> lost--; missing--; end_transfer(); check() }
#endif
  od
}

init {
  atomic {
    byte i;
    run home();
    for (i : 0 .. CACHES - 1) { run l2(i) }
  }
}
