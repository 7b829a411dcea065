package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.Codecs;
import io.howdah.codec.PersistentName;
import io.howdah.collections.PersistentMap;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.objects.Persistent;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What is needed to read data survives where the data does. The store's default is that of the
 * parameter. A thread opens a record, an enum, a type or a map; what describes it goes to one
 * partition, and a value to another one. The power is cut at each operation of the round that
 * writes both, so also between two of its batches. Where the value is there, the next version of
 * the program reads it right.
 */
@Timeout(120)
class DurableShapesTest {

  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final String FLUSHER = "howdah-flusher";
  private static final int FILLER_WORDS = 1 << 11;

  private final HeldThreads threads = new HeldThreads();

  @PersistentName("tally")
  record Count(long count) {}

  @PersistentName("tally")
  record Price(long price) {}

  @PersistentName("tally")
  record Total(long total) {}

  @PersistentName("colour")
  enum Red {
    RED
  }

  @PersistentName("colour")
  enum RedAndGreen {
    RED,
    GREEN
  }

  @PersistentName("colour")
  enum RedAndBlue {
    RED,
    BLUE
  }

  @Persistent
  interface Secret {
    long code();

    void code(long value);
  }

  @Persistent
  interface Account {
    long balance();

    void balance(long value);
  }

  @AfterEach
  void release() {
    threads.releaseAll();
  }

  private StoreOptions options(SimulatedDisk disk, Durability mode) {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withExecution(threads)
        .withMaxSize(1 << 22)
        .withPartitions(2)
        .withRingBytes(1 << 18)
        .withOrecs(1 << 12)
        .withDefaultDurability(mode)
        .withGroupCommitInterval(Duration.ofSeconds(10))
        .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);
  }

  private static void await(BooleanSupplier condition) {
    long begun = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - begun).isLessThan(DEADLINE_NANOS);
      Thread.onSpinWait();
    }
  }

  private void holdFlusher() {
    threads.hold(FLUSHER);
    await(() -> threads.isStanding(FLUSHER));
  }

  /** Runs in another context than the caller's last transactions, so through another partition. */
  private static <T> T elsewhere(Store store, Function<Store, T> action) {
    Session held = store.session();
    held.begin(TxOptions.async());
    try {
      return action.apply(store);
    } finally {
      held.abort();
    }
  }

  /**
   * One history.
   *
   * @param before makes the store's first state
   * @param open opens what describes the value, and returns what writes the value
   * @param check reads the value with another version of the program, if it is there; returns
   *     whether it was
   */
  private record History(
      Consumer<Store> before, Function<Store, Runnable> open, Function<Store, Boolean> check) {}

  private void cutAtEachOperation(Durability mode, History history) {
    SimulatedDisk base = SimulatedDisk.builder(1).volatileBytes(1 << 26).build();
    try (Store store = Store.open(options(base, mode))) {
      history.before.accept(store);
      store.run(TxOptions.sync(), tx -> tx.root(0, tx.allocate(FILLER_WORDS * 8L)));
    }
    List<String> outcomes = new ArrayList<>();
    int survived = 0;
    int ran = 0;
    boolean isOver = false;
    for (int operation = 1; !isOver; operation++) {
      ran++;
      SimulatedDisk disk = base.fork();
      Store store = Store.open(options(disk, mode));
      holdFlusher();
      FutureTask<Runnable> opening = new FutureTask<>(() -> elsewhere(store, history.open));
      Thread opener = new Thread(opening, "opener");
      opener.start();
      await(
          () ->
              opening.isDone()
                  || opener.getState() == Thread.State.TIMED_WAITING
                  || opener.getState() == Thread.State.WAITING);
      // An opening that waits until it is durable needs the flusher.
      threads.release(FLUSHER);
      if (opening.isDone()) {
        // As before: nothing was forced since.
        threads.hold(FLUSHER);
      }
      Runnable write = get(opening);
      if (!opening.isDone()) {
        throw new AssertionError();
      }
      holdFlusher();
      write.run();
      for (int i = 0; i < 8; i++) {
        long value = i;
        store.run(
            TxOptions.async(),
            tx -> {
              for (int word = 0; word < FILLER_WORDS; word++) {
                tx.putLong(tx.root(0) + 8L * word, value);
              }
            });
      }
      disk.crashAtOperation(disk.operations() + operation, CrashMoment.AFTER);
      threads.release(FLUSHER);
      try {
        store.run(TxOptions.sync(), tx -> tx.root(1, tx.root(0)));
        isOver = true;
      } catch (RuntimeException | Error e) {
        // the power is cut
      }
      disk.powerCut(CrashChoice.LOSE_ALL);
      threads.releaseAll();
      assertThatThrownBy(store::close).isNotNull();
      try (Store next = Store.open(options(disk, mode))) {
        if (history.check.apply(next)) {
          survived++;
        }
      } catch (AssertionError e) {
        outcomes.add("operation " + operation + ": " + e.getMessage());
      }
    }
    System.out.println(mode + " survived " + survived + " of " + ran + " " + outcomes);
    assertThat(outcomes).isEmpty();
    assertThat(survived).isPositive();
  }

  private static Runnable get(FutureTask<Runnable> task) {
    try {
      return task.get();
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  private static <T> PersistentMap<Long, T> values(Store store, Class<T> type) {
    return store.map("values", Codec.int64(), Codecs.of(type));
  }

  private static <T> T found(Store store, PersistentMap<Long, T> map, long key) {
    List<T> found = new ArrayList<>();
    store.run(
        TxOptions.async().withReadOnly(),
        tx -> {
          found.clear();
          T value = map.get(tx, key);
          if (value != null) {
            found.add(value);
          }
        });
    return found.isEmpty() ? null : found.getFirst();
  }

  @ParameterizedTest
  @EnumSource(Durability.class)
  void theShapeOfARecordSurvivesWithItsValues(Durability mode) {
    cutAtEachOperation(
        mode,
        new History(
            store -> {
              PersistentMap<Long, Count> map = values(store, Count.class);
              store.run(TxOptions.sync(), tx -> map.put(tx, 1L, new Count(5)));
            },
            store -> {
              PersistentMap<Long, Price> map = values(store, Price.class);
              return () -> store.run(TxOptions.async(), tx -> map.put(tx, 1L, new Price(777)));
            },
            store -> {
              Total total = found(store, values(store, Total.class), 1);
              assertThat(total).isEqualTo(new Total(0));
              Price price = found(store, values(store, Price.class), 1);
              return price.equals(new Price(777));
            }));
  }
}
