package io.howdah.chroniclebytes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.collections.CollectionMismatchException;
import io.howdah.collections.PersistentMap;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import net.openhft.chronicle.bytes.BytesIn;
import net.openhft.chronicle.bytes.BytesMarshallable;
import net.openhft.chronicle.bytes.BytesOut;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MarshallableCodecTest {

  /** Marshals itself. */
  static final class Pair implements BytesMarshallable {
    private String text = "";
    private long number;

    static Pair of(String text, long number) {
      Pair pair = new Pair();
      pair.text = text;
      pair.number = number;
      return pair;
    }

    @Override
    public void writeMarshallable(BytesOut<?> bytes) {
      bytes.writeUtf8(text).writeStopBit(number);
    }

    @Override
    public void readMarshallable(BytesIn<?> bytes) {
      text = Objects.requireNonNull(bytes.readUtf8());
      number = bytes.readStopBit();
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Pair pair && pair.text.equals(text) && pair.number == number;
    }

    @Override
    public int hashCode() {
      return Objects.hash(text, number);
    }
  }

  /** Chronicle marshals its fields. */
  public static final class Open implements BytesMarshallable {
    public int first;
    public String second = "";

    public Open() {}
  }

  /** Reads more than a pair has. */
  static final class Wide implements BytesMarshallable {
    @Override
    public void writeMarshallable(BytesOut<?> bytes) {
      bytes.writeLong(0).writeLong(0);
    }

    @Override
    public void readMarshallable(BytesIn<?> bytes) {
      assertThat(bytes.readLong() + bytes.readLong()).isZero();
    }
  }

  /** Chronicle may not see its field. */
  static final class Hidden implements BytesMarshallable {
    private long field = 1;

    @Override
    public String toString() {
      return "Hidden " + field;
    }
  }

  /** Notes into what it is written. */
  static final class Noted implements BytesMarshallable {
    private final int length;
    private final List<Object> buffers;
    private final List<Long> capacities;

    Noted(int length, List<Object> buffers, List<Long> capacities) {
      this.length = length;
      this.buffers = buffers;
      this.capacities = capacities;
    }

    @Override
    public void writeMarshallable(BytesOut<?> bytes) {
      buffers.add(bytes);
      capacities.add(bytes.realCapacity());
      assertThat(bytes.writePosition()).isZero();
      bytes.write(new byte[length]);
    }

    @Override
    public void readMarshallable(BytesIn<?> bytes) {}
  }

  /** Fails for a reason of its own. */
  static final class Failing implements BytesMarshallable {
    @Override
    public void writeMarshallable(BytesOut<?> bytes) {
      throw new IllegalStateException("on purpose", new IllegalArgumentException("cause"));
    }

    @Override
    public void readMarshallable(BytesIn<?> bytes) {}
  }

  private static final Codec<Pair> PAIRS = MarshallableCodec.of(Pair.class, Pair::new);

  @TempDir private Path folder;

  @Test
  void keysAndValuesSurviveTheirProcess() {
    try (Store store = Store.open(folder)) {
      PersistentMap<Pair, Pair> map = store.map("pairs", PAIRS, PAIRS);
      store.run(
          tx -> {
            for (int i = 0; i < 1000; i++) {
              map.put(tx, Pair.of("key", i), Pair.of("é".repeat(i), -i));
            }
          });
    }
    try (Store store = Store.open(folder)) {
      PersistentMap<Pair, Pair> map = store.map("pairs", PAIRS, PAIRS);
      for (int i = 0; i < 1000; i++) {
        Pair key = Pair.of("key", i);
        assertThat(store.<Pair, RuntimeException>read(tx -> map.getOrDefault(tx, key, key)))
            .isEqualTo(Pair.of("é".repeat(i), -i));
      }
    }
  }

  @Test
  void publicFieldsNeedNoMethods() {
    try (Store store = Store.inMemory()) {
      PersistentMap<Long, Open> map =
          store.map("open", Codec.int64(), MarshallableCodec.of(Open.class, Open::new));
      Open open = new Open();
      open.first = 42;
      open.second = "text";
      store.run(tx -> map.put(tx, 1L, open));
      Open found = store.<Open, RuntimeException>read(tx -> map.getOrDefault(tx, 1L, new Open()));
      assertThat(found.first).isEqualTo(42);
      assertThat(found.second).isEqualTo("text");
    }
  }

  @Test
  void hiddenFieldsAreRefusedWithAdvice() {
    try (Store store = Store.inMemory()) {
      PersistentMap<Long, Hidden> map =
          store.map("hidden", Codec.int64(), MarshallableCodec.of(Hidden.class, Hidden::new));
      assertThatThrownBy(() -> store.run(tx -> map.put(tx, 1L, new Hidden())))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining(Hidden.class.getName())
          .hasMessageContaining("give the type writeMarshallable and readMarshallable");
      assertThat(store.read(map::size)).isZero();
    }
  }

  @Test
  void otherFailuresAreNotTakenForHiddenFields() {
    try (Store store = Store.inMemory()) {
      PersistentMap<Long, Failing> map =
          store.map("failing", Codec.int64(), MarshallableCodec.of(Failing.class, Failing::new));
      assertThatThrownBy(() -> store.run(tx -> map.put(tx, 1L, new Failing())))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("IllegalStateException: on purpose")
          .hasMessageNotContaining("give the type")
          .hasRootCauseMessage("cause");
    }
  }

  /** A buffer is used again, but not one that a large value has made large. */
  @Test
  void aLargeValueLeavesNoLargeBufferBehind() {
    List<Object> buffers = new ArrayList<>();
    List<Long> capacities = new ArrayList<>();
    Codec<Noted> codec = MarshallableCodec.of(Noted.class, () -> new Noted(0, buffers, capacities));
    try (Store store = Store.inMemory()) {
      PersistentMap<Long, Noted> map = store.map("noted", Codec.int64(), codec);
      for (int length : new int[] {100, 200_000, 100, 40_000, 100}) {
        store.run(tx -> map.put(tx, 1L, new Noted(length, buffers, capacities)));
      }
    }
    assertThat(buffers.get(1)).isSameAs(buffers.get(0));
    assertThat(buffers.get(2)).isNotSameAs(buffers.get(1));
    assertThat(capacities.get(2)).isEqualTo(capacities.get(0)).isLessThan(1000);
    assertThat(buffers.get(4)).isSameAs(buffers.get(2)).isSameAs(buffers.get(3));
    assertThat(capacities.get(4)).isBetween(40_000L, 1L << 16);
  }

  @Test
  void aCodecIsShownByItsName() {
    assertThat(PAIRS).hasToString(PAIRS.name());
  }

  @Test
  void anotherTypeDoesNotOpenTheMap() {
    try (Store store = Store.inMemory()) {
      store.map("m", Codec.int64(), PAIRS);
      assertThatThrownBy(
              () -> store.map("m", Codec.int64(), MarshallableCodec.of(Open.class, Open::new)))
          .isInstanceOf(CollectionMismatchException.class)
          .hasMessageContaining(Pair.class.getName())
          .hasMessageContaining(Open.class.getName());
    }
  }

  @Test
  void bytesOfAnotherVersionAreRefusedByName() {
    Codec<Pair> before = MarshallableCodec.of("versioned", Pair::new);
    Codec<Wide> after = MarshallableCodec.of("versioned", Wide::new);
    try (Store store = Store.inMemory()) {
      PersistentMap<Long, Pair> written = store.map("m", Codec.int64(), before);
      store.run(tx -> written.put(tx, 1L, Pair.of("", 0)));
      PersistentMap<Long, Wide> read = store.map("m", Codec.int64(), after);
      assertThatThrownBy(() -> store.read(tx -> read.getOrDefault(tx, 1L, new Wide())))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("bytes-marshallable versioned")
          .hasMessageContaining("another version");
    }
  }

  @Test
  void manyThreadsShareACodec() throws InterruptedException {
    try (Store store = Store.inMemory()) {
      PersistentMap<Pair, Pair> map = store.map("pairs", PAIRS, PAIRS);
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 8; t++) {
        int thread = t;
        threads.add(
            Thread.ofVirtual()
                .start(
                    () -> {
                      for (int i = 0; i < 500; i++) {
                        Pair key = Pair.of("thread " + thread, i);
                        store.run(
                            tx -> map.put(tx, key, Pair.of("x".repeat(key.text.length()), 1)));
                      }
                    }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(store.read(map::size)).isEqualTo(4000);
      assertThat(
              store.<Boolean, RuntimeException>read(
                  tx -> map.containsKey(tx, Pair.of("thread 7", 499))))
          .isTrue();
    }
  }
}
