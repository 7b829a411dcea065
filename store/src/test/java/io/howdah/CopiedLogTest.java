package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TxOptions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Copies of a store whose log loses its last batch where it lies, while it is copied. To a recovery
 * that is a batch torn by a power cut, so only what the copy has to hold tells that commits are
 * lost.
 */
@Timeout(120)
final class CopiedLogTest {

  private static final long ONE = 8192;
  private static final long TWO = ONE + 4096;

  /** Three of these fit into a ring, and six into no segment. */
  private static final byte[] LARGE = new byte[15_000];

  static {
    Arrays.fill(LARGE, (byte) 1); // no block of a batch begins with a 0
  }

  private static final int LARGE_COMMITS = 3;
  private static final long LARGE_ONE = 1 << 17;
  private static final long LARGE_TWO = LARGE_ONE + (1 << 14);

  /** Of so many contexts that one thread has at once, some have different partitions. */
  private static final int CONTEXTS = 4;

  /**
   * A segment holds what fills one ring, but not two; a force takes place only if it is awaited.
   */
  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(1 << 20)
          .withPartitions(2)
          .withRingBytes(1 << 16)
          .withOrecs(1 << 16)
          .withLogSegmentBytes(SegmentLayout.MIN_LENGTH)
          .withGroupCommitInterval(Duration.ofSeconds(10));

  private final SimulatedDisk disk = SimulatedDisk.seeded(1);
  private final SimulatedDisk target = SimulatedDisk.seeded(2);

  /** Is told of files before they are created. */
  private interface Creation {
    void of(String name);
  }

