// A look-up in a hash table that reads past the orecs how many buckets there are, and where.
//
// The look-up reads the table's incarnation, guesses the number of buckets and takes a bucket's address without a look
// at their orecs, reads the incarnation again, then the bucket and the entry like any other word: orec, data, orec, and
// an extension of the snapshot where the word is newer. A bucket says by its depth whether the guess was out of date.
// One writer at a time lets the table grow, drops it, gives its words to others, and those of its bucket and entry;
// another changes the entry's value meanwhile. Commits lock their words, take an LSN, store and release in any order.
// A look-up returns the value of a committed state between its begin and its end, or is told that the table was
// dropped, which it was. One key; its hash moves it to the second bucket. One look-up, of one attempt: one that
// conflicts begins anew, as if it had not been.
//
// What others put in the table's place is never its own incarnation: a random number of 64 bits.
#include <type_traits>

#include "explore.h"
enum { H, N, P0, P1, L0, L1, LF, EN, EF, WORDS };  // incarnation, number, addresses, lines, fake line, entries
enum { LIVE = 1, GONE = 0, OTHER = 2, FIRST = 5, SECOND = 6, WRONG = 7, NOWHERE = 9 };
enum { GROW = 1, DROP, TAKE, TAKE_REST, MOST = 3 };  // transactions of the writer
enum { LOCK, LSN, VALIDATE, STORE, RELEASE, RETURNED };
enum { BEGIN, OREC, DATA, AGAIN, EXTEND, GUESS, ADDRESS, JUDGE, ENDED };  // of the look-up
enum { HEADER, CONSTANT, RECHECK, LINE, ENTRY };                           // what it reads through the orecs
enum { NONE, CONFLICT, VALUE, ABSENT, TOLD, DAMAGED };                     // what it comes to

// A line: twice its depth, plus one if its slot leads to the entry; the fake one's leads to a fake entry.
static u8 line(u8 depth, bool entry) { return depth * 2 + entry; }

struct Commit {
  u8 pc, at, lsn, filler;
  uint16_t left;
};
struct S {
  u8 clock, returned, drop, update, lost;  // LSNs of the two commits that change what is there; the second lost
  u8 value[WORDS], version[WORDS], lock[WORDS];
  u8 number, filler;  // of the writer's transaction
  Commit w[2];
  u8 pc, what, word, rv, begun, orec, data, bucket, address, next, now, count, reads[6], seen[6], outcome, result;
};
static_assert(std::has_unique_object_representations_v<S>);

static u8 script[MOST];
static u8 fakeNumber, fakeAddress, fakeLine;

static uint16_t bit(int w) { return 1 << w; }

// The words that a transaction writes, and what.
static uint16_t writes(u8 kind) {
  switch (kind) {
    case GROW:
      return bit(N) | bit(P1) | bit(L0) | bit(L1);
    case DROP:
      return mut("dropSilently") ? bit(EF) : bit(H);
    case TAKE:
      return bit(H) | bit(N) | bit(P0) | bit(P1);
    default:  // the blocks of buckets and entries have new owners, too
      return bit(L0) | bit(EN);
  }
}
static u8 written(u8 kind, int w, u8 now) {
  switch (w) {
    case H:
      return kind == DROP ? GONE : OTHER;
    case N:
      return kind == GROW ? 2 : fakeNumber;
    case P0:
      return fakeAddress;
    case P1:
      return kind == GROW ? (u8)L1 : fakeAddress;
    case L0:
      return kind == GROW ? line(1, false) : line(fakeLine / 2, true);
    case L1:
      return line(1, true);
    case EN:
      return WRONG;
    default:
      return now;
  }
}

