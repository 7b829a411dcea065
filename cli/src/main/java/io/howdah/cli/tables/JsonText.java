package io.howdah.cli.tables;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/** Rows as JSON objects. */
final class JsonText {

  private static final JsonFactory JSON = new JsonFactory();

  private JsonText() {}

  /** Returns a row as an object, without one of its columns; -1 leaves none out. */
  static String object(Row row, int without) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(text)) {
      json.writeStartObject();
      for (int i = 0; i < row.names().size(); i++) {
        if (i != without) {
          json.writeFieldName(row.names().get(i));
          switch (row.field(i)) {
            case Row.Text(String value) -> json.writeString(value);
            case Row.Quoted(String value) -> json.writeString(value);
            case Row.Json(String value) -> json.writeRawValue(value);
          }
        }
      }
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // a StringWriter never fails
    }
    return text.toString();
  }
}
