package io.howdah.collections.catalogue;

import io.howdah.codec.Codec;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.collections.structure.BlockVisitor;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.collections.structure.StoredNumbers;
import io.howdah.collections.structure.Tree;
import io.howdah.collections.structure.TreeCursor;
import io.howdah.core.ReadOnlyStoreException;
import io.howdah.core.layout.CollectionHeaderLayout;
import io.howdah.core.layout.HashTableLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.txn.Tx;
import io.howdah.txn.TxFunction;
import io.howdah.txn.TxOptions;
import io.howdah.txn.words.Transactions;
import io.howdah.txn.words.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The names of a store's collections: a tree in the region, from names to types and addresses. A
 * type says what kind of collection it is and which codecs it has. Finding a name takes time in the
 * order of the logarithm of their number. Thread-safe.
 */
public final class Catalogue {

  private static final int MAX_NAME = 255;

  private final Transactions transactions;

  public Catalogue(Transactions transactions) {
    this.transactions = transactions;
  }

  /** Creates a structure and returns its address. */
  public interface Creator {
    long create(Words words, long incarnation);
  }

  /**
   * Finds what a name stands for, which may be of another type, or creates it. It is durable then:
   * transactions use its address and its secret without reading them (docs/protocol.md, R36).
   */
  public FoundCollection open(String name, String type, Creator creator) {
    requireName(name);
    FoundCollection found =
        transactions
            .<Optional<FoundCollection>, RuntimeException>readDurable(new Find(name))
            .orElse(null);
    if (found == null && transactions.isReadOnly()) {
      throw new ReadOnlyStoreException(
          "there is no \""
              + name
              + "\" in this store, and it is open for reading only, so none is created");
    }
    if (found == null) {
      found =
          transactions.call(
              TxOptions.sync(),
              tx -> {
                Words words = transactions.use(tx, this);
                FoundCollection other = find(words, name);
                return other != null ? other : create(words, name, type, creator);
              });
    }
    return found;
  }

  /** A class, since each opening of a collection needs it: the JVM would make one for a lambda. */
  private final class Find implements TxFunction<Optional<FoundCollection>, RuntimeException> {
    private final String name;

    Find(String name) {
      this.name = name;
    }

    @Override
    public Optional<FoundCollection> call(Tx tx) {
      return Optional.ofNullable(find(transactions.use(tx, Catalogue.this), name));
    }
  }

  /**
   * Requires a length that a name may have.
   *
   * @throws IllegalArgumentException if the name is empty or too long
   */
  public static void requireName(String name) {
    if (name.isEmpty() || name.length() > MAX_NAME) {
      throw new IllegalArgumentException(
          "a name has 1 to " + MAX_NAME + " characters, not " + name.length());
    }
  }

  private static @Nullable Tree tree(Words words) {
    long address = words.getUnchecked(RegionHeaderLayout.CATALOGUE_ADDRESS);
    return address == 0 ? null : new Tree(address, false, Codec.VARIABLE);
  }

  /** Returns what a name stands for, or null. */
  public @Nullable FoundCollection find(Words words, String name) {
    Tree tree = tree(words);
    if (tree == null) {
      return null;
    }
    DecodingBuffer value = tree.get(words, key(words, name));
    return value == null ? null : found(words, name, value);
  }

  private static FoundCollection found(Words words, String name, DecodingBuffer value) {
    String what = "the catalogue's entry of \"" + name + "\"";
    if (value.remaining() < Long.BYTES) {
      throw words.inconsistentRead(-1, what);
    }
    long address =
        StoredNumbers.block(words, value.getLong(), CollectionHeaderLayout.HEADER_LENGTH, -1, what);
    return found(words, name, StoredNumbers.text(words, value, what), address);
  }

  private static FoundCollection found(Words words, String name, String type, long address) {
    long magic = words.getUnchecked(address + CollectionHeaderLayout.MAGIC_OFFSET);
    long hashKey = address + HashTableLayout.HASH_KEY_OFFSET;
    boolean isTable = magic == HashTableLayout.MAGIC;
    return new FoundCollection(
        name,
        type,
        address,
        magic,
        words.getUnchecked(address + CollectionHeaderLayout.INCARNATION_OFFSET),
        isTable ? words.getUnchecked(hashKey) : 0,
        isTable ? words.getUnchecked(hashKey + Long.BYTES) : 0);
  }

