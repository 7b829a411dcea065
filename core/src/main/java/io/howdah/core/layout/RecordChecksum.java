package io.howdah.core.layout;

import java.nio.ByteBuffer;

/**
 * The checksum of a redo record ({@link RedoRecordLayout}): over all words before it, in order.
 *
 * <p>Word i of the record goes into lane i mod 4. A lane folds a word in with a multiplication and
 * a rotation, a step that takes the processor five cycles. The four lanes depend on each other only
 * at the end, so their steps overlap. Each step is a bijection of the lane for a given word, and of
 * the word for a given lane, and so is each step that combines the lanes. Therefore any single
 * changed word changes the checksum.
 *
 * <p>Mutable and reused. Not thread-safe.
 */
public final class RecordChecksum {

  /** Number of lanes; all calls of {@link #add} but the last one add a multiple of it. */
  public static final int LANES = 4;

  private static final long GOLDEN = SplitMix64.GOLDEN_GAMMA;

  private long lane0;
  private long lane1;
  private long lane2;
  private long lane3;

  /** Creates a checksum; {@link #start} begins a record. */
  public RecordChecksum() {}

  /**
   * Begins a record.
   *
   * @param logSeed of its generation and partition ({@link RedoRecordLayout#logSeed})
   * @param position of its first byte in its partition and generation
   */
  public void start(long logSeed, long position) {
    long seed = logSeed ^ position * GOLDEN;
    lane0 = seed;
    lane1 = seed + GOLDEN;
    lane2 = lane1 + GOLDEN;
    lane3 = lane2 + GOLDEN;
  }

  /**
   * Adds words that follow those added before.
   *
   * @param count number of words, from index 0 on; a multiple of {@value #LANES} unless these are
   *     the last words of the record
   */
  public void add(long[] words, int count) {
    long a = lane0; // locals, which the loop keeps in registers
    long b = lane1;
    long c = lane2;
    long d = lane3;
    int i = 0;
    for (int end = count & -LANES; i < end; i += LANES) {
      a = RedoRecordLayout.mix(a, words[i]);
      b = RedoRecordLayout.mix(b, words[i + 1]);
      c = RedoRecordLayout.mix(c, words[i + 2]);
      d = RedoRecordLayout.mix(d, words[i + 3]);
    }
    if (i < count) {
      a = RedoRecordLayout.mix(a, words[i]);
    }
    if (i + 1 < count) {
      b = RedoRecordLayout.mix(b, words[i + 1]);
    }
    if (i + 2 < count) {
      c = RedoRecordLayout.mix(c, words[i + 2]);
    }
    lane0 = a;
    lane1 = b;
    lane2 = c;
    lane3 = d;
  }

  /** Returns the checksum of the words that were added. */
  public long value() {
    return RedoRecordLayout.mix(
        RedoRecordLayout.mix(lane0, lane1), RedoRecordLayout.mix(lane2, lane3));
  }

  /**
   * Returns the checksum of a record in a little-endian buffer.
   *
   * @param at where the record begins
   * @param end where its checksum belongs, a multiple of 8 bytes behind {@code at}
   * @param logSeed of its generation and partition
   * @param position of its first byte in its partition and generation
   */
  public static long of(ByteBuffer bytes, int at, int end, long logSeed, long position) {
    RecordChecksum checksum = new RecordChecksum();
    checksum.start(logSeed, position);
    long[] words = new long[LANES];
    for (int from = at; from < end; from += LANES * Long.BYTES) {
      int count = Math.min(LANES, (end - from) / Long.BYTES);
      for (int i = 0; i < count; i++) {
        words[i] = bytes.getLong(from + i * Long.BYTES);
      }
      checksum.add(words, count);
    }
    return checksum.value();
  }
}
