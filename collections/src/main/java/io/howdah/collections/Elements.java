package io.howdah.collections;

import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.collections.structure.CollectionHeader;
import io.howdah.collections.structure.CollectionScratch;
import io.howdah.collections.structure.EntryLimits;
import io.howdah.collections.structure.StoredNumbers;
import io.howdah.core.layout.EntryLayout;
import io.howdah.txn.words.Words;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Elements of lists: a word each, which holds the element's bytes if all elements have the same
 * length up to 8, else the address of a block with its length, 4 bytes, and its bytes.
 */
final class Elements {

  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  private Elements() {}

  /** Begins an element in the scratch; its bytes follow. */
  static EncodingBuffer begin(Words words) {
    EncodingBuffer image = CollectionScratch.of(words).image;
    image.clear();
    image.putInt(0);
    return image;
  }

  /** Returns the word of the element in the scratch. */
  static long write(Words words, int fixed) {
    EncodingBuffer image = CollectionScratch.of(words).image;
    int length = image.length() - EntryLayout.BYTES_OFFSET;
    if (CollectionHeader.isInline(fixed)) {
      image.reserve(2 * Long.BYTES);
      return image.word(EntryLayout.BYTES_OFFSET) & mask(length);
    }
    image.setInt(EntryLayout.LENGTH_OFFSET, length);
    image.padWord();
    long block = words.heap.allocateUncleared(image.length());
    words.putRange(block, image.array(), 0, (image.length() + Long.BYTES - 1) / Long.BYTES);
    return block;
  }

  private static long mask(int length) {
    return length == Long.BYTES ? -1L : (1L << (length * Byte.SIZE)) - 1;
  }

  /** Returns the element that a word stands for. */
  static DecodingBuffer read(Words words, long word, int fixed) {
    DecodingBuffer decoder = CollectionScratch.of(words).decoder;
    if (CollectionHeader.isInline(fixed)) {
      EncodingBuffer other = CollectionScratch.of(words).other;
      other.clear();
      other.putLong(word);
      decoder.wrap(other.array(), 0, fixed);
      return decoder;
    }
    StoredNumbers.block(words, word, Long.BYTES, word, "an element of a list");
    int length = EntryLayout.length(words.getUnchecked(word));
    StoredNumbers.length(words, length, EntryLimits.MAX_VALUE_BYTES, word, "an element of a list");
    StoredNumbers.end(
        words, word, EntryLayout.BYTES_OFFSET + (long) length, "an element of a list");
    int count = (EntryLayout.BYTES_OFFSET + length + Long.BYTES - 1) / Long.BYTES;
    byte[] bytes = CollectionScratch.of(words).bytes(count * Long.BYTES);
    words.getRange(word, bytes, 0, count);
    decoder.wrap(bytes, EntryLayout.BYTES_OFFSET, length);
    return decoder;
  }

  /** Returns whether what a word stands for is still what was read last. */
  static boolean isAsRead(Words words, long word, int fixed) {
    if (CollectionHeader.isInline(fixed)) {
      return true;
    }
    // The first word holds the length, so once it is the same, the array has all the others.
    byte[] read = CollectionScratch.of(words).bytes(Long.BYTES);
    int bytes = Long.BYTES;
    for (int at = 0; at < bytes; at += Long.BYTES) {
      if (words.getUnchecked(word + at) != (long) WORD.get(read, at)) {
        return false;
      }
      bytes = EntryLayout.BYTES_OFFSET + EntryLayout.length((long) WORD.get(read, 0));
    }
    return true;
  }

  /** Frees what a word stands for. */
  static void free(Words words, long word, int fixed) {
    if (!CollectionHeader.isInline(fixed)) {
      words.heap.free(word);
    }
  }
}
