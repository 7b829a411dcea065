// Nodes that one orec guards: a tree of an inner node and one or two leaves, and a page that is a leaf or a block.
//
// A leaf has two words under its orec: the range that it covers, or DEAD, and a value. The page P has a block first, or is
// the second leaf; its words have an orec as a node and another one as a stripe. Two threads split the leaf, merge it,
// free the block, make the page one of nodes, give it back, allocate a block in it, and put values. A commit reads its
// words at once, then locks all its orecs, takes its LSN, validates, stores word by word, and releases. The third thread
// reads keys and the block, every load a step, and commits or only reads. No commit locks the orec of P as a node
// because the page changes its kind: what frees the node locks it.
//
// Judged when every LSN is settled: what the reader has read is the state at one LSN, the one before its own if it
// commits; and a leaf that it reached covers the key. Left out: extensions step by step (tl2), the history, crashes.
#include <random>
#include <type_traits>

#include "explore.h"
enum { I1, A0, A1, A2, P0, P1, S0, D0, WORDS };  // child of key 1; leaf A: range, values; P; slot of the block; descriptor
enum { OI, OA, OP, SP, SS, SD, ORECS };          // orecs of nodes I, A, P; of stripes P, slot, descriptor
enum { ONE = 1, BOTH = 2 };                      // range of A: key 0 alone, or both keys
enum { DEAD = 0, LIVE = 1 };                     // range of P as a leaf
enum { FREE, BLOCK, USED, EMPTY };               // the page: free, a block, a leaf, a page of nodes without one
enum { LEAF_A, LEAF_P };
enum { NONE, FREEBLOCK, CONVERT, SPLIT, MERGE, GIVEBACK, ALLOCBLOCK, PUT0, PUT1, KINDS };
enum { KEY0, KEY1, SLOT };
enum { PENDING, COMMITTED, VOIDED };
enum { OPS = 4, MAXLSN = 8, MAXW = 8, READS = 2, OWN = 255 };

struct Writer {
  u8 pc, op, rv, lsn, read, lock, count, at, seen[ORECS], word[MAXW], value[MAXW];
};
struct S {
  u8 clock, returned, wrong, word[WORDS], version[ORECS], lock[ORECS], kind[MAXLSN], status[MAXLSN];
  Writer w[2];
  u8 pc, op, rv, begun, lsn, ended, child, o1, d0, d1, noted, seen[ORECS], got[READS], gots;
};
static_assert(std::has_unique_object_representations_v<S>);

static u8 script[2][OPS], reads[READS], readCount;
static bool readerCommits;

static void write(Writer& w, u8 word, u8 value) {
  w.word[w.count] = word;
  w.value[w.count++] = value;
}
static u8 bit(int orec) { return 1 << orec; }

// What a transaction reads and writes in the present state; false if there is nothing for it to do.
static bool prepare(const S& s, u8 kind, Writer& w) {
  const u8* v = s.word;
  switch (kind) {
    case FREEBLOCK:
      if (v[D0] != BLOCK || !v[S0]) return false;
      w.read = w.lock = bit(SS) | bit(SD);
      write(w, S0, 0);
      write(w, D0, FREE);
      return true;
    case CONVERT:
      if (v[D0] != FREE) return false;
      w.read = bit(SD);
      w.lock = bit(SD) | (mut("noStripes") ? 0 : bit(SP));
      write(w, D0, EMPTY);
      return true;
    case SPLIT:
      if (v[D0] != EMPTY || v[A0] != BOTH) return false;
      w.read = bit(SD) | bit(OI) | bit(OA);
      w.lock = bit(SD) | bit(OI) | bit(OA) | bit(OP);
      write(w, D0, USED);
      write(w, P0, DEAD);  // a row that a later one overwrites
      write(w, P1, v[A2]);
      write(w, P0, LIVE);
      write(w, A0, ONE);
      write(w, I1, LEAF_P);
      return true;
    case MERGE:
      if (v[D0] != USED) return false;
      w.read = w.lock = bit(SD) | bit(OI) | bit(OA) | bit(OP);
      if (mut("noDead")) w.lock &= ~bit(OP);
      if (mut("rowsInOwnPage")) {  // the block first, as all words that are not of nodes
        if (v[S0]) return false;
        w.read |= bit(SS);
        w.lock |= bit(SS) | bit(SP);
        write(w, D0, BLOCK);
        write(w, S0, 1);
        write(w, P0, OWN);
      } else {
        write(w, D0, EMPTY);
      }
      write(w, A2, v[P1]);
      write(w, A0, BOTH);
      write(w, I1, LEAF_A);
      if (!mut("noDead")) write(w, P0, DEAD);
      return true;
    case GIVEBACK:
      if (v[D0] != EMPTY) return false;
      w.read = w.lock = bit(SD);
      write(w, D0, FREE);
      return true;
    case ALLOCBLOCK:
      if (v[D0] != FREE || v[S0]) return false;
      w.read = bit(SD) | bit(SS);
      w.lock = bit(SD) | bit(SS) | bit(SP);
      write(w, D0, BLOCK);
      write(w, S0, 1);
      write(w, P0, OWN);
      return true;
    case PUT0:
      w.read = w.lock = bit(OA);
      write(w, A1, OWN);
      return true;
    case PUT1:  // the inner node that led here is not in the read set
      w.read = w.lock = v[I1] == LEAF_P ? bit(OP) : bit(OA);
      write(w, v[I1] == LEAF_P ? P1 : A2, OWN);
      return true;
  }
  return false;
}