  private static int key(Words words, String name) {
    Codec.utf8().encode(name, Tree.beginKey(words));
    return Tree.endKey(words);
  }

  /** Creates a structure with a name that is not in use. */
  public FoundCollection create(Words words, String name, String type, Creator creator) {
    requireName(name);
    Tree tree = tree(words);
    if (tree == null) {
      long address = Tree.create(words, 1, Codec.VARIABLE, Codec.VARIABLE);
      words.putUnchecked(RegionHeaderLayout.CATALOGUE_ADDRESS, address);
      tree = new Tree(address, false, Codec.VARIABLE);
    }
    long incarnation = incarnation(words);
    long address = creator.create(words, incarnation);
    int keyLength = key(words, name);
    EncodingBuffer value = Tree.beginValue(words);
    value.putLong(address);
    Codec.utf8().encode(type, value);
    tree.put(words, keyLength);
    return found(words, name, type, address);
  }

  /** Returns a new incarnation: not 0, and no other has it. */
  public static long incarnation(Words words) {
    return words.randomLong() | 1;
  }

  /** Gives a collection another type, and returns it as it is now. */
  public FoundCollection retype(Words words, FoundCollection collection, String type) {
    Tree tree = tree(words);
    if (tree == null) {
      throw new IllegalStateException("a store with a collection has a catalogue");
    }
    int keyLength = key(words, collection.name());
    EncodingBuffer value = Tree.beginValue(words);
    value.putLong(collection.address());
    Codec.utf8().encode(type, value);
    tree.put(words, keyLength);
    return found(words, collection.name(), type, collection.address());
  }

  /** Returns the collections whose names begin so, in the order of the names. */
  public List<FoundCollection> startingWith(Words words, String prefix) {
    List<FoundCollection> all = new ArrayList<>();
    Tree tree = tree(words);
    if (tree != null) {
      TreeCursor cursor = new TreeCursor(tree);
      cursor.seek(words, key(words, prefix), false);
      while (cursor.next(words)) {
        String name = StoredNumbers.text(words, cursor.key(words), "a name in the catalogue");
        if (!name.startsWith(prefix)) {
          break;
        }
        all.add(found(words, name, cursor.value(words)));
      }
    }
    return all;
  }

  /** Returns what a name stands for in a transaction, or null. */
  public @Nullable FoundCollection find(Tx tx, String name) {
    return find(transactions.use(tx, this), name);
  }

  /** Takes a name out. */
  public void remove(Tx tx, String name) {
    remove(transactions.use(tx, this), name);
  }

  /** Takes a name out. */
  public void remove(Words words, String name) {
    Tree tree = tree(words);
    if (tree != null) {
      tree.remove(words, key(words, name));
    }
  }

  /** Shows the memory of the catalogue itself, and of the shapes of records. */
  public void visitBlocks(Words words, BlockVisitor blocks) {
    for (int address :
        new int[] {RegionHeaderLayout.CATALOGUE_ADDRESS, RegionHeaderLayout.SHAPES_ADDRESS}) {
      long tree = words.getUnchecked(address);
      if (tree != 0) {
        new Tree(tree, false, Codec.VARIABLE).visitBlocks(words, blocks);
      }
    }
  }

  /** Returns all names in their order. */
  public List<FoundCollection> list(Tx tx) {
    Words words = transactions.use(tx, this);
    List<FoundCollection> all = new ArrayList<>();
    Tree tree = tree(words);
    if (tree != null) {
      TreeCursor cursor = new TreeCursor(tree);
      cursor.first(words);
      while (cursor.next(words)) {
        String name = StoredNumbers.text(words, cursor.key(words), "a name in the catalogue");
        all.add(found(words, name, cursor.value(words)));
      }
    }
    return all;
  }

  @Override
  public String toString() {
    return "the catalogue";
  }
}
