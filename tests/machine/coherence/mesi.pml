/* mesi: the protocol of l2_private.cpp and directory.cpp for one line, CACHES caches and a directory, all interleavings.
 *
 *   Every message has a slot of its own until its receiver takes it, so messages overtake each other in every way. What
 *   is checked after every step: one cache that may write or many that may read; whoever may read has the value that was
 *   written last; memory has it if no cache owns the line; when no message is under way, nobody waits for one.
 *   Each BUG_... leaves out one thing that the protocol needs; the checker must find what goes wrong (check_model.py).
 *   Values are counted modulo VALUES. NO_TRANSFERS: no engine reads and writes behind the caches; NO_CLEANING: no line is
 *   written back and kept, as range operations do.
 */
#ifndef CACHES
#define CACHES 2
#endif
#ifndef VALUES
#define VALUES 2
#endif
#define NOBODY CACHES
#define TRANSFER CACHES /* reads or writes, and keeps nothing */

/* A cache's line. */
#define INVALID 0
#define SHARED 1
#define EXCLUSIVE 2
#define MODIFIED 3

typedef cache_t {
  byte line;
  byte value;
  bool leaves;       /* written back, not acknowledged; leaving_value is the newest that has left */
  bool again;        /* and once more */
  bool leaving_kept;
  byte leaving_value;
  byte wants;        /* INVALID: nothing; SHARED, EXCLUSIVE */
  bool held;         /* it was shared when it was asked for exclusively, with held_value */
  byte held_value
};
cache_t cache[CACHES];

/* Messages, by cache. */
#define NONE 0
#define READ 1
#define WRITE 2
#define PUT 3
byte request[CACHES]; byte request_value[CACHES]; bool request_flag[CACHES]; /* WRITE: held; PUT: kept */
#define GRANT_SHARED 1
#define GRANT_EXCLUSIVE 2
#define PUT_DONE 3
byte response[CACHES]; byte response_value[CACHES]; bool response_data[CACHES];
#define SHARE 1
#define GIVE_UP 2
byte probe[CACHES];
bool answer[CACHES]; byte answer_kept[CACHES]; bool answer_dirty[CACHES]; byte answer_value[CACHES];
bool unblock[CACHES];

/* The directory. */
byte memory;
byte owner = NOBODY;
bool sharer[CACHES];
bool taken;
byte client;
bool to_write;
bool client_holds;
bool supplied;
byte supply;
byte missing;      /* answers; GRANTED: the unblock */
#define GRANTED 255

byte newest; /* the value written last */

/* Caches are alike, and so are their processes between steps: which of them has which number says nothing. So the states
 * that are stored have them in order of what they have and what is on its way from and to them: a sixth of the states of
 * three caches. Equal keys may stand for different caches; then two states are stored for one, and nothing is lost. */
hidden int key[CACHES];
hidden byte spare; hidden byte last; hidden byte at;

inline key_of(c) {
  key[c] = cache[c].line + (cache[c].value << 2) + (cache[c].leaves << 3) + (cache[c].again << 4) +
    (cache[c].leaving_kept << 5) + (cache[c].leaving_value << 6) + (cache[c].wants << 7) + (cache[c].held << 9) +
    (cache[c].held_value << 10) + (request[c] << 11) + (request_value[c] << 13) + (request_flag[c] << 14) +
    (response[c] << 15) + (response_value[c] << 17) + (response_data[c] << 18) + (probe[c] << 19) +
    (answer[c] << 21) + (answer_kept[c] << 22) + (answer_dirty[c] << 24) + (answer_value[c] << 25) +
    (unblock[c] << 26) + (sharer[c] << 27) + ((owner == c) << 28) + ((taken && missing != GRANTED && client == c) << 29)
}

#define SWAP(of) spare = of[at]; of[at] = of[at + 1]; of[at + 1] = spare
#define SWAP_FIELD(of) spare = cache[at].of; cache[at].of = cache[at + 1].of; cache[at + 1].of = spare
#define OTHER(one) (one == at -> at + 1 : (one == at + 1 -> at : one))

inline swap() { /* at and the next */
  SWAP_FIELD(line); SWAP_FIELD(value); SWAP_FIELD(leaves); SWAP_FIELD(again); SWAP_FIELD(leaving_kept);
  SWAP_FIELD(leaving_value); SWAP_FIELD(wants); SWAP_FIELD(held); SWAP_FIELD(held_value);
  SWAP(request); SWAP(request_value); SWAP(request_flag); SWAP(response); SWAP(response_value); SWAP(response_data);
  SWAP(probe); SWAP(answer); SWAP(answer_kept); SWAP(answer_dirty); SWAP(answer_value); SWAP(unblock); SWAP(sharer);
  owner = OTHER(owner);
  if
  :: taken && missing != GRANTED -> client = OTHER(client)
  :: else
  fi
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
    last = 0; at = 0; spare = 0
  }
}

