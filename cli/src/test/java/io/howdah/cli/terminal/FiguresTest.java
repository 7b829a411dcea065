package io.howdah.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class FiguresTest {

  @Test
  void figuresKeepThreeOrFourDigits() {
    assertThat(Figures.count(1_234_567)).isEqualTo("1,234,567");
    assertThat(Figures.rate(9_999)).isEqualTo("9,999");
    assertThat(Figures.rate(812_345)).isEqualTo("812 k");
    assertThat(Figures.rate(1_250_000)).isEqualTo("1.25 M");
    assertThat(Figures.rate(3.6e9)).isEqualTo("3.60 G");
    assertThat(Figures.nanos(85_300)).isEqualTo("85.3 µs");
    assertThat(Figures.nanos(12_340_000)).isEqualTo("12.3 ms");
    assertThat(Figures.nanos(212_000_000)).isEqualTo("212 ms");
    assertThat(Figures.nanos(1_250_000_000)).isEqualTo("1.25 s");
    assertThat(Figures.bytes(512)).isEqualTo("512 B");
    assertThat(Figures.bytes(1_500)).isEqualTo("1.5 kB");
    assertThat(Figures.bytes(3_200_000)).isEqualTo("3.2 MB");
    assertThat(Figures.bytes(1_500_000_000)).isEqualTo("1.50 GB");
    assertThat(Figures.ratio(0.934)).isEqualTo("0.93");
  }

  @Test
  void columnsLineUp() {
    Table table = new Table().text("name", 6).figure("n", 4);
    assertThat(table.head()).isEqualTo("  name       n");
    assertThat(table.rule()).isEqualTo("  ──────  ────");
    assertThat(table.row("Zürich", "12")).isEqualTo("  Zürich    12");
    assertThat(table.row("long name", "12345")).isEqualTo("  long name  12345");
  }
}
