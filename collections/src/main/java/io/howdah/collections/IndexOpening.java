package io.howdah.collections;

import io.howdah.codec.Codec;
import io.howdah.codec.Shapes;
import io.howdah.collections.catalogue.Catalogue;
import io.howdah.collections.catalogue.CollectionBlocks;
import io.howdah.collections.index.DeclaredIndex;
import io.howdah.collections.index.IndexCatalogue;
import io.howdah.collections.index.MaintainedIndex;
import io.howdah.collections.journal.JournalNames;
import io.howdah.collections.journal.StoredJournal;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.core.ReadOnlyStoreException;
import io.howdah.core.SchemaChangeException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.words.Transactions;
import io.howdah.txn.words.Words;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds the indexes and the change journal of a map or a sorted map, or makes them. For one opening
 * of the map.
 */
final class IndexOpening<K, V> {

  /** Changes that one transaction removes when a journal is cut down. */
  private static final int CUT_CHANGES = 256;

  private static final String JOURNAL = "the change journal";

  private final Transactions transactions;
  private final Catalogue catalogue;
  private final Codec<K> mapKeys;
  private final List<DeclaredIndex<V, ?>> declared = new ArrayList<>();
  private @Nullable ChangeJournal declaredJournal;

  /** Whether this opening makes the map, so that no other program knows it without them. */
  private boolean isNewMap;

  /** What an opening has found or made. */
  record Opened<K, V>(
      FoundCollection map,
      List<MaintainedIndex<V, ?, K>> indexes,
      @Nullable StoredJournal journal) {}

  IndexOpening(Transactions transactions, Catalogue catalogue, Codec<K> mapKeys) {
    this.transactions = transactions;
    this.catalogue = catalogue;
    this.mapKeys = mapKeys;
  }

  /** Adds a declaration. */
  <X> void declare(String map, Index<V, X> index, DerivedCodecs codecs, Shapes keyShapes) {
    for (DeclaredIndex<V, ?> other : declared) {
      if (other.name().equals(index.name())) {
        throw new IllegalArgumentException(
            "two indexes of \"" + map + "\" have the name \"" + index.name() + "\"");
      }
    }
    declared.add(index.declared(map, codecs, keyShapes));
  }

  /** Adds a declaration. */
  void declare(String map, ChangeJournal journal) {
    if (declaredJournal != null) {
      throw new IllegalArgumentException("\"" + map + "\" is given two change journals");
    }
    declaredJournal = journal;
  }

  /** Returns whether there is a declaration. */
  boolean isDeclared() {
    return !declared.isEmpty() || declaredJournal != null;
  }

  /**
   * Opens the indexes of a map, and creates those that it does not have, unfinished if it has
   * entries. Opens its journal too, or creates it.
   */
  Opened<K, V> open(String map) {
    Optional<Opened<K, V>> found = transactions.readDurable(tx -> open(tx, map, false));
    if (found.isEmpty() && transactions.isReadOnly()) {
      throw new ReadOnlyStoreException(
          "\""
              + map
              + "\" lacks an index or a change journal that the program declares, and the store is"
              + " open for reading only, so none is made");
    }
    if (found.isEmpty() && !isNewMap && lacks(map) && transactions.refusesSchemaChanges()) {
      throw new SchemaChangeException(
          "\""
              + map
              + "\" lacks an index or a change journal that this program declares, and would get it");
    }
    Opened<K, V> opened =
        found.isPresent()
            ? found.get()
            : transactions.call(TxOptions.sync(), tx -> open(tx, map, true)).orElseThrow();
    if (opened.journal != null && !transactions.isReadOnly()) {
      cut(opened.map, opened.journal);
    }
    return opened;
  }

  /** Removes what a journal has too much, in transactions of some changes each. */
  private void cut(FoundCollection map, StoredJournal journal) {
    boolean isTooLong = transactions.read(tx -> isSame(tx, map) && journal.isTooLong(of(tx)));
    while (isTooLong) {
      isTooLong =
          transactions.call(
              TxOptions.async(), tx -> isSame(tx, map) && journal.cut(of(tx), CUT_CHANGES));
    }
  }

  /**
   * Returns whether a map has not all that is declared; the bound of its journal does not count.
   */
  private boolean lacks(String map) {
    return transactions.read(
        tx -> {
          Words words = of(tx);
          int indexes = IndexCatalogue.of(catalogue, words, map).size();
          return indexes < declared.size()
              || (declaredJournal != null && IndexCatalogue.journal(catalogue, words, map) == null);
        });
  }

  /** Returns whether the map still has what it was opened with. */
  private boolean isSame(Tx tx, FoundCollection map) {
    FoundCollection now = catalogue.find(of(tx), map.name());
    return now != null && now.incarnation() == map.incarnation();
  }

  private Words of(Tx tx) {
    return transactions.use(tx, this);
  }

