package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.codec.EncryptionKeys;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.derived.Codecs;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Views find what a program has read, also if its class compares by identity: arrays, records that
 * hold arrays, classes without {@code equals}, and lists of these.
 */
final class SameValuesTest {

  /** Compares its array by identity. */
  @SuppressWarnings("ArrayRecordComponent") // that is the point
  public record Document(String name, byte[] body) {}

  /** Compares by identity. */
  static final class Opaque {
    private final int number;

    Opaque(int number) {
      this.number = number;
    }
  }

  /** Encrypts with a nonce, so equal values have different bytes. */
  private static final class OneKey implements EncryptionKeys {
    @Override
    public int current() {
      return 1;
    }

    @Override
    public SecretKey key(int number) {
      return new SecretKeySpec(new byte[16], "AES");
    }
  }

  /** A kind of values: how to make one anew of a number, and its codec. */
  record Kind<V>(String name, Codec<V> codec, Function<Integer, V> make) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static byte[] bytes(int number) {
    return new byte[] {1, (byte) number};
  }

  private static final List<Kind<?>> KINDS =
      List.of(
          new Kind<>("bytes", Codec.bytes(), SameValuesTest::bytes),
          new Kind<>("longs", Codecs.of(long[].class), number -> new long[] {number, 2}),
          new Kind<>("text", Codec.utf8(), number -> "text " + number),
          new Kind<>(
              "record", Codecs.of(Document.class), number -> new Document("name", bytes(number))),
          new Kind<>(
              "class",
              Codecs.map("opaque", Codec.int32(), Opaque::new, (Opaque opaque) -> opaque.number),
              Opaque::new),
          new Kind<>(
              "list", Codecs.list(Codec.bytes()), number -> List.of(bytes(number), bytes(0))),
          new Kind<>(
              "encrypted",
              Codecs.encrypted(Codec.utf8(), new OneKey()),
              number -> "secret " + number));

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 24).withOrecs(1 << 12).withPartitions(2));

  @AfterEach
  void close() {
    store.close();
  }

  static Stream<Kind<?>> kinds() {
    return KINDS.stream();
  }

  /** Calls a check with every view of a map with such values, which is empty each time. */
  private <V> void withViews(Kind<V> kind, Consumer<ConcurrentMap<Long, V>> check) {
    PersistentMap<Long, V> map = store.map("map", Codec.int64(), kind.codec());
    PersistentSortedMap<Long, V> sorted = store.sortedMap("sorted", Codec.int64(), kind.codec());
    List<ConcurrentMap<Long, V>> views =
        List.of(
            map.asMap(),
            sorted.asMap(),
            sorted.asMap().tailMap(-5L),
            sorted.asMap().descendingMap());
    for (ConcurrentMap<Long, V> view : views) {
      check.accept(view);
      assertThat(view).isEmpty();
    }
    store.run(
        tx -> {
          check.accept(map.asMap(tx));
          check.accept(sorted.asMap(tx));
        });
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void valuesAreFoundAndRemoved(Kind<?> kind) {
    found(kind);
  }

  private <V> void found(Kind<V> kind) {
    withViews(
        kind,
        view -> {
          for (long key = 0; key < 4; key++) {
            view.put(key, kind.make().apply((int) key));
          }
          V zero = kind.make().apply(0);
          V other = kind.make().apply(9);
          assertThat(view.containsValue(zero)).isTrue();
          assertThat(view.containsValue(other)).isFalse();
          assertThat(view.values().contains(zero)).isTrue();
          assertThat(view.values().contains(other)).isFalse();
          assertThat(view.values().containsAll(List.of(zero, kind.make().apply(3)))).isTrue();
          assertThat(view.values().contains(new Object())).isFalse();
          assertThat(view.entrySet().contains(Map.entry(0L, zero))).isTrue();
          assertThat(view.entrySet().contains(Map.entry(1L, zero))).isFalse();
          assertThat(view.remove(1L, zero)).isFalse();
          assertThat(view.replace(1L, zero, other)).isFalse();
          assertThat(view.replace(1L, kind.make().apply(1), other)).isTrue();
          assertThat(view.remove(1L, kind.make().apply(9))).isTrue();
          assertThat(view.values().remove(other)).isFalse();
          assertThat(view.values().remove(zero)).isTrue();
          assertThat(view).containsOnlyKeys(2L, 3L);
          assertThat(view.entrySet().remove(Map.entry(2L, kind.make().apply(3)))).isFalse();
          assertThat(view.entrySet().remove(Map.entry(2L, kind.make().apply(2)))).isTrue();
          assertThat(view.values().removeAll(List.of(kind.make().apply(3)))).isTrue();
        });
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void whatBelongsToAnotherCollectionIsKeptOrRemovedWhicheverIsLarger(Kind<?> kind) {
    belongs(kind);
  }

  private <V> void belongs(Kind<V> kind) {
    withViews(
        kind,
        view -> {
          for (int many : new int[] {0, 10}) {
            List<V> values = new ArrayList<>(List.of(kind.make().apply(1), kind.make().apply(2)));
            List<Entry<Long, V>> entries =
                new ArrayList<>(
                    List.of(
                        Map.entry(1L, kind.make().apply(1)), Map.entry(2L, kind.make().apply(2))));
            for (int i = 0; i < many; i++) {
              values.add(kind.make().apply(100 + i));
              entries.add(Map.entry(100L + i, kind.make().apply(100 + i)));
            }
            fill(kind, view);
            assertThat(view.values().removeAll(values)).isTrue();
            assertThat(view).containsOnlyKeys(3L);
            fill(kind, view);
            assertThat(view.values().retainAll(values)).isTrue();
            assertThat(view.values().retainAll(values)).isFalse();
            assertThat(view).containsOnlyKeys(1L, 2L);
            fill(kind, view);
            assertThat(view.entrySet().removeAll(entries)).isTrue();
            assertThat(view).containsOnlyKeys(3L);
            fill(kind, view);
            assertThat(view.entrySet().retainAll(new HashSet<>(entries))).isTrue();
            assertThat(view).containsOnlyKeys(1L, 2L);
            Entry<Long, V> ofAnotherValue = Map.entry(2L, kind.make().apply(9));
            assertThat(view.entrySet().removeAll(List.of(ofAnotherValue))).isFalse();
            assertThat(view.entrySet().retainAll(List.of(entries.get(0), ofAnotherValue))).isTrue();
            assertThat(view).containsOnlyKeys(1L);
          }
          view.clear();
        });
  }

  private static <V> void fill(Kind<V> kind, Map<Long, V> view) {
    for (int key = 1; key <= 3; key++) {
      view.put((long) key, kind.make().apply(key));
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void mapsAndEntriesAreEqual(Kind<?> kind) {
    equal(kind);
  }

  private <V> void equal(Kind<V> kind) {
    PersistentMap<Long, V> twin = store.map("twin", Codec.int64(), kind.codec());
    fill(kind, twin.asMap());
    withViews(
        kind,
        view -> {
          fill(kind, view);
          assertThat(view.equals(twin.asMap())).isTrue();
          assertThat(view.entrySet().equals(twin.asMap().entrySet())).isTrue();
          assertThat(view.entrySet().iterator().next().equals(view.entrySet().iterator().next()))
              .isTrue();
          view.put(2L, kind.make().apply(9));
          assertThat(view.equals(twin.asMap())).isFalse();
          assertThat(view.entrySet().equals(twin.asMap().entrySet())).isFalse();
          view.remove(2L);
          assertThat(view.equals(twin.asMap())).isFalse();
          assertThat((Object) view).isNotEqualTo(Map.of("text", 1, "other", 2));
          view.clear();
        });
  }

  @Test
  void entriesWithArraysHaveTheHashOfTheirElements() {
    withViews(
        new Kind<>("bytes", Codec.bytes(), SameValuesTest::bytes),
        view -> {
          view.put(1L, bytes(1));
          int hash = view.hashCode();
          assertThat(view.hashCode()).isEqualTo(hash);
          assertThat(new HashSet<>(view.entrySet())).containsAll(view.entrySet());
          view.put(1L, bytes(2));
          assertThat(view.hashCode()).isNotEqualTo(hash);
          view.clear();
        });
  }

  @Test
  void keysThatAreArraysAreRemovedAndKeptWhicheverCollectionIsLarger() {
    OrderedCodec<byte[]> keys = Codec.bytes();
    List<ConcurrentMap<byte[], Long>> views =
        List.of(
            store.map("map", keys, Codec.int64()).asMap(),
            store.sortedMap("sorted", keys, Codec.int64()).asMap(),
            store.sortedMap("sorted", keys, Codec.int64()).asMap().descendingMap());
    for (ConcurrentMap<byte[], Long> view : views) {
      view.put(bytes(1), 1L);
      view.put(bytes(2), 2L);
      List<byte[]> many = Collections.nCopies(10, bytes(1));
      assertThat(view.keySet().retainAll(many)).isTrue();
      assertThat(view.values()).containsExactly(1L);
      Entry<byte[], Long> entry = view.entrySet().iterator().next();
      assertThat(entry.equals(Map.entry(bytes(1), 1L))).isTrue();
      assertThat(entry.equals(Map.entry(bytes(2), 1L))).isFalse();
      assertThat(view.keySet().removeAll(many)).isTrue();
      assertThat(view).isEmpty();
    }
  }

  @Test
  void listsAndQueuesFindTheirElements() {
    PersistentList<byte[]> list = store.list("list", Codec.bytes());
    store.run(
        tx -> {
          List<byte[]> view = list.asList(tx);
          view.addAll(List.of(bytes(1), bytes(2), bytes(1), bytes(3)));
          assertThat(view.indexOf(bytes(1))).isZero();
          assertThat(view.lastIndexOf(bytes(1))).isEqualTo(2);
          assertThat(view.indexOf(bytes(4))).isEqualTo(-1);
          assertThat(view.contains(bytes(2))).isTrue();
          assertThat(view.equals(List.of(bytes(1), bytes(2), bytes(1), bytes(3)))).isTrue();
          assertThat(view.equals(List.of(bytes(1), bytes(2), bytes(1), bytes(4)))).isFalse();
          assertThat(view.hashCode()).isEqualTo(list.asList(tx).hashCode());
          assertThat(view.remove(bytes(2))).isTrue();
          assertThat(view.remove(bytes(2))).isFalse();
          assertThat(view.removeAll(List.of(bytes(1)))).isTrue();
          assertThat(view.retainAll(List.of(bytes(3)))).isFalse();
          assertThat(view).hasSize(1);
        });
    BlockingQueue<byte[]> queue = store.queue("queue", Codec.bytes()).asBlockingQueue();
    queue.add(bytes(1));
    assertThat(queue.contains(bytes(1))).isTrue();
    assertThat(queue.contains(bytes(2))).isFalse();
  }
}
