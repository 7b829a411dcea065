// Commit lanes, dense LSNs, the stable cut, the dependency word, acknowledgements, and recovery after a power cut
// and after a process kill at every state.
//
// Steps of a committer: read, lease, parts, lock, announce, take LSN, validate and publish, store and release,
// withdraw, return the lane, be acknowledged. Steps of the flusher: clock, announcements, tails, one write and one
// force per partition, stable. Reads are one step here (their interleaving is tl2.cpp's) and memory is sequentially
// consistent (weak orders are litmus/'s). Every partition has its own log; that one file set holds them all in one
// batch is a special case. Programs are drawn at random from a small family; interleavings are exhaustive.
//
// With -DMULTIPART the first transaction's redo goes in two PART records before its commit. A part carries a group
// number where a commit has its LSN, and its index where a commit has its dependency. The first conflict at the
// locks abandons the parts published so far.
//
// With -shared the last lane belongs to partition 0, too. Lanes of one partition take its append lock, behind their
// orec locks or before the first part, and return it once record and withdrawal are published; they store after that.
// Whoever finds it taken waits, or unlocks its orecs, returns its lane and leases again.
#include <random>

#include "explore.h"
#ifndef LANES
#define LANES 2
#endif
#ifdef MULTIPART
enum { PARTS = 2, R = 8 };
#else
enum { PARTS = 0, R = 5 };
#endif
enum { T = 3, L = LANES, W = 3, N = 5, NONE = 255 };
enum { SYNC, ASYNC, PARTITION, READ_ONLY };
enum { READ, LEASE, LOCK, ANNOUNCE, TAKE, PUBLISH, STORE, WITHDRAW, RETURN, ACK, PART, RELEASE_LANE, APPEND, UNLOCK };
enum { RUNNING, PUBLISHED, VOIDED, RETURNED, ACKNOWLEDGED };

struct Thread {
  u8 pc, k, lane, lsn, stableSeen;  // k: index of the running transaction in this thread's list
#ifdef MULTIPART
  u8 parts, group, tried;
#endif
};
struct Transaction {  // ghost
  u8 lsn, lane, dep, state;
  u8 readVersion[W], overwritten[W];
};
struct Record {
  u8 lsn, dep;  // of a part: group and index
  u8 owner;     // 0 VOID; i + 1: commit of transaction i; IS_PART; IS_MULTIPART | group << 5 | i + 1
};
enum { IS_PART = 8, IS_MULTIPART = 16 };
struct S {
  u8 clock, stable, fpc, C, B;
  u8 version[W], lock[W], inflight[L], lease[L], append[L], taint[L], tail[L], written[L], forced[L], tailRead[L];
#ifdef MULTIPART
  u8 group[L];
#endif
  Record rec[L][R];
  Thread th[T];
  Transaction tx[N];
};
struct Program {
  u8 kind, reads, writes, parts;
};

static Program prog[N];
static int own[T][3], owned[T];
static bool anyLane = true, noFlush = false, killDensity = false, killCheck = true, powerCheck = true;
static bool oneRingLost = false, shared = false;

static int partitionOf(int lane) { return shared ? lane % (L - 1) : lane; }

static bool isPart(const Record& r) { return r.owner == IS_PART; }
static int ownerOf(const Record& r) { return isPart(r) ? -1 : (r.owner & 7) - 1; }

static int laneOf(const S& s, u8 version) {
  for (int i = 0; i < N; i++)
    if (s.tx[i].lsn == version && version) return s.tx[i].lane;
  return -1;
}

static u8 dependency(const S& s, const Transaction& x, int lane, u8 stable) {
  u8 dep = 0;
  for (int w = 0; w < W; w++) {
    u8 read = x.readVersion[w] == NONE ? 0 : x.readVersion[w];
    u8 over = x.overwritten[w] == NONE ? 0 : x.overwritten[w];
    if (mut("noOverwriteDep")) over = 0;
    if (mut("noReadDep")) read = 0;
    for (u8 v : {read, over})
      if (v > stable && laneOf(s, v) != lane && v > dep) dep = v;
  }
  return dep;
}

