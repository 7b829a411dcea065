package io.howdah.collections.structure;

import io.howdah.codec.Codec;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.core.layout.CollectionHeaderLayout;
import io.howdah.core.layout.EntryLayout;
import io.howdah.txn.alloc.HeapSession;
import io.howdah.txn.words.Words;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The entries of a hash table; {@link EntryLayout} has their format. An image is an entry in the
 * scratch before it is written. The scratch also has the part of the found entry that was read.
 * Thread-safe.
 */
final class HashTableEntries {

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();
  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  /** Maximum number of words of an entry that are read together. */
  private static final int GUESSED_WORDS = 64;

  private static final int MAX_PEEKED_KEY_BYTES = 1 << 10;

  private final long table;
  private final long key0;
  private final long key1;
  private final int keyFixed;
  private final int valueFixed;
  private final int keyOffset;

  /**
   * Works on the entries of a table.
   *
   * @param key0 first half of the secret key of its hash
   * @param key1 second half
   * @param keyFixed length of all keys in bytes, or {@link Codec#VARIABLE}
   * @param valueFixed length of all values in bytes, or {@link Codec#VARIABLE}
   */
  HashTableEntries(long table, long key0, long key1, int keyFixed, int valueFixed) {
    this.table = table;
    this.key0 = key0;
    this.key1 = key1;
    this.keyFixed = keyFixed;
    this.valueFixed = valueFixed;
    this.keyOffset = keyFixed >= 0 ? EntryLayout.FIXED_KEY_OFFSET : EntryLayout.KEY_OFFSET;
  }

  // ---- Images.

  /** Begins an image; the key's bytes follow. */
  EncodingBuffer beginImage(CollectionScratch scratch) {
    EncodingBuffer image = scratch.image;
    image.clear();
    if (keyFixed < 0) {
      image.putLong(0);
    }
    return image;
  }

  /** Ends the key, and returns its hash. */
  long endKey(CollectionScratch scratch) {
    EncodingBuffer image = scratch.image;
    image.padWord();
    int keyLength = image.length() - keyOffset;
    scratch.keyLength = keyLength;
    if (keyFixed < 0) {
      image.setInt(EntryLayout.KEY_LENGTH_OFFSET, keyLength);
    }
    return KeyedHash.hash(key0, key1, image.array(), keyOffset, keyLength);
  }

  /** Returns the hash of a key among others. */
  long hash(KeysAhead keys, int index) {
    return KeyedHash.hash(key0, key1, keys.keys.array(), keys.offsets[index], keys.lengths[index]);
  }

  /** Returns where the key begins in an image. */
  int keyOffset() {
    return keyOffset;
  }

  /** Returns where the value begins in the image in the scratch. */
  int valueOffset(CollectionScratch scratch) {
    int behindKey = keyOffset + scratch.keyLength;
    return keyFixed >= 0 && valueFixed < 0 ? behindKey + Integer.BYTES : behindKey;
  }

  /** Begins the value after the key. The caller appends its bytes. */
  EncodingBuffer beginValue(CollectionScratch scratch) {
    EncodingBuffer image = scratch.image;
    if (keyFixed >= 0 && valueFixed < 0) {
      image.putInt(0);
    }
    return image;
  }

  /** Ends the value, and with it the image. */
  void endValue(CollectionScratch scratch) {
    EncodingBuffer image = scratch.image;
    if (keyFixed < 0) {
      image.setInt(
          EntryLayout.VALUE_LENGTH_OFFSET,
          image.length() - EntryLayout.KEY_OFFSET - scratch.keyLength);
    } else if (valueFixed < 0) {
      image.setInt(keyFixed, image.length() - keyFixed - Integer.BYTES);
    }
    image.padWord();
  }

  // ---- Entries in the region.

