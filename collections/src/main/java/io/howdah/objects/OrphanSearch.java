package io.howdah.objects;

import io.howdah.collections.catalogue.Catalogue;
import io.howdah.collections.catalogue.CollectionBlocks;
import io.howdah.collections.structure.BlockVisitor;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.collections.structure.Tree;
import io.howdah.collections.structure.TreeCursor;
import io.howdah.core.layout.NodeLayout;
import io.howdah.core.layout.ObjectHeaderLayout;
import io.howdah.core.layout.OwnerLayout;
import io.howdah.core.layout.ReferenceLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.layout.TreeLayout;
import io.howdah.txn.Tx;
import io.howdah.txn.alloc.HeapSession;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the objects that nothing in a store leads to, in one read-only transaction.
 *
 * <p>It marks what the roots and the named collections lead to, and then looks for objects among
 * the other blocks. It takes four bits for every 16 bytes that blocks have ever reached, so a 32nd
 * of that, and 8 MiB for the objects whose words are still to be read. Not thread-safe.
 */
final class OrphanSearch extends ObjectWalk {

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  /** How many objects the stack has space for, unless a test says otherwise. */
  static final int MAX_STACK = 1 << 20;

  private final Tx tx;
  private final Catalogue catalogue;
  private final SortedMap<Integer, PersistentTypes.Stored> byId;
  private final long top;

  /** Blocks of collections and names, and those that belong to an object, such as its strings. */
  private final BlockSet parts;

  /** Objects, and blocks of the word level, that something leads to. */
  private final BlockSet reached;

  /** Those of them whose words are to be read, and are not in the stack. */
  private final BlockSet waiting;

  /** Adds blocks to {@link #parts}. */
  private final BlockVisitor toParts = new OfBlocks(this::addPart);

  private final long[] stack;
  private int stacked;
  private boolean hasOverflown;

  /**
   * Prepares a search.
   *
   * @param maxStack how many objects wait in the stack; others wait in a set of blocks
   */
  OrphanSearch(Tx tx, PersistentTypes types, Catalogue catalogue, int maxStack) {
    super(types.words(tx), types.layouts());
    this.stack = new long[maxStack];
    this.tx = tx;
    this.catalogue = catalogue;
    this.byId = types.stored(words);
    this.top = words.getUnchecked(RegionHeaderLayout.TOP_ADDRESS);
    this.parts = new BlockSet(top);
    this.reached = new BlockSet(top);
    this.waiting = new BlockSet(top);
  }

  /** Returns the types that have orphans, in the order of their names. */
  List<Orphans> find() {
    if (byId.isEmpty()) {
      return List.of();
    }
    List<FoundCollection> collections = catalogue.list(tx);
    for (FoundCollection found : collections) {
      CollectionBlocks.visit(words, found, toParts);
    }
    catalogue.visitBlocks(words, toParts);
    long types = words.getUnchecked(RegionHeaderLayout.TYPES_ADDRESS);
    Tree.of(words, types).visitBlocks(words, toParts);
    // Only now it is known which blocks are no objects, whatever their first word looks like.
    for (int index = 0; index < RegionHeaderLayout.ROOTS; index++) {
      reach(tx.root(index));
    }
    for (FoundCollection found : collections) {
      readCollection(found);
    }
    readReached();
    return orphans();
  }

  // ---- What is reached.

  /** Reads what is reached until there is nothing left. */
  private void readReached() {
    while (stacked > 0 || hasOverflown) {
      if (stacked == 0) {
        hasOverflown = false;
        for (long at = waiting.next(0); at >= 0; at = waiting.next(at + BlockSet.GRAIN)) {
          waiting.remove(at);
          read(at);
        }
      } else {
        read(stack[--stacked]);
      }
    }
  }

  private void read(long block) {
    PersistentTypes.Stored type = typeAt(block);
    if (type == null) {
      readBytes(block);
    } else {
      walk(type.layout(), ReferenceLayout.reference(block, words.getUnchecked(block)));
    }
  }

