"""The orderings that the protocol leans on, as litmus tests (docs/protocol.md, section 7).

Each says what is wanted of its outcome: N, it must never be observed; S, it can be observed, which shows that
the ordering left out in this variant is needed. Registers of the AArch64 tests: X1..X4 point to x, y, c, z;
X5 = 1 and X8 = 2 are set up by the harness.
"""

FAA = "LDADDAL X5,X6,[X3]"      # a fetch-and-add of a JVM that uses the LSE instructions


def llsc(location="X3", value="X5", result="X6", status="W9"):
    """An atomic update as a JVM without LSE emits it: one load-exclusive, store-exclusive pair."""
    return [f"LDAXR {result},[{location}]", f"STLXR {status},{value},[{location}]"]


TESTS = []      # (name, architecture, wanted, threads, condition, initial values)


def a(name, want, threads, condition):
    TESTS.append((name, "AArch64", want, [["MOV X5,#1", "MOV X8,#2"] + t for t in threads], condition, {}))


def x(name, want, threads, condition, init=None):
    TESTS.append((name, "x86", want, threads, condition, init or {}))


ok = "1:X6=1 /\\ 1:X7=0"
# x=inflight (1 = announced), c=clock. Flusher must not see the new clock without the announcement.
a("cut_announce_LSE", "N", [["STR X5,[X1]", FAA], ["LDAR X6,[X3]", "LDR X7,[X1]"]], ok)
a("cut_announce_LLSC", "N", [["STR X5,[X1]"] + llsc(), ["LDAR X6,[X3]", "LDR X7,[X1]"]], ok + " /\\ 0:X9=0")
a("cut_announce_relaxedFAA", "S", [["STR X5,[X1]", "LDADD X5,X6,[X3]"], ["LDAR X6,[X3]", "LDR X7,[X1]"]], ok)
a("cut_flusherOpaqueClock", "S", [["STR X5,[X1]", FAA], ["LDR X6,[X3]", "LDR X7,[X1]"]], ok)
x("cut_announce_x86", "N",
  [["MOV [x],$1", "MOV EAX,$1", "XCHG [c],EAX"], ["MOV EAX,[c]", "MOV EBX,[x]"]],
  "1:EAX=1 /\\ 1:EBX=0")
# record y, tail z, inflight x (1 = MAX again)
a("publish_release", "N",
  [["STR X5,[X2]", "STLR X5,[X4]", "STLR X5,[X1]"], ["LDAR X6,[X1]", "LDAR X7,[X4]", "LDR X10,[X2]"]],
  "1:X6=1 /\\ (1:X7=0 \\/ 1:X10=0)")
a("publish_opaqueInflight", "S",
  [["STR X5,[X2]", "STLR X5,[X4]", "STR X5,[X1]"], ["LDAR X6,[X1]", "LDAR X7,[X4]", "LDR X10,[X2]"]],
  "1:X6=1 /\\ (1:X7=0 \\/ 1:X10=0)")
# Dekker between a committer (announce, F&A, load round y) and a checkpointer (store round y, load inflight x)
dk = "0:X7=0 /\\ 1:X7=0"
a("round_LSE_opaque", "N", [["STR X5,[X1]", FAA, "LDR X7,[X2]"], ["STR X5,[X2]", "DMB ISH", "LDR X7,[X1]"]], dk)
a("round_LLSC_opaque", "S",
  [["STR X5,[X1]"] + llsc() + ["LDR X7,[X2]"], ["STR X5,[X2]", "DMB ISH", "LDR X7,[X1]"]],
  dk + " /\\ 0:X9=0")
a("round_LLSC_volatile", "N",
  [["STLR X5,[X1]"] + llsc() + ["LDAR X7,[X2]"], ["STLR X5,[X2]", "LDAR X7,[X1]"]],
  dk + " /\\ 0:X9=0")
a("round_LLSC_releaseAnnounce_volatileRound_noneOther", "N",
  [["STLR X5,[X1]"] + llsc() + ["LDAR X7,[X2]"], ["STR X5,[X2]", "DMB ISH", "LDR X7,[X1]"]],
  dk + " /\\ 0:X9=0")
a("round_checkpointerNoFence", "S", [["STR X5,[X1]", FAA, "LDR X7,[X2]"], ["STLR X5,[X2]", "LDR X7,[X1]"]], dk)
x("round_x86", "N",
  [["MOV [x],$1", "MOV EAX,$1", "XCHG [c],EAX", "MOV EBX,[y]"], ["MOV [y],$1", "MFENCE", "MOV EBX,[x]"]],
  "0:EBX=0 /\\ 1:EBX=0")
