// Memory that outlives the process: two lanes of one partition, three words on two pages, the flusher, checkpoints with
// two maps of dirty pages, kills, and openings that use the memory of the process before, recover into new memory, or
// recover into memory of their own while the memory of an earlier process lies beside them. Word 0 is page 0, words 1
// and 2 are page 1; a word's value is the LSN of its writer.
//
// Every state may be killed, openings too, -kills times (2); a close that keeps the memory counts as a kill. Rings are trusted, so every published record survives.
// When an opening is complete its memory must be what all published records make of it, each page that differs from the
// image must be marked, and image and log must make the same of it. With -copy, somebody copies image and superblock once, and
// may put them back after a kill while the log has not grown.
//
// Left out: power cuts and lost rings (then the memory is not used), torn pages (ckpt.cpp), how recovery finds records
// (dlog.cpp, ring.cpp), parts.
#include <random>

#include "explore.h"
enum { L = 2, K = 2, W = 3, PG = 2, R = L * K, IDLE = 0xff };
struct Rec {
  u8 lsn, mask;
};
struct Mem {
  u8 word[W], map[2], round, applying[L], nonce, clearedFor;
};
struct Files {
  u8 img[W], L0, seq;
};
struct Th {
  u8 pc, k, lsn, wi, rd;
};
struct S {
  u8 up, life, kills, shared, clock, lock, append, inflight, storing[L];
  Rec rec[R];
  u8 nrec, forced, nonce;  // nonce: of the rings that the superblock names, 0 for none
  Mem warm, own;           // memory that outlives the process, and memory that does not
  Files now, copy;
  u8 copied, copyForced, copyNonce;
  Th th[L];
  u8 cpc, C, L1, ci, former, buf[W], copyMask;
  u8 rpc, ri, rw, rA, rAttached, bad;
};
static u8 wm[L][K];
static int nk[L], maxKills = 2, maxCheckpoints = 1;
static bool copies = false;
static const char* COMPLAINTS[] = {"", "memory is not what the published records make of it",
                                   "a page differs from the image and is not marked",
                                   "image and log are not what the published records make of them"};
static u8 pagesOf(u8 mask) { return (mask & 1) | (mask & 6 ? 2 : 0); }
static Mem& memory(S& s) { return s.shared ? s.warm : s.own; }

static void replay(const S& s, const Files& f, u8 out[W]) {
  memcpy(out, f.img, W);
  for (int i = 0; i < s.nrec; i++)
    if (s.rec[i].lsn > f.L0)
      for (int w = 0; w < W; w++)
        if (s.rec[i].mask >> w & 1) out[w] = s.rec[i].lsn;
}

// Judges an opening that is complete.
static u8 judge(const S& s) {
  u8 truth[W] = {}, found[W];
  for (int i = 0; i < s.nrec; i++)
    for (int w = 0; w < W; w++)
      if (s.rec[i].mask >> w & 1) truth[w] = s.rec[i].lsn;
  replay(s, s.now, found);
  if (memcmp(truth, found, W)) return 3;
  const Mem& m = s.shared ? s.warm : s.own;
  if (memcmp(truth, m.word, W)) return 1;
  for (int w = 0; w < W; w++)
    if (m.word[w] != s.now.img[w] && !((m.map[0] | m.map[1]) >> (w > 0) & 1)) return 2;
  return 0;
}

