package io.howdah.collections.structure;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A hash with a secret key of 128 bits, for tables whose keys an attacker may choose.
 *
 * <p>Each word of the input is mixed into a state that begins with one half of the secret, and the
 * state is multiplied by the other half, 64 by 64 bits; both halves of the product are joined by
 * exclusive or (the folded multiplication of wyhash). How a change of a word changes the state
 * depends on the secret multiplier in all bits. An attacker who does not know it therefore cannot
 * cancel the change by a change of another word, except by guessing 64 bits. The multipliers of
 * wyhash are known and only its seed is secret. Here both are secret and different for every table.
 *
 * <p>Different keys may share all 64 bits of their hash, and such keys are easy to find. The length
 * is added to the first half of the secret, the first word is joined to that sum, and the last word
 * is filled up with zeros. So a key that is longer by zero bytes at its end, up to the end of its
 * last word, can cancel the change of the length by a change of its first word: the keys {1} and
 * {2, 0} collide with every fourth secret. At most 8 keys collide in this way, one for each number
 * of bytes in the last word, so a chain of buckets stays short. But code that distinguishes keys
 * must compare their bytes. The hash is part of the format of existing tables.
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
   * @param bytes contains whole words from the offset on, up to the word with the last byte; bytes
   *     after the length do not affect the result
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
