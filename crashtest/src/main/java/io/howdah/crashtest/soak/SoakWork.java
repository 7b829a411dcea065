package io.howdah.crashtest.soak;

import io.howdah.txn.Durability;

/**
 * What the n-th operation of a worker does: a pure function of seed, worker and n, so that the
 * process under load and the one that watches it agree without a word. Immutable.
 */
final class SoakWork {

  /** Words that all workers transfer between. */
  static final int SHARED_WORDS = 8;

  private static final int MAP_KEYS = 2048;
  private static final int SORTED_KEYS = 1024;
  private static final int SORTED_RUN = 4;
  private static final int OBJECTS = 256;
  private static final int INDEXED_KEYS = 512;
  private static final int EXPIRING_KEYS = 256;
  private static final int MAX_EXPIRY_MILLIS = 20_000;
  private static final int MAX_BLOB_OFFSET = 30_000;
  private static final int MAX_BLOB_WRITE = 3000;
  private static final int GROWN = 8;

  /** A map that grows is cleared after so many operations, on average. */
  private static final int CLEAR_ONE_IN = 8192;

  private static final int SYNC_ONE_IN = 64;
  private static final int PARTITION_ONE_IN = 32;
  private static final int LONG_TEXT_ONE_IN = 64;
  private static final int LONG_TEXT = 2000;
  private static final int SHORT_TEXT = 200;

  private static final long GOLDEN = 0x9e37_79b9_7f4a_7c15L;

  private final long seed;
  private final int worker;

  SoakWork(long seed, int worker) {
    this.seed = mix(seed + GOLDEN * (worker + 1));
    this.worker = worker;
  }

  int worker() {
    return worker;
  }

  private long draw(long n) {
    return mix(seed + GOLDEN * n);
  }

  /** Returns how the n-th operation commits. */
  Durability durability(long n) {
    long bits = mix(draw(n) + 1);
    if (bits % SYNC_ONE_IN == 0) {
      return Durability.SYNC;
    }
    return bits % PARTITION_ONE_IN == 1 ? Durability.PARTITION : Durability.ASYNC;
  }

  /** Does the n-th operation, n from 1. */
  void apply(SoakTarget target, long n) {
    long bits = draw(n);
    int pick = (int) (bits >>> 40);
    switch ((int) (bits & 31)) {
      case 0, 1, 2, 3, 4, 5, 6 -> target.put(pick % MAP_KEYS, n);
      case 7, 8, 9 -> target.remove(pick % MAP_KEYS);
      case 10, 11, 12, 13 -> {
        for (int i = 0; i < SORTED_RUN; i++) {
          target.sortedPut((pick + i) % SORTED_KEYS, n);
        }
      }
      case 14, 15 -> {
        for (int i = 0; i < SORTED_RUN; i++) {
          target.sortedRemove((pick + i) % SORTED_KEYS);
        }
      }
      case 16, 17 -> target.add(n);
      case 18 -> {
        // Twice as many as one adds, because adding is twice as frequent: the queue stays short.
        target.poll();
        target.poll();
        target.poll();
      }
      case 19, 20 ->
          target.blobWrite(
              pick % MAX_BLOB_OFFSET, (int) ((bits >>> 8 & 0xffff) % MAX_BLOB_WRITE), n);
      case 21 -> target.blobTruncate(pick % MAX_BLOB_OFFSET);
      case 22, 23 -> target.object(pick % OBJECTS, n);
      case 24 -> target.freeObject(pick % OBJECTS);
      case 25, 26 -> target.indexedPut(pick % INDEXED_KEYS, n);
      case 27 -> target.indexedRemove(pick % INDEXED_KEYS);
      case 28 ->
          target.expiringPut(
              pick % EXPIRING_KEYS, n, 1 + (int) ((bits >>> 8 & 0xffff) % MAX_EXPIRY_MILLIS));
      case 29 ->
          target.transfer(
              pick % SHARED_WORDS, (int) (bits >>> 8 & 0xff) % SHARED_WORDS, 1 + (bits >>> 16 & 7));
      case 30 -> {
        for (int i = 0; i < GROWN; i++) {
          target.grow(n * GROWN + i, n);
        }
      }
      default -> {
        if (pick % (CLEAR_ONE_IN / 32) == 0) {
          target.clearGrown();
        } else {
          target.expiringRemove(pick % EXPIRING_KEYS);
        }
      }
    }
    target.done(n);
  }

  /** Returns the key under which workers share a structure. */
  static long sharedKey(int worker, long key) {
    return (long) worker << 32 | key;
  }

  /** Returns the worker that has a key of a shared structure. */
  static int workerOf(long sharedKey) {
    return (int) (sharedKey >>> 32);
  }

  /** Returns the text that an operation writes for a key. */
  static String text(long sharedKey, long n) {
    long bits = mix(n);
    int length = (int) (bits >>> 33) % (bits % LONG_TEXT_ONE_IN == 0 ? LONG_TEXT : SHORT_TEXT);
    return sharedKey + ":" + n + ":" + "x".repeat(length);
  }

  /** Returns the bytes that an operation writes to a blob. */
  static byte[] bytes(int length, long n) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (n * 31 + i);
    }
    return bytes;
  }

  /** Returns a hash of a text, of all its characters. */
  static long hash(String text) {
    long hash = text.length();
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * 0x100_0000_01b3L;
    }
    return mix(hash);
  }

  /** Returns a hash of an entry; those of all entries of a map are added. */
  static long hash(long key, long value) {
    return mix(mix(key) + value);
  }

  /** The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). */
  static long mix(long z) {
    z = (z ^ z >>> 30) * 0xbf58_476d_1ce4_e5b9L;
    z = (z ^ z >>> 27) * 0x94d0_49bb_1331_11ebL;
    return z ^ z >>> 31;
  }
}
