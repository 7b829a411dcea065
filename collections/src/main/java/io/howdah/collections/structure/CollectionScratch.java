package io.howdah.collections.structure;

import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.collections.eviction.CachePolicy;
import io.howdah.core.layout.HashTableLayout;
import io.howdah.core.layout.TreeNodeLayout;
import io.howdah.txn.Tx;
import io.howdah.txn.words.Words;
import io.howdah.txn.words.WordsAttachment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Buffers in which collections encode and decode, one set for each {@link Words}, so that
 * operations allocate nothing. Their contents are valid during one operation. A call of the
 * program's code ends them too, except a call of a codec: while a codec runs, the words have
 * {@linkplain #inner other} buffers. Not thread-safe.
 */
public final class CollectionScratch extends WordsAttachment {

  private static final int MAX_KEPT_BYTES = 1 << 16;

  /** A key and optionally its value, in the format of an entry. */
  public final EncodingBuffer image = new EncodingBuffer();

  /** A second key. */
  public final EncodingBuffer other = new EncodingBuffer();

  public final DecodingBuffer decoder = new DecodingBuffer();

  /** The time of the transaction, which the buffers of codecs share. */
  public final AttemptTime time;

  /** The words of a bucket. */
  final long[] line = new long[8];

  /** The first bucket for the key. */
  long firstBucket;

  /** The last bucket for the key; 0 if the key was found. */
  long lastBucket;

  /** The first bucket of an entry that was found by its hash. */
  long victimBucket;

  /** Whether that bucket is continued by others. */
  boolean isVictimChained;

  /** Hashes of the keys of entries that a cache evicts next. */
  public final long[] victims = new long[CachePolicy.CHOSEN_AT_ONCE];

  /** A free slot for the key, or 0. */
  long freeSlot;

  /** How many buckets the growth of a table has split, failed attempts included. */
  int bucketsSplit;

  /** How many entries it has moved. */
  int entriesMoved;

  /** The slots of a bucket that is split. */
  final BucketSplit split = new BucketSplit();

  /** How many bytes the entry of a tree that was read last has, without its padding. */
  int treeEntryBytes;

  /** How many bytes the entry has that was put into a hash table last. */
  int tableEntryBytes;

  /** How many buckets each stripe of a table has. */
  final long[] buckets = new long[HashTableLayout.STRIPES];

  /** The first words of the entry that was found. */
  byte[] entry = new byte[512];

  /** The address of the slot that led to the entry. */
  long entrySlot;

  /** How many words of the entry were loaded. */
  int entryWords;

  /** Length of the key that was read as a hint. */
  int peekedKeyLength;

  /** Length of the key in the image. */
  public int keyLength;

  private byte[] bytes = new byte[512];
  private byte[] entryOfTree = {};
  private @Nullable TreeScratch tree;
  private @Nullable HashTableSample sample;
  private @Nullable KeysAhead keysAhead;
  private @Nullable KeysAhead victimsAhead;
  private @Nullable EntryBatch batch;
  private @Nullable CollectionScratch inner;

  /** Creates the buffers for one transaction at a time. */
  public CollectionScratch() {
    this(new AttemptTime());
  }

  private CollectionScratch(AttemptTime time) {
    this.time = time;
  }

  /** Returns the buffers of a transaction: those of the collection that is being called. */
  public static CollectionScratch of(Words words) {
    return (CollectionScratch) words.attachment();
  }

  @Override
  public void begin(Tx tx) {
    decoder.attach(tx);
    time.millis = AttemptTime.NOT_FIXED;
    time.earliestExpiry = Long.MAX_VALUE;
  }

  /** Returns the buffers for collections that a codec uses while it runs for one with these. */
  public CollectionScratch inner() {
    CollectionScratch inner = this.inner;
    if (inner == null) {
      inner = new CollectionScratch(time);
      this.inner = inner;
    }
    inner.decoder.attach(decoder.attachment());
    return inner;
  }

  /** Extends the entry's buffer to at least {@code length} bytes, keeping its contents. */
  void requireEntry(int length) {
    if (entry.length < length) {
      entry = Arrays.copyOf(entry, Math.max(length, 2 * entry.length));
    }
  }

  /** Returns a buffer of at least this length, with any contents. */
  public byte[] bytes(int length) {
    if (bytes.length < length) {
      bytes = new byte[Math.max(length, 2 * bytes.length)];
    }
    return bytes;
  }

  /** Returns the entries of a hash table that were sampled. */
  HashTableSample sample(Words words) {
    HashTableSample sample = this.sample;
    if (sample == null) {
      sample = new HashTableSample(words.randomLong());
      this.sample = sample;
    }
    return sample;
  }

  /** Returns the buffers of trees. */
  TreeScratch tree() {
    TreeScratch tree = this.tree;
    if (tree == null) {
      tree = new TreeScratch();
      this.tree = tree;
    }
    return tree;
  }

  /** Returns a buffer for the longest entry of a leaf, and the lengths of another one. */
  byte[] entryOfTree() {
    if (entryOfTree.length == 0) {
      entryOfTree = new byte[TreeNodeLayout.MAX_ENTRY_BYTES + 4 * Long.BYTES];
    }
    return entryOfTree;
  }

  /** Encodes the keys of a group of operations; the result is valid until the first of these. */
  public <K> KeysAhead encodeAhead(Words words, EntryCodec<K> codec, EntryGroup<K, ?> group) {
    KeysAhead keys = keysAhead;
    if (keys == null) {
      keys = new KeysAhead();
      keysAhead = keys;
    }
    keys.encode(words, codec, group);
    return keys;
  }

  /** Takes the keys of some entries of a batch; the result is valid until the next of these. */
  KeysAhead ahead(EntryBatch batch, int from, int end) {
    KeysAhead keys = keysAhead;
    if (keys == null) {
      keys = new KeysAhead();
      keysAhead = keys;
    }
    keys.take(batch, from, end);
    return keys;
  }

  /** Returns the keys of entries that a cache evicts next. */
  KeysAhead victimsAhead() {
    KeysAhead keys = victimsAhead;
    if (keys == null) {
      keys = new KeysAhead();
      victimsAhead = keys;
    }
    return keys;
  }

  /** Returns an empty batch. */
  public EntryBatch batch() {
    EntryBatch batch = this.batch;
    if (batch == null) {
      batch = new EntryBatch();
      this.batch = batch;
    }
    batch.clear();
    return batch;
  }

  /** Releases the memory that an unusually large value needed. */
  @Override
  public void trim() {
    if (bytes.length > MAX_KEPT_BYTES) {
      bytes = new byte[512];
    }
    if (entry.length > MAX_KEPT_BYTES) {
      entry = new byte[512];
    }
    split.clear();
    image.clear();
    other.clear();
    if (keysAhead != null) {
      keysAhead.clear();
    }
    if (batch != null) {
      batch.clear();
    }
    if (tree != null) {
      tree.trim();
    }
    if (inner != null) {
      inner.inner = null;
      inner.trim();
    }
  }
}