  /**
   * Loads the first words of an entry, its key and lengths among them, and compares the key with
   * the one in the image.
   *
   * <p>An entry's words change only in commits that lock the orec of the entry's slot, after a
   * commit that has emptied the slot, or after the table was dropped. A commit that gives the block
   * to another slot locks the orecs of both. The slot, which was read before, and the table's
   * header therefore show whether these words belong to the slot's version.
   *
   * @param slot the address of the slot that refers to the entry, in the line in the scratch
   * @param use the purpose of the search
   */
  boolean isKey(Words words, CollectionScratch scratch, long entry, long slot, EntryUse use) {
    EncodingBuffer image = scratch.image;
    int keyLength = scratch.keyLength;
    if (!words.isBlock(entry, Long.BYTES)) {
      throw HashTableBuckets.damaged(words, table);
    }
    if (use == EntryUse.REPLACEMENT && words.isBlock(entry, image.length())) {
      // The commit would wait for the words otherwise; here they come together with the key.
      words.preloadWord(entry);
      words.preloadWord(entry + ((image.length() - 1) & -Long.BYTES));
    }
    int minWords = (keyOffset + keyLength + 2 * Long.BYTES - 1) / Long.BYTES;
    // Not up to the end of an orec's stripe: the processor could not predict the number of words.
    int count = use == EntryUse.VALUE ? Math.max(minWords, guessWords(words, entry)) : minWords;
    // The region may end before that: the entry has a shorter key, or ends where the region does.
    count = (int) Math.min(count, (words.capacityBytes() - entry) / Long.BYTES);
    scratch.entrySlot = slot;
    if (!isGuarded(words, scratch, entry, count, slot)) {
      load(words, scratch, entry, 0, count);
    }
    byte[] bytes = scratch.entry;
    if (keyFixed < 0 && (int) (long) WORD.get(bytes, 0) != keyLength) {
      return false;
    }
    int at = keyOffset;
    int end = keyOffset + keyLength;
    if (end > count * Long.BYTES) {
      throw HashTableBuckets.damaged(
          words, table); // an entry with this key would end outside of the region
    }
    for (; at + Long.BYTES <= end; at += Long.BYTES) {
      if ((long) WORD.get(bytes, at) != image.word(at)) {
        return false;
      }
    }
    long mask = (1L << ((end - at) * Byte.SIZE)) - 1;
    return at == end || (((long) WORD.get(bytes, at) ^ image.word(at)) & mask) == 0;
  }

  /** Returns how many words an entry probably has, at most {@value #GUESSED_WORDS}. */
  private int guessWords(Words words, long entry) {
    int length;
    long available = (words.capacityBytes() - entry) / Long.BYTES;
    if (keyFixed < 0) {
      long lengths = words.peek(entry);
      length = Long.BYTES + (int) lengths + (int) (lengths >>> Integer.SIZE);
    } else if (valueFixed >= 0) {
      length = keyFixed + valueFixed;
    } else if (keyFixed / Long.BYTES >= available) {
      return 0; // the entry is damaged: it would end outside of the region
    } else {
      long word = words.peek(entry + (keyFixed & -Long.BYTES));
      length = keyFixed + Integer.BYTES + (int) (word >>> (keyFixed * Byte.SIZE));
    }
    return Math.clamp(
        (length + Long.BYTES - 1L) / Long.BYTES, 0, (int) Math.min(GUESSED_WORDS, available));
  }

  /** Loads words of an entry whose slot is in the scratch. */
  private void load(Words words, CollectionScratch scratch, long entry, int from, int to) {
    scratch.requireEntry(to * Long.BYTES);
    words.getGuarded(
        scratch.entrySlot,
        table + CollectionHeaderLayout.INCARNATION_OFFSET,
        entry + (long) from * Long.BYTES,
        scratch.entry,
        from * Long.BYTES,
        to - from);
    scratch.entryWords = to;
  }

  /**
   * Loads an entry that was not found by its key.
   *
   * @param slot the address of the slot that refers to the entry
   */
  void load(Words words, CollectionScratch scratch, long entry, long slot) {
    scratch.entrySlot = slot;
    int minWords = (keyOffset + Math.max(0, keyFixed) + Long.BYTES - 1) / Long.BYTES;
    int wanted = minWords + 1; // a length of the value, or its beginning
    if (words.capacityBytes() - entry < (long) minWords * Long.BYTES
        || !words.isBlock(entry, Long.BYTES)) {
      throw HashTableBuckets.damaged(words, table);
    }
    load(words, scratch, entry, 0, Math.min(wanted, available(words, entry)));
  }

  /** Returns how many words the region has from an entry on. */
  private static int available(Words words, long entry) {
    return (int) Math.min(Integer.MAX_VALUE, (words.capacityBytes() - entry) / Long.BYTES);
  }

