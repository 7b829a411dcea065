package io.howdah.codec.derived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Shapes;
import java.lang.invoke.MethodHandles;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Classes of properties with defaults, as Kotlin compiles data classes. What {@code howdah-kotlin}
 * makes of Kotlin's own is tested there.
 */
final class DefaultedPropertiesTest {

  private static final class Marker {}

  /** {@code data class Order(val id: Long, val pieces: Int = 7, val note: String? = "of $id")}. */
  @SuppressWarnings("UnusedVariable") // read by the codec
  private static final class Order {
    private final long id;
    private final int pieces;
    private final @Nullable String note;

    private Order(long id, int pieces, @Nullable String note) {
      this.id = id;
      this.pieces = pieces;
      this.note = note;
    }

    /** The constructor of the defaults. */
    @SuppressWarnings("UnusedMethod") // called by the codec
    Order(long id, int pieces, @Nullable String note, int bits, @Nullable Marker marker) {
      this(id, (bits & 2) != 0 ? 7 : pieces, (bits & 4) != 0 ? "of " + id : note);
      assertThat(marker).isNull();
    }

    @Override
    public String toString() {
      return id + " " + pieces + " " + note;
    }
  }

  private static final class Texts implements Shapes {
    private final Map<String, String> texts = new HashMap<>();

    @Override
    public boolean isForKeys() {
      return false;
    }

    @Override
    public Entry open(
        String name, List<String> formerNames, UnaryOperator<@Nullable String> update) {
      String text = update.apply(texts.get(name));
      texts.put(name, text == null ? "" : text);
      return new Entry(name, texts.getOrDefault(name, ""));
    }

    @Override
    public @Nullable String text(String name) {
      return texts.get(name);
    }
  }

  private static RecordType.Component component(
      String name, Class<?> type, Codec<?> codec, boolean hasDefault) {
    return new RecordType.Component(
        name,
        List.of(),
        type,
        null,
        Part.of(name, codec),
        null,
        AbsentCodec.takesNull(codec),
        hasDefault,
        List.of());
  }

  private static <R> RecordType<R> type(
      Class<R> type, RecordType.Access access, RecordType.Component... components)
      throws IllegalAccessException {
    return new RecordType<>(
        type,
        MethodHandles.privateLookupIn(type, MethodHandles.lookup()),
        new TypeName("order", List.of(), 0),
        false,
        access,
        List.of(components));
  }

  private record Before(long id) {}

  private record Between(String note, long id) {}

  private static final RecordType.Component ID = component("id", long.class, Codec.int64(), false);

  private static RecordType<Order> order(boolean hasDefaults) throws IllegalAccessException {
    return type(
        Order.class,
        new RecordType.Access(true, Marker.class),
        ID,
        component("pieces", int.class, Codec.int32(), hasDefaults),
        component("note", String.class, Codecs.nullable(Codec.utf8()), hasDefaults));
  }

  @Test
  void fieldsAreWrittenAndReadByTheMadeClassAndByReflection() throws IllegalAccessException {
    RecordType<Order> type = order(true);
    for (Codec<Order> codec : List.of(RecordClass.make(type), ReflectedRecord.make(type))) {
      byte[] bytes = CodecBytes.encode(codec, new Order(5, -3, null));
      assertThat(bytes)
          .isEqualTo(CodecBytes.encode(new RecordCodec<>(type), new Order(5, -3, null)));
      assertThat(CodecBytes.decode(codec, bytes)).hasToString("5 -3 null");
    }
  }

  @Test
  void whatWasStoredWithoutAPropertyHasItsDefault() throws IllegalAccessException {
    Texts texts = new Texts();
    Codec<Before> before =
        new RecordCodec<>(type(Before.class, RecordType.Access.RECORD, ID)).bind(texts);
    byte[] first = CodecBytes.encode(before, new Before(5));
    Codec<Between> between =
        new RecordCodec<>(
                type(
                    Between.class,
                    RecordType.Access.RECORD,
                    component("note", String.class, Codecs.nullable(Codec.utf8()), false),
                    ID))
            .bind(texts);
    byte[] second = CodecBytes.encode(between, new Between("mine", 6));

    Codec<Order> after = new RecordCodec<>(order(true)).bind(texts);
    assertThat(CodecBytes.decode(after, first)).hasToString("5 7 of 5");
    assertThat(CodecBytes.decode(after, second)).hasToString("6 7 mine");
    assertThat(CodecBytes.roundTrip(after, new Order(1, 2, null))).hasToString("1 2 null");
  }

  @Test
  void aPropertyWithoutDefaultIsRefusedWhereItWasNotStored() throws IllegalAccessException {
    Texts texts = new Texts();
    Codec<?> _ = new RecordCodec<>(type(Before.class, RecordType.Access.RECORD, ID)).bind(texts);
    RecordCodec<Order> after = new RecordCodec<>(order(false));
    assertThatThrownBy(() -> after.bind(texts))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("pieces is new");
  }
}