inline check() {
  byte w = 0; byte r = 0; byte i = 0; bool waits = false;
  bool quiet = !(taken && missing == 0); /* then the directory has what it needs */
  do
  :: i < CACHES ->
     if
     :: cache[i].line == INVALID
     :: cache[i].line == SHARED -> r++
     :: else -> w++
     fi;
     assert(cache[i].line == INVALID || cache[i].value == newest);
     if
     :: request[i] || response[i] || probe[i] || answer[i] || unblock[i] -> quiet = false
     :: else
     fi;
     if
     :: cache[i].wants || cache[i].leaves -> waits = true
     :: else
     fi;
     i++
  :: else -> break
  od;
  assert(w == 0 || (w == 1 && r == 0));
  assert(owner != NOBODY || taken || memory == newest);
  assert(!quiet || (!taken && !waits));
  i = 0; w = 0; r = 0; quiet = false; waits = false;
  sort()
}

inline send_back(kept) {
  if
  :: cache[id].leaves -> cache[id].again = true
  :: else ->
     cache[id].leaves = true;
     request[id] = PUT; request_value[id] = cache[id].value; request_flag[id] = kept
  fi;
  cache[id].leaving_value = cache[id].value;
  cache[id].leaving_kept = kept
}

inline ask() {
  request[id] = (cache[id].wants == SHARED -> READ : WRITE);
  request_flag[id] = cache[id].held
}

inline want(right) {
  cache[id].wants = right;
  cache[id].held = (cache[id].line == SHARED);
  cache[id].held_value = cache[id].value;
  if
  :: cache[id].leaves -> skip /* not before what leaves has arrived */
  :: else -> ask()
  fi
}

inline surrender() {
  answer_kept[id] = INVALID; answer_dirty[id] = false;
  if
  :: cache[id].line == INVALID ->
#ifndef BUG_FORGETS_WHAT_LEAVES
     if
     :: cache[id].leaves -> answer_dirty[id] = true; answer_value[id] = cache[id].leaving_value
     :: else
     fi
#else
     skip
#endif
  :: else ->
     if
#ifndef BUG_TAKES_WHAT_LEAVES_FOR_ARRIVED
     :: cache[id].line == MODIFIED || (cache[id].line == EXCLUSIVE && cache[id].leaves) ->
#else
     :: cache[id].line == MODIFIED ->
#endif
        answer_dirty[id] = true; answer_value[id] = cache[id].value
     :: else
     fi;
     if
     :: probe[id] == SHARE -> cache[id].line = SHARED; answer_kept[id] = SHARED
     :: else -> cache[id].line = INVALID; cache[id].value = 0
     fi
  fi;
  probe[id] = NONE; answer[id] = true
}

inline install() {
  if
  :: cache[id].line == INVALID ->
     cache[id].value = (response_data[id] -> response_value[id] : cache[id].held_value)
  :: else
  fi;
  cache[id].line = (response[id] == GRANT_SHARED -> SHARED : EXCLUSIVE);
  cache[id].wants = INVALID; cache[id].held = false; cache[id].held_value = 0;
  response[id] = NONE; response_value[id] = 0; response_data[id] = false;
#ifndef BUG_NO_UNBLOCK
  unblock[id] = true
#endif
}

proctype l2(byte id) {
  end: do
  :: atomic { cache[id].line == INVALID && !cache[id].wants -> want(SHARED); check() }
  :: atomic { cache[id].line <= SHARED && !cache[id].wants -> want(EXCLUSIVE); check() }
  :: atomic { cache[id].line >= EXCLUSIVE ->
       cache[id].line = MODIFIED; newest = (newest + 1) % VALUES; cache[id].value = newest; check() }
  :: atomic { cache[id].line == SHARED || cache[id].line == EXCLUSIVE ->
       cache[id].line = INVALID; cache[id].value = 0; check() }
  :: atomic { cache[id].line == MODIFIED -> send_back(false); cache[id].line = INVALID; cache[id].value = 0; check() }
#ifndef NO_CLEANING
  :: atomic { cache[id].line == MODIFIED -> send_back(true); cache[id].line = EXCLUSIVE; check() }
#endif
  :: atomic { probe[id] -> surrender(); check() }
  :: atomic { response[id] == GRANT_SHARED || response[id] == GRANT_EXCLUSIVE -> install(); check() }
  :: atomic { response[id] == PUT_DONE ->
       response[id] = NONE;
       if
       :: cache[id].again ->
          cache[id].again = false;
          request[id] = PUT; request_value[id] = cache[id].leaving_value; request_flag[id] = cache[id].leaving_kept
       :: else ->
          cache[id].leaves = false; cache[id].leaving_value = 0; cache[id].leaving_kept = false;
          if
          :: cache[id].wants -> ask()
          :: else
          fi
       fi;
       check() }
  od
}

