package io.howdah.collections.structure;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A hash with a secret key of 128 bits, for tables whose keys others may choose.
 *
 * <p>Each word of the input is mixed into a state that begins with one half of the secret, and the
 * state is multiplied by the other half, 64 by 64 bits; both halves of the product are joined by
 * exclusive or (the folded multiplication of wyhash). How a change of a word changes the state
 * depends on the secret multiplier in all bits: so nobody who does not know it can take the change
 * back by changing another word, better than by guessing 64 bits. Where the multipliers of wyhash
 * are known and its seed is secret, here both are secret, and every table has its own.
 *
 * <p>Different keys may share all 64 bits of their hash, and such keys are easily found. The length
 * is added to the first half of the secret, the first word is joined to that sum, and the last word
 * is filled up with zeros. So a key that is longer by zero bytes at its end, up to the end of its
 * last word, can take the change of the length back by a change of its first word: the keys {1} and
 * {2, 0} collide with every other secret. No more than 8 keys can be made to collide in this way,
 * one for each number of bytes in the last word, so a chain of buckets stays short. But whatever
 * tells keys apart must compare their bytes. The hash is a part of the format of the tables that
 * exist.
 *
 * <p>SipHash-1-3 needs no such argument, but took 5 rounds for a key of 8 bytes, and a tenth of the
 * time of a look-up in the cache.
 */
final class KeyedHash {

  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  private KeyedHash() {}

  /**
   * Returns the hash of some bytes.
   *
   * @param bytes there are whole words from the offset on, up to the one with the last byte; what
   *     stands there behind the length does not count
   */
  static long hash(long key0, long key1, byte[] bytes, int offset, int length) {
    long multiplier = key1 | 1;
    long state = key0 + length;
    int at = offset;
    for (int end = offset + (length & -Long.BYTES); at < end; at += Long.BYTES) {
      state = fold(state ^ (long) WORD.get(bytes, at), multiplier);
    }
    if ((length & (Long.BYTES - 1)) != 0) {
      long mask = (1L << (length * Byte.SIZE)) - 1; // the shift counts modulo 64
      state = fold(state ^ ((long) WORD.get(bytes, at) & mask), multiplier);
    }
    return fold(state ^ key1, key0 | 1);
  }

  private static long fold(long a, long b) {
    return a * b ^ Math.unsignedMultiplyHigh(a, b);
  }
}
