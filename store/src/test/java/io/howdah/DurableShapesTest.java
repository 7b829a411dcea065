package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.PersistentName;
import io.howdah.codec.derived.Codecs;
import io.howdah.collections.PersistentMap;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.objects.Persistent;
import io.howdah.objects.PersistentType;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.lang.invoke.MethodHandles;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
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

  /** Where the address of an object is kept, behind what the filler writes. */
  private static final int KEPT = FILLER_WORDS * 8 + 4096;

  /** All threads take the same context, so a commit's partition does not depend on its thread. */
  private final HeldThreads threads =
      new HeldThreads() {
        @Override
        public int threadGroup(int groups) {
          return 0;
        }
      };

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

  @PersistentName("animal")
  sealed interface Cat permits Tom {}

  @PersistentName("animal")
  sealed interface CatOrDog permits Tom, Rex {}

  @PersistentName("animal")
  sealed interface CatOrFish permits Tom, Nemo {}

  record Tom(long number) implements Cat, CatOrDog, CatOrFish {}

  record Rex(long number) implements CatOrDog {}

  record Nemo(long number) implements CatOrFish {}

  @Persistent
  interface Secret {
    long getCode();

    void setCode(long value);
  }

  @Persistent
  interface Other {
    long getOther();

    void setOther(long value);
  }

  @Persistent
  interface Account {
    long getBalance();

    void setBalance(long value);
  }

  @AfterEach
  void end() {
    threads.end();
  }

  private StoreOptions options(SimulatedDisk disk, Durability mode) {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withExecution(threads)
        .withMaxSize(1 << 22)
        .withPartitions(4)
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

  private void hold(String name) {
    threads.hold(name);
    await(() -> threads.isStanding(name));
  }

  /** Runs in another context than the caller's last transactions, so through another partition. */
  private static void elsewhere(Store store, int contexts, Runnable action) {
    if (contexts == 0) {
      action.run();
      return;
    }
    Session held = store.session();
    held.begin(TxOptions.async());
    try {
      elsewhere(store, contexts - 1, action);
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
    cutAtEachOperation(mode, history, 1);
    cutAtEachOperation(mode, history, 2);
  }

  private void cutAtEachOperation(Durability mode, History history, int openers) {
    SimulatedDisk base = SimulatedDisk.builder(1).volatileBytes(1 << 26).build();
    try (Store store = Store.open(options(base, mode))) {
      history.before.accept(store);
      store.run(TxOptions.sync(), tx -> tx.root(0, tx.allocate(KEPT + 4096)));
    }
    List<String> outcomes = new ArrayList<>();
    int survived = 0;
    boolean isOver = false;
    for (int operation = 1; !isOver; operation++) {
      SimulatedDisk disk = base.fork();
      Store store = Store.open(options(disk, mode));
      // Only the flusher uses the disk from here on, so each run meets the same operations.
      hold("howdah-segments");
      hold("howdah-checkpoint");
      hold("howdah-watch");
      hold(FLUSHER);
      // Before it in its partition, and behind the value in the other one: together more than a
      // segment takes, so the first batch ends before what describes the value.
      List<FutureTask<Runnable>> openings = new ArrayList<>();
      elsewhere(
          store,
          1,
          () -> {
            fill(store, 2000, 4);
            // The second one finds what the first one has stored, perhaps while that waits.
            for (int i = 0; i < openers; i++) {
              openings.add(start(() -> history.open.apply(store)));
            }
          });
      if (!openings.getLast().isDone()) {
        threads.release(FLUSHER);
        get(openings.getLast());
        long parks = threads.parks(FLUSHER);
        threads.hold(FLUSHER);
        await(() -> threads.parks(FLUSHER) > parks && threads.isStanding(FLUSHER));
      }
      Runnable write = get(openings.getLast());
      // The two contexts have changed places.
      elsewhere(
          store,
          1,
          () -> {
            write.run();
            fill(store, 10, FILLER_WORDS);
          });
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
    assertThat(outcomes).isEmpty();
    assertThat(survived).isPositive();
  }

  private static void fill(Store store, int commits, int words) {
    for (int i = 0; i < commits; i++) {
      long value = i;
      store.run(
          TxOptions.async(),
          tx -> {
            for (int word = 0; word < words; word++) {
              tx.putLong(tx.root(0) + 8L * word, value);
            }
          });
    }
  }

  /** Runs something on a thread of its own, until it is done or waits. */
  private static FutureTask<Runnable> start(Callable<Runnable> action) {
    FutureTask<Runnable> task = new FutureTask<>(action);
    Thread thread = new Thread(task, "opener");
    thread.start();
    await(
        () ->
            task.isDone()
                || thread.getState() == Thread.State.WAITING
                || thread.getState() == Thread.State.TIMED_WAITING);
    return task;
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

  private static <T> void put(Store store, PersistentMap<Long, T> map, T value, TxOptions how) {
    store.run(how, tx -> map.put(tx, 1L, value));
  }

  private static <T> @Nullable T foundOrRefused(Store store, PersistentMap<Long, T> map) {
    try {
      return found(store, map);
    } catch (CodecException e) {
      return null;
    }
  }

  private static <T> @Nullable T found(Store store, PersistentMap<Long, T> map) {
    List<T> found = new ArrayList<>();
    store.run(
        TxOptions.async().withReadOnly(),
        tx -> {
          found.clear();
          T value = map.get(tx, 1L);
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
              Total total = found(store, values(store, Total.class));
              assertThat(total).isEqualTo(new Total(0));
              Price price = found(store, values(store, Price.class));
              return new Price(777).equals(price);
            }));
  }

  @ParameterizedTest
  @EnumSource(Durability.class)
  void theNumbersOfConstantsSurviveWithTheirValues(Durability mode) {
    cutAtEachOperation(
        mode,
        new History(
            store -> put(store, values(store, Red.class), Red.RED, TxOptions.sync()),
            store -> {
              PersistentMap<Long, RedAndGreen> map = values(store, RedAndGreen.class);
              return () -> put(store, map, RedAndGreen.GREEN, TxOptions.async());
            },
            store -> {
              PersistentMap<Long, RedAndBlue> map = values(store, RedAndBlue.class);
              assertThat(foundOrRefused(store, map)).isNotEqualTo(RedAndBlue.BLUE);
              return found(store, values(store, RedAndGreen.class)) == RedAndGreen.GREEN;
            }));
  }

  @ParameterizedTest
  @EnumSource(Durability.class)
  void theNumbersOfClassesSurviveWithTheirValues(Durability mode) {
    cutAtEachOperation(
        mode,
        new History(
            store -> put(store, values(store, Cat.class), new Tom(1), TxOptions.sync()),
            store -> {
              PersistentMap<Long, CatOrDog> map = values(store, CatOrDog.class);
              return () -> put(store, map, new Rex(7), TxOptions.async());
            },
            store -> {
              PersistentMap<Long, CatOrFish> map = values(store, CatOrFish.class);
              assertThat(foundOrRefused(store, map) instanceof Nemo).isFalse();
              CatOrDog found = found(store, values(store, CatOrDog.class));
              return found instanceof Rex;
            }));
  }

  @ParameterizedTest
  @EnumSource(Durability.class)
  void theLayoutOfATypeSurvivesWithItsObjects(Durability mode) {
    cutAtEachOperation(
        mode,
        new History(
            store -> store.type(Other.class, MethodHandles.lookup()),
            store -> {
              PersistentType<Secret> secrets = store.type(Secret.class, MethodHandles.lookup());
              return () ->
                  store.run(
                      TxOptions.async(),
                      tx -> {
                        Secret secret = secrets.create(tx);
                        secret.setCode(777);
                        tx.putLong(tx.root(0) + KEPT, secrets.address(secret));
                      });
            },
            store -> {
              PersistentType<Account> accounts = store.type(Account.class, MethodHandles.lookup());
              long address = store.read(tx -> tx.getLong(tx.root(0) + KEPT));
              if (address == 0) {
                return false;
              }
              assertThatThrownBy(() -> store.read(tx -> accounts.at(tx, address).getBalance()))
                  .isInstanceOf(RuntimeException.class);
              PersistentType<Secret> secrets = store.type(Secret.class, MethodHandles.lookup());
              return store.read(tx -> secrets.at(tx, address).getCode()) == 777;
            }));
  }

  /** Otherwise words of its blocks survive in memory that nothing has allocated. */
  @ParameterizedTest
  @EnumSource(Durability.class)
  void aCollectionSurvivesWithItsEntries(Durability mode) {
    cutAtEachOperation(
        mode,
        new History(
            store -> store.map("another", Codec.int64(), Codec.int64()),
            store -> {
              PersistentMap<Long, Long> map = store.map("values", Codec.int64(), Codec.int64());
              return () -> put(store, map, 42L, TxOptions.async());
            },
            store -> {
              boolean isThere =
                  store.read(tx -> store.admin().collections(tx).containsKey("values"));
              long block = store.call(tx -> tx.allocate(4096));
              long dirty =
                  store.read(
                      tx -> {
                        long sum = 0;
                        for (int i = 0; i < 512; i++) {
                          sum |= tx.getLong(block + 8L * i);
                        }
                        return sum;
                      });
              assertThat(dirty).isZero();
              PersistentMap<Long, Long> map = store.map("values", Codec.int64(), Codec.int64());
              Long value = found(store, map);
              assertThat(value).isIn(null, 42L);
              return isThere && value != null;
            }));
  }
}
