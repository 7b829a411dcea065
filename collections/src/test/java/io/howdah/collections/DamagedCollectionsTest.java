package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.collections.catalogue.CollectionBlocks;
import io.howdah.collections.structure.BlockVisitor;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.InvalidAddressException;
import io.howdah.core.RegionFullException;
import io.howdah.core.layout.HashTableLayout;
import io.howdah.core.layout.NodeLayout;
import io.howdah.core.layout.ObjectHeaderLayout;
import io.howdah.core.layout.PageLayout;
import io.howdah.core.layout.ReferenceLayout;
import io.howdah.objects.Length;
import io.howdah.objects.Persistent;
import io.howdah.objects.PersistentType;
import io.howdah.txn.TransactionAbortedException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxBody;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.words.Words;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Whatever a damaged image has in place of a length, a count or an address: what reads it returns,
 * or throws a typed exception; it never makes an array of any length, nor leaves the region.
 */
@Tag("scaled")
final class DamagedCollectionsTest {

  private static final int ENTRIES = 40;

  /** Of the words of collections one in so many is damaged; campaigns damage all. */
  private static final int STRIDE = Integer.getInteger("howdah.stride", 3);

  private static final long CAPACITY = 1 << 24;

  /** None is the address of a block in use: a damage that leads elsewhere is another matter. */
  private static final long[] HOSTILE = {
    -1L,
    Long.MIN_VALUE,
    Long.MAX_VALUE,
    0x7FFF_FFFF_7FFF_FFFFL,
    0x8000_0000_8000_0000L,
    0xD51A_0000_0000_0010L,
    CAPACITY - 16,
    CAPACITY,
    (1L << 46) - 64
  };

  @Persistent
  interface Item {
    @Nullable String name();

    void name(@Nullable String v);

    @Length(20)
    @Nullable String label();

