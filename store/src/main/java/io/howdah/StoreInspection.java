package io.howdah;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** What a store holds and how much space it takes, as of one LSN. Immutable. */
public final class StoreInspection {

  /** The values, in the order in which they are printed. */
  record Values(
      SortedMap<Integer, Long> roots,
      SortedMap<String, String> types,
      List<Collection> collections,
      long nameBytes,
      long blocks,
      long blockBytes,
      long freeBytes,
      long reclaimableBytes,
      long capacityBytes) {

    Values {
      roots = Collections.unmodifiableSortedMap(new TreeMap<>(roots));
      types = Collections.unmodifiableSortedMap(new TreeMap<>(types));
      collections = List.copyOf(collections);
    }
  }

  private final Values values;

  StoreInspection(Values values) {
    this.values = values;
  }

  /** Returns the roots that are set, by index: addresses of the application. */
  public SortedMap<Integer, Long> roots() {
    return values.roots;
  }

  /**
   * Returns the types of objects, records, enums and sealed interfaces, by name, and their parts.
   */
  public SortedMap<String, String> types() {
    return values.types;
  }

  /** Returns the collections in the order of their names. */
  public List<Collection> collections() {
    return values.collections;
  }

  /** Returns the length of the blocks that hold the names of collections and types. */
  public long nameBytes() {
    return values.nameBytes;
  }

  /** Returns the number of blocks in use. */
  public long blocks() {
    return values.blocks;
  }

  /**
   * Returns the length of these blocks together. What is left without collections and names belongs
   * to objects and to the application's own structures.
   */
  public long blockBytes() {
    return values.blockBytes;
  }

  /** Returns the length of the space between blocks that other blocks can take. */
  public long freeBytes() {
    return values.freeBytes;
  }

  /** Returns the part of {@link #freeBytes} that {@link StoreBackups#compact} gives back. */
  public long reclaimableBytes() {
    return values.reclaimableBytes;
  }

  /** Returns the region's length. */
  public long capacityBytes() {
    return values.capacityBytes;
  }

  /** A collection. Immutable. */
  public static final class Collection {

    /** The values, in the order in which they are printed. */
    record CollectionValues(
        String name,
        String type,
        long size,
        long blocks,
        long bytes,
        List<TreeLevel> levels,
        Optional<CacheBound> cache) {

      CollectionValues {
        levels = List.copyOf(levels);
      }
    }

    private final CollectionValues values;

    Collection(CollectionValues values) {
      this.values = values;
    }

    /** Returns its name. */
    public String name() {
      return values.name;
    }

    /** Returns its kind and its codecs. */
    public String type() {
      return values.type;
    }

    /**
     * Returns the number of its entries or elements; of a blob, its length in bytes; of a counter,
     * 1.
     */
    public long size() {
      return values.size;
    }

    /** Returns the number of its blocks. */
    public long blocks() {
      return values.blocks;
    }

    /** Returns the length of its blocks together. */
    public long bytes() {
      return values.bytes;
    }

    /** Returns the levels of its tree, the root first; empty if it is no tree. */
    public List<TreeLevel> levels() {
      return values.levels;
    }

    /** Returns the bound of a cache; empty if it is none. */
    public Optional<CacheBound> cache() {
      return values.cache;
    }

    /** Returns all values with their names, for people. */
    @Override
    public String toString() {
      return values.toString().replaceFirst("CollectionValues", "Collection");
    }
  }

  /** The bound of a cache, and what of it is used. Immutable. */
  public static final class CacheBound {

    /** The values, in the order in which they are printed. */
    record CacheBoundValues(long maxBytes, long maxEntries, long usedBytes, long evictions) {}

    private final CacheBoundValues values;

    CacheBound(CacheBoundValues values) {
      this.values = values;
    }

    /** Returns what its entries may weigh; {@link Long#MAX_VALUE} without such a bound. */
    public long maxBytes() {
      return values.maxBytes;
    }

    /** Returns how many entries there may be; {@link Long#MAX_VALUE} without such a bound. */
    public long maxEntries() {
      return values.maxEntries;
    }

    /** Returns what its entries weigh. */
    public long usedBytes() {
      return values.usedBytes;
    }

    /** Returns how many entries were evicted since it was created. */
    public long evictions() {
      return values.evictions;
    }

    /** Returns all values with their names, for people. */
    @Override
    public String toString() {
      return values.toString().replaceFirst("CacheBoundValues", "CacheBound");
    }
  }

  /** A level of a tree. Immutable. */
  public static final class TreeLevel {

    /** The values, in the order in which they are printed. */
    record TreeLevelValues(long nodes, long keys, double fill) {}

    private final TreeLevelValues values;

    TreeLevel(TreeLevelValues values) {
      this.values = values;
    }

    /** Returns the number of its nodes. */
    public long nodes() {
      return values.nodes;
    }

    /** Returns the number of keys in its nodes together. */
    public long keys() {
      return values.keys;
    }

    /** Returns the share of the keys for which its nodes have room, 0 to 1. */
    public double fill() {
      return values.fill;
    }

    /** Returns all values with their names, for people. */
    @Override
    public String toString() {
      return values.toString().replaceFirst("TreeLevelValues", "TreeLevel");
    }
  }

  /** Returns all values with their names, for people. */
  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "StoreInspection");
  }
}
