package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.InvalidAddressException;
import io.howdah.core.ReadOnlyStoreException;
import io.howdah.core.RegionFullException;
import io.howdah.core.TransactionTooLargeException;
import io.howdah.core.layout.NodeLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.txn.Savepoint;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.words.Nodes;
import io.howdah.txn.words.Words;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What transactions see of nodes, which they change beside each other. */
@Timeout(120)
final class NodesTest {

  /** A word that leads to something, as a root does. */
  private static final long SLOT = RegionHeaderLayout.ROOTS_ADDRESS;

  private static final long OUT = SLOT + 256;

  /** A block of five pages. */
  private static final int BLOCK = 20 << 10;

  private final WordEngine store =
      WordEngine.inMemory(
          EngineOptions.defaults().withMaxSize(1 << 22).withOrecs(1 << 12).withPartitions(2));

  @AfterEach
  void close() {
    store.close();
  }

  private static Words words(Tx tx) {
    return TxHandle.of(tx).words();
  }

  /** Commits a new node whose words are all {@code value}. */
  private long newNode(int bytes, long value) {
    return store.call(
        tx -> {
          long node = words(tx).heap.allocateNode(bytes);
          fill(tx, node, value);
          return node;
        });
  }

  private static void fill(Tx tx, long node, long value) {
    long[] all = new long[NodeLayout.words(node)];
    Arrays.fill(all, value);
    words(tx).nodes.write(node, 0, all, 0, all.length);
  }

  /** Changes a word of a node, as another transaction than the one under way. */
  private void change(long node, int word, long value) {
    elsewhere(
        () ->
            store.run(
                tx -> {
                  read(tx, node, 0);
                  words(tx).nodes.write(node, word, value);
                }));
  }

