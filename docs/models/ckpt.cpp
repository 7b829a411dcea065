// Fuzzy checkpoint: round stamps, L0/L1, racy word copy, journal, alternating headers, folding in place,
// trimming; power cut at every state. 2 pages of 2 words; a word's value is the LSN of its writer. Lanes
// publish, store, stamp; any legal subset of unforced bytes may survive.
//
// A page is one sector of the disk, a word one line. A page that was being folded is old, new or garbage, and
// the journal has whole pages. -lines: the journal has the words that differ from the image, and the words of
// such a page are old or new, in any mixture. -lines -garbage: such a page may also be garbage; then recovery
// may refuse the store, and must not return wrong words.
//
// -shared: the announcement to the flusher is withdrawn once the record is published, before the stores, as in lanes
// that share a partition; infl is the lane's own announcement then, which stands until it has stored and stamped.
// L0 is the clock as it was when the drain began.
#include <random>

#include "explore.h"
enum { L = 2, PG = 2, W = 4, K = 2, N = 4, MX = 255, TORN = 250 };
struct Th {
  u8 pc, k, lsn, rd, wi;
};
struct J {
  u8 id, mask, st, w[W];
};  // st 0 none 1 written 2 forced
struct Hd {
  u8 id, L0, L1, st;
};
struct S {
  u8 clock, round, infl[L], toFlusher[L], lock, mem[W], stamp[PG], bitd[2][PG], nrec[L], fo[L], rl[L][K], rid[L][K],
      rdep[L][K], taint[L];
  Th th[L];
  u8 cpc, r, C, L0, L1, wi, mask, buf[W], B, done, trim, restarted, ver0;
  J j[2];
  Hd h[2];
  u8 img[W], pend[W], pm;
};
static u8 wm[L][K];
static int nk[L];
static bool logDirty = false, parity = false, allowRestart = false, lines = false, garbage = false, shared = false;
static int maxCk = 2;
static u8 stableOf(const S& s) {
  u8 v = 0;
  for (;;) {
    bool f = false;
    for (int l = 0; l < L; l++)
      for (int i = 0; i < s.fo[l]; i++)
        if (s.rl[l][i] == v + 1) f = true;
    if (!f) return v;
    v++;
  }
}
static void truth(const S& s, const u8 cnt[L], u8 Sx, u8 out[W]) {
  memset(out, 0, W);
  for (int l = 0; l < L; l++) {
    bool stop = false;
    for (int i = 0; i < cnt[l]; i++) {
      if (s.rl[l][i] > Sx && s.rdep[l][i] > Sx) stop = true;
      if (stop) break;
      for (int w = 0; w < W; w++)
        if ((wm[l][s.rid[l][i]] >> w & 1) && s.rl[l][i] > out[w]) out[w] = s.rl[l][i];
    }
  }
}
// recovery of one crash outcome; returns complaint or null; mem out
static const char* recover(const S& s, const u8 cnt[L], int hsel, const u8 jv[2], const u8 im[W], u8 mem[W],
                           u8* cut, u8* l0, bool* refused) {
  int best = -1;
  *refused = false;
  for (int i = 0; i < 2; i++)
    if (s.h[i].st && (s.h[i].st == 2 || (hsel >> i & 1)) && (best < 0 || s.h[i].id > s.h[best].id)) best = i;
  memcpy(mem, im, W);
  u8 L0 = 0, L1 = 0;
  if (best >= 0) {
    L0 = s.h[best].L0;
    L1 = s.h[best].L1;
    const J& j = s.j[mut("oneJournalArea") ? 0 : s.h[best].id & 1];
    if (j.id == s.h[best].id && (j.st == 2 || jv[&j - s.j])) {
      for (int w = 0; w < W; w++)
        if ((j.mask >> (w / 2) & 1) && !(lines && j.w[w] == s.img[w])) mem[w] = j.w[w];
      if (lines && !mut("pageSumUnchecked"))  // the journal has the checksum of each page with its lines in place
        for (int w = 0; w < W; w++)
          if ((j.mask >> (w / 2) & 1) && mem[w] != j.w[w]) {
            *refused = true;
            return garbage ? nullptr : "a page is refused that the journal should have repaired";
          }
    } else
      for (int w = 0; w < W; w++)
        if (mem[w] == TORN) return "header names a journal that is not there";
  }
  bool pres[32] = {};
  for (int l = 0; l < L; l++)
    for (int i = 0; i < cnt[l]; i++)
      if (s.rl[l][i] > s.trim) pres[s.rl[l][i]] = true;
  u8 Sx = L0;
  while (pres[Sx + 1]) Sx++;
  if (Sx < L1) return "cut below L1 of the checkpoint in use";
  for (int v = L0 + 1; v <= 31; v++)
    for (int l = 0; l < L; l++) {
      bool stop = false;
      for (int i = 0; i < cnt[l]; i++) {
        if (s.rl[l][i] > Sx && s.rdep[l][i] > Sx) stop = true;
        if (stop) break;
        if (s.rl[l][i] == v && v > s.trim)
          for (int w = 0; w < W; w++)
            if (wm[l][s.rid[l][i]] >> w & 1) mem[w] = v;
      }
    }
  u8 t[W];
  truth(s, cnt, Sx, t);
  *cut = Sx;
  *l0 = L0;
  if (memcmp(t, mem, W)) {
    for (int w = 0; w < W; w++)
      if (mem[w] == TORN) return "torn image page survives recovery";
    return "recovered words differ from the state at the cut";
  }
  return nullptr;
}
static const char* check(const S& s) {
  int jp = (s.j[0].st == 1) + 2 * (s.j[1].st == 1), hp = (s.h[0].st == 1) + 2 * (s.h[1].st == 1);
  for (int a = s.fo[0]; a <= s.nrec[0]; a++)
    for (int b = s.fo[1]; b <= s.nrec[1]; b++)
      for (int hs = 0; hs < 4; hs++) {
        if (hs & ~hp) continue;
        for (int js = 0; js < 4; js++) {
          if (js & ~jp) continue;
          // Of each page that is being folded: 0 old, 1 new, 2 garbage; with lines 2 and 3 are its mixtures, 4 garbage.
          int kinds = !lines ? 3 : garbage ? 5 : 4;
          int pmn = (s.pm & 1 ? kinds : 1) * (s.pm & 2 ? kinds : 1);
          for (int q = 0; q < pmn; q++) {
            u8 im[W];
            memcpy(im, s.img, W);
            int z = q;
            for (int p = 0; p < PG; p++)
              if (s.pm >> p & 1) {
                int o = z % kinds;
                z /= kinds;
                for (int i = 0; i < 2; i++) {
                  int w = 2 * p + i;
                  bool torn = o == (lines ? 4 : 2);
                  bool fresh = o == 1 || (lines && o == 2 + i);
                  im[w] = torn ? u8(TORN) : fresh ? s.pend[w] : s.img[w];
                }
              }
            u8 cnt[L] = {(u8)a, (u8)b}, jv[2] = {(u8)(js & 1), (u8)(js >> 1)}, mem[W], cut, l0;
            bool refused;
            if (const char* e = recover(s, cnt, hs, jv, im, mem, &cut, &l0, &refused)) return e;
          }
        }
      }
  return nullptr;
}
static void step(const S& s, Explorer<S>& e) {
  for (int l = 0; l < L; l++) {
    const Th& c = s.th[l];
    if (c.k >= nk[l]) continue;
    u8 m = wm[l][c.k];
    S n = s;
    Th& d = n.th[l];
    uint16_t X = l * 16 + c.pc;
    switch (c.pc) {
      case 0:
        if (s.lock & m) break;
        n.lock |= m;
        n.infl[l] = n.toFlusher[l] = s.clock;
        d.pc = 1;
        e.add(n, X);
        break;
      case 1:
        n.clock++;
        d.lsn = n.clock;
        d.pc = 2;
        if (mut("roundBeforeFaa")) {
        }
        e.add(n, X);
        break;
      case 2: {
        d.rd = s.round;
        u8 dp = s.taint[l];
        for (int w = 0; w < W; w++)
          if (m >> w & 1)
            for (int q = 0; q < L; q++)
              if (q != l)
                for (int i = 0; i < s.nrec[q]; i++)
                  if (wm[q][s.rid[q][i]] >> w & 1)
                    if (s.rl[q][i] > dp) dp = s.rl[q][i];
        int i = s.nrec[l];
        n.rl[l][i] = c.lsn;
        n.rid[l][i] = c.k;
        n.rdep[l][i] = dp;
        n.taint[l] = dp;
        n.nrec[l]++;
        if (shared) n.toFlusher[l] = MX;
        d.wi = 0;
        d.pc = mut("stampBeforeData") ? 4 : 3;
        e.add(n, X);
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
          d.pc = mut("stampBeforeData") ? 5 : 4;
        }
        e.add(n, X);
        break;
      }
      case 4: {
        int p = c.wi;
        while (p < PG && !(m >> (2 * p) & 3)) p++;
        if (p < PG) {
          if (parity)
            n.bitd[c.rd & 1][p] = 1;
          else if (mut("maskBit"))
            n.stamp[p] = 1;
          else
            n.stamp[p] = c.rd;
          d.wi = p + 1;
        } else {
          d.wi = 0;
          d.pc = mut("stampBeforeData") ? 3 : 5;
        }
        e.add(n, X);
        break;
      }
      case 5:
        n.infl[l] = n.toFlusher[l] = MX;
        n.lock &= ~m;
        d.k++;
        d.pc = d.lsn = d.rd = d.wi = 0;
        e.add(n, X);
        break;
    }
  }
  for (int l = 0; l < L; l++)
    if (s.fo[l] < s.nrec[l]) {
      S n = s;
      n.fo[l] = s.nrec[l];
      e.add(n, 100 + l);
    }
  if (s.done < maxCk) {
    S n = s;
    uint16_t X = 200 + s.cpc;
    int ar = mut("oneJournalArea") ? 0 : (s.done + 1) & 1;
    auto go = [&](int p) {
      n.cpc = p;
      e.add(n, X);
    };
    switch (s.cpc) {
      case 0:
        n.r = s.round;
        n.round = s.round + 1;
        go(1);
        break;
      case 1:
        n.C = s.clock;
        n.wi = 0;
        go(mut("noDrain") ? 3 : 2);
        break;
      case 2:
        if (s.wi == L) {
          n.wi = 0;
          go(3);
        } else if ((mut("drainByFlushers") ? s.toFlusher : s.infl)[s.wi] >= s.C) {
          n.wi++;
          go(2);
        }
        break;  // drain: every LSN <= C has stored and stamped
      case 3:
        n.B = s.clock;
        n.wi = 0;
        go(4);
        break;
      case 4:
        if (s.wi < L) {
          if (s.toFlusher[s.wi] < s.B) n.B = s.toFlusher[s.wi];
          n.wi++;
          go(4);
        } else {
          n.L0 = mut("L0isClock") ? s.clock : shared ? s.C : s.B;
          n.wi = 0;
          n.mask = 0;
          go(5);
        }
        break;
      case 5: {
        int p = s.wi / 2;
        if (s.wi == W) {
          if (mut("L0afterCopy")) {
            n.L0 = s.clock;
            for (int l = 0; l < L; l++)
              if (s.infl[l] < n.L0) n.L0 = s.infl[l];
          }
          n.L1 = mut("L1isL0") ? n.L0 : s.clock;
          n.wi = 0;
          go(6);
          break;
        }
        if (s.wi % 2 == 0) {
          bool lg = false;
          for (int l = 0; l < L; l++)
            for (int i = 0; i < s.nrec[l]; i++)
              if (s.rl[l][i] > s.trim && s.rl[l][i] <= (mut("logDirtyBelowB") ? s.B - 1 : s.B) &&
                  (wm[l][s.rid[l][i]] >> (2 * p) & 3))
                lg = true;
          bool dirty = logDirty ? lg
                       : parity ? s.bitd[s.r & 1][p] || (!mut("oldMapOnly") && s.bitd[(s.r + 1) & 1][p])
                       : mut("maskBit")        ? s.stamp[p]
                       : mut("stampOnlyEqual") ? s.stamp[p] == s.r
                                               : s.stamp[p] >= s.r;
          if (!dirty) {
            n.wi += 2;
            go(5);
            break;
          }
          n.mask |= 1 << p;
          if (parity) n.bitd[s.r & 1][p] = 0;
          if (mut("maskBit")) n.stamp[p] = 0;
        }
        n.buf[s.wi] = s.mem[s.wi];
        n.wi++;
        go(5);
        break;
      }
      case 6: {
        J& j = n.j[ar];
        j.id = s.done + 1;
        j.mask = s.mask;
        j.st = 1;
        memcpy(j.w, s.buf, W);
        go(mut("noJournalForce") ? 8 : 7);
        break;
      }
      case 7:
        n.j[ar].st = 2;
        go(mut("foldBeforeHeader") ? 10 : 8);
        break;
      case 8:
        if (!mut("headerEarly") && stableOf(s) < s.L1) break;
        {
          Hd& h = n.h[(s.done + 1) & 1];
          h.id = s.done + 1;
          h.L0 = s.L0;
          h.L1 = s.L1;
          h.st = 1;
          go(9);
        }
        break;
      case 9:
        if (!mut("noHeaderForce")) n.h[(s.done + 1) & 1].st = 2;
        if (mut("headerBeforeFoldDone")) {
          n.done++;
          n.trim = s.L0;
          n.cpc = n.wi = n.mask = n.C = n.B = 0;
          memset(n.buf, 0, W);
          e.add(n, X);
          break;
        }
        go(mut("foldBeforeHeader") ? 13 : 10);
        break;
      case 10:
      case 11: {
        int p = s.cpc - 10;
        if (s.mask >> p & 1) {
          n.pm |= 1 << p;
          n.pend[2 * p] = s.buf[2 * p];
          n.pend[2 * p + 1] = s.buf[2 * p + 1];
        }
        go(s.cpc + 1);
        break;
      }
      case 12:
        if (!mut("noFoldForce")) {
          for (int p = 0; p < PG; p++)
            if (s.pm >> p & 1) {
              n.img[2 * p] = s.pend[2 * p];
              n.img[2 * p + 1] = s.pend[2 * p + 1];
              n.pend[2 * p] = n.pend[2 * p + 1] = 0;
            }
          n.pm = 0;
        }
        go(mut("foldBeforeHeader") ? 8 : 13);
        break;
      case 13:
        n.trim = mut("trimL1") ? s.L1 : s.L0;
        n.done++;
        n.cpc = 0;
        n.wi = n.mask = n.C = n.B = 0;
        memset(n.buf, 0, W);
        e.add(n, X);
        break;
    }
  }
  if (allowRestart && !s.restarted && s.cpc == 0 &&
      s.done == 1) {  // kill and reopen: recover, mark replayed pages dirty
    u8 st = stableOf(s);
    bool idle = true;
    for (int l = 0; l < L; l++)
      if (s.th[l].pc || s.fo[l] != s.nrec[l]) idle = false;
    if (idle && st == s.clock) {
      S n = s;
      u8 jv[2] = {1, 1}, mem[W], cut, l0;
      bool refused;
      if (!recover(s, s.nrec, 3, jv, s.img, mem, &cut, &l0, &refused) && !refused) {
        memcpy(n.mem, mem, W);
        memset(n.stamp, 0, PG);
        memset(n.bitd, 0, sizeof n.bitd);
        n.round = 1;
        n.restarted = 1;
        if (!mut("noRemark"))
          for (int l = 0; l < L; l++)
            for (int i = 0; i < s.nrec[l]; i++)
              if (s.rl[l][i] > l0)
                for (int w = 0; w < W; w++)
                  if (wm[l][s.rid[l][i]] >> w & 1) {
                    n.stamp[w / 2] = 1;
                    n.bitd[1][w / 2] = 1;
                  }
        e.add(n, 300);
      }
    }
  }
}
static std::string nm(uint16_t a) {
  static const char* K1[] = {"locks, inflight=clock", "LSN=F&A",          "reads round, publishes",
                             "stores next word",      "stamps next page", "inflight=MAX, unlocks"};
  static const char* C1[] = {"publishes round+1",
                             "C=clock",
                             "waits for lane",
                             "B=clock",
                             "reads inflight / takes L0",
                             "copies next word / takes L1",
                             "writes journal",
                             "forces journal",
                             "writes header",
                             "forces header",
                             "folds page 0",
                             "folds page 1",
                             "forces image",
                             "trims"};
  if (a == 0xffff) return "";
  if (a == 300) return "restart";
  if (a >= 200) return std::string("checkpointer ") + C1[a - 200];
  if (a >= 100) return "log " + std::to_string(a - 100) + " forced";
  return "lane " + std::to_string(a / 16) + " " + K1[a % 16];
}
int main(int c, char** v) {
  int seeds = 12, from = 1;
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
    else if (a == "-parity")
      parity = true;
    else if (a == "-logdirty")
      logDirty = true;
    else if (a == "-restart")
      allowRestart = true;
    else if (a == "-shared")
      shared = true;
    else if (a == "-lines")
      lines = true;
    else if (a == "-garbage")
      garbage = true;
    else if (a == "-ck")
      maxCk = atoi(v[++i]);
    else
      return usage(v[0], "[-m MUTATION,...] [-n PROGRAMS] [-s FIRST] [-t] [-parity] [-shared] [-logdirty] [-restart] [-lines] [-garbage] [-ck N]");
  }
  Result result("ckpt", lines ? garbage ? "lines, garbage tears" : "lines"
                        : logDirty     ? "log-derived dirt"
                        : shared       ? "lanes of one partition"
                        : parity       ? "parity maps"
                        : allowRestart ? "restart"
                                       : "");
  for (int sd = from; sd < from + seeds; sd++) {
    std::mt19937 g(sd);
    nk[0] = 2;
    nk[1] = 1 + sd % 2;
    for (auto& l : wm)
      for (auto& m : l) m = 1 + g() % 15;
    S s;
    memset(&s, 0, sizeof s);
    s.round = 1;
    s.infl[0] = s.infl[1] = s.toFlusher[0] = s.toFlusher[1] = MX;
    Explorer<S> e;
    e.succ = step;
    e.check = check;
    e.name = nm;
    e.limit = 25000000;
    if (result.add(e, e.run(s), sd)) continue;
    if (tr) {
      for (int l = 0; l < L; l++)
        for (int k = 0; k < nk[l]; k++) printf("    lane %d transaction %d writes mask %d\n", l, k, wm[l][k]);
      e.trace();
    }
    return result.broken(e.bad);
  }
  return result.holds();
}
