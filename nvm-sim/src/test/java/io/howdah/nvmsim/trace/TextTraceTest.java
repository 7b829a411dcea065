package io.howdah.nvmsim.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.nvmsim.queue.QueueRun;
import io.howdah.nvmsim.queue.QueueSpec;
import io.howdah.nvmsim.schedule.Policies;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TextTraceTest {
  private static final String MALLOC = "0\tfc\tatomic_trace::special_malloc\t9\t64\t0\t0\n";

  private static TraceBuffer read(String text) throws IOException {
    TraceBuffer trace = new TraceBuffer(1 << 20);
    try (TextTraceImporter importer =
        new TextTraceImporter(
            new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
            "test",
            TextTraceNames.DEFAULT)) {
      importer.feed(trace);
    }
    return trace;
  }

  private static String line(TraceBuffer trace, int index) {
    return Event.describe(trace.packed(index), trace.address(index));
  }

  @Test
  void readsTheTracersLines() throws IOException {
    TraceBuffer trace =
        read(
            "5\ttr\n"
                + MALLOC
                + "0\tfr\tatomic_trace::special_malloc\t9\t4096\n"
                + "5\tm\tr\t100\t8\n"
                + "5\tm\tw\t4096\t8\n"
                + "7\tm\tr\t4104\t8\tw\t4104\t8\n"
                + "7\tm\tr\t16\t4\tr2\t24\tw\t32\t4\n"
                + "5\tthread_sync\n"
                + "5\tfc\thowdah::persist_barrier\t1\t0\t0\t0\n"
                + "5\ttf\n");
    assertThat(line(trace, 0)).isEqualTo("thread 0 thread_start");
    assertThat(line(trace, 1)).isEqualTo("thread 1 pmalloc");
    assertThat(trace.value(1)).isEqualTo(64);
    assertThat(line(trace, 2)).isEqualTo("thread 0 load volatile 0x64+8");
    assertThat(line(trace, 3)).isEqualTo("thread 0 store persistent 0x1000+8");
    assertThat(line(trace, 4)).isEqualTo("thread 2 rmw persistent 0x1008+8");
    assertThat(line(trace, 5)).isEqualTo("thread 2 load volatile 0x10+4");
    assertThat(line(trace, 6)).isEqualTo("thread 2 load volatile 0x18+4");
    assertThat(line(trace, 7)).isEqualTo("thread 2 store volatile 0x20+4");
    assertThat(line(trace, 8)).isEqualTo("thread 0 persist_barrier");
    assertThat(line(trace, 9)).isEqualTo("thread 0 thread_end");
    assertThat(trace.count()).isEqualTo(10);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aQueueTraceSurvivesTheRoundTrip(boolean stamps) throws IOException {
    TraceBuffer trace = new TraceBuffer(1 << 20);
    QueueRun.trace(QueueSpec.twoLockPaper(), 4, 100, Policies.random(1), trace);
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try (TextTraceExporter exporter = new TextTraceExporter(text, stamps)) {
      trace.replay(exporter);
    }
    TraceBuffer back = read(text.toString(StandardCharsets.UTF_8));
    assertThat(back.count()).isEqualTo(trace.count());
    for (int i = 0; i < trace.count(); i++) {
      assertThat(back.packed(i)).isEqualTo(Event.withSite(trace.packed(i), 0));
      assertThat(back.address(i)).isEqualTo(trace.address(i));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "0 m r 8 | line ends after 4 fields",
        "0 m | memory line without an access",
        "0 m q 1 2 | memory line without an access",
        "0 m r x 8 | 'x' is no number (field 4)",
        "0 m r 8 0 | access of 0 bytes",
        "0 m r 8 99999999 | access of 99999999 bytes",
        "0 m r 18446744073709551615 8 | beyond 2^63",
        "0 m w 9223372036854775799 8 | address 9223372036854775799 is beyond 2^63 - 65537",
        "0 m w 9223372036854710272 8 | address 9223372036854710272 is beyond 2^63 - 65537",
        "0 zz | unknown operation 'zz'",
        "0 fr atomic_trace::special_malloc 9 64 | allocation returned without a call",
        "0 fc atomic_trace::special_free 9 64 0 0 | free of 0x40, which is not allocated",
      })
  void badLinesAreReportedWithTheirNumber(String line, String message) {
    String text = "0\ttr\n" + line.replace(' ', '\t') + "\n";
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(TraceFormatException.class)
        .hasMessageContaining(message)
        .hasMessageContaining("trace=test line=2");
  }

  @Test
  void overlappingAllocationsAndStraddlingAccessesAreReported() {
    String once = MALLOC + "0\tfr\tatomic_trace::special_malloc\t9\t4096\n";
    String again = MALLOC + "0\tfr\tatomic_trace::special_malloc\t9\t4128\n";
    assertThatThrownBy(() -> read("0\ttr\n" + once + again))
        .hasMessageContaining("overlaps the one at 0x1000")
        .hasMessageContaining("line=5");
    assertThatThrownBy(() -> read("0\ttr\n" + once + "0\tm\tw\t4092\t8\n"))
        .hasMessageContaining("straddles the border of persistent memory");
  }

  @Test
  void anUnalignedReadAndWriteIsALoadAndAStore() throws IOException {
    TraceBuffer trace = read("0\ttr\n0\tm\tr\t12\t8\tw\t12\t8\n0\tm\tr\t24\t3\tw\t24\t3\n");
    assertThat(line(trace, 1)).isEqualTo("thread 0 load volatile 0xc+8");
    assertThat(line(trace, 2)).isEqualTo("thread 0 store volatile 0xc+8");
    assertThat(line(trace, 3)).isEqualTo("thread 0 load volatile 0x18+3");
    assertThat(line(trace, 4)).isEqualTo("thread 0 store volatile 0x18+3");
  }

  @Test
  void blanksAtTheEndOfALineAndEmptyLinesMeanNothing() throws IOException {
    TraceBuffer trace = read("0\ttr\t\r\n \t\n\n0\tm\tr\t8\t8\t \n");
    assertThat(line(trace, 1)).isEqualTo("thread 0 load volatile 0x8+8");
    assertThat(trace.count()).isEqualTo(2);
  }

  @Test
  void timestampsMustNotFall() {
    assertThatThrownBy(() -> read("2\t0\ttr\n1\t0\ttf\n"))
        .hasMessageContaining("timestamp 1 is below 2; merge the trace")
        .hasMessageContaining("line=2");
  }

  @Test
  void overlongLinesAreRefused() {
    assertThatThrownBy(() -> read("0\ttr\n" + "9".repeat(5000)))
        .hasMessageContaining("line longer than 4096 bytes")
        .hasMessageContaining("line=2");
  }
}
