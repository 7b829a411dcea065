package io.howdah.txn;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * SipHash-1-3 (Aumasson and Bernstein, INDOCRYPT 2012): a hash with a secret key. Without the key
 * nobody can choose inputs whose hashes collide more often than those of random inputs.
 */
final class SipHash {

  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  private SipHash() {}

  /**
   * Returns the hash of some bytes.
   *
   * @param bytes its length is a multiple of 8 bytes behind the offset, or there are 8 more: the
   *     last word is read whole, and what lies behind the length does not count
   */
  static long hash(long key0, long key1, byte[] bytes, int offset, int length) {
    long v0 = key0 ^ 0x736F_6D65_7073_6575L;
    long v1 = key1 ^ 0x646F_7261_6E64_6F6DL;
    long v2 = key0 ^ 0x6C79_6765_6E65_7261L;
    long v3 = key1 ^ 0x7465_6462_7974_6573L;
    int end = offset + (length & -Long.BYTES);
    long last = (long) length << (Long.SIZE - Byte.SIZE);
    if ((length & (Long.BYTES - 1)) != 0) {
      long mask = (1L << (length * Byte.SIZE)) - 1; // the shift counts modulo 64
      last |= (long) WORD.get(bytes, end) & mask;
    }
    for (int at = offset; ; at += Long.BYTES) {
      long word = at < end ? (long) WORD.get(bytes, at) : last;
      v3 ^= word;
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
      v0 ^= word;
      if (at == end) {
        break;
      }
    }
    v2 ^= 0xFF;
    for (int round = 0; round < 3; round++) {
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
    }
    return v0 ^ v1 ^ v2 ^ v3;
  }
}
