package io.howdah.cli.tables;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.cli.catalogue.DataException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What {@code howdah load} reads before it makes a store: it is loaded all the same. */
final class LoadInputTest {

  private static final int ROWS = 20_000;

  /** Gives each byte once and a few at a time, as a pipe does. */
  private static ByteInput pipe(String text) {
    InputStream few =
        new ByteArrayInputStream(text.getBytes(UTF_8)) {
          @Override
          public synchronized int read(byte[] bytes, int offset, int length) {
            return super.read(bytes, offset, Math.min(length, 7));
          }
        };
    return ByteInput.of("pipe", few);
  }

  private static LoadPlan plan(String key) {
    return new LoadPlan(Path.of("-"), RowFormat.CSV, "m", key, "", "", List.of(), 1000, false);
  }

  @Test
  void theRowsThatWereCheckedAreReadAgain() throws IOException {
    String text =
        IntStream.range(0, ROWS)
            .mapToObj(i -> "%d,value %d\n".formatted(i, i))
            .collect(Collectors.joining("", "\uFEFFk,v\n", ""));
    try (ByteInput in = pipe(text);
        ByteInput unchecked = pipe(text)) {
      Loader.check(plan("k"), ScalarType.UTF8, ScalarType.UTF8, in);
      assertThat(in.position()).isZero();
      assertThat(in.line()).isOne();
      assertThat(in.isAtLineStart()).isTrue();
      RowReader rows = RowFormat.CSV.reader(in, List.of());
      RowReader expected = RowFormat.CSV.reader(unchecked, List.of());
      assertThat(rows.columns()).containsExactly("k", "v");
      for (int i = 0; i < ROWS; i++) {
        assertThat(rows.next()).isEqualTo(expected.next());
      }
      assertThat(rows.next()).isNull();
      assertThat(unchecked.peek()).isEqualTo(ByteInput.END);
      assertThat(expected.next()).isNull();
      assertThat(in.position())
          .isEqualTo(unchecked.position())
          .isEqualTo(text.getBytes(UTF_8).length);
      assertThat(in.checksum()).isEqualTo(unchecked.checksum());
      assertThat(in.line()).isEqualTo(unchecked.line());
    }
  }

  @Test
  void anInputWithoutTheColumnIsRefusedAndAnEmptyOneIsNot() throws IOException {
    try (ByteInput in = pipe("k,v\n1,a\n")) {
      assertThatThrownBy(() -> Loader.check(plan("none"), ScalarType.UTF8, ScalarType.UTF8, in))
          .isInstanceOf(DataException.class)
          .hasMessageContaining("pipe, line 2");
    }
    try (ByteInput in = pipe("k,v\n")) {
      Loader.check(plan("none"), ScalarType.UTF8, ScalarType.UTF8, in);
      assertThat(RowFormat.CSV.reader(in, List.of()).columns()).containsExactly("k", "v");
    }
  }

  @Test
  void onlyAnInputThatIsKeptReturnsToItsBeginning() throws IOException {
    try (ByteInput in = pipe("k,v\n1,a\n")) {
      assertThatThrownBy(in::rewind).isInstanceOf(IllegalStateException.class);
      in.read();
      assertThatThrownBy(in::keep).isInstanceOf(IllegalStateException.class);
    }
  }
}
