// Waiting for the stable LSN: who wakes whom, without time-outs.
//
// A waiter publishes its record, hands itself over through a queue, loads `parked` and unparks the flusher if that is
// set, reads `stable` again and parks. The flusher runs rounds while somebody is in the queue or was taken out and is
// not covered yet; else it sets `parked`, looks again and parks. After each round it stores `stable`, takes
// everybody out of the queue and unparks those whose LSN is covered. Enqueueing takes two steps, as in a real
// multi-producer queue: a producer claims a slot and fills it later; poll() waits for a claimed slot to be filled.
// A waiter that spins first (mutation of no consequence: spinFirst) raises `wanted` to its LSN and looks at `parked`
// before, and queues up after; the flusher runs rounds while wanted > stable, too.
// Nobody may sleep for ever, that is, with time-outs, oversleep. Memory is sequentially consistent here: the two
// Dekker patterns inside (queue or wanted/parked and queue/stable) are litmus tests wake_* and waiter_*.
#include "explore.h"
enum { N = 3 };
enum { PUBLISH, RAISE, LOOK, CLAIM, FILL, REREAD, SLEEP, DONE };
enum { CHECK, TAIL, FORCE, STABLE, POLL, PARK, RECHECK, ASLEEP };

struct Waiter {
  u8 pc, slot, permit, queued;
};
struct S {
  u8 published, wanted, stable, parked, claimed, slot[N];  // slot: 0 not filled, else waiter + 1
  u8 fpc, tail, taken, heap, permit;                       // heap: bit per waiter that the flusher knows
  Waiter w[N];
};

static const char* check(const S&) { return nullptr; }

static bool final(const S& s) {
  for (const Waiter& w : s.w)
    if (w.pc != DONE) return false;
  return true;
}

// The step after one.
static u8 after(u8 pc, bool spun) {
  switch (pc) {
    case PUBLISH:
      return mut("spinFirst") ? RAISE : mut("lookBeforeQueue") ? LOOK : CLAIM;
    case RAISE:
      return LOOK;
    case LOOK:
      return mut("lookBeforeQueue") || !spun ? CLAIM : mut("noReread") ? SLEEP : REREAD;
    case CLAIM:
      return FILL;
    default:  // FILL
      return !mut("lookBeforeQueue") ? LOOK : mut("noReread") ? SLEEP : REREAD;
  }
}

// Whether the flusher may not sleep.
static bool isWanted(const S& s) {
  return s.claimed > s.taken || (s.heap && !mut("heapForgotten")) || s.wanted > s.stable;
}

static void waiter(const S& s, Explorer<S>& e, int i) {
  const Waiter& c = s.w[i];
  S n = s;
  Waiter& d = n.w[i];
  u8 lsn = i + 1;
  switch (c.pc) {
    case PUBLISH:
      n.published = std::max(s.published, lsn);
      d.pc = after(PUBLISH, false);
      break;
    case RAISE:
      n.wanted = std::max(s.wanted, lsn);
      d.pc = after(RAISE, false);
      break;
    case LOOK:
      if (s.parked) n.permit = 1;
      d.pc = after(LOOK, c.queued);
      break;
    case CLAIM:
      d.slot = n.claimed++;
      d.queued = 1;
      d.pc = after(CLAIM, true);
      break;
    case FILL:
      n.slot[c.slot] = i + 1;
      d.pc = after(FILL, true);
      break;
    case REREAD:
      d.pc = s.stable >= lsn ? DONE : SLEEP;
      break;
    case SLEEP:
      if (!c.permit) return;
      d.permit = 0;
      d.pc = REREAD;
      break;
    default:
      return;
  }
  if (d.pc == DONE) d.permit = d.queued = d.slot = 0;
  e.add(n, i * 16 + c.pc);
}

static void flusher(const S& s, Explorer<S>& e) {
  S n = s;
  switch (s.fpc) {
    case CHECK:
      n.fpc = isWanted(s) ? TAIL : PARK;
      break;
    case TAIL:
      n.tail = s.published;
      n.fpc = FORCE;
      break;
    case FORCE:
      n.fpc = mut("queueBeforeStable") ? POLL : STABLE;
      break;
    case STABLE:
      n.stable = s.tail;
      n.fpc = mut("queueBeforeStable") ? CHECK : POLL;
      break;
    case POLL:
      if (s.taken < s.claimed) {
        if (!s.slot[s.taken] && !mut("relaxedPoll")) return;  // poll() spins until the producer has filled it
        if (s.slot[s.taken]) {
          n.heap |= 1 << (s.slot[s.taken] - 1);
          n.taken++;
          break;
        }
      }
      for (int i = 0; i < N; i++)
        if ((s.heap >> i & 1) && i + 1 <= (mut("queueBeforeStable") ? s.tail : s.stable)) {
          n.heap &= ~(1 << i);
          if (s.w[i].pc != DONE) n.w[i].permit = 1;
        }
      n.fpc = mut("queueBeforeStable") ? STABLE : CHECK;
      break;
    case PARK:
      n.parked = 1;
      n.fpc = mut("noRecheck") ? ASLEEP : RECHECK;
      break;
    case RECHECK:
      if (isWanted(s)) {
        n.parked = 0;
        n.fpc = TAIL;
      } else {
        n.fpc = ASLEEP;
      }
      break;
    case ASLEEP:
      if (!s.permit) return;
      n.permit = n.parked = 0;
      n.fpc = CHECK;
      break;
  }
  e.add(n, 128 + s.fpc);
}

static void step(const S& s, Explorer<S>& e) {
  for (int i = 0; i < N; i++) waiter(s, e, i);
  flusher(s, e);
}

static std::string name(uint16_t a) {
  static const char* K1[] = {"publishes", "raises wanted", "looks at parked", "claims a slot",
                             "fills it",  "reads stable",  "wakes up"};
  static const char* K2[] = {"looks who waits",   "reads tails", "writes and forces", "stores stable",
                             "takes waiters out", "sets parked", "looks again",       "wakes up"};
  if (a == 0xffff) return "";
  return a >= 128 ? std::string("flusher ") + K2[a - 128] : "waiter " + std::to_string(a / 16) + " " + K1[a % 16];
}

int main(int argc, char** argv) {
  bool trace = false;
  for (int i = 1; i < argc; i++) {
    std::string a = argv[i];
    if (a == "-m") MUTATIONS = argv[++i];
    else if (a == "-t") trace = true;
    else return usage(argv[0], "[-m MUTATION,...] [-t]");
  }
  Result result("wake", "");
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