static void append(S& n, int lane, u8 lsn, u8 dep, u8 owner) {
  if (n.tail[lane] >= R) {
    fprintf(stderr, "dlog: R is too small\n");
    exit(3);
  }
  n.rec[lane][n.tail[lane]++] = {lsn, dep, owner};
}

// Where a committer goes from a step; the mutations reorder them.
static u8 after(u8 pc, const Program& p, const Thread& c) {
  (void)p;
  (void)c;
#ifdef MULTIPART
  bool parts = c.parts < p.parts;
  if (pc == LEASE && parts && !shared && !mut("partsAfterLock") && !mut("partsAfterLsn") && !mut("commitBeforeParts"))
    return PART;
  if (pc == LOCK && parts && mut("partsAfterLock")) return PART;
  if (pc == TAKE && parts && mut("partsAfterLsn")) return PART;
  if (pc == PUBLISH && parts && mut("commitBeforeParts")) return PART;
  if (pc == PART)
    return parts                      ? PART
           : mut("partsAfterLock")    ? ANNOUNCE
           : mut("partsAfterLsn")     ? PUBLISH
           : mut("commitBeforeParts") ? STORE
           : mut("partsInOtherLane")  ? RELEASE_LANE
                                      : LOCK;
#endif
  bool late = mut("announceAfterTake");
  if (shared) {
    bool withdrawLate = mut("unlockBeforeWithdraw");
    switch (pc) {
      case LEASE:
        return p.parts ? APPEND : LOCK;
      case APPEND:
        return p.parts ? (u8)PART : (u8)ANNOUNCE;
      case LOCK:
        return p.parts ? ANNOUNCE : APPEND;
      case PUBLISH:
        return withdrawLate ? UNLOCK : WITHDRAW;
      case WITHDRAW:
        return withdrawLate ? STORE : UNLOCK;
      case UNLOCK:
        return withdrawLate ? WITHDRAW : STORE;
      case STORE:
        return RETURN;
    }
  }
  switch (pc) {
    case LEASE:
      return LOCK;
    case LOCK:
      return late ? TAKE : ANNOUNCE;
    case ANNOUNCE:
      return late ? PUBLISH : TAKE;
    case TAKE:
      return late ? ANNOUNCE : mut("withdrawBeforePublish") ? WITHDRAW : mut("releaseBeforePublish") ? STORE : PUBLISH;
    case PUBLISH:
      return mut("releaseBeforePublish") ? WITHDRAW : STORE;
    case STORE:
      return mut("releaseBeforePublish") ? PUBLISH : mut("withdrawBeforePublish") ? RETURN : WITHDRAW;
    default:
      return mut("withdrawBeforePublish") ? PUBLISH : RETURN;  // WITHDRAW
  }
}

static void nextTransaction(Thread& d) {
  u8 k = d.k + 1;
  memset(&d, 0, sizeof d);
  d.k = k;
}

