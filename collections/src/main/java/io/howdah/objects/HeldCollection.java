package io.howdah.objects;

import io.howdah.collections.structure.FoundCollection;
import io.howdah.collections.structure.StoredNumbers;
import io.howdah.core.layout.CollectionHeaderLayout;
import io.howdah.core.layout.ListLayout;
import io.howdah.core.layout.TreeLayout;
import io.howdah.txn.words.Words;

/** What the words of properties with collections lead to, for walks over objects. */
final class HeldCollection {

  private HeldCollection() {}

  /** Returns what the word of a property leads to. */
  static FoundCollection found(Words words, ObjectField field, long at) {
    long address = words.getUnchecked(at);
    StoredNumbers.block(
        words, address, CollectionHeaderLayout.HEADER_LENGTH, at, "a collection of an object");
    return new FoundCollection(
        field.name(),
        field.target(),
        address,
        words.getUnchecked(address + CollectionHeaderLayout.MAGIC_OFFSET),
        words.getUnchecked(address + CollectionHeaderLayout.INCARNATION_OFFSET),
        0,
        0);
  }

  /** Returns whether it is a collection that objects may have. */
  static boolean isPossible(FoundCollection found) {
    return found.magic() == TreeLayout.MAGIC || found.magic() == ListLayout.MAGIC;
  }
}
