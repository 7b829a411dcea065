package io.howdah.jmh.workload;

import io.howdah.DurableScope;
import io.howdah.Session;
import io.howdah.Store;
import io.howdah.txn.ConflictException;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import io.howdah.txn.TxBody;
import io.howdah.txn.TxOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * The workload W6 of Hathi's evaluation (Saxena et al., DaMoN 2012, section 6): each transaction
 * reads and writes six random words of a large heap. Thread-safe.
 */
public final class SixWords {

  /** Words per transaction. */
  public static final int WORDS = 6;

  /** A page less than 1 MiB: so many of these fit between the allocator's tables. */
  private static final long BLOCK_BYTES = (1L << 20) - 4096;

  private static final long BLOCK_WORDS = BLOCK_BYTES / Long.BYTES;
  private static final int PAGE_BYTES = 4096;
  private static final int CHUNK_BYTES = 1 << 20;
  private static final int ROOT = 0;

  /** Transactions between two looks at the clock; together they take some ten microseconds. */
  private static final int BURST = 16;

  private static final long PROBE_NANOS = 20_000;
  private static final long UNKNOWN = -1;

  private final Store store;
  private final long[] blocks;
  private final long words;
  private final AtomicInteger seeds = new AtomicInteger();

  /**
   * Sum of all words before the first transaction, {@value #UNKNOWN} if the store was not filled
   * here.
   */
  private final long filledSum;

  private final Queue<Transactions> taken = new ConcurrentLinkedQueue<>();

  private SixWords(Store store, long[] blocks, long filledSum) {
    this.store = store;
    this.blocks = blocks;
    this.words = blocks.length * BLOCK_WORDS;
    this.filledSum = filledSum;
  }

  /** Returns the {@code maxSize} that a store needs for so much data. */
  public static long maxSize(long heapBytes) {
    return blocks(heapBytes) * (BLOCK_BYTES + 4096) + (8L << 20);
  }

  private static long blocks(long heapBytes) {
    return Math.max(1, heapBytes / BLOCK_BYTES);
  }

  /** Fills a new store, one word of each page, so that all its memory is there. */
  public static SixWords fill(Store store, long heapBytes) {
    int count = Math.toIntExact(blocks(heapBytes));
    long directory =
        store.call(
            TxOptions.async(),
            tx -> {
              long address = tx.allocate((count + 1L) * Long.BYTES);
              tx.putLong(address, count);
              tx.root(ROOT, address);
              return address;
            });
    for (int i = 1; i <= count; i++) {
      long entry = directory + (long) i * Long.BYTES;
      store.run(
          TxOptions.async(),
          tx -> {
            long block = tx.allocate(BLOCK_BYTES);
            tx.putLong(entry, block);
            for (long at = 0; at < BLOCK_BYTES; at += PAGE_BYTES) {
              tx.putLong(block + at, 1);
            }
          });
    }
    return of(store, count * (BLOCK_BYTES / PAGE_BYTES));
  }

  /** Takes a store that was filled before. */
  public static SixWords of(Store store) {
    return of(store, UNKNOWN);
  }

  private static SixWords of(Store store, long filledSum) {
    return store.read(
        TxOptions.async(),
        tx -> {
          long directory = tx.root(ROOT);
          long[] blocks = new long[directory == 0 ? 0 : Math.toIntExact(tx.getLong(directory))];
          for (int i = 0; i < blocks.length; i++) {
            blocks[i] = tx.getLong(directory + (i + 1L) * Long.BYTES);
          }
          if (blocks.length == 0) {
            throw new IllegalArgumentException("the store was not filled");
          }
          return new SixWords(store, blocks, filledSum);
        });
  }

  /**
   * Reads a word of each page, in the order of the pages and on a thread for each processor, so
   * that the memory is there which transactions at random need next.
   */
  public void touch() throws InterruptedException {
    int threads = Runtime.getRuntime().availableProcessors();
    ThreadTeam.each(
        threads,
        thread -> {
          for (int i = thread * blocks.length / threads;
              i < (thread + 1) * blocks.length / threads;
              i++) {
            long block = blocks[i];
            store.read(
                TxOptions.async(),
                tx -> {
                  long sum = 0;
                  for (long at = 0; at < BLOCK_BYTES; at += PAGE_BYTES) {
                    sum += tx.getLong(block + at);
                  }
                  return sum;
                });
          }
        });
  }

  /** How a transaction is written down. */
  public enum Style {
    /** It reads all words with one call, and runs in a session: no garbage, and misses overlap. */
    AT_ONCE,
    /** The plain way: a body that reads and writes one word after the other. */
    WORD_BY_WORD,
    /** It reads all words with one call, in a session, and writes none. */
    READ_ONLY
  }

