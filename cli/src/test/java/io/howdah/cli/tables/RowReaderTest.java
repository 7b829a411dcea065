package io.howdah.cli.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.cli.catalogue.DataException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class RowReaderTest {

  @TempDir private Path folder;

  private List<List<String>> read(RowFormat format, String text) throws IOException {
    return read(format, text.getBytes(StandardCharsets.UTF_8));
  }

  private List<List<String>> read(RowFormat format, byte[] bytes) throws IOException {
    Path file = Files.write(folder.resolve("rows"), bytes);
    List<List<String>> rows = new ArrayList<>();
    try (ByteInput in = ByteInput.open(file)) {
      RowReader reader = format.reader(in, List.of());
      for (Row row = reader.next(); row != null; row = reader.next()) {
        rows.add(row.fields().stream().map(Row.Field::text).toList());
      }
    }
    return rows;
  }

  @Test
  void csvFieldsInQuotesHoldAnything() throws IOException {
    assertThat(read(RowFormat.CSV, "a,b,c\n\"1,\"\"2\"\"\",\"x\ny\",\r\n,,\"\"\n"))
        .containsExactly(List.of("1,\"2\"", "x\ny", ""), List.of("", "", ""));
  }

  @Test
  void aByteOrderMarkAndEmptyLinesAreNoRows() throws IOException {
    assertThat(read(RowFormat.CSV, "\uFEFFa\n\n1\n\r\n2"))
        .containsExactly(List.of("1"), List.of("2"));
  }

  @Test
  void aByteOrderMarkIsNoPartOfAJsonObject() throws IOException {
    assertThat(read(RowFormat.JSONL, "\uFEFF{\"a\":\"x\"}\n")).containsExactly(List.of("x"));
  }

  /** Full-width letters begin with the byte that a byte order mark begins with. */
  @Test
  void aColumnWhoseNameBeginsLikeAByteOrderMarkKeepsIt() throws IOException {
    Path file = Files.writeString(folder.resolve("rows"), "ｉｄ,v\n1,a\n");
    try (ByteInput in = ByteInput.open(file)) {
      assertThat(RowFormat.CSV.reader(in, List.of()).columns()).containsExactly("ｉｄ", "v");
    }
  }

  /** A pipe gives bytes as they come. */
  @Test
  void aByteOrderMarkMayComeInPieces() {
    byte[] bytes = "\uFEFFid\n1\n".getBytes(StandardCharsets.UTF_8);
    InputStream slow =
        new ByteArrayInputStream(bytes) {
          @Override
          public int read(byte[] to, int at, int length) {
            return super.read(to, at, Math.min(1, length));
          }
        };
    ByteInput in = ByteInput.of("slow", slow);
    assertThat(RowFormat.CSV.reader(in, List.of()).columns()).containsExactly("id");
  }

  @Test
  void columnsOfAnyNameAreRememberedAsTheyAre() {
    List<String> names = List.of("a\nb", "c\\n", "", "d\re", "\\");
    assertThat(MapShape.of("c\\n", "", names).columnNames()).isEqualTo(names);
  }

  @Test
  void tsvHasEscapesAndNoQuotes() throws IOException {
    assertThat(read(RowFormat.TSV, "a\tb\n\"x\t\\t\\n\\\\\n"))
        .containsExactly(List.of("\"x", "\t\n\\"));
  }

  @Test
  void jsonLinesKeepWhatIsNoString() throws IOException {
    assertThat(read(RowFormat.JSONL, "{\"a\":\"x\",\"b\":[1, {\"c\":null}],\"d\":1.50}\n\n{}\n"))
        .containsExactly(List.of("x", "[1,{\"c\":null}]", "1.50"), List.of());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "CSV|a,b;1;2,3|rows, line 2: the row has 1 fields, and there are 2 columns",
        "CSV|a,b;\"1;2\";2,3|rows, line 2: the row has 1 fields, and there are 2 columns",
        "CSV|a,b;1,2,3|has 3 fields",
        "CSV|a,a;1,2|rows, line 1: two columns have the name \"a\"",
        "CSV|a;\"x|a quote from line 2 is not closed",
        "CSV|a;\"x\"y|a closing quote is followed by text",
        "TSV|a;x\\q|a backslash is written",
        "JSONL|{\"a\":1|is not one JSON object",
        "JSONL|[1]|is not one JSON object",
        "JSONL|{\"a\":1} {\"a\":2}|is not one JSON object",
        "JSONL|{\"a\":1,\"a\":2}|Duplicate field 'a'",
        "JSONL|{\"a\":1,\"b\":-0.5e10000000000000}|the value of \"b\" has a number that cannot",
      })
  void whatIsNoRowIsRefusedByPlace(RowFormat format, String text, String complaint) {
    assertThatThrownBy(() -> read(format, text.replace(';', '\n')))
        .isInstanceOf(DataException.class)
        .hasMessageContaining(folder.resolve("rows").toString())
        .hasMessageContaining(complaint);
  }

  /** Line ends of every kind, also mixed, end a row and count as one line. */
  @ParameterizedTest
  @CsvSource({"CSV, ','", "TSV, '\t'", "JSONL, ''"})
  void linesEndInAnyWay(RowFormat format, String between) throws IOException {
    for (String end : List.of("\n", "\r\n", "\r")) {
      for (String other : List.of("\n", "\r\n", "\r")) {
        boolean isJson = format == RowFormat.JSONL;
        String text =
            isJson
                ? "{\"a\":\"1\",\"b\":\"2\"}" + end + "{\"a\":\"3\",\"b\":\"4\"}" + other
                : String.join(between, "a", "b")
                    + end
                    + String.join(between, "1", "2")
                    + other
                    + String.join(between, "3", "4")
                    + end;
        for (String last : List.of("", "x")) {
          String what = "%s, then %s, then %s".formatted(codes(end), codes(other), last);
          if (last.isEmpty()) {
            assertThat(read(format, text + end + other))
                .as(what)
                .containsExactly(List.of("1", "2"), List.of("3", "4"));
          } else {
            assertThatThrownBy(() -> read(format, text + last))
                .as(what)
                .hasMessageContaining("rows, line " + (isJson ? 3 : 4));
          }
        }
      }
    }
  }

  private static String codes(String text) {
    return text.replace("\r", "CR").replace("\n", "LF");
  }

  /** A pipe may end a read between the two. */
  @Test
  void aLineEndOfTwoCharactersMayComeInPieces() {
    byte[] bytes = "a\r\n\"1\r\n2\"\r\n3\r\n".getBytes(StandardCharsets.UTF_8);
    InputStream slow =
        new ByteArrayInputStream(bytes) {
          @Override
          public int read(byte[] to, int at, int length) {
            return super.read(to, at, Math.min(1, length));
          }
        };
    ByteInput in = ByteInput.of("slow", slow);
    RowReader reader = new TableReader(in, true, List.of());
    assertThat(texts(reader)).containsExactly("1\r\n2");
    assertThat(in.line()).isEqualTo(4);
    assertThat(texts(reader)).containsExactly("3");
    assertThat(in.line()).isEqualTo(5);
    assertThat(in.position()).isEqualTo(bytes.length);
  }

  private static List<String> texts(RowReader reader) {
    try {
      return Objects.requireNonNull(reader.next()).fields().stream().map(Row.Field::text).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "CSV|a,b;1,2;3,?;5,6|3",
        "CSV|a,b;1,2;?,4;5,6|3",
        "CSV|a,b;1,2;\"3^;3\",\"4;?^\";5,6|5",
        "CSV|a,b^1,2^3,?^5,6|3",
        "CSV|a,b^;1,2^;3,?^;5,6|3",
        "CSV|a,?;1,2|1",
        "TSV|a;x\\n?;2|2",
        "JSONL|{};{\"a\":\"?\"};{}|2",
        "JSONL|{}^;{\"a\":\"?\"}^;{}|2",
      })
  void aByteThatIsNotUtf8IsNamedWithItsLine(RowFormat format, String text, int line) {
    byte[] bytes = text.replace(';', '\n').replace('^', '\r').getBytes(StandardCharsets.ISO_8859_1);
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = bytes[i] == '?' ? (byte) 0xE9 : bytes[i];
    }
    assertThatThrownBy(() -> read(format, bytes))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("rows, line " + line + ": the byte 0xE9 is not UTF-8");
  }

  @Test
  void anEmptyTableHasNoColumns() {
    assertThatThrownBy(() -> read(RowFormat.TSV, "\n")).hasMessageContaining("no first row");
  }

  @ParameterizedTest
  @EnumSource
  void bytesThatAreNotUtf8AreRefused(RowFormat format) {
    byte[] bytes = {'a', '\n', '"', (byte) 0xC3, '"', '\n'};
    assertThatThrownBy(() -> read(format, bytes)).isInstanceOf(DataException.class);
    assertThatThrownBy(() -> read(RowFormat.CSV, bytes)).hasMessageContaining("not UTF-8");
  }

  @Test
  void aRowIsBounded() {
    String endless = "a\n" + "x".repeat(RowReader.MAX_ROW_BYTES + 1);
    assertThatThrownBy(() -> read(RowFormat.CSV, endless)).hasMessageContaining("bytes");
    String wide = ",".repeat(RowReader.MAX_COLUMNS + 1);
    assertThatThrownBy(() -> read(RowFormat.CSV, wide)).hasMessageContaining("columns");
  }

  @Test
  void aPackedFileThatIsCutOffIsRefused() throws IOException {
    Path file = Files.write(folder.resolve("x.csv.gz"), new byte[] {0x1f, (byte) 0x8b, 8, 0});
    assertThatThrownBy(() -> ByteInput.open(file)).hasMessageContaining("cannot be unpacked");
  }

  /** Whatever fields hold, what is written reads the same. */
  @ParameterizedTest
  @EnumSource
  void whatIsWrittenReadsTheSame(RowFormat format) throws IOException {
    SplittableRandom random = new SplittableRandom(5);
    String alphabet = "ab,\"\t\n\r\\ é😀";
    List<String> columns = List.of("one", "two, \"or\" more");
    List<List<String>> rows = new ArrayList<>();
    StringWriter text = new StringWriter();
    RowWriter writer = format.writer(text, columns);
    for (int i = 0; i < 500; i++) {
      List<String> fields = new ArrayList<>();
      for (int j = 0; j < columns.size(); j++) {
        StringBuilder field = new StringBuilder();
        for (int k = random.nextInt(6); k > 0; k--) {
          field.appendCodePoint(
              alphabet.codePointAt(
                  alphabet.offsetByCodePoints(
                      0, random.nextInt(alphabet.codePointCount(0, alphabet.length())))));
        }
        fields.add(field.toString());
      }
      rows.add(fields);
      writer.write(new Row(columns, fields.stream().<Row.Field>map(Row.Text::new).toList()));
    }
    assertThat(read(format, text.toString())).isEqualTo(rows);
  }

  /** Found by {@code howdah test fuzz csv}: the reader took the mark for that of the file. */
  @ParameterizedTest
  @EnumSource(names = {"CSV", "TSV"})
  void aFirstColumnThatBeginsWithAByteOrderMarkKeepsIt(RowFormat format) throws IOException {
    StringWriter text = new StringWriter();
    List<String> columns = List.of("\uFEFFone", "two");
    format
        .writer(text, columns)
        .write(new Row(columns, List.of(new Row.Text("1"), new Row.Text("2"))));
    try (ByteInput in =
        ByteInput.of(
            "rows", new ByteArrayInputStream(text.toString().getBytes(StandardCharsets.UTF_8)))) {
      assertThat(format.reader(in, List.of()).columns()).isEqualTo(columns);
    }
  }
}