  /** Returns the key of the entry in the scratch. */
  DecodingBuffer key(Words words, CollectionScratch scratch, long entry) {
    return decoder(words, scratch, entry, keyOffset, keyLength(words, scratch));
  }

  private int keyLength(Words words, CollectionScratch scratch) {
    if (keyFixed >= 0) {
      return keyFixed;
    }
    int length = EntryLayout.keyLength((long) WORD.get(scratch.entry, 0));
    return verifiedLength(words, length, EntryLimits.MAX_KEY_BYTES);
  }

  private int valueLength(Words words, CollectionScratch scratch) {
    byte[] bytes = scratch.entry;
    int length =
        keyFixed < 0
            ? EntryLayout.valueLength((long) WORD.get(bytes, 0))
            : valueFixed >= 0 ? valueFixed : (int) INT.get(bytes, keyFixed);
    return verifiedLength(words, length, EntryLimits.MAX_VALUE_BYTES);
  }

  private int verifiedLength(Words words, int length, int limit) {
    if (length < 0 || length > limit) {
      throw HashTableBuckets.damaged(words, table);
    }
    return length;
  }

  /**
   * Returns the hash of the key of an entry, which is in the scratch afterwards.
   *
   * @param slot the address of the slot that refers to the entry
   */
  long hashOf(Words words, CollectionScratch scratch, long entry, long slot) {
    load(words, scratch, entry, slot);
    return hashOfLoaded(words, scratch, entry);
  }

  /** Returns the hash of an entry whose slot is in the bucket that was read last. */
  long hashOfRead(Words words, CollectionScratch scratch, long entry, long slot) {
    int count = keyFixed / Long.BYTES + 2;
    scratch.entrySlot = slot;
    if (keyFixed >= 0
        && words.isBlock(entry, count * Long.BYTES)
        && isGuarded(words, scratch, entry, count, slot)) {
      return hashOfLoaded(words, scratch, entry);
    }
    return hashOf(words, scratch, entry, slot);
  }

  private boolean isGuarded(
      Words words, CollectionScratch scratch, long entry, int count, long slot) {
    scratch.requireEntry(count * Long.BYTES);
    boolean isGuarded =
        words.getGuarded(entry, scratch.entry, count, slot)
            && words.isCurrent(table + CollectionHeaderLayout.INCARNATION_OFFSET);
    if (isGuarded) {
      scratch.entryWords = count;
    }
    return isGuarded;
  }

  /** Returns the hash of the key of the entry in the scratch. */
  long hashOfLoaded(Words words, CollectionScratch scratch, long entry) {
    key(words, scratch, entry); // loads all of the key
    return KeyedHash.hash(key0, key1, scratch.entry, keyOffset, keyLength(words, scratch));
  }

  /** Adds the key of the entry in the scratch to those that a cursor has shown. */
  void showLoaded(Words words, CollectionScratch scratch, long entry, ShownKeys shown) {
    long hash = hashOfLoaded(words, scratch, entry);
    shown.add(hash, scratch.entry, keyOffset, keyLength(words, scratch));
  }

  /** Returns whether a cursor has shown the key of an entry. */
  boolean isShown(Words words, CollectionScratch scratch, long entry, long slot, ShownKeys shown) {
    long hash = hashOf(words, scratch, entry, slot);
    return shown.contains(hash, scratch.entry, keyOffset, keyLength(words, scratch));
  }

  /** Returns the value of the entry in the scratch. */
  DecodingBuffer value(Words words, CollectionScratch scratch, long entry) {
    return decoder(words, scratch, entry, valueOffset(words, scratch), valueLength(words, scratch));
  }

  private int valueOffset(Words words, CollectionScratch scratch) {
    return keyFixed < 0
        ? EntryLayout.KEY_OFFSET + keyLength(words, scratch)
        : valueFixed >= 0 ? keyFixed : keyFixed + Integer.BYTES;
  }

  private DecodingBuffer decoder(
      Words words, CollectionScratch scratch, long entry, int offset, int length) {
    int count = (offset + length + Long.BYTES - 1) / Long.BYTES;
    if (count > scratch.entryWords) {
      if (count > (words.capacityBytes() - entry) / Long.BYTES) {
        throw HashTableBuckets.damaged(words, table);
      }
      load(words, scratch, entry, scratch.entryWords, count);
    }
    DecodingBuffer decoder = scratch.decoder;
    decoder.wrap(scratch.entry, offset, length);
    return decoder;
  }

