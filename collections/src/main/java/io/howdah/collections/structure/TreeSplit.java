package io.howdah.collections.structure;

/** The node that a split has added, for the level above, and the key that separates it. */
final class TreeSplit {

  /** The key's word. */
  long word;

  /** The address of the whole key, or 0 if its word has all of it. */
  long longKey;

  /** The address of the node, or 0 if no node was split. */
  long node;
}
