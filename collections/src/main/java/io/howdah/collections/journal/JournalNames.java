package io.howdah.collections.journal;

import io.howdah.collections.structure.FoundCollection;

/**
 * Change journals in the catalogue: a journal has the name of its map and a suffix. A map that has
 * one is of another type, so a program that does not know of journals, as one of a former build,
 * does not open it.
 */
public final class JournalNames {

  /** Behind the name of a map: that of its journal. */
  public static final String SUFFIX = "/changes";

  /** The type of every journal. */
  public static final String TYPE = "change journal";

  private static final String JOURNALED = "journaled ";

  private JournalNames() {}

  /** Returns the type of a map that has a journal. */
  public static String journaled(String mapType) {
    return JOURNALED + mapType;
  }

  /** Returns whether a map of a type has a journal. */
  public static boolean isJournaled(String mapType) {
    return mapType.startsWith(JOURNALED);
  }

  /** Returns the type that a map would have without a journal. */
  public static String plain(String mapType) {
    return isJournaled(mapType) ? mapType.substring(JOURNALED.length()) : mapType;
  }

  /** Returns whether a collection is a journal. */
  public static boolean isJournal(FoundCollection found) {
    return found.type().equals(TYPE);
  }
}
