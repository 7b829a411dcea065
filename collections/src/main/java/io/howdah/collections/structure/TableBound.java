package io.howdah.collections.structure;

import io.howdah.core.layout.HashTableLayout;
import io.howdah.txn.alloc.HeapSession;
import io.howdah.txn.words.Words;
import java.util.function.LongConsumer;

/**
 * The bound of a hash table in bytes and in entries, and the account of what is free of it; {@link
 * HashTableLayout} has its words. Thread-safe.
 *
 * <p>What is free is divided: a part belongs to the table, and a part to each stripe, from which
 * the transactions spend that count there. So transactions that add entries at the same time rarely
 * write the same word. These sums are kept by every commit:
 *
 * <ul>
 *   <li>maxBytes = the weights of all entries + the free bytes of the table and of all stripes;
 *   <li>maxEntries = the number of entries + the free entries of the table and of all stripes;
 *   <li>no part is negative.
 * </ul>
 *
 * <p>So the entries of each committed state weigh at most maxBytes, and a crash leaves such a
 * state.
 */
public final class TableBound {

  private static final String PREFIX = "cached ";
  private static final String JOURNALED_PREFIX = "journaled " + PREFIX;

  /** What an entry takes beside its block: its share of the buckets. */
  private static final int BUCKET_SHARE_BYTES = 16;

  /** A stripe gives back what it has more than this part of the bound, for others to use. */
  private static final int KEPT_SHARE = 1 << 10;

  private final long table;

  TableBound(long table) {
    this.table = table;
  }

  /** Returns the type of a table with a bound. */
  public static String bounded(String type) {
    return PREFIX + type;
  }

  /** Returns whether tables of a type have a bound. */
  public static boolean isBounded(String type) {
    return type.startsWith(PREFIX) || type.startsWith(JOURNALED_PREFIX);
  }

  /** Returns the type that a table of a type would have without a bound. */
  public static String unbounded(String type) {
    return type.startsWith(PREFIX) ? type.substring(PREFIX.length()) : type;
  }

  /**
   * Returns what an entry weighs: the length of its block and its share of the buckets.
   *
   * @param imageBytes length of the entry in bytes
   */
  public static long weight(int imageBytes) {
    return weightOfBlock(HeapSession.blockLength(Math.max(1, imageBytes)));
  }

  /** Returns what an entry weighs whose block has a length. */
  static long weightOfBlock(long blockBytes) {
    return BUCKET_SHARE_BYTES + blockBytes;
  }

  /** Gives a new table its bound. */
  void begin(Words words, long maxBytes, long maxEntries) {
    put(words, HashTableLayout.MAX_BYTES_OFFSET, maxBytes);
    put(words, HashTableLayout.MAX_ENTRIES_OFFSET, maxEntries);
    put(words, HashTableLayout.FREE_BYTES_OFFSET, maxBytes);
    put(words, HashTableLayout.FREE_ENTRIES_OFFSET, maxEntries);
  }

  private long get(Words words, long offset) {
    return words.getUnchecked(table + offset);
  }

  private void put(Words words, long offset, long value) {
    words.putUnchecked(table + offset, value);
  }

  /** Returns what all entries may weigh. */
  public long maxBytes(Words words) {
    return get(words, HashTableLayout.MAX_BYTES_OFFSET);
  }

  /** Returns how many entries there may be. */
  public long maxEntries(Words words) {
    return get(words, HashTableLayout.MAX_ENTRIES_OFFSET);
  }

  /** Returns the stripe whose free bytes and entries the transaction spends. */
  private static long ownStripe(Words words) {
    return HashTableLayout.stripeOffset(words.id & (HashTableLayout.STRIPES - 1));
  }

  /** Returns whether the transaction may add so much without asking others. */
  boolean has(Words words, long bytes, long entries) {
    long stripe = ownStripe(words);
    return get(words, stripe + HashTableLayout.STRIPE_FREE_BYTES_OFFSET) >= bytes
        && get(words, stripe + HashTableLayout.STRIPE_FREE_ENTRIES_OFFSET) >= entries;
  }

