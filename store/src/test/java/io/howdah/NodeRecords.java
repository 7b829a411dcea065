package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.layout.NodeLayout;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.alloc.HeapSession;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.words.Nodes;
import io.howdah.txn.words.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Nodes, and a block that says of each what is in it: reference and value. A transaction changes
 * both, so they agree in every legal cut.
 */
final class NodeRecords {

  private static final int PLACES = 40;
  private static final long GARBAGE = -1;

  private NodeRecords() {}

  private static Words words(Tx tx) {
    return TxHandle.of(tx).words();
  }

  static void create(Store store) {
    store.run(TxOptions.sync(), tx -> tx.root(0, tx.allocate(8 + 16L * PLACES)));
  }

  private static long manifest(Tx tx, int place) {
    return tx.root(0) + 8 + 16L * place;
  }

  /** Returns how many transactions have changed it. */
  static long count(Tx tx) {
    return tx.getLong(tx.root(0));
  }

  /** Changes some places: makes nodes, frees them, overwrites them; a block takes room at times. */
  static void change(Tx tx, SplittableRandom random) {
    long count = count(tx) + 1;
    tx.putLong(tx.root(0), count);
    for (int i = random.nextInt(12); i >= 0; i--) {
      int place = random.nextInt(PLACES);
      long node = tx.getLong(manifest(tx, place));
      long value = 1000 * count + i;
      if (node == 0) {
        node = words(tx).heap.allocateNode(NodeLayout.bytesOf(random.nextInt(3)));
        fill(tx, node, GARBAGE); // the rows that count come later
        tx.savepoint();
        fill(tx, node, value);
      } else {
        awaitRead(tx, node);
        if (random.nextInt(3) == 0) {
          words(tx).heap.freeNode(node);
          node = 0;
          value = 0;
        } else {
          words(tx).nodes.write(node, 1, GARBAGE);
          tx.savepoint();
          fill(tx, node, value);
        }
      }
      tx.putLong(manifest(tx, place), node);
      tx.putLong(manifest(tx, place) + 8, value);
    }
    if (random.nextInt(4) == 0) {
      long block = tx.root(1);
      if (block != 0) {
        tx.free(block);
      }
      tx.root(1, block == 0 ? tx.allocate(20_000) : 0);
    }
  }

  private static void fill(Tx tx, long node, long value) {
    int words = NodeLayout.words(node);
    long[] all = new long[words];
    for (int i = 0; i < words; i++) {
      all[i] = value + i;
    }
    Nodes nodes = words(tx).nodes;
    nodes.write(node, words / 2, all, words / 2, words - words / 2);
    nodes.write(node, 0, all, 0, words / 2);
  }

  private static long[] awaitRead(Tx tx, long node) {
    long[] found = new long[NodeLayout.words(node)];
    while (!words(tx).nodes.read(node, 0, found.length, found, 0)) {
      // the snapshot has moved; the word that leads here is in the read set
    }
    return found;
  }

  /** Verifies that each node is what the block says, and that no other is in use. */
  static void check(Tx tx) {
    List<Long> expected = new ArrayList<>();
    for (int place = 0; place < PLACES; place++) {
      long node = tx.getLong(manifest(tx, place));
      if (node == 0) {
        continue;
      }
      expected.add(node);
      assertThat(words(tx).heap.isNode(node)).isTrue();
      long value = tx.getLong(manifest(tx, place) + 8);
      long[] found = awaitRead(tx, node);
      for (int i = 0; i < found.length; i++) {
        if (found[i] != value + i) {
          throw new AssertionError(
              "word %d of the node at place %d is %d, not %d"
                  .formatted(i, place, found[i], value + i));
        }
      }
    }
    List<Long> inUse = new ArrayList<>();
    words(tx)
        .heap
        .visit(
            new HeapSession.Visitor() {
              @Override
              public void block(long address, long lengthBytes) {}

              @Override
              public void node(long address, long lengthBytes) {
                inUse.add(NodeLayout.reference(address, (int) lengthBytes));
              }

              @Override
              public void free(long lengthBytes) {}
            });
    assertThat(inUse).containsExactlyInAnyOrderElementsOf(expected);
  }
}