x("round_x86_checkpointerNoFence", "S",
  [["MOV [x],$1", "MOV EAX,$1", "XCHG [c],EAX", "MOV EBX,[y]"], ["MOV [y],$1", "MOV EBX,[x]"]],
  "0:EBX=0 /\\ 1:EBX=0")
# Fence-free alternative: checkpointer meets committers on the clock itself (RMW). Committer after it in clock order must see the round.
a("round_rmwOnClock_LSE", "N",
  [["LDADDAL X5,X6,[X3]", "LDR X7,[X2]"], ["STR X5,[X2]", "LDADDAL X8,X6,[X3]"]],
  "0:X6=2 /\\ 0:X7=0")
a("round_rmwOnClock_LLSC", "N",
  [["LDAXR X6,[X3]", "STLXR W9,X5,[X3]", "LDR X7,[X2]"], ["STR X5,[X2]", "LDAXR X10,[X3]", "STLXR W9,X8,[X3]"]],
  "0:X6=2 /\\ 0:X7=0")
# ... and a committer before it must be seen in flight or done (x = announce)
a("round_rmwOnClock_before", "N",
  [["STR X5,[X1]", "LDAXR X6,[X3]", "STLXR W9,X5,[X3]"], ["LDAXR X6,[X3]", "STLXR W9,X8,[X3]", "LDR X7,[X1]"]],
  "1:X6=1 /\\ 1:X7=0")
# checkpoint: racy copy reads data y, then L1 = clock c
l1 = "1:X7=1 /\\ 1:X6=0"
a("L1_acquireFence_LSE", "N", [[FAA, "STR X5,[X2]"], ["LDR X7,[X2]", "DMB ISHLD", "LDR X6,[X3]"]], l1)
a("L1_volatileLoadOnly_LSE", "S", [[FAA, "STR X5,[X2]"], ["LDR X7,[X2]", "LDAR X6,[X3]"]], l1)
a("L1_acquireFence_LLSC_noStoreFence", "S",
  [llsc() + ["STR X5,[X2]"], ["LDR X7,[X2]", "DMB ISHLD", "LDR X6,[X3]"]],
  l1 + " /\\ 0:X9=0")
a("L1_acquireFence_LLSC_storeStore", "N",
  [llsc() + ["DMB ISHST", "STR X5,[X2]"], ["LDR X7,[X2]", "DMB ISHLD", "LDR X6,[X3]"]],
  l1 + " /\\ 0:X9=0")
x("L1_x86", "N",
  [["MOV EAX,$1", "XCHG [c],EAX", "MOV [y],$1"], ["MOV EAX,[y]", "MOV EBX,[c]"]],
  "1:EAX=1 /\\ 1:EBX=0")
# STM read: orec x (0 free, 1 locked), data y
rd = "1:X6=0 /\\ 1:X7=1 /\\ 1:X10=0"
a("read_full_LSE", "N",
  [["SWPAL X5,X6,[X1]", "DMB ISHST", "STR X5,[X2]", "STLR X8,[X1]"], ["LDAR X6,[X1]", "LDR X7,[X2]", "DMB ISHLD", "LDR X10,[X1]"]],
  rd)
a("read_full_LLSC", "N",
  [llsc("X1") + ["DMB ISHST", "STR X5,[X2]", "STLR X8,[X1]"], ["LDAR X6,[X1]", "LDR X7,[X2]", "DMB ISHLD", "LDR X10,[X1]"]],
  rd + " /\\ 0:X9=0")
a("read_noAcquireFence", "S",
  [["SWPAL X5,X6,[X1]", "DMB ISHST", "STR X5,[X2]", "STLR X8,[X1]"], ["LDAR X6,[X1]", "LDR X7,[X2]", "LDAR X10,[X1]"]],
  rd)
a("read_LLSC_noStoreFence", "S",
  [llsc("X1") + ["STR X5,[X2]", "STLR X8,[X1]"], ["LDAR X6,[X1]", "LDR X7,[X2]", "DMB ISHLD", "LDR X10,[X1]"]],
  rd + " /\\ 0:X9=0")
