package io.howdah.jmh.workload;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.txn.TxBody;
import io.howdah.txn.TxOptions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Short transactions of several threads that share one more cache line from setting to setting. The
 * difference of two settings is what sharing this line costs. All stores are in memory; each
 * transaction adds one to one word, in the caches, so that little else is in the figures. For one
 * thread, which starts the others.
 */
public final class SharedLines implements AutoCloseable {

  /** Bytes between the words of threads that share no line: a page, and orecs elsewhere. */
  private static final int APART_BYTES = 4096;

  private static final int LINE_BYTES = 64;

  /** Bytes of a stripe group of data, whose orecs fill a cache line. */
  private static final int STRIPE_GROUP_BYTES = 256;

  private static final int STRIPE_BYTES = 32;
  private static final int ORECS = 1 << 14;
  private static final long STORE_BYTES = 4L << 20;

  private final int threads;
  private final List<Place> own = new ArrayList<>();
  private final List<Store> open = new ArrayList<>();
  private final Place shared;
  private final Place oneLane;

  /** A store and the start of its words. */
  private record Place(Store store, long base) {}

  /** What the threads share. */
  public enum Line {
    /** Nothing: each thread has a store of its own. */
    NONE(null, "nothing: a store each"),
    /** The version clock, and with it what all transactions of a store share. */
    CLOCK(NONE, "the version clock"),
    /** One lane, leased for each commit. */
    LANE(CLOCK, "one lane"),
    /** A line of orecs; each thread locks another one on it. */
    ORECS(CLOCK, "a line of orecs"),
    /** A line of orecs and one of data, without a conflict. */
    DATA(ORECS, "a line of data"),
    /** The word itself: the transactions conflict. */
    WORD(CLOCK, "the word itself"),
    /** Nothing, in transactions that do nothing. */
    EMPTY_NONE(null, "nothing, empty transactions"),
    /** The pool of contexts, in transactions that do nothing. */
    POOL(EMPTY_NONE, "the pool of contexts");

    private final @Nullable Line without;
    private final String text;

    Line(@Nullable Line without, String text) {
      this.without = without;
      this.text = text;
    }

    /** Returns the setting that shares this line less, or null if nothing is shared. */
    public @Nullable Line without() {
      return without;
    }

    /** Returns what is shared, in words. */
    public String text() {
      return text;
    }

    private boolean isEmpty() {
      return this == EMPTY_NONE || this == POOL;
    }
  }

  private SharedLines(int threads) {
    this.threads = threads;
    StoreOptions options = StoreOptions.defaults().withMaxSize(STORE_BYTES).withOrecs(ORECS);
    StoreOptions lanes = options.withPartitions(Math.max(2, 2 * threads));
    for (int i = 0; i < threads; i++) {
      own.add(place(lanes));
    }
    this.shared = place(lanes);
    this.oneLane = place(options.withPartitions(1));
  }

  /**
   * Creates the stores.
   *
   * @param threads from 1 to 256
   */
  public static SharedLines create(int threads) {
    return new SharedLines(threads);
  }

  private Place place(StoreOptions options) {
    Store store = Store.inMemory(options);
    open.add(store);
    long block =
        store.call(
            TxOptions.async(), tx -> tx.allocate((threads + 1L) * APART_BYTES + APART_BYTES));
    return new Place(store, (block + APART_BYTES - 1) & -APART_BYTES);
  }

  private Place placeOf(Line line, int thread) {
    return switch (line) {
      case NONE, EMPTY_NONE -> own.get(thread);
      case LANE -> oneLane;
      case CLOCK, ORECS, DATA, WORD, POOL -> shared;
    };
  }

  /** Returns the address of a thread's word, from the base of its place. */
  static long offset(Line line, int thread) {
    return switch (line) {
      case NONE, CLOCK, LANE, EMPTY_NONE, POOL -> (long) thread * APART_BYTES;
      // Four lines of data have their orecs on one line.
      case ORECS -> (long) thread / 4 * STRIPE_GROUP_BYTES + (long) (thread % 4) * LINE_BYTES;
      case DATA -> (long) thread * STRIPE_BYTES;
      case WORD -> 0;
    };
  }

  /** Repeats the transaction on all threads. */
  public ThreadTeam.Outcome run(Line line, long nanos) throws Exception {
    return ThreadTeam.run(
        threads,
        nanos,
        thread -> {
          Place place = placeOf(line, thread);
          Store store = place.store();
          long address = place.base() + offset(line, thread);
          TxBody<RuntimeException> body =
              line.isEmpty() ? _ -> {} : tx -> tx.putLong(address, tx.getLong(address) + 1);
          return stop -> {
            long done = 0;
            do {
              store.run(TxOptions.async(), body);
              done++;
            } while (!stop.isSet());
            return done;
          };
        });
  }

  /** Returns the sum of all words that a setting's transactions have changed, of all threads. */
  long sum(Line line) {
    long sum = 0;
    for (int thread = 0; thread < (line == Line.WORD ? 1 : threads); thread++) {
      Place place = placeOf(line, thread);
      long address = place.base() + offset(line, thread);
      sum +=
          place.store().<Long, RuntimeException>read(TxOptions.async(), tx -> tx.getLong(address));
    }
    return sum;
  }

  @Override
  public void close() {
    open.reversed().forEach(Store::close);
    open.clear();
  }
}
