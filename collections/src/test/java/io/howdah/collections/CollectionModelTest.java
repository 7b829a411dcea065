package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.codec.OrderedCodec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random operations on each collection, and on its counterpart in {@code java.util}. {@code
 * -Dhowdah.modelSteps=1000000} takes at least so many steps with each collection, in rounds that
 * differ in their seed; a failure names its seed, which {@code -Dhowdah.modelSeed} takes.
 */
@Tag("scaled")
final class CollectionModelTest {

  /** One in so many of the steps of a campaign. */
  private static final int SHARE = Integer.getInteger("howdah.stride", 6);

  private static final int OPERATIONS = 20_000 / SHARE;
  private static final int SET_STEPS = 5000 / SHARE;
  private static final int LIST_STEPS = 3000 / SHARE;
  private static final int QUEUE_ROUNDS = 300 / SHARE;
  private static final int QUEUE_STEPS = 20;
  private static final int BLOB_STEPS = 300 / SHARE;
  private static final int STEPS = Integer.getInteger("howdah.modelSteps", 0);
  private static final long SEED = Long.getLong("howdah.modelSeed", 7);

  /** One check of a collection that is new, from its first operation to its last. */
  private interface Round {
    void check(String name, SplittableRandom random);
  }

  /** Checks a collection as often as it takes to make all steps, each time a new one. */
  private void repeat(String name, int stepsEach, Round round) {
    for (int i = 0; i == 0 || (long) i * stepsEach < STEPS; i++) {
      long seed = SEED + i;
      try {
        round.check(name + " " + i, new SplittableRandom(seed));
        drop();
      } catch (AssertionError e) {
        throw new AssertionError(name + ", -Dhowdah.modelSeed=" + seed, e);
      }
    }
  }