static void commits(const S& s, Explorer<S>& e, int l) {
  const Th& c = s.th[l];
  if (c.k >= nk[l]) return;
  u8 mask = wm[l][c.k];
  S n = s;
  Th& d = n.th[l];
  Mem& m = memory(n);
  uint16_t act = l * 16 + c.pc;
  switch (c.pc) {
    case 0:
      if ((s.lock & mask) || s.append) return;
      n.lock |= mask;
      n.append = 1;
      n.storing[l] = n.inflight = s.clock;
      d.pc = 1;
      break;
    case 1:
      d.lsn = ++n.clock;
      d.pc = 2;
      break;
    case 2:
      if (!mut("applyingAfterPublication")) m.applying[l] = c.lsn;
      d.pc = 3;
      break;
    case 3:
      n.rec[n.nrec++] = {c.lsn, mask};
      d.pc = mut("applyingAfterPublication") ? 9 : 4;
      break;
    case 9:
      m.applying[l] = c.lsn;
      d.pc = 4;
      break;
    case 4:
      n.inflight = IDLE;
      n.append = 0;
      if (mut("clearedBeforeStores")) m.applying[l] = 0;
      d.pc = 5;
      break;
    case 5: {
      int w = c.wi;
      while (w < W && !(mask >> w & 1)) w++;
      if (w < W) {
        m.word[w] = c.lsn;
        d.wi = w + 1;
      } else {
        d.wi = 0;
        d.rd = m.round & 1;
        if (mut("clearedBeforeMarks")) m.applying[l] = 0;
        d.pc = 6;
      }
      break;
    }
    case 6: {
      int p = c.wi;
      while (p < PG && !(pagesOf(mask) >> p & 1)) p++;
      if (p < PG) {
        m.map[c.rd] |= 1 << p;
        d.wi = p + 1;
      } else {
        d.wi = 0;
        d.pc = 7;
      }
      break;
    }
    case 7:
      n.lock &= ~mask;
      d.pc = 8;
      break;
    case 8:
      m.applying[l] = 0;
      n.storing[l] = IDLE;
      d = Th{0, u8(c.k + 1), 0, 0, 0};
      break;
  }
  e.add(n, act);
}

static void checkpoints(const S& s, Explorer<S>& e) {
  if (s.cpc == 0 && s.now.seq >= maxCheckpoints) return;
  S n = s;
  Mem& m = memory(n);
  uint16_t act = 200 + s.cpc;
  switch (s.cpc) {
    case 0:
      n.former = m.round & 1;
      m.round = (m.round + 1) & 1;
      n.cpc = 1;
      break;
    case 1:
      n.C = s.clock;
      n.cpc = 2;
      break;
    case 2:
      for (int l = 0; l < L; l++)
        if (s.storing[l] < s.C) return;
      n.ci = 0;
      n.copyMask = m.map[0] | m.map[1];
      n.cpc = 3;
      break;
    case 3: {
      int w = s.ci;
      while (w < W && !(s.copyMask >> (w > 0) & 1)) w++;
      if (w < W) {
        n.buf[w] = m.word[w];
        n.ci = w + 1;
      } else {
        n.ci = 0;
        n.L1 = s.clock;
        n.cpc = 4;
      }
      break;
    }
    case 4:  // waits until all up to L1 are forced
      for (int l = 0; l < L; l++)
        if (s.th[l].lsn && s.th[l].lsn <= s.L1 && s.th[l].pc <= 3) return;
      for (int i = s.forced; i < s.nrec; i++)
        if (s.rec[i].lsn <= s.L1) return;
      if (mut("clearedBeforeItCounts")) m.map[s.former] = 0;
      n.cpc = 5;
      break;
    case 5:
      for (int w = 0; w < W; w++)
        if (s.copyMask >> (w > 0) & 1) n.now.img[w] = s.buf[w];
      n.now.L0 = s.C;
      n.now.seq++;
      n.cpc = 6;
      break;
    case 6:
      if (!mut("clearedForNotSet")) m.clearedFor = s.now.seq;
      n.cpc = 7;
      break;
    case 7:
      m.map[s.former] = 0;
      n.cpc = n.C = n.L1 = n.former = n.copyMask = 0;
      memset(n.buf, 0, W);
      break;
  }
  e.add(n, act);
}

static bool isAttachable(const S& s) {
  if (!s.warm.nonce || !s.nonce) return false;
  if (s.warm.nonce != s.nonce && !mut("nonceNotCompared")) return false;
  return s.warm.clearedFor <= s.now.seq;
}

static void fresh(const S& s, Explorer<S>& e, bool shared) {
  S n = s;
  n.shared = shared;
  Mem& m = memory(n);
  memset(&m, 0, sizeof m);
  replay(s, s.now, m.word);
  for (int i = 0; i < s.nrec; i++)
    if (s.rec[i].lsn > s.now.L0) m.map[0] |= pagesOf(s.rec[i].mask);
  n.rpc = 2;
  e.add(n, 301 + shared);
}