  private static void elsewhere(Runnable action) {
    Throwable[] thrown = new Throwable[1];
    Thread other = new Thread(action, "other");
    other.setUncaughtExceptionHandler((_, e) -> thrown[0] = e);
    other.start();
    try {
      other.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    assertThat(thrown[0]).isNull();
  }

  /** Reads a word of a node that has to be in the read set. */
  private static long read(Tx tx, long node, int word) {
    long[] read = new long[1];
    while (!words(tx).nodes.read(node, word, 1, read, 0)) {
      // the snapshot has moved, and there is nothing else to read anew
    }
    return read[0];
  }

  private static long readInner(Tx tx, long node, int word) {
    long[] read = new long[1];
    while (!words(tx).nodes.readInner(node, word, 1, read, 0)) {
      // as above
    }
    return read[0];
  }

  private long readAfter(long node, int word) {
    return store.read(tx -> read(tx, node, word));
  }

  /** Reads so much that a read-only transaction continues on a kept snapshot. */
  private static void becomeLong(Tx tx) {
    for (int i = 0; i < 3000; i++) {
      tx.getLong((1 << 21) + (1 << 20) + 64L * i);
    }
    assertThat(words(tx).isSnapshotOpen()).isTrue();
  }

  // ---- Reads and writes.

  @ParameterizedTest
  @ValueSource(ints = {1024, 2048, 4096})
  void aNodeIsWhatWasWrittenToIt(int bytes) {
    long node = newNode(bytes, 7);
    assertThat(NodeLayout.bytes(node)).isEqualTo(bytes);
    assertThat(NodeLayout.address(node) % bytes).isZero();
    int last = NodeLayout.words(node) - 1;
    store.run(
        tx -> {
          long[] read = {-1, -1, -1, -1};
          assertThat(words(tx).nodes.read(node, last - 1, 2, read, 1)).isTrue();
          assertThat(read).containsExactly(-1, 7, 7, -1);
          words(tx).nodes.write(node, last, 8);
          words(tx).nodes.write(node, 3, new long[] {0, 9, 10}, 1, 2);
          words(tx).nodes.writeBytes(node, 5, new byte[] {0, 0, 11, 0, 0, 0, 0, 0, 0, 0}, 2, 1);
          assertThat(read(tx, node, last)).isEqualTo(8);
        });
    assertThat(readAfter(node, last)).isEqualTo(8);
    byte[] read = new byte[1 + 5 * 8];
    store.run(tx -> assertThat(words(tx).nodes.readBytes(node, 2, 5, read, 1)).isTrue());
    for (int i = 0; i < 5; i++) {
      assertThat(read[1 + 8 * i]).isEqualTo((byte) new int[] {7, 9, 10, 11, 7}[i]);
    }
  }

  @Test
  void ownWritesAreSeenThroughSavepointsAsWell() {
    long node = newNode(2048, 1);
    store.run(
        tx -> {
          assertThat(read(tx, node, 5)).isEqualTo(1);
          words(tx).nodes.write(node, 5, 2);
          assertThat(read(tx, node, 5)).isEqualTo(2);
          assertThat(read(tx, node, 6)).isEqualTo(1);
          assertThat(words(tx).nodes.seen()).isEqualTo(Nodes.NO_SEEN);
          Savepoint savepoint = tx.savepoint();
          words(tx).nodes.write(node, 5, 3);
          words(tx).nodes.write(node, 6, 4);
          long fresh = words(tx).heap.allocateNode(1024);
          words(tx).nodes.write(fresh, 0, 5);
          assertThat(readInner(tx, node, 5)).isEqualTo(3);
          assertThat(readInner(tx, fresh, 0)).isEqualTo(5);
          byte[] bytes = new byte[16];
          assertThat(words(tx).nodes.readBytes(node, 5, 2, bytes, 0)).isTrue();
          assertThat(bytes[0]).isEqualTo((byte) 3);
          assertThat(bytes[8]).isEqualTo((byte) 4);
          tx.rollBack(savepoint);
          assertThat(read(tx, node, 5)).isEqualTo(2);
          assertThat(read(tx, node, 6)).isEqualTo(1);
          assertThat(words(tx).heap.isNode(fresh)).isFalse();
        });
    assertThat(readAfter(node, 5)).isEqualTo(2);
    assertThat(readAfter(node, 6)).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 6, 14, 40})
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aRollBackGivesTheRoomOfNodeWritesBack(int left) {
    EngineOptions small =
        EngineOptions.defaults().withMaxSize(1 << 20).withMaxTransactionBytes(8 * 500);
    try (WordEngine engine = WordEngine.inMemory(small)) {
      long node = engine.call(tx -> words(tx).heap.allocateNode(4096));
      engine.run(
          tx -> {
            read(tx, node, 0);
            Savepoint savepoint = tx.savepoint();
            words(tx).nodes.write(node, 0, new long[500], 0, 500 - left);
            tx.rollBack(savepoint);
            for (int i = 0; i < 500; i++) {
              tx.putLong(131072 + 64L * i, i + 1);
            }
            for (int i = 0; i < 500; i++) {
              assertThat(tx.getLong(131072 + 64L * i)).isEqualTo(i + 1);
            }
          });
      long last = engine.read(tx -> tx.getLong(131072 + 64L * 499));
      assertThat(last).isEqualTo(500);
    }
  }

  @Test
  void aTransactionThatWritesTooMuchToNodesIsRefused() {
    EngineOptions small =
        EngineOptions.defaults().withMaxSize(1 << 20).withMaxTransactionBytes(8 * 1000);
    try (WordEngine engine = WordEngine.inMemory(small)) {
      long node =
          engine.call(
              tx -> {
                long made = words(tx).heap.allocateNode(4096);
                fill(tx, made, 1);
                return made;
              });
      assertThatThrownBy(
              () ->
                  engine.run(
                      tx -> {
                        read(tx, node, 0);
                        for (int i = 0; i < 490; i += 2) {
                          words(tx).nodes.write(node, i, 1); // words of their own rows
                          tx.putLong(8192 + 65536 + 64L * i, 1);
                          Savepoint savepoint = tx.savepoint();
                          words(tx).nodes.write(node, i + 1, new long[2], 0, 2);
                          tx.rollBack(savepoint);
                        }
                        for (int i = 0; i < 512; i++) {
                          tx.putLong(8192 + 131072 + 64L * i, 1);
                        }
                      }))
          .isInstanceOf(TransactionTooLargeException.class);
      assertThatThrownBy(
              () ->
                  engine.run(
                      tx -> {
                        read(tx, node, 0);
                        for (int i = 0; i < 1000; i++) {
                          tx.savepoint(); // or the word would be changed in its row
                          words(tx).nodes.write(node, i % 512, 1);
                        }
                        words(tx).nodes.write(node, 0, 1);
                      }))
          .isInstanceOf(TransactionTooLargeException.class);
      assertThatThrownBy(
              () ->
                  engine.read(
                      tx -> {
                        read(tx, node, 0);
                        words(tx).nodes.write(node, 0, 1);
                        return 0;
                      }))
          .isNotInstanceOf(ReadOnlyStoreException.class)
          .hasMessageContaining("read-only transaction");
    }
  }

