package io.howdah.txn.words;

import io.howdah.core.Region;
import io.howdah.core.storage.file.Regions;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One word, its history and a clock, for one state of a memory-model test: the n-th commit of a
 * state leaves n in the word. States take them in turn from a pool, which is larger than the number
 * of states that the runner keeps alive at once ({@code jcstress/run}); the clock goes on from one
 * state to the next, as a store's does.
 */
final class KeptWord {

  private static final int POOL_SIZE = 1 << 9;
  private static final long ADDRESS = 0;

  private static final @Nullable KeptWord[] POOL = new KeptWord[POOL_SIZE];
  private static int next;

  private final SnapshotHistory history = new SnapshotHistory();
  private final Region region = Regions.anonymous(Long.BYTES);
  private final WriteSet writes = new WriteSet();
  private final NodeWrites nodes = new NodeWrites();
  private final AtomicLong clock = new AtomicLong();
  private long begin;

  private KeptWord() {
    writes.put(ADDRESS, 0);
  }

  /** Returns one whose word is 0, and of which no snapshot is open. */
  static synchronized KeptWord take() {
    int index = next++ & POOL.length - 1;
    KeptWord word = POOL[index];
    if (word == null) {
      word = new KeptWord();
      POOL[index] = word;
    }
    word.begin = word.clock.get();
    word.region.setLong(ADDRESS, 0);
    return word;
  }

  /** Does what a commit does about readers that are kept, in the same order. */
  void commit() {
    long lsn = clock.incrementAndGet();
    if (history.isOpen()) {
      history.record(writes, nodes, region, lsn);
    }
    region.setLongOpaque(ADDRESS, lsn - begin);
  }

  /** Opens a snapshot and returns how many commits of the state it has seen. */
  long open() {
    return history.open(clock::get) - begin;
  }

  /** Returns what the word held after so many commits, as a reader that is kept sees it. */
  long value(long commits) {
    long current = region.getLongOpaque(ADDRESS);
    // What is newer than the snapshot is looked up, as by its orec.
    return current <= commits ? current : history.value(ADDRESS, begin + commits, current);
  }

  /** Closes a snapshot. */
  void close() {
    history.close();
  }
}
