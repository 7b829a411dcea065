package io.howdah.lab.fuzz;

import io.howdah.cli.catalogue.DataException;
import io.howdah.cli.tables.ByteInput;
import io.howdah.cli.tables.Row;
import io.howdah.cli.tables.RowFormat;
import io.howdah.cli.tables.RowReader;
import io.howdah.cli.tables.RowWriter;
import io.howdah.crashtest.fuzz.FuzzTarget;
import io.howdah.crashtest.oracle.Violation;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A file to be loaded: rows of text or JSON objects. It is refused by place, or read; what is read
 * is written, and then reads the same.
 */
public final class RowsTarget implements FuzzTarget {

  private final RowFormat format;

  /**
   * Creates one.
   *
   * @param format csv, tsv or jsonl
   */
  public RowsTarget(String format) {
    this.format = RowFormat.valueOf(format.toUpperCase(Locale.ROOT));
  }

  @Override
  public String name() {
    return format.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public String what() {
    return "a file that howdah load reads, as " + format;
  }

  @Override
  public List<byte[]> seeds() {
    List<String> texts =
        switch (format) {
          case CSV -> List.of("a,b\n1,2\n", "a,\"b,\"\"c\"\n\"x\ny\",\r\n", "\uFEFFa\n\n1\n");
          case TSV -> List.of("a\tb\n1\t2\n", "a\n\\t\\n\\\\\n");
          case JSONL ->
              List.of(
                  "{\"a\":1,\"b\":\"x\"}\n{\"a\":null,\"b\":[1,{\"c\":true}]}\n",
                  "{\"\\u0061\":1e9,\"b\":-0.5}\n",
                  "\uFEFF{}\n");
        };
    return texts.stream().map(text -> text.getBytes(StandardCharsets.UTF_8)).toList();
  }

  @Override
  public void run(byte[] input) throws IOException {
    List<Row> rows;
    List<String> columns;
    try (ByteInput in = ByteInput.of("input", new ByteArrayInputStream(input))) {
      RowReader reader = format.reader(in, List.of());
      columns = reader.columns();
      rows = rows(reader);
    } catch (DataException e) {
      return; // it says where
    }
    if (format == RowFormat.JSONL || columns.isEmpty()) {
      return; // rows name their own columns: numbers may be written in another way
    }
    StringWriter text = new StringWriter();
    RowWriter writer = format.writer(text, columns);
    for (Row row : rows) {
      writer.write(row);
    }
    byte[] written = text.toString().getBytes(StandardCharsets.UTF_8);
    try (ByteInput in = ByteInput.of("written", new ByteArrayInputStream(written))) {
      RowReader reader = format.reader(in, List.of());
      List<String> again = reader.columns();
      List<Row> read = rows(reader);
      if (!again.equals(columns) || !fields(read).equals(fields(rows))) {
        throw new Violation(columns + " " + fields(rows) + " are written as " + text);
      }
    }
  }

  private static List<Row> rows(RowReader reader) throws IOException {
    List<Row> rows = new ArrayList<>();
    for (Row row = reader.next(); row != null; row = reader.next()) {
      rows.add(row);
    }
    return rows;
  }

  private static List<List<String>> fields(List<Row> rows) {
    return rows.stream().map(row -> row.fields().stream().map(Row.Field::text).toList()).toList();
  }
}