static void next(Writer& w) {
  u8 op = w.op + 1;
  memset(&w, 0, sizeof w);
  w.op = op;
}
static void commit(const S& s, Explorer<S>& e, int t) {
  const Writer& c = s.w[t];
  u8 kind = c.op < OPS ? script[t][c.op] : (u8)NONE;
  if (!kind) return;
  S n = s;
  Writer& w = n.w[t];
  uint16_t act = 64 + t * 128 + kind * 8 + c.pc;
  switch (c.pc) {
    case 0:
      w.rv = s.clock;
      if (!prepare(s, kind, w)) {
        next(w);
        break;
      }
      for (int o = 0; o < ORECS; o++)
        if (w.read & bit(o)) {
          if (s.lock[o]) return;  // it waits for the commit that has locked it
          w.seen[o] = s.version[o];
        }
      w.pc = 1;
      break;
    case 1: {
      bool taken = false;
      for (int o = 0; o < ORECS; o++) taken |= (c.lock & bit(o)) && s.lock[o];
      if (taken) {
        next(w);
        break;
      }
      for (int o = 0; o < ORECS; o++)
        if (c.lock & bit(o)) n.lock[o] = t + 1;
      w.pc = 2;
      break;
    }
    case 2:
      w.lsn = ++n.clock;
      n.kind[w.lsn] = kind;
      w.pc = 3;
      break;
    case 3: {
      bool stale = false;
      for (int o = 0; o < ORECS; o++)
        if (c.read & bit(o)) stale |= (s.lock[o] && s.lock[o] != t + 1) || s.version[o] != c.seen[o];
      if (stale) {
        n.status[c.lsn] = VOIDED;
        for (int o = 0; o < ORECS; o++)
          if (n.lock[o] == t + 1) n.lock[o] = 0;
        next(w);
      } else {
        w.pc = 4;
      }
      break;
    }
    case 4: {
      int i = mut("earlierRowWins") ? c.count - 1 - c.at : c.at;
      n.word[c.word[i]] = c.value[i] == OWN ? c.lsn : c.value[i];
      w.at++;
      if (w.at == c.count) w.pc = 5;
      break;
    }
    case 5:
      for (int o = 0; o < ORECS; o++)
        if (n.lock[o] == t + 1) {
          n.lock[o] = 0;
          n.version[o] = c.lsn;
        }
      n.status[c.lsn] = COMMITTED;
      if (c.lsn > n.returned) n.returned = c.lsn;
      next(w);
      break;
  }
  e.add(n, act);
}

static bool current(const S& s) {
  for (int o = 0; o < ORECS; o++)
    if ((s.noted & bit(o)) && (s.lock[o] || s.version[o] != s.seen[o])) return false;
  return true;
}
static void end(S& n) {
  n.ended = 1;
  n.pc = n.child = n.o1 = n.d0 = n.d1 = 0;
}
// Moves the snapshot, or ends the attempt.
static void extend(S& n, u8 pc) {
  if (!current(n)) {
    n.gots = 0;  // an attempt that conflicts; what it had read was judged before
    end(n);
    return;
  }
  n.rv = n.clock;
  n.pc = pc;
}
static void note(S& n, u8 orec, u8 seen) {
  n.noted |= bit(orec);
  n.seen[orec] = seen;
}
enum { BEGIN, INNER1, INNERDATA, INNER2, LEAF1, LEAFRANGE, LEAFVALUE, LEAF2, SLOT1, SLOTDATA, SLOT2, BLOCK1, BLOCKDATA, BLOCK2,
       LSN, VALIDATE };
