package io.howdah.collections;

import io.howdah.codec.CodecException;
import io.howdah.collections.catalogue.Catalogue;
import io.howdah.collections.catalogue.CollectionBlocks;
import io.howdah.collections.catalogue.StoredShapes;
import io.howdah.collections.index.IndexCatalogue;
import io.howdah.collections.journal.JournalNames;
import io.howdah.collections.journal.StoredJournal;
import io.howdah.collections.structure.CollectionHeader;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.collections.structure.HashTable;
import io.howdah.collections.structure.TableBound;
import io.howdah.collections.structure.Tree;
import io.howdah.collections.structure.TreeCursor;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.BlobLayout;
import io.howdah.core.layout.CounterLayout;
import io.howdah.core.layout.HashTableLayout;
import io.howdah.core.layout.ListLayout;
import io.howdah.core.layout.QueueLayout;
import io.howdah.core.layout.TreeLayout;
import io.howdah.txn.Tx;
import io.howdah.txn.words.Transactions;
import io.howdah.txn.words.Words;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * The named structures of a store as the bytes that their codecs have made, for exports and
 * imports: no codec is needed, and indexes, journals and expiry times are copied like all else.
 * Stores use it; programs use {@code Store}. Thread-safe.
 */
public final class RawCollections {

  private static final int BLOB_PART_BYTES = 1 << 16;
  private static final byte[] NONE = {};
  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  private final Transactions transactions;
  private final Catalogue catalogue;
  private final StoredShapes shapes;

  RawCollections(Transactions transactions, Catalogue catalogue, StoredShapes shapes) {
    this.transactions = transactions;
    this.catalogue = catalogue;
    this.shapes = shapes;
  }

  /** How a structure keeps its items; the type in the catalogue says it. */
  public enum Kind {
    /** Keys and values in a hash table. */
    TABLE(HashTableLayout.MAGIC, true),
    /** Keys and values in a tree. */
    TREE(TreeLayout.MAGIC, true),
    /** Elements in their order. */
    LIST(ListLayout.MAGIC, false),
    /** Elements in their order. */
    QUEUE(QueueLayout.MAGIC, false),
    /** One item, of 8 bytes. */
    COUNTER(CounterLayout.MAGIC, false),
    /** Bytes in any number of items. */
    BLOB(BlobLayout.MAGIC, false);

    private static final List<String> PREFIXES =
        List.of("indexed ", "journaled ", "cached ", "expiring ");

    private final long magic;
    private final boolean hasKeys;

    Kind(long magic, boolean hasKeys) {
      this.magic = magic;
      this.hasKeys = hasKeys;
    }

    /** Returns whether an item has a key. */
    public boolean hasKeys() {
      return hasKeys;
    }

    /** Returns the kind of a type in the catalogue, or null if there is no such type. */
    public static @Nullable Kind of(String type) {
      String plain = type;
      for (String prefix : PREFIXES) {
        plain = plain.startsWith(prefix) ? plain.substring(prefix.length()) : plain;
      }
      boolean isTable = isOf(plain, PersistentMap.KIND) || isOf(plain, PersistentSet.KIND);
      boolean isTree =
          isOf(plain, PersistentSortedMap.KIND)
              || isOf(plain, PersistentMultimap.KIND)
              || IndexCatalogue.isIndex(plain)
              || plain.equals(JournalNames.TYPE);
      if (isTable || isTree) {
        return isTable ? TABLE : TREE;
      }
      if (isOf(plain, PersistentList.KIND) || isOf(plain, PersistentQueue.KIND)) {
        return isOf(plain, PersistentList.KIND) ? LIST : QUEUE;
      }
      return switch (plain) {
        case PersistentCounter.KIND -> COUNTER;
        case PersistentBlob.KIND -> BLOB;
        default -> null;
      };
    }

    private static boolean isOf(String type, String kind) {
      return type.startsWith(kind + " of ");
    }
  }

  /**
   * A structure without its items.
   *
   * @param keyLength of all keys in bytes, or -1 if they differ
   * @param valueLength of all values or elements, or -1 if they differ
   * @param newest of a change journal, the number of the newest change; of a cache, what its
   *     entries may weigh; else 0
   * @param kept of a change journal, how many changes it keeps; of a cache, how many entries it may
   *     have; else 0
   * @param heldNanos of a change journal, for how long it holds writers; else 0
   * @param released of a change journal, the number of the last change that was released; else 0
   */
  public record Described(
      String name,
      String type,
      int keyLength,
      int valueLength,
      long newest,
      long kept,
      long heldNanos,
      long released) {}

  /** Sees the items of a structure. */
  @FunctionalInterface
  public interface Visitor {
    /** Sees one; the arrays are its own. */
    void item(byte[] key, byte[] value);
  }

