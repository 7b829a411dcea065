package io.howdah.cli.imports;

import io.howdah.codec.Codec;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.derived.Codecs;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A type of keys or values that an import keeps.
 *
 * @param name how users name it, as in {@code --keys}
 * @param type its class
 * @param codec what the store keeps it by
 * @param bytes makes bytes that are equal if, and only if, the values are
 * @param <T> the values
 */
public record ImportType<T>(
    String name, Class<T> type, OrderedCodec<T> codec, Function<T, byte[]> bytes) {

  /** Bytes, as they are. */
  public static final ImportType<byte[]> BYTES =
      new ImportType<>("bytes", byte[].class, Codec.bytes(), Function.identity());

  /** Texts. */
  public static final ImportType<String> UTF8 =
      new ImportType<>(
          "utf8", String.class, Codec.utf8(), text -> text.getBytes(StandardCharsets.UTF_8));

  /** Whole numbers of 64 bits. */
  public static final ImportType<Long> INT64 =
      new ImportType<>("int64", Long.class, Codec.int64(), ImportType::bytesOf);

  /** Whole numbers of 32 bits. */
  public static final ImportType<Integer> INT32 =
      new ImportType<>("int32", Integer.class, Codec.int32(), ImportType::bytesOf);

  /** Whole numbers of 16 bits. */
  public static final ImportType<Short> INT16 =
      new ImportType<>("int16", Short.class, Codec.int16(), ImportType::bytesOf);

  /** Whole numbers of 8 bits. */
  public static final ImportType<Byte> INT8 =
      new ImportType<>("int8", Byte.class, Codec.int8(), ImportType::bytesOf);

  /** True and false. */
  public static final ImportType<Boolean> BOOL =
      new ImportType<>("bool", Boolean.class, Codec.bool(), is -> bytesOf(is ? 1 : 0));

  /** Characters of 16 bits. */
  public static final ImportType<Character> CHARACTER =
      new ImportType<>("character", Character.class, Codec.character(), c -> bytesOf((long) c));

  /** Floating-point numbers of 64 bits. */
  public static final ImportType<Double> FLOAT64 =
      new ImportType<>(
          "float64", Double.class, Codec.float64(), d -> bytesOf(Double.doubleToLongBits(d)));

  /** Floating-point numbers of 32 bits. */
  public static final ImportType<Float> FLOAT32 =
      new ImportType<>(
          "float32", Float.class, Codec.float32(), f -> bytesOf(Float.floatToIntBits(f)));

  /** UUIDs. */
  public static final ImportType<UUID> UNIQUE_ID =
      new ImportType<>(
          "uuid",
          UUID.class,
          Codecs.uuid(),
          id ->
              ByteBuffer.allocate(2 * Long.BYTES)
                  .putLong(id.getMostSignificantBits())
                  .putLong(id.getLeastSignificantBits())
                  .array());

  private static final List<ImportType<?>> ALL =
      List.of(BYTES, UTF8, INT64, INT32, INT16, INT8, BOOL, CHARACTER, FLOAT64, FLOAT32, UNIQUE_ID);

  private static byte[] bytesOf(Number number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number.longValue()).array();
  }

  /** Returns the type of a name, or null. */
  public static @Nullable ImportType<?> named(String name) {
    return ALL.stream().filter(type -> type.name.equals(name)).findFirst().orElse(null);
  }

  /** Returns the type that was named, or bytes where none was. */
  public static ImportType<?> orBytes(@Nullable ImportType<?> named) {
    return named == null ? BYTES : named;
  }

  /** Returns the type of an object, or null if an import keeps none of its class. */
  public static @Nullable ImportType<?> of(@Nullable Object object) {
    return ALL.stream().filter(type -> type.type.isInstance(object)).findFirst().orElse(null);
  }

  /** Returns all names, for messages. */
  public static String names() {
    return ALL.stream().map(ImportType::name).collect(Collectors.joining(", "));
  }
}
