// Summaries of the log: what an open store writes, unforced, so that the next opening serves before it has read all
// of the log. Two lanes, two transactions each; word 0 is the region's header, words 1 and 2 are pages; a word's value
// is the LSN of its writer. The flusher puts each round into a segment of its own. The writer takes the segment in
// use (T), L0, waits for commits up to L0, copies map and header, takes L1, waits until stable >= L1, takes the last
// forced batch (E), and writes one of two files by turns.
//
// At every state every crash is judged: a kill; a container that is replaced (rings gone, everything that was written
// to the disk kept); a power cut (rings gone, the unforced batch and each summary there or not); and log files that
// are put back from a copy of any earlier time while the summaries stay. An opening by the newest summary must either
// refuse it or come to what an opening comes to that reads the whole log: cut, header, pages. What it leaves for
// later must be complete then. No crash may leave a whole summary whose last batch is missing: openings take that for
// damage (R34).
//
// Left out: checkpoints (ckpt.cpp has the same steps), parts, damage, the generation after (generations.cpp).
#include <random>

#include "explore.h"
enum { L = 2, K = 2, W = 3, B = 6, MX = 255 };
struct Th {
  u8 pc, k, lsn, wi;
};
struct F {
  u8 st, T, L0, L1, E, map, hdr;  // st 0 none, 1 half written, 2 whole
};
struct S {
  u8 clock, stable, lock, infl[L], mem[W], map, nrec[L], rl[L][K], rdep[L][K], taint[L], nb, pend, bt[B][L];
  Th th[L];
  u8 fpc, fB, ft[L];
  u8 spc, wi, lastT, turn;
  F now, file[2];
};
static u8 wm[L][K];
static int nk[L];

// What is left of the log: how much of each lane batch b ends at, how many batches, what rings add.
struct Found {
  int nb, end[L];
  bool rings;
};
struct Opened {
  bool refused;
  u8 cut, mem[W];
};

// Replays records above `above` that stand at index from[l] or behind. Returns the cut.
static u8 replay(const S& s, const Found& f, const int from[L], u8 above, u8 mem[W]) {
  u8 largest = above, cut = above;
  bool pres[16] = {};
  for (int l = 0; l < L; l++)
    for (int i = from[l]; i < f.end[l]; i++) {
      pres[s.rl[l][i]] = true;
      if (s.rl[l][i] > largest) largest = s.rl[l][i];
    }
  if (f.rings)
    cut = largest;  // what is missing was never published
  else
    while (pres[cut + 1]) cut++;
  for (u8 v = above + 1; v <= largest; v++)
    for (int l = 0; l < L; l++) {
      bool stop = false;
      for (int i = from[l]; i < f.end[l]; i++) {
        if (s.rl[l][i] > cut && s.rdep[l][i] > cut) stop = true;
        if (stop || s.rl[l][i] != v) continue;
        for (int w = 0; w < W; w++)
          if (wm[l][i] >> w & 1) mem[w] = v;
      }
    }
  return cut;
}

static const char* judge(const S& s, const Found& f, const F* sum) {
  if (!sum) return nullptr;
  int zero[L] = {};
  u8 full[W] = {};
  u8 fullCut = replay(s, f, zero, 0, full);

  if (sum->T > f.nb) return nullptr;  // its segment is missing
  if (!mut("noBinding") && sum->E > f.nb) return nullptr;
  int from[L];
  u8 touched = sum->map, mem[W] = {sum->hdr};
  for (int l = 0; l < L; l++) {
    from[l] = s.bt[sum->T - 1][l];
    for (int i = from[l]; i < f.end[l]; i++) touched |= wm[l][i];
  }
  u8 cut = replay(s, f, from, sum->L0, mem);
  if (cut < sum->L1) return nullptr;  // refused
  // The late part: dense up to L0, in batches, and on listed pages.
  bool pres[16] = {};
  for (int l = 0; l < L; l++)
    for (int i = 0; i < s.bt[f.nb][l]; i++) {
      pres[s.rl[l][i]] = true;
      if (s.rl[l][i] <= sum->L0 && (wm[l][i] & ~sum->map & 6)) return "the late part has a page that is not listed";
    }
  for (u8 v = 1; v <= sum->L0; v++)
    if (!pres[v]) return "the late part misses an LSN: the store served what the log does not have";
  if (cut != fullCut) return "another cut than by the whole log";
  if (mem[0] != full[0]) return "the header is not what the whole log makes of it";
  for (int w = 1; w < W; w++)
    if (!(touched >> w & 1) && full[w]) return "a page is served of which the log has words";
  return nullptr;
}

