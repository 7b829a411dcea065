"""Exhaustive checker for small litmus tests: is an outcome allowed by AArch64, or by x86-TSO?

It enumerates every candidate execution (which write each read takes its value from, in which order the writes
to each location take effect, which store-exclusives fail) and keeps those that the architecture's axioms admit.

AArch64: the multicopy-atomic model of the Arm manual, B2.3, without dependencies, which no test here has:
    coherence      acyclic (po-loc | rf | co | fr)
    atomicity      nothing comes between the read and the write of an atomic update
    ordered-before acyclic (rfe | coe | fre | rmw | [rmw write]; rfi; [acquire] | barrier-ordered)
    barrier-ordered: across DMB ISH; [R] DMB ISHLD; [W] DMB ISHST [W]; after an acquire; before a release;
                   release to acquire; after the write of an acquire-release atomic instruction (LDADDAL, SWPAL,
                   CASAL), as the manual has it since 2022. Load-exclusive, store-exclusive pairs give no such order.
x86-TSO: program order but for a store followed by a load, which MFENCE and locked instructions restore.
"""
import itertools
import re

class Event:
    """One memory access or barrier of one thread, in program order."""

    def __init__(self, thread, kind, loc=None, value=None, reg=None, acquire=False, release=False, amo=None):
        self.thread, self.kind, self.loc, self.reg = thread, kind, loc, reg
        self.value = value          # of a write: a constant, or ("add", k): what its own read returned, plus k
        self.acquire, self.release, self.amo = acquire, release, amo
        self.rmw = None             # of a write of an atomic update: the read it belongs to

def _aarch64(thread, lines, locations, success):
    """Turns instructions into events. `success` says of each store-exclusive whether it stores."""
    consts, events, results, exclusive = {}, [], {}, iter(success)
    loc = lambda text: locations[re.search(r"\[(\w+)\]", text).group(1)]
    reserved = None
    for line in lines:
        op, _, rest = line.partition(" ")
        args = [x.strip() for x in rest.split(",")]
        if op == "MOV":
            consts[args[0]] = int(args[1].lstrip("#"))
        elif op in ("LDR", "LDAR", "LDAXR"):
            e = Event(thread, "R", loc(line), reg=args[0], acquire=op != "LDR")
            events.append(e)
            if op == "LDAXR":
                reserved = e
        elif op in ("STR", "STLR"):
            events.append(Event(thread, "W", loc(line), consts[args[0]], release=op == "STLR"))
        elif op == "STLXR":
            stored = next(exclusive)
            results[args[0].replace("W", "X")] = 0 if stored else 1
            if stored:
                e = Event(thread, "W", loc(line), consts[args[1]], release=True)
                e.rmw, reserved = reserved, None
                events.append(e)
        elif op in ("LDADD", "LDADDAL", "SWPAL", "CASAL"):
            strong = op != "LDADD"
            # CASAL always stores here: the conditions say what it must have found.
            source, target = (args[1], args[0]) if op == "CASAL" else (args[0], args[1])
            r = Event(thread, "R", loc(line), reg=target, acquire=strong)
            value = ("add", consts[source]) if op.startswith("LDADD") else consts[source]
            w = Event(thread, "W", loc(line), value, release=strong)
            w.rmw, r.amo, w.amo = r, strong, strong
            events += [r, w]
        elif op == "DMB":
            events.append(Event(thread, "F", value=args[0]))
        else:
            raise ValueError("unknown instruction: " + line)
    return events, results

def _x86(thread, lines):
    consts, events = {}, []
    for line in lines:
        op, _, rest = line.partition(" ")
        args = [x.strip() for x in rest.split(",")]
        if op == "MFENCE":
            events.append(Event(thread, "F", value="full"))
        elif op == "XCHG":
            location = args[0].strip("[]")
            r = Event(thread, "R", location, reg=args[1])
            w = Event(thread, "W", location, consts[args[1]])
            w.rmw, r.amo, w.amo = r, True, True
            events += [r, w]
        elif args[0].startswith("["):
            events.append(Event(thread, "W", args[0].strip("[]"), int(args[1].lstrip("$"))))
        elif args[1].startswith("["):
            events.append(Event(thread, "R", args[1].strip("[]"), reg=args[0]))
        else:
            consts[args[0]] = int(args[1].lstrip("$"))
    return events, {}

def _acyclic(n, edges):
    successors, incoming = [[] for _ in range(n)], [0] * n
    for a, b in edges:
        successors[a].append(b)
        incoming[b] += 1
    ready, seen = [i for i in range(n) if not incoming[i]], 0
    while ready:
        i = ready.pop()
        seen += 1
        for j in successors[i]:
            incoming[j] -= 1
            if not incoming[j]:
                ready.append(j)
    return seen == n

def _ordered_aarch64(events, a, between, b):
    """Whether a barrier orders access a before access b, later in the same thread."""
    if a.acquire or b.release or (a.release and b.acquire) or (a.kind == "W" and a.amo):
        return True
    for x in between:
        if x.kind == "F" and (x.value == "ISH" or (x.value == "ISHLD" and a.kind == "R")
                              or (x.value == "ISHST" and a.kind == "W" and b.kind == "W")):
            return True
    return False