static void commitSteps(const S& s, Explorer<S>& e, int t) {
  const Thread& c = s.th[t];
  int id = own[t][c.k];
  const Program& p = prog[id];
  S n = s;
  Thread& d = n.th[t];
  Transaction& x = n.tx[id];
  uint16_t act = t * 16 + c.pc;
  switch (c.pc) {
    case READ:
      for (int w = 0; w < W; w++)
        if (p.reads >> w & 1) {
          if (s.lock[w]) return;
          x.readVersion[w] = s.version[w];
        }
      d.stableSeen = s.stable;
      if (p.kind == READ_ONLY) {
        for (int w = 0; w < W; w++)
          if (x.readVersion[w] != NONE) x.dep = std::max(x.dep, x.readVersion[w]);
        x.state = RETURNED;
        d.pc = ACK;
      } else {
        d.pc = LEASE;
      }
      break;
    case LEASE:
      for (int l = 0; l < L; l++)
        if (!s.lease[l] && (anyLane || l == t % L)) {
          S m = n;
          m.lease[l] = t + 1;
          m.th[t].lane = l;
#ifdef MULTIPART
          if (p.parts && !m.th[t].parts) m.th[t].group = ++m.group[partitionOf(l)];
#endif
          m.th[t].pc = after(LEASE, p, m.th[t]);
          e.add(m, act + 256 * (l + 1));
        }
      return;
    case APPEND: {
      u8& holder = n.append[partitionOf(c.lane)];
      if (!mut("noAppendLock")) {
        if (holder && p.parts) return;
        if (holder) {  // or it waits
          for (int w = 0; w < W; w++)
            if (n.lock[w] == t + 1) n.lock[w] = 0;
          n.lease[c.lane] = 0;
          d.lane = 0;
          d.pc = LEASE;
          break;
        }
        holder = t + 1;
      }
      d.pc = after(APPEND, p, d);
      break;
    }
    case UNLOCK:
      n.append[partitionOf(c.lane)] = 0;
      d.pc = after(UNLOCK, p, d);
      break;
#ifdef MULTIPART
    case PART:
      append(n, partitionOf(c.lane), c.group, c.parts, IS_PART);
      d.parts++;
      d.pc = after(PART, p, d);
      break;
    case RELEASE_LANE:
      n.lease[c.lane] = 0;
      d.pc = LEASE;
      break;
#endif
    case LOCK:
      for (int w = 0; w < W; w++)
        if (p.writes >> w & 1) {
          if (s.lock[w]) {  // conflict: the lane goes back, the transaction starts again
#ifdef MULTIPART
            if (c.tried && p.parts) return;  // the second time it waits instead: keeps the model finite
#endif
            n = s;
            n.lease[c.lane] = 0;
            if (shared && p.parts) n.append[partitionOf(c.lane)] = 0;
            u8 k = c.k;
            memset(&n.th[t], 0, sizeof n.th[t]);
            n.th[t].k = k;
#ifdef MULTIPART
            n.th[t].tried = p.parts > 0;
#endif
            for (int v = 0; v < W; v++) n.tx[id].readVersion[v] = NONE;
            e.add(n, act);
            return;
          }
          n.lock[w] = t + 1;
          x.overwritten[w] = s.version[w];
        }
      d.pc = after(LOCK, p, d);
      break;
    case ANNOUNCE:
      n.inflight[partitionOf(c.lane)] = mut("announceAfterTake") ? c.lsn - 1 : s.clock;
      d.pc = after(ANNOUNCE, p, d);
      break;
    case TAKE:
      d.lsn = x.lsn = ++n.clock;
      x.lane = partitionOf(c.lane);
      d.pc = after(TAKE, p, d);
      break;
    case PUBLISH: {
      bool valid = true;
      for (int w = 0; w < W; w++)
        if (x.readVersion[w] != NONE && !mut("noValidate")) {
          u8 now = s.lock[w] == t + 1 ? x.overwritten[w] : s.version[w];
          if ((s.lock[w] && s.lock[w] != t + 1) || now != x.readVersion[w]) valid = false;
        }
      if (mut("releaseBeforePublish")) valid = true;
      int l = partitionOf(c.lane);
      if (valid) {
        x.dep = dependency(s, x, mut("depAgainstHomeLane") ? t % L : l, c.stableSeen);
        if (!mut("noTaint")) n.taint[l] = x.dep = std::max(x.dep, s.taint[l]);
        x.state = PUBLISHED;
        u8 owner = id + 1;
#ifdef MULTIPART
        if (p.parts) owner |= IS_MULTIPART | c.group << 5;
#endif
        append(n, l, c.lsn, x.dep, owner);
      } else {
        x.state = VOIDED;
        if (!mut("noVoid")) append(n, l, c.lsn, s.taint[l], 0);
      }
      d.pc = after(PUBLISH, p, d);
      break;
    }
    case STORE:
      for (int w = 0; w < W; w++)
        if (p.writes >> w & 1) {
          n.lock[w] = 0;
          if (x.state != VOIDED) n.version[w] = c.lsn;
        }
      d.pc = after(STORE, p, d);
      break;
    case WITHDRAW:
      n.inflight[partitionOf(c.lane)] = NONE;
      d.pc = after(WITHDRAW, p, d);
      break;
    case RETURN:
      n.lease[c.lane] = 0;
      if (x.state == PUBLISHED && p.kind == ASYNC) x.state = RETURNED;
      if (x.state == VOIDED || p.kind == ASYNC) nextTransaction(d);
      else d.pc = ACK;
      break;
    case ACK: {
      bool durable = false;
      if (p.kind == READ_ONLY) {
        durable = s.stable >= x.dep || mut("readOnlyWithoutDep");
      } else if (p.kind == SYNC) {
        durable = s.stable >= x.lsn;
      } else {
        for (int i = 0; i < s.forced[x.lane]; i++)
          if (!isPart(s.rec[x.lane][i]) && s.rec[x.lane][i].lsn == x.lsn) durable = true;
        if (!mut("ackWithoutDep")) durable = durable && s.stable >= x.dep;
      }
      if (!durable) return;
      x.state = ACKNOWLEDGED;
      nextTransaction(d);
      break;
    }
  }
  e.add(n, act);
}