static void commit(const S& s, Explorer<S>& e, int t) {
  const Commit& c = s.w[t];
  u8 kind = t ? 0 : s.number < MOST ? script[s.number] : 0;
  if (t ? c.pc == RETURNED : !kind) return;
  uint16_t all = t ? bit(EN) : writes(kind);
  S n = s;
  Commit& d = n.w[t];
  uint16_t act = 64 + t * 64 + kind * 8 + c.pc;
  switch (c.pc) {
    case LOCK:
      if (mut("storesFirst") && !t && kind == GROW && c.at == 0 && s.value[N] == 1) {
        n.value[N] = 2;
        e.add(n, act);
        return;
      }
      for (int w = c.at; w < WORDS; w++)
        if (all & bit(w)) {
          if (s.lock[w]) return;
          n.lock[w] = t + 1;
          d.at = w + 1;
          if (!(all >> (w + 1))) d.pc = LSN;
          e.add(n, act);
          return;
        }
      return;
    case LSN:
      d.lsn = ++n.clock;
      d.left = all;
      if (!t && kind == DROP) n.drop = d.lsn;
      if (t) n.update = d.lsn;
      d.pc = t ? VALIDATE : STORE;
      break;
    case VALIDATE:  // it has found the entry in a table that was there, in the state that it began with
      d.pc = s.version[H] || s.lock[H] ? RELEASE : STORE;
      n.lost = d.pc == RELEASE;
      break;
    case STORE:
      for (int w = 0; w < WORDS; w++)
        if (c.left & bit(w)) {
          S m = n;
          m.value[w] = t ? (u8)SECOND : written(kind, w, s.value[w]);
          m.w[t].left &= ~bit(w);
          if (!m.w[t].left) {
            m.w[t].left = all;
            m.w[t].pc = RELEASE;
          }
          e.add(m, act);
        }
      return;
    case RELEASE:
      for (int w = 0; w < WORDS; w++)
        if (c.left & bit(w)) {
          S m = n;
          m.lock[w] = 0;
          if (!(t && s.lost)) m.version[w] = c.lsn;
          m.w[t].left &= ~bit(w);
          if (!m.w[t].left) {
            if (!(t && s.lost)) m.returned = std::max(s.returned, c.lsn);
            memset(&m.w[t], 0, sizeof(Commit));
            if (t) m.w[t].pc = RETURNED;
            else m.number++;
          }
          e.add(m, act);
        }
      return;
  }
  e.add(n, act);
}

static void read(S& n, u8 what, u8 word) {
  n.what = what;
  n.word = word;
  n.pc = OREC;
}
static void end(S& n, u8 outcome, u8 result = 0) {
  n.outcome = outcome;
  n.result = result;
  n.pc = ENDED;
  n.what = n.word = n.rv = n.orec = n.data = n.bucket = n.address = n.next = n.now = n.count = 0;
  memset(n.reads, 0, sizeof n.reads);
  memset(n.seen, 0, sizeof n.seen);
}
static bool current(const S& s, int i) { return !s.lock[s.reads[i]] && s.version[s.reads[i]] == s.seen[i]; }

// What makes no sense is a conflict if anything that was read has changed.
static void senseless(S& n) {
  for (int i = 0; i < n.count; i++)
    if (!current(n, i)) return end(n, CONFLICT);
  end(n, DAMAGED);
}
static void atBucket(S& n) {
  if (n.address < L0 || n.address > LF) return senseless(n);
  if (mut("noRecheck") || mut("recheckFirst")) read(n, LINE, n.address);
  else read(n, RECHECK, H);
}
static void found(S& n) {
  u8 data = n.data;
  switch (n.what) {
    case HEADER:
      if (data != LIVE) return end(n, TOLD);
      n.pc = GUESS;
      return;
    case CONSTANT:
      n.address = data;
      return atBucket(n);
    case RECHECK:
      if (data != LIVE) return senseless(n);
      if (mut("recheckFirst")) n.pc = ADDRESS;
      else read(n, LINE, n.address);
      return;
    case LINE: {
      u8 deeper = data / 2 ? 1 : 0;
      if (deeper < n.bucket) return senseless(n);
      if (deeper > n.bucket && !mut("ignoreDepth")) {
        n.bucket = deeper;
        n.pc = ADDRESS;
        return;
      }
      if (!(data & 1)) return end(n, ABSENT);
      return read(n, ENTRY, n.word == LF ? EF : EN);
    }
    default:
      end(n, VALUE, data);
  }
}

