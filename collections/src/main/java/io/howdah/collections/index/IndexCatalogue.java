package io.howdah.collections.index;

import io.howdah.collections.catalogue.Catalogue;
import io.howdah.collections.journal.JournalNames;
import io.howdah.collections.structure.CollectionHeader;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.txn.words.Words;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The indexes of maps in the catalogue: an index has the name of its map, a separator, and its own
 * name. A map that has an index is of another type, so a program that does not know of indexes, as
 * one of a former build, does not open it. The same is true of a change journal; {@link
 * JournalNames} has its names.
 *
 * <p>Each change of the indexes of a map, or of whether it has a journal, gives the map another
 * incarnation, in the same transaction. A handle knows both as of one incarnation, and every
 * operation reads the incarnation. So no transaction changes the map without what the map has.
 */
public final class IndexCatalogue {

  /** Between the name of a map and that of its index, which does not contain it. */
  public static final char SEPARATOR = '/';

  private static final String INDEXED = "indexed ";
  private static final String UNFINISHED = "unfinished ";
  private static final String INDEX = "index of ";
  private static final String UNIQUE = "unique ";

  private IndexCatalogue() {}

  /** Returns the name of an index in the catalogue. */
  public static String name(String map, String index) {
    return map + SEPARATOR + index;
  }

  /** Returns an index's own name. */
  public static String indexName(FoundCollection index) {
    return index.name().substring(index.name().lastIndexOf(SEPARATOR) + 1);
  }

  /** Returns the type of a map that has indexes. */
  static String indexed(String mapType) {
    return INDEXED + mapType;
  }

  /** Returns the type of an index that is whole. */
  public static String type(boolean isUnique, String indexKeys, String mapKeys) {
    return (isUnique ? UNIQUE : "") + INDEX + indexKeys + " over " + mapKeys;
  }

  /** Returns the type of an index that is being built. */
  public static String unfinished(String type) {
    return UNFINISHED + type;
  }

  public static boolean isUnfinished(FoundCollection index) {
    return index.type().startsWith(UNFINISHED);
  }

  public static String finishedType(FoundCollection index) {
    return isUnfinished(index) ? index.type().substring(UNFINISHED.length()) : index.type();
  }

  public static boolean isIndex(FoundCollection found) {
    return isIndex(found.type());
  }

  /** Returns whether a type is that of an index. */
  public static boolean isIndex(String type) {
    String finished = type.startsWith(UNFINISHED) ? type.substring(UNFINISHED.length()) : type;
    return finished.startsWith(INDEX) || finished.startsWith(UNIQUE + INDEX);
  }

  /** Returns what a type is called in a sentence: "a map of ...", "an index of ...". */
  public static String withArticle(String type) {
    return ("eiou".indexOf(type.charAt(0)) < 0 || type.startsWith(UNIQUE) ? "a " : "an ") + type;
  }

  /** Returns the indexes of a map. */
  public static List<FoundCollection> of(Catalogue catalogue, Words words, String map) {
    String prefix = map + SEPARATOR;
    List<FoundCollection> indexes = new ArrayList<>();
    for (FoundCollection found : catalogue.startingWith(words, prefix)) {
      if (isIndex(found) && found.name().lastIndexOf(SEPARATOR) == map.length()) {
        indexes.add(found);
      }
    }
    return indexes;
  }

  /** Returns the journal of a map, or null. */
  public static @Nullable FoundCollection journal(Catalogue catalogue, Words words, String map) {
    FoundCollection found = catalogue.find(words, map + JournalNames.SUFFIX);
    return found != null && JournalNames.isJournal(found) ? found : null;
  }

  /** Returns whether a map of a type has indexes. */
  static boolean isIndexed(String mapType) {
    return mapType.startsWith(INDEXED);
  }

  /** Returns whether a map of a type has a journal. */
  static boolean isJournaled(String mapType) {
    return JournalNames.isJournaled(withoutIndexes(mapType));
  }

  /** Returns the type that a map would have without indexes and without a journal. */
  public static String plain(String mapType) {
    return JournalNames.plain(withoutIndexes(mapType));
  }

  private static String withoutIndexes(String mapType) {
    return isIndexed(mapType) ? mapType.substring(INDEXED.length()) : mapType;
  }

  /**
   * Gives a map another incarnation, since what it has has changed, and the type for what it has.
   */
  public static FoundCollection changed(
      Catalogue catalogue,
      Words words,
      FoundCollection map,
      boolean hasIndexes,
      boolean hasJournal) {
    CollectionHeader.setIncarnation(words, map.address(), Catalogue.incarnation(words));
    String plain = plain(map.type());
    String journaled = hasJournal ? JournalNames.journaled(plain) : plain;
    return catalogue.retype(words, map, hasIndexes ? indexed(journaled) : journaled);
  }

  /** Lets the map of an index or a journal that was dropped know. */
  public static void dropped(Catalogue catalogue, Words words, FoundCollection attached) {
    String name = attached.name().substring(0, attached.name().lastIndexOf(SEPARATOR));
    FoundCollection map = catalogue.find(words, name);
    if (map != null && !map.type().equals(plain(map.type()))) {
      changed(
          catalogue,
          words,
          map,
          !of(catalogue, words, name).isEmpty(),
          journal(catalogue, words, name) != null);
    }
  }
}
