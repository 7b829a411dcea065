package io.howdah.collections.index;

import io.howdah.codec.Codec;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.Pair;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.collections.structure.CollectionScratch;
import io.howdah.collections.structure.EntryCodec;
import io.howdah.collections.structure.EntryLimits;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.collections.structure.Tree;
import io.howdah.collections.structure.TreeCursor;
import io.howdah.txn.words.Words;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An index in the region, and what a change of its map does to it. A tree: from {@link
 * IndexKeyCodec keys} to nothing, or in a unique index to the bytes of the entry's key.
 *
 * <p>A change of an entry has two steps. First {@link #key} calls the program's code; the
 * transaction must have other buffers than the map's. Then {@link #add} and {@link #remove} write,
 * within the map's operation.
 */
public final class MaintainedIndex<V, X, K> {

  private final DeclaredIndex<V, X> declared;
  private final FoundCollection found;
  private final String description;
  private final OrderedCodec<Pair<X, K>> codec;
  private final EntryCodec<Pair<X, K>> keys;
  private final EntryCodec<K> mapKeys;
  private final Tree tree;

  /** While an index is built, entries may not be in it yet. */
  private volatile boolean isFinished;

  public MaintainedIndex(DeclaredIndex<V, X> declared, FoundCollection found, Codec<K> mapKeys) {
    this.declared = declared;
    this.found = found;
    this.description = declared + " of \"" + mapName(found) + "\"";
    this.codec = IndexKeyCodec.of(declared.codec(), mapKeys, declared.isUnique());
    this.keys = new EntryCodec<>(codec);
    this.mapKeys = new EntryCodec<>(mapKeys);
    this.tree = new Tree(found.address(), false, valueLength(declared));
    this.isFinished = !IndexCatalogue.isUnfinished(found);
  }

  private static String mapName(FoundCollection found) {
    return found.name().substring(0, found.name().lastIndexOf(IndexCatalogue.SEPARATOR));
  }

  public static long create(Words words, long incarnation, DeclaredIndex<?, ?> declared) {
    return Tree.create(words, incarnation, Codec.VARIABLE, valueLength(declared));
  }

  private static int valueLength(DeclaredIndex<?, ?> declared) {
    return declared.isUnique() ? Codec.VARIABLE : 0;
  }

  public DeclaredIndex<V, X> declared() {
    return declared;
  }

  public FoundCollection found() {
    return found;
  }

  public Tree tree() {
    return tree;
  }

  public boolean isFinished() {
    return isFinished;
  }

  public void finished() {
    isFinished = true;
  }

  /** Returns the key of an entry in the index, or null if it has none. Calls the program. */
  byte @Nullable [] key(Words words, IndexedMap map, K key, V value) {
    long changes = words.operations.changes();
    X indexed;
    try {
      indexed = declared.function().apply(value);
    } catch (RuntimeException e) {
      throw words.refuse(e);
    }
    if (words.operations.changes() != changes) {
      throw words.refuse(
          new IllegalStateException(
              "the function of " + description + " has changed the store; it must not use it"));
    }
    if (indexed == null) {
      return null;
    }
    EncodingBuffer out = CollectionScratch.of(words).image;
    out.clear();
    map.encode(
        words,
        keys,
        new Pair<>(indexed, key),
        out,
        "key in " + description,
        EntryLimits.MAX_KEY_BYTES);
    return Arrays.copyOf(out.array(), out.length());
  }

  /** Returns what the entry of a key has as its value in the index. */
  byte[] value(Words words, IndexedMap map, K key) {
    if (!declared.isUnique()) {
      return NONE;
    }
    EncodingBuffer out = CollectionScratch.of(words).image;
    out.clear();
    map.encode(words, mapKeys, key, out, "key", EntryLimits.MAX_KEY_BYTES);
    return Arrays.copyOf(out.array(), out.length());
  }

  private static final byte[] NONE = {};

  /** How many characters of a key a message shows at most. */
  private static final int SHOWN_CHARACTERS = 100;

  /**
   * Returns the key of another entry that has what a value is to have in this index, if one entry
   * at most may have it; else null. Calls the program.
   */
  @Nullable K holder(Words words, IndexedMap map, K key, V value) {
    byte[] position = declared.isUnique() ? key(words, map, key, value) : null;
    if (position == null) {
      return null;
    }
    byte[] own = value(words, map, key);
    Tree.beginKey(words).putBytes(position);
    DecodingBuffer other = tree.get(words, Tree.endKey(words));
    return other == null || Arrays.equals(other.peek(), own) ? null : mapKeys.decode(words, other);
  }

  /** Adds an entry that may be there already. */
  void add(Words words, IndexedMap map, byte[] key, byte[] value) {
    Tree.beginKey(words).putBytes(key);
    int length = Tree.endKey(words);
    if (declared.isUnique()) {
      DecodingBuffer other = tree.get(words, length);
      if (other != null) {
        if (Arrays.equals(other.peek(), value)) {
          return;
        }
        String holder = shown(words, other);
        other.wrap(value, 0, value.length);
        throw words.refuse(
            map.duplicate(
                declared.name(),
                "the entry of "
                    + shown(words, other)
                    + " would have the same key in "
                    + description
                    + " as that of "
                    + holder
                    + "; one entry at most may have it"));
      }
    }
    Tree.beginValue(words).putBytes(value);
    tree.put(words, length);
  }

  /** Returns a key of the map as messages show it. */
  private String shown(Words words, DecodingBuffer key) {
    String text = String.valueOf(mapKeys.decode(words, key));
    return text.length() <= SHOWN_CHARACTERS ? text : text.substring(0, SHOWN_CHARACTERS) + "...";
  }

  /**
   * Removes the entry that a value had.
   *
   * @param value what that has in the index; needed while the index is built
   */
  void remove(Words words, byte[] key, byte @Nullable [] value) {
    if (value != null && declared.isUnique() && !isFinished) {
      // The entry may have expired before the index reached it, and another have its key since.
      Tree.beginKey(words).putBytes(key);
      DecodingBuffer holder = tree.get(words, Tree.endKey(words));
      if (holder != null && !Arrays.equals(holder.peek(), value)) {
        return;
      }
    }
    Tree.beginKey(words).putBytes(key);
    if (!tree.remove(words, Tree.endKey(words)) && isFinished) {
      throw words.refuse(
          new IllegalStateException(
              "the function of "
                  + description
                  + " gives a stored value another key than it gave when the value was put; it must"
                  + " depend on the value alone. Or an early build of Howdah built the index over a"
                  + " map that had entries, and missed some. Drop the index by StoreAdmin.drop(\""
                  + found.name()
                  + "\") and open the map again, which builds it again"));
    }
  }

  /**
   * Returns the bytes with which all keys begin that have this first part.
   *
   * @param indexed a key of the index, or a {@link OrderedCodec.Prefix} of one
   */
  public byte[] prefix(Words words, Object indexed) {
    try {
      return IndexKeyCodec.prefix(codec, indexed);
    } catch (RuntimeException e) {
      throw words.refuse(e);
    }
  }

  /** Returns the bytes of the key of an entry. */
  public byte[] position(Words words, X indexed, K key) {
    EncodingBuffer out = new EncodingBuffer();
    try {
      codec.encode(new Pair<>(indexed, key), out);
    } catch (RuntimeException e) {
      throw words.refuse(e);
    }
    return Arrays.copyOf(out.array(), out.length());
  }

  /** Returns the key in the map of the entry that a cursor has stepped over. */
  public K mapKey(Words words, TreeCursor cursor) {
    return declared.isUnique()
        ? mapKeys.decode(words, cursor.value(words))
        : keys.decode(words, cursor.key(words)).second();
  }

  @Override
  public String toString() {
    return description;
  }
}