  private Optional<Opened<K, V>> open(Tx tx, String name, boolean mayCreate) {
    Words words = transactions.use(tx, this);
    FoundCollection map = catalogue.find(words, name);
    if (map == null) {
      throw new CollectionMismatchException("\"" + name + "\" was dropped while it was opened");
    }
    Map<String, FoundCollection> stored = new HashMap<>();
    for (FoundCollection index : IndexCatalogue.of(catalogue, words, name)) {
      stored.put(IndexCatalogue.indexName(index), index);
    }
    requireDeclared(name, stored.values());
    List<MaintainedIndex<V, ?, K>> indexes = new ArrayList<>();
    for (DeclaredIndex<V, ?> each : declared) {
      FoundCollection index = stored.get(each.name());
      if (index == null && !mayCreate) {
        return Optional.empty();
      }
      indexes.add(
          maintained(each, index == null ? create(words, map, each) : requireType(index, each)));
    }
    FoundCollection journal = IndexCatalogue.journal(catalogue, words, name);
    boolean hasNoJournal = journal == null && declaredJournal != null;
    if (hasNoJournal && !mayCreate) {
      return Optional.empty();
    }
    if (hasNoJournal) {
      journal = createJournal(words, name);
    }
    if (indexes.size() > stored.size() || hasNoJournal) {
      map = IndexCatalogue.changed(catalogue, words, map, !indexes.isEmpty(), journal != null);
    }
    if (journal == null) {
      return Optional.of(new Opened<>(map, indexes, null));
    }
    StoredJournal opened = new StoredJournal(journal);
    if (declaredJournal != null && !isAsDeclared(words, opened, declaredJournal)) {
      if (mayCreate) {
        opened.kept(words, declaredJournal.changes());
        opened.hold(words, declaredJournal.heldNanos());
      } else if (!transactions.isReadOnly()) {
        return Optional.empty();
      }
    }
    return Optional.of(new Opened<>(map, indexes, opened));
  }

  private static boolean isAsDeclared(Words words, StoredJournal journal, ChangeJournal declared) {
    return journal.kept(words) == declared.changes()
        && journal.heldNanos(words) == declared.heldNanos();
  }

  private <X> MaintainedIndex<V, X, K> maintained(
      DeclaredIndex<V, X> index, FoundCollection found) {
    return new MaintainedIndex<>(index, found, mapKeys);
  }

  /**
   * Refuses a map if its indexes and its journal need names that they cannot have. To be called in
   * the transaction that makes the map, which then makes nothing.
   */
  void requireNames(Words words, String map) {
    isNewMap = true;
    for (DeclaredIndex<V, ?> each : declared) {
      requireFree(words, map, "an index", IndexCatalogue.name(map, each.name()));
    }
    if (declaredJournal != null) {
      String name = map + JournalNames.SUFFIX;
      requireFree(words, map, JOURNAL, name);
      for (DeclaredIndex<V, ?> each : declared) {
        if (IndexCatalogue.name(map, each.name()).equals(name)) {
          throw taken(map, JOURNAL, name, each.type(mapKeys.name()));
        }
      }
    }
  }

  private void requireFree(Words words, String map, String what, String name) {
    Catalogue.requireName(name);
    FoundCollection other = catalogue.find(words, name);
    if (other != null) {
      throw taken(map, what, name, other.type());
    }
  }

  private static CollectionMismatchException taken(
      String map, String what, String name, String type) {
    return new CollectionMismatchException(
        what
            + " of \""
            + map
            + "\" needs the name \""
            + name
            + "\", which is that of "
            + IndexCatalogue.withArticle(type));
  }

  private FoundCollection createJournal(Words words, String map) {
    String name = map + JournalNames.SUFFIX;
    requireFree(words, map, JOURNAL, name);
    return catalogue.create(words, name, JournalNames.TYPE, StoredJournal::create);
  }

  private void requireDeclared(String map, Collection<FoundCollection> stored) {
    for (FoundCollection index : stored) {
      String name = IndexCatalogue.indexName(index);
      if (declared.stream().noneMatch(each -> each.name().equals(name))) {
        throw new CollectionMismatchException(
            "\""
                + map
                + "\" has the index \""
                + name
                + "\", which the program does not declare, so its changes would not reach it;"
                + " declare it where the map is opened, or drop it by StoreAdmin.drop(\""
                + index.name()
                + "\")");
      }
    }
  }

  private FoundCollection create(Words words, FoundCollection map, DeclaredIndex<V, ?> each) {
    String name = IndexCatalogue.name(map.name(), each.name());
    requireFree(words, map.name(), "an index", name);
    String type = each.type(mapKeys.name());
    boolean isEmpty = CollectionBlocks.entries(words, map) == 0;
    return catalogue.create(
        words,
        name,
        isEmpty ? type : IndexCatalogue.unfinished(type),
        (own, incarnation) -> MaintainedIndex.create(own, incarnation, each));
  }

  private FoundCollection requireType(FoundCollection index, DeclaredIndex<V, ?> each) {
    if (!IndexCatalogue.finishedType(index).equals(each.type(mapKeys.name()))) {
      throw new CollectionMismatchException(
          "\""
              + index.name()
              + "\" is "
              + IndexCatalogue.withArticle(index.type())
              + " in this store, and is declared as "
              + IndexCatalogue.withArticle(each.type(mapKeys.name()))
              + "; declare it as it is, or drop it by StoreAdmin.drop, to have it built again");
    }
    return index;
  }

  @Override
  public String toString() {
    return "the indexes and the journal";
  }
}
