package io.howdah.jmh.workload;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import site.ycsb.generator.NumberGenerator;
import site.ycsb.generator.ScrambledZipfianGenerator;
import site.ycsb.generator.ZipfianGenerator;

/**
 * Threads that write to one sorted map, or one hash map, at the same time: how often their
 * transactions conflict. Keys have 8 bytes and values 100. For one thread, which starts the others.
 */
public final class ContendedMaps {

  private static final int VALUE_BYTES = 100;
  private static final int MULTI = 8;
  private static final int BATCH = 100;
  private static final int ENTRY_BYTES = 256;

  /** A round inserts at most this many ascending keys, which bounds the room of its map. */
  private static final long MAX_INSERTED = 2_000_000;

  private final Store store;
  private final long entries;
  private final int threads;
  private final Target sorted;
  private final Target hashed;
  private long seed;
  private int maps;

  /** The kind of map. */
  public enum Kind {
    SORTED,
    HASH
  }

  /** What each transaction does. */
  public enum Work {
    /** Replaces the value of one key by Zipf; frequent keys are apart from each other. */
    ZIPF("puts, Zipf"),
    /** Replaces the value of one key by Zipf; the frequent keys are the smallest ones. */
    ZIPF_NEIGHBOURS("puts, Zipf, frequent keys side by side"),
    /** Replaces the values of eight keys. */
    EIGHT("eight puts, uniform"),
    /** Inserts the next key, in ascending order over all threads. */
    ASCENDING("inserts, ascending");

    private final String text;

    Work(String text) {
      this.text = text;
    }

    /** Returns the name for people. */
    public String text() {
      return text;
    }
  }

  /**
   * What one round gave.
   *
   * @param commitsPerCpuSecond transactions for each second of the team's processor time
   * @param commitsPerSecond transactions for each second of elapsed time
   * @param abortsPerThousand attempts that were lost, for a thousand transactions
   */
  public record Figures(
      double commitsPerCpuSecond, double commitsPerSecond, double abortsPerThousand) {}

  @FunctionalInterface
  private interface Target {
    void put(Tx tx, long key, byte[] value);
  }

  private ContendedMaps(Store store, long entries, int threads) {
    this.store = store;
    this.entries = entries;
    this.threads = threads;
    this.sorted = target(Kind.SORTED, "sorted");
    this.hashed = target(Kind.HASH, "hashed");
  }

  /** Returns the capacity of a store that this class uses. */
  public static long maxSize(long entries) {
    return (256L << 20) + 2 * (entries + MAX_INSERTED) * ENTRY_BYTES;
  }

  /** Fills two maps of an empty store. */
  public static ContendedMaps fill(Store store, long entries, int threads) {
    ContendedMaps maps = new ContendedMaps(store, entries, threads);
    for (Target target : new Target[] {maps.sorted, maps.hashed}) {
      for (long at = 0; at < entries; at += BATCH) {
        long first = at;
        long end = Math.min(entries, at + BATCH);
        store.run(
            TxOptions.async(),
            tx -> {
              for (long key = first; key < end; key++) {
                target.put(tx, key, value(key));
              }
            });
      }
    }
    return maps;
  }

  private Target target(Kind kind, String name) {
    if (kind == Kind.SORTED) {
      PersistentSortedMap<Long, byte[]> map = store.sortedMap(name, Codec.int64(), Codec.bytes());
      return map::put;
    }
    PersistentMap<Long, byte[]> map = store.map(name, Codec.int64(), Codec.bytes());
    return map::put;
  }

  private static byte[] value(long seed) {
    byte[] value = new byte[VALUE_BYTES];
    new SplittableRandom(seed).nextBytes(value);
    return value;
  }

  /**
   * Runs a round by one thread. For warming up: the just-in-time compiler gets a processor, which
   * many busy threads would leave it little of.
   */
  public void warmUp(Kind kind, Work work, long nanos) throws Exception {
    Figures _ = run(kind, work, 1, nanos);
  }

  /** Runs a team for one round. */
  public Figures run(Kind kind, Work work, long nanos) throws Exception {
    return run(kind, work, threads, nanos);
  }

  private Figures run(Kind kind, Work work, int team, long nanos) throws Exception {
    if (work == Work.ASCENDING) {
      return ascending(kind, team, nanos);
    }
    Target target = kind == Kind.SORTED ? sorted : hashed;
    long round = seed++;
    return measured(
        team,
        nanos,
        thread -> {
          NumberGenerator keys = keys(work, round * threads + thread);
          byte[] value = value(thread);
          int count = work == Work.EIGHT ? MULTI : 1;
          long[] drawn = new long[count];
          return stop -> {
            long done = 0;
            do {
              value[0]++;
              for (int i = 0; i < count; i++) {
                drawn[i] = keys.nextValue().longValue();
              }
              store.run(
                  TxOptions.async(),
                  tx -> {
                    for (long key : drawn) {
                      target.put(tx, key, value);
                    }
                  });
              done++;
            } while (!stop.isSet());
            return done;
          };
        });
  }

  private NumberGenerator keys(Work work, long from) {
    return switch (work) {
      case ZIPF -> new ScrambledZipfianGenerator(0, entries - 1);
      case ZIPF_NEIGHBOURS -> new ZipfianGenerator(0, entries - 1);
      case EIGHT, ASCENDING -> new Uniform(entries, from);
    };
  }

  /** Puts ascending keys into a new map, verifies it and drops it. */
  private Figures ascending(Kind kind, int team, long nanos) throws Exception {
    String name = "ascending-" + maps++;
    Target target = target(kind, name);
    AtomicLong next = new AtomicLong();
    AtomicLongArray inserted = new AtomicLongArray(1);
    Figures figures =
        measured(
            team,
            nanos,
            thread -> {
              byte[] value = value(thread);
              return stop -> {
                long done = 0;
                do {
                  long key = next.getAndIncrement();
                  if (key >= MAX_INSERTED) {
                    break;
                  }
                  store.run(TxOptions.async(), tx -> target.put(tx, key, value));
                  done++;
                } while (!stop.isSet());
                inserted.addAndGet(0, done);
                return done;
              };
            });
    long found =
        store.read(
            TxOptions.async(),
            tx ->
                kind == Kind.SORTED
                    ? store.sortedMap(name, Codec.int64(), Codec.bytes()).size(tx)
                    : store.map(name, Codec.int64(), Codec.bytes()).size(tx));
    if (found != inserted.get(0)) {
      throw new IllegalStateException(found + " entries in place of " + inserted.get(0));
    }
    boolean _ = store.admin().drop(name);
    return figures;
  }

  private Figures measured(int team, long nanos, ThreadTeam.Workers workers) throws Exception {
    long before = store.admin().stats().totalAborts();
    ThreadTeam.Outcome outcome = ThreadTeam.run(team, nanos, workers);
    long aborts = store.admin().stats().totalAborts() - before;
    return new Figures(
        outcome.perCpuSecond(), outcome.perSecond(), 1000.0 * aborts / outcome.operations());
  }

  /** Uniform keys. */
  private static final class Uniform extends NumberGenerator {

    private final long entries;
    private final SplittableRandom random;

    Uniform(long entries, long seed) {
      this.entries = entries;
      this.random = new SplittableRandom(seed);
    }

    @Override
    public Number nextValue() {
      return random.nextLong(entries);
    }

    @Override
    public double mean() {
      return (entries - 1) / 2.0;
    }
  }
}
