package io.howdah.objects;

import io.howdah.core.InvalidAddressException;
import io.howdah.core.layout.ObjectHeaderLayout;
import io.howdah.core.layout.OwnerLayout;
import io.howdah.core.layout.ReferenceLayout;
import io.howdah.txn.Tx;
import io.howdah.txn.words.Words;

/**
 * Keeps the invariants of ADR 53: the word of an owned property and the owner block of the object
 * in it name each other, no object has two, and following owners ends. Each change is one operation
 * of a transaction.
 */
final class Ownership {

  private Ownership() {}

  /** Returns the address of an object's owner block; 0 if nobody owns it. */
  private static long ownerBlock(Words words, long address) {
    long first = words.getUnchecked(address + ObjectHeaderLayout.EXTENSION_OFFSET);
    return first != 0 && words.getUnchecked(first + OwnerLayout.MARK_OFFSET) == OwnerLayout.MARK
        ? first
        : 0;
  }

  static boolean isOwned(Words words, long reference) {
    return ownerBlock(words, ObjectLayout.address(reference)) != 0;
  }

  /** Returns the reference of an object's owner; 0 if nobody owns it. */
  private static long owner(Words words, long address) {
    long block = ownerBlock(words, address);
    return block == 0 ? 0 : words.getUnchecked(block + OwnerLayout.OWNER_OFFSET);
  }

  /**
   * Sets an owned property, and frees what was in it.
   *
   * @param holder the reference of the object that has the property, or that it lies in
   * @param wanted the reference of an object of the type, or 0
   */
  static void set(
      Tx tx, Words words, StoredLayouts types, String type, long holder, long word, long wanted) {
    long before = tx.getLong(word);
    if (before == wanted) {
      return;
    }
    if (wanted != 0) {
      requireOwner(words, type, holder);
      requireFree(words, types, type, holder, wanted);
    }
    words.operations.begin();
    if (before != 0) {
      new ObjectTree(tx, words, types).free(type, before);
    }
    if (wanted != 0) {
      long address = ObjectLayout.address(wanted);
      long extension = address + ObjectHeaderLayout.EXTENSION_OFFSET;
      long block = words.heap.allocate(OwnerLayout.LENGTH);
      words.putUnchecked(block + OwnerLayout.MARK_OFFSET, OwnerLayout.MARK);
      words.putUnchecked(block + OwnerLayout.EXTENSION_OFFSET, words.getUnchecked(extension));
      words.putUnchecked(block + OwnerLayout.OWNER_OFFSET, holder);
      words.putUnchecked(block + OwnerLayout.WORD_OFFSET, word);
      words.putUnchecked(extension, block);
    }
    words.putUnchecked(word, wanted);
    words.operations.end();
  }

  /** What a freed object owns would never be freed. */
  private static void requireOwner(Words words, String type, long holder) {
    long identity = words.getUnchecked(ObjectLayout.address(holder));
    if (identity == 0
        || ReferenceLayout.incarnation(identity) != ReferenceLayout.incarnation(holder)) {
      throw words.refuse(
          new InvalidAddressException(
              "the object at address "
                  + ObjectLayout.address(holder)
                  + " was freed, so it cannot own an object of "
                  + type));
    }
  }

  private static void requireFree(
      Words words, StoredLayouts types, String type, long holder, long wanted) {
    long owner = owner(words, ObjectLayout.address(wanted));
    if (owner != 0) {
      throw words.refuse(
          new OwnershipException(
              describe(words, types, wanted)
                  + " belongs to "
                  + describe(words, types, owner)
                  + ", so it cannot be given to "
                  + describe(words, types, holder)
                  + "; PersistentType.detach takes it from its owner first"));
    }
    if (wanted == holder || new ObjectTree.OwnsAny(words, types).test(type, wanted)) {
      for (long above = holder; above != 0; above = owner(words, ObjectLayout.address(above))) {
        if (above == wanted) {
          throw words.refuse(
              new OwnershipException(
                  describe(words, types, holder)
                      + " cannot own "
                      + describe(words, types, wanted)
                      + ", which "
                      + (wanted == holder ? "is itself" : "owns it, perhaps by way of others")));
        }
      }
    }
  }

  private static String describe(Words words, StoredLayouts types, long reference) {
    long address = ObjectLayout.address(reference);
    return types.name(words, (int) words.getUnchecked(address)) + "@" + address;
  }

  /**
   * Takes an object out of the property that owns it.
   *
   * @return whether one does
   */
  static boolean detach(Words words, long reference) {
    long address = ObjectLayout.address(reference);
    long block = ownerBlock(words, address);
    if (block == 0) {
      return false;
    }
    words.operations.begin();
    long word = words.getUnchecked(block + OwnerLayout.WORD_OFFSET);
    words.putUnchecked(word, 0);
    words.putUnchecked(
        address + ObjectHeaderLayout.EXTENSION_OFFSET,
        words.getUnchecked(block + OwnerLayout.EXTENSION_OFFSET));
    words.heap.free(block);
    words.operations.end();
    return true;
  }
}
