package io.howdah;

import io.howdah.codec.Codec;
import io.howdah.collections.catalogue.Catalogue;
import io.howdah.collections.catalogue.CollectionBlocks;
import io.howdah.collections.catalogue.StoredShapes;
import io.howdah.collections.structure.BlockVisitor;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.collections.structure.HashTable;
import io.howdah.collections.structure.TableBound;
import io.howdah.collections.structure.Tree;
import io.howdah.core.layout.CollectionHeaderLayout;
import io.howdah.core.layout.NodeLayout;
import io.howdah.core.layout.ReferenceLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.layout.TreeLayout;
import io.howdah.objects.PersistentTypes;
import io.howdah.txn.Tx;
import io.howdah.txn.alloc.HeapSession;
import io.howdah.txn.stm.TxEnvironment;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.words.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Goes through what a store holds.
 *
 * @param catalogue of its collections
 * @param types of its objects
 */
record Inspector(TxEnvironment engine, Catalogue catalogue, PersistentTypes types) {

  StoreInspection inspect(Tx tx) {
    Words words = TxHandle.of(tx).use(engine, "the inspected store");
    List<StoreInspection.Collection> collections = new ArrayList<>();
    for (FoundCollection found : catalogue.list(tx)) {
      collections.add(collection(words, found));
    }
    Tally names = new Tally(words);
    catalogue.visitBlocks(words, names.ofCollections());
    long typeTree = words.getUnchecked(RegionHeaderLayout.TYPES_ADDRESS);
    if (typeTree != 0) {
      Tree.of(words, typeTree).check(words);
      Tree.of(words, typeTree).visitBlocks(words, names.ofCollections());
    }
    SortedMap<String, String> described = types.describe(tx);
    described.putAll(StoredShapes.describe(words));
    Tally all = new Tally(words);
    words.heap.visit(all);
    return new StoreInspection(
        new StoreInspection.Values(
            roots(tx),
            described,
            collections,
            names.bytes,
            all.blocks,
            all.bytes,
            all.freeBytes,
            all.reclaimableBytes,
            engine.region().capacityBytes()));
  }

  /** Adds up all blocks and the space between them, without a look into any block. */
  StoreSpace space(Tx tx) {
    Words words = TxHandle.of(tx).use(engine, "the inspected store");
    Tally all = new Tally(words);
    words.heap.visit(all);
    return new StoreSpace(
        new StoreSpace.Values(all.blocks, all.bytes, all.freeBytes, all.reclaimableBytes));
  }

  private static SortedMap<Integer, Long> roots(Tx tx) {
    SortedMap<Integer, Long> roots = new TreeMap<>();
    for (int index = 0; index < RegionHeaderLayout.ROOTS; index++) {
      if (tx.root(index) != 0) {
        roots.put(index, ReferenceLayout.address(tx.root(index)));
      }
    }
    return roots;
  }

  private static StoreInspection.Collection collection(Words words, FoundCollection found) {
    Tally own = new Tally(words);
    CollectionBlocks.visit(words, found, own.ofCollections());
    long magic = words.getUnchecked(found.address() + CollectionHeaderLayout.MAGIC_OFFSET);
    if (magic == TreeLayout.MAGIC) {
      Tree.of(words, found.address()).check(words);
    }
    TableBound bound = null;
    if (found.isBounded()) {
      HashTable table = HashTable.of(found, Codec.VARIABLE, Codec.VARIABLE);
      table.checkBound(words);
      bound = table.bound();
    }
    List<StoreInspection.TreeLevel> levels =
        magic == TreeLayout.MAGIC
            ? Tree.of(words, found.address()).levels(words).stream()
                .map(
                    level ->
                        new StoreInspection.TreeLevel(
                            new StoreInspection.TreeLevel.TreeLevelValues(
                                level.nodes(), level.keys(), level.fill())))
                .toList()
            : List.of();
    return new StoreInspection.Collection(
        new StoreInspection.Collection.CollectionValues(
            found.name(),
            found.type(),
            CollectionBlocks.entries(words, found),
            own.blocks,
            own.bytes,
            levels,
            bound == null
                ? Optional.empty()
                : Optional.of(
                    new StoreInspection.CacheBound(
                        new StoreInspection.CacheBound.CacheBoundValues(
                            bound.maxBytes(words),
                            bound.maxEntries(words),
                            bound.usedBytes(words),
                            bound.evictions(words))))));
  }

  /** Adds up blocks. */
  private static final class Tally implements HeapSession.Visitor {
    private final Words words;
    private long blocks;
    private long bytes;
    private long freeBytes;
    private long reclaimableBytes;

    Tally(Words words) {
      this.words = words;
    }

    BlockVisitor ofCollections() {
      return new BlockVisitor() {
        @Override
        public void block(long address) {
          Tally.this.block(address, words.heap.blockBytes(address));
        }

        @Override
        public void node(long reference) {
          Tally.this.block(reference, NodeLayout.bytes(reference));
        }
      };
    }

    @Override
    public void block(long address, long lengthBytes) {
      blocks++;
      bytes += lengthBytes;
    }

    @Override
    public void free(long lengthBytes) {
      freeBytes += lengthBytes;
    }

    @Override
    public void reclaimable(long lengthBytes) {
      reclaimableBytes += lengthBytes;
    }
  }
}