static void opening(const S& s, Explorer<S>& e) {
  S n = s;
  Mem& m = n.warm;
  uint16_t act = 310 + s.rpc;
  switch (s.rpc) {
    case 0:
      fresh(s, e, false);
      if (!isAttachable(s)) {
        fresh(s, e, true);
        return;
      }
      n.rA = IDLE;
      for (int l = 0; l < L; l++)
        if (m.applying[l] && m.applying[l] - 1 < n.rA) n.rA = m.applying[l] - 1;
      if (mut("appliedByTheRing")) n.rA = s.inflight;
      if (mut("oneMapOnly")) m.map[1 - m.round] = 0;
      if (mut("resetBeforeTheFence")) memset(m.applying, 0, L);
      n.shared = n.rAttached = 1;
      n.ri = mut("redoFromTheRingOnly") ? s.forced : 0;
      n.rw = 0;
      n.rpc = mut("redoLast") ? 2 : 1;
      act = 303;
      break;
    case 1: {
      int i = s.ri;
      while (i < s.nrec && s.rec[i].lsn <= s.rA) i++;
      if (i == s.nrec) {
        n.ri = n.rw = 0;
        n.rpc = mut("redoLast") ? 5 : 2;
        break;
      }
      int w = i == s.ri ? s.rw : 0;
      while (w < W && !(s.rec[i].mask >> w & 1)) w++;
      n.ri = i;
      if (w < W) {
        m.word[w] = s.rec[i].lsn;
        n.rw = w + 1;
      } else {
        if (!mut("redoNotMarked")) m.map[m.round] |= pagesOf(s.rec[i].mask);
        n.ri = i + 1;
        n.rw = 0;
      }
      break;
    }
    case 2:  // what only rings have is logged again; the superblock closes the generation
      n.forced = s.nrec;
      n.nonce = 0;
      n.rpc = mut("namedBeforeOwned") ? 4 : 3;
      break;
    case 3:
      if (s.shared) {
        memset(m.applying, 0, L);
        m.nonce = s.life;
      }
      n.rpc = mut("namedBeforeOwned") ? 5 : 4;
      break;
    case 4:
      n.nonce = s.life;
      n.rpc = mut("redoLast") && s.rAttached ? 1 : mut("namedBeforeOwned") ? 3 : 5;
      break;
    case 5:
      n.bad = judge(s);
      n.up = 1;
      n.rpc = n.ri = n.rw = n.rA = n.rAttached = 0;
      n.inflight = IDLE;
      break;
  }
  e.add(n, act);
}

static void kill(const S& s, Explorer<S>& e) {
  S n = s;
  n.kills++;
  n.life++;
  n.up = n.lock = n.append = n.cpc = n.C = n.L1 = n.ci = n.former = n.copyMask = 0;
  n.rpc = n.ri = n.rw = n.rA = n.rAttached = n.shared = 0;
  memset(n.buf, 0, W);
  memset(&n.own, 0, sizeof n.own);
  for (int l = 0; l < L; l++) {
    n.storing[l] = IDLE;
    // What published has happened; what did not is given up, and its LSN with it.
    bool isPublished = s.th[l].pc > 3;
    n.th[l] = Th{0, u8(s.th[l].k + (s.th[l].pc && isPublished)), 0, 0, 0};
  }
  e.add(n, 400);
  // Somebody puts image and superblock back that were copied earlier in the same opening. If the log has grown since,
  // the rings say so, and the store is refused.
  if (s.copied && s.copyForced == s.forced && s.copyNonce == s.nonce && s.nonce) {
    n.now = s.copy;
    n.copied = 0;
    memset(&n.copy, 0, sizeof n.copy);
    n.copyForced = n.copyNonce = 0;
    e.add(n, 401);
  }
}

