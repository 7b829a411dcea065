package io.howdah.nvmsim.dag;

import io.howdah.nvmsim.persistency.PersistencyModel;
import io.howdah.nvmsim.trace.Event;
import io.howdah.nvmsim.trace.Site;
import io.howdah.nvmsim.trace.TraceBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds persist barriers that change nothing: with them gone, the same trace orders its persists
 * the same way. This is about one trace; another run may need what this one does not.
 *
 * @param barriers every barrier site of the trace
 * @param removable sites that can all go at once; found greedily from the first, so there may be
 *     other sets as large
 */
public record RedundantBarriers(List<Barrier> barriers, List<Site> removable) {
  /**
   * The barriers of one program site.
   *
   * @param site the place
   * @param executed how often the trace ran it
   * @param redundant whether the order stays the same without it, all others in place
   */
  public record Barrier(Site site, int executed, boolean redundant) {}

  public RedundantBarriers {
    barriers = List.copyOf(barriers);
    removable = List.copyOf(removable);
  }

  /** Examines a small trace under a model. Builds one DAG per site and another per candidate. */
  public static RedundantBarriers find(TraceBuffer trace, PersistencyModel model) {
    Map<Integer, Integer> executed = new LinkedHashMap<>();
    for (int i = 0; i < trace.count(); i++) {
      if (Event.kind(trace.packed(i)) == Event.PERSIST_BARRIER) {
        executed.merge(Event.site(trace.packed(i)), 1, Integer::sum);
      }
    }
    PersistDag whole = PersistDagBuilder.of(trace, model);
    List<Barrier> barriers = new ArrayList<>();
    Set<Integer> gone = new HashSet<>();
    List<Site> removable = new ArrayList<>();
    for (Map.Entry<Integer, Integer> entry : executed.entrySet()) {
      int site = entry.getKey();
      boolean redundant = whole.sameOrder(without(trace, Set.of(site), model));
      barriers.add(new Barrier(Site.of(site), entry.getValue(), redundant));
      if (redundant) {
        gone.add(site);
        if (gone.size() == 1 || whole.sameOrder(without(trace, gone, model))) {
          removable.add(Site.of(site));
        } else {
          gone.remove(site);
        }
      }
    }
    return new RedundantBarriers(barriers, removable);
  }

  private static PersistDag without(TraceBuffer trace, Set<Integer> sites, PersistencyModel model) {
    TraceBuffer rest = new TraceBuffer(trace.count());
    for (int i = 0; i < trace.count(); i++) {
      long event = trace.packed(i);
      if (Event.kind(event) != Event.PERSIST_BARRIER || !sites.contains(Event.site(event))) {
        rest.add(event, trace.address(i), trace.value(i));
      }
    }
    return PersistDagBuilder.of(rest, model);
  }
}