  /** One thread's transactions, one after the other. For one thread. */
  public final class Transactions implements TxBody<RuntimeException> {
    private final RandomWords random;
    private final long[] addresses = new long[WORDS];
    private final long[] values = new long[WORDS];

    /** Reads and writes word by word, each with its own cache misses. */
    private final TxBody<RuntimeException> wordByWord =
        tx -> {
          draw();
          for (long address : addresses) {
            tx.putLong(address, tx.getLong(address) + 1);
          }
        };

    private final long first;
    private final long count;

    /** How many have committed that add to words. */
    private long committed;

    private Transactions(int seed, long first, long count) {
      this.random = new RandomWords(seed);
      this.first = first;
      this.count = count;
      taken.add(this);
    }

    /** Runs the next one; returns its LSN. */
    public long next(Durability durability) {
      long lsn = store.run(TxOptions.of(durability), this);
      committed++;
      return lsn;
    }

    private void next(DurableScope scope) {
      scope.run(this);
      committed++;
    }

    private void next(Durability durability, Style style, Session session) {
      switch (style) {
        case AT_ONCE -> commit(durability, session, true);
        case READ_ONLY -> commit(durability, session, false);
        case WORD_BY_WORD -> store.run(TxOptions.of(durability), wordByWord);
      }
      committed += style == Style.READ_ONLY ? 0 : 1;
    }

    /** Runs the next one in a session, and does not wait for it; returns its LSN. */
    public long next(Session session) {
      long lsn = commit(Durability.ASYNC, session, true);
      committed++;
      return lsn;
    }

    /** Returns the addresses of the words of the last one; the array is used again. */
    public long[] addresses() {
      return addresses;
    }

    /** Returns what those words were when the last one read them; the array is used again. */
    public long[] values() {
      return values;
    }

    private long commit(Durability durability, Session session, boolean writes) {
      while (true) {
        try {
          Tx tx = session.begin(TxOptions.of(durability));
          if (writes) {
            run(tx);
          } else {
            draw();
            tx.getLongs(addresses, values);
          }
          return session.commit();
        } catch (ConflictException e) {
          session.abort();
        }
      }
    }

    /** Chooses six different words. */
    private void draw() {
      for (int i = 0; i < WORDS; ) {
        long word = first + random.next(count);
        int block = (int) (word / BLOCK_WORDS);
        long address = blocks[block] + (word - block * BLOCK_WORDS) * Long.BYTES;
        addresses[i] = address;
        boolean isNew = true;
        for (int j = 0; j < i; j++) {
          isNew &= addresses[j] != address;
        }
        i += isNew ? 1 : 0;
      }
    }

    /** Writes so many bytes in one piece, anywhere; returns the LSN. */
    public long nextRange(Durability durability, byte[] bytes) {
      long block = blocks[(int) random.next(blocks.length)];
      long at = random.next((BLOCK_BYTES - bytes.length) / Long.BYTES) * Long.BYTES;
      return store.run(TxOptions.of(durability), tx -> tx.write(block + at, bytes));
    }

    @Override
    public void run(Tx tx) {
      draw();
      tx.getLongs(addresses, values);
      for (int i = 0; i < WORDS; i++) {
        tx.putLong(addresses[i], values[i] + 1);
      }
    }
  }

  /** Returns the sum of all words; counts what transactions have added, if none runs. */
  long sum() {
    long sum = 0;
    byte[] chunk = new byte[CHUNK_BYTES];
    LongBuffer words = ByteBuffer.wrap(chunk).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
    for (long block : blocks) {
      for (long at = 0; at < BLOCK_BYTES; at += CHUNK_BYTES) {
        long address = block + at;
        int length = (int) Math.min(CHUNK_BYTES, BLOCK_BYTES - at);
        store.run(TxOptions.async(), tx -> tx.read(address, chunk, 0, length));
        for (int i = 0; i < length / Long.BYTES; i++) {
          sum += words.get(i);
        }
      }
    }
    return sum;
  }

  /**
   * Checks that no addition was lost, or made twice; called when no transaction runs, of a store
   * that was {@linkplain #fill filled} here and has had no {@linkplain Transactions#nextRange other
   * writes}.
   *
   * @throws IllegalStateException if the words do not add up
   */
  public void verify() {
    if (filledSum == UNKNOWN) {
      throw new IllegalStateException("nobody knows what the words were at first");
    }
    long committed = taken.stream().mapToLong(transactions -> transactions.committed).sum();
    long expected = filledSum + WORDS * committed;
    long found = sum();
    if (found != expected) {
      throw new IllegalStateException(
          "%,d transactions have committed, and %d additions are missing of the words' sum of %d"
              .formatted(committed, expected - found, expected));
    }
  }

  /** Returns transactions for one thread, with words of their own. */
  public Transactions transactions() {
    return new Transactions(seeds.getAndIncrement(), 0, words);
  }