# begin: rv = clock c; then a read must not find the orec x still free
a("begin_acquire", "N", [["SWPAL X5,X6,[X1]", FAA], ["LDAR X6,[X3]", "LDAR X7,[X1]"]], ok)
a("begin_opaque", "S", [["SWPAL X5,X6,[X1]", FAA], ["LDR X6,[X3]", "LDR X7,[X1]"]], ok)
# validation: own lock (x) taken, F&A, then load of another orec y; the mirror committer locks y and validates x: not both may see the other free
vl = "0:X7=0 /\\ 1:X7=0"
a("validate_LSE", "N", [["SWPAL X5,X6,[X1]", FAA, "LDR X7,[X2]"], ["SWPAL X5,X6,[X2]", FAA, "LDR X7,[X1]"]], vl)
a("validate_LLSC_lock_and_faa", "N",
  [llsc("X1", result="X10") + ["LDADDAL X5,X6,[X3]", "LDR X7,[X2]"], llsc("X2", result="X10") + ["LDADDAL X5,X6,[X3]", "LDR X7,[X1]"]],
  vl + " /\\ 0:X9=0 /\\ 1:X9=0")
a("validate_LLSC_all_opaque", "N",
  [llsc("X1", result="X10") + ["LDAXR X6,[X3]", "STLXR W11,X5,[X3]", "LDR X7,[X2]"], llsc("X2", result="X10") + ["LDAXR X6,[X3]", "STLXR W11,X8,[X3]", "LDR X7,[X1]"]],
  vl + " /\\ 0:X9=0 /\\ 1:X9=0 /\\ 0:X11=0 /\\ 1:X11=0")
# last committer out wakes a parked flusher: x=inflight/tail news, y=parked
a("park_releaseThenLoad", "S", [["STLR X5,[X1]", "LDR X7,[X2]"], ["STR X5,[X2]", "DMB ISH", "LDR X7,[X1]"]], dk)
a("park_fullFence", "N",
  [["STLR X5,[X1]", "DMB ISH", "LDR X7,[X2]"], ["STR X5,[X2]", "DMB ISH", "LDR X7,[X1]"]],
  dk)
x("park_releaseThenLoad_x86", "S",
  [["MOV [x],$1", "MOV EBX,[y]"], ["MOV [y],$1", "MFENCE", "MOV EBX,[x]"]],
  "0:EBX=0 /\\ 1:EBX=0")
# waiter enqueues (RMW on x) then re-reads stable y; flusher publishes stable then looks at the queue
a("waiter_volatile_LLSC", "N",
  [llsc("X1") + ["LDAR X7,[X2]"], ["STLR X5,[X2]", "LDAR X7,[X1]"]],
  dk + " /\\ 0:X9=0")
a("waiter_opaqueReread_LLSC", "S",
  [llsc("X1") + ["LDR X7,[X2]"], ["STLR X5,[X2]", "LDAR X7,[X1]"]],
  dk + " /\\ 0:X9=0")
a("waiter_releaseStable", "S", [["SWPAL X5,X6,[X1]", "LDAR X7,[X2]"], ["STLR X5,[X2]", "LDR X7,[X1]"]], dk)
# stamps: P0 (round 2) data y, stamp z=2; P1 (round 1, slow) stamp z=1, leaves (x=1); P2 waits for P1, sees stamp 1, copies y
a("stamp_release", "N",
  [["STR X5,[X2]", "STLR X8,[X4]"], ["STR X5,[X4]", "STLR X5,[X1]"], ["LDAR X6,[X1]", "LDR X7,[X4]", "LDR X10,[X2]"]],
  "2:X6=1 /\\ 2:X10=0 /\\ z=1")
a("stamp_release_seen", "N",
  [["STR X5,[X2]", "STLR X8,[X4]"], ["LDR X7,[X4]", "STR X5,[X4]", "STLR X5,[X1]"], ["LDAR X6,[X1]", "LDR X7,[X4]", "LDR X10,[X2]"]],
  "1:X7=2 /\\ 2:X6=1 /\\ 2:X10=0")
a("stamp_opaque_seen", "S",
  [["STR X5,[X2]", "STR X8,[X4]"], ["LDR X7,[X4]", "STR X5,[X4]", "STLR X5,[X1]"], ["LDAR X6,[X1]", "LDR X7,[X4]", "LDR X10,[X2]"]],
  "1:X7=2 /\\ 2:X6=1 /\\ 2:X10=0")
x("stamp_testBeforeSet_x86", "S",
  [["MOV [y],$1", "MOV EAX,[z]"], ["MOV [z],$1", "MOV [x],$1"], ["MOV EAX,[x]", "MOV EBX,[z]", "MOV ECX,[y]"]],
  "0:EAX=2 /\\ 2:EAX=1 /\\ 2:EBX=1 /\\ 2:ECX=0", {"z": 2})
# a lane's fields, handed from holder to holder by the lease (y = a field, x = the lease: 1 free again)
a("lease_handoff", "N", [["STR X5,[X2]", "STLR X5,[X1]"], ["LDR X7,[X1]", "CASAL X10,X8,[X1]", "LDR X6,[X2]"]],
  "1:X10=1 /\\ 1:X6=0")