  /**
   * Makes sure that the transaction may add so much, which it {@linkplain #has may not}: takes what
   * it lacks, and some more, from what no stripe has.
   *
   * @return false if the table has too little
   */
  boolean reserve(Words words, long bytes, long entries) {
    long stripe = ownStripe(words);
    long ownBytes = get(words, stripe + HashTableLayout.STRIPE_FREE_BYTES_OFFSET);
    long ownEntries = get(words, stripe + HashTableLayout.STRIPE_FREE_ENTRIES_OFFSET);
    long freeBytes = get(words, HashTableLayout.FREE_BYTES_OFFSET);
    long freeEntries = get(words, HashTableLayout.FREE_ENTRIES_OFFSET);
    long lackedBytes = Math.max(0, bytes - ownBytes);
    long lackedEntries = Math.max(0, entries - ownEntries);
    if (lackedBytes > freeBytes || lackedEntries > freeEntries) {
      return false;
    }
    long takenBytes =
        lackedBytes == 0 ? 0 : Math.min(freeBytes, lackedBytes + kept(maxBytes(words)) / 2);
    long takenEntries =
        lackedEntries == 0 ? 0 : Math.min(freeEntries, lackedEntries + kept(maxEntries(words)) / 2);
    words.operations.begin();
    put(words, stripe + HashTableLayout.STRIPE_FREE_BYTES_OFFSET, ownBytes + takenBytes);
    put(words, stripe + HashTableLayout.STRIPE_FREE_ENTRIES_OFFSET, ownEntries + takenEntries);
    put(words, HashTableLayout.FREE_BYTES_OFFSET, freeBytes - takenBytes);
    put(words, HashTableLayout.FREE_ENTRIES_OFFSET, freeEntries - takenEntries);
    words.operations.end();
    return true;
  }

  private static long kept(long max) {
    return max / KEPT_SHARE;
  }

  /**
   * Spends what an entry weighs more than before, or gets back what it weighs less; see {@link
   * #reserve}. A part of the operation that changes the entry.
   */
  void spend(Words words, long bytes, long entries) {
    long stripe = ownStripe(words);
    long freeBytes = get(words, stripe + HashTableLayout.STRIPE_FREE_BYTES_OFFSET) - bytes;
    long freeEntries = get(words, stripe + HashTableLayout.STRIPE_FREE_ENTRIES_OFFSET) - entries;
    if (freeBytes < 0 || freeEntries < 0) {
      throw words.inconsistentRead(table, "the bound of the table at address " + table);
    }
    long keptBytes = kept(maxBytes(words));
    long keptEntries = kept(maxEntries(words));
    if (freeBytes > keptBytes && bytes < 0) {
      long given = freeBytes - keptBytes / 2;
      freeBytes -= given;
      put(
          words,
          HashTableLayout.FREE_BYTES_OFFSET,
          get(words, HashTableLayout.FREE_BYTES_OFFSET) + given);
    }
    if (freeEntries > keptEntries && entries < 0) {
      long given = freeEntries - keptEntries / 2;
      freeEntries -= given;
      put(
          words,
          HashTableLayout.FREE_ENTRIES_OFFSET,
          get(words, HashTableLayout.FREE_ENTRIES_OFFSET) + given);
    }
    put(words, stripe + HashTableLayout.STRIPE_FREE_BYTES_OFFSET, freeBytes);
    put(words, stripe + HashTableLayout.STRIPE_FREE_ENTRIES_OFFSET, freeEntries);
  }

  /**
   * Takes what all stripes have to spend back to the table, where there is nothing left to evict.
   * It conflicts with every transaction that spends.
   *
   * @return whether they had any
   */
  public boolean gather(Words words) {
    long bytes = 0;
    long entries = 0;
    words.operations.begin();
    for (int i = 0; i < HashTableLayout.STRIPES; i++) {
      long stripe = HashTableLayout.stripeOffset(i);
      long itsBytes = get(words, stripe + HashTableLayout.STRIPE_FREE_BYTES_OFFSET);
      long itsEntries = get(words, stripe + HashTableLayout.STRIPE_FREE_ENTRIES_OFFSET);
      if (itsBytes != 0 || itsEntries != 0) {
        put(words, stripe + HashTableLayout.STRIPE_FREE_BYTES_OFFSET, 0);
        put(words, stripe + HashTableLayout.STRIPE_FREE_ENTRIES_OFFSET, 0);
        bytes += itsBytes;
        entries += itsEntries;
      }
    }
    if (bytes != 0 || entries != 0) {
      put(
          words,
          HashTableLayout.FREE_BYTES_OFFSET,
          get(words, HashTableLayout.FREE_BYTES_OFFSET) + bytes);
      put(
          words,
          HashTableLayout.FREE_ENTRIES_OFFSET,
          get(words, HashTableLayout.FREE_ENTRIES_OFFSET) + entries);
    }
    words.operations.end();
    return bytes != 0 || entries != 0;
  }

