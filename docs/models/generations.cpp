// Incarnations: commits, flushes, SIGKILL (page cache and rings stay), power cut (unforced bytes and rings
// go), recovery whose every step may crash. Ghost: what each opening promised. A later opening must keep all
// of it and must never bring back what an earlier opening discarded.
#include "explore.h"
#ifndef NID
#define NID 4
#endif
enum { L = 2, K = 4, N = NID, MX = 255 };
struct Rec {
  u8 id, lsn, gen, dep;
};  // id 0: none
enum { G = 6 };
struct F {
  u8 gen, base, S[G], end[G][L];
};  // recovery records, one (cut, survivors' ends) per closed generation; density restarts above base
struct S {
  u8 up, clock, gen, nid, trusted, crashes, rpc, nl[L], fo[L], nr[L], rgen[L];
  Rec lg[L][K], rg[L][K];
  F fc, fd;
  u8 taint[L];
  u8 kept, gone, ack, ret, held;
  u8 rS, rbase, rend[L];
  u8 dir;
};
static bool noKill = false;
// recovered set of what is readable now; ring used iff trusted
static u8 recov(const S& s, u8& Sx, u8& base, u8 end[L], bool useRing) {
  const F& f = s.fc;
  bool pres[32] = {};
  u8 mx = f.base, kept = 0;
  Rec all[L][2 * K];
  int n[L] = {};
  for (int l = 0; l < L; l++) {
    u8 last = 0;
    for (int i = 0; i < s.nl[l]; i++) {
      all[l][n[l]++] = s.lg[l][i];
      last = s.lg[l][i].lsn;
    }
    if (useRing && (s.rgen[l] == f.gen || mut("ringGenUnchecked")))
      for (int i = 0; i < s.nr[l]; i++)
        if (s.rg[l][i].lsn > last || mut("ringGenUnchecked")) all[l][n[l]++] = s.rg[l][i];
  }
  for (int l = 0; l < L; l++)
    for (int i = 0; i < n[l]; i++) {
      Rec& r = all[l][i];
      if (r.lsn > mx) mx = r.lsn;
      bool cur = mut("noGeneration") || r.gen == f.gen;
      if (cur && r.lsn > (mut("noGeneration") ? 0 : f.base)) pres[r.lsn] = true;
      if (mut("noGeneration")) pres[r.lsn] = true;
    }
  Sx = mut("noGeneration") ? 0 : f.base;
  while (pres[Sx + 1]) Sx++;
  if (useRing && !mut("densityAfterKill")) Sx = mx;
  for (int l = 0; l < L; l++) {
    bool stop = false;
    end[l] = 0;
    for (int i = 0; i < n[l]; i++) {
      Rec& r = all[l][i];
      if (!mut("noGeneration") && r.gen < f.gen) {
        int q = mut("singleRecord") ? f.gen - 1 : r.gen;
        if (r.lsn <= f.S[q] || r.lsn <= f.end[q][l]) kept |= 1 << r.id;
        continue;
      }
      if (r.lsn > Sx && r.dep > Sx) stop = true;
      if (stop) continue;
      kept |= 1 << r.id;
      if (r.lsn > Sx) end[l] = r.lsn;
    }
  }
  base = mut("baseIsCut") ? Sx : mx;
  return kept;
}
static const char* msg;
static void step(const S& s, Explorer<S>& e) {
  if (s.up) {
    for (int l = 0; l < L; l++) {
      if (s.nid < N && s.nr[l] < K && s.nl[l] + s.nr[l] < K)
        for (int d = 0; d < 2; d++) {
          S n = s;
          n.clock++;
          Rec r = {(u8)(s.nid + 1), n.clock, s.gen, s.taint[l]};
          if (d) {
            int o = 1 - l;
            u8 m = 0;
            for (int i = 0; i < s.nr[o]; i++) m = s.rg[o][i].lsn;
            if (!m)
              for (int i = 0; i < s.nl[o]; i++)
                if (s.lg[o][i].gen == s.gen) m = s.lg[o][i].lsn;
            if (!m) continue;
            if (m > r.dep) r.dep = m;
          }
          n.taint[l] = r.dep;
          n.rg[l][n.nr[l]++] = r;
          n.nid++;
          n.ret |= 1 << r.id;
          e.add(n, 10 + l * 2 + d);
        }
      if (s.nr[l]) {
        S n = s;
        u8 la = s.nl[l] ? s.lg[l][s.nl[l] - 1].lsn : 0;
        for (int i = 0; i < s.nr[l]; i++)
          if (s.rg[l][i].lsn > la) n.lg[l][n.nl[l]++] = s.rg[l][i];
        memset(n.rg[l], 0, sizeof n.rg[l]);
        n.nr[l] = 0;
        n.fo[l] = n.nl[l];
        e.add(n, 20 + l);
      }  // flush + force
      if (s.nr[l]) {
        S n = s;
        if (s.fo[l] == s.nl[l])
          for (int i = 0; i < s.nr[l]; i++) n.lg[l][n.nl[l]++] = s.rg[l][i];
        if (n.nl[l] > s.nl[l]) e.add(n, 22 + l);
      }
    }  // batch written, not forced, ring not yet released
    if (s.clock < 8 && s.nid < N && !s.held) {
      S n = s;
      n.clock++;
      n.held = 1;
      e.add(n, 30);
    }  // a committer takes an LSN and is never heard of again
    {
      u8 Sx, b, en[L];
      S d = s;
      for (int l = 0; l < L; l++) d.nl[l] = s.fo[l];
      u8 k = recov(d, Sx, b, en, false);
      (void)k;
      S n = s;  // acknowledgements
      for (int l = 0; l < L; l++)
        for (int i = 0; i < s.fo[l]; i++)
          if (s.lg[l][i].gen == s.gen && (s.lg[l][i].lsn <= Sx || s.lg[l][i].dep <= Sx))
            n.ack |= 1 << s.lg[l][i].id;
      if (n.ack != s.ack) e.add(n, 31);
    }
  } else {
    S n = s;
    uint16_t X = 40 + s.rpc;
    switch (s.rpc) {
      case 0: {
        u8 en[L];
        u8 k = recov(s, n.rS, n.rbase, en, s.trusted);
        (void)k;
        memcpy(n.rend, en, L);
        n.rpc = 1;
        e.add(n, X);
        break;
      }
      case 1:
        if (s.trusted && !mut("noRelog"))
          for (int l = 0; l < L; l++)
            if (s.rgen[l] == s.fc.gen || mut("ringGenUnchecked")) {
              u8 last = s.nl[l] ? s.lg[l][s.nl[l] - 1].lsn : 0;
              for (int i = 0; i < s.nr[l]; i++)
                if (s.rg[l][i].lsn > last && n.nl[l] < K) n.lg[l][n.nl[l]++] = s.rg[l][i];
            }
        n.rpc = 2;
        e.add(n, X);
        break;
      case 2:
        if (!mut("noLogForce"))
          for (int l = 0; l < L; l++) n.fo[l] = s.nl[l];
        n.rpc = mut("noRecord") ? 5 : 3;
        e.add(n, X);
        break;
      case 3:
        n.fc.gen = s.fc.gen + 1;
        n.fc.S[s.fc.gen] = s.rS;
        n.fc.base = s.rbase;
        memcpy(n.fc.end[s.fc.gen], s.rend, L);
        n.rpc = 4;
        e.add(n, X);
        break;
      case 4:
        if (!mut("noRecordForce")) n.fd = s.fc;
        n.rpc = 5;
        e.add(n, X);
        break;
      case 5:
        for (int l = 0; l < L; l++) {
          n.rgen[l] = s.fc.gen;
          n.nr[l] = 0;
          memset(n.rg[l], 0, sizeof n.rg[l]);
          n.taint[l] = 0;
        }
        n.rpc = 6;
        e.add(n, X);
        break;
      case 6: {
        u8 k = 0;
        u8 a, b, en[L];
        k = recov(s, a, b, en, false);
        if (s.kept & ~k)
          msg = "an opening lost what an earlier opening served";
        else if (s.gone & k)
          msg = "an opening brought back what an earlier opening discarded";
        else if (s.ack & ~k)
          msg = "an acknowledged transaction is lost";
        else if (s.trusted && (s.ret & ~k))
          msg = "kill: a returned commit is lost";
        else
          msg = nullptr;
        if (msg) {
          n.dir = 9;
          e.add(n, X);
          break;
        }
        n.kept |= k;
        for (int i = 1; i <= s.nid; i++)
          if (!(k >> i & 1)) n.gone |= 1 << i;
        n.ret &= k;
        n.up = 1;
        n.rpc = 0;
        n.gen = s.fc.gen;
        n.clock = mut("baseIsCut") ? s.fc.base : mut("noRecord") ? s.rbase : s.fc.base;
        n.held = 0;
        n.rS = n.rbase = 0;
        memset(n.rend, 0, L);
        e.add(n, X);
        break;
      }
    }
  }
  if (s.crashes < 3) {
    if (!noKill) {
      S n = s;
      n.crashes++;
      n.up = 0;
      n.rpc = 0;
      n.rS = n.rbase = 0;
      memset(n.rend, 0, L);
      n.trusted = (s.up || s.trusted);
      e.add(n, 50);
    }
    for (int m = 0; m < 8; m++) {
      S n = s;
      n.crashes++;
      n.up = 0;
      n.rpc = 0;
      n.trusted = 0;
      n.rS = n.rbase = 0;
      memset(n.rend, 0, L);
      for (int l = 0; l < L; l++) {
        int keep = (m >> l & 1) ? s.nl[l] : s.fo[l];
        for (int i = keep; i < K; i++) n.lg[l][i] = Rec{0, 0, 0, 0};
        n.nl[l] = n.fo[l] = keep;
        n.nr[l] = 0;
        memset(n.rg[l], 0, sizeof n.rg[l]);
      }
      if (m & 4)
        n.fd = s.fc;
      else
        n.fc = s.fd;
      e.add(n, 60 + m);
    }
  }
}
static const char* check(const S& s) {
  return s.dir == 9 ? "see trace: promise broken at an opening" : nullptr;
}
static std::string nm(uint16_t a) {
  if (a >= 60 && a < 70) return "POWER CUT (unforced bytes kept: mask " + std::to_string(a - 60) + ")";
  if (a == 50) return "SIGKILL";
  if (a >= 40) {
    static const char* K1[] = {
        "recovery reads",         "re-logs ring records", "forces logs", "writes recovery record",
        "forces recovery record", "resets rings",         "opens"};
    return K1[a - 40];
  }
  if (a == 31) return "acknowledges";
  if (a == 30) return "LSN taken, never published";
  if (a >= 22) return "batch written, unforced, lane " + std::to_string(a - 22);
  if (a >= 20) return "lane forced " + std::to_string(a - 20);
  if (a >= 10)
    return "commit lane " + std::to_string((a - 10) / 2) + ((a & 1) ? " reading the other lane" : "");
  return "";
}
int main(int c, char** v) {
  bool tr = false;
  for (int i = 1; i < c; i++) {
    std::string a = v[i];
    if (a == "-m")
      MUTATIONS = v[++i];
    else if (a == "-t")
      tr = true;
    else if (a == "-nokill")
      noKill = true;
    else
      return usage(v[0], "[-m MUTATION,...] [-t] [-nokill]");
  }
  S s;
  memset(&s, 0, sizeof s);
  s.up = 1;
  s.gen = 1;
  s.fc.gen = s.fd.gen = 1;
  s.rgen[0] = s.rgen[1] = 1;
  Explorer<S> e;
  e.succ = step;
  e.check = check;
  e.name = nm;
  e.limit = 30000000;
  Result result("generations", noKill ? "no kills" : "");
  if (result.add(e, e.run(s), 1)) return result.holds();
  if (tr) e.trace();
  return result.broken(msg ? msg : e.bad);
}