a("lease_handoff_opaqueRelease", "S",
  [["STR X5,[X2]", "STR X5,[X1]"], ["LDR X7,[X1]", "CASAL X10,X8,[X1]", "LDR X6,[X2]"]], "1:X10=1 /\\ 1:X6=0")
# ring space: the flusher copies word y, then frees it (x = forcedPosition); a committer sees that and overwrites it
a("ring_free", "N", [["LDR X6,[X2]", "STLR X5,[X1]"], ["LDAR X7,[X1]", "STR X8,[X2]"]], "0:X6=2 /\\ 1:X7=1")
a("ring_free_opaqueFree", "S", [["LDR X6,[X2]", "STR X5,[X1]"], ["LDAR X7,[X1]", "STR X8,[X2]"]], "0:X6=2 /\\ 1:X7=1")
a("ring_free_opaqueForced", "S", [["LDR X6,[X2]", "STLR X5,[X1]"], ["LDR X7,[X1]", "STR X8,[X2]"]],
  "0:X6=2 /\\ 1:X7=1")
# the gate of irrevocable transactions: committer leases (x), then loads the gate (y); the other closes the gate, then
# loads the lease. Not both may go on.
a("gate_LSE", "N", [["CASAL X6,X5,[X1]", "LDAR X7,[X2]"], ["CASAL X6,X5,[X2]", "LDAR X7,[X1]"]],
  "0:X6=0 /\\ 0:X7=0 /\\ 1:X6=0 /\\ 1:X7=0")
a("gate_LLSC", "N", [llsc("X1") + ["LDAR X7,[X2]"], llsc("X2") + ["LDAR X7,[X1]"]],
  dk + " /\\ 0:X9=0 /\\ 1:X9=0")
a("gate_LLSC_opaqueGateLoad", "S", [llsc("X1") + ["LDR X7,[X2]"], llsc("X2") + ["LDAR X7,[X1]"]],
  dk + " /\\ 0:X9=0 /\\ 1:X9=0")
a("gate_LLSC_opaqueLeaseLoad", "S", [llsc("X1") + ["LDAR X7,[X2]"], llsc("X2") + ["LDR X7,[X1]"]],
  dk + " /\\ 0:X9=0 /\\ 1:X9=0")
x("gate_x86", "N", [["MOV EAX,$1", "XCHG [x],EAX", "MOV EBX,[y]"], ["MOV EAX,$1", "XCHG [y],EAX", "MOV EBX,[x]"]],
  "0:EBX=0 /\\ 1:EBX=0")
x("gate_x86_plainLease", "S", [["MOV [x],$1", "MOV EBX,[y]"], ["MOV EAX,$1", "XCHG [y],EAX", "MOV EBX,[x]"]],
  "0:EBX=0 /\\ 1:EBX=0")
# what the commits under way stored before the gate closed is visible once their lease (x) is seen free again (1)
a("gate_seesEarlierCommits", "N", [["STR X5,[X2]", "STLR X5,[X1]"], ["LDAR X6,[X1]", "LDR X7,[X2]"]], ok)
# wake-up: a waiter raises wanted (x), then loads parked (y); the flusher sets parked, then looks at wanted again
a("wake_LSE", "N", [["CASAL X6,X5,[X1]", "LDAR X7,[X2]"], ["STLR X5,[X2]", "LDAR X7,[X1]"]],
  "0:X6=0 /\\ 0:X7=0 /\\ 1:X7=0")
a("wake_LLSC", "N", [llsc("X1") + ["LDAR X7,[X2]"], ["STLR X5,[X2]", "LDAR X7,[X1]"]], dk + " /\\ 0:X9=0")
a("wake_LLSC_opaqueParked", "S", [llsc("X1") + ["LDR X7,[X2]"], ["STLR X5,[X2]", "LDAR X7,[X1]"]],
  dk + " /\\ 0:X9=0")
a("wake_LLSC_opaqueWanted", "S", [llsc("X1") + ["LDAR X7,[X2]"], ["STLR X5,[X2]", "LDR X7,[X1]"]],
  dk + " /\\ 0:X9=0")
x("wake_x86", "N", [["MOV EAX,$1", "XCHG [x],EAX", "MOV EBX,[y]"], ["MOV [y],$1", "MFENCE", "MOV EBX,[x]"]],
  "0:EBX=0 /\\ 1:EBX=0")
x("wake_x86_releaseParked", "S", [["MOV EAX,$1", "XCHG [x],EAX", "MOV EBX,[y]"], ["MOV [y],$1", "MOV EBX,[x]"]],
  "0:EBX=0 /\\ 1:EBX=0")
