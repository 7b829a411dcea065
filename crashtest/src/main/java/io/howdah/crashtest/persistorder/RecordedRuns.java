package io.howdah.crashtest.persistorder;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.core.Region;
import io.howdah.core.storage.Storage;
import io.howdah.nvmsim.trace.TraceBuffer;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.util.Locale;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Runs of the store, recorded at the words of its region, as if that were persistent memory and the
 * engine's log were not there. Each transaction is an operation of the trace, a strand, and ends
 * with a persist barrier.
 */
public final class RecordedRuns {
  /**
   * How much is recorded.
   *
   * @param regionBytes the store's; no other region of it has this size
   * @param words of data, or keys of the map
   * @param transactions recorded
   */
  public record Size(long regionBytes, int words, int transactions) {
    /** Fits the caches, as LOC's workloads do. */
    public static final Size SMALL = new Size(5 << 18, 4096, 2000);

    /** Does not: ThyNVM's epochs end because its tables are full. */
    public static final Size LARGE = new Size(5 << 23, 1 << 20, 40_000);
  }

  /** A run: what a transaction does to a store that was prepared for it. */
  public enum Run {
    /** Two accounts. */
    BANK,
    /** Six random words are read and written. */
    SIX_WORDS,
    /** A value of a hash map is replaced, or one is added. */
    MAP,
    /** Two elements are added to a queue and one is taken, or the other way round. */
    QUEUE;

    public String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  private static final int MAX_EVENTS = 1 << 22;

  private final TraceBuffer trace = new TraceBuffer(MAX_EVENTS);
  private volatile @Nullable RecordedWords words;

  private RecordedRuns() {}

  private interface Transaction {
    void run(RandomGenerator random);
  }

  /** Executes and records a run. */
  public static TraceBuffer record(Run run, Size size) {
    RecordedRuns recording = new RecordedRuns();
    recording.execute(run, size);
    return recording.trace;
  }

  /** The opening tries whether there is so much memory before it takes it; the last one counts. */
  private Region observe(Region region, Size size) {
    if (region.capacityBytes() != size.regionBytes) {
      return region;
    }
    RecordedWords observed = new RecordedWords(region, trace);
    words = observed;
    return observed;
  }

  private void execute(Run run, Size size) {
    Storage storage =
        new RecordedStorage(
            SimulatedDisk.seeded(1).storage(), new FileOrder(), region -> observe(region, size));
    try (Store store =
        Store.open(
            StoreOptions.defaults()
                .withStorage(storage)
                .withPartitions(1)
                .withMaxSize(size.regionBytes))) {
      RandomGenerator random = new SplittableRandom(1);
      Transaction transaction = prepare(run, store, size.words);
      RecordedWords recorded = Objects.requireNonNull(words, "no region of the store's size");
      for (int i = 0; i < size.transactions; i++) {
        recorded.operation(true, i);
        transaction.run(random);
        recorded.operation(false, i);
      }
    }
  }

  private static Transaction prepare(Run run, Store store, int words) {
    TxOptions async = TxOptions.of(Durability.ASYNC);
    return switch (run) {
      case MAP -> {
        var map = store.map("numbers", Codec.int64(), Codec.int64());
        yield random -> {
          long key = random.nextInt(words);
          store.run(
              async,
              tx -> {
                map.put(tx, key, key + 1);
              });
        };
      }
      case QUEUE -> {
        var queue = store.queue("numbers", Codec.int64());
        yield random -> {
          boolean grows = random.nextBoolean();
          long element = random.nextLong();
          store.run(
              async,
              tx -> {
                queue.add(tx, element);
                if (grows) {
                  queue.add(tx, element + 1);
                }
                queue.poll(tx);
                if (!grows) {
                  queue.poll(tx);
                }
              });
        };
      }
      case BANK, SIX_WORDS -> words(run == Run.BANK ? 2 : 6, store, words);
    };
  }

  private static Transaction words(int changed, Store store, int words) {
    TxOptions async = TxOptions.of(Durability.ASYNC);
    store.run(async, tx -> tx.root(0, tx.allocate(words * 8L)));
    return random ->
        store.run(
            async,
            tx -> {
              long base = tx.root(0);
              for (int i = 0; i < changed; i++) {
                long account = base + random.nextInt(words) * 8L;
                tx.putLong(account, tx.getLong(account) + 1 - 2L * (i & 1));
              }
            });
  }
}