  /** An item; the key is empty if the structure has none. */
  @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
  public record Item(byte[] key, byte[] value) {}

  private Words words(Tx tx) {
    return transactions.use(tx, this);
  }

  // ---- Reading.

  /** Returns the texts of all shapes, by name. */
  public SortedMap<String, String> shapes(Tx tx) {
    return StoredShapes.texts(words(tx));
  }

  /**
   * Returns all structures, in the order of their names' bytes.
   *
   * @throws CorruptStoreException if what the catalogue names is of another kind
   */
  public List<Described> list(Tx tx) {
    return catalogue.list(tx).stream().map(found -> describe(words(tx), found)).toList();
  }

  private static Described describe(Words words, FoundCollection found) {
    Kind kind = Kind.of(found.type());
    if (found.magic() == HashTableLayout.FORMER_MAGIC) {
      throw words.refuse(PersistentCollections.formerHash(found));
    }
    if (kind == null || kind.magic != found.magic()) {
      throw words.refuse(
          new CorruptStoreException(
              "region",
              found.address(),
              "the name \"%s\" stands for %s, but there is none at its address"
                  .formatted(found.name(), found.type())));
    }
    boolean isJournal = JournalNames.isJournal(found);
    StoredJournal journal = isJournal ? new StoredJournal(found) : null;
    TableBound bound = HashTable.of(found, RawCodec.VARIABLE, RawCodec.VARIABLE).bound();
    return new Described(
        found.name(),
        found.type(),
        kind.hasKeys ? CollectionHeader.keyLength(words, found.address()) : 0,
        kind == Kind.COUNTER || kind == Kind.BLOB
            ? RawCodec.VARIABLE
            : CollectionHeader.valueLength(words, found.address()),
        journal != null ? journal.newest(words) : bound != null ? bound.maxBytes(words) : 0,
        journal != null ? journal.kept(words) : bound != null ? bound.maxEntries(words) : 0,
        journal != null ? journal.heldNanos(words) : 0,
        journal != null ? journal.released(words) : 0);
  }

  /** Returns whether the store has a structure of a name. */
  public boolean contains(Tx tx, String name) {
    return catalogue.find(tx, name) != null;
  }

  /** Counts the items of a structure as the store does; a blob and a counter have one. */
  public long count(Tx tx, String name) {
    FoundCollection found = find(tx, name);
    return switch (kind(found)) {
      case COUNTER, BLOB -> 1;
      default -> CollectionBlocks.entries(words(tx), found);
    };
  }

  /** Shows all items of a structure, in the order in which they are appended to another store. */
  public void visit(Tx tx, String name, Visitor visitor) {
    FoundCollection found = find(tx, name);
    switch (kind(found)) {
      case TABLE -> {
        Iterator<Map.Entry<byte[], byte[]>> entries = table(tx, found).iterator(tx);
        entries.forEachRemaining(entry -> visitor.item(entry.getKey(), entry.getValue()));
      }
      case TREE -> visitTree(words(tx), found, visitor);
      case LIST ->
          list(tx, found).iterator(tx).forEachRemaining(value -> visitor.item(NONE, value));
      case QUEUE ->
          queue(tx, found).stream(tx)
              .iterator()
              .forEachRemaining(value -> visitor.item(NONE, value));
      case COUNTER -> {
        byte[] number = new byte[Long.BYTES];
        WORD.set(number, 0, new PersistentCounter(transactions, found).get(tx));
        visitor.item(NONE, number);
      }
      case BLOB -> {
        PersistentBlob blob = new PersistentBlob(transactions, found);
        long length = blob.length(tx);
        for (long at = 0; at < length; at += BLOB_PART_BYTES) {
          visitor.item(NONE, blob.read(tx, at, (int) Math.min(BLOB_PART_BYTES, length - at)));
        }
      }
    }
  }

  /** An index that is being built is built anew in another store, where positions differ. */
  private static void visitTree(Words words, FoundCollection found, Visitor visitor) {
    if (IndexCatalogue.isUnfinished(found)) {
      return;
    }
    TreeCursor cursor = new TreeCursor(Tree.of(words, found.address()));
    cursor.first(words);
    while (cursor.next(words)) {
      byte[] key = cursor.key(words).peek();
      visitor.item(key, cursor.value(words).peek());
    }
  }

  // ---- Writing.

  /**
   * Adds a shape, in a durable transaction of its own.
   *
   * @throws CodecException if the store has another shape of that name, neither of which begins
   *     with the other: then the same bytes would stand for different values
   */
  public void addShape(String name, String text) {
    Object _ = shapes.open(name, List.of(), stored -> longer(name, stored, text));
  }