  @ParameterizedTest
  @ValueSource(
      longs = {
        0,
        1,
        3,
        8192 + 3,
        8192 + 4,
        8192 + 512,
        8192 + 1024 + 1,
        8192 + 2048 + 2,
        -1,
        (1 << 22) + 2,
        Long.MIN_VALUE
      })
  void aReferenceThatNoNodeCanHaveIsDamage(long reference) {
    long[] target = new long[8];
    assertThatThrownBy(() -> store.run(tx -> words(tx).nodes.read(reference, 0, 8, target, 0)))
        .isInstanceOf(CorruptStoreException.class);
    assertThatThrownBy(() -> store.run(tx -> words(tx).nodes.readInner(reference, 0, 8, target, 0)))
        .isInstanceOf(CorruptStoreException.class);
    assertThatThrownBy(() -> store.run(tx -> words(tx).nodes.write(reference, 0, 1)))
        .isInstanceOf(CorruptStoreException.class);
    assertThatThrownBy(() -> store.run(tx -> words(tx).heap.freeNode(reference)))
        .isInstanceOf(InvalidAddressException.class);
    store.run(
        tx -> {
          words(tx).nodes.preload(reference, 0, 8);
          assertThat(words(tx).heap.isNode(reference)).isFalse();
        });
  }

  // ---- Transactions beside each other.

  @Test
  void whoHasReadANodeLosesToACommitOfAnyOfItsWords() {
    long node = newNode(1024, 0);
    for (int word : new int[] {0, 1, 31, 32, 127}) {
      int[] attempts = new int[1];
      store.run(
          tx -> {
            long seen = read(tx, node, word);
            if (attempts[0]++ == 0) {
              change(node, word, 5 + word);
            }
            words(tx).putUnchecked(OUT, seen);
          });
      assertThat(attempts[0]).isEqualTo(2);
      assertThat(store.<Long, RuntimeException>read(tx -> words(tx).getUnchecked(OUT)))
          .isEqualTo(5 + word);
    }
  }

  @Test
  void twoWritersOfANodeConflictAlsoIfTheyChangeDifferentWords() {
    long node = newNode(1024, 0);
    int[] attempts = new int[1];
    store.run(
        tx -> {
          read(tx, node, 0);
          words(tx).nodes.write(node, 1, 1);
          if (attempts[0]++ == 0) {
            change(node, 100, 2);
          }
        });
    assertThat(attempts[0]).isEqualTo(2);
    assertThat(readAfter(node, 1)).isEqualTo(1);
    assertThat(readAfter(node, 100)).isEqualTo(2);
  }

  @Test
  void whoHasReadAnInnerNodeDoesNotLose() {
    long inner = newNode(1024, 1);
    long leaf = newNode(1024, 2);
    int[] attempts = new int[1];
    store.run(
        tx -> {
          attempts[0]++;
          assertThat(readInner(tx, inner, 0)).isEqualTo(1);
          assertThat(read(tx, leaf, 0)).isEqualTo(2);
          change(inner, 0, 9);
          words(tx).putUnchecked(OUT, 1);
        });
    assertThat(attempts[0]).isEqualTo(1);
  }

