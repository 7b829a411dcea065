package io.howdah.collections.catalogue;

import io.howdah.codec.Codec;
import io.howdah.collections.structure.BlockVisitor;
import io.howdah.collections.structure.CollectionHeader;
import io.howdah.collections.structure.DoublingChunks;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.collections.structure.HashTable;
import io.howdah.collections.structure.ListBlocks;
import io.howdah.collections.structure.QueueBlocks;
import io.howdah.collections.structure.Tree;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.BlobLayout;
import io.howdah.core.layout.CounterLayout;
import io.howdah.core.layout.HashTableLayout;
import io.howdah.core.layout.ListLayout;
import io.howdah.core.layout.QueueLayout;
import io.howdah.core.layout.TreeLayout;
import io.howdah.txn.words.Words;

/** Finds the blocks that a collection of any kind consists of. */
public final class CollectionBlocks {

  private CollectionBlocks() {}

  /** Frees a collection. */
  public static void drop(Words words, FoundCollection found) {
    visit(words, found, new Freeing(words));
    CollectionHeader.markDropped(words, found.address());
  }

  /** Counts entries or elements; of a blob, bytes; of a counter, 1. */
  public static long entries(Words words, FoundCollection found) {
    long address = found.address();
    long magic = found.magic();
    if (magic == HashTableLayout.MAGIC || magic == HashTableLayout.FORMER_MAGIC) {
      return HashTable.of(found, Codec.VARIABLE, Codec.VARIABLE).size(words);
    }
    if (magic == TreeLayout.MAGIC) {
      return new Tree(address, false, Codec.VARIABLE).size(words);
    }
    if (magic == QueueLayout.MAGIC) {
      return QueueBlocks.size(words, address);
    }
    return magic == CounterLayout.MAGIC
        ? 1
        : words.getUnchecked(
            address
                + (magic == BlobLayout.MAGIC ? BlobLayout.SIZE_OFFSET : ListLayout.SIZE_OFFSET));
  }

  private record Freeing(Words words) implements BlockVisitor {

    @Override
    public void block(long address) {
      words.heap.free(address);
    }

    @Override
    public void node(long reference) {
      words.heap.freeNode(reference);
    }
  }

  /** Shows every block and node of a collection; none is read after it was shown. */
  public static void visit(Words words, FoundCollection found, BlockVisitor blocks) {
    long address = found.address();
    long magic = found.magic();
    if (magic == HashTableLayout.MAGIC || magic == HashTableLayout.FORMER_MAGIC) {
      HashTable.of(found, Codec.VARIABLE, Codec.VARIABLE).visitBlocks(words, blocks::block);
    } else if (magic == TreeLayout.MAGIC) {
      Tree.of(words, address).visitBlocks(words, blocks);
    } else if (magic == ListLayout.MAGIC) {
      ListBlocks.visit(words, address, blocks::block);
    } else if (magic == QueueLayout.MAGIC) {
      QueueBlocks.visit(words, address, blocks::block);
    } else if (magic == BlobLayout.MAGIC) {
      DoublingChunks.visitBlocks(
          words, address + BlobLayout.DIRECTORY_OFFSET, BlobLayout.UNIT_BYTES, blocks::block);
      blocks.block(address);
    } else if (magic == CounterLayout.MAGIC) {
      blocks.block(address);
    } else {
      throw words.refuse(
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
