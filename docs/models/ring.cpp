// One partition's shared-mapped ring and its log, killed or cut off between any two stores.
//
// Two committers share the lane by lease; a flusher copies the ring word by word into batches, forces them and
// frees their space. Records are 2 or 3 words and the ring 5, so it wraps. A transaction is short (2 words), long
// (3 words) or multipart: two PART records of 2 words and a MULTIPART_COMMIT of 3, more than the ring holds, so that its
// first part is forced and overwritten before its commit is published. After the parts, and before it takes an LSN,
// any transaction may meet a conflict and abandon its parts; after it took one it may fail and publish a VOID.
//
// At every state two recoveries are judged:
//   kill      reads all batches written and the ring from max(forcedPosition, end of the log) to tail;
//   power cut reads the batches forced, with or without the one written and not forced.
// Each must find exactly the commits published in what it reads, once, each multipart one with its own parts.
#include "explore.h"
enum { C = 5, T = 2, K = 2, TX = T * K, WORDS = 28, PARTS = 2 };
enum { SHORT, LONG, MULTIPART, SHAPES };                       // shapes of transactions
enum { COMMIT, PART, MULTIPART_COMMIT, VOID_ };                // kinds of records
enum { LEASE, LEASE_ONLY, NEXT, DECIDE, STORE, RETURN };    // steps of a committer
enum { READ_TAIL, COPY, WRITE, FORCE, FREE };               // steps of the flusher

struct Committer {
  u8 pc, k, shape, kind, len, wi, pos, id, part, group, attempt, lsn, last;
};
struct S {
  u8 ring[C], tail, forced, freed, lease;                   // forced: forcedPosition; freed only differs in mutations
  u8 log[WORDS], logEnd, logForced;                         // log[p] is the word at position p
  u8 fpc, ft, fp;                                           // flusher: step, tail read, position copied up to
  u8 next, group, attempts, lsn;                            // fields of the lane, under the lease
  u8 pubAttempt[TX + 1], pubEnd[TX + 1], returned[TX + 1];  // ghost, by LSN: who published it and where it ends
  Committer c[T];
};

static u8 shape[T][K];
static bool lenWord = false;  // publish by the length word, written last, instead of by the tail
static bool retried = true;   // explore conflicts and VOIDs too

static u8 head(u8 kind, u8 len, u8 id) { return kind << 6 | len << 4 | id; }
static u8 kindOf(u8 h) { return h >> 6; }
static u8 lenOf(u8 h) { return h >> 4 & 3; }
static u8 idOf(u8 h) { return h & 15; }

// What recovery makes of a stream of words: finds commits and puts parts together.
struct Scan {
  const S& s;
  u8 group = 0, count = 0, attempts[8] = {}, lastLsn = 0;
  u8 found[TX + 2] = {};  // by LSN
  const char* broken = nullptr;
  explicit Scan(const S& s) : s(s) {}

  void record(u8 h, u8 w1, u8 w2) {
    u8 id = idOf(h);
    bool unchecked = mut("countUnchecked");  // alone it changes nothing: in the protocol the check never fires
    switch (kindOf(h)) {
      case PART: {
        u8 index = w1 & 3, attempt = w1 >> 2;
        if (mut("groupUnchecked")) {  // whatever parts came since the last commit
          if (count < 8) attempts[count++] = attempt;
          return;
        }
        if (index == 0) {
          group = id;
          count = 0;
        } else if (id != group || index != count) {
          if (!unchecked) broken = "scan: a part out of order";
          return;
        }
        attempts[count++] = attempt;
        return;
      }
      case MULTIPART_COMMIT: {
        u8 wantedGroup = w1 >> 2, wantedCount = w1 & 3, attempt = w2;
        bool whole = mut("groupUnchecked") ? count >= wantedCount : group == wantedGroup && count == wantedCount;
        if (!whole && !unchecked) {
          broken = "scan: a multipart commit without its parts";
          return;
        }
        for (int i = 0; i < wantedCount; i++)
          if (i >= count || attempts[i] != attempt)
            broken = "recovered a multipart commit with parts that are not its own, or half of it";
        commit(id, attempt);
        break;
      }
      case COMMIT:
        commit(id, w1);
        break;
      default:
        lastLsn = id;
    }
    group = count = 0;  // the lane is held from the first part to the commit: whatever else comes ends a group
  }
  void commit(u8 lsn, u8 attempt) {
    lastLsn = lsn;
    if (lsn > TX || !s.pubAttempt[lsn] || s.pubAttempt[lsn] != attempt)
      broken = "recovery found a record that was never published";
    else if (found[lsn]++)
      broken = "recovery found a commit twice";
  }
  // Reads records from words at [from, to) of `at`.
  template <class At> void read(int from, int to, At at) {
    for (int p = from; p < to && !broken;) {
      u8 h = at(p), len = lenOf(h);
      if (len < 2 || p + len > to) {
        broken = "scan: not a record where one should start";
        return;
      }
      u8 w1 = at(p + 1), w2 = len > 2 ? at(p + 2) : w1;
      if (kindOf(h) == COMMIT && (w1 != w2)) {
        broken = "scan accepted a record with foreign words";
        return;
      }
      bool drop = mut("dedupeByLsn") && idOf(h) <= logLsn;  // a part has a group number there
      if (!drop) record(h, w1, w2);
      p += len;
    }
  }
  u8 logLsn = 0;
};