  /** Follows what a word holds, if that is the reference of an object or the address of a block. */
  private void reach(long word) {
    long address = ReferenceLayout.address(word);
    if (!isPlace(address) || parts.has(address) || reached.has(address)) {
      return;
    }
    if (!words.heap.isBlock(address)) {
      return;
    }
    PersistentTypes.Stored type = typeAt(address);
    boolean leadsThere =
        type == null
            ? ReferenceLayout.incarnation(word) == 0
            : type.layout().isIdentityOf(words.getUnchecked(address), word);
    if (leadsThere) {
      reached.add(address);
      if (stacked < stack.length) {
        stack[stacked++] = address;
      } else {
        waiting.add(address);
        hasOverflown = true;
      }
    }
  }

  private void reachEitherWay(long word) {
    reach(word);
    reach(Long.reverseBytes(word) ^ Long.MIN_VALUE);
  }

  private boolean isPlace(long address) {
    return (address & (BlockSet.GRAIN - 1)) == 0
        && address >= RegionHeaderLayout.BLOCKS_ADDRESS
        && address < top;
  }

  /** Follows what is anywhere in the entries or elements of a collection. */
  private void readCollection(FoundCollection found) {
    if (found.magic() != TreeLayout.MAGIC) {
      CollectionBlocks.visit(words, found, new OfBlocks(this::readBytes));
      return;
    }
    TreeCursor cursor = new TreeCursor(Tree.of(words, found.address()));
    cursor.first(words);
    while (cursor.next(words)) {
      readBytes(cursor.key(words).peek());
      readBytes(cursor.value(words).peek());
    }
  }

  private void readBytes(byte[] bytes) {
    for (int at = 0; at <= bytes.length - Long.BYTES; at++) {
      reachEitherWay((long) LONG.get(bytes, at));
    }
  }

  /**
   * Follows what is anywhere in a block: what codecs write begins at any byte. References are
   * written as words are, and the codec of longs writes them so that their bytes have their order.
   */
  private void readBytes(long block) {
    long count = words.heap.blockBytes(block) / Long.BYTES;
    long before = 0;
    for (long i = 0; i < count; i++) {
      long word = words.getUnchecked(block + i * Long.BYTES);
      reachEitherWay(word);
      for (int shift = Byte.SIZE; i > 0 && shift < Long.SIZE; shift += Byte.SIZE) {
        reachEitherWay(before >>> shift | word << (Long.SIZE - shift));
      }
      before = word;
    }
  }

  // ---- Objects, those that are reached and others.

  /** Returns the type of the object at a block, or null if it is none. */
  private PersistentTypes.@Nullable Stored typeAt(long block) {
    long identity = words.getUnchecked(block);
    PersistentTypes.Stored type = byId.get((int) identity);
    int version = ObjectHeaderLayout.version(identity);
    return type != null
            && version >= 1
            && version <= type.layout().version()
            && HeapSession.isSameBlockLength(
                words.heap.blockBytes(block), type.layout().length(version))
        ? type
        : null;
  }

  @Override
  void word(ObjectField field, long at) {
    long block = words.getUnchecked(at);
    if (field.kind().ownsBlock() && isPlace(block)) {
      parts.add(block);
    }
    FoundCollection collection = collection(field, at);
    if (collection != null && !parts.has(collection.address())) {
      CollectionBlocks.visit(words, collection, toParts);
      readCollection(collection);
    }
  }

  /**
   * Returns the collection that a word leads to, or null. What looks like an object may be none, so
   * the word may lead anywhere.
   */
  private @Nullable FoundCollection collection(ObjectField field, long at) {
    long header = words.getUnchecked(at);
    if (field.kind() != FieldKind.COLLECTION || !isPlace(header) || !words.heap.isBlock(header)) {
      return null;
    }
    FoundCollection found = HeldCollection.found(words, field, at);
    return HeldCollection.isPossible(found) ? found : null;
  }

