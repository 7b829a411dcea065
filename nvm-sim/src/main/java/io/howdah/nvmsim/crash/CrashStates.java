package io.howdah.nvmsim.crash;

import io.howdah.nvmsim.dag.PersistDag;
import io.howdah.nvmsim.dag.PersistNode;
import io.howdah.nvmsim.mem.PersistentImage;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The states a failure can leave of a run: memory holds a set of its persists that contains, with
 * each, all it must follow (a <em>cut</em>). A failure in the middle of the run leaves one of them
 * too, since what was not yet stored follows nothing that was not. Where persists merge, the states
 * are those of a machine that merges whenever it may; without merging there are all of those and
 * more. Persistent memory is zero before the run.
 *
 * <p>{@link #visit} recovers every cut. {@link #search} recovers one of each set of cuts that the
 * recovery cannot tell apart: it decides about a persist only when the recovery reads a word that
 * the persist wrote (as Jaaru does: Gorjiara, Xu, Demsky, ASPLOS 2021). The verdicts are the same.
 */
public final class CrashStates {
  private static final int[] NONE = {};

  private final List<PersistNode> nodes;
  private final BitSet[] ancestors;
  private final BitSet[] descendants;
  private final int[] predecessorsFirst;
  private final Map<Long, int[]> writersOfWord = new HashMap<>();

  /** Called with each cut, or with one of each set the recovery cannot tell apart. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * Takes the verdict on one cut.
     *
     * @param cut ids of the persists that are durable; belongs to the receiver
     * @param open ids of the persists the recovery did not ask for: with any of them that the order
     *     allows, it returns the same
     * @param violations what the oracle said, empty if the state is sound
     * @return whether to go on
     */
    boolean recovered(BitSet cut, BitSet open, List<String> violations);
  }

  public CrashStates(PersistDag dag) {
    this.nodes = dag.nodes();
    int count = nodes.size();
    ancestors = new BitSet[count];
    descendants = new BitSet[count];
    for (int i = 0; i < count; i++) {
      descendants[i] = new BitSet(count);
    }
    // A merged persist may follow one with a higher id; never one of its own level.
    predecessorsFirst =
        nodes.stream()
            .sorted(Comparator.comparingInt(PersistNode::level))
            .mapToInt(PersistNode::id)
            .toArray();
    Map<Long, List<Integer>> writers = new HashMap<>();
    for (int i = 0; i < count; i++) {
      ancestors[i] = dag.predecessorSet(i);
      for (int before = ancestors[i].nextSetBit(0);
          before >= 0;
          before = ancestors[i].nextSetBit(before + 1)) {
        descendants[before].set(i);
      }
      for (PersistNode.Store store : nodes.get(i).stores()) {
        List<Integer> of =
            writers.computeIfAbsent(store.address() / Long.BYTES, _ -> new ArrayList<>());
        if (of.isEmpty() || of.getLast() != i) {
          of.add(i);
        }
      }
    }
    writers.forEach(
        (word, of) -> writersOfWord.put(word, of.stream().mapToInt(Integer::intValue).toArray()));
  }

  /** The number of cuts. */
  public CutCount count() {
    BitSet all = new BitSet();
    all.set(0, nodes.size());
    return count(all);
  }

  /**
   * The number of cuts that differ only in the given persists, as {@link Visitor} gets them: none
   * of the others depends on the choice.
   */
  public CutCount count(BitSet open) {
    return CutCount.of(ancestors, descendants, open);
  }

  /** What memory holds after a cut. */
  public PersistentImage image(BitSet cut) {
    return address -> {
      long word = address / Long.BYTES;
      long value = 0;
      for (int node : writersOfWord.getOrDefault(word, NONE)) {
        if (cut.get(node)) {
          value = apply(node, word, value);
        }
      }
      return value;
    };
  }

  /** The word with a persist's stores to it. */
  private long apply(int node, long word, long before) {
    long value = before;
    for (PersistNode.Store store : nodes.get(node).stores()) {
      if (store.address() / Long.BYTES == word) {
        long shift = store.address() % Long.BYTES * Byte.SIZE;
        long mask = store.size() == Long.BYTES ? -1L : (1L << (store.size() * Byte.SIZE)) - 1;
        value = (value & ~(mask << shift)) | ((store.value() & mask) << shift);
      }
    }
    return value;
  }

  /**
   * Recovers every cut, up to a number of them.
   *
   * @return the number of recoveries
   */
  public long visit(RecoveryOracle oracle, long maxCuts, Visitor visitor) {
    BitSet cut = new BitSet(nodes.size());
    return new Object() {
      private long visited;
      private boolean stopped;

      long run() {
        descend(0);
        return visited;
      }

      private void descend(int depth) {
        if (stopped || visited == maxCuts) {
          return;
        }
        if (depth == nodes.size()) {
          visited++;
          stopped =
              !visitor.recovered((BitSet) cut.clone(), new BitSet(), oracle.violations(image(cut)));
          return;
        }
        descend(depth + 1);
        int node = predecessorsFirst[depth];
        BitSet missing = (BitSet) ancestors[node].clone();
        missing.andNot(cut);
        if (missing.isEmpty()) {
          cut.set(node);
          descend(depth + 1);
          cut.clear(node);
        }
      }
    }.run();
  }

  /**
   * Recovers one cut of each set that the recovery cannot tell apart.
   *
   * @return the number of recoveries
   */
  public long search(RecoveryOracle oracle, Visitor visitor) {
    Decisions decisions = new Decisions();
    long recoveries = 0;
    boolean more = true;
    while (more) {
      decisions.begin();
      List<String> violations = oracle.violations(decisions);
      recoveries++;
      BitSet open = new BitSet(nodes.size());
      open.set(0, nodes.size());
      open.andNot(decisions.durable);
      open.andNot(decisions.lost);
      more =
          visitor.recovered((BitSet) decisions.durable.clone(), open, violations)
              && decisions.next();
    }
    return recoveries;
  }

  /** Memory whose contents are decided as they are read, depth first over all decisions. */
  private final class Decisions implements PersistentImage {
    /** Decisions of this path: which persist, and whether it is durable. */
    private final List<Integer> path = new ArrayList<>();

    private final BitSet taken = new BitSet();
    private int position;
    final BitSet durable = new BitSet(nodes.size());
    final BitSet lost = new BitSet(nodes.size());

    void begin() {
      position = 0;
      durable.clear();
      lost.clear();
    }

    @Override
    public long getLong(long address) {
      long word = address / Long.BYTES;
      long value = 0;
      for (int node : writersOfWord.getOrDefault(word, NONE)) {
        if (!durable.get(node) && !lost.get(node)) {
          decide(node);
        }
        if (durable.get(node)) {
          value = apply(node, word, value);
        }
      }
      return value;
    }

    private void decide(int node) {
      if (position == path.size()) {
        path.add(node);
        taken.set(position);
      }
      if (taken.get(position++)) {
        durable.set(node);
        durable.or(ancestors[node]);
      } else {
        lost.set(node);
        lost.or(descendants[node]);
      }
    }

    /** Moves to the next path; false if there is none. */
    boolean next() {
      while (!path.isEmpty() && !taken.get(path.size() - 1)) {
        path.removeLast();
      }
      if (path.isEmpty()) {
        return false;
      }
      taken.clear(path.size() - 1);
      return true;
    }
  }
}