static void flusherStep(const S& s, Explorer<S>& e) {
  S n = s;
  int q = s.fpc, l = (q - 1) % L;
  bool late = mut("clockAfterInflight"), tailsFirst = mut("tailsBeforeInflight");
  n.fpc++;
  if (q == 0) {
    n.B = n.C = late ? u8(NONE) : s.clock;
    if (tailsFirst)
      for (int i = 0; i < L; i++) n.tailRead[i] = s.tail[i];
  } else if (q <= L) {
    n.B = std::min(n.B, s.inflight[l]);
    if (q == L && late) n.B = std::min(n.B, s.clock);
  } else if (q <= 2 * L) {
    if (!tailsFirst) n.tailRead[l] = s.tail[l];
  } else if (q <= 3 * L) {
    n.written[l] = n.tailRead[l];
  } else if (q <= 4 * L) {
    n.forced[l] = n.written[l];
    if (mut("stableBeforeSecondForce") && l == 0) n.stable = std::max(n.stable, n.B);
  } else {
    n.stable = mut("stableIsClock") ? s.clock : std::max(n.stable, n.B);
    n.fpc = n.B = n.C = 0;
    for (int i = 0; i < L; i++) n.tailRead[i] = 0;
  }
  e.add(n, 200 + s.fpc);
}

static void step(const S& s, Explorer<S>& e) {
  for (int t = 0; t < T; t++)
    if (s.th[t].k < owned[t]) commitSteps(s, e, t);
  if (!noFlush) flusherStep(s, e);
}

