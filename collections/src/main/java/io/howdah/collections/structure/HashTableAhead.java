package io.howdah.collections.structure;

import static io.howdah.core.layout.HashTableLayout.BUCKET_BYTES;
import static io.howdah.core.layout.HashTableLayout.SLOTS;

import io.howdah.core.layout.HashTableLayout;
import io.howdah.txn.words.Words;

/**
 * Preloads the words that operations on several keys of a hash table will read: the buckets of all
 * keys, then the entries. A hint; see {@link KeysAhead}. Thread-safe.
 */
final class HashTableAhead {

  /**
   * A table with fewer buckets in each stripe has at most about 5000 entries, which fit in caches.
   */
  private static final int MIN_BUCKETS = 16;

  private final long table;

  HashTableAhead(long table) {
    this.table = table;
  }

  /** Returns whether the table is so large that an operation waits for memory. */
  boolean isUseful(Words words) {
    return words.peek(table + HashTableLayout.stripeOffset(0)) >= MIN_BUCKETS;
  }

  /**
   * Loads buckets and entries.
   *
   * @param isChange whether entries get other values
   */
  void load(Words words, HashTableEntries entries, KeysAhead keys, boolean isChange) {
    int count = keys.count();
    for (int i = 0; i < count; i++) {
      keys.words[i] = entries.hash(keys, i);
    }
    CollectionScratch scratch = CollectionScratch.of(words);
    load(
        words,
        keys,
        count,
        isChange ? scratch.tableEntryBytes : (long) scratch.entryWords * Long.BYTES);
  }

  /**
   * Loads buckets and entries of keys whose hashes are known.
   *
   * @param entryBytes length of an entry, about
   */
  void load(Words words, KeysAhead keys, int count, long entryBytes) {
    long[] loads = keys.loads;
    for (int i = 0; i < count; i++) {
      long hash = keys.words[i];
      keys.words[i] = HashTableLayout.tag(hash);
      long bucket = bucket(words, hash);
      keys.addresses[i] = bucket;
      loads[i] = bucket == 0 ? table : bucket;
    }
    words.preload(loads, count, keys.sink);
    CollectionScratch scratch = CollectionScratch.of(words);
    int bytes = KeysAhead.blockBytes(entryBytes);
    int n = 0;
    for (int i = 0; i < count; i++) {
      if (keys.addresses[i] != 0) {
        long entry = entry(words, keys.addresses[i], keys.words[i], scratch.line);
        if (words.isBlock(entry, bytes)) {
          n = keys.addBlock(entry, bytes, n);
        }
      }
    }
    words.preloadWords(loads, n, keys.sink);
  }

  /** Returns the address of the bucket that a hash probably leads to, or 0. */
  private long bucket(Words words, long hash) {
    int stripe = HashTableLayout.stripe(hash);
    long buckets = words.peek(table + HashTableLayout.stripeOffset(stripe));
    if (buckets < 1 || buckets > HashTableLayout.MAX_BUCKETS) {
      return 0;
    }
    long bucket = HashTableLayout.bucket(hash, buckets);
    int segment = HashTableLayout.segment(bucket);
    long address =
        words.peek(table + HashTableLayout.SEGMENTS_OFFSET + (long) segment * Long.BYTES)
            + HashTableLayout.offsetInSegment(bucket, stripe);
    return words.isLine(address) && words.isBlock(address, BUCKET_BYTES) ? address : 0;
  }

  /** Returns the address of the first entry with a tag in a bucket, or 0. */
  private static long entry(Words words, long bucket, long tag, long[] line) {
    words.peek(bucket, line, SLOTS);
    int matches = 1 << SLOTS;
    line[SLOTS] = 0;
    for (int i = 0; i < SLOTS; i++) {
      matches |= HashTableLayout.matches(line[i], tag) << i;
    }
    return HashTableLayout.address(line[Integer.numberOfTrailingZeros(matches)]);
  }
}