def _ordered_x86(events, a, between, b):
    if not (a.kind == "W" and b.kind == "R") or a.amo or b.amo:
        return True
    return any(x.kind == "F" or x.amo for x in between)

def allowed(arch, threads, init, condition):
    """Returns whether some execution ends in a state that `condition(registers, memory)` accepts."""
    tries = [sum(line.startswith("STLXR") for line in t) for t in threads]
    for success in itertools.product(*[list(itertools.product((True, False), repeat=n)) for n in tries]):
        events, fixed = [], {}
        for t, lines in enumerate(threads):
            if arch == "x86":
                es, res = _x86(t, lines)
            else:
                es, res = _aarch64(t, lines, {"X1": "x", "X2": "y", "X3": "c", "X4": "z"}, success[t])
            events += es
            fixed.update({(t, r): v for r, v in res.items()})
        if _some_execution(arch, events, fixed, init, condition):
            return True
    return False

def _some_execution(arch, events, fixed, init, condition):
    ordered = _ordered_x86 if arch == "x86" else _ordered_aarch64
    n = len(events)
    index = {id(e): i for i, e in enumerate(events)}
    reads = [i for i, e in enumerate(events) if e.kind == "R"]
    writes = {}
    for i, e in enumerate(events):
        if e.kind == "W":
            writes.setdefault(e.loc, []).append(i)
    same = [(i, j) for i in range(n) for j in range(i + 1, n) if events[i].thread == events[j].thread]
    access = [(i, j) for i, j in same if events[i].kind != "F" and events[j].kind != "F"]
    poloc = [(i, j) for i, j in access if events[i].loc == events[j].loc]
    fixed_order = [(i, j) for i, j in access if ordered(events, events[i], events[i + 1:j], events[j])]
    rmw = [(index[id(e.rmw)], i) for i, e in enumerate(events) if e.kind == "W" and e.rmw]
    INITIAL = -1
    for sources in itertools.product(*[[INITIAL] + writes.get(events[r].loc, []) for r in reads]):
        rf = dict(zip(reads, sources))
        for orders in itertools.product(*[list(itertools.permutations(w)) for w in writes.values()]):
            co, place, final = [], {}, {}
            for order in orders:
                co += [(a, b) for k, a in enumerate(order) for b in order[k + 1:]]
                place.update({w: k for k, w in enumerate(order)})
            position = lambda w: -1 if w == INITIAL else place[w]
            fr = [(r, w) for r in reads for w in writes.get(events[r].loc, []) if position(rf[r]) < place[w]]
            rfe = [(w, r) for r, w in rf.items() if w != INITIAL]
            if any(place[w] != position(rf[r]) + 1 for r, w in rmw):
                continue
            if not _acyclic(n, poloc + rfe + co + fr):
                continue
            outside = lambda edges: [(a, b) for a, b in edges if events[a].thread != events[b].thread]
            if arch == "x86":
                edges = fixed_order + outside(rfe) + co + fr
            else:
                inner = [(w, r) for w, r in rfe if events[w].thread == events[r].thread
                         and events[w].rmw and events[r].acquire]
                edges = fixed_order + outside(rfe) + outside(co) + outside(fr) + rmw + inner
            if not _acyclic(n, edges):
                continue
            values = _values(events, rf, init)
            if values is None:
                continue
            registers = dict(fixed)
            for r in reads:
                registers[events[r].thread, events[r].reg] = values[r]
            memory = dict(init)
            for order in orders:
                memory[events[order[-1]].loc] = values[order[-1]]
            if condition(registers, memory):
                return True
    return False

def _values(events, rf, init):
    """Values of all accesses, or None where updates would take them from each other in a circle."""
    values, pending = {}, [i for i, e in enumerate(events) if e.kind != "F"]
    index = {id(e): i for i, e in enumerate(events)}
    while pending:
        rest = []
        for i in pending:
            e = events[i]
            if e.kind == "R" and rf[i] == -1:
                values[i] = init.get(e.loc, 0)
            elif e.kind == "R" and rf[i] in values:
                values[i] = values[rf[i]]
            elif e.kind == "W" and not isinstance(e.value, tuple):
                values[i] = e.value
            elif e.kind == "W" and index[id(e.rmw)] in values:
                values[i] = values[index[id(e.rmw)]] + e.value[1]
            else:
                rest.append(i)
        if len(rest) == len(pending):
            return None
        pending = rest
    return values

def parse_condition(text):
    """Compiles `1:X6=1 /\\ (1:X7=0 \\/ z=1)` to a predicate over registers and memory."""
    code = re.sub(r"(\d+):(\w+)=(\d+)", r"(r.get((\1,'\2'))==\3)", text)
    code = re.sub(r"(?<![\w'])([a-z])=(\d+)", r"(m.get('\1',0)==\2)", code)
    code = code.replace("/\\", " and ").replace("\\/", " or ")
    return eval("lambda r, m: " + code)
