package io.howdah.collections.structure;

import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.txn.ConflictException;
import io.howdah.txn.RetryException;
import io.howdah.txn.words.Words;
import org.jspecify.annotations.Nullable;

/**
 * The encoded keys of a group of single operations that will run next, and the addresses that a
 * structure finds for them while it loads their cache lines. It loads all lines of one level for
 * all keys, then those of the next level, so that the cache misses of different keys overlap.
 *
 * <p>For a hash table all of this is a hint. The operations encode their keys again and read all
 * words with validation. The table is read here without validation, so each address is used only if
 * a block can be there. A tree descends with validation; see {@link TreeGroup}. Not thread-safe.
 */
public final class KeysAhead {

  /** Maximum number of keys of a group. */
  public static final int MAX_KEYS = 16;

  /** Number of key bytes after which no further key of a group is loaded. */
  private static final int MAX_BYTES = 4096;

  private static final int LINE_BYTES = 64;

  /** Of a longer block, the rest is left to the copy that reads it. */
  private static final int MAX_BLOCK_BYTES = 512;

  private static final int MAX_LOADS = MAX_KEYS * (MAX_BLOCK_BYTES / LINE_BYTES + 1);

  /** All keys, each from a multiple of 8 on. */
  final EncodingBuffer keys = new EncodingBuffer();

  /** Where each key begins. */
  final int[] offsets = new int[MAX_KEYS];

  final int[] lengths = new int[MAX_KEYS];

  /** The hash of each key of a hash table, or the head of each key of a tree. */
  final long[] words = new long[MAX_KEYS];

  /**
   * The address, or the reference of a leaf, that each key has led to; 0 if nothing can be there.
   */
  final long[] addresses = new long[MAX_KEYS];

  /** The addresses of the words that are loaded together. */
  final long[] loads = new long[MAX_LOADS];

  /** Where those words go. */
  final long[] sink = new long[MAX_LOADS];

  private int count;

  KeysAhead() {}

  /** Returns how many keys are encoded. */
  int count() {
    return count;
  }

  /**
   * Encodes keys up to the first one that cannot be encoded, whose operation will throw.
   *
   * @throws RuntimeException the exception of a codec, if it has ended the transaction
   */
  <K> void encode(Words words, EntryCodec<K> codec, EntryGroup<K, ?> group) {
    clear();
    int from = 0;
    for (int i = 0; i < group.count() && from < MAX_BYTES; i++) {
      @Nullable K key = group.key(i);
      if (key == null || !isEncoded(words, codec, group, key) || keys.length() < from) {
        break;
      }
      int length = keys.length() - from;
      offsets[i] = from;
      lengths[i] = length;
      count = i + 1;
      while ((keys.length() & (Long.BYTES - 1)) != 0) {
        keys.putByte(0);
      }
      from = keys.length();
    }
    if (keys.length() < from) {
      count = 0; // a codec has taken back the bytes of other keys
    }
    keys.reserve(Long.BYTES);
  }

  private <K> boolean isEncoded(Words words, EntryCodec<K> codec, EntryGroup<K, ?> group, K key) {
    try {
      codec.encode(words, key, keys);
      return true;
    } catch (ConflictException | RetryException e) {
      throw e; // of a codec that uses the transaction
    } catch (RuntimeException e) {
      if (group.hasEnded()) {
        throw e; // no operation could say why
      }
      return false;
    }
  }

  /** Takes the keys of some entries of a batch, at most {@link #MAX_KEYS}. */
  void take(EntryBatch batch, int from, int end) {
    clear();
    for (int entry = from; entry < end && keys.length() < MAX_BYTES; entry++) {
      offsets[count] = keys.length();
      lengths[count] = batch.appendKey(entry, keys);
      count++;
      while ((keys.length() & (Long.BYTES - 1)) != 0) {
        keys.putByte(0);
      }
    }
    keys.reserve(Long.BYTES);
  }

  /** Returns how many bytes of a block are loaded that probably has this length. */
  static int blockBytes(long length) {
    return Math.clamp(length, Long.BYTES, MAX_BLOCK_BYTES);
  }

  /** Adds a word of each cache line of a block to the loads; returns how many there are. */
  int addBlock(long block, int bytes, int from) {
    int n = from;
    for (int at = 0; at < bytes; at += LINE_BYTES) {
      loads[n++] = block + at;
    }
    loads[n++] = block + ((bytes - 1) & -Long.BYTES);
    return n;
  }

  /** Adds an address in each cache line of some bytes to the loads; returns how many there are. */
  int addLines(long address, int bytes, int from) {
    int n = from;
    long end = address + bytes;
    for (long at = address & -LINE_BYTES; at < end && n < MAX_LOADS; at += LINE_BYTES) {
      loads[n++] = at;
    }
    return n;
  }

  void clear() {
    keys.clear();
    count = 0;
  }
}
