package io.howdah.cli.tables;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.howdah.cli.catalogue.DataException;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A JSON object on each line; rows may differ in what they name. Lines end in LF, CRLF or CR; empty
 * ones are passed over.
 */
final class JsonLinesReader implements RowReader {

  private static final JsonFactory JSON =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();
  private final ByteInput in;
  private final FieldBuffer line;

  JsonLinesReader(ByteInput in) {
    this.in = in;
    this.line = new FieldBuffer(in, false);
    in.skipByteOrderMark();
  }

  @Override
  public List<String> columns() {
    return List.of();
  }

  @Override
  public @Nullable Row next() throws IOException {
    while (true) {
      line.startRow();
      int c = in.read();
      if (c == ByteInput.END) {
        return null;
      }
      for (; c != ByteInput.END && !in.isAtLineStart(); c = in.read()) {
        line.add(c);
      }
      String text = line.take().strip();
      if (!text.isEmpty()) {
        return parse(text, in::lastPlace);
      }
    }
  }

  /**
   * Parses one object.
   *
   * @param what names the text in messages
   */
  static Row parse(String text, Supplier<String> what) throws IOException {
    List<String> names = new ArrayList<>();
    List<Row.Field> fields = new ArrayList<>();
    try (JsonParser parser = JSON.createParser(text)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw notAnObject(what, null);
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        names.add(parser.currentName());
        fields.add(field(parser));
      }
      if (parser.nextToken() != null) {
        throw notAnObject(what, null);
      }
    } catch (JsonProcessingException e) {
      throw notAnObject(what, e);
    } catch (NumberFormatException e) {
      throw new DataException(
          what.get()
              + ": the value of \""
              + names.getLast()
              + "\" has a number that cannot be read: its exponent is too long",
          e);
    }
    return new Row(names, fields);
  }

  private static DataException notAnObject(
      Supplier<String> what, @Nullable JsonProcessingException cause) {
    return new DataException(
        what.get()
            + " is not one JSON object"
            + (cause == null ? "" : ": " + cause.getOriginalMessage()),
        cause);
  }

  private static Row.Field field(JsonParser parser) throws IOException {
    if (parser.nextToken() == JsonToken.VALUE_STRING) {
      return new Row.Quoted(parser.getText());
    }
    StringWriter text = new StringWriter();
    try (JsonGenerator copy = JSON.createGenerator(text)) {
      copy(parser, copy);
    }
    return new Row.Json(text.toString());
  }

  /** Copies a value. Its numbers stay as they are written: every digit, and the sign of a zero. */
  private static void copy(JsonParser parser, JsonGenerator copy) throws IOException {
    int depth = 0;
    do {
      JsonToken token = parser.currentToken();
      if (token.isNumeric()) {
        Number _ = parser.getNumberValueExact(); // refuses a number that nobody can read
        copy.writeNumber(parser.getText());
      } else {
        copy.copyCurrentEventExact(parser);
      }
      depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
    } while (depth > 0 && parser.nextToken() != null);
  }
}
