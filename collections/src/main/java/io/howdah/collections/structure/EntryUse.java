package io.howdah.collections.structure;

/** The purpose of a search for an entry of a hash table, which determines the part to load. */
enum EntryUse {
  /** To know whether the key is there. */
  KEY,

  /** For its value: the whole entry is read together. */
  VALUE,

  /** To get another value, so that its memory and its orecs will be needed. */
  REPLACEMENT
}
