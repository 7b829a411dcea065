package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.StoreFigure.Kind;
import io.howdah.codec.Codec;
import io.howdah.collections.Expiry;
import io.howdah.collections.PersistentMap;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.testkit.SettableClock;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SystemThreads;
import io.howdah.txn.Durability;
import io.howdah.txn.Savepoint;
import io.howdah.txn.TransactionAbortedException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each operation of a store beside the counters that it moves, and by how much. All others stay as
 * they are: a counter that is not named counts nothing.
 */
@Timeout(60)
final class FiguresMatrixTest {

  private static final long WORD = 8192;
  private static final long OTHER_WORD = WORD + 4096;

  /** The first read of a thread moves the snapshot that its context had when it was made. */
  private static final int OF_THE_OTHER = 1;

  /** What an operation does to a store; the store has nothing else to do. */
  private interface Operation {
    void run(FiguresMatrixTest test) throws Exception;
  }

  /**
   * An operation and its counters.
   *
   * @param moved name and difference of each counter that changes
   */
  record Row(String name, Operation operation, Map<String, Long> moved) {
    @Override
    public String toString() {
      return name;
    }
  }

  private final SettableClock clock = new SettableClock();
  private Store store;
  private PersistentMap<Long, Long> expiring;

  @BeforeEach
  void open() {
    store =
        Store.open(
            StoreOptions.defaults()
                .withMaxSize(1 << 22)
                .withPartitions(1)
                .withRingBytes(1 << 16)
                .withOrecs(1 << 12)
                .withLogSegmentBytes(SegmentLayout.MIN_LENGTH)
                .withGroupCommitInterval(Duration.ofSeconds(10))
                .withDefaultDurability(Durability.ASYNC)
                .withClock(clock)
                .withExecution(new QuietThreads())
                .withStorage(SimulatedDisk.seeded(1).storage()));
    store.run(tx -> tx.root(0, tx.allocate(1 << 16)));
    expiring =
        store.map("expiring", Codec.int64(), Codec.int64(), Expiry.after(Duration.ofSeconds(1)));
    store.run(TxOptions.sync(), tx -> tx.putLong(tx.root(0), 1));
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** Without those that take checkpoints and reclaim, whose transactions would be counted, too. */
  private static final class QuietThreads extends SystemThreads {
    @Override
    public Thread start(String name, Runnable body) {
      boolean isQuiet = name.equals("howdah-expiry") || name.startsWith("howdah-touch");
      return isQuiet ? new Thread(body) : system.start(name, body);
    }
  }

  private static Row row(String name, Operation operation, Object... moved) {
    Map<String, Long> differences = new TreeMap<>();
    for (int i = 0; i < moved.length; i += 2) {
      differences.put((String) moved[i], ((Integer) moved[i + 1]).longValue());
    }
    return new Row(name, operation, differences);
  }

  private void write(TxOptions how) {
    store.run(how, tx -> tx.putLong(tx.root(0), 2));
  }

  static Stream<Row> rows() {
    return Stream.of(
        row("nothing", _ -> {}),
        row("a write", test -> test.write(TxOptions.async()), "commits", 1),
        row("three writes in one", FiguresMatrixTest::threeWrites, "commits", 1),
        row("a durable write", test -> test.write(TxOptions.sync()), "commits", 1, "forces", 1),
        row("a read", test -> test.read(), "readOnlyCommits", 1),
        row(
            "a read by a transaction that may write",
            test -> test.store.run(tx -> tx.getLong(tx.root(0))),
            "readOnlyCommits",
            1),
        row("a body that does nothing", test -> test.store.run(_ -> {}), "readOnlyCommits", 1),
        row("an exception", FiguresMatrixTest::fail, "aborts", 1, "abortsException", 1),
        row("an abort", FiguresMatrixTest::abort, "aborts", 1, "abortsExplicit", 1),
        row("a refused call", FiguresMatrixTest::refused, "aborts", 1, "abortsException", 1),
        row("a write after a roll-back", FiguresMatrixTest::rollBack, "commits", 1),
        row("all rolled back", FiguresMatrixTest::rollBackAll, "readOnlyCommits", 1),
        row(
            "an irrevocable write",
            test -> test.write(TxOptions.async().withIrrevocable()),
            "commits",
            1,
            "irrevocableTransactions",
            1),
        row(
            "a read that moves its snapshot",
            FiguresMatrixTest::extension,
            "commits",
            1,
            "readOnlyCommits",
            1,
            "snapshotExtensions",
            1 + OF_THE_OTHER),
        row(
            "a read that has to be repeated",
            FiguresMatrixTest::conflictOfARead,
            "commits",
            1,
            "readOnlyCommits",
            1,
            "aborts",
            1,
            "abortsExtension",
            1,
            "snapshotExtensions",
            OF_THE_OTHER),
        row(
            "a write that has to be repeated",
            FiguresMatrixTest::conflictOfAWrite,
            "commits",
            2,
            "aborts",
            1,
            "abortsValidation",
            1,
            "voids",
            1,
            "snapshotExtensions",
            OF_THE_OTHER),
        row("a large write", FiguresMatrixTest::large, "commits", 1, "multipartCommits", 1),
        row("a session", FiguresMatrixTest::session, "commits", 1),
        row(
            "two entries that have expired, reclaimed",
            FiguresMatrixTest::reclaim,
            "commits",
            3, // the puts, the horizon, the removals
            "readOnlyCommits",
            1,
            "reclaimedEntries",
            2),
        row("a checkpoint", test -> test.store.admin().checkpoint(), "checkpoints", 1));
  }

  private void threeWrites() {
    store.run(
        tx -> {
          tx.putLong(tx.root(0), 1);
          tx.putLong(tx.root(0) + 8, 2);
          tx.putLong(tx.root(0) + 4096, 3);
        });
  }

  private void read() {
    store.read(tx -> tx.getLong(tx.root(0)));
  }

  private void fail() {
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      tx.putLong(tx.root(0), 5);
                      throw new IllegalArgumentException("by the test");
                    }))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private void abort() {
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      tx.putLong(tx.root(0), 5);
                      throw tx.abort("by the test");
                    }))
        .isInstanceOf(TransactionAbortedException.class);
  }

  private void refused() {
    assertThatThrownBy(() -> store.run(tx -> tx.putLong(3, 5)))
        .isInstanceOf(RuntimeException.class);
  }

  private void rollBack() {
    store.run(
        tx -> {
          Savepoint start = tx.savepoint();
          tx.putLong(tx.root(0), 5);
          tx.rollBack(start);
          tx.putLong(tx.root(0), 6);
        });
  }

  private void rollBackAll() {
    store.run(
        tx -> {
          Savepoint start = tx.savepoint();
          tx.putLong(tx.root(0), 5);
          tx.rollBack(start);
        });
  }

  /** Another thread's commit, once, between two steps of a body. */
  private final class Beside {
    private boolean done;

    void commit(long... offsets) {
      if (done) {
        return;
      }
      done = true;
      Thread other =
          Thread.ofPlatform()
              .start(
                  () ->
                      store.run(
                          tx -> {
                            for (long offset : offsets) {
                              tx.putLong(tx.root(0) + offset, 9);
                            }
                          }));
      try {
        other.join();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private void extension() {
    Beside beside = new Beside();
    store.run(
        tx -> {
          long first = tx.getLong(tx.root(0));
          beside.commit(OTHER_WORD);
          assertThat(first + tx.getLong(tx.root(0) + OTHER_WORD)).isPositive();
        });
  }

  private void conflictOfARead() {
    Beside beside = new Beside();
    store.run(
        tx -> {
          long first = tx.getLong(tx.root(0) + OTHER_WORD);
          beside.commit(OTHER_WORD, WORD); // what was read before is no longer current
          assertThat(first + tx.getLong(tx.root(0) + WORD)).isNotNegative();
        });
  }

  private void conflictOfAWrite() {
    Beside beside = new Beside();
    store.run(
        tx -> {
          long read = tx.getLong(tx.root(0) + OTHER_WORD);
          beside.commit(OTHER_WORD);
          tx.putLong(tx.root(0) + WORD, read + 1);
        });
  }

  private void large() {
    store.run(
        tx -> {
          for (int i = 0; i < 6000; i++) {
            tx.putLong(tx.root(0) + i * 8L, i);
          }
        });
  }

  private void session() {
    try (Session session = store.session()) {
      Tx tx = session.begin();
      tx.putLong(tx.root(0), 4);
      session.commit();
    }
  }

  private void reclaim() {
    store.run(
        tx -> {
          expiring.put(tx, 1L, 1L);
          expiring.put(tx, 2L, 2L);
        });
    clock.move(5000);
    assertThat(expiring.expiry().reclaim()).isEqualTo(2);
  }

  private Map<String, Long> counters() {
    // Not those of the space, for which a transaction reads the pages.
    List<StoreFigure> figures =
        StoreFigure.of(store.admin()).stream().filter(f -> f.kind() == Kind.COUNTER).toList();
    Map<String, Long> counters = new TreeMap<>();
    StoreFigure.read(figures, store.admin()).forEach((f, value) -> counters.put(f.name(), value));
    return counters;
  }

  @ParameterizedTest
  @MethodSource("rows")
  void anOperationMovesItsCountersAndNoOthers(Row row) throws Exception {
    Map<String, Long> before = counters();
    assertThat(before.keySet()).containsAll(row.moved().keySet());
    long lsn = store.admin().stats().lsn();
    row.operation().run(this);
    Map<String, Long> moved = counters();
    moved.replaceAll((name, value) -> value - before.getOrDefault(name, 0L));
    Map<String, Long> expected = new TreeMap<>(moved);
    expected.replaceAll((name, _) -> row.moved().getOrDefault(name, 0L));
    moved.values().removeIf(value -> value == 0);
    expected.values().removeIf(value -> value == 0);
    assertThat(moved).isEqualTo(expected);
    assertThat(store.admin().stats().lsn() - lsn)
        .as("an LSN for each commit and each void")
        .isEqualTo(moved.getOrDefault("commits", 0L) + moved.getOrDefault("voids", 0L));
    assertThat(moved.getOrDefault("aborts", 0L))
        .as("the sum of its causes")
        .isEqualTo(
            moved.entrySet().stream()
                .filter(each -> each.getKey().matches("aborts[A-Z].*"))
                .mapToLong(Map.Entry::getValue)
                .sum());
  }
}
