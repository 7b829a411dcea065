package io.howdah.cli.tables;

import java.io.IOException;
import java.io.Writer;

/** Writes what {@link JsonLinesReader} reads. */
final class JsonLinesWriter implements RowWriter {

  private final Writer out;

  JsonLinesWriter(Writer out) {
    this.out = out;
  }

  @Override
  public void write(Row row) throws IOException {
    out.write(JsonText.object(row, -1));
    out.write('\n');
  }
}
