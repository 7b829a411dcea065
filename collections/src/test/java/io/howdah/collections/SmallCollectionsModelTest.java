package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.collections.structure.HashTable;
import io.howdah.core.layout.HashTableLayout;
import io.howdah.core.layout.QueueLayout;
import io.howdah.txn.Savepoint;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.words.Words;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Sets, lists, queues, blobs, and walks through maps that change, beside collections of {@code
 * java.util}. It is short, so that it can judge many mutants.
 */
final class SmallCollectionsModelTest {

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 24).withOrecs(1 << 12).withPartitions(2));

  @AfterEach
  void close() {
    Blocks.assertNothingLeaks(store);
    store.close();
  }

  private static String text(int number, int length) {
    return ("" + (char) ('a' + number % 26)).repeat(length) + number;
  }

  private long blocksInUse() {
    return store.read(tx -> (long) Blocks.inUse(TxHandle.of(tx).words()).size());
  }

  // ---- Queues.

  private <E> void checkQueue(PersistentQueue<E> queue, IntFunction<E> element) {
    SplittableRandom random = new SplittableRandom(5);
    long blocks = blocksInUse();
    int[] next = {0};
    ArrayDeque<E> expected = new ArrayDeque<>();
    for (int round = 0; round < 24; round++) {
      boolean grows = round % 12 < 6;
      store.run(
          tx -> {
            for (int i = 0; i < 13; i++) {
              Savepoint savepoint = tx.savepoint();
              ArrayDeque<E> before = new ArrayDeque<>(expected);
              int count = random.nextInt(grows ? 4 : 2);
              for (int n = 0; n < count; n++) {
                E e = element.apply(next[0]++);
                queue.add(tx, e);
                expected.add(e);
              }
              for (int n = random.nextInt(grows ? 2 : 4); n > 0; n--) {
                assertThat(queue.peek(tx)).isEqualTo(expected.peek());
                assertThat(queue.poll(tx)).isEqualTo(expected.poll());
              }
              if (random.nextInt(8) == 0) {
                tx.rollBack(savepoint);
                expected.clear();
                expected.addAll(before);
              }
              assertThat(queue.size(tx)).isEqualTo(expected.size());
            }
            assertThat(queue.stream(tx).toList()).isEqualTo(List.copyOf(expected));
          });
      Blocks.assertNothingLeaks(store);
    }
    store.run(
        tx -> {
          int size = expected.size();
          assertThat(queue.poll(tx, size + 1)).isEqualTo(List.copyOf(expected));
          assertThat(queue.poll(tx, 1)).isEmpty();
          assertThat(queue.peek(tx)).isNull();
          assertThat(queue.size(tx)).isZero();
        });
    assertThat(blocksInUse()).as("nothing but the queue's own blocks").isEqualTo(blocks);
  }

  @Test
  void queueOfNumbers() {
    checkQueue(store.queue("queue", Codec.int64()), i -> (long) i);
  }

  /** Some are as long as what a slot holds, others are longer by one byte, or empty. */
  @Test
  void queueOfTexts() {
    int most = QueueLayout.MAX_INLINE_BYTES;
    int[] lengths = {0, 1, most - 1, most, most + 1, 2 * most + 1};
    checkQueue(
        store.queue("queue", Codec.utf8()),
        i -> ("" + (char) ('a' + i % 26)).repeat(lengths[i % 6]));
  }

  /** An iterator goes on behind what it has shown, or at the first element that is left. */
  @Test
  void iteratorsOfAQueueThatChanges() {
    PersistentQueue<Long> queue = store.queue("queue", Codec.int64());
    long slots = QueueLayout.SLOTS;
    store.run(
        tx -> {
          for (long i = 0; i < 4 * slots; i++) {
            queue.add(tx, i);
          }
        });
    store.run(
        tx -> {
          Iterator<Long> all = queue.stream(tx).iterator();
          assertThat(all.next()).isZero();
          queue.poll(tx);
          assertThat(all.next()).isEqualTo(1);
          queue.poll(tx, (int) slots); // up to the next segment's first
          for (long i = slots + 1; i <= 2 * slots; i++) {
            assertThat(all.next()).isEqualTo(i);
          }
          Savepoint savepoint = tx.savepoint();
          queue.poll(tx, (int) (2 * slots - 2));
          queue.add(tx, -1L);
          assertThat(all.next()).isEqualTo(3 * slots - 1);
          tx.rollBack(savepoint);
          for (long i = 3 * slots; i < 4 * slots; i++) {
            assertThat(all.next()).isEqualTo(i);
          }
          assertThat(all.hasNext()).isFalse();
          Savepoint emptied = tx.savepoint();
          queue.poll(tx, (int) (4 * slots));
          queue.add(tx, 7L);
          assertThat(all.next()).isEqualTo(7);
          tx.rollBack(emptied);
          assertThat(all.hasNext()).isFalse();
          assertThatThrownBy(all::next).isInstanceOf(NoSuchElementException.class);
          queue.add(tx, 8L);
          assertThat(all.next()).isEqualTo(8);
        });
  }

  // ---- Lists and sets.

  private <E> void checkList(PersistentList<E> list, IntFunction<E> element) {
    SplittableRandom random = new SplittableRandom(5);
    List<E> expected = new ArrayList<>();
    long blocks = blocksInUse();
    for (int round = 0; round < 12; round++) {
      boolean grows = round < 8;
      store.run(
          tx -> {
            for (int i = 0; i < 20; i++) {
              Savepoint savepoint = tx.savepoint();
              List<E> before = List.copyOf(expected);
              E e = element.apply(random.nextInt(1000));
              int size = expected.size();
              int at = random.nextInt(size + 1);
              switch (random.nextInt(grows ? 7 : 4)) {
                case 0 ->
                    assertThat(list.removeLast(tx))
                        .isEqualTo(size == 0 ? null : expected.removeLast());
                case 1, 2 -> {
                  if (at < size) {
                    assertThat(list.remove(tx, at)).isEqualTo(expected.remove(at));
                  } else {
                    assertThatThrownBy(() -> expected.remove(at))
                        .isInstanceOf(IndexOutOfBoundsException.class);
                  }
                }
                case 3 -> {
                  if (at < size) {
                    list.set(tx, at, e);
                    expected.set(at, e);
                  }
                }
                case 4 -> {
                  list.add(tx, at, e);
                  expected.add(at, e);
                }
                default -> {
                  list.add(tx, e);
                  expected.add(e);
                }
              }
              if (random.nextInt(8) == 0) {
                tx.rollBack(savepoint);
                expected.clear();
                expected.addAll(before);
              }
              assertThat(list.size(tx)).isEqualTo(expected.size());
            }
            assertThat(list.stream(tx).toList()).isEqualTo(expected);
            for (int i = 0; i < expected.size(); i++) {
              assertThat(list.get(tx, i)).isEqualTo(expected.get(i));
            }
          });
      Blocks.assertNothingLeaks(store);
    }
    store.run(
        tx -> {
          while (list.removeLast(tx) != null) {
            expected.removeLast();
          }
          assertThat(list.stream(tx).toList()).isEmpty();
        });
    assertThat(expected).isEmpty();
    assertThat(blocksInUse() - blocks).as("chunks stay").isBetween(1L, 8L);
  }

  @Test
  void listOfNumbers() {
    checkList(store.list("list", Codec.int64()), i -> i - 500L);
  }

  @Test
  void listOfShortNumbers() {
    checkList(store.list("list", Codec.int16()), i -> (short) (i - 500));
  }

  @Test
  void listOfTexts() {
    checkList(store.list("list", Codec.utf8()), i -> text(i, i % 40));
  }

  @Test
  void set() {
    PersistentSet<String> set = store.set("set", Codec.utf8());
    Set<String> expected = new HashSet<>();
    SplittableRandom random = new SplittableRandom(3);
    for (int round = 0; round < 10; round++) {
      int kept = round < 7 ? 70 : 20;
      store.run(
          tx -> {
            for (int i = 0; i < 100; i++) {
              String element = text(random.nextInt(300), 5);
              if (random.nextInt(100) < kept) {
                assertThat(set.add(tx, element)).isEqualTo(expected.add(element));
              } else {
                assertThat(set.remove(tx, element)).isEqualTo(expected.remove(element));
              }
              String other = text(random.nextInt(300), 5);
              assertThat(set.contains(tx, other)).isEqualTo(expected.contains(other));
            }
            assertThat(set.size(tx)).isEqualTo(expected.size());
            assertThat(set.stream(tx).toList()).containsExactlyInAnyOrderElementsOf(expected);
          });
    }
  }

  // ---- Blobs and counters.

  @Test
  void blob() {
    PersistentBlob blob = store.blob("blob");
    SplittableRandom random = new SplittableRandom(4);
    byte[] bytes = new byte[30_000];
    random.nextBytes(bytes);
    store.run(
        tx -> {
          blob.write(tx, 0, bytes);
          blob.truncate(tx, 10);
          blob.write(tx, 9000, new byte[] {1, 2}); // what lies between is 0 again
          assertThat(blob.length(tx)).isEqualTo(9002);
          byte[] expected = Arrays.copyOf(bytes, 9002);
          Arrays.fill(expected, 10, 9000, (byte) 0);
          expected[9000] = 1;
          expected[9001] = 2;
          assertThat(blob.read(tx, 0, 9002)).isEqualTo(expected);
          assertThat(blob.read(tx, 8999, 3)).containsExactly(0, 1, 2);
          blob.append(tx, new byte[] {3});
          assertThat(blob.read(tx, 9000, 3)).containsExactly(1, 2, 3);
          for (long at : List.of(0L, 9003L, 9004L, 20_000L, PersistentBlob.MAX_LENGTH)) {
            blob.write(tx, at, new byte[0]);
            assertThat(blob.length(tx)).as("no bytes written at %d", at).isEqualTo(9003);
          }
          for (int at = 0; at < 9003; at += 700) {
            blob.truncate(tx, 9003 - at);
            assertThat(blob.length(tx)).isEqualTo(9003 - at);
            assertThat(blob.read(tx, 0, 10)).isEqualTo(Arrays.copyOf(bytes, 10));
          }
          blob.truncate(tx, 0);
          assertThat(blob.read(tx, 0, 0)).isEmpty();
        });
    long length = store.read(blob::length);
    assertThat(length).isZero();
    assertThatThrownBy(() -> store.run(tx -> blob.read(tx, 0, 1)))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> store.run(tx -> blob.truncate(tx, 1)))
        .isInstanceOf(IndexOutOfBoundsException.class);
    MemorySegment closed;
    try (Arena arena = Arena.ofConfined()) {
      closed = arena.allocate(1).asSlice(0, 0);
    }
    assertThatThrownBy(() -> store.run(tx -> blob.write(tx, 0, closed)))
        .as("no bytes, of a segment that is closed")
        .isInstanceOf(IllegalStateException.class);
    for (int count = 0; count <= 2; count++) {
      byte[] source = new byte[count];
      assertThatThrownBy(() -> store.run(tx -> blob.write(tx, -1, source)))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  /** The blocks that a blob has follow its length, and come again. */
  @Test
  void aBlobHasTheBlocksThatItNeeds() {
    PersistentBlob blob = store.blob("blob");
    long[] blocks = new long[6];
    for (int i = 0; i < blocks.length; i++) {
      long length = i * 2000L;
      store.run(tx -> blob.write(tx, Math.max(0, length - 1), new byte[length == 0 ? 0 : 1]));
      blocks[i] = blocksInUse();
    }
    assertThat(blocks).isSorted();
    assertThat(blocks[5]).isGreaterThan(blocks[0] + 1);
    for (int i = blocks.length - 1; i >= 0; i--) {
      long length = i * 2000L;
      store.run(tx -> blob.truncate(tx, length));
      assertThat(blocksInUse()).as("%d bytes", length).isEqualTo(blocks[i]);
    }
  }

  @Test
  void counter() {
    PersistentCounter counter = store.counter("counter");
    store.run(
        tx -> {
          counter.add(tx, 5);
          counter.increment(tx);
          counter.add(tx, -2);
          assertThat(counter.get(tx)).isEqualTo(4);
        });
  }

  // ---- Hash tables.

  private static <T> void assertOnce(Map<T, Integer> shown) {
    assertThat(shown.values()).allMatch(times -> times == 1);
  }

  /** Walks through a map while it gets entries, loses them, and rolls back. */
  @Test
  void whatStaysIsShownOnceHoweverTheMapChanges() {
    PersistentMap<Long, Long> map = store.map("map", Codec.int64(), Codec.int64());
    int entries = 600;
    store.run(
        tx -> {
          for (long i = 0; i < entries; i++) {
            map.put(tx, i, -i);
          }
        });
    for (int seed = 1; seed <= 4; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Map<Long, Integer> shown = new HashMap<>();
      Set<Long> removed = new HashSet<>();
      store.call(
          tx -> {
            Savepoint beginning = tx.savepoint();
            Iterator<Long> keys = map.keys(tx).iterator();
            long added = entries;
            while (keys.hasNext()) {
              long key = keys.next();
              shown.merge(key, 1, Integer::sum);
              assertThat(removed).doesNotContain(key);
              switch (random.nextInt(20)) {
                case 0 -> {
                  Savepoint savepoint = tx.savepoint();
                  for (int i = 0; i < 40; i++) {
                    map.put(tx, added + i, 0L);
                  }
                  map.remove(tx, key);
                  tx.rollBack(savepoint);
                }
                case 1 -> {
                  if (added < 4L * entries) {
                    for (int i = 0; i < 60; i++) {
                      map.put(tx, added++, 0L);
                    }
                  }
                }
                case 2 -> map.remove(tx, key); // which was shown
                case 3 -> {
                  long other = random.nextInt(entries);
                  if (map.remove(tx, other) && !shown.containsKey(other)) {
                    removed.add(other);
                  }
                }
                default -> map.put(tx, key, 1L);
              }
            }
            assertThatThrownBy(keys::next).isInstanceOf(NoSuchElementException.class);
            tx.rollBack(beginning);
            return 0;
          });
      assertOnce(shown);
      for (long i = 0; i < entries; i++) {
        assertThat(shown.containsKey(i)).as("key %d", i).isNotEqualTo(removed.contains(i));
      }
    }
  }

  /** A transaction makes the table larger than its cursor found it, and takes that back. */
  @Test
  void aCursorGoesOnInATableThatWasLargerMeanwhile() {
    PersistentMap<Long, Long> map = store.map("map", Codec.int64(), Codec.int64());
    for (int i = 0; i < 10; i++) { // so that the table has as many buckets as it needs
      long from = i * 100L;
      store.run(
          tx -> {
            for (long key = from; key < from + 100; key++) {
              map.put(tx, key, key);
            }
          });
    }
    for (int shownBefore : new int[] {0, 1, 100, 990}) {
      store.call(
          tx -> {
            Savepoint savepoint = tx.savepoint();
            for (long key = 1000; key < 9000; key++) { // splits buckets within
              map.put(tx, key, key);
            }
            Map<Long, Integer> shown = new HashMap<>();
            Iterator<Long> keys = map.keys(tx).iterator();
            for (int i = 0; i < shownBefore * 9; i++) {
              shown.merge(keys.next(), 1, Integer::sum);
            }
            tx.rollBack(savepoint);
            keys.forEachRemaining(key -> shown.merge(key, 1, Integer::sum));
            assertOnce(shown);
            for (long key = 0; key < 1000; key++) {
              assertThat(shown).containsKey(key);
            }
            Iterator<Long> again = map.keys(tx).iterator();
            Map<Long, Integer> more = new HashMap<>();
            for (int i = 0; i < shownBefore; i++) {
              more.merge(again.next(), 1, Integer::sum);
            }
            for (long key = 1000; key < 9000; key++) {
              map.put(tx, key, key);
            }
            again.forEachRemaining(key -> more.merge(key, 1, Integer::sum));
            assertOnce(more);
            for (long key = 0; key < 1000; key++) {
              assertThat(more).containsKey(key);
            }
            tx.rollBack(savepoint);
            return 0;
          });
    }
  }

  private static long blocks(Tx tx, HashTable table) {
    long[] count = {0};
    table.visitBlocks(TxHandle.of(tx).words(), _ -> count[0]++);
    return count[0];
  }

  /** Buckets that continue others come with entries and go with them, within a transaction. */
  @Test
  void bucketsThatContinueOthersGoWithTheirEntries() {
    PersistentMap<Long, Long> map = store.map("map", Codec.int64(), Codec.int64());
    long address = map.address();
    HashTable table =
        store.read(tx -> Blocks.table(TxHandle.of(tx).words(), address, Long.BYTES, Long.BYTES));
    long empty = store.read(tx -> blocks(tx, table));
    store.run(
        tx -> {
          for (long key = 0; key < 2000; key++) {
            map.put(tx, key, key);
          }
          assertThat(blocks(tx, table)).isGreaterThan(empty + 2000 + 100);
          for (long key = 1999; key >= 0; key -= 2) {
            assertThat(map.remove(tx, key)).isTrue();
          }
          for (long key = 0; key < 2000; key++) {
            assertThat(map.get(tx, key)).isEqualTo(key % 2 == 0 ? key : null);
          }
          for (long key = 0; key < 2000; key += 2) {
            assertThat(map.remove(tx, key)).isTrue();
          }
          assertThat(blocks(tx, table)).isEqualTo(empty);
        });
    assertThat(store.<Long, RuntimeException>read(tx -> blocks(tx, table))).isEqualTo(empty);
  }

  // ---- Blocks of entries.

  private SortedMap<Long, Long> blocksOf() {
    return store.read(tx -> Blocks.inUse(TxHandle.of(tx).words()));
  }

  private static List<Long> lengths(SortedMap<Long, Long> blocks) {
    return blocks.values().stream().sorted().toList();
  }

  /**
   * A value that takes the place of another one has the block that it would have had alone, and the
   * same block as the one before if both are of one length.
   */
  private <K> void checkReplacements(KeyedCollection<K, String> map, K key) {
    int[] sizes = {0, 3, 4, 5, 11, 12, 13, 27, 28, 29, 60, 200};
    List<SortedMap<Long, Long>> alone = new ArrayList<>();
    for (int size : sizes) {
      store.run(tx -> map.put(tx, key, "v".repeat(size)));
      alone.add(blocksOf());
      store.run(tx -> map.remove(tx, key));
    }
    for (int i = 0; i < sizes.length; i++) {
      for (int j = 0; j < sizes.length; j++) {
        String first = "v".repeat(sizes[i]);
        String second = "w".repeat(sizes[j]);
        store.run(tx -> map.put(tx, key, first));
        SortedMap<Long, Long> before = blocksOf();
        store.run(tx -> map.put(tx, key, second));
        SortedMap<Long, Long> after = blocksOf();
        assertThat(lengths(after))
            .as("%d bytes in place of %d", sizes[j], sizes[i])
            .isEqualTo(lengths(alone.get(j)));
        if (lengths(alone.get(i)).equals(lengths(alone.get(j)))) {
          assertThat(after).as("%d bytes over %d", sizes[j], sizes[i]).isEqualTo(before);
        }
        store.run(tx -> assertThat(map.get(tx, key)).isEqualTo(second));
        store.run(tx -> map.remove(tx, key));
      }
    }
  }

  @Test
  void valuesAreReplacedInTheirBlocks() {
    checkReplacements(store.map("one", Codec.int64(), Codec.utf8()), 5L);
    checkReplacements(store.map("two", Codec.utf8(), Codec.utf8()), "the key");
    checkReplacements(store.sortedMap("three", Codec.int64(), Codec.utf8()), 5L);
    checkReplacements(store.sortedMap("four", Codec.utf8(), Codec.utf8()), "a key of a tree");
  }

  /** Returns two numbers whose keys have one tag in one stripe. */
  private <K> int[] withOneTag(PersistentMap<K, ?> map, Codec<K> keys, IntFunction<K> key) {
    long address = map.address();
    return store.read(
        tx -> {
          Words words = TxHandle.of(tx).words();
          int fixed = keys.fixedLength();
          HashTable table = Blocks.table(words, address, fixed, Codec.VARIABLE);
          Map<List<Long>, Integer> seen = new HashMap<>();
          for (int i = 0; ; i++) {
            keys.encode(key.apply(i), table.beginImage(words));
            long hash = table.endKey(words);
            Integer other =
                seen.put(
                    List.of(HashTableLayout.tag(hash), (long) HashTableLayout.stripe(hash)), i);
            if (other != null) {
              return new int[] {other, i};
            }
          }
        });
  }

  private <K> void checkOneTag(Codec<K> keys, IntFunction<K> key) {
    PersistentMap<K, String> map = store.map("map", keys, Codec.utf8());
    int[] pair = withOneTag(map, keys, key);
    K first = key.apply(pair[0]);
    K second = key.apply(pair[1]);
    assertThat(first).isNotEqualTo(second);
    store.run(tx -> map.put(tx, first, "first"));
    store.run(
        tx -> {
          assertThat(map.get(tx, second)).isNull();
          assertThat(map.containsKey(tx, second)).isFalse();
          assertThat(map.remove(tx, second)).isFalse();
          map.put(tx, second, "second");
        });
    store.run(
        tx -> {
          assertThat(map.get(tx, first)).isEqualTo("first");
          assertThat(map.get(tx, second)).isEqualTo("second");
          assertThat(map.remove(tx, first)).isTrue();
          assertThat(map.get(tx, first)).isNull();
          assertThat(map.get(tx, second)).isEqualTo("second");
        });
    assertThat(store.drop("map")).isTrue();
  }

  /** Two keys of which the slots tell the same: they differ in one word, or in their lengths. */
  @Test
  void keysOfOneTagAreToldApart() {
    checkOneTag(Codec.int64(), i -> i * 1_000_003L);
    checkOneTag(Codec.int32(), i -> i);
    checkOneTag(Codec.utf8(), i -> "the same" + (100_000 + i));
    checkOneTag(Codec.utf8(), i -> (100_000_000 + i) + "the same");
    checkOneTag(Codec.utf8(), i -> Integer.toBinaryString(i));
  }

  /** Entries that are longer than what a look-up reads at once, also the first that it reads. */
  @Test
  void longKeysAndValues() {
    PersistentMap<String, String> map = store.map("map", Codec.utf8(), Codec.utf8());
    Map<String, String> expected = new HashMap<>();
    for (int i = 30; i >= 0; i--) {
      String key = text(i, 1 + 33 * i);
      String value = text(i, i * i * 7 % 3001);
      store.run(tx -> map.put(tx, key, value));
      expected.put(key, value);
      store.run(tx -> assertThat(map.get(tx, key)).isEqualTo(value));
    }
    store.run(
        tx -> {
          Map<String, String> shown = new HashMap<>();
          map.forEach(tx, shown::put);
          assertThat(shown).isEqualTo(expected);
          for (String key : expected.keySet()) {
            assertThat(map.get(tx, key)).isEqualTo(expected.get(key));
            assertThat(map.containsKey(tx, key + "x")).isFalse();
            map.put(tx, key, key);
            assertThat(map.get(tx, key)).isEqualTo(key);
            assertThat(map.remove(tx, key)).isTrue();
          }
          assertThat(map.size(tx)).isZero();
        });
  }

  /** A table has few more blocks than entries, also if it has got them in small transactions. */
  @Test
  void aTableGrowsWithItsEntries() {
    PersistentMap<Long, Long> map = store.map("map", Codec.int64(), Codec.int64());
    long address = map.address();
    HashTable table =
        store.read(tx -> Blocks.table(TxHandle.of(tx).words(), address, Long.BYTES, Long.BYTES));
    for (long from = 0; from < 6000; from += 50) {
      long first = from;
      store.run(
          tx -> {
            for (long key = first; key < first + 50; key++) {
              map.put(tx, key, key);
            }
          });
    }
    store.read(
        tx -> {
          long buckets = 0;
          for (int stripe = 0; stripe < 64; stripe++) {
            long its = table.buckets().buckets(TxHandle.of(tx).words(), stripe);
            assertThat(its).as("stripe %d", stripe).isBetween(14L, 24L);
            buckets += its;
          }
          assertThat(buckets).isBetween(1000L, 1400L);
          assertThat(blocks(tx, table)).isLessThan(6000 + 600);
          return 0;
        });
  }

  /** Most of a table's first buckets are not 0 where another table was. */
  @Test
  void aMapIsEmptyWhereOthersWere() {
    for (int round = 0; round < 3; round++) {
      PersistentMap<Long, Long> map = store.map("map", Codec.int64(), Codec.int64());
      store.run(
          tx -> {
            assertThat(map.keys(tx).toList()).isEmpty();
            for (long key = 0; key < 1000; key++) {
              assertThat(map.get(tx, key)).isNull();
              map.put(tx, key, key);
            }
            assertThat(map.size(tx)).isEqualTo(1000);
          });
      assertThat(store.drop("map")).isTrue();
    }
  }
}