static const char* judge(const S& s, int logEnd, bool ring) {
  Scan scan(s);
  scan.read(0, logEnd, [&](int p) { return s.log[p]; });
  scan.logLsn = scan.lastLsn;
  int from = s.forced > logEnd ? s.forced : logEnd, to = logEnd;
  if (mut("dedupeByLsn") || mut("noDedupe")) from = s.forced;
  if (mut("scanFromZero")) from = 0;
  if (ring && !scan.broken) {
    to = s.tail;
    auto at = [&](int p) { return s.ring[p % C]; };
    if (!lenWord) {
      scan.read(from, to, at);
    } else {  // the scan ends where no length word stands
      int p = from;
      while (p + 2 <= s.forced + C) {
        u8 h = at(p), len = lenOf(h);
        if (!h || len < 2 || p + len > s.forced + C) break;
        scan.read(p, p + len, at);
        if (scan.broken) break;
        p += len;
      }
      to = p;
    }
  }
  if (scan.broken) return scan.broken;
  for (int lsn = 1; lsn <= TX; lsn++)
    if (s.pubAttempt[lsn] && s.pubEnd[lsn] <= (ring ? s.tail : logEnd) && !scan.found[lsn])
      return s.returned[lsn] ? "a returned commit is lost" : "a published record is lost";
  return nullptr;
}

static const char* check(const S& s) {
  if (const char* b = judge(s, s.logEnd, true)) return b;
  if (lenWord) return nullptr;
  for (int end : {s.logForced, s.logEnd})
    if (const char* b = judge(s, end, false)) return b;
  return nullptr;
}

static bool room(const S& s, int len) {
  int spare = lenWord && mut("zeroNext") ? 1 : 0;
  return s.next + len + spare - (mut("freeAtCopy") ? s.freed : s.forced) <= C;
}

// Chooses the record that the committer stores next; its position and length are fixed here.
static void begin(S& n, Committer& d, u8 kind, u8 len, u8 id) {
  d.kind = kind;
  d.len = len;
  d.id = id;
  d.pos = n.next;
  d.wi = 0;
  d.pc = STORE;
}

static u8 word(const Committer& c, int i) {
  if (i == 0) return head(c.kind, c.len, c.id);
  if (c.kind == PART) return c.attempt << 2 | c.part;
  if (c.kind == MULTIPART_COMMIT && i == 1) return c.group << 2 | PARTS;
  return c.attempt;
}

static void publish(S& n, Committer& d) {
  if (d.kind == COMMIT || d.kind == MULTIPART_COMMIT) {
    n.pubAttempt[d.id] = d.attempt;
    n.pubEnd[d.id] = d.pos + d.len;
  }
  n.tail = d.pos + d.len;
}

