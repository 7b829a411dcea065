package io.howdah.objects;

import io.howdah.core.InvalidAddressException;
import io.howdah.core.layout.ObjectHeaderLayout;
import io.howdah.core.layout.OwnerLayout;
import io.howdah.core.layout.ReferenceLayout;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.TxContext;

/**
 * Keeps the invariants of ADR 53: the word of an owned property and the owner block of the object
 * in it name each other, no object has two, and following owners ends. Each change is one operation
 * of a transaction.
 */
final class Ownership {

  private Ownership() {}

  /** Returns the address of an object's owner block; 0 if nobody owns it. */
  private static long ownerBlock(TxContext context, long address) {
    long first = context.getUnchecked(address + ObjectHeaderLayout.EXTENSION_OFFSET);
    return first != 0 && context.getUnchecked(first + OwnerLayout.MARK_OFFSET) == OwnerLayout.MARK
        ? first
        : 0;
  }

  static boolean isOwned(TxContext context, long reference) {
    return ownerBlock(context, ObjectLayout.address(reference)) != 0;
  }

  /** Returns the reference of an object's owner; 0 if nobody owns it. */
  private static long owner(TxContext context, long address) {
    long block = ownerBlock(context, address);
    return block == 0 ? 0 : context.getUnchecked(block + OwnerLayout.OWNER_OFFSET);
  }

  /**
   * Sets an owned property, and frees what was in it.
   *
   * @param holder the reference of the object that has the property, or that it lies in
   * @param wanted the reference of an object of the type, or 0
   */
  static void set(
      Tx tx,
      TxContext context,
      StoredLayouts types,
      String type,
      long holder,
      long word,
      long wanted) {
    long before = tx.getLong(word);
    if (before == wanted) {
      return;
    }
    if (wanted != 0) {
      requireOwner(context, type, holder);
      requireFree(context, types, type, holder, wanted);
    }
    context.operations.begin();
    if (before != 0) {
      new ObjectTree(tx, context, types).free(type, before);
    }
    if (wanted != 0) {
      long address = ObjectLayout.address(wanted);
      long extension = address + ObjectHeaderLayout.EXTENSION_OFFSET;
      long block = context.heap.allocate(OwnerLayout.LENGTH);
      context.putUnchecked(block + OwnerLayout.MARK_OFFSET, OwnerLayout.MARK);
      context.putUnchecked(block + OwnerLayout.EXTENSION_OFFSET, context.getUnchecked(extension));
      context.putUnchecked(block + OwnerLayout.OWNER_OFFSET, holder);
      context.putUnchecked(block + OwnerLayout.WORD_OFFSET, word);
      context.putUnchecked(extension, block);
    }
    context.putUnchecked(word, wanted);
    context.operations.end();
  }

  /** What a freed object owns would never be freed. */
  private static void requireOwner(TxContext context, String type, long holder) {
    long identity = context.getUnchecked(ObjectLayout.address(holder));
    if (identity == 0
        || ReferenceLayout.incarnation(identity) != ReferenceLayout.incarnation(holder)) {
      throw context.refuse(
          new InvalidAddressException(
              "the object at address "
                  + ObjectLayout.address(holder)
                  + " was freed, so it cannot own an object of "
                  + type));
    }
  }

  private static void requireFree(
      TxContext context, StoredLayouts types, String type, long holder, long wanted) {
    long owner = owner(context, ObjectLayout.address(wanted));
    if (owner != 0) {
      throw context.refuse(
          new OwnershipException(
              describe(context, types, wanted)
                  + " belongs to "
                  + describe(context, types, owner)
                  + ", so it cannot be given to "
                  + describe(context, types, holder)
                  + "; PersistentType.detach takes it from its owner first"));
    }
    if (wanted == holder || new ObjectTree.OwnsAny(context, types).test(type, wanted)) {
      for (long above = holder; above != 0; above = owner(context, ObjectLayout.address(above))) {
        if (above == wanted) {
          throw context.refuse(
              new OwnershipException(
                  describe(context, types, holder)
                      + " cannot own "
                      + describe(context, types, wanted)
                      + ", which "
                      + (wanted == holder ? "is itself" : "owns it, perhaps by way of others")));
        }
      }
    }
  }

  private static String describe(TxContext context, StoredLayouts types, long reference) {
    long address = ObjectLayout.address(reference);
    return types.name(context, (int) context.getUnchecked(address)) + "@" + address;
  }

  /**
   * Takes an object out of the property that owns it.
   *
   * @return whether one does
   */
  static boolean detach(TxContext context, long reference) {
    long address = ObjectLayout.address(reference);
    long block = ownerBlock(context, address);
    if (block == 0) {
      return false;
    }
    context.operations.begin();
    long word = context.getUnchecked(block + OwnerLayout.WORD_OFFSET);
    context.putUnchecked(word, 0);
    context.putUnchecked(
        address + ObjectHeaderLayout.EXTENSION_OFFSET,
        context.getUnchecked(block + OwnerLayout.EXTENSION_OFFSET));
    context.heap.free(block);
    context.operations.end();
    return true;
  }
}
