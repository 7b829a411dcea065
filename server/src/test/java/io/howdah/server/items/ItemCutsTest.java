package io.howdah.server.items;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.server.cache.Item;
import io.howdah.server.cache.ValueWriter;
import io.howdah.testkit.CrashControl;
import io.howdah.testkit.CrashTest;
import io.howdah.testkit.Machine;
import io.howdah.testkit.crash.CrashUnit;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;

/**
 * A few commands, cut off at every operation on the disk: what chunks and flushes do has narrow
 * windows, which a sample of the cuts of a long run may miss.
 */
final class ItemCutsTest {

  private static final int CHUNK_BYTES = 40;
  private static final int ALL = 100_000;

  /** How many of some 200 cuts the build takes; campaigns take all. */
  private static final int SOME = 60;

  private static final long NOW = 1_700_000_000;
  private static final byte[] KEY = "key".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] OTHER = "other".getBytes(StandardCharsets.US_ASCII);

  private static Store open(Machine machine) {
    return Store.open(
        StoreOptions.defaults()
            .withMaxSize(1 << 21)
            .withOrecs(1 << 10)
            .withPartitions(2)
            .withRingBytes(1 << 16)
            .withLogSegmentBytes(SegmentLayout.MIN_LENGTH)
            .withStorage(machine.storage())
            .withExecution(machine.execution()));
  }

  /** A server's items, on which one command follows the other. */
  private static final class Items {
    final ItemStore items;
    final ConnectionCache cache;
    private final Store store;

    Items(Store store) {
      this.store = store;
      ItemStoreOptions options = new ItemStoreOptions(1 << 20, true, null, () -> NOW);
      items = new ItemStore(store, options, 2L * Numbering.BLOCK, CHUNK_BYTES);
      cache = items.connect();
    }

    /** Waits until all that was written is durable: a client was told so. */
    void await() {
      store.durability().awaitStable(cache.lsn());
    }

    /** Stores a value as it arrives, in two parts. */
    void put(byte[] key, int length) {
      byte[] value = value(length);
      ValueWriter writer = cache.writer(length);
      if (writer == null) {
        cache.update(key, _ -> new Item(0, 0, Item.NEW_CAS, 0, value));
        return;
      }
      try (writer) {
        writer.add(ByteBuffer.wrap(value, 0, length / 2));
        writer.add(ByteBuffer.wrap(value, length / 2, length - length / 2));
        cache.update(key, _ -> new Item(0, 0, Item.NEW_CAS, 0, writer.value()));
      }
    }

    /** Begins to store a value, of which no more arrives. */
    void putHalf(int length) {
      ValueWriter writer = cache.writer(length);
      assertThat(writer).isNotNull();
      writer.add(ByteBuffer.wrap(value(length), 0, length / 2));
      writer.close();
    }

    /**
     * Returns the length of the value under a key, whose bytes are checked; -1 if there is none.
     */
    int length(byte[] key) {
      Item item = cache.get(key);
      if (item == null) {
        return -1;
      }
      byte[] value = LargeValuesCheck.valueOf(cache, item);
      assertThat(value).isEqualTo(value(value.length));
      return value.length;
    }
  }

  private static byte[] value(int length) {
    byte[] value = new byte[length];
    Arrays.fill(value, (byte) ('a' + length % 26));
    return value;
  }

  /** What a client knows to be durable, and what may be there in its place. */
  private static final class Known {
    private final Map<String, Integer> told = new HashMap<>();
    private final Map<String, Integer> asked = new HashMap<>();

    void asks(byte[] key, int length) {
      asked.put(name(key), length);
    }

    void isTold() {
      told.putAll(asked);
    }

    void check(byte[] key, int length) {
      assertThat(length).as(name(key)).isIn(at(told, key), at(asked, key));
    }

    private static int at(Map<String, Integer> lengths, byte[] key) {
      return lengths.getOrDefault(name(key), -1);
    }

    private static String name(byte[] key) {
      return new String(key, StandardCharsets.US_ASCII);
    }
  }

  /**
   * Makes a store, and on request its items, and then cuts off the work on them. The making of a
   * store has crash tests of its own.
   */
  private static void explore(CrashControl crash, boolean areItemsThere, Work work) {
    crash.prepare(
        () -> {
          try (Store store = open(crash.machine())) {
            if (areItemsThere) {
              new Items(store).await();
            }
          }
        });
    @Nullable Known[] last = {null};
    crash.run(
        () -> {
          try (Store store = open(crash.machine())) {
            Known known = new Known();
            last[0] = known;
            work.run(new Items(store), known);
          }
        });
    Known known = last[0] == null ? new Known() : last[0];
    crash.check(machine -> check(machine, items -> check(items, known)));
  }

  private static void check(Items items, Known known) {
    known.check(KEY, items.length(KEY));
    known.check(OTHER, items.length(OTHER));
  }

  private static void check(Machine machine, Consumer<Items> check) {
    try (Store store = open(machine)) {
      Items items = new Items(store);
      LargeValuesCheck.everyChunkHasAnOwner(store, items.items);
      check.accept(items);
      assertThat(items.items.bytes() - items.items.values().pendingBytes())
          .isEqualTo(ItemBytes.of(store, items.items));
      LargeValuesCheck.nothingIsPending(store, items.items);
      assertThat(items.items.bytes()).isEqualTo(ItemBytes.of(store, items.items));
    }
  }

  /** The commands. */
  @FunctionalInterface
  private interface Work {
    void run(Items items, Known known);
  }

  @Tag("campaign")
  @CrashTest(
      units = CrashUnit.SECTOR,
      points = ALL,
      states = 1,
      recoveryPoints = 0,
      preemptOneIn = 50)
  void everyCutOfChunksOfEveryCommand(CrashControl crash) {
    chunksOfEveryCommand(crash);
  }

  @CrashTest(
      units = CrashUnit.SECTOR,
      points = SOME,
      states = 1,
      recoveryPoints = 0,
      preemptOneIn = 50)
  void chunksOfEveryCommand(CrashControl crash) {
    explore(
        crash,
        false,
        (items, known) -> {
          known.asks(KEY, 100);
          items.put(KEY, 100);
          items.await();
          known.isTold();
          known.asks(KEY, 130);
          items.put(KEY, 130);
          items.await();
          known.isTold();
          items.putHalf(90);
          known.asks(KEY, -1);
          items.cache.update(KEY, _ -> null);
        });
  }

  @Tag("campaign")
  @CrashTest(
      units = CrashUnit.SECTOR,
      points = ALL,
      states = 1,
      recoveryPoints = 0,
      preemptOneIn = 50)
  void everyCutOfAFlushAndWhatIsStoredBehindIt(CrashControl crash) {
    aFlushAndWhatIsStoredBehindIt(crash);
  }

  @CrashTest(
      units = CrashUnit.SECTOR,
      points = SOME,
      states = 1,
      recoveryPoints = 0,
      preemptOneIn = 50)
  void aFlushAndWhatIsStoredBehindIt(CrashControl crash) {
    explore(
        crash,
        true,
        (items, known) -> {
          known.asks(KEY, 100);
          items.put(KEY, 100);
          items.await();
          known.isTold();
          known.asks(KEY, -1);
          items.cache.flush(NOW);
          items.await();
          known.isTold();
          known.asks(OTHER, 10);
          items.put(OTHER, 10);
        });
  }
}
