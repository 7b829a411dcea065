package io.howdah.txn.words;

import io.howdah.core.engine.HeapArrays;
import io.howdah.txn.SnapshotLostException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.IntFunction;

/**
 * A part of {@link SnapshotHistory}: a ring of overwritten words with an index by address. It grows
 * by chunks, without copying, so adding a word takes bounded time.
 *
 * <p>Thread-safe.
 */
final class HistoryStripe {

  private static final int MAX_WORDS = SnapshotHistory.MAX_WORDS / SnapshotHistory.STRIPES;
  private static final int CHUNK_WORDS = 1 << 10;
  private static final int KEPT_CHUNKS = 2;
  private static final int HASHES = 1 << 13;

  // The fields of a kept word in its chunk.
  private static final int ADDRESS = 0;
  private static final int LSN = 1;
  private static final int VALUE = 2;
  private static final int PREVIOUS = 3;
  private static final int FIELDS = 4;

  private static final long[] NONE = {};
  private static final AtomicIntegerFieldUpdater<HistoryStripe> LOCK =
      AtomicIntegerFieldUpdater.newUpdater(HistoryStripe.class, "isLocked");

  /** The k-th word added is at index k mod {@value #CHUNK_WORDS} of its chunk. */
  private final long[][] chunks = new long[MAX_WORDS / CHUNK_WORDS][];

  private int chunkCount;

  /** For each hash, the number of the last word, plus 1. Words before the tail are not kept. */
  private long[] index = new long[0];

  private long head;
  private long tail;

  /** Snapshots older than this may miss words. */
  private long lostBelow;

  private final IntFunction<long[]> memory;

  /**
   * The lock: 1 if locked. A plain store of 0 releases it, since a call could overflow the stack.
   */
  private volatile int isLocked;

  HistoryStripe() {
    this(HeapArrays.INSTANCE);
  }

  /**
   * Creates an empty stripe.
   *
   * @param memory allocates arrays of a given length
   */
  HistoryStripe(IntFunction<long[]> memory) {
    this.memory = memory;
    Arrays.fill(chunks, NONE);
  }

  /**
   * Adds a word, unless every open snapshot is older than the last word kept for its address.
   * Throws nothing.
   *
   * @param newestOpen an upper bound of the LSNs of all open snapshots
   */
  void add(long address, long hash, long lsn, long value, long newestOpen) {
    lock();
    try {
      int slot = slot(hash);
      if (index.length != 0 && isKeptFor(address, slot, newestOpen)) {
        return;
      }
      long[] chunk = chunkForNext();
      if (head - tail == MAX_WORDS) {
        lostBelow = Math.max(lostBelow, field(tail, LSN));
        tail++;
      }
      int at = (int) (head & CHUNK_WORDS - 1) * FIELDS;
      chunk[at + ADDRESS] = address;
      chunk[at + LSN] = lsn;
      chunk[at + VALUE] = value;
      chunk[at + PREVIOUS] = index[slot];
      index[slot] = ++head;
    } catch (OutOfMemoryError e) {
      // The commit continues. Only snapshots older than this commit are lost.
      lostBelow = Math.max(lostBelow, lsn);
    } finally {
      isLocked = 0;
    }
  }

  /**
   * Acquires the lock by spinning. A monitor could unmount a virtual thread in the middle of its
   * commit until a carrier is free again. The thread that holds this lock never blocks.
   */
  private void lock() {
    while (isLocked != 0 || !LOCK.compareAndSet(this, 0, 1)) {
      // The lock is held for about a microsecond, unless its thread is preempted.
    }
  }

  /** Returns whether every open snapshot is older than the newest kept change of a word. */
  private boolean isKeptFor(long address, int slot, long newestOpen) {
    for (long number = index[slot]; number > tail; number = field(number - 1, PREVIOUS)) {
      if (field(number - 1, ADDRESS) == address) {
        return field(number - 1, LSN) > newestOpen;
      }
    }
    return false;
  }

  private long[] chunkForNext() {
    if (index.length == 0) {
      index = memory.apply(HASHES);
    }
    int number = chunkNumber(head);
    long[] chunk = chunks[number];
    if (chunk.length == 0) {
      chunk = memory.apply(CHUNK_WORDS * FIELDS);
      chunks[number] = chunk;
      chunkCount++;
    }
    return chunk;
  }

  private static int chunkNumber(long position) {
    return (int) (position & MAX_WORDS - 1) / CHUNK_WORDS;
  }

  private long field(long position, int field) {
    return chunks[chunkNumber(position)][(int) (position & CHUNK_WORDS - 1) * FIELDS + field];
  }

  private static int slot(long hash) {
    return (int) (hash >>> 40) & (HASHES - 1);
  }

  /** Drops all words. Called when no snapshot is open. */
  void clear() {
    lock();
    try {
      // The index needs no change: all its entries are before the tail now.
      tail = head;
      lostBelow = 0;
      if (chunkCount > KEPT_CHUNKS) {
        Arrays.fill(chunks, NONE);
        chunkCount = 0;
      }
    } finally {
      isLocked = 0;
    }
  }

  /** Returns a word's value in a snapshot; see {@link SnapshotHistory#value}. */
  long value(long address, long hash, long snapshot, long current) {
    lock();
    try {
      return find(address, hash, snapshot, current);
    } finally {
      isLocked = 0;
    }
  }

  private long find(long address, long hash, long snapshot, long current) {
    if (snapshot < lostBelow) {
      throw new SnapshotLostException(
          "the snapshot of the read-only transaction at LSN "
              + snapshot
              + " is lost: more words were overwritten since then than the store keeps for readers"
              + " (about "
              + SnapshotHistory.MAX_WORDS
              + " words); read in shorter transactions, or pause the writers");
    }
    if (index.length == 0) {
      return current;
    }
    long found = current;
    // The list starts with the newest change. The oldest change after the snapshot has its value.
    for (long number = index[slot(hash)]; number > tail; number = field(number - 1, PREVIOUS)) {
      if (field(number - 1, ADDRESS) == address && field(number - 1, LSN) > snapshot) {
        found = field(number - 1, VALUE);
      }
    }
    return found;
  }
}
