package io.howdah.collections.eviction;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Uses of keys and new entries that are not noted yet. Each transaction context has a buffer, and
 * notes all of it when it is full: the memory that the notes need is then read for all of them at
 * once, so its cache misses overlap, and a single use costs one store.
 *
 * <p>A context is used by one thread at a time. Contexts above {@value #BUFFERS} share buffers; two
 * that do may lose each other's uses, which is an error of an estimate, and no more.
 */
final class UseBuffers {

  /** How many uses a buffer holds. */
  static final int LENGTH = 16;

  private static final int BUFFERS = 64;

  /** Words of a buffer, a line apart from the next one: what follows, hashes and weights. */
  private static final int STRIDE = 48;

  /** A bit for each hash of a new entry, behind the count. */
  private static final int INSERTED = 1;

  /** What {@link #half} is drawn from. */
  private static final int TURN = 2;

  /** Of its multiples, one in two has the highest bit, also of each second one, third one, ... */
  private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

  private static final int FIRST = 8;
  private static final int FIRST_WEIGHT = FIRST + LENGTH;
  private static final VarHandle WORD =
      MethodHandles.arrayElementVarHandle(long[].class).withInvokeExactBehavior();

  private final long[] words = new long[BUFFERS * STRIDE];

  private static int buffer(int context) {
    return (context & (BUFFERS - 1)) * STRIDE;
  }

  /**
   * Adds a use.
   *
   * @return whether the buffer is full, so that its uses have to be noted
   */
  boolean add(int context, long hash) {
    int buffer = buffer(context);
    int count = (int) (long) WORD.getOpaque(words, buffer);
    WORD.setOpaque(words, buffer + FIRST + count, hash);
    if (count == LENGTH - 1) {
      return true;
    }
    WORD.setOpaque(words, buffer, count + 1L);
    return false;
  }

  /**
   * Adds a new entry.
   *
   * @return whether the buffer is full, so that its uses have to be noted
   */
  boolean addInserted(int context, long hash, long weight) {
    int buffer = buffer(context);
    int count = (int) (long) WORD.getOpaque(words, buffer);
    long inserted = (long) WORD.getOpaque(words, buffer + INSERTED);
    WORD.setOpaque(words, buffer + INSERTED, inserted | 1L << count);
    WORD.setOpaque(words, buffer + FIRST_WEIGHT + count, weight);
    return add(context, hash);
  }

  /** Returns a bit for each use that is a new entry. */
  long inserted(int context) {
    return (long) WORD.getOpaque(words, buffer(context) + INSERTED);
  }

  /** Returns the weight of a new entry. */
  long weight(int context, int index) {
    return (long) WORD.getOpaque(words, buffer(context) + FIRST_WEIGHT + index);
  }

  /** Returns how many uses a buffer holds that is not full. */
  int count(int context) {
    return (int) (long) WORD.getOpaque(words, buffer(context));
  }

  /** Returns the hash of the key of a use. */
  long hash(int context, int index) {
    return (long) WORD.getOpaque(words, buffer(context) + FIRST + index);
  }

  /**
   * Returns 0 or 1, in turns that agree with those of no program: which half of the buffer is
   * noted, beginning with this use, if half of it is.
   */
  int half(int context) {
    int turn = buffer(context) + TURN;
    long next = (long) WORD.getOpaque(words, turn) + GOLDEN;
    WORD.setOpaque(words, turn, next);
    return (int) (next >>> (Long.SIZE - 1));
  }

  /** Forgets the uses of a buffer: they were noted. */
  void empty(int context) {
    WORD.setOpaque(words, buffer(context), 0L);
    WORD.setOpaque(words, buffer(context) + INSERTED, 0L);
  }
}