static void step(const S& s, Explorer<S>& e) {
  for (int t = 0; t < T; t++) {
    const Committer& c = s.c[t];
    if (c.k >= K) continue;
    S n = s;
    Committer& d = n.c[t];
    uint16_t act = t * 16 + c.pc;
    u8 sh = shape[t][c.k], firstLen = sh == LONG ? 3 : 2;
    switch (c.pc) {
      case LEASE:
        if (mut("checkBeforeLease")) {
          if (!room(s, firstLen)) break;
          d.pc = LEASE_ONLY;
          e.add(n, act);
          break;
        }
        if (!room(s, firstLen)) break;
        [[fallthrough]];
      case LEASE_ONLY:
        if (s.lease) break;
        n.lease = t + 1;
        if (!c.attempt) {
          d.attempt = ++n.attempts;
          if (sh == MULTIPART) d.group = ++n.group;
        }
        d.shape = sh;
        d.pc = NEXT;
        e.add(n, act);
        break;
      case NEXT: {  // wait, with the lane held and no orec locked, for room for the next record
        bool commitFirst = mut("commitFirst") && !c.lsn && !c.part;
        if (sh == MULTIPART && c.part < PARTS && !commitFirst) {
          if (!room(s, 2)) break;
          begin(n, d, PART, 2, c.group);
        } else {
          if (sh == MULTIPART && !mut("noRoomForCommit") && !room(s, 3)) break;
          d.pc = DECIDE;
        }
        e.add(n, act);
        break;
      }
      case DECIDE: {
        if (retried && !mut("commitFirst")) {  // a conflict: the lane goes back, the parts are abandoned
          S m = s;
          Committer& b = m.c[t];
          b.pc = RETURN;
          b.last = 1;
          e.add(m, act + 8);
          m = s;  // an LSN, then a failed validation
          m.c[t].lsn = ++m.lsn;
          m.c[t].last = 1;
          begin(m, m.c[t], VOID_, 2, m.lsn);
          e.add(m, act + 64);
        }
        d.lsn = ++n.lsn;
        d.last = 1;
        begin(n, d, sh == MULTIPART ? MULTIPART_COMMIT : COMMIT, sh == SHORT ? 2 : 3, n.lsn);
        e.add(n, act);
        break;
      }
      case STORE: {  // the words one by one, then the word that publishes
        if (mut("tailBeforeWords") && c.wi == 0) {
          publish(n, d);
          n.ring[c.pos % C] = word(c, 0);
          d.wi = 1;
          e.add(n, act);
          break;
        }
        u8 i = c.wi;
        if (lenWord && i == 0) i = 1;  // the length word comes last
        if (i < c.len) {
          n.ring[(c.pos + i) % C] = word(c, i);
          d.wi = i + 1;
          e.add(n, act);
          break;
        }
        if (lenWord && mut("zeroNext") && i == c.len) {
          n.ring[(c.pos + c.len) % C] = 0;
          d.wi = i + 1;
          e.add(n, act);
          break;
        }
        if (lenWord) n.ring[c.pos % C] = word(c, 0);
        if (!mut("tailBeforeWords")) publish(n, d);
        n.next = c.pos + c.len;
        d.wi = 0;
        if (c.kind == PART) {
          d.part = c.part + 1;
          d.pc = mut("commitFirst") && d.part == PARTS ? RETURN : NEXT;
          if (mut("releaseBetweenParts")) {
            n.lease = 0;
            d.pc = LEASE;
          }
        } else {
          d.pc = mut("commitFirst") && sh == MULTIPART ? NEXT : RETURN;
        }
        e.add(n, act);
        break;
      }
      case RETURN: {
        n.lease = 0;
        if (c.lsn && s.pubAttempt[c.lsn]) n.returned[c.lsn] = 1;
        u8 k = c.k + 1;
        memset(&d, 0, sizeof d);
        d.k = k;
        e.add(n, act);
        break;
      }
    }
  }
  S n = s;
  uint16_t act = 128 + s.fpc;
  switch (s.fpc) {
    case READ_TAIL:
      if (s.tail == s.forced) return;
      n.ft = s.tail;
      n.fp = s.forced;
      n.fpc = COPY;
      break;
    case COPY:
      if (s.fp < s.ft) {
        n.log[s.fp] = s.ring[s.fp % C];
        n.fp++;
      } else {
        n.fpc = WRITE;
        if (mut("freeAtCopy")) n.freed = s.ft;
        if (mut("forcedAtCopy")) n.forced = s.ft;
      }
      break;
    case WRITE:  // a section of a batch: [forced, ft)
      n.logEnd = s.ft;
      n.fpc = FORCE;
      break;
    case FORCE:
      n.logForced = s.logEnd;
      n.fpc = FREE;
      break;
    case FREE:
      n.forced = s.ft;
      n.ft = n.fp = 0;
      n.fpc = READ_TAIL;
      break;
  }
  e.add(n, act);
}

static std::string name(uint16_t a) {
  static const char* K1[] = {"checks room, leases", "leases", "next record", "takes an LSN",
                             "stores next word or publishes", "returns the lane"};
  static const char* F1[] = {"reads tail", "copies next word", "writes batch", "forces it", "stores forcedPosition"};
  if (a == 0xffff) return "";
  if (a >= 128) return std::string("flusher ") + F1[a - 128];
  if (a >= 64) return "committer " + std::to_string((a - 64) / 16) + " takes an LSN, validation fails";
  if (a % 16 >= 8) return "committer " + std::to_string(a / 16) + " meets a conflict";
  return "committer " + std::to_string(a / 16) + " " + K1[a % 16];
}

static std::string show(const S& s) {
  std::string r = "   ring";
  char b[64];
  for (u8 w : s.ring) {
    snprintf(b, sizeof b, " %02x", w);
    r += b;
  }
  snprintf(b, sizeof b, " forced %d tail %d log %d", s.forced, s.tail, s.logEnd);
  return r + b;
}

int main(int argc, char** argv) {
  bool trace = false;
  for (int i = 1; i < argc; i++) {
    std::string a = argv[i];
    if (a == "-m") MUTATIONS = argv[++i];
    else if (a == "-t") trace = true;
    else if (a == "-len") lenWord = true;
    else return usage(argv[0], "[-m MUTATION,...] [-t] [-len]");
  }
  if (lenWord) retried = false;
  int shapes = lenWord ? 2 : SHAPES, programs = 1;
  for (int i = 0; i < TX; i++) programs *= shapes;
  Result result("ring", lenWord ? "length word" : "");
  for (int p = 0; p < programs; p++) {
    int x = p, multipart = 0;
    for (int i = 0; i < TX; i++, x /= shapes) {
      shape[i / K][i % K] = x % shapes;
      multipart += x % shapes == MULTIPART;
    }
    if (multipart > 3) continue;  // four multipart transactions do not fit into WORDS
    S s;
    memset(&s, 0, sizeof s);
    Explorer<S> e;
    e.succ = step;
    e.check = check;
    e.name = name;
    if (!result.add(e, e.run(s), p)) {
      if (trace) e.trace(show);
      return result.broken(e.bad);
    }
  }
  return result.holds();
}
