package io.howdah.server.items;

import io.howdah.server.cache.ServerRow;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;

/**
 * Removes items that are gone: some in each turn in the background, and all at once when a client
 * asks for it. Its name and its settings are those of memcached's LRU crawler. Thread-safe.
 */
public final class Crawler {

  /** memcached's default of the rest among steps. */
  private static final int DEFAULT_SLEEP_MICROS = 100;

  private static final int NANOS_PER_MICRO = 1000;

  /** How many items a step of a crawl looks at, about. */
  private static final int STEP_ITEMS = 1 << 10;

  private final ItemStore items;
  private final Sweep background;
  private final AtomicBoolean isRunning = new AtomicBoolean();
  private final LongAdder starts = new LongAdder();
  private volatile boolean isEnabled = true;
  private volatile int sleepMicros = DEFAULT_SLEEP_MICROS;
  private volatile long limit;

  /** Makes one for the items of a server. */
  public Crawler(ItemStore items) {
    this.items = items;
    this.background = items.sweep();
  }

  /**
   * Does one turn in the background: reserves numbers ahead, frees large values that no item has,
   * keeps the limit of memory, and if the crawler is enabled removes what is gone among some items.
   *
   * @param most how many items it looks at, about
   */
  public void turn(int most) {
    items.reclaim(background, isEnabled ? most : 0);
  }

  /** Returns whether items that are gone are removed in the background. */
  public boolean isEnabled() {
    return isEnabled;
  }

  /** Lets items that are gone be removed in the background, or not; ends a crawl that goes on. */
  public void enable(boolean enabled) {
    isEnabled = enabled;
  }

  /** Changes how long a crawl rests after each 1024 items. */
  public void setSleepMicros(int micros) {
    sleepMicros = micros;
  }

  /** Changes how many items one crawl looks at, about; 0 for all. */
  public void setLimit(long items) {
    limit = items;
  }

  /**
   * Begins to look through all items, step by step.
   *
   * @param executor runs the steps, one after the other; other tasks may come between
   * @return false if a crawl goes on already
   */
  public boolean crawl(Executor executor) {
    if (!isRunning.compareAndSet(false, true)) {
      return false;
    }
    starts.increment();
    new Crawl(executor, limit == 0 ? Long.MAX_VALUE : limit).submit();
    return true;
  }

  /** Calls a function with the rows of {@code stats}. */
  public void statistics(BiConsumer<String, String> row) {
    ServerRow.LRU_CRAWLER_RUNNING.write(row, isRunning.get() ? "1" : "0");
    ServerRow.LRU_CRAWLER_STARTS.write(row, starts);
  }

  /** Calls a function with the rows of {@code stats settings}. */
  public void settings(BiConsumer<String, String> row) {
    row.accept("lru_crawler", isEnabled ? "yes" : "no");
    row.accept("lru_crawler_sleep", Integer.toString(sleepMicros));
    row.accept("lru_crawler_tocrawl", Long.toString(limit));
  }

  /** One way through the items. */
  private final class Crawl implements Runnable {
    private final Executor executor;
    private final Sweep sweep = items.sweepFromTheBeginning();
    private long left;

    Crawl(Executor executor, long left) {
      this.executor = executor;
      this.left = left;
    }

    void submit() {
      try {
        executor.execute(this);
      } catch (RuntimeException e) { // the server stops
        isRunning.set(false);
        throw e;
      }
    }

    @Override
    public void run() {
      boolean goesOn = false;
      try {
        for (int step = 0; step < STEP_ITEMS && left > 0 && isEnabled; step += Sweep.BATCH) {
          left -= items.reclaimBatch(sweep);
          if (sweep.isAtEnd()) {
            left = 0;
          }
        }
        goesOn = left > 0 && isEnabled;
      } finally {
        if (!goesOn) {
          isRunning.set(false);
        }
      }
      if (goesOn) {
        LockSupport.parkNanos((long) sleepMicros * NANOS_PER_MICRO);
        submit();
      }
    }
  }
}