static u8 first(u8 op) {
  return op == SLOT ? SLOT1 : op == KEY1 ? INNER1 : LEAF1;
}
static void answer(S& n, u8 value) {
  n.got[n.gots++] = value;
  n.op++;
  n.child = n.o1 = n.d0 = n.d1 = 0;
  if (n.op < readCount)
    n.pc = first(reads[n.op]);
  else if (readerCommits)
    n.pc = LSN;
  else
    end(n);
}
static void read(const S& s, Explorer<S>& e) {
  if (s.ended) return;
  S n = s;
  u8 leaf = reads[s.op] == KEY1 && s.child == LEAF_P ? OP : OA;
  switch (s.pc) {
    case BEGIN:
      n.begun = s.returned;
      n.pc = first(reads[0]);
      for (u8 rv = 0; rv < s.clock; rv++) {  // with any snapshot that the thread may remember
        n.rv = rv;
        e.add(n, s.pc);
      }
      n.rv = s.clock;
      break;
    case INNER1:
      if (s.lock[OI]) return;
      n.o1 = s.version[OI];
      n.pc = INNERDATA;
      break;
    case INNERDATA:
      n.child = s.word[I1];
      n.pc = INNER2;
      break;
    case INNER2:
      if (!mut("noSecondLook") && (s.lock[OI] || s.version[OI] != s.o1))
        n.pc = INNER1;
      else if (s.o1 > s.rv)
        extend(n, INNER1);
      else
        n.pc = LEAF1;
      n.o1 = 0;
      break;
    case LEAF1:
      if (s.lock[leaf]) return;
      n.o1 = s.version[leaf];
      n.pc = LEAFRANGE;
      if (n.o1 > s.rv) {
        n.o1 = 0;
        extend(n, mut("innerKept") || reads[s.op] == KEY0 ? (u8)LEAF1 : (u8)INNER1);
      }
      break;
    case LEAFRANGE:
      n.d0 = s.word[leaf == OP ? P0 : A0];
      n.pc = LEAFVALUE;
      break;
    case LEAFVALUE:
      n.d1 = s.word[leaf == OP ? P1 : reads[s.op] == KEY1 ? A2 : A1];
      n.pc = LEAF2;
      break;
    case LEAF2:
      if (!mut("noSecondLook") && (s.lock[leaf] || s.version[leaf] != s.o1)) {
        n.pc = first(reads[s.op]);
        n.o1 = n.d0 = n.d1 = n.child = 0;
        break;
      }
      if (!mut("leafNotNoted")) note(n, leaf, s.o1);
      if (reads[s.op] == KEY1 && s.d0 != (leaf == OP ? (u8)LIVE : (u8)BOTH)) n.wrong = 1;
      answer(n, s.d1);
      break;
    case SLOT1:
      if (s.lock[SS]) return;
      n.o1 = s.version[SS];
      n.pc = SLOTDATA;
      break;
    case SLOTDATA:
      n.d0 = s.word[S0];
      n.pc = SLOT2;
      break;
    case SLOT2:
      if (s.lock[SS] || s.version[SS] != s.o1)
        n.pc = SLOT1;
      else if (s.o1 > s.rv)
        extend(n, SLOT1);
      else {
        note(n, SS, s.o1);
        n.pc = BLOCK1;
        if (!s.d0) {
          answer(n, 0);
          break;
        }
      }
      n.o1 = n.d0 = 0;
      break;
    case BLOCK1:
      if (s.lock[SP]) return;
      n.o1 = s.version[SP];
      n.pc = BLOCKDATA;
      break;
    case BLOCKDATA:
      n.d0 = s.word[P0];
      n.pc = BLOCK2;
      break;
    case BLOCK2:
      if (s.lock[SP] || s.version[SP] != s.o1)
        n.pc = BLOCK1;
      else if (s.o1 > s.rv)
        extend(n, BLOCK1);
      else {
        note(n, SP, s.o1);
        answer(n, s.d0);
        break;
      }
      n.o1 = n.d0 = 0;
      break;
    case LSN:
      n.lsn = ++n.clock;
      n.pc = VALIDATE;
      break;
    case VALIDATE:
      n.status[s.lsn] = current(s) ? COMMITTED : VOIDED;
      end(n);
      break;
  }
  e.add(n, s.pc);
}
static void step(const S& s, Explorer<S>& e) {
  commit(s, e, 0);
  commit(s, e, 1);
  read(s, e);
}

static u8 first0, first1, firstBlock;

