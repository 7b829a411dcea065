package io.howdah.nvmsim.persistency.reference;

import io.howdah.nvmsim.persistency.AnalysisOptions;
import io.howdah.nvmsim.persistency.CriticalPathAnalyzer;
import io.howdah.nvmsim.trace.Event;
import io.howdah.nvmsim.trace.TraceBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The critical path worked out from the axioms with explicit sets, for traces of at most {@value
 * #MAX_EVENTS} events. Slow, and shares no code with {@link CriticalPathAnalyzer}: it is the oracle
 * the analyser is tested against.
 *
 * <p>Each access is cut into one node per 8-byte word. A node's ancestors are every node that is
 * ordered before it directly (by the axioms, or by a conflict in one tracking block) and their
 * ancestors. Persists merge greedily in trace order: a persist may merge into the last persist of
 * its block if every other persist among its ancestors has a lower level.
 */
public final class ReferenceChecker {
  public static final int MAX_EVENTS = 300;

  /**
   * What the axioms imply.
   *
   * @param length levels on the longest chain
   * @param issued word persists
   * @param performed persists after merging
   */
  public record Outcome(long length, long issued, long performed) {}

  private record Node(
      int event,
      int thread,
      Axioms.Place place,
      boolean store,
      boolean persistent,
      long trackingBlock,
      long persistBlock) {}

  /** A persist that was performed: its level and the stores it holds. */
  private static final class Performed {
    final long level;
    int stores = 1;

    Performed(long level) {
      this.level = level;
    }
  }

  private final Axioms axioms;
  private final AnalysisOptions options;

  public ReferenceChecker(Axioms axioms, AnalysisOptions options) {
    this.axioms = axioms;
    this.options = options;
  }

  public Outcome check(TraceBuffer trace) {
    if (trace.count() > MAX_EVENTS) {
      throw new IllegalArgumentException(
          "reference checker takes at most " + MAX_EVENTS + " events: " + trace.count());
    }
    List<Node> nodes = nodes(trace);
    List<BitSet> ancestors = new ArrayList<>();
    for (int later = 0; later < nodes.size(); later++) {
      BitSet of = new BitSet();
      for (int earlier = 0; earlier < later; earlier++) {
        if (!of.get(earlier) && orderedDirectly(nodes, earlier, later)) {
          of.set(earlier);
          of.or(ancestors.get(earlier));
        }
      }
      ancestors.add(of);
    }
    return coalesce(nodes, ancestors);
  }

  private List<Node> nodes(TraceBuffer trace) {
    List<Node> nodes = new ArrayList<>();
    Map<Integer, Axioms.Place> places = new HashMap<>();
    for (int e = 0; e < trace.count(); e++) {
      long event = trace.packed(e);
      int thread = Event.thread(event);
      Axioms.Place place = places.getOrDefault(thread, new Axioms.Place(0, 0, 0));
      switch (Event.kind(event)) {
        case Event.PERSIST_BARRIER, Event.FENCE ->
            places.put(
                thread, new Axioms.Place(place.barriers() + 1, place.strand(), place.syncs()));
        case Event.PERSIST_SYNC ->
            places.put(
                thread, new Axioms.Place(place.barriers() + 1, place.strand(), place.syncs() + 1));
        case Event.NEW_STRAND ->
            places.put(
                thread, new Axioms.Place(place.barriers(), place.strand() + 1, place.syncs()));
        case Event.LOAD, Event.STORE, Event.RMW -> {
          long end = trace.address(e) + Event.size(event);
          for (long w = trace.address(e) / 8 * 8; w < end; w += 8) {
            nodes.add(
                new Node(
                    e,
                    thread,
                    place,
                    Event.isStore(event),
                    Event.isPersistent(event),
                    w / options.trackingGranularity(),
                    w / options.persistGranularity()));
          }
        }
        default -> {}
      }
    }
    return nodes;
  }

  private boolean orderedDirectly(List<Node> nodes, int earlier, int later) {
    Node a = nodes.get(earlier);
    Node b = nodes.get(later);
    if (a.event == b.event) {
      return false;
    }
    if (a.thread == b.thread && axioms.programOrder().orders(a.place, b.place)) {
      return true;
    }
    if (!options.accessGranularConflicts()) {
      return conflict(a, b);
    }
    for (Node sibling : nodes) {
      if (sibling.event == b.event && conflict(a, sibling)) {
        return true;
      }
    }
    return false;
  }

  private boolean conflict(Node a, Node b) {
    if (a.trackingBlock != b.trackingBlock || (!a.store && !b.store)) {
      return false;
    }
    if (!axioms.tracksVolatile() && !a.persistent) {
      return false;
    }
    return a.store || axioms.tracksLoads();
  }

  private Outcome coalesce(List<Node> nodes, List<BitSet> ancestors) {
    Map<Integer, Performed> byNode = new HashMap<>();
    Map<Long, Performed> lastOfBlock = new HashMap<>();
    long length = 0;
    long issued = 0;
    long performed = 0;
    for (int n = 0; n < nodes.size(); n++) {
      Node node = nodes.get(n);
      if (!node.store || !node.persistent) {
        continue;
      }
      issued++;
      Performed last = lastOfBlock.get(node.persistBlock);
      long highestOther = 0;
      long highest = last == null ? 0 : last.level;
      for (int a = ancestors.get(n).nextSetBit(0); a >= 0; a = ancestors.get(n).nextSetBit(a + 1)) {
        Performed before = byNode.get(a);
        if (before != null) {
          highest = Math.max(highest, before.level);
          highestOther = before == last ? highestOther : Math.max(highestOther, before.level);
        }
      }
      boolean full =
          last != null
              && options.maxStoresPerPersist() > 0
              && last.stores >= options.maxStoresPerPersist();
      if (last != null && highestOther < last.level && !full) {
        last.stores++;
        byNode.put(n, last);
      } else {
        Performed created = new Performed(highest + 1);
        performed++;
        byNode.put(n, created);
        lastOfBlock.put(node.persistBlock, created);
        length = Math.max(length, created.level);
      }
    }
    return new Outcome(length, issued, performed);
  }
}