  /** Returns whether the table has a bound, and saved frequencies of a length. */
  public boolean isSet(Words words, long maxBytes, long maxEntries, int sketchWords) {
    return maxBytes(words) == maxBytes
        && maxEntries(words) == maxEntries
        && get(words, HashTableLayout.SKETCH_WORDS_OFFSET) == sketchWords;
  }

  /**
   * Moves the bound towards another one: raises it at once, and lowers it by what is free.
   *
   * @return whether it is that bound now; otherwise entries have to be evicted
   */
  public boolean move(Words words, long maxBytes, long maxEntries) {
    long bytes = maxBytes(words);
    long entries = maxEntries(words);
    if (bytes == maxBytes && entries == maxEntries) {
      return true;
    }
    boolean _ = gather(words);
    long freeBytes = get(words, HashTableLayout.FREE_BYTES_OFFSET);
    long freeEntries = get(words, HashTableLayout.FREE_ENTRIES_OFFSET);
    long newBytes = Math.max(maxBytes, bytes - freeBytes);
    long newEntries = Math.max(maxEntries, entries - freeEntries);
    words.operations.begin();
    put(words, HashTableLayout.MAX_BYTES_OFFSET, newBytes);
    put(words, HashTableLayout.MAX_ENTRIES_OFFSET, newEntries);
    put(words, HashTableLayout.FREE_BYTES_OFFSET, freeBytes + newBytes - bytes);
    put(words, HashTableLayout.FREE_ENTRIES_OFFSET, freeEntries + newEntries - entries);
    words.operations.end();
    return newBytes == maxBytes && newEntries == maxEntries;
  }

  /** Returns what all entries weigh by the account: reads all of it. */
  public long usedBytes(Words words) {
    return maxBytes(words)
        - get(words, HashTableLayout.FREE_BYTES_OFFSET)
        - sum(words, HashTableLayout.STRIPE_FREE_BYTES_OFFSET);
  }

  /** Returns how many entries there are by the account: reads all of it. */
  public long usedEntries(Words words) {
    return maxEntries(words)
        - get(words, HashTableLayout.FREE_ENTRIES_OFFSET)
        - sum(words, HashTableLayout.STRIPE_FREE_ENTRIES_OFFSET);
  }

  private long sum(Words words, int offset) {
    long sum = 0;
    for (int i = 0; i < HashTableLayout.STRIPES; i++) {
      sum += get(words, HashTableLayout.stripeOffset(i) + offset);
    }
    return sum;
  }

  /**
   * Compares the account with what was found in the table.
   *
   * @param entries that the table has
   * @param weights of these together
   * @param counted how many entries the table counts
   */
  void check(Words words, long entries, long weights, long counted) {
    require(words, counted == entries, "counts %d entries and has %d", counted, entries);
    requireFree(words, get(words, HashTableLayout.FREE_BYTES_OFFSET));
    requireFree(words, get(words, HashTableLayout.FREE_ENTRIES_OFFSET));
    for (int i = 0; i < HashTableLayout.STRIPES; i++) {
      long stripe = HashTableLayout.stripeOffset(i);
      requireFree(words, get(words, stripe + HashTableLayout.STRIPE_FREE_BYTES_OFFSET));
      requireFree(words, get(words, stripe + HashTableLayout.STRIPE_FREE_ENTRIES_OFFSET));
    }
    long used = usedEntries(words);
    require(words, used == entries, "accounts for %d entries and has %d", used, entries);
    long bytes = usedBytes(words);
    require(
        words,
        bytes == weights,
        "accounts for entries of %d bytes, which weigh %d",
        bytes,
        weights);
  }

  private void requireFree(Words words, long free) {
    require(words, free >= 0, "has a part of its bound free, of %d, that is less than %d", free, 0);
  }

