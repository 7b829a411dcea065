// The gate that lets one irrevocable transaction commit alone.
//
// A committer that sees the gate open leases a lane and only then loads the gate again; closed, it returns the lane
// and tries again. An irrevocable transaction closes the gate with its ticket, waits until it has seen every lane
// free once, reads and commits through a lane that its ticket opens, and opens the gate. Two committers of one or two
// commits each, two irrevocable transactions, two lanes, one word of data. What an irrevocable transaction read must
// not change before its own commit stores, nobody else may be in a commit window then, and nobody may be stuck for
// ever.
//
// The flusher holds commits while the log is at its limit, twice: it sets `held`, and in each of its rounds puts a
// ticket that nobody has into an open gate, or takes it out again. An irrevocable transaction enters over that
// ticket, looks at `held` before it leases a lane, and leaves the ticket behind if it finds `held` set. Once a round
// has found the ticket in the gate, nobody finds the gate open, or goes on after a look at `held`, until `held` is
// taken back.
#include "explore.h"
enum { C = 2, I = 2, L = 2, T = C + I, HOLDS = 2, HELD_TICKET = 99 };
enum { LOOK, LEASE, GATE, STORE, RETURN, BACK_OFF };
enum { CLOSE, WAIT, READ = WAIT + L, OWN_LOOK, OWN_LEASE, OWN_GATE, OWN_STORE, OWN_RETURN, LOOK_BACK, OPEN, DONE };
enum { IDLE, ROUND, SWAP };  // of the flusher

struct Thread {
  u8 pc, k, lane, seen, early, beside;
};
struct S {
  u8 gate, lease[L], data;
  u8 held, sealed, changes, flusher;  // sealed: a round has found the gate closed by the hold
  Thread th[T];
};

static const char* check(const S& s) {
  if (s.sealed && !s.gate) return "the gate is open though the log is held";
  for (int i = C; i < T; i++) {
    const Thread& x = s.th[i];
    if (x.beside) return "an irrevocable transaction goes on though it saw the log held";
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
    case LOOK:
      if (s.gate && !mut("noGate")) return;
      d.pc = LEASE;
      break;
    case LEASE:
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
      d.pc = LOOK;
      d.lane = 0;
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
    if (s.gate && s.gate != HELD_TICKET) return;
    n.gate = t + 1;
    d.pc = mut("noWait") ? READ : WAIT;
  } else if (c.pc < READ) {
    int l = c.pc - WAIT;
    if (s.lease[l] && s.lease[l] != t + 1) return;
    d.pc++;
  } else {
    switch (c.pc) {
      case READ:
        if (!laneFirst) {  // or it reads and has nothing to commit
          S m = n;
          m.th[t].pc = LOOK_BACK;
          e.add(m, act);
        }
        d.seen = s.data;
        d.pc = laneFirst ? OWN_STORE : OWN_LOOK;
        break;
      case OWN_LOOK:
        if (s.held && !mut("irrevocableIgnoresHold")) return;
        d.beside = s.sealed;
        d.pc = OWN_LEASE;
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
        d.pc = LOOK_BACK;
        break;
      case LOOK_BACK:
        d.early = s.held && !mut("opensHeldGate");
        d.pc = OPEN;
        break;
      case OPEN:
        if (!mut("openBeforeCommit")) n.gate = c.early ? (u8)HELD_TICKET : 0;
        memset(&d, 0, sizeof d);
        d.pc = DONE;
        break;
      default:
        return;
    }
  }
  e.add(n, act);
}

static void flusher(const S& s, Explorer<S>& e) {
  S n = s;
  u8 wanted = s.held ? 0 : HELD_TICKET;  // what a round changes in the gate
  uint16_t act = 256 + s.flusher;
  switch (s.flusher) {
    case IDLE:
      if (s.changes < 2 * HOLDS) {
        S m = n;
        m.changes++;
        m.held = !s.held;
        m.sealed = 0;
        m.flusher = ROUND;
        e.add(m, 256 + 8 + m.held);
      }
      // A round that changes nothing is none; so a thread that waits for one that never comes is stuck.
      if (mut("holdsOnce") || (s.gate != wanted && !(s.held && s.gate == HELD_TICKET && !s.sealed))) return;
      n.flusher = ROUND;
      break;
    case ROUND:
      n.sealed |= s.held && s.gate == HELD_TICKET;
      n.flusher = s.gate == wanted ? SWAP : IDLE;
      break;
    default:
      if (s.gate == wanted || mut("swapsBlindly")) {
        n.gate = s.held ? (u8)HELD_TICKET : 0;
        n.sealed |= s.held;
      }
      n.flusher = IDLE;
  }
  e.add(n, act);
}

static void step(const S& s, Explorer<S>& e) {
  flusher(s, e);
  for (int t = 0; t < C; t++) committer(s, e, t);
  for (int t = C; t < T; t++) irrevocable(s, e, t);
}

static std::string name(uint16_t a) {
  static const char* K1[] = {"sees the gate open", "leases a lane", "loads the gate", "stores", "returns its lane",
                             "backs off"};
  static const char* K2[] = {"closes the gate",  "sees lane 0 free", "sees lane 1 free", "reads",
                             "looks at the hold", "leases a lane",    "passes the gate",  "stores",
                             "returns its lane", "looks at the hold", "opens the gate"};
  static const char* K3[] = {"begins a round", "loads the gate", "swaps the gate", "", "", "", "", "", "lifts the hold",
                             "begins to hold"};
  if (a == 0xffff) return "";
  if (a >= 256) return std::string("flusher ") + K3[a - 256];
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
