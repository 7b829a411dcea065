package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.howdah.FaultyRegion;
import io.howdah.FaultyRegion.InjectedError;
import io.howdah.LoggedStore;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.TestStores;
import io.howdah.core.Region;
import io.howdah.core.StoreFailedException;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.Lsn;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TxOptions;
import io.howdah.txn.words.OrecTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Something is thrown into a commit, at every access it makes to shared memory (docs/protocol.md,
 * R6): either the transaction has not happened and the store goes on, or the store stops, with
 * nobody having seen half a commit.
 */
@Timeout(300)
final class BrokenCommitTest {

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(1 << 20)
          .withPartitions(2)
          .withRingBytes(1 << 16)
          .withOrecs(1 << 12)
          .withCloseTimeout(Duration.ofMillis(100));

  private static final long READ = 8192;
  private static final long[] WRITTEN = {16384, 16392, 32768};

  enum Kind {
    VOLATILE,
    LOGGED,
    SHARED
  }

  private enum Outcome {
    COMMITTED,
    UNDONE,
    STOPPED
  }

  /** Runs a transaction whose commit has to validate and fails at its n-th access. */
  private static Outcome commit(Store store, FaultyRegion.Trigger trigger, long n) {
    boolean[] first = {true};
    try {
      store.run(
          TxOptions.async(),
          tx -> {
            tx.getLong(READ);
            if (first[0]) {
              store.run(TxOptions.async(), other -> other.putLong(40960, 1));
              first[0] = false;
            }
            for (long address : WRITTEN) {
              tx.putLong(address, 7);
            }
            trigger.arm(n);
          });
      return Outcome.COMMITTED;
    } catch (InjectedError e) {
      return Outcome.UNDONE;
    } catch (StoreFailedException e) {
      assertThat(e).hasCauseInstanceOf(InjectedError.class);
      return Outcome.STOPPED;
    } finally {
      trigger.disarm();
    }
  }

  /** Returns the outcomes of failing at the first access, the second and so on. */
  private static List<Outcome> judgeAll(Supplier<Judged> stores) {
    List<Outcome> outcomes = new ArrayList<>();
    for (long n = 1; ; n++) {
      try (Judged judged = stores.get()) {
        Store store = judged.store();
        Outcome outcome = commit(store, judged.trigger(), n);
        outcomes.add(outcome);
        switch (outcome) {
          case UNDONE -> {
            for (long address : WRITTEN) {
              assertThat((long) store.read(tx -> tx.getLong(address))).isZero();
            }
            judged.holdsTogether();
            // All orecs and all lanes are free.
            for (int i = 0; i < 5; i++) {
              store.callWithReceipt(
                  TxOptions.sync().withIrrevocable(),
                  tx -> {
                    for (long address : WRITTEN) {
                      tx.putLong(address, tx.getLong(address) + 1);
                    }
                    return 0;
                  });
            }
            assertThat((long) store.read(tx -> tx.getLong(WRITTEN[2]))).isEqualTo(5);
          }
          case STOPPED -> {
            assertThatThrownBy(() -> store.read(tx -> tx.getLong(WRITTEN[0])))
                .isInstanceOf(StoreFailedException.class);
            assertThatThrownBy(() -> store.run(tx -> tx.putLong(WRITTEN[0], 1)))
                .isInstanceOf(StoreFailedException.class);
            assertThatThrownBy(store::session).isInstanceOf(StoreFailedException.class);
            judged.closeFailed();
          }
          case COMMITTED -> {
            for (long address : WRITTEN) {
              assertThat((long) store.read(tx -> tx.getLong(address))).isEqualTo(7);
            }
            return outcomes;
          }
        }
      }
      if (n > 10_000) {
        fail("the commit makes no end of accesses");
      }
    }
  }

  private interface Judged extends AutoCloseable {
    Store store();

    FaultyRegion.Trigger trigger();

    void holdsTogether();

    void closeFailed();

    @Override
    void close();
  }

  private static final class Volatile implements Judged {
    private final FaultyRegion.Trigger trigger = new FaultyRegion.Trigger();
    private final Store store;

    Volatile() {
      Region region = memory(OPTIONS.maxSize(), false);
      Region orecs = memory(OrecTable.lengthBytes(OPTIONS.orecs()), true);
      Region words = memory(CommitLanes.wordsLengthBytes(OPTIONS.partitions()), false);
      store = TestStores.inMemory(OPTIONS, region, orecs, words);
    }

    private Region memory(long bytes, boolean failsAfterSwaps) {
      return new FaultyRegion(Regions.anonymous(bytes), trigger, failsAfterSwaps);
    }

    @Override
    public Store store() {
      return store;
    }

    @Override
    public FaultyRegion.Trigger trigger() {
      return trigger;
    }

    @Override
    public void holdsTogether() {}

    @Override
    public void closeFailed() {
      store.close();
    }

    @Override
    public void close() {
      store.close();
    }
  }

  private static final class Logged implements Judged {
    private final FaultyRegion.Trigger trigger = new FaultyRegion.Trigger();
    private final LoggedStore logged;

