package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.txn.Savepoint;
import io.howdah.txn.TransactionAbortedException;
import io.howdah.txn.Tx;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A random walk through all collections of a store, beside the JDK's: operations, savepoints and
 * roll-backs, {@code orElse}, aborts, and iterators that stay open across all of them. A function
 * of its seed. Each step is an operation or a step of an iterator.
 */
final class CollectionWalk {

  private static final int KEYS = 300;
  private static final int MAX_OPEN = 6;

  /** More keys than a transaction may add without splitting buckets itself. */
  private static final int MANY = 5000;

  private final Supplier<WordStore> opener;
  private final SplittableRandom seeds;
  private WordStore store;
  private PersistentMap<String, String> map;
  private PersistentMap<Long, Long> numbers;
  private PersistentSortedMap<String, String> sorted;
  private PersistentSortedMap<Long, Long> sortedNumbers;
  private PersistentSet<String> set;
  private PersistentList<String> list;
  private PersistentQueue<String> queue;
  private PersistentBlob blob;
  private PersistentCounter counter;

  /** What the store should hold, and in a transaction what that should see. */
  private WalkState now = new WalkState();

  private SplittableRandom random = new SplittableRandom(0);
  private long queued;
  private final List<WalkIterator> open = new ArrayList<>();
  private long steps;

  CollectionWalk(long seed, Supplier<WordStore> opener) {
    this.opener = opener;
    this.seeds = new SplittableRandom(seed);
    open();
  }

  private void open() {
    store = opener.get();
    map = store.map("map", Codec.utf8(), Codec.utf8());
    numbers = store.map("numbers", Codec.int64(), Codec.int64());
    sorted = store.sortedMap("sorted", Codec.utf8(), Codec.utf8());
    sortedNumbers = store.sortedMap("sorted numbers", Codec.int64(), Codec.int64());
    set = store.set("set", Codec.utf8());
    list = store.list("list", Codec.utf8());
    queue = store.queue("queue", Codec.utf8());
    blob = store.blob("blob");
    counter = store.counter("counter");
  }

  WordStore store() {
    return store;
  }

  /** Returns how many steps were taken. */
  long steps() {
    return steps;
  }

  void reopen() {
    store.close();
    open();
  }

  /** Runs one transaction. */
  void transaction() {
    WalkState before = now;
    long queuedBefore = queued;
    long stepsBefore = steps;
    long seed = seeds.nextLong();
    boolean aborts = seeds.nextInt(8) == 0;
    try {
      store.run(
          tx -> {
            now = before.copy();
            queued = queuedBefore;
            steps = stepsBefore;
            random = new SplittableRandom(seed);
            part(tx, 1 + random.nextInt(60), 0);
            compare(tx, random.nextInt(100) == 0);
            if (aborts) {
              throw tx.abort();
            }
          });
    } catch (TransactionAbortedException e) {
      now = before;
    }
    open.clear();
  }

