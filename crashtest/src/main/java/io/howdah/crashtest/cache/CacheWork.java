package io.howdah.crashtest.cache;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/**
 * The operations of a thread: each follows from its number, so the process that judges knows what
 * the one that was killed has done. A thread has keys of its own. For one thread.
 */
final class CacheWork {

  /** What an operation does. */
  enum Kind {
    /** Asks for a key. */
    GET,
    /** Puts a key. */
    PUT,
    /** Puts several keys in one transaction. */
    PUT_SOME,
    /** Removes a key. */
    REMOVE
  }

  private static final long MIX = 0x9E37_79B9_7F4A_7C15L;
  private static final int KINDS = 100;
  private static final int GETS = 55;
  private static final int PUTS = 90;
  private static final int SOME_PUTS = 97;
  private static final int MAX_SOME = 6;
  private static final int MAX_PADDING = 400;
  private static final int HEAD_BYTES = 2 * Long.BYTES;

  private final long seed;
  private final int keys;
  private Kind kind = Kind.GET;
  private final int[] chosen = new int[MAX_SOME];
  private int count;

  CacheWork(long seed, int thread, int keys) {
    this.seed = seed + thread * MIX;
    this.keys = keys;
  }

  /** Chooses an operation. */
  void choose(long operation) {
    SplittableRandom random = new SplittableRandom(seed ^ operation * MIX);
    int of = random.nextInt(KINDS);
    kind =
        of < GETS ? Kind.GET : of < PUTS ? Kind.PUT : of < SOME_PUTS ? Kind.PUT_SOME : Kind.REMOVE;
    count = kind == Kind.PUT_SOME ? 2 + random.nextInt(MAX_SOME - 1) : 1;
    for (int i = 0; i < count; i++) {
      chosen[i] = random.nextInt(1 + random.nextInt(keys));
    }
  }

  Kind kind() {
    return kind;
  }

  int count() {
    return count;
  }

  int key(int index) {
    return chosen[index];
  }

  /** Returns whether the operation puts or removes a key. */
  boolean changes(int key) {
    for (int i = 0; i < count && kind != Kind.GET; i++) {
      if (chosen[i] == key) {
        return true;
      }
    }
    return false;
  }

  /** Returns what the key's last operation is after this one. */
  long lastAfter(long operation) {
    return kind == Kind.REMOVE ? 0 : operation;
  }

  /** Returns what an operation puts under a key. */
  static byte[] value(long key, long operation) {
    long bits = (key ^ operation * MIX) * MIX;
    int padding = (int) ((bits >>> Integer.SIZE) % MAX_PADDING);
    byte[] value = new byte[HEAD_BYTES + Math.max(0, padding - MAX_PADDING / 2)];
    ByteBuffer.wrap(value).putLong(operation).putLong(key);
    for (int i = HEAD_BYTES; i < value.length; i++) {
      value[i] = (byte) (bits + i);
    }
    return value;
  }

  /** Returns the operation that a value says it is of. */
  static long operation(byte[] value) {
    return value.length < HEAD_BYTES ? -1 : ByteBuffer.wrap(value).getLong();
  }
}
