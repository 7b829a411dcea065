package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.OrderedCodec;
import io.howdah.txn.Tx;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Collections end what they do, whatever the program does to what it was given or has passed. */
@Timeout(60)
final class KeysOfTheProgramTest {

  private static final int KEYS = 10;
  private static final List<Long> VALUES =
      IntStream.range(0, KEYS).mapToObj(each -> (long) each).toList();

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 24).withOrecs(1 << 12).withPartitions(1));

  @AfterEach
  void close() {
    store.close();
  }

  private PersistentSortedMap<byte[], Long> filled() {
    PersistentSortedMap<byte[], Long> map = store.sortedMap("map", Codec.bytes(), Codec.int64());
    store.run(tx -> VALUES.forEach(value -> map.put(tx, new byte[] {value.byteValue()}, value)));
    return map;
  }

  /** Changes a key that was shown, and another entry, which is in no range that is tested. */
  private static void change(PersistentSortedMap<byte[], Long> map, Tx tx, byte[] shown) {
    shown[0] ^= 1;
    map.put(tx, new byte[] {KEYS}, (long) KEYS);
  }

  @Test
  void anIteratorGoesOnBehindTheKeyThatIsStored() {
    PersistentSortedMap<byte[], Long> map = filled();
    store.run(
        tx -> {
          List<Long> seen = new ArrayList<>();
          Iterator<Map.Entry<byte[], Long>> all = map.entries(tx).iterator();
          while (all.hasNext() && seen.size() < 2 * KEYS) {
            Map.Entry<byte[], Long> entry = all.next();
            seen.add(entry.getValue());
            change(map, tx, entry.getKey());
          }
          assertThat(seen).startsWith(VALUES.toArray(Long[]::new)).hasSize(KEYS + 1);
        });
  }

  @Test
  void anIteratorBeginsWhereItsKeyWas() {
    PersistentSortedMap<byte[], Long> map = filled();
    store.run(
        tx -> {
          byte[] from = {3};
          Iterator<Map.Entry<byte[], Long>> rest = map.range(tx, Range.from(from)).iterator();
          change(map, tx, from);
          from[0] = 7;
          assertThat(rest.next().getValue()).isEqualTo(3);
        });
  }

  @Test
  void aScanGoesOnBehindTheKeyThatIsStored() {
    PersistentSortedMap<byte[], Long> map = filled();
    store.run(
        tx -> {
          List<Long> seen = new ArrayList<>();
          byte[] to = {KEYS - 1};
          map.scan(
              tx,
              new byte[] {1},
              to,
              (key, value) -> {
                seen.add(value);
                to[0] = 3;
                change(map, tx, key);
                return seen.size() < 2 * KEYS;
              });
          assertThat(seen).isEqualTo(VALUES.subList(1, KEYS - 1));
        });
  }

  /** Strings, decoded in upper case. */
  private static final class UpperCase implements OrderedCodec<String> {
    @Override
    public String name() {
      return "upper case";
    }

    @Override
    public void encode(String value, Encoder out) {
      Codec.utf8().encode(value, out);
    }

    @Override
    public String decode(Decoder in) {
      return Codec.utf8().decode(in).toUpperCase(Locale.ROOT);
    }
  }

  @Test
  void pollsAndAClearRemoveWhatIsStored() {
    PersistentSortedMap<String, Long> map = store.sortedMap("map", new UpperCase(), Codec.int64());
    store.run(tx -> VALUES.forEach(value -> map.put(tx, "key " + value, value)));
    store.run(
        tx -> {
          assertThat(map.pollFirst(tx)).isEqualTo(Map.entry("KEY 0", 0L));
          assertThat(map.pollLast(tx)).isEqualTo(Map.entry("KEY 9", 9L));
          assertThat(map.size(tx)).isEqualTo(KEYS - 2);
          map.clear(tx);
          assertThat(map.size(tx)).isZero();
          assertThat(map.pollFirst(tx)).isNull();
        });
  }

  @Test
  void aFunctionOfComputeThatChangesItsOwnKeyIsNotCalledForEver() {
    PersistentMap<Long, Long> map = store.map("map", Codec.int64(), Codec.int64());
    ConcurrentMap<Long, Long> view = map.asMap();
    assertThatThrownBy(() -> view.compute(1L, (key, _) -> 1 + view.merge(key, 1L, Long::sum)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("recursive update");
  }

  @Test
  void aClosedOrForeignSegmentIsRefusedBeforeAnythingIsWritten() {
    PersistentBlob blob = store.blob("blob");
    MemorySegment closed;
    try (Arena arena = Arena.ofConfined()) {
      closed = arena.allocate(100);
    }
    assertThatThrownBy(() -> store.run(tx -> blob.write(tx, 0, closed)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is closed");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment foreign = arena.allocate(100);
      List<Throwable> thrown = new ArrayList<>();
      Thread other =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      store.run(tx -> blob.write(tx, 0, foreign));
                    } catch (RuntimeException e) {
                      thrown.add(e);
                    }
                  });
      assertThat(join(other)).isTrue();
      assertThat(thrown).singleElement().isInstanceOf(WrongThreadException.class);
    }
    store.run(tx -> assertThat(blob.length(tx)).isZero());
  }

  private static boolean join(Thread thread) {
    try {
      return thread.join(Duration.ofSeconds(30));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
