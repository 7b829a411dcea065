package io.howdah.jackson;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonAlias;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.collections.PersistentMap;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Values that Jackson writes, in a store. */
final class JacksonCodecTest {

  @TempDir private Path folder;

  /** Some kinds of properties. */
  public record Order(String customer, int pieces, Instant at, Map<String, List<Integer>> notes) {}

  /** The first version of a type. */
  public record Item1(String name, int pieces, @Nullable String color) {}

  /** The second version: a property is gone, and there is another one. */
  public record Item2(@Nullable String name, int pieces, @Nullable String size, long cents) {}

  /** A third version, which cannot be read: a number has become a list. */
  public record Item3(String name, List<Integer> pieces) {}

  /** A fourth version, in which a property has another name. */
  public record Item4(@JsonAlias("name") String title, int pieces) {}

  /** A type that Jackson refuses to write. */
  public static final class Refused {
    /** Fails. */
    @SuppressWarnings("DoNotCallSuggester") // Jackson calls it
    public String getName() {
      throw new IllegalStateException("no name");
    }
  }

  /**
   * Names another type than the codec's, as a new version of the program does that has renamed it.
   */
  private record Renamed<T>(String name, Codec<T> codec) implements Codec<T> {
    @Override
    public void encode(T value, Encoder out) {
      codec.encode(value, out);
    }

    @Override
    public T decode(Decoder in) {
      return codec.decode(in);
    }
  }

  private Store open() {
    return Store.open(folder, StoreOptions.defaults().withMaxSize(1 << 20));
  }

  private static <V> V get(Store store, PersistentMap<Long, V> map, long key) {
    return store.read(tx -> requireNonNull(map.get(tx, key)));
  }

  @Test
  void valuesAreThereAfterTheNextOpening() {
    Order order =
        new Order(
            "Zoë 🫖", 3, Instant.parse("2026-11-30T07:00:00.123Z"), Map.of("a", List.of(1, 2)));
    try (Store store = open()) {
      PersistentMap<Long, Order> orders =
          store.map("orders", Codec.int64(), JacksonCodec.of(Order.class));
      store.run(tx -> orders.put(tx, 7L, order));
    }
    try (Store store = open()) {
      PersistentMap<Long, Order> orders =
          store.map("orders", Codec.int64(), JacksonCodec.of(Order.class));
      assertThat(get(store, orders, 7L)).isEqualTo(order);
    }
  }

  @Test
  void typesWithParametersAreReadAsSuch() {
    JacksonCodec<Map<String, Set<Order>>> codec =
        JacksonCodec.of(new TypeReference<>() {}, JsonMapper.shared());
    Map<String, Set<Order>> value = Map.of("x", Set.of(new Order("c", 1, Instant.EPOCH, Map.of())));
    try (Store store = open()) {
      PersistentMap<Long, Map<String, Set<Order>>> map = store.map("sets", Codec.int64(), codec);
      store.run(tx -> map.put(tx, 1L, value));
      assertThat(get(store, map, 1L)).isEqualTo(value);
    }
  }

  /** What another version of the type has written is read by the rules of Jackson. */
  @Test
  void anotherVersionOfTheTypeReadsWhatWasWritten() {
    try (Store store = open()) {
      PersistentMap<Long, Item1> items =
          store.map("items", Codec.int64(), named(JacksonCodec.of(Item1.class)));
      store.run(tx -> items.put(tx, 1L, new Item1("pot", 3, "red")));
    }
    try (Store store = open()) {
      PersistentMap<Long, Item2> items =
          store.map("items", Codec.int64(), named(JacksonCodec.of(Item2.class)));
      assertThat(get(store, items, 1L)).isEqualTo(new Item2("pot", 3, null, 0));
      store.run(tx -> items.put(tx, 2L, new Item2("cup", 1, "small", 250)));
    }
    try (Store store = open()) { // the older program again
      PersistentMap<Long, Item1> items =
          store.map("items", Codec.int64(), named(JacksonCodec.of(Item1.class)));
      assertThat(get(store, items, 2L)).isEqualTo(new Item1("cup", 1, null));
    }
    try (Store store = open()) {
      PersistentMap<Long, Item3> items =
          store.map("items", Codec.int64(), named(JacksonCodec.of(Item3.class)));
      assertThatThrownBy(() -> get(store, items, 1L))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("Item3 cannot read");
    }
    try (Store store = open()) {
      PersistentMap<Long, Item4> items =
          store.map("items", Codec.int64(), named(JacksonCodec.of(Item4.class)));
      assertThat(get(store, items, 1L)).isEqualTo(new Item4("pot", 3));
      store.run(tx -> items.put(tx, 2L, requireNonNull(items.get(tx, 2L))));
    }
    try (Store store = open()) { // what the other program has skipped is lost
      PersistentMap<Long, Item2> items =
          store.map("items", Codec.int64(), named(JacksonCodec.of(Item2.class)));
      assertThat(get(store, items, 2L)).isEqualTo(new Item2(null, 1, null, 0));
    }
    try (Store store = open()) {
      JsonMapper strict =
          JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();
      PersistentMap<Long, Item2> items =
          store.map("items", Codec.int64(), named(JacksonCodec.of(Item2.class, strict)));
      assertThatThrownBy(() -> get(store, items, 1L))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("color");
    }
  }

  private static <T> Codec<T> named(Codec<T> codec) {
    return new Renamed<>("item", codec);
  }

  @Test
  void theNameHasTheFormatAndTheType() {
    assertThat(JacksonCodec.of(Order.class).name())
        .isEqualTo("jackson/JSON/io.howdah.jackson.JacksonCodecTest$Order");
    try (Store store = open()) {
      store.map("orders", Codec.int64(), JacksonCodec.of(Order.class));
    }
    try (Store store = open()) {
      assertThatThrownBy(() -> store.map("orders", Codec.int64(), JacksonCodec.of(Item1.class)))
          .hasMessageContaining("jackson/JSON/");
    }
  }

  @Test
  void whatCannotBeWrittenIsRefusedAndChangesNothing() {
    try (Store store = open()) {
      PersistentMap<Long, Refused> map =
          store.map("refused", Codec.int64(), JacksonCodec.of(Refused.class));
      assertThatThrownBy(() -> store.run(tx -> map.put(tx, 1L, new Refused())))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("Refused cannot write a value")
          .hasMessageContaining("no name");
      assertThat((boolean) store.read(tx -> map.containsKey(tx, 1L))).isFalse();
    }
  }

  /** Bytes that are no JSON, that end too early or are nested without end are refused. */
  @Test
  void bytesOfAnotherKindAreRefused() {
    String deep = "[".repeat(200_000);
    for (String text : List.of("", "{", "{\"customer\":\"a\"} x", "null", "7", "\u0000", deep)) {
      try (Store store = open()) {
        PersistentMap<Long, String> texts =
            store.map("texts", Codec.int64(), new Renamed<>("value", Codec.utf8()));
        store.run(tx -> texts.put(tx, 1L, text));
      }
      try (Store store = open()) {
        PersistentMap<Long, Order> orders =
            store.map("texts", Codec.int64(), new Renamed<>("value", JacksonCodec.of(Order.class)));
        assertThatThrownBy(() -> get(store, orders, 1L))
            .as(text.substring(0, Math.min(20, text.length())))
            .isInstanceOf(CodecException.class)
            .hasMessageContaining("JacksonCodecTest$Order");
      }
    }
  }
}