  /** Returns why {@link #addShape} would refuse a shape, or empty. */
  public Optional<String> shapeProblem(Tx tx, String name, String text) {
    String stored = StoredShapes.texts(words(tx)).get(name);
    return stored == null || isPart(stored, text) || isPart(text, stored)
        ? Optional.empty()
        : Optional.of("the store has another type \"" + name + "\"");
  }

  private static String longer(String name, @Nullable String stored, String text) {
    if (stored == null || isPart(stored, text)) {
      return text;
    }
    if (isPart(text, stored)) {
      return stored;
    }
    throw new CodecException("the store has another type \"" + name + "\"");
  }

  /** Texts only grow by whole lines. */
  private static boolean isPart(String part, String text) {
    return text.equals(part) || text.startsWith(part + '\n');
  }

  /** Creates a structure without items, of a name that is not in use. */
  public void create(Tx tx, Described described) {
    Words words = words(tx);
    Kind kind = requireKind(described.type());
    FoundCollection found =
        catalogue.create(
            words,
            described.name(),
            described.type(),
            (_, incarnation) ->
                switch (kind) {
                  case TABLE -> createTable(words, incarnation, described);
                  case TREE ->
                      Tree.create(
                          words, incarnation, described.keyLength(), described.valueLength());
                  case LIST -> PersistentList.create(words, incarnation, described.valueLength());
                  case QUEUE -> PersistentQueue.create(words, incarnation, described.valueLength());
                  case COUNTER -> PersistentCounter.create(words, incarnation);
                  case BLOB -> PersistentBlob.create(words, incarnation);
                });
    if (JournalNames.isJournal(found)) {
      new StoredJournal(found)
          .begin(
              words,
              described.newest(),
              described.kept(),
              described.heldNanos(),
              described.released());
    }
  }

  private static long createTable(Words words, long incarnation, Described described) {
    return TableBound.isBounded(described.type())
        ? HashTable.createBounded(
            words,
            incarnation,
            described.keyLength(),
            described.valueLength(),
            described.newest(),
            described.kept())
        : HashTable.create(words, incarnation, described.keyLength(), described.valueLength());
  }

  /** Appends items to a structure, which is then no longer as it was described. */
  public void append(Tx tx, String name, List<Item> items) {
    FoundCollection found = find(tx, name);
    switch (kind(found)) {
      case TABLE -> {
        PersistentMap<byte[], byte[]> table = table(tx, found);
        items.forEach(item -> table.put(tx, item.key(), item.value()));
      }
      case TREE -> {
        Words words = words(tx);
        Tree tree = Tree.of(words, found.address());
        items.forEach(item -> put(words, tree, item));
      }
      case LIST -> {
        PersistentList<byte[]> list = list(tx, found);
        items.forEach(item -> list.add(tx, item.value()));
      }
      case QUEUE -> {
        PersistentQueue<byte[]> queue = queue(tx, found);
        items.forEach(item -> queue.add(tx, item.value()));
      }
      case COUNTER -> {
        PersistentCounter counter = new PersistentCounter(transactions, found);
        items.forEach(item -> counter.add(tx, (long) WORD.get(item.value(), 0)));
      }
      case BLOB -> {
        PersistentBlob blob = new PersistentBlob(transactions, found);
        items.forEach(item -> blob.append(tx, item.value()));
      }
    }
  }

  private static void put(Words words, Tree tree, Item item) {
    Tree.beginKey(words).putBytes(item.key());
    int keyLength = Tree.endKey(words);
    Tree.beginValue(words).putBytes(item.value());
    boolean _ = tree.put(words, keyLength);
  }

  private FoundCollection find(Tx tx, String name) {
    FoundCollection found = catalogue.find(tx, name);
    if (found == null) {
      throw words(tx)
          .refuse(new CollectionMismatchException("there is no \"" + name + "\" in this store"));
    }
    return found;
  }

  private static Kind kind(FoundCollection found) {
    return requireKind(found.type());
  }

  private static Kind requireKind(String type) {
    Kind kind = Kind.of(type);
    if (kind == null) {
      throw new IllegalArgumentException("there is no type of structures \"" + type + "\"");
    }
    return kind;
  }

  private PersistentMap<byte[], byte[]> table(Tx tx, FoundCollection found) {
    Words words = words(tx);
    RawCodec keys = new RawCodec(CollectionHeader.keyLength(words, found.address()));
    return new PersistentMap<>(
        transactions, found, keys, values(tx, found), EntryChanges.none(), null);
  }

  private PersistentList<byte[]> list(Tx tx, FoundCollection found) {
    return new PersistentList<>(transactions, found, values(tx, found), null);
  }

  private PersistentQueue<byte[]> queue(Tx tx, FoundCollection found) {
    return new PersistentQueue<>(transactions, found, values(tx, found), null);
  }

  private RawCodec values(Tx tx, FoundCollection found) {
    return new RawCodec(CollectionHeader.valueLength(words(tx), found.address()));
  }
}
