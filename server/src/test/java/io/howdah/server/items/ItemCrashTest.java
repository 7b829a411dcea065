package io.howdah.server.items;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.Execution;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.server.cache.Item;
import io.howdah.testkit.CrashControl;
import io.howdah.testkit.CrashTest;
import io.howdah.testkit.Machine;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;

/**
 * Items on a disk that loses what was not forced, cut off at any operation. Afterwards there is a
 * state between what a client was told to be durable and what it has asked for; the bytes of the
 * items are counted right; and no CAS value is given out a second time.
 */
final class ItemCrashTest {

  private static final int STEPS = 6;
  private static final int KEYS = 4;
  private static final int WRITES =
      40; // in each step: all steps take more numbers than one range has
  private static final long RANGE = 2L * Numbering.BLOCK;
  private static final int CHUNK_BYTES = 40;
  private static final long START = 1_700_000_000;

  private static StoreOptions options(Storage storage, Execution execution) {
    return StoreOptions.defaults()
        .withMaxSize(1 << 21)
        .withOrecs(1 << 10)
        .withPartitions(2)
        .withRingBytes(1 << 16)
        .withLogSegmentBytes(SegmentLayout.MIN_LENGTH)
        .withStorage(storage)
        .withExecution(execution);
  }

  /** A server's items, and the highest CAS value that a client has seen. */
  private static final class Items {
    final ItemStore items;
    private final Store store;
    private ConnectionCache cache;
    long now = START;
    long lastCas;

    /** Called when a command may have changed something. */
    private Runnable after = () -> {};

    Items(Store store) {
      this.store = store;
      items =
          new ItemStore(
              store, new ItemStoreOptions(1 << 20, true, null, () -> now), RANGE, CHUNK_BYTES);
      cache = items.connect();
    }

    static byte[] key(int number) {
      return ("key" + number).getBytes(StandardCharsets.US_ASCII);
    }

    void put(int key, String value) {
      Item item =
          cache.update(
              key(key),
              _ ->
                  new Item(key % 2, 0, Item.NEW_CAS, 0, value.getBytes(StandardCharsets.US_ASCII)));
      assertThat(item).isNotNull();
      lastCas = Math.max(lastCas, item.cas());
      after.run();
    }

    /** The commands of one step; returns the newest LSN that its replies rest on. */
    long step(int n) {
      now = START + n;
      after.run(); // if a flush is due, the next command begins with it
      put(3, "a large value in a few chunks ".repeat(3 + n % 2) + n);
      for (int i = 0; i < WRITES; i++) {
        put(i % KEYS, "value ".repeat(1 + i % 3) + n);
      }
      switch (n % 5) {
        case 1 -> cache.update(key(0), _ -> null);
        case 2 -> {
          cache.flush(now);
          after.run();
          put(1, "after the flush " + n);
        }
        case 3 -> cache.flush(now + 1); // the next step begins with an empty cache
        case 4 -> {
          // The flush is the only commit that is not durable, and the client waits for that.
          store.durability().awaitStable(cache.lsn());
          cache.flush(now);
        }
        default -> {
          // Each connection takes a block of numbers: together more than was reserved before.
          for (int connection = 0; connection < 4; connection++) {
            cache = items.connect();
            put(connection, "of a new connection " + n);
          }
        }
      }
      after.run();
      items.reclaim(items.sweep(), Sweep.BATCH);
      return cache.lsn();
    }

    Map<String, String> state() {
      Map<String, String> state = new TreeMap<>();
      for (int key = 0; key < KEYS; key++) {
        Item item = cache.get(key(key));
        if (item != null) {
          state.put(
              "key" + key,
              new String(LargeValuesCheck.valueOf(cache, item), StandardCharsets.US_ASCII));
        }
      }
      return state;
    }
  }

  /**
   * Returns all that a client may find there.
   *
   * @param steps how many were acknowledged
   */
  private static Set<Map<String, String>> expected(int steps) {
    Set<Map<String, String>> states = new HashSet<>();
    try (Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(1 << 21))) {
      Items items = new Items(store);
      for (int n = 0; n < STEPS; n++) {
        if (n == steps) {
          states.clear();
          states.add(items.state());
        }
        items.after = () -> states.add(items.state());
        items.step(n);
      }
      if (steps == STEPS) {
        return Set.of(items.state());
      }
    }
    return states;
  }

  @CrashTest(points = 6, states = 2, recoveryPoints = 1, preemptOneIn = 50)
  void whatWasAcknowledgedIsThereAndNothingIsGivenOutTwice(
      Storage storage, Execution execution, CrashControl crash) {
    run(storage, execution, crash);
  }

  @Tag("campaign")
  @CrashTest(points = 60, states = 8, recoveryPoints = 1, preemptOneIn = 50)
  void soItIsAtManyMoreMoments(Storage storage, Execution execution, CrashControl crash) {
    run(storage, execution, crash);
  }

  private static void run(Storage storage, Execution execution, CrashControl crash) {
    int[] acknowledged = {-1};
    long[] lastCas = {0};
    crash.run(
        () -> {
          try (Store store = Store.open(options(storage, execution))) {
            Items items = new Items(store);
            acknowledged[0] = 0;
            for (int n = 0; n < STEPS; n++) {
              long lsn;
              try {
                lsn = items.step(n);
              } finally {
                lastCas[0] = items.lastCas;
              }
              store.durability().awaitStable(lsn);
              acknowledged[0] = n + 1;
            }
          }
        });
    crash.check(machine -> check(machine, acknowledged[0], lastCas[0]));
  }

  private static void check(Machine machine, int acknowledged, long lastCas) {
    try (Store store = Store.open(options(machine.storage(), machine.execution()))) {
      Items items = new Items(store);
      items.now = START + Math.max(0, acknowledged - 1);
      // A large value that was arriving counts until the background has freed it.
      assertThat(items.items.bytes() - items.items.values().pendingBytes())
          .isEqualTo(ItemBytes.of(store, items.items));
      LargeValuesCheck.everyChunkHasAnOwner(store, items.items);
      assertThat(items.state()).isIn(expected(Math.max(0, acknowledged)));
      items.put(0, "and life goes on");
      assertThat(items.lastCas).isGreaterThan(lastCas);
      items.put(3, "a large value in a few chunks, and life goes on");
      items.items.reclaim(items.items.sweep(), Sweep.BATCH);
      LargeValuesCheck.nothingIsPending(store, items.items);
      assertThat(items.items.bytes()).isEqualTo(ItemBytes.of(store, items.items));
    }
  }
}
