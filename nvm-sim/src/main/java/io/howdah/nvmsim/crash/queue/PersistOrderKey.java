package io.howdah.nvmsim.crash.queue;

import io.howdah.nvmsim.dag.PersistDag;
import io.howdah.nvmsim.dag.PersistNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Names a persist order up to the order in which unrelated persists were traced, so that two runs
 * with the same crash states have equal names. Persists to one word are always ordered, so word and
 * number in that word's order identify a persist.
 */
public final class PersistOrderKey {
  private record Identity(long address, int number) {}

  private PersistOrderKey() {}

  /** A value that is equal for two orders only if they have the same crash states. */
  public static Object of(PersistDag dag) {
    List<PersistNode> nodes = dag.nodes();
    Map<Long, Integer> numbers = new HashMap<>();
    List<Identity> identities = new ArrayList<>(nodes.size());
    List<Integer> sorted = new ArrayList<>(nodes.size());
    for (PersistNode node : nodes) {
      int number = numbers.merge(node.address(), 1, Integer::sum);
      identities.add(new Identity(node.address(), number));
      sorted.add(node.id());
    }
    sorted.sort(
        Comparator.comparingLong((Integer id) -> identities.get(id).address())
            .thenComparingInt(id -> identities.get(id).number()));
    int[] rank = new int[nodes.size()];
    for (int i = 0; i < rank.length; i++) {
      rank[sorted.get(i)] = i;
    }
    List<Object> key = new ArrayList<>(nodes.size() * 2);
    for (int id : sorted) {
      for (PersistNode.Store store : nodes.get(id).stores()) {
        key.add(List.of(store.address(), store.size(), store.value()));
      }
      key.add(nodes.get(id).predecessors().stream().map(before -> rank[before]).sorted().toList());
    }
    return key;
  }
}