static const F* newest(const F file[2], int there) {
  const F* best = nullptr;
  for (int i = 0; i < 2; i++)
    if (file[i].st == 2 && (there >> i & 1) && (!best || file[i].L0 > best->L0)) best = &file[i];
  return best;
}

static const char* check(const S& s) {
  for (int kind = 0; kind < 4; kind++)
    for (int last = 0; last <= s.pend; last++)       // is the batch there that is not forced?
      for (int there = 0; there < 4; there++) {      // which summaries?
        if (kind < 2 && (last != s.pend || there != 3)) continue;
        for (int nb = 0; nb <= s.nb + last; nb++) {  // log files of an earlier time
          if (kind != 3 && nb != s.nb + last) continue;
          Found f = {nb, {}, kind == 0};
          for (int l = 0; l < L; l++) f.end[l] = kind == 0 ? s.nrec[l] : s.bt[nb][l];
          if (const char* e = judge(s, f, newest(s.file, there))) return e;
          if (kind != 3) {
            for (int i = 0; i < 2; i++)
              if (s.file[i].st == 2 && (there >> i & 1) && s.file[i].E > nb) return "a crash is taken for damage";
            int zero[L] = {};
            u8 mem[W] = {};
            if (replay(s, f, zero, 0, mem) < s.stable) return "an LSN that was stable is lost";
          }
        }
      }
  return nullptr;
}

static void writer(const S& s, Explorer<S>& e) {
  S n = s;
  F& d = n.now;
  uint16_t act = 200 + s.spc;
  auto go = [&](int pc) {
    n.spc = pc;
    e.add(n, act);
  };
  switch (s.spc) {
    case 0:
      if (s.nb < 2 || s.nb == s.lastT) return;
      d.T = n.lastT = s.nb;
      go(1);
      break;
    case 1:
      d.L0 = s.clock;
      if (mut("mapBeforeDrain")) d.map = s.map;
      go(mut("noDrain") ? 3 : 2);
      break;
    case 2:
      for (int l = 0; l < L; l++)
        if (s.infl[l] < s.now.L0) return;
      go(3);
      break;
    case 3:
      if (!mut("mapBeforeDrain")) d.map = s.map;
      go(4);
      break;
    case 4:
      d.hdr = s.mem[0];
      go(5);
      break;
    case 5:
      d.L1 = mut("L1isL0") ? s.now.L0 : s.clock;
      go(6);
      break;
    case 6:
      if (!mut("beforeStable") && s.stable < (mut("stableIsL0") ? s.now.L0 : s.now.L1)) return;
      go(7);
      break;
    case 7:
      d.E = s.nb + (mut("lastBatchUnforced") ? s.pend : 0);
      n.file[s.turn] = F();
      n.file[s.turn].st = 1;
      go(8);
      break;
    case 8:
      d.st = 2;
      n.file[s.turn] = d;
      n.now = F();
      n.turn = 1 - s.turn;
      go(0);
      break;
  }
}

