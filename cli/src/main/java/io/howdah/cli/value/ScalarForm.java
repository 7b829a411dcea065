package io.howdah.cli.value;

import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.derived.Codecs;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A value without parts.
 *
 * @param isText whether it is a string in JSON
 * @param show makes a string, a number or a boolean of it
 * @param parse throws {@link IllegalArgumentException} or {@link DateTimeException}
 */
record ScalarForm<T>(
    Codec<T> codec,
    boolean isSelfDelimiting,
    boolean isText,
    Function<T, Object> show,
    Function<String, T> parse)
    implements ValueForm {

  /** All of them; a name that begins with another one stands before it. */
  static final List<ScalarForm<?>> ALL =
      List.of(
          text(Codec.utf8(), text -> text, text -> text),
          number(Codec.int64(), NumberText::int64),
          number(Codec.int32(), NumberText::int32),
          number(
              Codec.int16(),
              text -> (short) NumberText.whole(text, Short.MIN_VALUE, Short.MAX_VALUE)),
          number(
              Codec.int8(), text -> (byte) NumberText.whole(text, Byte.MIN_VALUE, Byte.MAX_VALUE)),
          new ScalarForm<>(
              Codec.float64(),
              false,
              false,
              v -> Double.isFinite(v) ? v : v.toString(),
              NumberText::float64),
          new ScalarForm<>(
              Codec.float32(),
              false,
              false,
              v -> Float.isFinite(v) ? v : v.toString(),
              NumberText::float32),
          new ScalarForm<>(Codec.bool(), false, false, v -> v, ScalarForm::truth),
          text(Codec.character(), String::valueOf, ScalarForm::character),
          text(Codec.bytes(), HexFormat.of()::formatHex, HexFormat.of()::parseHex),
          text(Codecs.instant(), Instant::toString, Instant::parse),
          text(Codecs.duration(), Duration::toString, Duration::parse),
          text(Codecs.localDateTime(), LocalDateTime::toString, LocalDateTime::parse),
          text(Codecs.localDate(), LocalDate::toString, LocalDate::parse),
          text(Codecs.localTime(), LocalTime::toString, LocalTime::parse),
          text(Codecs.offsetDateTime(), OffsetDateTime::toString, OffsetDateTime::parse),
          text(Codecs.zonedDateTime(), ZonedDateTime::toString, ZonedDateTime::parse),
          text(Codecs.uuid(), UUID::toString, ScalarForm::uuid),
          new ScalarForm<>(Codecs.bigInteger(), true, false, v -> v, NumberText::bigInteger),
          new ScalarForm<>(Codecs.decimal(), true, false, v -> v, NumberText::bigDecimal));

  private static <T> ScalarForm<T> text(
      Codec<T> codec, Function<T, String> show, Function<String, T> parse) {
    return new ScalarForm<>(codec, false, true, show::apply, parse);
  }

  private static <T extends Number> ScalarForm<T> number(
      Codec<T> codec, Function<String, T> parse) {
    return new ScalarForm<>(codec, false, false, v -> v, parse);
  }

  private static Boolean truth(String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("expected true or false");
    };
  }

  private static Character character(String text) {
    if (text.length() != 1) {
      throw new IllegalArgumentException("expected one character");
    }
    return text.charAt(0);
  }

  /** {@link UUID#fromString} takes shorter texts, too, which another UUID stands for. */
  private static UUID uuid(String text) {
    UUID value = UUID.fromString(text);
    if (!value.toString().equalsIgnoreCase(text)) {
      throw new IllegalArgumentException("expected 32 digits");
    }
    return value;
  }

  @Override
  public String name() {
    return codec.name();
  }

  @Override
  public int fixedLength() {
    return codec.fixedLength();
  }

  @Override
  public void encode(@Nullable Object tree, Encoder out) {
    if (tree == null
        || tree instanceof List
        || tree instanceof Map
        || (isText && !(tree instanceof String))) {
      throw new ValueException(JsonTree.of(tree) + " is no " + name());
    }
    codec.encode(of(tree.toString()), out);
  }

  /**
   * Returns the tree of a value that is written without quotes.
   *
   * @throws ValueException if the text is no such value
   */
  Object read(String text) {
    return show.apply(of(text));
  }

  private T of(String text) {
    try {
      return parse.apply(text);
    } catch (IllegalArgumentException | DateTimeException e) {
      throw new ValueException("\"" + text + "\" is no " + name() + ": " + e.getMessage(), e);
    }
  }

  @Override
  public Object decode(Decoder in) {
    return show.apply(codec.decode(in));
  }
}
