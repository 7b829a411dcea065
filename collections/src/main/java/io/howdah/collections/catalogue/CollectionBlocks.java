package io.howdah.collections.catalogue;

import io.howdah.codec.Codec;
import io.howdah.collections.PersistentBlob;
import io.howdah.collections.PersistentCounter;
import io.howdah.collections.PersistentList;
import io.howdah.collections.PersistentQueue;
import io.howdah.collections.structure.CollectionHeader;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.collections.structure.HashTable;
import io.howdah.collections.structure.HashTableLayout;
import io.howdah.collections.structure.Tree;
import io.howdah.collections.structure.TreeLayout;
import io.howdah.core.CorruptStoreException;
import io.howdah.txn.stm.TxContext;
import java.util.function.LongConsumer;

/** Finds the blocks that a collection of any kind consists of. */
public final class CollectionBlocks {

  private CollectionBlocks() {}

  /** Frees a collection. */
  public static void drop(TxContext context, FoundCollection found) {
    visit(context, found, context.heap::free);
    CollectionHeader.end(context, found.address());
  }

  /** Counts entries or elements; of a blob, bytes; of a counter, 1. */
  public static long entries(TxContext context, FoundCollection found) {
    long address = found.address();
    long magic = found.magic();
    if (magic == HashTableLayout.MAGIC || magic == HashTableLayout.FORMER_MAGIC) {
      return HashTable.of(found, Codec.VARIABLE, Codec.VARIABLE).size(context);
    }
    if (magic == TreeLayout.MAGIC) {
      return new Tree(address, false, Codec.VARIABLE).size(context);
    }
    if (magic == PersistentQueue.MAGIC) {
      return PersistentQueue.size(context, address);
    }
    return magic == PersistentCounter.MAGIC
        ? 1
        : context.getUnchecked(address + PersistentList.SIZE_OFFSET); // a blob's length, likewise
  }

  /** Shows every block of a collection; none is read after it was shown. */
  public static void visit(TxContext context, FoundCollection found, LongConsumer blocks) {
    long address = found.address();
    long magic = found.magic();
    if (magic == HashTableLayout.MAGIC || magic == HashTableLayout.FORMER_MAGIC) {
      HashTable.of(found, Codec.VARIABLE, Codec.VARIABLE).visitBlocks(context, blocks);
    } else if (magic == TreeLayout.MAGIC) {
      Tree.of(context, address).visitBlocks(context, blocks);
    } else if (magic == PersistentList.MAGIC) {
      PersistentList.visitBlocks(context, address, blocks);
    } else if (magic == PersistentQueue.MAGIC) {
      PersistentQueue.visitBlocks(context, address, blocks);
    } else if (magic == PersistentBlob.MAGIC) {
      PersistentBlob.visitBlocks(context, address, blocks);
    } else if (magic == PersistentCounter.MAGIC) {
      blocks.accept(address);
    } else {
      throw context.refuse(
          new CorruptStoreException(
              "region",
              address,
              "the name \""
                  + found.name()
                  + "\" stands for "
                  + found.type()
                  + ", but there is none at its address"));
    }
  }
}
