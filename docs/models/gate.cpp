// The gate that lets one irrevocable transaction commit alone.
//
// A committer leases a lane and only then loads the gate; closed, it returns the lane and tries again. An irrevocable
// transaction closes the gate with its ticket, waits until it has seen every lane free once, reads and commits
// through a lane that its ticket opens, and opens the gate. Two committers of one or two commits each, two irrevocable
// transactions, two lanes, one word of data. What an irrevocable transaction read must not change before its own
// commit stores, nobody else may be in a commit window then, and nobody may be stuck for ever.
#include "explore.h"
enum { C = 2, I = 2, L = 2, T = C + I };
enum { LEASE, GATE, STORE, RETURN, BACK_OFF };
enum { CLOSE, WAIT, READ = WAIT + L, OWN_LEASE, OWN_GATE, OWN_STORE, OWN_RETURN, OPEN, DONE };

struct Thread {
  u8 pc, k, lane, seen, early;
};
struct S {
  u8 gate, lease[L], data;
  Thread th[T];
};

static const char* check(const S& s) {
  for (int i = C; i < T; i++) {
    const Thread& x = s.th[i];
    if (x.pc < OWN_LEASE || x.pc > OWN_STORE) continue;
    if (s.data != x.seen) return "what the irrevocable transaction read has changed";
    for (int t = 0; t < T; t++)
      if (t != i && (t < C ? s.th[t].pc == STORE : s.th[t].pc == OWN_STORE))
        return "another commit is under way beside the irrevocable transaction";
  }
  return nullptr;
}

static bool final(const S& s) {
  for (int t = 0; t < T; t++)
    if (t < C ? s.th[t].k < 2 : s.th[t].pc != DONE) return false;
  return true;
}

static void committer(const S& s, Explorer<S>& e, int t) {
  const Thread& c = s.th[t];
  if (c.k >= 2) return;
  S n = s;
  Thread& d = n.th[t];
  uint16_t act = t * 16 + c.pc;
  switch (c.pc) {
    case LEASE:
      if (mut("gateBeforeLease") && !c.early) {
        if (s.gate) return;
        d.early = 1;
        e.add(n, t * 16 + GATE);
        return;
      }
      for (int l = 0; l < L; l++)
        if (!s.lease[l]) {
          S m = n;
          m.lease[l] = t + 1;
          m.th[t].lane = l;
          m.th[t].pc = mut("gateBeforeLease") || mut("noGate") ? STORE : GATE;
          e.add(m, act);
        }
      return;
    case GATE:
      d.pc = s.gate ? BACK_OFF : STORE;
      break;
    case STORE:
      n.data++;
      d.pc = RETURN;
      break;
    case RETURN:
    case BACK_OFF:
      n.lease[c.lane] = 0;
      d.k = c.k + (c.pc == RETURN);
      d.pc = LEASE;
      d.lane = d.early = 0;
      break;
  }
  e.add(n, act);
}

static void irrevocable(const S& s, Explorer<S>& e, int t) {
  const Thread& c = s.th[t];
  S n = s;
  Thread& d = n.th[t];
  uint16_t act = 128 + t * 16 + c.pc;
  bool laneFirst = mut("laneBeforeGate");
  if (laneFirst && c.pc == CLOSE && !c.early) {
    for (int l = 0; l < L; l++)
      if (!s.lease[l]) {
        S m = n;
        m.lease[l] = t + 1;
        m.th[t].lane = l;
        m.th[t].early = 1;
        e.add(m, 128 + t * 16 + OWN_LEASE);
      }
    return;
  }
  if (c.pc == CLOSE) {
    if (s.gate) return;
    n.gate = t + 1;
    d.pc = mut("noWait") ? READ : WAIT;
  } else if (c.pc < READ) {
    int l = c.pc - WAIT;
    if (s.lease[l] && s.lease[l] != t + 1) return;
    d.pc++;
  } else {
    switch (c.pc) {
      case READ:
        d.seen = s.data;
        d.pc = laneFirst ? OWN_STORE : OWN_LEASE;
        break;
      case OWN_LEASE:
        for (int l = 0; l < L; l++)
          if (!s.lease[l]) {
            S m = n;
            m.lease[l] = t + 1;
            m.th[t].lane = l;
            m.th[t].pc = OWN_GATE;
            e.add(m, act);
          }
        return;
      case OWN_GATE:  // its own ticket lets it pass
        if (s.gate != t + 1) return;
        d.pc = OWN_STORE;
        if (mut("openBeforeCommit")) n.gate = 0;
        break;
      case OWN_STORE:
        n.data++;
        d.pc = OWN_RETURN;
        break;
      case OWN_RETURN:
        n.lease[c.lane] = 0;
        d.pc = OPEN;
        break;
      case OPEN:
        if (!mut("openBeforeCommit")) n.gate = 0;
        memset(&d, 0, sizeof d);
        d.pc = DONE;
        break;
      default:
        return;
    }
  }
  e.add(n, act);
}

static void step(const S& s, Explorer<S>& e) {
  for (int t = 0; t < C; t++) committer(s, e, t);
  for (int t = C; t < T; t++) irrevocable(s, e, t);
}

static std::string name(uint16_t a) {
  static const char* K1[] = {"leases a lane", "loads the gate", "stores", "returns its lane", "backs off"};
  static const char* K2[] = {"closes the gate", "sees lane 0 free", "sees lane 1 free", "reads",        "leases a lane",
                             "passes the gate", "stores",           "returns its lane", "opens the gate"};
  if (a == 0xffff) return "";
  if (a >= 128) return "irrevocable " + std::to_string((a - 128) / 16) + " " + K2[a % 16];
  return "committer " + std::to_string(a / 16) + " " + K1[a % 16];
}

int main(int argc, char** argv) {
  bool trace = false;
  for (int i = 1; i < argc; i++) {
    std::string a = argv[i];
    if (a == "-m") MUTATIONS = argv[++i];
    else if (a == "-t") trace = true;
    else return usage(argv[0], "[-m MUTATION,...] [-t]");
  }
  Result result("gate", "");
  S s;
  memset(&s, 0, sizeof s);
  Explorer<S> e;
  e.succ = step;
  e.check = check;
  e.name = name;
  e.final = final;
  if (result.add(e, e.run(s), 1)) return result.holds();
  if (trace) e.trace();
  return result.broken(e.bad);
}