static void lookUp(const S& s, Explorer<S>& e) {
  S n = s;
  switch (s.pc) {
    case BEGIN:
      n.begun = s.returned;
      for (u8 rv = 0; rv <= s.clock; rv++) {
        n.rv = rv;
        read(n, HEADER, H);
        e.add(n, BEGIN);
      }
      return;
    case OREC:
      if (s.lock[s.word]) return;  // looks again
      n.orec = s.version[s.word];
      n.pc = DATA;
      break;
    case DATA:
      n.data = s.value[s.word];
      n.pc = AGAIN;
      break;
    case AGAIN:
      if (s.lock[s.word] || s.version[s.word] != s.orec) {
        n.pc = OREC;
        n.orec = n.data = 0;
      } else if (s.orec > s.rv) {
        n.now = s.clock;
        n.pc = EXTEND;
      } else {
        n.reads[s.count] = s.word;
        n.seen[s.count] = s.orec;
        n.count++;
        found(n);
      }
      break;
    case EXTEND:  // one read validated a step, then the word is read again
      if (s.next < s.count && !mut("extendNoValidate")) {
        if (current(s, s.next)) n.next++;
        else end(n, CONFLICT);
      } else {
        n.rv = s.now;
        n.now = n.next = n.orec = n.data = 0;
        n.pc = OREC;
      }
      break;
    case GUESS:
      n.bucket = s.value[N] == 2 ? 1 : 0;
      if (s.value[N] < 1 || s.value[N] > 2) senseless(n);
      else if (mut("recheckFirst")) read(n, RECHECK, H);
      else n.pc = ADDRESS;
      break;
    case ADDRESS:
      n.address = s.value[P0 + s.bucket];
      if (!n.address) read(n, CONSTANT, P0 + s.bucket);
      else atBucket(n);
      break;
    default:
      return;
  }
  e.add(n, s.pc == OREC || s.pc == DATA || s.pc == AGAIN ? s.pc + 8 * s.what : s.pc);
}

static const char* check(const S& s) {
  if (s.pc != ENDED || s.outcome == CONFLICT) return nullptr;
  if (s.outcome == DAMAGED) return "the look-up takes the table for damaged";
  if (s.outcome == ABSENT) return "the look-up misses an entry that is there as long as the table is";
  if (s.w[1].lsn && s.w[1].pc == VALIDATE) return nullptr;  // not known yet whether it has happened
  u8 update = s.update && !s.lost ? s.update : 255;
  for (int k = s.begun; k <= s.clock; k++) {
    bool dropped = s.drop && k >= s.drop;
    u8 value = k >= update ? SECOND : FIRST;
    if (dropped ? s.outcome == TOLD : s.outcome == VALUE && s.result == value) return nullptr;
  }
  return s.outcome == TOLD ? "the look-up is told that a table was dropped that was not"
                           : "the look-up returns a value that no state had while it ran";
}

static void step(const S& s, Explorer<S>& e) {
  commit(s, e, 0);
  commit(s, e, 1);
  lookUp(s, e);
}

static std::string name(uint16_t a) {
  static const char* READ[] = {"the incarnation", "an address", "the incarnation again", "the bucket", "the entry"};
  static const char* STEP[] = {"begins", "loads the orec of ", "loads ", "looks again at the orec of ", "extends",
                               "guesses the number of buckets", "takes the address"};
  static const char* KIND[] = {"the update", "the growth", "the drop", "the next owner", "the owner of the rest"};
  static const char* DOES[] = {"locks", "takes its LSN", "validates", "stores", "releases"};
  if (a == 0xffff) return "";
  if (a >= 64) return std::string(KIND[(a & 63) / 8]) + " " + DOES[a % 8];
  bool read = a % 8 >= OREC && a % 8 <= AGAIN;
  return std::string("look-up ") + STEP[a % 8] + (read ? READ[a / 8] : "");
}

int main(int argc, char** argv) {
  bool trace = false;
  int from = 1;
  for (int i = 1; i < argc; i++) {
    std::string a = argv[i];
    if (a == "-m") MUTATIONS = argv[++i];
    else if (a == "-s") from = atoi(argv[++i]);
    else if (a == "-t") trace = true;
    else return usage(argv[0], "[-m MUTATION,...] [-s FIRST] [-t]");
  }
  static const u8 scripts[][MOST] = {{GROW, DROP, TAKE}, {DROP, TAKE, TAKE_REST}, {DROP, TAKE_REST, TAKE}, {GROW}};
  Result result("table", "");
  int program = 0;
  for (auto& each : scripts)
    for (u8 number : {1, 2, 7})
      for (u8 address : {(u8)LF, (u8)L0, (u8)NOWHERE})
        for (u8 l : {line(0, false), line(0, true), line(1, true)}) {
          if (++program < from) continue;
          memcpy(script, each, sizeof script);
          fakeNumber = number;
          fakeAddress = address;
          fakeLine = l;
          S s;
          memset(&s, 0, sizeof s);
          s.value[H] = LIVE;
          s.value[N] = 1;
          s.value[P0] = L0;
          s.value[L0] = line(0, true);
          s.value[LF] = l;
          s.value[EN] = FIRST;
          s.value[EF] = WRONG;
          Explorer<S> e;
          e.succ = step;
          e.check = check;
          e.name = name;
          if (result.add(e, e.run(s), program)) continue;
          if (trace) e.trace();
          return result.broken(e.bad);
        }
  return result.holds();
}