  /** Returns a storage that tells what is created in it. */
  private static Storage told(Storage storage, Creation creation) {
    return (Storage)
        Proxy.newProxyInstance(
            Storage.class.getClassLoader(),
            new Class<?>[] {Storage.class},
            (_, method, arguments) -> {
              if (method.getName().equals("create")) {
                creation.of((String) arguments[0]);
              }
              try {
                return method.invoke(storage, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static void damageLastBatch(SimulatedDisk disk, String segment) {
    byte[] bytes = disk.contents(segment);
    int end = BatchLayout.ALIGNMENT;
    while (end < bytes.length && bytes[end] != 0) {
      end += BatchLayout.ALIGNMENT;
    }
    assertThat(end).as("batches").isGreaterThan(2 * BatchLayout.ALIGNMENT);
    disk.flipBit(segment, end - BatchLayout.ALIGNMENT + 100L, 1);
  }

  private static long put(Store store, long address) {
    return store.run(TxOptions.async(), tx -> tx.putLong(address, 1));
  }

  /**
   * Makes large commits in the context that follows a number of others, which this thread has in
   * use meanwhile.
   */
  private static long putLarge(Store store, long address, int others) {
    if (others == 0) {
      long lsn = 0;
      for (int i = 0; i < LARGE_COMMITS; i++) {
        lsn = store.run(TxOptions.async(), tx -> tx.write(address, LARGE));
      }
      return lsn;
    }
    Session session = store.session();
    session.begin(TxOptions.async());
    try {
      return putLarge(store, address, others - 1);
    } finally {
      session.abort();
    }
  }

  /** Returns whether a segment has a batch, and no later one has. */
  private static boolean isLastWithBatch(SimulatedDisk live, String segment) {
    SimulatedDisk disk = live.fork(); // the engine removes segments meanwhile
    return disk.storage().list("log/0").stream()
        .map("log/0/"::concat)
        .filter(name -> disk.contents(name).length > BatchLayout.ALIGNMENT)
        .filter(name -> disk.contents(name)[BatchLayout.ALIGNMENT] != 0)
        .max(Comparator.naturalOrder())
        .equals(Optional.of(segment));
  }

  /** Returns the newest commit that a recovery would find which has the log alone. */
  private static long newestInLog(SimulatedDisk disk) {
    SimulatedDisk alone = disk.fork();
    alone.replaceContainer(); // the rings go with it
    // Force note and summaries may name the lost batch.
    return StoreBackups.acceptRollback(alone.storage(), OPTIONS.execution());
  }

  /**
   * Two groups of commits behind the checkpoint are in two batches if their contexts have different
   * partitions, because one segment does not hold both. In one of their two orders, the later group
   * is in the first batch and survives the loss of the other one. Then the newest commit of the
   * copy is the one that the copy has to hold, and commits before it are missing.
   */
  @Test
  void aBackupWhoseLogLosesItsLastBatchIsRefused() {
    boolean wasBeyondGap = false;
    for (int first = 0; first < CONTEXTS && !wasBeyondGap; first++) {
      for (int second = 0; second < CONTEXTS && !wasBeyondGap; second++) {
        wasBeyondGap = isBeyondGap(first, second);
      }
    }
    assertThat(wasBeyondGap).as("the newest commit has survived").isTrue();
  }

  private static boolean isBeyondGap(int first, int second) {
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    SimulatedDisk target = SimulatedDisk.seeded(2);
    AtomicLong last = new AtomicLong();
    try (Store store = Store.open(OPTIONS.withStorage(disk.storage()))) {
      store.durability().awaitStable(put(store, ONE));
      Storage damaging =
          told(
              target.storage(),
              name -> {
                if (name.equals("image")) { // behind the checkpoint
                  putLarge(store, LARGE_ONE, first);
                  last.set(putLarge(store, LARGE_TWO, second));
                } else if (name.startsWith("log/0/") && isLastWithBatch(disk, name)) {
                  damageLastBatch(disk, name);
                }
              });
      assertThatThrownBy(() -> store.admin().backup(() -> damaging))
          .isInstanceOfSatisfying(
              CorruptStoreException.class, e -> assertThat(e.file()).startsWith("log"))
          .hasMessageContaining("everything up to " + last.get() + " was durable");
      target.kill();
      assertThat(target.storage().list("")).as("what is left of the copy").isEmpty();
      boolean isBeyondGap = newestInLog(disk) == last.get();
      put(store, TWO);
      store.admin().checkpoint(); // the store continues
      return isBeyondGap;
    }
  }

  /** However few commits the last batch has: one that is missing is one too many. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void aBackupThatLacksTheLastCommitsIsRefused(int lost) {
    AtomicLong last = new AtomicLong();
    try (Store store = Store.open(OPTIONS.withStorage(disk.storage()))) {
      store.durability().awaitStable(put(store, ONE));
      Storage damaging =
          told(
              target.storage(),
              name -> {
                if (name.equals("image")) { // behind the checkpoint
                  store.durability().awaitStable(put(store, ONE));
                  for (int i = 0; i < lost; i++) {
                    last.set(put(store, TWO)); // all in one batch, which nobody awaits before
                  }
                } else if (name.startsWith("log/0/") && isLastWithBatch(disk, name)) {
                  damageLastBatch(disk, name);
                }
              });
      assertThatThrownBy(() -> store.admin().backup(() -> damaging))
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining("ends at LSN " + (last.get() - lost))
          .hasMessageContaining("everything up to " + last.get() + " was durable");
    }
  }

  /** What a restore has found when it looked, it has to bring back. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRestoreWhoseLogLosesItsLastBatchIsRefused(boolean asOfAnLsn) {
    Store store = Store.open(OPTIONS.withStorage(disk.storage()));
    store.admin().checkpoint();
    store.durability().awaitStable(put(store, ONE));
    long last = put(store, ONE);
    store.durability().awaitStable(last);
    SimulatedDisk killed = disk.fork();
    killed.kill();
    store.close();
    Storage damaging =
        told(
            target.storage(),
            name -> {
              if (name.endsWith(".seg") && damagedNow(killed, name)) {
                damageLastBatch(killed, name);
              }
            });
    assertThatThrownBy(
            () ->
                StoreBackups.restore(
                    killed.storage(),
                    damaging,
                    asOfAnLsn ? OptionalLong.of(last) : OptionalLong.empty(),
                    OPTIONS.execution()))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("LSN " + last);
    target.kill();
    assertThat(target.storage().list("")).as("what is left of the copy").isEmpty();
  }

  private static boolean damagedNow(SimulatedDisk disk, String segment) {
    byte[] bytes = disk.contents(segment);
    return bytes.length > 2 * BatchLayout.ALIGNMENT && bytes[2 * BatchLayout.ALIGNMENT] != 0;
  }
}
