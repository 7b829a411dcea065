package io.howdah.txn.stm;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.layout.NodeLayout;
import io.howdah.txn.words.Nodes;
import io.howdah.txn.words.OrecTable;
import java.util.Arrays;

/**
 * Some words of one store in memory, for one state of a memory-model test; states take blocks in
 * turn from more than the runner keeps alive at once ({@code jcstress/run}).
 */
final class StoreWords {

  static final Store STORE = Store.inMemory(StoreOptions.defaults().withMaxSize(1 << 21));

  /** A block: two stripes, so that its first and its last word have orecs of their own. */
  static final int BLOCK_BYTES = 2 * OrecTable.STRIPE_BYTES;

  private static final long[] POOL = new long[1 << 9];
  private static final long[] NODES = new long[1 << 9];
  private static int next;

  static {
    for (int i = 0; i < POOL.length; i++) {
      POOL[i] = STORE.call(tx -> tx.allocate(BLOCK_BYTES));
      NODES[i] = STORE.call(tx -> TxHandle.of(tx).words().heap.allocateNode(NodeLayout.MIN_BYTES));
    }
  }

  private StoreWords() {}

  /** Returns the address of a block that is zero. */
  static long take() {
    long block;
    synchronized (StoreWords.class) {
      block = POOL[next++ & POOL.length - 1];
    }
    STORE.run(
        tx -> {
          for (int i = 0; i < BLOCK_BYTES; i += Long.BYTES) {
            tx.putLong(block + i, 0);
          }
        });
    return block;
  }

  /** Returns the reference of a node of 1 KiB that is zero. */
  static long takeNode() {
    long node;
    synchronized (StoreWords.class) {
      node = NODES[next++ & NODES.length - 1];
    }
    long[] words = new long[NodeLayout.words(node)];
    STORE.run(
        tx -> {
          Nodes nodes = TxHandle.of(tx).words().nodes;
          while (!nodes.read(node, 0, words.length, words, 0)) {
            // the snapshot has moved
          }
          Arrays.fill(words, 0);
          nodes.write(node, 0, words, 0, words.length);
        });
    return node;
  }
}
