package io.howdah.txn;

import io.howdah.core.layout.ReferenceLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.txn.alloc.HeapSession;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a store holds and how much room it takes, as of one moment; from {@link Store#inspect}.
 *
 * @param roots the roots that are set, by index: addresses of the application
 * @param types the types of objects, by name, with their properties
 * @param collections in the order of their names
 * @param nameBytes blocks that hold the names of collections and types
 * @param blocks how many blocks are in use, whatever for
 * @param blockBytes their length together; what collections and names do not account for, objects
 *     and the application's own structures take
 * @param freeBytes room between blocks that others can take
 * @param capacityBytes the region's length
 */
public record StoreInspection(
    SortedMap<Integer, Long> roots,
    SortedMap<String, String> types,
    List<Collection> collections,
    long nameBytes,
    long blocks,
    long blockBytes,
    long freeBytes,
    long capacityBytes) {

  /**
   * A collection.
   *
   * @param type its kind and codecs
   * @param size its entries or elements; of a blob, bytes; of a counter, 1
   * @param bytes length of its blocks together
   * @param levels of the tree behind it, the root first; empty if there is no tree
   */
  public record Collection(
      String name, String type, long size, long blocks, long bytes, List<TreeLevel> levels) {

    /** Copies the list. */
    public Collection {
      levels = List.copyOf(levels);
    }
  }

  /**
   * A level of a tree.
   *
   * @param keys in all its nodes together
   * @param fill share of the keys for which its nodes have room, 0 to 1
   */
  public record TreeLevel(long nodes, long keys, double fill) {}

  /** Copies what is mutable. */
  public StoreInspection {
    roots = Collections.unmodifiableSortedMap(new TreeMap<>(roots));
    types = Collections.unmodifiableSortedMap(new TreeMap<>(types));
    collections = List.copyOf(collections);
  }

  static StoreInspection of(Store store, Tx tx) {
    TxContext context = TxHandle.of(tx).use(store.engine(), store);
    List<Collection> collections = new ArrayList<>();
    for (Catalogue.Found found : store.catalogue().list(tx)) {
      collections.add(collection(context, found));
    }
    Tally names = new Tally(context);
    store.catalogue().visitBlocks(context, names::block);
    long types = context.getUnchecked(RegionHeaderLayout.TYPES_ADDRESS);
    if (types != 0) {
      Tree.of(context, types).visitBlocks(context, names::block);
    }
    Tally all = new Tally(context);
    context.heap.visit(all);
    return new StoreInspection(
        roots(tx),
        store.types(tx),
        collections,
        names.bytes,
        all.blocks,
        all.bytes,
        all.freeBytes,
        store.engine().region().capacityBytes());
  }

  private static SortedMap<Integer, Long> roots(Tx tx) {
    SortedMap<Integer, Long> roots = new TreeMap<>();
    for (int index = 0; index < RegionHeaderLayout.ROOTS; index++) {
      if (tx.root(index) != 0) {
        roots.put(index, ReferenceLayout.address(tx.root(index)));
      }
    }
    return roots;
  }

  private static Collection collection(TxContext context, Catalogue.Found found) {
    Tally own = new Tally(context);
    CollectionBlocks.visit(context, found, own::block);
    long magic = context.getUnchecked(found.address() + CollectionHeader.MAGIC_OFFSET);
    List<TreeLevel> levels =
        magic == TreeLayout.MAGIC
            ? Tree.of(context, found.address()).levels(context).stream()
                .map(level -> new TreeLevel(level.nodes(), level.keys(), level.fill()))
                .toList()
            : List.of();
    return new Collection(
        found.name(),
        found.type(),
        CollectionBlocks.entries(context, found),
        own.blocks,
        own.bytes,
        levels);
  }

  /** Adds up blocks. */
  private static final class Tally implements HeapSession.Visitor {
    private final TxContext context;
    private long blocks;
    private long bytes;
    private long freeBytes;

    Tally(TxContext context) {
      this.context = context;
    }

    void block(long address) {
      block(address, context.heap.blockBytes(address));
    }

    @Override
    public void block(long address, long lengthBytes) {
      blocks++;
      bytes += lengthBytes;
    }

    @Override
    public void free(long lengthBytes) {
      freeBytes += lengthBytes;
    }
  }
}
