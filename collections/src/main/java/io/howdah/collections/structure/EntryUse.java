package io.howdah.collections.structure;

/** What an entry of a hash table is looked up for, which decides what is loaded of it. */
enum EntryUse {
  /** To know whether the key is there. */
  KEY,

  /** For its value, so that all of it is read at once. */
  VALUE,

  /** To get another value, so that its memory and its orecs will be needed. */
  REPLACEMENT
}