// A recovery that finds the first count[l] records of each partition l.
static const char* judge(const S& s, const u8 count[L], bool density, bool power) {
  bool present[32] = {}, recovered[N] = {};
  for (int l = 0; l < L; l++)
    for (int i = 0; i < count[l]; i++)
      if (!isPart(s.rec[l][i]) || mut("partGroupAsLsn")) present[s.rec[l][i].lsn] = true;
  u8 cut = 0;
  if (density)
    while (present[cut + 1]) cut++;
  else
    cut = 200;
  if (power && cut < s.stable) return "power cut: recovered cut S is below the published stable LSN";
  if (!density && !oneRingLost && !*MUTATIONS) {  // R26
    int holes = 0, flying = 0, max = 0;
    for (int v = 1; v < 32; v++)
      if (present[v]) max = v;
    for (int v = max; v >= 1; v--)
      if (!present[v]) {
        holes++;
        bool explained = false;
        for (int l = 0; l < L; l++)
          if (s.inflight[l] < v) explained = true;
        if (!explained) return "kill: a hole that no lane in flight explains";
      }
    for (int l = 0; l < L; l++) flying += s.inflight[l] != NONE;
    if (holes > flying) return "kill: more holes than lanes in flight";
  }
  for (int l = 0; l < L; l++) {
    bool stop = false;
    int group = 0, parts = 0;
    for (int i = 0; i < count[l]; i++) {
      const Record& r = s.rec[l][i];
      if (isPart(r)) {
        if (mut("partIndexAsDep") && r.dep > cut) stop = true;
        parts = r.dep == 0 ? 1 : r.lsn == group && r.dep == parts ? parts + 1 : 0;
        group = r.lsn;
        continue;
      }
      int id = ownerOf(r);
      bool beyond = r.lsn > cut;
      if (beyond && (mut("noStopRule") ? r.dep > cut : (stop |= r.dep > cut))) continue;
      if (beyond && mut("onlyFlagged") && id >= 0 && prog[id].kind != PARTITION) continue;
      if (r.owner & IS_MULTIPART && (parts != PARTS || group != r.owner >> 5))
        return "recovery found a multipart commit without its own parts";
      group = parts = 0;
      if (id >= 0) recovered[id] = true;
    }
  }
  for (int i = 0; i < N; i++) {
    const Transaction& x = s.tx[i];
    bool readOnly = prog[i].kind == READ_ONLY;
    if (power && x.state == ACKNOWLEDGED && !readOnly && !recovered[i])
      return prog[i].kind == SYNC ? "power cut: acknowledged SYNC lost" : "power cut: acknowledged PARTITION lost";
    if (!power && x.state >= RETURNED && !readOnly && !recovered[i])
      return "kill: a transaction whose commit() returned is lost";
    bool outside = readOnly && (x.state == ACKNOWLEDGED || (!power && x.state == RETURNED));
    for (int w = 0; w < W; w++) {
      u8 v = x.readVersion[w];
      if (v == NONE) continue;
      if ((recovered[i] || outside) && v) {
        bool found = false;
        for (int j = 0; j < N; j++)
          if (s.tx[j].lsn == v && recovered[j]) found = true;
        if (!found)
          return readOnly ? "durable read saw a value that is lost" : "recovered transaction read from a lost one";
      }
      if (recovered[i]) {
        u8 last = 0;
        for (int j = 0; j < N; j++)
          if (recovered[j] && j != i && (prog[j].writes >> w & 1) && s.tx[j].lsn < x.lsn)
            last = std::max(last, s.tx[j].lsn);
        if (last != v) return "serial re-execution of the recovered set would read another version";
      }
    }
  }
  if (density)  // last writer of each word: in LSN order, and partition by partition in either order
    for (int order = 0; order < 2; order++)
      for (int w = 0; w < W; w++) {
        u8 byLsn = 0, byPartition = 0;
        for (int j = 0; j < N; j++)
          if (recovered[j] && (prog[j].writes >> w & 1)) {
            byLsn = std::max(byLsn, s.tx[j].lsn);
            if (s.tx[j].lsn <= cut) byPartition = std::max(byPartition, s.tx[j].lsn);
          }
        for (int q = 0; q < L; q++) {
          int l = order ? L - 1 - q : q;
          for (int i = 0; i < count[l]; i++) {
            int id = ownerOf(s.rec[l][i]);
            if (id >= 0 && recovered[id] && s.rec[l][i].lsn > cut && (prog[id].writes >> w & 1))
              byPartition = s.rec[l][i].lsn;
          }
        }
        if (byLsn != byPartition) return "replaying survivors partition by partition breaks write-write order";
      }
  return nullptr;
}

static const char* check(const S& s) {
  for (int v = 1; v <= s.stable; v++) {
    bool found = false;
    for (int l = 0; l < L; l++)
      for (int i = 0; i < s.forced[l]; i++)
        if (!isPart(s.rec[l][i]) && s.rec[l][i].lsn == v) found = true;
    if (!found) return "stable covers an LSN that is in no forced batch";
  }
  if (powerCheck)
    for (int m = 0; m < 1 << L; m++) {
      u8 count[L];
      for (int l = 0; l < L; l++) count[l] = (m >> l & 1) ? s.written[l] : s.forced[l];
      if (const char* b = judge(s, count, true, true)) return b;
    }
  if (killCheck) {
    u8 count[L];
    for (int l = 0; l < L; l++) count[l] = s.tail[l];
    if (oneRingLost) count[1] = s.written[1];
    if (const char* b = judge(s, count, killDensity, false)) return b;
  }
  return nullptr;
}

static std::string name(uint16_t a) {
  static const char* C1[] = {"reads", "leases lane", "locks its write set", "announces", "takes an LSN",
                             "validates, publishes its record or a VOID", "stores, releases orecs",
                             "withdraws its announcement", "returns the lane", "is acknowledged", "publishes a part",
                             "returns the lane between parts and commit", "takes the append lock or leases again",
                             "returns the append lock"};
  static const char* F1[] = {"reads announcement ", "reads tail ", "writes batch ", "forces log "};
  if (a == 0xffff) return "init";
  int x = a & 255;
  if (x >= 200) {
    int q = x - 200;
    if (q == 0) return "flusher reads clock";
    if (q > 4 * L) return "flusher publishes stable";
    return std::string("flusher ") + F1[(q - 1) / L] + std::to_string((q - 1) % L);
  }
  std::string r = "thread " + std::to_string(x / 16) + " " + C1[x % 16];
  if (a >= 256) r += " " + std::to_string((a >> 8) - 1);
  return r;
}