static void flusher(const S& s, Explorer<S>& e) {
  S n = s;
  uint16_t act = 100 + s.fpc;
  switch (s.fpc) {
    case 0: {  // clock, announcements, tails: dlog.cpp has them one by one
      n.fB = s.clock;
      bool work = false;
      for (int l = 0; l < L; l++) {
        if (s.infl[l] < n.fB) n.fB = s.infl[l];
        n.ft[l] = s.nrec[l];
        if (n.ft[l] != s.bt[s.nb][l]) work = true;
      }
      if (!work && n.fB <= s.stable) return;
      n.fpc = work ? 1 : 3;
      break;
    }
    case 1:
      n.pend = 1;
      memcpy(n.bt[s.nb + 1], s.ft, L);
      n.fpc = 2;
      break;
    case 2:
      n.pend = 0;
      n.nb = s.nb + 1;
      n.fpc = 3;
      break;
    case 3:
      if (s.fB > s.stable) n.stable = s.fB;
      n.fB = n.fpc = 0;
      memset(n.ft, 0, L);
      break;
  }
  e.add(n, act);
}

static void committer(const S& s, Explorer<S>& e, int l) {
  const Th& c = s.th[l];
  if (c.k >= nk[l]) return;
  u8 m = wm[l][c.k];
  S n = s;
  Th& d = n.th[l];
  switch (c.pc) {
    case 0:
      if (s.lock & m) return;
      n.lock |= m;
      n.infl[l] = s.clock;
      d.pc = 1;
      break;
    case 1:
      d.lsn = ++n.clock;
      d.pc = 2;
      break;
    case 2: {
      u8 dep = s.taint[l];
      for (int q = 0; q < L; q++)
        if (q != l)
          for (int i = 0; i < s.nrec[q]; i++)
            if ((wm[q][i] & m) && s.rl[q][i] > dep) dep = s.rl[q][i];
      n.rl[l][s.nrec[l]] = c.lsn;
      n.rdep[l][s.nrec[l]] = n.taint[l] = dep;
      n.nrec[l]++;
      d.pc = 3;
      break;
    }
    case 3: {
      int w = c.wi;
      while (w < W && !(m >> w & 1)) w++;
      if (w < W) {
        n.mem[w] = c.lsn;
        d.wi = w + 1;
      } else {
        d.wi = 0;
        d.pc = 4;
      }
      break;
    }
    case 4:
      n.map |= m & 6;
      d.pc = 5;
      break;
    case 5:
      n.infl[l] = MX;
      n.lock &= ~m;
      d = Th{0, u8(c.k + 1), 0, 0};
      break;
  }
  e.add(n, l * 16 + c.pc);
}

static void step(const S& s, Explorer<S>& e) {
  for (int l = 0; l < L; l++) committer(s, e, l);
  flusher(s, e);
  writer(s, e);
}

static std::string name(uint16_t a) {
  static const char* K1[] = {"locks, announces", "takes an LSN", "publishes", "stores next word", "marks pages", "leaves"};
  static const char* F1[] = {"reads the cut", "writes a batch", "forces it", "raises stable"};
  static const char* W1[] = {"takes T", "takes L0", "has drained", "copies the map", "copies the header", "takes L1",
                             "has waited for stable", "takes E, writes half", "has written"};
  if (a == 0xffff) return "";
  if (a >= 200) return std::string("writer ") + W1[a - 200];
  if (a >= 100) return std::string("flusher ") + F1[a - 100];
  return "lane " + std::to_string(a / 16) + " " + K1[a % 16];
}

int main(int argc, char** argv) {
  int programs = 12, from = 1;
  bool trace = false;
  for (int i = 1; i < argc; i++) {
    std::string a = argv[i];
    if (a == "-m") MUTATIONS = argv[++i];
    else if (a == "-n") programs = atoi(argv[++i]);
    else if (a == "-s") from = atoi(argv[++i]);
    else if (a == "-t") trace = true;
    else return usage(argv[0], "[-m MUTATION,...] [-n PROGRAMS] [-s FIRST] [-t]");
  }
  Result result("summary", "");
  for (int p = from; p < from + programs; p++) {
    std::mt19937 g(p);
    nk[0] = 2;
    nk[1] = 1 + p % 2;
    for (auto& l : wm)
      for (auto& m : l) m = 1 + g() % 7;
    S s;
    memset(&s, 0, sizeof s);
    s.infl[0] = s.infl[1] = MX;
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
