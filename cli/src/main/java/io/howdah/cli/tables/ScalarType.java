package io.howdah.cli.tables;

import io.howdah.cli.catalogue.DataException;
import io.howdah.cli.value.DescribedCodec;
import io.howdah.cli.value.JsonTree;
import io.howdah.cli.value.JsonValue;
import io.howdah.cli.value.NumberText;
import io.howdah.cli.value.ValueException;
import io.howdah.codec.Codec;
import io.howdah.codec.OrderedCodec;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A type of keys or values that has a form as text: of a codec that this program has, or of any one
 * by its description.
 *
 * @param codec how the store holds them; its name is the type's
 * @param parse throws {@link IllegalArgumentException}
 * @param isText whether it is a string in JSON
 */
record ScalarType<T>(Codec<T> codec, Function<String, T> parse, boolean isText) {

  static final ScalarType<String> UTF8 = new ScalarType<>(Codec.utf8(), text -> text, true);

  private static final List<ScalarType<?>> ALL =
      List.of(
          UTF8,
          new ScalarType<>(Codec.int64(), NumberText::int64, false),
          new ScalarType<>(Codec.int32(), NumberText::int32, false),
          new ScalarType<>(Codec.float64(), NumberText::float64, false),
          new ScalarType<>(Codec.bool(), ScalarType::truth, false));

  private static Boolean truth(String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("expected true or false");
    };
  }

  /** Returns the type of a codec's name, or null. */
  static @Nullable ScalarType<?> named(String name) {
    return ALL.stream().filter(type -> type.name().equals(name)).findFirst().orElse(null);
  }

  /** Returns the type of any codec that a structure was created with. */
  static ScalarType<JsonValue> described(DescribedCodec codec) {
    return new ScalarType<>(codec, codec::parse, false);
  }

  /** Returns all names, for messages. */
  static String names() {
    return ALL.stream().map(ScalarType::name).collect(Collectors.joining(", "));
  }

  String name() {
    return codec.name();
  }

  /** Returns the codec of keys in order: all types that have names have one. */
  OrderedCodec<T> ordered() {
    if (codec instanceof OrderedCodec<T> ordered) {
      return ordered;
    }
    throw new DataException("keys of type " + name() + " have no order");
  }

  /** Returns what a field holds; {@code place} is for the message if that is something else. */
  T of(Row.Field field, String column, String place) {
    if (holdsText() && field instanceof Row.Json(String json) && json.equals("null")) {
      throw new DataException(
          "%s: column \"%s\" holds null, which is no %s; leave the row out, or write a string"
              .formatted(place, column, name()));
    }
    try {
      // Where a text is JSON, a string of JSON has its quotes.
      boolean isString = takesJson() && field instanceof Row.Quoted;
      return parse.apply(isString ? JsonTree.of(field.text()) : field.text());
    } catch (IllegalArgumentException e) {
      throw new DataException(
          "%s: column \"%s\" holds \"%s\", which is no %s: %s"
              .formatted(place, column, field.text(), name(), e.getMessage()),
          e);
    } catch (ValueException e) {
      throw new DataException("%s: column \"%s\": %s".formatted(place, column, e.getMessage()), e);
    }
  }

  private boolean takesJson() {
    return codec instanceof DescribedCodec described && described.takesJson();
  }

  private boolean holdsText() {
    return codec instanceof DescribedCodec described ? described.isText() : isText;
  }

  /** Returns a value as a field. */
  Row.Field field(T value) {
    if (value instanceof JsonValue json) {
      return json.tree() instanceof String text && !takesJson()
          ? new Row.Text(text)
          : new Row.Json(json.toString());
    }
    boolean isNumber = !(value instanceof Double d) || Double.isFinite(d);
    return isText || !isNumber ? new Row.Text(value.toString()) : new Row.Json(value.toString());
  }
}