    /** Opens one whose lanes share a partition (R33), or have one each, as by default. */
    Logged(boolean isShared) {
      int byDefault = 2 * OPTIONS.execution().availableProcessors();
      logged =
          new LoggedStore(
              OPTIONS.withPartitions(isShared ? 1 : byDefault),
              SimulatedDisk.seeded(1).storage(),
              memory -> new FaultyRegion(memory, trigger, false));
      assertThat(logged.log.lanes().lane(0).isShared()).isEqualTo(isShared);
    }

    @Override
    public Store store() {
      return logged.store;
    }

    @Override
    public FaultyRegion.Trigger trigger() {
      return trigger;
    }

    /** No LSN is missing, and none is there twice. */
    @Override
    public void holdsTogether() {
      SortedMap<Long, LoggedStore.Found> all = logged.allByLsn();
      long lsn = 1;
      for (LoggedStore.Found record : all.values()) {
        assertThat(Lsn.dense(record.lsn())).isEqualTo(lsn++);
        assertThat(record.words().containsKey(WRITTEN[0])).isFalse();
        assertThat(record.kind()).isIn(RedoRecordLayout.KIND_COMMIT, RedoRecordLayout.KIND_VOID);
      }
      assertThat(lsn - 1).isEqualTo(store().admin().stats().lsn());
      // Nothing that was announced is left, for checkpoints would wait for it.
      assertThat(logged.log.haveCommitsEnded(logged.log.orderedClock())).isTrue();
    }

    @Override
    public void closeFailed() {
      assertThatThrownBy(store()::close).isInstanceOf(StoreFailedException.class);
    }

    @Override
    public void close() {
      logged.close();
    }
  }

  @Test
  void aVolatileCommitIsUndoneOrStopsTheStore() {
    List<Outcome> outcomes = judgeAll(Volatile::new);
    assertThat(outcomes).contains(Outcome.UNDONE, Outcome.STOPPED);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aLoggedCommitIsUndoneOrStopsTheStore(boolean isShared) {
    List<Outcome> outcomes = judgeAll(() -> new Logged(isShared));
    assertThat(outcomes).contains(Outcome.UNDONE, Outcome.STOPPED);
    // Once it can only stop, it never can be undone any more.
    int published = outcomes.lastIndexOf(Outcome.UNDONE);
    assertThat(outcomes.subList(published + 1, outcomes.size() - 1)).containsOnly(Outcome.STOPPED);
  }

  /**
   * Neither the commit nor its repair gets anywhere, as at the very end of the stack: the next
   * commit, of another thread, goes through or learns that the store has stopped. It never waits.
   */
  @ParameterizedTest
  @EnumSource
  void aCommitThatCannotBeRepairedEitherStopsTheStore(Kind kind) throws Exception {
    int stopped = 0;
    for (long n = 1; ; n++) {
      long first = n;
      Judged judged = kind == Kind.VOLATILE ? new Volatile() : new Logged(kind == Kind.SHARED);
      try {
        judged
            .store()
            .run(
                TxOptions.async(),
                tx -> {
                  for (long address : WRITTEN) {
                    tx.putLong(address, 7);
                  }
                  judged.trigger().arm(first, true);
                });
      } catch (InjectedError | StoreFailedException e) {
        // Judged below.
      } finally {
        judged.trigger().disarm();
      }
      try {
        CompletableFuture.runAsync(
                () -> judged.store().run(TxOptions.sync(), tx -> tx.putLong(WRITTEN[0], 1)))
            .get(30, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        assertThat(e).hasCauseInstanceOf(StoreFailedException.class);
        stopped++;
      }
      try {
        judged.store().close();
      } catch (StoreFailedException e) {
        // It has said so before.
      }
      if (!judged.trigger().hasFired()) {
        assertThat(stopped).isPositive();
        return;
      }
    }
  }

  @Test
  void aStackOverflowLeavesTheStoreUsableOrStopped() {
    try (Store store = Store.inMemory(OPTIONS)) {
      int overflows = overflow(store, 0);
      assertThat(overflows).isPositive();
      try {
        long before = store.read(tx -> tx.getLong(READ));
        store.run(tx -> tx.putLong(READ, before + 1));
        assertThat((long) store.read(tx -> tx.getLong(READ))).isEqualTo(before + 1);
      } catch (StoreFailedException e) {
        assertThat(e).hasRootCauseInstanceOf(StackOverflowError.class);
      }
    }
  }

  /** Runs transactions from ever deeper in the stack; returns how many met its end. */
  @SuppressWarnings("InfiniteRecursion") // which is the point
  private static int overflow(Store store, int depth) {
    int overflows = 0;
    try {
      overflows = overflow(store, depth + 1);
    } catch (StackOverflowError e) {
      overflows = 1;
    }
    if (overflows > 0 && overflows < 200) {
      try {
        store.run(tx -> tx.putLong(READ, tx.getLong(READ) + 1));
      } catch (StackOverflowError e) {
        overflows++;
      } catch (StoreFailedException e) {
        return overflows;
      }
    }
    return overflows;
  }
}
