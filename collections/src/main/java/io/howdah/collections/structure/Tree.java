package io.howdah.collections.structure;

import static io.howdah.core.layout.EntryLayout.KEY_OFFSET;

import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.core.layout.TreeLayout;
import io.howdah.core.layout.TreeNodeLayout;
import io.howdah.txn.words.Words;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The B+-tree of sorted maps, the catalogue and the types; {@link TreeLayout} has the format of its
 * header, and {@link TreeNodeLayout} that of its nodes. Keys and values are bytes: callers encode a
 * key, and a value after it, into the image in the transaction's scratch, and get a {@link
 * DecodingBuffer} for a result. {@link TreeSearch} finds and reads the nodes.
 *
 * <p>A tree with the address 0 does not exist yet. Reads treat it as an empty tree; {@link #put}
 * requires an address.
 */
public final class Tree {

  /**
   * One level of a tree.
   *
   * @param keys in all its nodes together
   * @param fill share of the space for entries that is in use, 0 to 1
   */
  public record Level(long nodes, long keys, double fill) {}

  private final TreeFormat format;
  private final TreeSearch search;
  private final TreeUpdate update;
  private final TreeRuns runs;
  private final TreeGroup group;

  /**
   * Works on a tree.
   *
   * @param fixedKeys whether all keys have 8 bytes
   * @param valueFixed length of all values in bytes, or {@link io.howdah.codec.Codec#VARIABLE}
   */
  public Tree(long tree, boolean fixedKeys, int valueFixed) {
    this.format = new TreeFormat(fixedKeys, valueFixed);
    this.search = new TreeSearch(tree, format);
    this.update = new TreeUpdate(search, format);
    this.runs = new TreeRuns(search, format, update);
    this.group = new TreeGroup(search, format);
  }

  /** Returns the tree at an address, as its header describes it. */
  public static Tree of(Words words, long tree) {
    boolean fixedKeys = CollectionHeader.keyLength(words, tree) == Long.BYTES;
    return new Tree(tree, fixedKeys, CollectionHeader.valueLength(words, tree));
  }

  /** Creates an empty tree and returns its address. */
  public static long create(Words words, long incarnation, int keyFixed, int valueFixed) {
    TreeFormat format = new TreeFormat(keyFixed == Long.BYTES, valueFixed);
    long leaf = words.heap.allocateNode(format.firstLeafBytes());
    long tree = words.heap.allocate(TreeLayout.LENGTH);
    CollectionHeader.write(words, tree, TreeLayout.MAGIC, incarnation, keyFixed, valueFixed);
    words.putUnchecked(tree + TreeLayout.ROOT_OFFSET, TreeLayout.root(leaf, 0));
    NodeImage image = CollectionScratch.of(words).tree().built;
    image.clear(leaf, 0, TreeNodeLayout.tag(tree));
    image.low(format.lowest());
    image.high(format.noHigh());
    words.nodes.write(leaf, 0, image.words, 0, image.layout().headsAt);
    return tree;
  }

  /** The header is at another address, of a tree with the same lengths; or there is none. */
  public void move(long address) {
    search.move(address);
  }

  // ---- Images: key, then value, in the scratch.

  /** Begins a key; its bytes follow. */
  public static EncodingBuffer beginKey(Words words) {
    EncodingBuffer image = CollectionScratch.of(words).image;
    image.clear();
    image.putLong(0);
    return image;
  }

  /** Ends the key, and returns its length, which later calls take. */
  public static int endKey(Words words) {
    EncodingBuffer image = CollectionScratch.of(words).image;
    image.padWord();
    return image.length() - KEY_OFFSET;
  }

  /** Begins the value after the key. The caller appends its bytes. */
  public static EncodingBuffer beginValue(Words words) {
    return CollectionScratch.of(words).image;
  }

  /** Returns what finds and reads the nodes. */
  TreeSearch search() {
    return search;
  }

  // ---- Reading.

  /** Returns the value of the key in the image, or null. */
  public @Nullable DecodingBuffer get(Words words, int keyLength) {
    long tree = search.address();
    if (tree == 0) {
      return null;
    }
    CollectionScratch buffers = CollectionScratch.of(words);
    TreeScratch scratch = buffers.tree();
    TreeKey key = search.key(words, scratch, keyLength);
    int number = scratch.known.take(tree, key, format.hasFixedKeys());
    NodeImage leaf;
    if (format.hasFixedKeys()) {
      long reached =
          number >= 0 ? scratch.known.leaf(number) : search.descend(words, scratch, key, 0, false);
      int at =
          number >= 0
              ? TreeSearch.beginKnownLook(words, scratch.known, number)
              : search.beginLook(words, reached, key.fixed);
      int length = search.entryInPlace(words, buffers, reached, at);
      if (length != TreeSearch.UNKNOWN) {
        return length == TreeSearch.ABSENT
            ? null
            : format.value(words, reached, buffers.entryOfTree(), 0);
      }
      leaf =
          number >= 0
              ? search.findKnown(words, scratch, key, number)
              : search.read(words, scratch, key, false, reached);
    } else {
      leaf =
          number >= 0
              ? search.findKnown(words, scratch, key, number)
              : search.read(
                  words, scratch, key, false, search.descend(words, scratch, key, 0, false));
    }
    int index = search.index(words, scratch, leaf, key);
    if (index < 0) {
      return null;
    }
    int at = format.entry(words, leaf, index);
    byte[] bytes = search.readEntry(words, leaf.node(), at);
    return format.value(words, leaf.node(), bytes, 0);
  }

  /** Counts the entries: reads 16 words. */
  public long size(Words words) {
    if (search.address() == 0) {
      return 0;
    }
    long size = 0;
    for (int i = 0; i < TreeLayout.COUNTERS; i++) {
      size += words.getUnchecked(counter(i));
    }
    return size;
  }

  private long counter(int index) {
    return search.address() + TreeLayout.COUNTERS_OFFSET + (long) index * TreeLayout.COUNTER_BYTES;
  }

  private void count(Words words, int difference) {
    // Transactions of different lanes count in different words.
    long counter = counter(words.id % TreeLayout.COUNTERS);
    words.putUnchecked(counter, words.getUnchecked(counter) + difference);
  }

  /** Returns whether preloading for operations on many keys is useful. */
  public boolean isAheadUseful(Words words) {
    long tree = search.address();
    return tree != 0
        && TreeGroup.isUseful(TreeLayout.height(words.peek(tree + TreeLayout.ROOT_OFFSET)));
  }

  /** Preloads the words that operations on several keys will read, so that cache misses overlap. */
  public void loadAhead(Words words, KeysAhead keys) {
    group.load(words, keys);
  }

  // ---- Changing.

  /** Puts the key and value in the image; returns whether the key is new. */
  public boolean put(Words words, int keyLength) {
    words.operations.begin();
    boolean isNew = update.put(words, keyLength);
    if (isNew) {
      count(words, 1);
    }
    words.operations.end();
    return isNew;
  }

  /**
   * Puts the entries of a batch in their order. Loads ahead what they will read, unless they ascend
   * within few leaves.
   *
   * @return how many keys are new
   */
  public int putAll(Words words, EntryBatch batch) {
    TreeScratch scratch = CollectionScratch.of(words).tree();
    boolean isAheadUseful = isAheadUseful(words);
    int added = 0;
    int singles = 0; // entries since the last run
    for (int at = 0; at < batch.count(); ) {
      boolean isLocal = singles < 2 && batch.isAscending(format.hasFixedKeys(), at);
      if (isAheadUseful && !isLocal && at + 1 < batch.count()) {
        int end = Math.min(at + KeysAhead.MAX_KEYS, batch.count());
        group.load(words, CollectionScratch.of(words).ahead(batch, at, end));
        while (at < end) {
          int keyLength = batch.show(at++, CollectionScratch.of(words).image);
          added += put(words, keyLength) ? 1 : 0;
        }
        singles = 1; // the next one may begin a run
        continue;
      }
      words.operations.begin();
      int put = runs.put(words, scratch, batch, at);
      if (scratch.added > 0) {
        count(words, scratch.added);
      }
      words.operations.end();
      added += scratch.added;
      singles = put == 1 ? singles + 1 : 0;
      at += put;
    }
    return added;
  }

  /** Removes the key in the image; returns whether it was there. */
  public boolean remove(Words words, int keyLength) {
    if (search.address() == 0) {
      return false;
    }
    words.operations.begin();
    boolean isRemoved = update.remove(words, keyLength);
    if (isRemoved) {
      count(words, -1);
    }
    words.operations.end();
    return isRemoved;
  }

  /**
   * Returns whether {@link #put} has room for the key and value in the image: for the entry, and
   * for all nodes that a split needs. Allocates these and frees them, which reserves them for this
   * transaction. For keys of 8 bytes.
   */
  public boolean hasRoom(Words words, int keyLength) {
    return update.hasRoom(words, keyLength);
  }

  // ---- All of it.

  /** Returns how many nodes each level has, and how full they are; the root first. */
  public List<Level> levels(Words words) {
    return TreeWalk.levels(words, search);
  }

  /**
   * Verifies all nodes.
   *
   * @throws io.howdah.core.CorruptStoreException if one is damaged
   */
  public void check(Words words) {
    TreeCheck.check(words, search, size(words));
  }

  /** Shows every block and node, the tree included. None is read after it was shown. */
  public void visitBlocks(Words words, BlockVisitor blocks) {
    TreeWalk.visitBlocks(words, search, blocks);
  }
}
