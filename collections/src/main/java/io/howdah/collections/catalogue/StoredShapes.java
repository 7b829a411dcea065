package io.howdah.collections.catalogue;

import io.howdah.codec.Codec;
import io.howdah.codec.Shapes;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.collections.structure.StoredNumbers;
import io.howdah.collections.structure.Tree;
import io.howdah.collections.structure.TreeCursor;
import io.howdah.core.SchemaChangeException;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.layout.ShapeTextLayout;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.words.Transactions;
import io.howdah.txn.words.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The shapes of a store's records, enums and sealed interfaces: a tree in the region, from names to
 * the texts of {@link io.howdah.core.layout.ShapeTextLayout}.
 *
 * <p>A text changes in a durable transaction of its own, whatever the store's default, and one that
 * is found is durable before it is used. Only then does a codec exist that writes by it. So a
 * recovered store has the shape of every value in it (docs/protocol.md, R36).
 */
public final class StoredShapes implements Shapes {

  private static final String SHAPE = "what describes the shapes of a record";

  private final Transactions transactions;
  private final boolean isForKeys;

  /** The newest texts that were opened, for codecs that meet a shape they do not know. */
  private final ConcurrentHashMap<String, String> texts;

  /** Works on the shapes of a store. */
  public StoredShapes(Transactions transactions) {
    this(transactions, false, new ConcurrentHashMap<>());
  }

  private StoredShapes(
      Transactions transactions, boolean isForKeys, ConcurrentHashMap<String, String> texts) {
    this.transactions = transactions;
    this.isForKeys = isForKeys;
    this.texts = texts;
  }

  /** Returns the same shapes, for the codecs of keys and elements of sets. */
  public StoredShapes forKeys() {
    return new StoredShapes(transactions, true, texts);
  }

  @Override
  public boolean isForKeys() {
    return isForKeys;
  }

  @Override
  public @Nullable String text(String name) {
    return texts.get(name);
  }

  @Override
  public Entry open(String name, List<String> formerNames, UnaryOperator<@Nullable String> update) {
    Entry found =
        transactions
            .readDurable(tx -> Optional.ofNullable(find(words(tx), name, formerNames)))
            .orElse(null);
    String text = update(update, found);
    if (found == null || !text.equals(found.text())) {
      if (found != null && transactions.refusesSchemaChanges() && !transactions.isReadOnly()) {
        throw new SchemaChangeException(
            "type "
                + found.name()
                + " is \""
                + forPeople(found.text())
                + "\" in this store, and this program would make it \""
                + forPeople(text)
                + '"');
      }
      found =
          transactions.isReadOnly()
              ? readOnly(name, found, text)
              : change(name, formerNames, update);
    }
    Entry entry = found;
    // Texts only grow, and another thread may have stored a longer one since.
    texts.merge(entry.name(), entry.text(), (a, b) -> a.length() >= b.length() ? a : b);
    return entry;
  }

  private static String update(UnaryOperator<@Nullable String> update, @Nullable Entry found) {
    String text = update.apply(found == null ? null : found.text());
    if (text == null) {
      throw new IllegalStateException("a type has no text");
    }
    return text;
  }

  /** A type that the store does not have yet has no values in it, which are what is read. */
  private static Entry readOnly(String name, @Nullable Entry found, String text) {
    return found == null ? new Entry(name, text) : found;
  }

  private Entry change(
      String name, List<String> formerNames, UnaryOperator<@Nullable String> update) {
    return transactions.call(
        TxOptions.sync(),
        tx -> {
          Words words = words(tx);
          Entry before = find(words, name, formerNames);
          Entry now = new Entry(before == null ? name : before.name(), update(update, before));
          Tree tree = tree(words);
          if (tree == null) {
            long address = Tree.create(words, 1, Codec.VARIABLE, Codec.VARIABLE);
            words.putUnchecked(RegionHeaderLayout.SHAPES_ADDRESS, address);
            tree = new Tree(address, false, Codec.VARIABLE);
          }
          int keyLength = key(words, now.name());
          Codec.utf8().encode(now.text(), Tree.beginValue(words));
          tree.put(words, keyLength);
          return now;
        });
  }

  private Words words(Tx tx) {
    return transactions.use(tx, this);
  }

  private static @Nullable Tree tree(Words words) {
    long address = words.getUnchecked(RegionHeaderLayout.SHAPES_ADDRESS);
    return address == 0 ? null : new Tree(address, false, Codec.VARIABLE);
  }

  private static @Nullable Entry find(Words words, String name, List<String> formerNames) {
    Tree tree = tree(words);
    if (tree == null) {
      return null;
    }
    Entry found = find(words, tree, name);
    for (String former : formerNames) {
      found = found != null ? found : find(words, tree, former);
    }
    return found;
  }

  private static @Nullable Entry find(Words words, Tree tree, String name) {
    DecodingBuffer value = tree.get(words, key(words, name));
    return value == null ? null : new Entry(name, StoredNumbers.text(words, value, SHAPE));
  }

  private static int key(Words words, String name) {
    Codec.utf8().encode(name, Tree.beginKey(words));
    return Tree.endKey(words);
  }

  /** Returns what all records, enums and sealed interfaces consist of, for people, by name. */
  public static SortedMap<String, String> describe(Words words) {
    SortedMap<String, String> all = texts(words);
    all.replaceAll((_, text) -> forPeople(text));
    return all;
  }

  /** Returns the texts of all, by name. */
  public static SortedMap<String, String> texts(Words words) {
    SortedMap<String, String> all = new TreeMap<>();
    Tree tree = tree(words);
    if (tree != null) {
      TreeCursor cursor = new TreeCursor(tree);
      cursor.first(words);
      while (cursor.next(words)) {
        String name = StoredNumbers.text(words, cursor.key(words), SHAPE);
        all.put(name, StoredNumbers.text(words, cursor.value(words), SHAPE));
      }
    }
    return all;
  }

  static String forPeople(String text) {
    List<String> lines = text.lines().toList();
    String column = String.valueOf(ShapeTextLayout.COLUMN_SEPARATOR);
    if (!lines.getFirst().equals(ShapeTextLayout.RECORD)) {
      return lines.getFirst() + ": " + String.join(", ", lines.subList(1, lines.size()));
    }
    int shapes = -1; // the first line is the kind
    List<String> newest = new ArrayList<>();
    for (String line : lines) {
      String[] columns = line.split(column, -1);
      if (columns.length > ShapeTextLayout.COMPONENT_CODEC_COLUMN) {
        newest.add(
            columns[ShapeTextLayout.COMPONENT_NAME_COLUMN]
                + " "
                + columns[ShapeTextLayout.COMPONENT_CODEC_COLUMN]);
      } else {
        shapes++;
        newest.clear();
      }
    }
    return "record, shape " + shapes + ": " + String.join(", ", newest);
  }

  @Override
  public String toString() {
    return "the shapes";
  }
}