    void label(@Nullable String v);
  }

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(CAPACITY).withOrecs(1 << 12).withPartitions(2));
  private final PersistentMap<String, String> map = store.map("map", Codec.utf8(), Codec.utf8());
  private final PersistentMap<Long, Long> numbers =
      store.map("numbers", Codec.int64(), Codec.int64());
  private final PersistentMap<Long, String> texts = store.map("texts", Codec.int64(), Codec.utf8());
  private final PersistentSortedMap<String, String> sorted =
      store.sortedMap("sorted", Codec.utf8(), Codec.utf8());
  private final PersistentSortedMap<Long, String> sortedTexts =
      store.sortedMap("sorted texts", Codec.int64(), Codec.utf8());
  private final PersistentSet<String> set = store.set("set", Codec.utf8());
  private final PersistentList<String> list = store.list("list", Codec.utf8());
  private final PersistentQueue<String> queue = store.queue("queue", Codec.utf8());
  private final PersistentBlob blob = store.blob("blob");
  private final PersistentType<Item> items = store.type(Item.class, MethodHandles.lookup());

  @BeforeEach
  void fill() {
    store.run(
        tx -> {
          for (int i = 0; i < ENTRIES; i++) {
            map.put(tx, key(i), "value");
            numbers.put(tx, (long) i, (long) i);
            texts.put(tx, (long) i, "text " + i);
            sorted.put(tx, key(i), "value");
            sortedTexts.put(tx, (long) i, "text " + i);
            set.add(tx, key(i));
            list.add(tx, "element");
            queue.add(tx, "an element that has no room in its slot");
          }
          blob.write(tx, 0, new byte[1000]);
          Item item = items.create(tx);
          item.name("name");
          item.label("label");
          tx.root(0, items.address(item));
        });
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static String key(int i) {
    return "a key that is long " + i;
  }

  /** Reads everything of one collection. */
  private void readAll(Tx tx, String name) {
    switch (name) {
      case "map" -> {
        for (int i = 0; i < ENTRIES; i++) {
          map.get(tx, key(i));
        }
        map.size(tx);
        take(map.iterator(tx));
      }
      case "numbers" -> {
        for (long i = 0; i < ENTRIES; i++) {
          numbers.get(tx, i);
        }
        take(numbers.iterator(tx));
      }
      case "texts" -> {
        for (long i = 0; i < ENTRIES; i++) {
          texts.get(tx, i);
        }
        take(texts.iterator(tx));
        texts.put(tx, 7L, "another text, and longer than the one before");
      }
      case "sorted" -> {
        for (int i = 0; i < ENTRIES; i++) {
          sorted.get(tx, key(i));
        }
        take(sorted.entries(tx).iterator());
        take(sorted.range(tx, Range.reversed(Range.all())).iterator());
        sorted.put(tx, key(7), "another value, and longer than the one before");
      }
      case "sorted texts" -> {
        for (long i = 0; i < ENTRIES; i++) {
          sortedTexts.get(tx, i);
        }
        take(sortedTexts.entries(tx).iterator());
        sortedTexts.put(tx, 7L, "another text, and longer than the one before");
      }
      case "set" -> {
        for (int i = 0; i < ENTRIES; i++) {
          set.contains(tx, key(i));
        }
        take(set.iterator(tx));
      }
      case "list" -> {
        take(list.iterator(tx));
        if (list.size(tx) > ENTRIES) {
          list.get(tx, list.size(tx) - 1);
        }
      }
      case "queue" -> {
        queue.size(tx);
        take(queue.stream(tx).iterator());
        queue.poll(tx);
      }
      case "blob" -> {
        long length = blob.length(tx);
        blob.read(tx, 0, (int) Math.min(length, 2000));
        blob.read(tx, Math.max(0, length - 100), (int) Math.min(length, 100));
      }
      default -> throw new AssertionError(name);
    }
  }

  /** A chain that is damaged may have no end. */
  private static void take(java.util.Iterator<?> iterator) {
    for (int i = 0; i < 2 * ENTRIES && iterator.hasNext(); i++) {
      iterator.next();
    }
  }

  private void damage(long address, TxBody<RuntimeException> reading, Map<String, Integer> seen) {
    damage(address, reading, seen, HOSTILE);
  }

  private void damage(
      long address, TxBody<RuntimeException> reading, Map<String, Integer> seen, long[] values) {
    for (long hostile : values) {
      try {
        store.run(
            tx -> {
              put(TxHandle.of(tx).words(), address, hostile);
              reading.run(tx);
              throw tx.abort();
            });
      } catch (CorruptStoreException
          | CollectionMismatchException
          | InvalidAddressException
          | CodecException
          | TransactionAbortedException e) {
        seen.merge(e.getClass().getSimpleName(), 1, Integer::sum);
      } catch (RuntimeException | Error e) {
        throw new AssertionError(
            "word " + address + " as " + Long.toHexString(hostile) + " led to " + e, e);
      }
    }
  }

  /**
   * Collects the addresses of all words of blocks and nodes but zeros. The references of nodes have
   * addresses that their words share; see {@link #put}.
   */
  private record Addresses(Words words, List<Long> all) implements BlockVisitor {

    @Override
    public void block(long address) {
      long end = address + words.heap.blockBytes(address);
      for (long at = address; at < end; at += Long.BYTES) {
        if (words.getUnchecked(at) != 0 || at < address + 64) {
          all.add(at);
        }
      }
    }

    @Override
    public void node(long reference) {
      long[] read = new long[NodeLayout.words(reference)];
      words.nodes.read(reference, 0, read.length, read, 0);
      for (int i = 0; i < read.length; i++) {
        if (read[i] != 0) {
          all.add(NodeLayout.address(reference) + (long) i * Long.BYTES);
        }
      }
    }
  }

  /** Writes a word of a block or of a node. */
  static void put(Words words, long address, long value) {
    for (int bytes = NodeLayout.MIN_BYTES; bytes <= NodeLayout.MAX_BYTES; bytes *= 2) {
      long node = NodeLayout.reference(address & -bytes, bytes);
      if (words.heap.isNode(node)) {
        words.nodes.read(node, 0, 1, new long[1], 0);
        words.nodes.write(node, (int) (address & bytes - 1) / Long.BYTES, value);
        return;
      }
    }
    words.putUnchecked(address, value);
  }

  private List<Long> words(String name) {
    return store.read(
        tx -> {
          List<Long> addresses = new ArrayList<>();
          Words words = TxHandle.of(tx).words();
          FoundCollection found = Objects.requireNonNull(store.catalogue().find(tx, name), name);
          CollectionBlocks.visit(words, found, new Addresses(words, addresses));
          return addresses;
        });
  }

  @Test
  void whateverStandsInACollectionIsHeldToItsLimits() {
    Map<String, Integer> seen = new TreeMap<>();
    for (String name : store.read(store::collections).keySet()) {
      List<Long> words = words(name);
      for (int i = 0; i < words.size(); i += STRIDE) {
        long word = words.get(i);
        damage(word, tx -> readAll(tx, name), seen);
      }
    }
    assertThat(seen.get("CorruptStoreException")).as("%s", seen).isGreaterThan(100);
  }

  @Test
  void whateverStandsInTheCatalogueOrInAnObjectIsHeldToItsLimits() {
    Map<String, Integer> seen = new TreeMap<>();
    List<Long> addresses = new ArrayList<>();
    store.read(
        tx -> {
          Words words = TxHandle.of(tx).words();
          store.catalogue().visitBlocks(words, new Addresses(words, addresses));
          return 0;
        });
    for (long word : addresses) {
      damage(word, tx -> store.collections(tx), seen);
    }
    assertThat(seen.get("CorruptStoreException")).as("%s", seen).isGreaterThan(10);
    assertThat(seen).as("of the store's own names").doesNotContainKey("CodecException");
    seen.clear();
    long object = store.read(tx -> ReferenceLayout.address(tx.root(0)));
    for (long at = object; at < object + 64; at += Long.BYTES) {
      damage(
          at,
          tx -> {
            Item item = items.at(tx, tx.root(0));
            item.name();
            item.label();
          },
          seen);
    }
    assertThat(seen.get("CorruptStoreException")).as("%s", seen).isGreaterThan(5);
  }

  /** The length of a string, in the block that the object's word leads to. */
  @Test
  void theLengthOfAStringIsHeldToItsLimit() {
    Map<String, Integer> seen = new TreeMap<>();
    long object = store.read(tx -> ReferenceLayout.address(tx.root(0)));
    for (long at = object + ObjectHeaderLayout.HEADER_LENGTH; at < object + 48; at += Long.BYTES) {
      long word = at;
      long block = store.read(tx -> tx.getLong(word));
      if (block > 0 && block < CAPACITY && (block & 15) == 0) {
        damage(block, tx -> items.at(tx, tx.root(0)).name(), seen);
      }
    }
    assertThat(seen.get("CorruptStoreException")).as("%s", seen).isGreaterThan(3);
  }

  /** The slot's part of the hash is as it was, so the entry is looked at. */
  @Test
  void addressesOfEntriesAreHeldToTheRegion() {
    Map<String, Integer> seen = new TreeMap<>();
    for (String name : List.of("map", "numbers", "texts", "set")) {
      for (long word : words(name)) {
        long held = store.read(tx -> TxHandle.of(tx).words().getUnchecked(word));
        long place = HashTableLayout.address(held);
        if (place != held && store.read(tx -> TxHandle.of(tx).words().heap.isBlock(place))) {
          long tag = held - place;
          long[] values = {
            tag | CAPACITY - 16,
            tag | CAPACITY - 8,
            tag | CAPACITY,
            tag | CAPACITY + 4096,
            tag | (1L << 46) - 16,
            tag | place + 3,
            tag | 16
          };
          damage(word, tx -> readAll(tx, name), seen, values);
        }
      }
    }
    assertThat(seen.get("CorruptStoreException")).as("%s", seen).isGreaterThan(100);
  }

  /** Has each first bucket of the table continue in itself. */
  private static void closeChains(Tx tx, long table) {
    Words words = TxHandle.of(tx).words();
    long buckets = words.getUnchecked(table + HashTableLayout.SEGMENTS_OFFSET);
    long count = HashTableLayout.segmentBuckets(0) * HashTableLayout.STRIPES;
    for (long i = 0; i < count; i++) {
      long bucket = buckets + i * HashTableLayout.BUCKET_BYTES;
      long word = bucket + HashTableLayout.OVERFLOW_OFFSET;
      words.putUnchecked(word, words.getUnchecked(word) | bucket);
    }
  }

  @Test
  void aChainOfBucketsThatComesBackToItselfIsDamage() {
    List<TxBody<RuntimeException>> walks =
        List.of(
            tx -> map.get(tx, "absent"),
            tx -> take(map.iterator(tx)),
            map::clear,
            tx ->
                CollectionBlocks.visit(
                    TxHandle.of(tx).words(),
                    Objects.requireNonNull(store.catalogue().find(tx, "map")),
                    Blocks.each(_ -> {})));
    for (TxBody<RuntimeException> walk : walks) {
      assertThatThrownBy(
              () ->
                  store.run(
                      tx -> {
                        closeChains(tx, map.address());
                        walk.run(tx);
                        throw tx.abort();
                      }))
          .isInstanceOf(CorruptStoreException.class);
    }
  }

  @Test
  void aTableWithAChainThatComesBackToItselfDoesNotGrow() {
    long stripe = numbers.address() + HashTableLayout.STRIPES_OFFSET;
    long before = store.read(tx -> tx.getLong(stripe));
    store.run(
        tx -> {
          closeChains(tx, numbers.address());
          tx.putLong(stripe + HashTableLayout.ENTRIES_OFFSET, 1 << 20); // it seems to be full
          Words words = TxHandle.of(tx).words();
          words.afterCommit(Blocks.table(words, numbers.address(), Long.BYTES, Long.BYTES));
        });
    assertThat(store.read(tx -> tx.getLong(stripe)).longValue()).isEqualTo(before);
  }

  /** Has what describes the page of a block name a size class that there is not. */
  private static void damagePage(Tx tx, long block) {
    long at = PageLayout.descriptorAddress(block >>> PageLayout.PAGE_SHIFT);
    TxHandle.of(tx).words().putUnchecked(at, TxHandle.of(tx).words().getUnchecked(at) | 0xFF00);
  }

  @Test
  void aSizeClassThatThereIsNotIsDamage() {
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      damagePage(tx, tx.allocate(448));
                      Blocks.inUse(TxHandle.of(tx).words());
                    }))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("size class 255");
  }

  /** The search for the last room looks at the slabs that the transaction has made itself. */
  @Test
  void aSlabOfASizeClassThatThereIsNotIsLeftAlone() {
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      damagePage(tx, tx.allocate(448));
                      tx.allocate(store.maxBlockBytes());
                      tx.allocate(store.maxBlockBytes());
                      tx.allocate(store.maxBlockBytes());
                    }))
        .isInstanceOf(RegionFullException.class);
  }
}
