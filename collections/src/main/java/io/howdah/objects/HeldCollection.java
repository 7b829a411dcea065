package io.howdah.objects;

import io.howdah.collections.structure.FoundCollection;
import io.howdah.collections.structure.StoredNumbers;
import io.howdah.core.layout.CollectionHeaderLayout;
import io.howdah.core.layout.ListLayout;
import io.howdah.core.layout.TreeLayout;
import io.howdah.txn.stm.TxContext;

/** What the words of properties with collections lead to, for walks over objects. */
final class HeldCollection {

  private HeldCollection() {}

  /** Returns what the word of a property leads to. */
  static FoundCollection found(TxContext context, ObjectField field, long at) {
    long address = context.getUnchecked(at);
    StoredNumbers.block(
        context, address, CollectionHeaderLayout.HEADER_LENGTH, at, "a collection of an object");
    return new FoundCollection(
        field.name(),
        field.target(),
        address,
        context.getUnchecked(address + CollectionHeaderLayout.MAGIC_OFFSET),
        context.getUnchecked(address + CollectionHeaderLayout.INCARNATION_OFFSET),
        0,
        0);
  }

  /** Returns whether it is a collection that objects may have. */
  static boolean isPossible(FoundCollection found) {
    return found.magic() == TreeLayout.MAGIC || found.magic() == ListLayout.MAGIC;
  }
}
