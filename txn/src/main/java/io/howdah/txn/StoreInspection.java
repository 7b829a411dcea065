package io.howdah.txn;

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
}