  private void drop() {
    for (String name : List.copyOf(store.read(store::collections).keySet())) {
      assertThat(store.drop(name)).isTrue();
    }
    Blocks.assertNothingLeaks(store);
  }

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 26).withOrecs(1 << 14).withPartitions(2));

  @AfterEach
  void close() {
    Blocks.assertNothingLeaks(store);
    store.close();
  }

  private static String word(SplittableRandom random, int alphabet, int longest) {
    char[] chars = new char[random.nextInt(longest + 1)];
    for (int i = 0; i < chars.length; i++) {
      chars[i] = (char) ((alphabet == 2 ? 0 : 'a') + random.nextInt(alphabet));
    }
    return new String(chars);
  }

  private <K, V> void checkMap(
      OrderedCodec<K> keys, Codec<V> values, IntFunction<K> key, IntFunction<V> value) {
    repeat(
        keys.name(),
        OPERATIONS,
        (name, random) -> checkMap(name, random, keys, values, key, value));
  }

  private <K, V> void checkMap(
      String name,
      SplittableRandom random,
      OrderedCodec<K> keys,
      Codec<V> values,
      IntFunction<K> key,
      IntFunction<V> value) {
    PersistentMap<K, V> map = store.map("map " + name, keys, values);
    PersistentSortedMap<K, V> sorted = store.sortedMap("sorted " + name, keys, values);
    Map<K, V> expected = new HashMap<>();
    TreeMap<K, V> expectedSorted = new TreeMap<>();
    for (int i = 0; i < OPERATIONS; ) {
      int end = i + 1 + random.nextInt(20);
      int from = i;
      long seed = random.nextLong();
      int growth = i < OPERATIONS / 2 ? 70 : 35;
      store.run(
          tx -> {
            SplittableRandom inner = new SplittableRandom(seed);
            for (int j = from; j < end; j++) {
              K k = key.apply(inner.nextInt());
              if (inner.nextInt(100) < growth) {
                V v = value.apply(inner.nextInt());
                map.put(tx, k, v);
                sorted.put(tx, k, v);
                expected.put(k, v);
                expectedSorted.put(k, v);
              } else {
                boolean was = expected.remove(k) != null;
                expectedSorted.remove(k);
                assertThat(map.remove(tx, k)).isEqualTo(was);
                assertThat(sorted.remove(tx, k)).isEqualTo(was);
              }
              K other = key.apply(inner.nextInt());
              assertThat(map.get(tx, other)).isEqualTo(expected.get(other));
              assertThat(sorted.get(tx, other)).isEqualTo(expected.get(other));
              assertThat(sorted.floor(tx, other)).isEqualTo(expectedSorted.floorEntry(other));
              assertThat(sorted.ceiling(tx, other)).isEqualTo(expectedSorted.ceilingEntry(other));
              assertThat(sorted.lower(tx, other)).isEqualTo(expectedSorted.lowerEntry(other));
              assertThat(sorted.higher(tx, other)).isEqualTo(expectedSorted.higherEntry(other));
            }
          });
      i = end;
    }
    assertThat(expected).isNotEmpty();
    store.read(
        tx -> {
          assertThat(map.size(tx)).isEqualTo(expected.size());
          assertThat(sorted.size(tx)).isEqualTo(expected.size());
          Map<K, V> found = new HashMap<>();
          map.forEach(tx, (k, v) -> assertThat(found.put(k, v)).isNull());
          assertThat(found).isEqualTo(expected);
          assertThat(sorted.entries(tx).toList()).isEqualTo(List.copyOf(expectedSorted.entrySet()));
          assertThat(sorted.range(tx, Range.reversed(Range.all())).toList())
              .isEqualTo(List.copyOf(expectedSorted.descendingMap().entrySet()));
          List<K> scanned = new ArrayList<>();
          K middle = expectedSorted.keySet().stream().skip(expected.size() / 2).findFirst().get();
          sorted.scan(tx, null, middle, (k, _) -> scanned.add(k));
          assertThat(scanned).isEqualTo(List.copyOf(expectedSorted.headMap(middle).keySet()));
          return 0;
        });
    Blocks.assertNothingLeaks(store);
  }

  @Test
  void mapsOfNumbersToNumbers() {
    checkMap(Codec.int64(), Codec.int64(), i -> (long) (i % 3000), i -> (long) i);
  }

  @Test
  void mapsOfNumbersToShortValues() {
    checkMap(Codec.int32(), Codec.int16(), i -> i % 2000, i -> (short) i);
  }

  @Test
  void mapsOfNumbersToStrings() {
    checkMap(
        Codec.int64(),
        Codec.utf8(),
        i -> (long) i % 3000 * 0x1_0000_0001L,
        i -> word(new SplittableRandom(i), 26, i % 100 == 0 ? 30_000 : 60));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 26})
  void mapsOfStringsToNumbers(int alphabet) {
    // With two letters, one of them zero, many keys are the beginnings of others.
    checkMap(
        Codec.utf8(),
        Codec.int64(),
        i -> word(new SplittableRandom(i % 4000), alphabet, alphabet == 2 ? 20 : 12),
        i -> (long) i);
  }

  @Test
  void sets() {
    repeat("set", SET_STEPS, this::checkSet);
  }

  private void checkSet(String name, SplittableRandom random) {
    PersistentSet<String> set = store.set(name, Codec.utf8());
    HashSet<String> expected = new HashSet<>();
    store.run(
        tx -> {
          for (int i = 0; i < SET_STEPS; i++) {
            String element = word(new SplittableRandom(random.nextInt(1000)), 26, 30);
            if (random.nextBoolean()) {
              assertThat(set.add(tx, element)).isEqualTo(expected.add(element));
            } else {
              assertThat(set.remove(tx, element)).isEqualTo(expected.remove(element));
            }
            assertThat(set.contains(tx, element)).isEqualTo(expected.contains(element));
          }
          assertThat(set.size(tx)).isEqualTo(expected.size());
          assertThat(set.stream(tx)).hasSize(expected.size()).allMatch(expected::contains);
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void lists(boolean inline) {
    repeat(
        inline ? "numbers" : "strings",
        LIST_STEPS,
        (name, random) -> {
          if (inline) {
            checkList(store.list(name, Codec.int32()), random, i -> i);
          } else {
            checkList(
                store.list(name, Codec.utf8()), random, i -> word(new SplittableRandom(i), 26, 40));
          }
        });
  }

  private <E> void checkList(
      PersistentList<E> list, SplittableRandom random, IntFunction<E> element) {
    List<E> expected = new ArrayList<>();
    store.run(
        tx -> {
          for (int i = 0; i < LIST_STEPS; i++) {
            E e = element.apply(random.nextInt());
            int size = expected.size();
            switch (random.nextInt(size == 0 ? 2 : 6)) {
              case 0, 1 -> {
                list.add(tx, e);
                expected.add(e);
              }
              case 2 -> {
                int at = random.nextInt(size + 1);
                list.add(tx, at, e);
                expected.add(at, e);
              }
              case 3 -> {
                int at = random.nextInt(size);
                list.set(tx, at, e);
                expected.set(at, e);
              }
              case 4 -> {
                int at = random.nextInt(size);
                assertThat(list.remove(tx, at)).isEqualTo(expected.remove(at));
              }
              default -> {
                int at = random.nextInt(size);
                assertThat(list.get(tx, at)).isEqualTo(expected.get(at));
              }
            }
          }
          assertThat(list.stream(tx).toList()).isEqualTo(expected);
          assertThat(list.size(tx)).isEqualTo(expected.size());
        });
  }

  @Test
  void queues() {
    repeat("queue", QUEUE_ROUNDS * QUEUE_STEPS, this::checkQueue);
  }

  private void checkQueue(String name, SplittableRandom random) {
    PersistentQueue<String> queue = store.queue(name, Codec.utf8());
    ArrayDeque<String> expected = new ArrayDeque<>();
    for (int round = 0; round < QUEUE_ROUNDS; round++) {
      int adding = round % 50 < 25 ? 70 : 30;
      store.run(
          tx -> {
            for (int i = 0; i < QUEUE_STEPS; i++) {
              if (random.nextInt(100) < adding) {
                String e = word(random, 26, 50);
                queue.add(tx, e);
                expected.add(e);
              } else {
                assertThat(queue.peek(tx)).isEqualTo(expected.peek());
                assertThat(queue.poll(tx)).isEqualTo(expected.poll());
              }
            }
          });
      Blocks.assertNothingLeaks(store);
    }
    store.run(
        tx -> {
          assertThat(queue.size(tx)).isEqualTo(expected.size());
          assertThat(queue.stream(tx).toList()).isEqualTo(List.copyOf(expected));
        });
  }

  @Test
  void countersAndBlobs() {
    repeat("blob", BLOB_STEPS, this::checkCounterAndBlob);
  }

  private void checkCounterAndBlob(String name, SplittableRandom random) {
    PersistentCounter counter = store.counter("counter " + name);
    PersistentBlob blob = store.blob(name);
    byte[] expected = new byte[300_000];
    int[] length = {0};
    for (int i = 0; i < BLOB_STEPS; i++) {
      int n = i;
      store.run(
          tx -> {
            counter.add(tx, n);
            byte[] part = new byte[random.nextInt(5000)];
            random.nextBytes(part);
            int at = random.nextInt(Math.min(length[0] + 3000, expected.length - part.length));
            if (part.length > 0 && at > length[0]) {
              Arrays.fill(expected, length[0], at, (byte) 0);
            }
            blob.write(tx, at, part);
            System.arraycopy(part, 0, expected, at, part.length);
            length[0] = part.length == 0 ? length[0] : Math.max(length[0], at + part.length);
            if (n % 10 == 9) {
              length[0] = random.nextInt(length[0] + 1);
              blob.truncate(tx, length[0]);
            }
            assertThat(blob.length(tx)).isEqualTo(length[0]);
            assertThat(blob.read(tx, 0, length[0])).isEqualTo(Arrays.copyOf(expected, length[0]));
          });
    }
    assertThat((long) store.read(counter::get)).isEqualTo((BLOB_STEPS - 1L) * BLOB_STEPS / 2);
  }
}
