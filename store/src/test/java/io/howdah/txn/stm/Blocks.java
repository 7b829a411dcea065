package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.TestStores;
import io.howdah.collections.catalogue.CollectionBlocks;
import io.howdah.collections.structure.BlockVisitor;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.collections.structure.HashTable;
import io.howdah.collections.structure.Tree;
import io.howdah.core.layout.CollectionHeaderLayout;
import io.howdah.core.layout.HashTableLayout;
import io.howdah.core.layout.NodeLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.txn.Tx;
import io.howdah.txn.alloc.HeapSession;
import io.howdah.txn.words.Words;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongConsumer;

/** What the allocator says is in use, against what can be reached from the store's names. */
public final class Blocks {

  private Blocks() {}

  public static SortedMap<Long, Long> inUse(Words words) {
    SortedMap<Long, Long> blocks = new TreeMap<>();
    long[] end = {0};
    words.heap.visit(
        new HeapSession.Visitor() {
          @Override
          public void block(long address, long lengthBytes) {
            assertThat(address).as("blocks overlap").isGreaterThanOrEqualTo(end[0]);
            end[0] = address + lengthBytes;
            blocks.put(address, lengthBytes);
          }

          @Override
          public void free(long lengthBytes) {
            assertThat(lengthBytes).isNotNegative();
          }
        });
    return blocks;
  }

  /** Returns a handle for the hash table at an address, as its header is now. */
  public static HashTable table(Words words, long address, int keyFixed, int valueFixed) {
    long hashKey = address + HashTableLayout.HASH_KEY_OFFSET;
    return new HashTable(
        address,
        words.getUnchecked(address + CollectionHeaderLayout.INCARNATION_OFFSET),
        words.getUnchecked(hashKey),
        words.getUnchecked(hashKey + Long.BYTES),
        keyFixed,
        valueFixed,
        false);
  }

  private static void add(SortedSet<Long> blocks, long block) {
    assertThat(blocks.add(block)).as("held twice").isTrue();
  }

  /** Takes the addresses of blocks and of nodes. */
  private static BlockVisitor each(LongConsumer addresses) {
    return new BlockVisitor() {
      @Override
      public void block(long address) {
        addresses.accept(address);
      }

      @Override
      public void node(long reference) {
        addresses.accept(NodeLayout.address(reference));
      }
    };
  }

  static SortedSet<Long> reachable(Store store, Tx tx) {
    SortedSet<Long> blocks = new TreeSet<>();
    Words words = TxHandle.of(tx).words();
    for (FoundCollection found : TestStores.catalogue(store).list(tx)) {
      CollectionBlocks.visit(words, found, each(block -> add(blocks, block)));
    }
    TestStores.catalogue(store).visitBlocks(words, each(block -> add(blocks, block)));
    long types = words.getUnchecked(RegionHeaderLayout.TYPES_ADDRESS);
    if (types != 0) {
      Tree.of(words, types).visitBlocks(words, each(block -> add(blocks, block)));
    }
    return blocks;
  }

  /** Every block in use can be reached from a name; objects are not reached. */
  public static void assertNothingLeaks(Store store) {
    store.read(
        tx -> {
          assertThat(inUse(TxHandle.of(tx).words()).keySet()).isEqualTo(reachable(store, tx));
          return 0;
        });
  }
}
