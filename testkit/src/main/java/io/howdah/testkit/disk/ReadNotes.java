package io.howdah.testkit.disk;

import io.howdah.testkit.schedule.Mixer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Which units of a crashed disk a process has read, in order, and a hash of what each held. Guarded
 * by the disk's lock.
 */
final class ReadNotes {

  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final int UNIT_BITS = 9;
  private static final int PAGE_BITS = 23;

  private long[] words = new long[512];
  private int count;

  /** Returns a number that tells a unit of a file from every other. */
  static long place(long inode, int page, int unit) {
    if (page >>> PAGE_BITS != 0) {
      throw new IllegalArgumentException("page " + page + " is too far into its file to be noted");
    }
    return (inode << PAGE_BITS | page) << UNIT_BITS | unit;
  }

  static long inode(long place) {
    return place >>> (UNIT_BITS + PAGE_BITS);
  }

  static int page(long place) {
    return (int) (place >>> UNIT_BITS) & ((1 << PAGE_BITS) - 1);
  }

  static int unit(long place) {
    return (int) place & ((1 << UNIT_BITS) - 1);
  }

  /** Returns a hash of whole words; null stands for zeros. */
  static long hash(byte @Nullable [] bytes, int from, int length) {
    long hash = length;
    for (int i = 0; i < length; i += Long.BYTES) {
      long word = bytes == null ? 0 : (long) WORD.get(bytes, from + i);
      // Zeros are frequent and cheap; their number counts, because the hash is moved on.
      hash = word == 0 ? hash * 31 + 17 : Mixer.mix(hash, word);
    }
    return Mixer.mix(hash);
  }

  void add(long place, long hash) {
    if (2 * count == words.length) {
      words = Arrays.copyOf(words, words.length * 2);
    }
    words[2 * count] = place;
    words[2 * count + 1] = hash;
    count++;
  }

  int count() {
    return count;
  }

  long place(int n) {
    return words[2 * n];
  }

  long hash(int n) {
    return words[2 * n + 1];
  }
}