  /** Loads the words with the lengths of the entry in the scratch, if its key alone was loaded. */
  void loadLengths(Words words, CollectionScratch scratch, long entry) {
    int count =
        keyFixed < 0 || valueFixed >= 0
            ? 1
            : (keyFixed + Integer.BYTES + Long.BYTES - 1) / Long.BYTES;
    if (count > scratch.entryWords) {
      load(words, scratch, entry, scratch.entryWords, count);
    }
  }

  /** Returns the length of the image of the entry in the scratch. */
  int imageLength(Words words, CollectionScratch scratch) {
    return valueOffset(words, scratch) + valueLength(words, scratch);
  }

  /** Returns whether the block of the entry in the scratch is as long as one for the image. */
  boolean fitsImage(Words words, CollectionScratch scratch) {
    return HeapSession.isSameBlockLength(imageLength(words, scratch), scratch.image.length());
  }

  // ---- Hints, read past the orecs.

  /**
   * Reads the key of what may be an entry, without validation.
   *
   * @param hasStamp whether the first 8 bytes of the value are read too
   * @return false if it is none, or if its key is longer than {@value #MAX_PEEKED_KEY_BYTES}
   */
  boolean peek(Words words, CollectionScratch scratch, long entry, boolean hasStamp) {
    int keyLength = keyFixed;
    if (keyFixed < 0) {
      long lengths = words.peek(entry);
      keyLength = EntryLayout.keyLength(lengths);
    }
    if (keyLength < 0 || keyLength > MAX_PEEKED_KEY_BYTES) {
      return false;
    }
    int behindKey = keyOffset + keyLength + (keyFixed >= 0 && valueFixed < 0 ? Integer.BYTES : 0);
    int length = behindKey + (hasStamp ? Long.BYTES : 0);
    int count = (length + Long.BYTES - 1) / Long.BYTES;
    scratch.requireEntry((count + 1) * Long.BYTES); // a stamp may begin anywhere in a word
    if (!words.isBlock(entry, count * Long.BYTES)) {
      return false;
    }
    byte[] bytes = scratch.entry;
    for (int i = 0; i < count; i++) {
      WORD.set(bytes, i * Long.BYTES, words.peek(entry + (long) i * Long.BYTES));
    }
    scratch.peekedKeyLength = keyLength;
    return true;
  }

  /** Returns the hash of the key that was read last by {@link #peek}. */
  long peekedHash(CollectionScratch scratch) {
    return KeyedHash.hash(key0, key1, scratch.entry, keyOffset, scratch.peekedKeyLength);
  }

  /** Returns the first 8 bytes of the value that was read last by {@link #peek}. */
  long peekedStamp(CollectionScratch scratch) {
    int behindKey = keyOffset + scratch.peekedKeyLength;
    return (long)
        WORD.get(
            scratch.entry, keyFixed >= 0 && valueFixed < 0 ? behindKey + Integer.BYTES : behindKey);
  }

  /** Writes the image over an entry with the same key. */
  void replace(Words words, CollectionScratch scratch, long entry, long slot) {
    // The key stays: the words from the value on change, and the lengths before it.
    int from = keyFixed >= 0 ? keyFixed & -Long.BYTES : 0;
    EncodingBuffer image = scratch.image;
    words.putGuarded(slot, entry + from, image.array(), from, wordCount(image, from));
  }

  /** Writes the image over an entry with another key, to which a slot will refer. */
  void rewrite(Words words, CollectionScratch scratch, long entry, long slot) {
    EncodingBuffer image = scratch.image;
    words.putGuarded(slot, entry, image.array(), 0, wordCount(image, 0));
  }

  /** Writes the image into a new block, and returns its address. */
  static long write(Words words, CollectionScratch scratch) {
    EncodingBuffer image = scratch.image;
    long entry = words.heap.allocateUncleared(Math.max(1, image.length()));
    words.putRange(entry, image.array(), 0, wordCount(image, 0));
    return entry;
  }

  private static int wordCount(EncodingBuffer image, int from) {
    return (image.length() - from + Long.BYTES - 1) / Long.BYTES;
  }
}