// A close: everything goes into the image, and the superblock names the memory that is kept, if it is this opening's.
static void close(const S& s, Explorer<S>& e) {
  for (int l = 0; l < L; l++)
    if (s.th[l].pc) return;
  S n = s;
  Mem& m = memory(n);
  memcpy(n.now.img, m.word, W);
  n.now.L0 = s.clock;
  n.now.seq++;
  m.clearedFor = n.now.seq;
  memset(m.map, 0, sizeof m.map);
  n.forced = s.nrec;
  n.nonce = s.shared || mut("closeNamesAnyMemory") ? s.warm.nonce : 0;
  n.kills++;
  n.life++;
  n.up = n.shared = 0;
  memset(&n.own, 0, sizeof n.own);
  e.add(n, 402);
}

static void step(const S& s, Explorer<S>& e) {
  if (s.up) {
    for (int l = 0; l < L; l++) commits(s, e, l);
    checkpoints(s, e);
    if (s.forced < s.nrec) {
      S n = s;
      n.forced = s.nrec;
      e.add(n, 100);
    }
    if (copies && !s.copied && s.kills == 0 && s.cpc == 0) {
      S n = s;
      n.copied = 1;
      n.copy = s.now;
      n.copyForced = s.forced;
      n.copyNonce = s.nonce;
      e.add(n, 101);
    }
  } else {
    opening(s, e);
  }
  if (s.kills < maxKills && s.up && s.cpc == 0) close(s, e);
  if (s.kills < maxKills) kill(s, e);
}

static const char* check(const S& s) { return s.bad ? COMPLAINTS[s.bad] : nullptr; }

static std::string name(uint16_t a) {
  static const char* K1[] = {"locks, announces", "takes an LSN", "sets its word", "publishes", "withdraws, unlocks appending",
                             "stores next word", "marks next page", "releases", "clears its word, leaves", "sets its word late"};
  static const char* C1[] = {"turns the round", "takes L0", "has drained", "copies", "has waited for stable",
                             "counts, folded", "names the checkpoint in the maps", "clears the former map"};
  static const char* O1[] = {"", "redoes", "closes the generation", "makes the memory its own", "names its rings", "is complete"};
  if (a == 0xffff) return "";
  if (a == 402) return "CLOSE";
  if (a == 401) return "KILL, and image and superblock are put back";
  if (a == 400) return "KILL";
  if (a >= 310) return std::string("opening ") + O1[a - 310];
  if (a == 303) return "opening finds memory";
  if (a >= 301) return a == 301 ? "opening recovers into its own memory" : "opening recovers into new shared memory";
  if (a >= 200) return std::string("checkpoint ") + C1[a - 200];
  if (a == 101) return "image and superblock are copied";
  if (a == 100) return "log forced";
  return "lane " + std::to_string(a / 16) + " " + K1[a % 16];
}

int main(int argc, char** argv) {
  int programs = 8, from = 1;
  bool trace = false;
  for (int i = 1; i < argc; i++) {
    std::string a = argv[i];
    if (a == "-m") MUTATIONS = argv[++i];
    else if (a == "-n") programs = atoi(argv[++i]);
    else if (a == "-s") from = atoi(argv[++i]);
    else if (a == "-kills") maxKills = atoi(argv[++i]);
    else if (a == "-ck") maxCheckpoints = atoi(argv[++i]);
    else if (a == "-copy") copies = true;
    else if (a == "-t") trace = true;
    else return usage(argv[0], "[-m MUTATION,...] [-n PROGRAMS] [-s FIRST] [-t] [-kills N] [-ck N] [-copy]");
  }
  Result result("warm", copies ? "files put back" : "");
  for (int p = from; p < from + programs; p++) {
    std::mt19937 g(p);
    nk[0] = 2;
    nk[1] = 1 + p % 2;
    for (auto& l : wm)
      for (auto& m : l) m = 1 + g() % 7;
    S s;
    memset(&s, 0, sizeof s);
    s.up = s.life = s.shared = s.nonce = s.warm.nonce = 1;
    s.inflight = s.storing[0] = s.storing[1] = IDLE;
    Explorer<S> e;
    e.succ = step;
    e.check = check;
    e.name = name;
    if (result.add(e, e.run(s), p)) continue;
    if (trace) {
      for (int l = 0; l < L; l++)
        for (int k = 0; k < nk[l]; k++) printf("    lane %d transaction %d writes mask %d\n", l, k, wm[l][k]);
      e.trace();
    }
    return result.broken(e.bad);
  }
  return result.holds();
}