  @Test
  void aNodeThatIsNewerThanTheSnapshotBeginsTheDescentAnew() {
    long leaf = newNode(1024, 1);
    long other = newNode(4096, 2);
    int[] attempts = new int[1];
    store.run(
        tx -> {
          attempts[0]++;
          long[] read = {-1};
          assertThat(read(tx, leaf, 0)).isEqualTo(1);
          for (boolean isInner : new boolean[] {true, false}) {
            change(other, 0, 3);
            long before = words(tx).snapshot();
            Nodes nodes = words(tx).nodes;
            assertThat(
                    isInner
                        ? nodes.readInner(other, 0, 1, read, 0)
                        : nodes.read(other, 0, 1, read, 0))
                .isFalse();
            assertThat(words(tx).snapshot()).isGreaterThan(before);
          }
          change(other, 0, 3);
          assertThat(words(tx).nodes.readBytes(other, 0, 1, new byte[8], 0)).isFalse();
          assertThat(read(tx, other, 0)).isEqualTo(3);
        });
    assertThat(attempts[0]).isEqualTo(1);
    // With a leaf that has changed there is no newer state to go to.
    store.run(
        tx -> {
          attempts[0]++;
          read(tx, leaf, 0);
          if (attempts[0] == 2) {
            change(leaf, 0, 4);
            change(other, 0, 5);
          }
          read(tx, other, 0);
        });
    assertThat(attempts[0]).isEqualTo(3);
  }

  @Test
  void aLookShowsANodeThatDoesNotChangeMeanwhile() {
    long node = newNode(NodeLayout.MIN_BYTES, 4);
    store.run(
        tx -> {
          Nodes nodes = words(tx).nodes;
          assertThat(nodes.beginLook(node)).isTrue();
          assertThat(nodes.word(9)).isEqualTo(4);
          byte[] bytes = new byte[16];
          nodes.bytes(1, 2, bytes);
          assertThat(bytes).startsWith(4, 0, 0, 0, 0, 0, 0, 0, 4).endsWith(0);
          assertThat(nodes.rank(0, 20, 5)).as("less").isEqualTo(20);
          assertThat(nodes.rank(1, 20, 4)).as("equal").isEqualTo(20L << Integer.SIZE);
          assertThat(nodes.rank(1, 20, -5)).as("greater").isZero();
          assertThat(nodes.endLook(false)).isTrue();
          assertThat(nodes.beginLook(node)).isTrue();
          change(node, 9, 5);
          assertThat(nodes.endLook(true)).as("it has changed").isFalse();
          assertThat(nodes.beginLook(node)).as("it is newer than the snapshot").isFalse();
        });
  }

  @Test
  void aLookAtAKnownNodeBeginsOnlyWhileNothingHasChangedIt() {
    long node = newNode(NodeLayout.MIN_BYTES, 4);
    long[] seen = new long[1];
    store.run(
        tx -> {
          Nodes nodes = words(tx).nodes;
          assertThat(nodes.beginLook(node)).isTrue();
          assertThat(nodes.endLook(false)).isTrue();
          seen[0] = nodes.seen();
          assertThat(nodes.beginLook(node, seen[0])).isTrue();
          assertThat(nodes.beginLook(node, Nodes.NO_SEEN)).isFalse();
        });
    change(node, 9, 5);
    store.run(
        tx -> {
          Nodes nodes = words(tx).nodes;
          assertThat(read(tx, node, 9)).isEqualTo(5);
          assertThat(nodes.beginLook(node, seen[0])).as("it has changed").isFalse();
        });
  }

