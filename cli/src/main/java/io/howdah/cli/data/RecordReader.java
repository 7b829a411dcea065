package io.howdah.cli.data;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads records from a text file, from any byte on that begins one. A record has up to {@value
 * #MAX_RECORD_BYTES} bytes. Not thread-safe.
 */
final class RecordReader implements AutoCloseable {

  static final int MAX_RECORD_BYTES = 1 << 20;

  private static final JsonFactory JSON = new JsonFactory();

  private final RecordFormat format;
  private final Path file;
  private final InputStream in;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private long position;

  RecordReader(Path file, RecordFormat format, long position) throws IOException {
    this.file = file;
    this.format = format;
    this.position = position;
    FileChannel channel = FileChannel.open(file);
    channel.position(position);
    this.in = new BufferedInputStream(Channels.newInputStream(channel), 1 << 16);
  }

  /** Returns where the next record begins. */
  long position() {
    return position;
  }

  /** Returns the next record without its line end, or null. Empty lines are passed over. */
  @Nullable String next() throws IOException {
    while (true) {
      line.reset();
      boolean quoted = false;
      int b = in.read();
      if (b < 0) {
        return null;
      }
      for (; b >= 0; b = in.read()) {
        position++;
        quoted ^= b == '"' && format == RecordFormat.CSV;
        if (b == '\n' && !quoted) {
          break;
        }
        line.write(b);
        if (line.size() > MAX_RECORD_BYTES) {
          throw new IOException(
              file
                  + ": the record before byte "
                  + position
                  + " is longer than "
                  + MAX_RECORD_BYTES
                  + " bytes");
        }
      }
      String record = line.toString(StandardCharsets.UTF_8);
      if (record.endsWith("\r")) {
        record = record.substring(0, record.length() - 1);
      }
      if (!record.isEmpty()) {
        return record;
      }
    }
  }

  /** Returns the key of a record: a field by number from 1, or a member of a JSON object. */
  String key(String record, String key) throws IOException {
    if (format == RecordFormat.JSONL) {
      return jsonKey(record, key);
    }
    List<String> fields = fields(record);
    int number = Integer.parseInt(key);
    if (number > fields.size()) {
      throw new IOException(
          file
              + ": the record before byte "
              + position
              + " has "
              + fields.size()
              + " fields, and field "
              + number
              + " is to be its key");
    }
    return fields.get(number - 1);
  }

  private List<String> fields(String record) {
    List<String> fields = new ArrayList<>();
    StringBuilder field = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < record.length(); i++) {
      char c = record.charAt(i);
      if (c == '"' && format == RecordFormat.CSV) {
        if (quoted && i + 1 < record.length() && record.charAt(i + 1) == '"') {
          field.append(c);
          i++;
        } else {
          quoted = !quoted;
        }
      } else if (c == format.separator() && !quoted) {
        fields.add(field.toString());
        field.setLength(0);
      } else {
        field.append(c);
      }
    }
    fields.add(field.toString());
    return fields;
  }

  private String jsonKey(String record, String key) throws IOException {
    try (JsonParser parser = JSON.createParser(record)) {
      if (parser.nextToken() == JsonToken.START_OBJECT) {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
          boolean isKey = parser.currentName().equals(key);
          JsonToken value = parser.nextToken();
          if (isKey && value.isScalarValue()) {
            return parser.getText();
          }
          parser.skipChildren();
        }
      }
    }
    throw new IOException(
        file
            + ": the record before byte "
            + position
            + " is no object with a member \""
            + key
            + "\" that could be its key");
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