inline send_probes() {
  byte j = 0;
  missing = 0;
  if
  :: owner != NOBODY && owner != client ->
     probe[owner] = (to_write -> GIVE_UP : SHARE); missing++
  :: else ->
     if
     :: !client_holds -> supplied = true; supply = memory
     :: else
     fi
  fi;
  do
  :: j < CACHES ->
     if
     :: to_write && sharer[j] && j != client -> probe[j] = GIVE_UP; missing++
     :: else
     fi;
     j++
  :: else -> break
  od;
  j = 0
}

inline begin(c) {
  taken = true; client = c; supplied = false;
  send_probes()
}

inline take_back(c) {
  if
#ifndef BUG_TAKES_OLD_LINES
  :: owner == c ->
#else
  :: true ->
#endif
     memory = request_value[c];
     if
     :: !request_flag[c] && owner == c -> owner = NOBODY
     :: else
     fi
#ifndef BUG_TAKES_OLD_LINES
  :: else
#endif
  fi;
  request[c] = NONE; request_value[c] = 0; request_flag[c] = false; response[c] = PUT_DONE
}

inline take_answer(c) {
  if
#ifndef BUG_BELIEVES_SHARERS
  :: owner == c ->
     owner = NOBODY;
#else
  :: true ->
     owner = (owner == c -> NOBODY : owner);
#endif
     if
     :: answer_kept[c] == SHARED -> sharer[c] = true
     :: else
     fi;
     if
     :: answer_dirty[c] -> memory = answer_value[c]; supply = answer_value[c]; supplied = true
     :: else
     fi
#ifndef BUG_BELIEVES_SHARERS
  :: else
#endif
  fi;
  answer[c] = false; answer_kept[c] = INVALID; answer_dirty[c] = false; answer_value[c] = 0;
  missing--
}

inline forget_request() {
  client = 0; to_write = false; client_holds = false; supplied = false; supply = 0
}

inline all_give_up() {
  byte k = 0;
  do
  :: k < CACHES -> sharer[k] = false; k++
  :: else -> break
  od;
  k = 0
}

inline grant() {
  byte n = 0; byte m = 0;
  supply = (supplied || client_holds -> supply : memory);
  sharer[client] = false;
  do
  :: m < CACHES -> n = n + sharer[m]; m++
  :: else -> break
  od;
  if
  :: to_write || n == 0 -> owner = client; all_give_up(); response[client] = GRANT_EXCLUSIVE
  :: else -> sharer[client] = true; response[client] = GRANT_SHARED
  fi;
  response_data[client] = !client_holds;
  response_value[client] = (client_holds -> 0 : supply);
  n = 0; m = 0;
#ifdef BUG_NO_UNBLOCK
  taken = false;
#endif
  missing = GRANTED;
  forget_request()
}

inline transfer() {
  if
  :: to_write -> all_give_up(); newest = (newest + 1) % VALUES; memory = newest
  :: else -> assert(memory == newest)
  fi;
  taken = false; missing = 0;
  forget_request()
}

#define REQUEST(c) \
  :: atomic { !taken && request[c] -> serve(c); check() } \
  :: atomic { answer[c] -> take_answer(c); check() } \
  :: atomic { unblock[c] -> unblock[c] = false; taken = false; missing = 0; check() }

inline serve(c) {
  if
  :: request[c] == PUT -> take_back(c)
  :: else ->
     to_write = (request[c] == WRITE);
#ifndef BUG_BELIEVES_WHAT_IS_HELD
     client_holds = (request_flag[c] && sharer[c]);
#else
     client_holds = request_flag[c];
#endif
     request[c] = NONE; request_flag[c] = false;
     begin(c)
  fi
}

proctype directory() {
  end: do
  REQUEST(0)
  REQUEST(1)
#if CACHES > 2
  REQUEST(2)
#endif
#ifndef NO_TRANSFERS
  :: atomic { !taken -> to_write = true; begin(TRANSFER); check() }
  :: atomic { !taken -> to_write = false; begin(TRANSFER); check() }
#endif
#ifndef BUG_WAITS_FOR_NOBODY
  :: atomic { taken && missing == 0 ->
#else
  :: atomic { taken && missing != GRANTED ->
#endif
       if
       :: client == TRANSFER -> transfer()
       :: else -> grant()
       fi;
       check() }
  od
}

init {
  atomic {
    byte i;
    run directory();
    for (i : 0 .. CACHES - 1) { run l2(i) }
  }
}