  @Override
  void block(long block) {
    long end = block + words.heap.blockBytes(block);
    if (words.getUnchecked(block) == OwnerLayout.MARK) {
      end = 0; // an object does not lead to its owner
    }
    long extension = words.getUnchecked(block + ObjectHeaderLayout.EXTENSION_OFFSET);
    if (isPlace(extension)) {
      parts.add(extension);
    }
    for (long at = block + ObjectHeaderLayout.HEADER_LENGTH; at < end; at += Long.BYTES) {
      reach(words.getUnchecked(at));
    }
  }

  // ---- What is left.

  private List<Orphans> orphans() {
    BlockSet left = new BlockSet(top);
    visitBlocks(
        block -> {
          if (!parts.has(block) && !reached.has(block) && typeAt(block) != null) {
            left.add(block);
          }
        });
    Parts own = new Parts();
    for (long block = left.next(0); block >= 0; block = left.next(block + BlockSet.GRAIN)) {
      own.mark(block); // an extension is no object of its own
    }
    Map<String, Tally> tallies = new TreeMap<>();
    for (long block = left.next(0); block >= 0; block = left.next(block + BlockSet.GRAIN)) {
      PersistentTypes.Stored type = typeAt(block);
      if (type != null && !parts.has(block)) {
        long reference = ReferenceLayout.reference(block, words.getUnchecked(block));
        Tally tally = tallies.computeIfAbsent(type.name(), _ -> new Tally());
        tally.count++;
        tally.bytes += own.bytes(block);
        if (tally.addresses.size() < Orphans.MAX_ADDRESSES
            && !Ownership.isOwned(words, reference)) {
          tally.addresses.add(reference);
        }
      }
    }
    List<Orphans> all = new ArrayList<>();
    tallies.forEach(
        (name, tally) -> all.add(new Orphans(name, tally.count, tally.bytes, tally.addresses)));
    return all;
  }

  private void addPart(long block) {
    parts.add(block);
  }

  /** Takes blocks alone: nodes have no objects, and their entries are read as such. */
  private record OfBlocks(LongConsumer blocks) implements BlockVisitor {

    @Override
    public void block(long address) {
      blocks.accept(address);
    }

    @Override
    public void node(long reference) {}
  }

  private void visitBlocks(LongConsumer blocks) {
    words.heap.visit(
        new HeapSession.Visitor() {
          @Override
          public void block(long address, long lengthBytes) {
            blocks.accept(address);
          }

          @Override
          public void node(long address, long lengthBytes) {}

          @Override
          public void free(long lengthBytes) {}
        });
  }

  private static final class Tally {
    private long count;
    private long bytes;
    private final List<Long> addresses = new ArrayList<>();
  }

  /** Goes through the blocks that an orphan has. */
  private final class Parts extends ObjectWalk {
    private long bytes;

    Parts() {
      super(OrphanSearch.this.words, OrphanSearch.this.types);
    }

    /** Marks the blocks that belong to an object. */
    void mark(long block) {
      long _ = bytes(block);
    }

    /** Returns the length of an object's blocks. */
    long bytes(long block) {
      PersistentTypes.Stored type = typeAt(block);
      bytes = 0;
      if (type != null) {
        walk(type.layout(), block);
      }
      return bytes;
    }

    @Override
    void word(ObjectField field, long at) {
      long block = words.getUnchecked(at);
      if (field.kind().ownsBlock() && isPlace(block)) {
        parts.add(block);
        bytes += words.heap.blockBytes(block);
      }
      FoundCollection collection = collection(field, at);
      if (collection != null) {
        CollectionBlocks.visit(
            words,
            collection,
            new BlockVisitor() {
              @Override
              public void block(long address) {
                parts.add(address);
                bytes += words.heap.blockBytes(address);
              }

              @Override
              public void node(long reference) {
                bytes += NodeLayout.bytes(reference);
              }
            });
      }
    }

    @Override
    void block(long block) {
      bytes += words.heap.blockBytes(block);
      long extension = words.getUnchecked(block + ObjectHeaderLayout.EXTENSION_OFFSET);
      if (isPlace(extension)) {
        parts.add(extension);
      }
    }
  }
}
