package io.howdah.collections.structure;

/** Takes the memory that a structure consists of. */
public interface BlockVisitor {

  /** A block. */
  void block(long address);

  /** A node of a tree. */
  void node(long reference);
}