  /** Returns transactions for one thread of several that have nothing to do with each other. */
  public Transactions transactions(int thread, int threads) {
    return new Transactions(seeds.getAndIncrement(), words / threads * thread, words / threads);
  }

  /** Repeats the transaction on so many platform threads. */
  public ThreadTeam.Outcome run(Durability durability, int threads, long nanos) throws Exception {
    return run(durability, threads, nanos, false);
  }

  /** Repeats the transaction in a given style. */
  public ThreadTeam.Outcome run(Durability durability, Style style, int threads, long nanos)
      throws Exception {
    return ThreadTeam.run(
        threads,
        nanos,
        _ -> {
          Transactions transactions = transactions();
          return stop -> {
            Session session = store.session();
            long done = 0;
            do {
              transactions.next(durability, style, session);
              done++;
            } while (!stop.isSet());
            return done;
          };
        });
  }

  /**
   * Repeats the transaction.
   *
   * @param virtual whether on virtual threads
   */
  public ThreadTeam.Outcome run(Durability durability, int threads, long nanos, boolean virtual)
      throws Exception {
    return ThreadTeam.run(
        threads,
        nanos,
        virtual,
        _ -> {
          Transactions transactions = transactions();
          return stop -> {
            long done = 0;
            do {
              transactions.next(durability);
              done++;
            } while (!stop.isSet());
            return done;
          };
        });
  }

  /**
   * Repeats the transaction on threads that each have words of their own, so that no commit depends
   * on another thread's.
   */
  public ThreadTeam.Outcome runApart(Durability durability, int threads, long nanos)
      throws Exception {
    return ThreadTeam.run(
        threads,
        nanos,
        thread -> {
          Transactions transactions = transactions(thread, threads);
          return stop -> {
            long done = 0;
            do {
              transactions.next(durability);
              done++;
            } while (!stop.isSet());
            return done;
          };
        });
  }

  /**
   * Repeats the transaction; each thread stops at intervals until all its commits are durable:
   * Hathi's split-phase commit, blocking.
   *
   * @param durability what it waits for
   * @param virtual whether on virtual threads
   */
  public ThreadTeam.Outcome splitPhase(
      Durability durability, int threads, boolean virtual, long nanos, long intervalNanos)
      throws Exception {
    return ThreadTeam.run(
        threads,
        nanos,
        virtual,
        _ -> {
          Transactions transactions = transactions();
          return stop -> splitPhase(stop, durability, transactions, intervalNanos);
        });
  }

  private long splitPhase(
      ThreadTeam.Stop stop, Durability durability, Transactions transactions, long intervalNanos) {
    long done = 0;
    long last = System.nanoTime();
    try (DurableScope scope = store.durability().scope(durability)) {
      while (!stop.isSet()) {
        for (int i = 0; i < BURST; i++) {
          transactions.next(scope);
        }
        done += BURST;
        if (System.nanoTime() - last >= intervalNanos) {
          scope.await();
          last = System.nanoTime();
        }
      }
    }
    return done;
  }

  /** Returns how long each of so many commits took, one after the other. */
  public Histogram commitNanos(Durability durability, int count) {
    Transactions transactions = transactions();
    Histogram nanos = Latency.histogram();
    for (int i = 0; i < count; i++) {
      long begin = System.nanoTime();
      transactions.next(durability);
      nanos.recordValue(System.nanoTime() - begin);
    }
    return nanos;
  }

  /**
   * Returns how long asynchronous commits took from their return until they were stable, with
   * nobody asking for a force while other threads commit too. A probe looks every 20 µs, which is
   * its error.
   *
   * @param load how many other threads
   * @param nanos how long to go on
   */
  public Histogram nanosToStable(int load, long nanos) throws Exception {
    Histogram probed = Latency.histogram();
    ThreadTeam.run(
        load + 1,
        nanos,
        thread -> {
          Transactions transactions = transactions();
          return thread < load
              ? stop -> repeatAsync(stop, transactions)
              : stop -> probe(stop, transactions, probed);
        });
    return probed;
  }

  private long repeatAsync(ThreadTeam.Stop stop, Transactions transactions) {
    long done = 0;
    while (!stop.isSet()) {
      transactions.next(Durability.ASYNC);
      done++;
    }
    return done;
  }

  private long probe(ThreadTeam.Stop stop, Transactions transactions, Histogram nanos) {
    do {
      long lsn = transactions.next(Durability.ASYNC);
      long begin = System.nanoTime();
      while (!store.durability().isStable(lsn)) {
        LockSupport.parkNanos(PROBE_NANOS);
      }
      nanos.recordValue(System.nanoTime() - begin);
    } while (!stop.isSet());
    return nanos.getTotalCount();
  }
}
