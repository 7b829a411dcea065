package io.howdah.collections.eviction;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Estimates how often keys were used lately: a count-min sketch with counters of 4 bits, 16 in a
 * word (Einziger, Friedman, Manes, TinyLFU, ACM ToS 2017). A key has four counters, all in one
 * block of 64 bytes, and its frequency is the smallest of them. After {@value #SAMPLE_FACTOR} uses
 * for each entry of the cache all counters are halved, so former uses count less and less.
 *
 * <p>Thread-safe. Two threads that count in one word at the same time may lose a count, which is an
 * error of an estimate, and no more.
 */
public final class FrequencySketch {

  /** Words of a block, in which all counters of a key are. */
  public static final int BLOCK_WORDS = 8;

  /** The largest frequency that is told apart. */
  public static final int MAX_FREQUENCY = 15;

  private static final int MIN_WORDS = 64;
  static final int MAX_WORDS = 1 << 20; // 8 MiB
  private static final int SAMPLE_FACTOR = 10;
  private static final int COUNTERS = 4;
  private static final int COUNTER_BITS = 4;

  /** The low three bits of each counter: what stays of it when a word is shifted by one. */
  private static final long HALF_MASK = 0x7777_7777_7777_7777L;

  private static final long BLOCK_MIX = 0x9E37_79B9_7F4A_7C15L;
  private static final long COUNTER_MIX = 0xD6E8_FEB8_6659_FD93L;
  private static final VarHandle WORD =
      MethodHandles.arrayElementVarHandle(long[].class).withInvokeExactBehavior();

  private static final long[] NOTHING = {};

  private final int words;
  private final int blockMask;

  /** As long as {@link #words}, or empty until the first use is counted: an opening needs none. */
  private long[] table = NOTHING;

  private final AtomicBoolean isHalving = new AtomicBoolean();

  /** How many uses were counted; about, since threads may overwrite each other's count. */
  private long uses;

  /** What it was at the last halving. */
  private volatile long halvedAt;

  /** After how many uses the counters are halved. */
  private volatile long sample;

  /**
   * Creates an empty sketch.
   *
   * @param words its length, from {@link #words(long)}
   */
  public FrequencySketch(int words) {
    this.words = words;
    this.blockMask = words / BLOCK_WORDS - 1;
    this.sample = (long) SAMPLE_FACTOR * words;
  }

  /** Returns the length in words for a number of entries: a word for each of them. */
  public static int words(long entries) {
    return (int) Long.highestOneBit(Math.clamp(2 * entries - 1, MIN_WORDS, MAX_WORDS));
  }

  /** Says how many entries the cache has, which decides how long a use counts. */
  public void entries(long entries) {
    sample = SAMPLE_FACTOR * Math.max(MIN_WORDS, entries);
  }

  /** Returns the length in words. */
  public int words() {
    return words;
  }

  /** Returns the table. What another thread writes to it may be seen late. */
  private long[] table() {
    long[] made = table;
    return made.length == 0 ? makeTable() : made;
  }

  private synchronized long[] makeTable() {
    if (table.length == 0) {
      table = new long[words];
    }
    return table;
  }

  /** Returns the index of the first word of the block of a key. */
  public int block(long hash) {
    long mixed = hash * BLOCK_MIX;
    return ((int) (mixed >>> Integer.SIZE) & blockMask) * BLOCK_WORDS;
  }

  private static int counters(long hash) {
    return (int) ((hash * COUNTER_MIX) >>> Integer.SIZE);
  }

  /** Returns the index of a counter's word: each of the four has two words of the block. */
  private static int word(int block, int counters, int counter) {
    return block + 2 * counter + ((counters >>> (Byte.SIZE * counter)) & 1);
  }

  private static int shift(int counters, int counter) {
    return ((counters >>> (Byte.SIZE * counter + 1)) & (Long.SIZE / COUNTER_BITS - 1))
        * COUNTER_BITS;
  }

  /** Reads the block of a key, so that it is in the cache of the processor. */
  void loadAhead(long hash) {
    long[] words = table();
    int block = block(hash);
    long _ = (long) WORD.getOpaque(words, block); // an array begins anywhere in a line
    long _ = (long) WORD.getOpaque(words, block + BLOCK_WORDS - 1);
  }

  /**
   * Counts uses of a key.
   *
   * @param number how many, 1 or more
   */
  public void count(long hash, int number) {
    long[] words = table();
    int block = block(hash);
    int counters = counters(hash);
    for (int i = 0; i < COUNTERS; i++) {
      int at = word(block, counters, i);
      int shift = shift(counters, i);
      long word = (long) WORD.getOpaque(words, at);
      long more = Math.min(number, MAX_FREQUENCY - (word >>> shift & MAX_FREQUENCY)); // no branch
      WORD.setOpaque(words, at, word + (more << shift));
    }
    long now = uses + number;
    uses = now;
    if (now - halvedAt >= sample) {
      halve(now);
    }
  }

  /** Returns how many uses were counted, about: a clock that counts uses. */
  public long uses() {
    return uses;
  }

  /** Returns how often a key was used lately, 0 to {@value #MAX_FREQUENCY}. */
  public int frequency(long hash) {
    long[] words = table();
    int block = block(hash);
    int counters = counters(hash);
    int frequency = MAX_FREQUENCY;
    for (int i = 0; i < COUNTERS; i++) {
      long word = (long) WORD.getOpaque(words, word(block, counters, i));
      frequency = Math.min(frequency, (int) (word >>> shift(counters, i) & MAX_FREQUENCY));
    }
    return frequency;
  }

  private void halve(long now) {
    if (!isHalving.compareAndSet(false, true)) {
      return;
    }
    try {
      long[] halved = table();
      for (int i = 0; i < halved.length; i++) {
        WORD.setOpaque(halved, i, (long) WORD.getOpaque(halved, i) >>> 1 & HALF_MASK);
      }
      halvedAt = now - sample / 2; // what is left of the counts
    } finally {
      isHalving.set(false);
    }
  }

  /** Copies a block into an array of {@value #BLOCK_WORDS} words. */
  public void copyBlock(int block, long[] target) {
    long[] source = table();
    for (int i = 0; i < BLOCK_WORDS; i++) {
      target[i] = (long) WORD.getOpaque(source, block + i);
    }
  }

  /**
   * Takes words that were saved. Any words are valid.
   *
   * @param at index of the first
   */
  public void restore(int at, long[] saved) {
    long[] target = table();
    for (int i = 0; i < saved.length && at + i < target.length; i++) {
      WORD.setOpaque(target, at + i, saved[i]);
    }
  }
}
