package io.howdah.collections.structure;

import io.howdah.codec.CodecException;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.txn.words.Words;

/**
 * Verifies lengths, addresses and names that were read from the region before they are used. A
 * damaged image must not lead to a huge array, nor to an access outside of the region.
 */
public final class StoredNumbers {

  private StoredNumbers() {}

  /**
   * Returns a length if it is within its limit; otherwise throws.
   *
   * @param address the address from which it was read
   * @param what the data to which it belongs, for the message
   */
  public static int length(Words words, long length, int limit, long address, String what) {
    if (length < 0 || length > limit) {
      throw words.inconsistentRead(
          address, what + " has a length of " + length + ", at most " + limit + " is possible; it");
    }
    return (int) length;
  }

  /**
   * Returns the address of a block if a block can be there; otherwise throws.
   *
   * @param bytes minimum length of the block
   * @param from the address from which it was read
   * @param what the contents of the block, for the message
   */
  public static long block(Words words, long address, int bytes, long from, String what) {
    if (!words.isBlock(address, bytes)) {
      throw noBlock(words, address, from, what);
    }
    return address;
  }

  /** Refuses a block that would end outside of the region. */
  public static void end(Words words, long address, long bytes, String what) {
    if (bytes > words.capacityBytes() - address) {
      throw words.inconsistentRead(
          address, what + " has " + bytes + " bytes and would end outside of the region; it");
    }
  }

  /**
   * Returns the string that the bytes of an entry are, if they are one; otherwise throws.
   *
   * @param what the data to which it belongs, for the message
   */
  public static String text(Words words, DecodingBuffer bytes, String what) {
    try {
      return bytes.getUtf8(bytes.remaining());
    } catch (CodecException e) {
      throw words.inconsistentRead(-1, what + " is no text, " + e.getMessage() + "; it");
    }
  }

  private static RuntimeException noBlock(Words words, long address, long from, String what) {
    return words.inconsistentRead(
        from, what + " has the address " + address + ", where no block can be; what leads to it");
  }
}