  @Test
  void aLookDoesNotShowWhatTheTransactionHasWritten() {
    long node = newNode(NodeLayout.MIN_BYTES, 4);
    store.run(
        tx -> {
          Nodes nodes = words(tx).nodes;
          assertThat(read(tx, node, 9)).isEqualTo(4);
          nodes.write(node, 9, 5);
          assertThat(nodes.beginLook(node)).isFalse();
          long fresh = words(tx).heap.allocateNode(NodeLayout.MIN_BYTES);
          assertThat(nodes.beginLook(fresh)).isFalse();
          assertThat(nodes.beginLook(-1)).as("no node").isFalse();
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whoHasLookedAtANodeThatAnswersLosesToItsChange(boolean isNoted) {
    long node = newNode(NodeLayout.MIN_BYTES, 4);
    int[] attempts = new int[1];
    store.run(
        tx -> {
          if (attempts[0]++ == 0) {
            Nodes nodes = words(tx).nodes;
            assertThat(nodes.beginLook(node)).isTrue();
            assertThat(nodes.endLook(isNoted)).isTrue();
            change(node, 9, 5);
            words(tx).putUnchecked(OUT, 1);
          }
        });
    assertThat(attempts[0]).isEqualTo(isNoted ? 2 : 1);
  }

  @Test
  void aKnownLeafIsReadAgainWhileNothingHasChangedIt() {
    long node = newNode(1024, 1);
    long[] seen = new long[1];
    long[] read = new long[2];
    store.run(
        tx -> {
          read(tx, node, 0);
          seen[0] = words(tx).nodes.seen();
        });
    int[] attempts = new int[1];
    store.run(
        tx -> {
          boolean isFirst = attempts[0]++ == 0;
          assertThat(words(tx).nodes.readKnown(node, seen[0], 0, 1, read, 1)).isEqualTo(isFirst);
          assertThat(read).containsExactly(0, 1);
          if (isFirst) {
            assertThat(words(tx).nodes.seen()).isEqualTo(seen[0]);
            change(node, 0, 2); // it is in the read set
          }
          words(tx).putUnchecked(OUT, 1);
        });
    assertThat(attempts[0]).isEqualTo(2);
  }

  @Test
  void aKnownLeafThatHasChangedOrIsFreeIsNotRead() {
    long node = newNode(1024, 1);
    long other = newNode(1024, 1);
    long[] seen = new long[2];
    long[] read = new long[1];
    store.run(
        tx -> {
          read(tx, node, 0);
          seen[0] = words(tx).nodes.seen();
          read(tx, other, 0);
          seen[1] = words(tx).nodes.seen();
        });
    change(node, 3, 1);
    elsewhere(
        () ->
            store.run(
                tx -> {
                  read(tx, other, 0);
                  words(tx).heap.freeNode(other);
                }));
    store.run(
        tx -> {
          assertThat(words(tx).nodes.readKnown(node, seen[0], 0, 1, read, 0)).isFalse();
          assertThat(words(tx).nodes.readKnown(other, seen[1], 0, 1, read, 0)).isFalse();
          read(tx, node, 0);
          long now = words(tx).nodes.seen();
          words(tx).nodes.write(node, 0, 8);
          assertThat(words(tx).nodes.readKnown(node, now, 0, 1, read, 0)).isFalse();
        });
  }

  @Test
  void aKnownLeafThatIsNewerThanTheSnapshotMovesIt() {
    long node = newNode(1024, 1);
    long early = newNode(1024, 1);
    long[] read = new long[1];
    long[] seen = new long[1];
    int[] attempts = new int[1];
    store.run(
        tx -> {
          attempts[0]++;
          read(tx, early, 0);
          if (attempts[0] == 1) {
            elsewhere(
                () ->
                    store.run(
                        other -> {
                          read(other, node, 0);
                          words(other).nodes.write(node, 0, 6);
                        }));
            elsewhere(
                () ->
                    store.run(
                        other -> {
                          read(other, node, 0);
                          seen[0] = words(other).nodes.seen();
                        }));
          }
          long before = words(tx).snapshot();
          assertThat(words(tx).nodes.readKnown(node, seen[0], 0, 1, read, 0)).isTrue();
          assertThat(read[0]).isEqualTo(6);
          assertThat(words(tx).snapshot()).isGreaterThan(before);
        });
    assertThat(attempts[0]).isEqualTo(1);
  }

  @Test
  @Timeout(20)
  void aWaiterWakesUpWhenANodeThatItHasReadChanges() throws InterruptedException {
    long node = newNode(1024, 0);
    int[] attempts = new int[1];
    Thread waiter =
        new Thread(
            () ->
                store.run(
                    tx -> {
                      attempts[0]++;
                      if (read(tx, node, 9) == 0) {
                        throw tx.retry();
                      }
                    }));
    waiter.setDaemon(true); // if nothing wakes it up
    waiter.start();
    while (waiter.getState() != Thread.State.TIMED_WAITING) {
      assertThat(waiter.isAlive()).isTrue();
      Thread.onSpinWait();
    }
    change(node, 9, 1);
    waiter.join();
    assertThat(attempts[0]).isGreaterThanOrEqualTo(2);
  }

  // ---- Long readers.

  @Test
  void aLongReaderSeesEveryWordOfANodeAsItWas() {
    long node = newNode(4096, 1);
    long calm = newNode(1024, 2);
    store.read(
        TxOptions.async(),
        tx -> {
          becomeLong(tx);
          for (int value = 10; value < 13; value++) {
            int now = value;
            elsewhere(
                () ->
                    store.run(
                        other -> {
                          read(other, node, 0);
                          fill(other, node, now);
                          words(other).nodes.write(node, 3, now + 100); // the later row counts
                        }));
            Nodes nodes = words(tx).nodes;
            long[] read = new long[NodeLayout.MAX_WORDS];
            assertThat(nodes.readInner(node, 0, read.length, read, 0)).isTrue();
            assertThat(read).containsOnly(1);
            assertThat(nodes.seen()).isEqualTo(Nodes.NO_SEEN);
            assertThat(nodes.read(node, 1, 3, read, 5)).isTrue();
            assertThat(read).containsOnly(1);
            byte[] bytes = new byte[8];
            assertThat(nodes.readBytes(node, 3, 1, bytes, 0)).isTrue();
            assertThat(bytes[0]).isEqualTo((byte) 1);
            assertThat(nodes.read(calm, 1, 1, read, 0)).isTrue();
            assertThat(read[0]).isEqualTo(2);
            long seen = nodes.seen();
            assertThat(nodes.readKnown(calm, seen, 1, 1, read, 0)).isTrue();
          }
          return 0;
        });
  }

  @Test
  void aLongReaderDoesNotTakeAKnownLeafThatIsNewer() {
    long node = newNode(4096, 1);
    long[] seen = new long[1];
    store.read(
        TxOptions.async(),
        tx -> {
          becomeLong(tx);
          change(node, 0, 2);
          elsewhere(
              () ->
                  store.run(
                      other -> {
                        read(other, node, 0);
                        seen[0] = words(other).nodes.seen();
                      }));
          assertThat(words(tx).nodes.readKnown(node, seen[0], 0, 1, new long[1], 0)).isFalse();
          assertThat(read(tx, node, 0)).isEqualTo(1);
          return 0;
        });
  }

  @Test
  void aLongReaderSeesANodeAfterItsPageHasBecomeABlock() {
    List<Long> nodes = new ArrayList<>();
    store.run(
        tx -> {
          for (int i = 0; i < 400; i++) {
            long node = words(tx).heap.allocateNode(4096);
            fill(tx, node, i + 1);
            nodes.add(node);
          }
        });
    store.read(
        TxOptions.async(),
        tx -> {
          becomeLong(tx);
          elsewhere(() -> freeAll(nodes));
          elsewhere(this::fillAllPages);
          for (int i = 0; i < 400; i += 13) {
            assertThat(read(tx, nodes.get(i), i)).isEqualTo(i + 1);
          }
          return 0;
        });
    long page = NodeLayout.address(nodes.get(200));
    assertThat(store.<Long, RuntimeException>read(tx -> tx.getLong(page))).isEqualTo(-5);
  }

  private void freeAll(List<Long> nodes) {
    for (long node : nodes) {
      store.run(
          tx -> {
            read(tx, node, 0);
            words(tx).heap.freeNode(node);
          });
    }
  }

  /** Allocates blocks of 20 KiB until there is no room, and fills them. */
  private List<Long> fillAllPages() {
    List<Long> blocks = new ArrayList<>();
    try {
      while (true) {
        long[] block = new long[1];
        store.run(
            tx -> {
              block[0] = tx.allocate(BLOCK);
              for (int i = 0; i < BLOCK; i += 8) {
                tx.putLong(block[0] + i, -5);
              }
            });
        blocks.add(block[0]);
      }
    } catch (RegionFullException e) {
      return blocks;
    }
  }

  // ---- Pages that change their kind.

  /** R40: nothing else of the node changes. */
  @Test
  void whoHasReadANodeLosesToTheCommitThatFreesIt() {
    long node = newNode(1024, 1);
    int[] attempts = new int[1];
    store.run(
        tx -> {
          if (attempts[0]++ == 0) {
            assertThat(read(tx, node, 1)).isEqualTo(1);
            elsewhere(() -> freeAll(List.of(node)));
          }
          words(tx).putUnchecked(OUT, 1);
        });
    assertThat(attempts[0]).isEqualTo(2);
  }

  /** R41: the stripes of a page that becomes one of nodes. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4})
  void whoKnowsAFormerBlockInAPageOfNodesSeesNoNode(int page) {
    long block =
        store.call(
            tx -> {
              long made = tx.allocate(BLOCK);
              for (int i = 0; i < BLOCK; i += 8) {
                tx.putLong(made + i, 3);
              }
              words(tx).putUnchecked(SLOT, made);
              return made;
            });
    List<Long> nodes = new ArrayList<>();
    Set<Long> seen = new HashSet<>();
    store.read(
        tx -> {
          long address = words(tx).getUnchecked(SLOT);
          if (nodes.isEmpty()) {
            elsewhere(() -> makeNodesOf(block, nodes));
          }
          if (address != 0) {
            for (int i = page * 4096; i < (page + 1) * 4096; i += 8) {
              seen.add(tx.getLong(address + i)); // by an attempt that must not see it either
            }
          }
          return 0;
        });
    assertThat(seen).isSubsetOf(3L);
    assertThat(nodes).anySatisfy(node -> assertThat(inPages(node, block + page * 4096L)).isTrue());
  }

  private void makeNodesOf(long block, List<Long> nodes) {
    store.run(
        tx -> {
          tx.free(block);
          words(tx).putUnchecked(SLOT, 0);
        });
    store.run(
        tx -> {
          // The first runs of pages for each length are one page long.
          for (int bytes : new int[] {4096, 4096, 1024, 1024, 1024, 1024, 1024, 2048, 2048}) {
            long node = words(tx).heap.allocateNode(bytes);
            fill(tx, node, -9);
            nodes.add(node);
          }
        });
  }

  private static boolean inPages(long node, long page) {
    long address = NodeLayout.address(node);
    return address >= page && address < page + 4096;
  }

  /** R40: the orec of a node says that it is gone, whatever its page is. */
  @Test
  void whoKnowsAFormerNodeInAPageOfBlocksSeesNoBlock() {
    long parent = newNode(1024, 0);
    List<Long> children = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      children.add(newNode(4096, 4));
    }
    long child = children.get(20);
    change(parent, 1, child);
    boolean[] isFirst = {true};
    Set<Long> found = new HashSet<>(); // by any attempt
    long seen =
        store.call(
            tx -> {
              long[] read = new long[1];
              while (true) {
                long led = readInner(tx, parent, 1);
                if (isFirst[0]) {
                  isFirst[0] = false;
                  elsewhere(
                      () -> {
                        store.run(
                            other -> {
                              read(other, parent, 1);
                              words(other).nodes.write(parent, 1, 0);
                              read(other, child, 0);
                              words(other).heap.freeNode(child);
                            });
                        freeAll(children.stream().filter(each -> each != child).toList());
                        fillAllPages();
                      });
                }
                if (led == 0) {
                  return -1L;
                }
                if (words(tx).nodes.read(led, 77, 1, read, 0)) {
                  found.add(read[0]);
                  return read[0];
                }
              }
            });
    assertThat(seen).isEqualTo(-1);
    assertThat(found).isSubsetOf(4L);
    assertThat(store.<Long, RuntimeException>read(tx -> tx.getLong(NodeLayout.address(child))))
        .isEqualTo(-5);
  }
}
