package io.howdah.cli.value;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON trees as text. */
public final class JsonTree {

  private static final JsonFactory JSON =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private JsonTree() {}

  /** Returns a tree in one line. */
  public static String of(@Nullable Object tree) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(text)) {
      write(tree, json);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // a StringWriter never fails
    }
    return text.toString();
  }

  private static void write(@Nullable Object tree, JsonGenerator json) throws IOException {
    switch (tree) {
      case null -> json.writeNull();
      case Boolean truth -> json.writeBoolean(truth);
      case BigDecimal number -> json.writeNumber(number.toString());
      case BigInteger number -> json.writeNumber(number);
      case Double number -> json.writeNumber(number);
      case Float number -> json.writeNumber(number);
      case Number number -> json.writeNumber(number.longValue());
      case List<?> list -> {
        json.writeStartArray();
        for (Object element : list) {
          write(element, json);
        }
        json.writeEndArray();
      }
      case Map<?, ?> map -> {
        json.writeStartObject();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
          json.writeFieldName(String.valueOf(entry.getKey()));
          write(entry.getValue(), json);
        }
        json.writeEndObject();
      }
      default -> json.writeString(tree.toString());
    }
  }

  /**
   * Returns the tree of a text. Numbers keep every digit.
   *
   * @throws ValueException if it is not JSON, or more than one value
   */
  public static @Nullable Object parse(String text) {
    try (JsonParser parser = JSON.createParser(text)) {
      if (parser.nextToken() == null) {
        throw new ValueException("an empty text is not JSON");
      }
      Object tree = read(parser);
      if (parser.nextToken() != null) {
        throw new ValueException(text + " is more than one JSON value");
      }
      return tree;
    } catch (JsonProcessingException e) {
      throw new ValueException(text + " is not JSON: " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // a String never fails
    }
  }

  private static @Nullable Object read(JsonParser parser) throws IOException {
    return switch (parser.currentToken()) {
      case START_OBJECT -> {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
          String name = parser.currentName();
          parser.nextToken();
          map.put(name, read(parser));
        }
        yield map;
      }
      case START_ARRAY -> {
        List<@Nullable Object> list = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          list.add(read(parser));
        }
        yield list;
      }
      case VALUE_NULL -> null;
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NUMBER_INT -> parser.getBigIntegerValue();
      case VALUE_NUMBER_FLOAT -> {
        BigDecimal number = parser.getDecimalValue(); // has no negative zero
        yield number.signum() == 0 && parser.getText().startsWith("-") ? (Number) (-0.0) : number;
      }
      default -> parser.getText();
    };
  }
}
