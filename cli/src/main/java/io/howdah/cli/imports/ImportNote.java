package io.howdah.cli.imports;

import io.howdah.codec.PersistentName;

/**
 * How far a map of another store has been copied. It changes in the same transactions as the map,
 * so it is right after a kill at any moment.
 *
 * @param source what the map comes from
 * @param entries how many of its entries are in the store
 * @param sum their {@linkplain EntrySum sum}
 * @param isVerified whether that were all, and the copy was compared with them
 */
@PersistentName("howdah.import.note")
record ImportNote(String source, long entries, long sum, boolean isVerified) {

  /** Of a map that no import has made. */
  static final ImportNote NONE = new ImportNote("", 0, 0, false);

  ImportNote with(long entries, long sum, boolean isVerified) {
    return new ImportNote(source, entries, sum, isVerified);
  }
}
