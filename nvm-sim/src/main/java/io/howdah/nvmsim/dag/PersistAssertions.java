package io.howdah.nvmsim.dag;

import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Assertions on the persist order of a trace, for tests of persistent data structures. Each failure
 * names both sides with their source lines.
 */
public final class PersistAssertions {
  private final PersistDag dag;

  public PersistAssertions(PersistDag dag) {
    this.dag = dag;
  }

  /**
   * Every persist to the second range must come after the latest persist to each word of the first
   * range that was stored before it.
   *
   * @throws AssertionError naming a persist to the second range that a failure can leave without
   *     one before it, or that had none before it; or if the second range was never persisted
   */
  public void assertPersistedBefore(
      long firstAddress, long firstLength, long secondAddress, long secondLength) {
    Map<Long, PersistNode> latest = new LinkedHashMap<>();
    boolean any = false;
    for (PersistNode node : dag.nodes()) {
      if (node.touches(secondAddress, secondLength)) {
        any = true;
        if (latest.isEmpty() && !node.touches(firstAddress, firstLength)) {
          throw new AssertionError(
              node
                  + " has no persist to 0x"
                  + Long.toHexString(firstAddress)
                  + "+"
                  + firstLength
                  + " before it");
        }
        latest.values().forEach(before -> requireOrder(before, node));
      }
      for (PersistNode.Store store : node.stores()) {
        if (store.address() < firstAddress + firstLength
            && firstAddress < store.address() + store.size()) {
          latest.put(store.address() & -Long.BYTES, node);
        }
      }
    }
    if (!any) {
      throw new AssertionError(
          "nothing was persisted to 0x" + Long.toHexString(secondAddress) + "+" + secondLength);
    }
  }

  private void requireOrder(PersistNode before, PersistNode node) {
    if (before.id() != node.id() && !dag.ordered(before.id(), node.id())) {
      throw new AssertionError(
          "under " + dag.model() + " persistency " + node + " may become durable before " + before);
    }
  }

  /**
   * Every persist to the range that was stored before this event must be durable at it, whatever
   * happens then: a persist sync before the event waited for it.
   *
   * @throws AssertionError naming a persist that may still be on its way
   */
  public void assertDurable(long address, long length, long atSequence) {
    BitSet durable = new BitSet();
    for (PersistDag.SyncPoint sync : dag.syncs()) {
      if (sync.sequence() <= atSequence) {
        durable.or(sync.durable());
      }
    }
    for (PersistNode node : dag.nodes()) {
      boolean stored = node.firstStore().sequence() < atSequence;
      if (stored && node.touches(address, length) && !durable.get(node.id())) {
        throw new AssertionError(
            "under "
                + dag.model()
                + " persistency "
                + node
                + " may still be on its way at event "
                + atSequence
                + ": no persist sync waited for it");
      }
    }
  }
}
