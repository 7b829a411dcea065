package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.derived.Codecs;
import io.howdah.core.TransactionStateException;
import io.howdah.txn.Tx;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What callers of {@code java.util} rely on beside the results of single calls. */
final class ViewContractsTest {

  private static final int MAX_CALLS = 10;

  /** Has no equals that goes by its bytes. */
  @SuppressWarnings("ArrayRecordComponent") // that is the point
  record Document(byte[] bytes) {
    static Document of(int length) {
      return new Document(new byte[length]);
    }
  }

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 24).withOrecs(1 << 12).withPartitions(2));

  @AfterEach
  void close() {
    store.close();
  }

  private static void compute(ConcurrentMap<String, Document> view) {
    AtomicInteger calls = new AtomicInteger();
    view.put("a", Document.of(1));
    view.compute("a", (_, old) -> longer(old, calls));
    view.merge("a", Document.of(0), (old, _) -> longer(old, calls));
    view.computeIfPresent("a", (_, old) -> longer(old, calls));
    view.replaceAll((_, old) -> longer(old, calls));
    assertThat(view.get("a").bytes()).hasSize(5);
    assertThat(calls).hasValue(4);
    view.computeIfPresent("a", (_, _) -> null);
    assertThat(view).isEmpty();
  }

  private static Document longer(Document old, AtomicInteger calls) {
    assertThat(calls.incrementAndGet()).as("calls").isLessThan(MAX_CALLS);
    return Document.of(old.bytes().length + 1);
  }

  @Test
  void aValueWithoutEqualsIsComputedOnce() {
    PersistentMap<String, Document> map = store.map("map", Codec.utf8(), Codecs.of(Document.class));
    PersistentSortedMap<String, Document> sorted =
        store.sortedMap("sorted", Codec.utf8(), Codecs.of(Document.class));
    compute(map.asMap());
    compute(sorted.asMap());
    compute(sorted.asMap().headMap("b"));
    store.run(
        tx -> {
          compute(map.asMap(tx));
          compute(sorted.asMap(tx));
        });
  }

  @Test
  void aFunctionIsCalledAgainIfItsValueHasChanged() {
    PersistentMap<String, Long> map = store.map("map", Codec.utf8(), Codec.int64());
    ConcurrentMap<String, Long> view = map.asMap();
    List<Long> seen = new ArrayList<>();
    Long computed =
        view.compute(
            "a",
            (key, old) -> {
              seen.add(old == null ? 0 : old);
              if (seen.size() < 3) {
                view.put(key, seen.size() * 10L); // functions run outside of transactions
              } else if (seen.size() == 3) {
                view.remove(key);
              }
              return old == null ? 1 : old + 1;
            });
    assertThat(seen).containsExactly(0L, 10L, 20L, 0L);
    assertThat(computed).isOne();
    assertThat(view).containsExactly(Map.entry("a", 1L));
    assertThatThrownBy(
            () ->
                store
                    .sortedMap("sorted", Codec.utf8(), Codec.int64())
                    .asMap()
                    .headMap("b")
                    .compute("c", (_, _) -> 1L))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** A stream that relies on a size which another transaction has changed fails. */
  @Test
  void streamsDoNotRelyOnTheSize() {
    PersistentMap<String, Long> map = store.map("map", Codec.utf8(), Codec.int64());
    PersistentSortedMap<String, Long> sorted =
        store.sortedMap("sorted", Codec.utf8(), Codec.int64());
    map.asMap().put("a", 1L);
    sorted.asMap().putAll(Map.of("a", 1L, "b", 2L));
    for (Collection<?> each :
        List.of(
            map.asMap().keySet(),
            map.asMap().values(),
            map.asMap().entrySet(),
            sorted.asMap().keySet(),
            sorted.asMap().descendingKeySet(),
            sorted.asMap().values(),
            sorted.asMap().entrySet(),
            store.queue("queue", Codec.int64()).asBlockingQueue())) {
      Spliterator<?> spliterator = each.spliterator();
      assertThat(spliterator.hasCharacteristics(Spliterator.SIZED)).as("%s", each).isFalse();
      assertThat(spliterator.hasCharacteristics(Spliterator.NONNULL)).isTrue();
      assertThat(each.stream().toList()).isEqualTo(List.copyOf(each));
    }
    Spliterator<String> keys = sorted.asMap().descendingKeySet().spliterator();
    assertThat(
            keys.hasCharacteristics(
                Spliterator.SORTED | Spliterator.ORDERED | Spliterator.DISTINCT))
        .isTrue();
    assertThat(keys.getComparator().compare("a", "b")).isPositive();
    assertThat(sorted.asMap().descendingKeySet().stream().sorted()).containsExactly("a", "b");
    assertThatThrownBy(map.asMap().keySet().spliterator()::getComparator)
        .isInstanceOf(IllegalStateException.class);
  }

  /** Numbers; calls a hook whenever it has decoded one. */
  private static final class Watched implements Codec<Long> {
    private Runnable hook = () -> {};

    @Override
    public String name() {
      return "watched";
    }

    @Override
    public int fixedLength() {
      return Long.BYTES;
    }

    @Override
    public void encode(Long value, Encoder out) {
      out.putLong(value);
    }

    @Override
    public Long decode(Decoder in) {
      long value = in.getLong();
      hook.run();
      return value;
    }
  }

  @Test
  void aCopyIsMadeWhileOthersWrite() throws Exception {
    Watched values = new Watched();
    PersistentMap<Long, Long> map = store.map("map", Codec.int64(), values);
    ConcurrentMap<Long, Long> view = map.asMap();
    for (long i = 0; i < 50; i++) {
      view.put(i, 0L);
    }
    AtomicInteger decoded = new AtomicInteger();
    values.hook =
        () -> {
          int count = decoded.incrementAndGet();
          if (count < 500 && count % 10 == 0) {
            Thread writer =
                Thread.ofPlatform().start(() -> store.run(tx -> writeAll(tx, map, count)));
            join(writer);
          }
        };
    List<Long> copy = List.copyOf(view.values());
    assertThat(copy).hasSize(50).containsOnly(copy.getFirst());
    assertThat(decoded.get()).as("the copy was begun again once at most").isLessThan(120);
    values.hook = () -> {};
    assertThat(view.containsKey(1L)).isTrue();
  }

  private static void writeAll(Tx tx, PersistentMap<Long, Long> map, long to) {
    for (long i = 0; i < 50; i++) {
      map.put(tx, i, to);
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aListTakesItsOwnElementsAndAnIteratorStaysWhereItIsWhenItRefusesOne() {
    PersistentList<String> list = store.list("list", Codec.utf8());
    store.run(
        tx -> {
          List<String> view = list.asList(tx);
          view.addAll(List.of("a", "b"));
          view.addAll(list.asList(tx));
          view.addAll(1, view.subList(0, 2));
          assertThat(view).containsExactly("a", "a", "b", "b", "a", "b");
          var all = view.listIterator();
          assertThatThrownBy(() -> all.add(nothing())).isInstanceOf(NullPointerException.class);
          assertThat(all.nextIndex()).isZero();
          assertThat(all.next()).isEqualTo("a");
          view.clear();
          assertThatThrownBy(all::next).isInstanceOf(NoSuchElementException.class);
        });
  }

  @SuppressWarnings("NullAway") // that is the point
  private static String nothing() {
    return null;
  }

  /** The reason is not lost where java.util swallows the first exception. */
  @Test
  @SuppressWarnings("EqualsIncompatibleType") // that is the point
  void afterARefusedCallTheTransactionSaysWhyItHasEnded() {
    PersistentMap<String, Long> map = store.map("map", Codec.utf8(), Codec.int64());
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      ConcurrentMap<String, Long> view = map.asMap(tx);
                      view.put("a", 1L);
                      assertThat(Map.of(1, 1L).equals(view)).isFalse(); // asks for a key 1
                      view.get("a");
                    }))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("ClassCastException")
        .hasCauseInstanceOf(ClassCastException.class);
    assertThat(map.asMap()).isEmpty();
  }
}