static std::string show(const S& s) {
  char b[80];
  snprintf(b, sizeof b, "   [clock %d stable %d forced %d,%d]", s.clock, s.stable, s.forced[0], s.forced[1]);
  return b;
}

static void draw(int seed, int transactions) {
  static const u8 kinds[] = {PARTITION, PARTITION, PARTITION, ASYNC, ASYNC, SYNC, READ_ONLY};
  std::mt19937 g(seed);
  memset(owned, 0, sizeof owned);
  memset(prog, 0, sizeof prog);
  for (int i = 0; i < transactions; i++) {
    int t = i < T ? i : g() % T;
    if (owned[t] >= 2) t = 0;
    own[t][owned[t]++] = i;
    Program& p = prog[i];
    p.kind = kinds[g() % 7];
    p.reads = g() % 8 & (g() % 8);
    if (PARTS > 0 && i == 0 && p.kind == READ_ONLY) p.kind = PARTITION;
    p.writes = p.kind == READ_ONLY ? 0 : 1 << (g() % W);
    if (p.kind != READ_ONLY && g() % 4 == 0) p.writes |= 1 << (g() % W);
    if (p.kind == READ_ONLY && !p.reads) p.reads = 3;
    p.parts = i == 0 ? PARTS : 0;
  }
}

int main(int argc, char** argv) {
  int seeds = 60, from = 1, transactions = 4;
  bool trace = false;
  std::string variant = std::to_string(L) + " lanes";
  for (int i = 1; i < argc; i++) {
    std::string a = argv[i];
    if (a == "-m") MUTATIONS = argv[++i];
    else if (a == "-n") seeds = atoi(argv[++i]);
    else if (a == "-s") from = atoi(argv[++i]);
    else if (a == "-N") transactions = atoi(argv[++i]);
    else if (a == "-t") trace = true;
    else if (a == "-home") anyLane = false;
    else if (a == "-killDensity") killDensity = true, variant += ", density after kill";
    else if (a == "-noflush") noFlush = true;
    else if (a == "-nokill") killCheck = false;
    else if (a == "-nopower") powerCheck = false;
    else if (a == "-shared") shared = true, variant += ", two of one partition";
    else if (a == "-oneRingLost") oneRingLost = true, variant += ", one ring lost";
    else return usage(argv[0], "[-m MUTATION,...] [-n PROGRAMS] [-s FIRST] [-N TRANSACTIONS] [-t] [-home] "
                               "[-killDensity] [-noflush] [-nokill] [-nopower] [-oneRingLost] [-shared]");
  }
  Result result(PARTS > 0 ? "dlog multipart" : "dlog", variant.c_str());
  for (int seed = from; seed < from + seeds; seed++) {
    draw(seed, transactions);
    S s;
    memset(&s, 0, sizeof s);
    for (auto& x : s.inflight) x = NONE;
    for (auto& x : s.tx)
      for (int w = 0; w < W; w++) x.readVersion[w] = x.overwritten[w] = NONE;
    Explorer<S> e;
    e.succ = step;
    e.check = check;
    e.name = name;
    e.limit = 30000000;
    if (result.add(e, e.run(s), seed)) continue;
    if (trace) {
      static const char* const kinds[] = {"SYNC", "ASYNC", "PARTITION", "read-only"};
      for (int t = 0; t < T; t++)
        for (int k = 0; k < owned[t]; k++) {
          const Program& p = prog[own[t][k]];
          printf("    T%d (thread %d, %s) reads mask %d, writes mask %d%s\n", own[t][k], t, kinds[p.kind], p.reads,
                 p.writes, p.parts ? ", multipart" : "");
        }
      e.trace(show);
    }
    return result.broken(e.bad);
  }
  return result.holds();
}
