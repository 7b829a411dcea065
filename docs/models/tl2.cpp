// Word STM: every load of a read (orec, data, orec), every lock, the F&A, validation and every store is its
// own step. Judged when all threads are done: strict serializability in LSN order for committed writers, and
// opacity for every attempt, aborted ones too.
#include <random>

#include "explore.h"
enum { T = 3, W = 3, A = 2, NR = 3, MX = 255 };
struct At {
  u8 st, lsn, rvBeg, nr, rw[NR], rval[NR];
};  // st: 0 unused, 1 running, 2 aborted, 3 committed, 4 read-only done
struct Th {
  u8 pc, a, rv, op, o1, dv, lsn, lockd, wi, nrs, rsw[NR], rsv[NR], old[W], nv;
};
struct S {
  u8 clock, maxRet, orec[W], lk[W], data[W];
  Th th[T];
  At at[T][A];
};
struct P {
  u8 n, rd[NR], wrm, ext;
};
static P prog[T];
static void reset(Th& d, u8 keepA) {
  memset(&d, 0, sizeof d);
  d.a = keepA;
}
// data written by LSN n is n; version 0 data 0
static void step(const S& s, Explorer<S>& e) {
  for (int t = 0; t < T; t++) {
    const Th& c = s.th[t];
    if (c.a >= A) continue;
    const P& p = prog[t];
    S n = s;
    Th& d = n.th[t];
    At& h = n.at[t][c.a];
    uint16_t X = t * 32 + c.pc;
    auto abort = [&]() {
      h.st = 2;
      for (int w = 0; w < W; w++)
        if (n.lk[w] == t + 1) n.lk[w] = 0;
      u8 a = c.a + 1;
      reset(d, a);
    };
    switch (c.pc) {
      case 0:  // with any snapshot that the thread may remember, however old
        h.st = 1;
        h.rvBeg = s.maxRet;
        d.pc = p.n ? 1 : 5;
        for (u8 rv = 0; rv < s.clock; rv++) {
          d.rv = rv;
          e.add(n, X);
        }
        d.rv = s.clock;
        break;
      case 1: {
        int w = p.rd[c.op];
        if (s.lk[w] && !mut("readIgnoresLock")) {
          if (s.lk[w] != 0) {
            abort();
            break;
          }
        }
        d.o1 = s.orec[w];
        d.pc = 2;
        break;
      }
      case 2:
        d.dv = s.data[p.rd[c.op]];
        d.pc = 3;
        break;
      case 3: {
        int w = p.rd[c.op];
        if ((s.lk[w] && !mut("readIgnoresLock")) || (s.orec[w] != c.o1 && !mut("noReread"))) {
          if (mut("noReread"))
            ;
          else {
            abort();
            break;
          }
        }
        if (c.o1 > c.rv && !mut("noVersionCheck")) {
          if (!p.ext) {
            abort();
            break;
          }
          d.nv = mut("extendClockAfter") ? 0 : s.clock;
          d.wi = 0;
          d.pc = 4;
          break;
        }
        d.rsw[c.nrs] = w;
        d.rsv[c.nrs] = c.o1;
        d.nrs++;
        h.rw[h.nr] = w;
        h.rval[h.nr] = c.dv;
        h.nr++;
        d.op++;
        d.pc = d.op < p.n ? 1 : p.wrm ? 5 : 12;
        break;
      }
      case 4:  // extension: validate one entry per step, then adopt the clock read BEFORE validation; then
               // retry the read
        if (c.wi < c.nrs && !mut("extendNoValidate")) {
          int w = c.rsw[c.wi];
          if (s.lk[w] || s.orec[w] != c.rsv[c.wi]) {
            abort();
            break;
          }
          d.wi++;
          break;
        }
        d.rv = mut("extendClockAfter") ? s.clock : c.nv;
        d.nv = 0;
        d.wi = 0;
        d.pc = 1;
        break;
      case 5: {
        int w = c.wi;
        if (w == W) {
          d.wi = 0;
          d.pc = mut("lsnAfterValidate") ? 7 : 6;
          break;
        }  // lock in address order, try-lock
        if (p.wrm >> w & 1) {
          if (s.lk[w]) {
            abort();
            break;
          }
          n.lk[w] = t + 1;
          d.old[w] = s.orec[w];
        }
        d.wi++;
        break;
      }
      case 6:
        n.clock++;
        d.lsn = n.clock;
        h.lsn = d.lsn;
        d.wi = 0;
        if (mut("lsnAfterValidate")) {
          d.pc = 8;
          break;
        }
        d.pc = (c.rv + 1 == d.lsn || (mut("skipTooEager") && c.rv + 2 >= d.lsn)) ? 8 : 7;
        break;
      case 7:
        if (c.wi < c.nrs) {
          int w = c.rsw[c.wi];
          u8 v = s.lk[w] == t + 1 ? c.old[w] : s.orec[w];
          bool other = s.lk[w] && s.lk[w] != t + 1;
          if (mut("validateIgnoresLock")) other = false;
          if (mut("validateOwnLockBlind") && s.lk[w] == t + 1) v = c.rsv[c.wi];
          if (other || v != c.rsv[c.wi]) {
            abort();
            break;
          }
          d.wi++;
          break;
        }
        d.wi = 0;
        d.pc = mut("lsnAfterValidate") ? 6 : 8;
        break;
      case 8: {
        int w = c.wi;
        if (w == W) {
          d.wi = 0;
          d.pc = 9;
          break;
        }
        if (p.wrm >> w & 1) {
          n.data[w] = c.lsn;
          if (mut("releaseEarly")) {
          }
        }
        d.wi++;
        break;
      }
      case 9: {
        int w = c.wi;
        if (w == W) {
          h.st = 3;
          if (c.lsn > n.maxRet) n.maxRet = c.lsn;
          u8 a = A;
          reset(d, a);
          break;
        }
        if (p.wrm >> w & 1) {
          n.orec[w] = c.lsn;
          n.lk[w] = 0;
        }
        d.wi++;
        break;
      }
      case 12:
        h.st = 4;
        {
          u8 a = A;
          reset(d, a);
        }
        break;
    }
    e.add(n, X);
  }
}
static const char* check(const S& s) {
  for (int t = 0; t < T; t++)
    for (int a = 0; a < A; a++) {
      const At& h = s.at[t][a];
      if (!h.nr && h.st != 3) continue;
      // only judge when every transaction holding an LSN is settled (committed or aborted)
      bool open = false;
      for (int q = 0; q < T; q++)
        for (int b = 0; b < A; b++)
          if (s.at[q][b].st == 1 && s.at[q][b].lsn) open = true;
      if (open) return nullptr;
      auto val = [&](int k, int w) {
        int v = 0;
        for (int q = 0; q < T; q++)
          for (int b = 0; b < A; b++) {
            const At& o = s.at[q][b];
            if (o.st == 3 && o.lsn <= k && (prog[q].wrm >> w & 1) && o.lsn > v) v = o.lsn;
          }
        return v;
      };
      if (h.st == 3) {
        for (int i = 0; i < h.nr; i++)
          if (val(h.lsn - 1, h.rw[i]) != h.rval[i])
            return "committed writer: its reads are not the state just before its LSN";
        if (h.rvBeg >= h.lsn) return "LSN order contradicts real time";
      } else {
        bool ok = false;
        for (int k = h.rvBeg; k <= s.clock && !ok; k++) {
          ok = true;
          for (int i = 0; i < h.nr; i++)
            if (val(k, h.rw[i]) != h.rval[i]) ok = false;
        }
        if (!ok)
          return h.st == 4 ? "read-only transaction saw a state of no LSN prefix"
                           : "running or aborted attempt saw a state of no LSN prefix (opacity)";
      }
    }
  return nullptr;
}
static std::string nm(uint16_t a) {
  static const char* K[] = {
      "begins: rv<=clock","loads orec",    "loads data", "re-loads orec, checks version",
      "extends",          "locks next",    "LSN=F&A",    "validates next",
      "stores next",      "releases next", "",           "",
      "read-only ends"};
  if (a == 0xffff) return "";
  return "thread " + std::to_string(a / 32) + " " + K[a % 32];
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
  Result result("tl2", "");
  for (int sd = from; sd < from + seeds; sd++) {
    std::mt19937 g(sd);
    memset(prog, 0, sizeof prog);
    for (int t = 0; t < T; t++) {
      P& p = prog[t];
      p.n = g() % 3 + (t == 2);
      if (p.n > 2 && t != 2) p.n = 2;
      u8 perm[3] = {0, 1, 2};
      for (int i = 2; i; i--) std::swap(perm[i], perm[g() % (i + 1)]);
      for (int i = 0; i < p.n; i++) p.rd[i] = perm[i];
      p.wrm = t == 2 && g() % 3 ? 0 : 1 + g() % 7;
      if (t < 2 && p.wrm == 7) p.wrm = 3;
      p.ext = g() % 2;
      if (!p.wrm && !p.n) {
        p.n = 2;
        p.rd[0] = 0;
        p.rd[1] = 1;
      }
    }
    S s;
    memset(&s, 0, sizeof s);
    Explorer<S> e;
    e.succ = step;
    e.check = check;
    e.name = nm;
    e.limit = 20000000;
    if (result.add(e, e.run(s), sd)) continue;
    if (tr) {
      for (int t = 0; t < T; t++) {
        printf("    thread %d reads", t);
        for (int i = 0; i < prog[t].n; i++) printf(" w%d", prog[t].rd[i]);
        printf(" writes mask %d%s\n", prog[t].wrm, prog[t].ext ? " extends" : "");
      }
      e.trace();
    }
    return result.broken(e.bad);
  }
  return result.holds();
}