  private void require(Words words, boolean isTrue, String what, long account, long found) {
    if (!isTrue) {
      throw words.inconsistentRead(
          table, "the cache at address %d %s: it".formatted(table, what.formatted(account, found)));
    }
  }

  /** Returns how many entries were evicted since the table was made. */
  public long evictions(Words words) {
    return sum(words, HashTableLayout.EVICTIONS_OFFSET);
  }

  /** Counts an eviction. */
  public void countEviction(Words words) {
    long at = ownStripe(words) + HashTableLayout.EVICTIONS_OFFSET;
    put(words, at, get(words, at) + 1);
  }

  // ---- The saved frequencies.

  private static int chunkWords(int sketchWords) {
    return Math.min(sketchWords, HashTableLayout.SKETCH_CHUNK_WORDS);
  }

  private long chunk(Words words, int index) {
    long address = get(words, HashTableLayout.SKETCH_OFFSET + (long) index * Long.BYTES);
    return address == 0
        ? 0
        : StoredNumbers.block(words, address, Long.BYTES, table, "the saved frequencies");
  }

  /**
   * Lets the saved frequencies have a number of words; forgets those of another number.
   *
   * @param sketchWords a power of two, at least 8
   */
  public void sketchWords(Words words, int sketchWords) {
    if (get(words, HashTableLayout.SKETCH_WORDS_OFFSET) == sketchWords) {
      return;
    }
    words.operations.begin();
    for (int i = 0; i < HashTableLayout.SKETCH_CHUNKS; i++) {
      long chunk = chunk(words, i);
      if (chunk != 0) {
        words.heap.free(chunk);
        put(words, HashTableLayout.SKETCH_OFFSET + (long) i * Long.BYTES, 0);
      }
    }
    put(words, HashTableLayout.SKETCH_WORDS_OFFSET, sketchWords);
    words.operations.end();
  }

  /**
   * Saves some words of the frequencies, unless these have another length by now.
   *
   * @param at index of the first word; the words are in one chunk
   * @param saved the words
   */
  public void saveSketch(Words words, int sketchWords, int at, long[] saved) {
    if (get(words, HashTableLayout.SKETCH_WORDS_OFFSET) != sketchWords) {
      return;
    }
    int index = at / HashTableLayout.SKETCH_CHUNK_WORDS;
    long chunk = chunk(words, index);
    words.operations.begin();
    if (chunk == 0) {
      chunk = newChunk(words, chunkWords(sketchWords), saved.length);
      if (chunk == 0) { // an eviction in a full region must not need room
        words.operations.end();
        return;
      }
      put(words, HashTableLayout.SKETCH_OFFSET + (long) index * Long.BYTES, chunk);
    }
    long first = chunk + (long) (at % HashTableLayout.SKETCH_CHUNK_WORDS) * Long.BYTES;
    words.putWords(first, saved, saved.length);
    words.operations.end();
  }

  /** Returns a chunk of zeros, or 0 if there is no room. */
  private static long newChunk(Words words, int length, int part) {
    long chunk = words.heap.allocateUnclearedIfRoom((long) length * Long.BYTES);
    long[] zeros = new long[part];
    for (int i = 0; i < length && chunk != 0; i += zeros.length) {
      words.putWords(chunk + (long) i * Long.BYTES, zeros, zeros.length);
    }
    return chunk;
  }

  /**
   * Reads a chunk of the saved frequencies, without validation: any words are valid.
   *
   * @return its words; empty if none of it was saved, or if the length is another one
   */
  public long[] loadSketch(Words words, int sketchWords, int index) {
    long chunk =
        get(words, HashTableLayout.SKETCH_WORDS_OFFSET) == sketchWords ? chunk(words, index) : 0;
    if (chunk == 0) {
      return new long[0];
    }
    int count = chunkWords(sketchWords);
    StoredNumbers.end(words, chunk, (long) count * Long.BYTES, "the saved frequencies");
    long[] saved = new long[count];
    words.peek(chunk, saved, count);
    return saved;
  }

  void visitBlocks(Words words, LongConsumer blocks) {
    for (int i = 0; i < HashTableLayout.SKETCH_CHUNKS; i++) {
      long chunk = chunk(words, i);
      if (chunk != 0) {
        blocks.accept(chunk);
      }
    }
  }
}