  private void part(Tx tx, int length, int depth) {
    List<Savepoint> savepoints = new ArrayList<>();
    List<WalkState> states = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      steps++;
      int what = random.nextInt(100);
      if (what < 5) {
        savepoints.add(tx.savepoint());
        states.add(now.copy());
      } else if (what < 9 && !savepoints.isEmpty()) {
        int to = random.nextInt(savepoints.size());
        tx.rollBack(savepoints.get(to));
        now = states.get(to).copy();
        savepoints.subList(to + 1, savepoints.size()).clear();
        states.subList(to + 1, states.size()).clear();
        changed(true);
      } else if (what < 12 && depth < 3) {
        orElse(tx, depth);
      } else if (what < 20 && open.size() < MAX_OPEN) {
        open.add(iterator(tx));
      } else if (what < 50 && !open.isEmpty()) {
        int which = random.nextInt(open.size());
        if (!open.get(which).step(now)) {
          open.remove(which);
        }
      } else {
        operation(tx);
        changed(false);
      }
    }
  }

  private void changed(boolean rolledBack) {
    open.forEach(iterator -> iterator.changed(now, rolledBack));
  }

  private void orElse(Tx tx, int depth) {
    WalkState before = now.copy();
    boolean retries = random.nextBoolean();
    counter.get(tx); // one that has read nothing cannot retry
    tx.orElse(
        inner -> {
          part(inner, random.nextInt(10), depth + 1);
          if (retries) {
            throw inner.retry();
          }
          return 0;
        },
        inner -> {
          now = before;
          changed(true);
          part(inner, random.nextInt(10), depth + 1);
          return 0;
        });
  }

  /** Returns a key; some are only longer than others by zero bytes, and may share their hash. */
  private String key() {
    int number = random.nextInt(KEYS);
    return number < KEYS / 4
        ? Character.toString('a' + number / Long.BYTES) + "\0".repeat(number % Long.BYTES)
        : "key " + number;
  }

  private String value() {
    int length = random.nextInt(50);
    length = length == 0 ? 20_000 : length < 5 ? random.nextInt(2000) : random.nextInt(40);
    return Character.toString('a' + random.nextInt(26)).repeat(length);
  }

  private byte[] bytes(int most) {
    byte[] bytes = new byte[random.nextInt(most)];
    Arrays.fill(bytes, (byte) random.nextInt());
    return bytes;
  }

  private void operation(Tx tx) {
    // Phases, so that collections grow and become empty again.
    boolean grows = (steps / 1000 & 1) == 0;
    boolean adds = random.nextInt(100) < (grows ? 75 : 30);
    switch (random.nextInt(10)) {
      case 0 -> changeMap(tx, adds);
      case 1 -> changeNumbers(tx, adds);
      case 2 -> changeSorted(tx, adds);
      case 3 -> changeSortedNumbers(tx, adds);
      case 4 -> {
        String key = key();
        if (adds) {
          assertThat(set.add(tx, key)).isEqualTo(now.set.add(key));
        } else {
          assertThat(set.remove(tx, key)).isEqualTo(now.set.remove(key));
        }
      }
      case 5 -> changeList(tx, adds);
      case 6 -> {
        if (adds) {
          WalkState.Queued element = new WalkState.Queued(queued++, value());
          queue.add(tx, element.value());
          now.queue.add(element);
        } else {
          WalkState.Queued element = now.queue.poll();
          assertThat(queue.poll(tx)).isEqualTo(element == null ? null : element.value());
        }
      }
      case 7 -> changeBlob(tx, adds);
      case 8 -> changeBlocks(tx, adds);
      default -> {
        counter.add(tx, steps);
        now.counter += steps;
      }
    }
  }

  private void changeMap(Tx tx, boolean adds) {
    String key = key();
    assertThat(map.get(tx, key)).isEqualTo(now.map.get(key));
    if (adds) {
      String value = value();
      map.put(tx, key, value);
      now.map.put(key, value);
    } else {
      assertThat(map.remove(tx, key)).isEqualTo(now.map.remove(key) != null);
    }
  }

  private void changeNumbers(Tx tx, boolean adds) {
    if (random.nextInt(3000) == 0) {
      for (long key = KEYS; key < KEYS + MANY; key++) {
        numbers.put(tx, key, key);
        now.numbers.put(key, key);
      }
      return;
    }
    long key = random.nextInt(KEYS);
    if (adds) {
      numbers.put(tx, key, steps);
      now.numbers.put(key, steps);
    } else {
      assertThat(numbers.remove(tx, key)).isEqualTo(now.numbers.remove(key) != null);
    }
    if (now.numbers.size() > KEYS) {
      List<Long> some = now.numbers.keySet().stream().limit(700).toList();
      for (long each : some) {
        assertThat(numbers.remove(tx, each)).isTrue();
        now.numbers.remove(each);
      }
    }
  }

  private void changeSorted(Tx tx, boolean adds) {
    String key = key();
    assertThat(sorted.floor(tx, key)).isEqualTo(now.sorted.floorEntry(key));
    if (adds) {
      String value = value();
      sorted.put(tx, key, value);
      now.sorted.put(key, value);
    } else {
      assertThat(sorted.remove(tx, key)).isEqualTo(now.sorted.remove(key) != null);
    }
  }

  private void changeSortedNumbers(Tx tx, boolean adds) {
    long key = random.nextInt(KEYS);
    assertThat(sortedNumbers.higher(tx, key)).isEqualTo(now.sortedNumbers.higherEntry(key));
    if (adds) {
      sortedNumbers.put(tx, key, steps);
      now.sortedNumbers.put(key, steps);
    } else {
      assertThat(sortedNumbers.remove(tx, key)).isEqualTo(now.sortedNumbers.remove(key) != null);
    }
    long to = random.nextInt(KEYS);
    List<Long> scanned = new ArrayList<>();
    sortedNumbers.scan(tx, key, to, (k, _) -> scanned.add(k) && scanned.size() < 20);
    List<Long> expected =
        to <= key
            ? List.of()
            : now.sortedNumbers.subMap(key, to).keySet().stream().limit(20).toList();
    assertThat(scanned).as("scan from %s to %s", key, to).isEqualTo(expected);
  }

  private void changeList(Tx tx, boolean adds) {
    if (adds) {
      String value = value();
      int index = random.nextInt(now.list.size() + 1);
      if (random.nextInt(5) != 0) {
        list.add(tx, value);
        now.list.add(value);
      } else {
        list.add(tx, index, value);
        now.list.add(index, value);
      }
    } else if (!now.list.isEmpty()) {
      int index = random.nextInt(now.list.size());
      if (random.nextInt(3) == 0) {
        String value = value();
        list.set(tx, index, value);
        now.list.set(index, value);
      } else {
        assertThat(list.remove(tx, index)).isEqualTo(now.list.remove(index));
      }
    }
  }

  private void changeBlob(Tx tx, boolean adds) {
    if (adds) {
      byte[] bytes = bytes(300);
      int offset = random.nextInt(Math.min(2000, now.blob.length + 100));
      blob.write(tx, offset, bytes);
      now.writeBlob(offset, bytes);
    } else {
      int length = random.nextInt(now.blob.length + 1);
      blob.truncate(tx, length);
      now.blob = Arrays.copyOf(now.blob, length);
    }
  }

  /** Blocks of the word level use what collections free. */
  private void changeBlocks(Tx tx, boolean adds) {
    if (adds) {
      byte[] bytes = Arrays.copyOf(bytes(200), 200);
      long block = tx.allocate(bytes.length);
      tx.write(block, bytes);
      now.blocks.put(block, bytes);
    } else if (!now.blocks.isEmpty()) {
      long block = now.blocks.keySet().iterator().next();
      byte[] found = new byte[200];
      tx.read(block, found);
      assertThat(found).isEqualTo(now.blocks.remove(block));
      tx.free(block);
    }
  }

  private WalkIterator iterator(Tx tx) {
    return switch (random.nextInt(9)) {
      case 0 -> new WalkIterator.Unordered<>(widen(map.iterator(tx)), s -> s.map, now);
      case 1 -> new WalkIterator.Unordered<>(widen(numbers.iterator(tx)), s -> s.numbers, now);
      case 2 ->
          new WalkIterator.Unordered<>(
              widen(set.stream(tx).map(e -> Map.entry(e, true)).iterator()),
              s -> s.set.stream().collect(java.util.stream.Collectors.toMap(e -> e, _ -> true)),
              now);
      case 3 ->
          new WalkIterator.Ordered<>(
              sorted.entries(tx).iterator(),
              (s, last) ->
                  copy(last == null ? s.sorted.firstEntry() : s.sorted.higherEntry(last.getKey())));
      case 4 ->
          new WalkIterator.Ordered<>(
              sorted.range(tx, Range.reversed(Range.all())).iterator(),
              (s, last) ->
                  copy(last == null ? s.sorted.lastEntry() : s.sorted.lowerEntry(last.getKey())));
      case 5 -> {
        long from = random.nextInt(KEYS);
        yield new WalkIterator.Ordered<>(
            sortedNumbers.range(tx, Range.from(from)).iterator(),
            (s, last) ->
                copy(
                    last == null
                        ? s.sortedNumbers.ceilingEntry(from)
                        : s.sortedNumbers.higherEntry(last.getKey())));
      }
      case 6 -> {
        long from = random.nextInt(KEYS);
        yield new WalkIterator.Ordered<>(
            sortedNumbers.range(tx, Range.reversed(Range.upTo(from))).iterator(),
            (s, last) ->
                copy(
                    last == null
                        ? s.sortedNumbers.floorEntry(from)
                        : s.sortedNumbers.lowerEntry(last.getKey())));
      }
      case 7 -> {
        int[] index = {0};
        yield new WalkIterator.Ordered<>(
            list.iterator(tx), (s, _) -> index[0] < s.list.size() ? s.list.get(index[0]++) : null);
      }
      default -> new WalkIterator.OfQueue(queue.stream(tx).iterator(), now);
    };
  }

  private static <K, V> Map.@Nullable Entry<K, V> copy(Map.@Nullable Entry<K, V> entry) {
    return entry == null ? null : Map.entry(entry.getKey(), entry.getValue());
  }

  @SuppressWarnings("unchecked") // entries are only read
  private static <K> Iterator<Map.Entry<K, ?>> widen(Iterator<? extends Map.Entry<K, ?>> entries) {
    return (Iterator<Map.Entry<K, ?>>) entries;
  }

  /** Compares the sizes, and perhaps all contents. */
  private void compare(Tx tx, boolean all) {
    assertThat(map.size(tx)).isEqualTo(now.map.size());
    assertThat(numbers.size(tx)).isEqualTo(now.numbers.size());
    assertThat(sorted.size(tx)).isEqualTo(now.sorted.size());
    assertThat(set.size(tx)).isEqualTo(now.set.size());
    assertThat(list.size(tx)).isEqualTo(now.list.size());
    assertThat(queue.size(tx)).isEqualTo(now.queue.size());
    assertThat(blob.length(tx)).isEqualTo(now.blob.length);
    assertThat(counter.get(tx)).isEqualTo(now.counter);
    if (all) {
      assertThat(map.asMap(tx)).isEqualTo(now.map);
      assertThat(numbers.asMap(tx)).isEqualTo(now.numbers);
      assertThat(sorted.entries(tx).toList()).isEqualTo(List.copyOf(now.sorted.entrySet()));
      assertThat(sortedNumbers.entries(tx).toList())
          .isEqualTo(List.copyOf(now.sortedNumbers.entrySet()));
      assertThat(set.stream(tx)).containsExactlyInAnyOrderElementsOf(now.set);
      assertThat(list.stream(tx).toList()).isEqualTo(now.list);
      assertThat(queue.stream(tx).toList())
          .isEqualTo(now.queue.stream().map(WalkState.Queued::value).toList());
      assertThat(blob.read(tx, 0, now.blob.length)).isEqualTo(now.blob);
    }
  }

  /** Compares all contents, in a transaction of its own. */
  void compare() {
    store.run(tx -> compare(tx, true));
  }
}