// What a read answers in the state after an LSN.
static u8 value(const S& s, int lsn, u8 op) {
  u8 v = op == KEY0 ? first0 : op == KEY1 ? first1 : firstBlock;
  for (int i = 1; i <= lsn; i++) {
    if (s.status[i] != COMMITTED) continue;
    u8 k = s.kind[i];
    if (op == KEY0 && k == PUT0) v = i;
    if (op == KEY1 && k == PUT1) v = i;
    if (op == SLOT && k == FREEBLOCK) v = 0;
    if (op == SLOT && (k == ALLOCBLOCK || (k == MERGE && mut("rowsInOwnPage")))) v = i;
  }
  return v;
}
static bool matches(const S& s, int lsn) {
  for (int i = 0; i < s.gots; i++)
    if (value(s, lsn, reads[i]) != s.got[i]) return false;
  return true;
}
static const char* check(const S& s) {
  if (s.wrong) return "a leaf that the reader reached does not cover the key";
  if (!s.gots) return nullptr;
  for (int i = 1; i <= s.clock; i++)
    if (s.status[i] == PENDING) return nullptr;
  if (s.lsn && s.status[s.lsn] == COMMITTED)
    return matches(s, s.lsn - 1) ? nullptr : "a commit has read what is not the state before its LSN";
  for (int lsn = s.begun; lsn <= s.clock; lsn++)
    if (matches(s, lsn)) return nullptr;
  return "the reader saw the state of no LSN";
}
static std::string name(uint16_t a) {
  static const char* K[] = {"", "frees the block", "makes a page of nodes", "splits", "merges", "gives the page back",
                            "allocates a block", "puts key 0", "puts key 1"};
  static const char* W[] = {"reads", "locks", "takes its LSN", "validates", "stores a word", "releases"};
  static const char* R[] = {"begins",     "looks at inner", "loads child",     "looks again",     "looks at leaf", "loads range",
                            "loads value", "looks again",    "looks at slot",   "loads slot",      "looks again",   "looks at block",
                            "loads block", "looks again",    "takes its LSN",   "validates"};
  if (a == 0xffff) return "";
  if (a < 64) return std::string("reader ") + R[a];
  return "thread " + std::to_string((a - 64) / 128) + " " + K[(a - 64) % 128 / 8] + ": " + W[(a - 64) % 8];
}
int main(int c, char** v) {
  int seeds = 100, from = 1;
  bool tr = false;
  for (int i = 1; i < c; i++) {
    std::string a = v[i];
    if (a == "-m")
      MUTATIONS = v[++i];
    else if (a == "-n")
      seeds = atoi(v[++i]);
    else if (a == "-s")
      from = atoi(v[++i]);
    else if (a == "-t")
      tr = true;
    else
      return usage(v[0], "[-m MUTATION,...] [-n PROGRAMS] [-s FIRST] [-t]");
  }
  static const u8 SCRIPTS[][OPS] = {
      {FREEBLOCK, CONVERT, SPLIT, PUT1}, {CONVERT, SPLIT, PUT1, MERGE}, {MERGE, PUT1, SPLIT, PUT1},
      {MERGE, GIVEBACK, ALLOCBLOCK, 0},  {SPLIT, MERGE, PUT1, PUT0},    {PUT1, MERGE, PUT1, PUT0},
      {GIVEBACK, ALLOCBLOCK, FREEBLOCK, CONVERT}};
  static const u8 BESIDE[][2] = {{0, 0}, {PUT1, 0}, {PUT0, PUT1}, {PUT1, PUT1}, {MERGE, 0}, {PUT0, 0}};
  Result result("nodes", "");
  for (int sd = from; sd < from + seeds; sd++) {
    std::mt19937 g(sd);
    memset(script, 0, sizeof script);
    memcpy(script[0], SCRIPTS[sd % 7], OPS);
    memcpy(script[1], BESIDE[g() % 6], 2);
    readCount = 1 + g() % 2;
    for (int i = 0; i < READS; i++) reads[i] = i < readCount ? g() % 3 : 0;
    if (readCount == 1 && reads[0] == KEY0) reads[0] = KEY1;
    readerCommits = g() % 2;
    S s;
    memset(&s, 0, sizeof s);
    first0 = 50, first1 = 60;
    u8 page = script[0][0] == FREEBLOCK ? (u8)BLOCK : script[0][0] == CONVERT ? (u8)FREE
              : script[0][0] == SPLIT || script[0][0] == GIVEBACK ? (u8)EMPTY : (u8)USED;
    firstBlock = page == BLOCK ? 70 : 0;
    s.word[D0] = page;
    s.word[S0] = page == BLOCK;
    s.word[P0] = page == BLOCK ? 70 : page == USED ? LIVE : DEAD;
    s.word[P1] = page == USED ? first1 : 0;
    s.word[A0] = page == USED ? ONE : BOTH;
    s.word[A1] = first0;
    s.word[A2] = page == USED ? 0 : first1;
    s.word[I1] = page == USED ? LEAF_P : LEAF_A;
    Explorer<S> e;
    e.succ = step;
    e.check = check;
    e.name = name;
    e.limit = 20000000;
    if (result.add(e, e.run(s), sd)) continue;
    if (tr) e.trace();
    return result.broken(e.bad);
  }
  return result.holds();
}
